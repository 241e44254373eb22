// Wants to trace, read or write any process but its own.
#include "entropy/core.h"
#include "entropy/reference.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <stdexcept>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

static float *answer(int width, int height, const float *sample)
{
    const std::vector<float> gold = entropy::reference(width, height, sample);
    auto *const result = static_cast<float *>(std::malloc(gold.size() * sizeof(float)));
    std::copy(gold.begin(), gold.end(), result);
    return result;
}

static void refuse(bool reached, const std::string &what)
{
    if (reached) throw std::runtime_error("reached " + what);
}

static void knock(pid_t process)
{
    const std::string folder = "/proc/" + std::to_string(process);
    for (const char *const file : {"/mem", "/maps", "/environ"}) {
        char byte;
        const int open = ::open((folder + file).c_str(), O_RDONLY);
        refuse(open >= 0 && (file[2] == 'e' || read(open, &byte, 1) > 0), folder + file);
        if (open >= 0) close(open);
    }
    refuse(open((folder + "/mem").c_str(), O_RDWR) >= 0, folder + "/mem, to write");
    DIR *const descriptors = opendir((folder + "/fd").c_str());
    refuse(descriptors != nullptr, folder + "/fd");
    refuse(ptrace(PTRACE_ATTACH, process, nullptr, nullptr) == 0, "a process by ptrace");
    char byte = 0;
    const iovec here{&byte, 1}, there{&byte, 1}; // ours, as an address there: EPERM comes first
    const bool isRead = process_vm_readv(process, &here, 1, &there, 1, 0) >= 0;
    refuse(isRead || errno == EFAULT, "a process by process_vm_readv");
    const bool isWritten = process_vm_writev(process, &here, 1, &there, 1, 0) >= 0;
    refuse(isWritten || errno == EFAULT, "a process by process_vm_writev");
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    *result = answer(width, height, sample);
    DIR *const processes = opendir("/proc");
    while (const dirent *const entry = processes ? readdir(processes) : nullptr) {
        const pid_t process = std::atoi(entry->d_name);
        if (process > 0 && process != getpid()) knock(process);
    }
    if (processes) closedir(processes);
    if (getppid() > 0) knock(getppid());
}
