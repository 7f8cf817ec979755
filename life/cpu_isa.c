/* SPDX-License-Identifier: MIT
 *
 * cpu_isa.c - which of the compiled instruction sets this machine has; the rows are those of cmake/isa.cmake. */
#include "cpu.h"

#include <stdlib.h>
#include <string.h>

static bool has_base(void)
{
    return true;
}

#if defined(HAVE_ISA_avx2) || defined(HAVE_ISA_avx512)
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

#if defined(HAVE_ISA_avx512)
static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

extern const struct cpu_kernels life_cpu_kernels_avx512, life_cpu_kernels_avx2, life_cpu_kernels_base;

/* Best first. */
static const struct {
    const struct cpu_kernels *kernels;
    bool (*available)(void);
} rows[] = {
#if defined(HAVE_ISA_avx512)
    {&life_cpu_kernels_avx512, has_avx512},
#endif
#if defined(HAVE_ISA_avx2)
    {&life_cpu_kernels_avx2, has_avx2},
#endif
#if defined(HAVE_ISA_base)
    {&life_cpu_kernels_base, has_base},
#endif
};

const struct cpu_kernels *cpu_kernels_choose(void)
{
    const char *wanted = getenv("TALLY_CPU_ISA");
    size_t best = sizeof rows / sizeof rows[0] - 1;
    for (size_t i = sizeof rows / sizeof rows[0]; i-- > 0;) {
        if (!rows[i].available()) continue;
        best = i;
        if (wanted != NULL && strcmp(wanted, rows[i].kernels->name) == 0) break;
    }
    return rows[best].kernels;
}
