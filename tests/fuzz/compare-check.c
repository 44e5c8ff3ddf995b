/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pairs that came out, and what was said of them, against their samples. */
#include "compare.h"

#include <math.h>
#include <string.h>
#include "dct/engine/compare.h"

#define PSNR (1 << BDCT_N_METRICS)      /* of `metrics` */
#define SINGLE BDCT_VIEW_RECONSTRUCTION

void
record_free (gpointer data)
{
  Record *record = data;

  g_clear_pointer (&record->report, gst_structure_free);
  g_free (record);
}

static const gchar *
pad_name (guint input)
{
  return input_names[1 + input];
}

/* Figures */

void
check_measure (const Item * a, const Item * b, Record * record)
{
  const Shape *s = &a->shape;

  record->depth = s->depth;
  for (gint c = 0; c < s->n_components; c++) {
    record->samples[c] = s->w[c] * s->h[c];
    for (gint i = 0; i < s->w[c] * s->h[c]; i++) {
      const gint64 e =
          a->samples.v[c][i / s->w[c] * s->columns[c] + i % s->w[c]]
          - b->samples.v[c][i / s->w[c] * b->shape.columns[c] + i % s->w[c]];

      record->sse[c] += e * e;
    }
  }
  if (s->rgb == NULL)
    return;
  record->pixels = s->width * s->height;
  for (guint k = 0; k < 3; k++)
    for (guint64 i = 0; i < record->pixels; i++) {
      const gsize at = ((gsize) s->rgb->plane[k] * s->height
          + i / s->width) * s->row[0]
          + i % s->width * s->rgb->bytes + s->rgb->offset[k];
      const gint64 e = a->samples.pixels[at] - b->samples.pixels[at];

      record->rgb_sse[k] += e * e;
    }
}

gdouble
check_mse (const Record * record)
{
  guint64 sse = 0, samples = 0;

  for (guint c = 0; c < 3; c++) {
    sse += record->sse[c];
    samples += record->samples[c];
  }
  return samples > 0 ? (gdouble) sse / samples : 0;
}

static void
expect (const GstStructure * s, const gchar * name, gboolean there,
    gdouble expected)
{
  check (gst_structure_has_field (s, name) == there, "%s is there or not: %s",
      name, gst_structure_to_string (s));
  if (there)
    check (field_double (s, name) == expected, "%s is %.17g, not %.17g", name,
        field_double (s, name), expected);
}

void
check_figures (const Record * r, const GstStructure * s)
{
  static const gchar *const mse[] = { "mse-y", "mse-u", "mse-v" };
  static const gchar *const psnr[] = { "psnr-y", "psnr-u", "psnr-v" };
  static const gchar *const rgb[] = { "mse-r", "mse-g", "mse-b" };

  for (guint c = 0; c < 3; c++) {
    const gdouble e = r->samples[c] > 0 ? (gdouble) r->sse[c] / r->samples[c]
        : 0;

    expect (s, mse[c], r->samples[c] > 0, e);
    expect (s, psnr[c], r->samples[c] > 0, bdct_psnr (e, r->depth));
    expect (s, rgb[c], r->pixels > 0 && r->samples[0] > 0,
        r->pixels > 0 ? (gdouble) r->rgb_sse[c] / r->pixels : 0);
  }
  expect (s, "mse", r->samples[0] > 0, check_mse (r));
  expect (s, "psnr", r->samples[0] > 0, bdct_psnr (check_mse (r), r->depth));
}

/* What is to come */

static const gchar *
find_conflict (const Item * a, const Item * b)
{
  if (a->shape.width != b->shape.width || a->shape.height != b->shape.height)
    return "size";
  if (a->shape.depth != b->shape.depth)
    return "depth";
  if (a->shape.rgb != NULL || b->shape.rgb != NULL)
    return strcmp (a->shape.format, b->shape.format) != 0 ? "format" : NULL;
  return a->shape.chroma != b->shape.chroma ? "chroma subsampling" : NULL;
}

static gboolean
same_ratio (gint64 a, gint64 b, gint64 c, gint64 d)
{
  return a * d == b * c;
}

