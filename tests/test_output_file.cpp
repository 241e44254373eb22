// Files that appear whole or not at all.
#include "common/output_file.h"
#include "messages.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace common
{

TEST(OutputFile, AProgramThatIsKilledLeavesNothing)
{
    const TemporaryDirectory directory;
    const std::string path = directory.path("out"), old = directory.path("old");
    std::ofstream(old) << "old";
    EXPECT_EXIT(
        {
            OutputFile first(path);
            OutputFile second(old);
            first.write("half");
            std::raise(SIGKILL);
        },
        testing::KilledBySignal(SIGKILL), "");
    EXPECT_EQ(directory.files(), 1);
    EXPECT_EQ(contentsOf(old), "old");
}

TEST(OutputFile, AppearsWholeOrNotAtAll)
{
    const TemporaryDirectory directory;
    const std::string path = directory.path("out");
    {
        OutputFile file(path);
        file.write("half");
    }
    EXPECT_EQ(directory.files(), 0);
    OutputFile first(path);
    first.write("whole");
    EXPECT_EQ(contentsOf(path), "");
    first.commit();
    EXPECT_EQ(contentsOf(path), "whole");
    {
        OutputFile second(path);
        second.write("half");
    }
    EXPECT_EQ(contentsOf(path), "whole") << "a file that was not committed changed an older one";
    EXPECT_EQ(directory.files(), 1);
}

TEST(OutputFile, ReplacesWhatALinkPointsToAndNoPipe)
{
    const TemporaryDirectory directory;
    const std::string target = directory.path("target"), link = directory.path("link");
    std::ofstream(target) << "old";
    ASSERT_EQ(symlink(target.c_str(), link.c_str()), 0);
    {
        OutputFile file(link);
        file.write("new");
        file.commit();
    }
    EXPECT_EQ(contentsOf(target), "new");
    EXPECT_EQ(directory.files(), 2);
    const std::string missing = directory.path("missing"), dangling = directory.path("dangling");
    ASSERT_EQ(symlink(missing.c_str(), dangling.c_str()), 0);
    {
        OutputFile file(dangling);
        file.write("in its place");
        file.commit();
    }
    EXPECT_EQ(contentsOf(dangling), "in its place");
    EXPECT_EQ(directory.files(), 3) << "what it pointed to is not there";
    OutputFile null("/dev/null");
    null.write("gone");
    null.commit();
    struct stat status
    {
    };
    ASSERT_EQ(stat("/dev/null", &status), 0);
    EXPECT_TRUE(S_ISCHR(status.st_mode));
}

TEST(OutputFile, HasThePermissionsOfTheFileThatItReplaces)
{
    const TemporaryDirectory directory;
    const std::string path = directory.path("out");
    for (const mode_t mode : {0600, 0664, 0640, 0755, 0711, 0444}) {
        std::ofstream(path) << "old";
        ASSERT_EQ(chmod(path.c_str(), mode), 0);
        OutputFile file(path);
        file.write("new");
        file.commit();
        struct stat status;
        ASSERT_EQ(stat(path.c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 07777, mode);
    }
}

// Whom a new file belongs to, and who may read it, is for the system to say.
TEST(OutputFile, ThatIsNewIsForThoseWhomTheUserLets)
{
    const TemporaryDirectory directory;
    const std::string path = directory.path("out");
    for (const mode_t mask : {0022, 0077, 0002}) {
        const mode_t before = umask(mask);
        OutputFile file(path);
        file.commit();
        umask(before);
        struct stat status;
        ASSERT_EQ(stat(path.c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 07777, 0666 & ~mask);
        std::remove(path.c_str());
    }
}

TEST(OutputFile, IsNotInTheWayOfAnother)
{
    const TemporaryDirectory directory;
    const std::string path = directory.path("out");
    // Of a process with this one's number, which was ended in the middle.
    std::ofstream(path + ".tmp." + std::to_string(getpid())) << "left";
    OutputFile whole(path);
    whole.write("whole");
    whole.commit();
    EXPECT_EQ(contentsOf(path), "whole");
    EXPECT_EQ(directory.files(), 1);

    OutputFile late(path);
    late.write("late");
    std::remove(path.c_str());
    ASSERT_EQ(mkdir(path.c_str(), 0755), 0);
    EXPECT_EQ(messageOf([&] { late.commit(); }), path + " cannot be put in place: Is a directory");
}

/// For a process of its own: a filter of its calls of the system; status 77 where that is refused.
template <std::size_t kSteps>
void filterCalls(sock_filter (&program)[kSteps])
{
    const sock_fprog filter{kSteps, program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0)
        _exit(77);
}

/// Files without a name are refused, as some file systems do.
void refuseNamelessFiles()
{
    constexpr unsigned kNameless = O_TMPFILE & ~O_DIRECTORY;
    sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kNameless, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    filterCalls(program);
}

/// What was written does not get to the disk.
void refuseToSynchronise()
{
    sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fsync, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    filterCalls(program);
}

/// Commits one file, and drops another.
[[noreturn]] void writeWithNames(const std::string &whole, const std::string &half)
{
    refuseNamelessFiles();
    {
        OutputFile dropped(half);
        dropped.write("half");
    }
    OutputFile kept(whole);
    kept.write("whole");
    const bool named = access((whole + ".tmp." + std::to_string(getpid())).c_str(), F_OK) == 0;
    kept.commit();
    _exit(named ? 0 : 3);
}

TEST(OutputFile, WhereEachFileHasANameNothingIsLeftEither)
{
    const TemporaryDirectory directory;
    const pid_t child = fork();
    if (child == 0) writeWithNames(directory.path("whole"), directory.path("half"));
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "needs filters of calls";
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    EXPECT_EQ(contentsOf(directory.path("whole")), "whole");
    EXPECT_EQ(directory.files(), 1);
}

TEST(OutputFile, HasItsNameOnceItIsOnTheDisk)
{
    const TemporaryDirectory directory;
    const std::string path = directory.path("out");
    std::ofstream(path) << "old";
    const pid_t child = fork();
    if (child == 0) {
        refuseToSynchronise();
        OutputFile file(path);
        file.write("new");
        const std::string said = messageOf([&] { file.commit(); });
        _exit(said == path + " cannot be written: Input/output error" ? 0 : 3);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "needs filters of calls";
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    EXPECT_EQ(contentsOf(path), "old");
}

TEST(OutputFile, HoldsNothingThatIsPrintedWhereAStreamIsClosed)
{
    const TemporaryDirectory directory;
    const std::string path = directory.path("out");
    for (const int closed : {STDOUT_FILENO, STDERR_FILENO}) {
        std::fflush(nullptr);
        const pid_t child = fork();
        if (child == 0) {
            close(closed);
            OutputFile file(path);
            dprintf(closed, "printed");
            file.write("whole");
            file.commit();
            _exit(0);
        }
        ASSERT_EQ(waitpid(child, nullptr, 0), child);
        EXPECT_EQ(contentsOf(path), "whole") << closed;
    }
}

// A program that is started meanwhile does not hold them: a pipe would not end.
TEST(OutputFile, HasNoDescriptorThatOtherProgramsGet)
{
    const TemporaryDirectory directory;
    const auto inherited = [] {
        std::vector<std::string> those;
        for (const auto &one : std::filesystem::directory_iterator("/proc/self/fd")) {
            const int flags = fcntl(std::stoi(one.path().filename()), F_GETFD);
            if (flags >= 0 && !(flags & FD_CLOEXEC)) those.push_back(one.path());
        }
        std::sort(those.begin(), those.end());
        return those;
    };
    const std::vector<std::string> before = inherited();
    for (const std::string &path : {directory.path("out"), std::string("/dev/null")}) {
        const OutputFile file(path);
        EXPECT_EQ(inherited(), before) << path;
    }
}

TEST(OutputFile, SaysWhatItCannotDo)
{
    EXPECT_EQ(messageOf([] { OutputFile file("no/such/directory/out"); }),
              "no/such/directory/out cannot be created: No such file or directory");
    EXPECT_EQ(messageOf([] {
                  OutputFile large("/dev/full");
                  large.write(std::string(1 << 20, ' '));
              }),
              "/dev/full cannot be written: No space left on device");
    OutputFile small("/dev/full");
    small.write("x"); // which stays in a buffer until then
    EXPECT_EQ(messageOf([&] { small.commit(); }),
              "/dev/full cannot be written: No space left on device");
}

} // namespace common
