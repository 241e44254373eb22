// Every filter in the memory of a GPU (launches.h), by method; graphs, workspaces, bad cells.
#include "launches.h"
#include "same_bits.h"

#ifdef __CUDACC__
#include <string>
#include <thread>
#include <vector>

using namespace local_entropy;

TEST_F(Launches, OfPlainGiveTheBitsOfTheCpu)
{
    ask<std::uint8_t>("plain", 1000, 300);
    ask<std::uint16_t>("plain", 20000, 200);
    ask<std::int16_t>("plain", 30000, 100);
    ask<float>("plain", 40000, 200);
    ask<bool>("plain", 50000, 60);
}

TEST_F(Launches, OfHistogramGiveTheBitsOfTheCpu)
{
    ask<std::uint8_t>("histogram", 1000, 600);
    ask<std::uint16_t>("histogram", 20000, 400);
    ask<std::int16_t>("histogram", 30000, 200);
    ask<float>("histogram", 40000, 300);
    ask<bool>("histogram", 50000, 100);
}

TEST_F(Launches, OfLevelsGiveTheBitsOfTheCpu)
{
    ask<std::uint8_t>("levels", 80000, 200);
    ask<std::uint16_t>("levels", 90000, 80);
    ask<std::int16_t>("levels", 100000, 80);
    ask<float>("levels", 110000, 160);
    ask<bool>("levels", 120000, 80);
}

TEST_F(Launches, OfWideGiveTheBitsOfTheCpu)
{
    ask<std::uint8_t>("wide", 130000, 120);
    ask<std::uint16_t>("wide", 140000, 160);
    ask<std::int16_t>("wide", 150000, 80);
    ask<float>("wide", 160000, 80);
}

TEST_F(Launches, OfTheChoiceGiveTheBitsOfTheCpu)
{
    ask<std::uint8_t>("", 60000, 200);
    ask<float>("", 70000, 100);
    ask<std::uint16_t>("", 170000, 100);
    ask<std::int16_t>("", 180000, 60);
    ask<bool>("", 190000, 40);
}

TEST_F(Launches, CanBeCapturedIntoAGraph)
{
    constexpr int kWidth = 300, kHeight = 120;
    std::vector<std::uint8_t> cells(kWidth * kHeight);
    std::vector<float> values(cells.size()), expected(cells.size()), found(cells.size());
    Filter filter;
    filter.window.width = filter.window.height = 9; // some results are looked at twice
    Engine cpu, engine;
    const common::Stream stream;
    auto image = common::upload(cells.data(), cells.size());
    auto result = common::poisoned<float>(cells.size());
    const auto enqueue = [&] {
        engine.enqueue(filter, View<const std::uint8_t>{image.data(), kWidth, kHeight},
                       View<float>{result.data(), kWidth, kHeight}, stream.get());
    };
    CUDA_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
    EXPECT_THROW(enqueue(), Error) << "tables were made in a capture";
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(stream.get(), &graph);
    if (graph) CUDA_CHECK(cudaGraphDestroy(graph));
    enqueue();
    CUDA_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
    enqueue();
    CUDA_CHECK(cudaStreamEndCapture(stream.get(), &graph));
    cudaGraphExec_t executable = nullptr;
    CUDA_CHECK(cudaGraphInstantiate(&executable, graph, 0));
    for (const unsigned factor : {1u, 7u, 255u}) {
        for (std::size_t i = 0; i < cells.size(); ++i)
            cells[i] = static_cast<std::uint8_t>(i * i % 251 * factor % 97);
        CUDA_CHECK(cudaMemcpy(image.data(), cells.data(), cells.size(), cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaMemset(result.data(), 0xFF, result.bytes()));
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaGraphLaunch(executable, stream.get()));
        stream.wait();
        common::download(result, found.data());
        cpu.run(filter, View<const std::uint8_t>{cells.data(), kWidth, kHeight},
                View<float>{expected.data(), kWidth, kHeight});
        EXPECT_TRUE(sameBits(found, expected)) << factor;
    }
    CUDA_CHECK(cudaGraphExecDestroy(executable));
    CUDA_CHECK(cudaGraphDestroy(graph));
}

