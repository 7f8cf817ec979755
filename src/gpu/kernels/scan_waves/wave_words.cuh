/* SPDX-License-Identifier: MIT
 *
 * wave_words.cuh - exact sums of rows that no amount holds: in words (exact_words.cuh), element by element. Part of
 * wave_exact.cuh. No include guard. */

DEVICE_CALL struct state whole_state(uint128 value, int32_t place)
{
    struct state s = state_identity();
    if (value == 0) return s;
    words_add(&s.sum[0], (uint64_t)value, 0, place);
    words_add_integer(&s.sum[0], (int64_t)(uint64_t)(value >> 64), place + 64);
    return s;
}

/* The state that an amount stands for, without what is special. */
DEVICE struct state amount_state(struct amount a, const struct state *beside)
{
    return a.by_words & 1 ? *beside : whole_state(amount_value(&a), a.place);
}

/* The other way; by_words if it is none. */
DEVICE_CALL struct amount state_amount(struct state s)
{
    struct amount a = amount_none();
    struct natural_leading x = words_leading(&s.sum[0]);
    a.by_words = 1;
    if (s.sum[0].special || x.sticky) return a;
    if (x.bits == 0) return amount_none();
    int32_t zeros =
        (uint64_t)x.bits ? __ffsll((long long)(uint64_t)x.bits) - 1 : 63 + __ffsll((long long)(uint64_t)(x.bits >> 64));
    uint128 size = x.bits >> zeros;
    if (size >> MOST_BITS != 0) return a; /* a size has no sign: bits_of would take its highest bit for one */
    return amount_of(s.sum[0].w[WORDS - 1] >> 63 ? 0 - size : size, x.exponent + zeros, x.exponent + zeros);
}

/* What stands left of a cell; a state beside it gets what is no amount. */
DEVICE struct amount amount_first(const struct scan_parameters *given, int64_t cell, struct state *beside)
{
    struct state first = state_first(given, cell);
    uint32_t special = special_of(first.sum[0].special);
    struct amount amount = special ? amount_special(special) : state_amount(first);
    if (amount.by_words) *beside = first;
    return amount;
}

/* The numbers of the last row, which are finite, into words, one by one. */
DEVICE_CALL struct state run_by_words(const struct vector16 *run, int32_t first)
{
    struct state s = state_identity();
#pragma unroll 1
    for (int i = first; i < RUN; i++) {
        element x = load_element(run, IN_ORDER(i));
        if (!(SKIP_NAN && element_is_nan(x))) state_add(&s, x);
    }
    return s;
}

/* The same for all lanes: what stands left of each in the warp; *total gets what stands left of lane 32. */
DEVICE_CALL struct state warp_by_words(const struct vector16 *run, int32_t first, int32_t reach, struct state *total)
{
    struct state upto = warp_scan(run_by_words(run, first), reach, 32), before = state_up(upto, 1);
    if ((threadIdx.x & 31) == 0) before = state_identity();
    *total = upto;
    return before;
}

DEVICE_CALL void enter_by_words(const struct vector16 *run, int32_t first, int32_t reach, struct amount *total,
                                struct state *beside)
{
    struct state words;
    warp_by_words(run, first, reach, &words);
    if ((threadIdx.x & 31) != 31) return;
    *total = state_amount(words);
    *beside = words;
}

/* What warps keep beside a total, and what lefts have beside them. */
typedef struct state beside_amount;
typedef const struct state *beside_left;

/* Whether the warp had infinities or NaN, which have given way to zeros now. */
DEVICE int clear_specials(const struct vector16 *run, const struct starts *starts, const struct position *position)
{
    if (!has_specials(position)) return 0;
    *starts->specials = specials_cleared(run);
    return 1;
}

/* The total of a row that has some. */
DEVICE_CALL void enter_specials(struct starts starts, struct amount *total)
{
    uint32_t special = specials_upto(specials_from(starts.specials, starts.last), starts.reach);
    if (special && (threadIdx.x & 31) == 31) *total = amount_special(special_of(special));
}

DEVICE void enter_apart(const struct vector16 *run, const struct starts *starts, struct amount *total,
                        struct state *beside, struct position *position)
{
    (void)position;
    enter_by_words(run, starts->last, starts->reach, total, beside);
}
