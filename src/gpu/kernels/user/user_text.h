/* SPDX-License-Identifier: MIT
 *
 * user_text.h - stands for the text of a user's operator, as src/user/text.c writes it: the host puts that in its
 * place. These, a mean of f32 that keeps the order of its elements and a map, are for tests that compile kernels
 * without a user. */
#if defined(USER_RESULT)
STEP void user_map_element(const struct user_run *run, i64 k, void *results)
{
    f32 x = LOAD_f32(run->inputs[0], k);
    i64 i = run->index + k;
    VALUE_TYPE user_value = (x > (f32)i);
    STORE_VALUE(results, k, user_value);
}
#else
typedef struct {
    f64 sum;
    i64 n;
} state;
STEP state user_lift(f32 x, i64 i)
{
    return STATE(x, i >= 0);
}
#define LIFT(s, inputs, k, index) (*(s) = user_lift(LOAD_f32((inputs)[0], k), index))
STEP state user_combine(state a, state b)
{
    return STATE(a.sum + b.sum, a.n + b.n);
}
STEP f32 user_finish(state s, i64 n)
{
    return (f32)(n ? s.sum / (f64)s.n : 0);
}
#define FINISH_APART(s, n, results, first, step) STORE_f32(results, first, user_finish(*(s), n))
#define IDENTITY(s) ((void)0)
#define HAS_IDENTITY 0
#define COMMUTATIVE 0
#endif
