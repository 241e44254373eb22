// The tests link the core, whose benchmark runs at load time. This runs earlier and switches it
// off, here and in every program that the tests start.
#include <cstdlib>

__attribute__((constructor(101))) static void skipBenchmark()
{
    setenv("ENTROPY_BENCHMARK", "0", 1);
}
