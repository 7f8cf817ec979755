/* SPDX-License-Identifier: MIT
 *
 * wave_far_results.cuh - running sums in scan_wave.cu where a warp's numbers are no integers in one unit, or its left
 * is very large, very small, or special: by doubles with error bounds once more, then digits, which know everything, an
 * element at a time. Part of wave_exact_results.cuh. No include guard. */

/* What stands left of the thread's warp. */
DEVICE struct digits digits_of_left(const struct left *left, uint32_t *special)
{
    const struct parts *at = &left->beside;
    if (!left->sum.by_words) return digits_of_amount(&left->sum, 0, special);
    struct digits s = digits_of_amount(at->total, at->digits, special);
    digits_add(&s, digits_in(at->chunk));
    *special |= far_special(at->chunk);
    return s;
}

DEVICE_CALL struct left left_of_digits(struct parts parts)
{
    struct left left = {amount_none(), parts, {0, 0}, 0, 0, 0};
    int negative;
    left.sum.by_words = 1;
    struct natural_leading leading = digits_leading(digits_of_left(&left, &left.special), &negative);
    left.kind = leading_pair(leading, negative, &left.pair);
    left.unit = lowest_bit(left.pair.low != 0 ? left.pair.low : left.pair.high);
    if (left.special) left.kind = 0;
    return left;
}

/* Every lane of the warp calls it. */
DEVICE struct left left_of_parts(const struct amount *left, struct parts parts)
{
    return left->by_words ? left_of_digits(parts) : left_of_amount(left, parts);
}

/* ---- an element at a time ---- */

/* The lane's own memory, moved to another lane's, where there is so much for each. */
DEVICE char *memory_of_lane(const struct vector16 *mine, int32_t lane, int32_t vectors)
{
    int32_t lanes = BACKWARD ? lane_of() - lane : lane - lane_of();
    return (char *)(uintptr_t)(mine + lanes * vectors);
}

/* The run of another lane, left of which stands the sum. */
DEVICE void results_of_run(const char *run, char *to, struct digits sum, uint32_t special)
{
#pragma unroll 1
    for (int32_t i = 0; i < RUN; i++) {
        element number = load_element(run, IN_ORDER(i));
        double x = (double)number.v;
        struct digits before = sum;
        uint32_t special_before = special;
        int negative;
        if (x - x == 0) digits_add(&sum, digits_of_double(x));
        else if (!(SKIP_NAN && x != x))
            special |= x != x ? EXACT_NAN : x < 0 ? EXACT_MINUS_INFINITY : EXACT_PLUS_INFINITY;
        digits_settle(&sum);
        struct natural_leading leading = digits_leading(EXCLUSIVE ? before : sum, &negative);
        struct exact_real real = exact_finished(leading, negative, EXCLUSIVE ? special_before : special, 1);
        __syncwarp();
        if (lane_of() == 0) finish_bits(exact_round(real, result_format()), 0, to + IN_ORDER(i) * RESULT_SIZE);
    }
    __syncwarp();
}

/* Of the lanes that `lanes` has the bits of, the last one first: results may lie where elements did. */
DEVICE_CALL void results_by_digits(const struct vector16 *run, struct vector16 *to, const struct left *left,
                                   struct position position, uint32_t lanes)
{
    uint32_t special = 0;
    struct digits sum = digits_of_left(left, &special);
    struct far *room = left->beside.digits;
    while (lanes) {
        int32_t lane = 31 - __clz((int)lanes);
        struct digits upto = sum;
        uint32_t special_upto = special;
        __syncwarp();
        if (position.by_words) {
            far_absorb(room, run, lane_of() < lane);
            digits_add(&upto, digits_in(room));
            special_upto |= far_special(room);
        } else {
            digits_add(&upto, digits_of(whole_from(position.before, (uint32_t)lane).value, position.place));
        }
        results_of_run(memory_of_lane(run, lane, VECTORS), memory_of_lane(to, lane, IN_PLACE ? VECTORS : RESULT_STRIDE),
                       upto, special_upto);
        lanes &= ~(1u << lane);
    }
}

/* ---- by doubles ---- */

/* value * 2^exponent without a step that rounds on the way. */
DEVICE double times_power(double value, int32_t exponent)
{
    int32_t half = exponent / 2;
    return value * power_of_two(half) * power_of_two(exponent - half);
}

/* So large that sums in doubles might overflow, and the power of two that numbers are multiplied by then. What becomes
 * too small for a double is far below the error that is reckoned with. */
#define IS_HUGE(exponent) ((exponent) > 850)
#define HUGE_SCALE (-200)

/* What stands left of a warp as a pair, times 2^scale. */
DEVICE struct pair pair_of_left(const struct left *left, const struct position *position, int32_t *scale)
{
    struct pair pair;
    uint32_t special = 0;
    int negative;
    *scale = IS_HUGE(position->top) ? HUGE_SCALE : 0;
    struct natural_leading leading = digits_leading(digits_of_left(left, &special), &negative);
    if (IS_HUGE(leading.exponent + 128) && leading.bits != 0) *scale = HUGE_SCALE;
    double high = (double)(uint64_t)(leading.bits >> 75),
           low = (double)((uint64_t)(leading.bits >> 22) & 0x1fffffffffffffull);
    pair.high = times_power(negative ? -high : high, leading.exponent + 75 + *scale);
    pair.low = times_power(negative ? -low : low, leading.exponent + 22 + *scale);
    return pair;
}

