/* SPDX-License-Identifier: MIT
 *
 * rung_packed.cu - 64 cells in a word, one bit each, and a launch for each generation. Neighbours to the left and right
 * are the word itself, shifted by a bit; all 64 cells count their neighbours at once, in binary, with a word for each
 * digit: an adder made of xor and and works on 64 columns as it works on one.
 *
 * Look at the edges: a row's last word may have fewer than 64 cells. What comes in at either end is the bit at the
 * other one, and bits that are no cells must stay 0.
 *
 * Removes seven eighths of the traffic, and most of the instructions. Its limit: each generation still goes through
 * memory, and a launch costs what it did. The library's engine keeps generations in registers. */
typedef unsigned long long word;

#define DEVICE static __device__ __forceinline__

struct row {
    word left, x, right; /* the neighbours to the left of each cell, the cells, and to the right */
};

DEVICE row look(const word *cells, int words, int last_bit, int i)
{
    row r;
    r.x = cells[i];
    r.left = r.x << 1 | (i > 0 ? cells[i - 1] >> 63 : cells[words - 1] >> last_bit & 1);
    r.right = r.x >> 1 | (i < words - 1 ? cells[i + 1] << 63 : (cells[0] & 1) << last_bit);
    return r;
}

/* a + b + c, for each bit by itself: low + 2 high. */
DEVICE void add(word a, word b, word c, word &low, word &high)
{
    low = a ^ b ^ c;
    high = (a & b) | (c & (a ^ b));
}

extern "C" __global__ void life_packed(const word *now, word *next, int width, int height)
{
    const int words = (width + 63) / 64, last_bit = (width - 1) % 64;
    const int i = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= words || y >= height) return;
    const row above = look(now + (long long)(y > 0 ? y - 1 : height - 1) * words, words, last_bit, i);
    const row own = look(now + (long long)y * words, words, last_bit, i);
    const row below = look(now + (long long)(y < height - 1 ? y + 1 : 0) * words, words, last_bit, i);
    word above1, above2, below1, below2, ones, carry, twos, fours;
    add(above.left, above.x, above.right, above1, above2);
    add(below.left, below.x, below.right, below1, below2);
    add(above1, below1, own.left ^ own.right, ones, carry);
    add(above2, below2, own.left & own.right, twos, fours);
    /* Two or three, and three if the cell is dead. Four and more have twos and carry alike, or fours. */
    word alive = (twos ^ carry) & ~fours & (ones | own.x);
    if (i == words - 1) alive &= ~0ull >> (63 - last_bit);
    next[(long long)y * words + i] = alive;
}
