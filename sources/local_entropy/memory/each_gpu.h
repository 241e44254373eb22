// What an engine keeps for each GPU that it has used.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

namespace local_entropy
{

/// One T for each GPU, by its number, made when it is first asked for; used by many threads.
template <typename T>
class EachGpu
{
public:
    /// Null: not made yet.
    T *find(int device)
    {
        const std::lock_guard<std::mutex> lock(mutex);
        return device < static_cast<int>(all.size()) ? all[device].get() : nullptr;
    }

    /// Made by `make`, which returns a unique_ptr, if there is none yet.
    template <typename Make>
    T &get(int device, const Make &make)
    {
        const std::lock_guard<std::mutex> lock(mutex);
        if (device >= static_cast<int>(all.size())) all.resize(device + 1);
        if (!all[device]) all[device] = make();
        return *all[device];
    }

private:
    std::mutex mutex;
    std::vector<std::unique_ptr<T>> all;
};

} // namespace local_entropy
