#include "findings.h"

#include "common/error.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <regex>
#include <sys/stat.h>

namespace grade
{

namespace
{

/// A limit, in the units in which it was set.
std::string limitText(std::uint64_t bytes)
{
    char text[32];
    const double million = static_cast<double>(bytes) / (1 << 20);
    std::snprintf(text, sizeof text, million < 1024 ? "%.4g MiB" : "%.4g GiB",
                  million < 1024 ? million : million / 1024);
    return text;
}

std::string messageOf(const Channel &notes)
{
    return {notes.message, strnlen(notes.message, kMessage)};
}

} // namespace

std::string bytesText(std::uint64_t bytes)
{
    char text[32];
    if (bytes < 1'000'000) return std::to_string(bytes) + " bytes";
    std::snprintf(text, sizeof text, "%.1f MB", static_cast<double>(bytes) / 1e6);
    return text;
}

bool judgeCall(const CoreProcess &core, const entropy::Sample &sample,
               const std::vector<float> &gold, std::size_t group, Verdict &verdict)
{
    const Channel &notes = core.notes();
    const std::string where = groupName(sample, group, verdict.groups) + ": ";
    const std::string bytes = bytesText(gold.size() * sizeof(float));
    if (core.sampleChanged(sample)) verdict.note("cheated", where + "it changed its input");
    if (notes.forks) verdict.note("cheated", where + "it tried to start another process");
    const char *const starved = notes.memoryRefused ? "memory" : "wrong";
    switch (notes.outcome) {
    case kResult: break;
    case kNull: return verdict.note(starved, where + "it left the result null"), false;
    case kException: return verdict.note(starved, where + "it " + messageOf(notes)), false;
    case kShort:
        return verdict.note("wrong", where + "its result has room for " +
                                         bytesText(notes.resultBytes) + ", not for " + bytes),
               false;
    default: return verdict.note("wrong", where + "its result is no memory of the host"), false;
    }
    bool good = compareCells(sample, gold, core.result(), group, verdict);
    if (notes.wroteBefore || notes.wroteBehind || core.wroteAroundSample(sample)) {
        good = false;
        verdict.note("wrong", where + "it wrote outside its " +
                                  (notes.wroteBefore   ? "result, before its first cell"
                                   : notes.wroteBehind ? "result, behind its last cell"
                                                       : "sample"));
    }
    return good && verdict.word != "cheated";
}

void judgeEnd(const CoreProcess &core, const CoreSettings &settings, const std::string &where,
              Verdict &verdict)
{
    const std::string &end = core.end();
    const int value = std::atoi(end.substr(std::min(end.size(), end.find(' ') + 1)).c_str());
    char limit[32];
    std::snprintf(limit, sizeof limit, "%g s", settings.seconds);
    if (end == "timeout")
        verdict.note("timeout", "no end after " + std::string(limit) + ", " + where);
    else if (end == "memory" || core.notes().memoryRefused)
        verdict.note("memory", "it wants more than " + limitText(settings.memory) + ", " + where);
    else if (end == "threads")
        verdict.note("crashed", "more threads than are allowed, " + where);
    else if (end == "exit 0")
        verdict.note("cheated", "it ended the process, as if all were well, " + where);
    else if (end.compare(0, 5, "exit ") == 0)
        verdict.note("crashed",
                     "it ended the process with status " + std::to_string(value) + ", " + where);
    else if (end.compare(0, 7, "signal ") == 0)
        verdict.note("crashed", std::string("signal ") + std::to_string(value) + " (" +
                                    strsignal(value) + "), " + where);
    else
        throw common::Error(end);
}

void judgeLog(const std::string &path, Verdict &verdict)
{
    struct stat status
    {
    };
    if (stat(path.c_str(), &status) != 0 || status.st_size == 0) return;
    constexpr long kLook = 1 << 20;
    std::string text(std::min<long>(status.st_size, kLook), '\0');
    const int file = open(path.c_str(), O_RDONLY);
    const ssize_t got = file < 0 ? 0 : read(file, text.data(), text.size());
    if (file >= 0) close(file);
    text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    static const std::regex verdictLine("[0-9]+ of [0-9]+ groups passed|(^|\n)(passed|FAILED): ");
    if (std::regex_search(text, verdictLine))
        verdict.note("cheated", "it printed a verdict in main's place");
    if (status.st_size >= 16 << 20)
        verdict.warnings.push_back("it printed more than 16 MB: the rest is lost");
}

} // namespace grade
