// The kernels of every path, a file each.
#pragma once

#include "local_entropy/methods/levels/box_tile.h"
#include "local_entropy/methods/levels/pair_table.h"
#include "local_entropy/methods/levels/plane_tables.h"
#include "local_entropy/methods/levels/two_levels.h"
#include "local_entropy/simd/paths.h"

namespace local_entropy
{

/// What kernels may look up beside what Finish has; a path takes what it can use.
struct LevelTables
{
    const PlaneTables *planes; ///< nullptr: none
    const WordPlaneTables *wordPlanes;
    const PairTable *pairs;
};

/// Fills the results of a tile.
struct LevelsKernels
{
    /// Any number of levels, box by box.
    void (*boxes)(const BoxTile &tile, const LevelTables &tables, const Finish &finish,
                  Scratch &scratch);
    /// Two levels: tile.values is one of them.
    void (*twoLevels)(const BoxTile &tile, const TwoLevelTable &table, const Finish &finish,
                      Scratch &scratch);
};

extern const LevelsKernels kLevelsAvx512Vbmi, kLevelsAvx512, kLevelsAvx2, kLevelsPortable;

inline const LevelsKernels &levelsKernels(Path path)
{
    switch (path) {
#if defined(__x86_64__)
    case Path::Avx512Vbmi: return kLevelsAvx512Vbmi;
    case Path::Avx512: return kLevelsAvx512;
    case Path::Avx2: return kLevelsAvx2;
#endif
    default: return kLevelsPortable; // 16 bytes at a time: SSE2, NEON
    }
}

} // namespace local_entropy
