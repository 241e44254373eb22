// A machine that says that so much memory is available.
#pragma once

#include "preloaded.h"

#include <string>

/// For programs that are started with environment() before them.
class LittleMemory
{
public:
    explicit LittleMemory(long long kilobytes)
        : facts("meminfo", "MemAvailable: " + std::to_string(kilobytes) + " kB\n")
    {
    }

    /// False where there is no gcc.
    bool isThere() const { return reader.isThere(); }

    std::string environment() const
    {
        return "MEMINFO=" + facts.path() + " " + reader.environment();
    }

private:
    TemporaryFile facts;
    Preloaded reader{R"(
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static FILE *of(const char *function, const char *path, const char *mode)
{
    FILE *(*next)(const char *, const char *) = dlsym(RTLD_NEXT, function);
    return next(strcmp(path, "/proc/meminfo") ? path : getenv("MEMINFO"), mode);
}
FILE *fopen(const char *path, const char *mode) { return of("fopen", path, mode); }
FILE *fopen64(const char *path, const char *mode) { return of("fopen64", path, mode); }
)"};
};
