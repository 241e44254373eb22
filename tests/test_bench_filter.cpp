// bench_filter: its options, its table, its images. test_bench_scene.cpp has what it times and
// test_bench_choice.cpp what it makes of the times, test_bench.cpp the harness,
// test_bench_costs.cpp what --costs measures.
#include "bench/filter_options.h"
#include "bench/filter_rows.h"
#include "common/processors.h"
#include "local_entropy/engine.h"
#include "messages.h"
#include "processor_time.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace
{

const std::string kProgram = BUILD_DIRECTORY "/bench_filter";
/// A row a content: quick.
const std::string kTiny = kProgram + " --size 40x30 --cases uint8-256-3x3 --seconds 0.01 ";

std::vector<std::vector<std::string>> table(const std::string &text)
{
    std::vector<std::vector<std::string>> rows;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream cells(line);
        rows.emplace_back();
        for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
    }
    return rows;
}

/// Rows of a tiny run, without the header.
std::vector<std::vector<std::string>> rowsOf(const std::string &options)
{
    const TemporaryDirectory directory;
    const Outcome outcome = runCommand(kTiny + options + " --csv " + directory.path("t.csv"));
    EXPECT_EQ(outcome.status, 0) << options << "\n" << outcome.errors;
    auto rows = table(contentsOf(directory.path("t.csv")));
    if (!rows.empty()) rows.erase(rows.begin());
    return rows;
}

TEST(BenchFilter, AWrongChoiceIsAStatus)
{
    // Nothing is within a millionth of the best, or everything within a million times.
    const std::string run = kProgram +
                            " --grid --cases 'uint8-12-13x13$' --size 60x50 --seconds 0.01 "
                            "--threads 1 --paths portable --contents flat --methods all --within ";
    const Outcome wrong = runCommand(run + "1e-6");
    EXPECT_EQ(wrong.status, 1);
    EXPECT_TRUE(holds(wrong.output, "wrong choice: ratio ")) << wrong.output;
    EXPECT_EQ(runCommand(run + "1e6").status, 0);
}

// Else a check that compares nothing would always pass.
TEST(BenchFilter, WithoutAChoiceToJudgeNothingIsWithin)
{
    const Outcome outcome =
        runCommand(kTiny + "--threads 1 --paths portable --contents flat --within 1e6");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.errors, "bench_filter: --within: nothing was judged, since nowhere was a "
                              "chosen method timed beside another; --methods all times them\n");
    EXPECT_FALSE(holds(outcome.output, "choices take more than")) << outcome.output;
}

TEST(BenchFilter, WithoutARowTheTableThatThereWasStays)
{
    const TemporaryFile file("t.csv", "of before\n");
    const Outcome outcome = runCommand(kProgram +
                                       " --cases '^uint16-4096-9x9$' --size 20x20 --seconds 0.01 "
                                       "--methods bits --csv " +
                                       file.path());
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(holds(outcome.errors, "none of these methods can compute any of these cases"));
    EXPECT_EQ(contentsOf(file.path()), "of before\n");
}

TEST(BenchFilter, MasksAndDoublesAreValidated)
{
    const Outcome outcome =
        runCommand(kProgram + " --grid --cases 'uint8-12-5x5-' --size 60x50 --seconds 0.01 "
                              "--threads 1 --contents natural --methods all");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    for (const std::string name : {"-mask, ", "-double, ", "-simpson, "})
        EXPECT_TRUE(holds(outcome.output, "uint8-12-5x5" + name)) << name;
}

