/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Every number of a job, and what is said of parameters that make none. */
#include <math.h>
#include <string.h>
#include "expect.h"
#include "frame.h"
#include "lists.h"
#include "reference.h"

static const BdctParams defaults = BDCT_PARAMS_DEFAULT;

static int
annex_k_step (int quality, bool chroma, int index, int depth)
{
  return bdct_scale_step (bdct_preset_info (BDCT_PRESET_ANNEX_K)
      ->step[chroma][index], quality, depth > 8 ? 32767 : 255);
}

static void
test_jpeg_tables (void)
{
  int table[64];
  BdctLayout layout;
  BdctJob job;

  for (int depth = 8; depth <= 12; depth++)
    for (int quality = 1; quality <= 100; quality++)
      for (int chroma = 0; chroma < 2; chroma++) {
        BdctParams params = defaults;

        ref_jpeg_table (quality, chroma, depth == 8 ? 255 : 32767, table);
        params.quality = quality;
        params.transform = quality % 2 ? BDCT_DCT_8X8 : BDCT_JPEG_8X8;
        format_layout (FORMAT_I420, depth, 0, 9, 9, &layout);
        g_assert_true (bdct_job_init (&job, &params, &layout, NULL));
        for (int c = 0; c < 3; c++)
          for (int i = 0; i < 64 && chroma == (c > 0); i++)
            EXPECT (job.component[c].quant[i], table[i],
                "job: quality %d component %d index %d", quality, c, i);
      }
  /* Landmarks, by hand. */
  g_assert_cmpint (annex_k_step (50, false, 0, 8), ==, 16);
  g_assert_cmpint (annex_k_step (50, false, 63, 8), ==, 99);
  g_assert_cmpint (annex_k_step (100, false, 0, 8), ==, 1);
  g_assert_cmpint (annex_k_step (1, false, 0, 8), ==, 255);
  g_assert_cmpint (annex_k_step (1, false, 0, 12), ==, 800);
  g_assert_cmpint (annex_k_step (85, true, 2, 8), ==, 7);
}

/* Equal jobs have equal keys, whatever was in their memory, and others have
 * others. */
static void
test_keys (void)
{
  g_autoptr (GHashTable) by_key =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  BdctParams params = defaults;
  BdctLayout layout;
  int n = 0;

  format_layout (FORMAT_I420, 8, 0, 64, 64, &layout);
  for (int t = 0; t < BDCT_N_TRANSFORMS; t++)
    for (int setting = 1; setting <= 51; setting++)
      for (int again = 0; again < 2; again++) {
        BdctJob *job = g_new (BdctJob, 1), *known;

        memset (job, again ? 0xaa : 0x55, sizeof *job);
        params.transform = (BdctTransform) t;
        params.quality = params.qp = setting;
        g_assert_true (bdct_job_init (job, &params, &layout, NULL));
        known = g_hash_table_lookup (by_key, &job->key);
        if (known == NULL) {
          g_assert_false (again);
          g_hash_table_insert (by_key, &job->key, job);
          n++;
          continue;
        }
        g_assert_cmpmem (known, sizeof *known, job, sizeof *job);
        g_free (job);
      }
  g_assert_cmpint (n, >, 50 * BDCT_N_TRANSFORMS);
}

static void
test_matrix_steps (void)
{
  BdctParams params = defaults;
  BdctLayout layout;
  BdctJob job;

  format_layout (FORMAT_Y444, 8, 0, 16, 16, &layout);
  for (int i = 0; i < 128; i++)
    params.steps[i] = i + 1;
  for (params.n_steps = 64; params.n_steps <= 128; params.n_steps += 64) {
    g_assert_true (bdct_job_init (&job, &params, &layout, NULL));
    for (int c = 0; c < 3; c++)
      for (int i = 0; i < 64; i++)
        EXPECT (job.component[c].quant[i],
            (c && params.n_steps == 128 ? 64 : 0) + i + 1,
            "%d steps, component %d, index %d", params.n_steps, c, i);
  }
}

