/* blockdct tests: a case of the differential, as whole numbers with names.
 *
 * All that a case does follows from them: the same text is the same case, and
 * what is as simple as it can be is not in the text.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_DIFFERENTIAL_CASE_H
#define TESTS_DIFFERENTIAL_CASE_H

#include <blockdct/blockdct.h>
#include <stdio.h>

#define MAX_FRAMES 6

/* What frames of a case have in common: X (field, name, simplest value, least,
 * greatest, per cent of cases where it is drawn instead of the simplest). */
#define COMMON_FIELDS(X)                                                      \
  X (WIDTH, "width", 1, 1, 4096, 100)                                         \
  X (HEIGHT, "height", 1, 1, 4096, 100)                                       \
  X (CHROMA, "chroma", 0, 0, 4, 90)                                           \
  X (DEPTH, "depth", 8, 8, 12, 35)                                            \
  X (SHIFT, "shift", 0, 0, 8, 30)                                             \
  X (PAIRS, "pairs", 0, 0, 1, 50)         /* U V U V ..., as NV12 */          \
  X (SWAPPED, "swapped", 0, 0, 1, 40)     /* V before U */                    \
  X (RGB, "rgb", 0, 0, 7, 25)             /* a row of `rgb_layouts` */        \
  X (STACK, "stack", 0, 0, 6, 30)         /* pictures, of R, G and B */       \
  X (IN_FLIGHT, "in-flight", 1, 1, MAX_FRAMES, 60)                            \
  X (DEEPER, "deeper", 0, 0, BDCT_MAX_DEPTH - MAX_FRAMES, 0) /* in flight */  \
  X (AGAIN, "again", 0, 0, 999, 0)        /* times, all frames */

