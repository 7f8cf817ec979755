/* SPDX-License-Identifier: MIT
 *
 * scan_launch.c - running results on a GPU of operands that lie there. Unordered and exact ones take one launch;
 * ordered ones one, or three when an axis is cut (kernels/scan_tree/scan_ordered.cu); exact ones whose window may be
 * too small have a kernel behind them that does nothing unless it was. Everything is queued, nothing waits, unless
 * overflows are to be reported or results go to the host. */
#include "complex_parts.h"
#include "scan_arrange.h"
#include "scan_launch.h"
#include "scan_plan.h"
#include "scan_wide.h"
#include "scratch.h"
#include "staging.h"
#include "user.h"
#include "whole.h"

#include <string.h>

struct call {
    struct tally_context *context;
    struct machine *machine;
    struct scan_plan plan;
    struct scratch scratch;
    const struct kernel *main;    /* the plan's */
    const struct kernel *arrange; /* and that of an arrangement, or NULL: elements are scanned where they lie */
    struct arrangement arrangement;
    void *room; /* of elements that are arranged, or kept, if not NULL */
    size_t room_bytes;
    struct scan_wide wide;
};

#define ALLOCATED 256 /* an address as allocated memory has, for plans */
/* That are better brought into order first than put together, with a launch more. */
#define MANY_BYTES ((size_t)4 << 20)

static tally_status find_kernel(struct call *l, const char *file, const char *entry, const struct kernel **kernel)
{
    struct kernel_request request = {file, entry, l->plan.definitions.text, NULL};
    return l->machine->table->kernel(l->machine, &request, kernel);
}

/* What is recalled of a scan: all but its addresses. */
struct recipe {
    struct scan_plan plan;
    const struct kernel *main, *arrange;
    struct arrangement arrangement;
};

/* Where elements that lie as their results would do better, and others would not, a plan for these. */
static tally_status arrange(struct call *l, const struct scan *scan, struct recipe *recipe)
{
    struct arrangement *arrangement = &recipe->arrangement;
    struct scan arranged;
    struct scan_plan plan;
    recipe->arrange = NULL;
    int lies_apart = scan_plan_is_general(&l->plan) || scan_is_scattered(scan);
    int is_slow = !lies_apart && l->plan.puts_together && !scan->where;
    if (!lies_apart && !is_slow) return TALLY_OK;
    if (!scan_arrange(&l->machine->limits, scan, &arranged, arrangement)) return TALLY_OK;
    if (scan_lies_well(scan, arrangement)) return TALLY_OK;
    if (is_slow && (arrangement->bytes < MANY_BYTES || !arrangement->by_words)) return TALLY_OK;
    arranged.x = (const char *)(uintptr_t)ALLOCATED + arrangement->first;
    scan_plan(&l->machine->limits, &arranged, &plan);
    if (scan_plan_is_general(&plan) || scan_is_scattered(&arranged)) return TALLY_OK;
    l->plan = plan;
    struct kernel_request request = {"arrange.cu", "arrange", arrangement->definitions.text, NULL};
    return l->machine->table->kernel(l->machine, &request, &recipe->arrange);
}

static tally_status make_recipe(struct call *l, const struct scan *scan, struct recipe *recipe)
{
    scan_plan(&l->machine->limits, scan, &l->plan);
    TRY(arrange(l, scan, recipe));
    if (l->plan.blocks > INT32_MAX)
        FAIL(TALLY_UNSUPPORTED, "the scan needs %lld blocks: a GPU takes at most %d", (long long)l->plan.blocks,
             INT32_MAX);
    recipe->plan = l->plan;
    return find_kernel(l, l->plan.file, "scan", &recipe->main);
}

static tally_status plan(struct call *l, const struct scan *scan)
{
    struct recall *recall = &gpu_device(l->context)->recall;
    struct recipe made;
    struct recall_key key;
    int is_kept = recall_key_of_scan(scan, &key);
    const struct recipe *recipe = is_kept ? recall_find(recall, &key) : NULL;
    if (!recipe) {
        TRY(make_recipe(l, scan, &made));
        if (is_kept) recall_keep(recall, &key, &made, sizeof made);
        recipe = &made;
    }
    l->plan = recipe->plan;
    l->main = recipe->main;
    l->arrange = recipe->arrange;
    if (l->arrange) l->arrangement = recipe->arrangement;
    return TALLY_OK;
}

