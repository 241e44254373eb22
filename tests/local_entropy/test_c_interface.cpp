// The C interface: layout, defaults, types, names, progress, and the same bits as in C++.
#include "c_interface.h"
#include "common/host_poison.h"

#include "local_entropy/engine.h"

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <set>
#include <stdexcept>
#include <thread>
#include <type_traits>

using local_entropy::Engine;
using local_entropy::Filter;
using local_entropy::RunOptions;
using local_entropy::View;

namespace
{

/// The values of the whole image with their gaps between rows, which stay as they were.
template <typename Cell, typename Value>
void expectSameAsInCpp(le_engine *engine, int cellType, int valueType)
{
    constexpr std::int64_t kWidth = 11, kHeight = 6, kCellStride = 13, kValueStride = 12;
    constexpr int kLow = std::is_same_v<Cell, std::int16_t> || std::is_same_v<Cell, float> ? 2 : 0;
    std::vector<unsigned char> bytes(kCellStride * kHeight * sizeof(Cell)); // also for bool
    const Cell *cells = reinterpret_cast<Cell *>(bytes.data());
    for (std::int64_t i = 0; i < kCellStride * kHeight; ++i)
        reinterpret_cast<Cell *>(bytes.data())[i] = static_cast<Cell>(i * i % 7 % 5 - kLow);
    std::vector<Value> inC(kValueStride * kHeight, -7), inCpp = inC;

    le_filter filter;
    le_filter_init(&filter);
    filter.low = -kLow;
    const le_image image = {cells, cellType, kWidth, kHeight, kCellStride};
    const le_result result = {inC.data(), valueType, kWidth, kHeight, kValueStride};
    EXPECT_EQ(le_run(engine, &filter, &image, nullptr, nullptr, &result, nullptr), LE_OK)
        << le_last_error();

    Filter cpp;
    cpp.levels.low = -kLow;
    Engine().run(cpp, View<const Cell>{cells, kWidth, kHeight, kCellStride},
                 View<Value>{inCpp.data(), kWidth, kHeight, kValueStride});
    EXPECT_EQ(bits(inC.data(), inC.size()), bits(inCpp.data(), inCpp.size()))
        << "types " << cellType << ", " << valueType;
    EXPECT_EQ(inC[kWidth], -7);
    EXPECT_GT(inC[0], 0);
}

} // namespace

TEST_F(CInterface, TheWorkedExample)
{
    const std::uint8_t worked[] = {1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6, 4, 5, 6, 7};
    image = {worked, LE_UINT8, 4, 4, 0};
    result = {values, LE_FLOAT32, 4, 4, 0};
    ASSERT_EQ(run(), LE_OK) << le_last_error();
    const float corner = 1.52295506f, edge = 1.70455146f, middle = 1.84074879f;
    const float expected[] = {corner, edge,   edge,   corner, edge,   middle, middle, edge,
                              edge,   middle, middle, edge,   corner, edge,   edge,   corner};
    EXPECT_EQ(bits(values, 16), bits(expected, 16));
}

TEST_F(CInterface, TheLayoutIsThatOfTheFirstVersion)
{
    if (sizeof(void *) != 8) GTEST_SKIP() << "needs 64-bit pointers";
    EXPECT_EQ(sizeof(le_filter), 112u);
    EXPECT_EQ(offsetof(le_filter, footprint), 24u);
    EXPECT_EQ(offsetof(le_filter, levels), 32u);
    EXPECT_EQ(offsetof(le_filter, clamp), 56u);
    EXPECT_EQ(offsetof(le_filter, border), 60u);
    EXPECT_EQ(offsetof(le_filter, measure), 72u);
    EXPECT_EQ(offsetof(le_filter, order), 80u);
    EXPECT_EQ(offsetof(le_filter, empty), 88u);
    EXPECT_EQ(offsetof(le_filter, nodata), 104u);
    EXPECT_EQ(sizeof(le_image), 40u);
    EXPECT_EQ(sizeof(le_result), 40u);
    EXPECT_EQ(sizeof(le_region), 32u);
    EXPECT_EQ(sizeof(le_engine_options), 32u);
    EXPECT_EQ(sizeof(le_run_options), 40u);
}

