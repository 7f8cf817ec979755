/* SPDX-License-Identifier: MIT
 *
 * wave_giants.cuh - numbers of a row that are far above all others, as those that stand for absent ones: they give way
 * to zeros, as infinities do, so that the others' sums are known as ever, and are added apart. Where their own sum is
 * not zero, all that the others make of a result is which way it rounds if it lies between two. Part of wave_exact.cuh.
 * No include guard. */

/* Giants of a tile lie within so many binades of the largest, which is below 2 to a power between two, so that what is
 * a hundred bits below it, and its sums, are ordinary doubles. */
#define GIANTS_APART 16
#define GIANTS_SKIP 31 /* tiles behind one in which numbers of all sizes lay */
#define LEAST_GIANT (-900)
#define MOST_GIANT (IS_NARROW ? TOP_OF_FINITE : 980)

/* Of giants: multiples of 2^unit, from 2^floor on and below 2^top. */
struct giant_size {
    int32_t unit, floor, top;
    int32_t signs; /* 1: some are negative, 2: positive */
};

/* Of a thread's run, kept from its entering to its results; of the warp where it says so. */
struct giants {
    uint64_t at;               /* a bit for each, in the order of the scan */
    storage value[RUN];        /* where they were in memory */
    struct pair before, total; /* what stands left of the run, and of lane 32, in the row that is there then */
    struct giant_size size;    /* of the warp's */
    int32_t others;            /* the warp's other numbers are below 2 to that */
    struct pair carried;       /* what stands left of the warp */
    int32_t skip;              /* tiles in which none are looked for */
};

SHUFFLE(pair)

/* Results that hold all that elements do, so that no sum of others rounds to zero, or to a giant. f16 has no numbers
 * that lie far apart. */
enum { KNOWS_GIANTS = RESULT_SIZE >= ELEMENT_SIZE && !IS_F16(RESULT_NUMBER) };

DEVICE double giant_value(const struct giants *giants, int32_t at)
{
    return (double)load_element(giants->value, at).v;
}

/* Places of a pair's bits, at most, so that nothing is lost to sums. */
#define GIANTS_BITS 100

/* Bits of a result, and one more for what is below a power of two. */
enum { GIANT_RESULT_BITS = (RESULT_PART == 8 ? 53 : IS_BF16(RESULT_NUMBER) ? 8 : 24) + 1 };

/* For what a warp's numbers may add to sums. */
DEVICE struct giant_size size_with_more(struct giant_size size)
{
    size.top += WARP_HAS_BITS + 1;
    return size;
}

/* Whether sums of giants are pairs, and so far above sums of others, which are below 2^others, that these decide
 * nothing but which way a middle between two results is rounded. */
DEVICE int giants_are_above(struct giant_size giants, int32_t others)
{
    int32_t floor = giants.signs == 3 ? giants.unit : giants.floor;
    int32_t below = floor - GIANT_RESULT_BITS < giants.unit ? floor - GIANT_RESULT_BITS : giants.unit;
    return others < below && giants.top < giants.unit + GIANTS_BITS && giants.top < 1000;
}

/* Zeros in the place of numbers of 2^(top - GIANTS_APART) and more. */
DEVICE_CALL void giants_cleared(const struct vector16 *run, int32_t top, struct giants *giants)
{
    storage *memory = (storage *)(uintptr_t)run;
    double least = power_of_two(top - GIANTS_APART);
    struct giant_size size = {NO_PLACE, NO_PLACE, top, 0};
    uint64_t all = 0;
    int32_t others = -NO_PLACE;
#pragma unroll 1
    for (int32_t j = 0; j < VECTORS; j++) {
        struct vector16 v = run[j];
#pragma unroll
        for (int i = 0; i < PER_VECTOR; i++) {
            int32_t at = j * PER_VECTOR + i;
            double x = (double)vector_element(&v, i).v;
            if (fabs(x) < least) others = top_of(x) > others ? top_of(x) : others;
            if (!(fabs(x) >= least)) continue; /* also NaN that is left out */
            int32_t lowest = lowest_bit(x), floor = top_of(x) - 1;
            size.unit = lowest < size.unit ? lowest : size.unit;
            size.floor = floor < size.floor ? floor : size.floor;
            size.signs |= x < 0 ? 1 : 2;
            memcpy(&giants->value[at], &memory[at], sizeof *memory);
            memset(&memory[at], 0, sizeof *memory);
            all |= 1ull << IN_ORDER(at);
        }
    }
    giants->at = all;
    size.unit = warp_extreme(size.unit, 0);
    size.floor = warp_extreme(size.floor, 0);
    size.signs = (int32_t)warp_union((uint32_t)size.signs);
    giants->size = size;
    giants->others = warp_extreme(others, 1);
}

DEVICE_CALL void giants_put_back(const struct giants *giants, const struct vector16 *run)
{
    storage *memory = (storage *)(uintptr_t)run;
#pragma unroll 1
    for (uint64_t left = giants->at; left; left &= left - 1) {
        int32_t at = IN_ORDER(__ffsll((long long)left) - 1);
        memcpy(&memory[at], &giants->value[at], sizeof *memory);
    }
}

/* Returns whether that loses anything. */
DEVICE int pair_merge(struct pair *a, struct pair b)
{
    int lost = pair_add(a, b.high);
    return pair_add(a, b.low) | lost;
}

/* The sums of the warp's giants, as far as rows reach. Returns whether some are no pairs. */
DEVICE_CALL int giants_scan(struct giants *giants, int32_t last, int32_t reach)
{
    struct pair upto = {0, 0};
    int lost = 0;
    for (uint64_t left = giants->at >> last << last; left; left &= left - 1)
        lost |= pair_add(&upto, giant_value(giants, IN_ORDER(__ffsll((long long)left) - 1)));
#pragma unroll 1
    for (int32_t distance = 1; distance < 32; distance *= 2) {
        struct pair left = pair_up(upto, (uint32_t)distance);
        if (reach >= distance) lost |= pair_merge(&upto, left);
    }
    giants->total = pair_from(upto, 31);
    giants->before = pair_up(upto, 1);
    if ((threadIdx.x & 31) == 0) giants->before = {0, 0};
    return __any_sync(FULL_WARP, lost);
}

/* Whether the warp's giants have given way to zeros. Every lane of the warp calls it. */
DEVICE int clear_giants(const struct vector16 *run, const struct starts *starts, const struct position *position)
{
    if (!KNOWS_GIANTS || position->top < LEAST_GIANT || position->top > MOST_GIANT) return 0;
    struct giants *giants = starts->giants;
    if (giants->skip > 0) {
        giants->skip--;
        return 0;
    }
    giants_cleared(run, position->top, giants);
    if (giants_are_above(size_with_more(giants->size), giants->others + WARP_HAS_BITS + 2)) return 1;
    giants_put_back(giants, run);
    giants->skip = GIANTS_SKIP;
    return 0;
}

/* Whether the others are integers in one unit now; if not, all are as they were. Every lane of the warp calls it. */
DEVICE int keep_giants(const struct vector16 *run, const struct starts *starts, struct position *position)
{
    if (!position->by_words && !giants_scan(starts->giants, starts->last, starts->reach)) return 1;
    giants_put_back(starts->giants, run);
    position->by_words = 1;
    return 0;
}
