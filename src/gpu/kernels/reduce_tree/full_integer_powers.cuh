/* SPDX-License-Identifier: MIT
 *
 * full_integer_powers.cuh - whole leaves of logsumexp of integers. Those near the array's first element look their
 * powers up. Others lie so far apart, nearly all, that the largest one of a lane is all that matters. No
 * include guard. */

#include "lanes.cuh"

/* Powers of the integers from BELOW below the first element on, divided by one power of two; each several times, so
 * that threads that want different ones seldom meet in a bank of shared memory. Of bytes, those of all. */
#define IS_BYTE (ELEMENT_SIZE == 1)
enum {
    BELOW = IS_BYTE ? (ELEMENT_KIND == KIND_SIGNED ? 128 : 0) : 373,
    POWERS = IS_BYTE ? 256 : 2 * 373 + 1,
    POWER_COPIES = IS_BYTE ? 16 : 4
};

#if ELEMENT_BYTES == 8
#if defined(ONLY_TYPE_i64)
typedef int64_t full_integer;
#else
typedef uint64_t full_integer;
#endif
typedef uint64_t full_distance;
enum { FAR = 4096, APART = 8192 }; /* doubles near them may be 2048 apart */
#else
#if defined(ONLY_TYPE_i8) || defined(ONLY_TYPE_i16) || defined(ONLY_TYPE_i32)
typedef int32_t full_integer;
#else
typedef uint32_t full_integer;
#endif
typedef uint32_t full_distance;
enum { FAR = 48, APART = 48 }; /* e^-48 times a lane of them changes no sum */
#endif

DEVICE full_integer full_value(element x)
{
    return ELEMENT_KIND == KIND_BOOLEAN ? (full_integer)(x.v != 0) : (full_integer)x.v;
}

/* The least and the largest full_integer. */
#define INTEGER_LEAST \
    ((full_integer)(ELEMENT_KIND == KIND_SIGNED ? (full_distance)1 << (8 * sizeof(full_distance) - 1) : 0))
#define INTEGER_MOST ((full_integer)((full_distance)INTEGER_LEAST - 1))

struct full_table {
    double power[(POWERS + 1) * POWER_COPIES]; /* the last one: of those that are not among them */
    full_distance first;                       /* the integer of the first power */
    int32_t none;                              /* doubles do not tell such integers apart */
};

DEVICE struct full_table *full_table(void)
{
    __shared__ struct full_table table;
    return &table;
}

DEVICE double table_exponent(full_distance first)
{
    return IS_BYTE ? 0 : power_exponent_double((double)(full_integer)(first + BELOW));
}

/* So that the table does not reach round the type's end. */
DEVICE full_distance table_first(full_integer middle)
{
    if (IS_BYTE) return (full_distance)0 - BELOW;
    if (middle < INTEGER_LEAST + BELOW) return (full_distance)INTEGER_LEAST;
    if (middle > INTEGER_MOST - BELOW) return (full_distance)INTEGER_MOST - (POWERS - 1);
    return (full_distance)middle - BELOW;
}

DEVICE double table_value(full_distance first, uint32_t place)
{
    return ELEMENT_KIND == KIND_BOOLEAN ? place != 0 : (double)(full_integer)(first + place);
}

DEVICE void full_prepare(const struct reduce_parameters *p)
{
    struct full_table *table = full_table();
    full_integer middle = IS_BYTE || p->length < TREE_LEAF ? 0 : full_value(load_element(p->x, 0));
    full_distance first = table_first(middle);
    double size = fabs((double)middle);
#pragma unroll 1
    for (int i = (int)threadIdx.x; i <= POWERS; i += THREADS) {
        double v = table_value(first, (uint32_t)i);
        double apart = power_exponent_double(v) - table_exponent(first);
        double power = scaled(power_factor_double(v), POWER_INTEGER + apart);
        for (int k = 0; k < POWER_COPIES; k++) /* neighbours write to different banks */
            table->power[i * POWER_COPIES + (k + i) % POWER_COPIES] = i < POWERS ? power : 0;
    }
    if (threadIdx.x == 0) {
        table->first = first;
        table->none = size > 4503599627370496.0; /* 2^52 */
    }
    __syncthreads();
}

/* ---- those that are looked up ---- */

struct looked_up {
    double sum[LANES];
    uint32_t largest; /* place in the table */
};

#if ELEMENT_BYTES == 1
/* A byte's place lies in a word's bits, or a bit beside them: an instruction moves it to where a place's bytes begin.
 */
