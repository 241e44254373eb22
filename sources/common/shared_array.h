// Memory that a child process (child.h) can read: what is made once need not be made in each.
#pragma once

#include "common/error.h"

#include <cstddef>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace common
{

/// `size` elements in memory that has a descriptor. The process that makes it fills it; a child
/// opens it by descriptor() and reads it.
template <typename T>
class SharedArray
{
public:
    explicit SharedArray(std::size_t size) : file(memfd_create("shared", 0)), count(size)
    {
        if (file < 0 || ftruncate(file, static_cast<off_t>(bytes())) != 0) fail();
        map(PROT_READ | PROT_WRITE);
    }
    SharedArray(int descriptor, std::size_t size) : file(descriptor), count(size)
    {
        map(PROT_READ);
    }
    ~SharedArray()
    {
        munmap(elements, bytes());
        close(file);
    }
    SharedArray(const SharedArray &) = delete;
    SharedArray &operator=(const SharedArray &) = delete;

    int descriptor() const { return file; }
    T *data() { return elements; }
    const T *data() const { return elements; }
    std::size_t size() const { return count; }

private:
    std::size_t bytes() const { return count * sizeof(T); }

    void map(int protection)
    {
        void *memory = mmap(nullptr, bytes(), protection, MAP_SHARED, file, 0);
        if (memory == MAP_FAILED) fail();
        elements = static_cast<T *>(memory);
    }

    [[noreturn]] void fail() const
    {
        if (file >= 0) close(file);
        throw Unavailable("no shared memory for " + std::to_string(count) + " elements");
    }

    int file;
    std::size_t count;
    T *elements = nullptr;
};

} // namespace common
