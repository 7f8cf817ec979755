/* SPDX-License-Identifier: MIT
 *
 * lines.c - times calls that lines of a file name, so that two builds, or two folders of kernels (TALLY_KERNEL_DIR),
 * can be compared call by call: bench/lines.py puts their lines side by side. A line is
 *
 *   VERB OP TYPE SHAPE AXES FLAGS DATA        scan sum f32 65536x4096 1 reverse,exclusive eight
 *
 *   VERB   reduce, scan
 *   AXES   0,2 or "all"
 *   FLAGS  "-", or of: reverse exclusive plain skip check masked initial to:TYPE (what is done);
 *          padded every backwards turned misaligned (how elements lie); shifted (the result begins one element further)
 *   DATA   eight (floats of both signs in 8 binades), uniform, positive (8 binades), normal, forty (binades), all
 *          (exponents), holes (9.97e36 in one of 100), nan (in one of 100), wide (integers of all bits), near (small
 * ones)
 *
 * It prints microseconds of the fastest of some rounds, percent of GBPS and a hash of the result's bits before each
 * line. With "check" in place of GBPS nothing is timed; with "compile" nothing is run, for processes side by side:
 * STEP of them, each from its own FIRST on.
 *
 *   cc -O2 -Iinclude bench/lines.c build/libtally.a -o lines -lm -lpthread -ldl
 *   lines DEVICE GBPS|check|compile [FIRST STEP] < FILE */
#define _POSIX_C_SOURCE 200809L
#include <tally.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PERIOD 1000003 /* elements until data comes again, so that it lies otherwise in each row */
#define ROUNDS 7
#define BEGIN 4096 /* bytes before the first element */

