/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps that ask, and what buffers come of the answers. */
#include "fuzz.h"

static void
query_latency (World * w, const gint64 * arg)
{
  GstQuery *query = gst_query_new_latency ();
  GstClockTime min, max, own = 0;
  gboolean live;

  g_rec_mutex_lock (&w->lock);
  w->live = arg[1] % 2;
  w->up_min = arg[1] % 4 ? arg[1] * GST_MSECOND : 0;
  w->up_max = arg[1] % 3 ? GST_CLOCK_TIME_NONE : w->up_min;
  g_rec_mutex_unlock (&w->lock);
  if (gst_pad_peer_query (w->sink, query)) {
    gst_query_parse_latency (query, &live, &min, &max);
    if (w->have_caps && w->info.fps_n > 0 && w->depth > 0)
      own = gst_util_uint64_scale_int (GST_SECOND * (w->depth - 1),
          w->info.fps_d, w->info.fps_n);
    check (live == w->live, "live or not was changed");
    if (own < G_MAXINT64)
      check (min == w->up_min + own,
          "latency %" GST_TIME_FORMAT ", not %" GST_TIME_FORMAT,
          GST_TIME_ARGS (min), GST_TIME_ARGS (w->up_min + own));
    check (min >= w->up_min, "a latency below that of upstream");
    check (!GST_CLOCK_TIME_IS_VALID (max) || max >= min,
        "a maximum latency below the minimum");
  }
  gst_query_unref (query);
}

static void
query_caps (World * w, const gint64 * arg)
{
  GstCaps *filter = arg[1] % 2 ? gst_caps_from_string ("video/x-raw,format="
      "{NV12,RGB},width=[1,100]; audio/x-raw") : NULL;
  GstPad *pad = arg[1] % 4 < 2 ? w->src : w->sink;
  GstCaps *caps = gst_pad_peer_query_caps (pad, filter);

  check (caps != NULL && (filter == NULL || gst_caps_is_subset (caps, filter)),
      "the caps' filter was ignored");
  gst_clear_caps (&caps);
  gst_clear_caps (&filter);
}

static void
run_query (World * w, const gint64 * arg)
{
  GstQuery *query;
  GstCaps *caps;
  gint64 position;

  world_stream (w);
  doing ("a query");
  switch (arg[0]) {
    case 0:
      query_latency (w, arg);
      break;
    case 1:
      query_caps (w, arg);
      break;
    case 2:
      check (gst_pad_peer_query_position (w->sink, GST_FORMAT_TIME, &position),
          "nobody knows the position");
      break;
    case 3:
      query = gst_query_new_drain ();
      gst_pad_peer_query (w->src, query);
      gst_query_unref (query);
      check (w->frames.length == 0, "%u frames were not drained",
          w->frames.length);
      break;
    default:
      caps = gst_pad_get_current_caps (w->src);
      query = gst_query_new_allocation (caps, arg[1] % 2);
      /* Where frames go by, the answer is downstream's. */
      if (gst_pad_peer_query (w->src, query) && !w->passthrough)
        check (gst_query_find_allocation_meta (query,
                GST_VIDEO_META_API_TYPE, NULL), "video metas are not taken");
      gst_query_unref (query);
      gst_caps_unref (caps);
      break;
  }
}

/* Buffers from a pool of just the proposed size, from now on. */
static void
run_pool (World * w, const gint64 * arg)
{
  GstStructure *config;
  GstCaps *caps;
  GstQuery *query;
  guint size, min, max;

  (void) arg;
  world_stream (w);
  if (w->up_pool != NULL)
    return;
  caps = gst_pad_get_current_caps (w->src);
  query = gst_query_new_allocation (caps, FALSE);
  if (gst_pad_peer_query (w->src, query)
      && gst_query_get_n_allocation_pools (query) > 0) {
    gst_query_parse_nth_allocation_pool (query, 0, NULL, &size, &min, &max);
    min = MAX (min, 1);
    g_rec_mutex_lock (&w->lock);
    w->up_passing = w->passthrough;
    w->up_stale = FALSE;
    g_rec_mutex_unlock (&w->lock);
    w->up_pool = gst_video_buffer_pool_new ();
    config = gst_buffer_pool_get_config (w->up_pool);
    gst_buffer_pool_config_set_params (config, caps, w->info.size, min, min);
    gst_buffer_pool_set_config (w->up_pool, config);
    gst_buffer_pool_set_active (w->up_pool, TRUE);
  }
  gst_query_unref (query);
  gst_caps_unref (caps);
}

static void
run_allocation (World * w, const gint64 * arg)
{
  world_stream (w);
  w->allocation = arg[0];
  gst_pad_push_event (w->sink, gst_event_new_reconfigure ());
}

const Kind query_kinds[] = {
  {"query", 25, run_query, {{"what", 0, 4}, {"n", 0, 99}}},
  {"pool", 5, run_pool, {{.name = NULL}}},
  {"allocation", 12, run_allocation, {{"answer", 0, 31}}},
  {.name = NULL}
};
