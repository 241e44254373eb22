// The tests link the core, whose benchmark runs at load time. This runs earlier and switches it
// off, here and in every program that the tests start. What was said to the make that runs the
// tests, which is in the environment too, is taken out of it: a make that a test starts is another
// one. What decides how to compile stays: builds are taken from one another.
#include <cstdlib>
#include <initializer_list>

__attribute__((constructor(101))) static void skipBenchmark()
{
    setenv("ENTROPY_BENCHMARK", "0", 1);
    for (const char *name :
         {"MAKEFLAGS", "MFLAGS",    "MAKEOVERRIDES", "MAKELEVEL", "MAKE",      "BUILD",  "CORE",
          "VERSION",   "ARGUMENTS", "CORES",         "DATA",      "REFERENCE", "GRADES", "LIMIT",
          "MEMORY",    "JOBS",      "FRESH",         "BASELINE",  "RESULTS",   "MACHINE"})
        unsetenv(name);
}
