// The tables of Answers in the memory of a GPU. For .cu files that nvcc compiles.
#pragma once

#include "common/device_array.h"
#include "local_entropy/answers/answers.h"

namespace local_entropy
{

class GpuAnswers
{
public:
    /// On the current GPU.
    explicit GpuAnswers(const Answers &answers)
        : host(answers.tables()), sums(copyOf(host.sums)), wideSums(copyOf(host.wideSums)),
          scales(copyOf(host.scales)), logarithms(copyOf(host.logarithms))
    {
    }

    /// For kernels, as long as this lives.
    AnswerTables tables() const
    {
        AnswerTables all = host;
        all.sums = sums.data();
        all.wideSums = wideSums.data();
        all.scales = scales.data();
        all.logarithms = logarithms.data();
        return all;
    }

private:
    /// Of what this measure has; of the others one element that nobody reads.
    template <typename T>
    common::DeviceArray<T> copyOf(const T *table) const
    {
        static const T none{};
        return table ? common::upload(table, static_cast<std::size_t>(host.most) + 1)
                     : common::upload(&none, 1);
    }

    const AnswerTables host;
    const common::DeviceArray<std::int64_t> sums;
    const common::DeviceArray<UInt128> wideSums;
    const common::DeviceArray<double> scales;
    const common::DeviceArray<UInt128> logarithms;
};

} // namespace local_entropy
