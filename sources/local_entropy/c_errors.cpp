#include "local_entropy/c_errors.h"

#include <cstdio>

namespace local_entropy
{

static_assert(LE_INTERNAL == static_cast<int>(Status::Internal));

// Plain memory: neither keeping a sentence nor the end of a thread can fail.
static thread_local char lastError[512];

le_status fail(Status status, const char *sentence) noexcept
{
    std::snprintf(lastError, sizeof lastError, "%s", sentence);
    return static_cast<le_status>(status);
}

const char *lastFailure() noexcept { return lastError; }

} // namespace local_entropy
