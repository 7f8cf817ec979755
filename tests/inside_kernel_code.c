/* SPDX-License-Identifier: MIT
 *
 * inside_kernel_code.c - the kernels compile for generations of GPUs from sm_75 on; says what registers each takes and
 * what it spills. Left out, aloud, where there is no run-time compiler. Neighbours in the table are variants of one
 * kernel: each is compiled for another generation.
 *   TALLY_TEST_ALL_KERNELS   each for all generations */
#include "gpu/nvrtc.h"
#include "gpu/sources.h"
#include "test.h"

#include <tally.h>

#define F32 "ONLY_TYPE=1\nONLY_TYPE_f32=1\nELEMENT=f32\nELEMENT_BYTES=4\nRESULT=f32\n"
#define F32_TO_BOOL "ONLY_TYPE=1\nONLY_TYPE_f32=1\nELEMENT=f32\nELEMENT_BYTES=4\nRESULT=bool\n"
#define F16 "ONLY_TYPE=1\nONLY_TYPE_f16=1\nELEMENT=f16\nELEMENT_BYTES=2\nRESULT=f16\n"
#define F64 "ONLY_TYPE=1\nONLY_TYPE_f64=1\nELEMENT=f64\nELEMENT_BYTES=8\nRESULT=f64\n"
#define I32 "ONLY_TYPE=1\nONLY_TYPE_i32=1\nELEMENT=i32\nELEMENT_BYTES=4\nRESULT=i64\n"
#define I8 "ONLY_TYPE=1\nONLY_TYPE_i8=1\nELEMENT=i8\nELEMENT_BYTES=1\nRESULT=i8\n"
#define I8_TO_F64 "ONLY_TYPE=1\nONLY_TYPE_i8=1\nELEMENT=i8\nELEMENT_BYTES=1\nRESULT=f64\n"
#define I32_TO_F64 "ONLY_TYPE=1\nONLY_TYPE_i32=1\nELEMENT=i32\nELEMENT_BYTES=4\nRESULT=f64\n"
#define I64_TO_F64 "ONLY_TYPE=1\nONLY_TYPE_i64=1\nELEMENT=i64\nELEMENT_BYTES=8\nRESULT=f64\n"
#define ARG(combine, fold) "METHOD_INDEX=1\nPICK_VALUE_" #fold "=1\nOP_LIFT=VALUE\nOP_COMBINE=" #combine "\n" TOTAL
#define TOTAL "OP_FINISH=TOTAL\nEMPTY_FAILS=0\nWITH_SECOND=0\nWITH_WHERE=0\nSKIP_NAN=0\nCHECKED=0\n"
#define EXACT_SUM "METHOD_EXACT=1\nPICK_VALUE=1\nOP_LIFT=VALUE\nOP_COMBINE=ADD\n" TOTAL
#define MINMAX "METHOD_MINMAX=1\nPICK_VALUE_MINIMUM=1\nPICK_VALUE_MAXIMUM=1\nOP_LIFT=VALUE\nOP_COMBINE=MINMAX\n" TOTAL
#define VARIANCE                                                                                           \
    "METHOD_EXACT=1\nPICK_MOMENTS=1\nOP_LIFT=MOMENTS\nOP_COMBINE=ADD\nOP_FINISH=VARIANCE\nEMPTY_FAILS=0\n" \
    "WITH_SECOND=0\nWITH_WHERE=0\nSKIP_NAN=0\nCHECKED=0\n"
#define TALL_RECORDS(flat, lanes) \
    "THREADS=256\nBLOCKS_AT_ONCE=2\nDEPTH=8\nONE_COLUMN=0\nTALL_FLAT=" #flat "\nLANES=" #lanes "\n"
#define FOLD(lift, combine) \
    "METHOD_FOLD=1\nPICK_" #lift "_" #combine "=1\nOP_LIFT=" #lift "\nOP_COMBINE=" #combine "\n" TOTAL
#define U32 "ONLY_TYPE=1\nONLY_TYPE_u32=1\nELEMENT=u32\nELEMENT_BYTES=4\nRESULT=u32\n"
#define U64 "ONLY_TYPE=1\nONLY_TYPE_u64=1\nELEMENT=u64\nELEMENT_BYTES=8\nRESULT=u64\n"
#define KOALABEAR "MODULUS=2130706433ull,8657571868ull,145249944610553956ull,33\n"
#define GOLDILOCKS "MODULUS=18446744069414584321ull,1ull,4294967295ull,0\n"
#define USER                                                                                                  \
    "USER_STATE_BYTES=16\nUSER_INPUT_COUNT=1\nUSER_INPUT_0=f32\nUSER_INPUT_BYTES_0=4\nUSER_INPUT_ALIGN_0=4\n" \
    "USER_RESULT_BYTES=4\nUSER_RESULT_ALIGN=4\n"
#define USER_WAVE(blocks, lag, once)                                                                              \
    "USER_BACKWARD=0\nUSER_EXCLUSIVE=0\nUSER_CARRIED=0\nUSER_FINDERS=2\nUSER_AHEAD=1\nUSER_CHUNK_BLOCKS=" #blocks \
    "\nUSER_LAG=" #lag "\nUSER_BLOCKS_AT_ONCE=" #once "\n"
