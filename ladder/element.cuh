/* SPDX-License-Identifier: MIT
 *
 * element.cuh - what the ladders' kernels reduce: one type and one operator, chosen by two constants, ELEMENT_<type>
 * and OP_<operator>. A kernel knows no more than `element`, identity() and combine(a, b), which is associative. */

#define DEVICE static __device__ __forceinline__

#if defined(ELEMENT_trace)

/* Counts instead of computing: how often the operator is applied (work; counted where the input says), and how many of
 * the applications behind a value had to wait for each other (span). For device "simt" alone, where no thread is
 * interrupted in here. */
struct element {
    unsigned long long *work;
    int span, value;
};

DEVICE element identity()
{
    element e = {0, 0, 0};
    return e;
}

DEVICE element combine(element a, element b)
{
    element c = {a.work ? a.work : b.work, (a.span > b.span ? a.span : b.span) + 1, a.value + b.value};
    if (c.work) ++*c.work;
    return c;
}

#else

#if defined(ELEMENT_f32)
typedef float element;
#define HIGHEST __int_as_float(0x7f800000) /* infinity */
#define LOWEST __int_as_float(0xff800000)
#elif defined(ELEMENT_f64)
typedef double element;
#define HIGHEST __longlong_as_double(0x7ff0000000000000ll)
#define LOWEST __longlong_as_double(0xfff0000000000000ll)
#elif defined(ELEMENT_i32)
typedef int element;
#define HIGHEST 0x7fffffff
#define LOWEST (-0x7fffffff - 1)
#elif defined(ELEMENT_i64)
typedef long long element;
#define HIGHEST 0x7fffffffffffffffll
#define LOWEST (-0x7fffffffffffffffll - 1)
#elif defined(ELEMENT_field)
typedef unsigned element; /* below PRIME, always */
#define PRIME 0x7f000001u /* 2^31 - 2^24 + 1, KoalaBear */
#endif

DEVICE element identity()
{
#if defined(OP_sum)
    return 0;
#elif defined(OP_product)
    return 1;
#elif defined(OP_min)
    return HIGHEST;
#elif defined(OP_max)
    return LOWEST;
#endif
}

DEVICE element combine(element a, element b)
{
#if defined(ELEMENT_field) && defined(OP_sum)
    unsigned c = a + b, wrapped = c - PRIME; /* c is below 2^32; wrapped is large where c is below PRIME */
    return c < wrapped ? c : wrapped;
#elif defined(ELEMENT_field)
    return (unsigned)((unsigned long long)a * b % PRIME);
#elif defined(ELEMENT_i32) && defined(OP_sum) /* signed sums and products wrap */
    return (int)((unsigned)a + (unsigned)b);
#elif defined(ELEMENT_i32) && defined(OP_product)
    return (int)((unsigned)a * (unsigned)b);
#elif defined(ELEMENT_i64) && defined(OP_sum)
    return (long long)((unsigned long long)a + (unsigned long long)b);
#elif defined(ELEMENT_i64) && defined(OP_product)
    return (long long)((unsigned long long)a * (unsigned long long)b);
#elif defined(OP_sum)
    return a + b;
#elif defined(OP_product)
    return a * b;
#elif defined(OP_min)
    return b < a ? b : a;
#elif defined(OP_max)
    return b > a ? b : a;
#endif
}

#endif

/* Shuffles move words of 4 bytes; an element is one, two or four of them. */
union element_words {
    element whole;
    int word[sizeof(element) / 4];
    __device__ element_words() {}
};

/* The element of the lane `distance` further on, or before; its own where there is none. */
DEVICE element shuffle_down(unsigned lanes, element e, unsigned distance)
{
    element_words w;
    w.whole = e;
    for (unsigned i = 0; i < sizeof(element) / 4; i++) w.word[i] = __shfl_down_sync(lanes, w.word[i], distance);
    return w.whole;
}

DEVICE element shuffle_up(unsigned lanes, element e, unsigned distance)
{
    element_words w;
    w.whole = e;
    for (unsigned i = 0; i < sizeof(element) / 4; i++) w.word[i] = __shfl_up_sync(lanes, w.word[i], distance);
    return w.whole;
}

/* *to = combine(*to, e), whoever else does the same at that time. What the hardware has, it does on its own and nobody
 * waits for it; but it takes subnormal floats for 0. */
DEVICE void atomic_combine(element *to, element e)
{
#if defined(ELEMENT_trace)
    *to = combine(*to, e);
#elif defined(OP_sum) && defined(ELEMENT_i64)
    atomicAdd((unsigned long long *)to, (unsigned long long)e);
#elif defined(OP_sum) && !defined(ELEMENT_field)
    atomicAdd(to, e);
#elif defined(OP_min) && (defined(ELEMENT_i32) || defined(ELEMENT_i64))
    atomicMin(to, e);
#elif defined(OP_max) && (defined(ELEMENT_i32) || defined(ELEMENT_i64))
    atomicMax(to, e);
#else
    typedef
#if defined(ELEMENT_f64) || defined(ELEMENT_i64)
        unsigned long long
#else
        unsigned
#endif
            word;
    union {
        element whole;
        word bits;
    } old, next;
    word seen;
    old.whole = *(volatile element *)to;
    do {
        seen = old.bits;
        next.whole = combine(old.whole, e);
        old.bits = atomicCAS((word *)to, seen, next.bits);
    } while (old.bits != seen);
#endif
}
