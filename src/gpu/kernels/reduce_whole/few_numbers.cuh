/* SPDX-License-Identifier: MIT
 *
 * few_numbers.cuh - numbers that are added as they are, for reduce_few.cu: all into bins below the first ones, where
 * that leaves nothing; otherwise a few at a time, layer by layer. No include guard. */

enum { VECTORS = NUMBERS / VECTOR };

/* Binades that bins have room for above the block's first numbers. */
enum { BINS_GROWTH = 4 };

/* Vectors that hold a thread's next numbers. */
struct numbers {
    struct vector16 x[VECTORS];
#if WITH_SECOND
    struct vector16 y[VECTORS];
#endif
};

DEVICE struct numbers load_numbers(const struct reduce_parameters *p, const struct part *part, int64_t chunk)
{
    struct numbers numbers;
    load_vectors(numbers.x, VECTORS, p->x, part, chunk);
#if WITH_SECOND
    load_vectors(numbers.y, VECTORS, p->y, part, chunk);
#endif
    return numbers;
}

DEVICE double number_of(const struct numbers *numbers, int k)
{
    double x = (double)vector_element(&numbers->x[k / VECTOR], k % VECTOR).v;
#if WITH_SECOND
    return x * (double)vector_element(&numbers->y[k / VECTOR], k % VECTOR).v;
#else
    return LIFT_NUMBER == LIFT_MAGNITUDE ? fabs(x) : LIFT_NUMBER == LIFT_SQUARE ? x * x : x;
#endif
}

/* Returns the exponent field of the largest one. */
DEVICE int32_t numbers_of(const struct numbers *numbers, double *x)
{
#pragma unroll
    for (int k = 0; k < NUMBERS; k++) x[k] = number_of(numbers, k);
    return top_of_all(x, NUMBERS);
}

/* Infinities and NaN go to the long sum at once. */
DEVICE_CALL double leave_special(struct long_sum *sum, double x)
{
    if (top_of(x) != 0x7ff) return x;
    long_add_double(sum, x, 0);
    return 0;
}

DEVICE void add_in_layers(const struct reduce_parameters *p, const struct part *part, struct layers *l)
{
    struct numbers next = load_numbers(p, part, 0);
#pragma unroll 1
    for (int64_t chunk = 0; chunk < part->count; chunk += VECTORS) {
        double x[NUMBERS];
        int32_t top = numbers_of(&next, x);
        if (top == 0x7ff) {
#pragma unroll
            for (int k = 0; k < NUMBERS; k++) x[k] = leave_special(l->sum, x[k]);
            top = top_of_all(x, NUMBERS);
        }
        if (chunk + VECTORS < part->count) next = load_numbers(p, part, chunk + VECTORS);
        layers_add(l, x, NUMBERS, layers_most(l, top));
    }
}

/* Whether bins took all numbers; if not, nothing was added. */
DEVICE int add_in_bins(const struct reduce_parameters *p, const struct part *part, struct layers *l)
{
    double x[NUMBERS];
    struct numbers next = load_numbers(p, part, 0);
    int32_t top = layers_most(l, numbers_of(&next, x)) + BINS_GROWTH;
    if (top > MOST_TOP || top < LEAST_TOP) return 0;
    struct bins b = bins_below(top);
    uint64_t left = 0;
    int failed = 0;
#pragma unroll 1
    for (int64_t chunk = 0; chunk < part->count; chunk += VECTORS) {
        failed |= numbers_of(&next, x) > top;
        if (chunk + VECTORS < part->count) next = load_numbers(p, part, chunk + VECTORS);
        bins_add(&b, x, NUMBERS, 0);
#pragma unroll
        for (int k = 0; k < NUMBERS; k++) left |= double_bits(x[k]) << 1;
    }
    uint32_t turn = l->turn;
    leave_pieces(l, &b);
    if (layers_most(l, failed || left != 0)) return 0;
    if (threadIdx.x < 32) take_pieces(l, turn, bins_place(&b));
    return 1;
}
