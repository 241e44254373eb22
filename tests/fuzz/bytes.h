// The bytes of a fuzzer as numbers. Behind their end there are zeros.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace fuzz
{

class Bytes
{
public:
    Bytes(const std::uint8_t *data, std::size_t size) : data(data), left(size) {}

    bool empty() const { return left == 0; }

    template <typename T>
    T take()
    {
        T value{};
        const std::size_t size = std::min(left, sizeof value);
        if (size) std::memcpy(&value, data, size);
        data += size, left -= size;
        return value;
    }

    /// 0 .. n - 1, of one byte; n is at most 256.
    int below(int n) { return take<std::uint8_t>() % n; }

    std::string rest()
    {
        const std::string text(reinterpret_cast<const char *>(data), left);
        data += left, left = 0;
        return text;
    }

private:
    const std::uint8_t *data;
    std::size_t left;
};

} // namespace fuzz
