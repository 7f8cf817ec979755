/* SPDX-License-Identifier: MIT
 *
 * arrays.c - views and what becomes of their shapes: DLPack import, tally_vector and its siblings, result shapes with
 * and without kept dimensions, zero-length axes, rank 0 and 8, empty axis lists, masks that broadcast, initial values,
 * and cells whose every element is absent. */
#include "data.h"
#include "failing.h"

/* ---- DLPack 1.x, as https://dmlc.github.io/dlpack/latest/c_api.html lays it out ---- */

struct DLTensor {
    void *data;
    struct {
        int32_t type, id;
    } device;
    int32_t ndim;
    struct {
        uint8_t code, bits;
        uint16_t lanes;
    } dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
};

struct DLManagedTensorVersioned {
    struct {
        uint32_t major, minor;
    } version;
    void *manager_context;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    struct DLTensor tensor;
};

static tally_context *engines[3];
static double numbers[64];
static unsigned char masks[64];
static int deleted;

static void count_deleted(struct DLManagedTensorVersioned *self)
{
    deleted += self->manager_context == &deleted;
}

static struct DLTensor tensor_of(int32_t ndim, int64_t *shape, int64_t *strides)
{
    struct DLTensor tensor = {.data = numbers, .ndim = ndim, .shape = shape, .strides = strides};
    tensor.device.type = 1;
    tensor.device.id = 7;
    tensor.dtype.code = 2, tensor.dtype.bits = 64, tensor.dtype.lanes = 1;
    return tensor;
}

static void dlpack_types(void)
{
    static const struct {
        uint8_t code, bits;
        tally_type type;
    } types[] = {{6, 8, TALLY_BOOL},  {0, 8, TALLY_I8},   {0, 16, TALLY_I16}, {0, 32, TALLY_I32}, {0, 64, TALLY_I64},
                 {1, 8, TALLY_U8},    {1, 16, TALLY_U16}, {1, 32, TALLY_U32}, {1, 64, TALLY_U64}, {2, 16, TALLY_F16},
                 {4, 16, TALLY_BF16}, {2, 32, TALLY_F32}, {2, 64, TALLY_F64}, {5, 64, TALLY_C64}, {5, 128, TALLY_C128}};
    int64_t shape[2] = {3, 4};
    int found = 0;
    for (int code = 0; code < 20; code++) {
        for (int bits = 0; bits < 256; bits++) {
            struct DLTensor tensor = tensor_of(2, shape, NULL);
            tally_array array;
            tally_type want = 0;
            tensor.dtype.code = (uint8_t)code, tensor.dtype.bits = (uint8_t)bits;
            for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
                if (types[i].code == code && types[i].bits == bits) want = types[i].type;
            }
            memset(&array, 0x5a, sizeof array);
            tally_status status = tally_from_dlpack(&tensor, &array, NULL, NULL);
            CHECK_EQUAL_I64(status, want ? TALLY_OK : TALLY_UNSUPPORTED);
            CHECK(want ? array.type == want && array.flags == 0 && array.reserved == 0 : array.rank == 0x5a5a5a5a);
            found += want != 0;
        }
    }
    CHECK_EQUAL_I64(found, 15);
}

