/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The engines against the definitions in reference.c: every byte of the
 * destination's memory and every counter. The CPU engine on every instruction
 * set that this processor has; or the CUDA engine (frame.h, engines_open()). */
#include <math.h>
#include <string.h>
#include "program.h"
#include "lists.h"
#include "reference.h"

typedef struct {
  BdctParams params;
  Format format;
  int depth, shift, width, height;
  Stride stride;
  Content content;
  guint32 seed;
  const Picture *picture;       /* in place of content, if not NULL */
} Case;

static const BdctParams defaults = BDCT_PARAMS_DEFAULT;

/* dct-8x8: what was compared with the definition, and how it differed. */
static struct
{
  guint64 samples, sse, sure, levels, unsure;
} dct8x8;

static gboolean
process (BdctEngine * engine, const BdctParams * params,
    const BdctLayout * layout, const Frame * src, const Frame * dst,
    BdctStats * stats)
{
  BdctError error = { "" };
  BdctJob job;

  memset (stats, 0xee, sizeof *stats);
  if (bdct_job_init (&job, params, layout, &error)
      && engine->klass->configure (engine, layout, 1, &error)
      && engine_submit (engine, &job, &src->image, &dst->image, &error)
      && engine->klass->collect (engine, stats, &error))
    return TRUE;
  g_test_fail_printf ("%s: %s", engine->description, error.message);
  return FALSE;
}

static gboolean
fail (const Case * c, const BdctEngine * engine, const char *what)
{
  g_test_fail_printf ("%s: %s quality %d qp %d%+d deadzone %g list %d steps "
      "%d, %s depth %d shift %d, %dx%d stride %d content %d: %s",
      engine->description, bdct_transform_info (c->params.transform)->name,
      c->params.quality, c->params.qp, c->params.chroma_qp_offset,
      c->params.deadzone, c->params.scaling_list,
      c->params.n_steps, format_names[c->format], c->depth, c->shift, c->width,
      c->height, c->stride, c->content, what);
  return FALSE;
}

/* The first sample that is not as expected, for the message. */
static char *
describe (const Picture * got, const Picture * expected)
{
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    for (int i = 0; i < got->width[c] * got->height[c]; i++)
      if (got->sample[c][i] != expected->sample[c][i])
        return g_strdup_printf ("component %d (%d, %d) is %d, not %d", c,
            i % got->width[c], i / got->width[c], got->sample[c][i],
            expected->sample[c][i]);
  return g_strdup ("bytes beside the samples were written");
}

static gboolean
check_exact (const Case * c, const BdctEngine * engine,
    const BdctLayout * layout, const Picture * expected, const Frame * dst,
    const BdctStats * stats, const RefResult * results)
{
  gboolean ok = TRUE;
  Frame frame;

  for (int i = 0; i < BDCT_MAX_COMPONENTS; i++)
    tally_add (results[i].samples, 0);
  frame_init (&frame, layout, c->stride);
  frame_put (&frame, layout, expected, FALSE);
  if (!frame_equal (dst, &frame, layout)) {
    Picture got;
    char *text;

    picture_init (&got, layout);
    frame_get (dst, layout, &got);
    text = describe (&got, expected);
    ok = fail (c, engine, text);
    g_free (text);
    picture_clear (&got);
    tally_add (0, 1);
  }
  frame_clear (&frame);
  for (int i = 0; i < BDCT_MAX_COMPONENTS && ok; i++) {
    const BdctCounters *n = &stats->component[i];
    char text[200];

    g_snprintf (text, sizeof text, "component %d: samples %" G_GUINT64_FORMAT
        " sse %" G_GUINT64_FORMAT " levels %" G_GUINT64_FORMAT " nonzero %"
        G_GUINT64_FORMAT ", not %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT
        " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, i, n->samples, n->sse,
        n->levels, n->nonzero, results[i].samples, results[i].sse,
        results[i].levels, results[i].nonzero);
    if (n->samples != results[i].samples || n->sse != results[i].sse
        || n->levels != results[i].levels || n->nonzero != results[i].nonzero)
      ok = fail (c, engine, text);
  }
  return ok;
}

