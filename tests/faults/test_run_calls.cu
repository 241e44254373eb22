// Images in host memory that GPUs compute, alone or with the CPU, where one call of CUDA after the
// other fails: the CPU, or the GPU once more, computes what is missing.
#include "common/devices.h"

#include <gtest/gtest.h>

#ifdef __CUDACC__
#include "../bits_call.h"
#include "../cuda_faults.h"
#include "../same_bits.h"
#include "local_entropy/engine.h"
#include "local_entropy/methods/words/call.h"
#include "local_entropy/schedule/everywhere.h"
#include "local_entropy/schedule/shared_devices.h"
#include "whichever.h"

#include <cmath>
#include <vector>

using namespace local_entropy;

namespace
{

/// The assignment's question, 5 x 5 cells of 16 levels.
class Picture
{
public:
    Picture(std::int64_t width, std::int64_t height)
        : width(width), height(height), cells(width * height), expected(cells.size()),
          found(expected)
    {
        for (std::size_t i = 0; i < cells.size(); ++i)
            cells[i] = static_cast<float>(i * i / 7 % 16);
        entropyOnCpu(width, height, cells.data(), expected.data(), 0, height);
    }
    Problem problem() { return bitsProblem(width, height, cells.data(), found.data(), 0, height); }
    void run(Engine &engine, int threads)
    {
        Filter filter;
        filter.levels.count = 16;
        filter.nanIsError = true;
        RunOptions options;
        options.threads = threads;
        engine.run(filter, View<const float>{cells.data(), width, height},
                   View<float>{found.data(), width, height}, options);
    }
    /// Of the result, which is poisoned again.
    std::string wrong()
    {
        const bool same = sameBits(found, expected);
        found.assign(found.size(), NAN);
        return same ? "" : "other bits";
    }

    const std::int64_t width, height;
    std::vector<float> cells, expected, found;
};

/// A call by these devices and the CPU, in one thread, of several tiles of each.
void share(Picture &picture, SharedDevices &shared, const std::vector<Device *> &devices)
{
    const Problem problem = picture.problem();
    const bits::BitsPlan plan(bestPath());
    const std::function<bool(double)> nobody;
    Progress progress(nobody, problem.region), untold(nobody, problem.region);
    WayCosts costs;
    Sharing sharing;
    sharing.choice = ThroughDevices::IfThereIsRoom;
    sharing.large = {128, 32};
    sharing.small = {128, 8};
    Scratch scratch;
    constexpr double kSecondsOfDevice = 1e-9; // a cell
    SharedWork work(shared, devices, problem, sharing, kSecondsOfDevice, 1, costs, progress);
    work.work(0, [&](const Region &tile) {
        TileQueue queue(tile, {tile.width, tile.height}, untold);
        plan.work(problem, queue, scratch);
    });
}

/// By the CPU alone, where a device cannot even be made.
void shareOrNot(Picture &picture, SharedDevices &shared)
{
    const DefaultRounding rounding;
    const std::vector<Device *> devices = shared.all();
    if (!devices.empty()) return share(picture, shared, devices);
    entropyOnCpu(picture.width, picture.height, picture.cells.data(), picture.found.data(), 0,
                 picture.height);
}

} // namespace

TEST_F(Faults, OfAPassageAreTold)
{
    calls::Trial trial;
    trial.call = [] { const Passage passage; };
    trial.wrong = [] { return ""; };
    EXPECT_GE(calls::failOneAfterTheOther(trial), 14);
}

// To make them takes long: of the calls with which all twelve are made, some fail.
TEST_F(Faults, OfNewDevicesAreMadeUpFor)
{
    Picture picture(256, 128);
    calls::Trial trial;
    trial.call = [&] {
        SharedDevices shared(1);
        shareOrNot(picture, shared);
    };
    trial.wrong = [&] { return picture.wrong(); };
    trial.goesOn = calls::anything;
    trial.stepsADouble = 4;
    EXPECT_GT(calls::failOneAfterTheOther(trial), 100);
}

TEST_F(Faults, OfUsedDevicesAreMadeUpFor)
{
    Picture picture(256, 128);
    SharedDevices shared(1);
    shareOrNot(picture, shared);
    picture.wrong(); // poisons
    for (const calls::Fault fault : {calls::Fault::OneCall, calls::Fault::Lost}) {
        calls::Trial trial;
        trial.call = [&] { shareOrNot(picture, shared); };
        trial.wrong = [&] { return picture.wrong(); };
        trial.goesOn = calls::anything;
        trial.fault = fault;
        EXPECT_GT(calls::failOneAfterTheOther(trial), 50);
    }
}

