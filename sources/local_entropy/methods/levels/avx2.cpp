// 32 bytes at a time.
#include "local_entropy/methods/levels/kernels.h"

#include <cstring>

#if defined(__x86_64__)

#include "local_entropy/simd/avx2.h"
#include "local_entropy/simd/counters_avx2.h"

#include "local_entropy/methods/levels/box.h"
#include "local_entropy/methods/levels/two_levels_bytes.h"

namespace local_entropy
{
namespace
{

void boxes(const BoxTile &tile, const LevelTables &tables, const Finish &finish, Scratch &scratch)
{
    fillBySums<Avx2Counters>(tile, tables.pairs, finish, scratch);
}

} // namespace

const LevelsKernels kLevelsAvx2 = {boxes, fillTwoByBytes};

} // namespace local_entropy

#include "local_entropy/simd/end.h"

#endif