/* Tells the plan where its elements lie. */
static void place_elements(struct call *l, const char *x, const unsigned char *where)
{
    struct reduce_parameters *p = &l->plan.parameters.reduce;
    const char *planned = p->x;
    if (p->low) p->low = x + (p->low - planned), p->high = x + (p->high - planned);
    p->x = x;
    p->where = where;
}

/* The same of elements that are arranged, which they are then. */
static tally_status launch_arrange(struct call *l, const struct scan *scan)
{
    struct arrangement *a = &l->arrangement;
    const struct type_row *type = type_row(scan->calculation.type);
    int64_t size = type->kind == KIND_COMPLEX ? type->size / 2 : type->size;
    TRY(gpu_allocate(l->context, a->bytes, &l->room));
    l->room_bytes = a->bytes;
    char *first = (char *)l->room + a->first;
    a->parameters.x = (const char *)scan->x + a->x * size;
    a->parameters.low = (const char *)scan->x + a->low * size;
    a->parameters.high = (const char *)scan->x + a->high * size;
    a->parameters.where = scan->where ? scan->where + a->where : NULL;
    a->parameters.out = first + a->out * size;
    place_elements(l, first, NULL);
    struct launch launch = {l->arrange, (uint32_t)a->blocks, a->threads, 0, &a->parameters, sizeof a->parameters};
    return l->machine->table->launch(l->machine, &launch);
}

/* Where there is no memory for a copy. */
static tally_status plan_as_it_lies(struct call *l, const struct scan *scan)
{
    l->arrange = NULL;
    scan_plan(&l->machine->limits, scan, &l->plan);
    return find_kernel(l, l->plan.file, "scan", &l->main);
}

static tally_status launch_kernel(struct call *l, const struct kernel *kernel, int64_t blocks, uint32_t shared_bytes)
{
    struct launch launch = {kernel,       (uint32_t)blocks,    l->plan.threads,
                            shared_bytes, &l->plan.parameters, sizeof l->plan.parameters};
    return l->machine->table->launch(l->machine, &launch);
}

static tally_status launch(struct call *l, const char *file, const char *entry, int64_t blocks, uint32_t shared_bytes)
{
    const struct kernel *kernel;
    if (blocks > INT32_MAX)
        FAIL(TALLY_UNSUPPORTED, "the scan needs %lld blocks: a GPU takes at most %d", (long long)blocks, INT32_MAX);
    TRY(find_kernel(l, file, entry, &kernel));
    return launch_kernel(l, kernel, blocks, shared_bytes);
}

/* The main kernels, once. */
static tally_status launch_scan(struct call *l)
{
    struct scan_parameters *given = &l->plan.parameters;
    struct scan_plan *plan = &l->plan;
    size_t flags = plan->leaves_zeros ? 0 : (plan->flag_bytes + 255) / 256 * 256;
    given->totals = (char *)l->scratch.room + flags;
    given->ticket = l->scratch.room;
    if (plan->leaves_zeros) TRY(scratch_zeros(l->context, plan->flag_bytes, &given->ticket));
    else if (flags) TRY(l->machine->table->clear(l->machine, LANE_MAIN, given->ticket, flags));
    given->flags = given->ticket + 64;
    if (plan->chains) {
        TRY(launch(l, plan->file, "scan_totals", plan->blocks, plan->shared_bytes));
        TRY(launch(l, "scan_chain.cu", "scan_chain", plan->chains, 0));
    }
    return launch_kernel(l, l->main, plan->blocks, plan->shared_bytes);
}

/* Whether everything fits its type, without writing a result. */
static tally_status check_overflow(struct call *l, const struct calculation *calculation)
{
    uint32_t failures;
    l->plan.parameters.check_only = 1;
    l->plan.parameters.reduce.failures = l->scratch.failures;
    TRY(launch_scan(l));
    TRY(scratch_failures(l->context, &failures));
    if (failures)
        FAIL(TALLY_OVERFLOW,
             "the running %s does not fit its result type %s: give a wider options.type, or drop TALLY_CHECK_OVERFLOW",
             calculation->op->name, tally_type_name(calculation->result));
    l->plan.parameters.check_only = 0;
    return TALLY_OK;
}

