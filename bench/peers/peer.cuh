/* SPDX-License-Identifier: MIT
 *
 * peer.cuh - what a peer in CUDA C++ needs around its calls, as peer.py is for those in Python: cases, elements, and
 * time as cli/bench_time.c takes it. One element type per program: ELEMENT. */
#ifndef TALLY_PEER_CUH
#define TALLY_PEER_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#ifndef ELEMENT
#define ELEMENT f32
#endif
#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

namespace {

// Its own type, and the one that tally gives sums back in (2-byte floats: in which additions lose little).
#define TYPE(name, own, sum) \
    struct name {            \
        using type = own;    \
        using wide = sum;    \
    }
TYPE(i8, int8_t, int64_t);
TYPE(i16, int16_t, int64_t);
TYPE(i32, int32_t, int64_t);
TYPE(i64, int64_t, int64_t);
TYPE(f16, __half, float);
TYPE(bf16, __nv_bfloat16, float);
TYPE(f32, float, float);
TYPE(f64, double, double);
using element = ELEMENT::type;
using wide_element = ELEMENT::wide;
using T = element;
constexpr bool is_integer = std::is_integral<T>::value;

void check(cudaError_t error, const char *file, int line)
{
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(error));
    exit(1);
}
#define CHECK(call) check((call), __FILE__, __LINE__)

// ---- Cases and data ----

struct problem {
    std::string key, verb, op, type, variant, spread;
    int axis = -1;
    long long offset = 0, gap = 0, shape[2] = {1, 1};
    double first = NAN, last = NAN; // tally's results

    long long elements() const
    {
        return shape[0] * shape[1];
    }
    bool has(const char *word) const
    {
        return ("+" + variant + "+").find(std::string("+") + word + "+") != std::string::npos;
    }
};

std::vector<problem> read_cases(const char *file)
{
    std::vector<problem> all;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        problem p;
        std::string first, last;
        words >> p.key >> p.verb >> p.op >> p.type >> p.axis >> p.variant >> p.offset >> p.gap >> p.spread >>
            p.shape[0] >> p.shape[1] >> first >> last;
        p.first = atof(first.c_str());
        p.last = atof(last.c_str());
        if (words && p.type == TEXT(ELEMENT) && p.gap == 0 && !p.has("plain") &&
            p.variant.find("mod_") == std::string::npos)
            all.push_back(p);
    }
    return all;
}

size_t pool_bytes, output_bytes, scratch_bytes = (size_t)256 << 20;
char *pool, *output, *scratch;
std::string pool_spread;
double mean_magnitude; // of the pool's elements

[[maybe_unused]] double as_double(double x)
{
    return x;
}
[[maybe_unused]] double as_double(float x)
{
    return x;
}
[[maybe_unused]] double as_double(__half x)
{
    return __half2float(x);
}
[[maybe_unused]] double as_double(__nv_bfloat16 x)
{
    return __bfloat162float(x);
}
template <class I> std::enable_if_t<std::is_integral<I>::value, double> as_double(I x)
{
    return (double)x;
}