TEST(BenchFilter, HelpAndList)
{
    const Outcome help = runCommand(kProgram + " --help");
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.output.find("usage: bench_filter"), 0u);
    EXPECT_EQ(runCommand(kProgram + " --help --nonsense").output, help.output)
        << "so much is clear";
    const Outcome list = runCommand(kProgram + " --list");
    EXPECT_EQ(list.status, 0);
    for (const std::string name :
         {"uint8-256-3x3 ", "uint8-256-31x31 ", "uint8-256-disk5 ", "uint8-256-disk10 ",
          "uint16-4096-9x9 ", "uint8-16-9x9 ", "uint8-2-31x31 ", "float32-16-5x5 "})
        EXPECT_TRUE(holds("\n" + list.output, "\n" + name)) << name;
    EXPECT_EQ(table(list.output).size(), bench::filterCases().size());
    const auto names = [](const std::vector<bench::FilterCase> &cases) {
        std::string all;
        for (const bench::FilterCase &one : cases) all += one.name() + " ";
        return all;
    };
    EXPECT_EQ(names(bench::filterCases()),
              "uint8-256-3x3 uint8-256-5x5 uint8-256-7x7 uint8-256-9x9 uint8-256-15x15 "
              "uint8-256-31x31 uint8-256-disk5 uint8-256-disk10 uint16-4096-9x9 uint8-16-9x9 "
              "uint8-16-15x15 uint8-16-31x31 uint8-2-5x5 uint8-2-15x15 uint8-2-31x31 "
              "float32-16-5x5 ");
    const std::string grid = names(bench::gridCases()),
                      shapes[] = {"4x6",   "5x5",   "8x8",  "21x5", "5x21",
                                  "13x13", "18x18", "40x3", "41x41"};
    for (const std::string levels : {"uint8-2", "uint8-5", "uint8-12", "uint8-20", "uint8-40",
                                     "uint8-100", "uint8-256", "uint16-1000"})
        for (const std::string &shape : shapes)
            EXPECT_TRUE(holds(" " + grid, " " + levels + "-" + shape + " ")) << levels << shape;
    for (const std::string more : {"uint8-100-disk3", "uint8-100-disk7", "uint8-3-5x5-mask",
                                   "uint8-12-10x10-double", "uint8-100-25x25-simpson"})
        EXPECT_TRUE(holds(grid, " " + more + " ")) << grid;
    EXPECT_EQ(bench::gridCases().size(), 8u * 9 + 2 + 3 * 3 * 3);
}

/// What bench_filter makes of these words.
bench::FilterOptions optionsOf(std::vector<std::string> words)
{
    words.insert(words.begin(), "bench_filter");
    return parsed(words, bench::parseFilterOptions);
}

TEST(BenchFilter, WithoutOptionsItTimesWhatItsHelpSays)
{
    const int all = common::usableProcessors();
    const bench::FilterOptions usual = optionsOf({});
    EXPECT_EQ(usual.threads, all > 1 ? std::vector<int>({1, all}) : std::vector<int>({1}));
    EXPECT_EQ(usual.contents,
              std::vector<std::string>({"natural", "random", "flat", "stripes", "sparse"}));
    EXPECT_EQ(usual.paths, local_entropy::Engine::paths());
    EXPECT_EQ(usual.cases.size(), bench::filterCases().size());
    EXPECT_EQ(usual.width, 2048);
    EXPECT_EQ(usual.height, 2048);
    EXPECT_TRUE(usual.chosenToo);
    EXPECT_FALSE(usual.cross || usual.help || usual.list || usual.within > 0);
    EXPECT_EQ(usual.methods.size() + usual.named.size(), 0u);
    EXPECT_EQ(usual.csv + usual.images + usual.costs, "");
    EXPECT_EQ(usual.revision, "unknown");
}

// In their order, each once, whatever stands before or behind it.
TEST(BenchFilter, ListsAreTakenAsTheyAre)
{
    using Names = std::vector<std::string>;
    const auto methods = [](const std::string &list) { return optionsOf({"--methods", list}); };
    for (const std::string list : {"best,ranks", "ranks,best", "best,ranks,best,ranks"}) {
        EXPECT_TRUE(methods(list).chosenToo) << list;
        EXPECT_EQ(methods(list).methods, Names({"ranks"})) << list;
        EXPECT_EQ(methods(list).named, Names({"ranks"})) << list;
    }
    EXPECT_FALSE(methods("ranks,bits").chosenToo);
    EXPECT_EQ(methods("ranks,bits").methods, Names({"ranks", "bits"}));
    Names every = local_entropy::Engine::methods();
    every.erase(std::remove(every.begin(), every.end(), "plain"), every.end());
    for (const std::string list : {"all", "all,all"}) {
        EXPECT_TRUE(methods(list).chosenToo);
        EXPECT_EQ(methods(list).methods, every);
        EXPECT_EQ(methods(list).named, Names());
    }
    every.push_back("plain");
    EXPECT_EQ(methods("all,plain").methods, every);
    EXPECT_TRUE(methods("all,plain").chosenToo);
    EXPECT_EQ(methods("all,plain").named, Names({"plain"}));

    EXPECT_EQ(optionsOf({"--contents", "flat,natural,flat"}).contents, Names({"flat", "natural"}));
    EXPECT_EQ(optionsOf({"--contents", "flat,all"}).contents,
              Names({"flat", "natural", "random", "stripes", "sparse"}));
    EXPECT_EQ(optionsOf({"--paths", "portable,all"}).paths.front(), "portable");
    EXPECT_EQ(optionsOf({"--threads", "3,1,3"}).threads, std::vector<int>({3, 1}));
    EXPECT_EQ(optionsOf({"--threads", "4096"}).threads, std::vector<int>({4096}));
    const bench::FilterOptions wide = optionsOf({"--size", "30x20"}),
                               square = optionsOf({"--size", "7"});
    EXPECT_EQ(wide.width * 1000 + wide.height, 30020);
    EXPECT_EQ(square.width * 1000 + square.height, 7007);
    EXPECT_EQ(optionsOf({"--within", "1.5"}).within, 1.5);
    EXPECT_EQ(
        optionsOf({"--csv", "a", "--write-images", "b", "--costs", "c", "--revision", "d"}).csv,
        "a");
    EXPECT_EQ(optionsOf({"--csv", "a", "--write-images", "b"}).images, "b");
    EXPECT_EQ(optionsOf({"--csv", "a", "--costs", "c", "--revision", "d"}).costs, "c");
    EXPECT_EQ(optionsOf({"--costs", "c", "--revision", "d"}).revision, "d");
    EXPECT_TRUE(optionsOf({"--cross"}).cross);
}

