// The door to the library.
#pragma once

#include "local_entropy/answers/default_rounding.h"
#include "local_entropy/library_errors.h"
#include "local_entropy/schedule/forks.h"

namespace local_entropy
{

/// What every function of the interface does that computes anything: a call that forks can
/// interrupt, in arithmetic as the library needs it, whose errors are the library's.
template <typename Call>
auto inLibrary(const Call &call) -> decltype(call())
{
    return withLibraryErrors([&] {
        const CallUnderWay underWay;
        const DefaultRounding rounding;
        return call();
    });
}

} // namespace local_entropy
