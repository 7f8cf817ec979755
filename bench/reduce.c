/* SPDX-License-Identifier: MIT
 *
 * reduce.c - times reductions beside the read limit of this machine, measured in the same run, after checking each
 * result against the reference engine. JSON lines on standard output.
 *
 *     bench_reduce [DEVICE [ELEMENTS]]      default: cpu 33554432
 *
 * Every case is timed in turn with the limit, several times; the medians are reported. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tally.h>
#include <time.h>

#define ROUNDS 7
#define THREADS_MOST 64

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the limit: all threads read all bytes, and do nothing else with them ---- */

struct reader {
    pthread_t thread;
    const uint64_t *words;
    size_t count;
    uint64_t sum;
};

static void *read_words(void *argument)
{
    struct reader *reader = argument;
    uint64_t sum = 0;
    for (size_t i = 0; i < reader->count; i++) sum ^= reader->words[i];
    reader->sum = sum;
    return NULL;
}

static double read_seconds(const void *data, size_t bytes, int threads)
{
    struct reader readers[THREADS_MOST];
    if (threads > THREADS_MOST) threads = THREADS_MOST;
    size_t share = bytes / 8 / (size_t)threads;
    double start = now();
    for (int t = 0; t < threads; t++) {
        readers[t] = (struct reader){.words = (const uint64_t *)data + share * (size_t)t, .count = share};
        if (t > 0 && pthread_create(&readers[t].thread, NULL, read_words, &readers[t]) != 0) exit(1);
    }
    read_words(&readers[0]);
    volatile uint64_t kept = readers[0].sum;
    for (int t = 1; t < threads; t++) {
        pthread_join(readers[t].thread, NULL);
        kept ^= readers[t].sum;
    }
    return now() - start;
}

/* ---- cases ---- */

enum filling { ORDINARY, BINADES_40, ALL_EXPONENTS };
static const char *const filling_names[] = {"uniform", "40 binades", "all exponents"};

struct bench_case {
    tally_op op;
    tally_type type;
    uint32_t flags;
    enum filling filling;
    int64_t row; /* 0: one total; otherwise a matrix with rows of this length */
    int32_t axis;
};

static const struct bench_case cases[] = {
    {TALLY_SUM, TALLY_F32, 0, ORDINARY, 0, 0},       {TALLY_SUM, TALLY_F32, TALLY_PLAIN, ORDINARY, 0, 0},
    {TALLY_SUM, TALLY_F32, 0, BINADES_40, 0, 0},     {TALLY_SUM, TALLY_F32, 0, ALL_EXPONENTS, 0, 0},
    {TALLY_SUM, TALLY_F64, 0, ORDINARY, 0, 0},       {TALLY_SUM, TALLY_F64, TALLY_PLAIN, ORDINARY, 0, 0},
    {TALLY_SUM, TALLY_F64, 0, BINADES_40, 0, 0},     {TALLY_SUM, TALLY_F64, 0, ALL_EXPONENTS, 0, 0},
    {TALLY_SUM, TALLY_F16, 0, ORDINARY, 0, 0},       {TALLY_SUM, TALLY_I32, 0, ORDINARY, 0, 0},
    {TALLY_SUM, TALLY_I8, 0, ORDINARY, 0, 0},        {TALLY_MEAN, TALLY_I32, 0, ORDINARY, 0, 0},
    {TALLY_MAX, TALLY_F32, 0, ORDINARY, 0, 0},       {TALLY_ARGMAX, TALLY_F32, 0, ORDINARY, 0, 0},
    {TALLY_VAR, TALLY_F32, 0, ORDINARY, 0, 0},       {TALLY_VAR, TALLY_F64, 0, ORDINARY, 0, 0},
    {TALLY_LOGSUMEXP, TALLY_F32, 0, ORDINARY, 0, 0}, {TALLY_SUM, TALLY_F32, 0, ORDINARY, 4, 1},
    {TALLY_SUM, TALLY_F32, 0, ORDINARY, 4, 0},       {TALLY_SUM, TALLY_F32, 0, ORDINARY, 1024, 1},
    {TALLY_SUM, TALLY_F32, 0, ORDINARY, 1024, 0},    {TALLY_MAX, TALLY_F32, 0, ORDINARY, 1024, 1},
    {TALLY_MAX, TALLY_F32, 0, ORDINARY, 1024, 0},
};

static uint64_t random_bits(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return state ^ state >> 29;
}

