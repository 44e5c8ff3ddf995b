/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A buffer that came out, against what went in and the definitions. */
#include "fuzz.h"

#include <math.h>
#include <string.h>
#include "check/reference.h"

#define NAME "blockdct"

/* Fields */

static guint64
field_uint64 (const GstStructure * s, const gchar * name)
{
  guint64 v = 0;

  if (!gst_structure_get_uint64 (s, name, &v))
    fail ("no uint64 '%s' in %s", name, gst_structure_to_string (s));
  return v;
}

static gdouble
field_double (const GstStructure * s, const gchar * name)
{
  gdouble v = 0;

  if (!gst_structure_get_double (s, name, &v))
    fail ("no double '%s' in %s", name, gst_structure_to_string (s));
  return v;
}

static void
expect_uint64 (const GstStructure * s, const gchar * name, guint64 expected)
{
  guint64 v = field_uint64 (s, name);

  check (v == expected, "%s is %" G_GUINT64_FORMAT ", not %" G_GUINT64_FORMAT,
      name, v, expected);
}

static void
expect_double (const GstStructure * s, const gchar * name, gdouble expected)
{
  gdouble v = field_double (s, name);

  check (v == expected || fabs (v - expected) <= 1e-9 * fabs (expected),
      "%s is %.17g, not %.17g", name, v, expected);
}

/* Metas */

/* Every meta that went in came out once, and nothing else did but the figures'
 * and the memory's. */
static GstStructure *
check_metas (const Frame * frame, GstBuffer * buffer)
{
  GstStructure *report = NULL;
  guint seen = 0;
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta (buffer, &state)) != NULL) {
    GType api = meta->info->api;
    guint bit = 0, token = frame->token;

    if (api == GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE) {
      GstVideoRegionOfInterestMeta *roi = (GstVideoRegionOfInterestMeta *) meta;

      bit = META_ROI;
      token = roi->x;
      check (roi->w == 7 && gst_video_region_of_interest_meta_get_param (roi,
              "fuzz") != NULL, "a region of interest was changed");
    } else if (api == GST_VIDEO_CROP_META_API_TYPE) {
      bit = META_CROP;
      token = ((GstVideoCropMeta *) meta)->x;
    } else if (api == GST_REFERENCE_TIMESTAMP_META_API_TYPE) {
      bit = META_REFERENCE;
      token = ((GstReferenceTimestampMeta *) meta)->timestamp;
    } else if (gst_meta_info_is_custom (meta->info)) {
      GstStructure *s =
          gst_custom_meta_get_structure ((GstCustomMeta *) meta);

      if (gst_custom_meta_has_name ((GstCustomMeta *) meta, NAME)) {
        check (report == NULL, "a buffer has the figures twice");
        report = s;
        continue;
      }
      bit = META_CUSTOM;
      gst_structure_get_uint (s, "token", &token);
    } else {
      check (api == GST_VIDEO_META_API_TYPE
          || api == GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE,
          "a buffer has a meta %s that nobody put there", g_type_name (api));
      continue;
    }
    check (!(seen & bit), "a meta came out twice: %s", g_type_name (api));
    check (token == frame->token, "a meta says %u, not %u: %s", token,
        frame->token, g_type_name (api));
    seen |= bit;
  }
  check (seen == (frame->metas & ~META_FIGURES),
      "metas %x came out of %x", seen, frame->metas & ~META_FIGURES);
  return report;
}

/* Samples */

static gboolean
near_enough (const Frame * f, const Choice * choice, gint c, gint i, gint v)
{
  gint defined = f->out.v[c][i], slack = f->slack.v[c] ? f->slack.v[c][i] : 0;

  if (f->slack.v[c] == NULL || choice->view == BDCT_VIEW_ORIGINAL)
    return v == picture_view (&f->shape, choice, &f->in, &f->out, c,
        i % f->shape.w[c], i / f->shape.w[c]);
  /* dct-8x8: only the reconstruction itself has a tolerance of its own. */
  if (choice->view != BDCT_VIEW_RECONSTRUCTION
      || (choice->grid && c == 0))
    return TRUE;
  return ref_agrees (v, defined, slack);
}

/* Of R, G and B: whole pictures where they are known, and always the bytes that
 * are no colour. */