#define CARRY "WITH_CARRY=1\n"
#define SHORT(shape, blocks) "SHORT_" #shape "=1\nBLOCKS_AT_ONCE=" #blocks "\nTHREADS=256\nREDUCED_NEST=0\n"
#define ROWS(lanes, each, rows, in_row) "RAGGED=0\n" READS(lanes, each, rows, in_row)
#define READS(lanes, each, rows, in_row) "LANES=" #lanes "\nEACH=" #each "\nROWS=" #rows "\nIN_ROW=" #in_row "\n"
#define COLUMNS(side, groups, depth, pass, shifted)                                           \
    "SIDE=" #side "\nGROUPS=" #groups "\nDEPTH=" #depth "\nIN_ONE_PASS=" #pass "\nIN_ROW=1\n" \
    "ROW_LOOPS=1\nKEPT_NEST=2\nSHIFTED=" #shifted "\n"
#define STRIP(nest, blocks) "REDUCED_NEST=" #nest "\nDEPTH=8\nTHREADS=256\nBLOCKS_AT_ONCE=" #blocks "\n"
#define TALL(flat) "ONE_COLUMN=0\nLANES=32\nTALL_FLAT=" #flat "\n"
#define FETCHED(blocks, depth, bytes, shifts)                                         \
    "REDUCED_NEST=0\nDEPTH=" #depth "\nTHREADS=288\nBLOCKS_AT_ONCE=" #blocks          \
    "\nONE_COLUMN=0\nLANES=256\nTALL_FLAT=0\n"                                        \
    "ROW_GROUPS=1\nROW_BUNDLES=1\nUNIT_BYTES=16\nFETCH_STAGES=3\nFETCH_BYTES=" #bytes \
    "\nWHOLE_COLUMNS=1\nFETCH_SHIFTS=" #shifts "\n"
#define TOGETHER "BLOCKS_TOGETHER=16\nCLUSTER_ROOM=784\nONE_ROW=1\n"
#define FEW_RUNS(threads, vectors, blocks)                                                                        \
    "THREADS=" #threads "\nBLOCKS_AT_ONCE=" #blocks "\nVECTORS=" #vectors "\nBACKWARD=0\nTURNED=0\nEXCLUSIVE=0\n" \
    "RUNS_OF_TRUTH=0\nRESULTS_ARE_LANES=0\nREDUCED_NEST=0\n"
#define WAVE(vectors, lanes)                                                                                      \
    "THREADS=512\nBLOCKS_AT_ONCE=1\nREDUCED_NEST=0\nSTAGES=4\nLOADS_APART=0\nBACKWARD=0\nTURNED=0\nEXCLUSIVE=0\n" \
    "VECTORS=" #vectors "\nRUNS_OF_TRUTH=0\nRESULTS_ARE_LANES=" #lanes "\n"
#define BLOCKS(stages, blocks, shifts, backward)                                                            \
    "THREADS=288\nREDUCED_NEST=0\nEXCLUSIVE=0\nCHAIN_BYTES=64\nSTAGES=" #stages "\nBLOCKS_AT_ONCE=" #blocks \
    "\nIN_SHIFTS=" #shifts "\nIN_BACKWARD=" #backward "\nOUT_SHIFTS=" #shifts "\nOUT_BACKWARD=" #backward "\n"
#define SCAN_ROWS(vectors, blocks, lanes) UNITS(vectors, blocks, lanes, 0, 0) "OUT_ACROSS=0\nBY_VECTORS=0\n"
#define BY_VECTORS(vectors, blocks) UNITS(vectors, blocks, 0, 0, 0) "OUT_ACROSS=0\nBY_VECTORS=1\n"
#define ACROSS(vectors, blocks, lanes) UNITS(vectors, blocks, lanes, 0, 0) "OUT_ACROSS=1\nBY_VECTORS=0\n"
#define APART(vectors, blocks, lanes, in, out) UNITS(vectors, blocks, lanes, in, out) "OUT_ACROSS=0\nBY_VECTORS=0\n"
#define UNITS(vectors, blocks, lanes, in, out)                                                           \
    "IN_UNIT=" #in "\nOUT_UNIT=" #out                                                                    \
    "\nTHREADS=128\nREDUCED_NEST=0\nSTAGES=3\nBACKWARD=0\nTURNED=0\nEXCLUSIVE=0\nVECTORS=" #vectors "\n" \
    "BLOCKS_AT_ONCE=" #blocks "\nRUNS_OF_TRUTH=0\nRESULTS_ARE_LANES=" #lanes "\n"
#define ORDERED_ROWS(linear, shifts)                                                                            \
    "THREADS=128\nTEAM=1\nBLOCKS_AT_ONCE=4\nSTAGES=3\nEXCLUSIVE=0\nRUN=16\nLEVELS=5\nHAS_GROUPS=1\nCROSSES=1\n" \
    "TOGETHER=0\nLENGTH=1\nDESCENDING=0\nREDUCED_NEST=0\nIN_LINEAR=" #linear "\nIN_SHIFTS=" #shifts             \
    "\nIN_UNIT=ELEMENT_SIZE\nIN_APART=0\nIN_BACKWARD=0\nOUT_LINEAR=" #linear "\nOUT_SHIFTS=" #shifts            \
    "\nOUT_UNIT=RESULT_SIZE\nOUT_APART=0\nOUT_BACKWARD=0\n"
#define LANES_DOWN(team, side, leaf_lanes, depth, shifted, state, align)                                    \
    "THREADS=256\nREDUCED_NEST=0\nBLOCKS_AT_ONCE=3\nGROUPS=1\nROWS=1\nNEAR_ROWS=1\nONE_LEAF=1\nTEAM=" #team \
    "\nSIDE_IN_PARTS=0\nSIDE=" #side "\nLEAF_LANES=" #leaf_lanes "\nDEPTH=" #depth "\nSHIFTED=" #shifted    \
    "\nSTATE_BYTES=" #state "\nOUT_ALIGN=" #align "\n"
