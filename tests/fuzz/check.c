/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A buffer that came out, against what went in and the definitions. */
#include "fuzz.h"

#include <math.h>
#include <string.h>
#include "check/reference.h"

#define NAME "blockdct"

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

/* Of R, G and B, and of bytes that are no colour: those that are known. */
static void
check_pixels (const Frame * f, const Choice * choice,
    const Pictures * pictures, const Samples * got)
{
  const Shape *s = &f->shape;
  const gint bytes = s->rgb->bytes, row = s->row[0];
  guint8 v;

  for (gint i = 0; i < s->n_planes * row * s->height; i++) {
    const gint x = i % row / bytes, y = i / row % s->height;

    if (view_byte (s, choice, pictures, i / row / s->height, i % row % bytes, x,
            y, &v) && got->pixels[i] != v)
      fail ("byte %d of pixel (%d, %d) of view %d, zoom %g, is %d, not %d, in "
          "%s %dx%d, chroma %d", i % row % bytes, x, i / row, choice->view,
          choice->zoom, got->pixels[i], v, s->format, s->width, s->height,
          s->chroma);
  }
}

static void
check_samples (const Frame * f, const Choice * choice,
    const Pictures * pictures, const Samples * got)
{
  const Shape *s = &f->shape;

  if (s->rgb != NULL) {
    check_pixels (f, choice, pictures, got);
    return;
  }
  for (gint c = 0; c < s->n_components; c++)
    for (gint i = 0; i < s->w[c] * s->h[c]; i++) {
      const gint x = i % s->w[c], y = i / s->w[c];
      gint slack, v = view_sample (s, choice, pictures, c, x, y, &slack);

      if (!ref_agrees (got->v[c][i], v, slack))
        fail ("component %d (%d, %d) of view %d of %d and %d, zoom %g, is %d, "
            "not %d, in %s %dx%d", c, x, y, choice->view, choice->left,
            choice->right, choice->zoom, got->v[c][i], v, s->format, s->width,
            s->height);
    }
}

/* What became of it as B, if there is one. */
static void
make_b (const Frame * f, const Choice * choice, Samples * b, Samples * slack)
{
  const BdctParams params = model_b (choice);
  Figures figures;

  picture_transform (&f->shape, &params, &f->in, b, slack, &figures,
      on_cuda ());
}

/* A flicker changes every half a second. */
static gboolean
is_second (const Frame * f)
{
  return GST_CLOCK_TIME_IS_VALID (f->stream_time)
      && f->stream_time / (GST_SECOND / 2) % 2 == 1;
}

/* Whether there is something on it: the overlay, the magnifier, what a map's
 * colours stand for, or the values of samples that are enlarged as much as they
 * can be. */
static gboolean
is_written_on (const Frame * f, const Choice * choice)
{
  return choice->overlay || choice->magnifier
      || view_zoom (choice) == BDCT_VIEW_MAX_ZOOM
      || (choice->view >= BDCT_VIEW_ERROR_MAP
      && MIN (f->shape.width, f->shape.height) >= 96);
}

static void
check_view (const Frame * f, const Choice * choice, const Samples * got)
{
  Samples b = { 0 }, slack = { 0 };
  const Pictures pictures = {
    .sample = {&f->in, &f->out, &b},.slack = {NULL, &f->slack, &slack},
    .second = is_second (f)
  };

  if (is_written_on (f, choice))
    return;
  if (view_shows_b (choice, &pictures))
    make_b (f, choice, &b, &slack);
  check_samples (f, choice, &pictures, got);
  samples_clear (&b);
  samples_clear (&slack);
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
    check_costs (f, &f->choice, record);
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
  check_choice (w, f, report, &choice);
  picture_transform (&f->shape, &choice.params, &f->in, &f->out, &f->slack,
      &figures, on_cuda ());
  check (picture_read (&f->shape, &f->info, buffer, &got, &why),
      "the output %s", why);
  if (f->any_settings)
    choice.overlay = TRUE;      /* who knows what was shown */
  check_figures (f, &choice, report, &figures, &got);
  if (!f->any_settings)
    check_second (f, &choice, report);
  check_view (f, &choice, &got);
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

/* A block of each component, of what became of the frame. */
static void
check_components (const Frame * f, const GstStructure * s,
    const BdctParams * params, const Samples * out, const Samples * slack,
    gint lx, gint ly)
{
  static const gchar *suffix[] = { "", "-u", "-v" };

  for (gint c = 0; c < f->shape.n_components; c++) {
    gint width = f->shape.w[c], height = f->shape.h[c];
    gint columns = f->shape.columns[c];
    gint cx = c > 0 ? lx >> f->shape.sub_x : lx;
    gint cy = c > 0 ? ly >> f->shape.sub_y : ly;
    gint size = params->transform == BDCT_HEVC_QUADTREE
        ? place (s, "size", suffix[c])
        : ref_block_size (params->transform, f->shape.chroma, c);
    gint left = place (s, "x", suffix[c]), top = place (s, "y", suffix[c]);

    check (size >= 4 && place (s, "size", suffix[c]) == size
        && left == cx / size * size && top == cy / size * size,
        "component %d: block (%d, %d), where (%d, %d) was clicked", c, left,
        top, cx, cy);
    for (gint i = 0; i < size * size; i++) {
      gint sx = left + i % size, sy = top + i / size;
      gint at = MIN (sy, height - 1) * columns + MIN (sx, columns - 1);

      check (item (s, "samples", suffix[c], i) == f->in.v[c][at],
          "component %d: sample %d of a block is wrong", c, i);
      check (sx >= width || sy >= height || slack->v[c] != NULL
          || item (s, "reconstruction", suffix[c], i)
          == out->v[c][sy * width + sx],
          "component %d: reconstructed sample %d of a block is wrong", c, i);
    }
  }
}

void
check_block (World * w, const Frame * f, gdouble x, gdouble y)
{
  const Choice *choice = &f->choice;
  const gchar *side = gst_structure_get_string (w->block, "side");
  const Pictures pictures = {.second = is_second (f) };
  gint lx = x, ly = y;
  gboolean of_b = view_origin (&f->shape, choice, &pictures, &lx, &ly)
      == BDCT_SIDE_B;

  expect_uint64 (w->block, "timestamp", f->pts);
  check (g_strcmp0 (side, choice->b == 0 ? NULL : of_b ? "b" : "a") == 0,
      "a block is of %s", side);
  if (of_b) {
    BdctParams params = model_b (choice);
    Samples b, slack;

    make_b (f, choice, &b, &slack);
    check_components (f, w->block, &params, &b, &slack, lx, ly);
    samples_clear (&b);
    samples_clear (&slack);
  } else {
    check_components (f, w->block, &choice->params, &f->out, &f->slack, lx,
        ly);
  }
}
