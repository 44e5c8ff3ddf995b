/* blockdct fuzzer: bytes into what parses them. Each target-*.c has the
 * function that libFuzzer and AFL++ (afl-clang-fast -fsanitize=fuzzer) call;
 * driver.c calls it where there is neither.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_FUZZ_TARGET_H
#define TESTS_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

/* An element, the same each time: playing on the CPU in a harness. The first
 * call starts GStreamer. What GLib then warns of ends the program, unless
 * `quiet`: GStreamer's parsers may say what they think of nonsense. */
typedef struct
{
  GstElement *element;
  GstHarness *harness;
  gboolean quiet;
} Target;

Target *target_get (const gchar * factory);

/* Whether GStreamer reads text as a value of this type. Its parsers lose
 * memory over what they refuse, which does not count here: ask before reading
 * it. */
gboolean target_can_read (GType type, const gchar * text);

/* Push a frame of these caps and content. */
GstFlowReturn target_push (Target * target, const GstVideoInfo * info,
    guint8 content);

/* Set caps, with the events ahead of them; FALSE if they are refused. */
gboolean target_set_caps (Target * target, GstCaps * caps);

#endif