static void
check_pixels (const Frame * f, const Choice * choice, const Samples * got)
{
  const gint bytes = f->shape.rgb->bytes, row = f->shape.row[0];
  const gint *offset = f->shape.rgb->offset;
  const guint8 *all = f->slack.v[0] == NULL
      || choice->view == BDCT_VIEW_ORIGINAL
      ? picture_view_pixels (choice, &f->in, &f->out) : NULL;

  for (gint i = 0; i < f->shape.n_planes * row * f->shape.height; i++) {
    const gint k = i % row % bytes;
    const gboolean is_colour = bytes < 4 || k == offset[0] || k == offset[1]
        || k == offset[2];
    const guint8 *known = is_colour ? all : f->in.pixels;

    if (known != NULL && got->pixels[i] != known[i])
      fail ("byte %d of pixel (%d, %d) of view %d is %d, not %d, in %s %dx%d, "
          "chroma %d", k, i % row / bytes, i / row, choice->view,
          got->pixels[i], known[i], f->shape.format, f->shape.width,
          f->shape.height, f->shape.chroma);
  }
}

static void
check_samples (const Frame * f, const Choice * choice, const Samples * got)
{
  if (f->shape.rgb != NULL) {
    check_pixels (f, choice, got);
    return;
  }
  for (gint c = 0; c < f->shape.n_components; c++)
    for (gint i = 0; i < f->shape.w[c] * f->shape.h[c]; i++)
      if (!near_enough (f, choice, c, i, got->v[c][i]))
        fail ("component %d (%d, %d) of view %d is %d, not %d, in %s %dx%d", c,
            i % f->shape.w[c], i / f->shape.w[c], choice->view, got->v[c][i],
            picture_view (&f->shape, choice, &f->in, &f->out, c,
                i % f->shape.w[c], i / f->shape.w[c]), f->shape.format,
            f->shape.width, f->shape.height);
}

/* Figures */

static gdouble
psnr (gdouble mse, gint depth)
{
  gdouble peak = (1 << depth) - 1;

  return mse == 0 ? INFINITY : 10 * log10 (peak * peak / mse);
}

/* The squared errors of what came out, where that is all dct-8x8 is held to. */
static guint64
measure (const Frame * f, gint c, const Samples * got)
{
  guint64 sse = 0;

  for (gint i = 0; i < f->shape.w[c] * f->shape.h[c]; i++) {
    gint64 e = got->v[c][i] - f->in.v[c][i];

    sse += e * e;
  }
  return sse;
}

/* Those of R, G and B; whether there are any errors. dct-8x8 is held to its
 * planes alone: then they are taken at their word. */
static gboolean
check_rgb_figures (const Frame * f, const GstStructure * s, gboolean real,
    Figures * figures)
{
  static const gchar *mse[] = { "mse-r", "mse-g", "mse-b" };
  static const gchar *names[] = { "psnr-r", "psnr-g", "psnr-b" };
  const gdouble n = figures->samples[0];
  gboolean any = FALSE;

  for (gint k = 0; k < 3; k++) {
    if (f->shape.rgb == NULL) {
      check (!gst_structure_has_field (s, mse[k])
          && !gst_structure_has_field (s, names[k]),
          "figures of R, G and B, which are not there");
      continue;
    }
    if (real)
      figures->rgb_sse[k] = llround (field_double (s, mse[k]) * n);
    expect_double (s, mse[k], figures->rgb_sse[k] / n);
    expect_double (s, names[k], psnr (figures->rgb_sse[k] / n, 8));
    any |= figures->rgb_sse[k] > 0;
  }
  return any;
}

