#include "local_entropy/schedule/questions.h"

#include <algorithm>
#include <new>
#include <utility>

namespace local_entropy
{

Questions::Lease::Lent Questions::take(const Asked &asked)
{
    Lease::Lent lent;
    const std::lock_guard<std::mutex> lock(mutex);
    for (auto one = idle.rbegin(); one != idle.rend(); ++one)
        if ((*one)->isThatOf(asked)) {
            lent.question = std::move(*one);
            idle.erase(std::next(one).base());
            break;
        }
    if (!scratches.empty()) {
        lent.scratch = std::move(scratches.back());
        scratches.pop_back();
    }
    return lent;
}

void Questions::giveBack(Lease::Lent lent)
{
    std::unique_ptr<Question> forgotten; // freed without the lock
    const std::lock_guard<std::mutex> lock(mutex);
    try {
        if (lent.scratch) scratches.push_back(std::move(lent.scratch));
    } catch (const std::bad_alloc &) { // then it is freed: a destructor must not throw
    }
    if (!lent.question) return;
    if (idle.size() == kMost) {
        forgotten = std::move(idle.front());
        idle.erase(idle.begin());
    }
    idle.push_back(std::move(lent.question)); // reserved
}

/// By another constructor, so that what is lent is given back even if this one throws.
Questions::Lease::Lease(Questions &from, const Asked &asked, Plans &plans) : Lease(from, asked)
{
    if (!lent.question) lent.question = std::make_unique<Question>(asked, from.choice, plans);
    if (!lent.scratch) lent.scratch = std::make_unique<Scratch>();
    question().place(asked);
}

Questions::Lease::~Lease()
{
    if (lent.question) question().end();
    // Where the callback has forked, a thread of the other process may have had the lock.
    if (!process.isLeft()) from.giveBack(std::move(lent));
}

} // namespace local_entropy
