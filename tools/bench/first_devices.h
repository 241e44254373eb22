// Children that see the first GPUs of their parent, and no others.
#pragma once

#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace bench
{

/// What a child's environment must have (process.h) to see the first `count` GPUs of this process,
/// under the same numbers. The order of GPUs, CUDA_DEVICE_ORDER, stays as it is here: in another
/// one the same numbers would be other GPUs.
inline std::vector<std::pair<std::string, std::string>> onlyFirstDevices(int count)
{
    std::string list;
    const char *visible = std::getenv("CUDA_VISIBLE_DEVICES");
    std::istringstream names(visible ? visible : "");
    std::string name;
    for (int i = 0; i < count; ++i) {
        if (!visible)
            name = std::to_string(i);
        else if (!std::getline(names, name, ','))
            break;
        list += (i ? "," : "") + name;
    }
    return {{"CUDA_VISIBLE_DEVICES", list}};
}

} // namespace bench
