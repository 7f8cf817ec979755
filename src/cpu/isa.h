/* SPDX-License-Identifier: MIT
 *
 * isa.h - the instruction sets that the CPU's kernels are compiled for, one row each (here and in cmake/isa.cmake). */
#ifndef TALLY_CPU_ISA_H
#define TALLY_CPU_ISA_H

/* Best first. The build defines HAVE_ISA_<name> for the sets that were compiled in. */
#if defined(HAVE_ISA_avx512)
#define ISA_AVX512(X) X(avx512)
#else
#define ISA_AVX512(X)
#endif
#if defined(HAVE_ISA_avx2)
#define ISA_AVX2(X) X(avx2)
#else
#define ISA_AVX2(X)
#endif
#if defined(HAVE_ISA_base)
#define ISA_BASE(X) X(base)
#else
#define ISA_BASE(X)
#endif
#define FOR_EACH_ISA(X) ISA_AVX512(X) ISA_AVX2(X) ISA_BASE(X)

struct cpu_kernels;
struct cpu_scan_kernels;

struct cpu_isa {
    const char *name;
    const struct cpu_kernels *kernels;
    const struct cpu_scan_kernels *scan_kernels;
};

/* The best set that this machine has; TALLY_CPU_ISA in the environment names a lesser one, for tests. */
const struct cpu_isa *cpu_isa_choose(void);

#endif
