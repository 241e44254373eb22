// A file that appears whole or not at all.
#pragma once

#include "common/error.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace common
{

/// Writes to a file without a name, where the file system has such; commit() gives it its name. So
/// a program that is killed leaves nothing behind, and an older file of that name stays as it was.
/// A pipe or a device is no file to replace: it is written to as it is. So is standard output,
/// "-": what the program prints from then on goes to standard error. Every failure throws Error.
class OutputFile
{
public:
    explicit OutputFile(const std::string &path) : path(path)
    {
        struct stat status
        {
        };
        const bool exists = stat(path.c_str(), &status) == 0;
        if (path == "-") {
            this->path = "standard output";
            takeStandardOutput();
        } else if (exists && !S_ISREG(status.st_mode)) {
            file = std::fopen(path.c_str(), "wb");
        } else {
            if (exists) followLinks();
            openTemporary();
        }
        if (!file) fail("cannot be created");
    }
    ~OutputFile()
    {
        if (!file) return;
        std::fclose(file);
        if (named) std::remove(temporary.c_str());
    }
    OutputFile(const OutputFile &) = delete;
    OutputFile &operator=(const OutputFile &) = delete;

    /// Is it written to as it is? Then a part of it is out before commit().
    bool isStream() const { return temporary.empty(); }

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
            giveName();
            if (std::rename(temporary.c_str(), path.c_str()) != 0) fail("cannot be put in place");
            named = false;
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

    void takeStandardOutput()
    {
        const int descriptor = dup(STDOUT_FILENO);
        if (descriptor < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) fail("cannot be written");
        file = fdopen(descriptor, "wb");
    }

    // Beside the path, since a file cannot move to another file system.
    void openTemporary()
    {
        temporary = path + ".tmp." + std::to_string(getpid());
        const std::size_t slash = path.rfind('/');
        const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
        const int descriptor = open(directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
        if (descriptor >= 0) {
            file = fdopen(descriptor, "wb");
        } else { // not every file system has files without a name
            file = std::fopen(temporary.c_str(), "wb");
            named = file != nullptr;
        }
    }

    void giveName()
    {
        if (named) return;
        std::remove(temporary.c_str());
        const std::string self = "/proc/self/fd/" + std::to_string(fileno(file));
        if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, temporary.c_str(), AT_SYMLINK_FOLLOW) != 0)
            fail("cannot be put in place");
        named = true;
    }

    [[noreturn]] void fail(const char *what) const
    {
        throw Error(path + " " + what + ": " + std::strerror(errno));
    }

    std::string path, temporary; // temporary is empty where path is written to as it is
    bool named = false;          // there is a file of the temporary name
    std::FILE *file = nullptr;
};

} // namespace common
