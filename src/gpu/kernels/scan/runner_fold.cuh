/* SPDX-License-Identifier: MIT
 *
 * runner_fold.cuh - what runs along neighbouring elements of a scan of folds, and is a result at each. No include
 * guard.
 */

DEVICE int counts(element x)
{
    return !(SKIP_NAN && element_is_nan(x));
}

/* What runs along a run. RESULTS_ARE_LANES 1: results are values of the elements' type, and nothing on the way is
 * wider. */
#if RESULTS_ARE_LANES
typedef struct FOLD(lane) runner;

DEVICE runner runner_of(const struct state *before)
{
    struct vector16 v = {{0}};
    finish_value(before->total, (char *)&v);
    element x = vector_element(&v, 0);
    return FOLD(lift)(x, x);
}

DEVICE void runner_move(runner *r, element x)
{
    if (counts(x)) FOLD(lane_combine)(r, FOLD(lift)(x, x));
}

/* What narrow types hold as floats needs no rounding. */
DEVICE void runner_store(const runner *r, char *out)
{
#if defined(ONLY_TYPE_f32)
    float v = r->part[0] + 0.0f;
    *(uint32_t *)out = v != v ? 0x7fc00000u : __float_as_uint(v);
#elif defined(ONLY_TYPE_f16)
    float v = r->part[0] + 0.0f;
    *(uint16_t *)out = v != v ? 0x7e00u : NARROWED_F16(v);
#elif defined(ONLY_TYPE_bf16)
    float v = r->part[0] + 0.0f;
    *(uint16_t *)out = v != v ? 0x7fc0u : (uint16_t)(__float_as_uint(v) >> 16);
#else
    finish_value(FOLD(widen)(*r), out);
#endif
}
#else
typedef struct FOLD(wide) runner;

DEVICE runner runner_of(const struct state *before)
{
    return before->total;
}

DEVICE void runner_move(runner *r, element x)
{
    if (counts(x)) FOLD(wide_combine)(r, FOLD(widen)(FOLD(lift)(x, x)));
}

DEVICE void runner_store(const runner *r, char *out)
{
    finish_value(*r, out);
}
#endif