// Callers that were compiled before, and other languages, have the numbers only.
TEST_F(CInterface, NamesHaveTheNumbersOfTheFirstVersion)
{
    for (const std::vector<int> &names : std::vector<std::vector<int>>{
             {LE_OK, LE_BAD_ARGUMENT, LE_BAD_LEVEL, LE_UNAVAILABLE, LE_CANCELLED, LE_INTERNAL},
             {LE_CUT, LE_CONSTANT, LE_NEAREST, LE_REFLECT, LE_MIRROR, LE_WRAP},
             {LE_ENTROPY, LE_SIMPSON, LE_RICHNESS, LE_HILL},
             {LE_BASE_E, LE_BASE_2, LE_BASE_10},
             {LE_UINT8, LE_UINT16, LE_INT16, LE_FLOAT32, LE_BOOL, LE_FLOAT64}})
        for (std::size_t i = 0; i < names.size(); ++i)
            EXPECT_EQ(names[i], static_cast<int>(i)) << "of " << names.size();
}

TEST_F(CInterface, TheDefaultsAreThoseOfCpp)
{
    const Filter cpp;
    EXPECT_EQ(filter.struct_size, sizeof filter);
    EXPECT_EQ(filter.width, cpp.window.width);
    EXPECT_EQ(filter.height, cpp.window.height);
    EXPECT_EQ(filter.footprint, nullptr);
    EXPECT_EQ(filter.levels, cpp.levels.count);
    EXPECT_EQ(filter.low, cpp.levels.low);
    EXPECT_EQ(filter.high, cpp.levels.high);
    EXPECT_EQ(filter.clamp, cpp.levels.clamp);
    EXPECT_EQ(filter.border, static_cast<int>(cpp.border));
    EXPECT_EQ(filter.constant, cpp.constant);
    EXPECT_EQ(filter.measure, static_cast<int>(cpp.measure));
    EXPECT_EQ(filter.order, cpp.order);
    EXPECT_EQ(filter.base, static_cast<int>(cpp.base));
    EXPECT_EQ(filter.empty, cpp.empty);
    EXPECT_EQ(filter.has_nodata, 0);
    EXPECT_EQ(filter.nodata, 0);
    EXPECT_EQ(filter.nan_is_error, cpp.nanIsError);
    EXPECT_EQ(filter.origin_x, cpp.window.originX);
    EXPECT_EQ(filter.origin_y, cpp.window.originY);
    EXPECT_EQ(filter.binned, cpp.levels.binned);
    // What the header promises; programs are written for these.
    EXPECT_EQ(cpp.window.width, 5);
    EXPECT_EQ(cpp.window.height, 5);
    EXPECT_EQ(cpp.levels.count, 256);
    EXPECT_EQ(cpp.order, 1);
    for (const double number : {cpp.levels.low, cpp.levels.high, cpp.constant, cpp.empty})
        EXPECT_EQ(number, 0);
    EXPECT_FALSE(cpp.levels.binned || cpp.levels.clamp || cpp.nanIsError || cpp.nodata);
    EXPECT_FALSE(local_entropy::EngineOptions().devices);

    le_engine_options engineOptions;
    std::memset(&engineOptions, 0x55, sizeof engineOptions);
    le_engine_options_init(&engineOptions);
    EXPECT_EQ(engineOptions.struct_size, sizeof engineOptions);
    EXPECT_EQ(engineOptions.threads, 0);
    EXPECT_EQ(engineOptions.devices, 0);
    EXPECT_EQ(engineOptions.path, nullptr);
    EXPECT_EQ(engineOptions.method, nullptr);
    std::memset(static_cast<void *>(&besides), 0x55, sizeof besides);
    le_run_options_init(&besides);
    EXPECT_EQ(besides.struct_size, sizeof besides);
    EXPECT_EQ(besides.progress, nullptr);
    EXPECT_EQ(besides.user, nullptr);
    EXPECT_EQ(besides.workspace, nullptr);
    EXPECT_EQ(besides.workspace_bytes, 0u);
}

