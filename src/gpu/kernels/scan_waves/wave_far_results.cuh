/* SPDX-License-Identifier: MIT
 *
 * wave_far_results.cuh - running sums in scan_wave.cu where a warp's numbers are no integers in one unit, or its left
 * is very large, very small, or special: by doubles with error bounds once more, then digits, which know everything, an
 * element at a time. Part of wave_exact_results.cuh. No include guard. */

/* What stands left of the thread's warp. */
DEVICE struct digits digits_of_left(const struct left *left)
{
    const struct parts *at = &left->beside;
    if (!(left->sum.by_words & 1)) return digits_of_amount(left->sum, 0);
    struct digits s = digits_of_amount(*at->total, at->digits);
    digits_add(&s, digits_in(at->chunk));
    return s;
}

DEVICE_CALL struct left left_of_digits(struct parts parts)
{
    struct left left = {amount_none(), parts, {0, 0}, 0, 0, 0};
    left.sum.by_words = 1;
    left.failure = far_failure(parts.chunk);
    struct far_leading leading = digits_leading(digits_of_left(&left));
    left.kind = leading_pair(leading.size, leading.negative, &left.pair);
    left.unit = lowest_bit(left.pair.low != 0 ? left.pair.low : left.pair.high);
    if (left.failure) left.kind = 0;
    return left;
}

/* Of what is no amount. Every lane of the warp calls it. */
DEVICE struct left left_of_parts(const struct amount *left, struct parts parts)
{
    return special_of_amount(left) ? left_special(special_of_amount(left), parts) : left_of_digits(parts);
}

/* ---- an element at a time ---- */

/* The lane's own memory, moved to another lane's, where there is so much for each. */
DEVICE char *memory_of_lane(const struct vector16 *mine, int32_t lane, int32_t vectors)
{
    int32_t lanes = BACKWARD ? lane_of() - lane : lane - lane_of();
    return (char *)(uintptr_t)(mine + lanes * vectors);
}

/* The run of another lane, left of which stands the sum. */
DEVICE void results_of_run(const char *run, char *to, struct digits sum)
{
#pragma unroll 1
    for (int32_t i = 0; i < RUN; i++) {
        element number = load_element(run, IN_ORDER(i));
        struct digits before = sum;
        if (!(SKIP_NAN && element_is_nan(number))) digits_add(&sum, digits_of_double((double)number.v));
        digits_settle(&sum);
        struct far_leading leading = digits_leading(EXCLUSIVE ? before : sum);
        struct exact_real real = exact_finished(leading.size, leading.negative, 0, 1);
        __syncwarp();
        if (lane_of() == 0) finish_bits(exact_round(real, result_format()), 0, to + IN_ORDER(i) * RESULT_SIZE);
    }
    __syncwarp();
}

/* Of the lanes that `lanes` has the bits of, the last one first: results may lie where elements did. */
DEVICE_CALL void results_by_digits(const struct vector16 *run, struct vector16 *to, const struct left *left,
                                   struct position position, uint32_t lanes)
{
    struct digits sum = digits_of_left(left);
    struct far *room = left->beside.digits;
    while (lanes) {
        int32_t lane = 31 - __clz((int)lanes);
        struct digits upto = sum;
        __syncwarp();
        if (position.by_words) {
            far_absorb(room, run, lane_of() < lane);
            digits_add(&upto, digits_in(room));
        } else {
            digits_add(&upto, digits_of(whole_from(position.before, (uint32_t)lane).value, position.place));
        }
        results_of_run(memory_of_lane(run, lane, VECTORS), memory_of_lane(to, lane, IN_PLACE ? VECTORS : RESULT_STRIDE),
                       upto);
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

/* What stands left of a warp as a pair, times 2^scale, where struct left has none. */
DEVICE_CALL struct pair pair_of_digits(struct far_leading leading, int32_t scale)
{
    struct pair pair;
    uint128 bits = leading.size.bits;
    double high = (double)(uint64_t)(bits >> 75), low = (double)((uint64_t)(bits >> 22) & 0x1fffffffffffffull);
    pair.high = times_power(leading.negative ? -high : high, leading.size.exponent + 75 + scale);
    pair.low = times_power(leading.negative ? -low : low, leading.size.exponent + 22 + scale);
    return pair;
}

DEVICE struct pair pair_of_left(const struct left *left, const struct position *position, int32_t *scale)
{
    *scale = IS_HUGE(position->top) ? HUGE_SCALE : 0;
    if (left->kind == 0) {
        struct far_leading leading = digits_leading(digits_of_left(left));
        if (IS_HUGE(leading.size.exponent + 128) && leading.size.bits != 0) *scale = HUGE_SCALE;
        return pair_of_digits(leading, *scale);
    }
    double factor = power_of_two(*scale);
    struct pair pair = {left->pair.high * factor, left->pair.low * factor};
    return pair;
}

SHUFFLE(pair)

/* What was added: where results are as wide as doubles, in two parts. */
DEVICE void along_add(struct pair *along, double x)
{
    double lost = 0;
    if (IN_PAIRS) along->high = two_sum(along->high, x, &lost);
    else along->high += x;
    along->low += lost;
}

/* What stands left of the run in its warp, nearly; *size gets the sum of all sizes of the warp. */
DEVICE struct pair pair_before(const struct vector16 *run, double scale, double *size)
{
    struct pair upto = {0, 0}, before;
    double sizes = 0;
#pragma unroll 2
    for (int i = 0; i < RUN; i++) {
        double x = (double)number_of(run, i).v * scale;
        along_add(&upto, x);
        sizes += fabs(x);
    }
#pragma unroll 1
    for (int32_t distance = 1; distance < 32; distance *= 2) {
        struct pair left = pair_up(upto, (uint32_t)distance);
        sizes += __shfl_xor_sync(FULL_WARP, sizes, distance);
        if (lane_of() < distance) continue;
        left.low += upto.low;
        along_add(&left, upto.high);
        upto = left;
    }
    *size = sizes;
    before = pair_up(upto, 1);
    if (lane_of() == 0) before.high = before.low = 0;
    return before;
}

/* What a lane's doubles may have lost of all sizes: two steps for each element, of its own run and of those left of it,
 * and at most 10 more; or some hundred in the last place of a second double. */
#define APART_ERROR (IN_PAIRS ? 0x1p-88 : LOST_IN(2 * RUN + 12))

/* Whether a result is not known. Those in their elements' place are stored only when all lanes are done. */
DEVICE int results_by_sums(const struct vector16 *run, struct vector16 *to, const struct left *left,
                           const struct position *position, struct waiting *waiting)
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
        struct vector16 *result = &waiting->results[IN_PLACE ? at : 0];
        double x = (double)number_of(run, i).v * scale;
        if (!EXCLUSIVE) known_add(&known, x);
        unknown |= known_store(&known, 0, scale_back, (char *)result + part * RESULT_SIZE);
        if (EXCLUSIVE) known_add(&known, x);
        if (!IN_PLACE && part == (BACKWARD ? 0 : RESULTS_PER_VECTOR - 1)) to[at] = *result;
    }
    return unknown;
}

