/* SPDX-License-Identifier: MIT
 *
 * scan_exact.c - running sums, every one of them exact and rounded once.
 *
 * Floats: pieces whose values a pair of doubles can carry go through the vector kernels (scan_sum.h), others through
 * scan_wide.h, and after each piece the pair is tried again. Integer results: 128-bit words. */
#include "../convert.h"
#include "scan.h"
#include "scan_wide.h"

#include <math.h>
#include <string.h>

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

/* A running sum of one part, between a state and the kernels. */
struct running {
    int is_wide;
    uint32_t special; /* EXACT_NAN ...: then the numbers no longer matter */
    struct scan_pair pair;
    struct scan_wide wide;
};

/* Leaves the wide form when the number is a sum of two doubles. */
static void running_narrow(struct running *s)
{
    if (s->special) return;
    struct scan_wide rest = s->wide;
    double high = wide_value(&rest, 0);
    if (!(fabs(high) < (double)INFINITY)) return;
    wide_add_double(&rest, -high);
    double low = wide_value(&rest, 0);
    wide_add_double(&rest, -low);
    if (rest.not_zeros != 0) return;
    s->pair.high = high;
    s->pair.low = low;
    s->is_wide = 0;
}

static void running_widen(struct running *s)
{
    if (s->is_wide) return;
    wide_clear(&s->wide);
    wide_add_double(&s->wide, s->pair.high);
    wide_add_double(&s->wide, s->pair.low);
    s->is_wide = 1;
}

static void running_open(struct running *s, struct exact *sum)
{
    s->is_wide = 0;
    s->special = sum->special;
    s->pair = (struct scan_pair){0, 0, 0, 0};
    if (s->special || sum->low == sum->high) return;
    wide_read(&s->wide, sum);
    s->is_wide = 1;
    running_narrow(s);
}

static void running_close(const struct running *s, struct exact *sum)
{
    exact_clear(sum);
    sum->special = s->special;
    if (s->special) return;
    if (s->is_wide) {
        wide_write(&s->wide, sum);
    } else {
        exact_add_double_bits(sum, double_bits(s->pair.high));
        exact_add_double_bits(sum, double_bits(s->pair.low));
    }
}

static double special_value(uint32_t special)
{
    if (special == EXACT_PLUS_INFINITY) return (double)INFINITY;
    return special == EXACT_MINUS_INFINITY ? -(double)INFINITY : double_from_bits(0x7ff8000000000000ull);
}

static double running_value(const struct running *s, int odd)
{
    if (s->special) return special_value(s->special);
    if (s->is_wide) return wide_value(&s->wide, odd);
    return odd ? round_to_odd_sum(s->pair.high, s->pair.low) : s->pair.high + s->pair.low;
}

/* One value after the other; values may be NULL. */
static void running_add_slowly(struct running *s, const double *x, size_t n, int odd, double *values)
{
    running_widen(s);
    for (size_t i = 0; i < n; i++) {
        if (x[i] - x[i] != 0)
            s->special |= x[i] != x[i] ? EXACT_NAN : x[i] > 0 ? EXACT_PLUS_INFINITY : EXACT_MINUS_INFINITY;
        else if (!s->special) wide_add_double(&s->wide, x[i]);
        if (values) values[i] = s->special ? special_value(s->special) : wide_value(&s->wide, odd);
    }
    running_narrow(s);
}

static void running_add(struct running *s, const struct cpu_scan_kernels *kernels, const double *x, size_t n,
                        enum scan_rounding rounding, double *values)
{
    if (!s->is_wide && !s->special) {
        if (values ? kernels->sum(x, n, rounding, &s->pair, values) : kernels->sum_total(x, n, &s->pair)) return;
    }
    running_add_slowly(s, x, n, rounding != SCAN_NEAREST, values);
}

/* Integers of a piece as doubles, two for each: what stands above its low 32 bits, and these. */
static void load_integers(const struct calculation *calculation, const struct cpu_scan_kernels *kernels,
                          const struct scan_piece *piece, double *values)
{
    int is_signed = type_row(calculation->type)->kind == KIND_SIGNED;
    int64_t words[SCAN_MOST];
    kernels->load_word[calculation->type](piece->x, piece->present, piece->n, words);
    for (size_t i = 0; i < piece->n; i++) {
        int64_t low = words[i] & 0xffffffff;
        double high = is_signed ? (double)(words[i] - low) : (double)(uint64_t)(words[i] - low);
        values[2 * i] = high;
        values[2 * i + 1] = (double)low;
    }
}

/* Running sums with a float result. */
static void add_integers(const struct calculation *calculation, const struct cpu_scan_kernels *kernels,
                         const struct scan_piece *piece, struct running *s, enum scan_rounding rounding,
                         double *results)
{
    double values[2 * SCAN_MOST], both[SCAN_MOST];
    load_integers(calculation, kernels, piece, values);
    for (size_t i = 0; i < piece->n; i += SCAN_MOST / 2) {
        size_t n = piece->n - i < SCAN_MOST / 2 ? piece->n - i : SCAN_MOST / 2;
        running_add(s, kernels, values + 2 * i, 2 * n, rounding, both);
        for (size_t k = 0; k < n && results; k++) results[i + k] = both[2 * k + 1];
    }
}

static enum scan_rounding choose_rounding(const struct calculation *calculation)
{
    tally_type result = type_row(calculation->result)->real_part;
    if (result == TALLY_F64) return SCAN_NEAREST;
    int wide = (type_row(calculation->type)->kind & KIND_FLOAT) && type_row(calculation->type)->real_part == TALLY_F64;
    return result == TALLY_F32 && !wide ? SCAN_SINGLE : SCAN_ODD;
}

