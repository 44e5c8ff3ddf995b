/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps of the stream: caps, buffers, events, queries, states. */
#include "fuzz.h"

#include <string.h>

static const struct
{
  gint n, d;
} rates[] = { {25, 1}, {30000, 1001}, {0, 1}, {1000, 1}, {1, 1},
  {1, G_MAXINT}
};

static const gchar *const colours[] = {
  NULL, "bt601", "bt709", "bt2020", "1:4:5:1", "2:1:0:0", "sRGB"
};

static const gchar *const scans[] = {
  NULL, "progressive", "interleaved", "mixed"
};

static GstCaps *
make_caps (gint format, gint width, gint height, gint rate, gint colour,
    gint scan)
{
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      shape_format (format), "width", G_TYPE_INT, width, "height",
      G_TYPE_INT, height, "framerate", GST_TYPE_FRACTION, rates[rate].n,
      rates[rate].d, NULL);

  if (colours[colour] != NULL)
    gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING, colours[colour],
        NULL);
  if (scans[scan] != NULL)
    gst_caps_set_simple (caps, "interlace-mode", G_TYPE_STRING, scans[scan],
        NULL);
  return caps;
}

/* One size in eight is larger than a few blocks. */
static void
run_caps (World * w, const gint64 * arg)
{
  gint scale = arg[6] == 0 ? 3 : 1;
  GstCaps *caps = make_caps (arg[0], arg[1] * scale, arg[2] * scale, arg[3],
      arg[4], arg[5]);

  world_stream (w);
  if (w->up_pool != NULL) {
    gst_buffer_pool_set_active (w->up_pool, FALSE);
    gst_clear_object (&w->up_pool);
  }
  check (world_set_caps (w, caps), "caps were refused");
  gst_caps_unref (caps);
}

/* Sizes beyond what can be computed are refused, and nothing else changes. */
static void
run_huge (World * w, const gint64 * arg)
{
  static const gint sizes[][2] = {
    {2147483640, 1}, {1, 2147483640}, {G_MAXINT, G_MAXINT}, {1 << 30, 2},
    {65536, 65536},
  };
  GstCaps *caps = make_caps (arg[1], sizes[arg[0]][0], sizes[arg[0]][1], 0, 0,
      0);
  GstPad *pad;

  world_stream (w);
  w->may_error = TRUE;
  /* Sent, not pushed: a pad keeps caps and says they were. */
  pad = gst_pad_get_peer (w->src);
  check (!gst_pad_send_event (pad, gst_event_new_caps (caps)),
      "caps of %dx%d were accepted", sizes[arg[0]][0], sizes[arg[0]][1]);
  gst_object_unref (pad);
  gst_caps_unref (caps);
  world_stop (w, GST_STATE_READY);
}

static void
add_metas (Frame * frame, GstBuffer * buffer)
{
  static GstCaps *reference;
  guint token = frame->token;

  if (frame->metas & META_ROI) {
    GstVideoRegionOfInterestMeta *roi =
        gst_buffer_add_video_region_of_interest_meta (buffer, "thing", token, 2,
        7, 3);

    gst_video_region_of_interest_meta_add_param (roi,
        gst_structure_new_empty ("fuzz"));
  }
  if (frame->metas & META_CROP) {
    GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (buffer);

    crop->x = token;
    crop->y = crop->width = crop->height = 1;
  }
  if (frame->metas & META_REFERENCE) {
    if (reference == NULL)
      reference = gst_caps_new_empty_simple ("timestamp/x-fuzz");
    gst_buffer_add_reference_timestamp_meta (buffer, reference, token, 0);
  }
  if (frame->metas & META_CUSTOM)
    gst_structure_set (gst_custom_meta_get_structure
        (gst_buffer_add_custom_meta (buffer, "fuzz-meta")), "token",
        G_TYPE_UINT, token, NULL);
  if (frame->metas & META_FIGURES)
    gst_structure_set (gst_custom_meta_get_structure
        (gst_buffer_add_custom_meta (buffer, "blockdct")), "psnr",
        G_TYPE_DOUBLE, 1.0, NULL);
}