// More filters than tables are kept for: not those that a graph reads.
TEST_F(Launches, KeepTheTablesOfAGraph)
{
    constexpr int kWidth = 300, kHeight = 120;
    std::vector<std::uint8_t> cells(kWidth * kHeight);
    for (std::size_t i = 0; i < cells.size(); ++i)
        cells[i] = static_cast<std::uint8_t>(i * i % 251);
    const auto image = common::upload(cells.data(), cells.size());
    auto result = common::poisoned<float>(cells.size());
    const View<const std::uint8_t> from{image.data(), kWidth, kHeight};
    const View<float> to{result.data(), kWidth, kHeight};
    Filter filter;
    filter.window.width = filter.window.height = 9;
    EngineOptions options;
    options.method = "histogram"; // one launcher has all of them
    Engine engine(options);
    const common::Stream stream;
    engine.enqueue(filter, from, to, stream.get());
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    CUDA_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
    engine.enqueue(filter, from, to, stream.get());
    CUDA_CHECK(cudaStreamEndCapture(stream.get(), &graph));
    CUDA_CHECK(cudaGraphInstantiate(&executable, graph, 0));
    for (int height = 1; height <= 100; ++height) { // their tables would take the place of others
        Filter other = filter;
        other.window.height = height;
        engine.enqueue(other, from, to, stream.get());
    }
    engine.synchronize();
    CUDA_CHECK(cudaMemset(result.data(), 0xFF, result.bytes()));
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaGraphLaunch(executable, stream.get()));
    stream.wait();
    std::vector<float> expected(cells.size()), found(cells.size());
    common::download(result, found.data());
    Engine cpu;
    cpu.run(filter, View<const std::uint8_t>{cells.data(), kWidth, kHeight},
            View<float>{expected.data(), kWidth, kHeight});
    EXPECT_TRUE(sameBits(found, expected));
    CUDA_CHECK(cudaGraphExecDestroy(executable));
    CUDA_CHECK(cudaGraphDestroy(graph));
}

namespace
{

/// One filter's cells, results, and the bits that the CPU gives.
template <typename Cell>
class Asked
{
public:
    Asked(int window, int levels) : image(kWidth * kHeight), expected(kWidth * kHeight)
    {
        filter.window.width = filter.window.height = window;
        filter.levels.count = levels;
        std::vector<Cell> cells(expected.size());
        for (std::size_t i = 0; i < cells.size(); ++i)
            cells[i] = static_cast<Cell>(i * i % 251 % levels);
        CUDA_CHECK(cudaMemcpy(image.data(), cells.data(), image.bytes(), cudaMemcpyHostToDevice));
        Engine cpu;
        cpu.run(filter, View<const Cell>{cells.data(), kWidth, kHeight},
                View<float>{expected.data(), kWidth, kHeight});
    }
    void enqueue(Engine &engine, cudaStream_t stream)
    {
        engine.enqueue(filter, View<const Cell>{image.data(), kWidth, kHeight},
                       View<float>{result.data(), kWidth, kHeight}, stream);
    }
    bool isRight(cudaStream_t stream) const
    {
        CUDA_CHECK(cudaStreamSynchronize(stream));
        const auto found = common::download(result);
        return std::memcmp(found.get(), expected.data(), result.bytes()) == 0;
    }

private:
    static constexpr int kWidth = 300, kHeight = 200;
    Filter filter;
    common::DeviceArray<Cell> image;
    common::DeviceArray<float> result = common::poisoned<float>(kWidth * kHeight);
    std::vector<float> expected;
};

} // namespace

