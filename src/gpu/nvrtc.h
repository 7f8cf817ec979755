/* SPDX-License-Identifier: MIT
 *
 * nvrtc.h - NVIDIA's run-time compiler (libnvrtc), opened at run time: CUDA C text to the code of one architecture. */
#ifndef TALLY_GPU_NVRTC_H
#define TALLY_GPU_NVRTC_H

#include "machine.h"

/* What is compiled. */
struct nvrtc_request {
    const struct embedded_file *file;    /* the .cu file */
    const struct embedded_file *headers; /* what it may #include, by bare names */
    size_t header_count;
    const char *definitions; /* "NAME=VALUE" lines, or NULL */
    int architecture;        /* of the GPU: 90 for 9.0 */
    int reports;             /* the log says what registers and stack each kernel takes */
    int with_text;           /* of a user's operator, whose fault a refusal is: TALLY_INVALID_ARGUMENT */
};

/* Options of every compilation besides architecture and definitions; part of a cached kernel's key. */
extern const char nvrtc_options[];

/* Opens the library at the first call, once per process. TALLY_NO_DEVICE says where it was looked for and how to get
 * it; it stays so until the process ends. Looked for, in this order:
 *   $TALLY_NVRTC alone, when it is set (the path of the library)
 *   libnvrtc.so.13, libnvrtc.so.12, libnvrtc.so in the system's library path
 *   lib64, lib and targets/<any>/lib below /usr/local/cuda, then below /usr/local/cuda-<version>, the newest first
 *   the wheels nvidia-cuda-nvrtc (CUDA 13) and nvidia-cuda-nvrtc-cu12, in the site-packages of $VIRTUAL_ENV,
 *   $CONDA_PREFIX, ~/.local, /usr/local, /usr and any /opt/<name>/.venv or /opt/<name>
 * Thread-safe. */
tally_status nvrtc_load(void);

/* After nvrtc_load: "13.0", the library's path, and the version as 1000 * major + 10 * minor. */
const char *nvrtc_version_text(void);
const char *nvrtc_path(void);
int nvrtc_version(void);

/* The architecture to compile for so that a GPU of this one can run the code: itself, or the nearest lower one of the
 * same generation. TALLY_NO_DEVICE when this NVRTC is too old or too new for the GPU. */
tally_status nvrtc_architecture(int wanted, int *architecture);

/* The architectures that it compiles for: fills at most `room` numbers, returns how many there are. */
int nvrtc_architectures(int *architectures, int room);

/* Compiles to a cubin, to be freed. A failure's text has the beginning of the compiler's log. If log is not NULL, it
 * gets the log of a compilation that went well (to be freed), or NULL when there is none. */
tally_status nvrtc_compile(const struct nvrtc_request *request, void **cubin, size_t *size, char **log);

#endif
