// Groups of input cells, and the two formats that hold them. data/README.md describes both.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace entropy
{

/// One group: height rows of width cells, cells[y * width + x], each an integer 0..15.
struct Sample
{
    int width = 0;
    int height = 0;
    std::vector<float> cells;
};

enum class Format { Binary, Text };

/// What a file holds: its groups, its format, and the checksum of its bytes.
struct SampleFile
{
    Format format = Format::Binary;
    std::uint64_t checksum = 0;
    std::vector<Sample> samples;
};

/// All bytes of the file `path`, or of standard input where it is "-".
/// Throws common::Error if it is missing or cannot be read.
std::vector<unsigned char> readBytes(const std::string &path);

/// Does the name say that the file is text?
bool isTextName(const std::string &path);

/// FNV-1a, 64 bits: tells a data file from another one, no defence against malice.
std::uint64_t checksum(const std::vector<unsigned char> &bytes);

/// Reads data.bin or text. A name ending in .txt is text, in .bin binary; otherwise the content
/// decides. Throws common::Error with file, place (record and offset, or line and column), what
/// was found and what was expected; the format's name, where the first bytes are those of another.
SampleFile readSamples(const std::string &path);

/// The bytes of one binary record, and of one text file; `cells` as in makeContent.
std::string binaryRecord(int width, int height, const std::vector<std::uint8_t> &cells);
std::string textFile(int width, int height, const std::vector<std::uint8_t> &cells);

} // namespace entropy
