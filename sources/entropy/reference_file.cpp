#include "entropy/reference_file.h"

#include "common/error.h"

#include <cstring>

namespace entropy
{

namespace
{

// Little-endian, as every machine that CUDA runs on.
struct Header
{
    char magic[8] = {'E', 'N', 'T', 'R', 'O', 'P', 'Y', '\n'};
    std::uint32_t version = 1;
    std::uint32_t groups = 0;
    std::uint64_t checksum = 0; // of the bytes of the data file
};
static_assert(sizeof(Header) == 24, "the header is a file format");

struct Size
{
    std::int32_t width, height;
};

} // namespace

std::string referenceFile(const SampleFile &data, const std::vector<std::vector<float>> &gold)
{
    std::string file;
    const auto append = [&](const void *bytes, std::size_t size) {
        file.append(static_cast<const char *>(bytes), size);
    };
    Header header;
    header.groups = static_cast<std::uint32_t>(data.samples.size());
    header.checksum = data.checksum;
    append(&header, sizeof header);
    for (std::size_t group = 0; group < data.samples.size(); ++group) {
        const Size size{data.samples[group].width, data.samples[group].height};
        append(&size, sizeof size);
        append(gold[group].data(), gold[group].size() * sizeof(float));
    }
    return file;
}

std::vector<std::vector<float>> readReference(const std::string &path, const SampleFile &data)
{
    const std::vector<unsigned char> bytes = readBytes(path);
    std::size_t offset = 0;
    const auto take = [&](void *to, std::size_t size) {
        if (size > bytes.size() - offset)
            throw common::Error(path + ": offset " + std::to_string(offset) + ": the file ends, " +
                                std::to_string(size) + " more bytes expected");
        if (size) std::memcpy(to, bytes.data() + offset, size);
        offset += size;
    };

    Header header;
    const Header expected;
    take(&header, sizeof header);
    if (std::memcmp(header.magic, expected.magic, sizeof header.magic) != 0)
        throw common::Error(path + ": offset 0: this is no reference file");
    if (header.version != expected.version)
        throw common::Error(path + ": offset 8: format version " + std::to_string(header.version) +
                            ", expected " + std::to_string(expected.version));
    if (header.checksum != data.checksum)
        throw common::Error(path + ": offset 16: it belongs to another data file");
    if (header.groups != data.samples.size())
        throw common::Error(path + ": offset 12: it holds " + std::to_string(header.groups) +
                            " groups, expected " + std::to_string(data.samples.size()));

    std::vector<std::vector<float>> gold;
    for (const Sample &sample : data.samples) {
        Size size{};
        take(&size, sizeof size);
        if (size.width != sample.width || size.height != sample.height)
            throw common::Error(path + ": offset " + std::to_string(offset - sizeof size) +
                                ": group " + std::to_string(gold.size() + 1) + " is " +
                                std::to_string(size.width) + " x " + std::to_string(size.height) +
                                ", expected " + std::to_string(sample.width) + " x " +
                                std::to_string(sample.height));
        gold.emplace_back(sample.cells.size());
        take(gold.back().data(), gold.back().size() * sizeof(float));
    }
    if (offset != bytes.size())
        throw common::Error(path + ": offset " + std::to_string(offset) +
                            ": the last group ends here, the file does not");
    return gold;
}

} // namespace entropy
