/* SPDX-License-Identifier: MIT
 *
 * power_group_tmpl.h - of scan_group_tmpl.h: sums of powers whose exponents lie near each other in a whole group. They
 * are divided by two to one guessed exponent, so that sums are combined by additions: scaling by powers of two changes
 * no bits. No include guard. */

#define POWER(name) FOLD_STEP_NAME(power_##name, WIDE)
#define POWER_IS_FLOAT (sizeof(WIDE) == sizeof(float))
#define POWER_INTEGER (POWER_IS_FLOAT ? (WIDE)POWER_INTEGER_FLOAT : (WIDE)POWER_INTEGER_DOUBLE)
#define POWER_LEAST (POWER_IS_FLOAT ? -POWER_BELOW_FLOAT : -POWER_BELOW_DOUBLE)
#define POWER_MOST (POWER_IS_FLOAT ? POWER_ABOVE_FLOAT : POWER_ABOVE_DOUBLE)
#define POWER_LEFT_BELOW (POWER_IS_FLOAT ? 100 : 900) /* halvings: what stands left is a normal number still */
#define POWER_LEFT_ABOVE (POWER_IS_FLOAT ? 60 : 400)  /* doublings: beside these, what is halved as often as can be */
#define POWER_HALVINGS (POWER_IS_FLOAT ? 126 : 1022)  /* does not show */

/* What stands left of a group, and sums beside it. */
struct GROUP_NAME(near_base) {
    WIDE largest, left, scale, exponent;
};

/* The exponent to divide by: the largest power is as large as any may be. */
ALWAYS_INLINE WIDE GROUP_NAME(near_guess)(const struct GROUP_NAME(row) * row)
{
    WIDE largest[SCAN_GROUP_RUNS], most;
    for (int r = 0; r < SCAN_GROUP_RUNS; r++) largest[r] = row[0].part[0][r];
    SCAN_ROLLED for (int k = 1; k < SCAN_RUN; k++)
    {
        for (int r = 0; r < SCAN_GROUP_RUNS; r++) {
            WIDE v = row[k].part[0][r];
            largest[r] = v > largest[r] ? v : largest[r];
        }
    }
    most = largest[0];
    for (int r = 1; r < SCAN_GROUP_RUNS; r++) most = largest[r] > most ? largest[r] : most;
    return POWER(exponent)(most) - POWER_MOST;
}

/* Powers in place of ones. False where an element is absent or lies too far away; elements are as they were then. */
ALWAYS_INLINE int GROUP_NAME(near_powers)(const struct GROUP_NAME(row) * row, WIDE guess, struct GROUP_NAME(row) * near)
{
    const WIDE shift = POWER_INTEGER - guess, least = POWER_INTEGER + POWER_LEAST, most = POWER_INTEGER + POWER_MOST;
    const WIDE per_unit = POWER_IS_FLOAT ? (WIDE)POWER_PER_UNIT_FLOAT : (WIDE)POWER_PER_UNIT_DOUBLE;
    WIDE apart[SCAN_GROUP_RUNS] = {0};
    if (!(guess < POWER_LARGEST_GUESS && guess > -POWER_LARGEST_GUESS)) return 0;
    SCAN_ROLLED for (int k = 0; k < SCAN_RUN; k++)
    {
        for (int r = 0; r < SCAN_GROUP_RUNS; r++) {
            WIDE v = row[k].part[0][r], shifted = POWER(fused)(v, per_unit, shift);
            near[k].part[1][r] = POWER(scaled)(POWER(near_factor)(v, shifted - shift), shifted);
            near[k].part[0][r] = v;
            apart[r] = shifted >= least ? apart[r] : 1; /* NaN is neither */
            apart[r] = shifted <= most ? apart[r] : 1;
        }
    }
    WIDE some = 0;
    for (int r = 0; r < SCAN_GROUP_RUNS; r++) some += apart[r];
    return some == 0;
}

ALWAYS_INLINE void GROUP_NAME(near_step)(const struct GROUP_NAME(row) * from, struct GROUP_NAME(row) * to, int distance)
{
    for (int p = 0; p < PARTS; p++) {
        for (int r = 0; r < distance; r++) to->part[p][r] = from->part[p][r];
    }
    for (int r = distance; r < SCAN_GROUP_RUNS; r++) {
        WIDE a = from->part[0][r - distance], b = from->part[0][r];
        to->part[0][r] = b > a ? b : a;
        to->part[1][r] = from->part[1][r - distance] + from->part[1][r];
    }
}

ALWAYS_INLINE void GROUP_NAME(near_totals)(struct GROUP_NAME(row) * total)
{
    struct GROUP_NAME(row) other;
    GROUP_NAME(near_step)(total, &other, 1);
    GROUP_NAME(near_step)(&other, total, 2);
    GROUP_NAME(near_step)(total, &other, 4);
    GROUP_NAME(near_step)(&other, total, 8);
    GROUP_NAME(near_step)(total, &other, 16);
    *total = other;
}

