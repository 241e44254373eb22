/* The C interface: the entropy, and other sums over the counts of the levels, of the window around
   every cell of an image. C99, and C++; the one stable ABI, for other languages too.

       le_engine *engine;
       if (le_engine_create(NULL, &engine)) puts(le_last_error());
       le_filter filter;
       le_filter_init(&filter);                               // 5x5 cells, 256 levels, base e
       le_image image = {pixels, LE_UINT8, width, height, 0}; // bytes, one a cell
       le_result result = {floats, LE_FLOAT32, width, height, 0};
       if (le_run(engine, &filter, &image, NULL, NULL, &result, NULL)) puts(le_last_error());
       le_engine_destroy(engine);

   Arrays are the caller's, in host memory, and are used only during the call (but see
   le_enqueue()). Cell (x, y) is data[y * stride + x]: strides are in ELEMENTS, not in bytes, and 0
   stands for the width.

   Every function that returns a le_status returns LE_OK, which is 0, or what went wrong; then
   le_last_error() is a sentence that says what, and names the argument. No C++ exception leaves a
   function of this header.

   Structs with a `struct_size` may get more members at their end in later versions. The size says
   which the caller knows: a shorter struct has the defaults in what it lacks; a longer one is
   refused unless what this library does not know is 0. Other structs stay as they are. */
#ifndef LOCAL_ENTROPY_H
#define LOCAL_ENTROPY_H

#include <stddef.h>
#include <stdint.h>

#define LE_VERSION "1.0.0" /* of this header; the ABI stays while the first number does */

#if defined(__GNUC__)
#define LE_API __attribute__((visibility("default")))
#else
#define LE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what went wrong ----------------------------------------------------------------------- */

typedef int le_status;
enum {
    LE_OK = 0,
    LE_BAD_ARGUMENT = 1, /* the filter, an array or an option is impossible; nothing was written */
    LE_BAD_LEVEL = 2,    /* a cell is not a level; the sentence names it. Results hold anything */
    LE_UNAVAILABLE = 3,  /* not here: no such processor path, no memory */
    LE_CANCELLED = 4,    /* the progress callback said so. Results hold anything */
    LE_INTERNAL = 5      /* a defect of the library, or a GPU that failed. Results hold anything */
};

/* What the last call of this thread that failed says; "" before one has. The text is this thread's
   until its next call that fails; at most 511 bytes. Never NULL. */
LE_API const char *le_last_error(void);

/* "bad argument" and the like; "unknown status" for other numbers. Never NULL. */
LE_API const char *le_status_name(le_status status);

/* The version of the library, such as "1.0.0". It may differ from LE_VERSION, the header's. */
LE_API const char *le_version(void);

/* ---- the filter ---------------------------------------------------------------------------- */

/* What a cell beyond the edge of the image holds; the names mean what they mean in SciPy. */
enum {
    LE_CUT = 0,      /* nothing: windows are cut at the edge */
    LE_CONSTANT = 1, /* k k k | a b c d | k k k   (k: `constant`) */
    LE_NEAREST = 2,  /* a a a | a b c d | d d d */
    LE_REFLECT = 3,  /* c b a | a b c d | d c b */
    LE_MIRROR = 4,   /* d c b | a b c d | c b a */
    LE_WRAP = 5      /* b c d | a b c d | a b c */
};

/* What is computed from the counts n of the levels in a window of N cells; p = n / N. */
enum {
    LE_ENTROPY = 0,  /* -sum p log p */
    LE_SIMPSON = 1,  /* 1 - sum p^2, the Gini-Simpson index */
    LE_RICHNESS = 2, /* how many levels there are */
    LE_HILL = 3      /* (sum p^q)^(1 / (1 - q)), the Hill number of order q; 1: exp(entropy) */
};

/* The base of the logarithm of an entropy. */
enum { LE_BASE_E = 0, LE_BASE_2 = 1, LE_BASE_10 = 2 };

/* What is wanted; le_filter_init() fills it with the defaults, which stand in brackets. Numbers
   that are yes or no are 1 or 0. */