SHUFFLE(pair)

/* What was added, in two parts. */
DEVICE void along_add(struct pair *along, double x)
{
    double lost;
    along->high = two_sum(along->high, x, &lost);
    along->low += lost;
}

/* What stands left of the run in its warp, nearly; *size gets the sum of all sizes of the warp. */
DEVICE struct pair pair_before(const struct vector16 *run, double scale, double *size)
{
    struct pair upto = {0, 0}, before, sizes = {0, 0};
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        double x = (double)number_of(run, i).v * scale;
        along_add(&upto, x);
        sizes.high += fabs(x);
    }
    for (int32_t distance = 1; distance < 32; distance *= 2) {
        struct pair left = pair_up(upto, (uint32_t)distance);
        sizes.high += pair_xor(sizes, (uint32_t)distance).high;
        if (lane_of() < distance) continue;
        left.low += upto.low;
        along_add(&left, upto.high);
        upto = left;
    }
    *size = sizes.high;
    before = pair_up(upto, 1);
    if (lane_of() == 0) before.high = before.low = 0;
    return before;
}

/* What a lane's doubles may have lost of all sizes: some hundred roundings in the last place of a second double. */
#define APART_ERROR 0x1p-88

/* Whether a result is not known. Those in their elements' place are stored only when all lanes are done. */
DEVICE int results_by_sums(const struct vector16 *run, struct vector16 *to, const struct left *left,
                           const struct position *position, struct vector16 *results)
{
    int32_t exponent;
    double size;
    struct pair base = pair_of_left(left, position, &exponent);
    double scale = power_of_two(exponent), scale_back = power_of_two(-exponent);
    struct pair before = pair_before(run, scale, &size);
    base.low += before.low;
    along_add(&base, before.high);
    double bound = fabs(base.high) + 2 * size; /* also of what stood left of the warp */
    struct known known = known_of(base, bound * APART_ERROR, bound);
    int unknown = 0;
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        int at = IN_ORDER(i) / RESULTS_PER_VECTOR, part = IN_ORDER(i) % RESULTS_PER_VECTOR;
        struct vector16 *result = &results[IN_PLACE ? at : 0];
        double x = (double)number_of(run, i).v * scale;
        if (!EXCLUSIVE) known_add(&known, x);
        unknown |= known_store(&known, 0, scale_back, (char *)result + part * RESULT_SIZE);
        if (EXCLUSIVE) known_add(&known, x);
        if (!IN_PLACE && part == (BACKWARD ? 0 : RESULTS_PER_VECTOR - 1)) to[at] = *result;
    }
    return unknown;
}

DEVICE_CALL void results_all_special(struct vector16 *to, uint32_t special)
{
    uint64_t bits = exact_round(special_real(special_of(special)), result_format());
#pragma unroll 1
    for (int32_t i = 0; i < RUN; i++) finish_bits(bits, i, (char *)to);
}

DEVICE_CALL void results_far_apart(const struct vector16 *run, struct vector16 *to, const struct left *left,
                                   struct position position)
{
    struct vector16 results[IN_PLACE ? RESULT_VECTORS : 1];
    uint32_t own = position.by_words ? (uint32_t)position.unit : 0, special = left->special;
    if (special_of(special) == EXACT_NAN || (special && (own & ~special) == 0)) {
        results_all_special(to, special);
        return;
    }
    memset(results, 0, sizeof results);
    int unknown = (special | own) != 0 || results_by_sums(run, to, left, &position, results);
    uint32_t lanes = __ballot_sync(FULL_WARP, unknown);
    if (lanes) results_by_digits(run, to, left, position, lanes);
    if (unknown) return;
#pragma unroll
    for (int k = 0; IN_PLACE && k < RESULT_VECTORS; k++) to[k] = results[k];
}

/* ---- what run_results asks ---- */

DEVICE int are_apart(const struct position *position, int known)
{
    return position->by_words || !known;
}

DEVICE void results_apart(const struct scan_parameters *given, const struct vector16 *run, struct vector16 *to,
                          int32_t share, const struct left *left, const struct left *first,
                          const struct position *position, const struct starts *starts)
{
    (void)given, (void)share, (void)first, (void)starts;
    results_far_apart(run, to, left, *position);
}

DEVICE int is_left(int done)
{
    return __any_sync(FULL_WARP, !done);
}

DEVICE void results_left(const struct scan_parameters *given, const struct vector16 *run, struct vector16 *to,
                         int32_t share, const struct left *left, const struct left *first,
                         const struct position *position, const struct starts *starts, int done)
{
    (void)given, (void)share, (void)first, (void)starts;
    results_by_digits(run, to, left, *position, __ballot_sync(FULL_WARP, !done));
}
