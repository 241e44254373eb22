// What every program says of an active version that cannot run here.
#pragma once

#include <string>

namespace common
{

/// "v7 is the active version, and it needs a GPU: ...; these can run here: v10, v11 (make
/// VERSION=v11)": `make` is the command that builds the program. A version has a name and says why
/// it is unavailable; `isAnswer` is false for those that are no choice.
template <typename Version, typename Versions, typename IsAnswer>
std::string cannotRunHere(const std::string &make, const Version &active, const Versions &versions,
                          IsAnswer isAnswer)
{
    std::string others, last;
    for (const Version &version : versions)
        if (version.unavailable.empty() && isAnswer(version)) {
            others += (others.empty() ? "" : ", ") + std::string(version.name);
            last = version.name;
        }
    return std::string(active.name) + " is the active version, and it " + active.unavailable +
           (others.empty()
                ? ""
                : "; these can run here: " + others + " (" + make + " VERSION=" + last + ")");
}

template <typename Version, typename Versions>
std::string cannotRunHere(const std::string &make, const Version &active, const Versions &versions)
{
    return cannotRunHere(make, active, versions, [](const Version &) { return true; });
}

} // namespace common
