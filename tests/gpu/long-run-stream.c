/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "long-run.h"

#include <stdio.h>
#include <string.h>

/* Until frames come out. */
#define PATIENCE 60

static Figures
get_figures (const GstStructure * s)
{
  Figures figures = { -1, -1 };

  gst_structure_get (s, "psnr", G_TYPE_DOUBLE, &figures.psnr,
      "nonzero", G_TYPE_DOUBLE, &figures.nonzero, NULL);
  return figures;
}

/* A frame's message: the next index, the figures of its picture, and no other
 * engine than was asked for. */
static void
check_message (Stream * self, guint element, const GstStructure * s)
{
  guint64 index = G_MAXUINT64, time = 0;
  Figures *expected, figures = get_figures (s);
  const gchar *engine = gst_structure_get_string (s, "backend");

  gst_structure_get (s, "index", G_TYPE_UINT64, &index,
      "timestamp", G_TYPE_UINT64, &time, NULL);
  expected = &self->expected[FRAME_FORM (time)][element][FRAME_PICTURE (time)];
  if (self->learns)
    *expected = figures;
  if (index != self->n[element] || figures.psnr != expected->psnr
      || figures.nonzero != expected->nonzero || figures.psnr <= 0
      || !g_str_has_prefix (engine, self->engine)) {
    if (self->wrong++ == 0)
      printf ("message %" G_GUINT64_FORMAT " of element %u is wrong: index %"
          G_GUINT64_FORMAT ", timestamp %" G_GUINT64_FORMAT
          ", psnr %.17g for %.17g, nonzero %.17g for %.17g, %s for %s\n",
          self->n[element], element, index, time, figures.psnr,
          expected->psnr, figures.nonzero, expected->nonzero, engine,
          self->engine);
  }
  self->n[element]++;
}

/* In the thread that posts, and thrown away: no queue can grow. */
static GstBusSyncReply
on_message (GstBus * bus, GstMessage * message, gpointer data)
{
  const GstStructure *s = gst_message_get_structure (message);
  const gchar *name = GST_MESSAGE_SRC_NAME (message);
  gboolean ours = name != NULL && g_str_has_prefix (name, "dct");
  Stream *self = data;

  (void) bus;
  g_mutex_lock (&self->lock);
  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ELEMENT:
      if (ours && g_strcmp0 (gst_structure_get_string (s, "type"),
              "frame") == 0)
        check_message (self, name[3] - '0', s);
      break;
    case GST_MESSAGE_ERROR:
      if (self->error == NULL) {
        gst_message_parse_error (message, &self->error, &self->debug);
        self->error_is_ours = ours;
      }
      break;
    case GST_MESSAGE_EOS:
      self->eos = TRUE;
      break;
    default:
      break;
  }
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static Stream *
make (const Recipe * recipe, Memory memory, const gchar * engine,
    guint64 n_frames)
{
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  GstElement *last;
  Stream *self = g_new0 (Stream, 1);
  GstBus *bus;
  gboolean ok = TRUE;

  self->recipe = *recipe;
  self->engine = engine;
  self->n_elements = recipe->between != NULL ? 2 : 1;
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->pipeline = gst_pipeline_new (NULL);
  self->src = long_src_new (memory, recipe->forms, n_frames);
  last = GST_ELEMENT (self->src);
  gst_bin_add_many (GST_BIN (self->pipeline), last, sink, NULL);
  g_object_set (sink, "sync", FALSE, "enable-last-sample", FALSE, NULL);
  for (guint i = 0; i < self->n_elements; i++) {
    gchar *name = g_strdup_printf ("dct%u", i);
    GstElement *dct = gst_element_factory_make ("blockdct", name);
    gboolean is_cpu = strcmp (engine, "cpu") == 0;

    gst_util_set_object_arg (G_OBJECT (dct), "backend", engine);
    g_object_set (dct, "async-depth", recipe->depth, "quality", 60 - 30 * i,
        NULL);
    gst_bin_add (GST_BIN (self->pipeline), dct);
    if (i > 0 && !is_cpu) {
      GstCaps *caps = gst_caps_from_string (recipe->between);

      ok = ok && gst_element_link_filtered (last, dct, caps);
      gst_caps_unref (caps);
    } else
      ok = ok && gst_element_link (last, dct);
    last = dct;
    g_free (name);
  }
  ok = ok && gst_element_link (last, sink);
  if (!ok)
    printf ("the pipeline cannot be linked\n");
  bus = gst_element_get_bus (self->pipeline);
  gst_bus_set_sync_handler (bus, on_message, self, NULL);
  gst_object_unref (bus);
  return self;
}

