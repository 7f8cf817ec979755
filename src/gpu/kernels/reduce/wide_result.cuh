/* SPDX-License-Identifier: MIT
 *
 * wide_result.cuh - the result of a cell of the sums of wide.cuh. No include guard. */
/* By one thread. The digits are carried already, but for an initial value. */
DEVICE_UNUSED void wide_result(const struct reduce_parameters *p, struct wide *w, int64_t cell)
{
    __shared__ struct exact_sum sum[SUMS];
    __shared__ struct natural square;
    struct offsets at = cell_offsets(p, cell);
    if (p->has_initial && FINISH_NUMBER == FINISH_TOTAL) {
        for (int s = 0; s < SUMS && (RESULT_KIND & KIND_FLOAT); s++) deposit_double(w, s, initial_real(p, s), 0);
        if (!(RESULT_KIND & KIND_FLOAT)) {
            uint64_t bits = initial_integer(p);
            int negative = RESULT_KIND == KIND_SIGNED && (int64_t)bits < 0;
            deposit(&w->sum[0], negative ? 0 - bits : bits, negative, 0);
        }
        for (int s = 0; s < SUMS; s++) {
            for (int i = 0; i < DIGITS; i++) w->sum[s].total[i] += w->sum[s].digit[i];
        }
    }
    for (int s = 0; s < SUMS; s++) wide_read(w, s, &sum[s]);
    char *out = (char *)p->out + at.out * RESULT_SIZE;
    uint32_t failure = finish_exact(p, sum, SUMS, &square, p->length - (int64_t)w->absent, out);
    if (failure && p->failures) atomicOr(p->failures, failure);
}