// As v15 has it: the GPU alone, tile by tile; if that fails, as a whole.
TEST_F(Faults, OfTheGpuAloneAreMadeUpFor)
{
    Picture picture(300, 200);
    EngineOptions options;
    options.method = "words";
    for (const int threads : {1, 3}) {
        Engine engine(options);
        picture.run(engine, threads);
        EXPECT_EQ(picture.wrong(), "");
        calls::Trial trial;
        trial.call = [&] { picture.run(engine, threads); };
        trial.wrong = [&] { return picture.wrong(); };
        trial.goesOn = calls::anything;
        EXPECT_GT(calls::failOneAfterTheOther(trial), 20);
    }
}

TEST_F(Faults, OfAWholeCallAreTold)
{
    Picture picture(300, 200);
    calls::Trial trial;
    trial.call = [&] {
        words::entropyOnGpu(picture.width, picture.height, picture.cells.data(),
                            picture.found.data());
    };
    trial.wrong = [&] { return picture.wrong(); };
    trial.goesOn = [](const std::string &name) { return name == "cudaGetDeviceCount"; };
    EXPECT_GT(calls::failOneAfterTheOther(trial), 10);
}

namespace
{

/// Windows that take the CPU long, by an engine that takes GPUs where they pay.
class LongCall
{
public:
    LongCall() : cells(kWidth * kHeight), expected(cells.size()), found(expected)
    {
        for (std::size_t i = 0; i < cells.size(); ++i)
            cells[i] = static_cast<std::uint8_t>(i * i % 251);
        filter.window.width = filter.window.height = 9;
        inOneThread.threads = 1;
        Engine().run(filter, image(), View<float>{expected.data(), kWidth, kHeight});
    }
    void run()
    {
        engine.run(filter, image(), View<float>{found.data(), kWidth, kHeight}, inOneThread);
    }
    /// Of the result, which is poisoned again.
    std::string wrong()
    {
        const bool same = found == expected;
        found.assign(found.size(), NAN);
        return same ? "" : "other bits";
    }

private:
    static constexpr std::int64_t kWidth = 1500, kHeight = 1000;

    static EngineOptions withDevices()
    {
        EngineOptions options;
        options.devices = true;
        return options;
    }
    View<const std::uint8_t> image() const { return {cells.data(), kWidth, kHeight}; }

    std::vector<std::uint8_t> cells;
    std::vector<float> expected, found;
    Filter filter;
    RunOptions inOneThread;
    Engine engine{withDevices()};
};

constexpr int kOfAnotherCall = 3; ///< an exit status

/// In a process that has used no GPU yet, one call of CUDA fails: what is wrong afterwards, if that
/// was the question whether there is a GPU. If it was another one, the process ends.
std::string wrongAfterNoAnswer(int number)
{
    LongCall call;
    std::string name;
    {
        const calls::Failing failing(number, cudaErrorUnknown);
        for (int times = 0; times < 2000 && name.empty(); ++times) { // until GPUs pay
            call.run();
            name = failing.name();
        }
    }
    if (name != "cudaGetDeviceCount") _exit(kOfAnotherCall);
    for (int times = 0; times < 3; ++times) call.run();
    return calls::live() > 0 ? call.wrong() : "no GPU is used any more";
}

} // namespace

TEST_F(Faults, OfAnEngineWithDevicesAreMadeUpFor)
{
    ASSERT_TRUE(Everywhere::start());
    LongCall longCall;
    calls::Trial trial;
    trial.call = [&] { longCall.run(); };
    trial.call(); // finds that a GPU pays, and makes what it takes
    trial.call();
    trial.wrong = [&] { return longCall.wrong(); };
    trial.goesOn = calls::anything;
    trial.stepsADouble = 4;
    EXPECT_GT(calls::failOneAfterTheOther(trial), 50);
}

TEST_F(FaultsDeathTest, OfTheFirstCallKeepNoGpuFromTheNext)
{
    testing::GTEST_FLAG(death_test_style) = "threadsafe"; // in a process of its own
    int asked = 0;
    const auto isRight = [&](int status) {
        const bool hasAsked = testing::ExitedWithCode(0)(status);
        asked += hasAsked;
        return hasAsked || testing::ExitedWithCode(kOfAnotherCall)(status);
    };
    for (int number = 1; number <= 8; ++number)
        EXPECT_EXIT(leaveAfter([&] { return wrongAfterNoAnswer(number); }), isRight, "");
    EXPECT_GE(asked, 1) << "none of these calls asks whether there is a GPU";
}

#endif
