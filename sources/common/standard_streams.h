// What a program does before all else about the standard streams that it was started without.
#pragma once

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace common
{

/// Where descriptor 0, 1 or 2 is closed, what is opened next has its number, such as a GPU: what a
/// program then reads or prints would go there. So each gets a descriptor that refuses just that,
/// with the error of a closed one (EBADF): one that can only be written for input, one that can
/// only be read for the others.
inline void occupyClosedStandardStreams()
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
        if (fcntl(stream, F_GETFD) < 0 && errno == EBADF) // the lowest number that is free is this
            if (open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
}

} // namespace common
