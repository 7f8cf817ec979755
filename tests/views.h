/* SPDX-License-Identifier: MIT
 *
 * views.h - random shapes, and views of them that lie in memory in every way; for tests. */
#ifndef TALLY_TEST_VIEWS_H
#define TALLY_TEST_VIEWS_H

#include "data.h"

/* A view of `shape` whose axes lie in memory in a random order, backwards, apart, or all on one element. `most` bounds
 * the elements of memory that the gaps may add up to. */
static inline tally_array random_view(tally_type type, int32_t rank, const int64_t *shape, unsigned char *memory,
                                      int64_t most)
{
    tally_array view = tally_shaped(memory, type, rank, shape);
    int64_t stride = 1 + (int64_t)(test_random_below(3) == 0), start = 0;
    int32_t order[8];
    for (int32_t d = 0; d < rank; d++) order[d] = d;
    for (int32_t d = rank - 1; d > 0 && test_random_below(3); d--) {
        int32_t other = (int32_t)test_random_below((uint64_t)d + 1), swap = order[d];
        order[d] = order[other], order[other] = swap;
    }
    for (int32_t i = rank - 1; i >= 0; i--) {
        int32_t d = order[i];
        view.strides[d] = stride;
        if (test_random_below(8) == 0) {
            view.strides[d] = 0;
            continue;
        }
        if (test_random_below(4) == 0) view.strides[d] = -stride, start += stride * (shape[d] ? shape[d] - 1 : 0);
        stride *= shape[d] ? shape[d] : 1;
        if (i > 0 && stride < most / 8) stride += (int64_t)(test_random_below(6) == 0);
    }
    view.data = memory + (size_t)start * tally_type_size(type);
    return view;
}

/* The same view in another buffer. */
static inline tally_array moved(tally_array view, const unsigned char *from, unsigned char *to)
{
    view.data = to + ((const unsigned char *)view.data - from);
    return view;
}

/* The view's elements in C order. */
static inline tally_array gathered(const tally_array *view, unsigned char *to)
{
    size_t size = tally_type_size(view->type);
    tally_array copy = tally_shaped(to, view->type, view->rank, view->shape);
    int64_t n = 1, index[8] = {0};
    for (int32_t d = 0; d < view->rank; d++) n *= view->shape[d];
    for (int64_t i = 0; i < n; i++) {
        int64_t offset = 0;
        for (int32_t d = 0; d < view->rank; d++) offset += index[d] * view->strides[d];
        memcpy(to + (size_t)i * size, (const char *)view->data + offset * (int64_t)size, size);
        for (int32_t d = view->rank - 1; d >= 0 && ++index[d] == view->shape[d]; d--) index[d] = 0;
    }
    return copy;
}

static inline size_t bytes_of(const tally_array *array)
{
    size_t bytes = tally_type_size(array->type);
    for (int32_t d = 0; d < array->rank; d++) bytes *= (size_t)array->shape[d];
    return bytes;
}

static inline int32_t random_shape(int64_t *shape, int64_t most)
{
    int32_t rank = 1 + (int32_t)test_random_below(4);
    int64_t room_left = 1 + (int64_t)test_random_below((uint64_t)most);
    for (int32_t d = 0; d < rank; d++) {
        int64_t limit = d == rank - 1 ? room_left : test_random_below(3) || room_left < 7 ? room_left : 7;
        shape[d] = 1 + (int64_t)test_random_below((uint64_t)(limit < 1 ? 1 : limit));
        if (test_random_below(40) == 0) shape[d] = 0;
        room_left /= shape[d] ? shape[d] : 1;
    }
    for (int32_t d = rank - 1; d > 0; d--) {
        int32_t other = (int32_t)test_random_below((uint64_t)d + 1);
        int64_t swap = shape[d];
        shape[d] = shape[other], shape[other] = swap;
    }
    return rank;
}

static inline int32_t random_axes(int32_t rank, int32_t *axes)
{
    int32_t count = 0;
    for (int32_t d = 0; d < rank; d++) {
        if (test_random_below(2)) axes[count++] = test_random_below(2) ? d : d - rank;
    }
    return count;
}

#endif
