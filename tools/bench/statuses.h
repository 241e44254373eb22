// How every benchmark ends: 0 all was right, 1 something was not, 2 bad usage or cannot run here.
#pragma once

#include "bench/harness.h"
#include "common/standard_output.h"
#include "common/standard_streams.h"

#include <cstdio>
#include <exception>
#include <new>

namespace bench
{

/// What a main() returns: the status of run(), or of what it throws, after its words. Standard
/// streams that are closed are looked after first.
template <typename Run>
int guarded(const char *program, Run run)
{
    common::occupyClosedStandardStreams();
    const auto ended = [program](const char *why, int status) {
        std::fflush(stdout);
        std::fprintf(stderr, "%s: %s\n", program, why);
        return status;
    };
    try {
        return common::afterOutput(run());
    } catch (const WrongAnswer &error) {
        return ended(error.what(), 1);
    } catch (const std::bad_alloc &) {
        return ended("no memory for arrays of this size", 2);
    } catch (const std::exception &error) {
        return ended(error.what(), 2);
    }
}

} // namespace bench
