// The matrix transpose: versions t0 to t10, each in a namespace of its own with its own
// matrixTranspose (contract: core.h). From top to bottom: what the versions share; t0 and t1 (CPU);
// t2 to t7 (CUDA, one factor at a time); t8 (as fast as a copy); t9 (the vendor's library); t10
// (whatever the sides); the table of versions; the switch. To compare two versions, diff two
// namespaces. A verdict in a lead comment is on the kernel alone and a large matrix.
//
// A transpose computes nothing. It reads and writes every cell once, 8 bytes in all, so the most it
// can reach is the speed of a copy. What costs is order: memory moves in sectors of 32 bytes, eight
// floats side by side, and either the reads or the writes want to run down a column.

#include "transpose/core.h"

#include "common/devices.h"
#include "common/error.h"
#include "common/threads.h"

#include <algorithm>
#include <climits>
#include <cstdint>

#ifdef __CUDACC__
#include "common/device_array.h"
#include "common/grid.h"
#include "common/launch.h"
#endif

// The Makefile says whether there is a cuBLAS to link with, the compiler whether it can include it.
#if defined(__CUDACC__) && defined(HAVE_CUBLAS) && __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#endif

// ---- t0 and t1: CPU ----------------------------------------------------------------------------

// Baseline: two loops on one core. The reads run along rows, each write lands in another row.
namespace transpose::t0
{

void matrixTranspose(int rows, int columns, const float *input, float *output, int)
{
    for (std::int64_t y = 0; y < rows; ++y)
        for (std::int64_t x = 0; x < columns; ++x) output[x * rows + y] = input[y * columns + x];
}

} // namespace transpose::t0

// From t0: tile by tile, on all threads, through a buffer that stays in the first-level cache, so
// that reads and writes of the matrices both run along rows; t5 and t6 do so in shared memory. And
// the padding serves here too: rows a power of two apart compete for the same few cache lines.
namespace transpose::t1
{

constexpr int kSide = 32;

void matrixTranspose(int rows, int columns, const float *input, float *output, int)
{
#pragma omp parallel for collapse(2) num_threads(common::threadsFor(1LL * rows * columns, 1 << 14))
    for (std::int64_t top = 0; top < rows; top += kSide)
        for (std::int64_t left = 0; left < columns; left += kSide) {
            float tile[kSide][kSide + 1];
            const int down = static_cast<int>(std::min<std::int64_t>(kSide, rows - top));
            const int across = static_cast<int>(std::min<std::int64_t>(kSide, columns - left));
            for (int y = 0; y < down; ++y)
                std::copy_n(&input[(top + y) * columns + left], across, tile[y]);
            for (int x = 0; x < across; ++x)
                for (int y = 0; y < down; ++y) output[(left + x) * rows + top + y] = tile[y][x];
        }
}

} // namespace transpose::t1

// ---- t2 to t7: CUDA, one factor at a time ------------------------------------------------------

#ifdef __CUDACC__

namespace transpose
{

using common::ceilDiv;
using common::gridOf;
using common::launch;

/// Offset of column x in row y: 64 bits, since a matrix may hold more than 2^31 cells.
__device__ inline std::size_t at(int x, int y, int columns)
{
    return static_cast<std::size_t>(y) * columns + x;
}

/// Calls `work` with the block's side as a compile-time constant, which shared arrays need.
template <typename Work>
static void withBlock(int block, Work work)
{
    checkBlock(block);
    if (block == 8) work(std::integral_constant<int, 8>());
    if (block == 16) work(std::integral_constant<int, 16>());
    if (block == 32) work(std::integral_constant<int, 32>());
}

} // namespace transpose

// Global memory only, rows first: a warp reads along a row, whole sectors at once, and writes down
// a column, where each 4-byte store touches a sector of its own.
namespace transpose::t2
{

__global__ void matrixTransposeKernel(int rows, int columns, const float *input, float *output)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) output[at(y, x, rows)] = input[at(x, y, columns)];
}

void matrixTranspose(int rows, int columns, const float *input, float *output, int block)
{
    checkBlock(block);
    launch(matrixTransposeKernel, gridOf(columns, rows, block, block), dim3(block, block), rows,
           columns, input, output);
}

} // namespace transpose::t2

// From t2: columns first. A warp reads down a column and writes along a row: the same bytes asked
// for the other way round. A sector read in part may still be in the cache for the next warp: in
// blocks of 16x16 and 32x32 a clear win.
namespace transpose::t3
{

__global__ void matrixTransposeKernel(int rows, int columns, const float *input, float *output)
{
    const int y = blockIdx.x * blockDim.x + threadIdx.x; // neighbouring threads, neighbouring rows
    const int x = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) output[at(y, x, rows)] = input[at(x, y, columns)];
}