static void
test_steps_check (void)
{
  static const struct
  {
    int n_steps, index, value, depth;
    BdctTransform transform;
    const char *texts[3];       /* NULL: no error */
    bool baseline;
  } cases[] = {
    {64, 63, 256, 8, BDCT_JPEG_8X8, {NULL}, false},
    {64, 63, 32768, 8, BDCT_JPEG_8X8, {"32768", "63", "1 to 32767"}, false},
    {64, 0, 1, 8, BDCT_JPEG_8X8, {NULL}, true},
    {64, 63, 255, 8, BDCT_JPEG_8X8, {NULL}, true},
    {64, 63, 256, 8, BDCT_JPEG_8X8, {"256", "63", "1 to 255"}, true},
    {64, 5, 0, 8, BDCT_JPEG_8X8, {"step 0 ", "index 5", "1 to 255"}, true},
    {128, 127, -7, 8, BDCT_JPEG_8X8, {"-7", "127", "1 to 255"}, true},
    {64, 64, -7, 8, BDCT_JPEG_8X8, {NULL}, true},   /* behind the last */
    {64, 3, 256, 10, BDCT_JPEG_8X8, {NULL}, true},
    {64, 3, 256, 0, BDCT_JPEG_8X8, {NULL}, true},   /* any depth */
    {64, 3, 32767, 12, BDCT_JPEG_8X8, {NULL}, true},
    {64, 3, 32768, 12, BDCT_JPEG_8X8, {"32768", "3", "1 to 32767"}, true},
    {128, 100, 32767, 8, BDCT_DCT_8X8, {NULL}, true},
    {128, 100, 32768, 8, BDCT_DCT_8X8, {"32768", "100", "1 to 32767"}, true},
    {63, 0, 1, 8, BDCT_DCT_8X8, {"63", "64", "128"}, true},
    {127, 0, 1, 8, BDCT_JPEG_8X8, {"127", "64", "128"}, true},
    {0, 0, -1, 8, BDCT_JPEG_8X8, {NULL}, true},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    int steps[128];
    BdctError error = { "" };
    bool valid = cases[i].texts[0] == NULL;

    for (int k = 0; k < 128; k++)
      steps[k] = 10;
    steps[cases[i].index] = cases[i].value;
    EXPECT (bdct_steps_check (steps, cases[i].n_steps, cases[i].transform,
            cases[i].depth, cases[i].baseline, &error), valid, "case %u", i);
    for (int k = 0; !valid && k < 3; k++)
      if (strstr (error.message, cases[i].texts[k]) == NULL)
        g_test_fail_printf ("'%s' lacks '%s'", error.message,
            cases[i].texts[k]);
    EXPECT (bdct_steps_check (steps, cases[i].n_steps, cases[i].transform,
            cases[i].depth, cases[i].baseline, NULL), valid,
        "case %u without an error", i);
  }
}

static void
test_chroma_qp (void)
{
  for (int depth = 8; depth <= 12; depth++)
    for (int chroma = BDCT_CHROMA_420; chroma <= BDCT_CHROMA_444; chroma++)
      for (int qp = 0; qp <= 51; qp++)
        for (int offset = -12; offset <= 12; offset++) {
          BdctParams params = defaults;

          params.qp = qp;
          params.chroma_qp_offset = offset;
          EXPECT (bdct_hevc_chroma_qp (qp, offset, chroma, depth),
              ref_hevc_qp (&params, chroma, BDCT_U, depth),
              "qp %d offset %d chroma %d depth %d", qp, offset, chroma, depth);
        }
  /* Landmarks, by hand. */
  g_assert_cmpint (bdct_hevc_chroma_qp (29, 0, BDCT_CHROMA_420, 8), ==, 29);
  g_assert_cmpint (bdct_hevc_chroma_qp (30, 0, BDCT_CHROMA_420, 8), ==, 29);
  g_assert_cmpint (bdct_hevc_chroma_qp (43, 0, BDCT_CHROMA_420, 8), ==, 37);
  g_assert_cmpint (bdct_hevc_chroma_qp (44, 0, BDCT_CHROMA_420, 8), ==, 38);
  g_assert_cmpint (bdct_hevc_chroma_qp (51, 12, BDCT_CHROMA_420, 8), ==, 51);
  g_assert_cmpint (bdct_hevc_chroma_qp (51, 1, BDCT_CHROMA_422, 8), ==, 51);
  g_assert_cmpint (bdct_hevc_chroma_qp (3, -12, BDCT_CHROMA_420, 8), ==, 0);
  g_assert_cmpint (bdct_hevc_chroma_qp (3, -12, BDCT_CHROMA_444, 10), ==, 3);
}

