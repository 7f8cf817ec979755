/* SPDX-License-Identifier: MIT
 *
 * meet.c - where fibres wait for each other: the lanes of a mask for a warp operation, the threads of a block for a
 * barrier. The last to arrive does the work for all and goes on without a switch. */
#include "inside.h"

/* What a lane reads from another that its mask does not have: nothing to build on. */
#define UNDEFINED 0xa5a5a5a5a5a5a5a5ull

static uint64_t exchange(const struct fibre *lanes, const struct fibre *self, unsigned operation)
{
    const unsigned lane = self->thread.lane, width = self->argument >> 8, other = self->argument & 255;
    const unsigned first = lane & ~(width - 1), last = first + width - 1;
    unsigned from = lane;
    switch (operation) {
    case SIMT_EXCHANGE: from = first + (other & (width - 1)); break;
    case SIMT_EXCHANGE_UP: from = lane >= first + other ? lane - other : lane; break;
    case SIMT_EXCHANGE_DOWN: from = lane + other <= last ? lane + other : lane; break;
    default: /* may reach into an earlier group of lanes, but not into a later one */
        from = lane ^ other;
        if (from > last) from = lane;
    }
    return self->mask >> from & 1 ? lanes[from].value : UNDEFINED;
}

static uint64_t same_value(const struct fibre *lanes, const struct fibre *self)
{
    uint64_t same = 0;
    for (uint32_t i = 0; i < SIMT_WARP; i++) {
        if (self->mask >> i & 1 && lanes[i].value == self->value) same |= 1u << i;
    }
    return same;
}

static uint32_t combine(unsigned operation, uint32_t x, uint32_t y)
{
    switch (operation) {
    case SIMT_REDUCE_ADD: return x + y;
    case SIMT_REDUCE_AND: return x & y;
    case SIMT_REDUCE_OR: return x | y;
    case SIMT_REDUCE_XOR: return x ^ y;
    case SIMT_REDUCE_MIN: return x < y ? x : y;
    case SIMT_REDUCE_MAX: return x > y ? x : y;
    case SIMT_REDUCE_MIN_SIGNED: return (int32_t)x < (int32_t)y ? x : y;
    default: return (int32_t)x > (int32_t)y ? x : y;
    }
}

/* One result for all lanes of the mask. */
static uint64_t together(const struct fibre *lanes, unsigned operation, uint32_t mask)
{
    if (operation == SIMT_SYNC) return 0;
    uint32_t result = 0;
    if (operation == SIMT_BALLOT) {
        for (uint32_t i = 0; i < SIMT_WARP; i++) {
            if (mask >> i & 1 && lanes[i].value) result |= 1u << i;
        }
        return result;
    }
    int first = 1;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        const uint32_t value = (uint32_t)lanes[__builtin_ctz(rest)].value;
        result = first ? value : combine(operation, result, value);
        first = 0;
    }
    return result;
}

static void complete(struct fibre *lanes, unsigned operation, uint32_t mask)
{
    const int own = (operation >= SIMT_EXCHANGE && operation <= SIMT_EXCHANGE_XOR) || operation == SIMT_MATCH_ANY;
    const uint64_t common = own ? 0 : together(lanes, operation, mask);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        struct fibre *lane = &lanes[__builtin_ctz(rest)];
        lane->result = !own                          ? common
                       : operation == SIMT_MATCH_ANY ? same_value(lanes, lane)
                                                     : exchange(lanes, lane, operation);
    }
}

static int all_agree(const struct fibre *lanes, unsigned operation, uint32_t mask)
{
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        const struct fibre *lane = &lanes[__builtin_ctz(rest)];
        if (lane->mask != mask || (lane->place & 255) != operation) return 0;
    }
    return 1;
}

static void check(struct fibre *fibre)
{
    const struct warp *warp = fibre->warp;
    const char *name = simt_operation_name(fibre->place);
    const unsigned operation = fibre->place & 255, line = fibre->place >> 8, width = fibre->argument >> 8;
    if (!(fibre->mask >> fibre->thread.lane & 1)) {
        simt_fail(fibre, "%s at %s:%u: mask 0x%08x does not have the calling lane %u", name, fibre->file, line,
                  fibre->mask, fibre->thread.lane);
    }
    if (fibre->mask & warp->returned) {
        simt_fail(fibre, "%s at %s:%u: mask 0x%08x names lanes 0x%08x, which have returned or are not there", name,
                  fibre->file, line, fibre->mask, fibre->mask & warp->returned);
    }
    if (operation >= SIMT_EXCHANGE && operation <= SIMT_EXCHANGE_XOR &&
        (width == 0 || width > SIMT_WARP || (width & (width - 1)))) {
        simt_fail(fibre, "%s at %s:%u: width %u is not a power of two up to 32", name, fibre->file, line, width);
    }
}

uint64_t simt_meet(struct simt_thread *self, unsigned place, unsigned mask, uint64_t value, unsigned argument,
                   const char *file)
{
    struct fibre *fibre = (struct fibre *)self;
    struct warp *warp = fibre->warp;
    const uint32_t bit = 1u << self->lane;
    fibre->place = place;
    fibre->mask = mask;
    fibre->value = value;
    fibre->argument = argument;
    fibre->file = file;
    check(fibre);
    warp->ready &= ~bit;
    warp->meeting |= bit;
    if ((warp->meeting & mask) == mask && all_agree(warp->fibres, place & 255, mask)) {
        if (runner_of(fibre)->traces) simt_count_warp(warp);
        complete(warp->fibres, place & 255, mask);
        warp->meeting &= ~mask;
        warp->ready |= mask;
        runner_of(fibre)->counts.warp_operations++;
    } else {
        simt_wait(fibre);
    }
    return fibre->result;
}

static void open_barrier(struct block *block)
{
    block->ready_warps = 0;
    if (block->runner->traces) simt_count_block(block);
    for (uint32_t i = 0; i < block->warp_count; i++) {
        struct warp *warp = &block->warps[i];
        warp->ready |= warp->at_barrier;
        warp->at_barrier = 0;
        block->ready_warps |= 1u << i;
    }
    const unsigned operation = block->place & 255;
    block->result = operation == SIMT_BARRIER_OR    ? block->any
                    : operation == SIMT_BARRIER_AND ? block->all
                                                    : block->count;
    block->arrived = 0;
    block->runner->counts.barriers++;
}

int simt_meet_block(struct simt_thread *self, unsigned place, int predicate, const char *file)
{
    struct fibre *fibre = (struct fibre *)self;
    struct warp *warp = fibre->warp;
    struct block *block = warp->block;
    const uint32_t bit = 1u << self->lane;
    const char *name = simt_operation_name(place);
    fibre->place = place;
    fibre->file = file;
    if (block->returned) {
        simt_fail(fibre, "%s at %s:%u: %u threads of the block have returned and will not come", name, file, place >> 8,
                  block->returned);
    }
    if (block->arrived == 0) {
        block->place = place;
        block->file = file;
        block->any = block->count = 0;
        block->all = 1;
    } else if (block->place != place) {
        simt_fail(fibre, "%s at %s:%u diverges: %u threads of the block wait in %s at %s:%u", name, file, place >> 8,
                  block->arrived, simt_operation_name(block->place), block->file, block->place >> 8);
    }
    block->any |= predicate != 0;
    block->all &= predicate != 0;
    block->count += predicate != 0;
    warp->ready &= ~bit;
    warp->at_barrier |= bit;
    if (++block->arrived == block->runner->launch->threads) {
        open_barrier(block);
    } else {
        simt_wait(fibre);
    }
    return block->result;
}
