/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What has arrived against what was sent. */
#include "world.h"

#include <string.h>

/* Not the numbers of samples: two subsamplings may look the same. */
static const gchar *const figures[] = { "sse-y", "sse-u", "sse-v" };

static const Settings *
version (World * w, guint i)
{
  return &g_array_index (w->versions, Settings, i);
}

static void
free_message (gpointer data)
{
  Message *message = data;

  g_free (message->text);
  g_free (message->type);
  g_free (message);
}

static void
free_item (gpointer data)
{
  Item *item = data;

  for (guint i = 0; i < MAX_PADS; i++) {
    gst_clear_buffer (&item->input.in[i]);
    gst_clear_caps (&item->input.caps[i]);
  }
  g_free (item->event);
  g_free (item);
}

static guint64
get (const GstStructure * s, const gchar * field)
{
  guint64 v = 0;

  if (s != NULL)
    gst_structure_get_uint64 (s, field, &v);
  return v;
}

/* What holds of a frame alone, too. */
static void
check_alone (World * w, const Item * item, const Alone * alone)
{
  GstBuffer *in = item->input.in[0], *out = alone->out;
  gboolean same = GST_BUFFER_PTS (in) == GST_BUFFER_PTS (out)
      && GST_BUFFER_DURATION (in) == GST_BUFFER_DURATION (out);

  if (w->subject == TRANSFORM)
    same = same && gst_caps_is_equal (item->input.caps[0], alone->caps)
        && GST_BUFFER_DTS (in) == GST_BUFFER_DTS (out)
        && GST_BUFFER_OFFSET (in) == GST_BUFFER_OFFSET (out)
        && GST_BUFFER_OFFSET_END (in) == GST_BUFFER_OFFSET_END (out)
        && ((GST_BUFFER_FLAGS (in) ^ GST_BUFFER_FLAGS (out))
        & ~(guint) GST_BUFFER_FLAG_TAG_MEMORY) == 0
        && (gst_buffer_get_custom_meta (in, "fuzz-meta") != NULL)
        == (gst_buffer_get_custom_meta (out, "fuzz-meta") != NULL)
        && gst_buffer_get_n_meta (in,
        GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)
        == gst_buffer_get_n_meta (out,
        GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);
  if (!same)
    fail ("a frame alone loses its caps, times, flags or metas");
}

/* Add a frame's figures to what the stream's sum to. */
static void
add (World * w, const Item * item, const Alone * alone,
    const Settings * const settings[N_PARTS])
{
  const gint depth = caps_depth (item->input.caps[0]);

  for (guint p = 0; p < N_PARTS; p++)
    for (guint k = 0; k < MAX_PADS; k++) {
      const GstStructure *s = stats_of_pad (alone->stats[p], p, k);
      Sum *sum = &w->sum[p][k];

      if (get (s, "frames") == 0)
        continue;
      w->index.at[p][k]++;
      /* Errors at different depths are not added. */
      if (sum->depth != depth) {
        memset (sum->figure, 0, sizeof sum->figure);
        sum->frames = sum->pooled = 0;
        sum->depth = depth;
      }
      sum->frames++;
      sum->pooled++;
      sum->spanned += settings_report (settings[p], p) == INTERVALS;
      for (guint f = 0; f < G_N_ELEMENTS (figures); f++)
        sum->figure[f] += get (s, figures[f]);
    }
}

/* The difference of one frame from one that is alone with these settings, to be
 * freed; NULL: there is none, and it counts. */
static gchar *
compare_frame (World * w, const Item * item, const gchar * arrived,
    const Settings * const settings[N_PARTS])
{
  gchar *expected, *difference = NULL;
  Alone alone;

  alone_run (&alone, w->subject, &item->input, settings, &w->index);
  check_alone (w, item, &alone);
  expected = describe_buffer (alone.out, alone.caps, &item->input.segment);
  if (strcmp (arrived, expected) != 0)
    difference = g_strdup_printf ("a frame is\n %s\nand alone\n %s", arrived,
        expected);
  g_free (expected);
  g_mutex_lock (&w->lock);
  for (guint p = 0; p < N_PARTS && difference == NULL; p++) {
    GList *at = w->messages[p].head;
    const Message *next;

    for (GList * l = alone.messages[p].head; l != NULL && difference == NULL;
        l = l->next) {
      const gchar *text = at != NULL ? ((Message *) at->data)->text : "nothing";

      if (strcmp (text, l->data) != 0)
        difference = g_strdup_printf ("a message is\n %s\nand of the frame "
            "alone\n %s", text, (gchar *) l->data);
      at = at != NULL ? at->next : NULL;
    }
    next = at != NULL ? at->data : NULL;
    if (difference == NULL && next != NULL
        && get (stats_of_pad (alone.stats[p], p, next->pad), "frames") > 0
        && next->index <= w->index.at[p][next->pad])
      difference = g_strdup_printf ("a message more than of a frame alone\n %s",
          next->text);
  }
  for (guint p = 0; p < N_PARTS && difference == NULL; p++)
    for (guint n = alone.messages[p].length; n > 0; n--)
      free_message (g_queue_pop_head (&w->messages[p]));
  g_mutex_unlock (&w->lock);
  if (difference == NULL)
    add (w, item, &alone, settings);
  alone_clear (&alone);
  return difference;
}

