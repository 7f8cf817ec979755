/* SPDX-License-Identifier: MIT
 *
 * bench_jit.c - how long the first call waits for its kernels.
 *
 * tally bench starts itself with --first-call: a new process opens the device, puts the input there, makes the call and
 * waits for it, compares the result with the CPU's, and makes the call again. The first call's time less the second's
 * is what is reported: finding the compiler or the kernel on disk, compiling or reading, loading, taking scratch
 * memory. Opening the device is what CUDA takes for it, and stands beside. Cold: the cache on disk is an empty folder,
 * and the one that NVIDIA's libraries keep for themselves is off, or the second pair's compiler would find there what
 * the first one's left; kernels that came with the library are left aside. Warm: the next process finds in the folder
 * what that one left. Shipped: an empty folder again, and the kernels that came with the library, if some did. Medians
 * over several such rounds of processes, each with new folders. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include "io/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define COLD_TARGET 100.0 /* milliseconds */
#define WARM_TARGET 15.0
#define ROUNDS 3
#define CACHE "TALLY_CACHE_DIR="
#define KERNELS "TALLY_KERNELS="
#define NVIDIA_CACHE "CUDA_CACHE_DISABLE="

extern char **environ;

enum { COLD, WARM, SHIPPED, STARTS };

/* What one process measures, in milliseconds. */
typedef struct first_call {
    double open, first, second;
    bool checked_all;
} first_call;

#define LINE "opened in %lf ms, first call %lf ms, second call %lf ms, checked %7s"

/* ---- The new process ---- */

static double make_and_wait(const bench_state *state, const bench_case *wanted, const bench_call *call)
{
    const double begin = bench_now();
    if (bench_make(state->device, wanted, call) != TALLY_OK || tally_synchronize(state->device) != TALLY_OK) {
        cli_fail_call("bench");
        return NAN;
    }
    return 1e-3 * (bench_now() - begin);
}

bool bench_first_call_check(const bench_report *report)
{
    const int64_t number = report->options->first_call;
    bench_case unused;
    int64_t most = 0;
    while (bench_jit_case(report, most + 1, &unused)) most++;
    return number <= most ||
           io_fail("--first-call %" PRId64 " is not a case of the part jit, 1 to %" PRId64, number, most);
}

bool bench_first_call(bench_report *report)
{
    bench_state *state = &report->state;
    bench_case wanted;
    bench_call call;
    bench_result result;
    if (!bench_jit_case(report, report->options->first_call, &wanted) ||
        !bench_pool_fill(state, wanted.type, wanted.spread, bench_pool_bytes(&wanted)) ||
        bench_prepare(state, &wanted, &call) != BENCH_DONE) {
        return false;
    }
    bench_place(state, &wanted, 0, state->pool.far, state->outputs, &call);
    if (bench_check_begin(state, &wanted, &call) != BENCH_DONE) return false;
    const double first = make_and_wait(state, &wanted, &call);
    if (isnan(first)) return false;
    const int verdict = bench_check_end(state, &wanted, &call, &result);
    const double second = verdict == BENCH_DONE || verdict == BENCH_WRONG ? make_and_wait(state, &wanted, &call) : NAN;
    if (isnan(second)) return false;
    report->wrong += verdict == BENCH_WRONG;
    printf("opened in %.3f ms, first call %.3f ms, second call %.3f ms, checked %s\n", 1e-3 * state->open_us, first,
           second,
           verdict == BENCH_WRONG ? "wrong"
           : result.checked_all   ? "all"
                                  : "sample");
    return true;
}

/* ---- The process that starts it ---- */

static bool sets(const char *entry, const char *name)
{
    return strncmp(entry, name, strlen(name)) == 0;
}

/* This one's environment with another cache and other shipped kernels, without the cache of NVIDIA's libraries; the
 * strings are those of environ. */
static char **environment_with(char *cache, char *kernels)
{
    static char no_cache[] = NVIDIA_CACHE "1";
    size_t count = 0, kept = 0;
    while (environ[count] != NULL) count++;
    char **all = calloc(count + 4, sizeof *all);
    if (all == NULL) return NULL;
    for (size_t i = 0; i < count; i++) {
        if (!sets(environ[i], CACHE) && !sets(environ[i], NVIDIA_CACHE) && !sets(environ[i], KERNELS))
            all[kept++] = environ[i];
    }
    all[kept++] = no_cache;
    all[kept++] = kernels;
    all[kept] = cache;
    return all;
}