/* dct-8x8 in floats against the definition in double: no sample is farther off
 * than its slack allows, and what is off is counted. On return `expected` and
 * `results` are the engine's own for what the definition leaves open. */
static gboolean
adopt_dct8x8 (const Case * c, const BdctEngine * engine,
    const BdctLayout * layout, const Picture * source, Picture * expected,
    guint8 * const *slack, const Frame * dst, const BdctStats * stats,
    RefResult * results)
{
  gboolean ok = TRUE;
  Picture got;

  picture_init (&got, layout);
  frame_get (dst, layout, &got);
  for (int k = 0; k < BDCT_MAX_COMPONENTS && ok; k++) {
    gint64 nonzero = stats->component[k].nonzero - results[k].nonzero;
    guint64 sse = 0;

    for (int i = 0; i < got.width[k] * got.height[k] && ok; i++) {
      gint64 e = got.sample[k][i] - expected->sample[k][i];

      if (!ref_agrees (got.sample[k][i], expected->sample[k][i], slack[k][i])) {
        char *text = g_strdup_printf ("component %d (%d, %d) is %d, not %d "
            "+-%d", k, i % got.width[k], i / got.width[k], got.sample[k][i],
            expected->sample[k][i], slack[k][i]);
        ok = fail (c, engine, text);
        g_free (text);
        tally_add (0, 1);
      }
      dct8x8.samples += slack[k][i] != REF_TIE;
      dct8x8.sse += slack[k][i] != REF_TIE ? e * e : 0;
      dct8x8.sure += slack[k][i] == 0;
      e = got.sample[k][i] - source->sample[k][i];
      sse += e * e;
      expected->sample[k][i] = got.sample[k][i];
    }
    if (ABS (nonzero) > (gint64) results[k].unsure)
      ok = fail (c, engine, "too many or too few levels are not 0");
    dct8x8.levels += results[k].levels;
    dct8x8.unsure += results[k].unsure;
    results[k].nonzero = stats->component[k].nonzero;
    results[k].sse = sse;
  }
  picture_clear (&got);
  return ok;
}

static void
copy_samples (const Picture * from, Picture * to)
{
  for (int i = 0; i < BDCT_MAX_COMPONENTS; i++)
    if (from->sample[i] != NULL)
      memcpy (to->sample[i], from->sample[i],
          (gsize) from->width[i] * from->height[i] * sizeof (int));
}

/* Run one case on all engines; FALSE once one differs. */
static gboolean
check_case (const Case * c)
{
  RefResult definition[BDCT_MAX_COMPONENTS] = { 0 };
  RefResult results[BDCT_MAX_COMPONENTS];
  guint8 *slack[BDCT_MAX_COMPONENTS] = { NULL };
  Picture source, defined, expected;
  BdctLayout layout;
  gboolean ok = TRUE;
  Frame src, copy;

  format_layout (c->format, c->depth, c->shift, c->width, c->height, &layout);
  picture_init (&source, &layout);
  picture_init (&defined, &layout);
  picture_init (&expected, &layout);
  picture_fill (&source, c->content, &layout, c->params.transform, c->seed);
  if (c->picture != NULL)
    copy_samples (c->picture, &source);
  for (int i = 0; i < BDCT_MAX_COMPONENTS; i++) {
    RefPlane plane = { &c->params, layout.chroma, i, c->depth,
      source.width[i], source.height[i],
      engines_on_cuda () ? REF_TENSOR : REF_FLOAT
    };

    if (source.sample[i] == NULL)
      continue;
    slack[i] = g_malloc0 ((gsize) plane.width * plane.height);
    ref_plane (&plane, source.sample[i], defined.sample[i], slack[i],
        &definition[i]);
  }
  frame_init (&src, &layout, c->stride);
  frame_init (&copy, &layout, c->stride);
  frame_put (&src, &layout, &source, TRUE);
  frame_put (&copy, &layout, &source, TRUE);

  for (guint i = 0; i < n_engines && ok; i++) {
    /* The CPU's kernels have one arithmetic for dct-8x8, the GPU's do not. */
    gboolean own = i == 0 || engines_on_cuda ();
    BdctStats stats;
    Frame dst;

    frame_init (&dst, &layout, c->stride);
    if (own) {
      copy_samples (&defined, &expected);
      memcpy (results, definition, sizeof results);
    }
    ok = process (engines[i], &c->params, &layout, &src, &dst, &stats);
    if (ok && own && c->params.transform == BDCT_DCT_8X8)
      ok = adopt_dct8x8 (c, engines[i], &layout, &source, &expected, slack,
          &dst, &stats, results);
    ok = ok && check_exact (c, engines[i], &layout, &expected, &dst, &stats,
        results);
    if (ok && !frame_equal (&src, &copy, &layout))
      ok = fail (c, engines[i], "the source was written");
    frame_clear (&dst);
  }
  frame_clear (&src);
  frame_clear (&copy);
  picture_clear (&source);
  picture_clear (&defined);
  picture_clear (&expected);
  for (int i = 0; i < BDCT_MAX_COMPONENTS; i++)
    g_free (slack[i]);
  return ok;
}

