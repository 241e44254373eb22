// A filter with an image to compute it on, and what the plain method says of it.
#pragma once

#include "bench/filter_cases.h"
#include "bench/picture.h"

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
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

    /// Puts how(result) in place of a result of the last run. For tests.
    void change(std::int64_t x, std::int64_t y, const std::function<double(double)> &how);

    /// Compares the result with the plain method's in patches at the corners and in the middle, and
    /// all of it with the first result that was checked. Throws WrongAnswer.
    void check();

private:
    /// Results of one type, each image's row by row.
    template <typename Value>
    struct Results
    {
        using Type = Value;
        std::vector<Value> of;    ///< the last run
        std::vector<Value> first; ///< the first that was checked; empty: none yet
        std::vector<Value> expectedSmall;
        std::vector<std::vector<Value>> expectedPatches;
    };

    template <typename Value>
    Results<Value> expected() const;

    Filter filter;
    Picture picture, small;
    std::vector<Region> patches;
    mutable std::variant<Results<float>, Results<double>> results; ///< as the case wants them
};

} // namespace bench