#define TREE_ROWS(lanes, pack, team, each, steps, turned)                                                       \
    "THREADS=256\nREDUCED_NEST=0\nKEPT_NEST=1\nBLOCKS_AT_ONCE=3\nNEIGHBOURS=1\nBATCHES=1\nLANES_OF_ROW=" #lanes \
    "\nPACK=" #pack "\nTEAM=" #team "\nEACH=" #each "\nSTEPS=" #steps "\nONE_STEP=0\nTURNED=" #turned "\n"
#define DOWN "REDUCED_NEST=0\nEXCLUSIVE=0\n"
#define WALK(side, lanes, blocks)                                                                         \
    DOWN "WALK=1\nPACK=1\nTHREADS=128\nDEPTH=8\nLOADS_AHEAD=1\nSIDE=" #side "\nRESULTS_ARE_LANES=" #lanes \
         "\nBLOCKS_AT_ONCE=" #blocks "\n"
#define CHUNKS(width, side, run, depth, finders, look, lanes, linear) \
    SHARED(width, side, run, depth, finders, look, lanes, linear, 1)  \
    "UNIT_IN=16\nUNIT_OUT=16\nSKEW_IN=0\nSKEW_OUT=0\nPITCH_IN=0\nPITCH_OUT=0\nAPART=(RESULT_SIZE!=ELEMENT_SIZE)\n"
#define PACKED(width, pack, run, depth, look, linear)         \
    SHARED(width, pack, run, depth, 1, look, 1, linear, pack) \
    "UNIT_IN=8\nUNIT_OUT=8\nSKEW_IN=0\nSKEW_OUT=0\nPITCH_IN=0\nPITCH_OUT=0\nAPART=0\n"
#define SKEWED(width, side, run, depth, finders, lanes, unit, in, out, apart)                                         \
    SHARED(width, side, run, depth, finders, 1, lanes, 0, 1)                                                          \
    "UNIT_IN=" #unit "\nUNIT_OUT=" #unit "\nSKEW_IN=" #unit "\nSKEW_OUT=" #unit "\nPITCH_IN=" #in "\nPITCH_OUT=" #out \
    "\nAPART=" #apart "\n"
#define SHARED(width, side, run, depth, finders, look, lanes, linear, pack)                                         \
    DOWN "WALK=0\nTHREADS=512\nBLOCKS_AT_ONCE=1\nSTAGES=4\nLOOKS=4\nLANES=" #look "\nWIDTH=" #width "\nSIDE=" #side \
         "\nRUN=" #run "\nDEPTH=" #depth "\nFINDERS=" #finders "\nRESULTS_ARE_LANES=" #lanes "\nLINEAR_IN=" #linear \
         "\nLINEAR_OUT=" #linear "\nPACK=" #pack "\n"
#define PLAN(contiguous, vectors, blocks) \
    "CONTIGUOUS=" #contiguous "\nTILE_VECTORS=" #vectors "\nBLOCKS_AT_ONCE=" #blocks "\nTHREADS=256\nREDUCED_NEST=0\n"
#define STEPS(way, unit, blocks)                                                                                  \
    "ONE_CELL=1\nX_WAY=" #way "\nX_UNIT=" #unit "\nOUT_WAY=" #way "\nOUT_UNIT=" #unit "\nBLOCKS_AT_ONCE=" #blocks \
    "\nTHREADS=256\nREDUCED_NEST=0\nEXCLUSIVE=0\n"
#define NEST(contiguous, vectors, blocks) \
    "CONTIGUOUS=" #contiguous "\nTILE_VECTORS=" #vectors "\nBLOCKS_AT_ONCE=" #blocks "\nTHREADS=256\nREDUCED_NEST=2\n"
#define LEAVES PLAN(1, 1, 2) "FULL_LEAVES=1\nDEALT=1\n"
#define FEW "BLOCKS_AT_ONCE=2\nTHREADS=256\nREDUCED_NEST=0\nALIGNED=1\nAHEAD=4\nNUMBERS=16\n"
#define LONG(low, words) "LONG_LOW=" #low "\nLONG_WORDS=" #words "\n"
#define COPIES(copies) "LONG_COPIES=" #copies "\n"

