// Images of any type and content, and the engine's calls for them.
#pragma once

#include "local_entropy/engine.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace bench
{

using local_entropy::Engine;
using local_entropy::Filter;
using local_entropy::Region;

/// height rows of width cells, each 0 .. levels - 1.
struct Picture
{
    std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<float>> cells;
    int width = 0, height = 0;
    std::vector<std::uint8_t> mask = {}; ///< a cell counts where it is not 0; empty: all count
};

extern const char *const kContents[5];     ///< "natural", "random", "flat", "stripes", "sparse"
extern const char *const kMoreContents[2]; ///< "gradient", "adversarial"
extern const char *const kTypes[3];        ///< "uint8", "uint16", "float32"

/// Natural: slow waves and noise of three levels. Random: every cell drawn on its own. Flat: one
/// level. Stripes: diagonal ones, three cells wide. Sparse: one level, but for one cell in fifty.
/// Gradient: levels that grow slowly across and down, without noise. Adversarial: over 64 columns
/// the part of cells that are drawn grows from none to nearly all, so that neighbouring windows
/// have counts that are far apart, and all kinds of rare sums occur. `type` and `content` are among
/// the names above. The same on every machine.
Picture makePicture(const std::string &type, const std::string &content, int levels, int width,
                    int height);

/// A mask of that size: squares of 100 cells, of which every fourth is 0.
std::vector<std::uint8_t> makeMask(int width, int height);

/// Bytes of a cell.
int cellBytes(const std::string &type);

/// Engine::run on the whole picture or a region of it; `result`, floats or doubles, has its size.
/// Throws common::Unavailable where this machine lacks what the engine's method needs.
template <typename Value>
void compute(Engine &engine, const Filter &filter, const Picture &picture, Value *result,
             const Region &region = {});

/// Engine::methodsFor, with + between; empty where the engine's method cannot compute that.
template <typename Value>
std::string methodsFor(const Engine &engine, const Filter &filter, const Picture &picture,
                       Value *result);

} // namespace bench
