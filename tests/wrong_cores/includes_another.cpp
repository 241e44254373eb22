// Is another one's core.
#include "@CORES@/leak.cpp"
