/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds the inputs and the figures of each picture that leaves. Each picture
 * that arrives at blockdctcompare's pads has an entry here until its result
 * leaves. */
#include "parts.h"

#include "gst-plugin/common/gstblockdctstatistics.h"

/* More than blockdctcompare queues for an encoder: older entries, of dropped
 * pictures, are removed. */
#define MAX_FRAMES 1024
/* By which a file's times are rounded. */
#define TOLERANCE (10 * GST_MSECOND)

typedef struct
{
  GstClockTime time;
  GstBuffer *buffer;
  GstStructure *figures;        /* if a blockdct made it */
} Entry;

static const gchar *const pads[] = { "ref_sink", "dist_sink", "dist_sink_1" };
static const gchar *const prefixes[] = { "", "", "b-" };

typedef struct
{
  PreviewFrames *frames;
  GstPad *pad;
  gulong probe;
  gchar *line;
  GQueue waiting;               /* of Entry */
  GstBuffer *shown;
  GstCaps *caps;                /* of `shown` */
} Input;

struct _PreviewFrames
{
  PreviewSession *session;
  GstPad *out;
  gulong probe;
  GMutex lock;                  /* protects the following members */
  Input input[PREVIEW_N_STREAMS];
};

static void
free_entry (gpointer data)
{
  Entry *entry = data;

  gst_clear_buffer (&entry->buffer);
  g_clear_pointer (&entry->figures, gst_structure_free);
  g_free (entry);
}

static GstPadProbeReturn
take_input (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Input *input = data;
  PreviewFrames *self = input->frames;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, GST_BLOCKDCT_NAME);
  Entry *entry = g_new0 (Entry, 1);

  (void) pad;
  entry->time = GST_BUFFER_PTS (buffer);
  g_mutex_lock (&self->lock);
  entry->buffer = gst_buffer_ref (buffer);
  if (input != &self->input[PREVIEW_ORIGINAL] && input->line == NULL
      && meta != NULL)
    entry->figures = gst_structure_copy (gst_custom_meta_get_structure (meta));
  g_queue_push_tail (&input->waiting, entry);
  if (input->waiting.length > MAX_FRAMES)
    free_entry (g_queue_pop_head (&input->waiting));
  g_mutex_unlock (&self->lock);
  return GST_PAD_PROBE_OK;
}

/* How far from a time an entry is. */
static GstClockTime
measure (const Entry * entry, GstClockTime time)
{
  return entry->time > time ? entry->time - time : time - entry->time;
}

/* The entry of a picture that leaves, or NULL: the closest one. Older entries
 * are of dropped pictures; a file's times may be rounded. */
static Entry *
find_entry (Input * input, GstClockTime time)
{
  Entry *entry = g_queue_peek_head (&input->waiting), *next;

  if (entry == NULL || entry->time > time + TOLERANCE)
    return NULL;
  g_queue_pop_head (&input->waiting);
  while (entry != NULL && (next = g_queue_peek_head (&input->waiting)) != NULL
      && measure (next, time) < measure (entry, time)) {
    free_entry (entry);
    entry = g_queue_pop_head (&input->waiting);
  }
  return entry;
}

typedef struct
{
  const gchar *prefix;
  GstStructure *figures;
} Side;

static gboolean
add_field (GQuark field, const GValue * value, gpointer data)
{
  const Side *side = data;
  g_autofree gchar *name = g_strconcat (side->prefix,
      g_quark_to_string (field), NULL);

  gst_structure_set_value (side->figures, name, value);
  return TRUE;
}

/* Add blockdctcompare's figures, and the rate, of a side that no blockdct has
 * made. */
static void
add_measured (PreviewFrames * self, Side * side, PreviewStream input,
    GstBuffer * out)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (self->out);
  gint width = 0, height = 0;
  guint64 bits, headers;
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta (out, &state)) != NULL)
    if (gst_meta_info_is_custom (meta->info) && gst_custom_meta_has_name
        ((GstCustomMeta *) meta, GST_BLOCKDCT_COMPARE_NAME)) {
      const GstStructure *s = gst_custom_meta_get_structure ((GstCustomMeta *)
          meta);

      if (g_strcmp0 (gst_structure_get_string (s, "pad"), pads[input]) != 0)
        continue;
      gst_structure_foreach (s, add_field, side);
      if (caps != NULL && gst_structure_get (gst_caps_get_structure (caps, 0),
              "width", G_TYPE_INT, &width, "height", G_TYPE_INT, &height, NULL)
          && gst_structure_get (s, "bits", G_TYPE_UINT64, &bits,
              "bits-headers", G_TYPE_UINT64, &headers, NULL)) {
        g_autofree gchar *name = g_strconcat (side->prefix, "bpp", NULL);

        gst_structure_set (side->figures, name, G_TYPE_DOUBLE,
            (gdouble) (bits + headers) / width / height, NULL);
      }
    }
}

