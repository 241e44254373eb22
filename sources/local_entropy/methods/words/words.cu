// The GPU engine: its kernel, in which blocks fetch the tables and deal the items of a plan to
// teams of warps, and its launches. What a warp does is told in walk.h.
#include "local_entropy/methods/words/words.h"

#include "local_entropy/memory/current_gpu.h"
#include "local_entropy/memory/shared_bytes.h"
#include "local_entropy/methods/words/plan.h"
#include "local_entropy/methods/words/walk.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace local_entropy::words
{
namespace
{

constexpr int kMostThreads = kMostWarps * kWarp;

template <typename Cell, Layout kLayout, bool kFromTop>
__global__ void __launch_bounds__(kMostThreads, 1)
    entropyKernel(const Cell *sample, float *result, const GpuTables *tables, unsigned *nextItem,
                  BadCell *badCell, const __grid_constant__ Plan plan)
{
    extern __shared__ __align__(16) char ofTeams[];
    __shared__ __align__(256) GpuTables own;
    static_assert(offsetof(GpuTables, words) == 0); // aligned to 256
    static_assert(offsetof(GpuTables, entropies) % 16 == 0 && GpuTables::kEntries % 4 == 0);

    __shared__ unsigned numbers[kMostWarps]; // of the next items of teams, by their leaders

    using Walker = Walk<Cell, kLayout, kFromTop>;
    const unsigned warp = __shfl_sync(kAll, threadIdx.x / kWarp, 0); // the compiler sees: uniform
    const unsigned place = plan.team == 1 ? 0 : warp % kTeam, leader = warp - place;
    const std::uint32_t packed = sharedAddress(ofTeams) + warp / kTeam * Walker::kTeamBytes;
    const unsigned fours = warp % kTeam * (plan.team == 1 ? kPackedFours : kWarp); // before its own
    Walker walk{
        {plan, sample, result,
         Shared{sharedAddress(own.words), sharedAddress(own.shifts) - 4 * GpuTables::kFirstRow,
                packed + static_cast<std::uint32_t>(sizeof(PackedRows)) +
                    warp % kTeam * Walker::kWarpBytes,
                packed + 4 * fours},
         threadIdx.x % kWarp, leader, place}};
    // Neighbours to neighbours, which share cache lines; but few items are spread over all blocks.
    const unsigned teamsOfBlock = blockDim.x / kWarp / plan.team;
    const unsigned teams = gridDim.x * teamsOfBlock, team = leader / plan.team;
    unsigned number =
        plan.items <= teams ? team * gridDim.x + blockIdx.x : blockIdx.x * teamsOfBlock + team;
    const auto start = [&] { walk.start(itemOf(plan, number, place, kStripColumns)); };

    // The tables are ordered first, and turned to addresses while the first rows are on their way.
    for (int i = threadIdx.x; i < GpuTables::kEntries / 4; i += blockDim.x)
        copyAsync<16>(sharedAddress(own.entropies + 4 * i), tables->entropies + 4 * i);
    for (int i = threadIdx.x; i < GpuTables::kRows; i += blockDim.x)
        copyAsync<4>(sharedAddress(own.shifts + i), tables->shifts + i);
    if (threadIdx.x < GpuTables::kWords)
        copyAsync<4>(sharedAddress(own.words + threadIdx.x), tables->words + threadIdx.x);
    endGroup();
    letNextKernelStart(); // to come as far as this while blocks of this one end
    if (number < plan.items) start();
    waitForLastKernel();
    if (number < plan.items) walk.template order<0>();
    waitForGroups();
    for (int i = threadIdx.x; i < GpuTables::kRows; i += blockDim.x) // now they lead to addresses
        own.shifts[i] += static_cast<std::int32_t>(sharedAddress(own.entropies));
    __syncthreads();

    while (number < plan.items) {
        walk.finish();
        if (walk.sawBadCell())
            walk.tellBadCells(itemOf(plan, number, place, kStripColumns), badCell);
        if (plan.items <= teams) break; // one each
        if (place == 0 && walk.lane == 0) {
            const unsigned next = atomicAdd(nextItem, 1u);
            if (next == plan.items - 1) *nextItem = 0; // each item asks once; this was the last
            store(sharedAddress(numbers + leader), next + teams);
        }
        walk.syncTeam();
        number = load(sharedAddress(numbers + leader));
        if (number < plan.items) {
            start();
            walk.template order<0>();
        }
    }
}

bool isAligned(const void *pointer, int bytes = 16)
{
    return reinterpret_cast<std::uintptr_t>(pointer) % bytes == 0;
}

} // namespace

/// Shared memory of a block besides the tables.
template <typename Cell, Layout kLayout>
static int bytesOf(int warps)
{
    return warps / kTeam * Arrival<Cell, kLayout>::kTeamBytes;
}

template <typename Cell>
using Kernel = void (*)(const Cell *, float *, const GpuTables *, unsigned *, BadCell *, Plan);

/// Those of a layout: for any items, and for items that all begin with row 0.
template <typename Cell, Layout kLayout>
static constexpr std::array<Kernel<Cell>, 2> kKernels = {
    entropyKernel<Cell, kLayout, false>, entropyKernel<Cell, kLayout, kLayout != Layout::Narrow>};

/// As many warps a block as shared memory has room for; a kernel may have more of that than it has
/// without asking.
template <typename Cell, Layout kLayout>
static int warpsOfBlock()
{
    const common::PartScope scope(common::Part::Context); // asking for a kernel loads its code
    const int limit = sharedBytesOfBlock();
    int warps = kMostWarps;
    for (const auto kernel : kKernels<Cell, kLayout>) {
        const cudaFuncAttributes attributes = common::attributesOf(kernel);
        const int room = limit - static_cast<int>(attributes.sharedSizeBytes);
        warps = std::min(room / Arrival<Cell, kLayout>::kTeamBytes * kTeam, warps);
        common::allowAllShared(kernel, attributes);
    }
    if (warps < 1)
        throw common::Unavailable("needs a GPU with more shared memory: a block has " +
                                  std::to_string(limit) + " bytes here");
    return warps;
}

int Gpu::sharedBytes()
{
    constexpr int kTables = sizeof(GpuTables) + 256 + 256; // on its boundary; numbers
    return kTables +
           std::max(
               {bytesOf<float, Layout::Aligned>(kTeam), bytesOf<float, Layout::Anywhere>(kTeam),
                bytesOf<float, Layout::Narrow>(kTeam), bytesOf<Level, Layout::Aligned>(kTeam),
                bytesOf<Level, Layout::Anywhere>(kTeam), bytesOf<Level, Layout::Narrow>(kTeam)});
}

Gpu::Gpu(int mostMultiprocessors, int counters)
    : tables(common::upload(&gpuTables(), 1)), nextItem(counters)
{
    multiprocessors = std::max(std::min(multiprocessorsOfGpu(), mostMultiprocessors), 1);
    canOverlap = common::canOverlap(common::attributesOf(kKernels<float, Layout::Aligned>[0]));
    CUDA_CHECK(cudaMemset(nextItem.data(), 0, nextItem.bytes()));
    warps =
        std::min({warpsOfBlock<float, Layout::Aligned>(), warpsOfBlock<float, Layout::Anywhere>(),
                  warpsOfBlock<float, Layout::Narrow>(), warpsOfBlock<Level, Layout::Aligned>(),
                  warpsOfBlock<Level, Layout::Anywhere>(), warpsOfBlock<Level, Layout::Narrow>()});
    // Before launches in streams that do not wait for the default one.
    CUDA_CHECK(cudaStreamSynchronize(nullptr));
}

template <typename Cell, Layout kLayout>
void Gpu::launchKernel(const Area &area, const Cell *sample, float *result,
                       std::int64_t resultStride, int levels, cudaStream_t stream,
                       unsigned *counter, bool overlaps)
{
    const int lanes = kLayout == Layout::Narrow ? lanesFor(area) : 0;
    Plan plan = makePlan(area, kStripColumns, std::int64_t(multiprocessors) * warps, lanes);
    plan.resultStride = resultStride;
    plan.levels = levels;
    common::launchKernel(overlaps, kKernels<Cell, kLayout>[plan.fromTop],
                         std::min(plan.items, static_cast<unsigned>(multiprocessors)),
                         warps * kWarp, bytesOf<Cell, kLayout>(warps), stream, sample, result,
                         tables.data(), counter, badCells.data(), plan);
}

template <typename Cell>
void Gpu::launchFittest(const Area &area, const Cell *sample, float *result,
                        std::int64_t resultStride, int levels, cudaStream_t stream,
                        unsigned *counter, bool overlaps)
{
    const float *const first = result + area.begin * resultStride + area.left;
    const bool inFours = area.left == 0 && area.width == area.right && area.width % kColumns == 0 &&
                         area.stride % kColumns == 0 && resultStride % kColumns == 0 &&
                         isAligned(first) && isAligned(sample, kColumns * sizeof(Cell));
    // Within an item of a narrow array, results are found by 32 bits.
    const std::int64_t allWarps = std::int64_t(multiprocessors) * warps;
    const bool isNear =
        ((area.end - area.begin) / allWarps + kStripColumns * kBatch) * resultStride < 1ll << 31;
    if (lanesFor(area) && isNear)
        launchKernel<Cell, Layout::Narrow>(area, sample, result, resultStride, levels, stream,
                                           counter, overlaps);
    else if (inFours)
        launchKernel<Cell, Layout::Aligned>(area, sample, result, resultStride, levels, stream,
                                            counter, overlaps);
    else
        launchKernel<Cell, Layout::Anywhere>(area, sample, result, resultStride, levels, stream,
                                             counter, overlaps);
}

static void checkArea(const Area &area, std::int64_t resultStride)
{
    if (area.width < 1 || area.stride < area.width || area.stride > kMostStride ||
        area.height < 1 || area.begin < 0 || area.begin > area.end || area.end > area.height ||
        area.left < 0 || area.left >= area.right || area.right > area.width ||
        resultStride > kMostStride)
        throw common::Error("Gpu::launch: rows " + std::to_string(area.begin) + " to " +
                            std::to_string(area.end) + " of an array of " +
                            std::to_string(area.width) + " x " + std::to_string(area.height));
}

static Area wholeRows(std::int64_t width, std::int64_t height, std::int64_t begin, std::int64_t end)
{
    return {width, height, width, 0, width, begin, end};
}

void Gpu::launch(std::int64_t width, std::int64_t height, const float *sample, float *result,
                 std::int64_t begin, std::int64_t end, cudaStream_t stream, int counter)
{
    const Area area = wholeRows(width, height, begin, end);
    checkArea(area, width);
    if (begin == end) return;
    launchFittest(area, sample, result, width, kLevels, stream, nextItem.data() + counter,
                  canOverlap);
}

void Gpu::launch(const Area &area, int levels, const Level *sample, float *result,
                 std::int64_t resultStride, cudaStream_t stream, int counter)
{
    checkArea(area, resultStride);
    if (area.begin == area.end) return;
    launchFittest(area, sample, result - (area.begin * resultStride + area.left), resultStride,
                  levels, stream, nextItem.data() + counter, canOverlap);
}

void Gpu::launch(const Area &area, const float *sample, float *result, std::int64_t resultStride,
                 unsigned *counter, cudaStream_t stream)
{
    checkArea(area, resultStride);
    if (area.stride != resultStride)
        throw common::Error("Gpu::launch: floats and results with different strides");
    if (area.begin == area.end) return;
    CUDA_CHECK(cudaMemsetAsync(counter, 0, sizeof *counter, stream));
    launchFittest(area, sample, result - (area.begin * resultStride + area.left), resultStride,
                  kLevels, stream, counter, false);
}

void Gpu::launch(const Area &area, int levels, const Level *sample, float *result,
                 std::int64_t resultStride, unsigned *counter, cudaStream_t stream)
{
    checkArea(area, resultStride);
    if (area.begin == area.end) return;
    CUDA_CHECK(cudaMemsetAsync(counter, 0, sizeof *counter, stream));
    launchFittest(area, sample, result - (area.begin * resultStride + area.left), resultStride,
                  levels, stream, counter, false);
}

} // namespace local_entropy::words
