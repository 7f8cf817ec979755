/* SPDX-License-Identifier: MIT
 *
 * scan_wide.cu - exact running sums again, when the window of a scan's words was too narrow for a number: with numbers
 * as long as the type needs (running_digits.cuh), one of each thread. It ends at once when nothing failed.
 *
 * A thread has a segment of a cell, which it adds element by element. What stands before it comes from totals: blocks
 * draw segments to total, then to chain, for each half of a digit, then to go through again; what is drawn waits only
 * for what was drawn before it. Where segments of a cell are few (no `totals`), a thread adds what stands before its
 * own itself. Threads next to each other have different cells, whose elements lie side by side where cells do. */
#include "team.cuh"

#include "finish_exact.cuh"
#include "sums.cuh"

#include "again.cuh"
#include "running_digits.cuh"
#include "scan_carry.cuh"

#define HALVES (2 * RUNNING_DIGITS)

/* What a segment leaves behind: halves of digits, and the special bits of each sum. */
struct segment {
    int64_t half[SUMS][HALVES];
    uint32_t special[SUMS];
};

DEVICE int64_t segments_of(const struct scan_parameters *given)
{
    return (given->reduce.length + given->wide_segment - 1) / given->wide_segment;
}

/* A stretch of elements of a cell. */
struct stretch {
    int64_t cell, begin, end;
};

/* Number k of all cells' segments, the cells side by side. */
DEVICE struct stretch segment_at(const struct scan_parameters *given, int64_t k)
{
    int64_t cells = given->reduce.cells, begin = k / cells * given->wide_segment, end = begin + given->wide_segment;
    struct stretch s = {k % cells, begin, end < given->reduce.length ? end : given->reduce.length};
    return s;
}

DEVICE struct segment *place_of(const struct scan_parameters *given, const struct stretch *s)
{
    return (struct segment *)given->totals + s->cell * segments_of(given) + s->begin / given->wide_segment;
}

DEVICE void open_sums(struct running *running, int64_t *digits)
{
    for (int s = 0; s < SUMS; s++)
        running_open(&running[s], digits + s * RUNNING_DIGITS * SCAN_WIDE_THREADS + threadIdx.x);
}

DEVICE void store_sums(const struct running *running, char *out)
{
    for (int s = 0; s < SUMS; s++) finish_bits(exact_round(running_value(&running[s]), result_format()), s, out);
}

DEVICE void add_element(struct running *running, element x)
{
#if IS_COMPLEX
    running_add_double(&running[0], (double)x.re);
    running_add_double(&running[1], (double)x.im);
#elif IS_FLOAT
    running_add_double(&running[0], (double)x.v);
#else
    uint64_t a = ELEMENT_KIND == KIND_BOOLEAN ? x.v != 0 : (uint64_t)(int64_t)x.v;
    int negative = ELEMENT_KIND == KIND_SIGNED && (int64_t)a < 0;
    running_add(&running[0], negative ? 0 - a : a, negative, 0);
#endif
}

/* Adds what comes before a cell's first element. */
DEVICE void add_first(struct running *r, const struct scan_parameters *given, int64_t cell, int sum)
{
#if WITH_CARRY
    struct carried_sum carried = carried_sum_of(given, cell, sum);
    r->special |= carried.special;
    for (int64_t i = 0; i < carried.limbs; i++) {
        int64_t limb = (int64_t)carried.limb[i];
        running_add(r, limb < 0 ? 0 - (uint64_t)limb : (uint64_t)limb, limb < 0,
                    carried.place + (int32_t)i * CARRY_LIMB_BITS);
    }
#else
    (void)cell;
    if (given->reduce.has_initial) running_add_double(r, initial_real(&given->reduce, sum));
#endif
}

/* Adds elements one by one, at least one, and writes their results if wanted. Two elements come ahead of the one that
 * is added: nothing else hides how long memory takes. */
DEVICE void add_elements(const struct scan_parameters *given, struct stretch s, int write, struct running *running)
{
    const struct reduce_parameters *p = &given->reduce;
    const struct kernel_loop *axis = &p->reduced[0];
    struct cell c = cell_of(p, s.cell);
    const char *from = c.x + s.begin * axis->x * ELEMENT_SIZE;
    char *out = (char *)p->out + (cell_offsets(p, s.cell).out + s.begin * axis->out) * RESULT_SIZE;
    int64_t step = axis->x * ELEMENT_SIZE;
    element next = load_element(from, 0), after = s.end - s.begin > 1 ? load_element(from + step, 0) : next;
    for (int64_t i = s.begin; i < s.end; i++, from += step, out += axis->out * RESULT_SIZE) {
        element x = next;
        next = after;
        if (i + 2 < s.end) after = load_element(from + 2 * step, 0);
        int here = (!WITH_WHERE || c.where[i * axis->where]) && !(SKIP_NAN && element_is_nan(x));
        if (write && given->exclusive) store_sums(running, out);
        if (here) add_element(running, x);
        if (write && !given->exclusive) store_sums(running, out);
    }
}

