/* SPDX-License-Identifier: MIT
 *
 * column_rest.cuh - a run in shared memory from a row on that pairs of doubles do not hold: pairs that know how far
 * they are off, and words where these leave a result open. Part of columns_wave.cuh. No include guard. */

/* What stands above the row, in words. */
DEVICE struct state column_state(const struct strays *strays, int k, const struct column *column)
{
    return strays->mask >> k & 1 ? strays->state[k] : state_of_pair(column->above);
}

DEVICE double side_number(const char *from, int k)
{
    return column_number(load_element(from, k));
}

/* Results of a column of `count` rows into `results`, one behind the other; whether all are known. */
DEVICE_CALL int column_near(struct near near, const char *from, int k, int32_t count, char *results)
{
#pragma unroll 1
    for (int32_t i = 0; i < count; i++) {
        struct near above = near;
        near_add(&near, side_number(from + i * IN_PITCH, k));
        if (near_store(EXCLUSIVE ? &above : &near, results + i * RESULT_SIZE)) return 0;
    }
    return 1;
}

/* The same in words, each result where it goes. */
DEVICE_CALL void column_by_words(struct state above, uint32_t *failed, const char *from, int k, int32_t count, char *to)
{
#pragma unroll 1
    for (int32_t i = 0; i < count; i++) {
        __align__(8) char result[8];
        struct state next = above;
        next.sum[0] = words_add_double(next.sum[0], side_number(from + i * IN_PITCH, k), 0);
        if (state_store(EXCLUSIVE ? &above : &next, 0, result)) *failed = 1;
        memcpy(to + i * OUT_PITCH + k * RESULT_SIZE, result, RESULT_SIZE);
        above = next;
    }
}

/* `count` rows of all columns, which are all still there. */
DEVICE_CALL void columns_rest(const struct column *columns, const struct strays *strays, const char *from,
                              int32_t count, char *to)
{
#pragma unroll 1
    for (int k = 0; k < SIDE; k++) {
        __align__(8) char results[RUN * RESULT_SIZE];
        struct state above = column_state(strays, k, &columns[k]);
        struct near near;
        if (!near_of_state(&above, &near) || !column_near(near, from, k, count, results)) {
            column_by_words(above, strays->failed, from, k, count, to);
            continue;
        }
#pragma unroll 1
        for (int32_t i = 0; i < count; i++)
            memcpy(to + i * OUT_PITCH + k * RESULT_SIZE, results + i * RESULT_SIZE, RESULT_SIZE);
    }
}