static void dlpack_views(void)
{
    int64_t shape[9] = {3, 4, 1, 1, 1, 1, 1, 1, 1}, strides[2] = {1, -3};
    struct DLTensor tensor = tensor_of(2, shape, NULL);
    tally_array array;
    int32_t type = -1, id = -1;
    double sum = -1;
    tally_array out = tally_shaped(&sum, TALLY_F64, 0, NULL);
    tensor.byte_offset = 16;
    CHECK(tally_from_dlpack(&tensor, &array, &type, &id) == TALLY_OK && type == 1 && id == 7);
    CHECK(array.data == numbers + 2 && array.rank == 2 && array.strides[0] == 4 && array.strides[1] == 1);
    CHECK(tally_reduce(engines[0], TALLY_SUM, &array, &out, NULL) == TALLY_OK && sum == 90); /* 2 + ... + 13 */
    tensor.strides = strides, tensor.byte_offset = 72;
    CHECK(tally_from_dlpack(&tensor, &array, NULL, NULL) == TALLY_OK);
    CHECK(array.data == numbers + 9 && array.strides[0] == 1 && array.strides[1] == -3);
    CHECK(tally_reduce(engines[0], TALLY_SUM, &array, &out, NULL) == TALLY_OK && sum == 66); /* 0 + ... + 11 */
    tensor = tensor_of(0, NULL, NULL);
    CHECK(tally_from_dlpack(&tensor, &array, NULL, NULL) == TALLY_OK && array.rank == 0 && array.data == numbers);
    shape[0] = 0;
    tensor = tensor_of(1, shape, NULL), tensor.data = NULL, tensor.byte_offset = 8;
    CHECK(tally_from_dlpack(&tensor, &array, NULL, NULL) == TALLY_OK && array.data == NULL);
    CHECK(tally_reduce(engines[0], TALLY_SUM, &array, &out, NULL) == TALLY_OK && sum == 0);
    memset(&array, 0x5a, sizeof array);
    tensor = tensor_of(9, shape, NULL);
    CHECK_REFUSED(tally_from_dlpack(&tensor, &array, NULL, NULL), TALLY_UNSUPPORTED, "9|dimensions");
    tensor = tensor_of(-1, shape, NULL);
    CHECK_REFUSED(tally_from_dlpack(&tensor, &array, NULL, NULL), TALLY_UNSUPPORTED, "-1");
    tensor = tensor_of(2, NULL, NULL);
    CHECK_REFUSED(tally_from_dlpack(&tensor, &array, NULL, NULL), TALLY_INVALID_ARGUMENT, "shape");
    tensor = tensor_of(2, shape, NULL), tensor.dtype.lanes = 4;
    CHECK_REFUSED(tally_from_dlpack(&tensor, &array, NULL, NULL), TALLY_UNSUPPORTED, "lanes 4");
    tensor.dtype.lanes = 0;
    CHECK_REFUSED(tally_from_dlpack(&tensor, &array, NULL, NULL), TALLY_UNSUPPORTED, "lanes 0");
    CHECK_REFUSED(tally_from_dlpack(NULL, &array, NULL, NULL), TALLY_INVALID_ARGUMENT, "tensor");
    CHECK_REFUSED(tally_from_dlpack(&tensor, NULL, NULL, NULL), TALLY_INVALID_ARGUMENT, "array");
    CHECK(array.rank == 0x5a5a5a5a);
}

static void dlpack_versioned(void)
{
    int64_t shape[1] = {5};
    tally_array array;
    struct DLManagedTensorVersioned managed = {
        .version = {1, 99}, .manager_context = &deleted, .deleter = count_deleted, .tensor = tensor_of(1, shape, NULL)};
    CHECK(tally_from_dlpack_versioned(&managed, &array, NULL, NULL) == TALLY_OK && array.flags == 0);
    managed.flags = 2; /* copied, not read-only */
    CHECK(tally_from_dlpack_versioned(&managed, &array, NULL, NULL) == TALLY_OK && array.flags == 0);
    managed.flags = 3;
    CHECK(tally_from_dlpack_versioned(&managed, &array, NULL, NULL) == TALLY_OK && array.flags == TALLY_READ_ONLY);
    CHECK_EQUAL_I64(deleted, 0);
    memset(&array, 0x5a, sizeof array);
    managed.tensor.ndim = 20;
    CHECK_REFUSED(tally_from_dlpack_versioned(&managed, &array, NULL, NULL), TALLY_UNSUPPORTED, "20");
    CHECK_EQUAL_I64(deleted, 0); /* still the caller's */
    for (uint32_t major = 0; major < 4; major += 2) {
        managed.version.major = major;
        deleted = 0;
        CHECK_REFUSED(tally_from_dlpack_versioned(&managed, &array, NULL, NULL), TALLY_UNSUPPORTED, "version|deleter");
        CHECK_EQUAL_I64(deleted, 1);
    }
    managed.deleter = NULL;
    CHECK_REFUSED(tally_from_dlpack_versioned(&managed, &array, NULL, NULL), TALLY_UNSUPPORTED, "version");
    CHECK_REFUSED(tally_from_dlpack_versioned(NULL, &array, NULL, NULL), TALLY_INVALID_ARGUMENT, "managed");
    CHECK_REFUSED(tally_from_dlpack_versioned(&managed, NULL, NULL, NULL), TALLY_INVALID_ARGUMENT, "array");
    CHECK(array.rank == 0x5a5a5a5a);
}

/* ---- shapes ---- */

static void views(void)
{
    int64_t shape[8] = {2, 0, 3, 4, 5, 6, 7, 8};
    tally_array v = tally_vector(numbers, TALLY_F32, 9), m = tally_matrix(numbers, TALLY_I8, 3, 5),
                s = tally_shaped(NULL, TALLY_C64, 8, shape);
    CHECK(v.data == numbers && v.rank == 1 && v.type == TALLY_F32 && v.shape[0] == 9 && v.strides[0] == 1 && !v.flags &&
          !v.reserved);
    CHECK(m.rank == 2 && m.shape[0] == 3 && m.shape[1] == 5 && m.strides[0] == 5 && m.strides[1] == 1);
    CHECK(s.rank == 8 && s.strides[7] == 1 && s.strides[6] == 8 && s.strides[0] >= 0 && s.shape[1] == 0);
    CHECK(tally_shaped(NULL, TALLY_F64, 0, NULL).rank == 0);
}

