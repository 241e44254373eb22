// Which random questions (question.h) a method answers in the memory of a GPU whose blocks may have
// so much shared memory. No GPU is needed to ask.
#pragma once

#include "local_entropy/methods/method.h"
#include "local_entropy/problem/type_of.h"
#include "local_entropy/schedule/launchers.h"
#include "question.h"

#include <algorithm>
#include <string>

template <typename Cell>
bool isLaunchedBy(const std::string &name, const Question<Cell> &question, int sharedBytes)
{
    using namespace local_entropy;
    const View<const Cell> image = question.view();
    const View<const std::uint8_t> mask = question.maskView();
    const Region &region = question.region;
    static double nowhere; // no result is written
    const Problem problem = checkedProblem(
        question.filter, {image.data, typeOf<Cell>(), image.width, image.height, image.stride},
        {mask.data, mask.width, mask.height, mask.stride},
        {&nowhere, question.asDouble, region.width, region.height, region.width + question.gap},
        region);
    const auto method = std::find_if(methods().begin(), methods().end(),
                                     [&](const Method *one) { return one->name() == name; });
    return method != methods().end() && launchMethod(problem, *method, sharedBytes);
}
