/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is said of several frames: messages, `stats`, and the file. */
#include "fuzz.h"
#include "dct/base/stats.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static void
expect (const GstStructure * s, const gchar * name, gdouble expected)
{
  gdouble v = 0;

  if (!gst_structure_get_double (s, name, &v))
    fail ("no double '%s' in %s", name, gst_structure_to_string (s));
  /* Means are kept frame by frame. */
  check (v == expected || fabs (v - expected) <= 1e-6 * fabs (expected),
      "%s: %s is %.12g, not %.12g", gst_structure_get_string (s, "type"), name,
      v, expected);
}

void
record_free (gpointer data)
{
  Record *record = data;

  gst_structure_free (record->report);
  g_free (record->curve);
  g_free (record->curve_stats);
  g_free (record);
}

static void
expect_none (const GstStructure * s, const gchar * name)
{
  check (!gst_structure_has_field (s, name), "%s should not be there", name);
}

void
check_rate (const GstStructure * s, gint rate, const BdctStats * stats)
{
  static const gchar *exact[] = { "bits-y", "bits-u", "bits-v" };
  static const gchar *estimated[] = { "bits-estimated-y", "bits-estimated-u",
    "bits-estimated-v"
  };
  guint64 bits = bdct_stats_total (stats).bits;

  if (rate < 0)
    return;
  for (gint c = 0; c < 3; c++) {
    const BdctCounters *counters = &stats->component[c];

    if (rate == 2 && counters->samples > 0)
      check (field_uint64 (s, exact[c]) == counters->bits, "%s is wrong",
          exact[c]);
    else
      expect_none (s, exact[c]);
    if (rate == 1 && counters->samples > 0)
      expect (s, estimated[c], counters->bits);
    else
      expect_none (s, estimated[c]);
  }
  if (rate == 2)
    check (field_uint64 (s, "bits") == bits
        && field_uint64 (s, "bits-optimized") == stats->bits_optimized
        && field_uint64 (s, "file-size") == stats->file_size
        && field_uint64 (s, "file-size-optimized")
        == stats->file_size_optimized,
        "bits or sizes are wrong: %s", gst_structure_to_string (s));
  else
    expect_none (s, "bits");
  if (rate == 1)
    expect (s, "bits-estimated", bits);
  else
    expect_none (s, "bits-estimated");
  if (rate > 0)
    expect (s, "bpp", (gdouble) bits / stats->component[0].samples);
  else
    expect_none (s, "bpp");
}

/* A curve's entries against single runs. */
void
check_curve (World * w, const GstStructure * s)
{
  const GValue *settings, *bits, *psnr;
  guint64 index = 0;
  Record *record;

  index = field_uint64 (s, "index");
  check (index < w->records->len, "a curve of frame %u, of %u", (guint) index,
      w->records->len);
  record = g_ptr_array_index (w->records, index);
  check (!record->curve_posted, "frame %u has two curves", (guint) index);
  record->curve_posted = TRUE;
  if (record->excused)
    return;
  settings = gst_structure_get_value (s, "setting");
  psnr = gst_structure_get_value (s, "psnr");
  bits = gst_structure_get_value (s, "bits");
  if (bits == NULL)
    bits = gst_structure_get_value (s, "bits-estimated");
  check (settings != NULL && psnr != NULL && bits != NULL
      && (gint) gst_value_array_get_size (settings) == record->n_curve
      && (gint) gst_value_array_get_size (psnr) == record->n_curve
      && (gint) gst_value_array_get_size (bits) == record->n_curve,
      "a curve of %d settings: %s", record->n_curve,
      gst_structure_to_string (s));
  for (gint i = 0; i < record->n_curve && record->curve != NULL; i++) {
    const GValue *b = gst_value_array_get_value (bits, i);
    BdctCounters total = bdct_stats_total (&record->curve_stats[i]);

    check (g_value_get_int (gst_value_array_get_value (settings, i))
        == record->curve[i], "setting %d of a curve is another one", i);
    check (g_value_get_double (gst_value_array_get_value (psnr, i))
        == bdct_psnr (bdct_mse (&total), record->depth),
        "the PSNR at setting %d of a curve is wrong", i);
    check ((G_VALUE_HOLDS_UINT64 (b) ? g_value_get_uint64 (b)
            : g_value_get_double (b)) == total.bits,
        "the bits at setting %d of a curve are wrong", i);
  }
}

