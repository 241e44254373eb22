#include "bench/program.h"

#include "bench/process.h"
#include "bench/statuses.h"

#include <cstdio>

namespace bench
{
namespace
{

int timeAll(const Program &program, const std::vector<Case> &cases, const std::string &csv)
{
    TableFile file(csv);
    if (program.facts) std::printf("%s\n", program.facts().c_str());
    Harness harness(program.name, program.layout);
    for (const Case &one : cases) harness.time(one);
    if (harness.table().rows() == 0)
        throw common::Unavailable("none of these rows can be timed here");
    file.write(harness.table());
    return harness.failures() > 0 ? 1 : 0;
}

int run(const Program &program, int argc, char **argv)
{
    if (program.child && isChild(argc, argv)) {
        answer([&] { program.child({argv + 2, argv + argc}); });
        return 0;
    }
    const Options options = parseOptions(argc, argv, program.options);
    if (options.help) {
        std::fputs(helpOf(program.name, program.what, program.options).c_str(), stdout);
        return 0;
    }
    const std::vector<Case> cases =
        casesOf(options.cases, program.cases(), [](const Case &one) { return one.name; });
    if (!options.list) return timeAll(program, cases, options.csv);
    for (const Case &one : cases)
        if (one.what.empty())
            std::printf("%s\n", one.name.c_str());
        else
            std::printf("%-18s %s\n", one.name.c_str(), one.what.c_str());
    return 0;
}

} // namespace

TableFile::TableFile(const std::string &path)
{
    if (!path.empty()) file.emplace(path);
}

void TableFile::write(const Table &table)
{
    if (!file) return;
    file->write(table.str());
    file->commit();
}

int runProgram(const Program &program, int argc, char **argv)
{
    return guarded(program.name, [&] { return run(program, argc, argv); });
}

} // namespace bench
