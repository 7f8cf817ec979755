/* SPDX-License-Identifier: MIT
 *
 * fibre.c - stacks and the switch between them: assembly for x86-64 and AArch64, ucontext elsewhere. */
#define _GNU_SOURCE
#include "fibre.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if SIMT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define STACK_BYTES ((size_t)256 << 10) /* instrumented frames are larger */
#define CALLED_BYTES 1024               /* below where a fibre was left: what the ABI lets a function use */
#else
#define STACK_BYTES ((size_t)64 << 10)
#endif

int simt_stacks_reserve(struct simt_stacks *stacks, size_t count)
{
    if (count <= stacks->count) return 1;
    simt_stacks_release(stacks);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), step = STACK_BYTES + page;
    char *base = mmap(NULL, count * step, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) return 0;
    stacks->base = base;
    stacks->count = count;
    stacks->page = page;
#if SIMT_ASAN
    __asan_unpoison_memory_region(base, count * step); /* whatever lay here before */
#endif
    for (size_t i = 0; i < count; i++) {
        if (mprotect(base + i * step, page, PROT_NONE) != 0) return simt_stacks_release(stacks), 0;
    }
    return 1;
}

void simt_stacks_release(struct simt_stacks *stacks)
{
    if (stacks->base) munmap(stacks->base, stacks->count * (STACK_BYTES + stacks->page));
    memset(stacks, 0, sizeof *stacks);
}

#if SIMT_ASSEMBLY

/* Saves what a call must preserve, on the stack that is left; returns on the other. */
void simt_switch_stacks(void **left, void *entered);

#if defined(__x86_64__)
__asm__(".text\n"
        ".balign 16\n"
        ".hidden simt_switch_stacks\n"
        ".globl simt_switch_stacks\n"
        ".type simt_switch_stacks, @function\n"
        "simt_switch_stacks:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    popq %rcx\n" /* not ret: the processor foretells returns in pairs with calls, and these are no pairs */
        "    jmpq *%rcx\n"
        ".size simt_switch_stacks, . - simt_switch_stacks\n");
#define SAVED_WORDS 6
#define ENTRY_WORD 6
#else
__asm__(".text\n"
        ".balign 16\n"
        ".hidden simt_switch_stacks\n"
        ".globl simt_switch_stacks\n"
        ".type simt_switch_stacks, %function\n"
        "simt_switch_stacks:\n"
        "    stp x29, x30, [sp, #-160]!\n"
        "    stp x19, x20, [sp, #16]\n"
        "    stp x21, x22, [sp, #32]\n"
        "    stp x23, x24, [sp, #48]\n"
        "    stp x25, x26, [sp, #64]\n"
        "    stp x27, x28, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp, #16]\n"
        "    ldp x21, x22, [sp, #32]\n"
        "    ldp x23, x24, [sp, #48]\n"
        "    ldp x25, x26, [sp, #64]\n"
        "    ldp x27, x28, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    ldp x29, x30, [sp], #160\n"
        "    br x30\n"
        ".size simt_switch_stacks, . - simt_switch_stacks\n");
#define SAVED_WORDS 20
#define ENTRY_WORD 1
#endif

static void begin(struct simt_context *context, void (*entry)(void), char *top)
{
    /* Below top: the saved registers, the entry's address, and an empty place for a return address that keeps the
     * stack aligned as a call would. */
    void **word = (void **)(void *)top - SAVED_WORDS - (ENTRY_WORD == 6 ? 2 : 0);
    memset(word, 0, (size_t)(top - (char *)word));
    memcpy(&word[ENTRY_WORD], &entry, sizeof entry);
    context->stack_pointer = word;
}

static void leave(struct simt_context *from, struct simt_context *to)
{
    simt_switch_stacks(&from->stack_pointer, to->stack_pointer);
}

#else

static void begin(struct simt_context *context, void (*entry)(void), char *top)
{
    getcontext(&context->saved);
    context->saved.uc_stack.ss_sp = (void *)(uintptr_t)context->stack;
    context->saved.uc_stack.ss_size = (size_t)(top - (const char *)context->stack);
    context->saved.uc_link = NULL;
    makecontext(&context->saved, entry, 0);
}

static void leave(struct simt_context *from, struct simt_context *to)
{
    swapcontext(&from->saved, &to->saved);
}

#endif

/* A fibre may be dropped half-way: its frames, from where it was left up to the top, are still surrounded by poison.
 * What it called and came back from has cleaned up, and all of a stack takes long to clean. */
void simt_context_drop(struct simt_context *context)
{
#if SIMT_ASAN
    if (!context->stack) return;
    char *bottom = (char *)(uintptr_t)context->stack, *from = bottom;
#if SIMT_ASSEMBLY
    char *left = context->stack_pointer;
    if (left >= bottom + CALLED_BYTES) from = left - CALLED_BYTES;
#endif
    __asan_unpoison_memory_region(from, (size_t)(bottom + STACK_BYTES - from));
#endif
    context->stack = NULL;
}

void simt_context_prepare(struct simt_context *context, const struct simt_stacks *stacks, size_t index,
                          void (*entry)(void))
{
    char *bottom = stacks->base + index * (STACK_BYTES + stacks->page) + stacks->page;
    simt_context_drop(context);
    context->stack = bottom;
    context->stack_bytes = STACK_BYTES;
    context->fake_stack = NULL;
    /* Tops at one distance would fight for the same few lines of the processor's caches. */
    begin(context, entry, bottom + STACK_BYTES - index % 61 * 64);
}

void simt_context_switch(struct simt_context *from, struct simt_context *to)
{
#if SIMT_ASAN
    __sanitizer_start_switch_fiber(&from->fake_stack, to->stack, to->stack_bytes);
    leave(from, to);
    __sanitizer_finish_switch_fiber(from->fake_stack, NULL, NULL);
#else
    leave(from, to);
#endif
}

void simt_context_begun(struct simt_context *from)
{
#if SIMT_ASAN
    const void *stack;
    size_t bytes;
    __sanitizer_finish_switch_fiber(NULL, &stack, &bytes);
    if (!from->stack) { /* the host's own, which is known only now */
        from->stack = stack;
        from->stack_bytes = bytes;
    }
#else
    (void)from;
#endif
}
