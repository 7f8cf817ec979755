/* SPDX-License-Identifier: MIT
 *
 * simt_count.h - with TALLY_SIMT_COUNT, tells the library of every basic block and memory access. The compiler's own
 * instrumentation (-fsanitize=thread, -fsanitize-coverage=trace-pc) calls the functions below, which here take the
 * place of the sanitizers' runtime. */
#ifndef TALLY_SIMT_COUNT_H
#define TALLY_SIMT_COUNT_H

#if defined(__clang__)
#define SIMT_UNCOUNTED extern "C" __attribute__((no_sanitize("thread", "coverage"), visibility("hidden"), used))
#else
#define SIMT_UNCOUNTED extern "C" __attribute__((no_sanitize_thread, no_sanitize_coverage, visibility("hidden"), used))
#endif

#define SIMT_ACCESS(address, size)                                                                                     \
    do {                                                                                                               \
        if (simt_module.self) simt_module.calls->access(simt_module.self, __builtin_return_address(0), address, size); \
    } while (0)

#define SIMT_ACCESS_ROW(size)                                          \
    SIMT_UNCOUNTED void __tsan_read##size(void *p)                     \
    {                                                                  \
        SIMT_ACCESS(p, size);                                          \
    }                                                                  \
    SIMT_UNCOUNTED void __tsan_write##size(void *p)                    \
    {                                                                  \
        SIMT_ACCESS(p, size);                                          \
    }                                                                  \
    SIMT_UNCOUNTED void __tsan_unaligned_read##size(void *p)           \
    {                                                                  \
        SIMT_ACCESS(p, size);                                          \
    }                                                                  \
    SIMT_UNCOUNTED void __tsan_unaligned_write##size(void *p)          \
    {                                                                  \
        SIMT_ACCESS(p, size);                                          \
    }                                                                  \
    SIMT_UNCOUNTED void __tsan_volatile_read##size(void *p)            \
    {                                                                  \
        SIMT_ACCESS(p, size);                                          \
    }                                                                  \
    SIMT_UNCOUNTED void __tsan_volatile_write##size(void *p)           \
    {                                                                  \
        SIMT_ACCESS(p, size);                                          \
    }                                                                  \
    SIMT_UNCOUNTED void __tsan_unaligned_volatile_read##size(void *p)  \
    {                                                                  \
        SIMT_ACCESS(p, size);                                          \
    }                                                                  \
    SIMT_UNCOUNTED void __tsan_unaligned_volatile_write##size(void *p) \
    {                                                                  \
        SIMT_ACCESS(p, size);                                          \
    }
SIMT_ACCESS_ROW(1)
SIMT_ACCESS_ROW(2)
SIMT_ACCESS_ROW(4)
SIMT_ACCESS_ROW(8)
SIMT_ACCESS_ROW(16)

SIMT_UNCOUNTED void __tsan_read_range(void *p, unsigned long size)
{
    SIMT_ACCESS(p, (unsigned)size);
}
SIMT_UNCOUNTED void __tsan_write_range(void *p, unsigned long size)
{
    SIMT_ACCESS(p, (unsigned)size);
}
SIMT_UNCOUNTED void __tsan_func_entry(void *) {}
SIMT_UNCOUNTED void __tsan_func_exit(void *) {}
SIMT_UNCOUNTED void __tsan_init() {}

/* Kernels' helpers use the compiler's atomics on counters and flags. */
#define SIMT_ATOMIC_COUNT_ROW(bits, type)                                          \
    SIMT_UNCOUNTED type __tsan_atomic##bits##_load(const volatile type *p, int)    \
    {                                                                              \
        SIMT_ACCESS((const void *)p, bits / 8);                                    \
        return *p;                                                                 \
    }                                                                              \
    SIMT_UNCOUNTED void __tsan_atomic##bits##_store(volatile type *p, type v, int) \
    {                                                                              \
        SIMT_ACCESS((const void *)p, bits / 8);                                    \
        *p = v;                                                                    \
    }
SIMT_ATOMIC_COUNT_ROW(8, char)
SIMT_ATOMIC_COUNT_ROW(16, short)
SIMT_ATOMIC_COUNT_ROW(32, int)
SIMT_ATOMIC_COUNT_ROW(64, long)
SIMT_UNCOUNTED void __tsan_atomic_thread_fence(int) {}
SIMT_UNCOUNTED void __tsan_atomic_signal_fence(int) {}

SIMT_UNCOUNTED void __sanitizer_cov_trace_pc()
{
    if (simt_module.self) simt_module.calls->branch(simt_module.self, __builtin_return_address(0));
}

#endif
