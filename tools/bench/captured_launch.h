// A launch of the library as a CUDA graph, to time it without its second look. For nvcc.
#pragma once

#include "common/cuda_check.h"
#include "common/device_stream.h"
#include "common/launch.h"

#include <cstring>
#include <functional>
#include <vector>

namespace bench
{

/// What a call puts into a stream, as a graph that can be launched again and again, also without
/// the kernels of the second look (local_entropy/methods/second_look.h). These follow the others in
/// the same stream, so they cost what the graph takes longer with them.
class CapturedLaunch
{
public:
    /// enqueue(stream) is called once; what memory it takes in the stream, it gives back there.
    explicit CapturedLaunch(const std::function<void(cudaStream_t)> &enqueue)
    {
        CUDA_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
        try {
            enqueue(stream.get());
        } catch (...) {
            cudaStreamEndCapture(stream.get(), &graph);
            if (graph) cudaGraphDestroy(graph);
            throw;
        }
        CUDA_CHECK(cudaStreamEndCapture(stream.get(), &graph));
        CUDA_CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
        findSecondLooks();
    }
    ~CapturedLaunch()
    {
        if (executable) cudaGraphExecDestroy(executable);
        if (graph) cudaGraphDestroy(graph);
    }
    CapturedLaunch(const CapturedLaunch &) = delete;
    CapturedLaunch &operator=(const CapturedLaunch &) = delete;

    /// Whether kernels can be told apart by their names, with this version of CUDA.
    static constexpr bool kHasNames = CUDART_VERSION >= 12030;

    bool hasSecondLook() const { return !secondLooks.empty(); }

    /// Milliseconds, the median of some launches; without second looks the results are not right.
    double milliseconds(bool withSecondLook)
    {
        for (const cudaGraphNode_t node : secondLooks)
            CUDA_CHECK(cudaGraphNodeSetEnabled(executable, node, withSecondLook));
        common::DeviceClock clock;
        const auto once = [&] {
            clock.start();
            CUDA_CHECK(cudaGraphLaunch(executable, nullptr));
            return clock.stop();
        };
        once();
        return common::repeat(once,
                              [](std::size_t repeats, double seconds) {
                                  constexpr double kEnough = 0.03;
                                  return repeats >= 5 && seconds >= kEnough;
                              })
            .median;
    }

private:
    void findSecondLooks()
    {
        std::size_t number = 0;
        CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &number));
        std::vector<cudaGraphNode_t> nodes(number);
        CUDA_CHECK(cudaGraphGetNodes(graph, nodes.data(), &number));
        for (const cudaGraphNode_t node : nodes)
            if (isSecondLook(node)) secondLooks.push_back(node);
    }

    static bool isSecondLook([[maybe_unused]] cudaGraphNode_t node)
    {
#if CUDART_VERSION >= 12030
        cudaGraphNodeType type;
        CUDA_CHECK(cudaGraphNodeGetType(node, &type));
        if (type != cudaGraphNodeTypeKernel) return false;
        cudaKernelNodeParams kernel{};
        CUDA_CHECK(cudaGraphKernelNodeGetParams(node, &kernel));
        const char *name = nullptr;
        CUDA_CHECK(cudaFuncGetName(&name, kernel.func));
        return std::strstr(name, "second_look"); // its namespace
#else
        return false;
#endif
    }

    const common::Stream stream;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    std::vector<cudaGraphNode_t> secondLooks;
};

} // namespace bench
