// Rows of planes that are loaded, for plane_load_kernel.h: 16 bytes of the image a thread and row
// (plane_bytes.h). Columns of a block that are not all cells of the image are shared out, one by
// one, among the lanes; a table says where the border has each of them, the same for all rows.
#pragma once

#include "local_entropy/problem/border.h"
#include "local_entropy/problem/plane.h"
#include "local_entropy/problem/plane_bytes.h"
#include "local_entropy/problem/plane_values.h"

#include <cstddef>
#include <cstdint>

namespace local_entropy::plane_load
{

using plane_bytes::Array, plane_bytes::Comparison;
using plane_bytes::kLanes, plane_bytes::kThreads, plane_bytes::kWarps;

/// Columns of a plane that are loaded.
template <typename Cell>
struct Columns
{
    Cell *cells; ///< of the first one
    int first, count;
    std::int64_t stride;
};

/// What the kernel reads and writes.
template <typename Source, typename Cell>
struct Loading
{
    static constexpr int kCells = kBytes / static_cast<int>(sizeof(Source)); ///< of a thread

    Array<Source> image;
    Array<std::uint8_t> mask; ///< null: all cells count
    std::int64_t imageWidth, imageHeight;
    Border border;
    std::int64_t x, y; ///< of the plane's first cell in the image
    int width, height; ///< of the plane
    int rows;          ///< of a block
    Cell none, constant;
    bool isPlain; ///< whether cells are levels as they are, if they are not larger than `most`
    std::uint32_t most;
    Columns<Cell> columns[2];
    int parts;              ///< of `columns`
    Cell *beyond, ofBeyond; ///< a row of so many equal cells
    int cellsOfBeyond;
    BadCell *bad;
};

/// borderIndex(), of what is rarely beyond: apart from the kernels, which ask in several places.
inline __device__ __noinline__ std::int64_t indexBeyond(Border border, std::int64_t i,
                                                        std::int64_t size)
{
    return borderIndex(border, i, size);
}
__device__ inline std::int64_t indexOf(Border border, std::int64_t i, std::int64_t size)
{
    return i >= 0 && i < size ? i : indexBeyond(border, i, size);
}

/// What the image and the mask have in one place.
template <typename Source>
struct Found
{
    Source cell;
    bool counts;
};
template <typename Source, typename Cell>
__device__ Found<Source> found(const Loading<Source, Cell> &task, std::int64_t x, std::int64_t y)
{
    return {task.image.cells[y * task.image.stride + x],
            !task.mask.cells || task.mask.cells[y * task.mask.stride + x]};
}

/// The cell of the plane for what was found there.
template <typename Source, typename Cell, typename Values>
__device__ Cell levelOf(const Loading<Source, Cell> &task, const Values &values,
                        const Found<Source> &found, std::int64_t x, std::int64_t y)
{
    if (!found.counts) return task.none;
    const std::uint32_t value = values.of(found.cell);
    if (!(value & kBad)) return static_cast<Cell>(value);
    atomicMin(task.bad, static_cast<BadCell>(y) << kBadCellBits | static_cast<BadCell>(x));
    return 0;
}
template <typename Source, typename Cell, typename Values>
__device__ Cell loaded(const Loading<Source, Cell> &task, const Values &values, std::int64_t x,
                       std::int64_t y)
{
    return levelOf(task, values, found(task, x, y), x, y);
}

/// What a thread has asked for, and has not waited for yet: its cells of a row, in the image and in
/// the mask.
template <typename Source, typename Cell>
struct Asked
{
    static constexpr int kCells = Loading<Source, Cell>::kCells;
    bool isWhole = false; ///< else they must be loaded one by one
    Bytes<kBytes> image;
    Bytes<kCells> mask;