TEST(BenchFilter, BadUsageIsRefusedInASentence)
{
    for (const auto &[arguments, sentence] : std::vector<std::pair<std::string, std::string>>{
             {"--cases '('", "'(' is no regular expression"},
             {"--cases 4x4", "no case has '4x4' in its name"},
             {"--paths sse9", "--paths: 'sse9' is none of "},
             {"--methods magic", "--methods: 'magic' is none of "},
             {"--contents noise", "'noise' is none of natural, random, flat, stripes, sparse, all"},
             {"--threads 0", "is '0', expected an integer in 1.."},
             {"--threads 1,,2", "'1,,2' has an empty name"},
             {"--threads ''", "has an empty name"},
             {"--size 0", "--size: width is '0', expected an integer in 1..1000000"},
             {"--size 10x", "--size: height is '', expected"},
             {"--list --size 10x1000001",
              "--size: height is '1000001', expected an integer in 1..1000000"},
             {"--within 0", "--within is '0', expected a positive number"},
             {"--within inf", "--within is 'inf', expected a positive number"},
             {"--within 2 --csv t.csv", "leave --csv or --within out"},
             {"--grid --write-images there", "--grid has other cases, too: leave one of them out"},
             {"--threads 4097", "is '4097', expected an integer in 1..4096"},
             {"--costs /no/where.inc", "/no/where.inc cannot be created"},
             {"--csv", "its value is missing"},
             {"--csv /no/where.csv", "/no/where.csv cannot be created"},
             {"--write-images /no/where/at/all", "cannot be made"},
             {"--faster", "--faster: no such option"},
             {"file.csv", "file.csv: there are options only"}})
        expectBadUsage(kProgram + " " + arguments, sentence);
}

TEST(BenchFilter, TheTableHasARowAMeasurement)
{
    const TemporaryDirectory directory;
    const std::string file = directory.path("filter.csv");
    const Outcome outcome =
        runCommand(kTiny + "--threads 1,2 --contents flat,random --csv " + file);
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_FALSE(holds(outcome.output, "choices take more than")) << "nobody asked";
    const std::string text = contentsOf(file);
    EXPECT_EQ(text.substr(0, text.find('\n')),
              "case,type,levels,window,content,path,method,chosen,threads,width,height,runs,"
              "median_ms,min_ms,mpixel_per_s,gb_per_s");
    const auto rows = table(text);
    // Flat on every path and with two threads, random on the first path with one.
    ASSERT_EQ(rows.size(), 1 + local_entropy::Engine::paths().size() + 1 + 1);
    for (std::size_t i = 1; i < rows.size(); ++i) {
        const std::vector<std::string> &row = rows[i];
        ASSERT_EQ(row.size(), 16u);
        EXPECT_EQ(row[0] + row[1] + row[2] + row[3], "uint8-256-3x3uint82563x3");
        EXPECT_EQ(row[7], "yes");
        EXPECT_EQ(row[9] + "x" + row[10], "40x30");
        for (int measured = 11; measured < 16; ++measured) EXPECT_GT(std::stod(row[measured]), 0);
        EXPECT_GE(std::stod(row[12]), std::stod(row[13])) << "the median and the least";
        EXPECT_NEAR(std::stod(row[14]), 40 * 30 / std::stod(row[12]) / 1e3,
                    1e-4 * std::stod(row[14]));
    }
}

