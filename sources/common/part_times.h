// Where the time of a call goes: to allocate, copy up, compute, copy down, touch pages, free.
#pragma once

#include <chrono>
#include <cstddef>
#include <thread>

namespace common
{

/// What a call spends its time on. What belongs to none of them is the rest of its time.
enum class Part {
    Context,  ///< the driver is started, the device's context made, a kernel's code loaded
    Allocate, ///< memory, on the device or the host
    Up,       ///< from the host to the device
    Kernel,   ///< computing, wherever that happens
    Down,     ///< from the device to the host
    Faults,   ///< pages of the result, touched for the first time
    Free      ///< memory
};

constexpr Part kParts[] = {Part::Context, Part::Allocate, Part::Up,  Part::Kernel,
                           Part::Down,    Part::Faults,   Part::Free};

inline const char *partName(Part part)
{
    switch (part) {
    case Part::Context: return "context";
    case Part::Allocate: return "allocate";
    case Part::Up: return "up";
    case Part::Kernel: return "kernel";
    case Part::Down: return "down";
    case Part::Faults: return "faults";
    case Part::Free: return "free";
    }
    return "unknown";
}

/// While one of these lives, the plumbing (device_array.h, launch.h, host_array.h, and the engine's
/// own) adds its times to it, by a PartScope. A version therefore needs no code of its own to be
/// taken apart. It counts for the thread that made it: what other threads do meanwhile is part of
/// whatever that thread waits in. Only one at a time.
class PartTimes
{
public:
    PartTimes() { instance() = this; }
    ~PartTimes() { instance() = nullptr; }
    PartTimes(const PartTimes &) = delete;
    PartTimes &operator=(const PartTimes &) = delete;

    /// The one that lives and counts for this thread; null if there is none.
    static PartTimes *active()
    {
        PartTimes *const times = instance();
        return times && times->thread == std::this_thread::get_id() ? times : nullptr;
    }

    double milliseconds(Part part) const { return spent[static_cast<std::size_t>(part)]; }

    /// Of all parts.
    double sum() const
    {
        double all = 0;
        for (const double part : spent) all += part;
        return all;
    }

private:
    friend class PartScope;

    static PartTimes *&instance()
    {
        static PartTimes *times = nullptr;
        return times;
    }

    std::thread::id thread = std::this_thread::get_id();
    class PartScope *innermost = nullptr;
    double spent[sizeof kParts / sizeof *kParts] = {};
};

/// The time from here to the end of the scope belongs to `part`, less what scopes within take for
/// theirs. Where no PartTimes lives it does next to nothing.
class PartScope
{
public:
    explicit PartScope(Part part) : times(PartTimes::active()), part(part)
    {
        if (!times) return;
        outer = times->innermost;
        times->innermost = this;
        begin = std::chrono::steady_clock::now();
    }
    ~PartScope()
    {
        if (!times) return;
        const std::chrono::duration<double, std::milli> elapsed =
            std::chrono::steady_clock::now() - begin;
        const double milliseconds = elapsed.count();
        times->spent[static_cast<std::size_t>(part)] += milliseconds - within;
        if (outer) outer->within += milliseconds;
        times->innermost = outer;
    }
    PartScope(const PartScope &) = delete;
    PartScope &operator=(const PartScope &) = delete;

private:
    PartTimes *times;
    Part part;
    PartScope *outer = nullptr;
    double within = 0;                           ///< milliseconds of scopes inside this one
    std::chrono::steady_clock::time_point begin; ///< read only where a PartTimes lives
};

/// While a PartTimes lives: writes to every page of fresh memory, so that the time for that is not
/// taken for the time of whoever writes there first.
inline void touchPages(void *memory, std::size_t bytes)
{
    if (!PartTimes::active()) return;
    const PartScope scope(Part::Faults);
    constexpr std::size_t kPage = 4096;
    for (std::size_t at = 0; at < bytes; at += kPage) static_cast<volatile char *>(memory)[at] = 0;
}

} // namespace common
