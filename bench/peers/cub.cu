/* SPDX-License-Identifier: MIT
 *
 * cub.cu - CUB's times for the cases that tally bench wrote, on the same data. One program per element type.
 *
 * Build: nvcc -O3 -std=c++17 -arch=native -DELEMENT=f32 [-I of another CCCL] cub.cu -o cub-f32
 * Run:   cub-f32 CASES FOLDER    CASES by bench/merge.py --cases; FOLDER has f32-8.raw and so on by tally bench --data
 *
 * A line of JSON per case that CUB can do: its key, a name and times. "cub" adds in the elements' own type; "cub_wide"
 * in the type that tally gives back (integers: i64) or, for 2-byte floats, in f32; "cub_gpu_to_gpu" asks for sums that
 * do not depend on the GPU. Timed as cli/bench_time.c does. */
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/version.cuh>
#include <cuda/functional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#if __has_include(<cuda/execution>)
#include <cuda/execution>
#endif

#include "peer.cuh"

namespace {

const T *window(const problem &p, int number)
{
    const size_t bytes = (size_t)(p.elements() + p.offset) * sizeof(T), step = (bytes + 255) / 256 * 256;
    const size_t windows = std::max<size_t>(1, pool_bytes / step), apart = windows > 128 ? windows / 32 : 1;
    return reinterpret_cast<const T *>(pool + number * apart % windows * step) + p.offset;
}

template <class R> R *place(const problem &p)
{
    return reinterpret_cast<R *>(output) + p.offset;
}

// Templates, so that nothing is compiled of what a type does not have.
template <class T, class W> void reduce_everything(const problem &p)
{
    const long long n = p.elements();
    size_t bytes = scratch_bytes;
    T *to = place<T>(p);
    if (p.op == "sum") {
        run<T>(p, "cub", 1, is_integer || sizeof(T) > 2, [&](int i) {
            bytes = scratch_bytes;
            return cub::DeviceReduce::Sum(scratch, bytes, window(p, i), to, n);
        });
        if constexpr (!std::is_same<T, W>::value) {
            W *wide = place<W>(p);
            run<W>(p, "cub_wide", 1, is_integer || p.offset == 0, [&](int i) {
                bytes = scratch_bytes;
                return cub::DeviceReduce::Reduce(scratch, bytes, window(p, i), wide, n, cuda::std::plus<W>{}, W{});
            });
        }
#if CUB_VERSION >= 300200 && __has_include(<cuda/execution>)
        if constexpr (std::is_same<T, float>::value || std::is_same<T, double>::value) {
            const auto same = cuda::execution::require(cuda::execution::determinism::gpu_to_gpu);
            if (n < 1ll << 31) {
                run<T>(p, "cub_gpu_to_gpu", 1, true, [&](int i) {
                    return cub::DeviceReduce::Reduce(window(p, i), to, (int)n, cuda::std::plus<T>{}, T{}, same);
                });
            }
        }
#endif
    }
    if (p.op == "max") {
        run<T>(p, "cub", 1, true, [&](int i) {
            bytes = scratch_bytes;
            return cub::DeviceReduce::Max(scratch, bytes, window(p, i), to, n);
        });
    }
    if (p.op == "min") {
        run<T>(p, "cub", 1, true, [&](int i) {
            bytes = scratch_bytes;
            return cub::DeviceReduce::Min(scratch, bytes, window(p, i), to, n);
        });
    }
    if (p.op == "argmax") {
        long long *index = place<long long>(p);
        T *value = reinterpret_cast<T *>(output + output_bytes / 2);
        run<long long>(p, "cub", 1, false, [&](int i) {
            bytes = scratch_bytes;
            return cub::DeviceReduce::ArgMax(scratch, bytes, window(p, i), value, index, n);
        });
    }
}

template <class T, class W> void scan_everything(const problem &p)
{
    const long long n = p.elements();
    size_t bytes = scratch_bytes;
    T *to = place<T>(p);
    if (p.has("reverse")) return;
    if (p.op == "sum" && p.has("exclusive")) {
        run<T>(p, "cub", n, false, [&](int i) {
            bytes = scratch_bytes;
            return cub::DeviceScan::ExclusiveSum(scratch, bytes, window(p, i), to, n);
        });
    } else if (p.op == "sum") {
        run<T>(p, "cub", n, is_integer || sizeof(T) > 2, [&](int i) {
            bytes = scratch_bytes;
            return cub::DeviceScan::InclusiveSum(scratch, bytes, window(p, i), to, n);
        });
        if constexpr (!std::is_same<T, W>::value) {
            W *wide = place<W>(p);
            if (n * sizeof(W) <= output_bytes && !p.has("to_" TEXT(ELEMENT))) {
                run<W>(p, "cub_wide", n, is_integer, [&](int i) {
                    bytes = scratch_bytes;
                    return cub::DeviceScan::InclusiveScanInit(scratch, bytes, window(p, i), wide, cuda::std::plus<W>{},
                                                              W{}, n);
                });
            }
        }
    } else if (p.op == "max" && !p.has("exclusive")) {
        run<T>(p, "cub", n, true, [&](int i) {
            bytes = scratch_bytes;
            return cub::DeviceScan::InclusiveScan(scratch, bytes, window(p, i), to, cuda::maximum<T>{}, n);
        });
    }
}

#if CUB_VERSION < 300100
struct times_length {
    long long length;
    __host__ __device__ long long operator()(long long row) const
    {
        return row * length;
    }
};
#endif

// Rows of one length: newer ones have a function for them.
void reduce_rows(const problem &p)
{
    const long long rows = p.shape[0], length = p.shape[1];
    size_t bytes = scratch_bytes;
    T *to = place<T>(p);
#if CUB_VERSION >= 300100
    const auto sums = [&](int i) {
        bytes = scratch_bytes;
        return cub::DeviceSegmentedReduce::Sum(scratch, bytes, window(p, i), to, rows, (int)length);
    };
    const auto maxima = [&](int i) {
        bytes = scratch_bytes;
        return cub::DeviceSegmentedReduce::Max(scratch, bytes, window(p, i), to, rows, (int)length);
    };
#else
    const auto begins = thrust::make_transform_iterator(thrust::make_counting_iterator(0ll), times_length{length});
    const auto sums = [&](int i) {
        bytes = scratch_bytes;
        return cub::DeviceSegmentedReduce::Sum(scratch, bytes, window(p, i), to, rows, begins, begins + 1);
    };
    const auto maxima = [&](int i) {
        bytes = scratch_bytes;
        return cub::DeviceSegmentedReduce::Max(scratch, bytes, window(p, i), to, rows, begins, begins + 1);
    };
#endif
    if (length >= 1ll << 31) return;
    if (p.op == "sum") run<T>(p, "cub", rows, is_integer || sizeof(T) > 2, sums);
    if (p.op == "max") run<T>(p, "cub", rows, true, maxima);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: cub-%s CASES FOLDER\n", TEXT(ELEMENT));
        return 2;
    }
    const std::vector<problem> cases = read_cases(argv[1]);
    pool_bytes = output_bytes = (size_t)256 << 20;
    for (const problem &p : cases) {
        const size_t bytes = ((size_t)p.elements() + 256) * sizeof(T);
        const size_t results = p.verb == "scan" ? p.elements() : p.axis >= 0 ? p.elements() / p.shape[p.axis] : 1;
        const bool widened = p.verb == "scan" && p.axis < 0 && p.op == "sum" && results <= (size_t)1 << 28;
        pool_bytes = std::max(pool_bytes, bytes);
        output_bytes = std::max(output_bytes, (results + 256) * (widened ? sizeof(wide_element) : sizeof(T)));
    }
    output_bytes = (output_bytes + 1023) / 1024 * 1024; // halves of it are aligned, too
    for (cudaEvent_t &mark : marks) CHECK(cudaEventCreate(&mark));
    CHECK(cudaMalloc(&pool, pool_bytes));
    CHECK(cudaMalloc(&output, output_bytes));
    CHECK(cudaMalloc(&scratch, scratch_bytes));
    for (const problem &p : cases) {
        if (!fill_pool(argv[2], p.spread)) continue;
        if (p.axis < 0 && p.verb == "reduce") reduce_everything<element, wide_element>(p);
        else if (p.axis < 0) scan_everything<element, wide_element>(p);
        else if (p.axis == 1 && p.verb == "reduce") reduce_rows(p);
    }
    return 0;
}
