// The kinds of processors that kernels are written for: one list, the fastest first.
#pragma once

namespace local_entropy
{

enum class Path {
    Avx512Vbmi, ///< AVX-512 F, BW, VL, DQ, VBMI and VNNI
    Avx512,     ///< AVX-512 F, BW, VL and DQ
    Avx2,
    Ssse3,
    Neon, ///< 64-bit ARM
    Portable
};

constexpr Path kPaths[] = {Path::Avx512Vbmi, Path::Avx512, Path::Avx2,
                           Path::Ssse3,      Path::Neon,   Path::Portable};

const char *pathName(Path path); ///< "avx512vbmi", "avx512", "avx2", "ssse3", "neon", "portable"
bool pathWorksHere(Path path);   ///< whether this processor has its instructions
Path bestPath();                 ///< the first that works here

/// What a processor of path `have` can run: itself and all slower ones of its family.
bool pathIncludes(Path have, Path need);

} // namespace local_entropy
