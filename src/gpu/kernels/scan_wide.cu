/* SPDX-License-Identifier: MIT
 *
 * scan_wide.cu - exact running sums again, when the window of scan.cu's words was too narrow for a number: with numbers
 * as long as the type needs, in digits of 16 bits. All kernels end at once when nothing failed.
 *   scan_wide_totals  the digits of every segment of the axis
 *   scan_wide_chain   the digits of everything before each segment
 *   scan_wide         a thread for each segment, element by element
 *   scan_wide_short   a thread for each cell, where these are short or many: instead of all these */
#include "wide.cuh"

#include "scan_carry.cuh"

DEVICE int nothing_failed(const struct scan_parameters *given)
{
    return *(volatile uint32_t *)given->reduce.wide_count == 0;
}

DEVICE int64_t segments_of(const struct scan_parameters *given)
{
    return (given->reduce.length + given->wide_segment - 1) / given->wide_segment;
}

/* Where the axis's segment k ends. */
DEVICE int64_t end_of(const struct scan_parameters *given, int64_t k)
{
    int64_t end = (k + 1) * given->wide_segment;
    return end < given->reduce.length ? end : given->reduce.length;
}

/* What a segment leaves behind: totals of digits, and the special bits of each sum. */
struct segment {
    int64_t total[SUMS][DIGITS];
    uint32_t special[SUMS];
};

KERNEL(scan_wide_totals, struct scan_parameters, given)
{
    DYNAMIC_SHARED(struct wide, w);
    const struct reduce_parameters *p = &given.reduce;
    int64_t segments = segments_of(&given);
    if (nothing_failed(&given)) return;
    for (int64_t k = blockIdx.x; k < p->cells * segments; k += gridDim.x) {
        struct cell c = cell_of(p, k / segments);
        struct segment *to = (struct segment *)given.totals + k;
        wide_clear(w);
        wide_absorb(p, &c, k % segments * given.wide_segment, end_of(&given, k % segments), w);
        for (int s = 0; s < SUMS; s++) {
            for (int i = (int)threadIdx.x; i < DIGITS; i += THREADS) to->total[s][i] = w->sum[s].total[i];
            if (threadIdx.x == 0) to->special[s] = w->special[s];
        }
        __syncthreads();
    }
}

/* A cell's segments; a thread carries some of the digits along. Totals stay below 2^63 for 2^47 elements. */
DEVICE void chain_segments(struct segment *first, int64_t segments)
{
    for (int32_t k = (int32_t)threadIdx.x; k < SUMS * DIGITS; k += THREADS) {
        int64_t sum = 0;
        for (int64_t i = 0; i < segments; i++) {
            int64_t *place = &first[i].total[k / DIGITS][k % DIGITS], total = *place;
            *place = sum;
            sum += total;
        }
    }
    for (int32_t s = (int32_t)threadIdx.x; s < SUMS; s += THREADS) {
        uint32_t special = 0;
        for (int64_t i = 0; i < segments; i++) {
            uint32_t own = first[i].special[s];
            first[i].special[s] = special;
            special |= own;
        }
    }
}

KERNEL(scan_wide_chain, struct scan_parameters, given)
{
    int64_t segments = segments_of(&given);
    if (nothing_failed(&given)) return;
    for (int64_t cell = blockIdx.x; cell < given.reduce.cells; cell += gridDim.x)
        chain_segments((struct segment *)given.totals + cell * segments, segments);
}

/* A running sum, carried: digits in [0, 2^16) below a top that keeps the sign. */
struct running {
    int64_t *digit;
    uint32_t special;
    int32_t low, high; /* digits outside are as good as zero, or as the sign */
};

