/* SPDX-License-Identifier: MIT
 *
 * ladder_counters.c - what Nsight Compute prints is read and added up; damage and its complaints are told; it is found,
 * run and cleaned up after, on a script in its place. */
#define _GNU_SOURCE
#include "counters.h"
#include "test.h"

#include <dirent.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#define BEFORE                                                                                                     \
    "==WARNING== Note: Running with unmodified GPU clocks. If not controlled otherwise, profiling results may be " \
    "inconsistent.\n==PROF== Connected to process 7901 (/opt/tally)\nrung,state,us,us_low\nmodulo,right,,\n"       \
    "==PROF== Disconnected from process 7901\n"
#define NAMES                                                                                              \
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block " \
    "Size\",\"Grid "                                                                                       \
    "Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
#define ROW(id, kernel, metric, unit, value)                                                                          \
    "\"" id "\",\"7901\",\"tally\",\"127.0.0.1\",\"" kernel "\",\"1\",\"13\",\"(256, 1, 1)\",\"(2048, 1, 1)\",\"0\"," \
    "\"9.0\",\"Command line profiler metrics\",\"" metric "\",\"" unit "\",\"" value "\"\n"

#define DRAM "dram__throughput.avg.pct_of_peak_sustained_elapsed"
#define TIME "gpu__time_duration.sum"
#define CONFLICTS "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
#define SECTORS "l1tex__t_sectors_pipe_lsu_mem_global_op_"
#define ISSUE "smsp__issue_active.avg.pct_of_peak_sustained_active"
#define DIVERGENT "smsp__sass_branch_targets_threads_divergent.sum"

#define LAUNCH(id, kernel, dram, time, conflicts, loaded, issue, divergent) \
    ROW(id, kernel, DRAM, "%", dram)                                        \
    ROW(id, kernel, TIME, "ns", time)                                       \
    ROW(id, kernel, CONFLICTS, "", conflicts)                               \
    ROW(id, kernel, SECTORS "atom.sum", "sector", "1")                      \
    ROW(id, kernel, SECTORS "ld.sum", "sector", loaded)                     \
    ROW(id, kernel, SECTORS "red.sum", "sector", "20")                      \
    ROW(id, kernel, SECTORS "st.sum", "sector", "300")                      \
    ROW(id, kernel, "smsp__inst_executed.sum", "inst", "51,544,578")        \
    ROW(id, kernel, ISSUE, "%", issue)                                      \
    ROW(id, kernel, DIVERGENT, "branches", divergent)

#define FIRST LAUNCH("0", "reduce_modulo", "90.53", "250,336", "4,898", "33,554,432", "20.38", "6,145")
#define SECOND LAUNCH("1", "a<int, \"\"x\"\">(b, c)", "10", "62,584", "0", "1,000", "4.5", "1,073,741,824")

static bool read_text(const char *text, struct ladder_counters *counters, char why[COUNTERS_WHY])
{
    FILE *file = tmpfile();
    if (!CHECK(file != NULL)) return false;
    fputs(text, file);
    rewind(file);
    const bool sound = ladder_read_counters(file, counters, why);
    fclose(file);
    return sound;
}

static bool is_near(double got, double want)
{
    return fabs(got - want) <= 1e-9 * fabs(want);
}

static void recorded(void)
{
    struct ladder_counters c;
    char why[COUNTERS_WHY] = "", text[8192];
    snprintf(text, sizeof text, "%s%s%s%s", BEFORE NAMES, FIRST, SECOND, "==WARNING== and so on\n");
    if (!CHECK(read_text(text, &c, why))) return;
    CHECK_EQUAL_U64(c.launches, 2);
    CHECK(c.divergent_branches == 6145 + 1073741824.0);
    CHECK(c.bank_conflicts == 4898);
    CHECK(c.transactions == 33554432 + 1000 + 2 * 321);
    CHECK(is_near(c.dram_percent, 0.8 * 90.53 + 0.2 * 10)); /* the first took four times as long */
    CHECK(is_near(c.issue_percent, 0.8 * 20.38 + 0.2 * 4.5));
    CHECK(read_text(NAMES FIRST, &c, why) && c.launches == 1 && is_near(c.dram_percent, 90.53));
}

