// What bench_filter times: a filter on an image, whose result is compared before it counts.
#include "bench/picture.h"
#include "bench/scene.h"
#include "common/error.h"
#include "local_entropy/engine.h"
#include "messages.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

TEST(BenchScene, AWrongResultIsFoundAnywhere)
{
    const bench::FilterCase &one = bench::filterCases()[0];
    const int width = 300, height = 200;
    for (const auto &[x, y] : std::vector<std::pair<int, int>>{
             {0, 0}, {299, 0}, {0, 199}, {299, 199}, {150, 100}, {100, 60}}) {
        bench::Scene scene(one, "natural", width, height);
        local_entropy::Engine engine;
        scene.validate(engine);
        scene.run(engine);
        scene.check();
        for (const float wrong : {std::nanf(""), -1.0f}) {
            scene.run(engine);
            scene.change(x, y, [&](double) { return wrong; });
            EXPECT_TRUE(holds(messageOf([&] { scene.check(); }),
                              "wrong at x " + std::to_string(x) + ", y " + std::to_string(y)));
        }
    }
}

// The first run has no run before it to be compared with: corners and middle are looked at by the
// plain method.
TEST(BenchScene, TheFirstRunIsComparedInEveryCornerAndInTheMiddle)
{
    const bench::FilterCase &one = bench::filterCases()[0];
    for (const auto &[x, y] : std::vector<std::pair<int, int>>{{0, 0},
                                                               {69, 15},
                                                               {299, 0},
                                                               {230, 15},
                                                               {0, 199},
                                                               {69, 184},
                                                               {299, 199},
                                                               {230, 184},
                                                               {115, 92},
                                                               {184, 107}}) {
        bench::Scene scene(one, "natural", 300, 200);
        local_entropy::Engine engine;
        scene.run(engine);
        scene.change(x, y, [](double) { return -1.0; });
        EXPECT_TRUE(holds(messageOf([&] { scene.check(); }),
                          "wrong at x " + std::to_string(x) + ", y " + std::to_string(y)));
    }
}

TEST(BenchScene, AMaskHidesAQuarterInSquares)
{
    const std::vector<std::uint8_t> mask = bench::makeMask(400, 800);
    EXPECT_EQ(std::count(mask.begin(), mask.end(), 0), 400 * 800 / 4);
    for (const auto &[x, y, counts] :
         {std::tuple(0, 0, 0), {99, 99, 0}, {100, 0, 1}, {0, 100, 1}, {300, 100, 0}, {399, 99, 1}})
        EXPECT_EQ(mask[400 * y + x], counts) << x << " " << y;
}

TEST(BenchScene, CellsThatNobodyWroteAreWrong)
{
    bench::Scene scene(bench::filterCases()[0], "random", 300, 200);
    local_entropy::Engine engine;
    scene.run(engine);
    // In no patch, and nothing to compare with yet.
    scene.change(100, 60, [](double) { return std::nan(""); });
    EXPECT_TRUE(holds(messageOf([&] { scene.check(); }),
                      "wrong at x 100, y 60 of an image 300 wide: nan, "));
    scene.poison();
    EXPECT_TRUE(
        holds(messageOf([&] { scene.check(); }), "wrong at x 0, y 0 of an image 300 wide: nan, "));
}

TEST(BenchScene, ResultsAreComparedAsWhatTheyAre)
{
    for (const bool isDouble : {false, true}) {
        bench::FilterCase one = bench::filterCases()[0];
        one.isDouble = isDouble;
        bench::Scene scene(one, "natural", 97, 61);
        local_entropy::Engine engine;
        scene.validate(engine);
        scene.run(engine);
        scene.check();
        // The next double: a float that is made of it is the same as before.
        scene.change(5, 7, [](double value) { return std::nextafter(value, 99); });
        const std::string message = messageOf([&] { scene.check(); });
        EXPECT_EQ(message.empty(), !isDouble) << message;
        EXPECT_EQ(holds(message, "wrong at x 5, y 7"), isDouble) << message;
        // Both values have digits enough to tell them apart.
        const std::size_t got = message.find("wide: "), want = message.find(", expected ");
        if (isDouble) {
            EXPECT_NE(message.substr(got + 6, want - got - 6), message.substr(want + 11));
        }
    }
}

TEST(BenchScene, MinusZeroIsNotZero)
{
    bench::Scene scene(bench::filterCases()[0], "flat", 97, 61);
    local_entropy::Engine engine;
    scene.run(engine);
    scene.check();
    scene.change(5, 7, [](double) { return -0.0; });
    EXPECT_TRUE(holds(messageOf([&] { scene.check(); }), "wide: -0, expected 0"));
}

TEST(BenchScene, AMaskLiesOnItsImage)
{
    const auto &cases = bench::launchCases();
    const auto one = std::find_if(cases.begin(), cases.end(), [](const bench::FilterCase &each) {
        return each.name() == "uint8-256-9x9-mask";
    });
    ASSERT_NE(one, cases.end());
    bench::Scene scene(*one, "random", 400, 200);
    local_entropy::Engine engine;
    scene.run(engine);
    std::vector<double> values; // in the middle of squares, those that are hidden, and others
    for (const auto &[x, y] : {std::pair(50, 50), {320, 130}, {150, 50}, {250, 150}})
        scene.change(x, y, [&](double value) { return values.emplace_back(value); });
    EXPECT_EQ(values[0], 0);
    EXPECT_EQ(values[1], 0);
    EXPECT_GT(values[2], 1);
    EXPECT_GT(values[3], 1);
}

TEST(BenchScene, MethodsAreThoseOfTheImageWithItsMask)
{
    const auto named = [](const std::string &name) {
        for (const bench::FilterCase &one : bench::filterCases())
            if (one.name() == name) return one;
        throw common::Error(name);
    };
    local_entropy::EngineOptions options;
    options.method = "bits";
    bench::FilterCase floats = named("float32-16-5x5");
    const local_entropy::Engine bits(options);
    EXPECT_EQ(bench::Scene(floats, "random", 97, 61).methodsFor(bits), "bits");
    floats.isMasked = true;
    EXPECT_EQ(bench::Scene(floats, "random", 97, 61).methodsFor(bits), "");
    options.method = "";
    options.path = "portable";
    const local_entropy::Engine engine(options);
    const bench::Picture picture = bench::makePicture("uint8", "random", 16, 300, 300);
    std::vector<float> result(300 * 300);
    std::string all; // inside and at the edges
    for (const std::string side : {"9x9", "15x15", "31x31"})
        all += bench::methodsFor(engine, named("uint8-16-" + side).filter, picture, result.data());
    EXPECT_TRUE(holds(all, "+")) << all;
}