void matrixTranspose(int rows, int columns, const float *input, float *output, int block)
{
    checkBlock(block);
    launch(matrixTransposeKernel, gridOf(rows, columns, block, block), dim3(block, block), rows,
           columns, input, output);
}

} // namespace transpose::t3

// From t2: through a tile in shared memory, direct mapping: every thread writes the cell that it
// has read. The writes still run down columns. In blocks of 32x32 no better than t2, in blocks of
// 16x16 a clear win.
namespace transpose::t4
{

template <int kBlock>
__global__ void __launch_bounds__(kBlock *kBlock)
    matrixTransposeKernel(int rows, int columns, const float *input, float *output)
{
    __shared__ float tile[kBlock][kBlock];
    const int x = blockIdx.x * kBlock + threadIdx.x;
    const int y = blockIdx.y * kBlock + threadIdx.y;
    if (x < columns && y < rows) tile[threadIdx.y][threadIdx.x] = input[at(x, y, columns)];
    __syncthreads();

    if (x < columns && y < rows) output[at(y, x, rows)] = tile[threadIdx.y][threadIdx.x];
}

void matrixTranspose(int rows, int columns, const float *input, float *output, int block)
{
    withBlock(block, [&](auto side) {
        launch(matrixTransposeKernel<side()>, gridOf(columns, rows, side(), side()),
               dim3(side(), side()), rows, columns, input, output);
    });
}

} // namespace transpose::t4

// From t4: block-transposed mapping. The tile's place is transposed, and a warp writes along a row
// of the output what it takes from a column of the tile: both sides of global memory run along
// rows. The price: of the 32 banks of shared memory a column of a tile 32 wide meets only one, and
// a warp that reads it takes 32 turns; 8 turns at a width of 16, 2 at 8. In blocks of 32x32 it is
// behind t3, which has no tile; in blocks of 16x16 just ahead of it.
namespace transpose::t5
{

template <int kBlock>
__global__ void __launch_bounds__(kBlock *kBlock)
    matrixTransposeKernel(int rows, int columns, const float *input, float *output)
{
    __shared__ float tile[kBlock][kBlock];
    const int x = blockIdx.x * kBlock + threadIdx.x;
    const int y = blockIdx.y * kBlock + threadIdx.y;
    if (x < columns && y < rows) tile[threadIdx.y][threadIdx.x] = input[at(x, y, columns)];
    __syncthreads();

    const int outputX = blockIdx.y * kBlock + threadIdx.x; // a row of the input
    const int outputY = blockIdx.x * kBlock + threadIdx.y; // a column of the input
    if (outputX < rows && outputY < columns)
        output[at(outputX, outputY, rows)] = tile[threadIdx.x][threadIdx.y];
}

void matrixTranspose(int rows, int columns, const float *input, float *output, int block)
{
    withBlock(block, [&](auto side) {
        launch(matrixTransposeKernel<side()>, gridOf(columns, rows, side(), side()),
               dim3(side(), side()), rows, columns, input, output);
    });
}

} // namespace transpose::t5

// From t5: the tile padded by one column that nobody uses. Each row now starts one bank further, so
// the cells of a column lie in different banks and a warp reads them in one turn (32 wide; at 16
// and 8 it reads from several columns, and a few cells still meet: two turns). The best of t2 to
// t7, and fastest in blocks of 16x16; nothing is gained in blocks of 8x8, where these are all
// alike.
namespace transpose::t6
{

template <int kBlock>
__global__ void __launch_bounds__(kBlock *kBlock)
    matrixTransposeKernel(int rows, int columns, const float *input, float *output)
{
    __shared__ float tile[kBlock][kBlock + 1];
    const int x = blockIdx.x * kBlock + threadIdx.x;
    const int y = blockIdx.y * kBlock + threadIdx.y;
    if (x < columns && y < rows) tile[threadIdx.y][threadIdx.x] = input[at(x, y, columns)];
    __syncthreads();

    const int outputX = blockIdx.y * kBlock + threadIdx.x;
    const int outputY = blockIdx.x * kBlock + threadIdx.y;
    if (outputX < rows && outputY < columns)
        output[at(outputX, outputY, rows)] = tile[threadIdx.x][threadIdx.y];
}

void matrixTranspose(int rows, int columns, const float *input, float *output, int block)
{
    withBlock(block, [&](auto side) {
        launch(matrixTransposeKernel<side()>, gridOf(columns, rows, side(), side()),
               dim3(side(), side()), rows, columns, input, output);
    });
}

} // namespace transpose::t6

