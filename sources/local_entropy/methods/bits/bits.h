// The method bits: 16 levels and windows of 5x5 cells, hundreds at once in one instruction.
#pragma once

#include "local_entropy/methods/bits/task.h"
#include "local_entropy/methods/method.h"

#include <mutex>

namespace local_entropy::bits
{

/// What is chosen by measuring; tests try all.
struct Choices
{
    enum class Choice { Best, Yes, No };

    Choice cellByCell =
        Choice::Best;             ///< without words of bits: the quickest for a handful of cells
    Choice gather = Choice::Best; ///< look up by gather instructions, slow on some processors
    Choice stream = Choice::Best; ///< write around the caches; Best: results larger than these
};

/// For floats that are levels already, whole rows of an array without gaps, and a border that cuts.
/// NaN does not count, as everywhere; but what reaches one is computed by another method.
class BitsPlan : public Plan
{
public:
    explicit BitsPlan(Path path, const Choices &choices = {});

    TileSize tileSize(const Problem &problem, int threads) const override;
    void work(const Problem &problem, TileQueue &queue, Scratch &scratch) const override;

private:
    struct Queued;

    bool isCellByCell(const Region &region) const;
    Task taskOf(const Problem &problem) const;
    void computeTile(const Problem &problem, Task &task, const Region &place,
                     Scratch &scratch) const;
    void computeCellByCell(const Problem &problem, const Task &task, const Region &place,
                           Scratch &scratch) const;
    void mend(const Problem &problem, const Task &task, const Region &place,
              Scratch &scratch) const;
    void computeByAnother(const Problem &problem, const Region &place, Scratch &scratch) const;

    const Path path;
    const Choices choices;
    const Kernel &kernel;
    const float *const *const tables;
    const bool gather;
    mutable std::once_flag once; ///< guards `another`, for cells that are NaN
    mutable std::unique_ptr<const Plan> another;
};

} // namespace local_entropy::bits

namespace local_entropy
{

const Method &bitsMethod();

} // namespace local_entropy
