#include "isolation.h"

#include "call_filter.h"

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <fstream>
#include <glob.h>
#include <grp.h>
#include <linux/landlock.h>
#include <sched.h>
#include <sstream>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace grade
{

unsigned wallNamed(const std::string &name)
{
    if (name == "processes") return kProcesses;
    if (name == "network") return kNetwork;
    if (name == "ipc") return kIpc;
    if (name == "mounts") return kMounts;
    if (name == "landlock") return kLandlock;
    if (name == "nobody") return kNobody;
    if (name == "nameless") return kNameless;
    return name == "calls" ? kCalls : 0;
}

// ---- namespaces --------------------------------------------------------------------------------

namespace
{

bool writeText(const char *path, const std::string &text)
{
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    const bool good =
        file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    if (file >= 0) close(file);
    return good;
}

std::string sameId(unsigned id) { return std::to_string(id) + " " + std::to_string(id) + " 1"; }

bool ownMounts() { return mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0; }

/// Puts the open file or directory where it was, in what covers it now.
void bind(int descriptor, const std::string &path)
{
    struct stat inside
    {
    };
    if (fstat(descriptor, &inside) != 0) return;
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
         slash = path.find('/', slash + 1))
        mkdir(path.substr(0, slash).c_str(), 0755);
    if (S_ISDIR(inside.st_mode))
        mkdir(path.c_str(), 0755);
    else
        close(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0444));
    const std::string source = "/proc/self/fd/" + std::to_string(descriptor);
    mount(source.c_str(), path.c_str(), nullptr, MS_BIND | MS_REC, nullptr);
}

/// A new /proc covers what was mounted in the old one: some systems keep the driver's files there.
bool ownProc()
{
    std::vector<Room> drivers;
    std::ifstream mounts("/proc/self/mountinfo");
    for (std::string line; std::getline(mounts, line);) {
        std::istringstream words(line);
        std::string word[5];
        for (std::string &one : word) words >> one;
        if (word[4].compare(0, 13, "/proc/driver/") == 0 || word[4] == "/proc/driver")
            openRoom(word[4], false, drivers);
    }
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)
        return false;
    for (const Room &room : drivers) {
        bind(room.descriptor, room.path);
        close(room.descriptor);
    }
    return true;
}

/// What is written there is gone with the namespace, and cannot fill a disk.
bool mountTemporary(const char *path)
{
    return mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777,size=256m") == 0;
}

bool isSystem(const std::string &path)
{
    for (const char *const kept : {"/", "/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc", "/dev",
                                   "/proc", "/sys", "/run", "/tmp", "/dev/shm"})
        if (path == kept) return true;
    return path.compare(0, 5, "/usr/") == 0;
}

} // namespace

bool enterNamespaces(unsigned walls)
{
    const unsigned user = geteuid(), group = getegid();
    const int all = (walls & kMounts ? CLONE_NEWNS : 0) | (walls & kProcesses ? CLONE_NEWPID : 0) |
                    (walls & kNetwork ? CLONE_NEWNET : 0) | (walls & kIpc ? CLONE_NEWIPC : 0);
    if (user == 0) return unshare(all) == 0;
    return unshare(CLONE_NEWUSER | all) == 0 && writeText("/proc/self/setgroups", "deny") &&
           writeText("/proc/self/uid_map", sameId(user)) &&
           writeText("/proc/self/gid_map", sameId(group));
}

bool namespacesWork(unsigned walls)
{
    const pid_t child = fork();
    if (child < 0) return false;
    if (child == 0) {
        if (!enterNamespaces(walls)) _exit(1);
        const pid_t first = fork();
        if (first == 0) {
            std::vector<Room> none;
            _exit(furnish(walls, {}, true, none) ? 0 : 1);
        }
        int status = 1;
        if (first < 0 || waitpid(first, &status, 0) != first) _exit(1);
        _exit(status == 0 ? 0 : 1);
    }
    int status = 1;
    return waitpid(child, &status, 0) == child && status == 0;
}

