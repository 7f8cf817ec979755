/* SPDX-License-Identifier: MIT
 *
 * power_table.cuh - powers of integers near one of them, in shared memory. No include guard. */

/* Powers of the integers from BELOW below the first element on, divided by one power of two; each several times, so
 * that threads that want different ones seldom meet in a bank of shared memory. Of bytes, those of all. */
#define IS_BYTE (ELEMENT_SIZE == 1)
enum {
    BELOW = IS_BYTE ? (ELEMENT_KIND == KIND_SIGNED ? 128 : 0) : 373,
    POWERS = IS_BYTE ? 256 : 2 * 373 + 1,
    POWER_COPIES = IS_BYTE ? 16 : 4
};

struct power_table {
    double power[(POWERS + 1) * POWER_COPIES]; /* the last one: of those that are not among them */
    wide_distance first;                       /* the integer of the first power */
    int32_t none;                              /* doubles do not tell such integers apart */
};

DEVICE struct power_table *power_table(void)
{
    __shared__ struct power_table table;
    return &table;
}

DEVICE double table_exponent(wide_distance first)
{
    return IS_BYTE ? 0 : power_exponent_double((double)(wide_integer)(first + BELOW));
}

/* So that the table does not reach round the type's end. */
DEVICE wide_distance table_first(wide_integer middle)
{
    if (IS_BYTE) return (wide_distance)0 - BELOW;
    if (middle < INTEGER_LEAST + BELOW) return (wide_distance)INTEGER_LEAST;
    if (middle > INTEGER_MOST - BELOW) return (wide_distance)INTEGER_MOST - (POWERS - 1);
    return (wide_distance)middle - BELOW;
}

DEVICE double table_value(wide_distance first, uint32_t place)
{
    return ELEMENT_KIND == KIND_BOOLEAN ? place != 0 : (double)(wide_integer)(first + place);
}

/* Of the integers near `middle`, by all threads of a block. */
DEVICE void prepare_table(wide_integer middle)
{
    struct power_table *table = power_table();
    wide_distance first = table_first(IS_BYTE ? 0 : middle);
    double size = fabs((double)middle);
#pragma unroll 1
    for (int i = (int)threadIdx.x; i <= POWERS; i += THREADS) {
        double v = table_value(first, (uint32_t)i);
        double apart = power_exponent_double(v) - table_exponent(first);
        double power = scaled(power_factor_double(v), POWER_INTEGER + apart);
        for (int k = 0; k < POWER_COPIES; k++) /* neighbours write to different banks */
            table->power[i * POWER_COPIES + (k + i) % POWER_COPIES] = i < POWERS ? power : 0;
    }
    if (threadIdx.x == 0) {
        table->first = first;
        table->none = size > 4503599627370496.0; /* 2^52 */
    }
    __syncthreads();
}

/* A spot is where a power lies, in bytes from the table's beginning: of its place, the copy that is the thread's. Spots
 * of larger integers are larger. */
enum { PLACE_BYTES = POWER_COPIES * sizeof(double), NO_SPOT = POWERS * PLACE_BYTES };

/* A word as it is: compilers would do what made it again, and again. */
DEVICE uint32_t as_it_is(uint32_t word)
{
#if !defined(TALLY_SIMT)
    asm("" : "+r"(word));
#endif
    return word;
}

DEVICE uint32_t copy_of_thread(void)
{
    return as_it_is(threadIdx.x % POWER_COPIES * (uint32_t)sizeof(double));
}

DEVICE_UNUSED uint32_t spot_of(wide_integer v, wide_distance first, uint32_t copy)
{
    wide_distance place = (wide_distance)v - first;
    return (uint32_t)(IS_BYTE || place < POWERS ? place : POWERS) * PLACE_BYTES + copy;
}

#if ELEMENT_BYTES == 1
/* Of byte q of a word: its place lies in the word's bits, or a bit beside them, and is moved to where a spot has it. */
DEVICE_UNUSED uint32_t spot_in_word(uint32_t word, int q, uint32_t copy)
{
    enum { SHIFT = 7, MASK = 255 << SHIFT };
    static_assert(PLACE_BYTES == 1 << SHIFT, "bytes of a place");
    if (BELOW) word = as_it_is(word ^ 0x80808080u);
    return ((q == 0 ? word << SHIFT : word >> (8 * q - SHIFT)) & MASK) | copy;
}
#endif

DEVICE_UNUSED double power_at(uint32_t spot)
{
    return *(const double *)((const char *)power_table()->power + spot);
}

DEVICE_UNUSED uint32_t place_of_spot(uint32_t spot)
{
    return spot / PLACE_BYTES;
}

/* The largest integer of those at places up to this one. */
DEVICE_UNUSED wide_integer integer_at(wide_distance first, uint32_t place)
{
    return ELEMENT_KIND == KIND_BOOLEAN ? (wide_integer)(place != 0) : (wide_integer)(first + place);
}

/* What a sum of the table's powers beside this largest one is multiplied by, to be divided by that one's exponent. */
DEVICE_UNUSED double scale_of_looked_up(wide_distance first, wide_integer largest)
{
    double above = power_exponent_double((double)largest) - table_exponent(first);
    return scaled(1, POWER_INTEGER - above);
}
