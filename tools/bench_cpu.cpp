// How fast is the CPU engine? Every path of this machine, on several contents and sizes and with
// 1, 2, 4, ... threads, beside a streaming copy of the same arrays by as many threads.

#include "bench/cells.h"
#include "bench/program.h"
#include "entropy/reference.h"
#include "entropy/result_memory.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <omp.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace
{

constexpr const char *kWhat =
    R"(Times every path of the CPU engine that this machine has, float in and float out, in touched memory,
validated first, beside a copy around the caches by as many threads.
)";

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

/// One array, its right answer, and the memory that all results of it go to.
class Array
{
public:
    Array(const std::string &content, int width, int height)
        : cells(bench::makeCells(content, width, height)),
          gold(entropy::reference(width, height, cells.sample.data())),
          result(entropy::allocateResult(cells.count()))
    {
        fill(0);
    }

    /// The median of a copy by so many threads, in ms; measured when it is first asked for.
    double copy(int threads)
    {
        if (threads != copyThreads)
            copyMedian = timeCopy(cells.sample, result.get(), threads).median;
        copyThreads = threads;
        return copyMedian;
    }

    bench::Work work(const std::string &path, int threads)
    {
        local_entropy::EngineOptions options;
        options.path = path;
        options.threads = threads;
        const auto engine = std::make_shared<local_entropy::Engine>(options);
        const double copied = copy(threads);
        fill(NAN);
        bench::Work work;
        work.run = [this, engine] { bench::compute(*engine, cells, result.get()); };
        work.check = [this] { check(); };
        work.beside = [copied] { return std::vector<double>{copied}; };
        return work;
    }

private:
    void fill(float value) { std::fill_n(result.get(), cells.count(), value); }

    void check() const
    {
        if (!entropy::compare(cells.width, cells.height, result.get(), gold.data()).passed)
            throw bench::WrongAnswer("wrong");
    }

    const bench::Cells cells;
    const std::vector<float> gold;
    const common::HostArray<float> result;
    int copyThreads = 0;
    double copyMedian = 0;
};

/// The paths there are, and the engine's own choice: the empty one.
std::vector<std::string> paths()
{
    const std::vector<std::string> here = local_entropy::Engine::paths();
    std::vector<std::string> paths;
    for (const std::string path : {"avx512", "avx2", "portable"})
        if (std::find(here.begin(), here.end(), path) != here.end()) paths.push_back(path);
    paths.emplace_back();
    return paths;
}

bench::Case arrayCase(const std::string &content, int width, int height,
                      const std::vector<int> &threadCounts)
{
    const auto rows = [=] {
        const auto array = std::make_shared<Array>(content, width, height);
        std::vector<bench::Row> rows;
        for (const int threads : threadCounts)
            for (const std::string &path : paths()) {
                bench::Row row;
                row.keys = {path.empty() ? "best" : path, content, std::to_string(width),
                            std::to_string(height), std::to_string(threads)};
                row.results = static_cast<double>(width) * height;
                row.open = [=] { return array->work(path, threads); };
                rows.push_back(row);
            }
        return rows;
    };
    return {content + " " + bench::sizeOf(width, height), "", 2 * sizeof(float), rows};
}

std::vector<bench::Case> cases()
{
    const int most = omp_get_max_threads();
    std::vector<int> all;
    for (int threads = 1; threads < most; threads *= 2) all.push_back(threads);
    all.push_back(most);
    std::vector<bench::Case> cases;
    for (const int side : {5, 64, 400, 2560}) cases.push_back(arrayCase("random", side, side, all));
    cases.push_back(arrayCase("random", 10240, 4096, all));
    for (const char *content : {"smooth", "flat", "levels=2", "checkerboard", "dominant"})
        cases.push_back(arrayCase(content, 10240, 4096, {1}));
    for (const int width : {10, 61, 500, 10237})
        cases.push_back(arrayCase("random", width, 10000000 / width, {1}));
    cases.push_back(arrayCase("random", 1000000, 10, {1}));
    return cases;
}

} // namespace

int main(int argc, char **argv)
{
    const bench::Layout layout{
        {{"path"}, {"content"}, {"width"}, {"height"}, {"threads"}},
        {bench::median(), bench::minimum(), bench::rate("mcells_per_s", "Mcell/s"),
         bench::beside(0, "copy_ms", "ms a copy"), bench::shareOf(0, "of copy")}};
    return bench::runProgram({"bench_cpu", kWhat, layout, {}, cases}, argc, argv);
}
