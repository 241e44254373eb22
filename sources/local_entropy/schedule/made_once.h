// What takes long to make, made when it is first asked for.
#pragma once

#include <algorithm>
#include <exception>
#include <memory>
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
    /// when it is first asked for: several at once, in threads of their own. One for which it
    /// throws is left out, and tried again later: what was missing may be there then.
    template <typename Make>
    std::vector<T *> get(int begin, int end, const Make &make)
    {
        std::vector<int> missing;
        for (int number = begin; number < end; ++number)
            if (all[number].isDue()) missing.push_back(number);
        const int count = static_cast<int>(missing.size());
#pragma omp parallel for schedule(static, 1) num_threads(std::max(count, 1))
        for (int i = 0; i < count; ++i) try {
                all[missing[i]].made = make(missing[i]);
            } catch (const std::exception &) {
            }
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
    std::vector<One> all;
};

} // namespace local_entropy
