// The tests link the core, whose benchmark runs at load time. This runs earlier and switches it
// off, here and in every program that the tests start.
#include <cstdlib>
#include <initializer_list>

__attribute__((constructor(101))) static void skipBenchmark()
{
    setenv("ENTROPY_BENCHMARK", "0", 1);
    for (const char *name : {"MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL", "VERSION"})
        unsetenv(name); // a make that a test starts is not part of the one that runs the tests
}