/* Elements as their bits; floats of the wanted spread of exponents, integers of any size. */
static void fill(const struct bench_case *c, void *room, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t r = random_bits(), e = c->filling == BINADES_40 ? r >> 54 : 0;
        uint32_t f32 = (uint32_t)(r & 0x807fffff) | (uint32_t)(107 + (c->filling == BINADES_40 ? e % 40 : 20)) << 23;
        uint64_t f64 = (r & 0x800fffffffffffffull) | (1003 + (c->filling == BINADES_40 ? e % 40 : 20)) << 52;
        uint16_t f16 = (uint16_t)((r & 0x83ff) | 15 << 10);
        if (c->filling == ALL_EXPONENTS) {
            f32 = (uint32_t)(r & 0x807fffff) | (uint32_t)(1 + (r >> 40) % 254) << 23;
            f64 = (r & 0x800fffffffffffffull) | (1 + random_bits() % 2046) << 52;
        }
        switch (c->type) {
        case TALLY_F32: memcpy((char *)room + 4 * i, &f32, 4); break;
        case TALLY_F64: memcpy((char *)room + 8 * i, &f64, 8); break;
        case TALLY_F16: memcpy((char *)room + 2 * i, &f16, 2); break;
        default: memcpy((char *)room + (size_t)i * tally_type_size(c->type), &r, tally_type_size(c->type)); break;
        }
    }
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *seconds)
{
    qsort(seconds, ROUNDS, sizeof *seconds, compare_doubles);
    return seconds[ROUNDS / 2];
}

static void check(tally_status status)
{
    if (status == TALLY_OK) return;
    fprintf(stderr, "bench: %s\n", tally_last_error());
    exit(1);
}

static void run(tally_context *context, tally_context *reference, const struct bench_case *c, void *room, int64_t n,
                int threads)
{
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array input = c->row ? tally_matrix(room, c->type, n / c->row, c->row) : tally_vector(room, c->type, n),
                output;
    double ours[ROUNDS], limit[ROUNDS];
    options.flags = c->flags;
    options.axes = c->row ? &c->axis : NULL;
    options.axis_count = c->row ? 1 : 0;
    fill(c, room, n);
    check(tally_result_like(TALLY_REDUCE, c->op, &input, &options, &output));
    size_t bytes = tally_type_size(output.type) * (size_t)(output.rank ? output.shape[0] : 1);
    void *got = calloc(1, bytes), *want = calloc(1, bytes);
    if (!got || !want) exit(1);
    output.data = want;
    check(tally_reduce(reference, c->op, &input, &output, &options));
    output.data = got;
    for (int round = 0; round < ROUNDS; round++) {
        limit[round] = read_seconds(room, (size_t)n * tally_type_size(c->type), threads);
        double start = now();
        check(tally_reduce(context, c->op, &input, &output, &options));
        ours[round] = now() - start;
    }
    if (memcmp(got, want, bytes) != 0) {
        fprintf(stderr, "bench: %s of %s is wrong\n", tally_op_name(c->op), tally_type_name(c->type));
        exit(1);
    }
    double us = 1e6 * median(ours), limit_us = 1e6 * median(limit);
    printf("{\"op\":\"%s%s\",\"type\":\"%s\",\"data\":\"%s\",\"row\":%lld,\"axis\":%d,\"n\":%lld,\"us\":%.1f,\"limit_"
           "us\":%.1f,"
           "\"percent\":%.1f,\"threads\":%d}\n",
           tally_op_name(c->op), c->flags & TALLY_PLAIN ? " plain" : "", tally_type_name(c->type),
           filling_names[c->filling], (long long)c->row, (int)c->axis, (long long)n, us, limit_us, 100 * limit_us / us,
           threads);
    fflush(stdout);
    free(got);
    free(want);
}

int main(int count, char **arguments)
{
    const char *device = count > 1 ? arguments[1] : "cpu";
    int64_t n = count > 2 ? atoll(arguments[2]) : (int64_t)1 << 25;
    tally_context *context, *reference;
    tally_device info = {.size = sizeof info};
    if (n < 4096 || n % 4096 != 0) {
        fprintf(stderr, "bench: ELEMENTS is %lld: expected a multiple of 4096\n", (long long)n);
        return 2;
    }
    check(tally_open(device, &context));
    check(tally_open("reference", &reference));
    check(tally_device_info(context, &info));
    void *room = aligned_alloc(4096, (size_t)n * 8);
    if (!room) return 1;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        run(context, reference, &cases[i], room, n, info.threads);
    free(room);
    tally_close(context);
    tally_close(reference);
    return 0;
}