/* False where what stands left is not near. */
ALWAYS_INLINE int GROUP_NAME(near_left)(const struct fold_value *base, WIDE guess, struct GROUP_NAME(near_base) * near)
{
    near->largest = base ? (WIDE)base->part[0].real : -(WIDE)INFINITY;
    near->left = 0, near->scale = 1, near->exponent = guess;
    if (near->largest == -(WIDE)INFINITY) return 1;
    WIDE apart = POWER(exponent)(near->largest) - guess;
    if (!(apart >= -POWER_LEFT_BELOW && apart <= POWER_LARGEST_GUESS)) return 0;
    WIDE more = apart > POWER_LEFT_ABOVE ? apart - POWER_LEFT_ABOVE : 0;
    near->left = POWER(scaled)((WIDE)base->part[1].real, POWER_INTEGER + (apart - more));
    near->scale = POWER(scaled)(1, POWER_INTEGER - (more < POWER_HALVINGS ? more : POWER_HALVINGS));
    near->exponent = guess + more;
    return 1;
}

/* Results of a row: {m, s}, where s is divided by the power of two of m again. */
ALWAYS_INLINE void GROUP_NAME(near_row)(const struct GROUP_NAME(row) * left, const struct GROUP_NAME(row) * own,
                                        WIDE scale, WIDE exponent, struct GROUP_NAME(row) * to)
{
    for (int r = 0; r < SCAN_GROUP_RUNS; r++) {
        WIDE m = own && own->part[0][r] > left->part[0][r] ? own->part[0][r] : left->part[0][r];
        WIDE sum = own ? left->part[1][r] + own->part[1][r] * scale : left->part[1][r];
        to->part[0][r] = m;
        to->part[1][r] = POWER(scaled)(sum, POWER_INTEGER + (exponent - POWER(near_exponent)(m)));
    }
}

ALWAYS_INLINE void GROUP_NAME(near_results)(const struct GROUP_NAME(row) * row, const struct GROUP_NAME(row) * totals,
                                            const struct GROUP_NAME(near_base) * base, int exclusive,
                                            union scan_values *values)
{
    struct GROUP_NAME(row) left, result[SCAN_RUN];
    left.part[0][0] = base->largest, left.part[1][0] = base->left;
    for (int r = 1; r < SCAN_GROUP_RUNS; r++) {
        WIDE before = totals->part[0][r - 1];
        left.part[0][r] = before > base->largest ? before : base->largest;
        left.part[1][r] = base->left + totals->part[1][r - 1] * base->scale;
    }
    SCAN_ROLLED for (int k = 0; k < SCAN_RUN; k++)
    {
        const struct GROUP_NAME(row) *own = exclusive ? k > 0 ? &row[k - 1] : NULL : &row[k];
        GROUP_NAME(near_row)(&left, own, base->scale, base->exponent, &result[k]);
    }
    for (int p = 0; p < PARTS; p++) {
        double *to = values->real[p];
        for (int r = 0; r < SCAN_GROUP_RUNS; r++, to += SCAN_RUN) {
            SCAN_ROLLED for (int k = 0; k < SCAN_RUN; k++) to[k] = result[k].part[p][r];
        }
    }
}

/* A whole group of elements, as they were loaded. False: nothing is done. */
ALWAYS_INLINE int GROUP_NAME(near_group)(const struct GROUP_NAME(row) * loaded, const struct fold_value *base,
                                         int exclusive, union scan_values *values, struct fold_value *total)
{
    struct GROUP_NAME(row) row[SCAN_RUN], totals;
    struct GROUP_NAME(near_base) left;
    WIDE guess = GROUP_NAME(near_guess)(loaded);
    if (!GROUP_NAME(near_powers)(loaded, guess, row) || !GROUP_NAME(near_left)(base, guess, &left)) return 0;
    SCAN_ROLLED for (int k = 1; k < SCAN_RUN; k++)
    {
        for (int r = 0; r < SCAN_GROUP_RUNS; r++) {
            WIDE before = row[k - 1].part[0][r], v = row[k].part[0][r];
            row[k].part[0][r] = v > before ? v : before;
            row[k].part[1][r] = row[k - 1].part[1][r] + row[k].part[1][r];
        }
    }
    totals = row[SCAN_RUN - 1];
    GROUP_NAME(near_totals)(&totals);
    WIDE largest = totals.part[0][SCAN_GROUP_RUNS - 1], sum = totals.part[1][SCAN_GROUP_RUNS - 1];
    total->part[0].real = largest;
    total->part[1].real = POWER(scaled)(sum, POWER_INTEGER - (POWER(near_exponent)(largest) - guess));
    if (values) GROUP_NAME(near_results)(row, &totals, &left, exclusive, values);
    return 1;
}

#undef POWER
#undef POWER_IS_FLOAT
#undef POWER_INTEGER
#undef POWER_LEAST
#undef POWER_MOST
#undef POWER_LEFT_BELOW
#undef POWER_LEFT_ABOVE
#undef POWER_HALVINGS
