// Memory that the test program and the library in it ask for, by operator new, malloc() and
// aligned_alloc(): counted, and refused where a test wants that. What shared libraries ask malloc()
// for themselves is not seen.
#pragma once

#include "../sanitized.h"

#include <atomic>
#include <cstddef>

namespace allocations
{

/// The thread sanitizer has an operator new of its own, and there can be no other.
constexpr bool kAreCounted = !kThreadSanitizer;
constexpr char kWhyNot[] = "needs an operator new that the thread sanitizer replaces";

extern std::atomic<std::size_t> least;     ///< bytes; smaller ones are granted, and not counted
extern std::atomic<long> soFar;            ///< since the program began
extern std::atomic<long> live;             ///< of them, those not given back
extern std::atomic<long> refused;          ///< the one of this number fails, as without memory
extern std::atomic<long> refusedElsewhere; ///< how many, in other threads than main()'s

/// While one of these lives, 64 KiB that nobody may write to lie behind each block of
/// aligned_alloc(): one at a time, and no more than 64 such blocks.
class Fences
{
public:
    Fences();
    ~Fences();
    Fences(const Fences &) = delete;
    Fences &operator=(const Fences &) = delete;
    /// Of the blocks so far, also of those given back, behind how many somebody wrote; and how many
    /// were too many to have fences.
    int damaged() const;
    int blocks() const; ///< so far
};

} // namespace allocations