TEST_F(CInterface, EveryTypeGivesTheBitsOfCpp)
{
    const auto check = [&](auto cell, int type) {
        expectSameAsInCpp<decltype(cell), float>(engine, type, LE_FLOAT32);
        expectSameAsInCpp<decltype(cell), double>(engine, type, LE_FLOAT64);
    };
    check(std::uint8_t(), LE_UINT8);
    check(std::uint16_t(), LE_UINT16);
    check(std::int16_t(), LE_INT16);
    check(float(), LE_FLOAT32);
    check(bool(), LE_BOOL);
}

TEST_F(CInterface, EveryByteButZeroIsTrue)
{
    filter.levels = 2;
    image.type = LE_BOOL;
    for (int i = 0; i < kWidth * kHeight; ++i) cells[i] = i % 3 == 0;
    ASSERT_EQ(run(), LE_OK) << le_last_error();
    const std::string expected = bits(values, kStride * kHeight);
    for (int i = 0; i < kWidth * kHeight; ++i) cells[i] *= static_cast<std::uint8_t>(2 + 7 * i);
    EXPECT_EQ(run(), LE_OK) << le_last_error();
    EXPECT_EQ(bits(values, kStride * kHeight), expected);
}

TEST_F(CInterface, AnEngineHasAsManyThreadsAsAreWanted)
{
    const auto threads = [] {
        std::set<std::string> names;
        for (const auto &task : std::filesystem::directory_iterator("/proc/self/task"))
            names.insert(task.path().filename());
        return names;
    };
    constexpr std::int64_t kSide = 600; // worth some threads
    const std::vector<std::uint8_t> large(kSide * kSide, 3);
    std::vector<float> results(kSide * kSide);
    const le_image all = {large.data(), LE_UINT8, kSide, kSide, 0};
    const le_result out = {results.data(), LE_FLOAT32, kSide, kSide, 0};
    filter.width = filter.height = 25;
    for (const int wanted : {1, 3}) {
        le_engine_options chosen;
        le_engine_options_init(&chosen);
        chosen.threads = wanted;
        chosen.method = "plain";
        le_engine *made = nullptr;
        ASSERT_EQ(le_engine_create(&chosen, &made), LE_OK) << le_last_error();
        const auto before = threads(); // some may be about to end
        EXPECT_EQ(le_run(made, &filter, &all, nullptr, nullptr, &out, nullptr), LE_OK);
        const auto started = [&] {
            int count = 0;
            for (const std::string &thread : threads()) count += !before.count(thread);
            return count;
        };
        EXPECT_EQ(started(), wanted - 1); // and the caller's
        le_engine_destroy(made);
        for (int i = 0; i < 1000 && started() > 0;
             ++i) // a thread that has ended is seen for a while
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        EXPECT_EQ(started(), 0) << "threads of an engine that was destroyed";
    }
}

TEST_F(CInterface, EveryMemberReachesTheFilter)
{
    const std::uint8_t cross[] = {0, 1, 0, 1, 1, 1, 0, 1, 0, 0, 1, 0};
    filter.width = 3;
    filter.height = 4;
    filter.origin_x = 1;
    filter.origin_y = -2;
    filter.footprint = cross;
    filter.levels = 5;
    filter.binned = 1;
    filter.low = 1;
    filter.high = 7.5;
    filter.clamp = 1;
    filter.border = LE_CONSTANT;
    filter.constant = 6;
    filter.base = LE_BASE_2;
    filter.empty = -3;
    filter.has_nodata = 1;
    filter.nodata = 4;
    Filter cpp;
    cpp.window = {3, 4, 1, -2, {cross, cross + 12}};
    cpp.levels = {5, true, 1, 7.5, true};
    cpp.border = local_entropy::Border::Constant;
    cpp.constant = 6;
    cpp.base = local_entropy::Base::Two;
    cpp.empty = -3;
    cpp.nodata = 4;

    std::uint8_t counts[kWidth * kHeight];
    for (int i = 0; i < kWidth * kHeight; ++i) counts[i] = i % kWidth > 3 ? 1 + i % 2 : 0;
    counting = {counts, LE_BOOL, kWidth, kHeight, 0};
    part = {1, 1, 5, 3}; // of which (2, 1) sees only cells that do not count
    mask = &counting;
    region = &part;
    result = {values, LE_FLOAT32, part.width, part.height, 0};
    ASSERT_EQ(run(), LE_OK) << le_last_error();

    std::vector<float> expected(part.width * part.height);
    RunOptions inCpp;
    inCpp.mask = {counts, kWidth, kHeight};
    inCpp.region = {part.x, part.y, part.width, part.height};
    Engine().run(cpp, View<const std::uint8_t>{cells, kWidth, kHeight},
                 View<float>{expected.data(), part.width, part.height}, inCpp);
    EXPECT_EQ(bits(values, expected.size()), bits(expected.data(), expected.size()));
    EXPECT_EQ(values[1], -3);
}

