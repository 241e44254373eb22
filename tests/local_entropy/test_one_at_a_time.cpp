// What one call at a time may have, refused even to the thread that has it.

#include "local_entropy/schedule/one_at_a_time.h"

#include <gtest/gtest.h>
#include <utility>

namespace
{

using local_entropy::OneAtATime;
using Lease = OneAtATime::Lease;

TEST(OneAtATime, IsRefusedToTheThreadThatHasItUntilThatGivesItBack)
{
    OneAtATime one;
    {
        const Lease mine(one);
        EXPECT_TRUE(mine);
        for (int i = 0; i < 2; ++i) EXPECT_FALSE(Lease(one)) << "after " << i << " refusals";
    }
    EXPECT_TRUE(Lease(one));
    EXPECT_TRUE(Lease(one));
}

TEST(OneAtATime, IsGivenBackByTheLeaseThatItHasMovedTo)
{
    OneAtATime one;
    {
        Lease first(one);
        {
            const Lease second(std::move(first));
            EXPECT_TRUE(second);
            EXPECT_FALSE(first);
            EXPECT_FALSE(Lease(one));
        }
        EXPECT_TRUE(Lease(one));
    }
    EXPECT_TRUE(Lease(one));
}

} // namespace