/* A device without a counter: the others stay. */
static void not_said(void)
{
    struct ladder_counters c;
    char why[COUNTERS_WHY] = "";
    if (!CHECK(read_text(NAMES ROW("0", "k", CONFLICTS, "", "n/a") ROW("0", "k", DIVERGENT, "", "7"), &c, why))) return;
    CHECK(c.divergent_branches == 7 && c.launches == 1);
    CHECK(isnan(c.bank_conflicts) && isnan(c.transactions) && isnan(c.dram_percent) && isnan(c.issue_percent));
    CHECK(read_text(NAMES FIRST ROW("1", "k", DIVERGENT, "", "7"), &c, why));
    CHECK(c.divergent_branches == 6152 && isnan(c.bank_conflicts));
}

static void damaged(void)
{
    static const char *const texts[] = {
        NAMES FIRST "\"1\",\"7901\",\"tal",
        NAMES FIRST "\"1\",\"7901\"\n",
        NAMES FIRST "what?\n",
        NAMES FIRST "\"1\"x,\"7901\"\n",
        NAMES ROW("0", "k", TIME, "ns", "12ms"),
        NAMES ROW("0", "k", TIME, "ns", ""),
        NAMES ROW("0", "k", TIME, "ns", "-3"),
        NAMES ROW("0", "k", TIME, "ns", "1.2.3"),
        NAMES ROW("0", "k", TIME, "ns", "473.182,56"), /* a point for thousands would be read as a thousandth */
        NAMES ROW("", "k", TIME, "ns", "1"),
        NAMES ROW("0123456789012345678901234567890123456789", "k", TIME, "ns", "1"),
        "\"ID\",\"Metric Name\",\"Value\"\n\"0\",\"" TIME "\",\"1\"\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct ladder_counters c;
        char why[COUNTERS_WHY] = "";
        CHECK(!read_text(texts[i], &c, why));
        if (!CHECK(strncmp(why, "line ", 5) == 0)) fprintf(stderr, "text %zu: %s\n", i, why);
    }
}

