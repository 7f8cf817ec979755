/* SPDX-License-Identifier: MIT
 *
 * fibre.h - stacks, and going from one to another: the only part that knows the processor. */
#ifndef TALLY_SIMT_FIBRE_H
#define TALLY_SIMT_FIBRE_H

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define SIMT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIMT_ASAN 1
#endif
#endif
#ifndef SIMT_ASAN
#define SIMT_ASAN 0
#endif

#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(SIMT_UCONTEXT)
#define SIMT_ASSEMBLY 1
#else
#define SIMT_ASSEMBLY 0
#include <ucontext.h>
#endif

/* A point of execution that can be left and gone on with. */
struct simt_context {
#if SIMT_ASSEMBLY
    void *stack_pointer;
#else
    ucontext_t saved;
#endif
    const void *stack; /* lowest address and bytes; of the host's own stack once it was left */
    size_t stack_bytes;
    void *fake_stack; /* AddressSanitizer's */
};

/* Equal stacks, each above a page that nobody may touch. */
struct simt_stacks {
    char *base;
    size_t count, page;
};

/* Makes room for at least `count` stacks; contexts on the old ones are gone. 0 when there is no memory. */
int simt_stacks_reserve(struct simt_stacks *stacks, size_t count);
void simt_stacks_release(struct simt_stacks *stacks);

/* Makes `context`, zeros or one of the same stack, begin entry() on it. entry must end by a switch to another context.
 */
void simt_context_prepare(struct simt_context *context, const struct simt_stacks *stacks, size_t index,
                          void (*entry)(void));
/* Its stack is for another; a context of zeros has none. Not for the host's own. */
void simt_context_drop(struct simt_context *context);
/* Leaves `from` and goes on with `to`. */
void simt_context_switch(struct simt_context *from, struct simt_context *to);
/* The first thing that entry() does; `from` is who switched to it. */
void simt_context_begun(struct simt_context *from);

#endif
