// The arithmetic of whoever calls: rounding modes, subnormal numbers as zero, short mantissas,
// traps. Whatever it is, results have the same bits, and it is the caller's again after every call.

#include "judged.h"
#include "local_entropy/answers/default_rounding.h"
#include "local_entropy/engine.h"
#include "local_entropy/local_entropy.h"
#include "question.h"

#include <cfenv>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace
{

using namespace local_entropy;

/// What a caller may have made of the processor's settings.
struct Arithmetic
{
    int rounding = FE_TONEAREST;
    bool noSubnormals = false; ///< neither as operands nor as results; and 24 bits of x87
    bool traps = false;        ///< of everything: also of an inexact result
};

const Arithmetic kAll[] = {{FE_UPWARD, true, false},     {FE_DOWNWARD, false, false},
                           {FE_TOWARDZERO, true, false}, {FE_TONEAREST, true, false},
                           {FE_TONEAREST, false, true},  {FE_UPWARD, true, true}};

#if defined(__SSE2__)
unsigned short x87()
{
    unsigned short word;
    asm volatile("fnstcw %0" : "=m"(word));
    return word;
}

void setX87(unsigned short word) { asm volatile("fldcw %0" : : "m"(word)); }
#endif

void set(const Arithmetic &arithmetic)
{
    std::fesetenv(FE_DFL_ENV);
    std::fesetround(arithmetic.rounding);
#if defined(__SSE2__)
    constexpr unsigned kZeros = 0x8040, kMasks = 0x1f80;
    unsigned vectors = _mm_getcsr();
    unsigned short extended = x87();
    if (arithmetic.noSubnormals) vectors |= kZeros, extended &= static_cast<unsigned short>(~0x300);
    if (arithmetic.traps) vectors &= ~kMasks;
    setX87(extended);
    _mm_setcsr(vectors);
#endif
}

/// All of it but the flags of what has happened; whatever the processor.
std::vector<unsigned> settings()
{
    std::vector<unsigned> all = {static_cast<unsigned>(std::fegetround())};
#if defined(__SSE2__)
    all.insert(all.end(), {_mm_getcsr() & ~0x3fu, x87()});
#endif
    return all;
}

/// Whether call() leaves such arithmetic as it was; what else there is computes as usual.
bool leaves(const Arithmetic &arithmetic, const std::function<void()> &call)
{
    set(arithmetic);
    const std::vector<unsigned> before = settings();
    call();
    const std::vector<unsigned> after = settings();
    std::fesetenv(FE_DFL_ENV);
    return before == after;
}

std::vector<std::string> methodNames()
{
    std::vector<std::string> names = Engine::methods();
    names.push_back(""); // the engine's choice
    return names;
}

/// Asks an engine that is made in one kind of arithmetic, and has made its threads there, in
/// another. Whether it can compute this.
bool ask(const Question<float> &question, const EngineOptions &how, const Arithmetic &made,
         const Arithmetic &called)
{
    GuardedArray<float> values(question.region.width, question.region.height, 0);
    values.poison();
    RunOptions options;
    options.mask = question.maskView();
    options.region = question.region;
    std::unique_ptr<Engine> engine;
    std::vector<std::string> names;
    bool can = true;
    const auto call = [&] {
        try {
            names = engine->methodsFor(question.filter, question.view(), values.view(), options);
            engine->run(question.filter, question.view(), values.view(), options);
        } catch (const Error &error) {
            if (error.status() != Status::Unavailable)
                ADD_FAILURE() << how.method << ": " << error.what() << ": " << question.text();
            can = false;
        }
    };
    EXPECT_TRUE(leaves(made, [&] {
        engine = std::make_unique<Engine>(how);
        call();
    }));
    EXPECT_TRUE(!can || areNearest(question, values)) << how.method << ": " << question.text();
    const auto before = names;
    values.poison();
    EXPECT_TRUE(leaves(called, call));
    EXPECT_TRUE(!can || areNearest(question, values)) << how.method << ": " << question.text();
    EXPECT_EQ(names, before);
    EXPECT_TRUE(leaves(called, [&] { engine.reset(); }));
    return can;
}

/// In a process of its own, so that nothing of the library has been made before.
void askAll()
{
    unsigned seed = 60000;
    int asked = 0, computed = 0;
    for (const Arithmetic &made : kAll)
        for (const std::string &path : Engine::paths())
            for (const std::string &method : methodNames())
                for (int left = 3; left > 0; ++seed) {
                    const Question<float> question(seed);
                    if (!question.exact() || question.region.width * question.region.height > 999)
                        continue;
                    --left;
                    EngineOptions options;
                    options.path = path;
                    options.method = method;
                    options.threads = 1 + left;
                    ++asked;
                    computed += ask(question, options, made, kAll[seed % std::size(kAll)]);
                }
    EXPECT_GT(computed, asked / 4);
}

template <typename Body>
[[noreturn]] void leave(const Body &body)
{
    body();
    std::_Exit(testing::Test::HasFailure() ? 1 : 0);
}

} // namespace