// The same kernels with more shared memory and with less: what one engine needs does not depend on
// what another one allows its kernels in between.
TEST_F(Launches, OfSeveralEnginesAtOnceHaveTheirSharedMemory)
{
    constexpr int kTimes = 1500;
    std::vector<std::string> wrong(4, "did not end");
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < wrong.size(); ++i)
        threads.emplace_back([&, i] {
            try {
                Engine engine;
                const common::Stream stream;
                const int levels = i % 2 ? 256 : 40;
                Asked<std::uint8_t> nine(9, levels), wide(15, levels);
                for (int times = 0; times < kTimes; ++times) {
                    nine.enqueue(engine, stream.get());
                    wide.enqueue(engine, stream.get());
                }
                wrong[i] = nine.isRight(stream.get()) && wide.isRight(stream.get()) ? "" : "wrong";
            } catch (const std::exception &error) {
                wrong[i] = error.what();
            }
        });
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<std::string>(wrong.size()));
}

// One that the caller has seen by its status, say, and has not taken from CUDA.
TEST_F(Launches, AreNotBlamedForAnEarlierErrorOfTheCaller)
{
    Engine engine;
    const common::Stream stream;
    Asked<std::uint8_t> histogram(9, 256), levels(41, 4), checked(5, 200);
    Asked<float> loaded(9, 256);
    Asked<std::uint16_t> plain(31, 60000);
    const auto blame = [&](auto &asked, const char *name) {
        void *memory = nullptr;
        EXPECT_EQ(cudaMalloc(&memory, std::size_t(1) << 60), cudaErrorMemoryAllocation);
        EXPECT_NO_THROW(asked.enqueue(engine, stream.get())) << name;
        cudaGetLastError();
        EXPECT_TRUE(asked.isRight(stream.get())) << name;
    };
    blame(histogram, "histogram");
    blame(levels, "levels");
    blame(checked, "checked");
    blame(loaded, "loaded");
    blame(plain, "plain");
}

TEST_F(Launches, RefuseWhatHasTooManyColumns)
{
    constexpr std::int64_t kTooMany = (std::int64_t(1) << 30) + 1;
    // Arrays that are nowhere, far from each other.
    const auto *const cells = reinterpret_cast<const std::uint8_t *>(std::uintptr_t{1} << 40);
    auto *const values = reinterpret_cast<float *>(std::uintptr_t{1} << 44);
    Filter filter;
    Engine engine;
    try {
        engine.enqueue(filter, View<const std::uint8_t>{cells, kTooMany, 1},
                       View<float>{values, kTooMany, 1});
        FAIL() << "not refused";
    } catch (const Error &error) {
        EXPECT_EQ(error.status(), Status::Unavailable);
        EXPECT_NE(std::string(error.what()).find("2^30"), std::string::npos) << error.what();
    }
}

// Of several methods: what was seen for one is told, and all are waited for, and told once.
TEST_F(Launches, OfSeveralMethodsAreWaitedForTogether)
{
    const std::vector<std::uint8_t> cells(64 * 64, 200);
    const auto image = common::upload(cells.data(), cells.size());
    auto result = common::poisoned<float>(cells.size());
    Engine engine;
    for (const int side : {5, 9, 63}) {
        Filter filter;
        filter.levels.count = 100;
        filter.window.width = filter.window.height = side;
        engine.enqueue(filter, View<const std::uint8_t>{image.data(), 64, 64},
                       View<float>{result.data(), 64, 64});
    }
    EXPECT_THROW(engine.synchronize(), Error);
    EXPECT_NO_THROW(engine.synchronize());
}

