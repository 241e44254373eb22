// The list of paths: their names, and which includes which.

#include "local_entropy/simd/paths.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

using namespace local_entropy;

TEST(Paths, AreNamedAsTheyAreAskedFor)
{
    std::vector<std::string> names;
    for (const Path path : kPaths) names.push_back(pathName(path));
    EXPECT_EQ(names, (std::vector<std::string>{"avx512vbmi", "avx512", "avx2", "ssse3", "neon",
                                               "portable"}));
}

TEST(Paths, IncludeThePoorerOnesOfTheirFamily)
{
    const std::vector<Path> family = {Path::Avx512Vbmi, Path::Avx512, Path::Avx2, Path::Ssse3,
                                      Path::Portable}; // the richest first
    for (std::size_t have = 0; have < family.size(); ++have)
        for (std::size_t need = 0; need < family.size(); ++need)
            EXPECT_EQ(pathIncludes(family[have], family[need]), have <= need)
                << pathName(family[have]) << " includes " << pathName(family[need]);
    EXPECT_TRUE(pathIncludes(Path::Neon, Path::Neon));
    EXPECT_TRUE(pathIncludes(Path::Neon, Path::Portable));
    for (const Path other : family) EXPECT_FALSE(pathIncludes(other, Path::Neon));
    for (const Path other : {Path::Avx512Vbmi, Path::Avx512, Path::Avx2, Path::Ssse3})
        EXPECT_FALSE(pathIncludes(Path::Neon, other));
}

TEST(Paths, WhereOneWorksAllThatItIncludesDo)
{
    for (const Path have : kPaths)
        for (const Path need : kPaths)
            EXPECT_TRUE(!pathWorksHere(have) || !pathIncludes(have, need) || pathWorksHere(need))
                << pathName(have) << " works, " << pathName(need) << " does not";
}

TEST(Paths, TheBestIsTheFirstThatWorksHere)
{
    EXPECT_TRUE(pathWorksHere(Path::Portable));
    EXPECT_TRUE(pathWorksHere(bestPath()));
    for (const Path path : kPaths) {
        if (path == bestPath()) break;
        EXPECT_FALSE(pathWorksHere(path)) << pathName(path);
    }
}

#if defined(__x86_64__)
// What the compiler's run-time library knows of this processor, which __builtin_cpu_supports()
// reads and a test may change: features by their numbers, 32 a word.
extern "C" struct CpuModel
{
    unsigned vendor, type, subtype, features[1];
} __cpu_model __attribute__((visibility("hidden")));
extern "C" unsigned __cpu_features2[1] __attribute__((visibility("hidden")));

namespace
{

/// As a processor without that feature.
class Without
{
public:
    explicit Without(int feature)
        : word(feature < 32 ? __cpu_model.features[0] : __cpu_features2[0]), before(word)
    {
        word &= ~(1u << feature % 32);
    }
    ~Without() { word = before; }

private:
    unsigned &word;
    const unsigned before;
};

} // namespace

TEST(Paths, NeedAllOfTheirFeatures)
{
    constexpr int kSsse3 = 6, kAvx2 = 10, kAvx512F = 15, kBmi2 = 17, kAvx512Vl = 20, kAvx512Bw = 21,
                  kAvx512Dq = 22, kAvx512Vbmi = 26, kAvx512Vnni = 34; // <i386-cpuinfo.h> of GCC
    const std::vector<std::pair<Path, std::vector<int>>> needed = {
        {Path::Ssse3, {kSsse3}},
        {Path::Avx2, {kAvx2, kBmi2}},
        {Path::Avx512, {kAvx512F, kBmi2, kAvx512Vl, kAvx512Bw, kAvx512Dq}},
        {Path::Avx512Vbmi,
         {kAvx512F, kBmi2, kAvx512Vl, kAvx512Bw, kAvx512Dq, kAvx512Vbmi, kAvx512Vnni}}};
    bool isAsked = false;
    for (const auto &[path, features] : needed) {
        if (!pathWorksHere(path)) continue;
        isAsked = true;
        for (const int feature : features) {
            const Without lacking(feature);
            EXPECT_FALSE(pathWorksHere(path)) << pathName(path) << " without " << feature;
        }
        EXPECT_TRUE(pathWorksHere(path)) << pathName(path);
    }
    if (!isAsked) GTEST_SKIP() << "this processor has the path portable alone";
}
#endif