/* Called with the lock. */
static GstStructure *
make_figures (PreviewFrames * self, Entry * const entry[PREVIEW_N_STREAMS],
    GstBuffer * out)
{
  GstBuffer *original = entry[PREVIEW_ORIGINAL]->buffer;
  GstStructure *figures = gst_structure_new_empty (GST_BLOCKDCT_NAME);

  for (guint i = PREVIEW_OF_A; i < PREVIEW_N_STREAMS; i++) {
    Side side = { prefixes[i], figures };
    const gchar *line = self->input[i].line;

    if (entry[i] == NULL)
      continue;
    if (entry[i]->figures != NULL) {
      gst_structure_foreach (entry[i]->figures, add_field, &side);
    } else {
      g_autofree gchar *name = g_strconcat (prefixes[i], "encoder", NULL);

      add_measured (self, &side, i, out);
      gst_structure_set (figures, name, G_TYPE_STRING, line, NULL);
    }
  }
  gst_structure_set (figures, "timestamp", G_TYPE_UINT64,
      PREVIEW_TIME (original), "stream-time", G_TYPE_UINT64,
      PREVIEW_TIME (original), "duration", G_TYPE_UINT64,
      GST_BUFFER_DURATION (original), NULL);
  if (gst_blockdct_mark_is (original, GST_BLOCKDCT_MARK_REPEATED))
    gst_structure_set (figures, "repeated", G_TYPE_BOOLEAN, TRUE, NULL);
  return figures;
}

static void
keep (Input * input, Entry * entry)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (input->pad);

  gst_buffer_replace (&input->shown, entry == NULL ? NULL : entry->buffer);
  gst_caps_replace (&input->caps, caps);
}

static GstPadProbeReturn
take_output (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  PreviewFrames *self = data;
  GstBuffer *out = GST_PAD_PROBE_INFO_BUFFER (info);
  Entry *entry[PREVIEW_N_STREAMS];
  g_autoptr (GstStructure) figures = NULL;
  gboolean shown = FALSE;

  (void) pad;
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < PREVIEW_N_STREAMS; i++)
    entry[i] = self->input[i].pad == NULL ? NULL
        : find_entry (&self->input[i], GST_BUFFER_PTS (out));
  if (entry[PREVIEW_ORIGINAL] != NULL)
    figures = make_figures (self, entry, out);
  g_mutex_unlock (&self->lock);
  if (entry[PREVIEW_ORIGINAL] != NULL)
    shown = preview_session_show (self->session,
        entry[PREVIEW_ORIGINAL]->buffer, figures);
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < PREVIEW_N_STREAMS; i++) {
    if (shown && self->input[i].pad != NULL)
      keep (&self->input[i], entry[i]);
    g_clear_pointer (&entry[i], free_entry);
  }
  g_mutex_unlock (&self->lock);
  return shown ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

PreviewFrames *
preview_frames_new (PreviewSession * session)
{
  PreviewFrames *self = g_new0 (PreviewFrames, 1);

  self->session = session;
  g_mutex_init (&self->lock);
  self->out = gst_element_get_static_pad (session->compare, "src");
  self->probe = gst_pad_add_probe (self->out, GST_PAD_PROBE_TYPE_BUFFER,
      take_output, self, NULL);
  return self;
}

void
preview_frames_watch (PreviewFrames * self, PreviewStream i, GstPad * pad,
    const gchar * line)
{
  Input *input = &self->input[i];

  if (input->pad != NULL)
    gst_pad_remove_probe (input->pad, input->probe);
  g_mutex_lock (&self->lock);
  gst_object_replace ((GstObject **) & input->pad, (GstObject *) pad);
  g_queue_clear_full (&input->waiting, free_entry);
  g_free (input->line);
  input->line = g_strdup (line);
  input->frames = self;
  g_mutex_unlock (&self->lock);
  if (pad != NULL)
    input->probe = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER,
        take_input, input, NULL);
}

void
preview_frames_clear (PreviewFrames * self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  for (guint i = 0; i < PREVIEW_N_STREAMS; i++) {
    g_queue_clear_full (&self->input[i].waiting, free_entry);
    gst_clear_buffer (&self->input[i].shown);
  }
}

void
preview_frames_free (PreviewFrames * self)
{
  preview_frames_clear (self);
  for (guint i = 0; i < PREVIEW_N_STREAMS; i++) {
    preview_frames_watch (self, i, NULL, NULL);
    gst_clear_caps (&self->input[i].caps);
  }
  gst_pad_remove_probe (self->out, self->probe);
  gst_object_unref (self->out);
  g_mutex_clear (&self->lock);
  g_free (self);
}

GstSample *
preview_frames_get (PreviewFrames * self, PreviewStream i)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  return self->input[i].shown == NULL ? NULL
      : gst_sample_new (self->input[i].shown, self->input[i].caps, NULL, NULL);
}
