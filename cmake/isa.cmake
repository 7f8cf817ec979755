# SPDX-License-Identifier: MIT
#
# Instruction sets of the CPU engine. Each src/cpu/kernels*.c is compiled once per row with -DISA=<name> and the row's
# flags. All other files of src/ see -DHAVE_ISA_<name>=1 for the rows that were compiled in; src/cpu/isa.c has the
# matching row that says when to use them.

# tally_isa(<name> <processors> <flags>)
set(TALLY_ISAS "")
function(tally_isa name processors flags)
    if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "${processors}" OR (TALLY_ONLY_ISA AND NOT name IN_LIST TALLY_ONLY_ISA))
        return()
    endif()
    if(flags)
        check_c_compiler_flag("${flags}" TALLY_FLAGS_${name})
        if(NOT TALLY_FLAGS_${name})
            message(STATUS "Instruction set ${name}: left out, the compiler does not know its flags")
            return()
        endif()
    endif()
    separate_arguments(flags UNIX_COMMAND "${flags}")
    set(TALLY_ISA_FLAGS_${name} "${flags}" PARENT_SCOPE)
    set(TALLY_ISAS ${TALLY_ISAS} ${name} PARENT_SCOPE)
endfunction()

set(x86 "^(x86_64|AMD64|amd64)$")
# Exactly the features that src/cpu/isa.c asks the processor for, and no more.
#         name   processors  flags
tally_isa(base   ".*"        "")
tally_isa(avx2   "${x86}"    "-mavx2 -mfma")
tally_isa(avx512 "${x86}"    "-mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mprefer-vector-width=512")

message(STATUS "Instruction sets: ${TALLY_ISAS}")
