/* SPDX-License-Identifier: MIT
 *
 * fold_scalar.h - FOLD_TEMPLATE of fold_table.c: one program's steps on closed values. No include guard. */

#if defined(MODULAR)
#define WITH_MODULUS , struct modulus modulus
#else
#define WITH_MODULUS
#endif

struct PROGRAM_NAME(wide) {
    WIDE part[PARTS];
};

static struct PROGRAM_NAME(wide) PROGRAM_NAME(read)(const struct fold_value *value)
{
    struct PROGRAM_NAME(wide) s;
    for (int p = 0; p < PARTS; p++) s.part[p] = (WIDE)value->part[p].FIELD;
    return s;
}

static void PROGRAM_NAME(write)(struct fold_value *value, const struct PROGRAM_NAME(wide) * s)
{
    for (int p = 0; p < PARTS; p++) value->part[p].FIELD = s->part[p];
}

static void PROGRAM_NAME(identity)(struct fold_value *value)
{
    struct PROGRAM_NAME(wide) s;
    IDENTITY(s);
    PROGRAM_NAME(write)(value, &s);
}

static void PROGRAM_NAME(lift)(struct fold_value *value, const void *x, const void *y WITH_MODULUS)
{
    struct TYPE_NAME(element) ex = TYPE_NAME(load)(x, 0);
    struct TYPE_NAME(element) ey = TYPE_NAME(load)(y, 0);
    struct PROGRAM_NAME(wide) s;
    (void)ey;
    LIFTED(s, ex, ey);
    PROGRAM_NAME(write)(value, &s);
}

static void PROGRAM_NAME(combine)(struct fold_value *a, const struct fold_value *b WITH_MODULUS)
{
    struct PROGRAM_NAME(wide) sa = PROGRAM_NAME(read)(a), sb = PROGRAM_NAME(read)(b);
    COMBINED(sa, sb);
    PROGRAM_NAME(write)(a, &sa);
}

static const struct fold_steps PROGRAM_NAME(steps) = {
    .parts = PARTS,
    .lane_size = sizeof(LANE),
    .identity = PROGRAM_NAME(identity),
#if defined(MODULAR)
    .lift_modulo = PROGRAM_NAME(lift),
    .combine_modulo = PROGRAM_NAME(combine),
#else
    .lift = PROGRAM_NAME(lift),
    .combine = PROGRAM_NAME(combine),
#endif
};
#undef WITH_MODULUS
