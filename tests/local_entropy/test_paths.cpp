// The list of paths: their names, and which includes which.

#include "local_entropy/simd/paths.h"

#include <gtest/gtest.h>
#include <string>
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
