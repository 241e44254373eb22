// What a fuzzer made up, as a file to be read.
#pragma once

#include "../temporary.h"
#include "targets.h"

namespace fuzz
{

/// A file of that name with those bytes, gone at the next call: one for each name, in a
/// folder that is gone when the program ends.
inline std::string fileOf(const std::string &name, const std::uint8_t *data, std::size_t size)
{
    static const TemporaryDirectory directory;
    const std::string path = directory.path(name);
    std::remove(path.c_str()); // a file that is written over waits for the disk
    std::FILE *const file = std::fopen(path.c_str(), "wb");
    expect(file && std::fwrite(data, 1, size, file) == size && std::fclose(file) == 0,
           path + " cannot be written");
    return path;
}

} // namespace fuzz
