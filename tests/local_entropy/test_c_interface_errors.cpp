// Bad arguments of every kind: the right status, a sentence that names the argument, and nothing is
// written.
#include "c_interface.h"
#include "local_entropy/c_errors.h"

#include <limits>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace
{

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
constexpr int kMost = std::numeric_limits<std::int32_t>::max();
constexpr int kLeast = std::numeric_limits<std::int32_t>::min();

} // namespace

TEST_F(CInterface, TheCallThatTheTestsSpoilIsRight)
{
    ASSERT_EQ(run(), LE_OK) << le_last_error();
    EXPECT_FALSE(nothingWritten());
}

TEST_F(CInterface, NullPointersAreNamed)
{
    const auto call = [&](le_engine *e, const le_filter *f, const le_image *i, const le_result *r) {
        return le_run(e, f, i, nullptr, nullptr, r, nullptr);
    };
    expectStatus(LE_BAD_ARGUMENT, "engine is NULL", call(nullptr, &filter, &image, &result));
    expectStatus(LE_BAD_ARGUMENT, "filter is NULL", call(engine, nullptr, &image, &result));
    expectStatus(LE_BAD_ARGUMENT, "image is NULL", call(engine, &filter, nullptr, &result));
    expectStatus(LE_BAD_ARGUMENT, "result is NULL", call(engine, &filter, &image, nullptr));
    expectStatus(LE_BAD_ARGUMENT, "engine is NULL", le_engine_create(nullptr, nullptr));
    expectStatus(LE_BAD_ARGUMENT, "filter is NULL", le_filter_init_sized(nullptr, sizeof filter));
    le_engine_destroy(nullptr);

    expectBad(image.data, nullptr, "image.data is NULL");
    expectBad(result.data, nullptr, "result.data is NULL");
    mask = &counting;
    expectBad("mask.data is NULL");
}

TEST_F(CInterface, NumbersThatAreNoEnumeratorsAreRefused)
{
    const auto outside = [&](std::int32_t &member, int last, const std::string &name) {
        for (const int value : {-1, last + 1, kMost, kLeast})
            expectBad(member, value,
                      name + " is " + std::to_string(value) + ", expected 0 to " +
                          std::to_string(last));
    };
    outside(filter.border, LE_WRAP, "filter.border");
    outside(filter.measure, LE_HILL, "filter.measure");
    outside(filter.base, LE_BASE_10, "filter.base");
    outside(filter.binned, 1, "filter.binned");
    outside(filter.clamp, 1, "filter.clamp");
    outside(filter.has_nodata, 1, "filter.has_nodata");
    outside(filter.nan_is_error, 1, "filter.nan_is_error");
    for (const int type : {-1, int(LE_FLOAT64), 6, kMost, kLeast})
        expectBad(image.type, type, "image.type is " + std::to_string(type));
    for (const int type : {-1, int(LE_UINT8), int(LE_BOOL), 6, kMost, kLeast})
        expectBad(result.type, type, "result.type is " + std::to_string(type));
    counting.data = cells;
    mask = &counting;
    for (const int type : {-1, int(LE_UINT16), int(LE_FLOAT32), int(LE_FLOAT64), 6})
        expectBad(counting.type, type, "mask.type is " + std::to_string(type));
}

TEST_F(CInterface, WindowsThatCannotBe)
{
    for (const int side : {0, -1, 256, kMost, kLeast}) {
        expectBad(filter.width, side, "window");
        expectBad(filter.height, side, "window");
    }
    for (const int origin : {-3, 3, kMost, kLeast}) {
        expectBad(filter.origin_x, origin, "origin");
        expectBad(filter.origin_y, origin, "origin");
    }
    const std::vector<std::uint8_t> none(25, 0);
    expectBad(filter.footprint, none.data(), "footprint");
}

