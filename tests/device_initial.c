/* SPDX-License-Identifier: MIT
 *
 * device_initial.c - sums of floats on a device that begin with an initial value give the bits of the CPU engine, by
 * every kernel that takes rows and columns: values that cancel what cells have, lie far below or above it, make ties,
 * or are none; cells whose sums no pair of doubles tells, and that have infinities and NaN.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     all combinations, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "device_boxes.h"
#include "patches.h"

enum content { ORDINARY, SPECIAL, PATCHES, COUNTS, CONTENTS };

struct problem {
    tally_type type, result;
};

/* Small integers; of every third cell or so, also a number far below all places of their sum. */
static void fill_counts(tally_type type, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double v = (double)(int)test_random_below(7) - 3;
        if (test_random_below(100) == 0) v = ldexp(test_random_below(2) ? 1 : -1, type == TALLY_F16 ? -24 : -120);
        data_put_real(type, room, i, v);
    }
}

static void fill(enum content content, tally_type type, int64_t n)
{
    if (type == TALLY_I32 || type == TALLY_I64 || content == ORDINARY) {
        data_fill(type, DATA_ORDINARY, room, n);
    } else if (content == COUNTS) {
        fill_counts(type, n);
    } else if (content == PATCHES) {
        patches_fill(type, room, n);
    } else {
        data_fill(type, DATA_ORDINARY, room, n);
        for (int64_t i = (int64_t)test_random_below(50); i < n; i += 1 + (int64_t)test_random_below(400))
            data_put_real(type, room, i, (double[]){NAN, INFINITY, -INFINITY}[test_random_below(3)]);
    }
}

/* The first cell's sum with the other sign. */
static void take_back(tally_type type, const unsigned char *sum, unsigned char *to)
{
    size_t size = tally_type_size(type);
    memcpy(to, sum, size);
    to[size - 1] ^= 0x80;
}

static void each_initial(const struct problem *problem, const struct shape *s, const int32_t *axes, int32_t count)
{
    static const double values[] = {-0.0, 0, 1.5, 0x1p53, INFINITY, -INFINITY, NAN, 0x1p-1074, -0x1.8p25, 0x1p1000};
    _Alignas(16) unsigned char value[16];
    tally_type result = problem->result ? problem->result : problem->type;
    initial = value;
    for (int i = 0; i < (int)(sizeof values / sizeof *values); i++) {
        data_put_real(result, value, 0, values[i]);
        if (i == 1) take_back(result, want, value);
        compare_as(problem->result, TALLY_SUM, problem->type, s, axes, count);
    }
    initial = NULL;
}

static const struct {
    struct shape shape;
    int32_t axes[2], count;
} places[] = {
    {{1, 1500, 4, 0, 0}, {2}, 1},     {{1, 1001, 3, 0, 0}, {2}, 1},    {{1, 700, 37, 0, 0}, {2}, 1},
    {{1, 600, 64, 0, 0}, {2}, 1},     {{1, 300, 1001, 0, 1}, {2}, 1},  {{1, 400, 24, 8, 0}, {2}, 1},
    {{1, 500, 2, 1, 0}, {2}, 1},      {{1, 40, 5000, 0, 0}, {2}, 1},   {{1, 2, 150001, 0, 1}, {2}, 1},
    {{1, 8, 4000, 0, 0}, {1}, 1},     {{1, 3000, 40, 0, 0}, {1}, 1},   {{1, 500, 333, 0, 1}, {1}, 1},
    {{1, 400, 1024, 0, 0}, {1}, 1},   {{300, 20, 7, 0, 0}, {1}, 1},    {{4, 300, 1001, 0, 0}, {1}, 1},
    {{1, 15, 3001, 0, 0}, {1}, 1},    {{70, 30, 48, 0, 0}, {0, 2}, 2}, {{5, 200, 64, 0, 0}, {0, 1}, 2},
    {{13, 9, 1048, 0, 0}, {0, 2}, 2}, {{9, 50, 37, 2, 1}, {0, 2}, 2},  {{1, 60, 1000, 0, 0}, {1, 2}, 2},
};

/* Of narrow numbers and of doubles all; of others some. */
static void each_place(const struct problem *problem, int number)
{
    for (int i = 0; i < (int)(sizeof places / sizeof *places); i++) {
        const int turn = i + number;
        if (!device_full() && number > 1 && turn % 3) continue;
        for (int content = 0; content < CONTENTS; content++) {
            flags = turn % 4 == 3 ? TALLY_SKIP_NAN : 0;
            fill((enum content)content, problem->type, elements_of(&places[i].shape));
            each_initial(problem, &places[i].shape, places[i].axes, places[i].count);
        }
    }
    flags = 0;
}

int main(void)
{
    static const struct problem problems[] = {
        {TALLY_F32, TALLY_DEFAULT_TYPE},  {TALLY_F64, TALLY_DEFAULT_TYPE}, {TALLY_F16, TALLY_DEFAULT_TYPE},
        {TALLY_BF16, TALLY_DEFAULT_TYPE}, {TALLY_F32, TALLY_F64},          {TALLY_BF16, TALLY_F32},
        {TALLY_F64, TALLY_F32},           {TALLY_I32, TALLY_F32},          {TALLY_I64, TALLY_F64}};
    setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 1);
    choose_processors("2");
    if (!device_open("cpu")) return test_left_out("device_initial", tally_last_error());
    make_room();
    for (int i = 0; i < (int)(sizeof problems / sizeof *problems); i++) each_place(&problems[i], i);
    device_close();
    return test_finish("device_initial");
}
