// What all benchmarks are made of: cases, each with its rows. A row is validated before it is
// timed; a wrong answer is never timed.
#pragma once

#include "bench/table.h"
#include "common/error.h"
#include "common/measure.h"
#include "common/progress.h"

#include <cstddef>
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

/// One computation, ready to be run as often as one likes: `run`, timed by the wall clock, or
/// `time`. All else may be missing.
struct Work
{
    std::function<void()> validate; ///< before all else; throws WrongAnswer
    std::function<void()> run;
    /// Throws WrongAnswer unless what the first run wrote is right.
    std::function<void()> check;
    /// What the last run took by a clock of its own. Missing: the wall clock around run.
    std::function<double()> milliseconds;
    /// Instead of run and check: measures by other means, a GPU's clock or another process, or by
    /// rules of its own. Throws WrongAnswer.
    std::function<common::Timing()> time;
    /// More values, asked for when it has been timed: Outcome::beside.
    std::function<std::vector<double>()> beside;
};

/// One line of the table.
struct Row
{
    std::vector<std::string> keys; ///< what tells it from other rows: a cell a key column
    double results = 0;            ///< that a run computes: cells, pixels
    std::function<Work()> open;    ///< makes arrays and tables, just before they are needed
    /// Whether the row is left out, with a note, where its work throws common::Unavailable. Of
    /// other rows that ends the program.
    bool mayLack = false;
};

/// Rows that belong together.
struct Case
{
    std::string name, what; ///< what it computes, in a few words; may be empty
    double bytes = 0;       ///< that a result moves at the least: read and written once
    std::function<std::vector<Row>()> rows;
    /// What is wrong with the times of its rows, in a sentence; empty: nothing. May be missing.
    std::function<std::string()> verdict = {};
};

/// Times cases and keeps their table.
class Harness
{
public:
    Harness(const std::string &program, Layout layout);

    /// Prints a line a row and returns what came of them, without those that are left out. What is
    /// run is warmed up by one run, checked, and repeated until common::enoughRepeats says so.
    /// Throws WrongAnswer, and what the rows throw.
    std::vector<Outcome> time(const Case &theCase);

    /// How many cases had a verdict that was not empty.
    int failures() const { return failed; }

    const Table &table() const { return results; }

private:
    bool time(const Row &row, Outcome &outcome);

    Table results;
    common::Progress progress;
    int failed = 0;
};

} // namespace bench
