// Hello from every thread: which blocks and threads there are, and in what order they come.

#include "hello/order.h"

#include "common/devices.h"
#include "common/error.h"
#include "common/integer.h"

#include <cstdio>
#include <getopt.h>
#include <string>
#include <vector>

#ifdef __CUDACC__
#include "common/device_array.h"
#include "common/launch.h"
#endif

namespace
{

constexpr int kPassed = 0, kCannotRun = 2;
constexpr int kMostRuns = 10000;

constexpr char kHelp[] = R"(usage: hello BLOCKS X Y [--order [--runs N]]

Starts BLOCKS blocks of X x Y threads on the GPU, each of the three in 1..32. Every thread says its
block and its place in it, and the host says hello too.

  --order    instead of printing, every thread draws a number from a common counter: is there a
             rule to the order in which lanes, warps and blocks come?
  --runs N   how often it is tried (default: 100)
  --help     this text

exit status: 0 done; 2 bad usage or no GPU
)";

struct Options
{
    hello::Shape shape{};
    bool order = false;
    bool help = false;
    int runs = 100;
};

Options parseOptions(int argc, char **argv)
{
    static const option kOptions[] = {{"order", no_argument, nullptr, 'o'},
                                      {"runs", required_argument, nullptr, 'r'},
                                      {"help", no_argument, nullptr, 'h'},
                                      {nullptr, 0, nullptr, 0}};
    Options options;
    opterr = 0; // one sentence, ours
    for (int letter; (letter = getopt_long(argc, argv, "h", kOptions, nullptr)) != -1;)
        switch (letter) {
        case 'o': options.order = true; break;
        case 'r':
            options.runs = static_cast<int>(common::parseInteger("--runs", optarg, 1, kMostRuns));
            break;
        case 'h': options.help = true; return options;
        default:
            throw common::Error(std::string(argv[optind - 1]) +
                                ": no such option, or its value is missing; see --help");
        }
    if (argc - optind != 3)
        throw common::Error("three integers expected (blocks, block dimensions x and y), found " +
                            std::to_string(argc - optind));
    const auto upTo32 = [&](const char *name, int i) { // 32 x 32 threads are the most in a block
        return static_cast<int>(common::parseInteger(name, argv[optind + i], 1, 32));
    };
    options.shape = {upTo32("the number of blocks", 0), upTo32("block dimension x", 1),
                     upTo32("block dimension y", 2)};
    return options;
}

#ifdef __CUDACC__

using common::DeviceArray;
using hello::Shape;
using hello::Trial;

/// printf on the device writes to a buffer in device memory, which the host prints when the kernel
/// has ended: the order of the lines is the order in which the threads got their places in it.
__global__ void helloKernel()
{
    printf("Hello World from Thread (%d, %d) in Block %d!\n", static_cast<int>(threadIdx.x),
           static_cast<int>(threadIdx.y), static_cast<int>(blockIdx.x));
}

/// Draws a ticket a thread. atomicInc, not atomicAdd(counter, 1): compilers make one addition of a
/// warp's thirty-two and hand the sums out by lane number, and we would see their order.
__global__ void orderKernel(unsigned *counter, unsigned *tickets, unsigned *sm)
{
    const unsigned ticket = atomicInc(counter, 0xFFFFFFFF);
    const unsigned thread = threadIdx.x + threadIdx.y * blockDim.x;
    tickets[blockIdx.x * blockDim.x * blockDim.y + thread] = ticket;
    if (thread == 0) {
        unsigned number;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
        sm[blockIdx.x] = number;
    }
}

void sayHello(const Shape &shape)
{
    // A line takes less than 256 bytes of the buffer; what does not fit would be lost in silence.
    CUDA_CHECK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, std::size_t(256) * 32 * 32 * 32));
    common::launch(helloKernel, shape.blocks, dim3(shape.x, shape.y));
}

Trial drawTickets(const Shape &shape)
{
    const unsigned zero = 0;
    DeviceArray<unsigned> counter = common::upload(&zero, 1);
    DeviceArray<unsigned> tickets = common::poisoned<unsigned>(shape.threads());
    DeviceArray<unsigned> sm = common::poisoned<unsigned>(shape.blocks);
    common::launch(orderKernel, shape.blocks, dim3(shape.x, shape.y), counter.data(),
                   tickets.data(), sm.data());
    const auto hostTickets = common::download(tickets), hostSm = common::download(sm);
    return {{hostTickets.get(), hostTickets.get() + tickets.size()},
            {hostSm.get(), hostSm.get() + sm.size()}};
}

void showOrder(const Options &options)
{
    std::vector<Trial> runs;
    for (int run = 0; run < options.runs; ++run) runs.push_back(drawTickets(options.shape));
    std::printf("%d blocks of %d x %d threads, ", options.shape.blocks, options.shape.x,
                options.shape.y);
    std::fputs(hello::report(hello::analyse(options.shape, runs)).c_str(), stdout);
}

void runOnGpu(const Options &options)
{
    if (options.order)
        showOrder(options);
    else
        sayHello(options.shape);
}

#else

void runOnGpu(const Options &) {} // not reached: there is no device

#endif

} // namespace

int main(int argc, char **argv)
{
    try {
        const Options options = parseOptions(argc, argv);
        if (options.help) return std::fputs(kHelp, stdout), kPassed;
        std::printf("Hello World from the host!\n");
        std::fflush(stdout);
        if (common::deviceCount() == 0)
            throw common::Error("the device's lines are missing: " + common::whyNoDevice());
        runOnGpu(options);
        return kPassed;
    } catch (const std::exception &error) {
        std::fflush(stdout);
        std::fprintf(stderr, "hello: %s\n", error.what());
        return kCannotRun;
    }
}
