/* SPDX-License-Identifier: MIT
 *
 * compile.c - a user's operator from its text to functions, by the host's C compiler. */
#include "../host_compiler.h"
#include "../kernel_cache.h"
#include "operator.h"
#include "text_add.h"
#include "texts.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define SYMBOL "tally_user_kernels"

/* The instruction sets of cmake/isa.cmake, best first; results do not depend on them. GCC's vectorizer makes products
 * that are added and subtracted in turn, as those of complex numbers, fused ones, whatever -ffp-contract says (seen in
 * GCC 12): texts that multiply get no instructions for that. */
static const char *const *instruction_set(const struct user_op *op)
{
    static const char *const base[] = {NULL};
#if defined(__x86_64__)
    static const char *const apart[] = {"-mavx2", "-mno-fma", NULL};
    static const char *const avx2[] = {"-mavx2", "-mfma", NULL};
    static const char *const avx512[] = {
        "-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mfma", "-mavx2", "-mprefer-vector-width=512", NULL};
    const char *wanted = getenv("TALLY_CPU_ISA");
    int least = wanted && strcmp(wanted, "base") == 0, middle = wanted && strcmp(wanted, "avx2") == 0;
    int has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (!least && has_avx2 && op->multiplies) return apart;
    if (!least && !middle && has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return avx512;
    if (!least && has_avx2) return avx2;
#else
    (void)op;
#endif
    return base;
}

static const char *const flags[] = {
    "-std=gnu11",
    "-O3",
    "-fPIC",
    "-shared",
    "-fvisibility=hidden",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-strict-aliasing",
    "-fdiagnostics-color=never",
    "-w",
    "-o",
    "object",
    "operator.c",
    "-lm",
};
#define FLAG_COUNT (sizeof flags / sizeof flags[0])
#define ARGUMENTS (FLAG_COUNT + 16)

static void fill_arguments(const struct user_op *op, const char *arguments[ARGUMENTS])
{
    size_t count = 0;
    for (const char *const *flag = instruction_set(op); *flag; flag++) arguments[count++] = *flag;
    for (size_t i = 0; i < FLAG_COUNT; i++) arguments[count++] = flags[i];
    arguments[count] = NULL;
}

static tally_status find_compiler(struct host_program *compiler)
{
    static const char *const names[] = {"cc", "gcc", "clang"};
    const char *wanted = getenv("TALLY_CC");
    if (wanted && *wanted) {
        if (host_program_find(compiler, wanted)) return TALLY_OK;
        FAIL(TALLY_NO_DEVICE, "TALLY_CC is \"%.200s\", which is not a program that can be run", wanted);
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (host_program_find(compiler, names[i])) return TALLY_OK;
    }
    FAIL(TALLY_NO_DEVICE,
         "an operator from text needs a C compiler on this device, and none of cc, gcc and clang is on the PATH: "
         "install "
         "one (Debian: apt install gcc libc6-dev), name it in TALLY_CC, or give the operator as C functions");
}

/* All that the object depends on; the first line is for people. */
static char *make_key(const struct user_op *op, const struct host_program *compiler, const char *const *arguments)
{
    struct hash own = HASH_START;
    struct text key = {NULL, 0, 0};
    for (const struct host_text *text = user_texts; text->name; text++) hash_add(&own, text->bytes, text->size);
    text_add(&key, "operator %s\n%s %lld %lld\n%016llx%016llx\n", op->name, compiler->path, (long long)compiler->bytes,
             (long long)compiler->changed, (unsigned long long)own.high, (unsigned long long)own.low);
    for (; *arguments; arguments++) text_add(&key, "%s ", *arguments);
    text_add(&key, "\n%s", op->text);
    if (!key.failed) return key.bytes;
    free(key.bytes);
    return NULL;
}

static tally_status report(const struct user_op *op, const struct host_program *compiler, int refused, char *log)
{
    tally_status status =
        status_fail(refused > 0 ? TALLY_INVALID_ARGUMENT : TALLY_NO_DEVICE,
                    refused > 0 ? "operator %s: %.100s does not compile it:\n%.3000s" : "operator %s: %.100s %.1000s",
                    op->name, compiler->path, log && *log ? log : "(it said nothing)");
    free(log);
    return status;
}

static tally_status compile(const struct user_op *op, const struct host_program *compiler, const char *const *arguments,
                            const char *key, void **library)
{
    struct host_text texts[16];
    size_t count = 0, size = 0;
    void *object;
    char *log;
    for (const struct host_text *text = user_texts; text->name; text++) texts[count++] = *text;
    texts[count++] = (struct host_text){"operator.c", op->text, strlen(op->text)};
    texts[count] = (struct host_text){NULL, NULL, 0};
    int refused = host_compile(compiler, texts, arguments, &object, &size, &log);
    if (refused) return report(op, compiler, refused, log);
    *library = host_object_keep(key, SYMBOL, object, size);
    free(object);
    if (*library) return TALLY_OK;
    const char *why = dlerror();
    FAIL(TALLY_NO_DEVICE, "operator %s: cannot load what %.100s made: %.600s", op->name, compiler->path,
         why ? why : "it is not what was compiled");
}

/* The caller holds the operator's lock. */
static tally_status find_kernels(struct user_op *op)
{
    struct host_program compiler;
    const char *arguments[ARGUMENTS];
    TRY(find_compiler(&compiler));
    fill_arguments(op, arguments);
    char *key = make_key(op, &compiler, arguments);
    if (!key) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for an operator");
    tally_status status = TALLY_OK;
    op->library = host_object_load(key, SYMBOL);
    if (!op->library) status = compile(op, &compiler, arguments, key, &op->library);
    free(key);
    TRY(status);
    const struct user_kernels *kernels = dlsym(op->library, SYMBOL);
    atomic_store_explicit(&op->kernels, kernels, memory_order_release);
    return TALLY_OK;
}

tally_status user_op_compile(const struct user_op *constant)
{
    struct user_op *op = (struct user_op *)(uintptr_t)constant; /* what it computes does not change */
    if (user_kernels(op)) return TALLY_OK;
    pthread_mutex_lock(&op->lock);
    tally_status status = user_kernels(op) ? TALLY_OK : find_kernels(op);
    pthread_mutex_unlock(&op->lock);
    return status;
}
