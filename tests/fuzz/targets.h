// The fuzz targets: what each is given are bytes that a fuzzer made up. A target throws Defect
// where something is wrong that neither the compiler's sanitizers nor a crash would tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace fuzz
{

struct Defect : std::logic_error
{
    using std::logic_error::logic_error;
};

inline void expect(bool holds, const std::string &otherwise)
{
    if (!holds) throw Defect(otherwise);
}

void samples(const std::uint8_t *data, std::size_t size);     ///< data.bin and text
void reference(const std::uint8_t *data, std::size_t size);   ///< reference.bin
void options(const std::uint8_t *data, std::size_t size);     ///< command lines
void c_interface(const std::uint8_t *data, std::size_t size); ///< structs of local_entropy.h
void methods(const std::uint8_t *data, std::size_t size);     ///< every method against `plain`

struct Target
{
    const char *name; ///< of its source, and of the folder of its corpus
    void (*run)(const std::uint8_t *data, std::size_t size);
};

constexpr Target kTargets[] = {{"samples", samples},
                               {"reference", reference},
                               {"options", options},
                               {"c_interface", c_interface},
                               {"methods", methods}};

} // namespace fuzz
