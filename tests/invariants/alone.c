/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The oracle: one frame through new elements. */
#include "invariants.h"

#include <gst/check/gstharness.h>
#include <string.h>

const gchar *const pad_names[MAX_PADS] =
    { "ref_sink", "dist_sink", "dist_sink_1", "dist_sink_2" };

/* Send what is there to the pads, and take what leaves. */
static GstBuffer *
send (GstElement * element, const gchar * const *names, guint n,
    const Input * input, GstCaps ** caps)
{
  GstHarness *sink = gst_harness_new_with_element (element, NULL, "src");
  GstHarness *src[MAX_PADS] = { NULL };
  GstBuffer *out = NULL, *next;

  for (guint i = 0; i < n; i++)
    if (input->caps[i] != NULL)
      src[i] = gst_harness_new_with_element (element, names[i], NULL);
  if (gst_element_set_state (element, GST_STATE_PLAYING)
      == GST_STATE_CHANGE_FAILURE)
    fail ("alone: no start");
  for (guint i = 0; i < n; i++) {
    if (src[i] == NULL)
      continue;
    gst_harness_push_event (src[i], gst_event_new_stream_start ("alone"));
    gst_harness_push_event (src[i], gst_event_new_caps (input->caps[i]));
    gst_harness_push_event (src[i], gst_event_new_segment (&input->segment));
  }
  for (guint i = 0; i < n; i++)
    if (src[i] != NULL && input->in[i] != NULL)
      gst_harness_push (src[i], gst_buffer_copy (input->in[i]));
  for (guint i = 0; i < n; i++)
    if (src[i] != NULL)
      gst_harness_push_event (src[i], gst_event_new_eos ());
  while (gst_harness_pull_until_eos (sink, &next) && next != NULL) {
    if (out != NULL)
      fail ("alone: two frames left");
    out = next;
  }
  if (out == NULL)
    fail ("alone: no frame left");
  *caps = gst_pad_get_current_caps (sink->sinkpad);
  for (guint i = 0; i < n; i++)
    if (src[i] != NULL)
      gst_harness_teardown (src[i]);
  gst_harness_teardown (sink);
  return out;
}

/* The pad that a structure describes; 0: none. */
static guint
pad_of (const GstStructure * s)
{
  const gchar *pad = gst_structure_get_string (s, "pad");
  guint i = MAX_PADS - 1;

  while (i > 0 && g_strcmp0 (pad_names[i], pad) != 0)
    i--;
  return i;
}

static void
set_index (GstStructure * s, Part part, const Index * index)
{
  gst_structure_set (s, "index", G_TYPE_UINT64, index->at[part][pad_of (s)],
      NULL);
}

/* Number what the element has added to the buffer. */
static void
number_metas (GstBuffer * buffer, Part part, const Index * index)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta (buffer, &state)) != NULL)
    if (gst_meta_info_is_custom (meta->info)
        && gst_custom_meta_has_name ((GstCustomMeta *) meta,
            part == PART_COMPARE ? "blockdct-compare" : "blockdct"))
      set_index (gst_custom_meta_get_structure ((GstCustomMeta *) meta), part,
          index);
}

static void
take_messages (Alone * alone, Part part, GstBus * bus, const Index * index)
{
  GstMessage *message;

  while ((message = gst_bus_pop (bus)) != NULL) {
    const GstStructure *s = gst_message_get_structure (message);
    const gchar *type = s != NULL ? gst_structure_get_string (s, "type") : NULL;

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
      gchar *text = gst_structure_to_string (s);

      fail ("alone: %s", text);
    }
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT
        && (type == NULL || strcmp (type, "frame") == 0)) {
      GstStructure *copy = gst_structure_copy (s);

      set_index (copy, part, index);
      g_queue_push_tail (&alone->messages[part], describe_structure (copy));
      gst_structure_free (copy);
    }
    gst_message_unref (message);
  }
}

/* Run a part with what is on its pads. */
static GstBuffer *
run_part (Alone * alone, Part part, const Input * input,
    const Settings * settings, const Index * index)
{
  static const gchar *const sink[] = { "sink" };
  const gboolean compares = part == PART_COMPARE;
  GstElement *element = gst_element_factory_make (compares ? "blockdctcompare"
      : "blockdct", NULL);
  GstBus *bus = gst_bus_new ();
  GstBuffer *out;

  gst_object_ref_sink (element);
  gst_element_set_bus (element, bus);
  settings_start (element, 1, 0);
  if (compares)
    g_object_set (element, "offset", input->late, NULL);
  settings_apply (settings, NULL, part, element);
  gst_clear_caps (&alone->caps);
  out = send (element, compares ? pad_names : sink, compares ? MAX_PADS : 1,
      input, &alone->caps);
  g_object_get (element, "stats", &alone->stats[part], NULL);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
  out = gst_buffer_make_writable (out);
  number_metas (out, part, index);
  take_messages (alone, part, bus, index);
  gst_object_unref (bus);
  return out;
}

void
alone_run (Alone * alone, Subject subject, const Input * input,
    const Settings * const settings[N_PARTS], const Index * index)
{
  Input pads = *input;

  *alone = (Alone) {
  0};
  if (subject == TRANSFORM) {
    alone->out = run_part (alone, PART_A, input, settings[PART_A], index);
    return;
  }
  if (subject == PREVIEW) {
    pads.in[1] = run_part (alone, PART_A, input, settings[PART_A], index);
    pads.in[2] = run_part (alone, PART_B, input, settings[PART_B], index);
    pads.caps[1] = pads.caps[2] = input->caps[0];
  }
  alone->out = run_part (alone, PART_COMPARE, &pads, settings[PART_COMPARE],
      index);
  if (subject == PREVIEW) {
    gst_buffer_unref (pads.in[1]);
    gst_clear_buffer (&pads.in[2]);
  }
}

void
alone_clear (Alone * alone)
{
  gst_clear_buffer (&alone->out);
  gst_clear_caps (&alone->caps);
  for (guint p = 0; p < N_PARTS; p++) {
    g_queue_clear_full (&alone->messages[p], g_free);
    gst_clear_structure (&alone->stats[p]);
  }
}

const GstStructure *
stats_of_pad (const GstStructure * stats, Part part, guint pad)
{
  if (stats == NULL || part != PART_COMPARE)
    return pad == 0 ? stats : NULL;
  return pad > 0 && gst_structure_has_field (stats, pad_names[pad])
      ? gst_value_get_structure (gst_structure_get_value (stats,
          pad_names[pad])) : NULL;
}