/* Every number of an HEVC job, as ARITHMETIC.md and H.265 8.6.4.2 have it. */
static void
check_hevc_job (const BdctParams * params, const BdctLayout * layout)
{
  static const int f[] = { 26214, 23302, 20560, 18396, 16384, 14564 };
  static const int ls[] = { 40, 45, 51, 57, 64, 72 };
  int b = layout->depth;
  BdctJob job;

  g_assert_true (bdct_job_init (&job, params, layout, NULL));
  g_assert_cmpint (job.family, ==, BDCT_FAMILY_HEVC);
  g_assert_cmpint (job.depth, ==, b);
  for (int c = 0; c < 3; c++) {
    const BdctComponentJob *cj = &job.component[c];
    int size = ref_block_size (params->transform, layout->chroma, c);
    int l = log2 (size), shift = l > 3 ? l - 3 : 0;
    int qp = ref_hevc_qp (params, layout->chroma, c, b);
    g_autofree char *where = g_strdup_printf ("transform %d chroma %d "
        "depth %d qp %d%+d list %d component %d", params->transform,
        layout->chroma, b, params->qp, params->chroma_qp_offset,
        params->scaling_list, c);

    EXPECT (1 << cj->log2_width, size, "%s", where);
    EXPECT (1 << cj->log2_height, size, "%s", where);
    EXPECT (cj->keep, MIN (size, 32), "%s", where);
    EXPECT (cj->transposed, 0, "%s", where);
    EXPECT (cj->fwd_shift[0], l + b - 9, "%s", where);
    EXPECT (cj->fwd_shift[1], l + 6, "%s", where);
    EXPECT (cj->inv_shift[0], 7, "%s", where);
    EXPECT (cj->inv_shift[1], 20 - b, "%s", where);
    EXPECT (cj->clip16, 1, "%s", where);
    EXPECT (cj->quant_bits, 14 + qp / 6 + 15 - b - l, "%s", where);
    EXPECT (cj->quant_add, (gint64) floor (512 * params->deadzone + 0.5)
        << (cj->quant_bits - 9), "%s", where);
    EXPECT (cj->dequant_bits, b + l - 5, "%s", where);
    for (int v = 0; v < size; v++)
      for (int u = 0; u < size; u++) {
        int i = bdct_job_index (cj, v, u);
        int m = ref_hevc_factor (params, c, size, v, u);
        gboolean dc = v + u == 0;

        EXPECT (i, (v >> shift) * 8 + (u >> shift), "%s", where);
        /* Only (0, 0) of what is replicated has no entry of the tables. */
        EXPECT (dc ? cj->quant_dc : cj->quant[i], (f[qp % 6] << 4) / m,
            "%s (%d, %d)", where, v, u);
        EXPECT (dc ? cj->dequant_dc : cj->dequant[i],
            (gint64) m * ls[qp % 6] << qp / 6, "%s (%d, %d)", where, v, u);
      }
  }
}

static void
check_hevc_jobs (BdctTransform transform)
{
  static const Format formats[] = { FORMAT_I420, FORMAT_Y42B, FORMAT_Y444 };
  BdctParams params = defaults;
  BdctLayout layout;

  params.transform = transform;
  for (int depth = 8; depth <= 12; depth++)
    for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
      format_layout (formats[i], depth, 0, 64, 64, &layout);
      for (params.qp = 0; params.qp <= 51; params.qp++) {
        params.chroma_qp_offset = params.qp * 7 % 25 - 12;
        params.scaling_list = params.qp % 3;
        params.deadzone = ref_deadzone (params.qp + depth);
        if (params.scaling_list == BDCT_SCALING_FILE)
          random_lists (&params, params.qp);
        check_hevc_job (&params, &layout);
        if (g_test_failed ())
          return;
      }
    }
}

static void
test_hevc_jobs (void)
{
  for (int t = 0; t < BDCT_N_FIXED; t++)
    if (bdct_transform_row (t)->family == BDCT_FAMILY_HEVC)
      check_hevc_jobs (t);
}