static void
check_figures (const Frame * f, const Choice * choice, GstStructure * s,
    Figures * figures, const Samples * got)
{
  static const gchar *mse[] = { "mse-y", "mse-u", "mse-v" };
  static const gchar *names[] = { "psnr-y", "psnr-u", "psnr-v" };
  gboolean real = choice->params.transform == BDCT_DCT_8X8, identical;
  gboolean plain = choice->view == BDCT_VIEW_RECONSTRUCTION && !choice->grid
      && !choice->overlay && f->shape.rgb == NULL;
  gboolean rgb;
  guint64 sse = 0, samples = 0;
  gdouble nonzero = field_double (s, "nonzero");

  for (gint c = 0; c < 3; c++) {
    if (c >= f->shape.n_components) {
      check (!gst_structure_has_field (s, mse[c])
          && !gst_structure_has_field (s, names[c]),
          "figures of a plane that is not there");
      continue;
    }
    if (real)
      figures->sse[c] = plain ? measure (f, c, got)
          : (guint64) llround (field_double (s, mse[c]) * figures->samples[c]);
    expect_double (s, mse[c],
        (gdouble) figures->sse[c] / figures->samples[c]);
    expect_double (s, names[c],
        psnr ((gdouble) figures->sse[c] / figures->samples[c],
            f->shape.depth));
    sse += figures->sse[c];
    samples += figures->samples[c];
  }
  rgb = check_rgb_figures (f, s, real, figures);
  expect_double (s, "mse", (gdouble) sse / samples);
  expect_double (s, "psnr", psnr ((gdouble) sse / samples, f->shape.depth));
  check (gst_structure_get_boolean (s, "identical", &identical)
      && identical == (sse == 0 && !rgb), "'identical' is wrong");
  if (real) {
    gdouble n = nonzero * figures->levels;

    check (fabs (n - figures->nonzero) <= figures->unsure + 1e-6,
        "%g levels are not 0, of %" G_GUINT64_FORMAT " or %" G_GUINT64_FORMAT
        " more or less", n, figures->nonzero, figures->unsure);
    figures->nonzero = llround (n);
  }
  expect_double (s, "nonzero", (gdouble) figures->nonzero / figures->levels);
}

/* B has figures if there is one: those of its parameters alone. */
static void
check_second (const Frame * f, const Choice * choice, const GstStructure * s)
{
  BdctParams b = model_b (choice);
  gint setting = b.transform >= BDCT_HEVC_DST_4X4 ? b.qp : b.quality;
  BdctCounters total;
  BdctStats stats;

  check (gst_structure_has_field (s, "b-psnr") == (choice->b > 0),
      "B's figures are there, or not");
  if (choice->b == 0 || (b.transform == BDCT_DCT_8X8 && on_cuda ()))
    return;
  picture_sweep (&f->shape, &b, &f->in, &setting, 1, &stats);
  total = bdct_stats_total (&stats);
  expect_double (s, "b-mse", bdct_mse (&total));
  expect_double (s, "b-mse-y", bdct_mse (&stats.component[BDCT_Y]));
  check (g_strcmp0 (gst_structure_get_string (s, "b-transform"),
          bdct_transform_info (b.transform)->name) == 0,
      "B's transform is not %s", bdct_transform_info (b.transform)->name);
}

/* The engine's arithmetic is known but where it is a GPU's floating point. */
static gboolean
is_known (const BdctParams * params)
{
  return params->transform != BDCT_DCT_8X8 || !on_cuda ();
}

static gboolean
is_exact (const Frame * f, const BdctParams * params)
{
  return params->transform == BDCT_JPEG_8X8 && f->shape.depth == 8;
}

/* The setting that keeps the target: of all, the coarsest for a PSNR, the
 * finest for bits or bytes; else the nearest. */
static gint
find_target (const Frame * f, const Choice * c, gboolean * met)
{
  gint first = model_first (c->params.transform), settings[100];
  gint n = model_last (c->params.transform) - first + 1, nearest = 0;
  gboolean finer_first = (c->psnr > 0) == (first == 0);
  BdctStats stats[100];
  gdouble best = INFINITY;

  for (gint i = 0; i < n; i++)
    settings[i] = finer_first ? first + n - 1 - i : first + i;
  picture_sweep (&f->shape, &c->params, &f->in, settings, n, stats);
  for (gint i = 0; i < n; i++) {
    BdctCounters total = bdct_stats_total (&stats[i]);
    gdouble size = is_exact (f, &c->params) ? (gdouble) stats[i].file_size
        : total.bits / 8.0;
    gdouble by = c->psnr > 0
        ? c->psnr - bdct_psnr (bdct_mse (&total), f->shape.depth)
        : c->bpp > 0 ? (gdouble) total.bits
        / (f->shape.w[0] * f->shape.h[0]) - c->bpp : size - c->size;

    if (by < best || i == 0)
      nearest = i;
    best = MIN (best, by);
    if (by <= 0)
      break;
  }
  *met = best <= 0;
  return settings[nearest];
}