static void check_like(tally_op op, tally_type type, int32_t rank, const int64_t *shape, uint32_t axes, uint32_t flags)
{
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array x = tally_shaped(numbers, type, rank, shape), like;
    int32_t list[8], count = 0, at = 0;
    for (int32_t d = rank - 1; d >= 0; d--) {
        if (axes >> d & 1) list[count++] = d % 2 ? d : d - rank;
    }
    options.axes = list, options.axis_count = count, options.flags = flags;
    options.second = op == TALLY_DOT ? &x : NULL;
    tally_status status = tally_result_like(TALLY_REDUCE, op, &x, &options, &like);
    if (status == TALLY_UNSUPPORTED || status == TALLY_EMPTY) return;
    if (status == TALLY_INVALID_ARGUMENT) CHECK(op == TALLY_MINMAX && rank == 8);
    if (status != TALLY_OK) return;
    int64_t stride = 1;
    for (int32_t d = 0; d < rank; d++) {
        if (!(axes >> d & 1)) CHECK_EQUAL_I64(like.shape[at++], shape[d]);
        else if (flags & TALLY_KEEPDIMS) CHECK_EQUAL_I64(like.shape[at++], 1);
    }
    if (op == TALLY_MINMAX) CHECK_EQUAL_I64(like.shape[at++], 2);
    CHECK_EQUAL_I64(like.rank, at);
    CHECK(like.data == NULL && like.flags == 0);
    for (int32_t d = at - 1; d >= 0; d--) {
        CHECK_EQUAL_I64(like.strides[d], stride);
        stride *= like.shape[d] ? like.shape[d] : 1;
    }
    int integer = type <= TALLY_U64, complex = type >= TALLY_C64;
    tally_type wide = !integer           ? type
                      : type >= TALLY_U8 ? TALLY_U64
                                         : TALLY_I64,
               real = integer             ? TALLY_F64
                      : !complex          ? type
                      : type == TALLY_C64 ? TALLY_F32
                                          : TALLY_F64,
               want = type;
    if (op == TALLY_SUM || op == TALLY_PROD || op == TALLY_DOT) want = wide;
    if (op == TALLY_MEAN) want = integer ? TALLY_F64 : type;
    if ((op >= TALLY_VAR && op <= TALLY_NORMINF) || op == TALLY_LOGSUMEXP) want = real;
    if (op == TALLY_ANY || op == TALLY_ALL) want = TALLY_BOOL;
    if (op == TALLY_ARGMIN || op == TALLY_ARGMAX || op == TALLY_COUNT_NONZERO) want = TALLY_I64;
    CHECK_EQUAL_I64(like.type, want);
}

static void result_shapes(void)
{
    static const int64_t shapes[][8] = {{1, 1, 1, 1, 1, 1, 1, 1}, {2, 1, 2, 1, 2, 1, 2, 1}, {3, 0, 2, 1, 1, 2, 1, 1}};
    for (tally_op op = TALLY_SUM; op <= TALLY_LAST; op++) {
        for (tally_type type = TALLY_BOOL; type <= TALLY_C128; type++) {
            for (int32_t rank = 0; rank <= 8; rank += 1 + rank / 4) {
                for (uint32_t axes = 0; axes < 1u << rank; axes += 1 + axes / 16)
                    check_like(op, type, rank, shapes[axes % 3], axes, axes % 2 ? TALLY_KEEPDIMS : 0);
            }
        }
    }
}

/* ---- values ---- */

static double reduce_one(int e, tally_op op, tally_array x, const tally_options *options)
{
    double result = -77;
    int64_t index = -77;
    unsigned char truth = 77;
    tally_array like;
    CHECK_EQUAL_I64(tally_result_like(TALLY_REDUCE, op, &x, options, &like), TALLY_OK);
    like.data = like.type == TALLY_I64 ? (void *)&index : like.type == TALLY_BOOL ? (void *)&truth : (void *)&result;
    CHECK_EQUAL_I64(tally_reduce(engines[e], op, &x, &like, options), TALLY_OK);
    return like.type == TALLY_I64 ? (double)index : like.type == TALLY_BOOL ? truth : result;
}

