/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What an engine estimates of whole frames of H.265's transforms against what
 * an encoder written from the standard writes of its levels
 * (residual-coding.h). The frames are cases of the differential; but hills are
 * computed here, and barbara.pgm is taken from the folder that BLOCKDCT_DATA
 * names. */
#include <glib.h>
#include <math.h>
#include <string.h>
#include "residual-coding.h"
#include "tests/differential/run.h"

static BdctEngine *engine;

/* Hills under a sky, before water: regions of unlike roughness with edges
 * between them, each sample near those to the left and above, which have to be
 * the last that were made. */
static int
hills (int c, double x, double y)
{
  static const struct
  {
    double colour[3], relief;
  } regions[] = {
    {{205, 140, 112}, 1}, {{150, 134, 122}, 2}, {{96, 122, 120}, 8},
    {{120, 136, 118}, 3},
  };
  static double above[1024], left, corner;
  const int r = (y > 130 + 40 * sin (x / 90)) + (y > 215 + 30 * cos (x / 50))
      + (y > 310);
  uint64_t state = (int) x << 12 ^ (int) y << 2 ^ c;
  const double noise = regions[r].relief * (random_below (&state, 2001)
      - 1000) / 1000 / (c == 0 ? 1 : 6);

  if (x == 0)
    left = corner = 0;
  left = 0.95 * (left + above[(int) x]) - 0.9025 * corner + noise;
  corner = above[(int) x];
  above[(int) x] = left;
  return CLAMP (regions[r].colour[c] + left, 0, 255);
}

static int
gradient (int c, double x, double y)
{
  return c == 0 ? (int) (x + y) * 255 / 894 : c == 1 ? x / 2 : 255 - (int) y
      / 2;
}

static int
black (int c, double x, double y)
{
  (void) x, (void) y;
  return c == 0 ? 16 : 128;
}

static const guint8 *barbara;

static int
barbara_at (int c, double x, double y)
{
  (void) c;
  return barbara[512 * (int) y + (int) x];
}

/* A picture, and what its estimates may be off by in the mean and at worst, in
 * %. */
static const struct Row
{
  const char *name, *layout, *content;
  int (*sample) (int c, double x, double y); /* in place of the content */
  double mean, worst;
} rows[] = {
  {"hills", "width=640 height=448 chroma=1", "", hills, 0.3, 1},
  {"noise", "width=512 height=384 chroma=3", "content=2", NULL, 8, 8},
  {"gradient", "width=512 height=384 chroma=3", "", gradient, 8, 8},
  {"text", "width=512 height=384 chroma=3", "content=6", NULL, 8, 8},
  {"black", "width=512 height=384 chroma=3", "", black, 8, 8},
  {"Barbara", "width=512 height=512 chroma=0", "", barbara_at, 0.4, 2.5},
};

/* A frame's bits, all and by component. */
typedef struct {
  double truth[4], estimate[4];
} Bits;

static void
fill (const Picture * picture, int (*sample) (int c, double x, double y))
{
  const BdctLayout *layout = &picture->layout;

  for (int c = 0; c < layout->n_planes; c++) {
    const int step = layout->plane[0].width / layout->plane[c].width;

    for (int y = 0; y < layout->plane[c].height; y++)
      for (int x = 0; x < layout->plane[c].width; x++)
        picture->bytes[picture_at (picture, c, y) + x] = sample (c, step * x,
            step * y);
  }
}

/* `drawn`: the picture's bytes, once they are there. */
static void
measure (const struct Row * row, BdctTransform transform, int qp,
    guint8 ** drawn, Bits * bits)
{
  g_autofree char *text = g_strdup_printf ("%s / levels=1 bits=1 transform=%d "
      "qp=%d %s", row->layout, transform, qp, row->content);
  const SceneFrame *f;
  const BdctStats *stats;
  const gint16 *levels;
  ResidualCoder encoder;
  Outcome outcome;
  BdctError error;
  Scene scene;
  Case c;

  g_assert_true (case_parse (&c, text) && scene_init (&scene, &c, &error));
  f = &scene.frame[0];
  if (*drawn != NULL)
    memcpy (f->picture[0].bytes, *drawn, f->picture[0].size);
  else if (row->sample != NULL)
    fill (&f->picture[0], row->sample);
  if (*drawn == NULL)
    *drawn = g_memdup2 (f->picture[0].bytes, f->picture[0].size);
  run_scene (&scene, engine, BDCT_BACKEND_CPU, &outcome);
  stats = (const BdctStats *) outcome.frame[0].bytes[STATISTICS];
  levels = (const gint16 *) outcome.frame[0].bytes[LEVEL_BYTES];
  memset (bits, 0, sizeof *bits);
  residual_encoder_init (&encoder, qp);
  for (int k = 0; k < scene.layout.n_planes; k++) {
    const double before = residual_bits (&encoder);

    for (int i = 0; i < f->info.grid[k].columns * f->info.grid[k].rows; i++)
      residual_encode (&encoder, levels + f->info.first_level[k]
          + (gsize) i * f->info.block_levels[k], f->info.log2_width[k], k > 0);
    bits->truth[k] = residual_bits (&encoder) - before;
    bits->estimate[k] = stats->component[k].bits;
    bits->truth[3] += bits->truth[k];
    bits->estimate[3] += bits->estimate[k];
  }
  outcome_clear (&outcome);
  scene_clear (&scene);
}

