/* SPDX-License-Identifier: MIT
 *
 * right.cu - kernels as they should be: reductions and scans in the ways that tally uses, and every intrinsic once. */
#include "device.cuh"

#define FULL 0xffffffffu

struct reduce_parameters {
    const unsigned *x;
    unsigned *partial, *counter, *out;
    unsigned n;
};

static __device__ __forceinline__ unsigned block_sum(unsigned value)
{
    __shared__ unsigned part[32];
    for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(FULL, value, d);
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
    __syncthreads();
    unsigned sum = 0;
    for (unsigned i = 0; i < blockDim.x / 32; i++) sum += part[i];
    return sum;
}

/* One block after another leaves a partial; the last adds them all. */
KERNEL(reduce, reduce_parameters, p)
{
    __shared__ int last;
    unsigned sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < p.n; i += gridDim.x * blockDim.x) sum += p.x[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        p.partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(p.counter, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    sum = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += p.partial[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) *p.out = sum;
}

struct scan_parameters {
    const unsigned *x;
    unsigned *out;
    unsigned *flags; /* 0: nothing yet, 1: the tile's sum, 2: the sum up to its end */
    unsigned *sums, *totals, *ticket;
    unsigned n;
};

/* Decoupled look-back; tiles are taken by tickets, so that a tile's predecessors have always begun. */
KERNEL(scan, scan_parameters, p)
{
    __shared__ unsigned tile_shared, before_shared, warp_sums[32];
    if (threadIdx.x == 0) tile_shared = atomicAdd(p.ticket, 1u);
    __syncthreads();
    const unsigned tile = tile_shared, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned i = tile * blockDim.x + threadIdx.x;
    unsigned sum = i < p.n ? p.x[i] : 0;
    for (unsigned d = 1; d < 32; d *= 2) {
        const unsigned other = __shfl_up_sync(FULL, sum, d);
        if (lane >= d) sum += other;
    }
    if (lane == 31) warp_sums[warp] = sum;
    __syncthreads();
    for (unsigned w = 0; w < warp; w++) sum += warp_sums[w];
    if (threadIdx.x == blockDim.x - 1) {
        p.sums[tile] = sum;
        __threadfence();
        store_release(&p.flags[tile], 1);
        unsigned before = 0;
        for (unsigned t = tile; t-- > 0;) {
            unsigned flag;
            while ((flag = load_acquire(&p.flags[t])) == 0) {
            }
            before += flag == 2 ? p.totals[t] : p.sums[t];
            if (flag == 2) break;
        }
        p.totals[tile] = before + sum;
        __threadfence();
        store_release(&p.flags[tile], 2);
        before_shared = before;
    }
    __syncthreads();
    if (i < p.n) p.out[i] = before_shared + sum;
}

struct out_parameters {
    unsigned long long *out;
    unsigned count;
};

/* Row r of the output, 32 lanes each, is checked against a loop by the test. */
KERNEL(exchange, out_parameters, p)
{
    const unsigned lane = threadIdx.x;
    unsigned long long *out = p.out + lane;
    const int value = (int)lane * 3 - 7;
    for (unsigned width = 2; width <= 32; width *= 2) {
        *out = (unsigned)__shfl_sync(FULL, value, (int)lane * 5 + 1, width), out += 32;
        *out = (unsigned)__shfl_up_sync(FULL, value, 3, width), out += 32;
        *out = (unsigned)__shfl_down_sync(FULL, value, 3, width), out += 32;
        *out = (unsigned)__shfl_xor_sync(FULL, value, 5, width), out += 32;
    }
    *out = __shfl_sync(FULL, 0x123456789abcdefull * lane, 31 - lane), out += 32;
    *out = (unsigned long long)__shfl_xor_sync(FULL, lane * 0.5, 1), out += 32;
    *out = (unsigned long long)__shfl_xor_sync(FULL, lane * 2.0f, 2), out += 32;
    *out = (unsigned long long)__shfl_up_sync(FULL, (long long)lane << 40, 1), out += 32;
    *out = __ballot_sync(FULL, lane % 3 == 0), out += 32;
    *out = __any_sync(FULL, lane == 9) + 2 * __any_sync(FULL, 0), out += 32;
    *out = __all_sync(FULL, 1) + 2 * __all_sync(FULL, lane != 9), out += 32;
    *out = __match_any_sync(FULL, lane % 5), out += 32;
    *out = __reduce_add_sync(FULL, lane), out += 32;
    *out = (unsigned)__reduce_min_sync(FULL, value), out += 32;
    *out = (unsigned)__reduce_max_sync(FULL, value), out += 32;
    *out = __reduce_max_sync(FULL, (unsigned)value), out += 32;
    *out = __reduce_or_sync(FULL, 1u << lane / 2), out += 32;
    /* Two halves meet apart. */
    const unsigned half = lane < 16 ? 0xffffu : 0xffff0000u;
    *out = __ballot_sync(half, lane & 1), out += 32;
    if (lane < 16) {
        *out = __reduce_add_sync(half, lane);
    } else {
        *out = __shfl_sync(half, lane, 20);
    }
    __syncwarp();
}

KERNEL(atomics, out_parameters, p)
{
    int *signed_cells = (int *)(p.out + 32);
    unsigned *cells = (unsigned *)(p.out + 48);
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const long long number = (long long)i - 500;
    atomicAdd(p.out + 0, (unsigned long long)i << 20);
    atomicMin(p.out + 1, 1000ull - i);
    atomicMax(p.out + 2, (unsigned long long)i << 33);
    atomicOr(p.out + 3, 1ull << i % 64);
    atomicAnd(p.out + 4, ~(1ull << i % 8));
    atomicXor(p.out + 5, (unsigned long long)i);
    atomicMin((long long *)p.out + 6, number);
    atomicMax((long long *)p.out + 7, number);
    atomicAdd(signed_cells + 0, -(int)i);
    atomicMin(signed_cells + 1, (int)number);
    atomicMax(signed_cells + 2, (int)number);
    atomicAdd(cells + 0, 1u);
    atomicInc(cells + 1, 9u);
    atomicMax(cells + 2, i);
    if (atomicExch(cells + 3, 1u) == 0) atomicAdd(cells + 4, 1u);
    /* A lock around a plain addition. */
    for (int done = 0; !done;) {
        if (atomicCAS(cells + 5, 0u, 1u) == 0) {
            cells[6] += 1;
            __threadfence();
            atomicExch(cells + 5, 0u);
            done = 1;
        }
    }
}

/* What a block has in dynamic shared memory, in static shared memory and as barriers' answers. */
KERNEL(shared, out_parameters, p)
{
    DYNAMIC_SHARED(unsigned, turned);
    __shared__ unsigned char fresh[64];
    __shared__ unsigned own[8];
    const unsigned n = blockDim.x, i = threadIdx.x;
    const unsigned poison = turned[i] == 0xa5a5a5a5u && fresh[i % 64] == 0xa5;
    const int all_poison = __syncthreads_and((int)poison);
    turned[n - 1 - i] = blockIdx.x * 1000 + i;
    if (i < 8) own[i] = blockIdx.x;
    const int any = __syncthreads_or(i == 3), count = __syncthreads_count(i % 3 == 0);
    for (int round = 0; round < 20; round++) {
        simt_yield();
        if (own[i % 8] != blockIdx.x) own[i % 8] = 0xdead;
        __syncthreads();
    }
    if (i < 64) fresh[i] = 0;
    p.out[blockIdx.x * n + i] =
        (unsigned long long)turned[i] << 32 | own[i % 8] << 16 | (unsigned)count << 2 | any << 1 | all_poison;
}

KERNEL(bits, out_parameters, p)
{
    unsigned long long *out = p.out;
    if (threadIdx.x != 0) return;
    *out++ = (unsigned)__clz(0) + 100 * __clz(1 << 20);
    *out++ = (unsigned)__clzll(0) + 100 * __clzll(1ll << 40);
    *out++ = (unsigned)__ffs(0) + 100 * __ffs(8) + 10000 * __ffsll(1ll << 40);
    *out++ = (unsigned)__popc(0xf0f0) + 100 * __popcll(~0ull);
    *out++ = __brev(0x00000001u) + __brev(0x12345678u);
    *out++ = __umul64hi(~0ull, 3) + __umulhi(0xffffffffu, 5) + (unsigned)__mulhi(1 << 30, 8);
    *out++ = __funnelshift_l(0x80000000u, 1, 1) + 10ull * __funnelshift_r(0x80000000u, 1, 31);
    *out++ = (unsigned long long)__double_as_longlong(__longlong_as_double(0x3ff0000000000001ll));
    *out++ = __float_as_uint(__uint_as_float(0x3f800001u)) + (unsigned)__float_as_int(__int_as_float(5));
    *out++ = (unsigned long long)__double2ll_rz(1e30) + (unsigned long long)__float2ll_rz(-2.5f);
    *out++ = (unsigned long long)(fma(1.0 + 0x1p-30, 1.0 - 0x1p-30, -1.0) * -0x1p60);
    *out++ = (unsigned long long)((__dmul_rn(1.0 + 0x1p-30, 1.0 - 0x1p-30) - 1.0) * -0x1p60);
    *out++ = sizeof(uint4) + 100 * alignof(uint4) + 10000 * alignof(double2) + 1000000 * alignof(uint2);
}
