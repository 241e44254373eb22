// What takes long to make, made when it is first asked for.
#pragma once

#include "common/own_thread.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace local_entropy
{

/// One T for each of some numbers from 0 on, used by one thread at a time.
template <typename T>
class MadeOnce
{
public:
    explicit MadeOnce(int count) : all(count) {}

    int count() const { return static_cast<int>(all.size()); }

    /// To make one takes long, also where it fails: so many calls do without before one tries
    /// again.
    static constexpr int kTryAgain = 64;

    /// Those of the numbers [begin, end). Each is made by make(number), which returns a unique_ptr,
    /// when it is first asked for: several at once, in threads of their own as far as the system
    /// has any. One for which it throws is left out, and tried again later: what was missing may be
    /// there then.
    template <typename Make>
    std::vector<T *> get(int begin, int end, const Make &make)
    {
        std::vector<int> missing;
        for (int number = begin; number < end; ++number)
            if (all[number].isDue()) missing.push_back(number);
        // Not OpenMP: its threads are the caller's, too, and where there are none it ends the
        // process.
        std::vector<std::thread> threads;
        threads.reserve(missing.size());
        for (std::size_t i = 1; i < missing.size(); ++i) try {
                threads.emplace_back([this, &make, number = missing[i]] {
                    common::isOwnThread = true;
                    makeOne(number, make);
                });
            } catch (const std::exception &) { // no thread, or no memory for one
                break;
            }
        // The first one here, and those for which there is no thread.
        for (std::size_t i = 0; i < missing.size(); ++i)
            if (i == 0 || i > threads.size()) makeOne(missing[i], make);
        for (std::thread &thread : threads) thread.join();
        std::vector<T *> found;
        for (int number = begin; number < end; ++number)
            if (all[number].made) found.push_back(all[number].made.get());
        return found;
    }

    /// Whether each has been asked for.
    bool areAllTried() const
    {
        return std::all_of(all.begin(), all.end(), [](const One &one) { return one.isTried; });
    }

private:
    struct One
    {
        bool isTried = false;
        int without = 0; ///< calls, since it was tried
        std::unique_ptr<T> made;

        /// Whether this call tries to make it.
        bool isDue()
        {
            if (made || (std::exchange(isTried, true) && ++without <= kTryAgain)) return false;
            without = 0;
            return true;
        }
    };

    template <typename Make>
    void makeOne(int number, const Make &make)
    {
        try {
            all[number].made = make(number);
        } catch (const std::exception &) {
        }
    }

    std::vector<One> all;
};

} // namespace local_entropy