// From t6: the access order turned, everything else kept. Neighbouring threads take neighbouring
// rows, so a warp runs down columns of both matrices, and the tile cannot help. In blocks
// of 32x32 the slowest.
namespace transpose::t7
{

template <int kBlock>
__global__ void __launch_bounds__(kBlock *kBlock)
    matrixTransposeKernel(int rows, int columns, const float *input, float *output)
{
    __shared__ float tile[kBlock][kBlock + 1];
    const int y = blockIdx.x * kBlock + threadIdx.x;
    const int x = blockIdx.y * kBlock + threadIdx.y;
    if (x < columns && y < rows) tile[threadIdx.x][threadIdx.y] = input[at(x, y, columns)];
    __syncthreads();

    const int outputX = blockIdx.x * kBlock + threadIdx.y;
    const int outputY = blockIdx.y * kBlock + threadIdx.x;
    if (outputX < rows && outputY < columns)
        output[at(outputX, outputY, rows)] = tile[threadIdx.y][threadIdx.x];
}

void matrixTranspose(int rows, int columns, const float *input, float *output, int block)
{
    withBlock(block, [&](auto side) {
        launch(matrixTransposeKernel<side()>, gridOf(rows, columns, side(), side()),
               dim3(side(), side()), rows, columns, input, output);
    });
}

} // namespace transpose::t7

// ---- t8: as fast as a copy ---------------------------------------------------------------------

