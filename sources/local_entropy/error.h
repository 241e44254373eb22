// What goes wrong: a status that a program can act on, and a sentence for its user.
#pragma once

#include "local_entropy/visibility.h"

#include <stdexcept>
#include <string>

namespace local_entropy
{

/// The numbers are those of the C interface (local_entropy.h).
enum class Status {
    Ok = 0,
    BadArgument = 1, ///< the filter, a view or an option is not possible; nothing was written
    BadLevel = 2,    ///< a cell is not a level; the sentence names it. Results hold anything
    Unavailable = 3, ///< not here: no such device, processor path or memory; or not written yet
    Cancelled = 4,   ///< the progress callback said so. Results hold anything
    Internal = 5     ///< a defect of the library, or a GPU that failed; the sentence says which
};

/// Caught across the border of the shared library, hence its attribute.
class LOCAL_ENTROPY_API Error : public std::runtime_error
{
public:
    Error(Status status, const std::string &sentence) : std::runtime_error(sentence), code(status)
    {
    }
    Status status() const { return code; }

private:
    Status code;
};

} // namespace local_entropy
