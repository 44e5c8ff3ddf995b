/* blockdct tests: R, G and B as planes and back, by the definition that
 * docs/reference/formats.md names: JFIF's (T.871) as libjpeg rounds it.
 * Written from libjpeg (jccolor.c, jcsample.c, jdsample.c, jdcolor.c), a pixel
 * at a time and with products of 32 bits, and not from dct/.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_REFERENCE_COLOUR_H
#define TESTS_REFERENCE_COLOUR_H

#include "frame.h"

/* The byte of an image of R, G and B (`k` 0 to 2), or the fourth byte of a
 * pixel that has one (3). */
guint8 *ref_colour_byte (const BdctLayout *layout, const BdctImage *image,
    int x, int y, int k);

/* The planes that an image of R, G and B stands for; the caller's. */
void ref_colour_split (const BdctLayout *layout, const BdctImage *image,
    Picture *planes);

/* R, G and B of the pixel that planes stand for. */
void ref_colour_join (const BdctLayout *layout, const Picture *planes, int x,
    int y, int rgb[3]);

#endif
