// Errors of this project: one exception type, and a note of what was being done when it was thrown.
#pragma once

#include <stdexcept>
#include <string>

namespace common
{

/// Names the work in progress ("v3") for as long as it lives, so that an error thrown anywhere
/// below says where it belongs. Scopes nest; each host thread has its own.
class ErrorScope
{
public:
    explicit ErrorScope(const char *name) : outer(current()) { current() = name; }
    ~ErrorScope() { current() = outer; }
    ErrorScope(const ErrorScope &) = delete;
    ErrorScope &operator=(const ErrorScope &) = delete;

    /// "v3: " inside a scope, nothing outside of one.
    static std::string prefix()
    {
        return current() ? std::string(current()) + ": " : std::string();
    }

private:
    static const char *&current()
    {
        thread_local const char *name = nullptr;
        return name;
    }
    const char *outer;
};

/// What this project throws: one sentence, led by the name of the work in progress.
struct Error : std::runtime_error
{
    explicit Error(const std::string &sentence) : runtime_error(ErrorScope::prefix() + sentence) {}
};

/// The work could be done, but not here: too little memory, an array beyond a limit of this device.
struct Unavailable : Error
{
    using Error::Error;
};

} // namespace common
