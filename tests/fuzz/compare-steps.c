/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps over blockdctcompare. */
#include "compare.h"

#include <string.h>
#include "dct/engine/compare.h"

#define ALL ((1 << N_INPUTS) - 1)

static GstVideoInfo
draw_info (const gint64 * arg)
{
  static const gint rates[][2] = { {25, 1}, {25, 1}, {0, 1}, {30000, 1001},
  {1, 1}, {240, 1}
  };
  GstVideoInfo info;
  GstCaps *caps = video_caps (shape_format (arg[0] % N_FORMATS), arg[1],
      arg[2]);

  gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION, rates[arg[3]][0],
      rates[arg[3]][1], NULL);
  if (arg[4] == 1)
    gst_caps_set_simple (caps, "pixel-aspect-ratio", GST_TYPE_FRACTION, 4, 3,
        NULL);
  if (arg[4] == 2 && arg[0] % N_FORMATS < N_TEST_FORMATS)
    gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING, "1:3:5:1", NULL);
  if (arg[4] == 3)
    gst_caps_set_simple (caps, "interlace-mode", G_TYPE_STRING, "interleaved",
        NULL);
  if (!gst_video_info_from_caps (&info, caps))
    g_error ("caps of our own are none");
  gst_caps_unref (caps);
  return info;
}

/* mask format width height rate other: to all inputs of the mask. */
static void
run_caps (World * w, const gint64 * arg)
{
  const GstVideoInfo info = draw_info (arg + 1);

  for (guint i = 0; i < N_INPUTS; i++)
    if (w->input[i].pad != NULL && (arg[0] >= ALL || arg[0] >> i & 1)) {
      world_stream (w, i);
      if (!w->input[i].sent_eos)
        world_set_caps (w, i, &info);
    }
}

/* input format: another layout of what an input has. */
static void
run_layout (World * w, const gint64 * arg)
{
  static const gchar *const alike[][4] = {
    {"I420", "NV12", "YV12", "NV21"}, {"Y42B", "NV16", "NV16", "Y42B"},
    {"I420_10LE", "P010_10LE", "P010_10LE", "I420_10LE"},
    {"I420_12LE", "P012_LE", "P012_LE", "I420_12LE"}
  };
  GstVideoInfo info, old = w->input[arg[0]].info;

  if (w->input[arg[0]].pad == NULL || w->input[arg[0]].sent_eos)
    return;
  world_stream (w, arg[0]);
  old = w->input[arg[0]].info;
  for (guint k = 0; k < G_N_ELEMENTS (alike); k++)
    for (guint i = 0; i < 4; i++)
      if (strcmp (alike[k][i], GST_VIDEO_INFO_NAME (&old)) == 0) {
        video_info (&info, alike[k][arg[1]], old.width, old.height);
        info.fps_n = old.fps_n;
        info.fps_d = old.fps_d;
        world_set_caps (w, arg[0], &info);
        return;
      }
}

static void
set_times (Input * input, GstBuffer * buffer, gint how)
{
  GstClockTime time = input->next_time;

  GST_BUFFER_DURATION (buffer) = FRAME;
  input->next_time += FRAME;
  switch (how) {
    case 0:                    /* none */
      time = GST_CLOCK_TIME_NONE;
      break;
    case 1:                    /* jittered */
      time += FRAME / 3;
      break;
    case 2:
      time -= MIN (time, FRAME / 3);
      break;
    case 3:                    /* one is missing */
      time += FRAME;
      input->next_time += FRAME;
      break;
    case 4:                    /* repeated */
      time -= MIN (time, FRAME);
      input->next_time = time + FRAME;
      break;
    case 5:                    /* late, in the order of others */
      time -= MIN (time, 3 * FRAME);
      break;
    case 6:                    /* backward */
      input->next_time -= MIN (input->next_time, 5 * FRAME);
      break;
    case 7:                    /* on the edge of two */
      time += FRAME / 2;
      break;
    case 8:
      time += FRAME / 2 + 1;
      break;
    case 9:
      GST_BUFFER_DURATION (buffer) = GST_CLOCK_TIME_NONE;
      break;
    case 10:
      input->next_time += 20 * FRAME;
      break;
    default:
      break;
  }
  GST_BUFFER_PTS (buffer) = time;
}

