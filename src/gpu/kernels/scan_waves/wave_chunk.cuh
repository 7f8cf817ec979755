/* SPDX-License-Identifier: MIT
 *
 * wave_chunk.cuh - the chunks that scan_wave.cu and scan_few.cu go through, and the way of results from a warp's part
 * of one in shared memory to global memory. No include guard.
 *   ONE_ROW   1: there is but one cell */

#if !defined(ONE_ROW)
#define ONE_ROW 0
#endif

struct chunk {
    int64_t number, cell;
    const char *input; /* lowest addresses: backward, of the last element */
    char *output;
    const unsigned char *mask;       /* of the element at the lowest address */
    int32_t count;                   /* elements; 0: there is none */
    int32_t loads_bulk, stores_bulk; /* whole aligned vectors, so that it can be copied at once */
};

/* From the mask of an element to that of the one behind it in memory. */
#define MASK_STEP(given) (BACKWARD ? -(given)->reduce.reduced[0].where : (given)->reduce.reduced[0].where)

/* TURNED 1: results lie in memory in the other order than elements, and parts in their rooms as results do. */
#define X_BACKWARD (BACKWARD != TURNED)

/* Elements from one on to the next border of a vector that is not its own, in the scan's order. */
DEVICE int64_t elements_to_border(const char *x)
{
    int32_t beyond = (int32_t)((uintptr_t)x & 15) / ELEMENT_SIZE;
    return X_BACKWARD ? beyond + 1 : PER_VECTOR - beyond;
}

/* By one thread. */
DEVICE struct chunk chunk_of(const struct scan_parameters *given, int64_t number)
{
    const struct reduce_parameters *p = &given->reduce;
    struct chunk c = {number, ONE_ROW || number < p->splits ? 0 : number / p->splits, 0, 0, 0, 0, 0, 0};
    if (!ONE_ROW && c.cell >= p->cells) return c;
    int64_t split = number - c.cell * p->splits, first = split * CHUNK, end = first + CHUNK, head = given->head;
    struct offsets at = {0, 0, 0, 0};
    if (!ONE_ROW) at = cell_offsets(p, c.cell);
    if (head == SCAN_OWN_HEADS) head = elements_to_border((const char *)p->x + at.x * ELEMENT_SIZE);
    if (head) first = split ? first - CHUNK + head : 0, end += head - CHUNK;
    c.count = (int32_t)((p->length < end ? p->length : end) - first);
    int64_t last = first + c.count - 1;
    if (WITH_WHERE) c.mask = p->where + at.where + (BACKWARD ? last : first) * p->reduced[0].where;
    c.input = (const char *)p->x + (at.x + (X_BACKWARD ? last : first) * p->reduced[0].x) * ELEMENT_SIZE;
    c.output = (char *)p->out + (at.out + (BACKWARD ? last : first) * p->reduced[0].out) * RESULT_SIZE;
    c.loads_bulk = HAS_BULK && ((uintptr_t)c.input | (uintptr_t)(c.count * ELEMENT_SIZE)) % 16 == 0;
    if (head && split == 0) c.loads_bulk = 0; /* what lies behind it in its room would count */
    c.stores_bulk = HAS_BULK && IN_PLACE && ((uintptr_t)c.output | (uintptr_t)(c.count * RESULT_SIZE)) % 16 == 0;
    return c;
}

/* A warp's elements: `count` from `begin` on in its room, in memory behind `offset` others of the chunk. Backward, a
 * chunk that is not full lies at the end of all warps' rooms, and the first warp has the last room. */
struct part {
    int32_t begin, count, offset;
};

DEVICE struct part part_of(const struct chunk *c)
{
    int32_t warp = (int32_t)threadIdx.x >> 5, chunk_begin = BACKWARD ? CHUNK - c->count : 0;
    int32_t room = (BACKWARD ? WARPS - 1 - warp : warp) * PART;
    int32_t low = chunk_begin > room ? chunk_begin : room;
    int32_t high = chunk_begin + c->count < room + PART ? chunk_begin + c->count : room + PART;
    struct part part = {low - room, high > low ? high - low : 0, low - chunk_begin};
    return part;
}

/* Where the elements of a part begin in those of the chunk. */
DEVICE int32_t part_in_input(const struct chunk *c, const struct part *part)
{
    return TURNED ? c->count - part->offset - part->count : part->offset;
}

/* Elements of the chunk in the thread's run. */
DEVICE int32_t chunk_share(const struct chunk *c)
{
    int32_t left = c->count - (int32_t)threadIdx.x * RUN;
    return left < 0 ? 0 : left < RUN ? left : RUN;
}

/* The thread's run in a warp's room that has a run every `stride` vectors. */
DEVICE struct vector16 *run_of(struct vector16 *room, int32_t stride)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    return room + (BACKWARD ? 31 - lane : lane) * stride;
}

/* A part that cannot be copied at once is loaded here, element by element, with others beside it that change no total;
 * several are under way before any is used. */
DEVICE_CALL void load_by_elements(struct chunk c, uint64_t fill, struct vector16 *room)
{
    enum { AT_ONCE = 8, PARTS = ELEMENT_SIZE / (int)sizeof(storage) };
    struct part part = part_of(&c);
    const storage *from = (const storage *)(c.input + (int64_t)part_in_input(&c, &part) * ELEMENT_SIZE);
    storage *to = (storage *)room, x[AT_ONCE];
    int32_t begin = part.begin * PARTS, count = part.count * PARTS, lane = (int32_t)threadIdx.x & 31;
    for (int32_t i = lane; i < PART * PARTS; i += AT_ONCE * 32) {
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            int32_t at = i + k * 32 - begin;
            memcpy(&x[k], &fill, sizeof x[k]);
            if (at >= 0 && at < count) x[k] = from[TURNED ? (count / PARTS - 1 - at / PARTS) * PARTS + at % PARTS : at];
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            if (i + k * 32 < PART * PARTS) to[i + k * 32] = x[k];
        }
    }
    __syncwarp();
}

#include "results_across.cuh"

/* Results from a room that has a run every `stride` vectors, in the order of memory. */
DEVICE void store_results(const struct chunk *c, const struct vector16 *from, int32_t stride)
{
    struct part part = part_of(c);
    char *to = c->output + (int64_t)part.offset * RESULT_SIZE;
    int32_t lane = (int32_t)threadIdx.x & 31;
    if (!NARROWS && part.count == PART && (uintptr_t)to % 16 == 0) {
#pragma unroll
        for (int32_t k = 0; k < RESULT_VECTORS; k++)
            ((struct vector16 *)to)[k * 32 + lane] = vector_of_runs(from, stride, k * 32 + lane);
    } else if (part.count) {
        store_across(to - (int64_t)part.begin * RESULT_SIZE, from, stride, part.begin, part.begin + part.count);
    }
}
