// From sums to floats by AVX-512: which windows are undecided, in each of the sixteen at a time.
#include "local_entropy/simd/paths.h"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>

namespace
{

/// nearestFloats() of sixteen sums.
unsigned undecided(const double *sums, double scale, double error, float *floats);

TEST(NearestFloats, AreUndecidedWhereTheErrorReachesAcrossTheMiddle)
{
    if (!pathWorksHere(local_entropy::Path::Avx512)) GTEST_SKIP() << "needs AVX-512";
    constexpr double kScale = 0x1p-20, kError = 0x1p-40;
    const float below = 1.7f, above = std::nextafter(below, 2.0f);
    const double middle = (static_cast<double>(below) + above) / 2;
    for (int window = 0; window < 16; ++window)
        for (const double away : {-2.0, -0.5, 0.5, 2.0}) { // from the middle, in errors
            double sums[16] = {};                          // of one level: 0, and that is decided
            float floats[16];
            sums[window] = (middle + away * kError) / kScale;
            const bool isNear = std::fabs(away) < 1;
            EXPECT_EQ(undecided(sums, kScale, kError, floats), isNear ? 1u << window : 0u) << away;
            for (int i = 0; i < 16; ++i) {
                if (i == window && isNear) continue;
                EXPECT_EQ(floats[i], i != window ? 0 : away < 0 ? below : above) << i;
            }
        }
}

} // namespace

#if defined(__x86_64__)

#include "local_entropy/simd/avx512.h"

#include "local_entropy/methods/levels/nearest_avx512.h"

namespace
{

unsigned undecided(const double *sums, double scale, double error, float *floats)
{
    __m512i bits;
    const unsigned found = local_entropy::nearestFloats(
        _mm512_loadu_pd(sums), _mm512_loadu_pd(sums + 8), scale, error, bits);
    _mm512_storeu_si512(floats, bits);
    return found;
}

} // namespace

#include "local_entropy/simd/end.h"

#else

namespace
{

unsigned undecided(const double *, double, double, float *) { return 0; }

} // namespace

#endif
