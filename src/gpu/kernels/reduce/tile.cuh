/* SPDX-License-Identifier: MIT
 *
 * tile.cuh - what a thread of a reduction reads at once, and how it goes into the thread's state. The kernel defines
 * CONTIGUOUS and TILE_VECTORS. */
#ifndef TALLY_TILE_CUH
#define TALLY_TILE_CUH

#include "mask_words.cuh"
#include "team.cuh"

/* Elements of a vector, vectors of a tile. Doubles in exact sums allow 16 to a tile (exact_tile.cuh), lanes of bytes
 * 64, others 32. */
enum { VECTOR = CONTIGUOUS ? 16 / ELEMENT_SIZE : 1, VECTORS = TILE_VECTORS, TILE = VECTOR * VECTORS };

/* A bit for each element of a tile. */
#if ELEMENT_BYTES == 1
typedef uint64_t tile_mask;
#else
typedef uint32_t tile_mask;
#endif
#define FULL_TILE (TILE == 64 ? ~0ull : (1ull << (TILE & 63)) - 1)

/* Whether masks are read as words, beside vectors. */
#if WITH_WHERE && CONTIGUOUS && defined(MASK_ALIKE)
#define MASK_IS_WORDS 1
#else
#define MASK_IS_WORDS 0
#endif

/* Whether absent elements give way to one that changes no total, so that steps without masks take them. */
#if MASK_IS_WORDS && defined(FILL)
#define IS_FILLED 1
#else
#define IS_FILLED 0
#endif

#if defined(METHOD_EXACT)
#include "method_exact.cuh"
#elif defined(METHOD_INDEX)
#include "method_index.cuh"
#else
#include "method_fold.cuh"
#endif

/* What a thread reads at once: a vector, or one element. */
#if CONTIGUOUS
typedef struct vector16 chunk;
#else
typedef struct OF_ELEMENT(stored) chunk;
#endif

/* Chunks with zeros where nothing belongs to the cell, and which of their elements do. */
struct tile {
    chunk x[VECTORS];
#if WITH_SECOND
    chunk y[VECTORS];
#endif
    int64_t place[VECTORS];
    tile_mask inside;  /* elements of the cell */
    tile_mask allowed; /* by options.where */
#if MASK_IS_WORDS
    struct mask mask[VECTORS]; /* in place of `allowed`, until the tile is absorbed */
#endif
};

DEVICE chunk load_chunk(const char *address)
{
#if CONTIGUOUS
    return load_vector(address);
#else
    return *(const chunk *)address;
#endif
}

DEVICE element chunk_element(const chunk *from, int i)
{
#if CONTIGUOUS
    return vector_element(from, i);
#else
    return load_element(from, i);
#endif
}

/* The elements [from, to) of a chunk, one by one, and zeros around them. */
DEVICE chunk load_part(const char *address, int64_t from, int64_t to)
{
    struct OF_ELEMENT(stored) stored[VECTOR];
    chunk part;
#pragma unroll
    for (int k = 0; k < VECTOR; k++) {
        memset(&stored[k], 0, sizeof stored[k]);
        if (k >= from && k < to) stored[k] = ((const struct OF_ELEMENT(stored) *)address)[k];
    }
    memcpy(&part, stored, sizeof part);
    return part;
}

#if MASK_IS_WORDS
DEVICE tile_mask allowed_by_words(const struct tile *tile)
{
    tile_mask allowed = 0;
#pragma unroll
    for (int j = 0; j < VECTORS; j++) allowed |= (tile_mask)mask_bits(&tile->mask[j]) << j * VECTOR;
    return allowed;
}
#endif

/* Elements of a tile into the state. Exact sums take absent ones as zeros; folds have a form without a mask. */
DEVICE void absorb_allowed(struct open_state *open, const struct tile *tile)
{
#if defined(ABSORB_VECTORS)
    state_absorb_vectors(open, tile->x);
#else
    element x[TILE], y[TILE];
    tile_mask present = tile->inside & tile->allowed;
#pragma unroll
    for (int i = 0; i < TILE; i++) {
        x[i] = chunk_element(&tile->x[i / VECTOR], i % VECTOR);
#if WITH_SECOND
        y[i] = chunk_element(&tile->y[i / VECTOR], i % VECTOR);
#else
        y[i] = x[i];
#endif
        if (SKIP_NAN && (element_is_nan(x[i]) || element_is_nan(y[i]))) present &= ~((tile_mask)1 << i);
    }
    if (WITH_WHERE || SKIP_NAN) *open_absent(open) += __popcll(tile->inside) - __popcll(present);
#if defined(METHOD_EXACT)
    for (int i = 0; i < TILE && (WITH_WHERE || SKIP_NAN); i++) {
        if (present >> i & 1) continue;
        memset(&x[i], 0, sizeof x[i]);
        memset(&y[i], 0, sizeof y[i]);
    }
    open_absorb(open, x, y, tile->place, (tile_mask)FULL_TILE);
#elif defined(ABSORB_FULL_VECTORS)
    if (present == (tile_mask)FULL_TILE) open_absorb_full_vectors(open, tile->x, tile->place);
    else open_absorb(open, x, y, tile->place, present);
#elif defined(METHOD_INDEX) && !defined(VALUES_FIRST)
    open_absorb(open, x, y, tile->place, present);
#else
    if (present == (tile_mask)FULL_TILE) open_absorb(open, x, y, tile->place, (tile_mask)FULL_TILE);
    else open_absorb(open, x, y, tile->place, present);
#endif
#endif
}

DEVICE void absorb(struct open_state *open, const struct tile *tile)
{
#if MASK_IS_WORDS
    struct tile masked = *tile;
    masked.allowed = allowed_by_words(tile);
#if IS_FILLED
    *open_absent(open) += __popcll(masked.inside & ~masked.allowed);
    masked.allowed = masked.inside;
#pragma unroll
    for (int j = 0; j < VECTORS; j++) masked.x[j] = vector_filled(tile->x[j], &tile->mask[j], filling_vector());
#endif
    absorb_allowed(open, &masked);
#else
    absorb_allowed(open, tile);
#endif
}

#endif