/* By a thread whose sums are zero, and are so again: the total of segment k. */
DEVICE void leave_total(const struct scan_parameters *given, int64_t k, struct running *running)
{
    struct stretch stretch = segment_at(given, k);
    struct segment *place = place_of(given, &stretch);
    add_elements(given, stretch, 0, running);
    for (int s = 0; s < SUMS; s++) {
        running_leave(&running[s], place->half[s]);
        place->special[s] = running[s].special;
        running_clear(&running[s]);
    }
}

/* The same: its results. */
DEVICE void write_results(const struct scan_parameters *given, int64_t k, struct running *running)
{
    struct stretch stretch = segment_at(given, k), before = {stretch.cell, 0, stretch.begin};
    for (int s = 0; s < SUMS; s++) {
        if (given->totals) {
            const struct segment *place = place_of(given, &stretch);
            running_sum_up(&running[s], place->half[s]);
            running[s].special = place->special[s];
        }
        add_first(&running[s], given, stretch.cell, s);
    }
    if (!given->totals && before.end > 0) add_elements(given, before, 0, running);
    add_elements(given, stretch, 1, running);
    for (int s = 0; s < SUMS; s++) running_clear(&running[s]);
}

/* A half of the digits of a cell's segments, whose sum stays below 2^63. */
DEVICE void chain_halves(struct segment *first, int64_t segments, int32_t half)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < segments; i++) {
        int64_t *place = &first[i].half[half / HALVES][half % HALVES], total = *place;
        *place = sum;
        sum += total;
    }
}

DEVICE void chain_special(struct segment *first, int64_t segments, int32_t s)
{
    uint32_t special = 0;
    for (int64_t i = 0; i < segments; i++) {
        uint32_t own = first[i].special[s];
        first[i].special[s] = special;
        special |= own;
    }
}

enum { CHAINS = SUMS * (HALVES + 1) }; /* of a cell */

DEVICE void chain_segments(const struct scan_parameters *given, int64_t k)
{
    int64_t segments = segments_of(given);
    struct segment *first = (struct segment *)given->totals + k / CHAINS * segments;
    int32_t chain = (int32_t)(k % CHAINS);
    if (chain < SUMS * HALVES) chain_halves(first, segments, chain);
    else chain_special(first, segments, chain - SUMS * HALVES);
}

/* Of reduce.tickets: the next piece of work to be drawn, what is done of two kinds, and blocks that are done. */
enum { DRAWN, TOTALS_DONE, CHAINS_DONE, BLOCKS_DONE };

/* By all threads of a block, as the two below. */
DEVICE uint32_t draw_work(const struct scan_parameters *given)
{
    __shared__ uint32_t drawn;
    __syncthreads();
    if (threadIdx.x == 0) drawn = atomicAdd(&given->reduce.tickets[DRAWN], 1u);
    __syncthreads();
    return drawn;
}

DEVICE void await_work(const struct scan_parameters *given, int kind, uint32_t count)
{
    if (threadIdx.x == 0) {
        while (load_acquire(&given->reduce.tickets[kind]) < count) {
        }
    }
    __syncthreads();
}

DEVICE void note_work(const struct scan_parameters *given, int kind)
{
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&given->reduce.tickets[kind], 1u);
}

/* Blocks draw work for all their threads: totals, chains, results. */
DEVICE void by_totals(const struct scan_parameters *given, int64_t all, struct running *running)
{
    int64_t links = given->reduce.cells * CHAINS;
    uint32_t totals = (uint32_t)((all + SCAN_WIDE_THREADS - 1) / SCAN_WIDE_THREADS);
    uint32_t chains = (uint32_t)((links + SCAN_WIDE_THREADS - 1) / SCAN_WIDE_THREADS);
    for (;;) {
        uint32_t work = draw_work(given), kind = (work >= totals) + (work >= totals + chains);
        uint32_t piece = work - (kind > 0 ? totals : 0) - (kind > 1 ? chains : 0);
        int64_t k = (int64_t)piece * SCAN_WIDE_THREADS + threadIdx.x;
        if (kind == 0) {
            if (k < all) leave_total(given, k, running);
            note_work(given, TOTALS_DONE);
        } else if (kind == 1) {
            await_work(given, TOTALS_DONE, totals);
            if (k < links) chain_segments(given, k);
            note_work(given, CHAINS_DONE);
        } else {
            if (piece >= totals) return;
            await_work(given, CHAINS_DONE, chains);
            if (k < all) write_results(given, k, running);
        }
    }
}

/* reduce.tickets: zeros, which are left so, as is wide_count. */
KERNEL(scan_wide, struct scan_parameters, given)
{
    DYNAMIC_SHARED(int64_t, digits);
    struct running running[SUMS];
    int64_t all = given.reduce.cells * segments_of(&given);
    if (!all_comes_again(&given)) return;
    open_sums(running, digits);
    if (given.totals) {
        by_totals(&given, all, running);
    } else {
        for (int64_t k = (int64_t)blockIdx.x * SCAN_WIDE_THREADS + threadIdx.x; k < all;
             k += (int64_t)gridDim.x * SCAN_WIDE_THREADS)
            write_results(&given, k, running);
    }
    if (!last_to_arrive(&given.reduce.tickets[BLOCKS_DONE], gridDim.x) || threadIdx.x > 0) return;
    for (int i = DRAWN; i < BLOCKS_DONE; i++) given.reduce.tickets[i] = 0;
    *given.reduce.wide_count = 0;
}