TEST_F(CInterface, AFootprintIsNotReadForSidesThatCannotBe)
{
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void *const guarded = mmap(nullptr, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(guarded, MAP_FAILED);
    filter.footprint = static_cast<const std::uint8_t *>(guarded); // reading it is a crash
    for (const int side : {0, -1, 64, 256, kMost, kLeast}) {
        filter.width = side;
        filter.height = 1;
        expectBad("footprint");
        std::swap(filter.width, filter.height);
        expectBad("footprint");
    }
    filter.width = filter.height = kMost;
    expectBad("footprint");
    munmap(guarded, page);
}

TEST_F(CInterface, LevelsAndNumbersThatCannotBe)
{
    for (const int count : {1, 0, -1, 65537, kMost, kLeast})
        expectBad(filter.levels, count, "levels");
    for (const double low : {kNaN, kInfinity, -kInfinity, 0.5, 1e30})
        expectBad(filter.low, low, "level");
    filter.binned = 1; // of [0, high]
    for (const double high : {0.0, -1.0, kNaN, kInfinity}) expectBad(filter.high, high, "");
    filter.binned = 0;

    filter.measure = LE_HILL;
    for (const double order : {-1.0, -kInfinity, kNaN}) expectBad(filter.order, order, "order");
    filter.measure = LE_ENTROPY;

    filter.border = LE_CONSTANT;
    for (const double constant : {-1.0, 256.0, 0.5, kInfinity})
        expectBad(filter.constant, constant, "constant");
}

TEST_F(CInterface, SizesThatCannotBe)
{
    for (const std::int64_t size : {std::int64_t(0), std::int64_t(-1), -kHuge}) {
        expectBad(image.width, size, "image");
        expectBad(image.height, size, "image");
        expectBad(result.width, size, "result");
        expectBad(result.height, size, "result");
    }
    for (const std::int64_t stride : {kWidth - 1, std::int64_t(-9), -kHuge - 1}) {
        expectBad(image.stride, stride, "the image has rows of 7 cells");
        expectBad(result.stride, stride, "the result has rows of 7 cells");
    }
    expectBad(result.width, kWidth - 1, "the result is");
    expectBad(result.height, kHeight + 1, "the result is");
}

TEST_F(CInterface, SizesThatOverflow)
{
    for (const std::int64_t stride : {kHuge, kHuge / 2, kHuge / 4, kHuge / kHeight}) {
        expectBad(image.stride, stride, "image");
        expectBad(result.stride, stride, "result");
    }
    image.height = result.height = kHuge / 8;
    expectBad("image is too large");
    image.width = image.height = kHuge;
    result.width = result.height = kHuge;
    result.stride = 0;
    expectBad("image is too large");
}

TEST_F(CInterface, RegionsThatCannotBe)
{
    region = &part;
    result.width = part.width;
    result.height = part.height;
    for (const std::int64_t size : {std::int64_t(0), std::int64_t(-3), -kHuge, kHuge}) {
        expectBad(part.width, size, "the region");
        expectBad(part.height, size, "the region");
    }
    for (const std::int64_t begin : {std::int64_t(-1), kWidth - 2, kHuge, -kHuge - 1}) {
        expectBad(part.x, begin, "the region");
        expectBad(part.y, begin, "the region");
    }
    EXPECT_EQ(run(), LE_OK) << le_last_error();
}

// In full, those that this interface makes itself.
TEST_F(CInterface, SentencesNameWhatIsWrong)
{
    const auto expect = [&](const char *sentence) {
        EXPECT_EQ(run(), LE_BAD_ARGUMENT);
        EXPECT_STREQ(le_last_error(), sentence);
    };
    const auto with = [&](auto &member, auto value, const char *sentence) {
        const auto before = std::exchange(member, value);
        expect(sentence);
        member = before;
    };
    with(image.type, 5,
         "image.type is 5, expected LE_UINT8 (0), LE_UINT16 (1), LE_INT16 (2), LE_FLOAT32 (3) or "
         "LE_BOOL (4)");
    with(result.type, 4, "result.type is 4, expected LE_FLOAT32 (3) or LE_FLOAT64 (5)");
    with(filter.struct_size, 8,
         "filter.struct_size is 8, expected 112: sizeof of the struct, as the functions that end "
         "in _init fill it in");
    region = &part;
    with(part.width, 0, "the region is 0 x 2 cells, expected at least 1 x 1");
    with(part.height, -1, "the region is 3 x -1 cells, expected at least 1 x 1");
    with(part.y, 4, "the region of 3 x 2 cells at x 1, y 4 is not inside the image of 7 x 5");
    region = nullptr;
    counting.data = cells;
    mask = &counting;
    with(counting.type, 1, "mask.type is 1, expected LE_UINT8 (0) or LE_BOOL (4)");
    mask = nullptr;
    filter.footprint = cells;
    filter.height = 2;
    with(filter.width, 64,
         "the footprint is 64 x 2 cells (filter.width, filter.height), expected 1 to 63 each way");
}

// Longer sides of footprints are an error, as is a NaN where it is asked for: neither is one here.
TEST_F(CInterface, FootprintsOfTheLongestSidesAndNaNs)
{
    const std::vector<std::uint8_t> all(63 * 63, 1);
    filter.footprint = all.data();
    filter.width = filter.height = 63;
    EXPECT_EQ(run(), LE_OK) << le_last_error();
    filter.footprint = nullptr;

    std::vector<float> reals(kWidth * kHeight, 0.5f);
    reals[3] = std::nanf("");
    image.data = reals.data();
    image.type = LE_FLOAT32;
    filter.binned = 1;
    filter.levels = 4;
    filter.high = 1;
    EXPECT_EQ(run(), LE_OK) << le_last_error();
    filter.nan_is_error = 1;
    EXPECT_EQ(run(), LE_BAD_LEVEL);
}

TEST_F(CInterface, MasksThatCannotBe)
{
    const std::vector<std::uint8_t> all(kWidth * kHeight, 1);
    counting.data = all.data();
    mask = &counting;
    for (const std::int64_t size : {std::int64_t(0), std::int64_t(-1), kHuge, kWidth - 3}) {
        expectBad(counting.width, size, "mask");
        expectBad(counting.height, size, "mask");
    }
    expectBad(counting.stride, kWidth - 1, "mask");
    expectBad(counting.stride, kHuge, "mask");
    EXPECT_EQ(run(), LE_OK) << le_last_error();
}

TEST_F(CInterface, ArraysThatLieWrong)
{
    const auto shifted = [](const void *data, int bytes) {
        return const_cast<char *>(static_cast<const char *>(data)) + bytes;
    };
    expectBad(result.data, shifted(values, 1), "result");
    image.type = LE_UINT16;
    image.height = 1;
    result.height = 1;
    static const std::uint16_t wide[kWidth + 1] = {};
    image.data = shifted(wide, 1);
    expectBad("image");

    image.type = LE_UINT8;
    image.data = shifted(values, 8);
    expectBad("the result and the image overlap");
    counting = {shifted(values, 4), LE_UINT8, kWidth, 1, 0};
    mask = &counting;
    image.data = cells;
    expectBad("the result and the mask overlap");
}

TEST_F(CInterface, ACellThatIsNoLevelIsNamed)
{
    cells[2 * kWidth + 3] = 200;
    filter.levels = 16;
    EXPECT_EQ(run(), LE_BAD_LEVEL);
    const std::string sentence = le_last_error();
    for (const char *part : {"200", "x 3", "y 2"})
        EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
    filter.clamp = 1;
    EXPECT_EQ(run(), LE_OK) << le_last_error();
}

TEST_F(CInterface, OptionsOfAnEngineThatCannotBe)
{
    le_engine_options wanted;
    le_engine_options_init(&wanted);
    const auto expectRefusal = [&](le_status status, const std::string &part) {
        le_engine *made = engine;
        expectStatus(status, part, le_engine_create(&wanted, &made));
        EXPECT_EQ(made, nullptr);
        le_engine_options_init(&wanted);
    };
    wanted.threads = -1;
    expectRefusal(LE_BAD_ARGUMENT, "-1 threads");
    for (const int value : {-1, 2, kMost}) {
        wanted.devices = value;
        expectRefusal(LE_BAD_ARGUMENT, "options.devices is " + std::to_string(value));
    }
    wanted.path = "pentium";
    expectRefusal(LE_UNAVAILABLE, "'pentium'");
    wanted.method = "guessing";
    expectRefusal(LE_BAD_ARGUMENT, "'guessing'");
    wanted.method = wanted.path = ""; // as if NULL
    le_engine *made = nullptr;
    EXPECT_EQ(le_engine_create(&wanted, &made), LE_OK) << le_last_error();
    le_engine_destroy(made);
}

TEST_F(CInterface, ALongSentenceIsCut)
{
    const std::string name(5000, 'x');
    const le_engine_options wanted = {sizeof wanted, 0, 0, nullptr, name.c_str()};
    le_engine *made;
    EXPECT_EQ(le_engine_create(&wanted, &made), LE_BAD_ARGUMENT);
    EXPECT_EQ(std::strlen(le_last_error()), 511u);
}

TEST_F(CInterface, EveryThreadHasItsOwnError)
{
    filter.levels = 1;
    EXPECT_EQ(run(), LE_BAD_ARGUMENT);
    const std::string here = le_last_error();
    std::thread([&] {
        EXPECT_STREQ(le_last_error(), "");
        EXPECT_EQ(le_engine_create(nullptr, nullptr), LE_BAD_ARGUMENT);
        EXPECT_STREQ(le_last_error(), "engine is NULL");
    }).join();
    EXPECT_EQ(le_last_error(), here);
    filter.levels = 256;
    EXPECT_EQ(run(), LE_OK);
    EXPECT_EQ(le_last_error(), here) << "a call that succeeds leaves the sentence";
}

TEST(CInterfaceErrors, EveryExceptionHasItsStatus)
{
    using local_entropy::guarded;
    const auto expect = [](le_status got, le_status status, const char *sentence) {
        EXPECT_EQ(got, status) << sentence;
        EXPECT_STREQ(le_last_error(), sentence);
    };
    expect(guarded([] { throw std::bad_alloc(); }), LE_UNAVAILABLE, "no memory");
    expect(guarded([] { throw std::runtime_error("a defect"); }), LE_INTERNAL, "a defect");
    expect(guarded([] { throw 5; }), LE_INTERNAL, "an exception that is none of the library's");
    const auto cancelled = local_entropy::Status::Cancelled;
    expect(guarded([&] { throw local_entropy::Error(cancelled, "stop"); }), LE_CANCELLED, "stop");
    EXPECT_EQ(guarded([] {}), LE_OK);
}
