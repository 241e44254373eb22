// A line on the terminal for work that takes longer than a second.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>

namespace common
{

/// Shows "label: what" on standard error, if that is a terminal, from the first second after it was
/// made, also while the work is silent; wiped when it ends. Standard output, and so a log, never
/// holds any of it.
class Progress
{
public:
    explicit Progress(std::string label) : label(std::move(label))
    {
        if (isatty(STDERR_FILENO)) firstSecond = std::thread([this] { waitASecond(); });
    }
    ~Progress()
    {
        {
            const std::lock_guard<std::mutex> lock(mutex);
            ended = true;
        }
        end.notify_one();
        if (firstSecond.joinable()) firstSecond.join();
        wipe();
    }
    Progress(const Progress &) = delete;
    Progress &operator=(const Progress &) = delete;

    void show(const std::string &work)
    {
        const std::lock_guard<std::mutex> lock(mutex);
        what = work;
        if (visible) draw();
    }

    /// Call before printing anything else.
    void wipe()
    {
        const std::lock_guard<std::mutex> lock(mutex);
        if (visible) std::fputs("\r\033[K", stderr);
        what.clear();
    }

private:
    void waitASecond()
    {
        std::unique_lock<std::mutex> lock(mutex);
        if (end.wait_for(lock, std::chrono::seconds(1), [this] { return ended; })) return;
        visible = true;
        if (!what.empty()) draw();
    }

    void draw() const
    {
        std::fprintf(stderr, "\r\033[K%s: %s", label.c_str(), what.c_str());
        std::fflush(stderr);
    }

    std::string label, what;
    bool visible = false, ended = false;
    std::mutex mutex;
    std::condition_variable end;
    std::thread firstSecond;
};

} // namespace common