typedef struct le_filter
{
    size_t struct_size;

    /* The window, in cells: 1 to 255 each way, 1 to 63 with a footprint [5, 5]. As in SciPy, the
       window of x covers the columns x - width / 2 - origin_x and width - 1 more, where
       -(width / 2) <= origin_x <= (width - 1) / 2 [0]; the same for rows. */
    int32_t width, height;
    int32_t origin_x, origin_y;
    /* `height` rows of `width` bytes; cells of the window that are 0 here do not count [NULL: all
       count]. The caller's; read during le_run() only. */
    const uint8_t *footprint;

    /* Which level a cell is: one of 0 .. levels - 1, 2 to 65536 of them [256]. Not binned [0]:
       cells are integers, the level is cell - low. Binned: `levels` equal bins of [low, high], the
       level is floor((cell - low) * (levels / (high - low))) in double precision; the cell `high`
       is in the last bin. Cells beyond are an error, or with `clamp` of the first or last level
       [0]. */
    int32_t levels;
    int32_t binned;
    double low, high; /* in units of the image [0, 0] */
    int32_t clamp;

    int32_t border;  /* [LE_CUT] */
    double constant; /* for LE_CONSTANT: a cell as the image would hold it [0] */

    int32_t measure; /* [LE_ENTROPY] */
    int32_t base;    /* [LE_BASE_E] */
    double order;    /* q of LE_HILL: not negative; infinity allowed [1] */
    double empty;    /* the result where no cell of a window counts; may be NaN [0] */

    /* With has_nodata [0], cells of the value `nodata` do not count. Neither do cells of a float
       image that are NaN, unless nan_is_error [0]: then they are LE_BAD_LEVEL. */
    int32_t has_nodata;
    int32_t nan_is_error;
    double nodata;
} le_filter;

/* Fills the first `size` bytes of a filter, the size that the caller knows, with the defaults. For
   languages that cannot call the inline function below. LE_BAD_ARGUMENT: NULL or no such size. */
LE_API le_status le_filter_init_sized(le_filter *filter, size_t size);

/* Fills a filter with the defaults. */
static inline le_status le_filter_init(le_filter *filter)
{
    return le_filter_init_sized(filter, sizeof *filter);
}

/* ---- arrays -------------------------------------------------------------------------------- */

/* The type of an element. */
enum {
    LE_UINT8 = 0,
    LE_UINT16 = 1,
    LE_INT16 = 2,
    LE_FLOAT32 = 3,
    LE_BOOL = 4,   /* a byte: 0 is level 0, all else is level 1 */
    LE_FLOAT64 = 5 /* of results only */
};

/* An array that is read: an image, or a mask. `data` is aligned as its type asks for. */
typedef struct le_image
{
    const void *data;
    int32_t type;
    int64_t width, height; /* in cells, 1 or more */
    int64_t stride;        /* from row to row in ELEMENTS, `width` or more; 0: `width` */
} le_image;

/* An array that is written. Cells between `width` and `stride` stay as they are. */
typedef struct le_result
{
    void *data;
    int32_t type; /* LE_FLOAT32 or LE_FLOAT64 */
    int64_t width, height;
    int64_t stride; /* as above, in ELEMENTS */
} le_result;

/* A part of an image, in cells. */
typedef struct le_region
{
    int64_t x, y, width, height;
} le_region;

/* ---- engines ------------------------------------------------------------------------------- */

/* Owns what computing takes: threads, tables, memory. */
typedef struct le_engine le_engine;

/* What an engine may use: {sizeof options} and zeros are the defaults. Nothing of it changes a bit
   of a result. Strings are read during le_engine_create() only. */
typedef struct le_engine_options
{
    size_t struct_size;
    int32_t threads; /* at most so many; 0: as many as the calling thread may run on */
    /* Whether le_run() may share large images with all GPUs, where there are any and that pays. Of
       one that fails, the CPU computes what was on its way. The first such call has a thread for
       each GPU that it makes ready. */
    int32_t devices;
    const char *path;   /* kind of processor, one of le_paths(); NULL or "": the best of this one */
    const char *method; /* one of le_methods(); NULL or "": the cheapest for each filter */
} le_engine_options;

static inline void le_engine_options_init(le_engine_options *options)
{
    const le_engine_options defaults = {sizeof *options, 0, 0, NULL, NULL};
    *options = defaults;
}

/* Makes an engine, with the default options if `options` is NULL. After a failure *engine is NULL.
   LE_BAD_ARGUMENT, or LE_UNAVAILABLE: not on this machine. */
