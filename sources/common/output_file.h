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
/// "-": what the program prints from then on goes to standard error. A file that replaces another
/// gets the permissions of that one, but not its owner and group. Every failure throws Error.
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
            use(open(path.c_str(), O_WRONLY | O_CLOEXEC));
        } else {
            if (exists) followLinks();
            openTemporary();
        }
        if (!file) fail("cannot be created");
        if (exists && !isStream() && fchmod(fileno(file), status.st_mode & 0777) != 0)
            failClosed("cannot be given the permissions of the file that it replaces");
    }
    ~OutputFile()
    {
        if (file) close();
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
    // A symbolic link stays; what it points to is replaced. One that points to nothing is not
    // followed: the file takes its place.
    void followLinks()
    {
        char *target = realpath(path.c_str(), nullptr);
        if (!target) fail("cannot be followed");
        path = target;
        std::free(target);
    }

    void takeStandardOutput()
    {
        use(dup(STDOUT_FILENO));
        if (!file || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) fail("cannot be written");
    }

    /// Writes to what a descriptor stands for; not by a descriptor of the standard streams, which
    /// it has where they are closed: all that is printed would go there.
    void use(int descriptor)
    {
        if (descriptor >= 0 && descriptor <= STDERR_FILENO) {
            const int low = descriptor;
            descriptor = fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
            ::close(low);
        }
        if (descriptor >= 0) file = fdopen(descriptor, "wb");
    }

    void close()
    {
        std::fclose(file);
        file = nullptr;
        if (named) std::remove(temporary.c_str());
    }

    // Beside the path, since a file cannot move to another file system.
    void openTemporary()
    {
        temporary = path + ".tmp." + std::to_string(getpid());
        const std::size_t slash = path.rfind('/');
        const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
        use(open(directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666));
        if (file) return;
        // Not every file system has files without a name.
        use(open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
        named = file != nullptr;
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

    [[noreturn]] void failClosed(const char *what) // in the constructor
    {
        const int why = errno;
        close();
        errno = why;
        fail(what);
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
