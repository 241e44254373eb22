// The questions of an engine that were asked before: a call borrows one, and scratch memory for the
// thread that calls.
#pragma once

#include "local_entropy/memory/scratch.h"
#include "local_entropy/schedule/forks.h"
#include "local_entropy/schedule/question.h"

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace local_entropy
{

class Questions
{
public:
    explicit Questions(const Choice &choice) : choice(choice) { idle.reserve(kMost); }

    /// What a call has for itself: a question, for its arrays, and scratch memory.
    class Lease
    {
    public:
        /// Throws Error where the question cannot be answered.
        Lease(Questions &from, const Asked &asked, Plans &plans);
        ~Lease();
        Lease(const Lease &) = delete;
        Lease &operator=(const Lease &) = delete;
        Question &question() const { return *lent.question; }
        Scratch &scratch() const { return *lent.scratch; }

    private:
        friend class Questions;
        struct Lent
        {
            std::unique_ptr<Question> question;
            std::unique_ptr<Scratch> scratch;
        };

        Lease(Questions &from, const Asked &asked) : from(from), lent(from.take(asked)) {}

        Questions &from;
        const Birthplace process;
        Lent lent;
    };

private:
    static constexpr std::size_t kMost = 32; ///< kept; then the oldest is forgotten

    /// Null where there is none.
    Lease::Lent take(const Asked &asked);
    void giveBack(Lease::Lent lent);

    const Choice choice;
    std::mutex mutex; ///< one for both: to lock costs as much as to compute a few cells
    std::vector<std::unique_ptr<Question>> idle; ///< the last one asked last
    std::vector<std::unique_ptr<Scratch>> scratches;
};

} // namespace local_entropy