static void
push (World * w, guint i, guint content, guint32 seed, guint layout,
    gboolean dirty, gint time, gboolean view)
{
  Input *input = &w->input[i];
  GstBuffer *buffer;
  Item *item;

  if (input->pad == NULL || input->sent_eos || input_is_full (input))
    return;
  world_stream (w, i);
  item = item_new (w, i, ITEM_FRAME);
  shape_init (&item->shape, GST_VIDEO_INFO_NAME (&item->info),
      item->info.width, item->info.height);
  buffer = picture_draw (&item->shape, &item->info, content, seed, layout, 1,
      dirty, &item->samples);
  item->dirty = dirty;
  if (item->shape.rgb != NULL) {
    shape_subsample (&item->shape, BDCT_CHROMA_444);
    picture_split (&item->shape, &item->samples);
  }
  set_times (input, buffer, time);
  if (view) {
    item->is_view = TRUE;
    gst_structure_set (gst_custom_meta_get_structure
        (gst_buffer_add_custom_meta (buffer, "blockdct")), "view",
        G_TYPE_STRING, "error-map", NULL);
  }
  world_push (w, i, item, buffer);
}

/* input content seed layout dirty time view */
static void
run_push (World * w, const gint64 * arg)
{
  push (w, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5], arg[6] == 0);
}

/* n seed layout: frames of one time to all inputs, those behind first. */
static void
run_round (World * w, const gint64 * arg)
{
  for (gint n = 0; n < arg[0]; n++) {
    GstClockTime time = 0;

    for (guint i = 0; i < N_INPUTS; i++)
      time = MAX (time, w->input[i].next_time);
    for (guint i = 0; i < N_INPUTS; i++) {
      world_stream (w, i % 2 && w->input[i].pad != NULL ? i : 0);
      w->input[i].next_time = time;
      push (w, i, n, arg[1] + 7 * i + n, arg[2], FALSE, 99, FALSE);
    }
  }
}

static void
run_gap (World * w, const gint64 * arg)
{
  Input *input = &w->input[arg[0]];
  GstClockTime time;

  if (input->pad == NULL || input->sent_eos)
    return;
  world_stream (w, arg[0]);
  time = input->next_time;
  /* One out of the segment is left out by GstAggregator. */
  if (!gst_segment_clip (&input->segment, GST_FORMAT_TIME, time, time + FRAME,
          NULL, NULL))
    return;
  input->next_time += FRAME;
  item_new (w, arg[0], ITEM_GAP_EVENT);
  world_send (w, arg[0], gst_event_new_gap (time, FRAME));
}

/* mask base start time rate */
static void
run_segment (World * w, const gint64 * arg)
{
  const guint32 seqnum = gst_util_seqnum_next ();
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.base = arg[1] * FRAME;
  segment.start = segment.position = arg[2] * FRAME;
  segment.time = arg[3] * FRAME;
  segment.rate = arg[4] == 0 ? 2 : 1;
  segment.stop = arg[4] == 1 ? segment.start + 5 * FRAME : GST_CLOCK_TIME_NONE;
  for (guint i = 0; i < N_INPUTS; i++)
    if (w->input[i].pad != NULL && !w->input[i].sent_eos
        && (arg[0] >= ALL || arg[0] >> i & 1)) {
      world_stream (w, i);
      w->input[i].next_time = segment.start;
      world_set_segment (w, i, &segment, seqnum);
    }
}

static void
new_segments (World * w, guint mask, GstClockTime start, guint32 seqnum)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = segment.position = start;
  for (guint i = 0; i < N_INPUTS; i++)
    if (w->input[i].pad != NULL && mask >> i & 1) {
      w->input[i].next_time = start;
      if (w->input[i].have_stream)
        world_set_segment (w, i, &segment, seqnum);
    }
}

static void
run_flush (World * w, const gint64 * arg)
{
  const guint32 seqnum = gst_util_seqnum_next ();
  const guint mask = arg[0] < N_INPUTS ? 1u << arg[0] : ALL;

  if (!w->playing || (mask != ALL && w->input[arg[0]].pad == NULL))
    return;
  world_flush (w, mask, seqnum);
  new_segments (w, mask, arg[1] * FRAME, seqnum);
}

/* From downstream: it comes up each input once. */
static void
run_seek (World * w, const gint64 * arg)
{
  GstEvent *event;
  guint32 seqnum;

  if (!w->playing)
    return;
  event = gst_event_new_seek (1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
      GST_SEEK_TYPE_SET, arg[0] * FRAME, GST_SEEK_TYPE_SET,
      GST_CLOCK_TIME_NONE);
  seqnum = gst_event_get_seqnum (event);
  for (guint i = 0; i < N_INPUTS; i++)
    w->input[i].seeks = 0;
  doing ("a seek");
  gst_pad_push_event (w->sink, event);
  for (guint i = 0; i < N_INPUTS; i++)
    check (w->input[i].pad == NULL || w->input[i].seeks == 1,
        "%d seeks came up %s", w->input[i].seeks, input_names[i]);
  model_reset (w, FALSE);
  new_segments (w, ALL, arg[0] * FRAME, seqnum);
}

