/* SPDX-License-Identifier: MIT
 *
 * calls.c - how fast random calls are: any operator, type, shape, axes, layout and option that the interface takes, so
 * that no cliff hides between the cases of tally bench. Each call is first made on 2^20 bytes and compared with the
 * CPU's, then timed on 2^28. A line has the percent of what memory moves (GB/s given), the time, and the call; the
 * slowest are the cliffs (sort -n). With "compile" in place of GB/s the kernels of the calls are compiled and
 * nothing is timed, for processes side by side: STEP of them, each from its own FIRST on.
 *
 *   cc -O2 -Iinclude bench/calls.c build/libtally.a -o calls -lm -lpthread -ldl
 *   calls DEVICE SEED COUNT GBPS|compile [FIRST STEP] */
#define _POSIX_C_SOURCE 200809L
#include <tally.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SMALL ((int64_t)1 << 20)
#define LARGE ((int64_t)1 << 28)
#define ROOM(bytes) ((size_t)(bytes)*5 + (1 << 20))      /* of elements five apart: one, and a gap */
#define OUT_ROOM(bytes) ((size_t)(bytes)*16 + (1 << 20)) /* of the widest results */
#define LENGTH_OF(list) (sizeof(list) / sizeof(list)[0])
#define RUNS 4

#define CHECK(call)                                                        \
    do {                                                                   \
        if ((call) != TALLY_OK) {                                          \
            fprintf(stderr, "calls: %s: %s\n", #call, tally_last_error()); \
            exit(1);                                                       \
        }                                                                  \
    } while (0)

/* Memory of one device for calls of a size. */
struct memory {
    tally_context *context;
    int64_t bytes;
    void *x, *mask, *out;
};

struct call {
    tally_array x, where, out;
    tally_options options;
    int32_t axes[3];
    tally_verb verb;
    tally_op op;
    double initial[2], moved; /* bytes that must be read and written */
    char text[200];
};

static uint64_t state;

static uint64_t below(uint64_t n)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (state >> 20) % n;
}

static const tally_type types[] = {TALLY_BOOL, TALLY_I8,  TALLY_U8,  TALLY_I16, TALLY_U16,
                                   TALLY_I32,  TALLY_U32, TALLY_I64, TALLY_U64, TALLY_F16,
                                   TALLY_BF16, TALLY_F32, TALLY_F64, TALLY_C64, TALLY_C128};

/* Some lengths, one axis taking what is left. */
static int32_t draw_shape(int64_t elements, int64_t *shape)
{
    static const int64_t lengths[] = {1,  2,   3,   4,   5,   7,   8,    10,   16,   17,   24,    32,    33,
                                      64, 100, 127, 128, 255, 256, 1000, 1024, 4096, 4097, 30000, 65536, 100003};
    const int32_t rank = 1 + (int32_t)below(3);
    int64_t taken = 1;
    for (int32_t d = 0; d + 1 < rank; d++) {
        const int64_t length = lengths[below(LENGTH_OF(lengths))];
        shape[d] = length < elements / taken ? length : 1;
        taken *= shape[d];
    }
    shape[rank - 1] = elements / taken;
    const uint64_t place = below((uint64_t)rank);
    const int64_t long_one = shape[rank - 1];
    shape[rank - 1] = shape[place];
    shape[place] = long_one;
    return rank;
}

/* Strides and place of x; what is special about them. */
static const char *draw_layout(struct call *call, const char *room)
{
    static const char *const names[] = {"-",      "-",           "-",         "-",         "padded",
                                        "turned", "every other", "backwards", "misaligned"};
    const uint64_t layout = below(LENGTH_OF(names));
    tally_array *x = &call->x;
    int64_t stride = layout == 6 ? 2 : 1, size = (int64_t)tally_type_size(x->type);
    for (int32_t k = 0; k < x->rank; k++) {
        const int32_t d = layout == 5 ? k : x->rank - 1 - k;
        x->strides[d] = stride;
        stride = stride * x->shape[d] + (k == 0 && layout == 4 ? 1 + (int64_t)below(4) : 0);
    }
    x->data = (void *)(uintptr_t)(room + (layout == 8 ? size : 0));
    if (layout == 7) {
        x->data = (char *)x->data + (x->shape[x->rank - 1] - 1) * size;
        x->strides[x->rank - 1] = -1;
    }
    call->moved = (double)stride * (double)size;
    return names[layout];
}

static const char *draw_option(struct call *call, const void *mask)
{
    const int is_float = call->x.type >= TALLY_F16;
    switch (below(10)) {
    case 0:
        call->where = tally_shaped(mask, TALLY_BOOL, call->x.rank, call->x.shape);
        call->options.where = &call->where;
        call->moved += (double)(call->where.shape[0] * call->where.strides[0]);
        return "masked";
    case 1:
        call->options.flags |= is_float ? TALLY_SKIP_NAN : TALLY_CHECK_OVERFLOW;
        return is_float ? "skip_nan" : "check";
    case 2: call->options.initial = call->initial; return "initial";
    case 3: call->options.type = types[below(LENGTH_OF(types))]; return "to";
    case 4: call->options.flags |= is_float ? TALLY_PLAIN : 0; return is_float ? "plain" : "";
    default: return "";
    }
}

