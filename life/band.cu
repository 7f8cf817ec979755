/* SPDX-License-Identifier: MIT
 *
 * band.cu - a whole world in the registers of the GPU, for any number of rounds in one launch. Each block has a band of
 * rows as wide as the world, and HALO rows more above and below; a thread has ROWS rows of WIDE neighbouring groups. A
 * round makes HALO generations, in which the outer rows go wrong one by one; then the blocks give each other their
 * outermost rows through memory. Within a block threads give each other the sums of their first and last rows, in each
 * generation.
 *
 * The number of blocks must be one that the GPU runs at the same time, since they wait for each other.
 *
 * LANES of a row: 1, 2, 4, ... 32, so that a warp holds whole rows, each a ring of lanes. The height is the blocks'
 * times the rows that the WARPS hold beyond the halo, which is a multiple of 2 and of ROWS. */
#include "group.cuh"

#define GROUPS (LANES * WIDE) /* of a row */
#define WORDS (GROUP * WIDE)  /* of a thread's row */
#define THREADS (32 * WARPS)
#define OWN_ROWS (THREADS / LANES * ROWS - 2 * HALO)

/* ---- rows that go from block to block: each word with the round that it is of, so that nothing else must be waited
 * for. Eight bytes are written and read as one. ---- */

struct __align__(16) two_of_round
{
    unsigned long long word_round[2]; /* the word in the lower half */
};

DEVICE void send(two_of_round *to, word a, word b, unsigned round)
{
    const unsigned long long upper = (unsigned long long)round << 32;
#if defined(TALLY_SIMT)
    to->word_round[0] = upper | a;
    to->word_round[1] = upper | b;
    simt_progress();
#else
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(upper | a), "l"(upper | b) : "memory");
#endif
}

/* Whether both words are of that round. */
DEVICE bool receive(const two_of_round *from, word &a, word &b, unsigned round)
{
    unsigned long long first, second;
#if defined(TALLY_SIMT)
    first = from->word_round[0];
    second = from->word_round[1];
#else
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(first), "=l"(second) : "l"(from) : "memory");
#endif
    a = (word)first;
    b = (word)second;
    return first >> 32 == round && second >> 32 == round;
}

/* ---- a thread's rows ---- */

struct row_part {
    word x[WORDS];
};

/* The words to the left of each group's first and to the right of its last. */
struct row_seams {
    word left[WIDE], right[WIDE];
};

/* Where a thread is, and what is beside it. */
struct thread_place {
    int lane, lane_left, lane_right; /* of the row, the warp, the warp */
    int first_row;                   /* of the thread's rows, from the block's own first */
    int up, down; /* to the threads with the rows above and below; 0 in the outermost, whose rows go wrong at once */
};

DEVICE thread_place place_of_thread()
{
    const int lane = threadIdx.x % 32, ring = lane - lane % LANES, band = threadIdx.x / LANES;
    thread_place place;
    place.lane = lane % LANES;
    place.lane_left = ring + (lane + LANES - 1) % LANES;
    place.lane_right = ring + (lane + 1) % LANES;
    place.first_row = band * ROWS - HALO;
    place.up = band > 0 ? -LANES : 0;
    place.down = band < THREADS / LANES - 1 ? LANES : 0;
    return place;
}

DEVICE row_seams seams_of_row(const row_part &row, const thread_place &place)
{
    const word left = __shfl_sync(ALL_LANES, row.x[WORDS - 1], place.lane_left);
    const word right = __shfl_sync(ALL_LANES, row.x[0], place.lane_right);
    row_seams s;
#pragma unroll
    for (int w = 0; w < WIDE; w++) {
        s.left[w] = __funnelshift_l(w > 0 ? row.x[GROUP * w - 1] : left, row.x[GROUP * w + GROUP - 1], 1);
        s.right[w] = __funnelshift_r(row.x[GROUP * w], w + 1 < WIDE ? row.x[GROUP * w + GROUP] : right, 1);
    }
    return s;
}

DEVICE word left_in(const row_part &row, const row_seams &beside, int k)
{
    return k % GROUP == 0 ? beside.left[k / GROUP] : row.x[(k + WORDS - 1) % WORDS];
}