bool furnish(unsigned walls, const std::vector<std::string> &covered, bool emptyTemporaries,
             std::vector<Room> &rooms)
{
    if (!(walls & kMounts)) return true;
    if (!ownMounts() || ((walls & kProcesses) && !ownProc())) return false;
    if (emptyTemporaries) {
        for (Room &room : rooms) // opened anew: the descriptor is of what is covered now
            if (room.writable) {
                if (!mountTemporary(room.path.c_str())) return false;
                close(room.descriptor);
                room.descriptor = open(room.path.c_str(), O_PATH | O_CLOEXEC);
                if (room.descriptor < 0) return false;
            }
        for (const char *const path : {"/dev/shm", "/tmp"})
            if (access(path, F_OK) == 0 && !mountTemporary(path)) return false;
    }
    std::vector<std::string> empty;
    for (const std::string &path : covered)
        if (!isSystem(path) && // one that lies in another is gone already
            mount("tmpfs", path.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=4k") == 0)
            empty.push_back(path);
    for (const Room &room : rooms) {
        struct stat before
        {
        };
        struct stat now
        {
        };
        const bool inSight = fstat(room.descriptor, &before) == 0 &&
                             stat(room.path.c_str(), &now) == 0 && before.st_ino == now.st_ino &&
                             before.st_dev == now.st_dev;
        if (!inSight && !room.writable) bind(room.descriptor, room.path);
    }
    for (const std::string &path : empty)
        mount(nullptr, path.c_str(), nullptr,
              MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, nullptr);
    return true;
}

// ---- files: Landlock ---------------------------------------------------------------------------

namespace
{

constexpr std::uint64_t kRead =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kFirst = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1; // what version 1 knows
// Younger than some headers: of the versions 2, 3 and 5.
constexpr std::uint64_t kRefer = 1 << 13, kTruncate = 1 << 14, kDevices = 1 << 15;
constexpr std::uint64_t kAll = kFirst | kRefer | kTruncate | kDevices;
constexpr std::uint64_t kFile = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE |
                                LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate | kDevices;

/// What this system can refuse; 0: it has no Landlock.
std::uint64_t rightsKnown()
{
    const long version =
        syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1) return 0;
    return kFirst | (version >= 2 ? kRefer : 0) | (version >= 3 ? kTruncate : 0) |
           (version >= 5 ? kDevices : 0);
}

bool allow(int rules, int descriptor, std::uint64_t access)
{
    struct stat status
    {
    };
    if (fstat(descriptor, &status) != 0) return false;
    landlock_path_beneath_attr rule{};
    rule.allowed_access = rightsKnown() & (S_ISDIR(status.st_mode) ? access : access & kFile);
    rule.parent_fd = descriptor;
    return syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
}

void allowPath(int rules, const char *path, std::uint64_t access)
{
    const int descriptor = open(path, O_PATH | O_CLOEXEC);
    if (descriptor < 0) return;
    allow(rules, descriptor, access);
    close(descriptor);
}

} // namespace

bool openRoom(const std::string &path, bool writable, std::vector<Room> &rooms)
{
    const int descriptor = open(path.c_str(), O_PATH | O_CLOEXEC);
    if (descriptor < 0) return false;
    rooms.push_back({path, descriptor, writable});
    return true;
}

bool allowOnly(const std::vector<Room> &rooms, bool temporaries)
{
    landlock_ruleset_attr handled{};
    handled.handled_access_fs = rightsKnown();
    const int rules =
        static_cast<int>(syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0));
    if (rules < 0) return false;
    for (const char *const path : {"/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc", "/opt",
                                   "/proc", "/sys", "/run", "/nix", "/gnu"})
        allowPath(rules, path, kRead);
    allowPath(rules, "/dev", kRead | LANDLOCK_ACCESS_FS_WRITE_FILE | kDevices);
    allowPath(rules, "/proc/self", // CUDA names its threads there
              kRead | LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate);
    if (temporaries) // others' files are in the system's
        for (const char *const path : {"/dev/shm", "/tmp"}) allowPath(rules, path, kAll);
    bool good = true;
    for (const Room &room : rooms)
        good = allow(rules, room.descriptor, room.writable ? kAll : kRead) && good;
    good = good && syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return good;
}

// ---- user and system calls ---------------------------------------------------------------------