/* The next version from `i` on that is not as `i` for this part. */
static guint
next_version (World * w, guint i, Part part)
{
  guint next = i + 1;

  while (next < w->versions->len && memcmp (version (w, i)->value[part],
          version (w, next)->value[part], MAX_PROPERTIES) == 0)
    next++;
  return next;
}

/* Add a difference to what a failure says. */
static gchar *
join (gchar * all, gchar * text, const Settings * const settings[N_PARTS])
{
  gchar *a = settings_print (settings[PART_A], PART_A);
  gchar *b = settings_print (settings[PART_B], PART_B);
  gchar *c = settings_print (settings[PART_COMPARE], PART_COMPARE);
  gchar *joined = g_strdup_printf ("%s\n settings%s%s%s%s%s", text, a, b, c,
      all != NULL ? "\nor " : "", all != NULL ? all : "");

  g_free (a);
  g_free (b);
  g_free (c);
  g_free (text);
  g_free (all);
  return joined;
}

/* A frame with settings that may be in force: never older ones than those of
 * the frame before. Each part of a bin takes them by itself. */
static void
check_frame (World * w, const Item * item, const gchar * arrived)
{
  const guint hi = MIN (item->hi, w->versions->len - 1);
  const gboolean bin = w->subject == PREVIEW;
  const Part part = w->subject == TRANSFORM ? PART_A : PART_COMPARE;
  gchar *why = NULL;

  for (guint c = MAX (item->lo, w->last[part]); c <= hi;
      c = next_version (w, c, part))
    for (guint a = item->lo; a <= (bin ? hi : item->lo);
        a = next_version (w, a, PART_A))
      for (guint b = item->lo; b <= (bin ? hi : item->lo);
          b = next_version (w, b, PART_B)) {
        const Settings *settings[N_PARTS] = {
          version (w, bin ? a : c), version (w, b), version (w, c)
        };
        gchar *text = compare_frame (w, item, arrived, settings);

        if (text == NULL) {
          w->last[part] = bin ? 0 : c;
          /* A picture alone does not always tell which settings made it. */
          for (guint p = PART_A; p <= PART_B; p++)
            if (bin && settings_report (settings[p], p) != EACH_FRAME
                && next_version (w, item->lo, p) <= hi)
              w->sums_known = FALSE;
          g_free (why);
          return;
        }
        why = join (why, text, settings);
      }
  fail ("%s", why != NULL ? why : "older settings are in force again");
}

void
check_arrived (World * w, gboolean all)
{
  while (!g_queue_is_empty (&w->items)) {
    Item *item = g_queue_peek_head (&w->items);
    gchar *text[MAX_SINKS] = { NULL };

    g_mutex_lock (&w->lock);
    text[0] = g_queue_pop_head (&w->arrived[0]);
    if (text[0] != NULL)
      text[1] = g_queue_pop_head (&w->arrived[1]);
    g_mutex_unlock (&w->lock);
    if (text[0] == NULL)
      break;
    if (text[1] != NULL && strcmp (text[0], text[1]) != 0)
      fail ("behind a tee\n %s\nand\n %s", text[0], text[1]);
    /* While it flushes, GstAggregator may lose a frame, not the event behind
     * it. */
    if (!all && w->subject != TRANSFORM && item->event == NULL
        && !g_str_has_prefix (text[0], "frame")) {
      g_free (text[0]);
      g_free (text[1]);
      g_mutex_lock (&w->lock);
      g_queue_clear_full (&w->arrived[0], g_free);
      g_mutex_unlock (&w->lock);
      break;
    }
    if (item->event != NULL || !g_str_has_prefix (text[0], "frame")) {
      if (g_strcmp0 (item->event, text[0]) != 0)
        fail ("%s is due, but this arrives: %s", item->event != NULL
            ? item->event : "a frame", text[0]);
    } else {
      check_frame (w, item, text[0]);
    }
    free_item (g_queue_pop_head (&w->items));
    g_free (text[0]);
    g_free (text[1]);
  }
  g_mutex_lock (&w->lock);
  if (all && (!g_queue_is_empty (&w->items)
          || !g_queue_is_empty (&w->arrived[0])))
    fail ("%u items have not arrived, %u were not sent", w->items.length,
        w->arrived[0].length);
  for (guint p = 0; p < N_PARTS && all; p++)
    if (!g_queue_is_empty (&w->messages[p]))
      fail ("a message that no frame has: %s",
          ((Message *) g_queue_peek_head (&w->messages[p]))->text);
  g_mutex_unlock (&w->lock);
}

