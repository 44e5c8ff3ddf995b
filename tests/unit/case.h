/* blockdct tests: one way to combine what a frame may be.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_CASE_H
#define TESTS_CASE_H

#include "frame.h"

typedef struct {
  BdctParams params;
  Format format;
  int depth, shift, width, height;
  Stride stride;
  Content content;
} Case;

#endif