// Numbers next to a float, which are another float once they are rounded to one.
TEST_F(CInterface, NumbersReachTheFilterAsDoubles)
{
    const float half[] = {0.5f, 0.5f};
    const double above = std::nextafter(0.5, 1), below = std::nextafter(0.5, 0);
    double values[2];
    const le_image floats = {half, LE_FLOAT32, 2, 1, 0};
    const le_result doubles = {values, LE_FLOAT64, 2, 1, 0};
    const auto status = [&](double low, double high, double nodata) {
        le_filter_init(&filter);
        filter.width = filter.height = 1;
        filter.binned = 1;
        filter.low = low;
        filter.high = high;
        filter.has_nodata = 1;
        filter.nodata = nodata;
        filter.empty = 0.1;
        return le_run(engine, &filter, &floats, nullptr, nullptr, &doubles, nullptr);
    };
    EXPECT_EQ(status(below, 1, 2), LE_OK);
    EXPECT_EQ(values[0], 0);
    EXPECT_EQ(status(above, 1, 2), LE_BAD_LEVEL);
    EXPECT_EQ(status(0, above, 2), LE_OK);
    EXPECT_EQ(status(0, below, 2), LE_BAD_LEVEL);
    EXPECT_EQ(status(0, 1, above), LE_OK);
    EXPECT_EQ(values[0], 0);
    EXPECT_EQ(status(0, 1, 0.5), LE_OK);
    EXPECT_EQ(values[0], 0.1);
    filter.border = LE_CONSTANT;
    filter.low = filter.constant = above; // of which the cells of the image are none
    filter.nodata = 0.5;
    EXPECT_EQ(le_run(engine, &filter, &floats, nullptr, nullptr, &doubles, nullptr), LE_OK)
        << le_last_error();
}

TEST_F(CInterface, MeasuresReachTheFilter)
{
    const std::uint8_t worked[] = {0, 0, 0, 1, 1, 2}; // p = 1/2, 1/3, 1/6
    image = {worked, LE_UINT8, 6, 1, 0};
    result = {values, LE_FLOAT32, 6, 1, 0};
    filter.width = 11;
    const auto expect = [&](double value) {
        ASSERT_EQ(run(), LE_OK) << le_last_error();
        for (int i = 0; i < 6; ++i) EXPECT_NEAR(values[i], value, 1e-6);
    };
    filter.measure = LE_SIMPSON;
    expect(1 - 14.0 / 36);
    filter.measure = LE_RICHNESS;
    expect(3);
    filter.measure = LE_HILL;
    filter.order = 2;
    expect(36.0 / 14);
    filter.measure = LE_ENTROPY;
    filter.base = LE_BASE_10;
    expect(0.43924729);
}

