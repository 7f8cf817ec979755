/* SPDX-License-Identifier: MIT
 *
 * full_leaf.cuh - a whole leaf whose elements lie side by side, by a warp whose threads have 4 lanes each. logsumexp
 * leaves out what cannot matter, or looks up powers of integers; the bits are those of lane_combine. No include guard.
 */

/* Rows that are loaded at once: more instructions than those of a few come no faster. */
enum { FULL_ROWS = ELEMENT_SIZE == 1 ? 16 : ELEMENT_SIZE <= 4 ? 8 : ELEMENT_SIZE == 8 ? 4 : 2 };

#if defined(ONLY_TYPE_f16) || defined(ONLY_TYPE_bf16) || defined(ONLY_TYPE_f32)
#define LOGADD_IS_FLOAT 1
#else
#define LOGADD_IS_FLOAT 0
#endif

#if defined(PICK_VALUE_LOGADD) && (LOGADD_IS_FLOAT || defined(ONLY_TYPE_f64))
#if LOGADD_IS_FLOAT
typedef float full_real;
#define FULL_POWER exp_normal_float
#define FULL_FARTHEST (-EXP_NORMAL_FLOAT)
#else
typedef double full_real;
#define FULL_POWER exp_normal_double
#define FULL_FARTHEST (-EXP_NORMAL_DOUBLE)
#endif

/* A lane on its way: the largest exponent, the sum of powers. */
struct full_lane {
    full_real largest, sum;
};

DEVICE struct full_lane full_begin(element x)
{
    struct full_lane lane = {x.v, 1};
    return lane;
}

/* The sum is at least one, so a power below the normal range does not change it: any that is as small will do. Only
 * infinities on both sides, and NaN, are another matter. */
DEVICE void full_add(struct full_lane *lane, element x, const double *powers)
{
    (void)powers;
    full_real v = x.v, d = REAL_MAGNITUDE(lane->largest - v);
    full_real power = FULL_POWER(-(d > FULL_FARTHEST ? FULL_FARTHEST : d)), scaled = lane->sum * power;
    int more = v > lane->largest;
    lane->sum = (more ? 1 : lane->sum) + (more ? scaled : power);
    lane->largest = more ? v : lane->largest;
}

DEVICE int full_failed(const struct full_lane *lane)
{
    return lane->sum != lane->sum;
}

DEVICE struct FOLD(lane) full_end(const struct full_lane *lane)
{
    struct FOLD(lane) end;
    end.part[0] = lane->largest;
    end.part[1] = lane->sum;
    return end;
}

DEVICE void full_prepare(void) {}

DEVICE const double *full_own_powers(void)
{
    return 0;
}

#elif defined(PICK_VALUE_LOGADD)

/* Powers of integers, from e^0 on; each several times, so that threads that want different ones seldom meet in a bank
 * of shared memory. */
enum { POWERS = ELEMENT_SIZE == 1 ? 256 : 747, POWER_COPIES = ELEMENT_SIZE == 1 ? 16 : 4 };

DEVICE double *full_powers(void)
{
    __shared__ double powers[POWERS * POWER_COPIES];
    return powers;
}

DEVICE const double *full_own_powers(void)
{
    return full_powers() + threadIdx.x % POWER_COPIES;
}

DEVICE void full_prepare(void)
{
    double *powers = full_powers();
    for (int i = (int)threadIdx.x; i < POWERS; i += THREADS) {
        double power = exp_nonpositive_double(-(double)i);
        for (int k = 0; k < POWER_COPIES; k++) powers[i * POWER_COPIES + k] = power;
    }
    __syncthreads();
}

/* Differences of doubles that hold integers are integers. */
#if ELEMENT_BYTES == 8
typedef double full_integer, full_distance;
#elif defined(ONLY_TYPE_i8) || defined(ONLY_TYPE_i16) || defined(ONLY_TYPE_i32)
typedef int32_t full_integer;
typedef uint32_t full_distance;
#else
typedef uint32_t full_integer, full_distance;
#endif

struct full_lane {
    full_integer largest;
    double sum;
};

DEVICE full_integer full_value(element x)
{
    return ELEMENT_KIND == KIND_BOOLEAN ? (full_integer)(x.v != 0) : (full_integer)x.v;
}

DEVICE struct full_lane full_begin(element x)
{
    struct full_lane lane = {full_value(x), 1};
    return lane;
}

DEVICE void full_add(struct full_lane *lane, element x, const double *powers)
{
    full_integer v = full_value(x);
    full_distance a = (full_distance)v, b = (full_distance)lane->largest;
    int more = v > lane->largest;
    full_distance d = more ? a - b : b - a;
    int i = (int)(ELEMENT_SIZE == 1 || d < POWERS - 1 ? d : POWERS - 1);
    double power = powers[i * POWER_COPIES], scaled = lane->sum * power;
    lane->sum = (more ? 1 : lane->sum) + (more ? scaled : power);
    lane->largest = more ? v : lane->largest;
}

DEVICE int full_failed(const struct full_lane *lane)
{
    (void)lane;
    return 0;
}

DEVICE struct FOLD(lane) full_end(const struct full_lane *lane)
{
    struct FOLD(lane) end;
    end.part[0] = (double)lane->largest;
    end.part[1] = lane->sum;
    return end;
}

#else

struct full_lane {
    struct FOLD(lane) lane;
};

DEVICE void full_add(struct full_lane *lane, element x, const double *powers)
{
    (void)powers;
    FOLD(lane_combine)(&lane->lane, FOLD(lift)(x, x));
}

DEVICE struct full_lane full_begin(element x)
{
    struct full_lane lane = {FOLD(lane_identity)()};
    full_add(&lane, x, 0);
    return lane;
}

DEVICE int full_failed(const struct full_lane *lane)
{
    (void)lane;
    return 0;
}

DEVICE struct FOLD(lane) full_end(const struct full_lane *lane)
{
    return lane->lane;
}

DEVICE const double *full_own_powers(void)
{
    return 0;
}

DEVICE void full_prepare(void) {}
#endif

/* A thread's lanes of a leaf. */
struct full_lanes {
    struct FOLD(lane) lane[LANES];
    int failed; /* they are not right */
};

/* Its first element for the thread lies at x. Out of line, where nothing else takes registers. */
DEVICE_CALL struct full_lanes absorb_full_leaf(const char *x)
{
    const double *powers = full_own_powers();
    struct full_lane lane[LANES];
    struct full_lanes end;
#pragma unroll 1
    for (int row = 0; row < ROWS; row += FULL_ROWS, x += FULL_ROWS * TREE_LANES * ELEMENT_SIZE) {
        element four[FULL_ROWS][LANES];
#pragma unroll
        for (int r = 0; r < FULL_ROWS; r++) load_aligned(four[r], x + r * TREE_LANES * ELEMENT_SIZE);
#pragma unroll
        for (int r = 0; r < FULL_ROWS; r++) {
#pragma unroll
            for (int q = 0; q < LANES; q++) {
                if (r == 0 && row == 0) lane[q] = full_begin(four[r][q]);
                else full_add(&lane[q], four[r][q], powers);
            }
        }
    }
    end.failed = 0;
#pragma unroll
    for (int q = 0; q < LANES; q++) {
        end.failed |= full_failed(&lane[q]);
        end.lane[q] = full_end(&lane[q]);
    }
    return end;
}
