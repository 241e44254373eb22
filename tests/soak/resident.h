// The resident memory of this process while it works.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace soak
{

/// The most of each tenth of the work. Memory is flat if the second half takes hardly more than the
/// first: by then, what is kept for later calls has been made.
class Resident
{
public:
    /// To be called now and then; `part` of the work is done.
    void look(double part);
    bool isFlat() const;
    std::string text() const;

private:
    std::array<std::size_t, 10> tenths{};
};

} // namespace soak