/* One part of a piece: its values, its running sums, its results. */
static void run_part(const struct calculation *calculation, const struct cpu_scan_kernels *kernels,
                     const struct scan_piece *piece, int part, struct running *s)
{
    const struct type_row *type = type_row(calculation->type), *result = type_row(calculation->result);
    int parts = result->kind == KIND_COMPLEX ? 2 : 1;
    enum scan_rounding rounding = choose_rounding(calculation);
    int exclusive = (calculation->flags & TALLY_EXCLUSIVE) != 0;
    int direct = parts == 1 && piece->out != piece->x; /* in place, a piece that must be done again needs its copy */
    double copy[SCAN_MOST], room[SCAN_MOST + 1];
    const double *x = direct && calculation->type == TALLY_F64 && !piece->present ? piece->x : copy;
    double *results = direct && rounding == SCAN_NEAREST && !exclusive && piece->out ? piece->out : room + 1;
    if (exclusive) room[0] = running_value(s, rounding != SCAN_NEAREST);
    if (!(type->kind & KIND_FLOAT)) {
        add_integers(calculation, kernels, piece, s, rounding, results);
    } else {
        if (x == copy) kernels->load_real[calculation->type](piece->x, piece->present, piece->n, part, copy);
        running_add(s, kernels, x, piece->n, rounding, piece->out ? results : NULL);
    }
    if (!piece->out || results == piece->out) return;
    char *out = (char *)piece->out + part * (result->size / parts);
    kernels->store_real(exclusive ? room : results, piece->n, calculation->result, parts, 0, out);
}

static int run_floats(const struct calculation *calculation, const struct cpu_isa *isa, const struct scan_line *line,
                      struct scan_state *state)
{
    int parts = state_exact_count(calculation);
    struct running running[2];
    struct scan_buffer buffer;
    for (int p = 0; p < parts; p++) running_open(&running[p], &state->as.exact[p]);
    for (int64_t i = 0; i < line->n; i += SCAN_MOST) {
        struct scan_piece piece;
        scan_piece_open(calculation, isa, line, i, &buffer, &piece);
        for (int p = 0; p < parts; p++) run_part(calculation, isa->scan_kernels, &piece, p, &running[p]);
        scan_piece_close(calculation, line, i, &piece);
    }
    for (int p = 0; p < parts; p++) running_close(&running[p], &state->as.exact[p]);
    return 1;
}

/* ---- integers ---- */

/* The limb of an accumulator that holds bit 0 of integers. */
#define UNIT_LIMB (-EXACT_LOWEST / EXACT_LIMB_BITS)

static int128 read_integer(struct exact *a)
{
    uint128 sum = 0;
    exact_carry(a);
    for (int32_t i = UNIT_LIMB; i < UNIT_LIMB + 4; i++) {
        if (i >= a->low && i < a->high) sum += (uint128)(int128)a->limb[i] << EXACT_LIMB_BITS * (i - UNIT_LIMB);
    }
    return (int128)sum;
}

static void write_integer(struct exact *a, int128 sum)
{
    exact_clear(a);
    exact_add_integer(a, (int64_t)(sum >> 64), 64);
    exact_add_integer(a, (int64_t)(sum >> 32 & 0xffffffff), 32);
    exact_add_integer(a, (int64_t)(sum & 0xffffffff), 0);
}

/* What a checked result may be. */
static void result_range(tally_type result, int128 *lowest, int128 *highest)
{
    const struct type_row *row = type_row(result);
    int bits = 8 * row->size - (row->kind == KIND_SIGNED);
    *lowest = row->kind == KIND_SIGNED ? -((int128)1 << bits) : 0;
    *highest = ((int128)1 << bits) - 1;
}

/* Integer results of integers, 128 bits wide in between. */
static int run_integers(const struct calculation *calculation, const struct cpu_isa *isa, const struct scan_line *line,
                        struct scan_state *state)
{
    int is_signed = type_row(calculation->type)->kind == KIND_SIGNED, fits = 1;
    int exclusive = (calculation->flags & TALLY_EXCLUSIVE) != 0;
    int checked = (calculation->flags & TALLY_CHECK_OVERFLOW) != 0;
    int128 lowest, highest, sum = read_integer(&state->as.exact[0]);
    int64_t words[SCAN_MOST];
    struct scan_buffer buffer;
    result_range(calculation->result, &lowest, &highest);
    for (int64_t i = 0; i < line->n && fits; i += SCAN_MOST) {
        struct scan_piece piece;
        scan_piece_open(calculation, isa, line, i, &buffer, &piece);
        isa->scan_kernels->load_word[calculation->type](piece.x, piece.present, piece.n, words);
        for (size_t k = 0; k < piece.n; k++) {
            int128 before = sum;
            sum += is_signed ? (int128)words[k] : (int128)(uint64_t)words[k];
            int128 result = exclusive ? before : sum;
            fits &= !checked || (result >= lowest && result <= highest);
            words[k] = (int64_t)result;
        }
        if (piece.out) isa->scan_kernels->store_word(words, piece.n, 1, calculation->result, piece.out);
        scan_piece_close(calculation, line, i, &piece);
    }
    write_integer(&state->as.exact[0], sum);
    return fits;
}

int scan_exact_run(const struct calculation *calculation, const struct cpu_isa *isa, const struct scan_line *line,
                   struct scan_state *state)
{
    if (type_row(calculation->result)->kind & KIND_FLOAT) return run_floats(calculation, isa, line, state);
    return run_integers(calculation, isa, line, state);
}
