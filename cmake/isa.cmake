# SPDX-License-Identifier: MIT
#
# Instruction sets of the CPU engine. Each src/cpu/kernels*.c is compiled once per row with -DISA=<name> and the row's
# flags. All other files of src/ see -DHAVE_ISA_<name>=1 for the rows that were compiled in; src/cpu/isa.c has the
# matching row that says when to use them.

# tally_isa(<name> <processors> <flags> <flags for compilers that do not know the first ones>)
set(TALLY_ISAS "")
function(tally_isa name processors flags older_flags)
    if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "${processors}" OR (TALLY_ONLY_ISA AND NOT name IN_LIST TALLY_ONLY_ISA))
        return()
    endif()
    if(flags)
        check_c_compiler_flag("${flags}" TALLY_FLAGS_${name})
        if(NOT TALLY_FLAGS_${name})
            set(flags "${older_flags}")
            check_c_compiler_flag("${flags}" TALLY_OLDER_FLAGS_${name})
            if(NOT TALLY_OLDER_FLAGS_${name})
                message(STATUS "Instruction set ${name}: left out, the compiler knows neither spelling of its flags")
                return()
            endif()
        endif()
    endif()
    separate_arguments(flags UNIX_COMMAND "${flags}")
    set(TALLY_ISA_FLAGS_${name} "${flags}" PARENT_SCOPE)
    set(TALLY_ISAS ${TALLY_ISAS} ${name} PARENT_SCOPE)
endfunction()

set(x86 "^(x86_64|AMD64|amd64)$")
#         name   processors  flags                                          flags for older compilers
tally_isa(base   ".*"        ""                                             "")
tally_isa(avx2   "${x86}"    "-march=x86-64-v3"                             "-mavx2 -mfma -mf16c -mbmi -mbmi2 -mlzcnt")
tally_isa(avx512 "${x86}"    "-march=x86-64-v4 -mprefer-vector-width=512"   "-mavx512f -mavx512bw -mavx512cd -mavx512dq -mavx512vl -mfma -mf16c -mbmi -mbmi2 -mlzcnt")

message(STATUS "Instruction sets: ${TALLY_ISAS}")
