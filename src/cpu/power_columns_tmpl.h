/* SPDX-License-Identifier: MIT
 *
 * power_columns_tmpl.h - of ordered_columns_tmpl.h: sums of powers whose exponents lie near each other in a whole tile,
 * as in power_rows_tmpl.h. Lanes then hold the largest element and a sum that is divided by two to one guessed
 * exponent, so that they are joined by plain additions, too: one exponent more or less would change no bit of them. No
 * include guard. */

#define POWER(name) FOLD_STEP_NAME(power_##name, LANE)
#define POWER_IS_FLOAT (sizeof(LANE) == sizeof(float))
#define POWER_INTEGER (POWER_IS_FLOAT ? (LANE)POWER_INTEGER_FLOAT : (LANE)POWER_INTEGER_DOUBLE)

/* Guesses from the tile's first element; none where exponents would not be found. */
static void PROGRAM_NAME(near_open)(struct tile_lanes *lanes, const STORAGE *first)
{
    struct TYPE_NAME(element) element = TYPE_NAME(load)(first, 0);
    struct PROGRAM_NAME(lane) lifted;
    LIFTED(lifted, element, element);
    const LANE guess = POWER(exponent)(lifted.part[0]) - (POWER_IS_FLOAT ? 50 : 400);
    lanes->near = guess < POWER_LARGEST_GUESS && guess > -POWER_LARGEST_GUESS;
    lanes->guess = guess;
}

/* Whether no element lay too far away; the lanes are spoilt where one did. */
static int PROGRAM_NAME(near_steps)(PROGRAM_NAME(tile) *restrict lanes, double guessed, size_t first,
                                    const STORAGE *restrict x, size_t n)
{
    const LANE integer = POWER_INTEGER, shift = integer - (LANE)guessed;
    const LANE per_unit = POWER_IS_FLOAT ? (LANE)POWER_PER_UNIT_FLOAT : (LANE)POWER_PER_UNIT_DOUBLE;
    const LANE least = integer - (POWER_IS_FLOAT ? POWER_BELOW_FLOAT : POWER_BELOW_DOUBLE);
    const LANE most = integer + (POWER_IS_FLOAT ? POWER_ABOVE_FLOAT : POWER_ABOVE_DOUBLE);
    FOLD_STEP_NAME(near_flag, LANE) apart = 0;
    for (size_t i = 0; i < n; i++) {
        struct TYPE_NAME(element) e = TYPE_NAME(load)(x, i);
        struct PROGRAM_NAME(lane) lifted;
        LIFTED(lifted, e, e);
        LANE v = lifted.part[0], shifted = POWER(fused)(v, per_unit, shift), largest = (*lanes)[0][first + i];
        (*lanes)[1][first + i] += POWER(scaled)(POWER(near_factor)(v, shifted - shift), shifted);
        (*lanes)[0][first + i] = v > largest ? v : largest;
        apart |= shifted >= least ? 0 : 1; /* NaN is neither */
        apart |= shifted <= most ? 0 : 1;
    }
    return apart == 0;
}

/* The sum of all lanes, in lane 0 as other lanes are. */
static void PROGRAM_NAME(near_close)(PROGRAM_NAME(tile) *restrict lanes, double guessed, size_t used, size_t columns)
{
    for (size_t width = TREE_LANES / 2; width > 0; width /= 2) {
        const size_t n = used > width ? (used - width) * columns : 0, distance = width * columns;
        for (size_t i = 0; i < n; i++) {
            LANE a = (*lanes)[0][i], b = (*lanes)[0][i + distance];
            (*lanes)[0][i] = b > a ? b : a;
            (*lanes)[1][i] += (*lanes)[1][i + distance];
        }
        used = used < width ? used : width;
    }
    for (size_t c = 0; c < columns; c++) {
        const LANE halvings = POWER(exponent)((*lanes)[0][c]) - (LANE)guessed;
        (*lanes)[1][c] = POWER(scaled)((*lanes)[1][c], POWER_INTEGER - halvings);
    }
}

static void PROGRAM_NAME(tile_logarithms)(double *restrict totals, int64_t columns)
{
    for (int64_t c = 0; c < columns; c++) {
        const LANE largest = (LANE)totals[c], sum = (LANE)totals[columns + c];
        const double total = FOLD_STEP_NAME(powers_log, LANE)(largest, sum);
        totals[c] = largest - largest != 0 ? (double)largest : total;
    }
}

#undef POWER
#undef POWER_IS_FLOAT
#undef POWER_INTEGER