/* Every number of an H.264 job, as 8.5.8 to 8.5.13 and JM have it. */
static void
check_h264_job (const BdctParams * params, const BdctLayout * layout)
{
  BdctTransform t = params->transform;
  BdctJob job;

  g_assert_true (bdct_job_init (&job, params, layout, NULL));
  g_assert_cmpint (job.family, ==, BDCT_FAMILY_H264);
  for (int c = 0; c < 3; c++) {
    const BdctComponentJob *cj = &job.component[c];
    int qp = ref_h264_qp (params, c, layout->depth), bits = qp / 6;
    int size = ref_block_size (t, layout->chroma, c);
    g_autofree char *where = g_strdup_printf ("%dx%d chroma %d depth %d "
        "qp %d%+d component %d", size, size, layout->chroma, layout->depth,
        params->qp, params->chroma_qp_offset, c);

    bits += size == 4 ? 15 : 16;
    EXPECT (1 << cj->log2_width, ref_block_width (t, layout->chroma, c), "%s",
        where);
    EXPECT (1 << cj->log2_height, ref_block_height (t, layout->chroma, c),
        "%s", where);
    EXPECT (1 << bdct_job_log2_across (cj), size, "%s", where);
    EXPECT (1 << bdct_job_log2_down (cj), size, "%s", where);
    EXPECT (bdct_job_has_dc (cj), ref_has_dc (t, layout->chroma, c), "%s",
        where);
    EXPECT (cj->keep, size, "%s", where);
    EXPECT (cj->transposed, 1, "%s", where);
    EXPECT (cj->fwd_shift[0], 0, "%s", where);
    EXPECT (cj->fwd_shift[1], 0, "%s", where);
    EXPECT (cj->inv_shift[0], 0, "%s", where);
    EXPECT (cj->inv_shift[1], 6, "%s", where);
    EXPECT (cj->clip16, 0, "%s", where);
    EXPECT (cj->quant_bits, bits, "%s", where);
    EXPECT (cj->quant_add, params->deadzone == 1.0 / 3 ? (1LL << bits) / 3
        : (gint64) floor (params->deadzone * (1LL << bits)), "%s", where);
    EXPECT (cj->dequant_bits, size == 4 ? 4 : 6, "%s", where);
    for (int v = 0; v < size; v++)
      for (int u = 0; u < size; u++) {
        EXPECT (cj->quant[8 * v + u], ref_h264_quant_scale (size, qp % 6, v, u),
            "%s (%d, %d)", where, v, u);
        EXPECT (cj->dequant[8 * v + u],
            (gint64) ref_h264_level_scale (size, qp % 6, v, u) << qp / 6,
            "%s (%d, %d)", where, v, u);
      }
    if (!bdct_job_has_dc (cj))
      continue;
    qp += layout->chroma == BDCT_CHROMA_422 ? 3 : 0;
    bits = 15 + qp / 6;
    EXPECT (cj->dc.quant, ref_h264_quant_scale (4, qp % 6, 0, 0), "%s", where);
    EXPECT (cj->dc.quant_bits, bits + 1, "%s", where);
    EXPECT (cj->dc.quant_add, 2 * (params->deadzone == 1.0 / 3
            ? (1LL << bits) / 3 : (gint64) floor (params->deadzone
                * (1LL << bits))), "%s", where);
    EXPECT (cj->dc.dequant, (gint64) ref_h264_level_scale (4, qp % 6, 0, 0)
        << qp / 6, "%s", where);
  }
}

static void
test_h264_jobs (void)
{
  static const Format formats[] = { FORMAT_I420, FORMAT_Y42B, FORMAT_Y444 };
  BdctParams params = defaults;
  BdctLayout layout;
  BdctJob job;

  for (params.transform = BDCT_H264_4X4;
      params.transform <= BDCT_H264_8X8; params.transform++)
    for (int depth = 8; depth <= 12; depth++)
      for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
        format_layout (formats[i], depth, 0, 64, 64, &layout);
        for (params.qp = 0; params.qp <= 51; params.qp++)
          for (int k = 0; k < 5; k++) {
            params.chroma_qp_offset = (params.qp + 5 * k) % 25 - 12;
            params.scaling_list = params.qp % 2; /* has no effect */
            params.deadzone = ref_deadzone (params.qp + k);
            check_h264_job (&params, &layout);
            if (g_test_failed ())
              return;
          }
      }

  /* Landmarks, by hand. */
  params = defaults;
  params.qp = 51;
  params.transform = BDCT_H264_8X8;
  format_layout (FORMAT_I420, 8, 0, 64, 64, &layout);
  g_assert_true (bdct_job_init (&job, &params, &layout, NULL));
  g_assert_cmpint (job.component[0].quant[0], ==, 9362);
  g_assert_cmpint (job.component[0].quant[9], ==, 8228);
  g_assert_cmpint (job.component[0].quant[18], ==, 14913);
  g_assert_cmpint (job.component[0].dequant[63], ==, 25 * 16 << 8);
  g_assert_cmpint (job.component[1].quant[1], ==, 5825); /* QPC 39 */
  g_assert_cmpint (job.component[1].dequant[2], ==, 14 * 16 << 6);
  g_assert_cmpint (job.component[1].dc.quant, ==, 9362);
  g_assert_cmpint (job.component[1].dc.quant_bits, ==, 22);
  g_assert_cmpint (job.component[1].dc.dequant, ==, 14 * 16 << 6);
  g_assert_cmpint (job.component[1].dc.dequant_bits, ==, 5);
  g_assert_cmpint (job.component[1].dc.dequant_add, ==, 0);
  format_layout (FORMAT_Y42B, 8, 0, 64, 64, &layout);
  g_assert_true (bdct_job_init (&job, &params, &layout, NULL));
  g_assert_cmpint (job.component[1].dc.quant, ==, 13107); /* QP'C,DC 42 */
  g_assert_cmpint (job.component[1].dc.quant_bits, ==, 23);
  g_assert_cmpint (job.component[1].dc.dequant, ==, 10 * 16 << 7);
  g_assert_cmpint (job.component[1].dc.dequant_bits, ==, 6);
  g_assert_cmpint (job.component[1].dc.dequant_add, ==, 32);
  layout.chroma = BDCT_CHROMA_440;
  g_assert_true (bdct_job_init (&job, &params, &layout, NULL));
  g_assert_false (bdct_job_has_dc (&job.component[1]));
  g_assert_cmpint (job.component[1].log2_width, ==, 3);
  format_layout (FORMAT_I420, 8, 0, 64, 64, &layout);
  params.transform = BDCT_H264_4X4;
  params.qp = 30;
  g_assert_true (bdct_job_init (&job, &params, &layout, NULL));
  g_assert_cmpint (job.component[0].quant[0], ==, 13107);
  g_assert_cmpint (job.component[0].quant[9], ==, 5243);
  g_assert_cmpint (job.component[0].dequant[8], ==, 13 * 16 << 5);
  g_assert_cmpint (job.component[1].quant[1], ==, 4559); /* QPC 29 */
}

