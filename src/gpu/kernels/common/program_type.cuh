/* SPDX-License-Identifier: MIT
 *
 * program_type.cuh - EACH_TYPE_TEMPLATE of program.cuh: the element, then its picked fold programs. No include guard.
 */
#include "fold_load.h"
typedef STORAGE TYPE_NAME(storage);
#include "fold.h"
