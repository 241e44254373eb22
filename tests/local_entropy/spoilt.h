// Random questions of which some cells are no levels.
#pragma once

#include "judge.h"
#include "local_entropy/filter.h"
#include "question.h"

#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

struct Place
{
    std::int64_t x, y;
};

/// A question, and cells of its image that were made bad.
template <typename Cell>
class Spoilt
{
public:
    Question<Cell> question;
    std::vector<Place> places; ///< row by row

    explicit Spoilt(unsigned seed, bool asForBits = false) : question(seed), random(seed ^ 0xbad)
    {
        if (asForBits) makeForBits();
        question.filter.nanIsError = random() % 2 && !hasNaN();
        const int wanted = 1 + static_cast<int>(random() % 3);
        for (int i = 0; i < wanted; ++i) spoilOne();
    }

    /// The first that counts, and that a window of the region covers; none: null.
    const Place *first() const
    {
        const auto image = question.view();
        const Place *found = nullptr;
        for (const Place &place : places) {
            if (found && (place.y > found->y || (place.y == found->y && place.x >= found->x)))
                continue;
            const auto mask = question.maskView();
            if (mask.data && !mask.data[place.y * mask.stride + place.x]) continue;
            const auto &window = question.filter.window;
            const auto &region = question.region;
            if (isReached(place.x, region.x, region.width, window.width, window.originX,
                          image.width) &&
                isReached(place.y, region.y, region.height, window.height, window.originY,
                          image.height))
                found = &place;
        }
        return found;
    }

private:
    bool isReached(std::int64_t at, std::int64_t begin, std::int64_t count, int window, int origin,
                   std::int64_t size) const
    {
        const std::int64_t from = begin - window / 2 - origin;
        for (std::int64_t i = from; i < from + count + window - 1; ++i)
            if (judge::indexOf(question.filter.border, i, size) == at) return true;
        return false;
    }

    Cell &at(std::int64_t x, std::int64_t y)
    {
        const auto image = question.view();
        return const_cast<Cell &>(image.data[y * image.stride + x]); // the question's own
    }

    bool hasNaN()
    {
        for (std::int64_t y = 0; y < question.view().height; ++y)
            for (std::int64_t x = 0; x < question.view().width; ++x)
                if (std::isnan(static_cast<double>(at(x, y)))) return true;
        return false;
    }

    /// The one filter of `bits`, for some whole rows.
    void makeForBits()
    {
        question.filter = {};
        question.filter.levels.count = 16;
        question.region.x = 0;
        question.region.width = question.view().width;
        for (std::int64_t y = 0; y < question.view().height; ++y)
            for (std::int64_t x = 0; x < question.view().width; ++x)
                if (const double cell = static_cast<double>(at(x, y)); !std::isnan(cell))
                    at(x, y) = static_cast<Cell>(std::fmod(std::fabs(std::floor(cell)), 16));
    }

    void spoilOne()
    {
        const Place place{static_cast<std::int64_t>(random() % question.view().width),
                          static_cast<std::int64_t>(random() % question.view().height)};
        Cell bad;
        if (!badCell(bad)) return;
        at(place.x, place.y) = bad;
        places.push_back(place);
    }

    /// Whether there is such a cell of this type.
    bool badCell(Cell &bad)
    {
        const local_entropy::Levels &levels = question.filter.levels;
        const double high = levels.binned ? levels.high : levels.low + levels.count - 1;
        const double all[] = {high + 1,    high + 16,   high + 100, levels.low - 1,
                              255,         65535,       -32768,     levels.low - 5,
                              1e9,         -1e-30,      3e38,       levels.low + 0.5,
                              2147483648., 4294967296., high - 0.5, levels.low + 1.0625,
                              -3e38,       std::nan("")};
        for (int tries = 0; tries < 20; ++tries) {
            const double wanted = all[random() % std::size(all)];
            if (wanted < std::numeric_limits<Cell>::lowest() ||
                wanted > std::numeric_limits<Cell>::max() ||
                (std::isnan(wanted) && !std::is_same_v<Cell, float>))
                continue;
            bad = static_cast<Cell>(wanted);
            if (isBad(static_cast<double>(bad), high)) return true;
        }
        return false;
    }

    bool isBad(double cell, double high) const
    {
        const local_entropy::Filter &filter = question.filter;
        if (std::isnan(cell)) return filter.nanIsError;
        if (filter.nodata && cell == *filter.nodata) return false;
        if (cell < filter.levels.low || cell > high) return !filter.levels.clamp;
        return !filter.levels.binned && cell != std::floor(cell);
    }

    std::mt19937 random;
};