/* The reference encoders' offsets, by hand, and all between them. */
static void
test_deadzones (void)
{
  BdctParams params = defaults;
  BdctJob job, fixed, sized;
  BdctLayout layout;

  format_layout (FORMAT_I420, 8, 0, 64, 64, &layout);
  params.qp = 0;
  for (int n = 0; n <= 1000; n++) {
    params.deadzone = n == 1000 ? 1.0 / 3 : 1.0 / 6 + n / 6000.0;
    params.transform = BDCT_HEVC_32X32;
    g_assert_true (bdct_job_init (&job, &params, &layout, NULL));
    g_assert_cmpint (job.component[0].quant_bits, ==, 16);
    g_assert_cmpint (job.component[0].quant_add % 128, ==, 0);
    g_assert_cmpfloat_with_epsilon (job.component[0].quant_add / 65536.0,
        params.deadzone, 1.0 / 1024 + 1e-12);
    if (n % 1000 == 0)
      g_assert_cmpint (job.component[0].quant_add >> 7, ==, n ? 171 : 85);
    fixed = job;
    params.transform = BDCT_HEVC_QUADTREE;
    g_assert_true (bdct_job_init (&job, &params, &layout, NULL));
    bdct_job_of_size (&sized, &job, 5);
    g_assert_cmpmem (&sized.component, sizeof sized.component,
        &fixed.component, sizeof fixed.component);
    params.transform = BDCT_H264_8X8;
    g_assert_true (bdct_job_init (&job, &params, &layout, NULL));
    g_assert_cmpint (job.component[0].quant_bits, ==, 16);
    g_assert_cmpfloat_with_epsilon (job.component[0].quant_add / 65536.0,
        params.deadzone, 1.0 / 65536);
    if (n % 1000 == 0)
      g_assert_cmpint (job.component[0].quant_add, ==, n ? 21845 : 10922);
  }
}

static void
test_jpeg_jobs (void)
{
  BdctParams params = defaults;
  BdctLayout layout;
  BdctJob job;

  for (int depth = 8; depth <= 12; depth++) {
    int pass1 = depth == 8 ? 2 : 1;

    format_layout (FORMAT_I420, depth, 0, 64, 64, &layout);
    params.transform = BDCT_JPEG_8X8;
    g_assert_true (bdct_job_init (&job, &params, &layout, NULL));
    for (int c = 0; c < 3; c++) {
      EXPECT (job.component[c].chain, BDCT_CHAIN_ISLOW_8, "%d", c);
      EXPECT (job.component[c].log2_width, 3, "depth %d", depth);
      EXPECT (job.component[c].log2_height, 3, "depth %d", depth);
      EXPECT (job.component[c].keep, 8, "depth %d", depth);
      EXPECT (job.component[c].fwd_shift[0], 13 - pass1, "depth %d", depth);
      EXPECT (job.component[c].fwd_shift[1], 13 + pass1, "depth %d", depth);
      EXPECT (job.component[c].inv_shift[0], 13 - pass1, "depth %d", depth);
      EXPECT (job.component[c].inv_shift[1], 16 + pass1, "depth %d", depth);
      EXPECT (job.component[c].clip16, 0, "depth %d", depth);
    }
    g_assert_cmpint (job.family, ==, BDCT_FAMILY_JPEG);
    params.transform = BDCT_DCT_8X8;
    g_assert_true (bdct_job_init (&job, &params, &layout, NULL));
    g_assert_cmpint (job.family, ==, BDCT_FAMILY_DCT8X8);
  }
}

