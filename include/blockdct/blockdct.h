/* libblockdct: block transforms and quantizers on the CPU and the GPU, and the
 * comparison of pictures.
 *
 * A struct that begins with `size` is zeroed or has its default, and is given
 * its size, by the caller; a size of another version is refused.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BLOCKDCT_BLOCKDCT_H
#define BLOCKDCT_BLOCKDCT_H

#include <blockdct/engine.h>

#endif