static void
run_eos (World * w, const gint64 * arg)
{
  for (guint i = 0; i < N_INPUTS; i++) {
    if (w->input[i].pad == NULL || w->input[i].sent_eos
        || (arg[0] < N_INPUTS && i != arg[0]))
      continue;
    world_stream (w, i);
    w->input[i].sent_eos = TRUE;
    item_new (w, i, ITEM_EOS);
    world_send (w, i, gst_event_new_eos ());
    world_settle (w);
  }
}

static void
run_pad (World * w, const gint64 * arg)
{
  GstPad *pad;

  if (w->input[arg[0]].pad != NULL) {
    world_remove_pad (w, arg[0]);
    return;
  }
  world_add_pad (w, arg[0]);
  pad = gst_element_request_pad_simple (w->element, "dist_sink_3");
  check (pad == NULL, "there are more than three distorted inputs");
}

/* Properties */

static gdouble
near (gdouble value, gint64 arg)
{
  return value * (arg % 21) / 20;
}

static void
run_set (World * w, const gint64 * arg)
{
  static const gint views[] = {
    BDCT_VIEW_WIPE, BDCT_VIEW_SIDE_BY_SIDE, BDCT_VIEW_STACKED,
    BDCT_VIEW_FLICKER, BDCT_VIEW_DIFFERENCE, BDCT_VIEW_ERROR_MAP,
    BDCT_VIEW_SSIM_MAP, BDCT_VIEW_HVS_MAP
  };
  static const gchar *const doubles[] = { "wipe-position", "zoom-x", "zoom-y"
  };
  static const gchar *const booleans[] = { "overlay", "interactive" };
  Settings *s = &w->settings;
  gdouble *const shares[] = { &s->position, &s->zoom_x, &s->zoom_y };
  gboolean *const flags[] = { &s->overlay, &s->interactive };
  GObject *object = G_OBJECT (w->element);
  const gint64 v = arg[1];
  gboolean on;

  switch (arg[0]) {
    case 0:
      s->metrics = v % (2 << BDCT_N_METRICS) | (v % 3 ? 1 << BDCT_N_METRICS
          : 0);
      g_object_set (object, "metrics", s->metrics, NULL);
      break;
    case 1:
    case 2:
      s->view = v % 2 ? BDCT_VIEW_RECONSTRUCTION
          : views[v / 2 % G_N_ELEMENTS (views)];
      g_object_set (object, "view", s->view, NULL);
      break;
    case 3:
      s->left = v % N_INPUTS - 1;
      g_object_set (object, "left", s->left, NULL);
      break;
    case 4:
      s->right = v % N_INPUTS - 1;
      g_object_set (object, "right", s->right, NULL);
      break;
    case 5:
      s->offset = v % 7 ? v % 7 - 3 : 0;
      g_object_set (object, "offset", s->offset, NULL);
      break;
    case 6:
      s->interval = v % 3 * 5 * FRAME;
      g_object_set (object, "interval", s->interval, NULL);
      break;
    case 7:
      s->post = v % 4 > 0;
      g_object_set (object, "post-messages", s->post, NULL);
      break;
    case 8:
      s->min_warning = v % 3 ? v % 60 : 0;
      g_object_set (object, "min-psnr-warning", s->min_warning, NULL);
      break;
    case 9:
      s->min_error = v % 7 ? 0 : v % 20;
      g_object_set (object, "min-psnr-error", s->min_error, NULL);
      break;
    case 10:
      s->zoom = v % 2 ? 1 : 1 + near (15, v / 2);
      s->gain = near (64, v);
      g_object_set (object, "zoom", s->zoom, "difference-gain", s->gain, NULL);
      break;
    case 11:
      *shares[v % G_N_ELEMENTS (shares)] = near (1, v / 5);
      g_object_set (object, doubles[v % G_N_ELEMENTS (doubles)], near (1,
              v / 5), NULL);
      break;
    default:
      /* The last one is on more often than not, the other is not. */
      on = (v / 2 % 4 == 0) != (v % 2 == 1);
      *flags[v % 2] = on;
      g_object_set (object, booleans[v % 2], on, NULL);
      break;
  }
  settings_check (w);
}

/* What is read at the start is refused later. */
static void
run_late (World * w, const gint64 * arg)
{
  static const gchar *const names[] = { "threads", "backend", "stats-file" };

  world_start (w);
  world_expect_warning (w, "%s was not changed", names[arg[0]]);
  gst_util_set_object_arg (G_OBJECT (w->element), names[arg[0]],
      arg[0] == 1 ? "auto" : "3");
}

/* The world around it */