// Cells and results: a byte, two or four, and four; or eight, where the results are doubles.
TEST(BenchFilter, BytesAreThoseOfTheTypes)
{
    const std::string end = " --size 60x50 --seconds 0.01 --threads 1 --paths portable --contents "
                            "flat --csv ";
    const auto bytesOf = [&](const std::string &name, const std::string &more) { // in a pixel
        const TemporaryDirectory directory;
        const std::string file = directory.path("t.csv");
        runCommand(kProgram + more + " --cases '^" + name + "$'" + end + file);
        const auto rows = table(contentsOf(file));
        return rows.size() == 2 ? std::stod(rows[1][15]) / std::stod(rows[1][14]) * 1e3 : 0;
    };
    EXPECT_NEAR(bytesOf("uint8-256-3x3", ""), 5, 0.01);
    EXPECT_NEAR(bytesOf("uint16-4096-9x9", ""), 6, 0.01);
    EXPECT_NEAR(bytesOf("float32-16-5x5", ""), 8, 0.01);
    EXPECT_NEAR(bytesOf("uint8-12-5x5-double", " --grid"), 9, 0.01);
}

TEST(BenchFilter, RowsAreAStarOrAllCombinations)
{
    const std::string lists = "--threads 1,2 --contents flat,random,sparse --paths ";
    const std::string last = local_entropy::Engine::paths().back();
    EXPECT_EQ(rowsOf(lists + last).size(), 4u);
    EXPECT_EQ(rowsOf(lists + last + " --cross").size(), 6u);
    EXPECT_EQ(rowsOf("--threads 2 --contents sparse --paths " + last).size(), 1u);
}

int threadsOfThisProcess()
{
    const std::filesystem::directory_iterator threads("/proc/self/task");
    return static_cast<int>(std::distance(begin(threads), end(threads)));
}

TEST(BenchFilter, EnginesAreThoseOfTheirRows)
{
    bench::FilterOptions options;
    options.width = 200;
    options.height = 100;
    options.contents = {"random", "flat"};
    options.paths = {"portable"};
    options.threads = {1, 3};
    options.methods = {"plain"};
    options.chosenToo = false;
    options.within = 2;
    const std::vector<bench::FilterCase> &cases = bench::filterCases();
    const bench::Case first = bench::filterCase(cases[0], options.contents[0], options);
    EXPECT_EQ(first.what, "entropy, base e, of 256 levels in 3x3 cells, uint8 in, float32 out, "
                          "windows cut at the edge");
    EXPECT_EQ(bench::filterCase(cases[0], options.contents[1], options).what, "") << "once";
    const std::vector<bench::Row> rows = first.rows();
    ASSERT_EQ(rows.size(), 2u);
    for (const bench::Row &row : rows) {
        const bool isAlone = bench::filterKey(row.keys, "threads") == "1";
        const bench::Work work = row.open();
        EXPECT_EQ(bool(work.milliseconds), isAlone) << "by the time on the processor";
        const int before = threadsOfThisProcess();
        work.run();
        EXPECT_EQ(threadsOfThisProcess() - before, isAlone ? 0 : 2);
    }
    options.methods = {"sliding-ranks"}; // which need longer vectors
    EXPECT_TRUE(bench::filterCase(cases[3], options.contents[0], options).rows().empty());
}

// Of seconds and their parts, as the system tells it.
TEST(BenchFilter, TheTimeOnTheProcessorGoesOnWhereASecondIsFull)
{
    bench::FilterOptions options;
    options.width = options.height = 300;
    options.contents = {"flat"};
    options.paths = {"portable"};
    options.threads = {1};
    options.methods = {"plain"};
    options.chosenToo = false;
    options.within = 2;
    const std::vector<bench::FilterCase> &cases = bench::filterCases();
    const auto largest = std::find_if(cases.begin(), cases.end(), [](const bench::FilterCase &one) {
        return one.name() == "uint8-256-31x31";
    });
    ASSERT_NE(largest, cases.end());
    const std::vector<bench::Row> rows = bench::filterCase(*largest, "flat", options).rows();
    ASSERT_EQ(rows.size(), 1u);
    const bench::Work work = rows[0].open();
    workUntilASecondIsNearlyFull();
    const double begin = processorTime();
    work.run();
    const double spent = processorTime() - begin;
    EXPECT_GT(spent, 10) << "too short to see anything";
    EXPECT_GT(work.milliseconds(), spent / 2);
    EXPECT_LE(work.milliseconds(), spent);
}

TEST(BenchFilter, MethodsAreTheChosenOneAndThoseThatAreNamed)
{
    const std::string one = "--threads 1 --contents flat --paths portable --methods ";
    const auto plain = rowsOf(one + "plain");
    ASSERT_EQ(plain.size(), 1u);
    EXPECT_EQ(plain[0][6], "plain");
    EXPECT_TRUE(plain[0][7] == "yes" || plain[0][7] == "no");
    for (const auto &row : rowsOf(one + "all")) EXPECT_TRUE(row[6] != "plain" || row[7] == "yes");
    const auto all = rowsOf(one + "all,plain");
    EXPECT_GE(all.size(), 1u);
    int chosen = 0, plains = 0;
    for (const auto &row : all) {
        chosen += row[7] == "yes";
        plains += row[6] == "plain";
    }
    EXPECT_EQ(chosen, 1);
    EXPECT_EQ(plains, 1);
}

