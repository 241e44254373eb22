// The entropy of an array in host memory by all that a machine has: its GPUs and its cores.
#pragma once

#include "local_entropy/methods/bits/bits.h"

#include <cstdint>

namespace local_entropy
{

/// Which tiles go through a GPU. For tests and benchmarks; every choice gives the same bits.
enum class ThroughDevices { IfCheaper, IfThereIsRoom, Never };

/// The correctly rounded entropy of the 5x5 window around every cell, as entropyOnCpu() defines it:
/// the same bits, whoever computed them. Returns how many tiles went through a GPU.
///
/// sample   host memory: height rows of width cells, each an integer 0..15; any other cell throws
///          common::Error with its place and value.
/// result   host memory: the same shape.
/// options  of what the CPU computes.
///
/// The array is cut into tiles. Every thread that OpenMP offers takes one after the other: it sends
/// it through a GPU, if one has room and that costs the thread clearly less time than computing the
/// tile, or else computes it. What either costs is measured on the way: few slow cores leave most
/// to the GPUs, many fast ones, which compute about as fast as memory can be copied, next to
/// nothing. Small arrays, and all arrays where there is no GPU, are computed by the CPU alone.
///
/// May be called from several threads at once: one of the calls has the GPUs. The first call
/// allocates what passes between host and devices and keeps it: for each device 40 MB of
/// page-locked and as much device memory.
std::int64_t entropyEverywhere(std::int64_t width, std::int64_t height, const float *sample,
                               float *result, ThroughDevices choice = ThroughDevices::IfCheaper,
                               const bits::CpuOptions &options = {});

} // namespace local_entropy
