/* SPDX-License-Identifier: MIT
 *
 * access.h - what accesses of warps cost, as device "simt" counts it: for closed forms. */
#ifndef TALLY_LADDER_ACCESS_H
#define TALLY_LADDER_ACCESS_H

#include <stddef.h>
#include <stdint.h>

/* Transactions of `lanes` lanes, 0 or more, whose elements are `stride` apart; all numbers in bytes, and an element's
 * place is a multiple of its size. Less than a sector apart they leave none out; else each has its own. */
static inline uint64_t access_sectors(uint64_t first, uint64_t stride, uint64_t lanes)
{
    if (lanes == 0) return 0;
    return stride >= 32 ? lanes : (first + (lanes - 1) * stride) / 32 - first / 32 + 1;
}

/* The same for n threads of a grid that begins at `first`, a multiple of 32 of them in each block. Warps repeat: 32
 * strides of 4 bytes or more are whole sectors. */
static inline uint64_t access_grid(uint64_t first, uint64_t stride, uint64_t n)
{
    return n / 32 * access_sectors(first, stride, 32) + access_sectors(first, stride, n % 32);
}

/* Warps read a matrix row by row, 32 neighbours at a time from each row's beginning. After 32 rows the places in
 * sectors repeat. */
static inline uint64_t access_rows(uint64_t rows, uint64_t columns, uint64_t bytes)
{
    uint64_t sum = 0;
    for (uint64_t row = 0; row < 32 && row < rows; row++) {
        sum += (rows - row + 31) / 32 * access_grid(row * columns * bytes, bytes, columns);
    }
    return sum;
}

/* Branches that diverge when threads below n do one thing and the others another: the warp in which n falls. */
static inline uint64_t access_divides(uint64_t n)
{
    return n % 32 != 0;
}

/* Extra cycles of an access to shared memory: as many as the busiest of 32 banks has words, less one. Elements of more
 * than 4 bytes go in parts of 128 bytes. */
static inline uint64_t access_conflicts(const uint32_t *index, unsigned lanes, size_t bytes)
{
    const unsigned part = (unsigned)(128 / bytes), words = (unsigned)(bytes / 4);
    uint64_t extra = 0;
    for (unsigned from = 0; from < lanes; from += part) {
        unsigned busy[32] = {0}, most = 1;
        for (unsigned i = from; i < lanes && i < from + part; i++) {
            const unsigned bank = index[i] * words % 32;
            if (++busy[bank] > most) most = busy[bank];
        }
        extra += most - 1;
    }
    return extra;
}

static inline int ceil_log2(uint64_t n)
{
    int log = 0;
    while (log < 63 && (1ull << log) < n) log++;
    return log;
}

#endif