DEVICE struct looked_up look_up(struct full_walk *walk, full_distance first)
{
    enum { SHIFT = 7, MASK = 255 << SHIFT };
    static_assert(POWER_COPIES * sizeof(double) == 1 << SHIFT, "bytes of a place");
    const char *powers = (const char *)full_table()->power;
    uint32_t largest = 0, copy = threadIdx.x % POWER_COPIES * (uint32_t)sizeof(double);
    struct looked_up sums;
    (void)first;
#pragma unroll
    for (int q = 0; q < LANES; q++) sums.sum[q] = 0;
#pragma unroll 2
    for (int row = 0; row < ROWS; row += FULL_ROWS) {
        struct full_rows rows = next_rows(walk, row);
#pragma unroll
        for (int r = 0; r < FULL_ROWS; r++) {
            uint32_t word = rows.row[r].word[0];
            if (BELOW) word ^= 0x80808080u;
#pragma unroll
            for (int q = 0; q < LANES; q++) {
                uint32_t at = ((q == 0 ? word << SHIFT : word >> (8 * q - SHIFT)) & MASK) | copy;
                sums.sum[q] += *(const double *)(powers + at);
                largest = at > largest ? at : largest;
            }
        }
    }
    sums.largest = largest >> SHIFT;
    return sums;
}
#else
DEVICE struct looked_up look_up(struct full_walk *walk, full_distance first)
{
    const double *powers = full_table()->power + threadIdx.x % POWER_COPIES;
    struct looked_up sums;
    sums.largest = 0;
#pragma unroll
    for (int q = 0; q < LANES; q++) sums.sum[q] = 0;
#pragma unroll 2
    for (int row = 0; row < ROWS; row += FULL_ROWS) {
        struct full_rows rows = next_rows(walk, row);
#pragma unroll
        for (int r = 0; r < FULL_ROWS; r++) {
#pragma unroll
            for (int q = 0; q < LANES; q++) {
                full_distance d = (full_distance)full_value(of_full_row(rows.row[r], q)) - first;
                uint32_t i = (uint32_t)(d < POWERS ? d : POWERS);
                sums.sum[q] += powers[i * POWER_COPIES];
                sums.largest = i > sums.largest ? i : sums.largest;
            }
        }
    }
    return sums;
}
#endif

/* ---- those that are not ---- */

/* Of two integers FAR apart, the sum is that of the larger one. So a lane whose largest one is alone within APART
 * has its power for a sum, whatever came when; one whose two largest ones are alone, theirs. In others, elements are
 * added one after the other. The largest ones are found by four integers, or two pairs of two bytes, at once. */
#if ELEMENT_BYTES == 2
enum { TOPS = 3, TOP_WORDS = LANES / 2 };
typedef uint32_t top_word;
#define TOP_SMALLEST (ELEMENT_KIND == KIND_SIGNED ? 0x80008000u : 0)
#if defined(ONLY_TYPE_i16)
#define TOP_LARGER max_s16x2
#define TOP_SMALLER min_s16x2
#else
#define TOP_LARGER max_u16x2
#define TOP_SMALLER min_u16x2
#endif

DEVICE top_word top_word_of(struct full_row row, int word)
{
    return row.word[word];
}

DEVICE full_integer of_top(const top_word *top, int lane)
{
    storage stored = (storage)(top[lane / 2] >> lane % 2 * 16);
    return full_value(OF_ELEMENT(load)(&stored, 0));
}
#else
enum { TOPS = 2, TOP_WORDS = LANES };
typedef full_integer top_word;
#define TOP_SMALLEST INTEGER_LEAST
#define TOP_LARGER(a, b) ((a) > (b) ? (a) : (b))
#define TOP_SMALLER(a, b) ((a) > (b) ? (b) : (a))

DEVICE top_word top_word_of(struct full_row row, int word)
{
    return full_value(of_full_row(row, word));
}

DEVICE full_integer of_top(const top_word *top, int lane)
{
    return top[lane];
}
#endif

struct tops {
    top_word word[TOPS][TOP_WORDS]; /* from the largest one on */
};

DEVICE struct tops find_tops(struct full_walk *walk)
{
    struct tops tops;
#pragma unroll
    for (int t = 0; t < TOPS; t++) {
#pragma unroll
        for (int w = 0; w < TOP_WORDS; w++) tops.word[t][w] = (top_word)TOP_SMALLEST;
    }
#pragma unroll 2
    for (int row = 0; row < ROWS; row += FULL_ROWS) {
        struct full_rows rows = next_rows(walk, row);
#pragma unroll
        for (int r = 0; r < FULL_ROWS; r++) {
#pragma unroll
            for (int w = 0; w < TOP_WORDS; w++) {
                top_word v = top_word_of(rows.row[r], w);
#pragma unroll
                for (int t = 0; t < TOPS; t++) {
                    top_word before = tops.word[t][w];
                    tops.word[t][w] = TOP_LARGER(before, v);
                    v = TOP_SMALLER(before, v);
                }
            }
        }
    }
    return tops;
}

DEVICE int is_far(full_integer a, full_integer b)
{
    return (a > b ? (full_distance)a - (full_distance)b : (full_distance)b - (full_distance)a) >= FAR;
}

DEVICE int is_apart(full_integer larger, full_integer smaller)
{
    return (full_distance)larger - (full_distance)smaller >= APART;
}