/* ---- by pairs that know what they lose ---- */

SHUFFLE(near)

/* Of a sum that pairs do not hold: no result is known. */
#define HUGE_ERROR 0x1p1001

/* The same of two. */
DEVICE_CALL struct near near_and(struct near near, struct near more)
{
    near.error += more.error;
#pragma unroll 1
    for (int i = 0; i < 2; i++) near_add(&near, i ? more.pair.low : more.pair.high);
    return near;
}

/* What stands left of the run. */
DEVICE struct near near_left(const struct vector16 *run, const struct left *left)
{
    struct near upto = {{0, 0}, 0};
#pragma unroll 1
    for (int i = 0; i < RUN; i++) near_add(&upto, (double)number_of(run, i).v);
#pragma unroll 1
    for (int32_t distance = 1; distance < 32; distance *= 2) {
        struct near before = near_up(upto, (uint32_t)distance);
        if (lane_of() >= distance) upto = near_and(before, upto);
    }
    upto = near_up(upto, 1);
    struct near near = {left->pair, left->kind >= 2   ? 0
                                    : left->kind == 1 ? fabs(left->pair.high) * 0x1p-100
                                                      : HUGE_ERROR};
    return lane_of() == 0 ? near : near_and(near, upto);
}

/* Of all lanes, if doubles do not know those of one: close to the middle between two, or where numbers cancel each
 * other. What is in pairs is stored last, since digits need the elements of all lanes to the left. */
DEVICE_CALL void results_unknown(const struct vector16 *run, struct vector16 *to, const struct left *left,
                                 struct position position)
{
    struct left full = left_again(left);
    struct near near = near_left(run, &full);
    struct waiting waiting;
    int by_digits = run_in_pairs(run, (char *)(IN_PLACE ? waiting.results : to), near, 0, ~0ull, near.pair, 0);
    uint32_t lanes = __ballot_sync(FULL_WARP, by_digits);
    if (lanes) results_by_digits(run, to, left, position, lanes);
    if (!by_digits) waiting_store(&waiting, to);
}

DEVICE_CALL void results_far_apart(const struct vector16 *run, struct vector16 *to, const struct left *left,
                                   struct position position)
{
    struct waiting waiting;
    memset(&waiting, 0, sizeof waiting);
    int unknown = left->failure || results_by_sums(run, to, left, &position, &waiting); /* failed: done again */
    if (__any_sync(FULL_WARP, unknown)) {
        results_unknown(run, to, left, position);
        return;
    }
    waiting_store(&waiting, to);
}

/* ---- what run_results asks ---- */

DEVICE int is_special(const struct position *position, const struct left *left)
{
    return has_specials(position) || left->kind == IS_SPECIAL;
}

/* The warp's infinities and NaN give way to zeros, since nothing else needs them any more; unless they, and all that
 * stands left of them, are of one kind. */
DEVICE_CALL void special_results(const struct scan_parameters *given, const struct vector16 *run, struct vector16 *to,
                                 const struct left *left, struct position position)
{
    if (IS_NARROW && left->failure) *given->reduce.wide_count = 1; /* all is done again */
    uint32_t special = special_of_left(left);
    uint32_t own = has_specials(&position) ? specials_of_warp(specials_of_run(run)) : 0;
    if (special == EXACT_NAN || (special && (own & ~special) == 0)) {
        results_all_special(to, special);
        return;
    }
    struct specials specials = specials_cleared(run);
    position.by_words = 1;
    results_unknown(run, to, left, position);
    write_specials(to, special, 0, &specials, 1, no_starts());
}

DEVICE void write_if_special(struct vector16 *to, const struct position *position, const struct left *left,
                             const struct left *first, const struct starts *starts)
{
    (void)to, (void)position, (void)left, (void)first, (void)starts;
}

DEVICE int are_apart(const struct position *position, int known)
{
    return position->by_words || !known;
}

DEVICE void results_apart(const struct scan_parameters *given, const struct vector16 *run, struct vector16 *to,
                          int32_t share, const struct left *left, const struct left *first,
                          const struct position *position, const struct starts *starts)
{
    (void)share, (void)first, (void)starts;
    if (IS_NARROW && left->failure) *given->reduce.wide_count = 1; /* all is done again */
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
