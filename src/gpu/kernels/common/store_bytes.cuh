/* SPDX-License-Identifier: MIT
 *
 * store_bytes.cuh - variables to where they belong, in accesses as wide as that place allows. No include guard. */

/* To a multiple of `align` bytes, in shared memory or not. */
DEVICE void store_bytes(char *to, const char *from, int bytes, int align)
{
    int unit = bytes < align ? bytes : align;
#pragma unroll
    for (int i = 0; i < bytes; i += unit) {
        if (unit == 16) STORE_AS(struct vector16, to + i, from + i);
        if (unit == 8) STORE_AS(uint64_t, to + i, from + i);
        if (unit == 4) STORE_AS(uint32_t, to + i, from + i);
        if (unit == 2) STORE_AS(uint16_t, to + i, from + i);
        if (unit == 1) to[i] = from[i];
    }
}
