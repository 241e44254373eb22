// Readers and writers of data.bin, text and reference.bin; the made-up contents.
#include "common/error.h"
#include "entropy/reference_file.h"
#include "entropy/samples.h"
#include "messages.h"
#include "shapes.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace entropy
{
namespace
{

std::string size32(int value) { return std::string(reinterpret_cast<const char *>(&value), 4); }

std::string record(int width, int height, const std::string &cells)
{
    return size32(width) + size32(height) + cells;
}

void expectMessage(const std::string &name, const std::string &bytes, const std::string &part)
{
    const TemporaryFile file(name, bytes);
    const std::string message = messageOf([&] { readSamples(file.path()); });
    EXPECT_EQ(message.find(file.path() + ": "), 0u) << message;
    EXPECT_TRUE(holds(message, part)) << message << "\nshould hold: " << part;
}

} // namespace

TEST(Samples, BinaryRoundTrip)
{
    std::string bytes;
    for (const Shape shape : {Shape{1, 1}, Shape{7, 3}, Shape{3, 300}})
        bytes +=
            binaryRecord(shape.width, shape.height, makeContent({}, shape.width, shape.height, 5));
    const TemporaryFile file("round.bin", bytes);
    const SampleFile data = readSamples(file.path());
    EXPECT_EQ(data.format, Format::Binary);
    ASSERT_EQ(data.samples.size(), 3u);
    EXPECT_EQ(data.samples[1].width, 7);
    EXPECT_EQ(data.samples[1].height, 3);
    const auto cells = makeContent({}, 3, 300, 5);
    EXPECT_EQ(data.samples[2].cells, std::vector<float>(cells.begin(), cells.end()));
}

TEST(Samples, TextRoundTrip)
{
    const auto cells = makeContent({}, 7, 3, 9);
    const TemporaryFile file("round.txt", textFile(7, 3, cells));
    const SampleFile data = readSamples(file.path());
    EXPECT_EQ(data.format, Format::Text);
    ASSERT_EQ(data.samples.size(), 1u);
    EXPECT_EQ(data.samples[0].width, 7);
    EXPECT_EQ(data.samples[0].height, 3);
    EXPECT_EQ(data.samples[0].cells, std::vector<float>(cells.begin(), cells.end()));
}

TEST(Samples, WhatIsWrittenIsReadByOtherPrograms)
{
    const std::vector<std::uint8_t> cells = {0, 1, 2, 13, 14, 15};
    EXPECT_EQ(textFile(3, 2, cells), "2 3\n0 1 2\n13 14 15\n");
    EXPECT_EQ(textFile(2, 3, cells), "3 2\n0 1\n2 13\n14 15\n");
    EXPECT_EQ(binaryRecord(3, 2, cells), record(3, 2, {0, 1, 2, 13, 14, 15}));
}

// Whatever the name says; but what can be read as sizes and cells is read so.
TEST(Samples, AnotherFormatIsNamed)
{
    using namespace std::string_literals;
    for (const auto &[bytes, name] : std::vector<std::pair<std::string, std::string>>{
             {"\x93NUMPY\x01\x00v\x00{'descr'"s, "a NumPy file (.npy)"},
             {"P5\n4 4\n255\n\x01\x02"s, "a PBM, PGM or PPM image"},
             {"P2\n4 4\n255\n1 2 3"s, "a PBM, PGM or PPM image"},
             {"\x89PNG\r\n\x1a\n"s, "a PNG image"},
             {"P7\nWIDTH 4\n"s, "a PBM, PGM or PPM image"},
             {"\xff\xd8\xff\xe0\0\x10JFIF"s, "a JPEG image"},
             {"GIF89a\4\0"s, "a GIF image"},
             {"BM\x9a\x10\0\0\0\0"s, "a BMP image"},
             {"\x89HDF\r\n\x1a\n"s, "an HDF5 file"},
             {"II*\0\x08\0\0\0"s, "a TIFF image"},
             {"MM\0*\0\0\0\x08"s, "a TIFF image"},
             {"\x1f\x8b\x08\0\0\0\0\0\0\x03"s, "a gzip archive"},
             {"PK\x03\x04\x14\0\0\0"s, "a zip archive (.zip, .npz)"},
             {"ENTROPY\n\x01\0\0\0"s, "a file of right answers (reference.bin)"}})
        for (const std::string file : {"x.bin", "x.txt", "x"})
            expectMessage(file, bytes, "this is " + name + "; expected data.bin or text");
    expectMessage("x.bin", "\x05\0\0\0\x05\0\0\0"s, "cells expected");
    // 'B', 'M', 0, 0: 19778 cells in one row.
    const TemporaryFile wide("wide.bin", record(19778, 1, std::string(19778, '\3')));
    EXPECT_EQ(readSamples(wide.path()).samples[0].width, 19778);
}

TEST(Samples, ContentDecidesWhereTheNameDoesNot)
{
    const TemporaryFile text("unnamed", "1 2\n3 4\n");
    EXPECT_EQ(readSamples(text.path()).format, Format::Text);
    const TemporaryFile binary("unnamed", record(1, 1, "\x0f"));
    EXPECT_EQ(readSamples(binary.path()).format, Format::Binary);
    // Where the name does, it does.
    expectMessage("text.bin", "1 2\n3 4\n", "record 1, offset 8: ");
    expectMessage("binary.txt", record(1, 1, "\x0f"), "is not an integer, expected height");
}

TEST(Samples, BadBinaryIsNamedByRecordAndOffset)
{
    const std::string good = record(2, 1, std::string("\1\2", 2)); // 10 bytes
    expectMessage("bad.bin", "", "the file is empty");
    expectMessage("bad.bin", good + "\5",
                  "record 2, offset 10: the file ends 1 bytes into the width");
    expectMessage("bad.bin", size32(3).substr(0, 3), "the file ends 3 bytes into the width");
    expectMessage("bad.bin", "P5x", "the file ends 3 bytes into the width"); // no picture's name
    expectMessage("bad.bin", good + size32(3),
                  "record 2, offset 14: the file ends 0 bytes into the height");
    expectMessage("bad.bin", good + record(3, 2, "\1\1\1\1"),
                  "record 2, offset 18: 3 x 2 cells expected, the file ends after 4");
    expectMessage("bad.bin", good + record(3, 2, "\1\1\1\1\1"), "the file ends after 5");
    expectMessage("bad.bin", record(-5, 1, "\1"),
                  "record 1, offset 0: width is -5, expected 1 or more");
    expectMessage("bad.bin", record(1, 0, ""),
                  "record 1, offset 4: height is 0, expected 1 or more");
    expectMessage(
        "bad.bin", record(2147483647, 2147483647, "\1"),
        "record 1, offset 8: 2147483647 x 2147483647 cells expected, the file ends after 1");
    expectMessage("bad.bin", record(65536, 65536, ""), "65536 x 65536 cells expected");
    expectMessage("bad.bin", good + record(2, 1, "\1\x10"),
                  "record 2, offset 19: cell is 16, expected 0..15");
    expectMessage("bad.bin", record(1, 1, "\xff"),
                  "record 1, offset 8: cell is 255, expected 0..15");
}

TEST(Samples, BadTextIsNamedByLineAndColumn)
{
    expectMessage("bad.txt", "", "the file is empty");
    expectMessage("bad.txt", "2", "the file ends, expected width");
    expectMessage("bad.txt", "1 2\n3 x\n", "offset 6 (line 2, column 3): 'x' is not an integer");
    expectMessage("bad.txt", "1 2\n3 4.5\n", "'4.5' is not an integer");
    expectMessage("bad.txt", std::string("1 1\n3\0junk", 11), "is not an integer");
    expectMessage("bad.txt", "1 2\n3 16\n", "(line 2, column 3): cell is 16, expected 0..15");
    expectMessage("bad.txt", "1 2\n-1 3\n", "(line 2, column 1): cell is -1, expected 0..15");
    expectMessage("bad.txt", "1 2\n3 99999999999999999999\n", "is not an integer");
    expectMessage("bad.txt", std::string(1 << 20, 'x'),
                  ": '" + std::string(40, 'x') + "' is not an integer, expected height");
    expectMessage("bad.txt", "-1 2\n", "height is -1, expected 1..2147483647");
    expectMessage("bad.txt", "1 0\n", "width is 0, expected 1..2147483647");
    expectMessage("bad.txt", "1 4294967296\n", "width is 4294967296");
    expectMessage("bad.txt", "2147483647 2147483647\n1\n", "the file is too short for them");
    expectMessage("bad.txt", "100 100\n1\n",
                  "10000 cells expected, the file is too short for them");
    expectMessage("bad.txt", "2 2\n1 2\n3\n",
                  "(line 4, column 1): 4 cells expected, the file ends after 3");
    expectMessage("bad.txt", "1 2\n1 2\n3\n",
                  "(line 3, column 1): 2 cells expected, the file holds more");
}

TEST(Samples, NumbersOfATextAreDecimal)
{
    const TemporaryFile text("zeros.txt", "01 02\n010 09\n");
    EXPECT_EQ(readSamples(text.path()).samples[0].cells, (std::vector<float>{10, 9}));
    expectMessage("bad.txt", "1 2\n3 0xA\n", "(line 2, column 3): '0xA' is not an integer");
}

TEST(Samples, AMissingFileIsNamed)
{
    EXPECT_EQ(messageOf([] { readSamples("no/such/file.bin"); }),
              "no/such/file.bin cannot be read: No such file or directory");
}

TEST(Samples, ADirectoryIsNoFile)
{
    EXPECT_EQ(messageOf([] { readSamples("/tmp"); }), "/tmp cannot be read: Is a directory");
}

TEST(ReferenceFile, RoundTripAndEveryWayToBeWrong)
{
    const TemporaryFile dataFile("data.bin", record(2, 1, "\1\2") + record(1, 1, "\3"));
    const SampleFile data = readSamples(dataFile.path());
    const std::vector<std::vector<float>> gold = {{0.5f, 0.25f}, {0.0f}};
    const std::string bytes = referenceFile(data, gold);
    EXPECT_EQ(readReference(TemporaryFile("ref.bin", bytes).path(), data), gold);

    const auto expectError = [&](std::string changed, const std::string &part) {
        const TemporaryFile file("ref.bin", changed);
        const std::string message = messageOf([&] { readReference(file.path(), data); });
        EXPECT_TRUE(holds(message, part)) << message << "\nshould hold: " << part;
    };
    const auto with = [&](std::size_t offset, char value) {
        std::string changed = bytes;
        changed[offset] = value;
        return changed;
    };
    expectError("", "offset 0: the file ends, 24 more bytes expected");
    expectError(bytes.substr(0, 30), "offset 24: the file ends, 8 more bytes expected");
    expectError(bytes.substr(0, 35), "offset 32: the file ends, 8 more bytes expected");
    expectError(with(0, 'X'), "offset 0: this is no reference file");
    expectError(with(7, ' '), "this is no reference file");
    expectError(with(8, 9), "offset 8: format version 9, expected 1");
    expectError(with(16, ~bytes[16]), "offset 16: it belongs to another data file");
    expectError(with(12, 7), "offset 12: it holds 7 groups, expected 2");
    expectError(with(12, 1), "it holds 1 groups, expected 2");
    expectError(with(24, 3), "offset 24: group 1 is 3 x 1, expected 2 x 1");
    expectError(with(28, 3), "offset 24: group 1 is 2 x 3, expected 2 x 1");
    expectError(with(40, 9), "offset 40: group 2 is 9 x 1, expected 1 x 1");
    expectError(bytes.substr(0, bytes.size() - 1),
                "offset 48: the file ends, 4 more bytes expected");
    expectError(bytes + "x", "offset 52: the last group ends here, the file does not");
}

TEST(Contents, AreTheSameEverywhere)
{
    // Sums over position and level: fixed numbers, the same with every compiler and machine.
    const auto mark = [](const char *name) {
        unsigned long long sum = 0, place = 1;
        for (const auto cell : makeContent(parseContent(name), 200, 150, 42)) sum += cell * place++;
        return sum;
    };
    EXPECT_EQ(mark("random"), 3359819341ull);
    EXPECT_EQ(mark("smooth"), 2948548067ull);
    EXPECT_EQ(mark("flat"), 4111117296ull);
    EXPECT_EQ(mark("levels=3"), 446979895ull);
    EXPECT_EQ(mark("checkerboard"), 3375112500ull);
    EXPECT_EQ(mark("dominant"), 2278623482ull);
}

TEST(Contents, StayWithinTheirLevels)
{
    for (const std::string &name : kContents)
        for (const auto cell : makeContent(parseContent(name), 131, 67, 1)) ASSERT_LT(cell, 16);
    for (const int k : {1, 5, 16}) {
        const auto cells = makeContent(parseContent("levels=" + std::to_string(k)), 100, 100, 1);
        EXPECT_EQ(*std::max_element(cells.begin(), cells.end()), k - 1);
    }
}

TEST(Contents, UnknownNamesAreRefused)
{
    for (const char *name :
         {"", "noise", "levels", "levels=", "levels=0", "levels=17", "levels=3x"})
        EXPECT_THROW(parseContent(name), common::Error) << name;
}

} // namespace entropy
