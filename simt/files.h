/* SPDX-License-Identifier: MIT
 *
 * files.h - the headers of this folder that kernels include, embedded at build time: users compile kernels. */
#ifndef TALLY_SIMT_FILES_H
#define TALLY_SIMT_FILES_H

/* As machine.h has it; NULL at the end. */
struct embedded_file;
extern const struct embedded_file simt_files[];

#endif