static int draw_axes(struct call *call)
{
    int count = 0;
    if (call->verb == TALLY_SCAN) call->axes[count++] = (int32_t)below((uint64_t)call->x.rank);
    for (int32_t d = 0; d < call->x.rank && call->verb == TALLY_REDUCE; d++)
        if (below(2) || (d == call->x.rank - 1 && count == 0)) call->axes[count++] = d;
    return count;
}

/* Call number n of a seed, on so many bytes; false where there is none like that. */
static int draw_call(struct call *call, uint64_t seed, int n, int count, const struct memory *memory)
{
    static const tally_op scans[] = {TALLY_SUM, TALLY_SUM,     TALLY_PROD,   TALLY_MIN,     TALLY_MAX,      TALLY_ANY,
                                     TALLY_ALL, TALLY_BIT_AND, TALLY_BIT_OR, TALLY_BIT_XOR, TALLY_LOGSUMEXP};
    const tally_type type = types[(size_t)n * LENGTH_OF(types) / (size_t)count];
    int64_t shape[3];
    *call = (struct call){.options = TALLY_OPTIONS_INIT};
    state = 88172645463325252u ^ seed << 32 ^ (uint64_t)(n + 1) * 0x9E3779B97F4A7C15u;
    for (int i = 0; i < 20; i++) below(2);
    const int32_t rank = draw_shape(memory->bytes / (int64_t)tally_type_size(type), shape);
    call->verb = below(2) ? TALLY_SCAN : TALLY_REDUCE;
    call->op = call->verb == TALLY_SCAN ? scans[below(LENGTH_OF(scans))] : 1 + below(TALLY_LAST);
    call->x = tally_shaped(NULL, type, rank, shape);
    const char *layout = draw_layout(call, (const char *)memory->x + 4096), *option = draw_option(call, memory->mask);
    call->options.axis_count = draw_axes(call);
    call->options.axes = call->axes;
    if (call->verb == TALLY_SCAN)
        call->options.flags |= (below(3) ? 0 : TALLY_EXCLUSIVE) | (below(3) ? 0 : TALLY_REVERSE);
    if (call->op == TALLY_DOT) call->options.second = &call->x;
    if (tally_result_like(call->verb, call->op, &call->x, &call->options, &call->out) != TALLY_OK) return 0;
    double results = (double)tally_type_size(call->out.type);
    for (int32_t d = 0; d < call->out.rank; d++) results *= (double)call->out.shape[d];
    call->moved += results;
    call->out.data = memory->out;
    int used = snprintf(call->text, sizeof call->text, "#%d %s %s %s -> %s, shape", n,
                        call->verb == TALLY_SCAN ? "scan" : "reduce", tally_op_name(call->op), tally_type_name(type),
                        tally_type_name(call->out.type));
    for (int32_t d = 0; d < rank; d++)
        used += snprintf(call->text + used, sizeof call->text - (size_t)used, " %lld", (long long)shape[d]);
    used += snprintf(call->text + used, sizeof call->text - (size_t)used, ", axes");
    for (int32_t i = 0; i < call->options.axis_count; i++)
        used += snprintf(call->text + used, sizeof call->text - (size_t)used, " %d", (int)call->axes[i]);
    snprintf(call->text + used, sizeof call->text - (size_t)used, ", %s, %s, flags %u", layout, option,
             call->options.flags);
    return 1;
}

static tally_status plan_of(tally_context *context, const struct call *call, tally_plan **plan)
{
    return call->verb == TALLY_REDUCE ? tally_plan_reduce(context, call->op, &call->x, &call->out, &call->options, plan)
                                      : tally_plan_scan(context, call->op, &call->x, &call->out, &call->options, plan);
}

static tally_status make(tally_context *context, const struct call *call)
{
    return call->verb == TALLY_REDUCE ? tally_reduce(context, call->op, &call->x, &call->out, &call->options)
                                      : tally_scan(context, call->op, &call->x, &call->out, &call->options);
}

/* ---- memory ---- */

static struct memory memory_of(tally_context *context, int64_t bytes)
{
    struct memory memory = {.context = context, .bytes = bytes};
    CHECK(tally_alloc(context, ROOM(bytes), &memory.x));
    CHECK(tally_alloc(context, ROOM(bytes), &memory.mask));
    CHECK(tally_alloc(context, OUT_ROOM(bytes), &memory.out));
    return memory;
}