/* The figures of `n` frames from `first` on, added up. */
static void
check_pool (World * w, const GstStructure * s, guint first, guint n)
{
  static const gchar *names[] = { "mse-y", "mse-u", "mse-v" };
  static const gchar *rgb_names[] = { "mse-r", "mse-g", "mse-b" };
  guint64 sse[3] = { 0 }, samples[3] = { 0 }, all_sse = 0, all = 0;
  guint64 levels = 0, nonzero = 0, rgb_sse[3] = { 0 }, pixels = 0;
  gdouble lowest = INFINITY, highest = -INFINITY, mean = 0, peak = 0;
  gdouble capped = 0;
  gboolean excused = FALSE;
  BdctStats stats = { 0 };
  gint rate = 2;

  for (guint i = first; i < first + n; i++) {
    const Record *record = g_ptr_array_index (w->records, i);

    for (gint c = 0; c < 3; c++) {
      sse[c] += record->sse[c];
      rgb_sse[c] += record->rgb_sse[c];
      samples[c] += record->samples[c];
      all_sse += record->sse[c];
      all += record->samples[c];
    }
    levels += record->levels;
    nonzero += record->nonzero;
    pixels += record->pixels;
    lowest = MIN (lowest, record->psnr);
    highest = MAX (highest, record->psnr);
    mean += record->psnr / n;
    capped += MIN (record->psnr, 6 * record->depth + 12) / n;
    bdct_stats_add (&stats, &record->stats);
    rate = MIN (rate, record->rate);
    peak = (1 << record->depth) - 1;
    excused |= record->excused;
  }
  if (excused)
    return;
  for (gint c = 0; c < 3; c++) {
    if (samples[c] > 0)
      expect (s, names[c], (gdouble) sse[c] / samples[c]);
    if (pixels > 0)
      expect (s, rgb_names[c], (gdouble) rgb_sse[c] / pixels);
    else
      expect_none (s, rgb_names[c]);
  }
  if (pixels > 0)
    expect (s, "mse-rgb", (gdouble) (rgb_sse[0] + rgb_sse[1] + rgb_sse[2])
        / (3 * pixels));
  else
    expect_none (s, "mse-rgb");
  expect (s, "mse", (gdouble) all_sse / all);
  expect (s, "psnr", all_sse == 0 ? INFINITY
      : 10 * log10 (peak * peak * all / all_sse));
  expect (s, "nonzero", (gdouble) nonzero / levels);
  expect (s, "psnr-min", lowest);
  expect (s, "psnr-max", highest);
  expect (s, "psnr-mean", mean);
  expect (s, "psnr-mean-capped", capped);
  check_rate (s, rate, &stats);
}

static void
check_frame_message (World * w, const GstStructure * s, guint64 index)
{
  Record *record = g_ptr_array_index (w->records, index);

  check (!record->posted, "frame %u is in two messages", (guint) index);
  check (w->threaded || record->excused || (record->post
          && !record->in_interval), "a message for frame %u, which entered "
      "with post-messages=%d and an interval%s", (guint) index, record->post,
      record->in_interval ? "" : " of 0");
  check (gst_structure_is_equal (s, record->report),
      "a message says other than the buffer: %s", gst_structure_to_string (s));
  record->posted = TRUE;
}

/* Pooled are all frames from an EOS, or a change of depth, to the next. */
static void
check_whole (World * w, guint first, guint n)
{
  for (guint i = first; i <= first + n && i < w->records->len; i++) {
    Record *record = g_ptr_array_index (w->records, i);

    check (record->pool_start == (i == first || i == first + n),
        "%u frames from %u are pooled, but another pool starts at %u", n,
        first, i);
    check (i > first || !record->pooled, "frames from %u are pooled twice",
        first);
    record->pooled |= i == first;
  }
}

