/* SPDX-License-Identifier: MIT
 *
 * isa.c - which of the compiled instruction sets this machine has. */
#include "isa.h"

#include <stdlib.h>
#include <string.h>

#define DECLARE(isa)                                   \
    extern const struct cpu_kernels cpu_kernels_##isa; \
    extern const struct cpu_scan_kernels cpu_scan_kernels_##isa;
FOR_EACH_ISA(DECLARE)
#undef DECLARE

/* What cmake/isa.cmake compiles for, and no less. */
#if defined(HAVE_ISA_avx2) || defined(HAVE_ISA_avx512)
static int has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

#if defined(HAVE_ISA_avx512)
static int has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

#if defined(HAVE_ISA_base)
static int has_base(void)
{
    return 1;
}
#endif

/* Best first. */
static const struct {
    struct cpu_isa isa;
    int (*available)(void);
} rows[] = {
#define ROW(isa) {{#isa, &cpu_kernels_##isa, &cpu_scan_kernels_##isa}, has_##isa},
    FOR_EACH_ISA(ROW)
#undef ROW
};

const struct cpu_isa *cpu_isa_choose(void)
{
    const char *wanted = getenv("TALLY_CPU_ISA");
    size_t count = sizeof rows / sizeof rows[0], best = count - 1;
    for (size_t i = count; i-- > 0;) {
        if (!rows[i].available()) continue;
        best = i;
        if (wanted && strcmp(wanted, rows[i].isa.name) == 0) break;
    }
    return &rows[best].isa;
}