/* What the target makes of the parameters. */
static void
apply_target (World * w, const Frame * f, const GstStructure * s,
    Choice * choice)
{
  gboolean has = model_has_target (choice) && model_may_sweep (choice);
  gboolean met = FALSE, said = FALSE;
  gint *setting = model_first (choice->params.transform) == 0
      ? &choice->params.qp : &choice->params.quality;

  check (gst_structure_get_boolean (s, "target-met", &said) == has,
      "target-met is there or not: %s", gst_structure_to_string (s));
  if (!has)
    return;
  if (is_known (&choice->params))
    *setting = find_target (f, choice, &met);
  else if (!gst_structure_get_int (s, "quality", setting))
    fail ("no quality");
  check (said == met || !is_known (&choice->params), "target-met is %d", said);
  w->missed |= !said;
}

/* What the report says was done; with several threads that is all there is to
 * go by. */
static void
find_choice (World * w, const Frame * f, const GstStructure * s,
    Choice * choice)
{
  const gchar *transform = gst_structure_get_string (s, "transform");
  gboolean has_qp;
  gint v;

  check (transform != NULL && (gst_structure_get_int (s, "qp", &v)
          || gst_structure_get_int (s, "quality", &v)),
      "no transform, or neither quality nor qp");
  has_qp = strcmp (transform, "jpeg-8x8") != 0
      && strcmp (transform, "dct-8x8") != 0;
  check (gst_structure_has_field (s, "qp") == has_qp
      && gst_structure_has_field (s, "quality") == !has_qp,
      "qp or quality, of %s", transform);
  *choice = f->choice;
  if (f->any_settings) {
    gint n = group_find (transform, v);

    check (n >= 0, "%s and %d were never set together", transform, v);
    group_params (n, &choice->params);
    threads_seen (w, n);
    return;
  }
  apply_target (w, f, s, choice);
  check (strcmp (transform,
          bdct_transform_info (choice->params.transform)->name) == 0,
      "the transform is %s, not %s", transform,
      bdct_transform_info (choice->params.transform)->name);
  check (v == (has_qp ? choice->params.qp : choice->params.quality),
      "%s is %d, not %d", has_qp ? "qp" : "quality", v,
      has_qp ? choice->params.qp : choice->params.quality);
}

static void
check_times (World * w, const Frame * f, const GstStructure * s)
{
  GstClockTime duration = f->duration;

  if (!GST_CLOCK_TIME_IS_VALID (duration) && f->info.fps_n > 0)
    duration = gst_util_uint64_scale_int (GST_SECOND, f->info.fps_d,
        f->info.fps_n);
  expect_uint64 (s, "timestamp", f->pts);
  expect_uint64 (s, "stream-time", f->stream_time);
  expect_uint64 (s, "running-time", f->running_time);
  expect_uint64 (s, "duration", duration);
  expect_uint64 (s, "index", w->records->len);
  expect_uint64 (s, "frames", 1);
  check (g_strcmp0 (gst_structure_get_string (s, "type"), "frame") == 0,
      "the meta is no frame's");
}

static void
check_buffer (const Frame * f, GstBuffer * b)
{
  /* The base class looks after GAP, and DISCONT after a flush. */
  guint mask = GST_BUFFER_FLAG_TAG_MEMORY | GST_BUFFER_FLAG_GAP
      | GST_BUFFER_FLAG_DISCONT;
  guint flags = GST_BUFFER_FLAGS (b);

  check (GST_BUFFER_OFFSET (b) == f->serial,
      "frame %" G_GUINT64_FORMAT " came out in place of %" G_GUINT64_FORMAT,
      GST_BUFFER_OFFSET (b), f->serial);
  check (GST_BUFFER_PTS (b) == f->pts && GST_BUFFER_DTS (b) == f->dts
      && GST_BUFFER_DURATION (b) == f->duration
      && GST_BUFFER_OFFSET_END (b) == f->offset_end, "times were changed");
  check ((flags & ~mask) == (f->flags & ~mask), "flags are %x, not %x",
      flags & ~mask, f->flags & ~mask);
  check (flags & GST_BUFFER_FLAG_DISCONT || !(f->flags
          & GST_BUFFER_FLAG_DISCONT), "DISCONT was lost");
}

