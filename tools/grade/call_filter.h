// A program for the system that looks at each call: built rule by rule, then installed for good.
#pragma once

#if defined(__x86_64__) || defined(__aarch64__)
#define GRADE_FILTERS_CALLS

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <vector>

namespace grade
{

/// The first rule that fits a call answers it.
class CallFilter
{
public:
    static constexpr std::uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;

    /// Refuses calls by another machine's names.
    CallFilter()
    {
#ifdef __x86_64__
        constexpr std::uint32_t kMachine = AUDIT_ARCH_X86_64;
#else
        constexpr std::uint32_t kMachine = AUDIT_ARCH_AARCH64;
#endif
        load(offsetof(seccomp_data, arch));
        add(BPF_JMP | BPF_JEQ | BPF_K, kMachine, 1, 0);
        add(BPF_RET | BPF_K, kRefuse);
        load(offsetof(seccomp_data, nr));
#ifdef __x86_64__
        add(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1); // the x32 names of the same calls
        add(BPF_RET | BPF_K, kRefuse);
#endif
    }

    void answer(long call, std::uint32_t what)
    {
        add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1);
        add(BPF_RET | BPF_K, what);
    }

    /// Refuses a call unless its first argument compares so with a value.
    void allowOnlyWhere(long call, std::uint16_t comparison, std::uint32_t value)
    {
        add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 4);
        loadArgument(0);
        add(BPF_JMP | comparison | BPF_K, value, 0, 1);
        add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
        add(BPF_RET | BPF_K, kRefuse);
    }

    /// Refuses a call where these bits of an argument, counted from 0, are one of the values.
    void refuseWhere(long call, int argument, std::uint32_t bits,
                     std::initializer_list<std::uint32_t> values)
    {
        const int rest = static_cast<int>(2 * values.size()) + 3;
        add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, rest);
        loadArgument(argument);
        add(BPF_ALU | BPF_AND | BPF_K, bits);
        for (const std::uint32_t value : values) answer(value, kRefuse);
        add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }

    /// All other calls are allowed. Returns whether the system has taken it.
    bool install()
    {
        add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
        const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
        return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
    }

private:
    void add(std::uint16_t code, std::uint32_t value, int yes = 0, int no = 0)
    {
        program.push_back(
            {code, static_cast<std::uint8_t>(yes), static_cast<std::uint8_t>(no), value});
    }
    void load(std::size_t offset)
    {
        add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
    }
    /// Its lower half, which comes first on both machines.
    void loadArgument(int number)
    {
        load(offsetof(seccomp_data, args) + sizeof(std::uint64_t) * number);
    }

    std::vector<sock_filter> program;
};

} // namespace grade

#endif