TEST_F(Launches, WorkInMemoryThatIsGiven)
{
    constexpr int kWidth = 200, kHeight = 90;
    std::vector<std::uint8_t> cells(kWidth * kHeight);
    for (std::size_t i = 0; i < cells.size(); ++i)
        cells[i] = static_cast<std::uint8_t>(i * i % 241);
    std::vector<float> expected(cells.size()), found(cells.size());
    const auto image = common::upload(cells.data(), cells.size());
    auto result = common::poisoned<float>(cells.size());
    const View<const std::uint8_t> from{image.data(), kWidth, kHeight};
    const View<float> to{result.data(), kWidth, kHeight};
    Engine engine;
    for (const int side : {4, 5, 9, 31}) {
        Filter filter;
        filter.window.width = filter.window.height = side;
        engine.run(filter, View<const std::uint8_t>{cells.data(), kWidth, kHeight},
                   View<float>{expected.data(), kWidth, kHeight});
        RunOptions options;
        const std::size_t bytes = engine.workspaceBytes(filter, from, to);
        constexpr std::size_t kMore = 4096;
        auto memory = common::poisoned<char>(bytes + kMore);
        const auto tail = [&] {
            std::vector<char> all(bytes + kMore);
            common::download(memory, all.data());
            return std::string(all.begin() + static_cast<std::ptrdiff_t>(bytes), all.end());
        };
        const std::string before = tail();
        CUDA_CHECK(cudaMemset(result.data(), 0xFF, result.bytes()));
        CUDA_CHECK(cudaDeviceSynchronize());
        options.workspace = {memory.data(), bytes};
        engine.enqueue(filter, from, to, nullptr, options);
        engine.synchronize();
        common::download(result, found.data());
        EXPECT_TRUE(sameBits(found, expected)) << side;
        EXPECT_EQ(tail(), before) << "written behind the workspace";

        const auto refused = [&](const Workspace &workspace) {
            options.workspace = workspace;
            try {
                engine.enqueue(filter, from, to, nullptr, options);
            } catch (const Error &error) {
                EXPECT_EQ(error.status(), Status::BadArgument);
                return std::string(error.what());
            }
            return std::string("not refused");
        };
        EXPECT_NE(refused({memory.data(), bytes - 1}).find("expected " + std::to_string(bytes)),
                  std::string::npos);
        EXPECT_NE(refused({memory.data() + 8, bytes}).find("256 does not divide"),
                  std::string::npos);
        EXPECT_NE(refused({cells.data(), bytes}).find("the workspace is not in the memory"),
                  std::string::npos);
    }
}

// Where there are more items than warps, warps take them one by one and count them in the
// workspace, whatever it holds before.
TEST_F(Launches, OfManyItemsCountThemInMemoryThatIsGiven)
{
    constexpr int kWidth = 300000, kHeight = 12;
    std::vector<std::uint8_t> cells(kWidth * kHeight);
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<std::uint8_t>(i / 3 % 16);
    std::vector<float> expected(cells.size());
    Filter filter;
    filter.window.width = filter.window.height = 5;
    filter.levels.count = 16;
    filter.border = Border::Wrap; // such an image is loaded
    Engine().run(filter, View<const std::uint8_t>{cells.data(), kWidth, kHeight},
                 View<float>{expected.data(), kWidth, kHeight});
    const auto image = common::upload(cells.data(), cells.size());
    auto result = common::poisoned<float>(cells.size());
    const View<const std::uint8_t> from{image.data(), kWidth, kHeight};
    const View<float> to{result.data(), kWidth, kHeight};
    EngineOptions words;
    words.method = "words";
    Engine engine(words);
    common::DeviceArray<char> memory(engine.workspaceBytes(filter, from, to));
    CUDA_CHECK(cudaMemset(memory.data(), 0x5A, memory.bytes())); // more than there are items
    CUDA_CHECK(cudaDeviceSynchronize());
    RunOptions options;
    options.workspace = {memory.data(), memory.bytes()};
    engine.enqueue(filter, from, to, nullptr, options);
    engine.synchronize();
    const auto found = common::download(result);
    EXPECT_EQ(std::memcmp(found.get(), expected.data(), result.bytes()), 0);
}