// From t6: 16 bytes an access, 16 cells a thread, larger tiles in an order that suits the memory.
// Where rows or columns are no multiple of 4, or an array is not aligned to 16 bytes, it falls back
// to 4 bytes an access. Nearly as fast as a copy.
//
// A thread owns a patch of 4 x 4 cells: four loads of 16 bytes, all under way before the first is
// used. It transposes the patch in its registers, where that is only a matter of names, and stores
// the four rows of the result in the tile, which shared memory holds already transposed, in quads
// of 4 floats. Then the block writes the tile out along rows, four quads a thread.
//
// Banks: 16-byte accesses to shared memory go eight threads at a time, and eight quads fill the 32
// banks once. Reading, the eight are side by side. Writing, they go down a column of the tile, all
// in the same banks, so row r keeps its quad q in place q ^ (r / 4 % 8): the eight writers, whose
// rows are 4 apart, then have eight different places, and readers still have all eight of theirs.
//
// Ahead of cuBLAS geam at every size that was measured. What was tried and lost on large matrices:
// blocks in groups of 8 to 32 tiles; registers saved until 2048 threads fit on a multiprocessor;
// tiles of 32 x 32; patches written straight from registers. Streaming hints help a little on small
// matrices, and neither help nor harm on large ones.
namespace transpose::t8
{

constexpr int kSide = 64, kThreads = 256; // a tile's side, and the threads that move it
constexpr int kQuad = 4;                  // floats in the 16 bytes that a thread moves at once
constexpr int kQuads = kSide / kQuad;     // along a tile's side
static_assert(kQuads * kQuads == kThreads, "a patch a thread");
static_assert(kQuads % 8 == 0, "eight quads fill the banks");

/// A tile's place in the input, counted in tiles.
struct Place
{
    int down, across;
};

// Blocks start in the order of their numbers, which run down one column of tiles, then down the
// next. So the writes of consecutive blocks fall into neighbouring pieces of the same 64 rows of
// the output; the reads are what is scattered, a piece of each of many rows.
__device__ inline Place placeOf(unsigned block, int rows)
{
    const unsigned tilesDown = (rows - 1) / kSide + 1;
    return {static_cast<int>(block % tilesDown), static_cast<int>(block / tilesDown)};
}

// For rows and columns that are multiples of 4 and arrays aligned to 16 bytes. All in quads: the
// input's rows have columns / 4 of them, the output's rows / 4. Every access is marked as streaming
// (__ldcs, __stcs): it is the only one, so the cache may give up its line first.
__global__ void __launch_bounds__(kThreads)
    quadKernel(int rows, int columns, const float4 *input, float4 *output)
{
    __shared__ float4 tile[kSide][kQuads];
    const Place place = placeOf(blockIdx.x, rows);
    const int inputQuads = columns / kQuad, outputQuads = rows / kQuad;
    const int thread = threadIdx.x, i = thread / kQuads, j = thread % kQuads;

    // Beyond the edge the last patch is read once more: no branch keeps the loads apart.
    const int patchX = min(place.across * kQuads + j, inputQuads - 1);
    const int patchY = min(place.down * kQuads + i, outputQuads - 1);
    const float4 *from = &input[at(patchX, patchY * kQuad, inputQuads)];
    float4 patch[kQuad];
#pragma unroll
    for (int k = 0; k < kQuad; ++k) patch[k] = __ldcs(from + k * inputQuads);

    float4(*column)[kQuads] = &tile[j * kQuad];
    const int swizzled = i ^ (j % 8);
    column[0][swizzled] = make_float4(patch[0].x, patch[1].x, patch[2].x, patch[3].x);
    column[1][swizzled] = make_float4(patch[0].y, patch[1].y, patch[2].y, patch[3].y);
    column[2][swizzled] = make_float4(patch[0].z, patch[1].z, patch[2].z, patch[3].z);
    column[3][swizzled] = make_float4(patch[0].w, patch[1].w, patch[2].w, patch[3].w);
    __syncthreads();

    const int outputX = place.down * kQuads + j, outputY = place.across * kSide + i;
    if (outputX >= outputQuads) return;
    float4 *to = &output[at(outputX, outputY, outputQuads)];
#pragma unroll
    for (int row = 0; row < kSide; row += kQuads, to += at(0, kQuads, outputQuads))
        if (outputY + row < columns) __stcs(to, tile[i + row][j ^ ((i + row) / kQuad % 8)]);
}

// For any other matrix: t6 with 16 cells a thread, all loads under way before the first is used.
// They are 16 of 4 bytes, not 4 of 16, and so are the stores: rows of an odd number of floats start
// at any alignment. Such rows share sectors with their neighbours; a tile 64 wide shares fewer. The
// benchmark shows what this costs: 8191 beside 8192.
__global__ void __launch_bounds__(kThreads)
    cellKernel(int rows, int columns, const float *input, float *output)
{
    constexpr int kStep = kThreads / kSide, kCells = kSide / kStep;
    __shared__ float tile[kSide][kSide + 1];
    const Place place = placeOf(blockIdx.x, rows);
    const int thread = threadIdx.x, i = thread / kSide, j = thread % kSide;

    float cell[kCells];
#pragma unroll
    for (int k = 0; k < kCells; ++k) {
        const int y = min(place.down * kSide + i + k * kStep, rows - 1);
        const int x = min(place.across * kSide + j, columns - 1);
        cell[k] = input[at(x, y, columns)];
    }
#pragma unroll
    for (int k = 0; k < kCells; ++k) tile[i + k * kStep][j] = cell[k];
    __syncthreads();

#pragma unroll
    for (int k = 0; k < kCells; ++k) {
        const int y = place.across * kSide + i + k * kStep;
        const int x = place.down * kSide + j;
        if (y < columns && x < rows) output[at(x, y, rows)] = tile[j][i + k * kStep];
    }
}

static bool inQuads(int rows, int columns, const float *input, const float *output)
{
    const auto aligned = [](const float *array) {
        return reinterpret_cast<std::uintptr_t>(array) % sizeof(float4) == 0;
    };
    return rows % kQuad == 0 && columns % kQuad == 0 && aligned(input) && aligned(output);
}

/// A block for each tile, in a grid of one dimension: any matrix fits.
static unsigned tiles(int rows, int columns)
{
    const std::int64_t count = std::int64_t(ceilDiv(rows, kSide)) * ceilDiv(columns, kSide);
    if (count > INT_MAX)
        throw common::Unavailable(std::to_string(count) + " tiles, a grid holds " +
                                  std::to_string(INT_MAX));
    return static_cast<unsigned>(count);
}

void matrixTranspose(int rows, int columns, const float *input, float *output, int)
{
    if (rows == 1 || columns == 1) // the same floats in the same order
        common::runOnDevice([&] {
            CUDA_CHECK(cudaMemcpyAsync(output, input, sizeof(float) * rows * columns,
                                       cudaMemcpyDeviceToDevice));
        });
    else if (inQuads(rows, columns, input, output))
        launch(quadKernel, tiles(rows, columns), kThreads, rows, columns,
               reinterpret_cast<const float4 *>(input), reinterpret_cast<float4 *>(output));
    else
        launch(cellKernel, tiles(rows, columns), kThreads, rows, columns, input, output);
}

} // namespace transpose::t8

