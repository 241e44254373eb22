// What a core's last version can leave: a machine on which nothing can be measured any more, as
// after a kernel that has left the device in ruins.
#pragma once

#include <cstdlib>

/// How long to measure can no longer be told.
inline void leaveRuins() { setenv("BENCHMARK_SECONDS", "in ruins", 1); }

/// Whether a core is to have such a version.
inline bool ruinsAreWanted() { return std::getenv("RUINS"); }