static const struct {
    const char *name, *file, *definitions;
} kernels[] = {
    {"sum of i32, rows", "reduce.cu", I32 FOLD(VALUE, ADD) PLAN(1, 4, 4)},
    {"exact sum of f32, rows", "reduce.cu", F32 EXACT_SUM PLAN(1, 8, 2)},
    {"exact sum of f64, columns", "reduce.cu", F64 EXACT_SUM PLAN(0, 16, 3)},
    {"exact sum of f64, any numbers", "reduce_wide.cu", F64 EXACT_SUM PLAN(1, 8, 2)},
    {"var of f64, any numbers", "reduce_wide.cu", F64 VARIANCE PLAN(1, 8, 2)},
    {"exact sum of f32, whole", "reduce_whole.cu", F32 EXACT_SUM PLAN(1, 8, 2) LONG(-448, 24) COPIES(0)},
    {"exact sum of f64, whole", "reduce_whole.cu", F64 EXACT_SUM PLAN(1, 8, 2) LONG(-1088, 68) COPIES(8)},
    {"exact sum of f64, few", "reduce_few.cu", F64 EXACT_SUM FEW LONG(-1088, 68)},
    {"exact sum of f32, few", "reduce_few.cu", F32 EXACT_SUM FEW LONG(-448, 24)},
    {"exact sum of f32, cluster", "reduce_few.cu", F32 EXACT_SUM FEW LONG(-448, 24) TOGETHER},
    {"max of f32, whole", "reduce_whole.cu", F32 FOLD(VALUE, MAXIMUM) PLAN(1, 4, 4)},
    {"max of i8, whole", "reduce_whole.cu", I8 FOLD(VALUE, MAXIMUM) PLAN(1, 4, 4)},
    {"argmax of f32, whole", "reduce_whole.cu", F32 ARG(ARGMAX, MAXIMUM) PLAN(1, 4, 4)},
    {"max of f32, cluster", "reduce_whole.cu", F32 FOLD(VALUE, MAXIMUM) PLAN(1, 4, 4) TOGETHER},
    {"argmax of f32, cluster", "reduce_whole.cu", F32 ARG(ARGMAX, MAXIMUM) PLAN(1, 4, 4) TOGETHER},
    {"argmin of i8, whole", "reduce_whole.cu", I8 ARG(ARGMIN, MINIMUM) PLAN(1, 4, 4)},
    {"argmax of f16, whole", "reduce_whole.cu", F16 ARG(ARGMAX, MAXIMUM) PLAN(1, 4, 4)},
    {"var of i32, whole", "reduce_whole.cu", I32 VARIANCE PLAN(1, 4, 3)},
    {"var of f32, columns", "reduce_tall.cu", F32 VARIANCE TALL_RECORDS(0, 32)},
    {"argmax of f32, columns", "reduce_tall.cu", F32 ARG(ARGMAX, MAXIMUM) TALL_RECORDS(1, 1)},
    {"argmin of i8, columns", "reduce_tall.cu", I8 ARG(ARGMIN, MINIMUM) TALL_RECORDS(0, 16)},
    {"argmax of i8, long rows", "reduce_long.cu", I8 ARG(ARGMAX, MAXIMUM) STRIP(0, 3) "TEAM=256\n"},
    {"argmax of i8, rows of 1024", "reduce_short.cu", I8 ARG(ARGMAX, MAXIMUM) SHORT(ROWS, 4) ROWS(8, 8, 1, 16)},
    {"var of i8, columns", "reduce_tall.cu", I8_TO_F64 VARIANCE TALL_RECORDS(0, 16)},
    {"var of i32, columns", "reduce_tall.cu", I32_TO_F64 VARIANCE TALL_RECORDS(0, 32) "UNIT_BYTES=16\n"},
    {"var of i64, columns", "reduce_tall.cu", I64_TO_F64 VARIANCE TALL_RECORDS(0, 32) "UNIT_BYTES=16\n"},
    {"var of i32, rows of 256", "reduce_short.cu", I32_TO_F64 VARIANCE SHORT(ROWS, 3) ROWS(8, 8, 1, 4)},
    {"var of i64, long rows", "reduce_spread.cu",
     I64_TO_F64 VARIANCE "THREADS=256\nVECTORS=4\nBLOCKS_AT_ONCE=2\nREDUCED_NEST=0\nREDOES=1\n"},
    {"var of i8, long rows", "reduce_long.cu", I8_TO_F64 VARIANCE STRIP(0, 4) "TEAM=32\n"},
    {"var of i8, rows of 1024", "reduce_short.cu", I8_TO_F64 VARIANCE SHORT(ROWS, 3) ROWS(8, 8, 1, 16)},
    {"var of f32, two axes, runs", "reduce_long.cu",
     F32 VARIANCE STRIP(2, 2) "TEAM=32\nLANES=2\nRUNS=1\nWHOLE_RUNS=0\n"},
    {"argmax of f32, rows of 128", "reduce_short.cu", F32 ARG(ARGMAX, MAXIMUM) SHORT(ROWS, 4) ROWS(8, 4, 2, 4)},
    {"argmax of f32, columns of 64", "reduce_short.cu",
     F32 ARG(ARGMAX, MAXIMUM) SHORT(COLUMNS, 3) COLUMNS(4, 1, 8, 0, 0)},
    {"exact sum of f32, rows of 2", "reduce_short.cu", F32 EXACT_SUM SHORT(ROWS, 3) ROWS(1, 1, 8, 2)},
    {"exact sum of f32, rows of 32", "reduce_short.cu", F32 EXACT_SUM SHORT(ROWS, 3) ROWS(8, 1, 8, 4)},
    {"exact sum of f64, rows of 16", "reduce_short.cu", F64 EXACT_SUM SHORT(ROWS, 3) ROWS(8, 1, 8, 2)},
    {"exact sum of f32, rows of 7", "reduce_short.cu", F32 EXACT_SUM SHORT(WORDS, 4) "LANES=1\n"},
    {"exact sum of f64, rows of 127", "reduce_short.cu", F64 EXACT_SUM SHORT(WORDS, 4) "LANES=4\n"},
    {"sum of i8, rows of 33", "reduce_short.cu", I8 FOLD(VALUE, ADD) SHORT(WORDS, 4) "LANES=1\n"},
    {"argmax of f32, rows of 7", "reduce_short.cu",
     F32 ARG(ARGMAX, MAXIMUM) SHORT(STAGED, 4) "LANES=1\nSTAGED_BYTES=4\n"},
    {"exact sum of f16, rows of 100", "reduce_short.cu", F16 EXACT_SUM SHORT(ROWS, 3) "RAGGED=1\n" READS(8, 2, 4, 8)},
    {"max of i8, rows of 1000", "reduce_short.cu",
     I8 FOLD(VALUE, MAXIMUM) SHORT(ROWS, 4) "RAGGED=1\n" READS(8, 8, 1, 16)},
    {"max of i8, rows of 24", "reduce_short.cu", I8 FOLD(VALUE, MAXIMUM) SHORT(WORDS, 4) "LANES=1\n"},
    {"exact sum of f32, columns of 2", "reduce_short.cu", F32 EXACT_SUM SHORT(COLUMNS, 3) COLUMNS(4, 4, 2, 1, 0)},
    {"exact sum of f64, columns of 64", "reduce_short.cu", F64 EXACT_SUM SHORT(COLUMNS, 3) COLUMNS(2, 1, 8, 0, 0)},
    {"exact sum of f16, shifted columns of 64", "reduce_short.cu",
     F16 EXACT_SUM SHORT(COLUMNS, 3) COLUMNS(4, 1, 8, 0, 1)},
    {"maximum of i8, shifted columns of 2", "reduce_short.cu",
     I8 FOLD(VALUE, MAXIMUM) SHORT(COLUMNS, 3) COLUMNS(8, 2, 2, 1, 1)},
    {"sum of i32, rows of 32", "reduce_short.cu", I32 FOLD(VALUE, ADD) SHORT(ROWS, 4) ROWS(8, 1, 8, 4)},
    {"prod of f32", "reduce_ordered.cu", F32 FOLD(VALUE, MULTIPLY) LEAVES},
    {"logsumexp of f32", "reduce_ordered.cu", F32 FOLD(VALUE, ADD_POWERS) LEAVES},
    {"logsumexp of f16", "reduce_ordered.cu", F16 FOLD(VALUE, ADD_POWERS) LEAVES},
    {"logsumexp of f64", "reduce_ordered.cu", F64 FOLD(VALUE, ADD_POWERS) LEAVES},
    {"logsumexp of i8", "reduce_ordered.cu", I8_TO_F64 FOLD(VALUE, ADD_POWERS) LEAVES},
    {"logsumexp of i32", "reduce_ordered.cu", I32_TO_F64 FOLD(VALUE, ADD_POWERS) LEAVES},
    {"plain sum of f16, 100 rows", "reduce_lanes.cu",
     F16 FOLD(VALUE, ADD) LANES_DOWN(1, 4, 128, 8, 0, 4, 8) "ONE_ROW=1\nSPLIT=0\n"},
    {"plain sum of f16, 10,000 rows of 1,001", "reduce_lanes.cu",
     F16 FOLD(VALUE, ADD) LANES_DOWN(8, 4, 128, 8, 1, 4, 0) "ONE_ROW=0\nSPLIT=1\n"},
    {"logsumexp of f16, 10,000 rows", "reduce_lanes.cu",
     F16 FOLD(VALUE, ADD_POWERS) LANES_DOWN(8, 2, 128, 8, 0, 8, 0) "ONE_ROW=0\nSPLIT=1\n"},
    {"logsumexp of f64, 8 rows", "reduce_lanes.cu",
     F64 FOLD(VALUE, ADD_POWERS) LANES_DOWN(1, 1, 8, 4, 0, 16, 0) "ONE_ROW=1\nSPLIT=0\n"},
    {"plain sum of f32, rows of 1000", "reduce_ordered_rows.cu", F32 FOLD(VALUE, ADD) TREE_ROWS(128, 4, 8, 1, 2, 0)},
    {"plain sum of f16, rows of 1001", "reduce_ordered_rows.cu", F16 FOLD(VALUE, ADD) TREE_ROWS(128, 8, 8, 1, 2, 1)},
    {"logsumexp of f16, rows of 1000", "reduce_ordered_rows.cu",
     F16 FOLD(VALUE, ADD_POWERS) TREE_ROWS(128, 8, 8, 1, 2, 0)},
    {"prod of f64, rows of 100", "reduce_ordered_rows.cu",
     F64 FOLD(VALUE, MULTIPLY_REAL) TREE_ROWS(128, 2, 32, 2, 1, 0)},
    {"logsumexp of f32, rows of 1000", "reduce_ordered_rows.cu",
     F32 FOLD(VALUE, ADD_POWERS) TREE_ROWS(128, 4, 8, 1, 2, 0)},
    {"minmax of i8, columns", "reduce_tall.cu", I8 MINMAX STRIP(0, 2) TALL(0)},
    {"minmax of f16, rows of 1024", "reduce_short.cu", F16 MINMAX SHORT(ROWS, 4) ROWS(8, 8, 1, 8)},
    {"minmax of f64, long rows", "reduce_long.cu", F64 MINMAX STRIP(0, 3) "TEAM=256\n"},
    {"running sum of i32", "scan.cu", I32 FOLD(VALUE, ADD) STEPS(1, 1, 3)},
    {"running sum of f64", "scan.cu", F64 EXACT_SUM STEPS(1, 1, 2)},
    {"running sum of i32, few", "scan_few.cu", I32 FOLD(VALUE, ADD) FEW_RUNS(512, 3, 2)},
    {"running sum of f32, few", "scan_few.cu", F32 EXACT_SUM FEW_RUNS(512, 7, 1)},
    {"running sum of f64, few", "scan_few.cu", CARRY F64 EXACT_SUM FEW_RUNS(640, 7, 1)},
    {"running sum of i32, cluster", "scan_few.cu", I32 FOLD(VALUE, ADD) FEW_RUNS(512, 3, 1) TOGETHER},
    {"running sum of f32, cluster", "scan_few.cu", F32 EXACT_SUM FEW_RUNS(512, 1, 1) TOGETHER},
    {"running sum of f64, cluster", "scan_few.cu", CARRY F64 EXACT_SUM FEW_RUNS(512, 3, 1) TOGETHER},
    {"running sum of i32, in waves", "scan_wave.cu", I32 FOLD(VALUE, ADD) WAVE(5, 0)},
    {"running max of f32, in waves", "scan_wave.cu", F32 FOLD(VALUE, MAXIMUM) WAVE(7, 1)},
    {"running sum of f32, in waves", "scan_wave.cu", F32 EXACT_SUM WAVE(7, 0)},
    {"plain running sum of f32", "scan_blocks.cu", F32 FOLD(VALUE, ADD) BLOCKS(6, 2, 0, 0)},
    {"plain running sum of f16, rows", "scan_ordered_rows.cu", F16 FOLD(VALUE, ADD) ORDERED_ROWS(1, 1)},
    {"running prod of f64, rows", "scan_ordered_rows.cu", F64 FOLD(VALUE, MULTIPLY_REAL) ORDERED_ROWS(1, 0)},
    {"running logsumexp of f32, rows", "scan_ordered_rows.cu", F32 FOLD(VALUE, ADD_POWERS) ORDERED_ROWS(0, 0)},
    {"plain running sum of f16, shifted", "scan_blocks.cu", F16 FOLD(VALUE, ADD) BLOCKS(11, 2, 1, 0)},
    {"plain running sum of f32, backward", "scan_blocks.cu", F32 FOLD(VALUE, ADD) BLOCKS(6, 2, 1, 1)},
    {"running logsumexp of f64", "scan_blocks.cu", F64 FOLD(VALUE, ADD_POWERS) BLOCKS(6, 1, 0, 0)},
    {"running logsumexp of f32", "scan_blocks.cu", F32 FOLD(VALUE, ADD_POWERS) BLOCKS(6, 2, 0, 0)},
    {"running logsumexp of f16", "scan_blocks.cu", F16 FOLD(VALUE, ADD_POWERS) BLOCKS(5, 2, 0, 0)},
    {"running sum of f64, in waves", "scan_wave.cu", CARRY F64 EXACT_SUM WAVE(7, 0)},
    {"running sum of i32, rows", "scan_rows.cu", I32 FOLD(VALUE, ADD) SCAN_ROWS(3, 6, 0)},
    {"running max of f32, rows", "scan_rows.cu", F32 FOLD(VALUE, MAXIMUM) SCAN_ROWS(7, 5, 1)},
    {"running max of i8, rows", "scan_rows.cu", I8 FOLD(VALUE, MAXIMUM) SCAN_ROWS(3, 6, 1)},
    {"running max of i8, in waves", "scan_wave.cu", I8 FOLD(VALUE, MAXIMUM) WAVE(9, 1)},
    {"running max of f16, rows", "scan_rows.cu", F16 FOLD(VALUE, MAXIMUM) SCAN_ROWS(7, 5, 1)},
    {"running sum of f32, rows", "scan_rows.cu", F32 EXACT_SUM SCAN_ROWS(7, 4, 0)},
    {"running sum of f16, rows", "scan_rows.cu", F16 EXACT_SUM BY_VECTORS(5, 4)},
    {"running sum of f64, rows", "scan_rows.cu", F64 EXACT_SUM SCAN_ROWS(7, 4, 0)},
    {"running max of i8, rows across", "scan_rows.cu", I8 FOLD(VALUE, MAXIMUM) ACROSS(3, 6, 1)},
    {"any of f32, rows", "scan_rows.cu", F32_TO_BOOL FOLD(NONZERO, OR) ACROSS(7, 6, 0)},
    {"running sum of i32, rows apart", "scan_rows.cu", I32 FOLD(VALUE, ADD) APART(3, 6, 0, 8, 0)},
    {"running max of i8, rows apart", "scan_rows.cu", I8 FOLD(VALUE, MAXIMUM) APART(3, 5, 1, 1, 0)},
    {"running sum of f32, rows apart", "scan_rows.cu", F32 EXACT_SUM APART(7, 4, 0, 16, 16)},
    {"running max of f32, many columns", "scan_columns.cu", F32 FOLD(VALUE, MAXIMUM) WALK(4, 1, 8)},
    {"running sum of i32, many columns", "scan_columns.cu", I32 FOLD(VALUE, ADD) WALK(2, 0, 8)},
    {"running sum of f32, many columns", "scan_columns.cu", F32 EXACT_SUM WALK(2, 0, 4)},
    {"running sum of f64, many columns", "scan_columns.cu", CARRY F64 EXACT_SUM WALK(1, 0, 4)},
    {"running max of f32, columns", "scan_columns.cu", F32 FOLD(VALUE, MAXIMUM) CHUNKS(32, 1, 27, 9, 1, 1, 1, 0)},
    {"running max of f32, 3 columns", "scan_columns.cu", F32 FOLD(VALUE, MAXIMUM) CHUNKS(3, 1, 27, 9, 1, 8, 1, 1)},
    {"running sum of i32, columns", "scan_columns.cu", I32 FOLD(VALUE, ADD) CHUNKS(32, 1, 15, 5, 1, 1, 0, 0)},
    {"running sum of f32, columns", "scan_columns.cu", F32 EXACT_SUM CHUNKS(32, 1, 27, 9, 1, 1, 0, 0)},
    {"running sum of f16, columns", "scan_columns.cu", F16 EXACT_SUM CHUNKS(64, 2, 20, 5, 2, 1, 0, 0)},
    {"running sum of f64, columns", "scan_columns.cu", F64 EXACT_SUM CHUNKS(32, 1, 12, 6, 1, 1, 0, 0)},
    {"running max of f32, columns apart", "scan_columns.cu",
     F32 FOLD(VALUE, MAXIMUM) SKEWED(32, 1, 27, 9, 1, 1, 4, 140, 140, 0)},
    {"running max of i8, columns", "scan_columns.cu", I8 FOLD(VALUE, MAXIMUM) PACKED(128, 4, 27, 9, 1, 0)},
    {"running max of f16, columns", "scan_columns.cu", F16 FOLD(VALUE, MAXIMUM) PACKED(64, 2, 27, 9, 1, 0)},
    {"running sum of i32, columns apart", "scan_columns.cu",
     I32 FOLD(VALUE, ADD) SKEWED(32, 1, 15, 5, 1, 0, 4, 140, 280, 1)},
    {"running sum of f32, columns apart", "scan_columns.cu", F32 EXACT_SUM SKEWED(32, 1, 20, 5, 1, 0, 4, 140, 140, 0)},
    {"running sum of f16, columns apart", "scan_columns.cu", F16 EXACT_SUM SKEWED(64, 2, 20, 5, 2, 0, 2, 142, 142, 0)},
    {"running sum of f64, any numbers", "scan_wide.cu", F64 EXACT_SUM PLAN(1, 1, 2)},
    {"running sum of i32, going on", "scan.cu", CARRY I32 FOLD(VALUE, ADD) STEPS(1, 0, 3)},
    {"running sum of f32, going on", "scan.cu", CARRY F32 EXACT_SUM STEPS(1, 1, 2)},
    {"the same, any numbers", "scan_wide.cu", CARRY F32 EXACT_SUM PLAN(1, 1, 2)},
    {"running prod of f32, going on", "scan_ordered.cu", CARRY F32 FOLD(VALUE, MULTIPLY) STEPS(1, 1, 1)},
    {"sum in KoalaBear, rows", "reduce.cu", KOALABEAR U32 FOLD(VALUE, ADD) PLAN(1, 4, 4)},
    {"sum in Goldilocks, whole", "reduce_whole.cu", GOLDILOCKS U64 FOLD(VALUE, ADD_WIDE) PLAN(1, 4, 4)},
    {"prod in KoalaBear, whole", "reduce_whole.cu", KOALABEAR U32 FOLD(VALUE, MULTIPLY_MODULO) PLAN(1, 4, 4)},
    {"prod in Goldilocks, whole", "reduce_whole.cu", GOLDILOCKS U64 FOLD(VALUE, MULTIPLY_MODULO) PLAN(1, 4, 4)},
    {"dot in Goldilocks, whole", "reduce_whole.cu", GOLDILOCKS U64 FOLD(PRODUCT, ADD_WIDE) PLAN(1, 4, 4)},
    {"running sum in KoalaBear, waves", "scan_wave.cu", KOALABEAR U32 FOLD(VALUE, ADD_MODULO) WAVE(5, 1)},
    {"running prod in Goldilocks, waves", "scan_wave.cu", GOLDILOCKS U64 FOLD(VALUE, MULTIPLY_MODULO) WAVE(5, 1)},
    {"running logsumexp of f64", "scan_ordered.cu", F64 FOLD(VALUE, ADD_POWERS) STEPS(1, 0, 1)},
    {"the chain of its blocks", "scan_chain.cu", F64 FOLD(VALUE, ADD_POWERS) STEPS(1, 0, 1)},
    {"the chain of running prod of f32, going on", "scan_chain.cu", CARRY F32 FOLD(VALUE, MULTIPLY) STEPS(1, 1, 1)},
    {"user's reduction", "user_reduce.cu", USER "USER_TEAM=128\nUSER_THREADS=128\n"},
    {"user's reduction, short rows", "user_reduce.cu", USER "USER_TEAM=4\nUSER_THREADS=128\n"},
    {"user's reduction, contiguous", "user_stream.cu",
     USER "USER_THREADS=256\nUSER_STAGES=3\nUSER_RUN_BYTES=128\nUSER_BLOCKS_AT_ONCE=2\n"},
    {"user's leaves", "user_reduce.cu", USER "USER_TEAM=128\nUSER_THREADS=128\nUSER_LEAVES=1\n"},
    {"user's scan", "user_scan.cu", USER "USER_THREADS=256\nUSER_PASS=0\n"},
    {"user's scan, totals", "user_scan.cu", USER "USER_THREADS=256\nUSER_PASS=1\n"},
    {"user's scan, chain", "user_scan.cu", USER "USER_THREADS=256\nUSER_PASS=2\n"},
    {"user's text", "user_check.cu", USER "USER_THREADS=32\n"},
    {"user's scan, waves", "user_wave.cu", USER "USER_THREADS=608\n" USER_WAVE(2, 4, 1)},
    {"user's scan, waves of small chunks", "user_wave.cu", USER "USER_THREADS=352\n" USER_WAVE(1, 4, 1)},
    {"user's map", "user_map.cu",
     "USER_INPUT_COUNT=1\nUSER_INPUT_BYTES_0=4\nUSER_RESULT=f32\nUSER_RESULT_BYTES=4\nUSER_LOOPS=2\nUSER_THREADS="
     "256\n"},
    {"sum of f32, two axes", "reduce.cu", F32 EXACT_SUM NEST(1, 8, 2)},
    {"sum of f32, two axes, columns", "reduce_tall.cu", F32 EXACT_SUM STRIP(2, 2) TALL(1)},
    {"max of i8, two axes, tiles", "reduce_tall.cu", I8 FOLD(VALUE, MAXIMUM) STRIP(2, 2) TALL(0)},
    {"sum of f16, columns of 127", "reduce_tall.cu", F16 EXACT_SUM STRIP(0, 3) TALL(0) "UNIT_BYTES=8\n"},
    {"sum of f32, columns of 127", "reduce_tall.cu", F32 EXACT_SUM STRIP(0, 4) TALL(0) "UNIT_BYTES=4\nROW_BUNDLES=1\n"},
    {"sum of i8, columns of 127", "reduce_tall.cu", I8 FOLD(VALUE, ADD) STRIP(0, 3) TALL(0) "UNIT_BYTES=8\n"},
    {"sum of f32, columns fetched", "reduce_tall.cu", F32 EXACT_SUM FETCHED(1, 8, 101376, 0)},
    {"sum of f16, columns fetched", "reduce_tall.cu", F16 EXACT_SUM FETCHED(2, 4, 50688, 1)},
    {"max of i8, columns fetched", "reduce_tall.cu", I8 FOLD(VALUE, MAXIMUM) FETCHED(2, 8, 101376, 1)},
    {"sum of f16, two axes, units", "reduce_tall.cu", F16 EXACT_SUM STRIP(2, 3) TALL(0) "UNIT_BYTES=8\n"},
    {"sum of f64, two axes, units", "reduce_tall.cu", F64 EXACT_SUM STRIP(2, 3) TALL(0) "UNIT_BYTES=8\n"},
    {"sum of f64, two axes, runs", "reduce_long.cu",
     F64 EXACT_SUM STRIP(2, 2) "ONE_COLUMN=1\nTEAM=32\nLANES=8\nRUNS=1\nWHOLE_RUNS=0\n"},
    {"sum of f32, two axes, runs", "reduce_long.cu",
     F32 EXACT_SUM STRIP(2, 2) "ONE_COLUMN=1\nTEAM=256\nLANES=8\nRUNS=2\nWHOLE_RUNS=1\n"},
    {"sum of f32, long rows", "reduce_long.cu", F32 EXACT_SUM STRIP(0, 2) "ONE_COLUMN=1\nTEAM=32\n"},
    {"max of i8, two outer axes", "reduce.cu", I8 FOLD(VALUE, MAXIMUM) NEST(0, 32, 4)},
};

