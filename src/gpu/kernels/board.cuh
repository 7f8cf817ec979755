/* SPDX-License-Identifier: MIT
 *
 * board.cuh - where the parts of a scan publish what they know of themselves: their totals, or their whole prefixes.
 * Part of the files that have a `struct state`. No include guard. */

enum { NOTHING_YET, TOTAL_KNOWN, PREFIX_KNOWN };

/* What a split publishes. A state of up to 8 bytes goes with its flag in one access of 16 bytes; larger ones have a
 * place for the total and one for the prefix, and a flag that is stored last. */
#define IS_PACKED (sizeof(struct state) <= 8)

/* seal is value xor the mark of a flag. So every bit matters to the reader: where some do not, the compiler makes two
 * narrower loads of one, and then the flag may be newer than the value. Accesses of 16 aligned bytes are whole on GPUs.
 */
struct packed {
    uint64_t value, seal;
};

#define TOTAL_MARK 0x9e3779b97f4a7c15ull
#define PREFIX_MARK 0xd1b54a32d192ed03ull

DEVICE void packed_store(struct packed *to, uint64_t value, uint64_t seal)
{
#if defined(TALLY_SIMT)
    to->value = value;
    to->seal = seal;
    simt_progress();
#else
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(value), "l"(seal) : "memory");
#endif
}

DEVICE struct packed packed_load(const struct packed *from)
{
    struct packed v;
#if defined(TALLY_SIMT)
    simt_yield();
    v = *from;
#else
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(v.value), "=l"(v.seal) : "l"(from) : "memory");
#endif
    return v;
}

/* Places of one group; cells > 1 share flags. */
struct board {
    struct packed *packed;
    struct state *states;
    uint32_t *flags;
};

DEVICE struct board board_of(const struct scan_parameters *p, int64_t group, int32_t cells)
{
    struct board board;
    board.packed = (struct packed *)p->flags + group * p->reduce.splits;
    board.states = (struct state *)p->totals + group * p->reduce.splits * 2 * cells;
    board.flags = p->flags + group * p->reduce.splits;
    return board;
}

/* By one thread, for a group of one cell. */
DEVICE void publish(const struct board *board, int64_t split, struct state state, uint32_t flag)
{
    if (IS_PACKED) {
        uint64_t value = 0;
        memcpy(&value, &state, sizeof state <= 8 ? sizeof state : 8);
        packed_store(&board->packed[split], value, value ^ (flag == TOTAL_KNOWN ? TOTAL_MARK : PREFIX_MARK));
    } else {
        board->states[2 * split + (flag == PREFIX_KNOWN)] = state;
        __threadfence();
        store_release(&board->flags[split], flag);
    }
}

DEVICE uint32_t peek(const struct board *board, int64_t split, struct state *state)
{
    if (IS_PACKED) {
        struct packed v = packed_load(&board->packed[split]);
        uint64_t mark = v.value ^ v.seal;
        memcpy(state, &v.value, sizeof *state <= 8 ? sizeof *state : 8);
        return mark == TOTAL_MARK ? TOTAL_KNOWN : mark == PREFIX_MARK ? PREFIX_KNOWN : NOTHING_YET;
    }
    uint32_t flag = load_acquire(&board->flags[split]);
    if (flag != NOTHING_YET) *state = board->states[2 * split + (flag == PREFIX_KNOWN)];
    return flag;
}

/* Every block's last step: the last of all puts back the zeros that it was started with, where `splits` published. */
DEVICE void leave_zeros(const struct scan_parameters *p, int64_t splits)
{
    struct packed *places = (struct packed *)p->flags, none = {0, 0};
    if (!last_to_arrive(p->ticket + 1, gridDim.x)) return;
    for (int64_t i = threadIdx.x; i < splits; i += THREADS) places[i] = none;
    if (threadIdx.x == 0) *p->ticket = 0;
}
