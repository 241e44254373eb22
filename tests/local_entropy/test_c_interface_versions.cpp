// The C interface: structs of callers that know less of it, or more.
#include "c_interface.h"

#include <cstddef>
#include <iterator>
#include <set>

TEST_F(CInterface, SizesOfStructsThatAreNoneAreRefused)
{
    for (const std::size_t size :
         {std::size_t(0), sizeof(void *), offsetof(le_filter, levels),
          offsetof(le_filter, clamp) - sizeof(void *), sizeof filter - 1, sizeof filter + 1,
          sizeof filter + sizeof(int), std::size_t(4104), ~std::size_t(0), ~std::size_t(7)})
        expectBad(filter.struct_size, size, "filter.struct_size is " + std::to_string(size));
    for (const std::size_t size :
         {std::size_t(0), sizeof(void *), offsetof(le_filter, clamp) - sizeof(void *),
          sizeof filter + 1, std::size_t(4104), ~std::size_t(0)})
        expectStatus(LE_BAD_ARGUMENT, "filter.struct_size is " + std::to_string(size),
                     le_filter_init_sized(&filter, size));

    le_run_options_init(&besides);
    options = &besides;
    for (const std::size_t size : {std::size_t(0), sizeof(void *), offsetof(le_run_options, user),
                                   sizeof besides + 1, std::size_t(4104)})
        expectBad(besides.struct_size, size, "options.struct_size is " + std::to_string(size));

    le_engine_options wanted;
    le_engine_options_init(&wanted);
    for (const std::size_t size :
         {std::size_t(0), sizeof(void *), sizeof wanted + 1, std::size_t(4104)}) {
        wanted.struct_size = size;
        le_engine *made;
        expectStatus(LE_BAD_ARGUMENT, "options.struct_size is " + std::to_string(size),
                     le_engine_create(&wanted, &made));
    }
}

TEST_F(CInterface, AShorterStructHasTheDefaultsInWhatItLacks)
{
    ASSERT_EQ(run(), LE_OK);
    const std::string expected = bits(values, kStride * kHeight);
    poison();
    // The rest would be refused if it were read.
    std::memset(reinterpret_cast<char *>(&filter) + offsetof(le_filter, measure), 0x55,
                sizeof filter - offsetof(le_filter, measure));
    filter.struct_size = offsetof(le_filter, measure);
    EXPECT_EQ(run(), LE_OK) << le_last_error();
    EXPECT_EQ(bits(values, kStride * kHeight), expected);

    le_run_options_init(&besides);
    besides.struct_size = offsetof(le_run_options, workspace);
    options = &besides;
    poison();
    EXPECT_EQ(run(), LE_OK) << le_last_error();
    EXPECT_EQ(bits(values, kStride * kHeight), expected);

    filter.struct_size = offsetof(le_filter, clamp); // the least
    poison();
    EXPECT_EQ(run(), LE_OK) << le_last_error();
    EXPECT_EQ(bits(values, kStride * kHeight), expected);

    le_engine_options wanted;
    le_engine_options_init(&wanted);
    wanted.struct_size = offsetof(le_engine_options, path);
    wanted.path = "pentium";
    le_engine *made;
    EXPECT_EQ(le_engine_create(&wanted, &made), LE_OK) << le_last_error();
    le_engine_destroy(made);
}

// Whatever the last member is that a caller knows.
TEST_F(CInterface, AFilterCutBehindAnyMemberHasTheDefaultsBehindIt)
{
    le_filter all = filter;
    all.low = -1;
    all.high = 300;
    all.clamp = 1;
    all.border = LE_CONSTANT;
    all.constant = 3;
    all.measure = LE_HILL;
    all.base = LE_BASE_E;
    all.order = 2;
    all.empty = -5;
    all.has_nodata = 1;
    all.nodata = 4;
    std::set<std::string> results;
    for (std::size_t size = offsetof(le_filter, clamp); size <= sizeof filter; size += 8) {
        std::memcpy(&filter, &all, size); // and the defaults
        filter.struct_size = sizeof filter;
        poison();
        ASSERT_EQ(run(), LE_OK) << le_last_error();
        const std::string expected = bits(values, kStride * kHeight);
        results.insert(expected);

        le_filter cut = filter;
        cut.struct_size = size;
        std::memset(reinterpret_cast<char *>(&cut) + size, 0x55, sizeof cut - size);
        poison();
        EXPECT_EQ(le_run(engine, &cut, &image, mask, region, &result, options), LE_OK)
            << le_last_error();
        EXPECT_EQ(bits(values, kStride * kHeight), expected) << size << " bytes";
    }
    EXPECT_GE(results.size(), 5u) << "members that change nothing tell nothing";
}

TEST_F(CInterface, NoMoreOfAShorterFilterIsInitialised)
{
    std::memset(&filter, 0x55, sizeof filter);
    const std::size_t size = offsetof(le_filter, measure);
    EXPECT_EQ(le_filter_init_sized(&filter, size), LE_OK);
    EXPECT_EQ(filter.struct_size, size);
    EXPECT_EQ(filter.border, LE_CUT);
    EXPECT_EQ(filter.measure, 0x55555555);
}

TEST_F(CInterface, ALongerStructIsRefusedIfItAsksForWhatIsNotKnown)
{
    struct Later
    {
        le_filter known;
        std::uint64_t more[(4096 - sizeof(le_filter)) / 8]; // as many as may ever be
    } later;
    std::memset(&later, 0x55, sizeof later);
    EXPECT_EQ(le_filter_init_sized(&later.known, sizeof later), LE_OK);
    EXPECT_EQ(later.known.struct_size, sizeof later);
    EXPECT_EQ(le_run(engine, &later.known, &image, mask, region, &result, options), LE_OK)
        << le_last_error();
    poison();
    later.more[0] = 1;
    expectStatus(LE_BAD_ARGUMENT, "filter has a member that this library",
                 le_run(engine, &later.known, &image, mask, region, &result, options));
    later.more[0] = 0;
    *std::rbegin(later.more) = std::uint64_t(1) << 63;
    expectStatus(LE_BAD_ARGUMENT, "filter has a member that this library",
                 le_run(engine, &later.known, &image, mask, region, &result, options));
}