/* Old, usual, ours and new, of those that the compiler knows. Each kernel is compiled for the first and the third, and
 * for one of the others: it takes its time. */
enum { ARCHITECTURES = 4 };
static const int architectures[ARCHITECTURES] = {75, 80, 90, 120};

/* The largest number that stands before a text in the log. */
static int largest_before(const char *log, const char *text)
{
    int largest = 0;
    for (const char *at = log; at && (at = strstr(at, text)) != NULL; at++) {
        const char *digit = at;
        while (digit > log && digit[-1] >= '0' && digit[-1] <= '9') digit--;
        int number = atoi(digit);
        largest = number > largest ? number : largest;
    }
    return largest;
}

/* Only some of the kernels for each architecture, unless all are wanted; GPUs have clusters from 9.0 on. */
static int is_chosen(size_t k, size_t a, int all)
{
    if (strstr(kernels[k].definitions, "BLOCKS_TOGETHER")) return all ? architectures[a] >= 90 : architectures[a] == 90;
    return all || k % ARCHITECTURES == a;
}

static void compile(const struct sources *sources, size_t k, int architecture)
{
    struct nvrtc_request request = {.file = sources_find(sources, kernels[k].file),
                                    .headers = sources->files,
                                    .header_count = sources->count,
                                    .definitions = kernels[k].definitions,
                                    .architecture = architecture,
                                    .reports = 1};
    void *cubin = NULL;
    size_t size = 0;
    char *log = NULL;
    test.section = kernels[k].name;
    if (!CHECK(request.file != NULL)) return;
    if (CHECK_EQUAL_I64(nvrtc_compile(&request, &cubin, &size, &log), TALLY_OK)) {
        CHECK(largest_before(log, " registers") > 0);
        printf("%-32s sm_%-4d %4d registers, %4d bytes spilled\n", kernels[k].name, architecture,
               largest_before(log, " registers"), largest_before(log, " bytes spill stores"));
    } else {
        fprintf(stderr, "    sm_%d: %s\n", architecture, tally_last_error());
    }
    free(cubin);
    free(log);
}

int main(void)
{
    const int all = getenv("TALLY_TEST_ALL_KERNELS") != NULL;
    struct sources sources;
    if (nvrtc_load() != TALLY_OK) return test_left_out("inside_kernel_code", tally_last_error());
    CHECK_EQUAL_I64(sources_open(&sources), TALLY_OK);
    for (size_t a = 0; a < ARCHITECTURES; a++) {
        int known = 0;
        if (nvrtc_architecture(architectures[a], &known) != TALLY_OK || known != architectures[a]) continue;
        for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
            if (is_chosen(k, a, all) && test_in_part((int64_t)k)) compile(&sources, k, architectures[a]);
        }
    }
    sources_close(&sources);
    return test_finish("inside_kernel_code");
}
