// Memory of one thread of an engine, kept from call to call.
#pragma once

#include <cstddef>
#include <memory>

namespace local_entropy
{

class Scratch
{
public:
    enum Slot { Cells, Absent, Row, MethodA, MethodB, MethodC, kSlots };

    /// At least that many bytes on a boundary of a page, with what they held before if they were
    /// enough. Valid until the slot is asked for more. Throws Error (Unavailable) without memory.
    void *get(Slot slot, std::size_t bytes);

private:
    struct Free
    {
        void operator()(void *memory) const;
    };
    std::unique_ptr<void, Free> memory[kSlots];
    std::size_t size[kSlots] = {};
};

} // namespace local_entropy
