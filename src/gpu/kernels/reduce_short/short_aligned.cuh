/* SPDX-License-Identifier: MIT
 *
 * short_aligned.cuh - where the columns of short_columns.cuh lie of which groups are whole accesses everywhere. No
 * include guard. */

/* Goes from group to group of a thread, which lie STRIDE cells apart. Of two loops these tell where a cell is; where
 * the inner one is as long, only the first group needs a division. */
enum { STRIDE = THREADS * CELLS };
struct stroll {
    int64_t cell, outer, inner;
};

DEVICE struct stroll stroll_at(const struct reduce_parameters *p, int64_t cell)
{
    struct stroll s = {cell, 0, cell};
    if (KEPT_NEST != 2) return s;
    int64_t extent = p->kept[1].extent;
    s.outer = (uint64_t)(cell | extent) >> 32 ? cell / extent : (int64_t)((uint32_t)cell / (uint32_t)extent);
    s.inner = cell - s.outer * extent;
    return s;
}

/* From a thread's first group on. */
DEVICE struct stroll stroll_from(const struct reduce_parameters *p, int64_t thread)
{
    return stroll_at(p, (thread / THREADS * GROUPS * THREADS + thread % THREADS) * CELLS);
}

DEVICE void stroll_on(const struct reduce_parameters *p, struct stroll *s)
{
    if (KEPT_NEST == 2 && p->kept[1].extent < STRIDE) {
        *s = stroll_at(p, s->cell + STRIDE);
        return;
    }
    s->cell += STRIDE;
    s->inner += STRIDE;
    if (KEPT_NEST != 2 || s->inner < p->kept[1].extent) return;
    s->inner -= p->kept[1].extent;
    s->outer++;
}

DEVICE int stroll_is_there(const struct reduce_parameters *p, const struct stroll *s)
{
    return s->cell < p->cells;
}

/* The group's first cell. */
DEVICE int64_t stroll_cell(const struct reduce_parameters *p, const struct stroll *s)
{
    (void)p;
    return s->cell;
}

/* Of that cell; if there is none, of another. */
DEVICE struct offsets stroll_offsets(const struct reduce_parameters *p, const struct stroll *s)
{
    struct offsets at = {0, 0, 0, 0};
    if (s->cell >= p->cells) return at;
    if (KEPT_NEST > 2) return cell_offsets(p, s->cell);
    if (KEPT_NEST == 2) offsets_move(&at, &p->kept[0], s->outer);
    offsets_move(&at, &p->kept[KEPT_NEST - 1], s->inner);
    return at;
}

DEVICE int sides_are_inside(const struct reduce_parameters *p, const char *x)
{
    (void)p, (void)x;
    return 1;
}

struct loaded {
    struct side side;
};

/* No one writes to what is read here. */
DEVICE struct loaded load_access(const char *x, int inside)
{
    struct loaded loaded;
    (void)inside;
#if SIDE * ELEMENT_BYTES == 16
    struct vector16 v = load_vector(x);
    memcpy(&loaded.side, &v, sizeof v);
#else
    loaded.side = *(const struct side *)x;
#endif
    return loaded;
}

DEVICE struct side side_of(const struct loaded *loaded, const char *x, int inside)
{
    (void)x, (void)inside;
    return loaded->side;
}
