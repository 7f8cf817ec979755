/* SPDX-License-Identifier: MIT
 *
 * scan.cu - running results whose bits do not depend on how elements are grouped: integer sums, extremes, truth, bits,
 * and exact sums (SCAN_EXACT).
 *
 * A block takes a group of cells and, of each, one split of the axis, step by step: every thread of a team has a run of
 * neighbouring elements. It scans its run, the team scans the totals of the runs, and the split's carry comes from the
 * splits before it: each publishes its total, then looks back until it meets one that knows its whole prefix (Merrill
 * and Garland, "Single-pass parallel prefix scan with decoupled look-back"). Splits start in the order of a ticket, so
 * that nobody waits for a block that has not started. */
#include "team.cuh"

#include "scan_parameters.h"

#if defined(METHOD_EXACT)
#include "scan_method_exact.cuh"
#else
#include "scan_method_fold.cuh"
#endif

enum { RUN = 16 };

enum { NOTHING_YET, TOTAL_KNOWN, PREFIX_KNOWN };

DEVICE int element_is_present(const struct cell *c, int64_t where_offset, element x)
{
    if (WITH_WHERE && !c->where[where_offset]) return 0;
    return !(SKIP_NAN && element_is_nan(x));
}

/* The lifted elements of a thread's run; absent ones change nothing. */
DEVICE void load_run(const struct reduce_parameters *p, const struct cell *c, int64_t first, int64_t end,
                     struct value *run)
{
    const struct kernel_loop *axis = &p->reduced[0];
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        run[i] = value_identity();
        if (first + i >= end) continue;
        element x = load_element(c->x + (first + i) * axis->x * ELEMENT_SIZE, 0);
        if (element_is_present(c, (first + i) * axis->where, x)) run[i] = value_lift(x);
    }
}

/* The total of the members before this one, and of all of them, by halves of growing size. */
DEVICE struct state scan_team(struct state mine, const struct seat *seat, int32_t team, struct state *room,
                              struct state *all)
{
    int32_t stride = seat->cells, at = seat->member * stride + seat->cell;
    struct state sum = mine;
    for (int32_t distance = 1; distance < team; distance *= 2) {
        __syncthreads();
        room[at] = sum;
        __syncthreads();
        if (seat->member >= distance) {
            struct state left = room[at - distance * stride];
            state_append(&left, &sum);
            sum = left;
        }
    }
    __syncthreads();
    room[at] = sum;
    __syncthreads();
    struct state before = state_identity();
    if (seat->member > 0) before = room[at - stride];
    *all = room[(team - 1) * stride + seat->cell];
    return before;
}

/* The total of everything before a split: the thread that leads a cell walks back over what others published. */
DEVICE struct state look_back(const struct scan_parameters *p, const struct seat *seat, int64_t group, int64_t split,
                              struct state total)
{
    const struct reduce_parameters *r = &p->reduce;
    struct state *published = (struct state *)p->totals + group * r->splits * 2 * seat->cells;
    uint32_t *flags = p->flags + group * r->splits;
    struct state prefix = state_identity();
    int leader = seat->member == 0;
    if (split > 0) {
        if (leader) published[(2 * split) * seat->cells + seat->cell] = total;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) store_release(&flags[split], TOTAL_KNOWN);
        for (int64_t i = split - 1; leader; i--) {
            uint32_t flag;
            while ((flag = load_acquire(&flags[i])) == NOTHING_YET) {
            }
            struct state left = published[(2 * i + (flag == PREFIX_KNOWN)) * seat->cells + seat->cell];
            state_append(&left, &prefix);
            prefix = left;
            if (flag == PREFIX_KNOWN) break;
        }
    } else {
        prefix = state_initial(r);
    }
    if (leader) {
        struct state upto = prefix;
        state_append(&upto, &total);
        published[(2 * split + 1) * seat->cells + seat->cell] = upto;
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) store_release(&flags[split], PREFIX_KNOWN);
    return prefix;
}

/* Writes a run's results from what comes before it. */
DEVICE void store_run(const struct scan_parameters *p, const struct cell *c, char *out, int64_t first, int64_t end,
                      const struct value *run, struct state before)
{
    const struct kernel_loop *axis = &p->reduce.reduced[0];
    uint32_t failure = 0;
    (void)c;
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        if (first + i >= end) continue;
        struct state next = before;
        state_add(&next, run[i]);
        failure |= state_store(p->exclusive ? &before : &next, p->check_only, out + (first + i) * axis->out * RESULT_SIZE);
        before = next;
    }
    if (failure & FAILED_WINDOW) atomicAdd(p->reduce.wide_count, 1u);
    if (failure & ~(uint32_t)FAILED_WINDOW && p->reduce.failures) atomicOr(p->reduce.failures, failure);
}

DEVICE struct state run_total(const struct value *run)
{
    struct state total = state_identity();
#pragma unroll
    for (int i = 0; i < RUN; i++) state_add(&total, run[i]);
    return total;
}

/* The total of a split, when it takes several steps: a pass of its own over it. */
DEVICE struct state split_total(const struct reduce_parameters *p, const struct cell *c, const struct seat *seat,
                                int64_t begin, int64_t end, struct state *room)
{
    struct state mine = state_identity(), all;
    for (int64_t first = begin + seat->member * RUN; first < end; first += p->team * RUN) {
        struct value run[RUN];
        load_run(p, c, first, end, run);
        struct state part = run_total(run);
        state_append(&mine, &part);
    }
    scan_team(mine, seat, p->team, room, &all);
    return all;
}

KERNEL(scan, struct scan_parameters, given)
{
    DYNAMIC_SHARED(struct state, room);
    __shared__ uint32_t ticket;
    __shared__ struct state carries[THREADS];
    const struct reduce_parameters *p = &given.reduce;
    struct seat seat = seat_of(p);
    if (threadIdx.x == 0) ticket = p->splits > 1 ? atomicAdd(given.ticket, 1u) : blockIdx.x;
    __syncthreads();
    int64_t groups = (p->cells + seat.cells - 1) / seat.cells;
    int64_t group = p->cells_first ? ticket % groups : ticket / p->splits;
    int64_t split = p->cells_first ? ticket / groups : ticket % p->splits;
    int64_t cell = group * seat.cells + seat.cell;
    int64_t begin = split * p->split_units, end = begin + p->split_units < p->length ? begin + p->split_units : p->length;
    if (cell >= p->cells) end = begin;
    struct offsets at = cell_offsets(p, cell < p->cells ? cell : 0);
    struct cell c = cell_of(p, cell < p->cells ? cell : 0);
    char *out = (char *)p->out + at.out * RESULT_SIZE;
    int64_t step = (int64_t)p->team * RUN;
    int one_step = p->split_units <= step;
    struct state carry = state_initial(p), all;
    if (p->splits > 1 && !one_step) {
        all = split_total(p, &c, &seat, begin, end, room);
        carry = look_back(&given, &seat, group, split, all);
    }
    for (int64_t place = 0; place < p->split_units; place += step) {
        struct value run[RUN];
        int64_t first = begin + place + seat.member * RUN;
        load_run(p, &c, first, end, run);
        struct state before = scan_team(run_total(run), &seat, p->team, room, &all);
        if (p->splits > 1) {
            if (one_step) carry = look_back(&given, &seat, group, split, all);
            if (seat.member == 0) carries[seat.cell] = carry;
            __syncthreads();
            carry = carries[seat.cell];
        }
        struct state left = carry;
        state_append(&left, &before);
        store_run(&given, &c, out, first, end, run, left);
        state_append(&carry, &all);
    }
}