static void
dct8x8_begin (void)
{
  memset (&dct8x8, 0, sizeof dct8x8);
}

/* The least that two float engines, or one and the definition, may agree. */
static void
dct8x8_end (int depth)
{
  double psnr;

  g_assert_cmpuint (dct8x8.samples, >, 0);
  psnr = bdct_psnr ((double) dct8x8.sse / dct8x8.samples, depth);
  g_test_message ("dct-8x8 against the definition: %.2f dB over %"
      G_GUINT64_FORMAT " samples not on a tie, %.1f%% of them clear of "
      "any and equal", psnr, dct8x8.samples,
      100.0 * dct8x8.sure / dct8x8.samples);
  g_assert_cmpfloat (psnr, >=, 60.0);
}

/* Every format, depth, packing, size and stride. */
static void
test_formats (gconstpointer data)
{
  static const struct
  {
    int depth, shift;
  } depths[] = { {8, 0}, {9, 0}, {10, 0}, {10, 6}, {11, 5}, {12, 0}, {12, 4} };
  static const struct
  {
    int width, height;
  } sizes[] = {
    {1, 1}, {2, 2}, {3, 5}, {7, 9}, {8, 8}, {17, 9}, {31, 33}, {33, 65},
    {64, 32}, {95, 4}, {127, 129},
  };
  Case c = { .params = defaults };
  guint n = 0;

  c.params.transform = GPOINTER_TO_INT (data);
  for (guint d = 0; d < G_N_ELEMENTS (depths); d++) {
    c.depth = depths[d].depth;
    c.shift = depths[d].shift;
    dct8x8_begin ();
    for (c.format = 0; c.format < N_FORMATS; c.format++)
      for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
        c.width = sizes[s].width;
        c.height = sizes[s].height;
        for (int k = 0; k < 3; k++, n++) {
          if (k > 0 && s == G_N_ELEMENTS (sizes) - 1)
            break;              /* the largest: once a format is enough */
          if (!case_due (n + c.params.transform))
            continue;
          c.stride = n % N_STRIDES;
          c.content = n / 2 % (CONTENT_CHECKER + 1);
          c.seed = n;
          c.params.quality = 1 + n * 37 % 100;
          c.params.qp = n * 29 % 52;
          c.params.chroma_qp_offset = (int) (n * 11 % 25) - 12;
          c.params.scaling_list = n / 3 % 2;
          c.params.deadzone = ref_deadzone (n);
          if (n % 4 == 3)
            random_lists (&c.params, n / 4);
          if (!check_case (&c))
            return;
        }
      }
    if (c.params.transform == BDCT_DCT_8X8)
      dct8x8_end (c.depth);
  }
}