static void
set_times (World * w, GstBuffer * buffer, gint how)
{
  GST_BUFFER_PTS (buffer) = w->next_time;
  GST_BUFFER_DURATION (buffer) = FRAME;
  w->next_time += FRAME;
  switch (how) {
    case 0:
      GST_BUFFER_PTS (buffer) = GST_CLOCK_TIME_NONE;
      break;
    case 1:
      GST_BUFFER_DURATION (buffer) = GST_CLOCK_TIME_NONE;
      break;
    case 2:
      w->next_time += 7 * FRAME + 1;
      break;
    case 3:
      w->next_time -= MIN (w->next_time, 5 * FRAME);
      break;
    case 4:
      GST_BUFFER_DTS (buffer) = w->next_time / 2;
      break;
    case 5:
      GST_BUFFER_DURATION (buffer) = 0;
      break;
    default:
      break;
  }
}

static guint
get_flags (gint n)
{
  static const guint flags[] = {
    GST_BUFFER_FLAG_DISCONT, GST_BUFFER_FLAG_CORRUPTED, GST_BUFFER_FLAG_GAP,
    GST_BUFFER_FLAG_DELTA_UNIT, GST_BUFFER_FLAG_DROPPABLE,
    GST_BUFFER_FLAG_MARKER, GST_BUFFER_FLAG_RESYNC,
    GST_BUFFER_FLAG_NON_DROPPABLE, GST_VIDEO_BUFFER_FLAG_INTERLACED,
    GST_VIDEO_BUFFER_FLAG_TFF, GST_BUFFER_FLAG_LIVE
  };
  guint all = 0;

  /* None in half of the buffers. */
  for (guint i = 0; i < G_N_ELEMENTS (flags) && !(n & 1); i++)
    if (n >> (i + 1) & 1)
      all |= flags[i];
  return all;
}

static GstBuffer *
from_pool (World * w, Frame * frame, const gint64 * arg)
{
  GstBufferPoolAcquireParams params = {
    .flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT
  };
  GstBuffer *buffer = NULL;

  check (gst_buffer_pool_acquire_buffer (w->up_pool, &buffer, &params)
      == GST_FLOW_OK, "a pool of the proposed size has no buffer left");
  picture_write (&w->shape, &w->info, buffer, arg[0], arg[1], arg[4],
      &frame->in);
  return buffer;
}

/* content seed layout memories dirty time flags metas */
static void
run_push (World * w, const gint64 * arg)
{
  Frame *frame = g_new0 (Frame, 1);
  GstBuffer *buffer;

  world_stream (w);
  if (w->passthrough && !model_fits (&w->model)) {
    g_free (frame);
    return;
  }
  if (w->up_pool != NULL && w->up_stale) {
    gst_buffer_pool_set_active (w->up_pool, FALSE);
    gst_clear_object (&w->up_pool);
  }
  if (w->up_pool != NULL)
    buffer = from_pool (w, frame, arg);
  else
    buffer = picture_draw (&w->shape, &w->info, arg[0], arg[1], arg[2],
        MAX (arg[3], 1), arg[4], &frame->in);
  frame->token = arg[1];
  /* None in half of the buffers, and not on a pool's, which keeps some. */
  frame->metas = w->up_pool == NULL && arg[7] & 1 ? arg[7] >> 1 : 0;
  add_metas (frame, buffer);
  set_times (w, buffer, arg[5]);
  GST_BUFFER_FLAGS (buffer) |= get_flags (arg[6]);
  if (arg[6] % 5 == 0 && w->up_pool == NULL)
    frame->held = gst_buffer_ref (buffer);
  world_push (w, frame, buffer);
}

static void
set_any (GstStructure * s, const gchar * field, GRand * rand)
{
  static const gint values[] = { 0, -6, 12, -51, 60, 1, 100, -1, 101, G_MININT,
    G_MAXINT
  };

  switch (g_rand_int_range (rand, 0, 8)) {
    case 0:
      gst_structure_set (s, field, G_TYPE_STRING, "-6", NULL);
      break;
    case 1:
      gst_structure_set (s, field, G_TYPE_DOUBLE, -6.0, NULL);
      break;
    default:
      gst_structure_set (s, field, G_TYPE_INT, values[g_rand_int_range (rand,
                  0, G_N_ELEMENTS (values))], NULL);
      break;
  }
}