/* The sum of a lane whose first element lies at x. */
DEVICE_CALL double add_in_turn(const char *x)
{
    enum { AT_ONCE = 8 }; /* loads that wait for no addition */
    full_integer largest = full_value(load_element(x, 0));
    double sum = power_factor_double((double)largest);
#pragma unroll 1
    for (int row = 0; row < ROWS; row += AT_ONCE) {
        full_integer some[AT_ONCE];
#pragma unroll
        for (int r = 0; r < AT_ONCE; r++)
            some[r] = full_value(load_element(x + (row + r) * TREE_LANES * ELEMENT_SIZE, 0));
#pragma unroll 1
        for (int r = row == 0; r < AT_ONCE; r++) {
            full_integer v = some[0];
#pragma unroll
            for (int k = 1; k < AT_ONCE; k++) v = r == k ? some[k] : v;
            int more = v > largest, far = is_far(v, largest);
            if (far && !more) continue;
            double a[2] = {(double)largest, sum}, b[2] = {(double)v, power_factor_double((double)v)};
            if (far) a[1] = b[1];
            else powers_add_double(a, b);
            largest = more ? v : largest;
            sum = a[1];
        }
    }
    return sum;
}

/* The power of two of a double that is such an integer. */
DEVICE double exponent_of(full_integer v)
{
    return ELEMENT_BYTES == 8 ? power_exponent_double((double)v) : power_near_exponent_double((double)v);
}

DEVICE double factor_of(full_integer v, double exponent)
{
    return ELEMENT_BYTES == 8 ? power_factor_double((double)v) : power_near_factor_double((double)v, exponent);
}

/* The sums of the thread's lanes, divided by two to `exponent`, that of the leaf's largest element. Beside that one's
 * sum, what is halved 1000 times changes nothing, as lanes are joined in few steps. x is the thread's first element. */
DEVICE void sum_lanes(const struct tops *tops, const char *x, double exponent, double *sums)
{
    double own[LANES];
#pragma unroll
    for (int q = 0; q < LANES; q++) {
        own[q] = exponent_of(of_top(tops->word[0], q));
        sums[q] = factor_of(of_top(tops->word[0], q), own[q]);
    }
#pragma unroll
    for (int q = 0; q < LANES; q++) {
        full_integer second = of_top(tops->word[1], q);
        if (is_apart(of_top(tops->word[0], q), second)) continue;
        if (TOPS > 2 && is_apart(second, of_top(tops->word[TOPS - 1], q))) {
            double next = exponent_of(second);
            sums[q] += scaled(factor_of(second, next), POWER_INTEGER + (next - own[q]));
        } else {
            sums[q] = add_in_turn(x + q * ELEMENT_SIZE);
        }
    }
#pragma unroll
    for (int q = 0; q < LANES; q++)
        sums[q] = own[q] - exponent < -1000 ? 0 : scaled(sums[q], POWER_INTEGER + (own[q] - exponent));
}

DEVICE full_integer largest_of_warp(full_integer own)
{
#if ELEMENT_BYTES == 8
    const uint64_t flip = (uint64_t)INTEGER_LEAST ^ 1ull << 63; /* so that they compare as signed ones */
    return (full_integer)((uint64_t)most_of_long_lanes((int64_t)((uint64_t)own ^ flip)) ^ flip);
#else
    const uint32_t flip = (uint32_t)INTEGER_LEAST ^ 1u << 31;
    return (full_integer)((uint32_t)most_of_lanes((int32_t)((uint32_t)own ^ flip)) ^ flip);
#endif
}

/* Whether those of the leaf were all looked up. */
DEVICE int full_leaf_looked_up(struct full_walk *walk, int32_t member, struct FOLD(lane) * leaf)
{
    full_distance first = full_table()->first;
    struct looked_up sums = look_up(walk, first);
    uint32_t largest = (uint32_t)most_of_lanes((int32_t)sums.largest);
    if (!IS_BYTE && largest == POWERS) return 0;
    *leaf = leaf_of_sums(sums.sum, table_value(first, largest), table_exponent(first), member);
    return 1;
}

/* The leaf where the warp is. */
DEVICE int full_leaf(struct full_walk *walk, int32_t member, struct leaf_memory *memory, struct FOLD(lane) * leaf)
{
    if (IS_BYTE || (memory->table_rest == 0 && !full_table()->none)) {
        if (full_leaf_looked_up(walk, member, leaf)) return 1;
        memory->table_rest = REST + 1;
        walk_again(walk);
    }
    if (memory->table_rest > 0) memory->table_rest--;
    struct tops tops = find_tops(walk);
    full_integer largest = of_top(tops.word[0], 0);
#pragma unroll
    for (int q = 1; q < LANES; q++) {
        full_integer other = of_top(tops.word[0], q);
        largest = other > largest ? other : largest;
    }
    largest = largest_of_warp(largest);
    double sums[LANES], exponent = exponent_of(largest);
    sum_lanes(&tops, walk->x, exponent, sums);
    *leaf = leaf_of_sums(sums, (double)largest, exponent, member);
    return 1;
}
