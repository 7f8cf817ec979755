/* SPDX-License-Identifier: MIT
 *
 * short_exact.cuh - exact sums of a few floats. Narrow ones are added as doubles, which is exact while the numbers'
 * exponents lie close enough; doubles in pairs, where a loss shows. What could not be summed so is summed again, by
 * redo_cell. No include guard. */
#include "pair.cuh"

#define IS_PAIRED (!IS_NARROW)

/* Bits of an element's significand. */
#if defined(ONLY_TYPE_bf16)
#define SIGNIFICAND 8
#else
#define SIGNIFICAND 24
#endif

/* A cell's sum so far. */
struct quick {
    double high;
#if IS_PAIRED
    double low;
#endif
};

/* What tells whether sums were exact, of any number of cells at once. */
struct watch {
#if IS_PAIRED
    uint32_t lost; /* bits of what additions lost */
#elif defined(ONLY_TYPE_f16)
    uint32_t none; /* sums of 2^12 numbers of 40 bits are doubles */
#else
    uint32_t most, least; /* sizes of floats, shifted to the left; least is one less */
#endif
};

DEVICE struct watch watch_begin(void)
{
    struct watch w;
    memset(&w, 0, sizeof w);
#if !IS_PAIRED && !defined(ONLY_TYPE_f16)
    w.least = 0xffffffffu;
#endif
    return w;
}

DEVICE void watch_merge(struct watch *a, struct watch b)
{
#if IS_PAIRED
    a->lost |= b.lost;
#elif defined(ONLY_TYPE_f16)
    (void)a;
    (void)b;
#else
    a->most = b.most > a->most ? b.most : a->most;
    a->least = b.least < a->least ? b.least : a->least;
#endif
}

DEVICE void watch_lost(struct watch *w, double lost)
{
#if IS_PAIRED
    uint64_t bits = double_bits(lost);
    w->lost |= (uint32_t)(bits >> 32) | (uint32_t)bits;
#else
    (void)w;
    (void)lost;
#endif
}

/* Exponents may lie so far apart that n numbers' sum, as an integer in units of the smallest one's last bit, has no
 * more than 53 bits. */
DEVICE int watch_failed(const struct watch *w, int64_t n)
{
#if IS_PAIRED
    (void)n;
    return w->lost != 0;
#elif defined(ONLY_TYPE_f16)
    (void)w;
    return n > 4096;
#else
    int32_t top = (int32_t)(w->most >> 24), bottom = (int32_t)((w->least + 1) >> 24);
    int32_t growth = n > 1 ? 64 - exact_leading_zeros((uint64_t)n - 1) : 0;
    return top == 255 || top - bottom > 53 - SIGNIFICAND - growth;
#endif
}

DEVICE struct quick quick_begin(void)
{
    struct quick q;
    memset(&q, 0, sizeof q);
    return q;
}

/* Number by number, so that both stay in registers. */
DEVICE struct quick quick_of_two(int first, struct quick a, struct quick b)
{
    a.high = first ? a.high : b.high;
#if IS_PAIRED
    a.low = first ? a.low : b.low;
#endif
    return a;
}

DEVICE double quick_number(element x)
{
#if defined(PICK_MAGNITUDE)
    return fabs((double)x.v);
#else
    return (double)x.v;
#endif
}

DEVICE void quick_add(struct quick *q, struct watch *w, element x)
{
#if IS_PAIRED
    double error, lost;
    q->high = two_sum(q->high, quick_number(x), &error);
    q->low = two_sum(q->low, error, &lost);
    watch_lost(w, lost);
#else
    q->high += quick_number(x);
#if !defined(ONLY_TYPE_f16)
    uint32_t size = __float_as_uint(x.v) << 1;
    struct watch here = {size, size - 1};
    watch_merge(w, here);
#else
    (void)w;
#endif
#endif
}

/* Elements [from, to) of a vector. */
DEVICE void quick_add_vector(struct quick *q, struct watch *w, const struct vector16 *v, int from, int to)
{
#pragma unroll
    for (int i = from; i < to; i++) quick_add(q, w, vector_element(v, i));
}

DEVICE void quick_merge(struct quick *a, struct watch *w, struct quick b)
{
#if IS_PAIRED
    double error, lost;
    a->high = two_sum(a->high, b.high, &error);
    a->low = two_sum(a->low, error, &lost);
    watch_lost(w, lost);
    a->low = two_sum(a->low, b.low, &lost);
    watch_lost(w, lost);
#else
    (void)w;
    a->high += b.high;
#endif
}