/* And each frame or comparison of its own. */
#define FRAME_FIELDS(X)                                                       \
  X (COMPARE, "compare", 0, 0, 1, 30)                                         \
  X (CONTENT, "content", 0, 0, 9, 100)                                        \
  X (SEED, "seed", 0, 0, 99999, 100)                                          \
  X (SAME_SOURCE, "same-source", 0, 0, 1, 30) /* that of the frame before */  \
  X (SRC_OFFSET, "src-offset", 0, 0, 7, 30)                                   \
  X (SRC_SPARE, "src-spare", 0, 0, 70, 40)                                    \
  X (SRC_UP, "src-up", 0, 0, 1, 15)                                           \
  X (SRC_MEMORY, "src-memory", 0, 0, 2, 60)                                   \
  X (DST_OFFSET, "dst-offset", 0, 0, 7, 30)                                   \
  X (DST_SPARE, "dst-spare", 0, 0, 70, 40)                                    \
  X (DST_UP, "dst-up", 0, 0, 1, 15)                                           \
  X (DST_MEMORY, "dst-memory", 0, 0, 2, 60)                                   \
  X (TRANSFORM, "transform", 0, 0, BDCT_N_TRANSFORMS - 1, 100)                \
  X (QUALITY, "quality", 85, 1, 100, 100)                                     \
  X (QP, "qp", 26, 0, 51, 100)                                                \
  X (CHROMA_QP, "chroma-qp-offset", 0, -12, 12, 40)                           \
  X (MIN_BLOCK, "min-block", 2, 2, 5, 40) /* log2 */                          \
  X (MAX_BLOCK, "max-block", 5, 2, 5, 40)                                     \
  X (LAMBDA, "lambda", 0, 0, 4, 30)       /* of `lambda_scales` */            \
  X (DEADZONE, "deadzone", 100, 0, 100, 40) /* per cent of its range */       \
  X (SCALING, "scaling-list", 0, 0, BDCT_N_SCALING_LISTS - 1, 40)             \
  X (BASELINE, "baseline", 1, 0, 1, 25)                                       \
  X (PRESET, "preset", 0, 0, BDCT_N_PRESETS - 1, 30)                          \
  X (STEPS, "steps", 0, 0, 2, 25)         /* times 64 */                      \
  X (TABLES, "tables", 0, 0, 2, 20)                                           \
  X (SCALE_TABLES, "scale-tables", 0, 0, 1, 50)                               \
  X (STEP_BITS, "step-bits", 8, 1, 15, 50)                                    \
  X (QUANTIZERS, "quantizers", 1, 1, BDCT_MAX_QUANTIZERS, 35)                 \
  X (MAP, "map", 0, 0, 2, 85)             /* each block alone; rectangles */  \
  X (BITS, "bits", 0, 0, 1, 50)                                               \
  X (RECORDS, "records", 0, 0, 1, 40)                                         \
  X (SIZES, "sizes", 0, 0, 1, 60)                                             \
  X (LEVELS, "levels", 0, 0, 1, 40)                                           \
  X (FROM_LEVELS, "from-levels", 0, 0, 3, 30) /* a frame's; changed; any */    \
  X (LEVELS_MEMORY, "levels-memory", 0, 0, 2, 60)                             \
  X (NO_SRC, "no-src", 0, 0, 1, 30)       /* where there are levels */        \
  X (NO_DST, "no-dst", 0, 0, 1, 10)                                           \
  X (METRICS, "metrics", 0, 0, 15, 35)                                        \
  X (RATE, "rate", 25, 1, 240, 30)                                            \
  X (SKIP, "skip", 0, 0, 2, 20)           /* frames before this one */        \
  X (VIEW, "view", 0, 0, 8, 50)                                               \
  X (FULL_RANGE, "full-range", 0, 0, 1, 30)                                   \
  X (BARE, "bare", 0, 0, 1, 30)                                               \
  X (GRID, "grid", 0, 0, 1, 30)                                               \
  X (SECOND, "second", 0, 0, 1, 50)                                           \
  X (POSITION, "position", 50, 0, 100, 60)                                    \
  X (GAIN, "gain", 40, 0, 640, 60)        /* tenths */                        \
  X (ZOOM, "zoom", 256, 256, 4096, 40)                                        \
  X (ZOOM_X, "zoom-x", 50, 0, 100, 60)                                        \
  X (ZOOM_Y, "zoom-y", 50, 0, 100, 60)                                        \
  X (DISTORTED, "distorted", 1, 1, BDCT_MAX_DISTORTED, 60)                    \
  X (DISTORTION, "distortion", 0, 0, 3, 100)                                  \
  X (MATES, "mates", 0, 0, 15, 40)        /* in layouts of their own: bits */ \
  X (ERRORS, "errors", 1, 0, 1, 15)                                           \
  X (LEFT, "left", -1, -1, 2, 60)                                             \
  X (RIGHT, "right", 0, -1, 2, 60)

#define ENUMERATE(field, ...) field,
enum { COMMON_FIELDS (ENUMERATE) N_COMMON };
enum { FRAME_FIELDS (ENUMERATE) N_FRAME };
#undef ENUMERATE

typedef struct {
  int common[N_COMMON];
  int n_frames;
  int frame[MAX_FRAMES][N_FRAME];
} Case;

/* Random numbers: splitmix64. Each sample takes some. */
static inline uint64_t
random_next (uint64_t *state)
{
  uint64_t z = *state += 0x9e3779b97f4a7c15u;

  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

int random_below (uint64_t *state, int n);
bool random_chance (uint64_t *state, int per_cent);

/* Draw case `number` of a seed. */
void case_draw (Case *c, uint64_t seed, unsigned number);

/* Write it as text, and read that; what is wrong with it is said on stderr. */
#define CASE_TEXT 8192
void case_print (const Case *c, char text[CASE_TEXT]);
bool case_parse (Case *c, const char *text);

/* Set `to` to the n-th way to make the case simpler, from 0 on; false after
 * the last. Ways that change nothing are left out. */
bool case_simplify (const Case *c, unsigned *n, Case *to);

#endif
