/* SPDX-License-Identifier: MIT
 *
 * columns_tmpl.h - of fold_tmpl.h: the columns of a tile, folded side by side; one unordered program. No include guard.
 */

/* One row of columns into their lanes. */
ALWAYS_INLINE void PROGRAM_NAME(row)(LANE (*restrict lane)[COLUMNS_MOST], const STORAGE *restrict x, int64_t columns,
                                     struct modulus modulus)
{
    (void)modulus;
    for (int64_t c = 0; c < columns; c++) {
        struct TYPE_NAME(element) e = TYPE_NAME(load)(x, (size_t)c);
        struct PROGRAM_NAME(lane) a, b;
        LIFTED(b, e, e);
        for (int p = 0; p < PARTS; p++) a.part[p] = lane[p][c];
        COMBINED(a, b);
        for (int p = 0; p < PARTS; p++) lane[p][c] = a.part[p];
    }
}

/* At most 32 rows, as many as a lane takes. */
ALWAYS_INLINE void PROGRAM_NAME(rows)(LANE (*restrict lane)[COLUMNS_MOST], const STORAGE *x,
                                      const struct column_strides *strides, int64_t rows, int64_t columns,
                                      struct modulus modulus)
{
    const int64_t parts = (int64_t)(TYPE_SIZE / sizeof(STORAGE));
    STORAGE gathered[COLUMNS_MOST * 2];
    for (int64_t r = 0; r < rows; r++, x += strides->row * parts) {
        const STORAGE *row = x;
        if (strides->column != 1) {
            for (int64_t c = 0; c < columns; c++) {
                for (int64_t p = 0; p < parts; p++) gathered[c * parts + p] = x[c * strides->column * parts + p];
            }
            row = gathered;
        }
#if defined(MODULAR)
        if (IS_SHORT_MODULUS(modulus)) { /* a loop of its own: one with both ways in it is not made of vectors */
            PROGRAM_NAME(row)(lane, row, columns, modulus);
            continue;
        }
#endif
        if (columns == COLUMNS_MOST) PROGRAM_NAME(row)(lane, row, COLUMNS_MOST, modulus);
        else PROGRAM_NAME(row)(lane, row, columns, modulus);
    }
}

static void PROGRAM_NAME(columns)(const void *x, const struct column_strides *strides, int64_t rows, int64_t columns,
                                  struct fold_value *values, struct modulus modulus)
{
    WIDE total[PARTS][COLUMNS_MOST];
    struct PROGRAM_NAME(wide) identity;
    struct PROGRAM_NAME(lane) start;
    IDENTITY(identity);
    IDENTITY(start);
    for (int p = 0; p < PARTS; p++) {
        for (int c = 0; c < COLUMNS_MOST; c++) total[p][c] = identity.part[p];
    }
    for (int64_t r = 0; r < rows; r += 32) {
        LANE lane[PARTS][COLUMNS_MOST];
        for (int p = 0; p < PARTS; p++) {
            for (int c = 0; c < COLUMNS_MOST; c++) lane[p][c] = start.part[p];
        }
        PROGRAM_NAME(rows)
        (lane, (const STORAGE *)x + r * strides->row * (int64_t)(TYPE_SIZE / sizeof(STORAGE)), strides,
         rows - r < 32 ? rows - r : 32, columns, modulus);
        for (int c = 0; c < COLUMNS_MOST; c++) {
            struct PROGRAM_NAME(wide) a, b;
            for (int p = 0; p < PARTS; p++) a.part[p] = total[p][c], b.part[p] = (WIDE)lane[p][c];
            COMBINED(a, b);
            for (int p = 0; p < PARTS; p++) total[p][c] = a.part[p];
        }
    }
    for (int64_t c = 0; c < columns; c++) {
        for (int p = 0; p < PARTS; p++) values[c].part[p].FIELD = total[p][c];
    }
}
