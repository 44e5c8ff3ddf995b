/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The same bytes on every machine: what dct-8x8 makes of pictures of random
 * samples, and its counters, as a number against one that was recorded. What
 * they should be is the differential's business; this is for processors and
 * compilers that nobody has compared with each other, as the definition does
 * not settle dct-8x8 to the bit. */
#include <glib.h>
#include <stdlib.h>
#include "run.h"

/* By depth: 8, 10 and 12 bits. */
static const guint64 recorded[] = {
  0xa85ad5a9101b14bc, 0x31f9029d1e1dc580, 0x8040306ad2d24424
};

/* FNV-1a, of 64 bits, over the bytes of numbers, low ones first. */
static guint64
add_number (guint64 sum, guint64 number)
{
  for (int i = 0; i < 64; i += 8)
    sum = (sum ^ (number >> i & 255)) * G_GUINT64_CONSTANT (0x100000001b3);
  return sum;
}

static guint64
add_frame (guint64 sum, const SceneFrame * f, const Output * output)
{
  const BdctStats *stats = (const BdctStats *) output->bytes[STATISTICS];

  g_assert_cmpstr (output->error.message, ==, "");
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    size_t n = 0;
    int *samples = picture_samples (&f->dst, output->bytes[PICTURE], c, &n);

    sum = add_number (sum, stats->component[c].sse);
    sum = add_number (sum, stats->component[c].nonzero);
    for (size_t i = 0; i < n; i++)
      sum = add_number (sum, samples[i]);
    free (samples);
  }
  return sum;
}

static void
test_bytes (void)
{
  BdctEngine *engine = bdct_engine_new (BDCT_BACKEND_CPU, NULL, NULL);

  for (guint d = 0; d < G_N_ELEMENTS (recorded); d++) {
    guint64 sum = G_GUINT64_CONSTANT (0xcbf29ce484222325);

    for (int chroma = 0; chroma < 5; chroma++) {
      g_autofree char *text = g_strdup_printf ("width=150 height=77 chroma=%d "
          "depth=%u / transform=1 content=2 / transform=1 content=1 quality=97",
          chroma, 8 + 2 * d);
      Outcome outcome;
      BdctError error;
      Scene scene;
      Case c;

      g_assert_true (case_parse (&c, text) && scene_init (&scene, &c, &error));
      run_scene (&scene, engine, BDCT_BACKEND_CPU, &outcome);
      for (int i = 0; i < scene.n_frames; i++)
        sum = add_frame (sum, &scene.frame[i], &outcome.frame[i]);
      outcome_clear (&outcome);
      scene_clear (&scene);
    }
    if (sum != recorded[d])
      g_test_fail_printf ("depth %u is 0x%016" G_GINT64_MODIFIER "x", 8 + 2 * d,
          sum);
  }
  bdct_engine_free (engine);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bytes", test_bytes);
  return g_test_run ();
}
