/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A buffer that came out, against what went in and the definitions. */
#include "fuzz.h"

#include <math.h>
#include <string.h>
#include "tests/unit/reference.h"

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

/* Samples. Grids of a tree, coefficients and maps are not known here. */

/* Whether a block's border is there, in planes alone. */
static gboolean
is_border (const Shape * s, const Choice * choice, gint x, gint y)
{
  gint size;

  if (!choice->grid)
    return FALSE;
  size = ref_block_size (choice->params.transform, s->chroma, BDCT_Y);
  return x % size == 0 || y % size == 0;
}

static gboolean
is_view_known (const Choice * choice)
{
  return choice->view <= VIEW_ORIGINAL && !(choice->grid
      && choice->params.transform == BDCT_HEVC_QUADTREE);
}

/* Of R, G and B, and of bytes that are no colour, which are the original's:
 * those that are known. */
static void
check_pixels (const Frame * f, const Choice * choice, const Samples * got)
{
  const Shape *s = &f->shape;
  const gint bytes = s->rgb->bytes, row = s->row[0];
  const gint *offset = s->rgb->offset;
  const gboolean is_known = choice->view <= VIEW_ORIGINAL && !choice->grid;
  const gboolean is_out = choice->view == VIEW_RECONSTRUCTION;

  for (gint i = 0; i < s->n_planes * row * s->height; i++) {
    const gint k = i % row % bytes;
    const gboolean is_colour = bytes < 4 || k == offset[0] || k == offset[1]
        || k == offset[2];
    const guint8 v = is_colour && is_out ? f->out.pixels[i] : f->in.pixels[i];

    if (is_colour && (!is_known || (is_out && f->slack.v[0] != NULL)))
      continue;
    if (got->pixels[i] != v)
      fail ("byte %d of pixel (%d, %d) of view %s is %d, not %d, in %s %dx%d, "
          "chroma %d", k, i % row / bytes, i / row, view_names[choice->view],
          got->pixels[i], v, s->format, s->width, s->height, s->chroma);
  }
}

static void
check_view (const Frame * f, const Choice * choice, const Samples * got)
{
  const Shape *s = &f->shape;
  const Samples *shown = choice->view == VIEW_RECONSTRUCTION ? &f->out
      : &f->in;
  const gint middle = 1 << (s->depth - 1);

  if (s->rgb != NULL) {
    check_pixels (f, choice, got);
    return;
  }
  for (gint c = 0; c < s->n_components && is_view_known (choice); c++)
    for (gint i = 0; i < s->w[c] * s->h[c]; i++) {
      const gint x = i % s->w[c], y = i / s->w[c];
      gint slack = shown == &f->out && f->slack.v[c] != NULL
          ? f->slack.v[c][i] : 0, v = shown->v[c][i];

      if (c == 0 && is_border (s, choice, x, y)) {
        v += v >= middle ? -middle / 2 : middle / 2;
        /* What is near is not what is made of it. */
        slack = slack > 0 ? REF_ANY : 0;
      }
      if (!ref_agrees (got->v[c][i], v, slack))
        fail ("component %d (%d, %d) of view %s is %d, not %d, in %s %dx%d", c,
            x, y, view_names[choice->view], got->v[c][i], v, s->format,
            s->width, s->height);
    }
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
  check_figures (f, &choice, report, &figures, &got);
  if (!f->any_settings)
    check_view (f, &choice, &got);
  samples_clear (&got);
  if (f->held != NULL)
    check_input (f);
  f->choice.params = choice.params;
  keep_record (w, f, report, &figures);
}
