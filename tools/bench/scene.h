// A filter with an image to compute it on, and what the plain method says of it.
#pragma once

#include "bench/filter_cases.h"
#include "bench/picture.h"

#include <string>
#include <vector>

namespace bench
{

class Scene
{
public:
    Scene(const FilterCase &one, const std::string &content, int width, int height);

    int width() const { return picture.width; }
    int height() const { return picture.height; }

    /// The methods that `engine` would use, with + between; empty if it cannot.
    std::string methodsFor(const Engine &engine) const;

    /// Computes a small image, most of whose windows reach over its edges. Throws WrongAnswer.
    void validate(Engine &engine) const;

    void poison();            ///< fills the result with NaN
    void run(Engine &engine); ///< the whole image

    /// A double is compared as the float nearest to it.
    float *results() { return result.data(); } ///< of the last run, row by row

    /// Compares the result with the plain method's in patches at the corners and in the middle, and
    /// all of it with the first result that was checked. Throws WrongAnswer.
    void check();

private:
    void compare(const float *found, std::int64_t stride, const std::vector<float> &expected,
                 const Region &place) const;

    void computeInto(Engine &engine, const Picture &of, std::vector<float> &to,
                     const Region &region = {}) const;

    Filter filter;
    bool isDouble;
    Picture picture, small;
    std::vector<Region> patches;
    std::vector<float> expectedSmall;
    std::vector<std::vector<float>> expectedPatches;
    std::vector<float> first; ///< the first result that was checked; empty: none yet
    mutable std::vector<float> result;
    mutable std::vector<double> doubles; ///< of the last run, if results are double
};

} // namespace bench
