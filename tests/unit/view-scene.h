/* blockdct tests: a frame with all that a view may show of it, or two pictures,
 * and what it has to show by docs/reference/views.md: computed here in another
 * way from the original, the engine's own reconstruction and the levels of
 * reference.c.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_VIEW_SCENE_H
#define TESTS_VIEW_SCENE_H

#include "case.h"
#include "dct/picture/view.h"

#define VIEW_SETS 3

/* The delta-QPs of the quantizers, for the map; the quantizers are the same,
 * so that the picture is that of one. */
extern const double view_deltas[VIEW_SETS];

typedef struct {
  const Case *c;
  BdctView view;
  BdctLayout layout;
  Picture source, rec;          /* or the left and the right one, ... */
  gboolean two;                 /* ... where a view is of these */
  int *levels[BDCT_MAX_COMPONENTS];     /* of whole blocks */
  int size[BDCT_MAX_COMPONENTS], height[BDCT_MAX_COMPONENTS];   /* of blocks */
  double *value;                /* a map's, of each block of luma */
  double *most;                 /* and what it may be up to */
  guint8 *set;                  /* of each block; NULL: the first for all */
} Scene;

void view_scene_init (Scene *s, const Case *c);
void view_scene_clear (Scene *s);

/* Give every block one of the quantizers. */
void view_scene_divide (Scene *s);

/* Have an engine make a view of the source. */
void view_run (BdctEngine *engine, const Scene *s, const BdctView *view,
    unsigned metrics, const Frame *src, const Frame *dst, BdctStats *stats);

/* Have it make `s->rec`, with one set for all blocks. */
void view_reconstruct (BdctEngine *engine, Scene *s, const Frame *src,
    BdctStats *stats);

/* Have it make a view of two pictures; `swaps`: the right one is the
 * reference. */
void view_run_two (BdctEngine *engine, const Scene *s, unsigned metrics,
    gboolean swaps, const Frame *left, const Frame *right, const Frame *dst,
    BdctStats *stats);

/* A sample, which has to be there, and a level. */
int picture_at (const Picture *p, int k, int x, int y);
int view_level_at (const Scene *s, int k, int x, int y);

/* Find what the map of `s->view` shows, once for all its positions. */
void view_measure (Scene *s);

/* Whether `v` is the colour of one of the values from `value` to `most`; where
 * one is within a hair of the next colour, either. */
gboolean view_is_colour (const Scene *s, int k, double value, double most,
    int v);

/* Compare a view with what it has to be; nothing beside its samples may have
 * been written. */
gboolean view_check (const Scene *s, const BdctEngine *engine,
    const Frame *dst);

#endif
