/* SPDX-License-Identifier: MIT
 *
 * inside_nvrtc.c - the run-time compiler that this machine has: it compiles our vocabulary for every architecture from
 * sm_75 on that it knows, and its complaints reach the caller. Skipped, aloud, where there is no compiler. */
#include "gpu/nvrtc.h"
#include "gpu/sources.h"
#include "test.h"

#include <tally.h>

static const char kernel[] = "#include \"dtype.h\"\n"
                             "struct parameters { const float *x; float *y; int n; };\n"
                             "extern \"C\" __global__ void twice(parameters p)\n"
                             "{\n"
                             "    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);\n"
                             "    __int128 wide = (__int128)i * FACTOR;\n"
                             "    if (i < p.n) p.y[i] = p.x[i] * FACTOR + (float)(long long)(wide >> 3);\n"
                             "}\n";

static tally_status compile(const struct sources *sources, const char *text, int architecture, const char *definitions,
                            void **cubin, size_t *size)
{
    struct embedded_file file = {"twice.cu", text, strlen(text)};
    struct nvrtc_request request = {&file, sources->files, sources->count, definitions, architecture, 0, 0};
    return nvrtc_compile(&request, cubin, size, NULL);
}

static void compiles(const struct sources *sources)
{
    int list[64], count = nvrtc_architectures(list, 64), tried = 0;
    for (int i = 0; i < count; i++) {
        void *cubin = NULL;
        size_t size = 0;
        if (list[i] < 75) continue;
        tried++;
        if (!CHECK(compile(sources, kernel, list[i], "FACTOR=3\n", &cubin, &size) == TALLY_OK))
            fprintf(stderr, "sm_%d: %s\n", list[i], tally_last_error());
        if (!cubin) continue;
        CHECK(size > 64 && memcmp(cubin, "\177ELF", 4) == 0);
        free(cubin);
    }
    printf("inside_nvrtc: %s, version %s, %d architectures\n", nvrtc_path(), nvrtc_version_text(), tried);
    CHECK(tried > 0);
}

static void complains(const struct sources *sources)
{
    void *cubin = NULL;
    size_t size = 0;
    int architecture = 0;
    CHECK_EQUAL_I64(compile(sources, kernel, 80, NULL, &cubin, &size), TALLY_DEVICE_ERROR);
    CHECK(strstr(tally_last_error(), "twice.cu") && strstr(tally_last_error(), "FACTOR"));
    CHECK_EQUAL_I64(compile(sources, "#include <stdint.h>\n#include \"none.h\"\n", 80, NULL, &cubin, &size),
                    TALLY_DEVICE_ERROR);
    CHECK(cubin == NULL);
    CHECK_EQUAL_I64(nvrtc_architecture(20, &architecture), TALLY_NO_DEVICE);
    CHECK(strstr(tally_last_error(), "sm_20"));
    CHECK_EQUAL_I64(nvrtc_architecture(999, &architecture), TALLY_NO_DEVICE);
    CHECK_EQUAL_I64(nvrtc_architecture(86, &architecture), TALLY_OK);
    CHECK(architecture >= 80 && architecture <= 86);
}

int main(void)
{
    struct sources sources;
    if (nvrtc_load() != TALLY_OK) {
        printf("inside_nvrtc: SKIPPED: %s\n", tally_last_error());
        CHECK(strstr(tally_last_error(), "TALLY_NVRTC") != NULL);
        return test_finish("inside_nvrtc");
    }
    CHECK_EQUAL_I64(sources_open(&sources), TALLY_OK);
    CHECK(sources.count > 5 && sources_find(&sources, "dtype.h") && strlen(sources.hash) == 32);
    CASE("every architecture") compiles(&sources);
    CASE("complaints") complains(&sources);
    sources_close(&sources);
    return test_finish("inside_nvrtc");
}
