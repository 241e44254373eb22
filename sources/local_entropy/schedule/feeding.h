// What the CPU's threads do while tiles for devices are left: feed these, or compute. By what
// either takes; knows no device.
#pragma once

#include <cstdint>

namespace local_entropy
{

struct Feeding
{
    // Seconds of a thread, for a cell; 0 while unknown:
    double onCpu = 0;         ///< to compute it, in a small tile
    double throughDevice = 0; ///< to feed a device with it, and to put its result in place

    double devices = 0; ///< seconds of all devices together, for a cell, if nothing keeps them;
                        ///< more than 0
    int threads = 1;
    std::int64_t small = 0, large = 0; ///< cells of a tile: the CPU's, the devices'
    int mostUnderWay = 0;              ///< tiles that all devices together have at once, at most

    /// Whether thread `number` computes nothing. Where a small tile takes long, all threads may be
    /// at one while devices run out of tiles, so some do not begin any: as many as it takes to feed
    /// the devices.
    bool feedsOnly(int number) const { return number < feeders(); }

    /// Whether the CPU may begin a large tile, which it has to finish: if its threads have done so
    /// before devices, each cell of which takes them `perCell` seconds, have done all others.
    /// `left` cells are in large tiles that nobody has, and so many tiles are under way.
    bool mayBegin(std::int64_t left, int underWay, double perCell) const;

private:
    int feeders() const;
};

} // namespace local_entropy
