// The threads of an engine: started once, asleep between calls.
#pragma once

#include <functional>
#include <memory>

namespace local_entropy
{

class Pool
{
public:
    /// At most `threads` at once, the calling thread among them. None is started before the first
    /// call that wants more than one.
    explicit Pool(int threads);
    ~Pool();

    int threads() const { return most; }

    /// Calls work(0), ..., work(threads - 1), each from a thread of its own, work(0) from this one;
    /// returns when all have. Fewer where the system has no more threads. Throws the first
    /// exception that one of them threw. Where another call has the threads, or this is a call from
    /// one of them, or a process that was forked since, all is done by work(0) alone: the work must
    /// be such that one call can do everything. In a process that work(0) has forked, it throws
    /// Error (Unavailable), if work(0) does not throw by itself.
    void run(int threads, const std::function<void(int)> &work);

private:
    struct Shared;
    std::unique_ptr<Shared> shared;
    int most;
};

} // namespace local_entropy
