// The rows of bench_filter: a filter on contents, paths, threads and methods.
#pragma once

#include "bench/filter_options.h"
#include "bench/harness.h"

#include <string>
#include <vector>

namespace bench
{

extern const std::vector<Column> kFilterColumns;

/// The cell of a column of a row.
const std::string &filterKey(const std::vector<std::string> &keys, const std::string &name);

/// One of `options.contents`. `one` and `options` must live as long as the case.
Case filterCase(const FilterCase &one, const std::string &content, const FilterOptions &options);

} // namespace bench
