/* SPDX-License-Identifier: MIT
 *
 * packed.cuh - 8 bytes that blocks hand to each other beside a seal, in one access of 16 bytes. */
#ifndef TALLY_PACKED_CUH
#define TALLY_PACKED_CUH

#include "device.cuh"

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

#endif
