// What is below the library (common/: CUDA, tables) throws its own errors; callers of the library
// get the library's.
#pragma once

#include "common/error.h"
#include "local_entropy/error.h"

#include <new>

namespace local_entropy
{

/// Returns what call() returns; what it throws of common/ becomes an Error of the same sentence, in
/// which CUDA_CHECK has put the call and its cause, and so does lack of memory.
template <typename Call>
auto withLibraryErrors(const Call &call) -> decltype(call())
{
    try {
        return call();
    } catch (const common::Unavailable &error) {
        throw Error(Status::Unavailable, error.what());
    } catch (const common::Error &error) {
        throw Error(Status::Internal, error.what());
    } catch (const std::bad_alloc &) {
        throw Error(Status::Unavailable, "no memory for the tables or a tile");
    }
}

} // namespace local_entropy