TEST(BenchFilter, AMethodThatThisMachineLacksIsLeftOutUnlessItIsNamed)
{
    if (runCommand("nvidia-smi -L | grep '^GPU'").status == 0) GTEST_SKIP() << "there is a GPU";
    const std::string one = kProgram +
                            " --size 40x30 --cases float32-16-5x5 --seconds 0.01 --threads 1 "
                            "--contents flat --paths portable --methods ";
    const Outcome all = runCommand(one + "all");
    EXPECT_EQ(all.status, 0) << all.errors;
    EXPECT_TRUE(holds(all.output, "\n  left out: float32-16-5x5 float32 16 5x5 flat portable words "
                                  "no 1 40 30: "))
        << all.output;
    EXPECT_TRUE(holds(all.output, "needs CUDA: ") || holds(all.output, "needs a GPU: "))
        << all.output;
    EXPECT_TRUE(holds(all.output, "\n  portable  bits  ")) << all.output;
    const Outcome named = expectRefusal(one + "all,words", " words no 1 40 30: ");
    EXPECT_FALSE(holds(named.output, "left out"));
}

/// An array of NumPy's format: its header and its bytes.
std::pair<std::string, std::string> npy(const std::string &path)
{
    const std::string text = contentsOf(path);
    EXPECT_EQ(text.substr(0, 8), std::string("\x93NUMPY\x01\0", 8));
    const std::size_t length =
        static_cast<unsigned char>(text.at(8)) + 256u * static_cast<unsigned char>(text.at(9));
    EXPECT_EQ((10 + length) % 64, 0u);
    EXPECT_EQ(text.at(9 + length), '\n');
    return {text.substr(10, length), text.substr(10 + length)};
}

TEST(BenchFilter, ImagesAreWrittenForOtherPrograms)
{
    const TemporaryDirectory directory;
    const std::string place = directory.path("images");
    const std::string write = kProgram +
                              " --size 40x30 --cases 'uint8-256-disk5|uint16' "
                              "--contents stripes,flat --write-images " +
                              place;
    ASSERT_EQ(runCommand(write).status, 0);
    const Outcome outcome = runCommand(write); // over what is there
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(contentsOf(place + "/cases.csv"), "case,type,levels,window,content\n"
                                                "uint8-256-disk5,uint8,256,disk5,stripes\n"
                                                "uint16-4096-9x9,uint16,4096,9x9,stripes\n");
    const auto image = npy(place + "/uint8-256-disk5.image.npy");
    EXPECT_TRUE(holds(image.first, "'descr': '|u1', 'fortran_order': False, 'shape': (30, 40)"));
    ASSERT_EQ(image.second.size(), 1200u);
    EXPECT_EQ(image.second[40 * 2 + 3], 2) << "x / 3 + y / 2";
    const auto footprint = npy(place + "/uint8-256-disk5.footprint.npy");
    EXPECT_EQ(std::count(footprint.second.begin(), footprint.second.end(), 1), 81);
    const auto whole = npy(place + "/uint16-4096-9x9.footprint.npy");
    EXPECT_TRUE(holds(whole.first, "'|u1', 'fortran_order': False, 'shape': (9, 9)"));
    EXPECT_EQ(whole.second, std::string(81, '\1')) << "a rectangle";
    const auto words = npy(place + "/uint16-4096-9x9.image.npy");
    EXPECT_TRUE(holds(words.first, "'descr': '<u2',")) << words.first;
    EXPECT_EQ(words.second.size(), 2400u);
    const auto result = npy(place + "/uint8-256-disk5.result.npy");
    EXPECT_TRUE(holds(result.first, "'<f4'"));
    ASSERT_EQ(result.second.size(), 4800u);
    float corner = 0;
    std::memcpy(&corner, result.second.data(), sizeof corner);
    std::map<int, double> counts; // of the quarter of the disk that lies within the image
    for (int y = 0; y <= 5; ++y)
        for (int x = 0; x * x + y * y <= 25; ++x) ++counts[x / 3 + y / 2];
    double entropy = 0;
    for (const auto &[level, count] : counts) entropy -= count / 26 * std::log2(count / 26);
    EXPECT_NEAR(corner, entropy, 1e-6);
}

} // namespace
