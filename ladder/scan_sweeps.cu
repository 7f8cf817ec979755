/* SPDX-License-Identifier: MIT
 *
 * scan_sweeps.cu - Blelloch's scan, one launch for each level of a tree. The way up leaves the total of every subtree
 * at the subtree's last element; the way down gives every subtree the total of all that is left of it, and so an
 * element that is a subtree by itself gets its exclusive result. The inclusive results are the same, one place further
 * on, with the total of everything behind them.
 *
 * Removes from the scan before: the work grows with n log n, and one block. n - 1 applications each way, any n: the
 * last subtree is cut short by the end of the array, keeps its total at the array's last element, and a subtree that
 * has only a left half is that half.
 *
 * Its own limits: 2 log2 n launches, in the last of which a thread or two work; each reads and writes memory, and from
 * the third level on every access uses 4 bytes of the 32 that it moves. */
#include "element.cuh"

extern "C" __global__ void scan_copy(const element *from, element *to, long long n)
{
    const long long i = blockIdx.x * (long long)THREADS + threadIdx.x;
    if (i < n) to[i] = from[i];
}

/* Subtrees of `reach` elements become neighbours' halves. The last launch also turns round: the total goes behind the
 * tree, and nothing is left of all elements. */
extern "C" __global__ void scan_sweep_up(element *tree, long long n, long long reach, int last)
{
    const long long i = blockIdx.x * (long long)THREADS + threadIdx.x;
    const long long left = (2 * i + 1) * reach - 1;
    if (left < n - 1) {
        const long long right = min(left + reach, n - 1);
        tree[right] = combine(tree[left], tree[right]);
    }
    if (last && i == 0) {
        tree[n] = tree[n - 1];
        tree[n - 1] = identity();
    }
}

/* What is left of both halves is left of the left one; the right one has the left one's total as well. */
extern "C" __global__ void scan_sweep_down(element *tree, long long n, long long reach)
{
    const long long i = blockIdx.x * (long long)THREADS + threadIdx.x;
    const long long left = (2 * i + 1) * reach - 1;
    if (left < n - 1) {
        const long long right = min(left + reach, n - 1);
        const element total = tree[left], before = tree[right];
        tree[left] = before;
        tree[right] = combine(before, total);
    }
}
