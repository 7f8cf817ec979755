/* SPDX-License-Identifier: MIT
 *
 * array.c - views: checks, element counts, memory ranges, overlap, and loops collapsed to the fewest dimensions. */
#include "array.h"
#include "tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tally_array tally_shaped(const void *data, tally_type type, int32_t rank, const int64_t *shape)
{
    tally_array array = {.data = (void *)(uintptr_t)data, .rank = rank, .type = type};
    int64_t stride = 1;
    if (rank > TALLY_MAX_RANK) return array;
    for (int32_t d = rank - 1; d >= 0; d--) {
        array.shape[d] = shape[d];
        array.strides[d] = stride;
        if (__builtin_mul_overflow(stride, shape[d] > 0 ? shape[d] : 1, &stride)) stride = INT64_MAX;
    }
    return array;
}

tally_array tally_vector(const void *data, tally_type type, int64_t n)
{
    return tally_shaped(data, type, 1, &n);
}

tally_array tally_matrix(const void *data, tally_type type, int64_t rows, int64_t columns)
{
    int64_t shape[2] = {rows, columns};
    return tally_shaped(data, type, 2, shape);
}

const char *array_shape_text(int32_t rank, const int64_t *shape, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "(");
    for (int32_t d = 0; d < rank && used < size; d++) {
        used += (size_t)snprintf(text + used, size - used, d ? ", %lld" : "%lld", (long long)shape[d]);
    }
    if (used < size) snprintf(text + used, size - used, rank == 1 ? ",)" : ")");
    return text;
}

int64_t array_elements(const tally_array *array)
{
    int64_t n = 1;
    for (int32_t d = 0; d < array->rank; d++) n *= array->shape[d];
    return n;
}

/* The lowest and highest element offset that a view reaches. False on 64-bit overflow. */
static int offset_range(const tally_array *array, int64_t *lowest, int64_t *highest)
{
    *lowest = *highest = 0;
    for (int32_t d = 0; d < array->rank; d++) {
        int64_t reach;
        if (array->shape[d] < 1) continue;
        if (__builtin_mul_overflow(array->strides[d], array->shape[d] - 1, &reach)) return 0;
        int64_t *end = reach < 0 ? lowest : highest;
        if (__builtin_add_overflow(*end, reach, end)) return 0;
    }
    return 1;
}

tally_status array_check(const char *name, const tally_array *array)
{
    if (!array) FAIL(TALLY_INVALID_ARGUMENT, "%s is NULL: expected an array", name);
    const struct type_row *type = type_row(array->type);
    if (!type) FAIL(TALLY_INVALID_ARGUMENT, "%s.type is %d: expected TALLY_BOOL to TALLY_C128", name, (int)array->type);
    if (array->rank < 0 || array->rank > TALLY_MAX_RANK)
        FAIL(TALLY_INVALID_ARGUMENT, "%s.rank is %d: expected 0 to %d", name, (int)array->rank, TALLY_MAX_RANK);
    int64_t bytes = type->size;
    int empty = 0;
    for (int32_t d = 0; d < array->rank; d++) {
        if (array->shape[d] < 0)
            FAIL(TALLY_INVALID_ARGUMENT, "%s.shape[%d] is %lld: expected 0 or more", name, (int)d,
                 (long long)array->shape[d]);
        empty |= array->shape[d] == 0;
    }
    for (int32_t d = 0; d < array->rank; d++) { /* of empty arrays, too: what is made of their other lengths must fit */
        if (array->shape[d] > 0 && __builtin_mul_overflow(bytes, array->shape[d], &bytes))
            FAIL(TALLY_INVALID_ARGUMENT, "%s has more than 2^63 bytes: its shape overflows at dimension %d", name,
                 (int)d);
    }
    int64_t lowest, highest;
    if (!empty && (!offset_range(array, &lowest, &highest) || lowest < INT64_MIN / 32 || highest > INT64_MAX / 32))
        FAIL(TALLY_INVALID_ARGUMENT, "%s reaches beyond 2^63 bytes: its strides overflow", name);
    if (!empty && !array->data)
        FAIL(TALLY_INVALID_ARGUMENT, "%s.data is NULL: expected %lld bytes of elements", name, (long long)bytes);
    if (!empty && (uintptr_t)array->data % (uintptr_t)(type->kind == KIND_COMPLEX ? type->size / 2 : type->size) != 0)
        FAIL(TALLY_INVALID_ARGUMENT, "%s.data is %p: expected it aligned to its %s elements", name, array->data,
             type->name);
    return TALLY_OK;
}

