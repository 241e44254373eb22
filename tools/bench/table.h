// The table of a benchmark: key columns, then columns of values; printed line by line and kept as
// CSV.
#pragma once

#include "common/csv.h"
#include "common/measure.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace bench
{

/// What came of a row.
struct Outcome
{
    std::vector<std::string> keys;
    common::Timing timing;
    double results = 0, bytes = 0; ///< results of a run; bytes that each of them moves
    std::vector<double> beside{};  ///< what the row measured beside its time; NaN: nothing
};

/// A key column. Those that are not printed are in the file only: the case's name has them.
struct Column
{
    std::string name;
    bool printed = true;
};

/// A column of values.
struct Value
{
    std::string name;                            ///< in the file; empty: it is on the screen only
    std::string unit;                            ///< on the screen, after the value
    std::function<double(const Outcome &)> of{}; ///< NaN: an empty cell
};

Value runs();
Value median();                                               ///< median_ms
Value minimum();                                              ///< min_ms
Value rate(const std::string &name, const std::string &unit); ///< million results a second
Value traffic();                                              ///< gb_per_s: the bytes declared
/// The value `index` of Outcome::beside.
Value beside(std::size_t index, const std::string &name, const std::string &unit);
/// How many times as long as the row, by its median, that value is: a copy, say. On the screen
/// only.
Value shareOf(std::size_t index, const std::string &unit);

struct Layout
{
    std::vector<Column> keys;
    std::vector<Value> values;
    /// Empty: a row is a line of the file, and each value a column. Otherwise the names of two
    /// columns: each value is a line of its own, its name in the first, itself in the second.
    std::vector<std::string> lines = {};
};

class Table
{
public:
    explicit Table(Layout layout);

    /// Rows with these keys follow. The title is printed where it says more than they do.
    void begin(const std::string &title, const std::vector<std::vector<std::string>> &keys);

    /// Prints a line. Throws common::Error where there are not as many keys as columns for them.
    void add(const Outcome &outcome);

    std::size_t rows() const { return count; }

    /// Header and rows so far, as CSV: the key columns, then the values.
    const std::string &str() const { return csv.str(); }

private:
    void print(const Outcome &outcome, const std::vector<double> &values) const;

    Layout layout;
    common::Csv csv;
    std::vector<std::size_t> widths; ///< of key columns on the screen; 0 where it is not there
    std::size_t count = 0;
};

} // namespace bench
