// A machine that says that so much memory is available.
#pragma once

#include "messages.h"

#include <fstream>
#include <string>

/// For programs that are started with environment() before them. Its library is made by gcc.
class LittleMemory
{
public:
    explicit LittleMemory(long long kilobytes)
    {
        std::ofstream(directory.path("meminfo")) << "MemAvailable: " << kilobytes << " kB\n";
        std::ofstream(directory.path("little.c")) << R"(
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
)";
        built = runCommand("gcc -shared -fPIC " + directory.path("little.c") + " -o " +
                           directory.path("little.so") + " -ldl")
                    .status == 0;
    }

    /// False where there is no gcc.
    bool isThere() const { return built; }

    std::string environment() const
    {
        return "MEMINFO=" + directory.path("meminfo") +
               " LD_PRELOAD=" + directory.path("little.so") + " ";
    }

private:
    TemporaryDirectory directory;
    bool built = false;
};
