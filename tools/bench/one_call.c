/* Times calls of the library from C, one after another: one_call SIDE WINDOW THREADS CALLS. Cells
   are random bytes. Prints the median microseconds of a call. */
#include <local_entropy/local_entropy.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int count, char **arguments)
{
    if (count != 5) return fprintf(stderr, "usage: one_call SIDE WINDOW THREADS CALLS\n"), 2;
    const int side = atoi(arguments[1]), window = atoi(arguments[2]), calls = atoi(arguments[4]);
    const size_t cells = (size_t)side * side;
    unsigned char *pixels = malloc(cells);
    float *floats = malloc(cells * sizeof *floats);
    double *times = malloc(calls * sizeof *times);
    le_engine *engine;
    le_engine_options options;
    le_filter filter;

    for (size_t i = 0; i < cells; ++i) pixels[i] = (unsigned char)(rand() >> 8);
    le_engine_options_init(&options);
    options.threads = atoi(arguments[3]);
    options.devices = 1;
    le_filter_init(&filter);
    filter.width = filter.height = window;
    filter.base = LE_BASE_2;
    le_status status = le_engine_create(&options, &engine);
    const le_image image = {pixels, LE_UINT8, side, side, 0};
    const le_result result = {floats, LE_FLOAT32, side, side, 0};
    for (int i = -100; i < calls && !status; ++i) {
        const double start = now();
        status = le_run(engine, &filter, &image, NULL, NULL, &result, NULL);
        if (i >= 0) times[i] = now() - start;
    }
    if (status) return fprintf(stderr, "one_call: %s\n", le_last_error()), 1;
    qsort(times, calls, sizeof *times, compare);
    printf("%.3f\n", times[calls / 2]);
    le_engine_destroy(engine);
    return 0;
}
