/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Negotiates caps and memory. */
#include "gstblockdctcompareprivate.h"
#include "gst-plugin/common/gstblockdctformat.h"
#include "gst-plugin/common/gstblockdctpinned.h"
#include "gst-plugin/common/gstblockdctpool.h"

#define GST_CAT_DEFAULT gst_blockdct_compare_debug

static GstAggregatorClass *parent_class;

#define SIZE "size"

/* A property of two inputs that has to be equal and is not; NULL: none. */
static const gchar *
find_conflict (const GstBlockDctComparePad * a, const GstBlockDctComparePad * b)
{
  const GstVideoInfo *x = &a->info, *y = &b->info;

  if (GST_VIDEO_INFO_WIDTH (x) != GST_VIDEO_INFO_WIDTH (y)
      || GST_VIDEO_INFO_HEIGHT (x) != GST_VIDEO_INFO_HEIGHT (y))
    return SIZE;
  if (a->layout.depth != b->layout.depth)
    return "depth";
  if (GST_VIDEO_INFO_IS_RGB (x) != GST_VIDEO_INFO_IS_RGB (y)
      || (GST_VIDEO_INFO_IS_RGB (x)
          && GST_VIDEO_INFO_FORMAT (x) != GST_VIDEO_INFO_FORMAT (y)))
    return "format";
  return a->layout.chroma != b->layout.chroma ? "chroma subsampling" : NULL;
}

/* A converter before the pad may have let frames pass before it was told of the
 * reference's caps: make of these what it makes of those that follow. Returns
 * whether there is one. */
static gboolean
follow_converter (GstBlockDctComparePad * reference,
    GstBlockDctComparePad * pad)
{
  g_autoptr (GstCaps) wanted =
      gst_blockdct_format_similar_caps (reference->caps);
  g_autoptr (GstCaps) given = gst_pad_peer_query_caps (GST_PAD (pad), NULL);
  g_autoptr (GstCaps) caps = NULL;
  const gboolean can = !gst_caps_is_any (given)
      && gst_caps_can_intersect (given, wanted);
  const GstVideoInfo from = pad->converter != NULL
      ? *gst_video_converter_get_in_info (pad->converter) : pad->info;
  GstVideoInfo to = reference->info;
  GstVideoConverter *converter;

  to.interlace_mode = from.interlace_mode;
  to.par_n = from.par_n;
  to.par_d = from.par_d;
  to.fps_n = from.fps_n;
  to.fps_d = from.fps_d;
  if (GST_VIDEO_INFO_IS_RGB (&to) == GST_VIDEO_INFO_IS_RGB (&from)) {
    to.colorimetry = from.colorimetry;
    to.chroma_site = from.chroma_site;
  }
  GST_DEBUG_OBJECT (pad, "%" GST_PTR_FORMAT " came too early: %s", pad->caps,
      can ? "converted here" : "no converter in front");
  converter = can ? gst_video_converter_new (&from, &to, NULL) : NULL;
  if (converter == NULL)
    return FALSE;
  caps = gst_video_info_to_caps (&to);
  gst_blockdct_compare_pad_set_caps (pad, caps, &to, converter);
  return TRUE;
}

/* Convert a frame of a pad that has a converter. */
static gboolean
convert (GstBlockDctCompare * self, GstBlockDctComparePad * pad,
    GstBuffer ** buffer)
{
  const GstVideoInfo *info = gst_video_converter_get_in_info (pad->converter);
  g_autoptr (GstBuffer) made =
      gst_buffer_new_allocate (NULL, pad->info.size, NULL);
  GstVideoFrame from, to;
  GstMeta *meta;

  if (made == NULL || !gst_video_frame_map (&from, info, *buffer,
          GST_MAP_READ)) {
    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        ("A frame of %s cannot be converted.", GST_PAD_NAME (pad)),
        ("It is smaller than its caps say, or the memory is full."));
    return FALSE;
  }
  gst_video_frame_map (&to, &pad->info, made, GST_MAP_WRITE);
  gst_video_converter_frame (pad->converter, &from, &to);
  gst_video_frame_unmap (&to);
  gst_video_frame_unmap (&from);
  gst_buffer_copy_into (made, *buffer, GST_BUFFER_COPY_METADATA, 0, -1);
  /* Copied with the others, it describes the frame that was. */
  meta = gst_buffer_get_meta (made, GST_VIDEO_META_API_TYPE);
  if (meta != NULL)
    gst_buffer_remove_meta (made, meta);
  gst_buffer_replace (buffer, made);
  return TRUE;
}

