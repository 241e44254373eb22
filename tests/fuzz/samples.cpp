// Any bytes as data.bin, as text, and under a name that leaves the choice: refused by a sentence,
// or read as groups that are written back as they were.
#include "entropy/samples.h"
#include "common/error.h"
#include "entropy/window.h"
#include "file.h"

namespace fuzz
{
namespace
{

using entropy::Sample;
using entropy::SampleFile;

std::vector<std::uint8_t> levelsOf(const Sample &sample)
{
    expect(sample.width > 0 && sample.height > 0 &&
               sample.cells.size() == static_cast<std::size_t>(sample.width) * sample.height,
           "the cells are not those of the size");
    std::vector<std::uint8_t> levels;
    for (const float cell : sample.cells) {
        expect(cell >= 0 && cell < entropy::kLevels && cell == static_cast<int>(cell),
               "a cell is no level");
        levels.push_back(static_cast<std::uint8_t>(cell));
    }
    return levels;
}

void expectSameAgain(const SampleFile &file, const std::string &bytes)
{
    std::string written;
    for (const Sample &sample : file.samples) {
        const auto levels = levelsOf(sample);
        written += file.format == entropy::Format::Text
                       ? entropy::textFile(sample.width, sample.height, levels)
                       : entropy::binaryRecord(sample.width, sample.height, levels);
    }
    if (file.format == entropy::Format::Binary)
        return expect(written == bytes, "the records are not those of the file");
    const auto *data = reinterpret_cast<const std::uint8_t *>(written.data());
    const SampleFile again = entropy::readSamples(fileOf("again.txt", data, written.size()));
    expect(again.samples.size() == 1 && file.samples.size() == 1 &&
               again.samples[0].width == file.samples[0].width &&
               again.samples[0].cells == file.samples[0].cells,
           "text that was written is read as something else");
}

} // namespace

void samples(const std::uint8_t *data, std::size_t size)
{
    const std::string bytes(reinterpret_cast<const char *>(data), size);
    for (const char *name : {"sample.bin", "sample.txt", "sample"}) {
        const std::string path = fileOf(name, data, size);
        try {
            expectSameAgain(entropy::readSamples(path), bytes);
        } catch (const common::Error &error) {
            expect(std::string(error.what()).find(path) == 0, "the error does not name the file");
        }
    }
}

} // namespace fuzz