TEST_F(CInterface, Names)
{
    // What lies behind the last name is none, and no null pointer by chance either.
    const common::HostPoison paths(4 * sizeof(std::string)), methods(16 * sizeof(std::string));
    const auto expectNames = [](const char *(*name)(int), const std::vector<std::string> &names) {
        ASSERT_FALSE(names.empty());
        for (std::size_t i = 0; i < names.size(); ++i)
            EXPECT_STREQ(name(static_cast<int>(i)), names[i].c_str());
        for (const int index : {-1, static_cast<int>(names.size()), 1 << 30, -1 - 0x7fffffff})
            EXPECT_EQ(name(index), nullptr) << index;
        EXPECT_EQ(name(0), name(0)) << "names stay where they are";
    };
    expectNames(le_paths, Engine::paths());
    expectNames(le_methods, Engine::methods());
    EXPECT_STREQ(le_version(), LE_VERSION);
    EXPECT_STREQ(le_status_name(LE_OK), "ok");
    EXPECT_STREQ(le_status_name(LE_BAD_ARGUMENT), "bad argument");
    EXPECT_STREQ(le_status_name(LE_BAD_LEVEL), "bad level");
    EXPECT_STREQ(le_status_name(LE_UNAVAILABLE), "unavailable");
    EXPECT_STREQ(le_status_name(LE_CANCELLED), "cancelled");
    EXPECT_STREQ(le_status_name(LE_INTERNAL), "internal error");
    EXPECT_STREQ(le_status_name(6), "unknown status");
    EXPECT_STREQ(le_status_name(-1), "unknown status");
}

namespace
{

struct Progress
{
    int calls = 0, answer = 0;
    double last = -1;
    bool rises = true;
};

int note(void *user, double part)
{
    Progress &progress = *static_cast<Progress *>(user);
    ++progress.calls;
    progress.rises = progress.rises && part >= progress.last && part >= 0 && part <= 1;
    progress.last = part;
    return progress.answer;
}

int throws(void *, double) { throw std::logic_error("thrown by a callback"); }

} // namespace

TEST_F(CInterface, ProgressIsToldAndCancels)
{
    le_engine_options slowly; // and long enough for some calls
    le_engine_options_init(&slowly);
    slowly.method = "plain";
    slowly.threads = 1;
    le_engine *slow = nullptr;
    ASSERT_EQ(le_engine_create(&slowly, &slow), LE_OK) << le_last_error();
    constexpr std::int64_t kSide = 400;
    const std::vector<std::uint8_t> large(kSide * kSide, 3);
    std::vector<float> results(kSide * kSide);
    const le_image all = {large.data(), LE_UINT8, kSide, kSide, 0};
    const le_result out = {results.data(), LE_FLOAT32, kSide, kSide, 0};
    filter.width = filter.height = 25;
    Progress progress;
    besides = {sizeof besides, note, &progress, nullptr, 0};
    const auto call = [&] { return le_run(slow, &filter, &all, nullptr, nullptr, &out, &besides); };

    EXPECT_EQ(call(), LE_OK) << le_last_error();
    EXPECT_GT(progress.calls, 0);
    EXPECT_TRUE(progress.rises);

    progress = {};
    progress.answer = -1;
    EXPECT_EQ(call(), LE_CANCELLED);
    EXPECT_EQ(progress.calls, 1);
    EXPECT_STRNE(le_last_error(), "");

    besides.progress = throws; // which it must not; but nothing crosses
    EXPECT_EQ(call(), LE_INTERNAL);
    EXPECT_STREQ(le_last_error(), "thrown by a callback");
    besides.progress = nullptr;
    EXPECT_EQ(call(), LE_OK) << "the engine can be used after that: " << le_last_error();
    le_engine_destroy(slow);
    EXPECT_EQ(run(), LE_OK) << "the engine can be used after that: " << le_last_error();
}

TEST(CHeader, IsStrictC99)
{
    for (const std::string language :
         {"c -std=c99", "c -std=c11", "c++ -std=c++98 -Wno-long-long"}) {
        const std::string command = "cc -x " + language +
                                    " -pedantic -Wall -Wextra -Werror -fsyntax-only -Isources " +
                                    (language[1] == ' ' ? "tests/local_entropy/outside/main.c"
                                                        : "sources/local_entropy/local_entropy.h");
        EXPECT_EQ(std::system(command.c_str()), 0) << command;
    }
}