/* The bytes that x walks over. */
static void *span_of(const struct scan *scan, size_t *bytes)
{
    int64_t size = type_row(scan->calculation.type)->size, first = 0, last = 0;
    for (int32_t d = -1; d < scan->kept_count; d++) {
        const struct loop *loop = d < 0 ? &scan->axis : &scan->kept[d];
        int64_t reach = (loop->extent - 1) * loop->stride[OPERAND_X];
        if (reach < 0) first += reach;
        else last += reach;
    }
    *bytes = (size_t)((last - first + 1) * size);
    return (char *)(uintptr_t)scan->x + first * size;
}

/* The kernel that goes over a failed sum again reads the input, so it must not have been written over. The copy lies as
 * the original does within vectors of 16 bytes. */
static tally_status keep_input(struct call *l, const struct scan *scan)
{
    size_t bytes;
    const char *first = span_of(scan, &bytes);
    struct reduce_parameters *p = &l->plan.parameters.reduce;
    l->room_bytes = bytes + VECTOR_BYTES;
    TRY(gpu_allocate(l->context, l->room_bytes, &l->room));
    char *moved = (char *)l->room + (uintptr_t)first % VECTOR_BYTES;
    p->x = moved + ((const char *)scan->x - first);
    p->high = moved + (p->high - p->low);
    p->low = moved;
    return l->machine->table->copy(l->machine, LANE_MAIN, moved, first, bytes);
}

/* Has the plan's elements where it reads them: arranged, where they lie, or in a copy if the kernel that goes over a
 * failed sum again would find results there. */
static tally_status prepare_elements(struct call *l, const struct scan *scan)
{
    place_elements(l, scan->x, scan->where);
    if (l->arrange) {
        tally_status status = launch_arrange(l, scan);
        if (status == TALLY_OUT_OF_MEMORY) status = plan_as_it_lies(l, scan);
        TRY(status);
    }
    l->plan.parameters.reduce.out = scan->out;
    return !l->arrange && l->plan.wide && scan->x == scan->out ? keep_input(l, scan) : TALLY_OK;
}

static tally_status launch_all(struct call *l, const struct calculation *calculation)
{
    TRY(scratch_take(l->context, l->plan.flag_bytes + l->plan.total_bytes + 512, &l->scratch));
    l->plan.parameters.reduce.wide_count = l->scratch.wide_count;
    if (l->plan.wide) TRY(scan_wide_prepare(l->context, calculation, &l->plan, &l->wide));
    if (calculation->flags & TALLY_CHECK_OVERFLOW) TRY(check_overflow(l, calculation));
    TRY(launch_scan(l));
    if (!l->plan.wide) return TALLY_OK;
    return scan_wide_launch(l->context, calculation, &l->plan, &l->wide, &l->scratch);
}

static tally_status scan_on_device(struct tally_context *context, const struct scan *scan,
                                   const struct scan_carries *carries)
{
    struct gpu_device *device = gpu_device(context);
    struct call l = {.context = context, .machine = device->machine};
    struct scan parts;
    if (!carries && complex_parts_of_scan(scan, &parts)) scan = &parts;
    if (scan->calculation.user) return user_scan_launch(context, scan, carries);
    TRY(plan(&l, scan));
    tally_status status = prepare_elements(&l, scan);
    if (carries) {
        l.plan.parameters.carries = carries->in;
        l.plan.parameters.carries_out = carries->out;
        l.plan.parameters.carry_words = carries->words;
    }
    if (status == TALLY_OK) status = launch_all(&l, &scan->calculation);
    gpu_release(context, l.room, l.room_bytes);
    scan_wide_release(context, &l.wide);
    return status;
}

/* ---- results for the host ---- */

struct walk scan_walk(const struct scan *scan)
{
    return (struct walk){.kept = scan->kept,
                         .reduced = &scan->axis,
                         .kept_count = scan->kept_count,
                         .reduced_count = 1,
                         .cells = scan->cells,
                         .length = scan->axis.extent,
                         .head = scan->axis.extent,
                         .tail = scan->axis.extent};
}

void scan_make_dense(struct scan *scan, void *out)
{
    int64_t values = scan->calculation.values, stride = scan->axis.extent * values;
    scan->axis.stride[OPERAND_OUT] = values;
    scan->step = values > 1;
    for (int32_t d = scan->kept_count - 1; d >= 0; d--) {
        scan->kept[d].stride[OPERAND_OUT] = stride;
        stride *= scan->kept[d].extent;
    }
    scan->out = out;
}

