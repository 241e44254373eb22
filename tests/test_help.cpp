// What --help says is so: defaults and settings are those of the code.
#include "common/measure.h"
#include "entropy/contents.h"
#include "entropy/options.h"
#include "hello/options.h"
#include "maximum/options.h"
#include "messages.h"
#include "transpose/options.h"

#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

namespace
{

std::string helpOf(const std::string &program)
{
    return runCommand(BUILD_DIRECTORY "/" + program + " --help").output;
}

/// `part` is in the help, which may break lines within it.
void expectHelp(const std::string &program, const std::string &part)
{
    std::istringstream words(helpOf(program));
    std::string text;
    for (std::string word; words >> word;) text += word + " ";
    EXPECT_TRUE(holds(text, part)) << program << " --help says nothing of: " << part;
}

/// What a refusal expects in place of what it found.
std::string expectedIn(const std::string &sentence)
{
    const std::string before = "expected ";
    const std::size_t at = sentence.rfind(before);
    return at == std::string::npos ? "" : sentence.substr(at + before.size());
}

template <typename Number>
std::string byDefault(Number number)
{
    std::ostringstream text;
    text << "(default: " << number << ")";
    return text.str();
}

TEST(Help, DefaultsAreThoseOfTheCode)
{
    expectHelp("entropy", byDefault(entropy::Options().file));
    expectHelp("entropy", "after S seconds " + byDefault(common::mostSeconds()));
    expectHelp("bench_cpu", "(default: BENCHMARK_SECONDS in the environment, or " +
                                std::to_string(static_cast<int>(common::mostSeconds())) + ")");
    expectHelp("hello", "--runs N how often it is tried " + byDefault(hello::Options().runs));
    expectHelp("maximum", "rows of the matrix " + byDefault(maximum::Options().rows));
    expectHelp("maximum", "columns of the matrix " + byDefault(maximum::Options().columns));
    expectHelp("transpose", "N rows and columns " + byDefault(transpose::Options().rows));
    expectHelp("transpose", "8, 16 or 32 " + byDefault(transpose::Options().block));
}

TEST(Help, TheSeedThatMakeDataNamesIsTheUsualOne)
{
    const std::string help = helpOf("make_data"), before = "of the same kind (default: ";
    const std::size_t at = help.find(before);
    ASSERT_NE(at, std::string::npos) << help;
    const std::string seed =
        help.substr(at + before.size(), help.find(')', at) - at - before.size());
    const TemporaryDirectory directory;
    const std::string one = directory.path("one.txt"), other = directory.path("other.txt");
    const std::string make = BUILD_DIRECTORY "/make_data ";
    ASSERT_EQ(runCommand(make + "9x9 random " + one).status, 0);
    ASSERT_EQ(runCommand(make + "--seed '" + seed + "' 9x9 random " + other).status, 0) << seed;
    EXPECT_EQ(contentsOf(one), contentsOf(other)) << seed;
}

TEST(Help, SettingsAreThoseThatAreTaken)
{
    const auto refusedBy = [](const std::string &setting) {
        return runCommand(setting + " " BUILD_DIRECTORY "/entropy data/worked_4x4.txt").errors;
    };
    std::string paths = expectedIn(refusedBy("ENTROPY_CPU_PATH=x"));
    ASSERT_FALSE(paths.empty());
    paths.pop_back(); // the line break
    expectHelp("entropy", "ENTROPY_CPU_PATH=P path of v16 and v17: " + paths + ";");
    for (const char *setting :
         {"ENTROPY_BENCHMARK=0", "warm-up", "ENTROPY_VERSIONS=", "ENTROPY_RESULTS=",
          "BENCHMARK_SECONDS=", "OMP_NUM_THREADS=", "ENTROPY_KEEP_MEMORY=0"})
        expectHelp("entropy", setting);
    const std::string contents = expectedIn(messageOf([] { entropy::parseContent("x"); }));
    std::istringstream names(contents);
    for (std::string name; names >> name;) expectHelp("make_data", name.substr(0, name.find(',')));
}

TEST(Help, SizesOfBlocksAreThoseThatAreTaken)
{
    const std::string refusal = runCommand(BUILD_DIRECTORY "/transpose --block 7").errors;
    std::string blocks = expectedIn(refusal);
    ASSERT_FALSE(blocks.empty()) << refusal;
    blocks.pop_back();
    expectHelp("transpose", "thread blocks of SIDE x SIDE: " + blocks + " ");
}

} // namespace
