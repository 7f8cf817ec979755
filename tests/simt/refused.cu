/* SPDX-License-Identifier: MIT */
#include "device.cuh"
this is not a kernel
