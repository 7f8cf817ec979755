/* SPDX-License-Identifier: MIT
 *
 * tally.h - the whole public interface of tally: reductions and prefix scans, exact by default.
 *
 * Every function returns a tally_status; results go through pointers and stay untouched on failure, and
 * tally_last_error() then says what was wrong, for the calling thread. No function prints, aborts or exits.
 * docs/semantics.md says what each operator means for each type; docs/architecture.md how a call travels. */
#ifndef TALLY_H
#define TALLY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TALLY_API __attribute__((visibility("default")))
#else
#define TALLY_API
#endif

#define TALLY_VERSION_MAJOR 0
#define TALLY_VERSION_MINOR 1
#define TALLY_VERSION_PATCH 0

/* ---------------------------------------------------------------------------------------------------------- *
 * Words: fixed-width integers, so that every language can bind them. Values are never reused.
 * ---------------------------------------------------------------------------------------------------------- */

typedef int32_t tally_status;
enum {
    TALLY_OK = 0,
    TALLY_INVALID_ARGUMENT = 1, /* a NULL, an axis out of range, a shape that does not fit, ... */
    TALLY_UNSUPPORTED = 2,      /* a meaningless pair, such as bit_xor of floats */
    TALLY_EMPTY = 3,            /* an output cell reduces no element, and the operator has no value for that */
    TALLY_OVERLAP = 4,          /* input and output share memory without being the same view */
    TALLY_OVERFLOW = 5,         /* TALLY_CHECK_OVERFLOW found a result outside its type */
    TALLY_OUT_OF_MEMORY = 6,
    TALLY_NO_DEVICE = 7,    /* the device asked for is not there, or what it needs is not installed */
    TALLY_DEVICE_ERROR = 8, /* the device failed; after some failures it takes no more work in this process */
    TALLY_CORRUPT = 9       /* packed bytes that tally_partial_pack did not write */
};

typedef int32_t tally_type;
enum {
    TALLY_DEFAULT_TYPE = 0, /* the result type that docs/semantics.md gives for the operator and the input */
    TALLY_BOOL = 1,         /* one byte; any non-zero value is true, results are 0 or 1 */
    TALLY_I8 = 2,
    TALLY_I16 = 3,
    TALLY_I32 = 4,
    TALLY_I64 = 5,
    TALLY_U8 = 6,
    TALLY_U16 = 7,
    TALLY_U32 = 8,
    TALLY_U64 = 9,
    TALLY_F16 = 10, /* IEEE 754 binary16, as its 16 bits */
    TALLY_BF16 = 11,
    TALLY_F32 = 12,
    TALLY_F64 = 13,
    TALLY_C64 = 14, /* two f32: real, imaginary */
    TALLY_C128 = 15 /* two f64 */
};

/* A built-in operator, or from 2^16 up a handle that tally_op_compile or tally_op_from_functions gave. */
typedef uint64_t tally_op;
enum {
    TALLY_SUM = 1,
    TALLY_PROD = 2,
    TALLY_MIN = 3,
    TALLY_MAX = 4,
    TALLY_ARGMIN = 5, /* index of the first smallest element, counted in C order over the reduced axes */
    TALLY_ARGMAX = 6,
    TALLY_MINMAX = 7, /* both: the result has one more axis, of length 2, at the end */
    TALLY_ANY = 8,
    TALLY_ALL = 9,
    TALLY_COUNT_NONZERO = 10,
    TALLY_BIT_AND = 11,
    TALLY_BIT_OR = 12,
    TALLY_BIT_XOR = 13,
    TALLY_MEAN = 14,
    TALLY_VAR = 15, /* divides by n - correction */
    TALLY_STD = 16,
    TALLY_NORM1 = 17,
    TALLY_NORM2 = 18,
    TALLY_NORMINF = 19,
    TALLY_DOT = 20, /* sum of x * y, y being options.second; complex values are not conjugated */
    TALLY_LOGSUMEXP = 21,
    TALLY_FIRST = 22,
    TALLY_LAST = 23
};

typedef int32_t tally_verb;
enum { TALLY_REDUCE = 1, TALLY_SCAN = 2 };

/* tally_options.flags */
enum {
    TALLY_KEEPDIMS = 1 << 0,       /* reduce: reduced axes stay, with length 1 */
    TALLY_SKIP_NAN = 1 << 1,       /* NaNs count as absent; no effect on types without NaN */
    TALLY_PLAIN = 1 << 2,          /* ordinary float arithmetic in the documented fixed-shape tree, not the exact sum */
    TALLY_CHECK_OVERFLOW = 1 << 3, /* integer sum, prod and dot: TALLY_OVERFLOW instead of wrapping */
    TALLY_EXCLUSIVE = 1 << 4,      /* scan: element i is the total of the elements before i */
    TALLY_REVERSE = 1 << 5         /* scan: from the last element to the first */
};

/* tally_array.flags */
enum { TALLY_READ_ONLY = 1 << 0 /* refused as an output */ };

#define TALLY_MAX_RANK 8

/* A borrowed N-dimensional view. Fixed for good: it never grows. */
typedef struct tally_array {
    void *data; /* the element at index (0, ..., 0); may be NULL when the view has no element */
    int64_t shape[TALLY_MAX_RANK];
    int64_t strides[TALLY_MAX_RANK]; /* in elements; negative and zero allowed */
    int32_t rank;                    /* 0 (one element) to TALLY_MAX_RANK */
    tally_type type;
    uint32_t flags;
    uint32_t reserved; /* 0 */
} tally_array;

/* What a verb may be told beyond its operands. Start from TALLY_OPTIONS_INIT; NULL means all defaults. */
typedef struct tally_options {
    uint32_t size;             /* sizeof(tally_options): lets the struct grow */
    uint32_t flags;            /* TALLY_KEEPDIMS ... */
    const int32_t *axes;       /* NULL: every axis (reduce), the only axis (scan). Negative ones count from the end */
    int32_t axis_count;        /* 0 with non-NULL axes reduces nothing: an element-wise copy, converted */
    tally_type type;           /* result type */
    const void *initial;       /* one value of the result type, combined once per output cell, leftmost; or NULL */
    const tally_array *where;  /* bool, broadcast to the input's shape: elements under false count as absent */
    const tally_array *second; /* TALLY_DOT: y, of the input's type and shape (broadcast); a user's operator's y */
    double correction;         /* TALLY_VAR, TALLY_STD: 0 (the default) population, 1 sample */
    int64_t position;          /* partials: index of the first element along the reduced axes; see tally_partial_new */
    uint64_t modulus;          /* TALLY_SUM, _PROD, _DOT of integers: results modulo this number; 0: none. See below */
    const tally_array *third;  /* a user's operator's z */
} tally_options;

