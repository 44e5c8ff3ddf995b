/* blockdct tests: what a case of the differential is about: layouts, jobs,
 * pictures, maps, views and levels.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_DIFFERENTIAL_SCENE_H
#define TESTS_DIFFERENTIAL_SCENE_H

#include "picture.h"

/* Of the reference and the distorted ones. */
#define MAX_PICTURES (1 + BDCT_MAX_DISTORTED)

/* A frame or a comparison. The images, records, sizes and levels that an engine
 * works on are to be filled in (run.c). */
typedef struct {
  const int *value;             /* of the case */
  bool compares;
  BdctFrame frame;
  BdctComparison comparison;
  BdctJobInfo info;
  BdctView view;
  Picture picture[MAX_PICTURES], dst; /* of a frame, the first picture */
  const Picture *source;        /* a frame's: its own, or that of the one
                                   before; NULL: none */
  BdctParams *params;           /* of the quantizers */
  BdctJob *quantizers;
  uint8_t *map;
  int16_t *levels;              /* those that it begins with; else NULL */
  uint8_t *sizes;
} SceneFrame;

typedef struct {
  Case c;
  BdctLayout layout;
  int n_frames;
  SceneFrame frame[MAX_FRAMES];
} Scene;

/* Set up what does not need an engine. What the library refuses here, no
 * engine gets to see: false, with the error. */
bool scene_init (Scene *scene, const Case *c, BdctError *error);
void scene_clear (Scene *scene);

#endif
