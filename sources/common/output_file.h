// A file that appears whole or not at all.
#pragma once

#include "common/error.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace common
{

/// Writes to a temporary name beside `path`; commit() renames it. Without commit() nothing is
/// left behind, and an older file of that name stays as it was. A pipe or a device is no file to
/// replace: it is written to as it is. Every failure throws Error.
class OutputFile
{
public:
    explicit OutputFile(const std::string &path) : path(path)
    {
        struct stat status
        {
        };
        const bool exists = stat(path.c_str(), &status) == 0;
        if (exists && !S_ISREG(status.st_mode)) {
            file = std::fopen(path.c_str(), "wb");
        } else {
            if (exists) followLinks();
            temporary = this->path + ".tmp." + std::to_string(getpid());
            file = std::fopen(temporary.c_str(), "wb");
        }
        if (!file) fail("cannot be created");
    }
    ~OutputFile()
    {
        if (!file) return;
        std::fclose(file);
        if (!temporary.empty()) std::remove(temporary.c_str());
    }
    OutputFile(const OutputFile &) = delete;
    OutputFile &operator=(const OutputFile &) = delete;

    void write(const void *bytes, std::size_t size)
    {
        if (size && std::fwrite(bytes, 1, size, file) != size) fail("cannot be written");
    }
    void write(const std::string &text) { write(text.data(), text.size()); }

    void commit()
    {
        if (std::fflush(file) != 0) fail("cannot be written");
        if (!temporary.empty()) {
            if (fsync(fileno(file)) != 0) fail("cannot be written");
            if (std::rename(temporary.c_str(), path.c_str()) != 0) fail("cannot be put in place");
        }
        std::fclose(file);
        file = nullptr;
    }

private:
    // A symbolic link stays; what it points to is replaced.
    void followLinks()
    {
        char *target = realpath(path.c_str(), nullptr);
        if (!target) fail("cannot be followed");
        path = target;
        std::free(target);
    }

    [[noreturn]] void fail(const char *what) const
    {
        throw Error(path + " " + what + ": " + std::strerror(errno));
    }

    std::string path, temporary; // temporary is empty where path is written to as it is
    std::FILE *file = nullptr;
};

} // namespace common
