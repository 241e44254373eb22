// 64 bytes at a time, and look-ups of as many.
#include "local_entropy/methods/levels/kernels.h"

#include <cstring>

#if defined(__x86_64__)

#include "local_entropy/simd/avx512vbmi.h"
#include "local_entropy/simd/counters_avx512.h"

#include "local_entropy/methods/levels/box.h"
#include "local_entropy/methods/levels/planes.h"
#include "local_entropy/methods/levels/two_levels_kernel.h"
#include "local_entropy/methods/levels/two_levels_planes.h"

namespace local_entropy
{
namespace
{

void boxes(const BoxTile &tile, const PlaneTables *planes, const Finish &finish, Scratch &scratch)
{
    if (!planes || tile.levels > PlaneTables::kMostLevels)
        fillBoxes<Avx512Counters>(tile, finish, scratch);
    else
        fillBoxes<Avx512Counters, std::uint8_t>(tile, planBox(tile.windowWidth, tile.windowHeight),
                                                PlaneLookUp(*planes, finish, tile.levels), scratch);
}

void twoLevels(const BoxTile &tile, const TwoLevelTable &table, const Finish &finish,
               Scratch &scratch)
{
    if (table.isDouble || finish.cells() > TwoLevelTable::kMostFolded)
        fillTwoLevels<Avx512Counters>(tile, table, finish, scratch);
    else
        fillBoxes<Avx512Counters, std::uint8_t>(tile, planBox(tile.windowWidth, tile.windowHeight),
                                                FoldedLookUp{table, finish}, scratch);
}

} // namespace

const LevelsKernels kLevelsAvx512Vbmi = {boxes, twoLevels};

} // namespace local_entropy

#include "local_entropy/simd/end.h"

// The end of avx512.h as well: it set instructions of its own.
#include "local_entropy/simd/end.h"

#endif
