// How the C interface fails: exceptions become statuses and sentences of this thread.
#pragma once

#include "local_entropy/error.h"
#include "local_entropy/local_entropy.h"

#include <new>
#include <string>

namespace local_entropy
{

/// Keeps the sentence for le_last_error(), cut to its room.
le_status fail(Status status, const char *sentence) noexcept;

/// What fail() kept last in this thread; "" before.
const char *lastFailure() noexcept;

/// The one border that exceptions do not cross.
template <typename Call>
le_status guarded(const Call &call) noexcept
{
    try {
        call();
        return LE_OK;
    } catch (const Error &error) {
        return fail(error.status(), error.what());
    } catch (const std::bad_alloc &) {
        return fail(Status::Unavailable, "no memory");
    } catch (const std::exception &error) {
        return fail(Status::Internal, error.what());
    } catch (...) {
        return fail(Status::Internal, "an exception that is none of the library's");
    }
}

[[noreturn]] inline void badArgument(const std::string &sentence)
{
    throw Error(Status::BadArgument, sentence);
}

template <typename T>
T *given(T *pointer, const char *name)
{
    if (!pointer) badArgument(std::string(name) + " is NULL");
    return pointer;
}

} // namespace local_entropy