#if defined(__SSE2__)
// Each by itself: it may be all that is unusual.
TEST(LocalEntropyArithmetic, EverySettingOfTheProcessorIsPutRightAndBack)
{
    std::fesetenv(FE_DFL_ENV);
    const unsigned vectors = _mm_getcsr();
    const unsigned short extended = x87();
    const std::vector<unsigned> usual = settings();
    for (int bit = 6; bit < 16 + 12; ++bit) {
        if (bit == 16 + 6 || bit == 16 + 7) continue; // mean nothing
        if (bit < 16)
            _mm_setcsr(vectors ^ 1u << bit);
        else
            setX87(static_cast<unsigned short>(extended ^ 1u << (bit - 16)));
        const std::vector<unsigned> before = settings();
        std::vector<unsigned> within;
        {
            const DefaultRounding asItShouldBe;
            within = settings();
        }
        const std::vector<unsigned> after = settings();
        std::fesetenv(FE_DFL_ENV);
        EXPECT_NE(before, usual) << bit;
        EXPECT_EQ(within, usual) << bit;
        EXPECT_EQ(after, before) << bit;
    }
}
#endif

TEST(LocalEntropyArithmetic, WhateverTheCallersIsChangesNothing)
{
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(leave(askAll), testing::ExitedWithCode(0), "");
}

// Nor for threads that are started in it, nor does what the callback makes of it.
TEST(LocalEntropyArithmetic, ACallbackMayChangeIt)
{
    std::vector<float> image(400 * 300); // enough for several threads
    std::mt19937 random(3);
    for (float &cell : image) cell = static_cast<float>(random() % 148);
    Filter filter; // a cell that 3 divides is of another level where products are rounded down
    filter.window.width = filter.window.height = 9;
    filter.levels.binned = true;
    filter.levels.count = 49;
    filter.levels.high = 147;
    EngineOptions how;
    how.method = "plain";
    how.threads = 3;
    const auto run = [&](const RunOptions &options) {
        Engine engine(how);
        std::vector<double> values(image.size());
        engine.run(filter, View<const float>{image.data(), 400, 300},
                   View<double>{values.data(), 400, 300}, options);
        return values;
    };
    const std::vector<double> expected = run({});
    RunOptions options;
    bool wasDefault = true;
    int calls = 0;
    options.progress = [&](double) {
        wasDefault = wasDefault && std::fegetround() == FE_TONEAREST;
        set(kAll[calls++ % 4]);
        return true;
    };
    for (const Arithmetic &arithmetic : kAll) {
        std::vector<double> values;
        EXPECT_TRUE(leaves(arithmetic, [&] { values = run(options); }));
        EXPECT_TRUE(values == expected);
    }
    EXPECT_TRUE(wasDefault);
    EXPECT_GT(calls, 0) << "the calls were too short";
}

TEST(LocalEntropyArithmetic, TheCInterfaceLeavesItAlone)
{
    std::vector<std::uint8_t> image(64 * 48, 7);
    for (std::size_t i = 0; i < image.size(); i += 3) image[i] = static_cast<std::uint8_t>(i);
    std::vector<float> expected(image.size()), values(image.size());
    const auto compute = [&](std::vector<float> &to) {
        le_engine *engine = nullptr;
        le_filter filter;
        const le_image from = {image.data(), LE_UINT8, 64, 48, 0};
        const le_result result = {to.data(), LE_FLOAT32, 64, 48, 0};
        std::size_t bytes = 0;
        const bool right = !le_engine_create(nullptr, &engine) && !le_filter_init(&filter) &&
                           !le_run(engine, &filter, &from, nullptr, nullptr, &result, nullptr);
        // These say why not.
        le_enqueue(engine, &filter, &from, nullptr, nullptr, &result, nullptr, nullptr);
        le_workspace_bytes(engine, &filter, &from, nullptr, nullptr, &result, &bytes);
        le_synchronize(engine);
        le_run(nullptr, &filter, &from, nullptr, nullptr, &result, nullptr);
        le_paths(0), le_methods(0);
        le_engine_destroy(engine);
        if (!right) to.assign(to.size(), -1);
    };
    compute(expected);
    for (const Arithmetic &arithmetic : kAll) {
        EXPECT_TRUE(leaves(arithmetic, [&] { compute(values); }));
        EXPECT_EQ(values, expected);
    }
}