static const gchar *
find_difference (const GstVideoInfo * a, const GstVideoInfo * b)
{
  if (a->colorimetry.range != b->colorimetry.range)
    return "range";
  if (!gst_video_colorimetry_is_equal (&a->colorimetry, &b->colorimetry))
    return "colorimetry";
  if (a->chroma_site != b->chroma_site && a->chroma_site != 0
      && b->chroma_site != 0)
    return "chroma site";
  if (!same_ratio (a->par_n, a->par_d, b->par_n, b->par_d))
    return "pixel aspect ratio";
  if (GST_VIDEO_INFO_IS_INTERLACED (a) != GST_VIDEO_INFO_IS_INTERLACED (b))
    return "interlacing";
  return a->fps_n > 0 && b->fps_n > 0
      && !same_ratio (a->fps_n, a->fps_d, b->fps_n, b->fps_d) ? "framerate"
      : NULL;
}

static void
end_pool (World * w, guint i, gboolean post)
{
  Pool *pool;

  if (w->pool_first[i] == w->records[i]->len)
    return;
  if (post) {
    pool = g_new (Pool, 1);
    *pool = (Pool) {
    w->pool_first[i], w->records[i]->len - w->pool_first[i],
          w->unmatched[i] - w->pool_unmatched[i]};
    g_queue_push_tail (&w->pools[i], pool);
  }
  w->pool_first[i] = w->records[i]->len;
  w->pool_unmatched[i] = w->unmatched[i];
}

/* One input's figures of a pair. FALSE: they are too bad. */
static gboolean
announce (World * w, Pair * pair, guint i)
{
  const Settings *settings = &pair->settings;
  const gboolean measured = (settings->metrics & PSNR) != 0
      || settings->min_error > 0 || settings->min_warning > 0;
  Record *record = g_new0 (Record, 1), *before;
  gboolean below;
  gdouble psnr;

  check_measure (pair->item[0], pair->item[1 + i], record);
  psnr = measured ? bdct_psnr (check_mse (record), record->depth) : INFINITY;
  below = psnr < settings->min_warning;
  if (below && !(w->below >> i & 1))
    world_expect_warning (w, "%s: frame %u at", pad_name (i),
        w->records[i]->len);
  w->below = (w->below & ~(1u << i)) | (guint) below << i;
  if (!(settings->metrics & PSNR))
    memset (record->samples, 0, sizeof record->samples);
  record->post = settings->post;
  record->in_interval = settings->interval > 0;
  before = w->records[i]->len > 0 ? g_ptr_array_index (w->records[i],
      w->records[i]->len - 1) : NULL;
  if (before != NULL && before->depth != record->depth) {
    end_pool (w, i, settings->post);
    w->stats_first[i] = w->records[i]->len;
  }
  pair->record[i] = w->records[i]->len;
  g_ptr_array_add (w->records[i], record);
  return psnr >= settings->min_error;
}

gboolean
check_announce (World * w, Pair * pair)
{
  gboolean ok = TRUE;

  for (guint i = 0; i < N_DISTORTED; i++)
    pair->record[i] = -1;
  for (guint i = 0; i < N_DISTORTED; i++) {
    const Item *a = pair->item[0], *b = pair->item[1 + i];
    const gchar *difference;

    if (b == NULL)
      continue;
    if (find_conflict (a, b) != NULL) {
      w->eos_due++;
      return FALSE;
    }
    difference = find_difference (&a->info, &b->info);
    if (difference != NULL && world_warns_first (w, WARNED_CAPS + i))
      world_expect_warning (w, "%s and ref_sink differ in %s", pad_name (i),
          difference);
  }
  if (w->refuse)
    return FALSE;
  for (guint i = 0; i < N_DISTORTED; i++) {
    if (pair->item[1 + i] == NULL)
      continue;
    if (!pair->item[0]->is_view && !pair->item[1 + i]->is_view)
      ok = ok && announce (w, pair, i);
    else if (world_warns_first (w, WARNED_VIEW + i))
      world_expect_warning (w, "There are no figures for %s", pad_name (i));
  }
  memcpy (w->stats_unmatched, w->unmatched, sizeof w->unmatched);
  w->eos_due += !ok;
  return ok;
}

/* What came */