// ---- t9: the vendor's library ------------------------------------------------------------------

#ifdef CUBLAS_VERSION

// The peer: cuBLAS geam, output = 1 * transpose(input) + 0 * output. It counts columns first, so
// what we call rows x columns is columns x rows there.
namespace transpose::t9
{

static void check(cublasStatus_t status, const char *call)
{
    if (status == CUBLAS_STATUS_SUCCESS) return;
    const std::string sentence = std::string(call) + " failed: " + cublasGetStatusString(status);
    if (status == CUBLAS_STATUS_NOT_INITIALIZED || status == CUBLAS_STATUS_ALLOC_FAILED ||
        status == CUBLAS_STATUS_ARCH_MISMATCH)
        throw common::Unavailable(sentence);
    throw common::Error(sentence);
}

/// A cuBLAS context on the current device. Making one is part of the time end to end.
class Handle
{
public:
    Handle() { check(cublasCreate(&handle), "cublasCreate"); }
    ~Handle() { cublasDestroy(handle); }
    Handle(const Handle &) = delete;
    Handle &operator=(const Handle &) = delete;
    cublasHandle_t get() const { return handle; }

private:
    cublasHandle_t handle{};
};

void matrixTranspose(int rows, int columns, const float *input, float *output, int)
{
    const Handle handle;
    const float one = 1, zero = 0; // with a factor of 0 the library does not read that matrix
    common::runOnDevice([&] {
        check(cublasSgeam(handle.get(), CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, &one, input,
                          columns, &zero, output, rows, output, rows),
              "cublasSgeam");
    });
}

} // namespace transpose::t9

#endif

// ---- t10: as fast as a copy, whatever the sides ------------------------------------------------

// From t8: any sides. Rows of an odd number of floats begin anywhere in a sector, so a tile that is
// a rectangle cuts the sectors at both ends of each of its rows, and t8 moves it 4 bytes at a time.
// Here a tile's edge follows the sectors of the output: each row of the output is written from a
// sector's beginning to a sector's beginning, 16 bytes at a time, and no sector by two blocks.
// Where all rows begin with a sector, and for matrices that are small or thin, it is t8. Ahead of
// cuBLAS geam at every size that was measured; nearly as fast as a copy, but for matrices of few
// columns.
//
// A block reads a window of the input, wide and high enough for every tile that may begin in it: 72
// rows of 16 quads, each row from the last 16-byte boundary before the tile. What is read beyond
// the tile, its neighbours read too, at about the same time: the second-level cache has it then, as
// long as nobody tells it to give up such lines first, so there are no streaming hints. The window
// lies in shared memory as it was read; a row's offset is added when a cell is taken out.
//
// Banks: a warp reads and writes 4 rows of 8 quads, one cell of each quad at a time. Rows of the
// window are an odd number of cells apart, so the 4 x 8 cells that go in have 32 different banks.
// So have those that come out, though offsets are added, unless only the number of rows is odd
// (see pitchFor).
//
// And what decides is the first-level cache: a load needs room there until it is done. With as much
// shared memory as blocks can use, little cache is left, and all of this is no faster than t8. What
// was tried besides, and lost: cp.async past that cache, places in the window exchanged instead of
// padded; tiles that follow lines of 128 bytes, or only quads. Windows twice as wide are as good,
// and higher or lower ones are not.
namespace transpose::t10
{

constexpr int kQuad = 4, kSector = 8;                    // in floats
constexpr int kQuads = 16, kHeight = 72;                 // a window, in quads and rows
constexpr int kAcross = 60, kDown = 64;                  // a tile, in columns and rows of the input
constexpr int kThreads = 192, kStep = kThreads / kQuads; // a quad a thread, kStep rows at a time
constexpr int kPitch = kQuads * kQuad + 1, kOtherPitch = kPitch + 2;
static_assert(kAcross + kQuad - 1 <= kQuads * kQuad && kDown + kSector - 1 <= kHeight);
static_assert(kHeight % kStep == 0 && kAcross % kStep == 0 && kDown == kQuads * kQuad);

/// How many floats an address lies behind the last boundary of so many floats.
__host__ __device__ inline unsigned pastBoundary(const float *address, int floats)
{
    return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(address) / sizeof(float)) %
           floats;
}

/// The quads of the input, from the boundary at or before its first cell on.
struct Quads
{
    const float *input;
    int columns, left; ///< of the input, of the tile
    std::int64_t cells;
    unsigned skipped = pastBoundary(input, kQuad); ///< what the first quad holds before the input