/* Every QP with all lists, at the depths where the shifts differ. */
static void
test_qps (gconstpointer data)
{
  Case c = { .params = defaults, .width = 70, .height = 38 };

  c.params.transform = GPOINTER_TO_INT (data);
  for (c.depth = 8; c.depth <= 12; c.depth += 2)
    for (c.params.qp = 0; c.params.qp <= 51; c.params.qp++)
      for (int list = 0; list < BDCT_N_SCALING_LISTS; list++) {
        int n = c.params.qp * 2 + list;

        if (!case_due (c.params.qp * BDCT_N_SCALING_LISTS + list + c.depth
                + c.params.transform))
          continue;
        c.params.scaling_list = list;
        c.params.deadzone = ref_deadzone (n / 2);
        if (list == BDCT_SCALING_FILE)
          random_lists (&c.params, c.params.qp);
        c.params.chroma_qp_offset = n * 7 % 25 - 12;
        c.format = n % 3 ? FORMAT_I420 : FORMAT_Y444;
        c.content = n / 3 % (CONTENT_CHECKER + 1);
        c.seed = n;
        if (!check_case (&c))
          return;
      }
}

/* Every quality of the two that have one. */
static void
test_qualities (gconstpointer data)
{
  Case c = { .params = defaults, .width = 70, .height = 46 };

  c.params.transform = GPOINTER_TO_INT (data);
  c.format = FORMAT_I420;
  for (c.depth = 8; c.depth <= 12; c.depth += 2) {
    dct8x8_begin ();
    for (c.params.quality = 1; c.params.quality <= 100; c.params.quality++)
      for (c.content = 0; c.content <= CONTENT_EXTREME; c.content++) {
        if (!case_due (c.params.quality * 3 + c.content + c.depth))
          continue;
        c.seed = c.params.quality;
        if (!check_case (&c))
          return;
      }
    if (c.params.transform == BDCT_DCT_8X8)
      dct8x8_end (c.depth);
  }
}

/* The sign patterns of all basis functions at full amplitude, which are the
 * blocks that drive each sum to its end: a coefficient at its largest. */
static void
test_basis (gconstpointer data)
{
  BdctTransform transform = GPOINTER_TO_INT (data);
  static const int qps[] = { 0, 17, 51 };
  static const int qualities[] = { 1, 60, 100 };
  int size = ref_block_size (transform, BDCT_CHROMA_400, BDCT_Y);
  int kept = MIN (size, 32);    /* frequencies of each axis that count */
  Case c = { .params = defaults, .width = size * kept, .height = size * kept };

  c.params.transform = transform;
  c.format = FORMAT_GRAY;
  for (c.depth = 8; c.depth <= 12; c.depth += 4) {
    dct8x8_begin ();
    for (int q = 0; q < 3; q++) {
      if (size >= 32 && (q != 1 || !case_due (12 - c.depth)))
        continue;               /* a million samples each, or four */
      for (c.content = CONTENT_BASIS; c.content <= CONTENT_BASIS_NEGATED;
          c.content++) {
        c.params.qp = size >= 32 && c.content == CONTENT_BASIS ? 0 : qps[q];
        c.params.quality = qualities[q];
        if (!check_case (&c))
          return;
      }
    }
    if (transform == BDCT_DCT_8X8)
      dct8x8_end (c.depth);
  }
}

/* Matrices of the user's, up to the largest steps there are. */
static void
test_matrices (gconstpointer data)
{
  Case c = { .params = defaults, .width = 67, .height = 45 };

  c.params.transform = GPOINTER_TO_INT (data);
  for (c.depth = 8; c.depth <= 12; c.depth += 2) {
    dct8x8_begin ();
    for (int n = 0; n < 24; n++) {
      GRand *rand = g_rand_new_with_seed (n);
      bool baseline = n % 3 != 2;
      int max = c.depth == 8 && c.params.transform == BDCT_JPEG_8X8
          && baseline ? 255 : 32767;

      c.params.baseline = baseline;
      c.params.n_steps = n % 2 ? 64 : 128;
      for (int i = 0; i < 128; i++)
        c.params.steps[i] = n < 2 ? 1 : n < 4 ? max
            : MIN (max, (int) exp (g_rand_double_range (rand, 0,
                    log (max + 1.0))));
      g_rand_free (rand);
      c.format = n % N_FORMATS;
      c.content = n / 2 % (CONTENT_CHECKER + 1);
      c.seed = n;
      if (!check_case (&c))
        return;
    }
    if (c.params.transform == BDCT_DCT_8X8)
      dct8x8_end (c.depth);
  }
}