/* What the CPU engine says of the pictures, in one form. */
static gboolean
learn (const Recipe * recipe, guint form, Expected expected)
{
  Recipe one = *recipe;
  gboolean ok;
  Stream *cpu;

  one.forms[0] = recipe->forms[form];
  one.depth = 1;
  cpu = make (&one, MEMORY_OWN, "cpu", N_PICTURES);
  cpu->learns = TRUE;
  ok = stream_run (cpu, N_PICTURES);
  memcpy (expected[form], cpu->expected[0], sizeof expected[form]);
  stream_free (cpu);
  return ok;
}

Stream *
stream_new (const Recipe * recipe, guint64 n_frames)
{
  Stream *self = make (recipe, recipe->memory, backend (), n_frames);
  gboolean ok = TRUE;

  for (guint form = 0; form < 2 && ok; form++)
    ok = recipe->forms[form].format == NULL
        || learn (recipe, form, self->expected);
  if (!ok)
    g_clear_pointer (&self, stream_free);
  return self;
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

void
stream_fall_back (Stream * self)
{
  self->engine = "cpu";
  for (guint i = 0; i < self->n_elements; i++) {
    gchar *name = g_strdup_printf ("dct%u", i);
    GstElement *dct = gst_bin_get_by_name (GST_BIN (self->pipeline), name);

    gst_util_set_object_arg (G_OBJECT (dct), "backend", "auto");
    gst_object_unref (dct);
    g_free (name);
  }
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
  stage ("to PLAYING");
  gst_element_set_state (self->pipeline, GST_STATE_PLAYING);
}

void
stream_end (Stream * self)
{
  stage ("to NULL");
  gst_element_set_state (self->pipeline, GST_STATE_NULL);
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
  gint64 end = g_get_monotonic_time () + (gint64) (seconds * G_USEC_PER_SEC);
  const guint64 *n = &self->n[self->n_elements - 1];
  gboolean ok, in_time = TRUE;

  stage (frames == FRAMES_ERROR ? "waiting for an error"
      : frames == FRAMES_EOS ? "waiting for the end" : "waiting for frames");
  g_mutex_lock (&self->lock);
  while (self->error == NULL && !self->eos && *n < frames && in_time)
    in_time = g_cond_wait_until (&self->changed, &self->lock, end);
  ok = frames == FRAMES_ERROR ? self->error != NULL
      : self->error == NULL && (self->eos || *n >= frames);
  if (!in_time)
    printf ("%s: not in %g s; %" G_GUINT64_FORMAT " frames passed\n",
        frames == FRAMES_ERROR ? "an error"
        : frames == FRAMES_EOS ? "the end" : "frames", seconds, *n);
  g_mutex_unlock (&self->lock);
  return ok;
}

gboolean
stream_is_well (Stream * self)
{
  gboolean ok;

  g_mutex_lock (&self->lock);
  ok = self->error == NULL && self->wrong == 0;
  if (self->error != NULL)
    printf ("%s (%s)\n", self->error->message, self->debug);
  if (self->wrong > 0)
    printf ("%" G_GUINT64_FORMAT " messages are wrong\n", self->wrong);
  g_mutex_unlock (&self->lock);
  return ok;
}

gboolean
stream_run (Stream * self, guint64 n_frames)
{
  guint64 n;
  gboolean ok;

  stream_play (self);
  ok = stream_wait (self, FRAMES_EOS, PATIENCE);
  n = stream_frames (self);
  stream_end (self);
  if (!stream_is_well (self) || !ok)
    return FALSE;
  if (n != n_frames)
    printf ("%" G_GUINT64_FORMAT " messages for %" G_GUINT64_FORMAT
        " frames\n", n, n_frames);
  return n == n_frames;
}