/* Whether a distorted input can be compared with the reference. */
static gboolean
check_caps (GstBlockDctCompare * self, GstBlockDctComparePad * pad)
{
  GstBlockDctComparePad *reference = self->reference;
  const gchar *what = find_conflict (reference, pad);
  const gboolean scales = g_strcmp0 (what, SIZE) == 0;
  g_autoptr (GstCaps) a = NULL, b = NULL;
  g_autofree gchar *filter = NULL;

  if (what == NULL || (!scales && follow_converter (reference, pad)))
    return TRUE;
  a = gst_video_info_to_caps (&reference->info);
  b = gst_video_info_to_caps (&pad->info);
  filter =
      scales ? g_strdup_printf ("videoscale ! video/x-raw,width=%d,height=%d",
      GST_VIDEO_INFO_WIDTH (&reference->info),
      GST_VIDEO_INFO_HEIGHT (&reference->info))
      : g_strdup_printf ("videoconvert ! video/x-raw,format=%s",
      GST_VIDEO_INFO_NAME (&reference->info));
  GST_ELEMENT_ERROR (self, STREAM, FORMAT, ("%s and ref_sink differ in %s.",
          GST_PAD_NAME (pad), what),
      ("ref_sink: %" GST_PTR_FORMAT "; %s: %" GST_PTR_FORMAT ". Put '%s' in "
          "front of %s.", a, GST_PAD_NAME (pad), b, filter,
          GST_PAD_NAME (pad)));
  return FALSE;
}

/* Warn once a pad of differences that are allowed, but make the figures less
 * meaningful. */
static void
warn_differences (GstBlockDctCompare * self, const GstBlockDctComparePad * pad)
{
  const GstVideoInfo *x = &self->reference->info, *y = &pad->info;
  const gchar *what = NULL;

  if (!gst_video_colorimetry_is_equal (&x->colorimetry, &y->colorimetry))
    what = x->colorimetry.range != y->colorimetry.range ? "range"
        : "colorimetry";
  else if (x->chroma_site != y->chroma_site
      && x->chroma_site != GST_VIDEO_CHROMA_SITE_UNKNOWN
      && y->chroma_site != GST_VIDEO_CHROMA_SITE_UNKNOWN)
    what = "chroma site";
  else if (gst_util_fraction_compare (GST_VIDEO_INFO_PAR_N (x),
          GST_VIDEO_INFO_PAR_D (x), GST_VIDEO_INFO_PAR_N (y),
          GST_VIDEO_INFO_PAR_D (y)) != 0)
    what = "pixel aspect ratio";
  else if (GST_VIDEO_INFO_IS_INTERLACED (x) != GST_VIDEO_INFO_IS_INTERLACED (y))
    what = "interlacing";
  else if (GST_VIDEO_INFO_FPS_N (x) > 0 && GST_VIDEO_INFO_FPS_N (y) > 0
      && gst_util_fraction_compare (GST_VIDEO_INFO_FPS_N (x),
          GST_VIDEO_INFO_FPS_D (x), GST_VIDEO_INFO_FPS_N (y),
          GST_VIDEO_INFO_FPS_D (y)) != 0)
    what = "framerate";
  if (what == NULL || !gst_blockdct_compare_warn_once (self,
          GST_BLOCKDCT_COMPARE_WARNED_CAPS + pad->number))
    return;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("%s and ref_sink differ in %s.", GST_PAD_NAME (pad), what),
      ("Samples are compared without conversion, and frames are matched by "
          "their times."));
}

GstFlowReturn
gst_blockdct_compare_follow_caps (GstBlockDctCompare * self, gboolean * changed)
{
  GstBlockDctCompareFrames *frames = &self->frames;
  const GstVideoInfo *info = &self->reference->info;
  GstFlowReturn ret;

  for (guint i = 0; i < BDCT_MAX_DISTORTED; i++)
    if (self->pair.distorted[i] != NULL) {
      GstBlockDctComparePad *pad = self->pads[1 + i];

      if (!check_caps (self, pad) || (pad->converter != NULL
              && !convert (self, pad, &self->pair.distorted[i])))
        return GST_FLOW_ERROR;
      warn_differences (self, pad);
    }
  *changed = frames->depth == 0
      || !gst_video_info_is_equal (&frames->info, info);
  ret = *changed ? gst_blockdct_compare_drain (self) : GST_FLOW_OK;
  if (*changed && ret == GST_FLOW_OK
      && !gst_blockdct_compare_frames_configure (self, info))
    ret = GST_FLOW_ERROR;
  return ret;
}