DEVICE word right_in(const row_part &row, const row_seams &beside, int k)
{
    return k % GROUP == GROUP - 1 ? beside.right[k / GROUP] : row.x[(k + 1) % WORDS];
}

/* How many of each cell and its two neighbours in the row are alive (word.cuh). */
struct row_sums {
    row_part odd, two;
};

DEVICE row_sums sums_of(const row_part &row, const row_seams &beside)
{
    row_sums s;
#pragma unroll
    for (int k = 0; k < WORDS; k++) {
        const sum own = sum_of(left_in(row, beside, k), row.x[k], right_in(row, beside, k));
        s.odd.x[k] = own.odd, s.two.x[k] = own.two;
    }
    return s;
}

DEVICE row_part next_row(const row_sums &s_above, const row_part &row, const row_seams &beside, const row_sums &s_below)
{
    row_part next;
#pragma unroll
    for (int k = 0; k < WORDS; k++) {
        const sum above = {s_above.odd.x[k], s_above.two.x[k]}, below = {s_below.odd.x[k], s_below.two.x[k]};
        next.x[k] = next_of(above, left_in(row, beside, k), row.x[k], right_in(row, beside, k), below);
    }
    return next;
}

/* ---- a generation ---- */

/* Whether a warp's rows still matter: `left` generations are to come in the round after this one. */
DEVICE bool warp_matters(int left)
{
    const int rows_of_warp = 32 / LANES * ROWS, first = threadIdx.x / 32 * rows_of_warp - HALO;
    return first + rows_of_warp > -left && first < OWN_ROWS + left;
}

/* What threads tell each other: the sums of a row, their first (0) or last (1). */
DEVICE void tell(group *room, int which, const row_sums &s)
{
#pragma unroll
    for (int w = 0; w < WIDE; w++) {
        group odd, two;
        for (int k = 0; k < GROUP; k++) odd.x[k] = s.odd.x[GROUP * w + k], two.x[k] = s.two.x[GROUP * w + k];
        room[(2 * WIDE * which + w) * THREADS] = odd;
        room[(2 * WIDE * which + WIDE + w) * THREADS] = two;
    }
}

DEVICE row_sums hear(const group *room, int which)
{
    row_sums s;
#pragma unroll
    for (int w = 0; w < WIDE; w++) {
        const group odd = room[(2 * WIDE * which + w) * THREADS], two = room[(2 * WIDE * which + WIDE + w) * THREADS];
        for (int k = 0; k < GROUP; k++) s.odd.x[GROUP * w + k] = odd.x[k], s.two.x[GROUP * w + k] = two.x[k];
    }
    return s;
}

/* A barrier on either way out of the next function: they count as one. */
DEVICE void meet()
{
    __syncthreads();
}

/* Threads tell each other the sums of their first and last rows, for an even and an odd generation in turn, so that one
 * barrier will do; while they wait they make the rows between. */
DEVICE void next_generation(row_part *rows, group *room, bool matters, const thread_place &place)
{
    row_seams beside[ROWS];
    row_sums s[ROWS];
    row_part next[ROWS];
#pragma unroll
    for (int r = 0; r<ROWS; r += ROWS> 1 ? ROWS - 1 : 1) {
        beside[r] = seams_of_row(rows[r], place);
        s[r] = sums_of(rows[r], beside[r]);
    }
    tell(room, 0, s[0]);
    tell(room, 1, s[ROWS - 1]);
    if (!matters) {
        meet();
        return;
    }
#pragma unroll
    for (int r = 1; r < ROWS - 1; r++) {
        beside[r] = seams_of_row(rows[r], place);
        s[r] = sums_of(rows[r], beside[r]);
        if (r > 1) next[r - 1] = next_row(s[r - 2], rows[r - 1], beside[r - 1], s[r]);
    }
    if (ROWS > 2) next[ROWS - 2] = next_row(s[ROWS - 3], rows[ROWS - 2], beside[ROWS - 2], s[ROWS - 1]);
    meet();
    const row_sums above = hear(room + place.up, 1), below = hear(room + place.down, 0);
    next[0] = next_row(above, rows[0], beside[0], ROWS > 1 ? s[1] : below);
    if (ROWS > 1) next[ROWS - 1] = next_row(s[ROWS - 2], rows[ROWS - 1], beside[ROWS - 1], below);
#pragma unroll
    for (int r = 0; r < ROWS; r++) rows[r] = next[r];
}

