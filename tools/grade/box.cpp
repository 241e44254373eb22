// Runs one program that is not trusted: behind walls, within limits, and says how it ended.

#include "isolation.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <getopt.h>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char **environ;

namespace grade
{
namespace
{

constexpr const char *kHelp = R"(usage: box [options] -- PROGRAM [ARGUMENT]...

Runs PROGRAM behind walls: its own namespaces, Landlock, a filter of system calls, the user nobody
where box runs as root; each where the system has it. Within limits, and with the descriptors 0 to 2
and --keep alone.

  --read PATH       it may read PATH, besides the system's directories; PROGRAM itself it may
  --write PATH      it may write there too
  --hide PATH       cover the directory PATH with an empty one; what may be read in it stays
  --without WALL    leave out a wall: processes, network, ipc, mounts, landlock, nobody, calls, or of
                    the latter nameless: memory in files without a name
  --directory PATH  work there
  --seconds S       end it after that time
  --memory BYTES    end it when its processes hold more
  --threads N       end it when its processes have more threads than that (default 4096)
  --file-size BYTES no file larger than that
  --alone           no processes but the first, no signals to others; as nobody, if this is root
  --keep N          leave descriptor N open
  --report N        write how it ended to descriptor N: `walls ...`, then one of `exit STATUS`,
                    `signal NUMBER`, `timeout`, `memory`, `threads`, `failed REASON`

Exit status: that of PROGRAM; 128 + signal; 124 for any limit; 125 if box itself fails.
)";

struct Options
{
    std::vector<std::string> read, write, hide;
    unsigned walls = kAllWalls;
    std::string directory;
    double seconds = 0;
    std::uint64_t memory = 0, fileSize = 0;
    long threads = 4096;
    bool alone = false;
    int keep = -1, report = -1;
    char **program = nullptr;
};

[[noreturn]] void fail(const Options &options, const std::string &reason)
{
    const std::string line = "failed " + reason + "\n";
    if (options.report < 0 || write(options.report, line.data(), line.size()) < 0)
        std::fprintf(stderr, "box: %s\n", reason.c_str());
    _exit(125);
}

Options parse(int argc, char **argv)
{
    static const option kOptions[] = {{"read", 1, nullptr, 'r'},    {"write", 1, nullptr, 'w'},
                                      {"hide", 1, nullptr, 'h'},    {"directory", 1, nullptr, 'd'},
                                      {"seconds", 1, nullptr, 's'}, {"memory", 1, nullptr, 'm'},
                                      {"threads", 1, nullptr, 't'}, {"file-size", 1, nullptr, 'f'},
                                      {"alone", 0, nullptr, 'a'},   {"keep", 1, nullptr, 'k'},
                                      {"report", 1, nullptr, 'o'},  {"help", 0, nullptr, '?' + 1},
                                      {"without", 1, nullptr, 'x'}, {nullptr, 0, nullptr, 0}};
    Options options;
    for (int letter; (letter = getopt_long(argc, argv, "+", kOptions, nullptr)) != -1;)
        switch (letter) {
        case 'r': options.read.push_back(optarg); break;
        case 'w': options.write.push_back(optarg); break;
        case 'h': options.hide.push_back(optarg); break;
        case 'd': options.directory = optarg; break;
        case 's': options.seconds = std::atof(optarg); break;
        case 'm': options.memory = std::strtoull(optarg, nullptr, 10); break;
        case 't': options.threads = std::atol(optarg); break;
        case 'f': options.fileSize = std::strtoull(optarg, nullptr, 10); break;
        case 'a': options.alone = true; break;
        case 'k': options.keep = std::atoi(optarg); break;
        case 'o': options.report = std::atoi(optarg); break;
        case 'x':
            if (!wallNamed(optarg)) fail(options, std::string("no wall is named ") + optarg);
            options.walls &= ~wallNamed(optarg);
            if (!(options.walls & kMounts)) options.walls &= ~kProcesses; // no view of its own
            break;
        case '?' + 1: std::fputs(kHelp, stdout); std::exit(0);
        default: std::exit(125);
        }
    if (optind == argc) {
        std::fputs(kHelp, stderr);
        std::exit(125);
    }
    options.program = argv + optind;
    return options;
}

// ---- the program's side ------------------------------------------------------------------------

void closeOthers(const Options &options, int program)
{
    const long last = sysconf(_SC_OPEN_MAX);
    for (int descriptor = 3; descriptor < (last > 0 && last < 65536 ? last : 65536); ++descriptor)
        if (descriptor != options.keep && descriptor != program) close(descriptor);
}

std::string namesOf(unsigned namespaces)
{
    if (namespaces == kNamespaces) return ", namespaces";
    std::string names;
    for (const char *const name : {"processes", "network", "ipc", "mounts"})
        if (namespaces & wallNamed(name)) names += std::string(", namespace of ") + name;
    return names;
}

[[noreturn]] void enter(const Options &options, const std::vector<Room> &rooms, int program,
                        int directory, unsigned namespaces)
{
    std::string walls = namesOf(namespaces);
    setsid();
    if (directory >= 0 && fchdir(directory) != 0) fail(options, "its directory cannot be entered");
    if (options.fileSize) {
        const rlimit size{options.fileSize, options.fileSize};
        setrlimit(RLIMIT_FSIZE, &size);
        signal(SIGXFSZ, SIG_IGN); // such a write fails, the program goes on
    }
    const rlimit none{0, 0}, descriptors{4096, 4096}; // each pipe and socket holds memory
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_NOFILE, &descriptors);
    if (options.alone && (options.walls & kNobody) && becomeNobody()) walls += ", user nobody";
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if ((options.walls & kLandlock) && allowOnly(rooms, (namespaces & kMounts) && options.alone))
        walls += ", Landlock";
    if (options.alone && (options.walls & kCalls) && filterCalls(options.walls))
        walls += ", system-call filter";
    walls = "walls " + (walls.empty() ? "none" : walls.substr(2)) + "\n";
    if (options.report >= 0 && write(options.report, walls.data(), walls.size()) < 0) _exit(125);
    fcntl(options.report, F_SETFD, FD_CLOEXEC);
    closeOthers(options, program);
    // By its name where that is in sight: a script cannot be run by a descriptor that will close.
    if (options.program[0][0] == '/') execve(options.program[0], options.program, environ);
    const int why = errno;
    fexecve(program, options.program, environ);
    std::fprintf(stderr, "%s cannot be run: %s\n", options.program[0],
                 std::strerror(errno == ENOENT ? why : errno));
    _exit(125);
}

