// What all benchmarks are made of: cases, each with its rows. A row is validated before it is
// timed; a wrong answer is never timed.
#pragma once

#include "common/csv.h"
#include "common/measure.h"
#include "common/progress.h"

#include <functional>
#include <string>
#include <vector>

namespace bench
{

/// What a validation throws: an answer that is not right.
struct WrongAnswer : common::Error
{
    using Error::Error;
};

/// One computation, ready to be run as often as one likes. What may be missing is said.
struct Work
{
    std::function<void()> validate; ///< computes something small; throws WrongAnswer
    std::function<void()> run;
    /// Throws WrongAnswer unless what the first run wrote is right. May be missing.
    std::function<void()> check;
    /// What the last run took by a clock of its own, a GPU's. Missing: the wall clock around run.
    std::function<double()> milliseconds;
};

/// One line of the table.
struct Row
{
    std::vector<std::string> keys; ///< what tells it from other rows: a cell a key column
    double results = 0;            ///< that a run computes: pixels
    std::function<Work()> open;    ///< makes arrays and tables, just before they are needed
};

/// Rows that belong together.
struct Case
{
    std::string name, what; ///< what it computes, in a few words; may be empty
    double bytes = 0;       ///< that a result moves at the least: read and written once
    std::function<std::vector<Row>()> rows;
};

/// What came of a row.
struct Outcome
{
    std::vector<std::string> keys;
    common::Timing timing;
};

/// A key column. Those that are not printed are in the file only.
struct Column
{
    std::string name;
    bool printed = true;
};

/// Times cases and keeps their table.
class Harness
{
public:
    /// `columns` are those of Row::keys. A row is repeated until common::enoughRepeats says so:
    /// five times at least, unless that takes `seconds`.
    Harness(const std::string &program, std::vector<Column> columns, double seconds);

    /// Prints a line a row. Throws WrongAnswer, and what the rows throw.
    std::vector<Outcome> time(const Case &theCase);

    /// Header and rows so far: the key columns, then runs, median_ms, min_ms, mpixel_per_s (of the
    /// median) and gb_per_s (the bytes that the case declares, in the median).
    const std::string &table() const { return csv.str(); }

private:
    common::Timing time(const Row &row) const;
    void print(const Row &row, const std::vector<std::size_t> &widths, const common::Timing &timing,
               double bytes);

    std::vector<std::size_t> widthsOf(const std::vector<Row> &rows) const;

    std::vector<Column> columns;
    double seconds;
    common::Csv csv;
    common::Progress progress;
};

} // namespace bench
