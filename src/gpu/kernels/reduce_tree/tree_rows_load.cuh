/* SPDX-License-Identifier: MIT
 *
 * tree_rows_load.cuh - what a thread of reduce_ordered_rows.cu reads of its rows: packs, some steps at once. No include
 * guard. */

/* Bytes that are looked up stay in words, as compilers would take them apart. */
#if POWERS_OF_INTEGERS && ELEMENT_BYTES == 1 && PACK >= 4
#define PACKS_ARE_WORDS 1
#else
#define PACKS_ARE_WORDS 0
#endif

/* Neighbouring elements as they lie in memory. */
struct pack {
#if PACKS_ARE_WORDS
    uint32_t word[PACK / 4];
#else
    storage stored[PACK * ELEMENT_SIZE / sizeof(storage)];
#endif
};

/* What a thread reads of a row at once. */
struct some {
    struct pack x[STEPS][HELD];
#if WITH_SECOND
    struct pack y[STEPS][HELD];
#endif
#if WITH_WHERE
    unsigned char present[STEPS][HELD];
#endif
};

/* A row: its elements, or the pack that has the first of them, and elements of that which lie before it. */
struct row {
    struct cell cell;
    int32_t ahead;
#if FILLS_PACKS
    storage first;
#endif
};

DEVICE struct row row_of(const struct reduce_parameters *p, int64_t number)
{
    struct row row;
    row.ahead = 0;
#if KEPT_NEST > 1
    row.cell = cell_of(p, number);
#else
    row.cell.x = (const char *)p->x + number * p->kept[0].x * ELEMENT_SIZE;
    row.cell.y = WITH_SECOND ? (const char *)p->y + number * p->kept[0].y * ELEMENT_SIZE : 0;
    row.cell.where = WITH_WHERE ? p->where + number * p->kept[0].where : 0;
#endif
#if FILLS_PACKS
    row.first = *(const storage *)row.cell.x;
#endif
#if TURNED
    row.ahead = elements_ahead(row.cell.x);
    row.cell.x -= row.ahead * ELEMENT_SIZE;
#endif
    return row;
}

DEVICE struct pack load_pack(const char *from)
{
    struct pack pack;
    const int bytes = PACK * ELEMENT_SIZE;
    if (bytes == 16) {
        struct vector16 v = load_vector(from);
        memcpy(&pack, &v, sizeof pack);
    } else if (bytes == 8) {
        uint64_t v = *(const uint64_t *)from;
        memcpy(&pack, &v, sizeof pack);
    } else if (bytes == 4) {
        uint32_t v = *(const uint32_t *)from;
        memcpy(&pack, &v, sizeof pack);
    } else if (bytes == 2) {
        uint16_t v = *(const uint16_t *)from;
        memcpy(&pack, &v, sizeof pack);
    } else {
        *(uint8_t *)&pack = *(const uint8_t *)from;
    }
    return pack;
}

/* Whether element i of those from the first pack's on is the row's. */
DEVICE int is_in_row(const struct reduce_parameters *p, const struct row *row, int32_t i)
{
    return (uint32_t)(i - row->ahead) < (uint32_t)p->length;
}

/* The same of a pack. */
DEVICE int has_of_row(const struct reduce_parameters *p, const struct row *row, int32_t i)
{
    return TURNED ? i + PACK > row->ahead && i < row->ahead + (int32_t)p->length : i < p->length;
}

/* What is read of a row at once: whole steps; what it has of these; the same where that may be all that the operand
 * has of a pack. */
enum part { WHOLE_STEPS, SOME_STEPS, LAST_STEPS };

DEVICE struct pack load_part(const struct reduce_parameters *p, const struct row *row, const char *from, int32_t i,
                             enum part part)
{
    struct pack pack;
#if TURNED
    if (part == LAST_STEPS) {
        struct vector16 v = load_elements(from, range_within(i - row->ahead, p->length));
        memcpy(&pack, &v, sizeof pack);
    } else {
        pack = load_pack(from);
    }
#if FILLS_PACKS && !POWERS_OF_INTEGERS
#pragma unroll
    for (int q = 0; q < PACK && part != WHOLE_STEPS; q++)
        pack.stored[q] = is_in_row(p, row, i + q) ? pack.stored[q] : row->first;
#endif
#else
    (void)p, (void)row, (void)i, (void)part;
    pack = load_pack(from);
#endif
    return pack;
}

#if FILLS_PACKS
/* What takes the place of packs that the row does not have: its first element. */
DEVICE struct pack filled_pack(const struct row *row)
{
    struct pack pack;
#if PACKS_ARE_WORDS
#pragma unroll
    for (int i = 0; i < PACK / 4; i++) pack.word[i] = (uint8_t)row->first * 0x01010101u;
#else
#pragma unroll
    for (int q = 0; q < PACK; q++) pack.stored[q] = row->first;
#endif
    return pack;
}
#endif

/* The steps from element i of the row on. */
DEVICE void load_some(const struct reduce_parameters *p, const struct row *row, int32_t i, enum part part,
                      struct some *some)
{
    int64_t x_stride = NEIGHBOURS ? 1 : p->reduced[0].x, y_stride = NEIGHBOURS ? 1 : p->reduced[0].y;
    const char *x = row->cell.x + i * x_stride * ELEMENT_SIZE, *y = row->cell.y + i * y_stride * ELEMENT_SIZE;
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
#pragma unroll
        for (int h = 0; h < HELD; h++) {
            int32_t k = s * LANES_OF_ROW + h * (TEAM * PACK);
            if (part != WHOLE_STEPS && !has_of_row(p, row, i + k)) {
#if FILLS_PACKS
                some->x[s][h] = filled_pack(row);
#endif
                continue;
            }
            const char *from = x + k * x_stride * ELEMENT_SIZE;
            some->x[s][h] = load_part(p, row, from, i + k, part);
#if WITH_SECOND
            some->y[s][h] = load_pack(y + k * y_stride * ELEMENT_SIZE);
#endif
#if WITH_WHERE
            some->present[s][h] = row->cell.where[(i + k) * p->reduced[0].where];
#endif
        }
    }
    (void)y;
}
