// The problem's constants.
#pragma once

namespace entropy
{

constexpr int kRadius = 2;                      ///< a window reaches this far from its centre
constexpr int kWindow = 2 * kRadius + 1;        ///< side of a window
constexpr int kWindowCells = kWindow * kWindow; ///< cells of a window that no edge cuts
constexpr int kLevels = 16;                     ///< a cell is 0 .. kLevels - 1
constexpr double kTolerance = 5e-6;             ///< "right to five decimals"

} // namespace entropy
