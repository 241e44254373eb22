#include "entropy/cpu_path.h"

#include "common/error.h"

#include <cstdlib>
#include <string>

namespace entropy
{

namespace bits = local_entropy::bits;

bits::CpuOptions cpuOptions()
{
    bits::CpuOptions options;
    const char *const setting = std::getenv("ENTROPY_CPU_PATH");
    if (!setting) return options;
    const std::string name = setting;
    for (const bits::Path path : {bits::Path::Avx512, bits::Path::Avx2, bits::Path::Portable}) {
        if (name != bits::pathName(path)) continue;
        if (!bits::pathWorksHere(path))
            throw common::Error("ENTROPY_CPU_PATH is " + name +
                                ", which this processor cannot run");
        options.path = path;
        return options;
    }
    throw common::Error("ENTROPY_CPU_PATH is '" + name + "', expected avx512, avx2 or portable");
}

} // namespace entropy