static void
test_job_errors (void)
{
  static const struct
  {
    gsize offset;
    int bad[2];
    const char *name, *range;
  } cases[] = {
    {G_STRUCT_OFFSET (BdctParams, transform), {-1, BDCT_N_TRANSFORMS},
        "transform", "0 to "},
    {G_STRUCT_OFFSET (BdctParams, quality), {0, 101}, "quality", "1 to 100"},
    {G_STRUCT_OFFSET (BdctParams, qp), {-1, 52}, "qp", "0 to 51"},
    {G_STRUCT_OFFSET (BdctParams, chroma_qp_offset), {-13, 13},
        "chroma-qp-offset", "-12 to 12"},
  };
  static const double deadzones[] = { 0.166, 0.334, -1, 0, NAN, INFINITY };
  BdctLayout layout;
  BdctJob job;

  format_layout (FORMAT_I420, 8, 0, 64, 64, &layout);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (int k = 0; k < 2; k++) {
      BdctParams params = defaults;
      BdctError error = { "" };
      char value[16];

      params.transform = BDCT_HEVC_8X8;
      G_STRUCT_MEMBER (int, &params, cases[i].offset) = cases[i].bad[k];
      g_snprintf (value, sizeof value, "%d", cases[i].bad[k]);
      g_assert_false (bdct_job_init (&job, &params, &layout, &error));
      if (!strstr (error.message, cases[i].name)
          || !strstr (error.message, value)
          || !strstr (error.message, cases[i].range))
        g_test_fail_printf ("'%s' does not say that %s %s is not in %s",
            error.message, cases[i].name, value, cases[i].range);
    }
  for (int depth = 7; depth <= 13; depth += 6) {
    BdctError error = { "" };

    layout.depth = depth;
    g_assert_false (bdct_job_init (&job, &defaults, &layout, &error));
    g_assert_nonnull (strstr (error.message, depth == 7 ? "7" : "13"));
    g_assert_nonnull (strstr (error.message, "8 to 12"));
  }
  for (guint i = 0; i < G_N_ELEMENTS (deadzones); i++) {
    BdctParams params = defaults;
    BdctError error = { "" };

    layout.depth = 8;
    params.deadzone = deadzones[i];
    g_assert_false (bdct_job_init (&job, &params, &layout, &error));
    g_assert_nonnull (strstr (error.message, "deadzone "));
    g_assert_nonnull (strstr (error.message, " 1/6 to 1/3"));
  }
  /* A bad matrix is the business of the transforms that have one. */
  {
    BdctParams params = defaults;
    BdctError error = { "" };

    layout.depth = 8;
    params.n_steps = 64;
    g_assert_false (bdct_job_init (&job, &params, &layout, &error));
    g_assert_nonnull (strstr (error.message, "step 0 "));
    params.transform = BDCT_HEVC_4X4;
    g_assert_true (bdct_job_init (&job, &params, &layout, &error));
  }
  g_assert_false (bdct_error (NULL, "%s", "nowhere to write"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  g_test_add_func ("/job/jpeg-tables", test_jpeg_tables);
  g_test_add_func ("/job/keys", test_keys);
  g_test_add_func ("/job/matrix", test_matrix_steps);
  g_test_add_func ("/job/steps-check", test_steps_check);
  g_test_add_func ("/job/chroma-qp", test_chroma_qp);
  g_test_add_func ("/job/hevc", test_hevc_jobs);
  g_test_add_func ("/job/h264", test_h264_jobs);
  g_test_add_func ("/job/deadzone", test_deadzones);
  g_test_add_func ("/job/jpeg", test_jpeg_jobs);
  g_test_add_func ("/job/errors", test_job_errors);
  return g_test_run ();
}
