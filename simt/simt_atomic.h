/* SPDX-License-Identifier: MIT
 *
 * simt_atomic.h - atomics and fences. All fibres of a launch run on one host thread, so every access is atomic already;
 * what matters is that others get to run between them. */
#ifndef TALLY_SIMT_ATOMIC_H
#define TALLY_SIMT_ATOMIC_H

/* A loop of atomics (a lock, a ticket that is polled) must not keep the others from running. */
static inline void simt_atomic_done(int changed)
{
    struct simt_thread *self = simt_module.self;
    if (changed) ++*self->progress;
    if (++self->atomics >= 8) simt_yield();
}

#define SIMT_ATOMIC_ROW(type, name, value_now)         \
    static inline type name(type *address, type value) \
    {                                                  \
        const type old = *address;                     \
        *address = value_now;                          \
        simt_atomic_done(*address != old);             \
        return old;                                    \
    }
#define SIMT_ATOMIC_ROWS(type)                                             \
    SIMT_ATOMIC_ROW(type, atomicMin, value < old ? value : old)            \
    SIMT_ATOMIC_ROW(type, atomicMax, value > old ? value : old)            \
    SIMT_ATOMIC_ROW(type, atomicAnd, old &value)                           \
    SIMT_ATOMIC_ROW(type, atomicOr, old | value)                           \
    SIMT_ATOMIC_ROW(type, atomicXor, old ^ value)                          \
    SIMT_ATOMIC_ROW(type, atomicExch, value)                               \
    static inline type atomicCAS(type *address, type expected, type value) \
    {                                                                      \
        const type old = *address;                                         \
        if (old == expected) *address = value;                             \
        simt_atomic_done(*address != old);                                 \
        return old;                                                        \
    }
SIMT_ATOMIC_ROWS(int)
SIMT_ATOMIC_ROWS(unsigned)
SIMT_ATOMIC_ROWS(long)
SIMT_ATOMIC_ROWS(unsigned long)
SIMT_ATOMIC_ROWS(long long)
SIMT_ATOMIC_ROWS(unsigned long long)
SIMT_ATOMIC_ROW(int, atomicAdd, (int)((unsigned)old + (unsigned)value))
SIMT_ATOMIC_ROW(unsigned, atomicAdd, old + value)
SIMT_ATOMIC_ROW(unsigned long, atomicAdd, old + value)
SIMT_ATOMIC_ROW(unsigned long long, atomicAdd, old + value)
SIMT_ATOMIC_ROW(float, atomicAdd, old + value)
SIMT_ATOMIC_ROW(double, atomicAdd, old + value)
SIMT_ATOMIC_ROW(int, atomicSub, (int)((unsigned)old - (unsigned)value))
SIMT_ATOMIC_ROW(unsigned, atomicSub, old - value)
SIMT_ATOMIC_ROW(unsigned, atomicInc, old >= value ? 0 : old + 1)
SIMT_ATOMIC_ROW(unsigned, atomicDec, old == 0 || old > value ? value : old - 1)

/* The place where a protocol shows its mistakes: what was written before is visible, what comes after is not yet. */
static inline void __threadfence()
{
    if (++simt_module.self->atomics >= 4) simt_yield();
}

static inline void __threadfence_system()
{
    __threadfence();
}

static inline void __threadfence_block()
{
    __asm__ __volatile__("" ::: "memory");
}

static inline void __nanosleep(unsigned)
{
    simt_yield();
}

#endif
