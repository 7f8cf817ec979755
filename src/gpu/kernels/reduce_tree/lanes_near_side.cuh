/* SPDX-License-Identifier: MIT
 *
 * lanes_near_side.cuh - elements of a leaf of logsumexp, as reduce_lanes.cu reads them where they are added as numbers.
 * No include guard. */

/* A member's elements of a leaf of its cells: `each` bytes from one to the next one, `length` in a leaf. What is not
 * there has the first one in its place. */
struct near_leaf {
    const char *x[GROUPS];
    int64_t each;
    int32_t length;
};

struct near_side {
    struct side v;
    int inside;
};