DEVICE void running_carry(struct running *r)
{
    int64_t carry = 0;
    r->low = DIGITS;
    r->high = 0;
    for (int32_t i = 0; i < DIGITS; i++) {
        int64_t v = r->digit[i] + carry;
        carry = v >> 16;
        r->digit[i] = i == DIGITS - 1 ? v : v & 0xffff;
        if (r->digit[i] && i < r->low) r->low = i;
        if (r->digit[i]) r->high = i + 1;
    }
    if (r->low > r->high) r->low = r->high;
}

/* Adds +- m * 2^exponent and passes the carry on as far as it goes. */
DEVICE void running_add(struct running *r, uint64_t m, int negative, int32_t exponent)
{
    if (m == 0) return;
    int32_t place = exponent - DIGIT_LOWEST, i = place >> 4, shift = place & 15;
    uint64_t low = m << shift, high = shift ? m >> (64 - shift) : 0;
    int64_t carry = 0;
    if (i < r->low) r->low = i;
    for (; i < DIGITS && ((low | high) || carry); i++) {
        int64_t digit = (int64_t)(low & 0xffff);
        low = low >> 16 | high << 48;
        high >>= 16;
        int64_t v = r->digit[i] + (negative ? -digit : digit) + carry;
        carry = v >> 16;
        r->digit[i] = i == DIGITS - 1 ? v : v & 0xffff;
        if (i == DIGITS - 1) carry = 0;
        if (i >= r->high) r->high = i + 1;
    }
}

DEVICE void running_add_double(struct running *r, double x)
{
    uint64_t bits = double_bits(x), fraction = bits & 0xfffffffffffffull;
    int32_t exponent = (int32_t)(bits >> 52 & 0x7ff);
    int negative = (int)(bits >> 63);
    if (exponent == 0x7ff) r->special |= fraction ? EXACT_NAN : negative ? EXACT_MINUS_INFINITY : EXACT_PLUS_INFINITY;
    else running_add(r, exponent ? fraction | 1ull << 52 : fraction, negative, (exponent ? exponent : 1) - 1075);
}

/* The sum before its rounding: of the size, the highest digit that is not zero and seven below it, and whether anything
 * follows. Of a negative sum the size is the complement, which turns a digit's bits and adds one to the lowest. */
DEVICE struct exact_real running_value(const struct running *r)
{
    uint32_t special = special_of(r->special);
    int negative = r->digit[DIGITS - 1] < 0;
    int32_t top = negative ? DIGITS - 1 : r->high - 1;
    if (special) return special_real(special);
    int32_t lowest = r->low; /* of the digits that are not zero */
    while (lowest < r->high && r->digit[lowest] == 0) lowest++;
    if (lowest >= r->high) return special_real(0);
    uint128 bits = 0;
    int sticky = 0, taken = 0;
    int32_t i = top;
    for (; i >= lowest && taken < 8; i--) {
        uint64_t digit = (uint64_t)r->digit[i] & 0xffff;
        if (negative) digit = (i == lowest ? 0 - digit : ~digit) & 0xffff;
        if (taken == 0 && digit == 0) continue;
        bits = bits << 16 | digit;
        taken++;
    }
    sticky = i >= lowest;
    struct natural_leading leading = {bits, DIGIT_LOWEST + 16 * (i + 1), sticky};
    return exact_real_of(leading, negative);
}

DEVICE void running_store(struct running *r, char *out)
{
    for (int part = 0; part < SUMS; part++)
        finish_bits(exact_round(running_value(&r[part]), result_format()), part, out);
}

DEVICE void running_element(struct running *r, element x)
{
#if IS_COMPLEX
    running_add_double(&r[0], (double)x.re);
    running_add_double(&r[1], (double)x.im);
#elif IS_FLOAT
    running_add_double(&r[0], (double)x.v);
#else
    uint64_t a = ELEMENT_KIND == KIND_BOOLEAN ? x.v != 0 : (uint64_t)(int64_t)x.v;
    int negative = ELEMENT_KIND == KIND_SIGNED && (int64_t)a < 0;
    running_add(&r[0], negative ? 0 - a : a, negative, 0);
#endif
}

