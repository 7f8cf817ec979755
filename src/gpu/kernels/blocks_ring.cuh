/* SPDX-License-Identifier: MIT
 *
 * blocks_ring.cuh - for blocks_chain.cuh: a ring of places in shared memory where one thread chains what warps bring.
 * Included for each kind of LINK; LINK_NAME(name) tells them apart.
 *   LINK          the structure of a place
 *   LINK_AFTER    a function: what all links are up to behind a place, of what they are before and what was brought
 *   LINK_BEFORE   1: the places are left what all links are up to before them; 0: behind them
 *
 * A thread's accesses of shared memory happen in order. So marks that are stored last, and read first, say what is
 * there: fences would wait for all that was stored to global memory before. No include guard. */

enum {
    LINK_NAME(words) = (int)sizeof(struct LINK) / 4,
    LINK_NAME(at_once) = LINK_NAME(words) < 8 ? 16 / LINK_NAME(words) : 2, /* places that are loaded ahead */
    LINK_NAME(vectors) = LINK_NAME(at_once) * LINK_NAME(words) / 4
};

struct LINK_NAME(ring) {
    struct vector16 places[PLACES * LINK_NAME(words) / 4];
    uint32_t brought[PLACES];    /* the turn of what is there */
    uint32_t all_brought[CREWS]; /* of all of a crew's */
    uint32_t done;               /* places chained, of all turns */
};

struct LINK_NAME(batch) {
    struct LINK link[LINK_NAME(at_once)];
};

DEVICE void LINK_NAME(open)(struct LINK_NAME(ring) * ring)
{
    for (int i = (int)threadIdx.x; i < PLACES; i += THREADS) ring->brought[i] = 0;
    if (threadIdx.x < CREWS) ring->all_brought[threadIdx.x] = 0;
    if (threadIdx.x == 0) ring->done = 0;
}

DEVICE char *LINK_NAME(place)(struct LINK_NAME(ring) * ring, int64_t number)
{
    return (char *)ring->places + (uint32_t)number % PLACES * (uint32_t)sizeof(struct LINK);
}

DEVICE struct LINK LINK_NAME(look)(struct LINK_NAME(ring) * ring, int64_t number)
{
    const char *place = LINK_NAME(place)(ring, number);
    uint32_t words[LINK_NAME(words)];
    struct LINK link;
    for (int i = 0; i < LINK_NAME(words); i++) words[i] = word_look((const uint32_t *)place + i);
    memcpy(&link, words, sizeof link);
    return link;
}

DEVICE void LINK_NAME(put)(struct LINK_NAME(ring) * ring, int64_t number, struct LINK link)
{
    char *place = LINK_NAME(place)(ring, number);
    uint32_t words[LINK_NAME(words)];
    memcpy(words, &link, sizeof link);
    for (int i = 0; i < LINK_NAME(words); i++) word_put((uint32_t *)place + i, words[i]);
}

/* One that was brought, and then all of a crew's. */
DEVICE void LINK_NAME(bring)(struct LINK_NAME(ring) * ring, int64_t number, struct LINK link)
{
    LINK_NAME(put)(ring, number, link);
    word_put(&ring->brought[(uint32_t)number % PLACES], turn_of(number));
}

DEVICE void LINK_NAME(bring_end)(struct LINK_NAME(ring) * ring, int64_t first)
{
    __syncwarp();
    if ((threadIdx.x & 31) == 0) word_put(&ring->all_brought[crew_of(first)], turn_of(first));
}

/* Whether a place was chained. */
DEVICE int LINK_NAME(is_done)(struct LINK_NAME(ring) * ring, int64_t number)
{
    return (int32_t)(word_poll(&ring->done) - (uint32_t)number) > 0;
}

/* Whether all are there. */
DEVICE int LINK_NAME(load)(struct LINK_NAME(batch) * batch, struct LINK_NAME(ring) * ring, int64_t number)
{
    const struct vector16 *from = (const struct vector16 *)LINK_NAME(place)(ring, number);
    struct vector16 vectors[LINK_NAME(vectors)];
    uint32_t turn = word_poll(&ring->all_brought[crew_of(number)]);
#pragma unroll
    for (int i = 0; i < LINK_NAME(vectors); i++) vectors[i] = vector_look(&from[i]);
    memcpy(batch, vectors, sizeof *batch);
    return turn == turn_of(number);
}

DEVICE void LINK_NAME(chain_batch)(struct LINK *upto, struct LINK_NAME(batch) * batch, struct LINK_NAME(ring) * ring,
                                   int64_t number)
{
    struct vector16 *to = (struct vector16 *)LINK_NAME(place)(ring, number), vectors[LINK_NAME(vectors)];
#pragma unroll
    for (int i = 0; i < LINK_NAME(at_once); i++) {
        struct LINK behind = LINK_AFTER(*upto, batch->link[i]);
        batch->link[i] = LINK_BEFORE ? *upto : behind;
        *upto = behind;
    }
    memcpy(vectors, batch, sizeof vectors);
#pragma unroll
    for (int i = 0; i < LINK_NAME(vectors); i++) vector_put(&to[i], vectors[i]);
    word_put(&ring->done, (uint32_t)number + LINK_NAME(at_once));
}

DEVICE void LINK_NAME(chain_one)(struct LINK *upto, int some, struct LINK_NAME(ring) * ring, int64_t number)
{
    while (word_poll(&ring->brought[(uint32_t)number % PLACES]) != turn_of(number)) {
    }
    struct LINK own = LINK_NAME(look)(ring, number), behind = some ? LINK_AFTER(*upto, own) : own;
    LINK_NAME(put)(ring, number, LINK_BEFORE ? *upto : behind);
    *upto = behind;
    word_put(&ring->done, (uint32_t)number + 1);
}

/* As many batches as are there, each loaded while the one before is chained. Returns the number behind them. */
DEVICE int64_t LINK_NAME(chain_batches)(struct LINK *upto, struct LINK_NAME(ring) * ring, int64_t number)
{
    struct LINK_NAME(batch) one, other;
    for (;;) {
        int tries = 0, there;
#pragma unroll 1
        while (!LINK_NAME(load)(&one, ring, number)) {
            if (++tries == TRIES) return number;
        }
#pragma unroll 1
        do {
            there = LINK_NAME(load)(&other, ring, number + LINK_NAME(at_once));
            LINK_NAME(chain_batch)(upto, &one, ring, number);
            number += LINK_NAME(at_once);
            if (!there) break;
            there = LINK_NAME(load)(&one, ring, number + LINK_NAME(at_once));
            LINK_NAME(chain_batch)(upto, &other, ring, number);
            number += LINK_NAME(at_once);
        } while (there);
    }
}

/* By one thread. One by one go the first, those that do not come together, and the last. */
DEVICE void LINK_NAME(chain)(struct LINK upto, int some, struct LINK_NAME(ring) * ring, int64_t count)
{
    for (int64_t number = 0; number < count;) {
        LINK_NAME(chain_one)(&upto, some, ring, number++);
        some = 1;
        if (number < count && number % LINK_NAME(at_once) == 0) number = LINK_NAME(chain_batches)(&upto, ring, number);
    }
}

#undef LINK
#undef LINK_AFTER
#undef LINK_BEFORE
#undef LINK_NAME
