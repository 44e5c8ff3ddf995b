/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "repeat.h"

static GstPadProbeReturn
on_step (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  World *world = data;
  Step step = { 0 };

  (void) pad;
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) {
    const GstStructure *s = buffer_report (GST_PAD_PROBE_INFO_BUFFER (info));

    step.index = get_uint64 (s, "index");
    step.repeated = gst_structure_has_field (s, "repeated");
  } else {
    step.event = GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info));
  }
  g_mutex_lock (&world->lock);
  g_array_append_val (world->steps, step);
  g_mutex_unlock (&world->lock);
  return GST_PAD_PROBE_OK;
}

void
world_init (World * world, guint n, guint depth, const gchar * between)
{
  GstPad *pad;

  *world = (World) {
  .n = n};
  g_mutex_init (&world->lock);
  world->steps = g_array_new (FALSE, FALSE, sizeof (Step));
  video_info (&world->info, "I420", SIDE, SIDE);
  world->pipeline = gst_pipeline_new (NULL);
  world->dct = gst_element_factory_make ("blockdct", NULL);
  world->sink = gst_element_factory_make ("fakesink", NULL);
  g_object_set (world->sink, "sync", FALSE, NULL);
  gst_util_set_object_arg (G_OBJECT (world->dct), "backend", test_backend ());
  g_object_set (world->dct, "keep-frame", TRUE, "async-depth", depth, NULL);
  test_share_context (world->dct);
  gst_bin_add_many (GST_BIN (world->pipeline), world->dct, world->sink, NULL);
  if (between != NULL) {
    GstElement *queue = gst_element_factory_make (between, NULL);

    gst_bin_add (GST_BIN (world->pipeline), queue);
    g_assert_true (gst_element_link_many (world->dct, queue, world->sink,
            NULL));
  } else {
    g_assert_true (gst_element_link (world->dct, world->sink));
  }
  pad = gst_element_get_static_pad (world->dct, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER
      | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
      on_step, world, NULL);
  gst_object_unref (pad);
  world->feed = gst_pad_new ("feed", GST_PAD_SRC);
  gst_pad_set_active (world->feed, TRUE);
  pad = gst_element_get_static_pad (world->dct, "sink");
  g_assert_cmpint (gst_pad_link (world->feed, pad), ==, GST_PAD_LINK_OK);
  gst_object_unref (pad);
}

void
world_push_start (World * world)
{
  GstCaps *caps = gst_video_info_to_caps (&world->info);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (world->feed, gst_event_new_stream_start ("test"));
  gst_pad_push_event (world->feed, gst_event_new_caps (caps));
  gst_pad_push_event (world->feed, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
}

gpointer
world_feed (gpointer data)
{
  World *world = data;

  world_push_start (world);
  world->ret = GST_FLOW_OK;
  for (guint i = 0; i < world->n && world->ret == GST_FLOW_OK; i++)
    world->ret = gst_pad_push (world->feed, frame_new (&world->info, i));
  if (world->ret == GST_FLOW_OK)
    gst_pad_push_event (world->feed, gst_event_new_eos ());
  return NULL;
}

void
world_set_state (World * world, GstState state)
{
  g_assert_cmpint (gst_element_set_state (world->pipeline, state), !=,
      GST_STATE_CHANGE_FAILURE);
}

void
world_start (World * world, GstState state)
{
  world_set_state (world, state);
  world->feeder = g_thread_new ("feed", world_feed, world);
  g_assert_cmpint (gst_element_get_state (world->pipeline, NULL, NULL,
          10 * GST_SECOND), ==, GST_STATE_CHANGE_SUCCESS);
}

void
world_wait_for_end (World * world)
{
  GstBus *bus = gst_element_get_bus (world->pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, 10 * GST_SECOND,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

  g_assert_nonnull (message);
  g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_object_unref (bus);
}

void
world_clear (World * world)
{
  world_set_state (world, GST_STATE_NULL);
  if (world->feeder != NULL)
    g_thread_join (world->feeder);
  gst_pad_set_active (world->feed, FALSE);
  gst_object_unref (world->feed);
  gst_object_unref (world->pipeline);
  g_array_unref (world->steps);
  g_mutex_clear (&world->lock);
}

GstBuffer *
world_wait_for_quality (World * world, gint quality)
{
  gint64 end = g_get_monotonic_time () + TIMEOUT;
  GstBuffer *buffer = NULL;

  while (buffer == NULL) {
    GstSample *sample = NULL;

    g_object_get (world->sink, "last-sample", &sample, NULL);
    if (sample != NULL) {
      gint now = get_int (buffer_report (gst_sample_get_buffer (sample)),
          "quality");

      if (now == quality)
        buffer = gst_buffer_ref (gst_sample_get_buffer (sample));
      gst_sample_unref (sample);
    }
    g_assert_cmpint (g_get_monotonic_time (), <, end);
    g_usleep (200);
  }
  return buffer;
}

void
world_check_index (const Step * step, guint64 * next)
{
  if (step->repeated && step->index + 1 == *next)
    return;
  g_assert_cmpuint (step->index, ==, *next);
  ++*next;
}

guint
world_check_steps (World * world, guint n)
{
  guint64 next = 0;
  guint repeated = 0;
  gboolean segment = FALSE, flushing = FALSE;

  for (guint i = 0; i < world->steps->len; i++) {
    const Step *step = &g_array_index (world->steps, Step, i);

    switch (step->event) {
      case GST_EVENT_UNKNOWN:
        /* It may just be on its way when the flush begins. */
        g_assert_true (segment);
        world_check_index (step, &next);
        repeated += step->repeated;
        break;
      case GST_EVENT_FLUSH_START:
        g_assert_false (flushing);
        flushing = TRUE;
        break;
      case GST_EVENT_FLUSH_STOP:
        g_assert_true (flushing);
        flushing = segment = FALSE;
        break;
      case GST_EVENT_SEGMENT:
        g_assert_false (segment || flushing);
        segment = TRUE;
        break;
      case GST_EVENT_EOS:
        break;
      default:
        g_assert_false (flushing);
        break;
    }
  }
  g_assert_cmpuint (next, ==, n);
  return repeated;
}