static guint
any_side (GRand * rand)
{
  static const guint sides[] = { 0, 1, G_MAXUINT, G_MAXINT, 65536 };

  return g_rand_int_range (rand, 0, 4) ? (guint) g_rand_int_range (rand, 0, 45)
      : sides[g_rand_int_range (rand, 0, G_N_ELEMENTS (sides))];
}

/* n seed: a frame with regions of interest, some that can be and some that
 * cannot. What comes of it is not known here, but that it comes, says so, and
 * leaves what follows alone. */
static void
run_regions (World * w, const gint64 * arg)
{
  static const gchar *const names[] = { "roi/blockdct", "roi/x264enc",
    "roi/msdk", "roi/vaapi", "roi/other"
  };
  static const gchar *const fields[] = { "delta-qp", "quality", "delta" };
  Frame *frame = g_new0 (Frame, 1);
  GRand *rand = g_rand_new_with_seed (arg[1]);
  GstBuffer *buffer;

  world_stream (w);
  if (!model_fits (&w->model)) {
    g_rand_free (rand);
    g_free (frame);
    return;
  }
  buffer = picture_draw (&w->shape, &w->info, 0, arg[1], 0, 1, 0, &frame->in);
  for (gint i = 0; i < arg[0]; i++) {
    guint x = any_side (rand), y = any_side (rand), width = any_side (rand);
    GstVideoRegionOfInterestMeta *roi =
        gst_buffer_add_video_region_of_interest_meta (buffer, "fuzz", x, y,
        width, any_side (rand));

    for (gint k = g_rand_int_range (rand, 0, 4); k > 0; k--) {
      GstStructure *s = gst_structure_new_empty (names[g_rand_int_range (rand,
                  0, G_N_ELEMENTS (names))]);

      for (guint j = 0; j < G_N_ELEMENTS (fields); j++)
        if (g_rand_boolean (rand))
          set_any (s, fields[j], rand);
      gst_video_region_of_interest_meta_add_param (roi, s);
    }
  }
  frame->excused = TRUE;
  set_times (w, buffer, 9);
  w->may_warn = TRUE;
  world_push (w, frame, buffer);
  g_rand_free (rand);
}

/* Buffers that do not fit: an error, or a frame of whatever was there. */
static void
run_bad (World * w, const gint64 * arg)
{
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0 };
  gint stride[GST_VIDEO_MAX_PLANES] = { 0 };
  GstVideoFormat format;
  gint width, height;
  GstBuffer *buffer;
  Frame *frame;
  gsize size;

  world_stream (w);
  if (!model_fits (&w->model))
    return;
  format = GST_VIDEO_INFO_FORMAT (&w->info);
  width = w->info.width;
  height = w->info.height;
  size = w->info.size;
  memcpy (offset, w->info.offset, sizeof offset);
  memcpy (stride, w->info.stride, sizeof stride);
  switch (arg[0]) {
    case 0:                    /* too short */
      size = size * arg[1] / 100;
      break;
    case 1:                    /* no format */
      format = GST_VIDEO_FORMAT_UNKNOWN;
      break;
    case 2:                    /* larger than the caps, but not the memory */
      width += arg[1];
      height += arg[1] / 2;
      break;
    case 3:
      width = MAX (width - arg[1], 0);
      break;
    case 4:                    /* a plane beyond the end */
      offset[w->info.finfo->n_planes - 1] += size;
      break;
    case 5:                    /* rows beyond the end, or before the start */
      stride[0] = arg[1] % 2 ? -stride[0] : stride[0] * 1000;
      break;
    case 6:
      format = GST_VIDEO_FORMAT_RGBA;
      break;
    default:                   /* no memory at all */
      size = 0;
      break;
  }
  buffer = size ? gst_buffer_new_allocate (NULL, size, NULL)
      : gst_buffer_new ();
  if (size > 0)
    gst_buffer_memset (buffer, 0, 0x55, size);
  if (arg[0] > 0 && arg[0] < 7)
    gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, format,
        width, height, w->info.finfo->n_planes, offset, stride);
  frame = g_new0 (Frame, 1);
  frame->excused = TRUE;
  set_times (w, buffer, 9);
  w->may_error = TRUE;
  world_push (w, frame, buffer);
}

