/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "long-run.h"

#include <stdio.h>
#include <string.h>

const gchar *
backend (void)
{
  const gchar *name = g_getenv ("BLOCKDCT_TEST_BACKEND");

  return name != NULL && *name != '\0' ? name : "cpu";
}

gboolean
on_cuda (void)
{
  return strcmp (backend (), "cuda") == 0;
}

/* The next index, the figures of the picture, the engine that was asked for. */
static void
check_message (Stream * self, guint i, const GstStructure * s)
{
  const gchar *engine = gst_structure_get_string (s, "backend");
  guint64 index = G_MAXUINT64;
  gdouble psnr = -1;

  gst_structure_get (s, "index", G_TYPE_UINT64, &index, "psnr", G_TYPE_DOUBLE,
      &psnr, NULL);
  if (self->psnr[i] == 0)
    self->psnr[i] = psnr;
  if ((index != self->n[i] || psnr != self->psnr[i] || psnr <= 0
          || !g_str_has_prefix (engine, self->engine)) && self->wrong++ == 0)
    printf ("element %u: message %" G_GUINT64_FORMAT " has index %"
        G_GUINT64_FORMAT ", psnr %.17g, not %.17g, and %s\n", i, self->n[i],
        index, psnr, self->psnr[i], engine);
  self->n[i]++;
}

/* In the thread that posts, and thrown away: no queue can grow. */
static GstBusSyncReply
on_message (GstBus * bus, GstMessage * message, gpointer data)
{
  const GstStructure *s = gst_message_get_structure (message);
  const gchar *name = GST_MESSAGE_SRC_NAME (message);
  const gboolean ours = name != NULL && g_str_has_prefix (name, "dct");
  Stream *self = data;

  (void) bus;
  g_mutex_lock (&self->lock);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT && ours
      && g_strcmp0 (gst_structure_get_string (s, "type"), "frame") == 0)
    check_message (self, name[3] - '0', s);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR && self->error == NULL) {
    gst_message_parse_error (message, &self->error, &self->debug);
    self->error_is_ours = ours;
  }
  self->eos |= GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  gst_message_unref (message);
  return GST_BUS_DROP;
}

void
stream_end (Stream * self)
{
  gst_element_set_state (self->pipeline, GST_STATE_NULL);
}

void
stream_free (Stream * self)
{
  GstBus *bus = gst_element_get_bus (self->pipeline);

  stream_end (self);
  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
  gst_object_unref (bus);
  gst_object_unref (self->pipeline);
  g_clear_error (&self->error);
  g_free (self->debug);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_free (self);
}

Stream *
stream_make (const gchar * engine, gint width, const gchar * between, gint at,
    gint n)
{
  const gboolean two = between != NULL;
  gchar *more = !two ? g_strdup ("") : g_strdup_printf ("! %s ! blockdct "
      "name=dct1 backend=%s async-depth=%d quality=30 ",
      strcmp (engine, "cpu") == 0 ? "video/x-raw" : between, engine, at);
  gchar *line = g_strdup_printf ("videotestsrc num-buffers=1 pattern=smpte75 ! "
      "capsfilter name=size caps=video/x-raw,format=NV12,width=%d,height=%d,"
      "framerate=25/1 ! imagefreeze name=src num-buffers=%d ! blockdct "
      "name=dct0 backend=%s async-depth=%d quality=60 %s! fakesink sync=false "
      "enable-last-sample=false", width, width * 9 / 16 & ~1, n, engine, at,
      more);
  Stream *self = g_new0 (Stream, 1);
  GstBus *bus;

  self->pipeline = gst_parse_launch (line, &self->error);
  if (self->error != NULL)
    g_error ("%s: %s", line, self->error->message);
  self->engine = engine;
  self->n_elements = 1 + two;
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  bus = gst_element_get_bus (self->pipeline);
  gst_bus_set_sync_handler (bus, on_message, self, NULL);
  gst_object_unref (bus);
  g_free (line);
  g_free (more);
  return self;
}

void
stream_play (Stream * self)
{
  g_mutex_lock (&self->lock);
  memset (self->n, 0, sizeof self->n);
  self->eos = FALSE;
  g_clear_error (&self->error);
  g_clear_pointer (&self->debug, g_free);
  g_mutex_unlock (&self->lock);
  gst_element_set_state (self->pipeline, GST_STATE_PLAYING);
}

guint64
stream_frames (Stream * self)
{
  guint64 n;

  g_mutex_lock (&self->lock);
  n = self->n[self->n_elements - 1];
  g_mutex_unlock (&self->lock);
  return n;
}

gboolean
stream_wait (Stream * self, guint64 frames, gdouble seconds)
{
  const gint64 end = g_get_monotonic_time ()
      + (gint64) (seconds * G_USEC_PER_SEC);
  const guint64 *n = &self->n[self->n_elements - 1];
  gboolean in_time = TRUE, ok;

  g_mutex_lock (&self->lock);
  while (self->error == NULL && !self->eos && *n < frames && in_time)
    in_time = g_cond_wait_until (&self->changed, &self->lock, end);
  ok = *n >= frames || self->eos || self->error != NULL;
  if (!ok)
    printf ("%" G_GUINT64_FORMAT " frames in %g s\n", *n, seconds);
  g_mutex_unlock (&self->lock);
  return ok;
}

gboolean
stream_is_well (Stream * self)
{
  if (self->error != NULL)
    printf ("%s (%s)\n", self->error->message, self->debug);
  if (self->wrong > 0)
    printf ("%" G_GUINT64_FORMAT " messages are wrong\n", self->wrong);
  return self->error == NULL && self->wrong == 0;
}

gboolean
stream_run (Stream * self, guint64 n)
{
  gboolean ok;

  stream_play (self);
  ok = stream_wait (self, G_MAXUINT64, PATIENCE);
  stream_end (self);
  return stream_is_well (self) && ok && stream_frames (self) == n;
}

Stream *
stream_new (gint width, const gchar * between, gint at, gint n)
{
  Stream *cpu = stream_make ("cpu", width, between, 1, 2);
  Stream *self = stream_make (backend (), width, between, at, n);

  if (!stream_run (cpu, 2))
    g_error ("the CPU engine does not play");
  memcpy (self->psnr, cpu->psnr, sizeof self->psnr);
  stream_free (cpu);
  return self;
}