/* options.modulus is 2 or more, up to 2^64 - 1, prime or not. Elements and options.initial may be any representatives,
 * negative ones too; results are 0 to modulus - 1, exact for any length, in the elements' type if it holds these, else
 * in TALLY_U32 or TALLY_U64; options.type may ask for any integer type that does. The fields that libraries of proofs
 * use most have names; their elements are plain residues here, not in Montgomery's form. */
#define TALLY_KOALABEAR 2130706433ull            /* 2^31 - 2^24 + 1 */
#define TALLY_BABYBEAR 2013265921ull             /* 2^31 - 2^27 + 1 */
#define TALLY_MERSENNE31 2147483647ull           /* 2^31 - 1 */
#define TALLY_GOLDILOCKS 18446744069414584321ull /* 2^64 - 2^32 + 1 */

#define TALLY_OPTIONS_INIT                                                                \
    {                                                                                     \
        (uint32_t)sizeof(tally_options), 0, NULL, 0, 0, NULL, NULL, NULL, 0.0, 0, 0, NULL \
    }

typedef struct tally_context tally_context;
typedef struct tally_partial tally_partial;

/* ---------------------------------------------------------------------------------------------------------- *
 * Errors and names
 * ---------------------------------------------------------------------------------------------------------- */

/* The text of the calling thread's last failure: which argument, its value, what was expected. "" when none.
 * Borrowed: valid until the thread's next failing call. Never fails; reading does not clear it. */
TALLY_API const char *tally_last_error(void);

/* The name of a status ("TALLY_OVERLAP"), or "unknown status". Static text. Thread-safe. */
TALLY_API const char *tally_status_name(tally_status status);

/* Library version as text, "MAJOR.MINOR.PATCH". Static text. Thread-safe. */
TALLY_API const char *tally_version(void);

/* Names of types ("f32") and operators ("sum"): text to value, value to text (NULL when unknown), element bytes
 * (0 when unknown). The text forms are those of the command line. Thread-safe.
 * Errors: TALLY_INVALID_ARGUMENT for an unknown name. */
TALLY_API tally_status tally_type_parse(const char *name, tally_type *type);
TALLY_API const char *tally_type_name(tally_type type);
TALLY_API size_t tally_type_size(tally_type type);
TALLY_API tally_status tally_op_parse(const char *name, tally_op *op);
TALLY_API const char *tally_op_name(tally_op op);

/* ---------------------------------------------------------------------------------------------------------- *
 * Contexts: one device with its threads or stream, and its scratch memory
 * ---------------------------------------------------------------------------------------------------------- */

/* Opens a device: "cpu" (every core this process may use), "cpu:N" (N threads, 1 to 1024), "cuda" or "cuda:N" (an
 * NVIDIA GPU, the first or number N from 0), "simt" (the GPU's kernels run by the host, for tests and learners; where
 * this build has it), "reference" (the obvious loop that everything is tested against, on one thread) or "auto" (the
 * first GPU if it and the libraries it needs are there, else the CPU).
 * A GPU needs NVIDIA's driver (CUDA 12.0 or newer) and its run-time compiler, libnvrtc: tally_cuda_info says what was
 * found. It is opened in its primary context, the one that the CUDA runtime and other libraries use, with a stream of
 * tally's own; the calling thread's current context never changes.
 * The context is safe to use from several threads at once. Close it with tally_close.
 * Errors: TALLY_INVALID_ARGUMENT (unknown name; the text lists the known ones), TALLY_NO_DEVICE (the text says what is
 * missing and how to get it), TALLY_DEVICE_ERROR, TALLY_OUT_OF_MEMORY. */
TALLY_API tally_status tally_open(const char *device, tally_context **context);

/* The same on a stream of the caller's (a CUstream or cudaStream_t of this GPU's primary context), in whose order all
 * work is then done; NULL is the legacy default stream. The stream stays the caller's and must outlive the context.
 * Errors: as tally_open; TALLY_INVALID_ARGUMENT for a device without streams, for "auto", and for a stream of another
 * GPU. */
TALLY_API tally_status tally_open_on_stream(const char *device, void *stream, tally_context **context);

/* Closes a context once its last call has returned. NULL is allowed. Partials hold no reference: free them first. */
TALLY_API tally_status tally_close(tally_context *context);

/* Waits until everything that the context was asked to do is done; the CPU's calls are done when they return.
 * Errors: TALLY_INVALID_ARGUMENT, TALLY_DEVICE_ERROR (of anything that was started before). Thread-safe. */
TALLY_API tally_status tally_synchronize(tally_context *context);

/* Marks: points in the context's work, to time what lies between two of them on the device's own clock. tally_mark sets
 * mark number slot, 0 to TALLY_MARKS - 1, behind all that the context was asked to do before, and waits for nothing;
 * tally_elapsed waits until both marks are reached and gives the time from one to the other. One thread at a time per
 * slot. tally_mark may be called while the context's stream is captured, but such a mark has no time.
 * Errors: TALLY_INVALID_ARGUMENT (slot out of range, a mark that was never set), TALLY_DEVICE_ERROR. */
#define TALLY_MARKS 32
TALLY_API tally_status tally_mark(tally_context *context, int32_t slot);
TALLY_API tally_status tally_elapsed(tally_context *context, int32_t from, int32_t to, double *milliseconds);