    /// `x`: of the first one in the image, where all of them are.
    __device__ void ask(const Loading<Source, Cell> &task, std::int64_t x, std::int64_t y)
    {
        const Source *const from = task.image.cells + y * task.image.stride + x;
        isWhole = image.canRead(task.image, from);
        if (task.mask.cells) {
            const std::uint8_t *const counts = task.mask.cells + y * task.mask.stride + x;
            isWhole = isWhole && mask.canRead(task.mask, counts);
            if (isWhole) mask.ask(counts);
        }
        if (isWhole) image.ask(from);
    }
    __device__ void take(const Loading<Source, Cell> &task, std::int64_t x, std::int64_t y)
    {
        image.take(task.image.cells + y * task.image.stride + x);
        if (task.mask.cells) mask.take(task.mask.cells + y * task.mask.stride + x);
    }
};

/// A thread's cells of a row, which have been taken. False, and nothing written, if they must be
/// loaded one by one.
template <typename Source, typename Cell, typename Values>
__device__ bool putAtOnce(const Loading<Source, Cell> &task, const Values &values,
                          const Asked<Source, Cell> &asked, Cell *to)
{
    constexpr int kCells = Loading<Source, Cell>::kCells;
    constexpr std::size_t kSize = kCells * sizeof(Cell);
    struct alignas(kSize < 16 ? kSize : 16) Cells
    {
        Cell of[kCells];
    };
    const Bytes<kBytes> &image = asked.image;
    Cells cells;
    std::uint32_t seen = 0;
    if (task.mask.cells) {
#pragma unroll
        for (int i = 0; i < kCells; ++i) {
            const std::uint32_t value = values.at(image, i);
            const std::uint32_t kept = asked.mask.has(i) ? value : task.none;
            seen |= kept;
            cells.of[i] = static_cast<Cell>(kept);
        }
    } else {
        if constexpr (sizeof(Source) == sizeof(Cell) && sizeof(Cell) < 4)
            if (task.isPlain) {
                if (Comparison<Cell>(task.most).isAnyBeyond(image)) return false;
                *reinterpret_cast<uint4 *>(to) =
                    make_uint4(image.words[0], image.words[1], image.words[2], image.words[3]);
                return true;
            }
#pragma unroll
        for (int i = 0; i < kCells; ++i) {
            const std::uint32_t value = values.at(image, i);
            seen |= value;
            cells.of[i] = static_cast<Cell>(value);
        }
    }
    if (seen & kBad) return false; // it will be told where
    *reinterpret_cast<Cells *>(to) = cells;
    return true;
}

/// The columns of a block: from `begin` to `end - 1` they are all cells of the image in every row
/// that is, 16 bytes a thread; the border says where the others are.
struct Inside
{
    int begin, end;
    const std::int64_t *columnOf; ///< in shared memory
};

/// One of the block's cells, by the border, of which the image has none.
template <typename Source, typename Cell>
__device__ Cell cellOfBorder(const Loading<Source, Cell> &task, std::int64_t x, std::int64_t y)
{
    const bool isConstant = x == kConstantCell || (y == kConstantCell && x != kNoCell);
    return isConstant ? task.constant : Cell{0};
}

/// Rows of the block, by a warp: what it reads of a row is asked for before it waits for what it
/// reads of another.
template <typename Source, typename Cell, typename Values>
class Rows
{
public:
    /// `x`: of the block's first column in the image; it has `columns`.
    __device__ Rows(const Loading<Source, Cell> &task, const Values &values, const Inside &inside,
                    int columns, std::int64_t x)
        : task(task), values(values), inside(inside), columns(columns),
          between(inside.end - inside.begin), x(x),
          firstX(isFirst() ? inside.columnOf[columnAt(threadIdx.x)] : kNoCell)
    {
    }

    struct Row
    {
        std::int64_t y;        ///< in the image, or what the border has there
        Found<Source> first{}; ///< of the lane's column that is not inside
        Asked<Source, Cell> inside;
    };

    __device__ void ask(int row, Row &to) const
    {
        to.y = indexOf(task.border, task.y + row, task.imageHeight);
        if (to.y < 0) return;
        if (firstX >= 0) to.first = found(task, firstX, to.y);
        if (isInside()) to.inside.ask(task, x + own(), to.y);
    }

    /// `to`: of the block's first column.
    __device__ void put(Row &row, Cell *to) const
    {
        if (row.y < 0) {
#pragma unroll 1
            for (int i = threadIdx.x; i < columns; i += kLanes)
                to[i] = cellOfBorder(task, inside.columnOf[i], row.y);
            return;
        }
        if (isInside()) putInside(row, to + own());
        if (isFirst()) putOne(threadIdx.x, firstX, row.first, row.y, to);
#pragma unroll 1
        for (int i = threadIdx.x + kLanes; i < columns - between; i += kLanes) {
            const std::int64_t from = inside.columnOf[columnAt(i)];
            putOne(i, from, from >= 0 ? found(task, from, row.y) : Found<Source>{}, row.y, to);
        }
    }

private:
    static constexpr int kCells = Loading<Source, Cell>::kCells;

    __device__ int own() const { return threadIdx.x * kCells; }
    __device__ bool isInside() const { return own() >= inside.begin && own() < inside.end; }
    __device__ bool isFirst() const { return static_cast<int>(threadIdx.x) < columns - between; }
    /// Of those that are not inside.
    __device__ int columnAt(int i) const { return i < inside.begin ? i : i + between; }

    __device__ void putInside(Row &row, Cell *to) const
    {
        if (row.inside.isWhole) {
            row.inside.take(task, x + own(), row.y);
            if (putAtOnce(task, values, row.inside, to)) return;
        }
#pragma unroll 1
        for (int i = 0; i < kCells; ++i) to[i] = loaded(task, values, x + own() + i, row.y);
    }
    __device__ void putOne(int i, std::int64_t from, const Found<Source> &cell, std::int64_t y,
                           Cell *to) const
    {
        to[columnAt(i)] =
            from >= 0 ? levelOf(task, values, cell, from, y) : cellOfBorder(task, from, y);
    }

    const Loading<Source, Cell> &task;
    const Values &values;
    const Inside &inside;
    const int columns, between; ///< all; those inside
    const std::int64_t x, firstX;
};

} // namespace local_entropy::plane_load
