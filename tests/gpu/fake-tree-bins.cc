/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernels of trees' bits, compiled to run without a GPU. */
#include "cuda/kernels/tree-bins.cu"