void scan_scatter(const struct scan *scan, const char *dense)
{
    int64_t size = type_row(scan->calculation.result)->size;
    for (int64_t cell = 0; cell < scan->cells; cell++) {
        int64_t offset = walk_offset(scan->kept, scan->kept_count, OPERAND_OUT, cell);
        for (int64_t i = 0; i < scan->axis.extent; i++) {
            char *to = (char *)scan->out + (offset + i * scan->axis.stride[OPERAND_OUT]) * size;
            for (int64_t v = 0; v < scan->calculation.values; v++, dense += size)
                memcpy(to + v * scan->step * size, dense, (size_t)size);
        }
    }
}

/* Whether results fill a range of memory, whatever the order of the axes: it begins `*low` elements from the first
 * result. */
static int is_compact(const struct scan *scan, int64_t *low)
{
    int64_t filled = scan->calculation.values;
    uint64_t seen = 0;
    *low = 0;
    if (scan_result_bytes(scan) == 0) return 1;
    if (filled > 1 && scan->step != 1) return 0;
    for (int32_t found = 0; found <= scan->kept_count; found++) {
        int32_t d = 0;
        for (; d <= scan->kept_count; d++) {
            const struct loop *loop = d < scan->kept_count ? &scan->kept[d] : &scan->axis;
            int64_t stride = loop->stride[OPERAND_OUT], size = stride < 0 ? -stride : stride;
            if (seen >> d & 1 || (loop->extent > 1 && size != filled)) continue;
            seen |= (uint64_t)1 << d;
            filled *= loop->extent;
            if (stride < 0) *low += (loop->extent - 1) * stride;
            break;
        }
        if (d > scan->kept_count) return 0;
    }
    return 1;
}

/* Results that fill a range lie on the device as they do here. */
static tally_status scan_to_range(struct tally_context *context, const struct scan *scan, int64_t low,
                                  const struct scan_carries *carries)
{
    struct scan local = *scan;
    int64_t before = low * (int64_t)type_row(scan->calculation.result)->size;
    size_t bytes = scan_result_bytes(scan);
    void *room;
    TRY(gpu_allocate(context, bytes, &room));
    local.out = (char *)room - before;
    tally_status status = scan_on_device(context, &local, carries);
    if (status == TALLY_OK) status = staging_download(context, (char *)scan->out + before, room, bytes);
    gpu_release(context, room, bytes);
    return status;
}

static tally_status scan_to_host(struct tally_context *context, const struct scan *scan,
                                 const struct scan_carries *carries)
{
    struct scan dense = *scan;
    size_t bytes = scan_result_bytes(scan);
    int64_t low;
    if (is_compact(scan, &low)) return scan_to_range(context, scan, low, carries);
    void *room, *copy = context_allocate(context, bytes);
    if (!copy) return TALLY_OUT_OF_MEMORY;
    tally_status status = gpu_allocate(context, bytes, &room);
    if (status == TALLY_OK) {
        scan_make_dense(&dense, room);
        status = scan_on_device(context, &dense, carries);
        if (status == TALLY_OK) status = staging_download(context, copy, room, bytes);
        gpu_release(context, room, bytes);
    }
    if (status == TALLY_OK) scan_scatter(scan, copy);
    context_release(context, copy, bytes);
    return status;
}

tally_status scan_scatter_to_device(struct tally_context *context, const struct scan *scan, const void *dense,
                                    void *room)
{
    struct walk walk = scan_walk(scan);
    struct loop loops[2] = {scan->axis, {.extent = scan->calculation.values}};
    loops[1].stride[OPERAND_OUT] = scan->step;
    if (scan->calculation.values > 1) {
        walk.reduced = loops;
        walk.reduced_count = 2;
        walk.length = walk.head = walk.tail = loops[0].extent * loops[1].extent;
    }
    return scatter_to_device(context, &walk, OPERAND_OUT, scan->calculation.result, scan->out, dense, room);
}

size_t scan_result_bytes(const struct scan *scan)
{
    const struct calculation *calculation = &scan->calculation;
    return (size_t)(scan->cells * scan->axis.extent * calculation->values) *
           (size_t)type_row(calculation->result)->size;
}

tally_status scan_launch(struct tally_context *context, const struct scan *scan, int host_output,
                         const struct scan_carries *carries)
{
    return host_output ? scan_to_host(context, scan, carries) : scan_on_device(context, scan, carries);
}
