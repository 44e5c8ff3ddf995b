/* blockdct tests: a case of the differential on an engine, and what comes out.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_DIFFERENTIAL_RUN_H
#define TESTS_DIFFERENTIAL_RUN_H

#include "scene.h"

enum { PICTURE, LEVEL_BYTES, RECORD_BYTES, SIZE_BYTES, STATISTICS, STACK_SSE,
  STACK_BITS, N_OUTPUTS
};

/* What a frame leaves; no bytes where nothing is asked for. */
typedef struct {
  BdctError error;              /* "": none */
  uint8_t *bytes[N_OUTPUTS];
  size_t size[N_OUTPUTS];
} Output;

typedef struct {
  BdctError error;              /* of the layout or of jobs */
  Output frame[MAX_FRAMES];
} Outcome;

/* Levels for frames that begin with them: those that an engine makes of the
 * frame, or such with some changed, within what an encoder may write. */
void scene_make_levels (Scene *scene, BdctEngine *engine);

/* Run a case; `outcome` is the caller's, with outcome_clear(). */
void run_scene (const Scene *scene, BdctEngine *engine, BdctBackend backend,
    Outcome *outcome);
void outcome_clear (Outcome *outcome);

/* How dct-8x8 of tensor cores, which rounds otherwise, differs. */
typedef struct {
  uint64_t samples, other, far; /* other: by more than nothing; far: than 1 */
} Roundings;

/* Whether two outcomes are the same; if not, `text` says where they first
 * differ. With `roundings`, pictures of dct-8x8 and what follows from them may
 * differ, are counted there, and become a's in `b`. */
#define DIFFERENCE_TEXT 1024
bool outcome_equal (const Scene *scene, const Outcome *a, Outcome *b,
    Roundings *roundings, char text[DIFFERENCE_TEXT]);

#endif