static GstFlowReturn
update_src_caps (GstAggregator * agg, GstCaps * downstream, GstCaps ** ret)
{
  GstBlockDctCompare *self = GST_BLOCKDCT_COMPARE_CAST (agg);
  const GstBlockDctBackendClass *klass = self->frames.backend.klass;
  /* A view can leave in the backend's memory, too. */
  g_autoptr (GstCaps) all = self->output.single == GST_BLOCKDCT_COMPARE_DRAWN
      ? gst_blockdct_format_transform_caps (self->output.shown, klass)
      : gst_caps_ref (self->output.shown);

  *ret = gst_caps_truncate (gst_caps_intersect_full (all, downstream,
          GST_CAPS_INTERSECT_FIRST));
  if (!gst_caps_is_empty (*ret))
    return GST_FLOW_OK;
  gst_clear_caps (ret);
  gst_blockdct_format_post_refused (GST_ELEMENT (self), downstream, all);
  return GST_FLOW_NOT_NEGOTIATED;
}

/* The output caps follow from the next pair, which is not known when
 * GstAggregator calls this: leave the negotiation to follow_output(). */
static gboolean
negotiate (GstAggregator * agg)
{
  if (GST_BLOCKDCT_COMPARE_CAST (agg)->output.negotiating)
    return parent_class->negotiate (agg);
  gst_pad_mark_reconfigure (GST_AGGREGATOR_SRC_PAD (agg));
  return TRUE;
}

static gboolean
negotiated_src_caps (GstAggregator * agg, GstCaps * caps)
{
  GstBlockDctCompare *self = GST_BLOCKDCT_COMPARE_CAST (agg);

  GST_DEBUG_OBJECT (self, "output caps %" GST_PTR_FORMAT, caps);
  return gst_blockdct_format_info (&self->output.info, caps);
}

static gboolean
decide_allocation (GstAggregator * agg, GstQuery * query)
{
  GstBlockDctCompare *self = GST_BLOCKDCT_COMPARE_CAST (agg);

  self->output.overlay_attach = gst_query_find_allocation_meta (query,
      GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
  return gst_blockdct_pool_decide (&self->frames.backend, query,
      &self->output.info, GST_BLOCKDCT_COMPARE_DEPTH, NULL);
}

/* Answer allocation queries before they enter their pad's queue: on a flush
 * upstream would free a queued query, even while the aggregating thread is
 * answering it. */
static gboolean
sink_query_pre_queue (GstAggregator * agg, GstAggregatorPad * pad,
    GstQuery * query)
{
  GstBlockDctCompare *self = GST_BLOCKDCT_COMPARE_CAST (agg);
  GstBlockDctBackend backend = { 0 };
  g_autoptr (GstAllocator) allocator = NULL;
  g_autoptr (GstObject) context = NULL;

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return parent_class->sink_query_pre_queue (agg, pad, query);
  /* Upstream may choose another pool, or another limit. */
  GST_BLOCKDCT_COMPARE_PAD (pad)->pool = NULL;
  GST_OBJECT_LOCK (self);
  backend.klass = self->frames.backend.klass;
  if (self->frames.backend.pinned_allocator != NULL)
    allocator = gst_blockdct_pinned_allocator_of_kind
        (self->frames.backend.pinned_allocator, GST_BLOCKDCT_PINNED_WRITTEN);
  g_set_object (&context, self->frames.backend.context);
  GST_OBJECT_UNLOCK (self);
  backend.pinned_allocator = allocator;
  backend.context = context;
  return backend.klass != NULL && gst_blockdct_pool_propose (&backend, query,
      GST_BLOCKDCT_COMPARE_DEPTH);
}

GstFlowReturn
gst_blockdct_compare_follow_output (GstBlockDctCompare * self,
    const GstBlockDctCompareSettings * settings, gboolean changed)
{
  GstBlockDctCompareOutput *output = &self->output;
  GstPad *src = GST_AGGREGATOR_SRC_PAD (self);
  const gint single = settings->view == GST_BLOCKDCT_COMPARE_SINGLE
      ? settings->right : GST_BLOCKDCT_COMPARE_DRAWN;
  GstCaps *shown =
      self->pads[single == GST_BLOCKDCT_COMPARE_DRAWN ? 0 : 1 + single]->caps;
  GstFlowReturn ret;
  gboolean ok;

  if (!changed && single == output->single && output->shown != NULL
      && gst_caps_is_equal (shown, output->shown)
      && gst_pad_has_current_caps (src) && !gst_pad_needs_reconfigure (src))
    return GST_FLOW_OK;
  ret = gst_blockdct_compare_drain (self);
  if (ret != GST_FLOW_OK)
    return ret;
  output->single = single;
  gst_caps_replace (&output->shown, shown);
  output->negotiating = TRUE;
  ok = gst_aggregator_negotiate (GST_AGGREGATOR (self));
  output->negotiating = FALSE;
  if (ok)
    return GST_FLOW_OK;
  return GST_PAD_IS_FLUSHING (src) ? GST_FLOW_FLUSHING
      : GST_FLOW_NOT_NEGOTIATED;
}

gboolean
gst_blockdct_compare_set_caps (GstBlockDctCompare * self,
    GstBlockDctComparePad * pad, GstCaps * caps)
{
  GstVideoInfo info;

  if (pad->caps != NULL && pad->converter == NULL
      && gst_caps_is_equal (pad->caps, caps))
    return TRUE;
  if (!gst_blockdct_format_info (&info, caps))
    return FALSE;
  /* The frames kept for shifts cannot be read with the new caps. */
  for (gint i = 0; i < BDCT_MAX_DISTORTED; i++)
    if (pad->number == GST_BLOCKDCT_COMPARE_REFERENCE || pad->number == i)
      gst_blockdct_compare_shifts_reset (&self->shifts[i]);
  gst_blockdct_compare_pad_set_caps (pad, caps, &info, NULL);
  return TRUE;
}

/* Whether the frames that a pad has now cannot be compared with a reference. */
static gboolean
conflict (GstPad * pad, const GstCaps * reference)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  g_autoptr (GstCaps) similar = gst_blockdct_format_similar_caps (reference);

  return caps != NULL && !gst_caps_can_intersect (caps, similar);
}