    /// The one that holds the tile's first cell of row y.
    __device__ std::int64_t firstOf(int y) const
    {
        return (skipped + std::int64_t(y) * columns + left) / kQuad;
    }

    /// Whether all that a window needs of these rows belongs to the input.
    __device__ bool areInside(int top, int bottom) const
    {
        return firstOf(top) * kQuad >= skipped &&
               (firstOf(bottom) + kQuads) * kQuad <= skipped + cells;
    }

    __device__ float4 at(std::int64_t quad) const
    {
        return __ldg(reinterpret_cast<const float4 *>(input - skipped) + quad);
    }

    /// The same, of which some may not belong to the input.
    __device__ float4 atEdge(std::int64_t quad) const
    {
        float cell[kQuad] = {};
        for (int k = 0; k < kQuad; ++k) {
            const std::int64_t place = quad * kQuad + k - skipped;
            if (place >= 0 && place < cells) cell[k] = input[place];
        }
        return make_float4(cell[0], cell[1], cell[2], cell[3]);
    }
};

/// Four cells of a row of `length`, of which `place` is the first, to an address aligned to 16
/// bytes; those outside are left out.
__device__ inline void storeQuad(float *to, int place, int length, const float (&cell)[kQuad])
{
    if (place >= 0 && place + kQuad <= length) {
        *reinterpret_cast<float4 *>(to) = make_float4(cell[0], cell[1], cell[2], cell[3]);
        return;
    }
#pragma unroll
    for (int k = 0; k < kQuad; ++k)
        if (place + k >= 0 && place + k < length) to[k] = cell[k];
}

/// The first tile of each row of the output may begin up to a sector early.
__host__ __device__ inline unsigned tilesDown(int rows)
{
    return (static_cast<unsigned>(rows) + kSector - 2) / kDown + 1;
}

__host__ __device__ inline unsigned tilesAcross(int columns)
{
    return (static_cast<unsigned>(columns) - 1) / kAcross + 1;
}

/// A tile's place in the input, counted in tiles.
struct Place
{
    int down, across;
};

/// As in t8, numbers run down one column of tiles, then down the next; but in bands of so many
/// tiles, one below the other.
__device__ inline Place placeOf(unsigned block, unsigned down, unsigned across, unsigned band)
{
    const unsigned top = block / (band * across) * band, inBand = block % (band * across);
    const unsigned high = min(band, down - top);
    return {static_cast<int>(top + inBand % high), static_cast<int>(inBand / high)};
}

__global__ void __launch_bounds__(kThreads)
    windowKernel(int rows, int columns, const float *input, float *output, int pitch, unsigned band)
{
    __shared__ float window[kHeight * kOtherPitch];
    const Place place = placeOf(blockIdx.x, tilesDown(rows), tilesAcross(columns), band);
    const int left = place.across * kAcross, top = place.down * kDown - kSector;
    // A warp has 8 quads of 4 rows.
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int i = warp / 2 * 4 + lane / 8, j = warp % 2 * 8 + lane % 8;

    const Quads quads = {input, columns, left, std::int64_t(rows) * columns};
    // Beyond the edges the last row, and the last quad that a row needs, are read once more.
    const auto rowOf = [&](int row) { return min(max(top + row, 0), rows - 1); };
    const int needed = min(j, (columns - left + kQuad - 2) / kQuad);
    float4 quad[kHeight / kStep];
    if (quads.areInside(rowOf(0), rowOf(kHeight - 1))) {
#pragma unroll
        for (int n = 0; n < kHeight / kStep; ++n)
            quad[n] = quads.at(quads.firstOf(rowOf(i + n * kStep)) + needed);
    } else {
#pragma unroll
        for (int n = 0; n < kHeight / kStep; ++n)
            quad[n] = quads.atEdge(quads.firstOf(rowOf(i + n * kStep)) + needed);
    }
#pragma unroll
    for (int n = 0; n < kHeight / kStep; ++n) {
        float *to = &window[(i + n * kStep) * pitch + j * kQuad];
        to[0] = quad[n].x, to[1] = quad[n].y, to[2] = quad[n].z, to[3] = quad[n].w;
    }
    __syncthreads();

    const unsigned outputSkipped = pastBoundary(output, kSector);
#pragma unroll
    for (int n = 0; n < kAcross / kStep; ++n) {
        const int column = i + n * kStep, x = left + column;
        if (x >= columns) return;
        // Row x of the output begins so far behind a sector's beginning.
        const int past = (outputSkipped + unsigned(x) * unsigned(rows)) % kSector;
        const int row = kSector - past + j * kQuad, y = top + row;
        // Only the last bits count: what wraps around, below 0 or above 2^32, keeps them.
        const unsigned first = quads.skipped + unsigned(y) * unsigned(columns) + unsigned(left);
        float cell[kQuad];
#pragma unroll
        for (int k = 0; k < kQuad; ++k)
            cell[k] = window[(row + k) * pitch + column + (first + k * unsigned(columns)) % kQuad];
        storeQuad(output + (std::int64_t(x) * rows + y), y, rows, cell);
    }
}

