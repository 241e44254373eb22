// The windows and cells that the methods bits and words are made for. Constants alone: files that
// are compiled for one kind of processor include it.
#pragma once

namespace local_entropy
{

constexpr int kRadius = 2;                      ///< a window reaches this far from its centre
constexpr int kWindow = 2 * kRadius + 1;        ///< side of a window that no edge cuts
constexpr int kWindowCells = kWindow * kWindow; ///< its cells
constexpr int kLevels = 16;                     ///< a cell is 0 .. kLevels - 1

} // namespace local_entropy
