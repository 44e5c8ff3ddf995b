/* blockdct tests: frames of hevc-quadtree, and what they have to become, by the
 * definitions of the fixed transforms and a plain search, in 64 bits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_QUADTREE_SCENE_H
#define TESTS_QUADTREE_SCENE_H

#include "dct/rd/quadtree.h"
#include "frame.h"

typedef struct {
  Format format;
  int depth, width, height;
  Content content;
  int min_block, max_block, qp;
  double lambda_scale;
  BdctScalingList list;
  gboolean mapped;
} Case;

#define N_SETS 3

/* A component in blocks of one size: what the definitions make of it. */
typedef struct {
  int log2_size, columns, rows;
  int *out, *levels;            /* as ref_plane() and ref_levels() leave them */
} Fixed;

typedef struct {
  const Case *c;
  BdctLayout layout;
  BdctParams params[N_SETS];
  BdctJob quantizers[N_SETS];
  int n_quantizers;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  gsize n_blocks;
  guint8 *map;                  /* NULL without sets */
  Picture source;
  Frame src;
  BdctCabacCosts costs;
  /* By set, log2 of luma's side less 2, component. */
  Fixed fixed[N_SETS][4][BDCT_MAX_COMPONENTS];
  /* What is expected. */
  guint8 *sizes;
  Picture picture;
  BdctStats stats;
} Scene;

void quadtree_scene_init (Scene *s, const Case *c, guint32 seed);
void quadtree_scene_clear (Scene *s);

/* Find the best trees, and what the frame becomes with them. */
void quadtree_expect (Scene *s);

#endif
