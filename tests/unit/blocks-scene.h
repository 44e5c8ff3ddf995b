/* blockdct tests: frames with all that may be asked for beside their picture.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_BLOCKS_SCENE_H
#define TESTS_BLOCKS_SCENE_H

#include "case.h"

/* A frame that was run, and what came of it. */
typedef struct {
  Frame dst;
  BdctStats stats;
  BdctBlockRecord *blocks;
} Result;

typedef struct {
  const Case *c;
  BdctLayout layout;
  BdctJob job;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  gsize n_blocks;
  Picture source;
  Frame src;
} Scene;

void scene_init (Scene *s, const Case *c);
void scene_clear (Scene *s);

/* Eight sets from fine to coarse. */
void make_sets (const Scene *s, BdctJob quantizers[BDCT_MAX_QUANTIZERS]);

/* A set for each block, at random, or such that many neighbours have the same.
 * The caller's, with g_free(). */
guint8 *make_map (const Scene *s, gboolean random);

/* Fill in a frame's source, picture and records, and memory for the two. */
void describe (const Scene *s, BdctFrame *frame, gboolean picture,
    gboolean records, Result *result);

/* The same, and have the engine do it. */
void run (const Scene *s, BdctEngine *engine, BdctFrame *frame,
    gboolean picture, gboolean records, Result *result);
void result_clear (Result *result);

#endif
