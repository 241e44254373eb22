// The ladder's problem for the engine: 16 levels as floats, windows of 5x5 that the edge cuts.
#pragma once

#include "local_entropy/engine.h"

#include <cstddef>
#include <string>
#include <vector>

namespace bench
{

/// height rows of width cells.
struct Cells
{
    int width, height;
    std::vector<float> sample;

    std::size_t count() const { return sample.size(); }
};

/// `content` as entropy::parseContent knows it: "random", "smooth", ... The same on every machine.
Cells makeCells(const std::string &content, int width, int height);

/// Their entropies, into `result`, of the same shape, in host memory.
void compute(local_entropy::Engine &engine, const Cells &cells, float *result);

/// Throws WrongAnswer unless both hold the same bits; `cells` says their shape.
void requireSameBits(const Cells &cells, const float *found, const float *expected);

/// "10240x4096"
std::string sizeOf(int width, int height);

} // namespace bench
