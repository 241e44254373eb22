// Calls under way and forks of the process: a child has the memory of all threads, with the locks
// that they held and the tables that they were building, but only one of the threads.
#pragma once

namespace local_entropy
{

/// While it lives, this thread is in a call of the library.
class CallUnderWay
{
public:
    /// Throws Error (Unavailable) in a process that was forked while a call was under way, in
    /// whatever thread, and in those that are forked from it: a lock may be held for ever.
    CallUnderWay();
    ~CallUnderWay();
    CallUnderWay(const CallUnderWay &) = delete;
    CallUnderWay &operator=(const CallUnderWay &) = delete;
};

/// Remembers in which process it was made.
class Birthplace
{
public:
    Birthplace();
    /// Whether this is a process that was forked since: within a call, by its callback.
    bool isLeft() const;
    /// Throws Error (Unavailable) if it is.
    void expectNotLeft() const;

private:
    unsigned forks;
};

} // namespace local_entropy