static void
run_segment (World * w, const gint64 * arg)
{
  GstSegment segment;

  world_stream (w);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.rate = arg[0] == 0 ? -1 : arg[0] == 1 ? 2.5 : 1;
  segment.applied_rate = arg[0] == 2 ? -1 : arg[0] == 3 ? 0.5 : 1;
  segment.base = arg[1] * FRAME;
  segment.start = segment.position = arg[2] * FRAME;
  segment.stop = arg[2] % 3 || segment.rate < 0 ? segment.start + 20 * FRAME
      : GST_CLOCK_TIME_NONE;
  segment.time = arg[3] * FRAME;
  segment.offset = arg[3] % 3 ? 0 : arg[3];
  w->next_time = segment.start;
  world_new_segment (w, &segment);
}

static void
run_bytes (World * w, const gint64 * arg)
{
  GstSegment segment;

  world_stream (w);
  gst_segment_init (&segment, arg[0] ? GST_FORMAT_BYTES : GST_FORMAT_DEFAULT);
  world_new_segment (w, &segment);
}

static GstEvent *
make_event (gint64 n, GstClockTime time)
{
  GstStructure *s = gst_structure_new ("fuzz", "n", G_TYPE_INT64, n, NULL);

  switch (n % 6) {
    case 0:
      gst_structure_free (s);
      return gst_event_new_gap (time, FRAME);
    case 1:
      gst_structure_free (s);
      return gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, "fuzz",
              NULL));
    case 2:
      return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM, s);
    case 3:
      return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_OOB, s);
    case 4:
      return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, s);
    default:
      return gst_event_new_custom (GST_EVENT_CUSTOM_BOTH, s);
  }
}

static void
run_event (World * w, const gint64 * arg)
{
  world_stream (w);
  check (world_event (w, make_event (arg[0], w->next_time)),
      "an event was refused");
}

/* Upstream: they have to pass. */
static void
run_upstream (World * w, const gint64 * arg)
{
  static const gchar *const keys[] = { "Up", "Left", "v", "g", "space", "0" };
  GstEvent *event;
  guint32 seqnum;

  world_stream (w);
  switch (arg[0]) {
    case 0:
      event = gst_event_new_seek (arg[1] % 2 ? 1 : -2, GST_FORMAT_TIME,
          GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, arg[1] * FRAME,
          GST_SEEK_TYPE_NONE, GST_CLOCK_TIME_NONE);
      break;
    case 1:
      event = gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
          gst_structure_new_empty ("fuzz"));
      break;
    case 2:
      event = gst_video_event_new_upstream_force_key_unit (arg[1] * FRAME, TRUE,
          1);
      break;
    case 3:
      event = gst_navigation_event_new_key_press (keys[arg[1]
              % G_N_ELEMENTS (keys)], 0);
      break;
    case 4:
      event = gst_navigation_event_new_mouse_button_press (arg[1] % 5, arg[1],
          arg[1] / 2, 0);
      break;
    default:
      event = gst_event_new_latency (arg[1]);
      break;
  }
  seqnum = gst_event_get_seqnum (event);
  g_queue_push_tail (&w->up, GUINT_TO_POINTER (seqnum));
  gst_pad_push_event (w->sink, event);
  check (!g_queue_remove (&w->up, GUINT_TO_POINTER (seqnum)),
      "an upstream event did not pass");
}

static void
run_qos (World * w, const gint64 * arg)
{
  GstClockTimeDiff late;

  world_stream (w);
  gst_base_transform_set_qos_enabled (GST_BASE_TRANSFORM (w->element), arg[0]);
  w->qos = TRUE;
  late = MAX ((arg[1] - 5) * FRAME, -(GstClockTimeDiff) w->next_time);
  gst_pad_push_event (w->sink, gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 1.5,
          late, w->next_time));
}

