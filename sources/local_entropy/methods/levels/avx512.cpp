// 64 bytes at a time.
#include "local_entropy/methods/levels/kernels.h"

#include <cstring>

#if defined(__x86_64__)

#include "local_entropy/simd/avx512.h"
#include "local_entropy/simd/counters_avx512.h"

#include "local_entropy/methods/levels/box.h"
#include "local_entropy/methods/levels/two_levels_floats.h"
#include "local_entropy/methods/levels/word_blocks.h"

namespace local_entropy
{
namespace
{

void boxes(const BoxTile &tile, const LevelTables &tables, const Finish &finish, Scratch &scratch)
{
    if (!tables.wordPlanes) return fillBySums<Avx512Counters>(tile, tables.pairs, finish, scratch);
    const WordBlocks blocks(*tables.wordPlanes, finish, tile.levels);
    fillBoxes<Avx512Counters, std::uint8_t>(tile, planBox(tile.windowWidth, tile.windowHeight),
                                            RowLookUp<WordBlocks>{blocks, finish}, scratch);
}

} // namespace

const LevelsKernels kLevelsAvx512 = {boxes, fillTwoByFloats};

} // namespace local_entropy

#include "local_entropy/simd/end.h"

#endif