gint
check_side (const Pair * pair, gint side, gboolean right)
{
  gint present = 0;

  if (side < 0 || pair->item[1 + side] != NULL)
    return side;
  while (present < N_DISTORTED - 1 && pair->item[1 + present] == NULL)
    present++;
  return right ? present : -1;
}

GstStructure *
check_find (GstBuffer * buffer, guint input)
{
  GstStructure *found = NULL;
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta (buffer, &state)) != NULL) {
    GstStructure *s;

    if (!gst_meta_info_is_custom (meta->info)
        || !gst_custom_meta_has_name ((GstCustomMeta *) meta,
            "blockdct-compare"))
      continue;
    s = gst_custom_meta_get_structure ((GstCustomMeta *) meta);
    if (g_strcmp0 (gst_structure_get_string (s, "pad"),
            input_names[input]) != 0)
      continue;
    check (found == NULL, "a buffer has figures of %s twice",
        input_names[input]);
    found = s;
  }
  return found;
}

static void
check_samples (const Item * item, const GstVideoInfo * info, GstBuffer * buffer)
{
  const Shape *s = &item->shape;
  const gchar *why;
  Samples samples;

  /* Those that are cut off in `samples` pass, too. */
  if (item->dirty)
    return;
  check (picture_read (s, info, buffer, &samples, &why), "the picture that "
      "passes %s", why);
  for (gint c = 0; c < s->n_components && s->rgb == NULL; c++)
    check (memcmp (samples.v[c], item->samples.v[c],
            s->w[c] * s->h[c] * sizeof (gint)) == 0,
        "samples of the picture that passes have changed");
  if (s->rgb != NULL)
    check (memcmp (samples.pixels, item->samples.pixels,
            (gsize) s->n_planes * s->row[0] * s->height) == 0,
        "pixels of the picture that passes have changed");
  samples_clear (&samples);
}

void
check_output (World * w, const Pair * pair, const Output * output)
{
  const Item *reference = pair->item[0], *shown = reference;
  GstBuffer *buffer = output->buffer;
  GstVideoInfo info;

  check (GST_BUFFER_PTS (buffer) == reference->pts
      && GST_BUFFER_DURATION (buffer) == reference->duration
      && !GST_BUFFER_DTS_IS_VALID (buffer), "a frame came out at %"
      GST_TIME_FORMAT ", not at %" GST_TIME_FORMAT,
      GST_TIME_ARGS (GST_BUFFER_PTS (buffer)), GST_TIME_ARGS (reference->pts));
  check (output->time == reference->time, "a frame's running time is %"
      GST_TIME_FORMAT ", not %" GST_TIME_FORMAT, GST_TIME_ARGS (output->time),
      GST_TIME_ARGS (reference->time));
  check (output->caps != NULL && gst_video_info_from_caps (&info,
          output->caps), "a frame came out without caps");
  if (pair->settings.view == SINGLE)
    shown = pair->item[1 + check_side (pair, pair->settings.right, TRUE)];
  check (gst_video_info_is_equal (&info, &shown->info)
      || (on_cuda () && pair->settings.view != SINGLE),
      "caps that come out are %s, of a frame in %s",
      gst_caps_to_string (output->caps), shown->shape.format);
  if (pair->settings.view == SINGLE && !pair->settings.overlay)
    check_samples (shown, &info, buffer);
  else
    view_check (pair, &info, buffer);
  for (guint i = 0; i < N_DISTORTED; i++) {
    const GstStructure *s = check_find (buffer, 1 + i);
    Record *record;

    check ((s != NULL) == (pair->record[i] >= 0),
        "figures of %s are there or not", pad_name (i));
    if (s == NULL)
      continue;
    record = g_ptr_array_index (w->records[i], pair->record[i]);
    check_figures (record, s);
    expect_uint64 (s, "index", pair->record[i]);
    record->report = gst_structure_copy (s);
  }
}