/* ---- a round's end ---- */

/* Where blocks leave their outermost rows: HALO at either end, for two rounds in turn. */
DEVICE two_of_round *halo_row(two_of_round *halos, unsigned block, unsigned round, int end, int row)
{
    return halos + ((((unsigned long long)block * 2 + round % 2) * 2 + end) * HALO + row) * (LANES * WORDS / 2);
}

DEVICE void send_row(two_of_round *to, const row_part &row, unsigned round, int lane)
{
#pragma unroll
    for (int k = 0; k < WORDS; k += 2) send(&to[k / 2 * LANES + lane], row.x[k], row.x[k + 1], round);
}

/* False: not all of it is there yet. */
DEVICE bool receive_row(const two_of_round *from, row_part &row, unsigned round, int lane)
{
    bool all = true;
#pragma unroll
    for (int k = 0; k < WORDS; k += 2) {
        if (!receive(&from[k / 2 * LANES + lane], row.x[k], row.x[k + 1], round)) all = false;
    }
    return all;
}

/* Gives the neighbours what they need, and takes it from them. A place is used again two rounds later; by then the one
 * who reads it has sent the round between, which it made of what it read. */
DEVICE void exchange(row_part *rows, two_of_round *halos, unsigned round, const thread_place &place)
{
    const unsigned block = blockIdx.x, count = gridDim.x;
    const unsigned above = (block + count - 1) % count, below = (block + 1) % count;
    const int first = place.first_row;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int y = first + r, end = y - (OWN_ROWS - HALO);
        if (y >= 0 && y < HALO) send_row(halo_row(halos, block, round, 0, y), rows[r], round, place.lane);
        if (end >= 0 && end < HALO) send_row(halo_row(halos, block, round, 1, end), rows[r], round, place.lane);
    }
    for (bool all = false; !all;) {
#if defined(TALLY_SIMT)
        simt_yield();
#endif
        all = true;
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const int y = first + r;
            if (y >= 0 && y < OWN_ROWS) continue;
            const two_of_round *const from =
                y < 0 ? halo_row(halos, above, round, 1, y + HALO) : halo_row(halos, below, round, 0, y - OWN_ROWS);
            if (!receive_row(from, rows[r], round, place.lane)) all = false;
        }
    }
}

DEVICE group *row_at(const group *world, unsigned y, unsigned stride, const thread_place &place)
{
    return (group *)((const char *)world + (unsigned long long)y * stride) + 1 + place.lane * WIDE;
}

/* Makes rounds * HALO generations. Rounds are numbered through all launches of a world, from first_round on. */
extern "C" __global__ void __launch_bounds__(THREADS, 1)
    life_band(const group *from, group *to, unsigned height, unsigned stride, two_of_round *halos, unsigned first_round,
              int rounds)
{
    extern __shared__ __align__(16) group room[];
    group *const mine = room + threadIdx.x;
    const thread_place place = place_of_thread();
    const unsigned y = blockIdx.x * OWN_ROWS + height + place.first_row; /* and up to one height more */
    row_part rows[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        for (int k = 0; k < WORDS; k++)
            rows[r].x[k] = row_at(from, (y + r) % height, stride, place)[k / GROUP].x[k % GROUP];
    }
    for (int round = 0; round < rounds; round++) {
        for (int left = HALO - 1; left > 0; left -= 2) {
            next_generation(rows, mine, warp_matters(left), place);
            next_generation(rows, mine + 4 * WIDE * THREADS, warp_matters(left - 1), place);
        }
        if (round + 1 < rounds) exchange(rows, halos, first_round + round, place);
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        if (place.first_row + r < 0 || place.first_row + r >= OWN_ROWS) continue;
        for (int k = 0; k < WORDS; k++)
            row_at(to, (y + r) % height, stride, place)[k / GROUP].x[k % GROUP] = rows[r].x[k];
    }
}