/* Runs a task of the caller's on the context's threads: task(argument, index, worker) for every index from 0 to
 * count - 1, and returns when all have returned. Indices are taken in increasing order, by whichever thread is free;
 * the calling thread takes part, and never waits for one that has not begun. worker is below the threads of
 * tally_device_info, and tasks of one call that overlap in time have different ones, so that scratch can be kept for
 * each. Tasks see the default floating-point environment; the caller sees what they wrote. count = 0 runs nothing.
 * A task may call tally, this function too, whose tasks then run on the threads that are free: mostly its own alone.
 * Device "reference" has one thread, the caller's.
 * Errors: TALLY_INVALID_ARGUMENT (NULL, count below 0), TALLY_UNSUPPORTED (the device's threads are not the host's:
 * "cuda", "simt"); no task has run then. Thread-safe. */
TALLY_API tally_status tally_parallel_for(tally_context *context, int64_t count,
                                          void (*task)(void *argument, int64_t index, int32_t worker), void *argument);

typedef struct tally_device {
    uint32_t size;            /* set to sizeof(tally_device) before the call */
    int32_t threads;          /* CPU: in use; GPU: multiprocessors */
    char name[64];            /* as tally_open takes it */
    char description[192];    /* processor or GPU, for people */
    char instruction_set[32]; /* CPU: the one in use, "avx512", "avx2", "base"; GPU: "sm_90" */
    int64_t memory_bytes;     /* physical memory of the device, 0 when unknown */
} tally_device;

/* Describes the context's device. Errors: TALLY_INVALID_ARGUMENT (NULL, size too small). Thread-safe. */
TALLY_API tally_status tally_device_info(tally_context *context, tally_device *device);

/* What there is of CUDA on this machine. Versions are 1000 * major + 10 * minor, 0 when unknown. */
typedef struct tally_cuda {
    uint32_t size;            /* set to sizeof(tally_cuda) before the call */
    int32_t devices;          /* "cuda:0" to "cuda:<devices - 1>" can be opened if there is no problem below */
    int32_t driver_version;   /* of CUDA, that the driver speaks; may be known even when the driver will not do */
    int32_t compiler_version; /* of libnvrtc */
    char driver_path[256];
    char compiler_path[256];
    char driver_problem[768];   /* "", or what is missing and how to get it */
    char compiler_problem[768]; /* the same */
} tally_cuda;

/* Looks for the driver, GPUs and the compiler; looks once per process. Opens no context and succeeds without a GPU.
 * Errors: TALLY_INVALID_ARGUMENT (NULL, size wrong). Thread-safe. */
TALLY_API tally_status tally_cuda_info(tally_cuda *cuda);

/* Describes a GPU by its number, without opening it; device.size as in tally_device_info.
 * Errors: TALLY_INVALID_ARGUMENT, TALLY_NO_DEVICE, TALLY_DEVICE_ERROR. Thread-safe. */
TALLY_API tally_status tally_cuda_device(int32_t index, tally_device *device);

/* ---------------------------------------------------------------------------------------------------------- *
 * Compiled kernels: GPU kernels are compiled at their first use and kept on disk for later processes
 *
 * In $TALLY_CACHE_DIR, else $XDG_CACHE_HOME/tally, else $HOME/.cache/tally; at most $TALLY_CACHE_LIMIT MiB (256), after
 * which the kernels unused for longest are deleted; 0 keeps none. A folder that cannot be written, or that everyone may
 * write, is not used: then each process compiles for itself. Files may be deleted at any time.
 * ---------------------------------------------------------------------------------------------------------- */

/* One kept kernel. Fixed for good: it never grows. */
typedef struct tally_cache_entry {
    int64_t bytes;
    int64_t last_used; /* seconds since 1970-01-01 UTC */
    char name[64];     /* of the file */
    char description[256];
} tally_cache_entry;

/* The folder. With folder == NULL, *size gets the bytes needed; otherwise *size is the room at folder and gets the
 * bytes written. "" when there is no folder to use. Errors: TALLY_INVALID_ARGUMENT. Thread-safe. */
TALLY_API tally_status tally_cache_folder(char *folder, size_t *size);

/* The kept kernels, the last used first. With entries == NULL, *count gets how many there are; otherwise *count is the
 * room at entries and gets how many were filled. Errors: TALLY_INVALID_ARGUMENT, TALLY_OUT_OF_MEMORY. Thread-safe. */
TALLY_API tally_status tally_cache_list(tally_cache_entry *entries, int64_t *count);

/* Deletes all of them; open contexts keep what they have loaded.
 * Errors: TALLY_DEVICE_ERROR (a file that cannot be deleted; the text names it), TALLY_OUT_OF_MEMORY. Thread-safe. */
TALLY_API tally_status tally_cache_clear(void);

/* Compiles the most used kernels for the context's GPU, so that later processes find them; those that came with the
 * library are there already.
 * Errors: TALLY_INVALID_ARGUMENT, TALLY_UNSUPPORTED (the device has no kernels), TALLY_DEVICE_ERROR,
 * TALLY_OUT_OF_MEMORY. Thread-safe. */
TALLY_API tally_status tally_cache_warm(tally_context *context);

/* Compiles, on all cores and without a GPU, the kernels of everyday calls for GPUs of one architecture: "sm_75" (T4),
 * "sm_80" (A100), "sm_86", "sm_89" (L4, L40), "sm_90" (H100, H200), "sm_100" (B200) or "sm_120". They go into a
 * subfolder of that name of `folder`, which is made if need be; kernels that are there already stay, so that a
 * compilation that was stopped goes on. *count gets how many there are. Some 1,500 to 2,000 kernels: minutes, and 70 MB
 * or more.
 *
 * That is for who ships tally: no first call of a user's then waits for a compilation, if a kernel is there. They are
 * looked for where tally_cache_shipped says, after the cache, whatever version of the compiler made them; a GPU takes
 * those of its architecture, or of a lower one of its generation (8.6's do for 8.9). They are of this very version of
 * tally: others compile their own.
 * Errors: TALLY_INVALID_ARGUMENT (an unknown architecture, a folder that cannot be made or written), TALLY_NO_DEVICE
 * (no compiler, or one that does not know the architecture), TALLY_DEVICE_ERROR (the compiler fails),
 * TALLY_OUT_OF_MEMORY. On failure *count stays as it is, and the kernels compiled so far stay. Thread-safe. */
