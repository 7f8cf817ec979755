/* SPDX-License-Identifier: MIT
 *
 * dlpack.c - views of DLPack tensors. The structures follow the DLPack 1.x specification's binary layout,
 * https://dmlc.github.io/dlpack/latest/c_api.html. */
#include "tables.h"
#include "status.h"

#include <string.h>

struct dlpack_device {
    int32_t type, id;
};

struct dlpack_type {
    uint8_t code, bits;
    uint16_t lanes;
};

struct DLTensor {
    void *data;
    struct dlpack_device device;
    int32_t ndim;
    struct dlpack_type dtype;
    int64_t *shape;
    int64_t *strides;
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

#define DLPACK_MAJOR 1
#define DLPACK_FLAG_READ_ONLY 1u

static tally_type type_of(struct dlpack_type dtype)
{
    for (tally_type t = 1; t < TYPE_COUNT; t++) {
        const struct type_row *row = type_row(t);
        if (row->dlpack_code == dtype.code && row->size * 8 == dtype.bits) return t;
    }
    return TALLY_DEFAULT_TYPE;
}

tally_status tally_from_dlpack(const struct DLTensor *tensor, tally_array *array, int32_t *device_type,
                               int32_t *device_id)
{
    if (!tensor || !array) FAIL(TALLY_INVALID_ARGUMENT, "%s is NULL", tensor ? "array" : "tensor");
    tally_type type = type_of(tensor->dtype);
    if (type == TALLY_DEFAULT_TYPE || tensor->dtype.lanes != 1)
        FAIL(TALLY_UNSUPPORTED, "tensor has DLPack type {code %u, bits %u, lanes %u}: expected one of tally's, lanes 1",
             (unsigned)tensor->dtype.code, (unsigned)tensor->dtype.bits, (unsigned)tensor->dtype.lanes);
    if (tensor->ndim < 0 || tensor->ndim > TALLY_MAX_RANK)
        FAIL(TALLY_UNSUPPORTED, "tensor has %d dimensions: expected 0 to %d", (int)tensor->ndim, TALLY_MAX_RANK);
    if (tensor->ndim > 0 && !tensor->shape) FAIL(TALLY_INVALID_ARGUMENT, "tensor has no shape");
    const void *data = tensor->data ? (const char *)tensor->data + tensor->byte_offset : NULL;
    *array = tally_shaped(data, type, tensor->ndim, tensor->shape);
    if (tensor->strides) {
        for (int32_t d = 0; d < tensor->ndim; d++) array->strides[d] = tensor->strides[d];
    }
    if (device_type) *device_type = tensor->device.type;
    if (device_id) *device_id = tensor->device.id;
    return TALLY_OK;
}

tally_status tally_from_dlpack_versioned(struct DLManagedTensorVersioned *managed, tally_array *array,
                                         int32_t *device_type, int32_t *device_id)
{
    if (!managed || !array) FAIL(TALLY_INVALID_ARGUMENT, "%s is NULL", managed ? "array" : "managed");
    if (managed->version.major != DLPACK_MAJOR) {
        unsigned major = managed->version.major;
        if (managed->deleter) managed->deleter(managed);
        FAIL(TALLY_UNSUPPORTED, "managed has DLPack version %u: expected %d; its deleter was called", major,
             DLPACK_MAJOR);
    }
    TRY(tally_from_dlpack(&managed->tensor, array, device_type, device_id));
    if (managed->flags & DLPACK_FLAG_READ_ONLY) array->flags |= TALLY_READ_ONLY;
    return TALLY_OK;
}
