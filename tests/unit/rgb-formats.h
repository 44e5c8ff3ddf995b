/* blockdct tests: the formats of R, G and B of the contract, written down apart
 * from the element's own table.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_RGB_FORMATS_H
#define TESTS_RGB_FORMATS_H

#include "dct/base/layout.h"

static const struct
{
  const char *name;
  BdctRgb rgb;
} rgb_formats[] = {
  {"RGB", {1, 3, {0, 0, 0}, {0, 1, 2}}},
  {"BGR", {1, 3, {0, 0, 0}, {2, 1, 0}}},
  {"RGBx", {1, 4, {0, 0, 0}, {0, 1, 2}}},
  {"BGRx", {1, 4, {0, 0, 0}, {2, 1, 0}}},
  {"xRGB", {1, 4, {0, 0, 0}, {1, 2, 3}}},
  {"xBGR", {1, 4, {0, 0, 0}, {3, 2, 1}}},
  {"RGBA", {1, 4, {0, 0, 0}, {0, 1, 2}}},
  {"BGRA", {1, 4, {0, 0, 0}, {2, 1, 0}}},
  {"ARGB", {1, 4, {0, 0, 0}, {1, 2, 3}}},
  {"ABGR", {1, 4, {0, 0, 0}, {3, 2, 1}}},
  {"GBR", {3, 1, {2, 0, 1}, {0, 0, 0}}},
};

#endif
