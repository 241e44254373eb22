// A core's process as the judge sees it: started in a box, fed through shared memory, watched.
#pragma once

#include "channel.h"
#include "entropy/samples.h"

#include <string>
#include <vector>

namespace grade
{

/// What the judge was told about the core and its limits.
struct CoreSettings
{
    std::string box, runner, log, directory; ///< the directory is empty, the core works there
    std::vector<std::string> hide;           ///< what the core may not see
    std::vector<std::string> read;           ///< libraries that it needs, besides the system's
    std::vector<std::string> without;        ///< walls of box that are left out
    double seconds = 60;
    std::uint64_t memory = 4ull << 30;
    bool poison = true, gpu = false;
};

/// The processes and the memory that they share with the judge.
class CoreProcess
{
public:
    /// Starts it. The shared memory is large enough for each of `samples`.
    CoreProcess(const CoreSettings &settings, const std::vector<entropy::Sample> &samples);
    ~CoreProcess();
    CoreProcess(const CoreProcess &) = delete;
    CoreProcess &operator=(const CoreProcess &) = delete;

    /// Waits for the runner's main. False if the process ended before it.
    bool ready() { return waitFor(kReady); }

    /// What came of a call.
    enum class Answer { Done, Ended, Forged };

    /// Lets the core compute `sample`; Done: the notes, the cells and the time can be read.
    Answer call(const entropy::Sample &sample);

    const Channel &notes() const { return *channel; }
    const float *result() const { return reinterpret_cast<const float *>(memory + resultAt); }
    double milliseconds() const { return lastMilliseconds; }
    bool sampleChanged(const entropy::Sample &sample) const;
    bool wroteAroundSample(const entropy::Sample &sample) const;

    /// Lets the runner's main end, and waits for it some seconds.
    void quit();

    /// How it ended, in the words of box: "exit 0", "signal 11", "timeout", "memory", ...
    const std::string &end() const { return ended; }
    const std::string &walls() const { return wallsInUse; }

private:
    void share(const std::vector<entropy::Sample> &samples);
    void start(const CoreSettings &settings);
    void place(const entropy::Sample &sample);
    bool waitFor(Turn turn);
    bool stillRuns();

    char *memory = nullptr;
    std::size_t bytes = 0, sampleAt = 0, resultAt = 0, margin = 0;
    Channel *channel = nullptr;
    int descriptor = -1, report = -1;
    pid_t process = -1;
    std::uint64_t allowance = 0;
    bool poison = true, gpu = false;
    double lastMilliseconds = 0;
    std::string said, ended, wallsInUse;
};

} // namespace grade
