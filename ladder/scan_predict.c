/* SPDX-License-Identifier: MIT
 *
 * scan_predict.c - closed forms of the scans. Branches are those of the kernels: an operator has none. */
#include "access.h"
#include "scan.h"

static uint64_t elements_of(const struct ladder_problem *problem)
{
    return (uint64_t)(problem->rows * problem->columns);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Step 2^j leaves the first 2^j elements alone; in the first warp some lanes do and some do not, up to 16. An element's
 * chain grows at every step that does not leave it alone, so the last one's is the longest. */
void scan_predict_naive(const struct ladder_problem *problem, struct ladder_counts *counts)
{
    const uint64_t n = elements_of(problem), bytes = ladder_element_bytes(problem->type);
    const uint64_t last = problem->exclusive ? n - 1 : n;
    *counts = (struct ladder_counts){.launches = 1, .barriers = 1 + (uint64_t)ceil_log2(n)};
    counts->divergent_branches = (uint64_t)ceil_log2(least(n, 32)) + (problem->exclusive && n > 1);
    counts->transactions = 2 * access_grid(0, bytes, n);
    for (uint64_t step = 1; step < n; step *= 2) counts->work += n - step;
    counts->span = (uint64_t)(last ? ceil_log2(last) : 0);
}

/* The longest chain in the exclusive results of a tree over n elements that have chains of `leaf` themselves. A left
 * half is a whole tree of 2^h leaves: it takes what is left of it down h levels, or, what is more when little is left
 * of it, the total of its own left half, built on the way up. The right half goes on with what is left of both. */
static uint64_t span_of_tree(uint64_t n, uint64_t leaf)
{
    uint64_t before = 0, longest = 0;
    while (n > 1) {
        const uint64_t h = (uint64_t)ceil_log2(n) - 1;
        const uint64_t left = h == 0 ? before : most(before + h, leaf + 2 * h - 1);
        longest = most(longest, left);
        before = most(before, leaf + h) + 1;
        n -= 1ull << h;
    }
    return most(longest, before);
}

/* Threads whose left half is not all that is left of the tree. */
static uint64_t pairs(uint64_t n, uint64_t reach)
{
    return n > reach ? (n + reach - 1) / (2 * reach) : 0;
}

/* One access to the left halves' last elements, and one to the right halves'. The last right half may end early, but in
 * the same sector if others share it. */
static void count_halves(uint64_t n, uint64_t reach, uint64_t bytes, uint64_t *left, uint64_t *right)
{
    const uint64_t stride = 2 * reach * bytes;
    *left = access_grid((reach - 1) * bytes, stride, pairs(n, reach));
    *right = access_grid((2 * reach - 1) * bytes, stride, pairs(n, reach));
}

void scan_predict_sweeps(const struct ladder_problem *problem, struct ladder_counts *counts)
{
    const uint64_t n = elements_of(problem), bytes = ladder_element_bytes(problem->type);
    const uint64_t levels = (uint64_t)ceil_log2(n), shift = problem->exclusive ? 0 : bytes;
    const uint64_t exclusive = span_of_tree(n, 0);
    *counts = (struct ladder_counts){.launches = 2 + levels + most(levels, 1), .work = 2 * (n - 1)};
    counts->divergent_branches = 2 * access_divides(n) + 1; /* the copies; the turn */
    /* The copies, of which the second may begin at the second element; the turn reads one and writes two. */
    counts->transactions = 3 * access_grid(0, bytes, n) + access_grid(shift, bytes, n) + 3;
    for (uint64_t reach = 1; reach < n; reach *= 2) {
        uint64_t left, right;
        count_halves(n, reach, bytes, &left, &right);
        counts->divergent_branches += 2 * access_divides(pairs(n, reach));
        counts->transactions += 3 * left + 4 * right;
    }
    counts->span = problem->exclusive ? exclusive : most(exclusive, levels);
}

static uint64_t tile_conflicts(uint64_t size, uint64_t reach, uint64_t bytes)
{
    const uint64_t threads = pairs(size, reach);
    uint64_t extra = 0;
    for (uint64_t warp = 0; warp * 32 < threads; warp++) {
        const unsigned lanes = (unsigned)least(threads - warp * 32, 32);
        uint32_t left[32], right[32];
        for (unsigned lane = 0; lane < lanes; lane++) {
            left[lane] = (uint32_t)((2 * (warp * 32 + lane) + 1) * reach - 1);
            right[lane] = (uint32_t)least(left[lane] + reach, size - 1);
        }
        /* Both are read on the way up, and the right ones written; on the way down both are read and written. */
        extra += 3 * access_conflicts(left, lanes, bytes) + 4 * access_conflicts(right, lanes, bytes);
    }
    return extra;
}

/* What the block of one tile does, `times`. */
static void count_tile(uint64_t size, uint64_t bytes, uint64_t times, struct ladder_counts *counts)
{
    uint64_t divergent = 2 * access_divides(size) + 1, conflicts = 0; /* the copies; the turn */
    for (uint64_t reach = 1; reach < size; reach *= 2) {
        divergent += 2 * access_divides(pairs(size, reach));
        conflicts += tile_conflicts(size, reach, bytes);
    }
    counts->barriers += times * (2 + 2 * (uint64_t)ceil_log2(size));
    counts->divergent_branches += times * divergent;
    counts->bank_conflicts += times * conflicts;
    counts->transactions += times * (2 * access_grid(0, bytes, size) + 1);
    counts->work += times * 2 * (size - 1);
}

/* The longest chain in the results of n elements with chains of `leaf`. Where there are several tiles, those but the
 * first end in one application more, to what the level above found, whose elements are totals of whole tiles. */
static uint64_t span_of_tiles(uint64_t n, uint64_t leaf, int exclusive)
{
    const uint64_t first = least(n, SCAN_TILE), tiles = (n + SCAN_TILE - 1) / SCAN_TILE;
    const uint64_t total = (uint64_t)ceil_log2(SCAN_TILE), last = n - (tiles - 1) * SCAN_TILE;
    const uint64_t of_first =
        exclusive ? span_of_tree(first, leaf) : most(span_of_tree(first, leaf), leaf + (uint64_t)ceil_log2(first));
    const uint64_t of_last =
        exclusive ? span_of_tree(last, leaf) : most(span_of_tree(last, leaf), leaf + (uint64_t)ceil_log2(last));
    if (tiles == 1) return of_first;
    return most(of_first, most(tiles > 2 ? of_first : of_last, span_of_tiles(tiles, leaf + total, 1)) + 1);
}

void scan_predict_blocks(const struct ladder_problem *problem, struct ladder_counts *counts)
{
    const uint64_t bytes = ladder_element_bytes(problem->type);
    *counts = (struct ladder_counts){.span = span_of_tiles(elements_of(problem), 0, problem->exclusive)};
    for (uint64_t n = elements_of(problem), tiles = 0; tiles != 1; n = tiles) {
        tiles = (n + SCAN_TILE - 1) / SCAN_TILE;
        const uint64_t last = n - (tiles - 1) * SCAN_TILE;
        counts->launches += tiles > 1 ? 2 : 1;
        count_tile(SCAN_TILE, bytes, tiles - 1, counts);
        count_tile(last, bytes, 1, counts);
        if (tiles == 1) break;
        /* Adding: every warp reads what stands left of its tile; elements are read and written. */
        counts->divergent_branches += access_divides(last);
        counts->transactions += (tiles - 1) * (SCAN_THREADS / 32) + 2 * access_grid(0, bytes, n - SCAN_TILE);
        counts->work += n - SCAN_TILE;
    }
}

/* How far a tile looks back is decided by who is how far; with it go the operator's applications. */
void scan_predict_look_back(const struct ladder_problem *problem, struct ladder_counts *counts)
{
    const uint64_t tiles = (elements_of(problem) + SCAN_LOOK_BACK_TILE - 1) / SCAN_LOOK_BACK_TILE;
    *counts = (struct ladder_counts){.launches = 2, .barriers = 5 * tiles, .timing = true};
}
