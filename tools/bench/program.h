// A benchmark as a program: cases that are registered, and a main that all of them share.
#pragma once

#include "bench/harness.h"
#include "bench/options.h"
#include "common/output_file.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace bench
{

struct Program
{
    const char *name;
    const char *what; ///< for --help: lines that end with a line break
    Layout layout;
    std::vector<Option> options; ///< of its own
    /// All there are, asked for when the options have been read.
    std::function<std::vector<Case>()> cases;
    /// Printed before the table. Throws common::Unavailable where nothing can run here. May be
    /// missing.
    std::function<std::string()> facts = {};
    /// What it does as a child of itself (process.h), with these arguments. May be missing.
    std::function<void(const std::vector<std::string> &)> child = {};
};

/// Its main: reads the options, times the cases that are wanted, writes the table. Returns the exit
/// status: 1 also where a case has a verdict, 2 where no row could be timed here.
int runProgram(const Program &program, int argc, char **argv);

/// Writes the table to a file that is opened at once: one that has no place is found before the
/// measurement rather than after it. No name: to none.
class TableFile
{
public:
    explicit TableFile(const std::string &path);
    void write(const Table &table);

private:
    std::optional<common::OutputFile> file;
};

} // namespace bench
