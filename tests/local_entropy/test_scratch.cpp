// The scratch memory of an engine's threads.

#include "allocations.h"
#include "local_entropy/error.h"
#include "local_entropy/memory/scratch.h"
#include "local_entropy/schedule/scratches.h"

#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>

using namespace local_entropy;

TEST(Scratch, IsKeptUntilMoreIsNeeded)
{
    Scratch scratch;
    void *const memory = scratch.get(Scratch::Cells, 5000);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 4096, 0u);
    std::memset(memory, 0x5A, 5000);
    scratch.get(Scratch::Row, 5000); // another slot
    EXPECT_EQ(scratch.get(Scratch::Cells, 100), memory);
    EXPECT_EQ(scratch.get(Scratch::Cells, 5000), memory);
    EXPECT_EQ(static_cast<const char *>(memory)[4999], 0x5A);
    void *const pages = scratch.get(Scratch::MethodA, 8192); // to their last byte
    EXPECT_EQ(scratch.get(Scratch::MethodA, 8192), pages);
    constexpr std::size_t kMany = std::size_t(5) << 20;
    std::memset(scratch.get(Scratch::Cells, kMany), 0x5B, kMany);
}

// And the slot can be asked again for what there is.
TEST(Scratch, LackOfItIsAnError)
{
    Scratch scratch;
    scratch.get(Scratch::Cells, 100);
    try {
        scratch.get(Scratch::Cells, std::size_t(1) << 61);
        FAIL() << "such memory was found";
    } catch (const Error &error) {
        EXPECT_EQ(error.status(), Status::Unavailable);
        EXPECT_STREQ(error.what(), "no memory: 2305843009213693952 bytes for a tile");
    }
    std::memset(scratch.get(Scratch::Cells, 100), 0, 100);
}

TEST(Scratches, AreLentAgain)
{
    if (!allocations::kAreCounted) GTEST_SKIP() << allocations::kWhyNot;
    Scratches scratches;
    const auto lendTwo = [&] {
        const Scratches::Lease one(scratches), another(scratches);
        EXPECT_NE(&*one, &*another);
    };
    lendTwo();
    const long before = allocations::soFar;
    lendTwo();
    EXPECT_EQ(allocations::soFar, before);
}
