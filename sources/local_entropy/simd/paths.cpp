#include "local_entropy/simd/paths.h"

namespace local_entropy
{

const char *pathName(Path path)
{
    switch (path) {
    case Path::Avx512Vbmi: return "avx512vbmi";
    case Path::Avx512: return "avx512";
    case Path::Avx2: return "avx2";
    case Path::Ssse3: return "ssse3";
    case Path::Neon: return "neon";
    case Path::Portable: break;
    }
    return "portable";
}

bool pathWorksHere(Path path)
{
    switch (path) {
#if defined(__x86_64__) || defined(__i386__)
    case Path::Avx512Vbmi:
        return pathWorksHere(Path::Avx512) && __builtin_cpu_supports("avx512vbmi") &&
               __builtin_cpu_supports("avx512vnni");
    case Path::Avx512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("bmi2");
    case Path::Avx2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    case Path::Ssse3: return __builtin_cpu_supports("ssse3");
#endif
#if defined(__aarch64__)
    case Path::Neon: return true;
#endif
    case Path::Portable: return true;
    default: return false;
    }
}

Path bestPath()
{
    for (const Path path : kPaths)
        if (pathWorksHere(path)) return path;
    return Path::Portable;
}

bool pathIncludes(Path have, Path need)
{
    if (need == Path::Portable || have == need) return true;
    if (have == Path::Neon || need == Path::Neon) return false;
    return have < need; // the list goes from the richest to the poorest
}

} // namespace local_entropy