/* Adds what comes before a cell's first element. */
DEVICE void running_first(struct running *r, const struct scan_parameters *given, int64_t cell, int sum)
{
#if WITH_CARRY
    struct carried_sum carried = carried_sum_of(given, cell, sum);
    r->special |= carried.special;
    for (int64_t i = 0; i < carried.limbs; i++) {
        int64_t limb = (int64_t)carried.limb[i];
        running_add(r, limb < 0 ? 0 - (uint64_t)limb : (uint64_t)limb, limb < 0,
                    carried.place + (int32_t)i * CARRY_LIMB_BITS);
    }
#else
    (void)cell;
    if (given->reduce.has_initial) running_add_double(r, initial_real(&given->reduce, sum));
#endif
}

/* Elements [begin, end) of a cell, one by one. */
DEVICE void scan_elements(const struct scan_parameters *given, int64_t cell, int64_t begin, int64_t end,
                          struct running *running)
{
    const struct reduce_parameters *p = &given->reduce;
    const struct kernel_loop *axis = &p->reduced[0];
    struct offsets at = cell_offsets(p, cell);
    struct cell c = cell_of(p, cell);
    for (int s = 0; s < SUMS; s++) running_first(&running[s], given, cell, s);
    for (int64_t i = begin; i < end; i++) {
        char *out = (char *)p->out + (at.out + i * axis->out) * RESULT_SIZE;
        element x = load_element(c.x + i * axis->x * ELEMENT_SIZE, 0);
        int here = (!WITH_WHERE || c.where[i * axis->where]) && !(SKIP_NAN && element_is_nan(x));
        if (given->exclusive) running_store(running, out);
        if (here) running_element(running, x);
        if (!given->exclusive) running_store(running, out);
    }
}

/* A few threads of each block have a number in shared memory, whose digits are gone through for every element. */
DEVICE void running_open(struct running *running, int64_t *digits)
{
    for (int s = 0; s < SUMS; s++) {
        running[s].digit = digits + ((int32_t)threadIdx.x * SUMS + s) * DIGITS;
        running[s].special = 0;
        running[s].low = running[s].high = 0;
    }
}

KERNEL(scan_wide, struct scan_parameters, given)
{
    DYNAMIC_SHARED(int64_t, digits);
    int64_t segments = segments_of(&given), all = given.reduce.cells * segments;
    if (nothing_failed(&given) || threadIdx.x >= SCAN_WIDE_AT_ONCE) return;
    for (int64_t k = (int64_t)blockIdx.x * SCAN_WIDE_AT_ONCE + threadIdx.x; k < all;
         k += (int64_t)gridDim.x * SCAN_WIDE_AT_ONCE) {
        const struct segment *segment = (const struct segment *)given.totals + k;
        struct running running[SUMS];
        running_open(running, digits);
        for (int s = 0; s < SUMS; s++) {
            for (int i = 0; i < DIGITS; i++) running[s].digit[i] = segment->total[s][i];
            running[s].special = segment->special[s];
            running_carry(&running[s]);
        }
        scan_elements(&given, k / segments, k % segments * given.wide_segment, end_of(&given, k % segments), running);
    }
}

KERNEL(scan_wide_short, struct scan_parameters, given)
{
    DYNAMIC_SHARED(int64_t, digits);
    if (nothing_failed(&given) || threadIdx.x >= SCAN_WIDE_AT_ONCE) return;
    for (int64_t cell = (int64_t)blockIdx.x * SCAN_WIDE_AT_ONCE + threadIdx.x; cell < given.reduce.cells;
         cell += (int64_t)gridDim.x * SCAN_WIDE_AT_ONCE) {
        struct running running[SUMS];
        running_open(running, digits);
        for (int s = 0; s < SUMS; s++)
            for (int i = 0; i < DIGITS; i++) running[s].digit[i] = 0;
        scan_elements(&given, cell, 0, given.reduce.length, running);
    }
}
