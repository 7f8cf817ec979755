/* SPDX-License-Identifier: MIT
 *
 * power_rows_tmpl.h - of fold_tmpl.h: rows of elements near each other into the lanes of a sum of powers, with one
 * exponent for all (power.h), at a third of the work. No include guard. */

#define POWER(name) FOLD_STEP_NAME(power_##name, LANE)
#define POWER_IS_FLOAT (sizeof(LANE) == sizeof(float))

/* Elements that are in the lanes now: all of these rows, or none where some lie too far apart. */
static size_t PROGRAM_NAME(near_rows)(PROGRAM_NAME(lanes) * lanes, const STORAGE *restrict x, size_t rows)
{
    LANE sum[TREE_LANES], largest[TREE_LANES], apart[TREE_LANES]; /* not 0: some element lay too far away */
    struct PROGRAM_NAME(lane) first;
    struct TYPE_NAME(element) element;
    if (rows == 0) return 0;
    element = TYPE_NAME(load)(x, 0);
    LIFTED(first, element, element);
    const LANE integer = POWER_IS_FLOAT ? (LANE)POWER_INTEGER_FLOAT : (LANE)POWER_INTEGER_DOUBLE;
    const LANE per_unit = POWER_IS_FLOAT ? (LANE)POWER_PER_UNIT_FLOAT : (LANE)POWER_PER_UNIT_DOUBLE;
    const LANE least = integer - (POWER_IS_FLOAT ? POWER_BELOW_FLOAT : POWER_BELOW_DOUBLE);
    const LANE most = integer + (POWER_IS_FLOAT ? POWER_ABOVE_FLOAT : POWER_ABOVE_DOUBLE);
    const LANE guess = POWER(exponent)(first.part[0]) - (POWER_IS_FLOAT ? 50 : 400), shift = integer - guess;
    if (!(guess < POWER_LARGEST_GUESS && guess > -POWER_LARGEST_GUESS)) return 0;
    for (size_t l = 0; l < TREE_LANES; l++) {
        LANE shifted = integer + (POWER(exponent)((*lanes)[0][l]) - guess);
        int none = (*lanes)[1][l] == 0; /* the identity */
        largest[l] = (*lanes)[0][l];
        apart[l] = !none && !(shifted >= least && shifted <= most);
        sum[l] = none ? 0 : POWER(scaled)((*lanes)[1][l], shifted);
    }
    for (size_t r = 0; r < rows; r++, x += TREE_LANES) {
        for (size_t l = 0; l < TREE_LANES; l++) {
            struct TYPE_NAME(element) e = TYPE_NAME(load)(x, l);
            struct PROGRAM_NAME(lane) lifted;
            LIFTED(lifted, e, e);
            LANE v = lifted.part[0], shifted = POWER(fused)(v, per_unit, shift);
            sum[l] += POWER(scaled)(POWER(near_factor)(v, shifted - shift), shifted);
            largest[l] = v > largest[l] ? v : largest[l];
            apart[l] = shifted >= least ? apart[l] : 1; /* NaN is neither */
            apart[l] = shifted <= most ? apart[l] : 1;
        }
    }
    for (size_t l = 0; l < TREE_LANES; l++) {
        if (apart[l] != 0) return 0;
    }
    for (size_t l = 0; l < TREE_LANES; l++) {
        (*lanes)[0][l] = largest[l];
        (*lanes)[1][l] = POWER(scaled)(sum[l], integer - (POWER(exponent)(largest[l]) - guess));
    }
    return rows * TREE_LANES;
}

#undef POWER
#undef POWER_IS_FLOAT