/* Starts the program with its output into a pipe, of which *from is the end to read. */
static bool start(char *const *arguments, char *const *environment, pid_t *process, int *from)
{
    posix_spawn_file_actions_t actions;
    int ends[2];
    if (pipe(ends) != 0) return io_fail("bench: no pipe to another process: %s", strerror(errno));
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    int error = posix_spawn_file_actions_init(&actions);
    if (error == 0) {
        error = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        if (error == 0) error = posix_spawn(process, "/proc/self/exe", &actions, NULL, arguments, environment);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    *from = ends[0];
    if (error == 0) return true;
    close(ends[0]);
    return io_fail("bench: cannot start another process: %s", strerror(error));
}

/* The other cases may still do: this process goes on. */
static int fail_in_process(void)
{
    io_fail("FAILED in the process that was started for it");
    return BENCH_LEFT_OUT;
}

static int finish(pid_t process, int from, first_call *measured)
{
    char text[256], checked[8] = "";
    size_t used = 0;
    ssize_t more;
    int status = 0;
    while ((more = read(from, text + used, sizeof text - 1 - used)) > 0) used += (size_t)more;
    text[used] = '\0';
    close(from);
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    const int found = sscanf(text, LINE, &measured->open, &measured->first, &measured->second, checked);
    if (found == 4 && strcmp(checked, "wrong") == 0) return BENCH_WRONG;
    measured->checked_all = strcmp(checked, "all") == 0;
    return found == 4 && status == 0 ? BENCH_DONE : fail_in_process();
}

static int run_first_call(const bench_report *report, const char *folder, bool shipped, first_call *measured)
{
    char number[16], device[64], cache[1024], kernels[1100] = KERNELS;
    size_t room = sizeof kernels - strlen(KERNELS);
    pid_t process;
    int from = -1;
    snprintf(number, sizeof number, "%d", report->number);
    snprintf(device, sizeof device, "%s", report->state.about.name);
    snprintf(cache, sizeof cache, CACHE "%s", folder);
    if (shipped) tally_cache_shipped(kernels + strlen(KERNELS), &room);
    char *arguments[] = {"tally",        "bench",  "--device",
                         device,         "--grid", (char *)(uintptr_t)report->options->grid,
                         "--first-call", number,   NULL};
    char **environment = environment_with(cache, kernels);
    if (environment == NULL) {
        io_fail("bench: no memory left for an environment");
        return BENCH_FAILED;
    }
    const bool started = start(arguments, environment, &process, &from);
    free(environment);
    return started ? finish(process, from, measured) : BENCH_FAILED;
}

static void delete_folder(const char *folder)
{
    DIR *open = opendir(folder);
    char path[1400];
    for (struct dirent *entry; open != NULL && (entry = readdir(open)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    if (open != NULL) closedir(open);
    rmdir(folder);
}

static bool make_folder(char folder[1000])
{
    const char *parent = getenv("TMPDIR");
    if (parent == NULL || *parent == '\0' || strlen(parent) > 900) parent = "/tmp";
    snprintf(folder, 1000, "%s/tally-bench.XXXXXX", parent);
    return mkdtemp(folder) != NULL || io_fail("bench: cannot make the folder %s: %s", folder, strerror(errno));
}

static bool has_shipped(void)
{
    char folder[1024];
    size_t size = sizeof folder;
    return tally_cache_shipped(folder, &size) == TALLY_OK && folder[0] != '\0';
}

/* The processes of one round, the first two with one folder. */
static int run_round(const bench_report *report, int starts, first_call calls[STARTS])
{
    int verdict = BENCH_DONE;
    for (int i = 0; i < starts && verdict == BENCH_DONE; i++) {
        char folder[1000];
        if (i == WARM) continue;
        if (!make_folder(folder)) return BENCH_FAILED;
        verdict = run_first_call(report, folder, i == SHIPPED, &calls[i]);
        if (i == COLD && verdict == BENCH_DONE) verdict = run_first_call(report, folder, false, &calls[WARM]);
        delete_folder(folder);
    }
    return verdict;
}

static void print_row(const bench_report *report, const bench_case *wanted, double times[2][STARTS][ROUNDS], int starts,
                      int rounds, bool checked_all)
{
    static const char *const names[] = {"cold", "warm", "shipped"};
    const bench_result result = {.first = NAN, .last = NAN, .checked_all = checked_all};
    double first[STARTS], open[STARTS];
    for (int i = 0; i < starts; i++) {
        first[i] = bench_median(times[0][i], rounds);
        open[i] = bench_median(times[1][i], rounds);
    }
    printf("cold %9.2f ms (target %.0f)  warm %8.2f ms (target %.0f)  ", first[COLD], COLD_TARGET, first[WARM],
           WARM_TARGET);
    if (starts > SHIPPED) printf("shipped %8.2f ms  ", first[SHIPPED]);
    printf("opening %.2f ms\n", open[WARM]);
    fflush(stdout);
    if (report->json == NULL) return;
    bench_write_case(report, wanted);
    for (int i = 0; i < starts; i++) fprintf(report->json, ", \"%s_ms\": %.3f", names[i], first[i]);
    for (int i = 0; i < starts; i++) fprintf(report->json, ", \"%s_open_ms\": %.3f", names[i], open[i]);
    fprintf(report->json, ", \"cold_target_ms\": %.0f, \"warm_target_ms\": %.0f, \"runs\": %d", COLD_TARGET,
            WARM_TARGET, rounds);
    bench_write_end(report, &result);
}

bool bench_jit(bench_report *report, const bench_case *wanted)
{
    const int rounds = report->state.simulated || report->state.quick ? 1 : ROUNDS,
              starts = has_shipped() ? STARTS : SHIPPED;
    double times[2][STARTS][ROUNDS];
    bool checked_all = true;
    int verdict = BENCH_DONE;
    if (report->state.compile_only) return true; /* these have caches of their own */
    for (int i = 0; i < rounds && verdict == BENCH_DONE; i++) {
        first_call calls[STARTS];
        verdict = run_round(report, starts, calls);
        for (int j = 0; j < starts && verdict == BENCH_DONE; j++) {
            times[0][j][i] = calls[j].first - calls[j].second;
            times[1][j][i] = calls[j].open;
            checked_all = checked_all && calls[j].checked_all;
        }
    }
    bench_print_what(wanted);
    if (verdict == BENCH_DONE) print_row(report, wanted, times, starts, rounds, checked_all);
    else bench_print_failure(verdict);
    return bench_count(report, verdict);
}
