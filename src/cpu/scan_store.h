/* SPDX-License-Identifier: MIT
 *
 * scan_store.h - results of a scan's kernels as elements of the result type. Included once by kernels_scan.c. */
#ifndef TALLY_CPU_SCAN_STORE_H
#define TALLY_CPU_SCAN_STORE_H

/* Adding this to a result changes at most the sign of a zero. */
#define STORE_ZERO(positive_zero) ((positive_zero) ? 0.0 : -0.0)

ALWAYS_INLINE void store_real_as(const double *values, size_t n, tally_type result, size_t s, double zero, void *out)
{
    double nan = double_from_bits(0x7ff8000000000000ull);
    uint16_t *narrow = out;
    float *single = out;
    double *whole = out;
    switch (type_row(result)->real_part) {
    case TALLY_F16:
        for (size_t i = 0; i < n; i++) narrow[s * i] = f64_to_f16(values[i] + zero);
        break;
    case TALLY_BF16:
        for (size_t i = 0; i < n; i++) narrow[s * i] = f64_to_bf16(values[i] + zero);
        break;
    case TALLY_F32:
        for (size_t i = 0; i < n; i++) single[s * i] = (float)(values[i] == values[i] ? values[i] + zero : nan);
        break;
    default:
        for (size_t i = 0; i < n; i++) whole[s * i] = values[i] == values[i] ? values[i] + zero : nan;
        break;
    }
}

static void scan_store_real(const double *values, size_t n, tally_type result, int step, int positive_zero, void *out)
{
    if (step == 1) store_real_as(values, n, result, 1, STORE_ZERO(positive_zero), out);
    else store_real_as(values, n, result, 2, STORE_ZERO(positive_zero), out);
}

/* Integers become floats only where every value is exact. */
static void store_floats(const int64_t *values, size_t n, int is_signed, tally_type result, void *out)
{
    const struct type_row *row = type_row(result);
    double real[SCAN_MOST] = {0};
    int step = row->kind == KIND_COMPLEX ? 2 : 1;
    for (size_t i = 0; i < n; i++) real[i] = is_signed ? (double)values[i] : (double)(uint64_t)values[i];
    scan_store_real(real, n, result, step, 1, out);
    if (step == 1) return;
    for (size_t i = 0; i < n; i++) real[i] = 0;
    scan_store_real(real, n, result, step, 1, (char *)out + row->size / 2);
}

static void scan_store_word(const int64_t *values, size_t n, int is_signed, tally_type result, void *out)
{
    const struct type_row *row = type_row(result);
    uint8_t *to8 = out;
    uint16_t *to16 = out;
    uint32_t *to32 = out;
    if (row->kind & KIND_FLOAT) {
        store_floats(values, n, is_signed, result, out);
        return;
    }
    if (row->kind == KIND_BOOLEAN) {
        for (size_t i = 0; i < n; i++) to8[i] = values[i] != 0;
        return;
    }
    switch (row->size) {
    case 1:
        for (size_t i = 0; i < n; i++) to8[i] = (uint8_t)values[i];
        break;
    case 2:
        for (size_t i = 0; i < n; i++) to16[i] = (uint16_t)values[i];
        break;
    case 4:
        for (size_t i = 0; i < n; i++) to32[i] = (uint32_t)values[i];
        break;
    default: memmove(out, values, n * 8); break;
    }
}

static void scan_add_logarithm(union scan_values *values, size_t n, int floats)
{
    double *v = values->real[0], *sum = values->real[1];
    for (size_t i = 0; i < n && floats; i++) {
        double logarithm = powers_log_float((float)v[i], (float)sum[i]);
        v[i] = v[i] - v[i] == 0 ? logarithm : v[i];
    }
    for (size_t i = 0; i < n && !floats; i++) {
        double logarithm = powers_log_double(v[i], sum[i]);
        v[i] = v[i] - v[i] == 0 ? logarithm : v[i];
    }
}

#endif
