// Any bytes as the reference.bin of three groups: refused by a sentence, or written back as they
// were.
#include "entropy/reference_file.h"

#include "common/error.h"
#include "file.h"

namespace fuzz
{

static entropy::SampleFile threeGroups()
{
    entropy::SampleFile data;
    data.checksum = 0x6f73656c706d6173; // "samples" and "o", which a fuzzer may find
    for (const auto &[width, height] : {std::pair{1, 1}, std::pair{3, 2}, std::pair{2, 5}})
        data.samples.push_back({width, height, std::vector<float>(width * height)});
    return data;
}

void reference(const std::uint8_t *data, std::size_t size)
{
    static const entropy::SampleFile groups = threeGroups();
    const std::string path = fileOf("reference.bin", data, size);
    try {
        const auto gold = entropy::readReference(path, groups);
        expect(entropy::referenceFile(groups, gold) ==
                   std::string(reinterpret_cast<const char *>(data), size),
               "the answers are not those of the file");
    } catch (const common::Error &error) {
        expect(std::string(error.what()).find(path) == 0, "the error does not name the file");
    }
}

} // namespace fuzz
