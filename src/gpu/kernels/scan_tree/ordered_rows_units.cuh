/* SPDX-License-Identifier: MIT
 *
 * ordered_rows_units.cuh - the way of a warp's runs to shared memory, and of their results out of it, where rows do not
 * lie behind each other: each run, or its results, has a place of its own there, without gaps, in the order of memory.
 * It is copied in units that all rows begin with. No include guard. */

/* An odd number of vectors from one run to the next: threads that read their own find them in different banks. */
enum { PITCH = RUN_VECTORS | 1, RESULT_PITCH = RESULT_VECTORS | 1 };

static_assert(!IN_APART || IN_UNIT == ELEMENT_SIZE, "elements that lie apart are copied one by one");
static_assert(!OUT_APART || OUT_UNIT == RESULT_SIZE, "and so are their results");

/* Where the runs of all lanes lie, from the first lane's on. */
struct places {
    int64_t origin;
    int32_t delta, count;
};

DEVICE struct places places_of(const struct walk *w, int32_t count)
{
    struct places places;
    places.origin = (int64_t)__shfl_sync(FULL_WARP, (uint64_t)w->at, 0);
    places.delta = (int32_t)(w->at - places.origin);
    places.count = count;
    return places;
}

/* A unit that the lane copies for the warp, its i-th of so many of a run. */
struct unit {
    int32_t run, first; /* of the warp's runs, and the first of its elements, in the order of memory */
    int32_t low, high;  /* what the run has in this order: from low on, below high */
    int32_t delta;      /* place of the run */
};

DEVICE struct unit unit_of(const struct places *places, int i, int32_t units, int32_t per, int backward)
{
    int32_t k = i * 32 + ((int32_t)threadIdx.x & 31);
    struct unit unit = {k / units, k % units * per, 0, 0, 0};
    int32_t count = __shfl_sync(FULL_WARP, places->count, unit.run);
    unit.delta = __shfl_sync(FULL_WARP, places->delta, unit.run);
    unit.low = backward ? RUN - count : 0;
    unit.high = backward ? RUN : count;
    return unit;
}

DEVICE int is_whole(const struct unit *unit, int32_t per)
{
    return unit->first >= unit->low && unit->first + per <= unit->high;
}

/* By all lanes, in the order of tiles, also for those beyond the last. */
DEVICE void begin_units(const char *x, int64_t step, const struct walk *w, int32_t count, struct vector16 *stage)
{
    enum { UNITS = RUN_BYTES / IN_UNIT, PER = IN_UNIT / ELEMENT_SIZE };
    struct places places = places_of(w, count);
    x += places.origin * ELEMENT_SIZE;
#pragma unroll
    for (int i = 0; i < UNITS; i++) {
        struct unit unit = unit_of(&places, i, UNITS, PER, IN_BACKWARD);
        int64_t place = unit.delta + (IN_APART ? unit.first * step : unit.first - (IN_BACKWARD ? RUN - 1 : 0));
        char *to = (char *)(stage + unit.run * PITCH) + unit.first * ELEMENT_SIZE;
        const char *from = x + place * ELEMENT_SIZE;
        if (is_whole(&unit, PER)) copy_async(to, from, IN_UNIT);
#pragma unroll 1
        for (int32_t k = 0; PER > 1 && !is_whole(&unit, PER) && k < PER; k++) {
            if (unit.first + k >= unit.low && unit.first + k < unit.high)
                copy_element(to + k * ELEMENT_SIZE, from + k * ELEMENT_SIZE);
        }
    }
}

DEVICE void store_units(char *out, int64_t step, const struct walk *w, int32_t count, const struct vector16 *results)
{
    enum { UNITS = RESULTS_BYTES / OUT_UNIT, PER = OUT_UNIT / RESULT_SIZE };
    struct places places = places_of(w, count);
    out += places.origin * RESULT_SIZE;
#pragma unroll
    for (int i = 0; i < UNITS; i++) {
        struct unit unit = unit_of(&places, i, UNITS, PER, OUT_BACKWARD);
        int64_t place = unit.delta + (OUT_APART ? unit.first * step : unit.first - (OUT_BACKWARD ? RUN - 1 : 0));
        const char *from = (const char *)(results + unit.run * RESULT_PITCH) + unit.first * RESULT_SIZE;
        char *to = out + place * RESULT_SIZE;
        if (is_whole(&unit, PER)) copy_unit(to, from, OUT_UNIT);
#pragma unroll 1
        for (int32_t k = 0; PER > 1 && !is_whole(&unit, PER) && k < PER; k++) {
            if (unit.first + k >= unit.low && unit.first + k < unit.high)
                copy_result(to + k * RESULT_SIZE, from + k * RESULT_SIZE);
        }
    }
}

DEVICE struct run run_of_units(const struct vector16 *stage)
{
    const struct vector16 *memory = stage + ((int32_t)threadIdx.x & 31) * PITCH;
    struct run run;
#pragma unroll
    for (int i = 0; i < RUN_VECTORS; i++) run.vectors[i] = memory[i];
    return run;
}

DEVICE struct vector16 *units_of_results(struct vector16 *stage)
{
    return stage + ((int32_t)threadIdx.x & 31) * RESULT_PITCH;
}