static void
run_sink (World * w, const gint64 * arg)
{
  world_start (w);
  switch (arg[0]) {
    case 0:
      w->flow = GST_FLOW_ERROR;
      break;
    case 1:
      w->flow = GST_FLOW_EOS;
      break;
    case 2:
      w->flow = GST_FLOW_NOT_LINKED;
      break;
    case 3:
      w->refuse = TRUE;
      gst_pad_push_event (w->sink, gst_event_new_reconfigure ());
      break;
    case 4:
      gst_pad_push_event (w->sink, gst_event_new_reconfigure ());
      break;
    default:
      w->slow = arg[0] == 5 ? 1000 : 0;
      break;
  }
}

static void
run_state (World * w, const gint64 * arg)
{
  world_change_state (w, w->element, arg[0]);
}

/* file threads: what is set while it is stopped. */
static void
run_ready (World * w, const gint64 * arg)
{
  static const gchar *const endings[] = { "log", "csv", "jsonl", "txt" };

  world_start (w);
  world_stop (w, GST_STATE_READY);
  world_new_file (&w->stats_file, arg[0] < 4 ? endings[arg[0]] : NULL);
  g_object_set (w->element, "stats-file", w->stats_file, "threads",
      (guint) arg[1], NULL);
  if (arg[0] != 3)
    return;
  /* Its ending says no format. */
  check (gst_element_set_state (w->element, GST_STATE_PLAYING)
      == GST_STATE_CHANGE_FAILURE, "%s is written", w->stats_file);
  gst_element_set_state (w->element, GST_STATE_NULL);
  g_object_set (w->element, "stats-file", NULL, NULL);
  g_clear_pointer (&w->stats_file, g_free);
  w->errors_due++;
}

static void
run_query (World * w, const gint64 * arg)
{
  GstQuery *query;
  gboolean seekable;
  GstCaps *caps;

  switch (arg[0]) {
    case 0:
      query = gst_query_new_seeking (GST_FORMAT_TIME);
      check (gst_pad_peer_query (w->sink, query), "no answer about seeking");
      gst_query_parse_seeking (query, NULL, &seekable, NULL, NULL);
      check (seekable, "seeking was not asked of ref_sink");
      gst_query_unref (query);
      break;
    case 1:
      query = gst_query_new_latency ();
      gst_pad_peer_query (w->sink, query);
      gst_query_unref (query);
      break;
    case 2:
      caps = gst_pad_peer_query_caps (w->input[1].pad, NULL);
      check (!gst_caps_is_empty (caps), "dist_sink takes no caps");
      gst_caps_unref (caps);
      break;
    default:
      check_stats (w);
      break;
  }
}

const Kind compare_kinds[] = {
  {"push", 500, run_push, {{"input", 0, N_INPUTS - 1}, {"content", 0, 24},
          {"seed", 0, 9999}, {"layout", 0, N_LAYOUTS - 1}, {"dirty", 0, 1},
          {"time", 0, 40}, {"view", 0, 40}}},
  {"round", 250, run_round, {{"n", 1, 8}, {"seed", 0, 9999},
          {"layout", 0, N_LAYOUTS - 1}}},
  {"gap", 25, run_gap, {{"input", 0, N_INPUTS - 1}}},
  {"caps", 40, run_caps, {{"mask", 1, ALL + 30}, {"format", 0, N_FORMATS - 1},
          {"width", 1, 40}, {"height", 1, 40}, {"rate", 0, 5},
          {"other", 0, 9}}},
  {"layout", 30, run_layout, {{"input", 0, N_INPUTS - 1}, {"format", 0, 3}}},
  {"segment", 20, run_segment, {{"mask", 1, ALL + 20}, {"base", 0, 20},
          {"start", 0, 20}, {"time", 0, 20}, {"rate", 0, 9}}},
  {"flush", 30, run_flush, {{"input", 0, 2 * N_INPUTS}, {"to", 0, 50}}},
  {"seek", 15, run_seek, {{"to", 0, 50}}},
  {"eos", 25, run_eos, {{"input", 0, N_INPUTS + 1}}},
  {"pad", 30, run_pad, {{"input", 2, N_INPUTS - 1}}},
  {"set", 200, run_set, {{"what", 0, 15}, {"value", 0, 9999}}},
  {"late", 5, run_late, {{"what", 0, 2}}},
  {"sink", 15, run_sink, {{"how", 0, 7}}},
  {"state", 15, run_state, {{"to", 0, 2}}},
  {"ready", 8, run_ready, {{"file", 0, 7}, {"threads", 1, 3}}},
  {"query", 25, run_query, {{"what", 0, 6}}},
  {.name = NULL}
};
