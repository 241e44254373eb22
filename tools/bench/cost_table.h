// Measures what methods cost, for the library's table (local_entropy/methods/costs.h).
#pragma once

#include <string>

namespace bench
{

/// Times every method at every point of the table, on every path, with one thread, and writes the
/// table to the file, with which the library is then to be built. Throws common::Error if this
/// processor has not all paths of its family. `revision`: of the sources, said in the file.
void writeCosts(const std::string &file, const std::string &revision);

} // namespace bench