/* Floats of both signs in eight binades, integers of any bits. */
static void fill(const struct memory *memory, tally_type type, char *host)
{
    const size_t size = tally_type_size(type), period = (size_t)1 << 20, room = ROOM(memory->bytes);
    state = 12345678912345u;
    for (size_t i = 0; i < period; i += type == TALLY_F64 || type == TALLY_C128 ? 8 : type >= TALLY_F32 ? 4 : size) {
        const uint64_t bits = below((uint64_t)1 << 44), sign = bits & 1, power = bits >> 1 & 7;
        const uint64_t f64 = sign << 63 | (1020 + power) << 52 | bits << 8;
        const uint32_t f32 = (uint32_t)(sign << 31 | (124 + power) << 23 | (bits >> 8 & 0x7fffff));
        const uint16_t bf16 = (uint16_t)(f32 >> 16),
                       f16 = (uint16_t)(sign << 15 | (12 + power) << 10 | (bits >> 8 & 0x3ff));
        if (type == TALLY_F64 || type == TALLY_C128) memcpy(host + i, &f64, 8);
        else if (type >= TALLY_F32) memcpy(host + i, &f32, 4);
        else if (type == TALLY_BF16) memcpy(host + i, &bf16, 2);
        else if (type == TALLY_F16) memcpy(host + i, &f16, 2);
        else if (type == TALLY_BOOL) host[i] = (char)sign;
        else memcpy(host + i, &bits, size < 8 ? size : 8);
    }
    for (size_t done = period; done < room; done *= 2)
        memcpy(host + done, host, room - done < done ? room - done : done);
    CHECK(tally_copy(memory->context, memory->x, host, room));
    for (size_t i = 0; i < room; i++) host[i] = (char)((uint32_t)i * 2654435761u >> 13 & 1);
    CHECK(tally_copy(memory->context, memory->mask, host, room));
}

/* ---- what is done with a call ---- */

/* Whether a small one has the CPU's bits; calls that fail on both are alike, too. */
static int agrees(const struct memory *near, const struct memory *far, uint64_t seed, int n, int count, char *host)
{
    struct call here, there;
    if (!draw_call(&here, seed, n, count, near) || !draw_call(&there, seed, n, count, far)) return 1;
    const size_t bytes = OUT_ROOM(near->bytes);
    memset(near->out, 0xab, bytes);
    CHECK(tally_copy(far->context, far->out, near->out, bytes));
    const tally_status status = make(far->context, &there);
    if (status == TALLY_OUT_OF_MEMORY || status == TALLY_DEVICE_ERROR) return 0;
    CHECK(tally_copy(far->context, host, far->out, bytes));
    return make(near->context, &here) == status && (status != TALLY_OK || memcmp(near->out, host, bytes) == 0);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static void time_call(const struct memory *memory, const struct call *call, tally_plan *plan, double gbps)
{
    double best = INFINITY;
    CHECK(tally_plan_run(plan));
    if (tally_synchronize(memory->context) != TALLY_OK) return;
    for (int round = 0; round < 2; round++) {
        const double begin = now();
        for (int i = 0; i < RUNS; i++) CHECK(tally_plan_run(plan));
        CHECK(tally_synchronize(memory->context));
        const double us = (now() - begin) / RUNS;
        if (us < best) best = us;
    }
    printf("%5.1f %% %10.1f us  %s\n", call->moved / best * 1e-3 / gbps * 100, best, call->text);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    if (argc != 5 && argc != 7) {
        fprintf(stderr, "usage: calls DEVICE SEED COUNT GBPS|compile [FIRST STEP]\n");
        return 2;
    }
    const uint64_t seed = strtoull(argv[2], NULL, 10);
    const int count = atoi(argv[3]), first = argc > 5 ? atoi(argv[5]) : 0, step = argc > 5 ? atoi(argv[6]) : 1;
    const double gbps = atof(argv[4]);
    tally_context *device, *cpu;
    tally_type filled = TALLY_DEFAULT_TYPE;
    int wrong = 0;
    CHECK(tally_open(argv[1], &device));
    CHECK(tally_open("cpu", &cpu));
    const struct memory near = memory_of(cpu, SMALL), far = memory_of(device, SMALL), large = memory_of(device, LARGE);
    char *host = malloc(ROOM(LARGE));
    for (int n = first; n < count && host; n += step) {
        struct call call;
        tally_plan *plan = NULL;
        if (!draw_call(&call, seed, n, count, &near)) continue;
        if (gbps > 0 && call.x.type != filled) {
            filled = call.x.type;
            fill(&near, filled, host);
            fill(&far, filled, host);
            fill(&large, filled, host);
        }
        if (gbps > 0 && !agrees(&near, &far, seed, n, count, host)) {
            printf("WRONG %s\n", call.text);
            wrong++;
            continue;
        }
        if (gbps <= 0 && draw_call(&call, seed, n, count, &far) && plan_of(device, &call, &plan) == TALLY_OK) {
            tally_plan_free(plan);
            plan = NULL;
        }
        if (!draw_call(&call, seed, n, count, &large) || plan_of(device, &call, &plan) != TALLY_OK) continue;
        if (gbps > 0) time_call(&large, &call, plan, gbps);
        tally_plan_free(plan);
    }
    printf("%d wrong\n", wrong);
    free(host);
    return wrong > 0;
}
