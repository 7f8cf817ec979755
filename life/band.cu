/* SPDX-License-Identifier: MIT
 *
 * band.cu - a whole world in the registers of the GPU, for any number of rounds in one launch. Each block has a band of
 * rows as wide as the world, and HALO rows more above and below; a thread has ROWS rows of one group. A round makes
 * HALO generations, in which the outer rows go wrong one by one; then the blocks give each other their outermost rows
 * through memory. Within a block threads give each other the sums of their first and last rows, in each generation.
 *
 * The number of blocks must be one that the GPU runs at the same time, since they wait for each other.
 *
 * GROUPS of a row: 1, 2, 4, ... 32, so that a warp holds whole rows, each a ring of lanes. The height is the blocks'
 * times the rows that the WARPS hold beyond the halo, which is a multiple of 2 and of ROWS. */
#include "group.cuh"

#define THREADS (32 * WARPS)
#define OWN_ROWS (THREADS / GROUPS * ROWS - 2 * HALO)

/* What is written before a flag is seen by who sees the flag. */
DEVICE unsigned load_acquire(const unsigned *flag)
{
    unsigned value;
#if defined(TALLY_SIMT)
    simt_yield();
    value = *flag;
#else
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
#endif
    return value;
}

DEVICE void store_release(unsigned *flag, unsigned value)
{
#if defined(TALLY_SIMT)
    *flag = value;
    simt_progress();
#else
    asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
#endif
}

DEVICE void wait_for(const unsigned *flag, unsigned round)
{
    int behind;
    do behind = (int)(round - load_acquire(flag));
    while (behind > 0);
}

/* Where a thread is, and what is beside it. */
struct thread_place {
    int lane_left, lane_right;
    int first_row; /* of the thread's rows, from the block's own first */
    int up, down;  /* to the threads with the rows above and below; 0 in the outermost, whose rows go wrong at once */
};

DEVICE thread_place place_of_thread()
{
    const int lane = threadIdx.x % 32, ring = lane - lane % GROUPS, band = threadIdx.x / GROUPS;
    thread_place place;
    place.lane_left = ring + (lane + GROUPS - 1) % GROUPS;
    place.lane_right = ring + (lane + 1) % GROUPS;
    place.first_row = band * ROWS - HALO;
    place.up = band > 0 ? -GROUPS : 0;
    place.down = band < THREADS / GROUPS - 1 ? GROUPS : 0;
    return place;
}

struct thread_sums {
    group odd[ROWS + 2], two[ROWS + 2]; /* of the row above, the thread's own, and the row below */
    seams beside[ROWS];
};

DEVICE void sum_row(const group *rows, thread_sums &s, int r, const thread_place &place)
{
    s.beside[r] = seams_of(rows[r], place.lane_left, place.lane_right);
#pragma unroll
    for (int k = 0; k < GROUP; k++) {
        const sum own = sum_of(left_of(rows[r], s.beside[r], k), rows[r].x[k], right_of(rows[r], s.beside[r], k));
        s.odd[r + 1].x[k] = own.odd;
        s.two[r + 1].x[k] = own.two;
    }
}

/* Whether a warp's rows still matter: `left` generations are to come in the round after this one. */
DEVICE bool warp_matters(int left)
{
    const int rows_of_warp = 32 / GROUPS * ROWS, first = threadIdx.x / 32 * rows_of_warp - HALO;
    return first + rows_of_warp > -left && first < OWN_ROWS + left;
}

/* Threads tell each other four sums: of their first and last rows, for an even and an odd generation in turn, so that
 * one barrier will do. */
DEVICE void next_generation(group *rows, group *room, bool matters, const thread_place &place)
{
    thread_sums s;
    sum_row(rows, s, 0, place);
    if (ROWS > 1) sum_row(rows, s, ROWS - 1, place);
    room[0] = s.odd[1], room[THREADS] = s.two[1];
    room[2 * THREADS] = s.odd[ROWS], room[3 * THREADS] = s.two[ROWS];
#pragma unroll
    for (int r = 1; r < ROWS - 1; r++) sum_row(rows, s, r, place);
    __syncthreads();
    if (!matters) return;
    s.odd[0] = room[2 * THREADS + place.up], s.two[0] = room[3 * THREADS + place.up];
    s.odd[ROWS + 1] = room[place.down], s.two[ROWS + 1] = room[THREADS + place.down];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        group next;
#pragma unroll
        for (int k = 0; k < GROUP; k++) {
            const sum above = {s.odd[r].x[k], s.two[r].x[k]}, below = {s.odd[r + 2].x[k], s.two[r + 2].x[k]};
            next.x[k] = next_of(above, left_of(rows[r], s.beside[r], k), rows[r].x[k],
                                right_of(rows[r], s.beside[r], k), below);
        }
        rows[r] = next;
    }
}

/* Where blocks leave their outermost rows: HALO at either end, for two rounds in turn. */
DEVICE group *halo_row(group *halos, unsigned block, unsigned round, int end, int row)
{
    return halos + (((unsigned long long)block * 2 + round % 2) * 2 + end) * (HALO * GROUPS) + row * GROUPS +
           threadIdx.x % GROUPS;
}

/* A round's end: gives the neighbours what they need, and takes it from them. */
DEVICE void exchange(group *rows, group *halos, unsigned *flags, unsigned round, const thread_place &place)
{
    const unsigned block = blockIdx.x, count = gridDim.x;
    const unsigned above = (block + count - 1) % count, below = (block + 1) % count;
    const int first = place.first_row;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        if (first >= 0 && first < HALO) *halo_row(halos, block, round, 0, first + r) = rows[r];
        if (first >= OWN_ROWS - HALO && first < OWN_ROWS)
            *halo_row(halos, block, round, 1, first - (OWN_ROWS - HALO) + r) = rows[r];
    }
    __syncthreads();
    if (threadIdx.x == 0) store_release(&flags[block], round);
    __syncwarp();
    if (threadIdx.x < 2) wait_for(&flags[threadIdx.x ? below : above], round);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        if (first < 0) rows[r] = *halo_row(halos, above, round, 1, first + HALO + r);
        if (first >= OWN_ROWS) rows[r] = *halo_row(halos, below, round, 0, first - OWN_ROWS + r);
    }
}

/* Makes rounds * HALO generations. Rounds are numbered through all launches of a world, from first_round on. */
extern "C" __global__ void __launch_bounds__(THREADS, 1)
    life_band(const group *from, group *to, unsigned height, unsigned stride, group *halos, unsigned *flags,
              unsigned first_round, int rounds)
{
    extern __shared__ __align__(16) group room[];
    group *const mine = room + threadIdx.x;
    const thread_place place = place_of_thread();
    const unsigned y = blockIdx.x * OWN_ROWS + height + place.first_row; /* and up to one height more */
    const int slot = 1 + threadIdx.x % GROUPS;
    group rows[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        rows[r] = ((const group *)((const char *)from + (unsigned long long)((y + r) % height) * stride))[slot];
    for (int round = 0; round < rounds; round++) {
        for (int left = HALO - 1; left > 0; left -= 2) {
            next_generation(rows, mine, warp_matters(left), place);
            next_generation(rows, mine + 4 * THREADS, warp_matters(left - 1), place);
        }
        if (round + 1 < rounds) exchange(rows, halos, flags, first_round + round, place);
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        if (place.first_row >= 0 && place.first_row < OWN_ROWS)
            ((group *)((char *)to + (unsigned long long)((y + r) % height) * stride))[slot] = rows[r];
    }
}