/* The input is somebody else's, and is only read. */
static void
check_input (const Frame * f)
{
  const gchar *why;
  Samples now;

  picture_read (&f->shape, &f->info, f->held, &now, &why);
  if (f->shape.rgb != NULL)
    check (memcmp (now.pixels, f->in.pixels, (gsize) f->shape.n_planes
            * f->shape.row[0] * f->shape.height) == 0,
        "the input was written to");
  for (gint c = 0; c < f->shape.n_components && f->shape.rgb == NULL; c++)
    for (gint i = 0; i < f->shape.w[c] * f->shape.h[c]; i++)
      check (MIN (now.v[c][i], (1 << f->shape.depth) - 1) == f->in.v[c][i],
          "the input was written to");
  samples_clear (&now);
}

/* What the frame costs, and its curve. */
static void
add_rate (const Frame * f, const Choice * c, Record * record)
{
  const BdctParams *params = &c->params;
  gint first = model_first (params->transform);
  gint n = model_last (params->transform) - first + 1;
  gint setting = first == 0 ? params->qp : params->quality;

  record->rate = !c->rate ? 0 : !is_known (params) ? -1
      : is_exact (f, params) ? 2 : 1;
  if (record->rate > 0)
    picture_sweep (&f->shape, params, &f->in, &setting, 1, &record->stats);
  if (!c->post || c->n_curve == 0 || !model_may_sweep (c))
    return;
  record->n_curve = c->n_curve < 0 ? n : c->n_curve;
  if (!is_known (params))
    return;
  record->curve = g_new (gint, record->n_curve);
  record->curve_stats = g_new (BdctStats, record->n_curve);
  for (gint i = 0; i < record->n_curve; i++)
    record->curve[i] = c->n_curve < 0 ? first + i : c->curve[i];
  picture_sweep (&f->shape, params, &f->in, record->curve, record->n_curve,
      record->curve_stats);
}

static void
keep_record (World * w, const Frame * f, const GstStructure * s,
    const Figures * figures)
{
  Record *record = g_new0 (Record, 1);
  gboolean below;

  record->report = gst_structure_copy (s);
  memcpy (record->samples, figures->samples, sizeof record->samples);
  memcpy (record->sse, figures->sse, sizeof record->sse);
  memcpy (record->rgb_sse, figures->rgb_sse, sizeof record->rgb_sse);
  record->pixels = f->shape.rgb != NULL ? figures->samples[0] : 0;
  record->levels = figures->levels;
  record->nonzero = figures->nonzero;
  record->psnr = field_double (s, "psnr");
  record->depth = f->shape.depth;
  record->post = f->choice.post && !f->any_settings;
  record->in_interval = f->choice.interval > 0;
  record->excused = f->excused;
  below = record->psnr < f->choice.min_psnr;
  w->below_due += below && !w->below;
  w->below = below;
  if (f->excused)
    record->rate = -1;
  else
    add_rate (f, &f->choice, record);
  if (!f->excused)
    check_rate (s, record->rate, &record->stats);
  record->pool_start = w->new_pool || w->records->len == 0
      || ((Record *) g_ptr_array_index (w->records, w->records->len
              - 1))->depth != record->depth;
  /* A depth's end that nobody was told of may have taken drops with it. */
  w->drops_unsure |= record->pool_start && !w->new_pool && !record->post;
  w->new_pool = FALSE;
  if (w->first_depth == 0)
    w->first_depth = record->depth;
  else if (w->first_depth != record->depth)
    w->first_depth = -1;
  g_ptr_array_add (w->records, record);
}

/* Of a frame whose content is not known, the report is taken at its word. */
static void
believe (World * w, const Frame * f, const GstStructure * s)
{
  static const gchar *mse[] = { "mse-y", "mse-u", "mse-v" };
  Figures figures = {.levels = 1 };
  gdouble v;

  for (gint c = 0; c < f->shape.n_components; c++) {
    figures.samples[c] = f->shape.w[c] * f->shape.h[c];
    if (gst_structure_get_double (s, mse[c], &v))
      figures.sse[c] = llround (v * figures.samples[c]);
  }
  keep_record (w, f, s, &figures);
}