static int compare_strides(const void *a, const void *b)
{
    const int64_t *p = a, *q = b;
    return (p[0] > q[0]) - (p[0] < q[0]);
}

tally_status array_check_output(const char *name, const tally_array *array)
{
    if (array->flags & TALLY_READ_ONLY) FAIL(TALLY_INVALID_ARGUMENT, "%s is read-only: expected memory to write", name);
    int64_t sorted[TALLY_MAX_RANK][2];
    size_t count = 0;
    for (int32_t d = 0; d < array->rank; d++) {
        if (array->shape[d] == 0) return TALLY_OK;
        if (array->shape[d] == 1) continue;
        sorted[count][0] = llabs(array->strides[d]);
        sorted[count++][1] = array->shape[d];
    }
    qsort(sorted, count, sizeof sorted[0], compare_strides);
    int64_t reach = 0;
    for (size_t i = 0; i < count; i++) {
        if (sorted[i][0] <= reach)
            FAIL(TALLY_INVALID_ARGUMENT,
                 "%s's strides map two indices to one element (stride %lld over %lld): expected "
                 "a view without repetition",
                 name, (long long)sorted[i][0], (long long)sorted[i][1]);
        reach += sorted[i][0] * (sorted[i][1] - 1);
    }
    return TALLY_OK;
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static uint64_t stride_bytes(const tally_array *array, int32_t d)
{
    return array->shape[d] > 1 ? (uint64_t)llabs(array->strides[d]) * (uint64_t)type_row(array->type)->size : 0;
}

static uint64_t stride_divisor(const tally_array *array, uint64_t divisor)
{
    for (int32_t d = 0; d < array->rank; d++) divisor = greatest_common_divisor(divisor, stride_bytes(array, d));
    return divisor;
}

/* The bytes that a view touches, counted modulo `period`: they lie in [first, first + length). */
static void residues(const tally_array *array, uint64_t period, uint64_t *first, uint64_t *length)
{
    uint64_t size = (uint64_t)type_row(array->type)->size;
    *first = (uint64_t)(uintptr_t)array->data;
    *length = size;
    for (int32_t d = 0; d < array->rank; d++) {
        uint64_t bytes = stride_bytes(array, d);
        if (bytes % period == 0) continue;
        *length += bytes * (uint64_t)(array->shape[d] - 1);
        if (array->strides[d] < 0) *first -= bytes * (uint64_t)(array->shape[d] - 1);
    }
}

/* Whether two views keep to different places in every stretch of `period` bytes, like the columns of a table. */
static int apart_in_period(const tally_array *a, const tally_array *b, uint64_t period)
{
    uint64_t first_a, length_a, first_b, length_b;
    if (period == 0) return 0;
    residues(a, period, &first_a, &length_a);
    residues(b, period, &first_b, &length_b);
    if (length_a >= period || length_b > period - length_a) return 0;
    uint64_t apart =
        first_b >= first_a ? (first_b - first_a) % period : (period - (first_a - first_b) % period) % period;
    return apart >= length_a && apart + length_b <= period;
}

int array_may_overlap(const tally_array *a, const tally_array *b)
{
    int64_t low_a, high_a, low_b, high_b;
    int64_t size_a = type_row(a->type)->size, size_b = type_row(b->type)->size;
    if (array_elements(a) == 0 || array_elements(b) == 0) return 0;
    offset_range(a, &low_a, &high_a);
    offset_range(b, &low_b, &high_b);
    intptr_t start_a = (intptr_t)a->data, start_b = (intptr_t)b->data;
    if (start_a + (high_a + 1) * size_a <= start_b + low_b * size_b) return 0;
    if (start_b + (high_b + 1) * size_b <= start_a + low_a * size_a) return 0;
    if (apart_in_period(a, b, stride_divisor(b, stride_divisor(a, 0)))) return 0;
    for (int32_t d = 0; d < a->rank; d++) {
        if (apart_in_period(a, b, stride_bytes(a, d))) return 0;
    }
    for (int32_t d = 0; d < b->rank; d++) {
        if (apart_in_period(a, b, stride_bytes(b, d))) return 0;
    }
    return 1;
}

int array_same_view(const tally_array *a, const tally_array *b)
{
    if (a->data != b->data || a->rank != b->rank || type_row(a->type)->size != type_row(b->type)->size) return 0;
    for (int32_t d = 0; d < a->rank; d++) {
        if (a->shape[d] != b->shape[d] || (a->shape[d] > 1 && a->strides[d] != b->strides[d])) return 0;
    }
    return 1;
}

tally_status array_check_shape(const char *name, const tally_array *array, int32_t rank, const int64_t *shape,
                               const char *what)
{
    int same = array->rank == rank;
    for (int32_t d = 0; same && d < rank; d++) same = array->shape[d] == shape[d];
    if (same) return TALLY_OK;
    char is[224], expected[224];
    FAIL(TALLY_INVALID_ARGUMENT, "%s has shape %s: expected %s, %s", name,
         array_shape_text(array->rank, array->shape, is, sizeof is),
         array_shape_text(rank, shape, expected, sizeof expected), what);
}

int array_broadcast(const tally_array *array, int32_t rank, const int64_t *shape, int64_t *strides)
{
    if (array->rank > rank) return 0;
    for (int32_t d = 0; d < rank; d++) {
        int32_t own = d - (rank - array->rank);
        if (own < 0 || (array->shape[own] == 1 && shape[d] != 1)) {
            strides[d] = 0;
        } else {
            if (array->shape[own] != shape[d]) return 0;
            strides[d] = array->strides[own];
        }
    }
    return 1;
}

static void swap_loops(struct loop *a, struct loop *b)
{
    struct loop t = *a;
    *a = *b;
    *b = t;
}

/* Turns loops that x walks backwards, and sorts by the size of x's stride, largest first. */
static void sort_loops(struct loop *loops, int32_t count, int64_t base[OPERAND_COUNT])
{
    for (int32_t i = 0; i < count; i++) {
        if (loops[i].stride[OPERAND_X] >= 0) continue;
        for (int o = 0; o < OPERAND_COUNT; o++) {
            base[o] += loops[i].stride[o] * (loops[i].extent - 1);
            loops[i].stride[o] = -loops[i].stride[o];
        }
    }
    for (int32_t i = 1; i < count; i++) {
        for (int32_t j = i; j > 0 && loops[j].stride[OPERAND_X] > loops[j - 1].stride[OPERAND_X]; j--)
            swap_loops(&loops[j], &loops[j - 1]);
    }
}

static int joins(const struct loop *outer, const struct loop *inner)
{
    for (int o = 0; o < OPERAND_COUNT; o++) {
        if (outer->stride[o] != inner->stride[o] * inner->extent) return 0;
    }
    return 1;
}

int32_t loops_collapse(struct loop *loops, int32_t count, int reorder, int64_t base[OPERAND_COUNT])
{
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++) {
        if (loops[i].extent != 1) loops[kept++] = loops[i];
    }
    if (reorder) sort_loops(loops, kept, base);
    int32_t last = 0;
    for (int32_t i = 1; i < kept; i++) {
        if (joins(&loops[last], &loops[i])) {
            int64_t extent = loops[last].extent * loops[i].extent;
            loops[last] = loops[i];
            loops[last].extent = extent;
        } else {
            loops[++last] = loops[i];
        }
    }
    return kept ? last + 1 : 0;
}

void array_copy(const tally_array *from, const tally_array *to)
{
    size_t size = (size_t)type_row(from->type)->size;
    int64_t n = array_elements(from);
    for (int64_t i = 0; i < n; i++) {
        int64_t rest = i, a = 0, b = 0;
        for (int32_t d = from->rank - 1; d >= 0; d--) {
            int64_t index = rest % from->shape[d];
            rest /= from->shape[d];
            a += index * from->strides[d];
            b += index * to->strides[d];
        }
        memcpy((char *)to->data + (size_t)b * size, (const char *)from->data + (size_t)a * size, size);
    }
}