TALLY_API tally_status tally_cache_compile(const char *architecture, const char *folder, int64_t *count);

/* The folder with kernels that came with the library: $TALLY_KERNELS alone, if it is set; else "tally-kernels" beside
 * the shared library (or, linked statically, the program), else where `cmake --install` puts them. One that others may
 * write to than this user, root and the library's owner is not used. Arguments as tally_cache_folder's; "" when there
 * is none. Errors: TALLY_INVALID_ARGUMENT. Thread-safe. */
TALLY_API tally_status tally_cache_shipped(char *folder, size_t *size);

/* ---------------------------------------------------------------------------------------------------------- *
 * Memory
 * ---------------------------------------------------------------------------------------------------------- */

/* A user's allocator for all memory that grows with the data: scratch, the states of partials and carries, tally_alloc.
 * (A handle's own few hundred bytes come from malloc.) allocate returns memory aligned to 64 bytes, or NULL; both must
 * be thread-safe.
 * On a GPU they give and take the device's memory, scratch and tally_alloc; states on the host come from malloc. They
 * work in the order of the context's stream, as cudaMallocAsync does: memory may be released while work that uses it is
 * still in the stream, so another stream must not get it before that work is done. */
typedef struct tally_allocator {
    uint32_t size; /* sizeof(tally_allocator) */
    uint32_t reserved;
    void *user;
    void *(*allocate)(void *user, size_t bytes);
    void (*release)(void *user, void *memory, size_t bytes);
} tally_allocator;

/* Sets the allocator (copied); NULL restores the default. Call it before anything is allocated from the context.
 * Errors: TALLY_INVALID_ARGUMENT. Not safe beside other calls on the same context. */
TALLY_API tally_status tally_set_allocator(tally_context *context, const tally_allocator *allocator);

/* Memory on the context's device, 64-byte aligned, at least 1 byte. tally_free takes the same byte count; a NULL
 * pointer is allowed there. tally_copy moves bytes between any two places that the context can reach (ranges must not
 * overlap): the host, and a GPU context's own GPU; it is ordered after the context's earlier work and done when it
 * returns. On a GPU, memory can be used by work that the context starts after tally_alloc, and tally_free takes effect
 * after the work it was given before.
 * Errors: TALLY_INVALID_ARGUMENT, TALLY_OUT_OF_MEMORY, TALLY_DEVICE_ERROR. Thread-safe. */
TALLY_API tally_status tally_alloc(tally_context *context, size_t bytes, void **memory);
TALLY_API tally_status tally_free(tally_context *context, void *memory, size_t bytes);
TALLY_API tally_status tally_copy(tally_context *context, void *destination, const void *source, size_t bytes);

/* ---------------------------------------------------------------------------------------------------------- *
 * Arrays
 * ---------------------------------------------------------------------------------------------------------- */

/* A contiguous vector of n elements, and a C-order matrix of rows x columns. Nothing is checked here: verbs check. */
TALLY_API tally_array tally_vector(const void *data, tally_type type, int64_t n);
TALLY_API tally_array tally_matrix(const void *data, tally_type type, int64_t rows, int64_t columns);

/* A C-order view of any shape. rank is clamped by the verbs' own check (0 to TALLY_MAX_RANK), not here: a rank out of
 * range gives a view that every verb refuses. */
TALLY_API tally_array tally_shaped(const void *data, tally_type type, int32_t rank, const int64_t *shape);

struct DLTensor;
struct DLManagedTensorVersioned;

/* Views a DLPack tensor (https://dmlc.github.io/dlpack): shape, strides (NULL means C order), byte offset, type.
 * Borrowed: the caller keeps the tensor alive and calls its deleter afterwards. device_type and device_id, when not
 * NULL, get DLPack's own numbers (1 is the CPU).
 * Errors: TALLY_UNSUPPORTED (a type or rank that tally lacks, or lanes != 1), TALLY_INVALID_ARGUMENT. Thread-safe. */
TALLY_API tally_status tally_from_dlpack(const struct DLTensor *tensor, tally_array *array, int32_t *device_type,
                                         int32_t *device_id);

/* The same for the versioned managed form. A major version other than 1 is refused after calling its deleter, as the
 * DLPack standard asks; every other failure leaves the tensor with the caller. Honours the read-only flag. */
TALLY_API tally_status tally_from_dlpack_versioned(struct DLManagedTensorVersioned *managed, tally_array *array,
                                                   int32_t *device_type, int32_t *device_id);

/* ---------------------------------------------------------------------------------------------------------- *
 * Verbs
 *
 * On a GPU's context every array may lie in the GPU's memory or in the host's. With all in the GPU's a verb only adds
 * to the context's stream, unless it must look for late failures (TALLY_EMPTY, TALLY_OVERFLOW). Otherwise it returns
 * when done; what lies in host memory is moved in overlapped chunks, and a reduction of more than fits the GPU's memory
 * goes piece by piece.
 * ---------------------------------------------------------------------------------------------------------- */

/* Type and shape that a verb will produce: fills type, rank, shape and C-order strides of *result; data is NULL.
 * options.initial only counts as given or not: its value is not read.
 * Runs the verb's own checks, so it fails when the verb would, except for overlap and emptied-by-mask cells.
 * Errors: as tally_reduce and tally_scan. Thread-safe. */
TALLY_API tally_status tally_result_like(tally_verb verb, tally_op op, const tally_array *input,
                                         const tally_options *options, tally_array *result);

/* Collapses axes of the input with an operator.
 * Shapes: output has the shape that tally_result_like gives, and strides that do not map two indices to one element:
 *   sorted by size, each stride lies beyond the reach of the smaller ones.
 * n = 0: a cell without elements gets the operator's identity (sum 0, prod 1, all true, any false, bit_and all ones,
 *   count and norms 0, mean and var NaN, logsumexp -inf); min, max, minmax, arg*, first and last fail with TALLY_EMPTY
 *   unless options.initial is given.
 * Overlap: input, second, where must not share memory with the output: TALLY_OVERLAP.
 * Bits: the same for any thread count, instruction set, memory layout and split into partials. Float sums and what is
 *   made of them (mean, var, std, norms, dot) are the exact real result rounded once (norm1 of complex: within 1 ulp;
 *   var and std divide and take the root exactly, too); prod, logsumexp and TALLY_PLAIN use the tree of
 *   docs/semantics.md. NaN propagates through min and max; arg* give the first NaN; ties go to the lowest index;
 *   NaN results have one fixed pattern; a zero sum, min or max is +0.
 * Errors: TALLY_INVALID_ARGUMENT, TALLY_UNSUPPORTED, TALLY_EMPTY, TALLY_OVERLAP, TALLY_OVERFLOW, TALLY_OUT_OF_MEMORY;
 *   the output is untouched, unless host arrays went through a GPU's memory in pieces and there was no memory for a
 *   later piece. Thread-safe. */
