// What programs see of the shared library; all else is hidden (local_entropy.map).
#pragma once

#if defined(__GNUC__)
#define LOCAL_ENTROPY_API __attribute__((visibility("default")))
#else
#define LOCAL_ENTROPY_API
#endif
