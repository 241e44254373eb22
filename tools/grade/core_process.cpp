#include "core_process.h"

#include "common/error.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <poll.h>
#include <random>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/wait.h>

namespace grade
{

namespace
{

constexpr int kPatience = 20;                    // ms between two looks at the process
constexpr double kCopyBytesPerMillisecond = 1e6; // slower than any machine's memory
constexpr std::size_t kAsMalloc = 16;            // malloc's large arrays start 16 bytes into a page
constexpr std::size_t kCopies = 4;               // rows on each side of the sample

std::size_t pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }
std::size_t bytesOf(const entropy::Sample &sample) { return sample.cells.size() * sizeof(float); }

/// Cells on each side of a sample: a core that reads too far finds levels, as wrong as any, and
/// not the end of the memory. One that writes there is seen.
std::size_t marginOf(const entropy::Sample &sample)
{
    return pages(std::max<std::size_t>(1 << 16, kCopies * sizeof(float) * sample.width));
}

void fillMargin(char *from, char *to)
{
    auto *const cells = reinterpret_cast<float *>(from);
    const std::size_t count = (to - from) / sizeof(float);
    for (std::size_t i = 0; i < count; ++i)
        cells[i] = static_cast<float>((i * 7 + i / 16 + 3) % 16);
}

bool marginChanged(const char *from, const char *to)
{
    const auto *const cells = reinterpret_cast<const float *>(from);
    const std::size_t count = (to - from) / sizeof(float);
    for (std::size_t i = 0; i < count; ++i)
        if (cells[i] != static_cast<float>((i * 7 + i / 16 + 3) % 16)) return true;
    return false;
}

[[noreturn]] void fail(const std::string &what)
{
    throw common::Error(what + ": " + std::strerror(errno));
}

} // namespace

CoreProcess::CoreProcess(const CoreSettings &settings, const std::vector<entropy::Sample> &samples)
    : poison(settings.poison), gpu(settings.gpu)
{
    share(samples);
    allowance = settings.memory;
    start(settings);
}

CoreProcess::~CoreProcess()
{
    if (process > 0) {
        kill(process, SIGKILL); // all that it started ends with it
        waitpid(process, nullptr, 0);
    }
    if (report >= 0) close(report);
    if (memory) munmap(memory, bytes);
}

void CoreProcess::share(const std::vector<entropy::Sample> &samples)
{
    std::size_t largest = 0, around = 0;
    for (const entropy::Sample &sample : samples) {
        largest = std::max(largest, bytesOf(sample));
        around = std::max(around, 2 * marginOf(sample) + pages(bytesOf(sample) + kAsMalloc));
    }
    resultAt = kPage + around;
    bytes = resultAt + pages(largest);
    descriptor = memfd_create("groups", MFD_ALLOW_SEALING);
    if (descriptor < 0 || ftruncate(descriptor, static_cast<off_t>(bytes)) != 0)
        fail("no shared memory");
    fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    void *const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (mapped == MAP_FAILED) fail("no shared memory");
    memory = static_cast<char *>(mapped);
    channel = reinterpret_cast<Channel *>(memory);
}

