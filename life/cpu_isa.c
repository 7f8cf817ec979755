/* SPDX-License-Identifier: MIT
 *
 * cpu_isa.c - the kernels of the instruction set that the context uses; the rows are those of cmake/isa.cmake. */
#include "cpu.h"

#include <string.h>

extern const struct cpu_kernels life_cpu_kernels_avx512, life_cpu_kernels_avx2, life_cpu_kernels_base;

static const struct cpu_kernels *const rows[] = {
#if defined(HAVE_ISA_avx512)
    &life_cpu_kernels_avx512,
#endif
#if defined(HAVE_ISA_avx2)
    &life_cpu_kernels_avx2,
#endif
#if defined(HAVE_ISA_base)
    &life_cpu_kernels_base,
#endif
};

const struct cpu_kernels *cpu_kernels_of(const tally_device *device)
{
    size_t i = 0;
    while (i + 1 < sizeof rows / sizeof rows[0] && strcmp(rows[i]->name, device->instruction_set) != 0) i++;
    return rows[i];
}
