/* SPDX-License-Identifier: MIT
 *
 * full_integer_powers.cuh - whole leaves of logsumexp of integers. Those near the array's first element look their
 * powers up. Others lie so far apart, nearly all, that the largest one of a lane is all that matters. No
 * include guard. */

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
enum { FAR = 4096 }; /* doubles near them may be 2048 apart */
#else
#if defined(ONLY_TYPE_i8) || defined(ONLY_TYPE_i16) || defined(ONLY_TYPE_i32)
typedef int32_t full_integer;
#else
typedef uint32_t full_integer;
#endif
typedef uint32_t full_distance;
enum { FAR = 64 }; /* e^-64 times a lane of them changes no sum */
#endif

DEVICE full_integer full_value(element x)
{
    return ELEMENT_KIND == KIND_BOOLEAN ? (full_integer)(x.v != 0) : (full_integer)x.v;
}

/* p 2^j, for integers j */
DEVICE double halved(double p, double j)
{
    return double_from_bits(double_bits(p) + (double_bits(POWER_INTEGER_DOUBLE + j) << 52));
}

struct full_table {
    double power[(POWERS + 1) * POWER_COPIES]; /* the last one: of those that are not among them */
    full_distance first;                       /* the integer of the first power */
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

DEVICE void full_prepare(const struct reduce_parameters *p)
{
    struct full_table *table = full_table();
    full_integer middle = IS_BYTE || p->length < TREE_LEAF ? 0 : full_value(load_element(p->x, 0));
    full_distance first = (full_distance)middle - BELOW;
    for (int i = (int)threadIdx.x; i <= POWERS; i += THREADS) {
        double v = (double)(full_integer)(first + (full_distance)i);
        double power = halved(power_factor_double(v), power_exponent_double(v) - table_exponent(first));
        for (int k = 0; k < POWER_COPIES; k++) table->power[i * POWER_COPIES + k] = i < POWERS ? power : 0;
    }
    if (threadIdx.x == 0) table->first = first;
    __syncthreads();
}

/* ---- those that are looked up ---- */

struct looked_up {
    double sum[LANES];
    uint32_t largest; /* place in the table */
};

DEVICE_CALL struct looked_up look_up(const char *x, full_distance first)
{
    const double *powers = full_table()->power + threadIdx.x % POWER_COPIES;
    struct looked_up sums;
    sums.largest = 0;
#pragma unroll
    for (int q = 0; q < LANES; q++) sums.sum[q] = 0;
#pragma unroll 1
    for (int row = 0; row < ROWS; row += FULL_ROWS, x += FULL_ROWS * TREE_LANES * ELEMENT_SIZE) {
        element four[FULL_ROWS][LANES];
#pragma unroll
        for (int r = 0; r < FULL_ROWS; r++) load_aligned(four[r], x + r * TREE_LANES * ELEMENT_SIZE);
#pragma unroll
        for (int r = 0; r < FULL_ROWS; r++) {
#pragma unroll
            for (int q = 0; q < LANES; q++) {
                full_distance d = (full_distance)full_value(four[r][q]) - first;
                uint32_t i = (uint32_t)(IS_BYTE || d < POWERS ? d : POWERS);
                sums.sum[q] += powers[i * POWER_COPIES];
                sums.largest = i > sums.largest ? i : sums.largest;
            }
        }
    }
    return sums;
}

/* ---- those that are not ---- */

/* Of two integers far apart, the sum is that of the larger one. A lane's sum of several: */
struct near_sum {
    full_integer largest; /* the largest one when there was one */
    double sum;           /* 0: there was none */
};

DEVICE int is_far(full_integer a, full_integer b)
{
    return (a > b ? (full_distance)a - (full_distance)b : (full_distance)b - (full_distance)a) >= FAR;
}

/* Not of some that are far, either; but quickly. */
DEVICE int may_be_near(full_integer a, full_integer b)
{
    return (full_distance)a - (full_distance)b + (FAR - 1) < 2 * FAR - 1;
}

DEVICE double near_sum_of(const struct near_sum *near, full_integer largest)
{
    int alone = near->sum == 0 || near->largest != largest;
    return alone ? power_factor_double((double)largest) : near->sum;
}

struct four_integers {
    full_integer v[LANES];
};

/* A row of a thread's lanes, whose largest ones were these before. */
DEVICE_CALL void add_near(struct near_sum *near, struct four_integers largest, struct four_integers row)
{
#pragma unroll
    for (int q = 0; q < LANES; q++) {
        if (is_far(row.v[q], largest.v[q])) continue;
        double a[2] = {(double)largest.v[q], near_sum_of(&near[q], largest.v[q])};
        double b[2] = {(double)row.v[q], power_factor_double((double)row.v[q])};
        powers_add_double(a, b);
        near[q].largest = row.v[q] > largest.v[q] ? row.v[q] : largest.v[q];
        near[q].sum = a[1];
    }
}

DEVICE struct four_integers load_integers(const char *x)
{
    struct stored_row stored = load_row(x);
    struct four_integers row;
#pragma unroll
    for (int q = 0; q < LANES; q++) row.v[q] = full_value(OF_ELEMENT(load)(stored.stored, (size_t)q));
    return row;
}

struct walked {
    struct four_integers largest;
    double sum[LANES];
};

DEVICE_CALL struct walked walk(const char *x)
{
    struct near_sum near[LANES];
    struct walked walked;
    struct four_integers largest = load_integers(x);
    for (int q = 0; q < LANES; q++) near[q].sum = 0;
    x += TREE_LANES * ELEMENT_SIZE;
#pragma unroll 1
    for (int row = 1; row < ROWS; row += FULL_ROWS, x += FULL_ROWS * TREE_LANES * ELEMENT_SIZE) {
        struct four_integers rows[FULL_ROWS];
#pragma unroll
        for (int r = 0; r < FULL_ROWS; r++) {
            rows[r] = largest;
            if (row + r < ROWS) rows[r] = load_integers(x + r * TREE_LANES * ELEMENT_SIZE);
        }
#pragma unroll
        for (int r = 0; r < FULL_ROWS; r++) {
            int some_near = 0;
#pragma unroll
            for (int q = 0; q < LANES; q++) some_near |= may_be_near(rows[r].v[q], largest.v[q]);
            if (some_near && row + r < ROWS) add_near(near, largest, rows[r]);
#pragma unroll
            for (int q = 0; q < LANES; q++)
                largest.v[q] = rows[r].v[q] > largest.v[q] ? rows[r].v[q] : largest.v[q];
        }
    }
    walked.largest = largest;
#pragma unroll
    for (int q = 0; q < LANES; q++) walked.sum[q] = near_sum_of(&near[q], largest.v[q]);
    return walked;
}

/* Brings the leaf into the thread's lanes; x is the thread's first element, `begin` the leaf's. */
DEVICE int absorb_full_leaf(const char *x, const char *begin, struct lanes *lanes)
{
    full_distance first = full_table()->first;
    (void)begin;
    if (lanes->memory.rest == 0) {
        struct looked_up sums = look_up(x, first);
#pragma unroll
        for (uint32_t distance = 1; distance < 32; distance *= 2) {
            uint32_t other = __shfl_xor_sync(FULL_WARP, sums.largest, distance);
            sums.largest = other > sums.largest ? other : sums.largest;
        }
        if (IS_BYTE || sums.largest < POWERS) {
            double largest = (double)(full_integer)(first + sums.largest);
            lanes->together = 1;
            lanes->scale = halved(1, table_exponent(first) - power_exponent_double(largest));
#pragma unroll
            for (int q = 0; q < LANES; q++) {
                lanes->lane[q].part[0] = largest;
                lanes->lane[q].part[1] = sums.sum[q];
            }
            return 1;
        }
        lanes->memory.rest = REST + 1;
    }
    lanes->memory.rest--;
    struct walked walked = walk(x);
#pragma unroll
    for (int q = 0; q < LANES; q++) {
        lanes->lane[q].part[0] = (double)walked.largest.v[q];
        lanes->lane[q].part[1] = walked.sum[q];
    }
    return 1;
}
