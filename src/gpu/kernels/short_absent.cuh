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

DEVICE_UNUSED int member_is_absent(const struct reduce_parameters *p, const struct members *m, int64_t i)
{
#if WITH_WHERE
    if (m->cell.where[i * p->reduced[0].where] == 0) return 1;
#endif
#if SKIP_NAN
    if (element_is_nan(member_x(p, m, i))) return 1;
    if (WITH_SECOND && element_is_nan(member_y(p, m, i))) return 1;
#endif
    (void)p, (void)m, (void)i;
    return 0;
}

/* The sum of a team's numbers, in all of its lanes. Every lane of a warp comes here. */
DEVICE_UNUSED int64_t team_total(int64_t n, int32_t lanes)
{
    for (int32_t distance = lanes / 2; distance > 0; distance /= 2) n += __shfl_xor_sync(FULL_WARP, n, distance);
    return n;
}
