// ln 0 .. ln 25: the only logarithms that a 5x5 window needs.
#pragma once

#include "common/host_device.h"
#include "entropy/window.h"

namespace entropy
{

/// ln 0 .. ln 25, where ln 0 := 0 saves the test for n = 0: it only ever occurs as 0 ln 0 = 0.
template <typename Real>
struct LogTable
{
    Real ln[kWindowCells + 1];
};

template <typename Real>
HOST_DEVICE constexpr LogTable<Real> makeLogTable()
{
    return {{Real(0),
             Real(0),
             Real(0.693147180559945309),
             Real(1.09861228866810969),
             Real(1.38629436111989062),
             Real(1.60943791243410037),
             Real(1.79175946922805500),
             Real(1.94591014905531331),
             Real(2.07944154167983593),
             Real(2.19722457733621938),
             Real(2.30258509299404568),
             Real(2.39789527279837054),
             Real(2.48490664978800031),
             Real(2.56494935746153674),
             Real(2.63905732961525861),
             Real(2.70805020110221007),
             Real(2.77258872223978124),
             Real(2.83321334405621608),
             Real(2.89037175789616469),
             Real(2.94443897916644046),
             Real(2.99573227355399099),
             Real(3.04452243772342300),
             Real(3.09104245335831585),
             Real(3.13549421592914969),
             Real(3.17805383034794562),
             Real(3.21887582486820075)}};
}

} // namespace entropy
