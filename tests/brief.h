// Racecheck watches every access to shared memory, and a kernel takes a thousand times as long
// (tools/sanitize.sh): it sets BRIEF_TESTS=1, and the tests that run under it ask less.
#pragma once

#include <cstdlib>

inline bool isBrief()
{
    static const bool isSet = std::getenv("BRIEF_TESTS") != nullptr;
    return isSet;
}
