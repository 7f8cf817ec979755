/* SPDX-License-Identifier: MIT
 *
 * source_hdf5.c - a dataset of an HDF5 file, read block by block through libhdf5, which converts the byte order.
 * Without HAVE_HDF5 only the message that says so is left. */
#include "error.h"
#include "source_inside.h"

#ifndef HAVE_HDF5

bool io_open_hdf5(io_source *source, const char *file, const char *dataset)
{
    (void)file;
    (void)dataset;
    return io_fail("%s: no such file, and this tally was built without HDF5 for names like file.h5:/group/set",
                   source->name);
}

const char *io_hdf5_version(void)
{
    return NULL;
}

#else

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct hdf5_state {
    hid_t file;
    hid_t dataset;
    hid_t file_space;
    hid_t memory_type;
    int64_t next; /* flat index of the next element to read */
} hdf5_state;

static tally_type integer_type(hid_t type)
{
    bool is_signed = H5Tget_sign(type) == H5T_SGN_2;
    switch (H5Tget_size(type)) {
    case 1: return is_signed ? TALLY_I8 : TALLY_U8;
    case 2: return is_signed ? TALLY_I16 : TALLY_U16;
    case 4: return is_signed ? TALLY_I32 : TALLY_U32;
    case 8: return is_signed ? TALLY_I64 : TALLY_U64;
    default: return TALLY_DEFAULT_TYPE;
    }
}

/* Told by the width of the exponent, since bf16 and f16 have the same size. */
static tally_type float_type(hid_t type)
{
    size_t sign = 0;
    size_t exponent = 0;
    size_t exponent_bits = 0;
    size_t fraction = 0;
    size_t fraction_bits = 0;
    if (H5Tget_fields(type, &sign, &exponent, &exponent_bits, &fraction, &fraction_bits) < 0) {
        return TALLY_DEFAULT_TYPE;
    }
    switch (H5Tget_size(type)) {
    case 2: return exponent_bits == 5 ? TALLY_F16 : exponent_bits == 8 ? TALLY_BF16 : TALLY_DEFAULT_TYPE;
    case 4: return exponent_bits == 8 ? TALLY_F32 : TALLY_DEFAULT_TYPE;
    case 8: return exponent_bits == 11 ? TALLY_F64 : TALLY_DEFAULT_TYPE;
    default: return TALLY_DEFAULT_TYPE;
    }
}

/* h5py stores complex numbers as a pair of floats r, i. */
static tally_type complex_type(hid_t type, hid_t *memory_type)
{
    if (H5Tget_nmembers(type) != 2 || H5Tget_member_index(type, "r") != 0 || H5Tget_member_index(type, "i") != 1) {
        return TALLY_DEFAULT_TYPE;
    }
    hid_t part = H5Tget_member_type(type, 0);
    tally_type of_part = H5Tget_class(part) == H5T_FLOAT ? float_type(part) : TALLY_DEFAULT_TYPE;
    H5Tclose(part);
    if (of_part != TALLY_F32 && of_part != TALLY_F64) {
        return TALLY_DEFAULT_TYPE;
    }
    size_t bytes = tally_type_size(of_part);
    hid_t native = of_part == TALLY_F32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    *memory_type = H5Tcreate(H5T_COMPOUND, 2 * bytes);
    H5Tinsert(*memory_type, "r", 0, native);
    H5Tinsert(*memory_type, "i", bytes, native);
    return of_part == TALLY_F32 ? TALLY_C64 : TALLY_C128;
}

/* The tally type of a stored type, and the same type in this machine's byte order. */
static tally_type translate_type(hid_t stored, hid_t *memory_type)
{
    tally_type type = TALLY_DEFAULT_TYPE;
    H5T_class_t class = H5Tget_class(stored);
    if (class == H5T_COMPOUND) {
        return complex_type(stored, memory_type);
    }
    if (class == H5T_INTEGER) {
        type = integer_type(stored);
    } else if (class == H5T_FLOAT) {
        type = float_type(stored);
    } else if (class == H5T_ENUM && H5Tget_size(stored) == 1) {
        type = TALLY_BOOL; /* h5py's booleans: an enumeration of FALSE and TRUE over i8 */
    }
    if (type != TALLY_DEFAULT_TYPE) {
        *memory_type = H5Tcopy(stored);
        if (class != H5T_ENUM) {
            H5Tset_order(*memory_type, H5Tget_order(H5T_NATIVE_INT));
        }
    }
    return type;
}

/* The largest block of whole trailing axes, times a run along one axis, that begins at the next element and fits. */
static void choose_block(const io_source *source, int64_t position, int64_t limit, hsize_t *start, hsize_t *count)
{
    int32_t axis = source->rank - 1;
    int64_t inner = 1;
    for (int32_t i = source->rank - 1; i >= 0; i--) {
        start[i] = (hsize_t)(position % source->shape[i]);
        position /= source->shape[i];
        count[i] = 1;
    }
    while (axis > 0 && start[axis] == 0 && inner * source->shape[axis] <= limit) {
        inner *= source->shape[axis];
        count[axis] = (hsize_t)source->shape[axis];
        axis--;
    }
    int64_t rest = source->shape[axis] - (int64_t)start[axis];
    int64_t run = limit / inner;
    count[axis] = (hsize_t)(rest < run ? rest : run);
}

