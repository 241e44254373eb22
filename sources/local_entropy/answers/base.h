// Entropy in the base that is asked for.
#pragma once

#include "local_entropy/answers/measure.h"

namespace local_entropy
{

/// What an entropy in nats is multiplied by: 1 / ln(base), the nearest double.
constexpr double perNat(Base base)
{
    constexpr double kInverseLn2 = 0x1.71547652b82fep0, kInverseLn10 = 0x1.bcb7b1526e50ep-2;
    return base == Base::Two ? kInverseLn2 : base == Base::Ten ? kInverseLn10 : 1;
}

} // namespace local_entropy
