// The last words of a program whose core crashes, or ends the program in the middle of a call.
#pragma once

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

namespace entropy
{

/// While one of these lives, a fatal signal in any thread, or exit() called by the core, ends the
/// program with `before`, what happened and `after` on standard output, and status 1, as for any
/// other wrong answer. A handler of signals may do little, so the words are ready. It has a stack
/// of its own in the thread that makes the guard: a stack that overflows has no room for a handler.
/// Not caught: _exit(), and an overflow in other threads. One at a time.
class CrashGuard
{
public:
    CrashGuard(const std::string &before, const std::string &after)
    {
        words() = {before, after};
        inside() = true;
        static const bool once = [] {
            std::atexit([] {
                if (inside()) end("the core ended the program");
            });
            return true;
        }();
        static_cast<void>(once);

        static char handlersStack[1 << 16];
        stack_t stack{};
        stack.ss_sp = handlersStack;
        stack.ss_size = sizeof handlersStack;
        sigaltstack(&stack, &stackBefore);
        struct sigaction action
        {
        };
        action.sa_handler = handle;
        action.sa_flags = SA_ONSTACK;
        sigfillset(&action.sa_mask);
        for (std::size_t i = 0; i < kSignals.size(); ++i)
            sigaction(kSignals[i], &action, &actionsBefore[i]);
    }
    ~CrashGuard()
    {
        inside() = false;
        for (std::size_t i = 0; i < kSignals.size(); ++i)
            sigaction(kSignals[i], &actionsBefore[i], nullptr);
        sigaltstack(&stackBefore, nullptr);
    }
    CrashGuard(const CrashGuard &) = delete;
    CrashGuard &operator=(const CrashGuard &) = delete;

private:
    static constexpr std::array<int, 5> kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

    struct Words
    {
        std::string before, after;
    };
    static Words &words()
    {
        static Words ready;
        return ready;
    }
    static std::atomic<bool> &inside()
    {
        static std::atomic<bool> flag{false};
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
        static std::atomic<bool> ending{false};
        while (ending.exchange(true)) pause(); // another thread was first: it ends the program
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
            : signal == SIGILL ? "the core crashed: an unknown instruction (SIGILL)"
                               : "the core crashed: it aborted (SIGABRT)");
    }

    stack_t stackBefore{};
    std::array<struct sigaction, kSignals.size()> actionsBefore{};
};

} // namespace entropy