TALLY_API tally_status tally_reduce(tally_context *context, tally_op op, const tally_array *input,
                                    const tally_array *output, const tally_options *options);

/* Running result along one axis: sum, prod, min, max, any, all, bit_*, logsumexp.
 * Shapes: output has the input's shape. n = 0: nothing is written.
 * In place (same data, shape and strides; types of one size) is allowed; any other overlap is TALLY_OVERLAP.
 * The first exclusive result is options.initial, or else the operator's identity (min: the input type's largest value).
 * Bits: every prefix of a float sum is the exact real sum rounded once; otherwise as tally_reduce, with the block
 * scheme of docs/semantics.md for prod, logsumexp and TALLY_PLAIN.
 * options.where: an absent element repeats the running result. Errors: as tally_reduce. Thread-safe. */
TALLY_API tally_status tally_scan(tally_context *context, tally_op op, const tally_array *input,
                                  const tally_array *output, const tally_options *options);

/* ---------------------------------------------------------------------------------------------------------- *
 * Operators of your own: from source text, or on the CPU from C functions
 *
 * An operator lifts each element to a state, combines the states of neighbours, and finishes the last state to a
 * result. combine must be associative (up to rounding); it need not be commutative: without TALLY_OP_COMMUTATIVE the
 * order of the elements is kept everywhere. Which pairs are combined depends on lengths and positions alone
 * (docs/semantics.md), so results have the same bits for any thread count and memory layout; a state is never combined
 * with the identity, which only stands where there is no element.
 *
 * The text is C without a preprocessor of its own: expressions, or the statements of a function's body where the word
 * `return` occurs (and where a result has several elements). It sees the types bool i8 ... u64 f32 f64 (and c64, c128:
 * .re, .im), min(a, b), max(a, b), abs(a), the functions of <math.h>, STATE(...) (a state from its members), and:
 *   state     text: the state's members ("f64 sum; i64 n;") or a whole struct; or a type's name
 *   helpers   text: functions and constants for the others
 *   lift      x, y, z (the element of each input; f16 and bf16 as f32), i (i64: its index along the reduced axes, in C
 *             order, or along the scanned one, from its end under TALLY_REVERSE): gives a state. NULL: x
 *   combine   a, b (b's elements follow a's): gives a state
 *   identity  gives a state. NULL: there is none, and empty cells are TALLY_EMPTY
 *   finish    s, n (i64: how many elements are in s): gives the result; with result_count > 1 it sets out[0] to
 *             out[result_count - 1]. NULL: s, which must be of a built-in type
 * ---------------------------------------------------------------------------------------------------------- */

#define TALLY_OP_MOST_STATE 256   /* bytes of a state */
#define TALLY_OP_MOST_RESULTS 256 /* elements of a result */

/* flags of an operator */
enum {
    TALLY_OP_COMMUTATIVE = 1 << 0, /* combine(a, b) == combine(b, a): elements may be combined out of order */
    TALLY_OP_IDEMPOTENT = 1 << 1,  /* combine(a, a) == a: says so for readers; changes nothing yet */
    TALLY_OP_CHECK = 1 << 2        /* try associativity, identity and what the flags say on random elements first */
};

typedef struct tally_op_source {
    uint32_t size;       /* sizeof(tally_op_source) */
    uint32_t flags;      /* TALLY_OP_COMMUTATIVE ... */
    const char *name;    /* for messages: letters, digits and '_' */
    int32_t input_count; /* 1 to 3 arrays are read side by side: the input, options.second, options.third; of a map 4 */
    int32_t result_count; /* 1; more give results one more axis, of that length, at the end */
    tally_type inputs[4]; /* of their elements */
    tally_type result;    /* of the result's elements; TALLY_DEFAULT_TYPE: the state's type */
    const char *state, *helpers, *lift, *combine, *identity, *finish;
} tally_op_source;
#define TALLY_OP_SOURCE_INIT                                                                                  \
    {                                                                                                         \
        (uint32_t)sizeof(tally_op_source), 0, "op", 1, 1, {0, 0, 0, 0}, 0, NULL, NULL, NULL, NULL, NULL, NULL \
    }

/* Makes an operator from text and compiles it for the context's device; contexts of other devices compile it when they
 * first use it. All devices need the system's C compiler ($TALLY_CC, else cc, gcc, clang), which also tells the size of
 * a state; a GPU needs NVRTC, simt a C++ compiler besides. What they made is kept on disk. *op then stands wherever a
 * tally_op does: reduce, scan, plans, partials (of up to two inputs), on all axes and under masks. options.type must be
 * left alone; options.initial is a state, by its bytes, which is combined leftmost; TALLY_SKIP_NAN leaves out elements
 * of which an input is NaN; TALLY_PLAIN and TALLY_CHECK_OVERFLOW have no meaning. An exclusive scan, and a scan under a
 * mask, needs an identity or an initial state. The texts are free to go when the call returns. On cuda and simt results
 * have the bits of the CPU, as far as the text's own arithmetic has: of <math.h>, sqrt, fma, and what selects, rounds
 * to integers or takes remainders is exact; the others (exp, pow, cbrt, sin ...) are within the bounds of the
 * platform's own library, on cuda those that the CUDA C++ Programming Guide gives, so their last bits may differ from
 * the CPU's; the sign and payload of a NaN are the device's. The text is read as C++ there: words of C++ are no names,
 * states are made by STATE(...) or member by member, and sizeof and typeof see that comparisons are bool and characters
 * char. Errors: TALLY_INVALID_ARGUMENT (a member that is missing or out of range; a text that does not compile:
 * tally_last_error then has what the compiler said, with the name of the member and your lines; a state whose size is
 * another there than on the host; a failed TALLY_OP_CHECK, with the counterexample), TALLY_NO_DEVICE (no compiler),
 * TALLY_UNSUPPORTED (what the device does not do), TALLY_OUT_OF_MEMORY, TALLY_DEVICE_ERROR. Thread-safe. */