namespace
{

/// The groups of GPUs that not everybody may use.
std::vector<gid_t> groupsOfDevices()
{
    std::vector<gid_t> groups;
    glob_t found{};
    if (glob("/dev/nvidia*", 0, nullptr, &found) == 0)
        for (std::size_t i = 0; i < found.gl_pathc; ++i) {
            struct stat status
            {
            };
            if (stat(found.gl_pathv[i], &status) == 0 && S_ISCHR(status.st_mode) &&
                !(status.st_mode & S_IWOTH) && (status.st_mode & S_IWGRP) && status.st_gid != 0)
                groups.push_back(status.st_gid);
        }
    globfree(&found);
    return groups;
}

#ifdef GRADE_FILTERS_CALLS

/// Calls by which a core would leave its box, or reach another process: also by a socket in a file,
/// which Landlock lets anybody send to. CUDA makes a socket, which may neither be connected nor
/// send.
std::vector<long> refusedCalls(unsigned walls)
{
    std::vector<long> calls = {SYS_ptrace,
                               SYS_process_vm_writev,
                               SYS_tkill,
                               SYS_setns,
                               SYS_unshare,
                               SYS_mount,
                               SYS_bpf,
                               SYS_perf_event_open,
                               SYS_io_uring_setup,
                               SYS_rt_sigqueueinfo,
                               SYS_rt_tgsigqueueinfo,
                               SYS_pidfd_send_signal,
                               SYS_keyctl,
                               SYS_add_key,
                               SYS_connect,
                               SYS_socketpair,
                               SYS_sendto,
                               SYS_sendmsg,
                               SYS_sendmmsg};
#ifdef __x86_64__
    calls.insert(calls.end(), {SYS_fork, SYS_vfork});
#endif
    if (walls & kNameless) calls.insert(calls.end(), {SYS_memfd_create, SYS_shmget});
    return calls;
}

/// The owner of a file may empty it, and change whose it is, its mode, times and attributes,
/// without opening it to write. Of all this Landlock knows the first, from version 3 on.
void refuseOnFiles(CallFilter &filter)
{
    // Younger than some headers; the same numbers on all machines.
    constexpr long kFchmodat2 = 452, kSetxattrat = 463, kRemovexattrat = 466, kFileSetattr = 469;
    for (const long call :
         {long{SYS_truncate}, long{SYS_fchmod}, long{SYS_fchmodat}, kFchmodat2, long{SYS_fchown},
          long{SYS_fchownat}, long{SYS_utimensat}, kFileSetattr, long{SYS_setxattr},
          long{SYS_lsetxattr}, long{SYS_fsetxattr}, kSetxattrat, long{SYS_removexattr},
          long{SYS_lremovexattr}, long{SYS_fremovexattr}, kRemovexattrat})
        filter.answer(call, CallFilter::kRefuse);
    // By open(), too: with the access modes 0, to read, and 3, which does neither.
    constexpr std::uint32_t kEmpties = O_TRUNC | O_ACCMODE;
    filter.refuseWhere(SYS_openat, 2, kEmpties, {O_TRUNC, kEmpties});
    filter.answer(SYS_openat2, SECCOMP_RET_ERRNO | ENOSYS); // its flags lie in memory
#ifdef __x86_64__
    for (const long call : {SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat})
        filter.answer(call, CallFilter::kRefuse);
    filter.refuseWhere(SYS_open, 1, kEmpties, {O_TRUNC, kEmpties});
#endif
    // FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR and FS_IOC_ENABLE_VERITY: <linux/fs.h> and <sys/mount.h>
    // do not go together everywhere.
    filter.refuseWhere(SYS_ioctl, 1, ~0u,
                       {_IOW('f', 2, long), _IOW('X', 32, char[28]), _IOW('f', 133, char[128])});
}

#endif

} // namespace

bool becomeNobody()
{
    constexpr unsigned kNobody = 65534;
    if (geteuid() != 0) return false;
    const std::vector<gid_t> groups = groupsOfDevices();
    return setgroups(groups.size(), groups.data()) == 0 &&
           setresgid(kNobody, kNobody, kNobody) == 0 && setresuid(kNobody, kNobody, kNobody) == 0;
}

bool filterCalls([[maybe_unused]] unsigned walls)
{
#ifndef GRADE_FILTERS_CALLS
    return false;
#else
    CallFilter filter;
    for (const long call : refusedCalls(walls)) filter.answer(call, CallFilter::kRefuse);
    refuseOnFiles(filter);
    // The flags of clone3 lie in memory, where a filter cannot look: glibc then takes clone.
    filter.answer(SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
    filter.allowOnlyWhere(SYS_clone, BPF_JSET, CLONE_THREAD); // threads only
    for (const long call : {SYS_kill, SYS_tgkill})            // itself only: abort() is allowed
        filter.allowOnlyWhere(call, BPF_JEQ, static_cast<std::uint32_t>(getpid()));
    return filter.install();
#endif
}

} // namespace grade