/* Whole frames of one picture: what its errors come to, in %. */
typedef struct {
  int n;
  double sum, worst;            /* of the frames */
  double luma, chroma;          /* the worst of Y alone, of U and V alone, where
                                   these have 500 bytes and more */
  double least, most;           /* bits of a frame */
} Errors;

static double
percent (double estimate, double truth)
{
  return 100 * (estimate / truth - 1);
}

/* The larger of `worst` and the error of one component, or two. */
static double
worse (double worst, double estimate, double truth)
{
  return truth < 4000 ? worst : MAX (worst, fabs (percent (estimate, truth)));
}

/* A picture at all sizes and QPs, with a line for each size; at each N-th where
 * the environment has BLOCKDCT_TEST_EVERY=N. At last the row of
 * docs/evidence/fidelity.md. */
static void
test_picture (gconstpointer data)
{
  static const int qps[] = { 12, 22, 27, 32, 37, 42 };
  const struct Row *row = data;
  const char *every = g_getenv ("BLOCKDCT_TEST_EVERY");
  g_autofree guint8 *drawn = NULL;
  Errors e = { 0 };

  if (row->sample == barbara_at && barbara == NULL) {
    g_test_skip ("no barbara.pgm; BLOCKDCT_DATA names its folder");
    return;
  }
  for (int t = BDCT_HEVC_DST_4X4; t <= BDCT_HEVC_32X32; t++) {
    g_autoptr (GString) line = g_string_new (NULL);

    for (guint q = 0; q < G_N_ELEMENTS (qps); q++) {
      double error;
      Bits bits;

      if (every != NULL && (t + q) % atoi (every) != 0)
        continue;
      measure (row, t, qps[q], &drawn, &bits);
      error = percent (bits.estimate[3], bits.truth[3]);
      g_string_append_printf (line, " %.0f (%+.2f)", bits.truth[3], error);
      e.sum += fabs (error);
      e.worst = MAX (e.worst, fabs (error));
      e.luma = worse (e.luma, bits.estimate[0], bits.truth[0]);
      e.chroma = worse (e.chroma, bits.estimate[1] + bits.estimate[2],
          bits.truth[1] + bits.truth[2]);
      e.least = e.n ? MIN (e.least, bits.truth[3]) : bits.truth[3];
      e.most = MAX (e.most, bits.truth[3]);
      e.n++;
    }
    g_test_message ("%s, %s: bits (error in %%)%s", row->name,
        bdct_transform_info (t)->name, line->str);
  }
  g_test_message ("| %s | %.0f to %.0f | %.2f | %.2f | %.2f | %.2f |",
      row->name, e.least, e.most, e.sum / e.n, e.worst, e.luma, e.chroma);
  g_assert_cmpfloat (e.sum / e.n, <=, row->mean);
  g_assert_cmpfloat (e.worst, <=, row->worst);
}

int
main (int argc, char **argv)
{
  const char *folder = g_getenv ("BLOCKDCT_DATA");
  g_autofree char *path = g_build_filename (folder ? folder
      : BLOCKDCT_DATA_DEFAULT, "barbara.pgm", NULL);
  g_autofree char *file = NULL;
  gsize size = 0;
  int status;

  g_test_init (&argc, &argv, NULL);
  if (g_file_get_contents (path, &file, &size, NULL) && size > 512 * 512)
    barbara = (guint8 *) file + size - 512 * 512;
  engine = bdct_engine_new (BDCT_BACKEND_CPU, NULL, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *name = g_strdup_printf ("/cabac/frames/%s", rows[i].name);

    g_test_add_data_func (name, &rows[i], test_picture);
  }
  status = g_test_run ();
  bdct_engine_free (engine);
  return status;
}
