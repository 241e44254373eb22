// 64 bytes at a time, and look-ups of as many.
#include "local_entropy/methods/levels/kernels.h"

#include <cstring>

#if defined(__x86_64__)

#include "local_entropy/simd/avx512vbmi.h"
#include "local_entropy/simd/counters_avx512.h"

#include "local_entropy/methods/levels/box.h"
#include "local_entropy/methods/levels/plane_blocks.h"
#include "local_entropy/methods/levels/two_levels_planes.h"

namespace local_entropy
{
namespace
{

template <class Count>
void fillByPlanes(const BoxTile &tile, const PlaneTables &planes, const Finish &finish,
                  Scratch &scratch)
{
    const PlaneBlocks<Count> blocks(planes, finish, tile.levels);
    fillBoxes<Avx512Counters, Count>(tile, planBox(tile.windowWidth, tile.windowHeight),
                                     RowLookUp<PlaneBlocks<Count>>{blocks, finish}, scratch);
}

void boxes(const BoxTile &tile, const LevelTables &tables, const Finish &finish, Scratch &scratch)
{
    const PlaneTables *planes = tables.planes;
    if (!planes || tile.levels > PlaneTables::kMostLevels)
        fillBySums<Avx512Counters>(tile, tables.pairs, finish, scratch);
    else if (finish.cells() <= PlaneTables::kNarrow)
        fillByPlanes<std::uint8_t>(tile, *planes, finish, scratch);
    else if (finish.cells() <= PlaneTables::kCellsPerLevel * tile.levels)
        fillByPlanes<std::uint16_t>(tile, *planes, finish, scratch);
    else
        fillBySums<Avx512Counters>(tile, tables.pairs, finish, scratch);
}

} // namespace

const LevelsKernels kLevelsAvx512Vbmi = {boxes, fillTwoByPlanes};

} // namespace local_entropy

#include "local_entropy/simd/end.h"

#endif
