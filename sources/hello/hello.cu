// Hello from every thread: which blocks and threads there are, and in what order they come. This
// lab has no core to swap: it asks how the device orders its threads, and no version could answer
// better than another.

#include "hello/options.h"
#include "hello/order.h"

#include "common/devices.h"
#include "common/error.h"
#include "common/standard_output.h"
#include "common/standard_streams.h"

#include <cstdio>

#ifdef __CUDACC__
#include "common/device_array.h"
#include "common/launch.h"
#endif

namespace
{

constexpr int kPassed = 0, kCannotRun = 2;

using hello::Options;

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
    const hello::Findings findings =
        hello::analyse(options.shape, options.runs, [&] { return drawTickets(options.shape); });
    std::printf("%d blocks of %d x %d threads, ", options.shape.blocks, options.shape.x,
                options.shape.y);
    std::fputs(hello::report(findings).c_str(), stdout);
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
        common::occupyClosedStandardStreams();
        const Options options = hello::parseOptions(argc, argv);
        if (options.help) return std::fputs(hello::kHelp, stdout), common::afterOutput(kPassed);
        std::printf("Hello World from the host!\n");
        common::requireOutput();
        if (common::deviceCount() == 0)
            throw common::Error("the device's lines are missing: " + common::whyNoDevice());
        runOnGpu(options);
        return common::afterOutput(kPassed);
    } catch (const std::exception &error) {
        std::fflush(stdout);
        std::fprintf(stderr, "hello: %s\n", error.what());
        return kCannotRun;
    }
}
