/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds the original and the figures of each picture that leaves. Each picture
 * that arrives at blockdctcompare's pads has an entry here until its result
 * leaves. */
#include "frames.h"

/* More than blockdctcompare queues for an encoder: older entries, of dropped
 * pictures, are removed. */
#define MAX_FRAMES 1024
#define REPEATED "blockdct-repeated"

typedef struct
{
  GstClockTime time;
  gboolean repeated, stepped;
  guint change;                 /* the number of changes before it came */
  GstBuffer *original;          /* at ref_sink */
  GstStructure *figures;        /* of A or B, if a blockdct made the picture */
} Entry;

enum
{
  ORIGINAL, A, B, N_INPUTS
};

static const gchar *const pads[N_INPUTS] = {
  [ORIGINAL] = "ref_sink",[A] = "dist_sink",[B] = "dist_sink_1"
};

typedef struct
{
  PreviewFrames *frames;
  GstPad *pad;
  gulong probe;
  GQueue waiting;               /* of Entry */
} Input;

struct _PreviewFrames
{
  const PreviewFramesFuncs *funcs;
  gpointer owner;
  GstPad *out;
  gulong probe;
  GMutex lock;                  /* protects the following members */
  Input input[N_INPUTS];
  GstBuffer *original;
  GstStructure *figures;
  guint change;                 /* the number of changes */
  guint shown;                  /* the number of changes that a shown picture
                                   certainly has */
};

static void
free_entry (gpointer data)
{
  Entry *entry = data;

  gst_clear_buffer (&entry->original);
  g_clear_pointer (&entry->figures, gst_structure_free);
  g_free (entry);
}

static gboolean
is_repeated (GstBuffer * buffer)
{
  return gst_buffer_get_custom_meta (buffer, REPEATED) != NULL;
}

static GstPadProbeReturn
take_input (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Input *input = data;
  PreviewFrames *self = input->frames;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstCustomMeta *made = gst_buffer_get_custom_meta (buffer, "blockdct");
  GstCustomMeta *meta = made != NULL ? made
      : gst_buffer_get_custom_meta (buffer, "blockdct-coded");
  Entry *entry = g_new0 (Entry, 1);

  (void) pad;
  entry->time = GST_BUFFER_PTS (buffer);
  entry->repeated = is_repeated (buffer);
  if (input != &self->input[ORIGINAL]) {
    entry->figures = meta == NULL ? NULL
        : gst_structure_copy (gst_custom_meta_get_structure (meta));
  } else {
    entry->original = gst_buffer_ref (buffer);
    entry->stepped = !entry->repeated && self->funcs->pass (self->owner);
  }
  g_mutex_lock (&self->lock);
  entry->change = self->change;
  g_queue_push_tail (&input->waiting, entry);
  if (input->waiting.length > MAX_FRAMES)
    free_entry (g_queue_pop_head (&input->waiting));
  g_mutex_unlock (&self->lock);
  return GST_PAD_PROBE_OK;
}

/* The entry of a picture that leaves, or NULL. Older entries are of dropped
 * pictures. */
static Entry *
find_entry (Input * input, GstBuffer * out)
{
  const gboolean repeated = is_repeated (out);
  Entry *entry;

  while ((entry = g_queue_pop_head (&input->waiting)) != NULL) {
    /* A picture that is shown again has no time. */
    if (entry->repeated == repeated
        && (repeated || entry->time == GST_BUFFER_PTS (out)))
      return entry;
    free_entry (entry);
  }
  return NULL;
}

static gboolean
add_of_b (GQuark field, const GValue * value, gpointer figures)
{
  g_autofree gchar *name = g_strconcat ("b-", g_quark_to_string (field), NULL);

  gst_structure_set_value (figures, name, value);
  return TRUE;
}

/* Add blockdctcompare's figures, and the rate, of a picture of B that an
 * encoder has made. */
static void
add_measured (PreviewFrames * self, GstBuffer * out)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (self->out);
  gint width = 0, height = 0;
  guint64 bits, headers;
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta (out, &state)) != NULL)
    if (gst_meta_info_is_custom (meta->info) && gst_custom_meta_has_name
        ((GstCustomMeta *) meta, "blockdct-compare")) {
      const GstStructure *s = gst_custom_meta_get_structure ((GstCustomMeta *)
          meta);

      if (g_strcmp0 (gst_structure_get_string (s, "pad"), pads[B]) == 0)
        gst_structure_foreach (s, add_of_b, self->figures);
    }
  if (caps != NULL && gst_structure_get (gst_caps_get_structure (caps, 0),
          "width", G_TYPE_INT, &width, "height", G_TYPE_INT, &height, NULL)
      && gst_structure_get (self->figures, "b-bits", G_TYPE_UINT64, &bits,
          "b-bits-headers", G_TYPE_UINT64, &headers, NULL))
    gst_structure_set (self->figures, "b-bpp", G_TYPE_DOUBLE,
        (gdouble) (bits + headers) / width / height, NULL);
}

