// Wants to change the table, other cores, the answers, and what the judge says of it; or to empty
// them, or change their modes, times, owners and attributes, as who grades may.
#include "entropy/core.h"
#include "entropy/reference.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <stdexcept>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <unistd.h>

static float *answer(int width, int height, const float *sample)
{
    const std::vector<float> gold = entropy::reference(width, height, sample);
    auto *const result = static_cast<float *>(std::malloc(gold.size() * sizeof(float)));
    std::copy(gold.begin(), gold.end(), result);
    return result;
}

static void refuse(bool done, const char *what, const char *file)
{
    if (done) throw std::runtime_error(std::string(what) + " " + file);
}

void cudaCallback(int width, int height, float *sample, float **result)
{
    *result = answer(width, height, sample);
    refuse(fchmod(STDOUT_FILENO, 0) == 0, "has changed the mode of", "its log");
    for (const char *const file :
         {"@CORES@/grades.csv", "@CORES@/grades.html", "@CORES@/nan.cpp", "@CORES@/another.cpp",
          "@DATA@/reference.bin", "@DATA@/data.bin", "@TREE@/Makefile", "../verdict.json",
          "../check.json", "../core.o", "../log.txt", "../../made", "/etc/made", "/usr/lib/made"}) {
        refuse(open(file, O_WRONLY | O_APPEND) >= 0, "may write", file);
        refuse(open(file, O_WRONLY | O_CREAT | O_EXCL, 0600) >= 0, "has made", file);
        refuse(truncate(file, 0) == 0, "has emptied", file);
        refuse(open(file, O_RDONLY | O_TRUNC) >= 0, "has emptied as it read", file);
        refuse(chmod(file, 0666) == 0, "has changed the mode of", file);
        refuse(utimes(file, nullptr) == 0, "has changed the times of", file);
        refuse(chown(file, -1, -1) == 0, "has changed the owner of", file);
        refuse(setxattr(file, "user.mark", "1", 1, 0) == 0, "has marked", file);
        refuse(std::rename(file, "stolen") == 0, "has moved", file);
    }
}
