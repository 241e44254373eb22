// Every method, on every path, with any number of threads, against the judge: random questions from
// a fixed seed, over types, levels, windows, footprints, borders, masks, strides and regions.

#include "all_engines.h"
#include "judge.h"
#include "local_entropy/engine.h"
#include "question.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace
{

using namespace local_entropy;

/// The truth of every cell of a question's region, row by row.
template <typename Cell>
std::vector<long double> truthsOf(const Question<Cell> &question)
{
    std::vector<long double> truths;
    for (std::int64_t y = 0; y < question.region.height; ++y)
        for (std::int64_t x = 0; x < question.region.width; ++x)
            truths.push_back(judge::resultOf(question.filter, question.view(), question.maskView(),
                                             question.region.x + x, question.region.y + y));
    return truths;
}

bool isClose(long double value, long double truth)
{
    return std::isnan(truth) ? std::isnan(value)
                             : std::fabs(value - truth) <= 1e-6L * std::fabs(truth);
}

/// One run of an engine for one question: false, and a failure, if a result is not the nearest.
template <typename Cell, typename Value>
bool isRight(Engine &engine, const Question<Cell> &question, const std::vector<long double> &truths,
             const std::string &who)
{
    GuardedArray<Value> values(question.region.width, question.region.height, question.gap);
    values.poison();
    RunOptions options;
    options.mask = question.maskView();
    options.region = question.region;
    try {
        engine.run(question.filter, question.view(), values.view(), options);
    } catch (const Error &error) {
        if (error.status() == Status::Unavailable) return true; // this method cannot do that
        ADD_FAILURE() << who << ": " << error.what() << "\n" << question.text();
        return false;
    }
    for (std::int64_t y = 0; y < question.region.height; ++y)
        for (std::int64_t x = 0; x < question.region.width; ++x) {
            const long double truth = truths[y * question.region.width + x];
            const Value value = values.at(x, y);
            if (question.exact() ? judge::isNearest(value, truth) : isClose(value, truth)) continue;
            ADD_FAILURE() << who << ": at " << x << ", " << y << " " << value << ", expected "
                          << static_cast<double>(truth) << "\n"
                          << question.text();
            return false;
        }
    EXPECT_TRUE(values.gapsArePoisoned()) << who << " wrote between the rows";
    return true;
}

template <typename Cell>
void ask(std::vector<std::pair<std::string, Engine>> &engines, unsigned seed, int questions)
{
    for (int i = 0; i < questions; ++i) {
        const Question<Cell> question(seed + static_cast<unsigned>(i));
        const std::vector<long double> truths = truthsOf(question);
        for (auto &[who, engine] : engines) {
            const bool right = question.asDouble
                                   ? isRight<Cell, double>(engine, question, truths, who)
                                   : isRight<Cell, float>(engine, question, truths, who);
            if (!right) return;
        }
    }
}

/// Of each type. An emulated processor asks fewer: LOCAL_ENTROPY_QUESTIONS (tests/arm.sh).
int questions()
{
    const char *const number = std::getenv("LOCAL_ENTROPY_QUESTIONS");
    return number ? std::atoi(number) : 300;
}

TEST(LocalEntropyMethods, AreRightForBytes)
{
    auto engines = allEngines();
    ask<std::uint8_t>(engines, 1000, 2 * questions());
}

TEST(LocalEntropyMethods, AreRightForPairsOfBytes)
{
    auto engines = allEngines();
    ask<std::uint16_t>(engines, 20000, questions());
    ask<std::int16_t>(engines, 30000, questions());
}

TEST(LocalEntropyMethods, AreRightForFloats)
{
    auto engines = allEngines();
    ask<float>(engines, 40000, questions());
}

TEST(LocalEntropyMethods, AreRightForBool)
{
    auto engines = allEngines();
    ask<bool>(engines, 50000, questions() / 2);
}

} // namespace
