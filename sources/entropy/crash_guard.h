// The last words of a program whose core crashes, or ends the program in the middle of a call.
#pragma once

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

namespace entropy
{

/// While one of these lives, a fatal signal, or exit() called by the core, ends the program with
/// `before`, what happened and `after` on standard output, and status 1, as for any other wrong
/// answer. A handler of signals may do little, so the words are ready. _exit() cannot be caught.
class CrashGuard
{
public:
    CrashGuard(const std::string &before, const std::string &after)
    {
        words() = {before, after};
        inside() = 1;
        static const bool once = [] {
            std::atexit([] {
                if (inside()) end("the core ended the program");
            });
            return true;
        }();
        static_cast<void>(once);
        for (const int signal : kSignals) std::signal(signal, handle);
    }
    ~CrashGuard()
    {
        inside() = 0;
        for (const int signal : kSignals) std::signal(signal, SIG_DFL);
    }
    CrashGuard(const CrashGuard &) = delete;
    CrashGuard &operator=(const CrashGuard &) = delete;

private:
    static constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

    struct Words
    {
        std::string before, after;
    };
    static Words &words()
    {
        static Words ready;
        return ready;
    }
    static volatile std::sig_atomic_t &inside()
    {
        static volatile std::sig_atomic_t flag = 0;
        return flag;
    }

    static void say(const char *text, std::size_t size)
    {
        while (size > 0) {
            const ssize_t written = write(STDOUT_FILENO, text, size);
            if (written <= 0) return;
            text += written;
            size -= static_cast<std::size_t>(written);
        }
    }

    [[noreturn]] static void end(const char *what)
    {
        say(words().before.data(), words().before.size());
        say(what, std::strlen(what));
        say(words().after.data(), words().after.size());
        _exit(1);
    }

    static void handle(int signal)
    {
        end(signal == SIGSEGV  ? "the core crashed: a bad address (SIGSEGV)"
            : signal == SIGBUS ? "the core crashed: a bad address (SIGBUS)"
            : signal == SIGFPE ? "the core crashed: a division by zero or the like (SIGFPE)"
            : signal == SIGILL ? "the core crashed: an instruction there is not (SIGILL)"
                               : "the core crashed: it aborted (SIGABRT)");
    }
};

} // namespace entropy