LE_API le_status le_engine_create(const le_engine_options *options, le_engine **engine);

/* Frees an engine that computes nothing any more. NULL is allowed. */
LE_API void le_engine_destroy(le_engine *engine);

/* The paths that this processor can run, the best first, and the methods that there are: names by
   index from 0 on; NULL behind the last one. They are the library's, and stay. */
LE_API const char *le_paths(int index);
LE_API const char *le_methods(int index);

/* What a call has besides: {sizeof options} and zeros are the defaults. */
typedef struct le_run_options
{
    size_t struct_size;
    /* Called by the calling thread, some fifty times a second, with `user` and the part that is
       done, 0 to 1. Anything but 0 cancels the call, which returns LE_CANCELLED. NULL: not called.
       It must not throw. Another GPU than before the call may be the current one in it, and must
       be so afterwards. */
    int (*progress)(void *user, double part);
    void *user;
    /* Of le_enqueue(): memory of the current GPU, at an address that 256 divides, to work in until
       the stream has come past it; see le_workspace_bytes(). NULL: memory that the engine keeps. */
    void *workspace;
    size_t workspace_bytes;
} le_run_options;

static inline void le_run_options_init(le_run_options *options)
{
    const le_run_options defaults = {sizeof *options, NULL, NULL, NULL, 0};
    *options = defaults;
}

/* Fills `result` with the measure of the window around every cell of a region of `image`: the float
   nearest to the true value, whatever the engine's options; for LE_FLOAT64, within 1 ulp.
     image    LE_UINT8, LE_UINT16, LE_INT16, LE_FLOAT32 or LE_BOOL
     mask     LE_UINT8 or LE_BOOL, as large as the image: cells that are 0 in it do not count. NULL:
              all count
     region   the cells that have a result; cells around it are read, so that parts of an image are
              as the whole. Those that its windows reach must be levels; others may hold anything.
              NULL: the whole image
     result   as large as the region; it must not overlap image or mask
     options  NULL: the defaults
   May be called from several threads at once, for one engine too. */
LE_API le_status le_run(le_engine *engine, const le_filter *filter, const le_image *image,
                        const le_image *mask, const le_region *region, const le_result *result,
                        const le_run_options *options);

/* ---- in the memory of a GPU ------------------------------------------------------------------ */

/* The same as le_run() by the current GPU, put into `stream`: a cudaStream_t of that GPU, NULL for
   the default one. Arrays are in its memory, or managed, or what cudaMalloc() gave on another GPU
   that it can reach: to reach it is then allowed (cudaDeviceEnablePeerAccess) for the rest of the
   process. Waits for nothing that is in streams, unless the filter is new, or was enqueued long
   ago: to make its tables, it may wait for all. Arrays stay as they are until the stream has come
   past this; le_engine_destroy() waits for that. It does not wait for graphs that the stream was
   captured into: they are launched while the engine exists.

   All filters are possible, and the bits are those of le_run(). LE_UNAVAILABLE without a GPU or
   enough of its memory, for more than 2^30 columns or rows of an image or one that has 2^32, and
   for streams that are being captured if this filter was not enqueued lately, for such a result;
   LE_BAD_ARGUMENT for what le_run() calls so, and for arrays that lie elsewhere. Then nothing was
   put into the stream.

   Cells are seen by the GPU alone: is one no level, the results hold anything, and the next
   le_synchronize() says so. May be called from several threads at once, for any streams. */
LE_API le_status le_enqueue(le_engine *engine, const le_filter *filter, const le_image *image,
                            const le_image *mask, const le_region *region, const le_result *result,
                            const le_run_options *options, void *stream);

/* The bytes of a workspace for a call of le_enqueue() with these arguments, whose places must be
   possible ones, but need not be those of that call; 0: it needs none. Fails as le_enqueue() does.
 */
LE_API le_status le_workspace_bytes(le_engine *engine, const le_filter *filter,
                                    const le_image *image, const le_image *mask,
                                    const le_region *region, const le_result *result,
                                    size_t *bytes);

/* Waits until all that le_enqueue() has put into streams of the current GPU has ended.
   LE_BAD_LEVEL if a cell was no level in any call since that was said last; LE_INTERNAL if the GPU
   has failed. */
LE_API le_status le_synchronize(le_engine *engine);

#ifdef __cplusplus
}
#endif

#endif
