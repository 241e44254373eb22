// A line on the terminal for work that takes longer than a second.
#pragma once

#include "common/clock.h"

#include <cstdio>
#include <string>
#include <unistd.h>

namespace common
{

/// Shows "label: what" on standard error, if that is a terminal, once a second has passed since
/// it was made; wiped when it ends. Standard output, and so a log, never holds any of it.
class Progress
{
public:
    explicit Progress(std::string label) : label(std::move(label)) {}
    ~Progress() { wipe(); }
    Progress(const Progress &) = delete;
    Progress &operator=(const Progress &) = delete;

    void show(const std::string &what)
    {
        if (!terminal || clock.seconds() < 1.0) return;
        std::fprintf(stderr, "\r\033[K%s: %s", label.c_str(), what.c_str());
        std::fflush(stderr);
        shown = true;
    }

    /// Call before printing anything else.
    void wipe()
    {
        if (shown) std::fputs("\r\033[K", stderr);
        shown = false;
    }

private:
    std::string label;
    WallClock clock;
    bool terminal = isatty(STDERR_FILENO) != 0;
    bool shown = false;
};

} // namespace common