/// How many floats rows of the window are apart.
///
/// Taking out, a warp wants one cell each of 8 quads of 4 rows of the output. Along such a row the
/// cells are 4 rows of the window apart, in banks that differ by a multiple of 4: 8 of them. Rows
/// of the output next to each other differ by 1 - rows * (pitch + columns) banks, modulo 4: by 1
/// for the next column, and for what `past` and `first` become there. If that is odd, no two cells
/// meet. If rows is odd and columns even, it cannot be; one of two pitches makes it 2, and two
/// meet.
static int pitchFor(int rows, int columns)
{
    const unsigned product = unsigned(rows) * (unsigned(kPitch) + unsigned(columns));
    return product % 4 == 1 ? kOtherPitch : kPitch;
}

/// Whether the rows of both matrices begin with a sector.
static bool inSectors(int rows, int columns, const float *input, const float *output)
{
    return rows % kSector == 0 && columns % kSector == 0 && pastBoundary(input, kSector) == 0 &&
           pastBoundary(output, kSector) == 0;
}

/// A block for each tile, in a grid of one dimension.
static std::int64_t tiles(int rows, int columns)
{
    return std::int64_t(tilesDown(rows)) * tilesAcross(columns);
}

/// How many tiles high the bands are: one band, unless rows of the input are so short that blocks
/// which run at the same time had better read whole ones.
static unsigned bandFor(int rows, int columns)
{
    constexpr unsigned kFew = 16, kBand = 32;
    return tilesAcross(columns) <= kFew ? kBand : tilesDown(rows);
}

/// Whether there are windows for all multiprocessors, some to read while others write, and they are
/// not nearly empty.
static bool areWindowsWorthIt(int rows, int columns)
{
    constexpr int kEach = 3;
    int device = 0, multiprocessors = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    return rows >= kDown && columns >= kSector && tiles(rows, columns) >= kEach * multiprocessors;
}

/// For any matrix. Tests call it, too: they are about small ones.
void transposeByWindows(int rows, int columns, const float *input, float *output)
{
    if (tiles(rows, columns) > INT_MAX)
        throw common::Unavailable(std::to_string(tiles(rows, columns)) + " tiles, a grid holds " +
                                  std::to_string(INT_MAX));
    constexpr int kShared = 40; // percent of what shared memory and first-level cache have together
    CUDA_CHECK(cudaFuncSetAttribute(windowKernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                    kShared));
    launch(windowKernel, static_cast<unsigned>(tiles(rows, columns)), kThreads, rows, columns,
           input, output, pitchFor(rows, columns), bandFor(rows, columns));
}

void matrixTranspose(int rows, int columns, const float *input, float *output, int block)
{
    if (inSectors(rows, columns, input, output) || !areWindowsWorthIt(rows, columns))
        t8::matrixTranspose(rows, columns, input, output, block);
    else
        transposeByWindows(rows, columns, input, output);
}

} // namespace transpose::t10

#else // without nvcc: the CUDA versions stay in the table, and say why they cannot run

// clang-format off
namespace transpose
{
[[noreturn]] static void cannotRun() { throw common::Unavailable(common::whyNoDevice()); }
namespace t2 { void matrixTranspose(int, int, const float *, float *, int) { cannotRun(); } }
namespace t3 { void matrixTranspose(int, int, const float *, float *, int) { cannotRun(); } }
namespace t4 { void matrixTranspose(int, int, const float *, float *, int) { cannotRun(); } }
namespace t5 { void matrixTranspose(int, int, const float *, float *, int) { cannotRun(); } }
namespace t6 { void matrixTranspose(int, int, const float *, float *, int) { cannotRun(); } }
namespace t7 { void matrixTranspose(int, int, const float *, float *, int) { cannotRun(); } }
namespace t8 { void matrixTranspose(int, int, const float *, float *, int) { cannotRun(); } }
namespace t10 { void matrixTranspose(int, int, const float *, float *, int) { cannotRun(); } }
} // namespace transpose
// clang-format on

