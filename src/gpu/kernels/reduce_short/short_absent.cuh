/* SPDX-License-Identifier: MIT
 *
 * short_absent.cuh - elements of a cell that count, where some are left out (HAS_ABSENT), and their partners in
 * products of two arrays. Loops are as those of x. No include guard. */

/* A cell's elements in global memory; the offsets of nests are those of x alone, which have neither. */
struct members {
    const char *x;
    int64_t stride; /* bytes */
#if WITH_SECOND || HAS_ABSENT
    struct cell cell;
#endif
};

DEVICE_UNUSED struct members members_of(const struct reduce_parameters *p, const char *x, int64_t stride, int64_t cell)
{
    struct members m;
    m.x = x;
    m.stride = stride;
#if WITH_SECOND || HAS_ABSENT
    m.cell = cell_of(p, cell < 0 ? 0 : cell);
#else
    (void)p, (void)cell;
#endif
    return m;
}

DEVICE_UNUSED element member_x(const struct reduce_parameters *p, const struct members *m, int64_t i)
{
    return load_element(m->x + element_offset(p, m->stride, i), 0);
}

DEVICE_UNUSED element member_y(const struct reduce_parameters *p, const struct members *m, int64_t i)
{
#if WITH_SECOND
    return load_element(m->cell.y + i * p->reduced[0].y * ELEMENT_SIZE, 0);
#else
    return member_x(p, m, i);
#endif
}

/* Elements of a cell that a thread has at once, so that their loads do not wait for each other. */
enum { MEMBERS = 4 };

struct some_members {
    element x[MEMBERS], y[MEMBERS];
    uint32_t present; /* a bit for each */
    int32_t absent;   /* how many of the cell's are not */
};

/* Element i, and every `step`-th behind it. */
DEVICE_UNUSED struct some_members some_members_of(const struct reduce_parameters *p, const struct members *m, int64_t i,
                                                  int64_t step, int64_t n)
{
    struct some_members some;
    int32_t count = 0;
    some.present = 0;
#pragma unroll
    for (int k = 0; k < MEMBERS; k++) {
        int64_t at = i + k * step < n ? i + k * step : i;
        some.x[k] = member_x(p, m, at);
        some.y[k] = member_y(p, m, at);
#if WITH_WHERE
        some.present |= (uint32_t)(m->cell.where[at * p->reduced[0].where] != 0) << k;
#else
        some.present |= 1u << k;
#endif
    }
#pragma unroll
    for (int k = 0; k < MEMBERS; k++) {
        int there = i + k * step < n;
        int is_nan = SKIP_NAN && (element_is_nan(some.x[k]) || (WITH_SECOND && element_is_nan(some.y[k])));
        count += there;
        if (!there || is_nan) some.present &= ~(1u << k);
    }
    some.absent = count - __popc(some.present);
    return some;
}

/* The sum of a team's numbers, in all of its lanes. Every lane of a warp comes here. */
DEVICE_UNUSED int64_t team_total(int64_t n, int32_t lanes)
{
    for (int32_t distance = lanes / 2; distance > 0; distance /= 2) n += __shfl_xor_sync(FULL_WARP, n, distance);
    return n;
}