static void complaints(void)
{
    static const struct {
        const char *text, *why;
    } rows[] = {
        {"==PROF== Connected to process 7901 (/opt/tally)\n==ERROR== ERR_NVGPUCTRPERM - The user does not have "
         "permission "
         "to access NVIDIA GPU Performance Counters on the target device 0.\n==ERROR== and more\n==WARNING== No "
         "kernels "
         "were profiled.\n",
         "ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target "
         "device 0."},
        {"==PROF== Connected\ntally: --device: there is no GPU\n==ERROR== The application returned an error code "
         "(2).\n",
         "tally: --device: there is no GPU"},
        {"ncu: error while loading shared libraries\n\n", "ncu: error while loading shared libraries"},
        {BEFORE "==WARNING== No kernels were profiled.\r\n", "==WARNING== No kernels were profiled."},
        {NAMES, "it measured no launch"},
        {"", "it printed nothing"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ladder_counters c;
        char why[COUNTERS_WHY] = "";
        CHECK(!read_text(rows[i].text, &c, why));
        CHECK_EQUAL_TEXT(why, rows[i].why);
    }
}

/* ---- the program ---- */

static char folder[512], program[600], temporary[600];

static void write_program(const char *script)
{
    FILE *file = fopen(program, "w");
    if (!CHECK(file != NULL)) return;
    fprintf(file, "#!/bin/sh\n%s", script);
    CHECK(fclose(file) == 0 && chmod(program, 0700) == 0);
}

static void is_found(void)
{
    char path[COUNTERS_PATH], why[COUNTERS_WHY] = "";
    write_program("exit 0\n");
    setenv("TALLY_NCU", program, 1);
    CHECK(ladder_find_ncu(path, why));
    CHECK_EQUAL_TEXT(path, program);
    setenv("TALLY_NCU", folder, 1);
    CHECK(!ladder_find_ncu(path, why) && strstr(why, "TALLY_NCU") && strstr(why, folder));
    setenv("TALLY_NCU", "", 1);
    setenv("PATH", folder, 1);
    CHECK(ladder_find_ncu(path, why));
    CHECK_EQUAL_TEXT(path, program);
    CHECK(chmod(program, 0600) == 0);
    setenv("PATH", "::/nonexistent", 1);
    if (!ladder_find_ncu(path, why)) CHECK(strstr(why, "not found") && strstr(why, "TALLY_NCU="));
}

static int files_in(const char *path)
{
    int count = -2;
    DIR *open = opendir(path);
    while (open != NULL && readdir(open) != NULL) count++;
    if (open != NULL) closedir(open);
    return count;
}

/* A table through a script that has the options looked at and the command run, both by the shell. */
static void is_run(void)
{
    static const char *const command[] = {"/bin/echo", "two words", "--once", NULL};
    struct ladder_counters c;
    char why[COUNTERS_WHY] = "", script[8192];
    snprintf(script, sizeof script,
             "[ \"$1 $2 $3 $4 $5 $6\" = '--clock-control none --csv --print-units base --metrics' ] || exit 3\n"
             "echo '==PROF== Connected' >&2\n"
             "shift 7\n"
             "[ \"$#\" = 3 ] && \"$@\" || exit 4\n"
             "cat <<'END'\n%s%sEND\n",
             NAMES, FIRST);
    write_program(script);
    if (!CHECK(ladder_measure_counters(program, command, &c, why))) fprintf(stderr, "%s\n", why);
    CHECK(c.launches == 1 && c.bank_conflicts == 4898);
    write_program("echo 'tally: no such rung' >&2\nexit 2\n");
    CHECK(!ladder_measure_counters(program, command, &c, why));
    CHECK_EQUAL_TEXT(why, "tally: no such rung");
    snprintf(script, sizeof script, "cat <<'END'\n%s%sEND\nexit 9\n", NAMES, FIRST);
    write_program(script);
    CHECK(!ladder_measure_counters(program, command, &c, why));
    CHECK_EQUAL_TEXT(why, "it ended with status 9");
    write_program("kill -9 $$\n");
    CHECK(!ladder_measure_counters(program, command, &c, why));
    CHECK_EQUAL_TEXT(why, "signal 9 ended it");
    CHECK(!ladder_measure_counters("/nonexistent/ncu", command, &c, why));
    CHECK(strstr(why, "cannot be run") != NULL);
    CHECK_EQUAL_I64(files_in(temporary), 0);
    setenv("TMPDIR", "/nonexistent", 1);
    CHECK(!ladder_measure_counters(program, command, &c, why));
    CHECK(strstr(why, "/nonexistent/") != NULL);
}

static bool make_folder(void)
{
    const char *top = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.400s/tally-counters-test.XXXXXX", top != NULL && *top != '\0' ? top : "/tmp");
    if (mkdtemp(folder) == NULL) return false;
    snprintf(program, sizeof program, "%s/ncu", folder);
    snprintf(temporary, sizeof temporary, "%s/temporary", folder);
    setenv("TMPDIR", temporary, 1);
    return mkdir(temporary, 0700) == 0;
}

int main(void)
{
    CASE("recorded") recorded();
    CASE("not said") not_said();
    CASE("damaged") damaged();
    CASE("complaints") complaints();
    if (CHECK(make_folder())) {
        CASE("run") is_run();
        CASE("found") is_found();
        CHECK(unlink(program) == 0 && rmdir(temporary) == 0 && rmdir(folder) == 0);
    }
    return test_finish("ladder_counters");
}
