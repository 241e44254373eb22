// Results of a question, each against the judge.
#pragma once

#include "judge.h"
#include "question.h"

#include <cstdint>

/// Whether all are the nearest to the truth.
template <typename Cell, typename Value>
bool areNearest(const Question<Cell> &question, const GuardedArray<Value> &values)
{
    for (std::int64_t y = 0; y < question.region.height; ++y)
        for (std::int64_t x = 0; x < question.region.width; ++x)
            if (!judge::isNearest(values.at(x, y),
                                  judge::resultOf(question.filter, question.view(),
                                                  question.maskView(), question.region.x + x,
                                                  question.region.y + y)))
                return false;
    return true;
}