// ---- the warden's side -------------------------------------------------------------------------

struct Use
{
    std::uint64_t bytes = 0;
    long threads = 0;
};

long numberAfter(const std::string &text, const char *name)
{
    const std::size_t at = text.find(name);
    return at == std::string::npos ? 0 : std::atol(text.c_str() + at + std::strlen(name));
}

/// What a process holds, if it belongs to the session of the program.
Use useOf(const std::string &process, pid_t session)
{
    if (getsid(std::atoi(process.c_str())) != session) return {};
    std::FILE *const file = std::fopen(("/proc/" + process + "/status").c_str(), "r");
    if (!file) return {};
    char buffer[4096];
    const std::string text(buffer, std::fread(buffer, 1, sizeof buffer, file));
    std::fclose(file);
    return {static_cast<std::uint64_t>(numberAfter(text, "VmRSS:")) * 1024,
            numberAfter(text, "Threads:")};
}

Use useOfAll(pid_t session, bool alone)
{
    if (alone) return useOf(std::to_string(session), session);
    Use all;
    DIR *const processes = opendir("/proc");
    if (!processes) return all;
    while (const dirent *const entry = readdir(processes)) {
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
        const Use use = useOf(entry->d_name, session);
        all.bytes += use.bytes;
        all.threads += use.threads;
    }
    closedir(processes);
    return all;
}

/// Watches until the program ends or passes a limit. Says how in the words of the report.
std::string watch(const Options &options, pid_t child, int &status)
{
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    for (;;) {
        pid_t gone;
        int how = 0;
        while ((gone = waitpid(-1, &how, WNOHANG)) > 0)
            if (gone == child) {
                status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
                return WIFEXITED(how) ? "exit " + std::to_string(WEXITSTATUS(how))
                                      : "signal " + std::to_string(WTERMSIG(how));
            }
        status = 124;
        const Use use = useOfAll(child, options.alone);
        if (options.memory && use.bytes > options.memory) return "memory";
        if (use.threads > options.threads) return "threads";
        const std::chrono::duration<double> spent = Clock::now() - start;
        if (options.seconds > 0 && spent.count() > options.seconds) return "timeout";
        const timespec pause{0, 20'000'000};
        sigtimedwait(&ended, nullptr, &pause);
    }
}

[[noreturn]] void guard(const Options &options, unsigned namespaces)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::vector<Room> rooms;
    for (const std::string &path : options.read) openRoom(path, false, rooms);
    for (const std::string &path : options.write)
        if (!openRoom(path, true, rooms)) fail(options, path + " cannot be opened");
    const int program = open(options.program[0], O_RDONLY | O_CLOEXEC);
    int directory =
        options.directory.empty() ? -1 : open(options.directory.c_str(), O_PATH | O_CLOEXEC);
    if (program < 0) fail(options, std::string(options.program[0]) + ": " + std::strerror(errno));
    if (!furnish(namespaces, options.hide, options.alone, rooms))
        fail(options, "its namespace cannot be set up");
    for (const Room &room : rooms) // it may have been covered
        if (room.writable && room.path == options.directory) directory = room.descriptor;
    rooms.push_back({options.program[0], program, false});

    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ended, nullptr);
    const pid_t child = fork();
    if (child < 0) fail(options, "no process can be made");
    if (child == 0) {
        sigprocmask(SIG_UNBLOCK, &ended, nullptr);
        enter(options, rooms, program, directory, namespaces);
    }
    if (options.keep >= 0) close(options.keep);
    int status = 125;
    const std::string end = watch(options, child, status) + "\n";
    kill(-child, SIGKILL);
    if (options.report >= 0 && write(options.report, end.data(), end.size()) < 0) _exit(125);
    _exit(status);
}

} // namespace
} // namespace grade

int main(int argc, char **argv)
{
    using namespace grade;
    const Options options = parse(argc, argv);
    prctl(PR_SET_PDEATHSIG, SIGKILL); // and the warden ends with this process
    const unsigned wanted = options.walls & kNamespaces;
    const bool works = wanted && namespacesWork(wanted) && enterNamespaces(wanted);
    const unsigned namespaces = works ? wanted : 0;
    prctl(PR_SET_DUMPABLE, 0);
    const pid_t warden = fork();
    if (warden < 0) fail(options, "no process can be made");
    if (warden == 0) guard(options, namespaces);
    int status = 0;
    waitpid(warden, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}
