/* SPDX-License-Identifier: MIT
 *
 * copy_async.cuh - copies from global to shared memory that threads start and wait for later (from compute capability
 * 8.0 on), in groups. */
#ifndef TALLY_COPY_ASYNC_CUH
#define TALLY_COPY_ASYNC_CUH

#include "device.cuh"

#if !defined(TALLY_SIMT) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define HAS_COPY_ASYNC 1
#else
#define HAS_COPY_ASYNC 0
#endif

/* 1, 2, 4, 8 or 16 bytes between addresses that are multiples of as many, at once. */
DEVICE void copy_unit(char *to, const char *from, int bytes)
{
    if (bytes == 16) *(struct vector16 *)to = *(const struct vector16 *)from;
    else if (bytes == 8) *(uint64_t *)to = *(const uint64_t *)from;
    else if (bytes == 4) *(uint32_t *)to = *(const uint32_t *)from;
    else if (bytes == 2) *(uint16_t *)to = *(const uint16_t *)from;
    else *to = *from;
}

/* The same from global to shared memory, later. Fewer than 4 bytes are copied at once. */
DEVICE void copy_async(char *to, const char *from, int bytes)
{
#if HAS_COPY_ASYNC
    uint32_t shared = (uint32_t)__cvta_generic_to_shared(to);
    if (bytes == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from) : "memory");
    else if (bytes == 8) asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(shared), "l"(from) : "memory");
    else if (bytes == 4) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared), "l"(from) : "memory");
    else copy_unit(to, from, bytes);
#else
    copy_unit(to, from, bytes);
#endif
}

/* The same if `is_there`; otherwise zeros. */
DEVICE_UNUSED void copy_async_or_clear(char *to, const char *from, int bytes, int is_there)
{
#if HAS_COPY_ASYNC
    uint32_t shared = (uint32_t)__cvta_generic_to_shared(to), count = is_there ? (uint32_t)bytes : 0;
    if (bytes == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(from), "r"(count) : "memory");
        return;
    }
    if (bytes == 8) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(shared), "l"(from), "r"(count) : "memory");
        return;
    }
    if (bytes == 4) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared), "l"(from), "r"(count) : "memory");
        return;
    }
#endif
    if (bytes >= 4) check_aligned((uintptr_t)to | (uintptr_t)from, (uint32_t)bytes);
    if (is_there) copy_unit(to, from, bytes);
    else memset(to, 0, (size_t)bytes);
}

/* A vector, of which only the first `count` bytes are read: the others become zeros. */
DEVICE_UNUSED void copy_async_some(char *to, const char *from, uint32_t count)
{
#if HAS_COPY_ASYNC
    uint32_t shared = (uint32_t)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(from), "r"(count) : "memory");
#else
    check_aligned((uintptr_t)to | (uintptr_t)from, 16);
    if (count == 16) {
        copy_unit(to, from, 16);
        return;
    }
    for (uint32_t i = 0; i < 16; i++) to[i] = i < count ? from[i] : 0;
#endif
}

/* Ends a group of what this thread has started since the last one. */
DEVICE void copy_group(void)
{
#if HAS_COPY_ASYNC
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits for this thread's groups but the last ones, a constant number of them. */
#if HAS_COPY_ASYNC
#define COPY_AWAIT_BUT(count) asm volatile("cp.async.wait_group %0;" ::"n"(count) : "memory")
#else
#define COPY_AWAIT_BUT(count) ((void)0)
#endif

#endif