bool fill_pool(const std::string &folder, const std::string &spread)
{
    if (pool_spread == spread) return true;
    std::ifstream in(folder + "/" TEXT(ELEMENT) "-" + spread + ".raw", std::ios::binary);
    std::vector<char> period((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (period.empty()) return false;
    std::vector<T> elements(period.size() / sizeof(T));
    memcpy(static_cast<void *>(elements.data()), period.data(), elements.size() * sizeof(T));
    mean_magnitude = 0;
    for (const T &x : elements) mean_magnitude += std::fabs(as_double(x)) / (double)elements.size();
    size_t done = std::min(period.size(), pool_bytes);
    CHECK(cudaMemcpy(pool, period.data(), done, cudaMemcpyHostToDevice));
    while (done < pool_bytes) {
        const size_t more = std::min(done, pool_bytes - done);
        CHECK(cudaMemcpy(pool + done, pool, more, cudaMemcpyDeviceToDevice));
        done += more;
    }
    pool_spread = spread;
    return true;
}

// ---- Time ----

constexpr int RUNS = 31, WARM = 4, ROUNDS = 7, CALLS = 41;
constexpr long long SHORT = 1ll << 22;
constexpr size_t HOT_BYTES = (size_t)24 << 20;
cudaEvent_t marks[RUNS + 1];

__global__ void spin(long long cycles)
{
    const long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

double between(int from, int to)
{
    float ms = 0;
    CHECK(cudaEventSynchronize(marks[to]));
    CHECK(cudaEventElapsedTime(&ms, marks[from], marks[to]));
    return 1e3 * ms;
}

// Reads other memory: what is written would still have to leave the cache while the next work is timed.
__global__ void read_all(const uint4 *from, size_t count, unsigned *to)
{
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    unsigned all = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += stride) {
        const uint4 v = from[i];
        all ^= v.x ^ v.y ^ v.z ^ v.w;
    }
    if (all == 0x5a5a1234) *to = all; // so that the compiler leaves the loop in
}

void flush()
{
    read_all<<<1024, 256>>>(reinterpret_cast<const uint4 *>(scratch), scratch_bytes / 16,
                            reinterpret_cast<unsigned *>(scratch));
}

template <class Call> double time_runs(const Call &call, int runs)
{
    std::vector<double> times;
    CHECK(cudaEventRecord(marks[0]));
    for (int i = 0; i < runs; i++) {
        CHECK(call(i));
        CHECK(cudaEventRecord(marks[i + 1]));
    }
    for (int i = runs > 2 * WARM ? WARM : 0; i < runs; i++) times.push_back(between(i, i + 1));
    return median(times);
}

template <class Call> double time_batch(const Call &call, bool cold)
{
    std::vector<double> times;
    for (int r = 0; r < ROUNDS; r++) {
        if (cold) flush();
        spin<<<1, 1>>>(1000000);
        CHECK(cudaEventRecord(marks[0]));
        for (int i = 0; i < RUNS; i++) CHECK(call(cold ? i : 0));
        CHECK(cudaEventRecord(marks[1]));
        times.push_back(between(0, 1) / RUNS);
    }
    return median(times);
}

template <class Call> double time_calls(const Call &call)
{
    std::vector<double> times;
    for (int i = -2; i < CALLS; i++) {
        const auto begin = std::chrono::steady_clock::now();
        CHECK(call(0));
        CHECK(cudaDeviceSynchronize());
        const std::chrono::duration<double, std::micro> us = std::chrono::steady_clock::now() - begin;
        if (i >= 0) times.push_back(us.count());
    }
    return median(times);
}

// call(window) enqueues the work on one window of the input. size: of a result; results: how many there are.
template <class R, class Call>
void run(const problem &p, const char *name, long long results, bool exact, const Call &call)
{
    const double length = p.axis < 0 ? (double)p.elements() : (double)p.shape[p.axis];
    CHECK(call(0));
    R got[2];
    CHECK(cudaMemcpy(got, output + p.offset * sizeof(R), sizeof(R), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(got + 1, output + (p.offset + results - 1) * sizeof(R), sizeof(R), cudaMemcpyDeviceToHost));
    const double epsilon = sizeof(R) == 8 ? 2.3e-16 : 1.2e-7;
    const double most = p.op == "sum" ? 32 * epsilon * length * mean_magnitude : 0;
    const double want[2] = {p.first, p.last};
    for (int i = 0; i < 2 && exact; i++) {
        // Integers wrap; what a double cannot hold is compared as far as it goes.
        double wanted = want[i], difference;
        if (is_integer && sizeof(R) < 8 && std::fabs(wanted) < 9e15) wanted = as_double((R)(int64_t)wanted);
        difference = std::fabs(as_double(got[i]) - wanted);
        // tally's result is of the elements' own type
        const double rounded = is_integer ? 1e-15 : sizeof(element) == 2 && sizeof(R) > 2 ? 1e-2 : 0;
        if (difference > rounded * std::fabs(wanted) + (is_integer ? 0 : most)) {
            fprintf(stderr, "%s of %s is wrong: %.17g instead of %.17g\n", name, p.key.c_str(), as_double(got[i]),
                    wanted);
            return;
        }
    }
    const double once = time_runs(call, 1);
    const int runs = once * RUNS < 300e3 ? RUNS : once > 100e3 ? 1 : (int)(300e3 / once);
    const bool is_short = p.elements() <= SHORT;
    printf("{\"key\": \"%s\", \"name\": \"%s\", \"us\": %.3f", p.key.c_str(), name,
           is_short ? time_batch(call, true) : time_runs(call, runs));
    if (is_short && p.elements() * sizeof(T) + results * sizeof(R) <= HOT_BYTES) {
        printf(", \"hot_us\": %.3f", time_batch(call, false));
    }
    if (is_short) printf(", \"call_us\": %.3f", time_calls(call));
    printf("}\n");
    fflush(stdout);
}

} // namespace

#endif
