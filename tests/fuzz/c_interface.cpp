// The C interface with structs that hold anything: each call ends with a status and a sentence,
// reads and writes no byte but those that the header names, and fails by no defect of its own.
#include "c_call.h"
#include "targets.h"

#include <cmath>
#include <memory>
#include <sys/mman.h>

namespace fuzz
{
namespace
{

constexpr std::size_t kLargest = std::size_t{1} << 40; ///< bytes of an array
constexpr std::int64_t kMostWork = 2000000;            ///< results times cells of the window

/// The bytes of an array from its first element to its last; 0: there can be no such array.
template <typename Array>
std::size_t bytesOf(const Array &array)
{
    const int types[] = {1, 2, 2, 4, 1, 8};
    const int size = array.type >= 0 && array.type <= 5 ? types[array.type] : 1;
    const std::int64_t stride = array.stride == 0 ? array.width : array.stride;
    if (array.width < 1 || array.height < 1 || stride < array.width) return 0;
    if (static_cast<double>(array.height) * static_cast<double>(stride) * size > kLargest)
        return kLargest + 1;
    return ((array.height - 1) * stride + array.width) * size;
}

/// Memory for an array: small ones with the sanitizer's guards, large ones of pages that nobody has
/// touched; those that cannot be have a byte, which the library must not touch.
class Memory
{
public:
    Memory(std::size_t bytes, std::size_t aside, const std::vector<std::uint8_t> &pattern)
        : bytes(bytes)
    {
        constexpr std::size_t kSmall = 1 << 20;
        if (bytes > kSmall && bytes <= kLargest) {
            whole = bytes + aside;
            void *const pages = mmap(nullptr, whole, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            expect(pages != MAP_FAILED, "no addresses for an array");
            first = static_cast<std::uint8_t *>(pages) + aside;
            return;
        }
        const std::size_t size = bytes > kSmall ? 1 : std::max<std::size_t>(bytes, 1);
        small = std::make_unique<std::uint8_t[]>(size + aside);
        first = small.get() + aside;
        for (std::size_t i = 0; i < size; ++i) first[i] = pattern[i % pattern.size()];
    }
    ~Memory()
    {
        if (whole) munmap(first - (whole - bytes), whole);
    }
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;

    std::uint8_t *data() const { return first; }
    bool isSmall() const { return small && bytes > 0; }
    bool isThere() const { return bytes <= kLargest; }
    /// Bytes that are not `pattern` any more.
    std::size_t changed(std::uint8_t pattern) const
    {
        std::size_t count = 0;
        for (std::size_t i = 0; isSmall() && isThere() && i < bytes; ++i)
            count += first[i] != pattern;
        return count;
    }

private:
    std::size_t bytes, whole = 0;
    std::unique_ptr<std::uint8_t[]> small;
    std::uint8_t *first = nullptr;
};

/// The struct in memory of as many bytes as its first member says; what it lacks is zeros.
template <typename Struct>
std::unique_ptr<std::uint8_t[]> sized(const Struct &from)
{
    const std::size_t most = 5000, least = sizeof from.struct_size;
    const std::size_t size = from.struct_size < least  ? least
                             : from.struct_size > most ? least
                                                       : from.struct_size;
    auto bytes = std::make_unique<std::uint8_t[]>(size);
    std::memcpy(bytes.get(), &from, std::min(size, sizeof from));
    return bytes;
}

struct Countdown
{
    int left;
};

int progress(void *user, double)
{
    auto *const countdown = static_cast<Countdown *>(user);
    return countdown->left != 255 && --countdown->left < 0;
}

void expectSentence(le_status status)
{
    expect(status >= LE_OK && status <= LE_INTERNAL, "no such status");
    if (status == LE_OK) return;
    expect(*le_last_error() != 0 && std::strlen(le_last_error()) < 512, "no sentence, or no end");
    expect(status != LE_INTERNAL, le_last_error());
}

using Engine = std::shared_ptr<le_engine>;

/// A new one, or that of all calls with the default options, which keeps its tables.
Engine engineOf(CCall &call)
{
    static Engine shared;
    if (!call.newEngine && shared) return shared;
    call.engine.path = call.path.c_str(), call.engine.method = call.method.c_str();
    const auto options = sized(call.engine);
    le_engine *engine = nullptr;
    const auto *asked = reinterpret_cast<const le_engine_options *>(options.get());
    const le_status status = le_engine_create(asked, &engine);
    expectSentence(status);
    expect((status == LE_OK) == (engine != nullptr), "an engine after a failure");
    Engine made(engine, le_engine_destroy);
    if (!call.newEngine) shared = made;
    return made;
}

/// Whether the call may be made: not too long, and of arrays that are there.
bool canRun(const CCall &call, const Memory &image, const Memory &mask, const Memory &result)
{
    const double cells =
        static_cast<double>(call.result.width) * static_cast<double>(call.result.height);
    const auto side = [](int n) { return std::min(std::max(n, 1), 256); };
    return image.isThere() && mask.isThere() && result.isThere() &&
           cells * side(call.filter.width) * side(call.filter.height) <= kMostWork;
}

void checkInit(std::size_t size)
{
    const auto bytes = std::make_unique<std::uint8_t[]>(size <= 5000 ? size + 1 : 1);
    const auto status = le_filter_init_sized(reinterpret_cast<le_filter *>(bytes.get()), size);
    expectSentence(status);
    if (status == LE_OK) expect(bytes[size] == 0, "a byte behind the struct was written");
}

} // namespace

void c_interface(const std::uint8_t *data, std::size_t size)
{
    CCall call{Bytes(data, size)};
    checkInit(call.filter.struct_size);
    const Engine engine = engineOf(call);
    if (!engine) return;

    const std::vector<std::uint8_t> poison{0xA5};
    const Memory image(bytesOf(call.image), call.aside[0], call.cells);
    const Memory mask(bytesOf(call.mask), call.aside[1], call.cells);
    const Memory result(bytesOf(call.result), call.aside[2], poison);
    call.image.data = image.data(), call.mask.data = mask.data();
    call.result.data = call.overlaps ? image.data() : result.data();
    const bool footprint = call.filter.width >= 1 && call.filter.width <= 63 &&
                           call.filter.height >= 1 && call.filter.height <= 63;
    const Memory window(footprint ? call.filter.width * call.filter.height : 0, 0, call.cells);
    if (call.hasFootprint) call.filter.footprint = window.data();
    Countdown countdown{call.cancelAfter};
    call.options.progress = progress, call.options.user = &countdown;

    const auto filter = sized(call.filter), options = sized(call.options);
    const auto *const asked =
        call.nullFilter ? nullptr : reinterpret_cast<const le_filter *>(filter.get());
    const le_image *const pixels = call.nullImage ? nullptr : &call.image;
    const le_image *const counting = call.hasMask ? &call.mask : nullptr;
    const le_region *const region = call.hasRegion ? &call.region : nullptr;
    const le_result *const values = call.nullResult ? nullptr : &call.result;
    le_engine *const computes = call.nullEngine ? nullptr : engine.get();

    std::size_t bytes = 0; // no array is touched, however large
    expectSentence(le_workspace_bytes(computes, asked, pixels, counting, region, values, &bytes));
    expect(result.changed(0xA5) == 0, "le_workspace_bytes() has written");
    if (!canRun(call, image, mask, result)) return;
    const le_status status =
        le_run(computes, asked, pixels, counting, region, values,
               call.hasOptions ? reinterpret_cast<const le_run_options *>(options.get()) : nullptr);
    expectSentence(status);
    expect(status != LE_OK || !call.overlaps, "the result overlaps the image");
    expect(status != LE_BAD_ARGUMENT || result.changed(0xA5) == 0,
           "a call that was refused has written");
    expect(status != LE_OK || !call.nullEngine, "no engine has computed");
}

} // namespace fuzz