#endif

#ifndef CUBLAS_VERSION
namespace transpose::t9
{
void matrixTranspose(int, int, const float *, float *, int)
{
    throw common::Unavailable("needs cuBLAS: this program was built without it");
}
} // namespace transpose::t9
#endif

// ---- the table of versions ---------------------------------------------------------------------

const std::vector<transpose::Version> &transpose::versions()
{
    static const std::string none, noGpu = common::whyNoDevice();
#if defined(__CUDACC__) && !defined(CUBLAS_VERSION)
    static const std::string noGeam = "needs cuBLAS: this program was built without it";
#else
    static const std::string noGeam = noGpu;
#endif
    constexpr Platform cpu = Platform::Cpu, openMp = Platform::OpenMp, cuda = Platform::Cuda;
    static const std::vector<Version> table = {
        {"t0", cpu, "baseline: two loops on one core", t0::matrixTranspose, none},
        {"t1", openMp, "t0 + tiles, all threads", t1::matrixTranspose, none},
        {"t2", cuda, "global memory: reads rows, writes columns", t2::matrixTranspose, noGpu, true},
        {"t3", cuda, "t2 turned: reads columns, writes rows", t3::matrixTranspose, noGpu, true},
        {"t4", cuda, "t2 + shared tile, direct mapping", t4::matrixTranspose, noGpu, true},
        {"t5", cuda, "t4 + block-transposed mapping", t5::matrixTranspose, noGpu, true},
        {"t6", cuda, "t5 + padded tile", t6::matrixTranspose, noGpu, true},
        {"t7", cuda, "t6 turned: reads and writes columns", t7::matrixTranspose, noGpu, true},
        {"t8", cuda, "16-byte accesses, 4 x 4 patches", t8::matrixTranspose, noGpu},
        {"t9", cuda, "cuBLAS geam", t9::matrixTranspose, noGeam, false, false},
        {"t10", cuda, "t8 + whole sectors at any sides", t10::matrixTranspose, noGpu},
    };
    return table;
}

void transpose::checkBlock(int block)
{
    if (std::find(kBlocks.begin(), kBlocks.end(), block) != kBlocks.end()) return;
    constexpr int kMostThreads = 1024; // in a block, on every device so far
    const std::string side = std::to_string(block);
    const std::int64_t threads = static_cast<std::int64_t>(block) * block;
    throw common::Error((block > 0 && threads > kMostThreads
                             ? "a block of " + side + " x " + side + " has " +
                                   std::to_string(threads) + " threads, a GPU runs at most " +
                                   std::to_string(kMostThreads) + " in one"
                             : "there is no block of " + side + " x " + side) +
                        ": expected 8, 16 or 32");
}

void transpose::run(const Version &version, int rows, int columns, const float *input,
                    float *output, int block)
{
    const common::ErrorScope scope(version.name);
    if (rows < 1 || columns < 1 || rows > kLongestSide || columns > kLongestSide)
        throw common::Error("the matrix is " + std::to_string(rows) + " x " +
                            std::to_string(columns) + ", expected sides of 1.." +
                            std::to_string(kLongestSide));
    if (!input) throw common::Error("input is null");
    if (!output) throw common::Error("output is null");
    if (version.blocks) checkBlock(block);
    if (!version.unavailable.empty()) throw common::Unavailable(version.unavailable);
    if (version.platform != Platform::Cuda)
        return version.callback(rows, columns, input, output, block);
#ifdef __CUDACC__
    const common::DeviceScope device(0);
    const std::size_t cells = static_cast<std::size_t>(rows) * columns;
    const common::DeviceArray<float> deviceInput = common::upload(input, cells);
    common::DeviceArray<float> deviceOutput = common::poisoned<float>(cells);
    version.callback(rows, columns, deviceInput.data(), deviceOutput.data(), block);
    common::download(deviceOutput, output);
#endif
}

// ---- the switch --------------------------------------------------------------------------------

#ifndef VERSION
#define VERSION t10 // the active version: edit this line, or build with `make VERSION=t5`
#endif

void transpose::matrixTranspose(int rows, int columns, const float *input, float *output, int block)
{
    run(activeVersion(), rows, columns, input, output, block);
}

const transpose::Version &transpose::activeVersion()
{
    for (const Version &version : versions())
        if (version.callback == VERSION::matrixTranspose) return version;
    throw common::Error("the active version is not in the table");
}
