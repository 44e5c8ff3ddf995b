/* blockdct tests: R, G and B as planes and back, by the definition that
 * docs/reference/formats.md names: JFIF's (T.871) as libjpeg rounds it.
 * Written from libjpeg (jccolor.c, jcsample.c, jdsample.c, jdcolor.c), a pixel
 * at a time and with products of 32 bits, and not from dct/.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_REFERENCE_COLOUR_H
#define TESTS_REFERENCE_COLOUR_H

#include "reference.h"

/* The byte of an image of R, G and B (`k` 0 to 2), or the fourth byte of a
 * pixel that has one (3). */
uint8_t *ref_colour_byte (const BdctLayout *layout, const BdctImage *image,
    int x, int y, int k);

/* The sides of a layout's components. */
void ref_picture_sides (const BdctLayout *layout, RefPicture *picture);

/* The planes that an image of R, G and B stands for, to be freed, with columns
 * behind the last one up to a multiple of `unit`, as libjpeg makes them. */
void ref_colour_split (const BdctLayout *layout, const BdctImage *image,
    int unit, RefPicture *planes);

/* R, G and B of the pixel that planes stand for. */
void ref_colour_join (const BdctLayout *layout, const RefPicture *planes, int x,
    int y, int rgb[3]);

#endif
