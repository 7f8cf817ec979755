/* SPDX-License-Identifier: MIT
 *
 * strip_spread.cuh - variances and norms of floats and wide integers, for reduce_tall.cu and reduce_long.cu, by
 * quick_spread.cuh. What its sums leave open is in the list of cells that reduce_wide.cu sums exactly. No include
 * guard. */
#define HAS_WORDS 0

#if !IS_NARROW && defined(PICK_MOMENTS)
#define RELATIVE_PAIRS 1 /* pairs alone would leave open what numbers far from zero vary by, column after column */
#endif
#include "failed_cells.cuh"
#include "quick_spread.cuh"

/* What a variance's numbers are relative to: those of the first row. */
#define HAS_ORIGINS IS_RELATIVE
#define TAKES_EACH 1

/* A column's sums in some rows. */
struct total {
    struct quick sums; /* and how many are absent, if that counts */
};

#if HAS_ABSENT
#undef ABSENT
#define ABSENT(from) ((from).sums.absent)
#endif

DEVICE struct total total_identity(void)
{
    struct total total = {quick_begin()};
    return total;
}

DEVICE void total_merge(struct total *a, const struct total *b)
{
    spread_merge(&a->sums, b->sums);
}

/* No number is rounded more often than once for each row of a thread and each split, and some times in the block,
 * for each neighbouring column as well. */
DEVICE_CALL void total_finish(const struct reduce_parameters *p, const struct total *total, int64_t cell)
{
    double terms = (double)(p->split_units + p->fan + p->splits / p->fan + 63 + COLUMNS_OF_CELL);
    int64_t n = p->length - ABSENT(*total);
    if (spread_finish(p, &total->sums, n, terms, (char *)p->out + out_of_cell(p, cell) * RESULT_SIZE)) return;
    list_failed(p, cell);
}

#if HAS_ABSENT && UNIT_BYTES / ELEMENT_BYTES == 8 && !ONE_COLUMN
#define HAS_LAID 1 /* eight columns of a thread: numbers of few elements have a place of their own */
#define LAID_APART 1

struct laid {
    double part[QUICK_PARTS];
};

DEVICE struct laid laid_of(const struct total *total)
{
    struct laid laid;
#pragma unroll
    for (int i = 0; i < QUICK_PARTS; i++) laid.part[i] = total->sums.part[i];
    return laid;
}

DEVICE struct total total_of_laid(const struct laid *laid)
{
    struct total total = total_identity();
#pragma unroll
    for (int i = 0; i < QUICK_PARTS; i++) total.sums.part[i] = laid->part[i];
    return total;
}
#endif

enum { STRIP_TOTALS = IN_VECTOR };

struct strip {
    struct quick lane[IN_VECTOR];
    origin from[IN_VECTOR];
#if HAS_ORIGINS && IS_MASKED
    struct vector16 filling; /* what lanes are relative to: no distance */
#endif
#if HAS_ABSENT
    struct absences absent;
#endif
};

DEVICE void strip_begin(struct strip *strip)
{
    memset(strip, 0, sizeof *strip);
}

#if HAS_ORIGINS
/* A lane's: element i from x on, or the next one of a few `pitch` elements apart that is there; else 0. */
DEVICE void strip_set_lane(const struct reduce_parameters *p, struct strip *strip, int k, const char *x, int64_t i,
                           int64_t pitch, int64_t count)
{
#if IS_MASKED
    enum { TRIED = 8 };
    int32_t tried = 0;
    while (tried < TRIED && tried < count && is_absent(p, x, i)) tried++, i += pitch;
    if (tried == TRIED || tried >= count) return;
    memcpy((char *)strip->filling.word + k * ELEMENT_SIZE, x + i * ELEMENT_SIZE, ELEMENT_SIZE);
#endif
    (void)p, (void)pitch, (void)count;
    strip->from[k] = origin_of(load_element(x, i));
}

/* One for all lanes. */
DEVICE_UNUSED void strip_set_origin(const struct reduce_parameters *p, struct strip *strip, const char *x)
{
    const struct kernel_loop *inner = &p->reduced[p->reduced_count - 1];
#pragma unroll
    for (int k = 0; k < IN_VECTOR; k++) strip_set_lane(p, strip, k, x, 0, inner->x, inner->extent);
}

#if IS_MASKED
DEVICE_UNUSED struct vector16 strip_filling(const struct strip *strip)
{
    return strip->filling;
}
#endif
#endif

DEVICE void strip_add_element(struct strip *strip, int k, element x, int64_t unit)
{
    (void)unit;
    spread_add(&strip->lane[k], strip->from[k], x);
}

DEVICE void strip_add(struct strip *strip, const struct vector16 *v, int64_t unit, int64_t step)
{
    (void)unit, (void)step;
#pragma unroll
    for (int i = 0; i < DEPTH * IN_VECTOR; i++)
        strip_add_element(strip, i % IN_VECTOR, vector_element(&v[i / IN_VECTOR], i % IN_VECTOR), 0);
}

DEVICE void strip_end(const struct strip *strip, struct total *totals)
{
#pragma unroll
    for (int k = 0; k < IN_VECTOR; k++) {
        totals[k].sums = strip->lane[k];
#if HAS_ABSENT
        totals[k].sums.absent = absences_of(&strip->absent, k);
#endif
    }
}