static bool read_hdf5(io_source *source, void *elements, int64_t count, int64_t *got)
{
    hdf5_state *state = source->state;
    int64_t total = io_source_count(source);
    hsize_t start[TALLY_MAX_RANK] = {0};
    hsize_t block[TALLY_MAX_RANK] = {1};
    *got = 0;
    if (state->next == total) {
        return true;
    }
    hsize_t taken = 1;
    hid_t file_space = H5S_ALL;
    if (source->rank > 0) {
        choose_block(source, state->next, count, start, block);
        H5Sselect_hyperslab(state->file_space, H5S_SELECT_SET, start, NULL, block, NULL);
        file_space = state->file_space;
        for (int32_t i = 0; i < source->rank; i++) {
            taken *= block[i];
        }
    }
    hid_t memory_space = H5Screate_simple(1, &taken, NULL);
    herr_t status = H5Dread(state->dataset, state->memory_type, source->rank > 0 ? memory_space : H5S_ALL, file_space,
                            H5P_DEFAULT, elements);
    H5Sclose(memory_space);
    if (status < 0) {
        return io_fail("%s: libhdf5 cannot read the dataset (damaged file, or a compression filter that is not "
                       "installed)",
                       source->name);
    }
    *got = (int64_t)taken;
    state->next += *got;
    return true;
}

static void close_hdf5(io_source *source)
{
    hdf5_state *state = source->state;
    if (state->memory_type > 0) {
        H5Tclose(state->memory_type);
    }
    if (state->file_space > 0) {
        H5Sclose(state->file_space);
    }
    if (state->dataset > 0) {
        H5Dclose(state->dataset);
    }
    if (state->file > 0) {
        H5Fclose(state->file);
    }
    free(state);
}

static const io_reader hdf5_reader = {read_hdf5, close_hdf5};

static bool read_shape(io_source *source, const hdf5_state *state)
{
    hsize_t shape[H5S_MAX_RANK];
    int rank = H5Sget_simple_extent_ndims(state->file_space);
    if (H5Sget_simple_extent_type(state->file_space) == H5S_NULL) {
        return io_fail("%s: the dataset has no shape and no elements (a null dataspace)", source->name);
    }
    if (rank < 0 || rank > TALLY_MAX_RANK) {
        return io_fail("%s: the dataset has %d axes; tally takes up to %d", source->name, rank, TALLY_MAX_RANK);
    }
    H5Sget_simple_extent_dims(state->file_space, shape, NULL);
    int64_t bytes = (int64_t)tally_type_size(source->type);
    for (int i = 0; i < rank; i++) {
        source->shape[i] = (int64_t)shape[i];
        if (source->shape[i] < 0 || (shape[i] != 0 && !io_multiply(bytes, source->shape[i], &bytes))) {
            return io_fail("%s: the dataset has more than 2^63 bytes", source->name);
        }
    }
    source->rank = (int32_t)rank;
    source->length_known = true;
    return true;
}

bool io_open_hdf5(io_source *source, const char *file, const char *dataset)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hdf5_state *state = calloc(1, sizeof *state);
    if (state == NULL) {
        return io_fail("%s: out of memory", source->name);
    }
    source->state = state;
    source->reader = &hdf5_reader;
    if (access(file, R_OK) != 0) {
        return io_fail("%s: there is no readable file '%s'", source->name, file);
    }
    state->file = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (state->file < 0) {
        return io_fail("%s: '%s' is not an HDF5 file, or is damaged", source->name, file);
    }
    state->dataset = H5Dopen2(state->file, dataset, H5P_DEFAULT);
    if (state->dataset < 0) {
        return io_fail("%s: there is no dataset '%s' in the file; h5ls -r lists them", source->name, dataset);
    }
    state->file_space = H5Dget_space(state->dataset);
    hid_t stored = H5Dget_type(state->dataset);
    source->type = translate_type(stored, &state->memory_type);
    H5Tclose(stored);
    if (source->type == TALLY_DEFAULT_TYPE) {
        return io_fail("%s: the dataset's element type is not supported: tally reads integers, floats of 2 to 8 bytes, "
                       "complex pairs (r, i) and booleans",
                       source->name);
    }
    return read_shape(source, state);
}

const char *io_hdf5_version(void)
{
    static _Thread_local char text[32];
    unsigned major = 0;
    unsigned minor = 0;
    unsigned release = 0;
    H5get_libversion(&major, &minor, &release);
    snprintf(text, sizeof text, "%u.%u.%u", major, minor, release);
    return text;
}

#endif
