// Knocks at the calls that start a process without a word to the runner. What starts ends at once.
#include "entropy/core.h"
#include "entropy/reference.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <sys/syscall.h>
#include <unistd.h>

static float *answer(int width, int height, const float *sample)
{
    const std::vector<float> gold = entropy::reference(width, height, sample);
    auto *const result = static_cast<float *>(std::malloc(gold.size() * sizeof(float)));
    std::copy(gold.begin(), gold.end(), result);
    return result;
}

static void refuse(long child, const char *by)
{
    if (child == 0) _exit(0);
    if (child > 0) throw std::runtime_error(std::string("started a process by ") + by);
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    *result = answer(width, height, sample);
#ifdef SYS_fork
    refuse(syscall(SYS_fork), "fork");
#endif
    refuse(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0), "clone");
    if (std::system("exit 7") == 7 << 8) throw std::runtime_error("started a shell");
}
