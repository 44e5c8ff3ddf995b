/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The quadtree's kernels, compiled to run without a GPU. */
#include "cuda/kernels/quadtree.cu"
