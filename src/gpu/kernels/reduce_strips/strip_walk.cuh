/* SPDX-License-Identifier: MIT
 *
 * strip_walk.cuh - how a thread goes through its vectors, DEPTH of them under way at once, and adds them to a strip. No
 * include guard. */

#include "vector_part.cuh"

#if !defined(ROW_BUNDLES)
#define ROW_BUNDLES 0
#endif
#if !defined(ROW_GROUPS)
#define ROW_GROUPS (THREADS / LANES) /* rows that a block reads at once */
#endif

/* 1: rows are less than a vector apart, so that several rows' vectors reach over the ends of the operand. */
#if !defined(ENDS_LAP)
#define ENDS_LAP 0
#endif

/* A thread's vectors: those of units, which are vectors behind each other or rows. A vector holds elements of all lanes
 * if its unit lies in [begin, end); unit 0 otherwise has none before lane `head`, the last one none from `tail` on. */
struct walk {
    const char *x;            /* of unit 0 */
    int64_t pitch;            /* bytes from a unit to the next */
    int64_t first, step, far; /* the first unit, from one to the next of a bundle, from bundle to bundle */
    int64_t begin, end, units;
    int32_t head, tail;
    int32_t column;                    /* of lane 0, as tall_place.cuh means it */
    const struct reduce_parameters *p; /* whose loops it goes through, where they are several */
    int64_t apart;                     /* ROW_BUNDLES: bytes from one row of a thread's bundle to the next, */
    int32_t rows;                      /* and rows of the innermost loop from the thread's first one on */
    int inside;                        /* strip_shift.cuh: the operand has all aligned units that a thread's lie in */
    const char *tile, *row;            /* strip_fetched.cuh: the tile, and the thread's group's first row of it, */
    int32_t bytes, from;               /* how many of a row, and where those of the thread begin in a stage */
    int64_t first_run, run_step, runs; /* strip_parts.cuh: of a cell */
};

/* Vectors of `length` elements that lie behind each other, to be shared out by whoever sets first, step and far. */
DEVICE_UNUSED struct walk walk_along(const char *x, int64_t length)
{
    struct walk w;
    int32_t ahead = elements_ahead(x);
    length += ahead;
    w.x = x - ahead * ELEMENT_SIZE;
    w.pitch = 16;
    w.begin = ahead > 0;
    w.end = length / IN_VECTOR;
    w.units = (length + IN_VECTOR - 1) / IN_VECTOR;
    w.head = ahead;
    w.tail = (int32_t)(length - (w.units - 1) * IN_VECTOR);
    w.column = -ahead;
    return w;
}

#if IS_MASKED
/* A vector's absent elements give way, and those outside of a range, which do not count. */
DEVICE void strip_mask(struct strip *strip, struct vector16 *v, const struct mask *mask, int32_t range)
{
    const struct vector16 filling = strip_filling(strip), none = {{0, 0, 0, 0}};
    struct vector16 absent = fill_absent(v, mask, &filling);
    if (range != WHOLE) {
        *v = vector_between(*v, range, &filling);
        absent = vector_between(absent, range, &none);
    }
#if HAS_ABSENT
    absences_add(&strip->absent, &absent);
#endif
    (void)strip, (void)absent;
}
#endif

#if ONE_COLUMN && REDUCED_NEST
#include "strip_parts.cuh"
#elif FETCH_STAGES
#include "strip_fetched.cuh"
#elif REDUCED_NEST || UNIT_BYTES < 16
#include "strip_nest.cuh"
#else
#include "strip_ends.cuh"
#endif
