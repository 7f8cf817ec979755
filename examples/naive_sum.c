/* SPDX-License-Identifier: MIT
 *
 * naive_sum.c - writes COUNT float values to FILE and adds them up with the loop that everybody writes first.
 *
 * Value i is ((i mod 250) + 1) / 256: a float holds it exactly, and the exact total is known in integers. The float
 * total stops growing at 2^24, where adding a value below 1 no longer changes it. */
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 250 }; /* the period of the values */

int main(int argc, char **argv)
{
    long long count = argc == 3 ? atoll(argv[2]) : 0;
    if (count <= 0 || count % BLOCK != 0) {
        fprintf(stderr, "usage: %s FILE COUNT (COUNT: a multiple of %d)\n", argv[0], BLOCK);
        return 2;
    }
    FILE *file = fopen(argv[1], "wb");
    if (!file) {
        perror(argv[1]);
        return 1;
    }

    float values[BLOCK];
    for (int i = 0; i < BLOCK; i++) values[i] = (float)(i + 1) / 256;

    float total = 0;
    for (long long block = 0; block < count / BLOCK; block++) {
        if (fwrite(values, sizeof values[0], BLOCK, file) != BLOCK) {
            perror(argv[1]);
            return 1;
        }
        for (int i = 0; i < BLOCK; i++) total += values[i];
    }
    if (fclose(file) != 0) {
        perror(argv[1]);
        return 1;
    }

    long long units = count / BLOCK * (BLOCK * (BLOCK + 1) / 2); /* of 1/256 */
    printf("exact %.10f\n", (double)units / 256);
    printf("naive %.10f\n", (double)total);
    return 0;
}