static void
run_eos (World * w, const gint64 * arg)
{
  (void) arg;
  world_stream (w);
  check (world_event (w, gst_event_new_eos ()),
      "EOS was refused");
  w->eos = TRUE;
  world_settle (w);
  check_eos (w);
  check_stats (w, FALSE);
  check_stats_file (w);
}

static void
run_flush (World * w, const gint64 * arg)
{
  GstSegment segment;

  world_stream (w);
  doing ("flush-start");
  gst_pad_push_event (w->src, gst_event_new_flush_start ());
  if (arg[1]) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, w->info.size, NULL);

    check (gst_pad_push (w->src, buffer) == GST_FLOW_FLUSHING,
        "a buffer was taken while flushing");
  }
  doing ("flush-stop");
  gst_pad_push_event (w->src, gst_event_new_flush_stop (arg[0]));
  world_lose_frames (w);
  for (guint i = 0; i < w->records->len; i++) {
    Record *record = g_ptr_array_index (w->records, i);

    /* What an interval held is gone. */
    record->posted |= record->in_interval;
  }
  gst_segment_init (&segment, GST_FORMAT_TIME);
  world_new_segment (w, &segment);
}

static void
run_state (World * w, const gint64 * arg)
{
  world_change_state (w, w->element, arg[0]);
}

static void
run_stats (World * w, const gint64 * arg)
{
  check_stats (w, arg[0]);
}

/* What is set while stopped: depth, threads, a file. */
static void
run_ready (World * w, const gint64 * arg)
{
  static const gchar *const endings[] = { "log", "csv", "jsonl" };

  world_start (w);
  world_stop (w, GST_STATE_READY);
  world_settle (w);
  world_new_file (&w->stats_file, arg[2] < 3 ? endings[arg[2]] : NULL);
  w->ready_depth = arg[0];
  g_object_set (w->element, "async-depth", (guint) arg[0], "threads",
      (guint) arg[1], "stats-file", w->stats_file, NULL);
}

const Kind stream_kinds[] = {
  {"caps", 40, run_caps, {{"format", 0, N_FORMATS - 1}, {"width", 1, 40},
          {"height", 1, 40}, {"rate", 0, 5}, {"colour", 0, 6},
          {"scan", 0, 3}, {"scale", 0, 7}}},
  {"huge", 2, run_huge, {{"size", 0, 4}, {"format", 0, 3}}},
  {"push", 600, run_push, {{"content", 0, 24}, {"seed", 0, 9999},
          {"layout", 0, N_LAYOUTS - 1}, {"memories", 1, 4}, {"dirty", 0, 1},
          {"time", 0, 19}, {"flags", 0, 4095}, {"metas", 0, 63}}},
  {"regions", 40, run_regions, {{"n", 1, 12}, {"seed", 0, 9999}}},
  {"bad", 4, run_bad, {{"how", 0, 7}, {"by", 0, 99}}},
  {"segment", 15, run_segment, {{"rate", 0, 9}, {"base", 0, 50},
          {"start", 0, 50}, {"time", 0, 50}}},
  {"bytes", 4, run_bytes, {{"format", 0, 1}}},
  {"event", 20, run_event, {{"what", 0, 599}}},
  {"upstream", 10, run_upstream, {{"what", 0, 5}, {"n", 0, 99}}},
  {"qos", 6, run_qos, {{"on", 0, 1}, {"late", 0, 20}}},
  {"eos", 10, run_eos, {{.name = NULL}}},
  {"flush", 12, run_flush, {{"reset", 0, 1}, {"push", 0, 1}}},
  {"state", 8, run_state, {{"to", 0, 2}}},
  {"stats", 10, run_stats, {{"mixed", 0, 1}}},
  {"ready", 8, run_ready, {{"depth", 1, 12}, {"threads", 1, 3},
          {"file", 0, 15}}},
  {.name = NULL}
};