static GstStructure *
get_stats (World * w, Part part)
{
  GstStructure *stats = NULL;

  if (w->part[part] != NULL)
    g_object_get (w->part[part], "stats", &stats, NULL);
  return stats;
}

/* How many frames a part has finished since the start. */
static guint64
finished (const GstStructure * s)
{
  return get (s, "index") + get (s, "frames");
}

/* Count from here on, as nothing says which frames these are. Returns how many
 * there are. */
static guint64
rebase (World * w, Part part, guint pad, const GstStructure * s, gint depth)
{
  const guint64 frames = finished (s) - w->index.at[part][pad];
  Sum *sum = &w->sum[part][pad];

  if (get (s, "frames") == 0 || frames == 0)
    return 0;
  if (depth == 0 || (sum->depth != 0 && sum->depth != depth))
    w->sums_known = FALSE;
  w->index.at[part][pad] = finished (s);
  sum->frames = get (s, "frames");
  sum->depth = depth;
  for (guint f = 0; f < G_N_ELEMENTS (figures); f++)
    sum->figure[f] = get (s, figures[f]);
  return frames;
}

void
check_sums (World * w)
{
  for (guint p = 0; p < N_PARTS; p++) {
    GstStructure *stats = get_stats (w, p);

    for (guint k = 0; k < MAX_PADS && w->sums_known; k++) {
      const GstStructure *s = stats_of_pad (stats, p, k);
      const Sum *sum = &w->sum[p][k];
      gboolean same = get (s, "frames") == sum->frames;

      for (guint f = 0; f < G_N_ELEMENTS (figures); f++)
        same = same && get (s, figures[f]) == sum->figure[f];
      if (!same)
        fail ("%s: the sum of frames is %" G_GUINT64_FORMAT
            ", of luma's errors %" G_GUINT64_FORMAT ", and stats: %s",
            GST_OBJECT_NAME (w->part[p]), sum->frames, sum->figure[0],
            s != NULL ? gst_structure_to_string (s) : "nothing");
    }
    gst_clear_structure (&stats);
  }
}

/* How many frames a message says that there were till EOS, before which it
 * comes; in a bin it may come after EOS itself. */
static guint64
wait_for_pooled (World * w, Part part, guint pad)
{
  for (;;) {
    guint n = 0;

    for (GList * l = w->spans[part].head; l != NULL
        && (w->subject == PREVIEW || n < w->told[part]); l = l->next, n++) {
      const Message *m = l->data;

      /* One of an earlier depth ends where another begins. */
      if (m->pad == pad && strcmp (m->type, "pooled") == 0
          && m->index + m->frames == w->index.at[part][pad])
        return m->frames;
    }
    if (w->subject != PREVIEW)
      return 0;
    g_cond_wait (&w->cond, &w->lock);
  }
}

/* Intervals follow each other, and none is missing. */
static void
check_intervals (World * w, Part part, guint pad)
{
  guint64 covered = 0, spanned = 0;

  for (GList * l = w->spans[part].head; l != NULL; l = l->next) {
    const Message *m = l->data;

    if (m->pad != pad || strcmp (m->type, "interval") != 0)
      continue;
    if (m->index < covered)
      fail ("intervals overlap: %s", m->text);
    covered = m->index + m->frames;
    spanned += m->frames;
  }
  if (w->spans_known && spanned != w->sum[part][pad].spanned)
    fail ("intervals count %" G_GUINT64_FORMAT " frames, but there are %"
        G_GUINT64_FORMAT, spanned, w->sum[part][pad].spanned);
}

