/* blockdct fidelity tests: what a JPEG file's bytes say of its scan.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_FIDELITY_SCAN_H
#define TESTS_FIDELITY_SCAN_H

#include <glib.h>

/* The bytes between SOS and EOI, stuffing left out. */
static inline guint64
jpeg_count_scan (const unsigned char *bytes, unsigned long length)
{
  unsigned long at = 2, n = 0;

  while (bytes[at + 1] != 0xda)
    at += 2 + bytes[at + 2] * 256 + bytes[at + 3];
  at += 2 + bytes[at + 2] * 256 + bytes[at + 3];
  for (; at < length - 2; at++)
    n += bytes[at] != 0 || bytes[at - 1] != 0xff;
  g_assert_cmpuint (bytes[at], ==, 0xff);
  g_assert_cmpuint (bytes[at + 1], ==, 0xd9);
  return n;
}

#endif