/* A block of 0 and peak for which the steps that round each coefficient away
 * from 0, or to 0, as this one sample likes it best, drive the reconstruction
 * there eight times out of the range: found by flipping samples while that
 * gains. Sums of the inverse transform are nowhere larger. */
static void
find_overshoot (int depth, int target, gboolean negative, GRand * rand,
    int *sample, int *steps)
{
  double basis[64][64], c[64] = { 0 }, best = -1, gain = 0;
  int middle = 1 << (depth - 1), peak = 2 * middle - 1;

  for (int k = 0; k < 64; k++)
    for (int n = 0; n < 64; n++)
      basis[k][n] = (k / 8 ? 0.5 : G_SQRT2 / 4) * (k % 8 ? 0.5 : G_SQRT2 / 4)
          * cos ((n / 8 * 2 + 1) * (k / 8) * G_PI / 16)
          * cos ((n % 8 * 2 + 1) * (k % 8) * G_PI / 16);
  for (int n = 0; n < 64; n++) {
    sample[n] = g_rand_boolean (rand) ? peak : 0;
    for (int k = 0; k < 64; k++)
      c[k] += basis[k][n] * (sample[n] - middle);
  }
  do {
    gain = 0;
    for (int n = 0; n < 64; n++) {
      double step = peak - 2.0 * sample[n], sum = 0;

      for (int k = 0; k < 64; k++) {
        double v = (c[k] + basis[k][n] * step) * basis[k][target];
        sum += MAX (negative ? -v : v, 0);
      }
      if (sum > best + 1e-6) {
        gain += sum - best;
        best = sum;
        sample[n] = peak - sample[n];
        for (int k = 0; k < 64; k++)
          c[k] += basis[k][n] * step;
      }
    }
  } while (gain > 0);
  for (int k = 0; k < 64; k++) {
    gboolean wanted = (c[k] * basis[k][target] > 0) != (negative != FALSE);
    int step = 2 * fabs (c[k]);

    steps[k] = CLAMP (wanted ? step - 1 : step + 2, 1,
        depth == 8 ? 255 : 32767);
  }
}

/* No sum of the inverse transform overflows, whatever the user's matrix. */
static void
test_overshoot (gconstpointer data)
{
  Case c = { .params = defaults, .width = 8, .height = 8 };
  GRand *rand = g_rand_new_with_seed (8);

  c.params.transform = GPOINTER_TO_INT (data);
  c.params.n_steps = 64;
  c.format = FORMAT_GRAY;
  dct8x8_begin ();
  for (c.depth = 8; c.depth <= 12; c.depth++)
    for (int target = 0; target < 64; target++) {
      int sample[64];
      Picture picture = {.width = {8},.height = {8},.sample = {sample} };

      c.picture = &picture;
      find_overshoot (c.depth, target, target % 3 == 0, rand, sample,
          c.params.steps);
      if (!check_case (&c)) {
        c.depth = 12;
        break;
      }
    }
  g_rand_free (rand);
}

static void
add (const char *name, BdctTransform transform, GTestDataFunc func)
{
  tests_add (func, transform, "/engine/%s/%s", name,
      bdct_transform_info (transform)->name);
}

int
main (int argc, char **argv)
{
  tests_init (&argc, &argv);
  g_test_set_nonfatal_assertions ();
  for (int t = 0; t < BDCT_N_FIXED; t++) {
    add ("formats", t, test_formats);
    add ("basis", t, test_basis);
    if (bdct_transform_info (t)->has_qp) {
      add ("qp", t, test_qps);
    } else {
      add ("quality", t, test_qualities);
      add ("matrix", t, test_matrices);
      add ("overshoot", t, test_overshoot);
    }
  }
  return tests_run ("definitions, 64-bit integers and double");
}
