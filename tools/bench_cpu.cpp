// How fast is the CPU engine? Every path of this machine, on several contents and sizes and with
// 1, 2, 4, ... threads, beside a streaming copy of the same arrays by as many threads.

#include "common/csv.h"
#include "common/error.h"
#include "common/file_program.h"
#include "common/measure.h"
#include "common/progress.h"
#include "entropy/contents.h"
#include "entropy/reference.h"
#include "entropy/result_memory.h"
#include "local_entropy/engine.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <omp.h>
#include <string>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace
{

constexpr const char *kHelp =
    R"(usage: bench_cpu [FILE.csv]

Times every path of the CPU engine that this machine has, float in and float out, in touched memory,
validated first; prints the table and writes it to FILE.csv.
)";

std::vector<float> makeSample(const std::string &content, int width, int height)
{
    const auto levels =
        entropy::makeContent(entropy::parseContent(content), width, height, 20201122);
    return {levels.begin(), levels.end()};
}

/// Copies whole cache lines of `to` around the caches, where the compiler has stores for that.
void streamingCopy(float *to, const float *from, std::size_t size)
{
    std::size_t i = 0;
#if defined(__SSE2__)
    for (; i < size && reinterpret_cast<std::uintptr_t>(to + i) % 64; ++i) to[i] = from[i];
    for (; i + 16 <= size; i += 16) {
        const __m128 line[4] = {_mm_loadu_ps(from + i), _mm_loadu_ps(from + i + 4),
                                _mm_loadu_ps(from + i + 8), _mm_loadu_ps(from + i + 12)};
        for (int part = 0; part < 4; ++part) _mm_stream_ps(to + i + 4 * part, line[part]);
    }
    _mm_sfence();
#endif
    std::memcpy(to + i, from + i, (size - i) * sizeof(float));
}

common::Timing timeCopy(const std::vector<float> &from, float *to, int threads)
{
    const auto run = [&] {
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int part = 0; part < threads; ++part) {
            const std::size_t begin = from.size() * part / threads;
            streamingCopy(to + begin, &from[begin], from.size() * (part + 1) / threads - begin);
        }
        return 0;
    };
    return common::measure(run, [](int) {});
}

class Bench
{
public:
    /// One array, all paths and numbers of threads.
    void run(const std::string &content, int width, int height,
             const std::vector<int> &threadCounts)
    {
        const std::vector<float> sample = makeSample(content, width, height);
        const std::vector<float> gold = entropy::reference(width, height, sample.data());
        const common::HostArray<float> result = entropy::allocateResult(sample.size());
        std::fill_n(result.get(), sample.size(), 0.0f);
        for (const int threads : threadCounts) {
            const common::Timing copy = timeCopy(sample, result.get(), threads);
            for (const std::string path : {"avx512", "avx2", "portable", ""})
                if (works(path))
                    time(path, content, width, height, threads, sample, gold, result.get(), copy);
        }
    }

    void save(const char *file) const { csv.save(file); }

private:
    static bool works(const std::string &path)
    {
        const std::vector<std::string> all = local_entropy::Engine::paths();
        return path.empty() || std::find(all.begin(), all.end(), path) != all.end();
    }

    void time(const std::string &path, const std::string &content, int width, int height, int threads,
              const std::vector<float> &sample, const std::vector<float> &gold, float *result,
              const common::Timing &copy)
    {
        local_entropy::EngineOptions options;
        options.path = path;
        options.threads = threads;
        local_entropy::Engine engine(options);
        local_entropy::Filter filter;
        filter.levels.count = 16;
        const std::string name = path.empty() ? "best" : path;
        const auto once = [&] {
            engine.run(filter, local_entropy::View<const float>{sample.data(), width, height},
                       local_entropy::View<float>{result, width, height});
            return 0;
        };
        std::fill_n(result, sample.size(), NAN);
        const common::Timing timing = common::measure(once, [&](int) {
            if (!entropy::compare(width, height, result, gold.data()).passed)
                throw common::Error(name + " is wrong on " + content +
                                    " " + std::to_string(width) + " x " + std::to_string(height));
        });
        const double mega = sample.size() / timing.median / 1e3;
        std::printf("%-9s %-13s %6d x %-6d %3d threads %10.4f ms %9.1f Mcell/s %6.3f of copy\n",
                    name.c_str(), content.c_str(), width, height, threads, timing.median,
                    mega, copy.median / timing.median);
        std::fflush(stdout);
        csv.add({name, content, std::to_string(width), std::to_string(height),
                 std::to_string(threads), std::to_string(timing.median),
                 std::to_string(timing.minimum), std::to_string(mega),
                 std::to_string(copy.median)});
    }

    common::Csv csv{{"path", "content", "width", "height", "threads", "median_ms", "min_ms",
                     "mcells_per_s", "copy_ms"}};
};

int run(const char *file)
{
    const int most = omp_get_max_threads();
    std::vector<int> all;
    for (int threads = 1; threads < most; threads *= 2) all.push_back(threads);
    all.push_back(most);
    Bench bench;
    for (const int side : {5, 64, 400, 2560}) bench.run("random", side, side, all);
    bench.run("random", 10240, 4096, all);
    for (const char *content : {"smooth", "flat", "levels=2", "checkerboard", "dominant"})
        bench.run(content, 10240, 4096, {1});
    for (const int width : {10, 61, 500, 10237}) bench.run("random", width, 10000000 / width, {1});
    bench.run("random", 1000000, 10, {1});
    if (file) bench.save(file);
    return EXIT_SUCCESS;
}

} // namespace

int main(int argc, char **argv) { return common::fileProgram("bench_cpu", kHelp, argc, argv, run); }
