/* A program of somebody else's, in C99: exit status 0 if the installed library computes the worked
   example, and refuses what it should. */
#include <local_entropy/local_entropy.h>

#include "worked.h"

#include <stdio.h>
#include <string.h>

static int failed(const char *what)
{
    printf("main.c: %s: %s\n", what, le_last_error());
    return 1;
}

int main(void)
{
    le_engine *engine;
    le_filter filter;
    float values[16];
    const le_image image = {kCells, LE_UINT8, 4, 4, 0};
    const le_result result = {values, LE_FLOAT32, 4, 4, 0};

    if (strcmp(le_version(), LE_VERSION) != 0) return failed("another version than the header's");
    if (le_engine_create(NULL, &engine)) return failed("no engine");
    le_filter_init(&filter);
    if (le_run(engine, &filter, &image, NULL, NULL, &result, NULL)) return failed("not computed");
    if (memcmp(values, kEntropies, sizeof values) != 0) return failed("other values");

    filter.levels = 1;
    if (le_run(engine, &filter, &image, NULL, NULL, &result, NULL) != LE_BAD_ARGUMENT)
        return failed("one level was not refused");
    le_engine_destroy(engine);
    return 0;
}