void
check_message (World * w, const GstStructure * s)
{
  const gchar *type = gst_structure_get_string (s, "type");
  guint64 index, frames;

  check (gst_structure_has_name (s, "blockdct") && type != NULL,
      "a message of no known kind: %s", gst_structure_to_string (s));
  index = field_uint64 (s, "index");
  frames = field_uint64 (s, "frames");
  check (frames > 0 && index + frames <= w->records->len,
      "a message about %u frames from %u, of %u", (guint) frames,
      (guint) index, w->records->len);
  if (strcmp (type, "frame") == 0) {
    check_frame_message (w, s, index);
  } else if (strcmp (type, "interval") == 0) {
    for (guint i = index; i < index + frames; i++) {
      Record *record = g_ptr_array_index (w->records, i);

      check (!record->posted, "frame %u is in two messages", i);
      record->posted = TRUE;
    }
    check_pool (w, s, index, frames);
  } else {
    check (strcmp (type, "pooled") == 0, "a message of type %s", type);
    check_whole (w, index, frames);
    check_pool (w, s, index, frames);
    check (w->threaded || field_uint64 (s, "dropped") + w->dropped_reported
        <= w->n_dropped, "more frames dropped than there were");
    w->dropped_reported += field_uint64 (s, "dropped");
  }
}

/* All was said at the end of a stream. */
void
check_eos (World * w)
{
  const Record *record = NULL;

  for (guint i = w->records->len; i > 0; i--) {
    record = g_ptr_array_index (w->records, i - 1);
    if (record->pool_start)
      break;
  }
  /* Of no frames there is no message. */
  if (record == NULL || w->new_pool)
    return;
  if (w->model.wanted.post && !w->threaded) {
    check (record->pooled, "nothing was pooled at the end");
    check (w->drops_unsure || w->dropped_reported == w->n_dropped,
        "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " dropped frames were "
        "reported", w->dropped_reported, w->n_dropped);
  }
  w->dropped_reported = w->n_dropped;
  w->drops_unsure = FALSE;
  w->new_pool = TRUE;
}

void
check_stats (World * w, gboolean mixed)
{
  static const gchar *sse_names[] = { "sse-y", "sse-u", "sse-v" };
  static const gchar *names[] = { "samples-y", "samples-u", "samples-v" };
  GstStructure *s;
  guint64 sse[3] = { 0 }, samples[3] = { 0 };
  gdouble v, lowest, highest;
  gboolean excused = FALSE;

  if (!w->playing)
    return;
  g_object_get (w->element, "stats", &s, NULL);
  for (guint i = 0; i < w->records->len; i++) {
    const Record *record = g_ptr_array_index (w->records, i);

    for (gint c = 0; c < 3; c++) {
      sse[c] += record->sse[c];
      samples[c] += record->samples[c];
    }
    excused |= record->excused;
  }
  check (field_uint64 (s, "dropped") == w->n_dropped,
      "dropped frames: %u, not %u", (guint) field_uint64 (s, "dropped"),
      (guint) w->n_dropped);
  if (w->first_depth > 0 && !excused) {
    check (field_uint64 (s, "frames") == w->records->len,
        "frames: %u, not %u", (guint) field_uint64 (s, "frames"),
        w->records->len);
    for (gint c = 0; c < 3; c++)
      if (samples[c] > 0)
        check (field_uint64 (s, sse_names[c]) == sse[c]
            && field_uint64 (s, names[c]) == samples[c],
            "stats: %s or %s is wrong", sse_names[c], names[c]);
    if (w->records->len > 0)
      check_pool (w, s, 0, w->records->len);
  } else if (mixed && gst_structure_get_double (s, "psnr", &v)
      && gst_structure_get_double (s, "psnr-min", &lowest)
      && gst_structure_get_double (s, "psnr-max", &highest) && !excused) {
    /* However errors at two depths are pooled, that is between the two. */
    check (v >= lowest - 1e-6 && v <= highest + 1e-6,
        "stats: psnr is %g, of frames between %g and %g", v, lowest, highest);
  }
  gst_structure_free (s);
}

/* At the end of a stream all lines are there. */
void
check_stats_file (World * w)
{
  gchar *text;
  guint lines = 0;

  if (w->stats_file == NULL || !w->playing)
    return;
  check (g_file_get_contents (w->stats_file, &text, NULL, NULL),
      "%s cannot be read", w->stats_file);
  for (const gchar * at = text; *at != '\0'; at++)
    lines += *at == '\n';
  /* But for JSON, a line of names comes first. */
  lines -= lines > 0 && !g_str_has_suffix (w->stats_file, ".jsonl");
  check (lines == w->records->len,
      "%u lines in the file for %u frames", lines, w->records->len);
  g_free (text);
}