/* The quotient by n, or of the two doubles around it the odd one; where n and `total` leave doubles room. */
DEVICE double divide_to_odd(double total, double n, double inverse)
{
    double q = total * inverse;
    q = fma(fma(-q, n, total), inverse, q);
    double rest = fma(-q, n, total);
    uint64_t bits = double_bits(q);
    uint64_t away = 1 - 2 * ((double_bits(rest) ^ bits) >> 63);
    uint64_t move = (uint64_t)((rest < 0) | (rest > 0)) & ~bits & 1;
    return double_from_bits(bits + (away & (0 - move)));
}

/* Writes total / n, rounded once; returns whether it could. `odd`: the total, or of the doubles around it the odd one.
 */
DEVICE int mean_store(struct pair total, double odd, int64_t length, char *out)
{
    double n = (double)length, inverse = 1.0 / n, size = fabs(total.high), mean;
    if (size != 0 && !(size > 0x1p-900 && size < 0x1p1000)) return 0;
    if (RESULT_PART < 8) {
        mean = divide_to_odd(odd, n, inverse);
    } else if ((length & (length - 1)) == 0) {
        mean = total.high * inverse;
    } else {
        double q = total.high * inverse;
        q = fma(fma(-q, n, total.high), inverse, q);
        double rest = (fma(-q, n, total.high) + total.low) * inverse;
        mean = q + rest * (1 + 0x1p-40);
        if (mean != q + rest * (1 - 0x1p-40)) return 0; /* too close to the middle between two doubles */
    }
    double_store(mean, 0, out);
    return 1;
}

DEVICE int is_finite(double x)
{
    return ((uint32_t)(double_bits(x) >> 32) & 0x7ff00000u) != 0x7ff00000u;
}

DEVICE int pair_finish(const struct reduce_parameters *p, struct pair total, char *out)
{
    double odd = RESULT_PART == 8 ? total.high : round_to_odd_sum(total.high, total.low);
    if (FINISH_NUMBER == FINISH_MEAN) return mean_store(total, odd, p->length, out);
    double_store(odd, 0, out);
    return is_finite(total.high);
}

/* Writes a result; returns whether it could. */
DEVICE int quick_finish(const struct reduce_parameters *p, const struct quick *q, int64_t cell, char *out)
{
    struct pair total = {q->high, 0};
    (void)cell;
#if IS_PAIRED
    total.high = two_sum(q->high, q->low, &total.low);
    return pair_finish(p, total, out);
#else
    if (FINISH_NUMBER == FINISH_MEAN) return mean_store(total, q->high, p->length, out);
    double_store(q->high, 0, out);
    return is_finite(q->high);
#endif
}

struct redone {
    struct pair pair;
    uint32_t lost;
};

SHUFFLE(redone)

/* The sum of a cell's elements by pairs, in every lane of a team; those that one lost are summed by words. Every lane
 * of a warp comes here; teams with nothing to do with a cell of -1. */
DEVICE_CALL void redo_cell(const struct reduce_parameters *p, const char *x, int64_t stride, int64_t cell,
                           int32_t lanes)
{
    int32_t member = (int32_t)threadIdx.x & (lanes - 1);
    int64_t n = cell < 0 ? 0 : p->length;
    struct redone sum = {{0, 0}, 0};
    for (int64_t i = member; i < n; i += lanes)
        sum.lost |= (uint32_t)pair_add(&sum.pair, quick_number(load_element(x + i * stride, 0)));
    for (int32_t half = lanes / 2; half > 0; half /= 2) {
        struct redone other = redone_down(sum, (uint32_t)half);
        sum.lost |= other.lost;
        sum.lost |= (uint32_t)pair_add(&sum.pair, other.pair.high);
        sum.lost |= (uint32_t)pair_add(&sum.pair, other.pair.low);
    }
    int failed = 0;
    if (member == 0 && cell >= 0) {
        struct offsets at = cell_offsets(p, cell);
        failed = sum.lost || !pair_finish(p, sum.pair, (char *)p->out + at.out * RESULT_SIZE);
    }
    failed = __shfl_sync(FULL_WARP, failed, (int32_t)(threadIdx.x & 31) - member);
    if (!__any_sync(FULL_WARP, failed)) return;
    struct state s;
    state_open(&s);
    for (int64_t i = member; i < n && failed; i += lanes)
        s.sum[0] = words_add_double(s.sum[0], quick_number(load_element(x + i * stride, 0)), 0);
    for (int32_t half = lanes / 2; half > 0; half /= 2) {
        struct state other = state_down(s, (uint32_t)half);
        if (member + half < lanes) state_merge(&s, &other);
    }
    if (member == 0 && failed) finish_cell(p, &s, cell);
}
