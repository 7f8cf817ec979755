/* SPDX-License-Identifier: MIT
 *
 * side.cuh - elements of SIDE neighbouring columns, which one aligned access reads. No include guard. */

/* Words where they can be, as every byte would take a register of its own. */
enum { SIDE_BYTES = SIDE * ELEMENT_SIZE };
#if SIDE * ELEMENT_BYTES >= 4
struct __align__(SIDE_BYTES) side
{
    uint32_t word[SIDE_BYTES / 4];
};
#else
struct side {
    storage stored[SIDE * ELEMENT_SIZE / sizeof(storage)];
};
#endif

DEVICE element side_element(const struct side *side, int i)
{
    storage stored[SIDE * ELEMENT_SIZE / sizeof(storage)];
    memcpy(stored, side, sizeof stored);
    return load_element(stored, i);
}
