// What one call, the end of a process and a log say about a core.
#pragma once

#include "core_process.h"
#include "verdict.h"

#include <string>
#include <vector>

namespace grade
{

/// "12740 bytes", "26.2 MB"
std::string bytesText(std::uint64_t bytes);

/// Judges a call that came back: its cells, and what it did besides. True if all is right.
bool judgeCall(const CoreProcess &core, const entropy::Sample &sample,
               const std::vector<float> &gold, std::size_t group, Verdict &verdict);

/// Why a process is gone. Throws common::Error if the fault is not the core's.
void judgeEnd(const CoreProcess &core, const CoreSettings &settings, const std::string &where,
              Verdict &verdict);

/// A core's log must not read as if main had spoken.
void judgeLog(const std::string &path, Verdict &verdict);

} // namespace grade
