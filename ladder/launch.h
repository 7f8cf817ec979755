/* SPDX-License-Identifier: MIT
 *
 * launch.h - a rung starts a kernel, with blocks in one row; more than a grid can have are refused. */
#ifndef TALLY_LADDER_LAUNCH_H
#define TALLY_LADDER_LAUNCH_H

#include <tally.h>

#define LAUNCH(function, blocks, threads, ...)                               \
    launch(function, blocks, threads, (const tally_argument[]){__VA_ARGS__}, \
           (int32_t)(sizeof((const tally_argument[]){__VA_ARGS__}) / sizeof(tally_argument)))

static inline tally_status launch(tally_function *function, int64_t blocks, int threads,
                                  const tally_argument *arguments, int32_t count)
{
    const uint32_t row = blocks < UINT32_MAX ? (uint32_t)blocks : UINT32_MAX;
    const tally_grid grid = {{row, 1, 1}, {(uint32_t)threads, 1, 1}, 0, 0};
    return tally_launch(function, &grid, arguments, count);
}

static inline int64_t divide_up(int64_t n, int64_t by)
{
    return (n + by - 1) / by;
}

#endif