#define CHECK(call)                                                        \
    do {                                                                   \
        if ((call) != TALLY_OK) {                                          \
            fprintf(stderr, "lines: %s: %s\n", #call, tally_last_error()); \
            exit(1);                                                       \
        }                                                                  \
    } while (0)

struct call {
    tally_verb verb;
    tally_op op;
    tally_array x, where, out;
    tally_options options;
    int32_t axes[8];
    int64_t span; /* elements from the first of x to the last, and one */
    int shifted, misaligned, turned, every, padded, backwards, masked;
    double initial[2], moved;
    char data[16];
};

/* Memory that grows with the calls, and what x has now. */
static struct memory {
    tally_context *context;
    void *x, *mask, *out;
    size_t x_room, mask_room, out_room;
    char filled[80];
} memory;

/* ---- lines ---- */

static tally_type type_of(const char *name)
{
    for (tally_type type = TALLY_BOOL; type <= TALLY_C128; type++)
        if (!strcmp(name, tally_type_name(type))) return type;
    fprintf(stderr, "lines: no type '%s'\n", name);
    exit(2);
}

static tally_op op_of(const char *name)
{
    for (tally_op op = TALLY_SUM; op <= TALLY_LAST; op++)
        if (!strcmp(name, tally_op_name(op))) return op;
    fprintf(stderr, "lines: no operator '%s'\n", name);
    exit(2);
}

static void read_flag(struct call *call, const char *flag)
{
    const struct {
        const char *name;
        uint32_t bit;
        int *layout;
    } flags[] = {{"reverse", TALLY_REVERSE, NULL},      {"exclusive", TALLY_EXCLUSIVE, NULL},
                 {"plain", TALLY_PLAIN, NULL},          {"skip", TALLY_SKIP_NAN, NULL},
                 {"check", TALLY_CHECK_OVERFLOW, NULL}, {"masked", 0, &call->masked},
                 {"padded", 0, &call->padded},          {"every", 0, &call->every},
                 {"backwards", 0, &call->backwards},    {"turned", 0, &call->turned},
                 {"misaligned", 0, &call->misaligned},  {"shifted", 0, &call->shifted}};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (!strcmp(flag, flags[i].name)) {
            call->options.flags |= flags[i].bit;
            if (flags[i].layout) *flags[i].layout = 1;
            return;
        }
    if (!strcmp(flag, "initial")) call->options.initial = call->initial;
    else if (!strncmp(flag, "to:", 3)) call->options.type = type_of(flag + 3);
    else if (strcmp(flag, "-")) fprintf(stderr, "lines: no flag '%s'\n", flag), exit(2);
}

/* Strides in elements, as the flags say, and from where to where they reach. */
static void lay_out(struct call *call)
{
    tally_array *x = &call->x;
    int64_t stride = call->every ? 2 : 1;
    for (int32_t k = 0; k < x->rank; k++) {
        const int32_t d = call->turned ? k : x->rank - 1 - k;
        x->strides[d] = stride;
        stride = stride * x->shape[d] + (k == 0 && call->padded ? 3 : 0);
    }
    call->span = stride + call->misaligned;
    if (call->backwards) x->strides[x->rank - 1] *= -1;
}

/* Reads a line; false for an empty one, a comment, or a call that there is not. */
static int read_call(const char *line, struct call *call)
{
    char verb[16], op[24], type[16], shape[80], axes[40], flags[80];
    int64_t lengths[TALLY_MAX_RANK];
    int32_t rank = 0;
    *call = (struct call){.options = TALLY_OPTIONS_INIT};
    if (line[0] == '#' ||
        sscanf(line, "%15s %23s %15s %79s %39s %79s %15s", verb, op, type, shape, axes, flags, call->data) != 7)
        return 0;
    call->verb = strcmp(verb, "scan") ? TALLY_REDUCE : TALLY_SCAN;
    call->op = op_of(op);
    for (char *at = strtok(shape, "x"); at; at = strtok(NULL, "x")) lengths[rank++] = strtoll(at, NULL, 10);
    call->x = tally_shaped(NULL, type_of(type), rank, lengths);
    for (char *at = strtok(axes, ","); at && strcmp(at, "all"); at = strtok(NULL, ","))
        call->axes[call->options.axis_count++] = atoi(at);
    for (int32_t d = 0; call->options.axis_count == 0 && d < rank && d < 8; d++) call->axes[d] = d;
    if (call->options.axis_count == 0) call->options.axis_count = rank;
    call->options.axes = call->axes;
    for (char *at = strtok(flags, ","); at; at = strtok(NULL, ",")) read_flag(call, at);
    lay_out(call);
    call->x.data = (void *)(uintptr_t)BEGIN; /* of some memory, as nothing is read yet */
    call->where = tally_shaped(call->x.data, TALLY_BOOL, rank, call->x.shape);
    if (call->masked) call->options.where = &call->where;
    if (call->op == TALLY_DOT) call->options.second = &call->x;
    if (tally_result_like(call->verb, call->op, &call->x, &call->options, &call->out) == TALLY_OK) return 1;
    fprintf(stderr, "lines: %s: %s\n", line, tally_last_error());
    return 0;
}

static double elements_of(const tally_array *array)
{
    double n = 1;
    for (int32_t d = 0; d < array->rank; d++) n *= (double)array->shape[d];
    return n;
}

/* ---- data ---- */

static uint64_t mixed(uint64_t n)
{
    n = (n + 1) * 0x9E3779B97F4A7C15u;
    n = (n ^ n >> 30) * 0xBF58476D1CE4E5B9u;
    n = (n ^ n >> 27) * 0x94D049BB133111EBu;
    return n ^ n >> 31;
}

static double unit(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

/* A float of a kind; exponents of all sizes only as far as the type has them. */
static double number_of(const char *data, uint64_t n, int least, int most)
{
    const uint64_t bits = mixed(n), other = mixed(~n);
    const double sign = bits & 1 ? -1 : 1, fraction = 1 + unit(other);
    if (!strcmp(data, "uniform")) return unit(other);
    if (!strcmp(data, "normal")) return sqrt(-2 * log(1 - unit(other))) * cos(6.283185307179586 * unit(bits));
    if (!strcmp(data, "positive")) return ldexp(fraction, (int)(bits >> 1 & 7) - 4);
    if (!strcmp(data, "holes") && bits >> 8 & 0xff80 && (bits >> 24) % 100 == 0) return most > 127 ? 1.7e300 : 9.97e36;
    if (!strcmp(data, "nan") && (bits >> 24) % 100 == 0) return NAN;
    if (!strcmp(data, "forty")) return sign * ldexp(fraction, (int)((bits >> 1) % 40) - 20);
    if (!strcmp(data, "all")) return sign * ldexp(fraction, least + (int)((bits >> 1) % (uint64_t)(most - least)));
    return sign * ldexp(fraction, (int)(bits >> 1 & 7) - 4);
}

static uint16_t half_of(double value)
{
    const float magnitude = fabsf((float)value);
    const uint16_t sign = value < 0 ? 0x8000 : 0;
    int power;
    if (isnan(value)) return 0x7e00;
    if (magnitude >= 65504) return sign | 0x7bff;
    if (magnitude < 0x1p-14F) return (uint16_t)(sign | (int)(magnitude * 0x1p24F));
    const float fraction = frexpf(magnitude, &power);
    return (uint16_t)(sign | (power + 14) << 10 | ((int)(fraction * 2048) & 0x3ff));
}

static void put(char *at, tally_type type, const char *data, uint64_t n)
{
    const double f64 = type == TALLY_F64 || type == TALLY_C128 ? number_of(data, n, -1022, 1000)
                       : type == TALLY_F16                     ? number_of(data, n, -14, 14)
                       : type > TALLY_F16                      ? number_of(data, n, -126, 120)
                                                               : 0;
    const float f32 = (float)f64;
    const uint64_t wide = mixed(n), bits = strcmp(data, "near") ? wide : wide % 100;
    uint32_t word;
    memcpy(&word, &f32, sizeof word);
    const uint16_t bf16 = (uint16_t)(word >> 16), f16 = half_of(f64);
    switch (type) {
    case TALLY_BOOL: *at = (char)(wide & 1); break;
    case TALLY_F64:
    case TALLY_C128: memcpy(at, &f64, 8); break;
    case TALLY_F32:
    case TALLY_C64: memcpy(at, &f32, 4); break;
    case TALLY_BF16: memcpy(at, &bf16, 2); break;
    case TALLY_F16: memcpy(at, &f16, 2); break;
    default: memcpy(at, &bits, tally_type_size(type)); break;
    }
}

static void grow(void **at, size_t *room, size_t bytes)
{
    if (bytes <= *room) return;
    if (*at) CHECK(tally_free(memory.context, *at, *room));
    CHECK(tally_alloc(memory.context, bytes, at));
    *room = bytes;
    memory.filled[0] = 0;
}

/* Copies a period over the whole, doubling. */
static void repeat(char *host, size_t period, size_t bytes, void *to)
{
    for (size_t done = period; done < bytes; done *= 2)
        memcpy(host + done, host, bytes - done < done ? bytes - done : done);
    CHECK(tally_copy(memory.context, to, host, bytes));
}

static size_t bytes_of_x(const struct call *call)
{
    return BEGIN + ((size_t)call->span * tally_type_size(call->x.type) + 7) / 8 * 8;
}

static void fill(const struct call *call)
{
    const tally_type type = call->x.type;
    const int is_complex = type == TALLY_C64 || type == TALLY_C128;
    const size_t size = tally_type_size(type) / (is_complex ? 2 : 1), bytes = bytes_of_x(call);
    const size_t mask_bytes = call->masked ? (size_t)elements_of(&call->x) : 0;
    char wanted[80];
    snprintf(wanted, sizeof wanted, "%s %s %zu %zu", tally_type_name(type), call->data, bytes, mask_bytes);
    if (!strcmp(wanted, memory.filled)) return;
    char *host = malloc(bytes + mask_bytes + PERIOD * size);
    if (!host) exit(1);
    for (size_t i = 0; i < PERIOD; i++) put(host + i * size, type, call->data, i);
    repeat(host, PERIOD * size, bytes, memory.x);
    for (size_t i = 0; i < PERIOD && call->masked; i++) host[i] = (char)(mixed(i) & 1);
    if (call->masked) repeat(host, PERIOD, mask_bytes, memory.mask);
    free(host);
    memcpy(memory.filled, wanted, sizeof wanted);
}

static void place(struct call *call)
{
    const int64_t size = (int64_t)tally_type_size(call->x.type), out_size = (int64_t)tally_type_size(call->out.type);
    const double results = elements_of(&call->out) * (double)out_size;
    const int32_t last = call->x.rank - 1;
    grow(&memory.x, &memory.x_room, bytes_of_x(call));
    grow(&memory.mask, &memory.mask_room, call->masked ? (size_t)elements_of(&call->x) : 0);
    grow(&memory.out, &memory.out_room, (size_t)results + BEGIN + 16);
    char *x = (char *)memory.x + BEGIN + call->misaligned * size;
    if (call->backwards) x -= call->x.strides[last] * (call->x.shape[last] - 1) * size;
    call->x.data = x;
    call->where.data = memory.mask;
    call->out.data = (char *)memory.out + BEGIN + call->shifted * out_size;
    call->moved = (double)call->span * (double)size + results + (call->masked ? elements_of(&call->x) : 0);
}

/* ---- what is done with a call ---- */

static uint64_t hash_of(const struct call *call)
{
    const size_t bytes = (size_t)elements_of(&call->out) * tally_type_size(call->out.type);
    uint64_t hash = 14695981039346656037u, word;
    char *host = calloc(bytes + 8, 1);
    if (!host) exit(1);
    CHECK(tally_copy(memory.context, host, call->out.data, bytes));
    for (size_t i = 0; i < bytes; i += 8) {
        memcpy(&word, host + i, 8);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    free(host);
    return hash;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

/* The fastest of some rounds, each of as many runs as a millisecond or two has. */
static double time_of(tally_plan *plan)
{
    double best = INFINITY;
    int runs = 1;
    for (int round = 0; round < ROUNDS; round++) {
        const double begin = now();
        for (int i = 0; i < runs; i++) CHECK(tally_plan_run(plan));
        CHECK(tally_synchronize(memory.context));
        const double us = (now() - begin) / runs;
        if (round > 0 && us < best) best = us;
        if (round == 0) runs = us > 2000 ? 1 : (int)(2000 / us) + 1;
    }
    return best;
}

static void do_call(const char *line, struct call *call, const char *mode)
{
    tally_plan *plan = NULL;
    place(call);
    if (strcmp(mode, "compile")) fill(call);
    if ((call->verb == TALLY_REDUCE
             ? tally_plan_reduce(memory.context, call->op, &call->x, &call->out, &call->options, &plan)
             : tally_plan_scan(memory.context, call->op, &call->x, &call->out, &call->options, &plan)) != TALLY_OK) {
        fprintf(stderr, "lines: %s: %s\n", line, tally_last_error());
        return;
    }
    if (strcmp(mode, "compile")) {
        CHECK(tally_plan_run(plan));
        const tally_status status = tally_synchronize(memory.context);
        const double us = status == TALLY_OK && strcmp(mode, "check") ? time_of(plan) : 0;
        printf("%10.1f %5.1f %016llx %s\n", us, us > 0 ? call->moved / us * 0.1 / atof(mode) : 0,
               (unsigned long long)hash_of(call), line);
        fflush(stdout);
    }
    tally_plan_free(plan);
}

int main(int argc, char **argv)
{
    if (argc != 3 && argc != 5) {
        fprintf(stderr, "usage: lines DEVICE GBPS|check|compile [FIRST STEP] < FILE\n");
        return 2;
    }
    const int first = argc > 3 ? atoi(argv[3]) : 0, step = argc > 3 ? atoi(argv[4]) : 1;
    char line[400];
    CHECK(tally_open(argv[1], &memory.context));
    for (int n = 0; fgets(line, sizeof line, stdin); n++) {
        struct call call;
        line[strcspn(line, "\n")] = 0;
        if (n % step == first % step && read_call(line, &call)) do_call(line, &call, argv[2]);
    }
    return 0;
}
