// One call of CUDA after the other fails, and what becomes of it. For .cu files that nvcc compiles.
#pragma once

#include "../messages.h"
#include "calls.h"
#include "common/device_array.h"
#include "common/devices.h"

#include <functional>
#include <gtest/gtest.h>
#include <string>

namespace calls
{

inline bool nothing(const std::string &) { return false; }
inline bool anything(const std::string &) { return true; }

/// What is tried. Nothing of CUDA but call() fails.
struct Trial
{
    std::function<void()> call;
    std::function<std::string()> wrong; ///< of what call() has left behind; empty: nothing
    /// Whose failure may go unnoticed, or is made up for, besides that of what gives back.
    bool (*goesOn)(const std::string &name) = nothing;
    std::string caller; ///< who calls CUDA, too, and is named instead; empty: nobody
    std::function<void()> begin = [] {}, end = [] {}; ///< before the call, and after the next one
    Fault fault = Fault::OneCall;
    int most = 5000;            ///< of which no more fail
    int stepsADouble = 1 << 20; ///< calls that fail, from n to 2n
};

/// What is wrong with what was told of that failure; empty: nothing.
inline std::string wrongWith(const std::string &sentence, const std::string &name,
                             cudaError_t status, const Trial &trial)
{
    const bool isLost = trial.fault == Fault::Lost; // then the sentence may be of a later call
    const bool isTold = ((isLost || holds(sentence, saidOf(name))) &&
                         holds(sentence, cudaGetErrorString(status))) ||
                        (!trial.caller.empty() && holds(sentence, trial.caller));
    if (!sentence.empty()) return isTold ? "" : "told: " + sentence;
    return isLost || givesBack(name) || trial.goesOn(name) ? trial.wrong() : "nobody was told";
}

/// The same of a whole trial, in which the call of that number fails; `*isLast`: there were fewer.
inline std::string wrongWhere(int number, cudaError_t status, const Trial &trial, bool *isLast)
{
    const int before = live();
    trial.begin();
    const int begun = live();
    std::string sentence, name;
    {
        const Failing failing(number, status, trial.fault);
        sentence = messageOf(trial.call);
        name = failing.name();
    }
    *isLast = name.empty();
    std::string wrong =
        *isLast ? sentence + trial.wrong() : wrongWith(sentence, name, status, trial);
    if (lastErrors() != 0) wrong += "; a last error is left";
    const std::string next = messageOf(trial.call);
    if (!next.empty()) wrong += "; the next call: " + next;
    if (const std::string after = trial.wrong(); !after.empty()) wrong += "; then " + after;
    const int left = live() - begun;
    trial.end();
    if (live() != before)
        wrong += "; " + std::to_string(live() - before) + " leaked, " + std::to_string(left) +
                 " before the end";
    return wrong.empty() ? "" : name + ": " + wrong;
}

/// Has the first call fail, the second, and so on until there are no more; returns how many.
inline int failOneAfterTheOther(const Trial &trial, cudaError_t status = cudaErrorUnknown)
{
    for (int number = 1;; number += 1 + number / trial.stepsADouble) {
        bool isLast = false;
        const std::string wrong = wrongWhere(number, status, trial, &isLast);
        if (!wrong.empty()) ADD_FAILURE() << "call " << number << ", " << wrong;
        if (isLast || number >= trial.most) return number - 1;
    }
}

} // namespace calls

/// Skipped where there is no GPU.
class Faults : public testing::Test
{
protected:
    void SetUp() override
    {
        if (common::deviceCount() == 0) GTEST_SKIP() << common::whyNoDevice();
    }
};
using FaultsDeathTest = Faults;
