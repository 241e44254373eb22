/* A program that loads the library, computes by threads of an engine, and unloads it, again and
   again: reload LIBRARY. Exit status 0 if all values are right, nothing of the library is called
   afterwards by a thread that ends or a process that is forked, and memory does not grow. */
#define _POSIX_C_SOURCE 200809L /* beside C99: fork, threads, dlopen */

#include <local_entropy/local_entropy.h>

#include "worked.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kSide = 400, kRounds = 60 };

static void fail(const char *what)
{
    printf("reload.c: %s\n", what);
    exit(1);
}

static void *found(void *library, const char *name)
{
    void *const function = dlsym(library, name);
    if (!function) fail(dlerror());
    return function;
}

/* C99 casts no void * to a function. */
#define FIND(function, library) *(void **)&function = found(library, "le_" #function)

static void compute(void *library)
{
    static unsigned char cells[kSide * kSide];
    static float values[kSide * kSide], first[kSide * kSide];
    le_status (*engine_create)(const le_engine_options *, le_engine **);
    void (*engine_destroy)(le_engine *);
    le_status (*filter_init_sized)(le_filter *, size_t);
    le_status (*run)(le_engine *, const le_filter *, const le_image *, const le_image *,
                     const le_region *, const le_result *, const le_run_options *);
    const le_image worked = {kCells, LE_UINT8, 4, 4, 0}, image = {cells, LE_UINT8, kSide, kSide, 0};
    const le_result result = {values, LE_FLOAT32, kSide, kSide, 0};
    const le_result few = {values, LE_FLOAT32, 4, 4, 0};
    le_engine_options options;
    le_engine *engine;
    le_filter filter;
    int i;

    FIND(engine_create, library);
    FIND(engine_destroy, library);
    FIND(filter_init_sized, library);
    FIND(run, library);
    le_engine_options_init(&options);
    options.threads = 3;
    if (engine_create(&options, &engine)) fail("no engine");
    filter_init_sized(&filter, sizeof filter);
    if (run(engine, &filter, &worked, NULL, NULL, &few, NULL)) fail("not computed");
    if (memcmp(values, kEntropies, sizeof kEntropies) != 0) fail("other values");
    for (i = 0; i < kSide * kSide; ++i) cells[i] = (unsigned char)(i * 2654435761u >> 24);
    filter.width = filter.height = 9;
    if (run(engine, &filter, &image, NULL, NULL, &result, NULL)) fail("no image computed");
    if (first[0] == 0) memcpy(first, values, sizeof first);
    if (memcmp(values, first, sizeof first) != 0) fail("other values than at first");
    engine_destroy(engine);
}

/* What the thread has kept must not need the library any more when the thread ends. */
static void *load_and_compute(void *path)
{
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fail(dlerror());
    compute(library);
    if (dlclose(library) != 0) fail(dlerror());
    return NULL;
}

static long resident_pages(void)
{
    long all = 0, resident = 0;
    FILE *const file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &all, &resident) != 2) fail("no /proc/self/statm");
    fclose(file);
    return resident;
}

static void expect_forks_work(void)
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0) _exit(0);
    if (waitpid(child, &status, 0) != child || status != 0) fail("a forked process crashed");
}

int main(int count, char **arguments)
{
    long before = 0, allowed;
    int round;
    (void)count;
    for (round = 0; round < kRounds; ++round) {
        pthread_t thread;
        if (round == kRounds / 2) before = resident_pages();
        if (round % 2 == 0) {
            load_and_compute(arguments[1]);
        } else {
            if (pthread_create(&thread, NULL, load_and_compute, arguments[1])) fail("no thread");
            pthread_join(thread, NULL);
        }
        expect_forks_work();
    }
    allowed = before + before / 20 + (2L << 20) / sysconf(_SC_PAGESIZE);
    if (dlopen(arguments[1], RTLD_NOW | RTLD_NOLOAD)) fail("the library stays loaded");
    if (resident_pages() > allowed) fail("memory grows");
    return 0;
}