TEST_F(Launches, TellTheFirstBadCell)
{
    // Images that are loaded, and images that stay where they are.
    for (const int width : {70, 1501})
        for (const int count : {16, 100, 128, 200})
            for (const int bad : {count, 255}) {
                std::vector<std::uint8_t> cells(width * 50, static_cast<std::uint8_t>(count - 1));
                cells[12 * width + width - 9] = static_cast<std::uint8_t>(bad);
                cells[40 * width + 5] = 255;
                Filter filter;
                filter.levels.count = count;
                std::vector<float> values(cells.size());
                OnDevice<const std::uint8_t> image(
                    View<const std::uint8_t>{cells.data(), width, 50, width});
                OnDevice<float> result(View<float>{values.data(), width, 50, width});
                Engine engine;
                engine.enqueue(filter, image.view(), result.view());
                try {
                    engine.synchronize();
                    FAIL() << "a bad cell was not told";
                } catch (const Error &error) {
                    EXPECT_EQ(error.status(), Status::BadLevel);
                    const std::string place = "x " + std::to_string(width - 9) + ", y 12 ";
                    EXPECT_NE(std::string(error.what()).find(place), std::string::npos)
                        << error.what() << ", " << count << " levels";
                }
                engine.synchronize(); // told once
            }
}

// The kernel itself sees it, where the image stays where it is.
TEST_F(Launches, TellABadCellFarFromTheEnds)
{
    constexpr int kWidth = 3001, kHeight = 60, kX = 1502;
    for (const int side : {5, 9, 31})
        for (const int count : {16, 64, 100, 128})
            for (const int y : {0, 30, kHeight - 1}) {
                std::vector<std::uint8_t> cells(kWidth * kHeight, 3);
                cells[y * kWidth + kX] = static_cast<std::uint8_t>(count);
                Filter filter;
                filter.window.width = filter.window.height = side;
                filter.levels.count = count;
                std::vector<float> values(cells.size());
                OnDevice<const std::uint8_t> image(
                    View<const std::uint8_t>{cells.data(), kWidth, kHeight, kWidth});
                OnDevice<float> result(View<float>{values.data(), kWidth, kHeight, kWidth});
                EngineOptions options;
                options.method = "histogram";
                Engine engine(options);
                engine.enqueue(filter, image.view(), result.view());
                try {
                    engine.synchronize();
                    ADD_FAILURE() << "not told: " << count << " levels, row " << y;
                } catch (const Error &error) {
                    const std::string place = "x 1502, y " + std::to_string(y) + " ";
                    EXPECT_NE(std::string(error.what()).find(place), std::string::npos)
                        << error.what() << ", " << count << " levels";
                }
                engine.synchronize(); // told once
            }
}

// Rows at the other end of an image are reached by windows at the first row, and at the last.
TEST_F(Launches, TellABadCellBeyondTheEdge)
{
    constexpr int kWidth = 1501, kHeight = 200, kRows = 10, kLevels = 100;
    struct Place
    {
        int begin, row; ///< of the results, of the bad cell
        bool isReached;
    };
    constexpr int kLast = kHeight - kRows;
    for (const auto &[begin, row, isReached] :
         {Place{0, kHeight - 1, true}, Place{0, kHeight / 2, false}, Place{kLast, 0, true},
          Place{kLast, kHeight / 2, false}}) {
        std::vector<std::uint8_t> cells(kWidth * kHeight);
        cells[row * kWidth + kWidth / 2] = 255;
        std::vector<float> values(kWidth * kRows);
        OnDevice<const std::uint8_t> image(
            View<const std::uint8_t>{cells.data(), kWidth, kHeight, kWidth});
        OnDevice<float> result(View<float>{values.data(), kWidth, kRows, kWidth});
        Filter filter;
        filter.levels.count = kLevels;
        filter.border = Border::Wrap;
        EngineOptions method;
        method.method = "histogram"; // reads such an image where it is
        Engine engine(method);
        RunOptions options;
        options.region = {0, begin, kWidth, kRows};
        engine.enqueue(filter, image.view(), result.view(), nullptr, options);
        if (isReached)
            EXPECT_THROW(engine.synchronize(), Error) << "results from row " << begin;
        else
            EXPECT_NO_THROW(engine.synchronize()); // no window reaches it
    }
}

#else

TEST_F(Launches, NeedCuda) {}

#endif
