// An engine in hostile surroundings: rounding modes, little memory, a process that ends.
#include "../address_space.h"
#include "../same_bits.h"
#include "../sanitized.h"
#include "local_entropy/engine.h"
#include "one_image.h"

#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace
{

using namespace local_entropy;
using one_image::randomImage, one_image::run, one_image::withThreads;

TEST(LocalEntropyEngine, RoundsToNearestWhateverItsCallerDoes)
{
    const auto image = randomImage();
    Engine calm = withThreads(2);
    const auto expected = run(calm, image);
    for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        std::fesetround(mode);
        Engine engine = withThreads(2); // its tables and threads are made in that mode
        const auto values = run(engine, image);
        const int after = std::fegetround();
        std::fesetround(FE_TONEAREST);
        EXPECT_TRUE(sameBits(values, expected));
        EXPECT_EQ(after, mode) << "the caller's mode was not put back";
    }
}

#if defined(__SSE2__)
// What is almost 0 is no level, even where the caller wants it to be taken for 0.
TEST(LocalEntropyEngine, KeepsSubnormalNumbersWhateverItsCallerDoes)
{
    constexpr unsigned kFlushToZero = 0x8000, kSubnormalsAreZeros = 0x40;
    const unsigned before = _mm_getcsr();
    for (const unsigned bits : {kFlushToZero, kSubnormalsAreZeros}) {
        std::vector<float> cells(400, 1), values(400);
        cells[210] = 1e-40f;
        Engine engine = withThreads(1);
        Status status = Status::Ok;
        _mm_setcsr(before | bits);
        try {
            engine.run(Filter(), View<const float>{cells.data(), 20, 20, 0},
                       View<float>{values.data(), 20, 20, 0});
        } catch (const Error &error) {
            status = error.status();
        }
        const unsigned after = _mm_getcsr();
        _mm_setcsr(before);
        EXPECT_EQ(status, Status::BadLevel) << bits;
        EXPECT_EQ(after & ~0x3fu, (before | bits) & ~0x3fu) << "the caller's was not put back";
    }
}
#endif

TEST(LocalEntropyEngine, ComputesWithFewerThreadsWhereThereAreNoMore)
{
    if (kAddressSanitizer) GTEST_SKIP() << "a thread of its own needs more memory than is left";
    if (kThreadSanitizer) GTEST_SKIP() << "the thread sanitizer needs more memory than is left";
    const auto image = randomImage();
    Engine one = withThreads(1);
    Filter filter;
    filter.window.width = filter.window.height = 25; // enough work for many
    const auto expected = run(one, image, filter);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        alarm(60);
        if (!limitAddressSpace(std::size_t(64) << 20)) _exit(3); // some stacks
        try {
            Engine many = withThreads(64);
            _exit(sameBits(run(many, image, filter), expected) ? 0 : 1);
        } catch (const std::exception &error) {
            std::fprintf(stderr, "%s\n", error.what());
            _exit(2);
        }
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

/// Destroyed after main, long after everything of the library that could be.
struct Late
{
    std::vector<std::uint8_t> image;
    std::vector<float> expected;
    std::unique_ptr<Engine> engine;
    ~Late()
    {
        if (!engine) return;
        if (!sameBits(run(*engine, image), expected)) _exit(1);
        engine.reset();
        Engine another = withThreads(2);
        _exit(sameBits(run(another, image), expected) ? 0 : 1);
    }
};

TEST(LocalEntropyEngine, WorksWhileTheProcessEnds)
{
    const auto leave = [] {
        static Late late; // built before any table of the library in this child
        late.image = randomImage();
        late.engine = std::make_unique<Engine>(withThreads(2));
        late.expected = run(*late.engine, late.image);
        std::exit(2); // its destructor says how the process ends
    };
    EXPECT_EXIT(leave(), testing::ExitedWithCode(0), "");
}

} // namespace
