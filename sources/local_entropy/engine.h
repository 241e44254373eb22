// The C++ interface: an Engine computes Filters (filter.h).
#pragma once

#include "local_entropy/error.h"
#include "local_entropy/filter.h"
#include "local_entropy/visibility.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace local_entropy
{

/// What an engine may use. Nothing of it changes a bit of a result.
struct EngineOptions
{
    int threads = 0;    ///< at most so many; 0: as many as the calling thread may run on
    std::string path;   ///< kind of processor: see paths(); empty: the best of this one
    std::string method; ///< see methods(); empty: the cheapest for each filter
    /// Whether run() may share large images with all GPUs, where there are any and that pays. Of
    /// one that fails, the CPU computes what was on its way. The first such call has a thread for
    /// each GPU that it makes ready.
    bool devices = false;
};

/// What a call has beside its filter, image and result.
struct RunOptions
{
    View<const std::uint8_t> mask; ///< cells that are 0 here do not count; no data: all count
    /// The cells that have a result; the result is as large as it. No width: the whole image. Cells
    /// around the region are read, so that parts of an image are as the whole. Those that its
    /// windows reach must be levels; others may hold anything.
    Region region;
    int threads = 0; ///< at most so many of the engine's; 0: all
    /// Called by the calling thread, some fifty times a second, with the part that is done, 0 to 1;
    /// false cancels the call, which then throws Error (Cancelled). Another GPU than before the
    /// call may be the current one in it, and must be so afterwards.
    std::function<bool(double)> progress;
    /// Of enqueue(): memory to work in. A graph that such a call is captured into works in the same
    /// bytes at each launch; without it, the graph has nodes that take memory, and so, by CUDA's
    /// rules, no more than one executable at a time.
    Workspace workspace;
};

/// Owns what computing takes: threads, tables, memory. May be used from several threads at once;
/// one of the calls has the threads, others compute with their own. What goes wrong is an Error,
/// lack of memory among it (Unavailable), and nothing else but what the caller's callback throws
/// (its lack of memory is taken for ours).
class LOCAL_ENTROPY_API Engine
{
public:
    /// Throws Error for options that are not possible here.
    explicit Engine(const EngineOptions &options = {});
    ~Engine();
    Engine(Engine &&) noexcept;
    Engine &operator=(Engine &&) noexcept;

    /// Fills `result` with the measure of the window around every cell of `image`: the float (or
    /// double) nearest to the true value, whatever the engine's options; double within 1 ulp.
    /// Cells are std::uint8_t, std::uint16_t, std::int16_t, float or bool; results float or double;
    /// both host memory of the caller's at any address that their type allows, and must not
    /// overlap.
    template <typename Cell, typename Value>
    void run(const Filter &filter, View<const Cell> image, View<Value> result,
             const RunOptions &options = {});
    template <typename Cell, typename Value>
    void run(const Filter &filter, View<Cell> image, View<Value> result,
             const RunOptions &options = {})
    {
        run(filter, View<const Cell>{image.data, image.width, image.height, image.stride}, result,
            options);
    }

    /// The same by the current GPU, put into `stream`, a cudaStream_t of that GPU. Arrays are in
    /// its memory, or managed, or what cudaMalloc() gave on another GPU that it can reach: to reach
    /// it is then allowed (cudaDeviceEnablePeerAccess) for the rest of the process.
    ///
    /// Waits for nothing that is in streams, unless the filter is new, or was enqueued long ago: to
    /// make its tables, it may wait for all. Image and result stay as they are until the stream has
    /// come past this; the engine's destructor waits for that. It does not wait for graphs that the
    /// stream was captured into: they are launched while the engine exists.
    ///
    /// All filters are possible, and the bits are those of run(). Throws Error: Unavailable without
    /// a GPU or enough of its memory, for more than 2^30 columns or rows of an image or one that
    /// has 2^32, and where the stream is being captured and this filter was not enqueued lately,
    /// for such a result; BadArgument for what run() calls so and for arrays that lie elsewhere.
    /// Then nothing is put into the stream.
    ///
    /// Cells are seen by the GPU alone. Is one no level, then all results of the call may hold
    /// anything, and the next synchronize() says so. Of the options, `progress` is not used, nor is
    /// `threads`, which must be a number that run() takes. May be called from several threads at
    /// once, for any streams.
    template <typename Cell, typename Value>
    void enqueue(const Filter &filter, View<const Cell> image, View<Value> result,
                 void *stream = nullptr, const RunOptions &options = {});
    template <typename Cell, typename Value>
    void enqueue(const Filter &filter, View<Cell> image, View<Value> result, void *stream = nullptr,
                 const RunOptions &options = {})
    {
        enqueue(filter, View<const Cell>{image.data, image.width, image.height, image.stride},
                result, stream, options);
    }

    /// The bytes of a workspace for a call of enqueue() with these arguments, whose places must be
    /// possible ones, but need not be those of that call; 0: it needs none. Throws Error as
    /// enqueue() does.
    template <typename Cell, typename Value>
    std::size_t workspaceBytes(const Filter &filter, View<const Cell> image, View<Value> result,
                               const RunOptions &options = {}) const;

    /// Waits until all that enqueue() has put into streams of the current GPU has ended; for
    /// graphs, who launches them waits. Throws Error: BadLevel if a cell was no level in any call
    /// since this was said last, with its place in its image; Internal if the GPU has failed. Who
    /// does not call it must know his cells.
    void synchronize();

    /// The names of the methods that run() would use for these arguments, that of the most cells
    /// first; no cell is read. Throws what run() throws before it computes.
    template <typename Cell, typename Value>
    std::vector<std::string> methodsFor(const Filter &filter, View<const Cell> image,
                                        View<Value> result, const RunOptions &options = {}) const;

    static std::vector<std::string> paths();   ///< that this processor can run, the best first
    static std::vector<std::string> methods(); ///< all there are

    struct Parts;

private:
    std::unique_ptr<Parts> parts;
};

} // namespace local_entropy