/* NaN is like NaN. */
#define CHECK_REAL(got, want) CHECK((got) == (want) || ((got) != (got) && (want) != (want)))

/* Nothing to reduce, and everything masked: the same. Then with an initial value. */
static void identities(int e)
{
    static const struct {
        tally_op op;
        double without, with; /* with an initial 3; NaN there: takes none */
    } rows[] = {{TALLY_SUM, 0, 3},           {TALLY_PROD, 1, 3},
                {TALLY_ANY, 0, 1},           {TALLY_ALL, 1, 1},
                {TALLY_COUNT_NONZERO, 0, 3}, {TALLY_NORM1, 0, NAN},
                {TALLY_NORM2, 0, NAN},       {TALLY_NORMINF, 0, NAN},
                {TALLY_DOT, 0, 3},           {TALLY_LOGSUMEXP, -INFINITY, 3},
                {TALLY_MEAN, NAN, NAN},      {TALLY_VAR, NAN, NAN},
                {TALLY_STD, NAN, NAN}};
    static const struct {
        tally_op op;
        double with;
    } needy[] = {{TALLY_MIN, 3},    {TALLY_MAX, 3},   {TALLY_ARGMIN, 3},
                 {TALLY_ARGMAX, 3}, {TALLY_FIRST, 3}, {TALLY_LAST, 3}};
    double three = 3;
    int64_t whole = 3;
    unsigned char yes = 1;
    memset(masks, 0, sizeof masks);
    for (int masked = 0; masked < 2; masked++) {
        tally_options options = TALLY_OPTIONS_INIT;
        tally_array x = tally_vector(numbers, TALLY_F64, masked ? 40 : 0),
                    where = tally_shaped(masks, TALLY_BOOL, 0, NULL);
        if (masked) options.where = &where;
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            options.second = rows[i].op == TALLY_DOT ? &x : NULL;
            options.initial = NULL;
            test.section = tally_op_name(rows[i].op);
            double got = reduce_one(e, rows[i].op, x, &options);
            CHECK_REAL(got, rows[i].without);
            options.initial = rows[i].op == TALLY_ANY || rows[i].op == TALLY_ALL ? (void *)&yes
                              : rows[i].op == TALLY_COUNT_NONZERO                ? (void *)&whole
                                                                                 : (void *)&three;
            if (!isnan(rows[i].with)) CHECK(reduce_one(e, rows[i].op, x, &options) == rows[i].with);
        }
        options.second = NULL;
        for (size_t i = 0; i < sizeof needy / sizeof needy[0]; i++) {
            options.initial =
                needy[i].op == TALLY_ARGMIN || needy[i].op == TALLY_ARGMAX ? (void *)&whole : (void *)&three;
            CHECK(reduce_one(e, needy[i].op, x, &options) == needy[i].with);
        }
    }
}

/* An initial value among elements -2, 5: an operand of most, a stand-in for those of which one element is the result.
 */
static void initials(int e)
{
    static const struct {
        tally_op op;
        double with;
    } rows[] = {{TALLY_SUM, 6},    {TALLY_PROD, -30}, {TALLY_MIN, -2}, {TALLY_MAX, 5},
                {TALLY_FIRST, -2}, {TALLY_LAST, 5},   {TALLY_DOT, 32}};
    double x[2] = {-2, 5}, three = 3, low = -9, pair[2];
    int64_t whole = 70;
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array v = tally_vector(x, TALLY_F64, 2), out = tally_vector(pair, TALLY_F64, 2);
    options.initial = &three;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        test.section = tally_op_name(rows[i].op);
        options.second = rows[i].op == TALLY_DOT ? &v : NULL;
        CHECK(reduce_one(e, rows[i].op, v, &options) == rows[i].with);
    }
    options.second = NULL, options.initial = &low;
    CHECK(reduce_one(e, TALLY_MIN, v, &options) == -9);
    CHECK(tally_reduce(engines[e], TALLY_MINMAX, &v, &out, &options) == TALLY_OK && pair[0] == -2 && pair[1] == 5);
    options.initial = &whole;
    CHECK(reduce_one(e, TALLY_ARGMAX, v, &options) == 1 && reduce_one(e, TALLY_COUNT_NONZERO, v, &options) == 72);
    uint32_t small[2] = {3, 7}; /* initial values outside the elements' type */
    int64_t minus = -5, got = 0;
    tally_array u = tally_vector(small, TALLY_U32, 2), wide = tally_shaped(&got, TALLY_I64, 0, NULL);
    options.type = TALLY_I64, options.initial = &minus;
    CHECK(tally_reduce(engines[e], TALLY_MIN, &u, &wide, &options) == TALLY_OK && got == -5);
    CHECK(tally_reduce(engines[e], TALLY_MAX, &u, &wide, &options) == TALLY_OK && got == 7);
    float single = 1;
    double tenth = 0.1;
    tally_array f = tally_vector(&single, TALLY_F32, 1);
    options.type = TALLY_F64, options.initial = &tenth;
    CHECK(reduce_one(e, TALLY_MIN, f, &options) == 0.1);
}

