// Errors of this project: one exception type, and a note of what was being done when it was thrown.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace common
{

/// Names the work in progress ("v3") for as long as it lives, so that an error thrown anywhere
/// below says where it belongs. Scopes nest, the outer name first; each host thread has its own.
class ErrorScope
{
public:
    explicit ErrorScope(std::string name) : name(std::move(name)), outer(innermost())
    {
        innermost() = this;
    }
    ~ErrorScope() { innermost() = outer; }
    ErrorScope(const ErrorScope &) = delete;
    ErrorScope &operator=(const ErrorScope &) = delete;

    /// "v14: v7: " inside two scopes, nothing outside of any.
    static std::string prefix()
    {
        std::string names;
        for (const ErrorScope *scope = innermost(); scope; scope = scope->outer)
            names = scope->name + ": " + names;
        return names;
    }

private:
    static const ErrorScope *&innermost()
    {
        thread_local const ErrorScope *scope = nullptr;
        return scope;
    }

    std::string name;
    const ErrorScope *outer;
};

/// What this project throws: one sentence, led by the names of the work in progress.
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