void CoreProcess::start(const CoreSettings &settings)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) fail("no pipe");
    report = ends[0];
    std::vector<std::string> words = {settings.box,  "--alone",
                                      "--directory", settings.directory,
                                      "--write",     settings.directory,
                                      "--seconds",   std::to_string(settings.seconds),
                                      "--memory",    std::to_string(settings.memory + bytes),
                                      "--file-size", std::to_string(16 << 20),
                                      "--keep",      std::to_string(descriptor),
                                      "--report",    std::to_string(ends[1])};
    for (const std::string &path : settings.hide) words.insert(words.end(), {"--hide", path});
    for (const std::string &path : settings.read) words.insert(words.end(), {"--read", path});
    for (const std::string &wall : settings.without) words.insert(words.end(), {"--without", wall});
    words.insert(words.end(), {"--", settings.runner, std::to_string(descriptor)});
    std::vector<char *> arguments;
    for (std::string &word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);

    process = fork();
    if (process < 0) fail("no process");
    if (process == 0) {
        const int log = open(settings.log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
        const int nothing = open("/dev/null", O_RDONLY);
        fcntl(ends[1], F_SETFD, 0);
        if (log < 0 || nothing < 0 || dup2(nothing, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
            _exit(125);
        execv(arguments[0], arguments.data());
        _exit(125);
    }
    close(ends[1]);
    close(descriptor);
}

// ---- turns -------------------------------------------------------------------------------------

/// Reads what box has reported so far. False when the process has ended.
bool CoreProcess::stillRuns()
{
    for (;;) {
        pollfd look{report, POLLIN, 0};
        if (poll(&look, 1, 0) <= 0) return true;
        char buffer[512];
        const ssize_t got = read(report, buffer, sizeof buffer);
        if (got > 0) {
            said.append(buffer, static_cast<std::size_t>(got));
            continue;
        }
        if (ended.empty()) {
            const std::size_t line = said.find('\n') + 1;
            if (said.compare(0, 6, "walls ") == 0) wallsInUse = said.substr(6, line - 7);
            ended = said.substr(wallsInUse.empty() ? 0 : line);
            ended = ended.substr(0, ended.find('\n'));
            if (ended.empty()) ended = "failed box ended without a word";
        }
        return false;
    }
}

bool CoreProcess::waitFor(Turn turn)
{
    for (;;) {
        const std::uint32_t now = channel->turn.load();
        if (now >= turn) return true;
        if (!stillRuns()) return channel->turn.load() >= turn;
        waitWhile(channel->turn, now, kPatience);
    }
}

void CoreProcess::place(const entropy::Sample &sample)
{
    margin = marginOf(sample);
    sampleAt = kPage + margin + kAsMalloc;
    char *const from = memory + sampleAt, *const to = from + bytesOf(sample);
    fillMargin(memory + kPage, from);
    std::memcpy(from, sample.cells.data(), bytesOf(sample));
    fillMargin(to, to + margin / sizeof(float) * sizeof(float));
    std::memset(memory + resultAt, 0xFF, bytesOf(sample)); // NaN

    const std::size_t after = offsetof(Channel, nonce);
    std::memset(reinterpret_cast<char *>(channel) + after, 0, kPage - after);
    if (getrandom(&channel->nonce, sizeof channel->nonce, 0) < 0)
        channel->nonce = std::random_device()();
    channel->width = sample.width;
    channel->height = sample.height;
    channel->sample = sampleAt;
    channel->result = resultAt;
    channel->memory = allowance;
    channel->poison = poison;
    channel->gpu = gpu;
}

CoreProcess::Answer CoreProcess::call(const entropy::Sample &sample)
{
    place(sample);
    const std::uint64_t nonce = channel->nonce;
    const std::int64_t start = nowNanoseconds();
    setAndWake(channel->turn, kGo);
    if (!waitFor(kReturned)) return Answer::Ended;
    // Its clock is the finer one, ours the one that it cannot set.
    const std::int64_t returned = nowNanoseconds();
    const double ours = static_cast<double>(returned - start) / 1e6;
    const std::uint64_t echo = channel->echo; // it may be done by now
    if (echo != nonce + 1 && echo != nonce + 2) return Answer::Forged;
    if (!waitFor(kDone)) return Answer::Ended;
    if (channel->turn.load() != kDone || channel->echo != nonce + 2) return Answer::Forged;
    const double theirs = static_cast<double>(channel->nanoseconds) / 1e6;
    const bool credible = theirs > 0 && theirs <= ours && ours - theirs < kPatience + 0.1 * ours;
    lastMilliseconds = credible ? theirs : ours;
    // Work that is put off until the result is copied counts as well.
    const double after = static_cast<double>(nowNanoseconds() - returned) / 1e6;
    const double copying = static_cast<double>(bytesOf(sample)) / kCopyBytesPerMillisecond;
    // Then by the judge's clock alone: what it saw late of the return, it saw early of the rest.
    if (after > kPatience + 0.1 * ours + copying) lastMilliseconds = ours + after - copying;
    return Answer::Done;
}

bool CoreProcess::sampleChanged(const entropy::Sample &sample) const
{
    return std::memcmp(memory + sampleAt, sample.cells.data(), bytesOf(sample)) != 0;
}

bool CoreProcess::wroteAroundSample(const entropy::Sample &sample) const
{
    const char *const from = memory + sampleAt, *const to = from + bytesOf(sample);
    return marginChanged(memory + kPage, from) ||
           marginChanged(to, to + margin / sizeof(float) * sizeof(float));
}

void CoreProcess::quit()
{
    setAndWake(channel->turn, kQuit);
    const std::int64_t limit = nowNanoseconds() + 5'000'000'000;
    while (stillRuns() && nowNanoseconds() < limit) usleep(1000);
}

} // namespace grade