/* A source that is asked to negotiate again queries all branches of a tee. As
 * one that prerolls does not answer, the stream stops: ask only pads that
 * need it. */
void
gst_blockdct_compare_announce_caps (GstBlockDctCompare * self, GstCaps * caps)
{
  GstBlockDctComparePad *pads[1 + BDCT_MAX_DISTORTED];
  gboolean changed;

  GST_OBJECT_LOCK (self);
  changed = gst_caps_replace (&self->reference_caps, caps);
  GST_OBJECT_UNLOCK (self);
  if (!changed || caps == NULL)
    return;
  gst_blockdct_compare_get_pads (GST_ELEMENT (self), pads);
  for (guint i = 1; i <= BDCT_MAX_DISTORTED; i++)
    if (pads[i] != NULL && conflict (GST_PAD (pads[i]), caps))
      gst_pad_push_event (GST_PAD (pads[i]), gst_event_new_reconfigure ());
  gst_blockdct_compare_put_pads (pads);
}

/* What can be compared with the reference, so that a converter makes it. Before
 * the reference's caps arrive, upstream of it may know them; but an element
 * that is being linked, which has no filter, is not refused for that. */
static GstCaps *
list_comparable (GstBlockDctCompare * self, GstCaps * filter)
{
  g_autoptr (GstCaps) reference = NULL;

  GST_OBJECT_LOCK (self);
  gst_caps_replace (&reference, self->reference_caps);
  GST_OBJECT_UNLOCK (self);
  if (reference == NULL && filter != NULL)
    reference = gst_pad_peer_query_caps (GST_PAD (self->reference), NULL);
  return gst_blockdct_format_similar_caps (reference);
}

void
gst_blockdct_compare_query_caps (GstBlockDctCompare * self,
    GstBlockDctComparePad * pad, GstQuery * query)
{
  g_autoptr (GstCaps) all = NULL, both = NULL;
  GstCaps *filter;

  gst_query_parse_caps (query, &filter);
  all = pad == self->reference ? gst_blockdct_format_caps ()
      : list_comparable (self, filter);
  /* Without a converter the caps are taken all the same: the error that follows
   * names it. */
  if (filter != NULL && !gst_caps_can_intersect (filter, all))
    gst_caps_take (&all, gst_blockdct_format_caps ());
  both = filter == NULL ? gst_caps_ref (all)
      : gst_caps_intersect_full (filter, all, GST_CAPS_INTERSECT_FIRST);
  GST_LOG_OBJECT (pad, "answers %" GST_PTR_FORMAT " with %" GST_PTR_FORMAT,
      filter, both);
  gst_query_set_caps_result (query, both);
}

void
gst_blockdct_compare_install_caps (GstAggregatorClass * klass)
{
  parent_class = g_type_class_peek_parent (klass);
  klass->sink_query_pre_queue = GST_DEBUG_FUNCPTR (sink_query_pre_queue);
  klass->update_src_caps = GST_DEBUG_FUNCPTR (update_src_caps);
  klass->negotiate = GST_DEBUG_FUNCPTR (negotiate);
  klass->negotiated_src_caps = GST_DEBUG_FUNCPTR (negotiated_src_caps);
  klass->decide_allocation = GST_DEBUG_FUNCPTR (decide_allocation);
}
