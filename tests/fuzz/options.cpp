// Any command line of the programs, an argument a line; the first byte chooses the program.
#include "entropy/options.h"

#include "bytes.h"
#include "common/error.h"
#include "common/integer.h"
#include "entropy/contents.h"
#include "hello/options.h"
#include "maximum/options.h"
#include "targets.h"
#include "transpose/options.h"

#include <getopt.h>
#include <vector>

namespace fuzz
{
namespace
{

void checkMaximum(const maximum::Options &options)
{
    expect(options.rows >= 1 && options.columns >= 1 &&
               options.rows <= (std::int64_t{1} << 60) / options.columns,
           "a matrix of no size, or of too many elements");
}

void checkTranspose(const transpose::Options &options)
{
    expect(options.rows >= 1 && options.columns >= 1, "a matrix of no size");
    expect(options.block == 8 || options.block == 16 || options.block == 32, "no such block");
}

void checkHello(const hello::Options &options)
{
    if (options.help) return;
    for (const int side : {options.shape.blocks, options.shape.x, options.shape.y})
        expect(side >= 1 && side <= 32, "a shape that cannot be");
    expect(options.runs >= 1, "no runs");
}

/// Of make_data, which takes it as an argument.
void checkContent(const std::string &name)
{
    const entropy::Content content = entropy::parseContent(name);
    expect(content.levels >= 1 && content.levels <= entropy::kLevels, "no such levels");
}

void parse(int program, int argc, char **argv)
{
    optind = 0; // getopt_long begins anew
    switch (program) {
    case 0: entropy::parseOptions(argc, argv); break;
    case 1: checkMaximum(maximum::parseOptions(argc, argv)); break;
    case 2: checkTranspose(transpose::parseOptions(argc, argv)); break;
    case 3: checkHello(hello::parseOptions(argc, argv)); break;
    default: checkContent(argc > 1 ? argv[1] : "");
    }
}

} // namespace

void options(const std::uint8_t *data, std::size_t size)
{
    Bytes bytes(data, size);
    const int program = bytes.below(5);
    std::string text = "bin/program\n" + bytes.rest(), argument;
    if (text.back() != '\n') text += '\n';
    std::vector<std::vector<char>> words; // each with its zero: what is read beyond is found
    for (const char c : text)
        if (c == '\n' || c == '\0') {
            words.emplace_back(argument.c_str(), argument.c_str() + argument.size() + 1);
            argument.clear();
        } else
            argument += c;
    std::vector<char *> argv;
    for (auto &word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    try {
        parse(program, static_cast<int>(words.size()), argv.data());
    } catch (const common::Error &error) {
        expect(*error.what(), "an error without a sentence");
    }
}

} // namespace fuzz
