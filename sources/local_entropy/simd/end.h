// The last line of a file whose path's header sets an instruction set (bytes.h): the end of it.
// Included once for every header that set one, so without a guard.
#if defined(__clang__)
#pragma clang attribute pop
#elif defined(__GNUC__)
#pragma GCC reset_options
#endif
