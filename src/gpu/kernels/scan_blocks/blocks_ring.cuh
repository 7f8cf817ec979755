/* SPDX-License-Identifier: MIT
 *
 * blocks_ring.cuh - for blocks_chain.cuh: a ring of places in shared memory where one thread chains what warps bring.
 * Places are left what all links are up to behind them.
 *   chain_link     the structure of a place
 *   chain_after    what all links are up to behind a place, of what they are before and what was brought
 *   chain_at_once  places that are loaded ahead
 *   chain_tries    before places are chained one by one
 *
 * A thread's accesses of shared memory happen in order. So marks that are stored last, and read first, say what is
 * there: fences would wait for all that was stored to global memory before. No include guard. */

enum { chain_words = (int)sizeof(chain_link) / 4, chain_vectors = chain_at_once * chain_words / 4 };

struct chain_ring {
    struct vector16 places[PLACES * chain_words / 4];
    uint32_t brought[PLACES];    /* the turn of what is there */
    uint32_t all_brought[CREWS]; /* of all of a crew's */
    uint32_t done;               /* places chained, of all turns */
};

struct batch {
    chain_link link[chain_at_once];
};

DEVICE void chain_open(struct chain_ring *ring)
{
    for (int i = (int)threadIdx.x; i < PLACES; i += THREADS) ring->brought[i] = 0;
    if (threadIdx.x < CREWS) ring->all_brought[threadIdx.x] = 0;
    if (threadIdx.x == 0) ring->done = 0;
}

DEVICE char *chain_place(struct chain_ring *ring, int64_t number)
{
    return (char *)ring->places + (uint32_t)number % PLACES * (uint32_t)sizeof(chain_link);
}

DEVICE chain_link chain_look(struct chain_ring *ring, int64_t number)
{
    const char *place = chain_place(ring, number);
    uint32_t words[chain_words];
    chain_link link;
    for (int i = 0; i < chain_words; i++) words[i] = word_look((const uint32_t *)place + i);
    memcpy(&link, words, sizeof link);
    return link;
}

DEVICE void chain_put(struct chain_ring *ring, int64_t number, chain_link link)
{
    char *place = chain_place(ring, number);
    uint32_t words[chain_words];
    memcpy(words, &link, sizeof link);
    for (int i = 0; i < chain_words; i++) word_put((uint32_t *)place + i, words[i]);
}

/* One that was brought, and then all of a crew's. */
DEVICE void chain_bring(struct chain_ring *ring, int64_t number, chain_link link)
{
    chain_put(ring, number, link);
    word_put(&ring->brought[(uint32_t)number % PLACES], turn_of(number));
}

DEVICE void chain_bring_end(struct chain_ring *ring, int64_t first)
{
    __syncwarp();
    if ((threadIdx.x & 31) == 0) word_put(&ring->all_brought[crew_of(first)], turn_of(first));
}

/* Whether a place was chained. */
DEVICE int chain_is_done(struct chain_ring *ring, int64_t number)
{
    return (int32_t)(word_poll(&ring->done) - (uint32_t)number) > 0;
}

/* Whether all are there. */
DEVICE int chain_load(struct batch *batch, struct chain_ring *ring, int64_t number)
{
    const struct vector16 *from = (const struct vector16 *)chain_place(ring, number);
    struct vector16 vectors[chain_vectors];
    uint32_t turn = word_poll(&ring->all_brought[crew_of(number)]);
#pragma unroll
    for (int i = 0; i < chain_vectors; i++) vectors[i] = vector_look(&from[i]);
    memcpy(batch, vectors, sizeof *batch);
    return turn == turn_of(number);
}

DEVICE void chain_batch(chain_link *upto, struct batch *batch, struct chain_ring *ring, int64_t number)
{
    struct vector16 *to = (struct vector16 *)chain_place(ring, number), vectors[chain_vectors];
#pragma unroll
    for (int i = 0; i < chain_at_once; i++) {
        *upto = chain_after(*upto, batch->link[i]);
        batch->link[i] = *upto;
    }
    memcpy(vectors, batch, sizeof vectors);
#pragma unroll
    for (int i = 0; i < chain_vectors; i++) vector_put(&to[i], vectors[i]);
    word_put(&ring->done, (uint32_t)number + chain_at_once);
}

DEVICE void chain_one(chain_link *upto, int some, struct chain_ring *ring, int64_t number)
{
    while (word_poll(&ring->brought[(uint32_t)number % PLACES]) != turn_of(number)) {
    }
    chain_link own = chain_look(ring, number);
    *upto = some ? chain_after(*upto, own) : own;
    chain_put(ring, number, *upto);
    word_put(&ring->done, (uint32_t)number + 1);
}

/* As many batches as are there, each loaded while the one before is chained. Returns the number behind them. */
DEVICE int64_t chain_batches(chain_link *upto, struct chain_ring *ring, int64_t number)
{
    struct batch one, other;
    for (;;) {
        int tries = 0, there;
#pragma unroll 1
        while (!chain_load(&one, ring, number)) {
            if (++tries == chain_tries) return number;
        }
#pragma unroll 1
        do {
            there = chain_load(&other, ring, number + chain_at_once);
            chain_batch(upto, &one, ring, number);
            number += chain_at_once;
            if (!there) break;
            there = chain_load(&one, ring, number + chain_at_once);
            chain_batch(upto, &other, ring, number);
            number += chain_at_once;
        } while (there);
    }
}

/* By one thread. One by one go the first, those that do not come together, and the last. */
DEVICE void chain_to_end(chain_link upto, int some, struct chain_ring *ring, int64_t count)
{
    for (int64_t number = 0; number < count;) {
        chain_one(&upto, some, ring, number++);
        some = 1;
        if (number < count && number % chain_at_once == 0) number = chain_batches(&upto, ring, number);
    }
}