void
check_frame (World * w, Frame * f, GstBuffer * buffer)
{
  GstStructure *report;
  const gchar *why;
  Figures figures;
  Choice choice;
  Samples got;

  if (f->excused) {
    GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, NAME);

    if (meta != NULL && !f->passed)
      believe (w, f, gst_custom_meta_get_structure (meta));
    return;
  }
  check_buffer (f, buffer);
  report = check_metas (f, buffer);
  check (report != NULL, "a buffer has no figures");
  check_times (w, f, report);
  find_choice (w, f, report, &choice);
  picture_transform (&f->shape, &choice.params, &f->in, &f->out, &f->slack,
      &figures, on_cuda ());
  check (picture_read (&f->shape, &f->info, buffer, &got, &why),
      "the output %s", why);
  if (f->any_settings)
    choice.overlay = TRUE;      /* who knows what was shown */
  check_figures (f, &choice, report, &figures, &got);
  if (!f->any_settings)
    check_second (f, &choice, report);
  if (!choice.overlay && picture_view_known (&choice))
    check_samples (f, &choice, &got);
  samples_clear (&got);
  if (f->held != NULL)
    check_input (f);
  f->choice.params = choice.params;
  keep_record (w, f, report, &figures);
}

/* Clicks */

static gint
item (const GstStructure * s, const gchar * name, const gchar * suffix, guint i)
{
  gchar *full = g_strconcat (name, suffix, NULL);
  const GValue *array = gst_structure_get_value (s, full);
  gint v;

  check (array != NULL && gst_value_array_get_size (array) > i,
      "a block has no %s[%u]", full, i);
  v = g_value_get_int (gst_value_array_get_value (array, i));
  g_free (full);
  return v;
}

static gint
place (const GstStructure * s, const gchar * name, const gchar * suffix)
{
  gchar *full = g_strconcat (name, suffix, NULL);
  gint v = -1;

  check (gst_structure_get_int (s, full, &v), "a block has no %s", full);
  g_free (full);
  return v;
}

void
check_block (World * w, const Frame * f, gdouble x, gdouble y)
{
  static const gchar *suffix[] = { "", "-u", "-v" };
  gint lx = x, ly = y;

  picture_origin (&f->shape, &f->choice, &lx, &ly);
  expect_uint64 (w->block, "timestamp", f->pts);
  /* B's are not known here, sample by sample. */
  if (g_strcmp0 (gst_structure_get_string (w->block, "side"), "b") == 0)
    return;
  for (gint c = 0; c < f->shape.n_components; c++) {
    gint width = f->shape.w[c], height = f->shape.h[c];
    gint columns = f->shape.columns[c];
    gint cx = c > 0 ? lx >> f->shape.sub_x : lx;
    gint cy = c > 0 ? ly >> f->shape.sub_y : ly;
    gint size = f->choice.params.transform == BDCT_HEVC_QUADTREE
        ? place (w->block, "size", suffix[c])
        : ref_block_size (f->choice.params.transform, f->shape.chroma, c);
    gint left = place (w->block, "x", suffix[c]);
    gint top = place (w->block, "y", suffix[c]);

    check (size >= 4 && place (w->block, "size", suffix[c]) == size
        && left == cx / size * size && top == cy / size * size,
        "component %d: block (%d, %d), where (%d, %d) was clicked", c, left,
        top, cx, cy);
    for (gint i = 0; i < size * size; i++) {
      gint sx = left + i % size, sy = top + i / size;
      gint at = MIN (sy, height - 1) * columns + MIN (sx, columns - 1);

      check (item (w->block, "samples", suffix[c], i) == f->in.v[c][at],
          "component %d: sample %d of a block is wrong", c, i);
      check (sx >= width || sy >= height || f->slack.v[c] != NULL
          || item (w->block, "reconstruction", suffix[c], i)
          == f->out.v[c][sy * width + sx],
          "component %d: reconstructed sample %d of a block is wrong", c, i);
    }
  }
}