/* Errors of several frames, added up. Means are kept frame by frame. */
static void
check_pool (World * w, guint i, const GstStructure * s, guint first, guint n)
{
  static const gchar *const mse[] = { "mse-y", "mse-u", "mse-v" };
  guint64 sse[3] = { 0 }, samples[3] = { 0 }, all_sse = 0, all = 0;
  gdouble lowest = INFINITY, highest = -INFINITY, mean = 0;
  guint measured = 0;
  gint depth = 0;

  for (guint k = first; k < first + n; k++) {
    const Record *r = g_ptr_array_index (w->records[i], k);
    const gdouble psnr = bdct_psnr (check_mse (r), r->depth);

    if (r->samples[0] == 0)
      continue;
    measured++;
    mean += psnr;
    lowest = MIN (lowest, psnr);
    highest = MAX (highest, psnr);
    depth = r->depth;
    for (guint c = 0; c < 3; c++) {
      sse[c] += r->sse[c];
      samples[c] += r->samples[c];
      all_sse += r->sse[c];
      all += r->samples[c];
    }
  }
  for (guint c = 0; c < 3; c++)
    expect (s, mse[c], samples[c] > 0,
        samples[c] > 0 ? (gdouble) sse[c] / samples[c] : 0);
  expect (s, "mse", all > 0, all > 0 ? (gdouble) all_sse / all : 0);
  if (all == 0)
    return;
  expect (s, "psnr", TRUE, bdct_psnr ((gdouble) all_sse / all, depth));
  expect (s, "psnr-min", TRUE, lowest);
  expect (s, "psnr-max", TRUE, highest);
  expect_double (s, "psnr-mean", mean / measured);
}

void
check_report (World * w, const GstStructure * s)
{
  const gchar *type = gst_structure_get_string (s, "type");
  guint i = 0, index, n;
  Record *record;
  Pool *pool;

  if (!gst_structure_has_name (s, "blockdct-compare"))
    return;
  while (g_strcmp0 (gst_structure_get_string (s, "pad"), pad_name (i)) != 0)
    check (++i < N_DISTORTED, "a message of no pad: %s",
        gst_structure_to_string (s));
  index = field_uint64 (s, "index");
  n = field_uint64 (s, "frames");
  check (n > 0 && index + n <= w->records[i]->len,
      "a message about %u frames from %u, of %u", n, index, w->records[i]->len);
  for (guint k = index; k < index + n && strcmp (type, "pooled") != 0; k++) {
    record = g_ptr_array_index (w->records[i], k);
    check (!record->posted && record->in_interval
        == (strcmp (type, "interval") == 0), "frame %u is in another message",
        k);
    record->posted = TRUE;
  }
  record = g_ptr_array_index (w->records[i], index);
  if (strcmp (type, "frame") == 0) {
    check (record->post, "a message of a frame without post-messages");
    check_figures (record, s);
    check (record->report == NULL || gst_structure_is_equal (s,
            record->report), "a message says other than the buffer");
    return;
  }
  if (strcmp (type, "pooled") == 0) {
    pool = g_queue_pop_head (&w->pools[i]);
    check (pool != NULL && pool->first == index && pool->n == n,
        "%u frames from %u of %s are pooled", n, index, pad_name (i));
    expect_uint64 (s, "unmatched", pool->unmatched);
    g_free (pool);
  }
  check_pool (w, i, s, index, n);
}

void
check_end (World * w)
{
  for (guint i = 0; i < N_DISTORTED; i++)
    end_pool (w, i, w->settings.post);
  memcpy (w->stats_unmatched, w->unmatched, sizeof w->unmatched);
}

void
check_stats (World * w)
{
  GstStructure *s;

  if (!w->playing)
    return;
  g_object_get (w->element, "stats", &s, NULL);
  for (guint i = 0; i < N_DISTORTED; i++) {
    const guint n = w->records[i]->len - w->stats_first[i];
    const GValue *v = gst_structure_get_value (s, pad_name (i));
    const GstStructure *of_pad;

    check (v != NULL || (i > 0 && w->records[i]->len + w->stats_unmatched[i]
            == 0), "stats has nothing of %s", pad_name (i));
    if (v == NULL)
      continue;
    of_pad = gst_value_get_structure (v);
    expect_uint64 (of_pad, "frames", n);
    expect_uint64 (of_pad, "unmatched", w->stats_unmatched[i]);
    if (n > 0)
      check_pool (w, i, of_pad, w->stats_first[i], n);
  }
  gst_structure_free (s);
}
