// 16 bytes at a time, on any processor.
#include "local_entropy/methods/levels/kernels.h"

#include <cstring>

#include "local_entropy/simd/counters_portable.h"
#include "local_entropy/simd/portable.h"

#include "local_entropy/methods/levels/box.h"
#include "local_entropy/methods/levels/two_levels_kernel.h"

namespace local_entropy
{
namespace
{

void boxes(const BoxTile &tile, const LevelTables &tables, const Finish &finish, Scratch &scratch)
{
    fillBySums<PortableCounters>(tile, tables.pairs, finish, scratch);
}

} // namespace

const LevelsKernels kLevelsPortable = {boxes, fillTwoLevels<PortableCounters>};

} // namespace local_entropy
