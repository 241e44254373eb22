// What every program says of an active version that cannot run here.
#pragma once

#include <string>

namespace common
{

/// "v7 is the active version, and it needs a GPU: ...; these can run here: v10, v11 (make ...)".
/// A version has a name and says why it is unavailable; `isAnswer` is false for those that are no
/// choice.
template <typename Version, typename Versions, typename IsAnswer>
std::string cannotRunHere(const Version &active, const Versions &versions, IsAnswer isAnswer)
{
    std::string others;
    for (const Version &version : versions)
        if (version.unavailable.empty() && isAnswer(version))
            others += std::string(others.empty() ? "" : ", ") + version.name;
    return std::string(active.name) + " is the active version, and it " + active.unavailable +
           (others.empty() ? "" : "; these can run here: " + others + " (make VERSION=...)");
}

template <typename Version, typename Versions>
std::string cannotRunHere(const Version &active, const Versions &versions)
{
    return cannotRunHere(active, versions, [](const Version &) { return true; });
}

} // namespace common
