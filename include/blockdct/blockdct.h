/** @mainpage
 * libblockdct: block transforms and quantizers on the CPU and the GPU, and the
 * comparison of pictures.
 *
 * A program calls bdct_layout_init(), bdct_jobs_new(), bdct_engine_new(),
 * bdct_engine_configure(), bdct_engine_submit() and bdct_engine_collect() in
 * this order, and at the end bdct_engine_free() and bdct_jobs_free().
 *
 * Initialize a struct that begins with `size` as `BdctFrame f = {.size = sizeof
 * f};` or with its _DEFAULT; bdct_layout_init() and bdct_params_init() do so,
 * too. In other languages, zero the others and set `size`.
 * Functions refuse a size of another version. Structs without `size` do not
 * grow. They also refuse NULL, unless it is said to be allowed, and values
 * outside an enumeration: with an error, or by returning false, 0, NULL or "",
 * or by doing nothing.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BLOCKDCT_BLOCKDCT_H
#define BLOCKDCT_BLOCKDCT_H

#include <blockdct/jpeg.h>

#endif
