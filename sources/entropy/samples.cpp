#include "entropy/samples.h"

#include "common/error.h"
#include "entropy/window.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

namespace entropy
{

namespace
{

using Bytes = std::vector<unsigned char>;

bool endsWith(const std::string &text, const std::string &end)
{
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// A binary file starts with a size, whose upper bytes are zero: no text holds such a byte.
Format detectFormat(const std::string &path, const Bytes &bytes)
{
    if (isTextName(path)) return Format::Text;
    if (endsWith(path, ".bin")) return Format::Binary;
    const auto isText = [](unsigned char c) { return std::isprint(c) || std::isspace(c); };
    const auto end = bytes.begin() + std::min<std::size_t>(bytes.size(), 64);
    return std::all_of(bytes.begin(), end, isText) ? Format::Text : Format::Binary;
}

/// What the first bytes are those of, "a NumPy file (.npy)"; null for anything unknown.
const char *foreignFormat(const Bytes &bytes)
{
    using namespace std::string_literals; // they hold zeros
    static const std::pair<std::string, const char *> kFormats[] = {
        {"\x93NUMPY"s, "a NumPy file (.npy)"},
        {"\x89PNG\r\n"s, "a PNG image"},
        {"\xff\xd8\xff"s, "a JPEG image"},
        {"GIF8"s, "a GIF image"},
        {"BM"s, "a BMP image"},
        {"II*\0"s, "a TIFF image"},
        {"MM\0*"s, "a TIFF image"},
        {"\x1f\x8b"s, "a gzip archive"},
        {"PK\x03\x04"s, "a zip archive (.zip, .npz)"},
        {"\x89HDF\r\n"s, "an HDF5 file"},
        {"ENTROPY\n"s, "a file of right answers (reference.bin)"},
    };
    for (const auto &[start, name] : kFormats)
        if (bytes.size() >= start.size() &&
            std::memcmp(bytes.data(), start.data(), start.size()) == 0)
            return name;
    const bool netpbm = bytes.size() > 2 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '7' &&
                        std::isspace(bytes[2]);
    return netpbm ? "a PBM, PGM or PPM image" : nullptr;
}

// ---- binary ------------------------------------------------------------------------------------

// Reads records one after the other; knows where it is, for errors.
class BinaryReader
{
public:
    BinaryReader(const std::string &path, const Bytes &bytes) : path(path), bytes(bytes) {}

    bool atEnd() const { return offset == bytes.size(); }

    Sample next()
    {
        ++record;
        Sample sample;
        sample.width = size("width");
        sample.height = size("height");
        readCells(sample);
        return sample;
    }

private:
    std::size_t left() const { return bytes.size() - offset; }

    [[noreturn]] void fail(const std::string &what) const
    {
        throw common::Error(path + ": record " + std::to_string(record) + ", offset " +
                            std::to_string(offset) + ": " + what);
    }

    int size(const char *name)
    {
        if (left() < 4)
            fail("the file ends " + std::to_string(left()) + " bytes into the " + name +
                 ", expected 4 bytes");
        std::uint32_t bits = 0;
        for (int i = 0; i < 4; ++i) bits |= static_cast<std::uint32_t>(bytes[offset + i]) << 8 * i;
        const auto value = static_cast<std::int32_t>(bits);
        if (value < 1)
            fail(std::string(name) + " is " + std::to_string(value) + ", expected 1 or more");
        offset += 4;
        return value;
    }

    void readCells(Sample &sample)
    {
        const std::uint64_t cells = static_cast<std::uint64_t>(sample.width) * sample.height;
        if (cells > left())
            fail(std::to_string(sample.width) + " x " + std::to_string(sample.height) +
                 " cells expected, the file ends after " + std::to_string(left()));
        sample.cells.resize(cells);
        for (float &cell : sample.cells) {
            const int value = bytes[offset];
            if (value >= kLevels) fail("cell is " + std::to_string(value) + ", expected 0..15");
            cell = static_cast<float>(value);
            ++offset;
        }
    }

    const std::string &path;
    const Bytes &bytes;
    std::size_t offset = 0;
    int record = 0;
};

// ---- text --------------------------------------------------------------------------------------

// Reads integers separated by white space; knows line and column, for errors.
class TextReader
{
public:
    TextReader(const std::string &path, const Bytes &bytes) : path(path), bytes(bytes) {}

    Sample read()
    {
        Sample sample;
        sample.height = size("height");
        sample.width = size("width");
        const std::uint64_t cells = static_cast<std::uint64_t>(sample.width) * sample.height;
        if (cells > bytes.size()) // a cell takes a byte at least: do not reserve for a wild size
            fail(countOf(cells) + ", the file is too short for them");
        sample.cells.resize(cells);
        for (std::uint64_t i = 0; i < cells; ++i) {
            if (!skipSpace()) fail(countOf(cells) + ", the file ends after " + std::to_string(i));
            const long long value = integer("a cell");
            if (value < 0 || value >= kLevels)
                fail("cell is " + std::to_string(value) + ", expected 0..15");
            sample.cells[i] = static_cast<float>(value);
        }
        if (skipSpace()) {
            markToken();
            fail(countOf(cells) + ", the file holds more");
        }
        return sample;
    }

private:
    static std::string printable(std::string token)
    {
        for (char &c : token)
            if (!std::isprint(static_cast<unsigned char>(c))) c = '?';
        return token;
    }

    static std::string countOf(std::uint64_t cells)
    {
        return std::to_string(cells) + " cells expected";
    }

    [[noreturn]] void fail(const std::string &what) const
    {
        throw common::Error(path + ": record 1, offset " + std::to_string(tokenOffset) + " (line " +
                            std::to_string(tokenLine) + ", column " + std::to_string(tokenColumn) +
                            "): " + what);
    }

    void markToken()
    {
        tokenOffset = offset;
        tokenLine = line;
        tokenColumn = offset - lineStart + 1;
    }

    bool skipSpace()
    {
        for (; offset < bytes.size() && std::isspace(bytes[offset]); ++offset)
            if (bytes[offset] == '\n') {
                ++line;
                lineStart = offset + 1;
            }
        if (offset == bytes.size()) markToken();
        return offset < bytes.size();
    }

    long long integer(const char *name)
    {
        if (!skipSpace()) fail(std::string("the file ends, expected ") + name);
        markToken();
        std::string token;
        for (; offset < bytes.size() && !std::isspace(bytes[offset]); ++offset)
            token += static_cast<char>(bytes[offset]);
        char *end = nullptr;
        errno = 0;
        const long long value = std::strtoll(token.c_str(), &end, 10);
        if (end != token.c_str() + token.size() || errno != 0)
            fail("'" + printable(token.substr(0, 40)) + "' is not an integer, expected " + name);
        return value;
    }

    int size(const char *name)
    {
        const long long value = integer(name);
        if (value < 1 || value > INT_MAX)
            fail(std::string(name) + " is " + std::to_string(value) + ", expected 1.." +
                 std::to_string(INT_MAX));
        return static_cast<int>(value);
    }

    const std::string &path;
    const Bytes &bytes;
    std::size_t offset = 0, line = 1, lineStart = 0;
    std::size_t tokenOffset = 0, tokenLine = 1, tokenColumn = 1;
};

} // namespace

// ---- what samples.h promises -------------------------------------------------------------------

std::vector<unsigned char> readBytes(const std::string &path)
{
    const auto fail = [&] {
        throw common::Error(path + " cannot be read: " + std::strerror(errno));
    };
    std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(
        path == "-" ? stdin : std::fopen(path.c_str(), "rb"),
        [](std::FILE *open) { return open == stdin ? 0 : std::fclose(open); });
    if (!file) fail();
    Bytes bytes;
    constexpr std::size_t kBlock = 1 << 16;
    for (std::size_t got = kBlock; got == kBlock;) {
        const std::size_t size = bytes.size();
        bytes.resize(size + kBlock);
        got = std::fread(bytes.data() + size, 1, kBlock, file.get());
        bytes.resize(size + got);
    }
    if (std::ferror(file.get())) fail();
    return bytes;
}

bool isTextName(const std::string &path) { return endsWith(path, ".txt"); }

std::uint64_t checksum(const std::vector<unsigned char> &bytes)
{
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
    return hash;
}

namespace
{

SampleFile parse(const std::string &path, const Bytes &bytes)
{
    SampleFile file;
    file.format = detectFormat(path, bytes);
    file.checksum = checksum(bytes);
    if (file.format == Format::Text) {
        file.samples.push_back(TextReader(path, bytes).read());
        return file;
    }
    for (BinaryReader reader(path, bytes); !reader.atEnd();) file.samples.push_back(reader.next());
    return file;
}

} // namespace

SampleFile readSamples(const std::string &path)
{
    const Bytes bytes = readBytes(path);
    if (bytes.empty()) throw common::Error(path + ": record 1, offset 0: the file is empty");
    try {
        return parse(path, bytes);
    } catch (const common::Error &) { // a size may have the same bytes: what can be read, is
        const char *const format = foreignFormat(bytes);
        if (!format) throw;
        throw common::Error(path + ": this is " + format +
                            "; expected data.bin or text (data/README.md)");
    }
}

std::string binaryRecord(int width, int height, const std::vector<std::uint8_t> &cells)
{
    std::string record;
    for (const int size : {width, height})
        for (int i = 0; i < 4; ++i)
            record += static_cast<char>(static_cast<std::uint32_t>(size) >> 8 * i & 0xFF);
    record.append(cells.begin(), cells.end());
    return record;
}

std::string textFile(int width, int height, const std::vector<std::uint8_t> &cells)
{
    std::string text = std::to_string(height) + " " + std::to_string(width) + "\n";
    std::size_t cell = 0;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            text += std::to_string(cells[cell++]) + (x + 1 < width ? ' ' : '\n');
    return text;
}

} // namespace entropy
