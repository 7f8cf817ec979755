/* SPDX-License-Identifier: MIT
 *
 * fold_type.h - EACH_TYPE_TEMPLATE: a type's element, then its fold programs. No include guard. */
#include "fold_load.h"
#include "fold.h"