/* Take A's figures, and add B's. Called with the lock. */
static void
take_figures (PreviewFrames * self, Entry * a, const Entry * b, GstBuffer * out)
{
  g_clear_pointer (&self->figures, gst_structure_free);
  if (a == NULL || a->figures == NULL)
    return;
  self->figures = g_steal_pointer (&a->figures);
  if (b != NULL && b->figures != NULL)
    gst_structure_foreach (b->figures, add_of_b, self->figures);
  if (!gst_structure_has_field (self->figures, "b-transform"))
    add_measured (self, out);
}

static GstPadProbeReturn
take_output (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  PreviewFrames *self = data;
  GstBuffer *out = GST_PAD_PROBE_INFO_BUFFER (info);
  Entry *entry[N_INPUTS];
  g_autoptr (GstStructure) figures = NULL;
  gboolean is_new, stepped;

  (void) pad;
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < N_INPUTS; i++)
    entry[i] = find_entry (&self->input[i], out);
  if (entry[ORIGINAL] != NULL)
    gst_buffer_replace (&self->original, entry[ORIGINAL]->original);
  take_figures (self, entry[A], entry[B], out);
  /* A change after the original came may be in the picture or not. */
  is_new = entry[ORIGINAL] == NULL || !entry[ORIGINAL]->repeated
      || self->change != self->shown;
  stepped = entry[ORIGINAL] != NULL && entry[ORIGINAL]->stepped;
  if (entry[ORIGINAL] != NULL)
    self->shown = entry[ORIGINAL]->change;
  figures = self->figures == NULL ? NULL : gst_structure_copy (self->figures);
  for (guint i = 0; i < N_INPUTS; i++)
    g_clear_pointer (&entry[i], free_entry);
  g_mutex_unlock (&self->lock);
  /* A step shows the frame at once, without waiting for its time. */
  if (stepped) {
    out = gst_buffer_make_writable (out);
    GST_BUFFER_PTS (out) = GST_CLOCK_TIME_NONE;
    GST_BUFFER_DURATION (out) = GST_CLOCK_TIME_NONE;
    GST_PAD_PROBE_INFO_DATA (info) = out;
  }
  self->funcs->show (self->owner, figures, is_new);
  return GST_PAD_PROBE_OK;
}

PreviewFrames *
preview_frames_new (GstElement * bin, const PreviewFramesFuncs * funcs,
    gpointer owner)
{
  PreviewFrames *self = g_new0 (PreviewFrames, 1);
  g_autoptr (GstElement) compare = gst_bin_get_by_name (GST_BIN (bin),
      "compare");

  self->funcs = funcs;
  self->owner = owner;
  g_mutex_init (&self->lock);
  for (guint i = 0; i < N_INPUTS; i++) {
    Input *input = &self->input[i];

    input->frames = self;
    input->pad = gst_element_get_static_pad (compare, pads[i]);
    input->probe = gst_pad_add_probe (input->pad, GST_PAD_PROBE_TYPE_BUFFER,
        take_input, input, NULL);
  }
  /* At the bin's pad, after the bin has removed the times of repeated frames at
   * compare's pad. */
  self->out = gst_element_get_static_pad (bin, "src");
  self->probe = gst_pad_add_probe (self->out, GST_PAD_PROBE_TYPE_BUFFER,
      take_output, self, NULL);
  return self;
}

void
preview_frames_free (PreviewFrames * self)
{
  for (guint i = 0; i < N_INPUTS; i++) {
    gst_pad_remove_probe (self->input[i].pad, self->input[i].probe);
    gst_object_unref (self->input[i].pad);
  }
  gst_pad_remove_probe (self->out, self->probe);
  gst_object_unref (self->out);
  preview_frames_flush (self);
  gst_clear_buffer (&self->original);
  g_clear_pointer (&self->figures, gst_structure_free);
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
preview_frames_change (PreviewFrames * self)
{
  g_mutex_lock (&self->lock);
  self->change++;
  g_mutex_unlock (&self->lock);
}

void
preview_frames_flush (PreviewFrames * self)
{
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < N_INPUTS; i++)
    g_queue_clear_full (&self->input[i].waiting, free_entry);
  g_mutex_unlock (&self->lock);
}

GstSample *
preview_frames_get_original (PreviewFrames * self)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps
      (self->input[ORIGINAL].pad);
  GstSample *sample = NULL;

  g_mutex_lock (&self->lock);
  if (self->original != NULL && caps != NULL)
    sample = gst_sample_new (self->original, caps, NULL, NULL);
  g_mutex_unlock (&self->lock);
  return sample;
}

GstStructure *
preview_frames_get_figures (PreviewFrames * self)
{
  GstStructure *figures;

  g_mutex_lock (&self->lock);
  figures = self->figures == NULL ? NULL : gst_structure_copy (self->figures);
  g_mutex_unlock (&self->lock);
  return figures;
}
