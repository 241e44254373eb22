// What the environment says of the benchmark at load time, and whether it says what there is.
#pragma once

#include "common/error.h"
#include "common/measure.h"
#include "entropy/core.h"
#include "entropy/library.h"

#include <cstdlib>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace entropy
{

/// What runs at load time: all; where ENTROPY_BENCHMARK=warm-up is in the environment, WarmUP only;
/// where it is 0, or the program is only asked for help, nothing.
inline std::string benchmarkSetting()
{
    const char *setting = std::getenv("ENTROPY_BENCHMARK");
    return setting ? setting : "";
}

/// Where times are to be written, null for nowhere.
inline const char *resultsDirectory() { return std::getenv("ENTROPY_RESULTS"); }

/// The versions that are timed: those that ENTROPY_VERSIONS=v7,v12 names, in the table's order;
/// all, where it is not set. Throws Error, with the names there are, for one that there is not.
inline std::vector<Version> chosenVersions()
{
    const char *list = std::getenv("ENTROPY_VERSIONS");
    if (!list || !*list) return versions();
    std::set<std::string> names;
    std::istringstream words(list);
    for (std::string name; std::getline(words, name, ',');) names.insert(name);
    std::vector<Version> chosen;
    std::string known;
    for (const Version &version : versions()) {
        known += std::string(known.empty() ? "" : ", ") + version.name;
        if (names.erase(version.name)) chosen.push_back(version);
    }
    if (names.empty()) return chosen;
    throw common::Error("ENTROPY_VERSIONS: there is no version '" + *names.begin() +
                        "', there are " + (known.empty() ? "none" : known));
}

/// Throws Error where a setting is not one that there is.
inline void checkSettings()
{
    bool known = false;
    for (const char *one : {"", "0", "1", "warm-up"}) known = known || benchmarkSetting() == one;
    if (!known)
        throw common::Error("ENTROPY_BENCHMARK is '" + benchmarkSetting() +
                            "', expected 0, 1 or warm-up");
    chosenVersions();
    common::mostSeconds();
    if (requireCpuPath) requireCpuPath();
}

} // namespace entropy