TALLY_API tally_status tally_op_compile(tally_context *context, const tally_op_source *source, tally_op *op);

/* The same operator as C functions, for devices "cpu" and "reference" only. They are called from several threads at
 * once and must neither fail nor jump away. inputs[k] points to the element of input k (of its type in memory, f16 and
 * bf16 as their 16 bits); states lie at multiples of state_bytes from memory that is aligned to 64. */
typedef struct tally_op_functions {
    uint32_t size;  /* sizeof(tally_op_functions) */
    uint32_t flags; /* TALLY_OP_COMMUTATIVE ... */
    const char *name;
    int32_t input_count, result_count;
    tally_type inputs[3];
    tally_type result;
    uint32_t state_bytes; /* 1 to TALLY_OP_MOST_STATE */
    uint32_t reserved;    /* 0 */
    void *user;           /* handed to each function */
    void (*lift)(void *user, void *state, const void *const *inputs, int64_t index);
    void (*combine)(void *user, void *a, const void *b);                        /* a becomes a . b */
    void (*identity)(void *user, void *state);                                  /* NULL: there is none */
    void (*finish)(void *user, const void *state, int64_t count, void *result); /* result_count elements */
} tally_op_functions;
TALLY_API tally_status tally_op_from_functions(const tally_op_functions *functions, tally_op *op);

/* Bytes of a state: what options.initial must hold. Errors: TALLY_INVALID_ARGUMENT (op is no operator of a user's, or
 * not compiled for the CPU). Thread-safe. */
TALLY_API tally_status tally_op_state_size(tally_op op, size_t *bytes);

/* A map: makes one element of a result of each element of up to four inputs. The text is source.lift, an expression (or
 * statements, as above) of x, y, z, w and i, which may call source.helpers; the other texts must be NULL, flags 0.
 * source.result TALLY_DEFAULT_TYPE is the type that the expression has in C (x > 0 is an i32), which tally_map_result
 * tells. Errors: as tally_op_compile, but host arrays that do not fit a GPU's memory are no error. Free it with
 * tally_op_free. Thread-safe. */
TALLY_API tally_status tally_map_compile(tally_context *context, const tally_op_source *source, tally_op *op);
TALLY_API tally_status tally_map_result(tally_op op, tally_type *type);

/* Runs a map. Shapes: each of the inputs broadcasts to the output's shape; any strides. i counts the output's elements
 * in C order. n = 0: nothing is written. In place: the output may be exactly the view of inputs whose elements have its
 * size; any other overlap is TALLY_OVERLAP. Bits: those of C, without contraction; on GPUs functions of <math.h> and
 * NaNs are as in tally_op_compile. Errors: TALLY_INVALID_ARGUMENT, TALLY_UNSUPPORTED (op is no map), TALLY_OVERLAP,
 * TALLY_NO_DEVICE (no compiler for the device), TALLY_OUT_OF_MEMORY, TALLY_DEVICE_ERROR; the output is untouched,
 * unless host arrays went through a GPU's memory in pieces and a later piece failed. Thread-safe. */
TALLY_API tally_status tally_map(tally_context *context, tally_op op, const tally_array *inputs, int32_t input_count,
                                 const tally_array *output);

/* Frees an operator of a user's, once the calls with it have returned and its plans, partials and carries are freed.
 * Errors: TALLY_INVALID_ARGUMENT (op is none). Thread-safe. */
TALLY_API tally_status tally_op_free(tally_op op);

/* ---------------------------------------------------------------------------------------------------------- *
 * Plans: a prepared call, for calls that repeat and for CUDA graphs
 * ---------------------------------------------------------------------------------------------------------- */

typedef struct tally_plan tally_plan;

/* Prepares the call that tally_reduce or tally_scan would make with these arguments: everything is checked, kernels are
 * compiled, and working memory is taken, which the plan keeps as its own. The plan reads and writes the arrays' memory
 * (and that of options.second and options.where) each time it runs, so they must outlive it; options and the value of
 * options.initial are copied. On a GPU the arrays must lie in its memory; the call waits for the context's stream, so
 * it must not come while that is captured.
 * Shapes, n = 0, overlap, bits: as tally_reduce and tally_scan. A plan cannot report what only the data tell, so
 * TALLY_CHECK_OVERFLOW of integer sum, prod and dot, and operators without a value for a cell that a mask or
 * TALLY_SKIP_NAN may empty, are refused.
 * Errors: as tally_reduce and tally_scan; TALLY_UNSUPPORTED for what cannot be planned; TALLY_INVALID_ARGUMENT for host
 * memory on a GPU. Thread-safe. */
TALLY_API tally_status tally_plan_reduce(tally_context *context, tally_op op, const tally_array *input,
                                         const tally_array *output, const tally_options *options, tally_plan **plan);
TALLY_API tally_status tally_plan_scan(tally_context *context, tally_op op, const tally_array *input,
                                       const tally_array *output, const tally_options *options, tally_plan **plan);

/* Does the prepared call, with the same bits as the direct one. On a GPU it only adds work to the context's stream: it
 * allocates nothing and waits for nothing, so it can be captured into a CUDA graph (open the context with
 * tally_open_on_stream on the stream that is captured; the graph may run on any stream of that GPU while the plan
 * lives). A plan must not run at the same time as itself, in graphs neither; different plans may.
 * Errors: TALLY_INVALID_ARGUMENT, TALLY_DEVICE_ERROR; on the CPU also TALLY_OUT_OF_MEMORY. */
TALLY_API tally_status tally_plan_run(const tally_plan *plan);

/* Frees a plan whose last run is done, or lies before in the context's own stream, before its context is closed; NULL
 * is allowed. */
