/* SPDX-License-Identifier: MIT
 *
 * cpu_kernels.c - the next generation of rows of words; compiled once per instruction set with -DISA=<name>. A kernel
 * walks down a strip one vector wide with the sums of the last two rows in registers, so each row is summed once. */
#include "cpu_vector.h"

#include "cpu_rule_tmpl.h"

#define PASTE(a, b) PASTE_(a, b)
#define PASTE_(a, b) a##b
#define TEXT(a) TEXT_(a)
#define TEXT_(a) #a

#define FLATTEN __attribute__((flatten))

/* What a row gives to the three rows that it touches: the sum of each three cells side by side, in two bits. */
struct sums {
    vector low, high;
};

/* A cell's row: its neighbours left and right, and itself. */
struct centre {
    vector left, here, right;
};

static INLINE struct centre load(const uint64_t *word)
{
    return (struct centre){*(const vector *)(const void *)(word - CPU_LANES), *(const vector *)(const void *)word,
                           *(const vector *)(const void *)(word + CPU_LANES)};
}

static INLINE struct sums sum(struct centre row)
{
    return (struct sums){parity(row.left, row.here, row.right), majority(row.left, row.here, row.right)};
}

/* Of three rows to the cells between. kind is constant at every call. */
static INLINE vector next(int kind, const struct cpu_rule *rule, struct sums above, struct centre row,
                          struct sums below)
{
    if (kind == CPU_RULE_CONWAY)
        return next_conway(above.low, above.high, row.left, row.here, row.right, below.low, below.high);
    const struct count count = count_of(above.low, above.high, row.left, row.right, below.low, below.high);
    const vector four = count.high[0] ^ count.high[1];
#define NEXT(name, born, survives)                                               \
    if (kind == CPU_RULE_##name)                                                 \
        return next_fixed((born), (survives), LOOK_UP((born)&0xff, count, four), \
                          LOOK_UP((survives)&0xff, count, four), count, row.here);
    FOR_EACH_CPU_RULE(NEXT)
#undef NEXT
    return next_any(rule, kind == CPU_RULE_ANY_EIGHT, count, row.here);
}

static INLINE void strip(int kind, bool masked, const struct cpu_rows *rows, const struct cpu_rule *rule, int64_t at)
{
    const int64_t in_stride = rows->in_stride, out_stride = rows->out_stride;
    const uint64_t *in = rows->in + at;
    uint64_t *out = rows->out + at;
    const vector mask = masked ? spread(rows->masks[at / CPU_LANES]) : spread(0);
    struct sums above = sum(load(in));
    struct centre row = load(in + in_stride);
    struct sums sums = sum(row);
    in += 2 * in_stride;
    for (int64_t y = 0; y < rows->rows; y++) {
        const struct centre row_below = load(in);
        const struct sums below = sum(row_below);
        vector cells = next(kind, rule, above, row, below);
        if (masked) cells &= mask;
        *(vector *)(void *)out = cells;
        above = sums, sums = below, row = row_below;
        in += in_stride, out += out_stride;
    }
}

#define KERNEL(name, kind, masked)                                                                                  \
    static FLATTEN void name(const struct cpu_rows *rows, const struct cpu_rule *rule)                              \
    {                                                                                                               \
        (void)rule;                                                                                                 \
        for (int64_t at = 0; at < rows->words * CPU_LANES; at += VECTOR_LANES) strip(kind, masked, rows, rule, at); \
    }
#define BOTH(name, born, survives)               \
    KERNEL(torus_##name, CPU_RULE_##name, false) \
    KERNEL(masked_##name, CPU_RULE_##name, true)
BOTH(CONWAY, , )
FOR_EACH_CPU_RULE(BOTH)
BOTH(ANY, , )
BOTH(ANY_EIGHT, , )

static INLINE vector end_bit(const struct cpu_wrap *wrap, const uint64_t *row, struct cpu_end end)
{
    return *(const vector *)(const void *)(row + end.word * CPU_LANES) >> end.bit & spread(wrap->torus);
}

static void wrap_rows(const struct cpu_wrap *wrap, uint64_t *row, int64_t stride, int64_t rows)
{
    for (int64_t y = 0; y < rows; y++, row += stride) {
        for (int64_t i = 0; i < wrap->reach; i++) {
            uint64_t *before = row - (i + 1) * CPU_LANES, *behind = row + (wrap->words + i) * CPU_LANES;
            for (int64_t at = 0; at < CPU_LANES; at += VECTOR_LANES) {
                const vector last = *(const vector *)(const void *)(behind + at - (2 * i + 1) * CPU_LANES);
                const vector first = *(const vector *)(const void *)(before + at + (2 * i + 1) * CPU_LANES);
                *(vector *)(void *)(before + at) = last << 1 | end_bit(wrap, row + at, wrap->before[i]);
                *(vector *)(void *)(behind + at) = first >> 1 | end_bit(wrap, row + at, wrap->behind[i]) << 63;
            }
        }
    }
}

extern const struct cpu_kernels PASTE(life_cpu_kernels_, ISA);
const struct cpu_kernels PASTE(life_cpu_kernels_, ISA) = {
    .name = TEXT(ISA),
#define ROW(name, born, survives) .next[CPU_RULE_##name] = torus_##name, .next_masked[CPU_RULE_##name] = masked_##name,
    ROW(CONWAY, , ) FOR_EACH_CPU_RULE(ROW) ROW(ANY, , ) ROW(ANY_EIGHT, , )
#undef ROW
        .wrap = wrap_rows,
};
