// What bench_launches times: its images, their cells and answers, as far as they need no GPU.
#include "bench/launch_grid.h"
#include "bench/launch_pictures.h"
#include "messages.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>
#include <tuple>

namespace
{

using bench::FilterCase;
using bench::LaunchImage;

FilterCase caseNamed(const std::string &name)
{
    for (const FilterCase &one : bench::launchCases())
        if (one.name() == name) return one;
    ADD_FAILURE() << "there is no " << name;
    return {};
}

std::vector<LaunchImage> gridOf(const std::string &name)
{
    return bench::imagesOf(caseNamed(name), {});
}

std::set<std::string> contentsOf(const std::vector<LaunchImage> &images)
{
    std::set<std::string> contents;
    for (const LaunchImage &image : images) contents.insert(image.content);
    return contents;
}

TEST(BenchLaunches, EachGridBeginsWithTheUsualImageAndNamesNoneTwice)
{
    for (const FilterCase &one : bench::launchCases()) {
        const std::vector<LaunchImage> images = bench::imagesOf(one, {});
        EXPECT_EQ(images[0].content, bench::kUsualContent);
        EXPECT_EQ(images[0].width, bench::kUsualSide);
        EXPECT_EQ(images[0].placement.name, "aligned");
        std::set<std::tuple<std::string, int, int, std::string>> seen;
        for (const LaunchImage &image : images)
            EXPECT_TRUE(
                seen.insert({image.content, image.width, image.height, image.placement.name})
                    .second)
                << one.name();
    }
}

TEST(BenchLaunches, SmallWindowsAreTimedOnAllContents)
{
    const std::set<std::string> all = {"natural",  "random", "flat",
                                       "gradient", "sparse", "adversarial"};
    for (const char *name : {"uint8-256-3x3", "uint8-256-9x9", "uint16-65536-7x7", "uint8-16-5x5"})
        EXPECT_EQ(contentsOf(gridOf(name)), all) << name;
    const std::set<std::string> some = contentsOf(gridOf("uint8-256-31x31"));
    EXPECT_TRUE(some.count("sparse") && some.count("random"));
    EXPECT_FALSE(some.count("gradient"));
}

TEST(BenchLaunches, SomeAreTimedAtOtherPlacesAndWidths)
{
    std::set<std::string> places;
    std::set<int> widths;
    for (const LaunchImage &image : gridOf("uint8-256-5x5")) {
        places.insert(image.placement.name);
        widths.insert(image.width);
    }
    EXPECT_EQ(places, (std::set<std::string>{"aligned", "offset 1", "stride +1"}));
    EXPECT_EQ(widths, (std::set<int>{1024, 4096, 10237, 10239, 10240}));
    EXPECT_EQ(bench::placementOf("offset 1").offset, 1);
    EXPECT_EQ(bench::placementOf("stride +1").padding, 1);
}

TEST(BenchLaunches, WhatIsAskedForIsCombined)
{
    bench::LaunchWishes wishes;
    wishes.contents = {"flat", "stripes"};
    wishes.sizes = {"30x20", "1x7"};
    const auto images = bench::imagesOf(caseNamed("uint8-256-3x3"), wishes);
    ASSERT_EQ(images.size(), 4u);
    EXPECT_EQ(images[1].content, "flat");
    EXPECT_EQ(images[1].width, 1);
    EXPECT_EQ(images[1].height, 7);
    EXPECT_EQ(images[3].content, "stripes");
    using List = std::vector<std::string> bench::LaunchWishes::*;
    for (const auto &[list, word, sentence] :
         std::vector<std::tuple<List, std::string, std::string>>{
             {&bench::LaunchWishes::contents, "nothing", "--contents: there is no 'nothing'"},
             {&bench::LaunchWishes::sizes, "30", "--sizes is '30', expected WIDTHxHEIGHT"},
             {&bench::LaunchWishes::sizes, "0x3",
              "--sizes: width is '0', expected an integer in 1..1000000"},
             {&bench::LaunchWishes::placements, "upside down",
              "--placements: there is no 'upside down'"}}) {
        bench::LaunchWishes wrong;
        wrong.*list = {word};
        EXPECT_EQ(messageOf([&] { bench::imagesOf(caseNamed("uint8-256-3x3"), wrong); }), sentence);
    }
}

TEST(BenchLaunches, SmallerImagesAreTheUpperLeftPart)
{
    bench::LaunchPictures pictures(40, 30);
    const FilterCase one = caseNamed("uint8-256-3x3");
    const bench::Placement aligned = bench::placementOf("aligned");
    const auto whole = std::get<std::vector<std::uint8_t>>(
        bench::makePicture("uint8", "adversarial", 256, 40, 30).cells);
    const bench::Picture &part = pictures.picture(one, {"adversarial", 7, 5, aligned});
    const auto &cells = std::get<std::vector<std::uint8_t>>(part.cells);
    ASSERT_EQ(cells.size(), 35u);
    for (int y = 0; y < 5; ++y)
        for (int x = 0; x < 7; ++x) EXPECT_EQ(cells[7 * y + x], whole[40 * y + x]);
}

TEST(BenchLaunches, AnswersAreThoseOfTheFilterOnThatPicture)
{
    bench::LaunchPictures pictures(40, 30);
    const bench::Placement aligned = bench::placementOf("aligned");
    local_entropy::Engine engine;
    for (const char *content : {"natural", "sparse"}) // of filters on the same picture
        for (const char *name : {"uint8-256-3x3", "uint8-256-5x5", "uint8-16-5x5",
                                 "uint16-65536-3x3", "uint8-256-9x9-mask", "uint8-256-9x9"}) {
            const FilterCase one = caseNamed(name);
            const LaunchImage image{content, 23, 17, aligned};
            bench::Picture picture = pictures.picture(one, image);
            EXPECT_EQ(picture.mask.empty(), !one.isMasked);
            std::vector<float> expected(23 * 17);
            bench::compute(engine, one.filter, picture, expected.data());
            EXPECT_EQ(pictures.answer(one, image), expected) << name << " " << content;
        }
}

TEST(BenchLaunches, ContentsAreWhatTheySay)
{
    const auto cellsOf = [](const char *content) {
        return std::get<std::vector<std::uint8_t>>(
            bench::makePicture("uint8", content, 200, 128, 50).cells);
    };
    const auto middles = [](const std::vector<std::uint8_t> &cells, int first, int last) {
        int count = 0;
        for (int y = 0; y < 50; ++y)
            for (int x = first; x < last; ++x) count += cells[128 * y + x] == 100;
        return count;
    };
    EXPECT_EQ(middles(cellsOf("flat"), 0, 128), 128 * 50);
    const auto adversarial = cellsOf("adversarial");
    EXPECT_EQ(middles(adversarial, 64, 65), 50);
    EXPECT_GT(middles(adversarial, 65, 75), 400);
    EXPECT_LT(middles(adversarial, 118, 128), 100);
    const auto gradient = cellsOf("gradient");
    EXPECT_EQ(gradient[0], 0);
    EXPECT_EQ(gradient[8], 1);
    EXPECT_EQ(gradient[128 * 4], 1);
    EXPECT_NEAR(middles(cellsOf("sparse"), 0, 128), 128 * 50 * 0.98, 30);
    const auto random = cellsOf("random"), natural = cellsOf("natural");
    EXPECT_FALSE(std::equal(random.begin(), random.begin() + 128, random.begin() + 128));
    double squares = 0; // of what neighbours differ by: twice the noise's three levels, squared
    for (std::size_t i = 1; i < natural.size(); ++i)
        squares += std::pow(natural[i] - natural[i - 1], 2) * (i % 128 != 0);
    EXPECT_NEAR(squares / (50 * 127), 2 * 9, 2);
    const auto two = std::get<std::vector<std::uint8_t>>(
        bench::makePicture("uint8", "natural", 2, 128, 50).cells);
    EXPECT_EQ(*std::max_element(two.begin(), two.end()), 1);
    EXPECT_EQ(cellsOf("natural"), natural);
    EXPECT_EQ(*std::max_element(gradient.begin(), gradient.end()), 28);
}

} // namespace