TALLY_API tally_status tally_plan_free(tally_plan *plan);

/* ---------------------------------------------------------------------------------------------------------- *
 * Partials: the mergeable, serialisable state of an unfinished reduction, or of a scan that continues
 * ---------------------------------------------------------------------------------------------------------- */

/* A new, empty reduction of elements of a type. cells: the shape of the result without keepdims (rank 0 for one
 * total); every added array must reduce to it along options.axes. options.second and options.where are given per
 * tally_partial_add instead. options.position: how many elements lie before this partial along the reduced axes; it
 * matters to arg*, first and last (merging compares positions) and to tree operators (float prod, logsumexp,
 * TALLY_PLAIN), where it must be a multiple of 4096 and merged partials must be neighbours.
 * Errors: TALLY_INVALID_ARGUMENT, TALLY_UNSUPPORTED, TALLY_OUT_OF_MEMORY. The partial is used by one thread at a time.
 */
TALLY_API tally_status tally_partial_new(tally_context *context, tally_op op, tally_type type, int32_t rank,
                                         const int64_t *cells, const tally_options *options, tally_partial **partial);

/* Adds the elements of input, which follow those added before. second and where may be NULL, as in tally_options.
 * n = 0 adds nothing. On failure the partial is as it was, except after TALLY_OUT_OF_MEMORY, where only
 * tally_partial_free may follow. Errors: as tally_reduce. */
TALLY_API tally_status tally_partial_add(tally_partial *partial, const tally_array *input, const tally_array *second,
                                         const tally_array *where);

/* The same for several partials in one pass over the input, which is read from memory once. All must have the same
 * type, cells and axes. */
TALLY_API tally_status tally_partial_add_all(tally_partial *const *partials, int32_t count, const tally_array *input,
                                             const tally_array *second, const tally_array *where);

/* Adds the elements of other to partial; other is unchanged. Both must come from the same operator (of users' texts: of
 * the same name and text), type, cells and options (other than position). Errors: TALLY_INVALID_ARGUMENT,
 * TALLY_OUT_OF_MEMORY. */
TALLY_API tally_status tally_partial_merge(tally_partial *partial, const tally_partial *other);

/* Packs the state into bytes that any machine's tally_partial_unpack reads; states of users' operators are packed as
 * they lie in memory, for machines that lay structures out alike. With bytes == NULL, *size gets the bytes needed;
 * otherwise *size is the room at bytes and gets the bytes written. Errors: TALLY_INVALID_ARGUMENT. */
TALLY_API tally_status tally_partial_pack(const tally_partial *partial, void *bytes, size_t *size);

/* A new partial from packed bytes. A user's operator is found by its name and its text (of C functions: its types,
 * sizes and flags), so it must have been made in this process. Errors: TALLY_CORRUPT (names what is wrong),
 * TALLY_INVALID_ARGUMENT (no such operator), TALLY_OUT_OF_MEMORY. */
TALLY_API tally_status tally_partial_unpack(tally_context *context, const void *bytes, size_t size,
                                            tally_partial **partial);

/* Writes the result so far; the partial is unchanged and can go on. output as in tally_reduce, of shape cells (or with
 * TALLY_KEEPDIMS still of shape cells). Errors: as tally_reduce. */
TALLY_API tally_status tally_partial_finish(const tally_partial *partial, const tally_array *output);

/* Finishes as another operator that the same state answers: sum, mean, var, std and norm2 from a partial of var or
 * std; sum from mean, and of floats mean from sum; min from argmin, max from argmax; under TALLY_PLAIN only var from
 * std and std from var. output has the type that tally_result_like gives for op and the partial's element type without
 * options; with the partial's own operator this is tally_partial_finish.
 * Errors: TALLY_UNSUPPORTED for another op; as tally_partial_finish. */
TALLY_API tally_status tally_partial_finish_as(const tally_partial *partial, tally_op op, const tally_array *output);

/* Elements added so far, over all cells, and how many of them masks and TALLY_SKIP_NAN left out.
 * Errors: TALLY_INVALID_ARGUMENT. */
TALLY_API tally_status tally_partial_count(const tally_partial *partial, int64_t *added, int64_t *absent);

/* Frees a partial; NULL is allowed. */
TALLY_API tally_status tally_partial_free(tally_partial *partial);

/* Continues a scan: input is the next chunk, along the axis, of a longer array whose earlier chunks went through the
 * same carry. A carry is made by tally_scan_carry_new for `cells` parallel scans (1 for a vector; the product of the
 * other axes' lengths in C order otherwise) and freed by tally_scan_carry_free. Chunk boundaries do not change the
 * bits. options as in tally_scan and the same at every call; options.initial is used by the first call only.
 * TALLY_REVERSE takes the chunks from the last to the first. Errors: as tally_scan; after a failure the carry is as it
 * was. One thread at a time per carry. */
typedef struct tally_scan_carry tally_scan_carry;
TALLY_API tally_status tally_scan_carry_new(tally_context *context, tally_op op, tally_type type, int64_t cells,
                                            const tally_options *options, tally_scan_carry **carry);
TALLY_API tally_status tally_scan_continue(tally_scan_carry *carry, const tally_array *input, const tally_array *output,
                                           const tally_options *options);
TALLY_API tally_status tally_scan_carry_free(tally_scan_carry *carry);

/* ---------------------------------------------------------------------------------------------------------- *
 * Modules: kernels of your own, in CUDA C, compiled at run time for the context's device
 *
 * A GPU's context compiles with libnvrtc and needs no CUDA toolkit; so sources see no toolkit headers, and contraction
 * is off (write fmaf where you want it). Device "simt" compiles the same text for the host, where every thread is a
 * fibre: as far as simt/simt.h goes, without variables that outlive a launch, PTX or cooperative launches.
 * ---------------------------------------------------------------------------------------------------------- */

typedef struct tally_module tally_module;     /* a compiled source; belongs to its context */
typedef struct tally_function tally_function; /* a kernel of it; belongs to its module */

/* A text that sources may #include by its name. */
typedef struct tally_header {
    const char *name, *text;
} tally_header;

