// This program started once more, as a fresh process: for what only the first call of a process
// shows, and for other settings in the environment.
#pragma once

#include "common/error.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace common
{

/// What a process wrote and how it ended.
struct ChildOutcome
{
    int status = -1;    ///< exit status; -1 if it did not exit
    std::string output; ///< standard output
};

/// Runs this program with other arguments, and `settings` (name, value) added to the environment,
/// to its end. Standard error is shared, and so are open files that have no O_CLOEXEC.
inline ChildOutcome runChild(const std::vector<std::string> &arguments,
                             const std::vector<std::pair<std::string, std::string>> &settings = {})
{
    std::vector<std::string> words = arguments;
    words.insert(words.begin(), "/proc/self/exe");
    std::vector<std::string> environment;
    for (const auto &[name, value] : settings) environment.push_back(name + "=" + value);
    // Of two settings with one name the first one counts.
    for (char **setting = environ; *setting; ++setting) environment.emplace_back(*setting);
    const auto pointersTo = [](std::vector<std::string> &texts) {
        std::vector<char *> pointers;
        for (std::string &text : texts) pointers.push_back(text.data());
        pointers.push_back(nullptr);
        return pointers;
    };
    const std::vector<char *> argv = pointersTo(words), envp = pointersTo(environment);

    int ends[2];
    const auto failed = [](const char *what) {
        return Error(std::string(what) + " failed: " + std::strerror(errno));
    };
    if (pipe(ends) != 0) throw failed("pipe");
    std::fflush(nullptr); // or the child would write it too
    const pid_t child = fork();
    if (child == 0) { // no thread but this one is here now
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execve(argv[0], argv.data(), envp.data());
        _exit(127);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        throw failed("fork");
    }
    ChildOutcome outcome;
    char buffer[4096];
    for (ssize_t bytes; (bytes = read(ends[0], buffer, sizeof buffer)) != 0;) {
        if (bytes > 0)
            outcome.output.append(buffer, static_cast<std::size_t>(bytes));
        else if (errno != EINTR)
            break;
    }
    close(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status)) outcome.status = WEXITSTATUS(status);
    return outcome;
}

} // namespace common
