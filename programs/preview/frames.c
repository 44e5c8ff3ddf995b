/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "frames.h"

/* More than async-depth has in flight: what never comes out is forgotten. */
#define MAX_FRAMES 64

struct _PreviewFrames
{
  GstPad *sink, *src;
  gulong sink_probe, src_probe;
  GMutex lock;                  /* for what follows */
  GQueue waiting;               /* of GstBuffer, as they went in */
  GstBuffer *shown;
};

static GstPadProbeReturn
take_input (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  PreviewFrames *self = data;

  (void) pad;
  g_mutex_lock (&self->lock);
  g_queue_push_tail (&self->waiting, gst_buffer_ref (GST_PAD_PROBE_INFO_BUFFER
          (info)));
  if (self->waiting.length > MAX_FRAMES)
    gst_buffer_unref (g_queue_pop_head (&self->waiting));
  g_mutex_unlock (&self->lock);
  return GST_PAD_PROBE_OK;
}

static gint
compare_time (gconstpointer a, gconstpointer b)
{
  return GST_BUFFER_PTS (a) != GST_BUFFER_PTS (b);
}

/* What went in before it and is still there was dropped. A frame that is shown
 * again did not go in again. */
static GstPadProbeReturn
take_output (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  PreviewFrames *self = data;
  GstBuffer *out = GST_PAD_PROBE_INFO_BUFFER (info);
  GList *in;

  (void) pad;
  g_mutex_lock (&self->lock);
  in = g_queue_find_custom (&self->waiting, out, compare_time);
  while (in != NULL) {
    GstBuffer *first = g_queue_pop_head (&self->waiting);

    if (!compare_time (first, out)) {
      gst_buffer_replace (&self->shown, first);
      in = NULL;
    }
    gst_buffer_unref (first);
  }
  g_mutex_unlock (&self->lock);
  return GST_PAD_PROBE_OK;
}

PreviewFrames *
preview_frames_new (GstElement * dct)
{
  PreviewFrames *self = g_new0 (PreviewFrames, 1);

  g_mutex_init (&self->lock);
  self->sink = gst_element_get_static_pad (dct, "sink");
  self->src = gst_element_get_static_pad (dct, "src");
  self->sink_probe = gst_pad_add_probe (self->sink, GST_PAD_PROBE_TYPE_BUFFER,
      take_input, self, NULL);
  self->src_probe = gst_pad_add_probe (self->src, GST_PAD_PROBE_TYPE_BUFFER,
      take_output, self, NULL);
  return self;
}

void
preview_frames_free (PreviewFrames * self)
{
  gst_pad_remove_probe (self->sink, self->sink_probe);
  gst_pad_remove_probe (self->src, self->src_probe);
  gst_object_unref (self->sink);
  gst_object_unref (self->src);
  g_queue_clear_full (&self->waiting, (GDestroyNotify) gst_buffer_unref);
  gst_clear_buffer (&self->shown);
  g_mutex_clear (&self->lock);
  g_free (self);
}

GstSample *
preview_frames_get (PreviewFrames * self)
{
  GstCaps *caps = gst_pad_get_current_caps (self->sink);
  GstSample *sample = NULL;

  g_mutex_lock (&self->lock);
  if (self->shown != NULL && caps != NULL)
    sample = gst_sample_new (self->shown, caps, NULL, NULL);
  g_mutex_unlock (&self->lock);
  gst_clear_caps (&caps);
  return sample;
}