typedef struct tally_module_options {
    uint32_t size; /* sizeof(tally_module_options) */
    uint32_t flags;
    const char *name;               /* of the source, as messages have it: no '/'; NULL: "module.cu" */
    const char *const *definitions; /* "NAME" or "NAME=VALUE" each, then NULL; or NULL */
    const tally_header *headers;    /* then one whose name is NULL; or NULL */
} tally_module_options;
#define TALLY_MODULE_OPTIONS_INIT                                   \
    {                                                               \
        (uint32_t)sizeof(tally_module_options), 0, NULL, NULL, NULL \
    }

/* tally_module_options.flags: launches on device "simt" count what tally_launch_counts gives. */
#define TALLY_COUNT 1u

/* Compiles CUDA C, a text that ends in '\0', for the context's device; the result is kept on disk like tally's own
 * kernels. options may be NULL. The text is free to go when the call returns.
 * Errors: TALLY_INVALID_ARGUMENT; TALLY_UNSUPPORTED (the device runs no kernels: "cpu", "reference");
 * TALLY_DEVICE_ERROR (the text does not compile: tally_last_error has the beginning of what the compiler said, with the
 * lines of your text); TALLY_NO_DEVICE (no compiler), TALLY_OUT_OF_MEMORY. Thread-safe. */
TALLY_API tally_status tally_module_compile(tally_context *context, const char *source,
                                            const tally_module_options *options, tally_module **module);

/* A __global__ function by its name in the source, without namespaces, extern "C" or not. The same name gives the same
 * handle. Errors: TALLY_INVALID_ARGUMENT (no such kernel; of overloads only extern "C" ones can be found),
 * TALLY_OUT_OF_MEMORY. Thread-safe. */
TALLY_API tally_status tally_module_function(tally_module *module, const char *name, tally_function **function);

/* Frees a module and its functions, once the launches of them are done, before its context is closed; NULL is allowed.
 */
TALLY_API tally_status tally_module_free(tally_module *module);

/* Where a kernel runs: blocks in a grid, threads in a block, dynamic shared memory of a block in bytes. No number of
 * the six may be 0; a block has at most 1024 threads, a grid at most 2^31 - 1 by 65535 by 65535 blocks. */
typedef struct tally_grid {
    uint32_t blocks[3], threads[3];
    uint32_t shared_bytes;
    uint32_t flags; /* 0 */
} tally_grid;

/* One argument of a kernel. Make it with a tally_pass_... function. */
typedef struct tally_argument {
    uint32_t kind; /* 0: value holds it; 1: the same, an address on the device; 2: it lies at value.bytes */
    uint32_t size; /* bytes */
    union {
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
        float f32;
        double f64;
        const void *memory;
        const void *bytes;
    } value;
} tally_argument;

/* A pointer argument: memory of the context's device, from tally_alloc or elsewhere, or NULL. */
TALLY_API tally_argument tally_pass_memory(const void *memory);
/* A scalar argument, of exactly this type in the kernel's list. */
TALLY_API tally_argument tally_pass_i32(int32_t value);
TALLY_API tally_argument tally_pass_u32(uint32_t value);
TALLY_API tally_argument tally_pass_i64(int64_t value);
TALLY_API tally_argument tally_pass_u64(uint64_t value);
TALLY_API tally_argument tally_pass_f32(float value);
TALLY_API tally_argument tally_pass_f64(double value);
/* Any other argument by its bytes, a structure for instance; they are read by tally_launch. */
TALLY_API tally_argument tally_pass_bytes(const void *bytes, size_t size);

/* Starts a kernel in the order of the context's stream and, on a GPU, returns at once; what goes wrong while it runs is
 * told by a later call. arguments: one for each parameter, in their order.
 * Errors: TALLY_INVALID_ARGUMENT (a grid out of range, the wrong number of arguments, one of another size than the
 * parameter, a pointer to host memory; with drivers before CUDA 12.4 number and sizes are not checked),
 * TALLY_DEVICE_ERROR, TALLY_OUT_OF_MEMORY. Thread-safe. */
TALLY_API tally_status tally_launch(tally_function *function, const tally_grid *grid, const tally_argument *arguments,
                                    int32_t argument_count);

/* What the compiler made of a kernel. On device "simt" only most_threads says anything; the rest is 0. */
typedef struct tally_function_facts {
    uint32_t size;           /* set to sizeof(tally_function_facts) before the call */
    int32_t registers;       /* of a thread */
    int32_t shared_bytes;    /* of a block, static */
    int32_t local_bytes;     /* of a thread: spilled registers and arrays */
    int32_t most_threads;    /* of a block */
    int32_t blocks_at_once;  /* of the given size, on one multiprocessor */
    int32_t threads_at_once; /* the most that a multiprocessor takes, of any kernel */
} tally_function_facts;

/* grid: what blocks_at_once is for (blocks are ignored). Errors: TALLY_INVALID_ARGUMENT, TALLY_DEVICE_ERROR.
 * Thread-safe. */
TALLY_API tally_status tally_function_info(tally_function *function, const tally_grid *grid,
                                           tally_function_facts *facts);

/* What launches did on device "simt", which runs kernels to their end inside of tally_launch. A warp has 32 lanes. */
typedef struct tally_counts {
    uint32_t size; /* set to sizeof(tally_counts) before the call */
    uint32_t reserved;
    uint64_t launches, threads;
    uint64_t barriers;           /* of blocks */
    uint64_t warp_operations;    /* shuffles, votes and __syncwarp: of all their lanes together, one */
    uint64_t divergent_branches; /* times that lanes of a warp went different ways */
    uint64_t bank_conflicts;     /* extra cycles of shared memory, of 32 banks of 4 bytes */
    uint64_t transactions;       /* sectors of 32 bytes of global memory, summed over accesses of warps */
} tally_counts;

/* The sum over all tally_launch calls of the context since the last call of this function. The last three are counted
 * in modules that were compiled with TALLY_COUNT. Errors: TALLY_INVALID_ARGUMENT; TALLY_UNSUPPORTED (the device does
 * not count). Thread-safe. */
TALLY_API tally_status tally_launch_counts(tally_context *context, tally_counts *counts);

#ifdef __cplusplus
}
#endif

#endif