void
check_end (World * w)
{
  const Settings *now = version (w, w->versions->len - 1);

  check_sums (w);
  for (guint p = 0; p < N_PARTS; p++) {
    const gboolean silent = settings_report (now, p) == SILENT;
    GstStructure *stats = get_stats (w, p);

    g_mutex_lock (&w->lock);
    for (guint k = 0; k < MAX_PADS; k++) {
      Sum *sum = &w->sum[p][k];
      const guint64 unmatched = get (stats_of_pad (stats, p, k), "unmatched");
      guint64 pooled = sum->pooled;

      if (w->pooled_known && !silent && pooled > 0)
        pooled = wait_for_pooled (w, p, k);
      if (pooled != sum->pooled)
        fail ("at EOS the message of %s counts %" G_GUINT64_FORMAT
            " frames, but there are %" G_GUINT64_FORMAT,
            GST_OBJECT_NAME (w->part[p]), pooled, sum->pooled);
      check_intervals (w, p, k);
      if (p == PART_COMPARE && w->subject == COMPARE && w->unmatched_known
          && unmatched != sum->unmatched)
        fail ("%s has %" G_GUINT64_FORMAT " frames without a match, but says %"
            G_GUINT64_FORMAT, pad_names[k], sum->unmatched, unmatched);
      sum->pooled = sum->spanned = 0;
    }
    if (silent && w->subject == PREVIEW)
      w->pooled_known = w->spans_known = FALSE;
    g_queue_clear_full (&w->spans[p], free_message);
    g_mutex_unlock (&w->lock);
    gst_clear_structure (&stats);
  }
}

void
check_lost (World * w)
{
  gboolean each = TRUE, any = FALSE;
  gint depth = 0;

  check_arrived (w, FALSE);
  g_mutex_lock (&w->lock);
  if (!g_queue_is_empty (&w->arrived[0]))
    fail ("%u items were not sent", w->arrived[0].length);
  for (GList * l = w->items.head; l != NULL; l = l->next) {
    const Item *item = l->data;

    if (item->event == NULL) {
      const gint its = caps_depth (item->input.caps[0]);

      /* 0: they have several. */
      depth = any && its != depth ? 0 : its;
      any = TRUE;
    }
    for (guint v = item->lo; v <= MIN (item->hi, w->versions->len - 1); v++)
      for (guint p = 0; p < N_PARTS; p++)
        each = each && settings_report (version (w, v), p) == EACH_FRAME;
  }
  for (guint p = 0; p < N_PARTS; p++) {
    GstStructure *stats = get_stats (w, p);
    guint64 frames = 0, messages = 0;

    for (guint k = 0; k < MAX_PADS; k++) {
      const GstStructure *s = stats_of_pad (stats, p, k);

      frames += rebase (w, p, k, s, depth);
    }
    for (GList * l = w->messages[p].head; l != NULL; l = l->next)
      messages += ((Message *) l->data)->type != NULL;
    if (each && frames != messages)
      fail ("%" G_GUINT64_FORMAT " frames are finished before a flush or stop, "
          "with %" G_GUINT64_FORMAT " messages", frames, messages);
    g_queue_clear_full (&w->messages[p], free_message);
    gst_clear_structure (&stats);
  }
  w->pooled_known = w->pooled_known && !any;
  w->unmatched_known = w->unmatched_known && w->settled;
  w->spans_known = FALSE;
  for (guint i = 0; i < MAX_SINKS; i++)
    g_queue_clear_full (&w->arrived[i], g_free);
  g_mutex_unlock (&w->lock);
  g_queue_clear_full (&w->items, free_item);
}

void
check_restart (World * w)
{
  const Settings *now = version (w, w->versions->len - 1);

  g_mutex_lock (&w->lock);
  for (guint p = 0; p < N_PARTS; p++) {
    if (!g_queue_is_empty (&w->messages[p]))
      fail ("a message after the stop");
    g_queue_clear_full (&w->spans[p], free_message);
  }
  g_mutex_unlock (&w->lock);
  memset (&w->index, 0, sizeof w->index);
  memset (w->sum, 0, sizeof w->sum);
  w->sums_known = w->pooled_known = TRUE;
  w->unmatched_known = w->spans_known = TRUE;
  for (guint p = 0; p < N_PARTS; p++)
    w->spans_known = w->spans_known && settings_report (now, p) != SILENT;
}
