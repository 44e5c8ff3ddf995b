/* blockdct tests: what plain C has to make of a scene, by definitions that are
 * written apart from it (tests/unit/reference*.h).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_DIFFERENTIAL_ORACLE_H
#define TESTS_DIFFERENTIAL_ORACLE_H

#include "run.h"
#include "tests/unit/reference.h"

/* A frame, and what came out. */
typedef struct {
  const SceneFrame *f;
  const BdctLayout *layout;
  const Output *out;
  const BdctStats *stats;
  RefPicture src, made;         /* of dct-8x8 and of YUV the engine's own */
  bool real, exact;             /* dct-8x8; samples are defined to the bit */
  BdctStats expected;
  char *text;
} Oracle;

/* Samples that were compared with the definition. */
extern uint64_t oracle_samples;

/* Whether a frame's output `all`, with all that can be asked for, is as
 * defined, and `own` shows it as the scene's view has it. */
bool oracle_frame (const Scene *scene, int i, const Output *all,
    const SceneFrame *shown, const Output *own, char *text);

/* Whether a comparison's errors of planes of R, G and B, and its view are. */
bool oracle_comparison (const Scene *scene, int i, const Output *own,
    char *text);

/* Say what is wrong; false. */
bool oracle_fail (char *text, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));

/* One block, whose levels these are. */
bool oracle_block (Oracle *o, int c, BdctTransform transform, int set,
    int left, int top, const int16_t *levels, const BdctBlockRecord *record);

/* The block's definition from samples: its levels, samples and errors. */
const RefResult *oracle_define (const Oracle *o, int c,
    BdctTransform transform, int set, int left, int top, int *out,
    uint8_t *slack);

/* The quantizer of the smallest block at a component's (x, y). */
int oracle_set (const Oracle *o, int c, int x, int y);

/* oracle-tree.c: all of a frame of hevc-quadtree. */
bool oracle_tree (Oracle *o);

/* The level at a component's (x, y), by the fixed transforms' order. */
int oracle_level (const Oracle *o, int c, int x, int y);

/* oracle-view.c: what is shown; `o` is NULL for two pictures. */
typedef struct {
  const BdctView *view;
  const BdctLayout *layout;
  const Oracle *o;
  const RefPicture *left, *right;
  int width[BDCT_MAX_COMPONENTS], height[BDCT_MAX_COMPONENTS]; /* of blocks */
  uint8_t *colours;             /* of a map's cells; room for two each */
} Shown;

bool oracle_view (const Shown *shown, const RefPicture *got, char *text);

/* Likewise of R, G and B: `image` shows parts of these two. */
bool oracle_view_rgb (const Shown *shown, const BdctImage images[2],
    const BdctImage *image, char *text);

#endif
