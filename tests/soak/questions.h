// What soak asks: filters and images of many kinds, each with the answers of the method plain.
#pragma once

#include "local_entropy/engine.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace soak
{

class Asked
{
public:
    virtual ~Asked() = default;
    /// Whether every byte of the result is that of plain, gaps between rows included. Throws what
    /// the engine throws.
    virtual bool isRight(local_entropy::Engine &engine,
                         const local_entropy::RunOptions &options = {}) const = 0;
    /// How the engine refuses a filter that is none.
    virtual local_entropy::Status refusal(local_entropy::Engine &engine) const = 0;
    virtual std::string text() const = 0;
    virtual std::size_t cells() const = 0;
};

/// Small ones from seeds, of every type, filter, border and measure: the first `questions`.
/// Then pictures, up to some hundred thousand cells, of filters that programs use.
std::vector<std::unique_ptr<Asked>> allAsked(unsigned seed, int questions);

} // namespace soak
