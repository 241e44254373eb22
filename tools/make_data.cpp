// Makes input data: the assignment's data.bin with its reference.bin, or one array of any size.

#include "common/arguments.h"
#include "common/error.h"
#include "common/output_file.h"
#include "common/progress.h"
#include "common/standard_output.h"
#include "entropy/contents.h"
#include "entropy/reference.h"
#include "entropy/reference_file.h"
#include "entropy/samples.h"

#include <cstdio>
#include <cstdlib>
#include <getopt.h>
#include <new>
#include <string>

namespace
{

constexpr const char *kHelp =
    R"(usage: make_data [--seed N] [DIRECTORY]          data.bin and reference.bin, twelve groups
       make_data [--seed N] WxH CONTENT FILE    one array of W columns and H rows

  DIRECTORY  where to write them (default: data)
  CONTENT    random, smooth, flat, checkerboard, dominant, or levels=k with k in 1..16
  FILE       text if the name ends in .txt, otherwise the format of data.bin
  --seed N   another draw of the same kind (default: 2020)

The same arguments make the same bytes on every machine.
)";

struct Group
{
    int width, height;
    const char *content;
};

// Two of each size: one random, one with structure.
constexpr Group kGroups[] = {
    {5, 5, "random"},       {5, 5, "levels=2"},   {16, 16, "random"},     {16, 16, "smooth"},
    {128, 128, "random"},   {128, 128, "flat"},   {1024, 1024, "random"}, {1024, 1024, "smooth"},
    {2560, 2560, "random"}, {2560, 2560, "flat"}, {2000, 3000, "random"}, {2000, 3000, "levels=4"},
};

void writeFile(const std::string &path, const std::string &bytes)
{
    common::OutputFile file(path);
    file.write(bytes);
    file.commit();
    std::printf("wrote %s, %zu bytes\n", path.c_str(), bytes.size());
}

/// One seed for each group, so that none repeats another.
std::vector<std::uint8_t> makeGroup(const Group &group, std::uint64_t seed, int number)
{
    return entropy::makeContent(entropy::parseContent(group.content), group.width, group.height,
                                seed * 1000 + number);
}

void makeAssignment(const std::string &directory, std::uint64_t seed)
{
    struct stat status
    {
    };
    if (stat(directory.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
        throw common::Error("'" + directory +
                            "' is no directory; one array takes WxH CONTENT FILE");
    common::Progress progress("make_data");
    std::string bytes;
    int number = 0;
    for (const Group &group : kGroups) {
        progress.show("group " + std::to_string(number + 1));
        bytes += entropy::binaryRecord(group.width, group.height, makeGroup(group, seed, number++));
    }
    progress.wipe();
    writeFile(directory + "/data.bin", bytes);

    const entropy::SampleFile data = entropy::readSamples(directory + "/data.bin");
    std::vector<std::vector<float>> gold;
    for (const entropy::Sample &sample : data.samples) {
        progress.show("reference of group " + std::to_string(gold.size() + 1));
        gold.push_back(entropy::reference(sample.width, sample.height, sample.cells.data()));
    }
    progress.wipe();
    writeFile(directory + "/reference.bin", entropy::referenceFile(data, gold));
}

void makeOne(const std::string &size, const char *content, const std::string &path,
             std::uint64_t seed)
{
    int width = 0, height = 0, read = 0;
    const bool isSize = std::sscanf(size.c_str(), "%9dx%9d%n", &width, &height, &read) == 2 &&
                        static_cast<std::size_t>(read) == size.size() && width > 0 && height > 0;
    if (!isSize) throw common::Error("size '" + size + "' is not WxH with W and H in 1..999999999");
    common::Progress progress("make_data");
    progress.show(size + " " + content);
    const auto cells = makeGroup({width, height, content}, seed, 0);
    writeFile(path, entropy::isTextName(path) ? entropy::textFile(width, height, cells)
                                              : entropy::binaryRecord(width, height, cells));
}

std::uint64_t parseSeed(const std::string &text)
{
    if (text.empty() || text.size() > 15 ||
        text.find_first_not_of("0123456789") != std::string::npos)
        throw common::Error("seed '" + text + "' is not an integer of 1 to 15 digits");
    return std::stoull(text);
}

} // namespace

int main(int argc, char **argv)
try {
    static const option kOptions[] = {{"seed", required_argument, nullptr, 's'},
                                      {"help", no_argument, nullptr, 'h'},
                                      {nullptr, 0, nullptr, 0}};
    std::uint64_t seed = 2020;
    opterr = 0; // one sentence, ours
    for (int letter; (letter = getopt_long(argc, argv, "h", kOptions, nullptr)) != -1;) {
        if (letter == 'h') return std::fputs(kHelp, stdout), common::afterOutput(EXIT_SUCCESS);
        if (letter != 's') throw common::badOption(argv);
        seed = parseSeed(optarg);
    }
    const int arguments = argc - optind;
    if (arguments <= 1)
        makeAssignment(arguments ? argv[optind] : "data", seed);
    else if (arguments == 3)
        makeOne(argv[optind], argv[optind + 1], argv[optind + 2], seed);
    else
        throw common::Error("a directory or WxH CONTENT FILE expected, found " +
                            std::to_string(arguments) + "; see --help");
    return common::afterOutput(EXIT_SUCCESS);
} catch (const std::bad_alloc &) {
    std::fprintf(stderr, "make_data: there is not enough memory for an array of this size\n");
    return 2;
} catch (const std::exception &error) {
    std::fprintf(stderr, "make_data: %s\n", error.what());
    return 2;
}
