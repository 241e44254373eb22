// Scratch memory of an engine: a thread borrows one for a call.
#pragma once

#include "local_entropy/memory/scratch.h"
#include "local_entropy/schedule/forks.h"

#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace local_entropy
{

class Scratches
{
public:
    class Lease
    {
    public:
        explicit Lease(Scratches &from) : from(from), scratch(from.take()) {}
        ~Lease()
        {
            // Where the callback has forked, a thread of the other process may have had the lock.
            if (!process.isLeft()) from.giveBack(std::move(scratch));
        }
        Lease(const Lease &) = delete;
        Lease &operator=(const Lease &) = delete;
        Scratch &operator*() const { return *scratch; }

    private:
        Scratches &from;
        const Birthplace process;
        std::unique_ptr<Scratch> scratch;
    };

private:
    std::unique_ptr<Scratch> take()
    {
        const std::lock_guard<std::mutex> lock(mutex);
        if (free.empty()) return std::make_unique<Scratch>();
        std::unique_ptr<Scratch> scratch = std::move(free.back());
        free.pop_back();
        return scratch;
    }

    void giveBack(std::unique_ptr<Scratch> scratch)
    {
        const std::lock_guard<std::mutex> lock(mutex);
        try {
            free.push_back(std::move(scratch));
        } catch (const std::bad_alloc &) { // then it is freed: a destructor must not throw
        }
    }

    std::mutex mutex;
    std::vector<std::unique_ptr<Scratch>> free;
};

} // namespace local_entropy