/* An empty list of axes reduces nothing: each element is a cell of its own. */
static void no_axes(int e)
{
    int32_t none = 0;
    tally_options options = TALLY_OPTIONS_INIT;
    float x[6] = {1, -2, 3, -4, 5, NAN};
    double got[6];
    int64_t index[6];
    tally_array v = tally_matrix(x, TALLY_F32, 2, 3), out = tally_matrix(got, TALLY_F64, 2, 3),
                places = tally_matrix(index, TALLY_I64, 2, 3);
    options.axes = &none, options.type = TALLY_F64;
    CHECK(tally_reduce(engines[e], TALLY_SUM, &v, &out, &options) == TALLY_OK && got[1] == -2 && got[4] == 5 &&
          isnan(got[5]));
    CHECK(tally_reduce(engines[e], TALLY_NORM2, &v, &out, &options) == TALLY_OK && got[1] == 2);
    CHECK(tally_reduce(engines[e], TALLY_VAR, &v, &out, &options) == TALLY_OK && got[1] == 0 && isnan(got[5]));
    options.type = 0;
    CHECK(tally_reduce(engines[e], TALLY_ARGMIN, &v, &places, &options) == TALLY_OK && index[1] == 0 && index[5] == 0);
    double one = 4;
    tally_array point = tally_shaped(&one, TALLY_F64, 0, NULL);
    CHECK(reduce_one(e, TALLY_SUM, point, &options) == 4 && reduce_one(e, TALLY_ARGMIN, point, NULL) == 0);
    tally_array scanned = tally_shaped(got, TALLY_F64, 0, NULL);
    CHECK(tally_scan(engines[e], TALLY_SUM, &point, &scanned, NULL) == TALLY_OK && got[0] == 4);
}

static void masks_broadcast(int e)
{
    int32_t axis = 1;
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array x = tally_matrix(numbers, TALLY_F64, 3, 4), where = tally_vector(masks, TALLY_BOOL, 4), out;
    double got[3];
    memset(masks, 0, sizeof masks);
    masks[1] = 1, masks[3] = 200; /* any byte but 0 is true */
    options.axes = &axis, options.axis_count = 1, options.where = &where;
    out = tally_vector(got, TALLY_F64, 3);
    CHECK(tally_reduce(engines[e], TALLY_SUM, &x, &out, &options) == TALLY_OK && got[0] == 4 && got[1] == 12 &&
          got[2] == 20);
    where = tally_matrix(masks + 1, TALLY_BOOL, 3, 1); /* 1, 0, 200 */
    CHECK(tally_reduce(engines[e], TALLY_SUM, &x, &out, &options) == TALLY_OK && got[0] == 6 && got[1] == 0 &&
          got[2] == 38);
    where = tally_matrix(masks + 1, TALLY_BOOL, 1, 1);
    CHECK(tally_reduce(engines[e], TALLY_MEAN, &x, &out, &options) == TALLY_OK && got[1] == 5.5);
    where = tally_vector(masks + 3, TALLY_BOOL, 4), where.strides[0] = -1; /* 200, 0, 1, 0 */
    CHECK(tally_reduce(engines[e], TALLY_MAX, &x, &out, &options) == TALLY_OK && got[0] == 2 && got[2] == 10);
}

int main(void)
{
    static const char *const devices[] = {"cpu:1", "cpu:2", "reference"};
    for (int e = 0; e < 3; e++) CHECK(tally_open(devices[e], &engines[e]) == TALLY_OK);
    for (int i = 0; i < 64; i++) numbers[i] = i;
    CASE("DLPack types") dlpack_types();
    CASE("DLPack views") dlpack_views();
    CASE("DLPack versioned") dlpack_versioned();
    CASE("views") views();
    CASE("result shapes") result_shapes();
    for (int e = 0; e < 3; e++) {
        identities(e);
        initials(e);
        CASE("no axes") no_axes(e);
        CASE("masks") masks_broadcast(e);
    }
    for (int e = 0; e < 3; e++) tally_close(engines[e]);
    return test_finish("arrays");
}
