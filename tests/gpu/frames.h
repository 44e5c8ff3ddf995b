/* blockdct GPU tests: the frames that the engines are compared on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_GPU_FRAMES_H
#define TESTS_GPU_FRAMES_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>
#include "dct/engine/engine.h"

#define N_FORMATS 32
#define N_SIZES 23

typedef struct {
  const char *name;
  int depth, shift;
  BdctChromaFormat chroma;
  int interleave;               /* of the chroma plane */
  BdctComponent first;          /* of that plane */
  bool quick;
  BdctRgb rgb;                  /* of R, G and B; else 0 */
} Format;

extern const Format formats[N_FORMATS];

typedef struct {
  int width, height, variants;  /* variants: of the parameters; 0 = all */
  bool quick;
} Size;

extern const Size sizes[N_SIZES];

#define N_PLACES 6

/* Where planes lie: first sample's offset, spare samples behind each row, and
 * which image runs upwards. REPEAT: every row of the source is one and the
 * same. */
typedef struct {
  int offset, spare;
  bool up_src, up_dst, repeat;
} Place;

extern const Place places[N_PLACES];

typedef enum { RANDOM, SMOOTH, CHECKER, EXTREME, N_CONTENTS } Content;

/* What a program ends with, and the seed of its random numbers. */
extern int passed, failed;
extern uint64_t seed;

uint64_t next_random (void);

/* End the program unless a call of the runtime has succeeded. */
void must (cudaError_t err, const char *what);

void init_layout (BdctLayout * layout, const Format * f, int width,
    int height);

/* Lay an image's planes out from `base` on; returns the end. */
uint8_t *place_image (BdctImage * image, const BdctLayout * layout,
    uint8_t * base, const Place * place, bool up, bool repeat);

/* The same places in another buffer. */
BdctImage move_image (const BdctImage * image, const BdctLayout * layout,
    const uint8_t * from, uint8_t * to, BdctMemory memory);

/* Sample x, of all components together, of row y of plane p; not of R, G and
 * B. */
int get (const BdctLayout * layout, const BdctImage * image, int p, int x,
    int y);
void put (const BdctLayout * layout, const BdctImage * image, int p, int x,
    int y, int v);

/* Fill an image of host memory; random contents of two values are EXTREME,
 * those of all bits the caller's. */
void draw (const BdctLayout * layout, const BdctImage * image,
    Content content);

#endif
