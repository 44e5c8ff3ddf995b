/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-blockdctpreview
 * @title: blockdctpreview
 * @short_description: a video, and two versions of it, A and B
 *
 * A and B are descriptions of bins, as gst-launch-1.0 takes them: a `blockdct`,
 * or an encoder and its decoder. Both can be exchanged at any time. A
 * #blockdctcompare measures them and shows two of the three pictures. The
 * children are set through #GstChildProxy: `a::quality`, `b::qp`,
 * `compare::view`; elements of a longer description by their names, as
 * `b::x264enc0::bitrate`.
 *
 * With `compare::interactive=true` Up, Down and the wheel make A finer or
 * coarser, Left and Right change its transform, b keeps its settings as B, x
 * swaps them, and g shows the grid, where A and B are `blockdct` alone.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 playbin uri=file:///holiday.mp4 \
 *     video-filter='blockdctpreview a::quality=8 compare::interactive=true'
 * ]| Show a video to the left of a line that you drag, and A to its right.
 * |[
 * gst-launch-1.0 -m videotestsrc num-buffers=60 ! blockdctpreview \
 *     b="x264enc pass=quant quantizer=30 ! blockdctcoded ! avdec_h264" \
 *     compare::left=0 compare::right=1 ! videoconvert ! autovideosink
 * ]| Compare A with x264's pictures, and print the figures of both.
 */
#include "gstblockdctpreview.h"

#include "gst-plugin/common/gstblockdctformat.h"
#include "gst-plugin/common/gstblockdctparam.h"
#include "gst-plugin/common/gstblockdctpinned.h"
#include "gst-plugin/common/gstblockdctpool.h"
#include "gst-plugin/compare/gstblockdctcompare.h"
#include "gstblockdctpreviewkeys.h"

/* The least number of input buffers that the bin holds: one in each of A, B,
 * their queues and compare. */
#define MIN_BUFFERS 5

/* How far an exchange of versions is. */
typedef enum
{
  NOTHING,
  WAITS,                        /* for the frame that enters the version */
  DRAINS,                       /* the version's frames leave it */
  READY_FOR_NEXT,               /* it is empty */
  EXCHANGES
} Phase;

/* A version: tee, queue, the element or bin of the description, compare. */
typedef struct
{
  GstBlockDctPreview *preview;
  const gchar *name;            /* the property's and the child's */
  const gchar *side;            /* compare's pad */

  /* Protected by the preview's lock. */
  gchar *description;           /* in force, or about to be */
  GstMessage *refusal;          /* of a description, before the start; or
                                   NULL */
  gboolean pending;             /* `next` takes the place of `version` */
  GstElement *next;             /* NULL: nothing */
  Phase phase;
  guint turn;                   /* the number of the exchange */
  gulong idle;                  /* the probe that holds the queue's frames
                                   back; 0: none */

  /* Changed by exchange() alone. */
  GstElement *queue, *version;  /* children; NULL: none */
  gint fresh;                   /* atomic: no picture of `version` has left */
} Branch;

/* What a probe waits for. The bin may stop, and the next exchange begin, before
 * a pad is idle. */
typedef struct
{
  Branch *branch;
  guint number;
} Turn;

struct _GstBlockDctPreview
{
  GstBin parent;
  GstElement *tee, *compare;
  GRecMutex relinks;            /* held while children are exchanged */
  GMutex lock;
  Branch a, b;
};

enum
{ PROP_0, PROP_A, PROP_B };

GST_DEBUG_CATEGORY_STATIC (gst_blockdct_preview_debug);
#define GST_CAT_DEFAULT gst_blockdct_preview_debug

G_DEFINE_FINAL_TYPE_WITH_CODE (GstBlockDctPreview, gst_blockdct_preview,
    GST_TYPE_BIN,
    GST_DEBUG_CATEGORY_INIT (gst_blockdct_preview_debug, "blockdctpreview", 0,
        "Original, A and B"));
GST_ELEMENT_REGISTER_DEFINE (blockdctpreview, "blockdctpreview", GST_RANK_NONE,
    GST_TYPE_BLOCKDCT_PREVIEW);

/* Descriptions */

/* Parse a description. A single element stands for itself, so that its
 * properties are the child's; only then GStreamer 1.22 makes no pipeline with
 * this flag. */
static GstElement *
parse (const gchar * description, GError ** error)
{
  GstElement *element = gst_parse_bin_from_description_full (description, TRUE,
      NULL, GST_PARSE_FLAG_FATAL_ERRORS | GST_PARSE_FLAG_NO_SINGLE_ELEMENT_BINS,
      error);

  if (element == NULL || !GST_IS_PIPELINE (element))
    return element;
  gst_object_unref (element);
  return gst_parse_bin_from_description_full (description, TRUE, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, error);
}

static gboolean
refuse (GError ** error, const gchar * format, const GstCaps * caps)
{
  gchar *text = caps == NULL ? NULL : gst_caps_to_string (caps);

  g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, format,
      text);
  g_free (text);
  return FALSE;
}

/* Whether a version takes the frames that there are, and gives pictures. */
static gboolean
check (GstBlockDctPreview * self, GstElement * version, GError ** error)
{
  GstPad *sink = gst_element_get_static_pad (version, "sink");
  GstPad *src = gst_element_get_static_pad (version, "src");
  GstPad *entrance = gst_element_get_static_pad (self->tee, "sink");
  GstCaps *frames = gst_pad_get_current_caps (entrance);
  GstCaps *pictures = gst_blockdct_format_caps ();
  GstCaps *given = src != NULL ? gst_pad_query_caps (src, NULL)
      : gst_caps_new_empty ();
  gboolean ok = TRUE;

  if (sink == NULL || src == NULL)
    ok = refuse (error, sink == NULL ? "none of its elements has a free pad "
        "that takes pictures" : "none of its elements has a free pad that "
        "gives pictures", NULL);
  else if (!gst_caps_can_intersect (given, pictures))
    ok = refuse (error, "it gives %s, not pictures: end it with a decoder",
        given);
  else if (frames != NULL && !gst_pad_query_accept_caps (sink, frames))
    ok = refuse (error, "it does not take %s: begin it with 'videoconvert ! '",
        frames);
  gst_caps_unref (given);
  gst_caps_unref (pictures);
  gst_clear_caps (&frames);
  gst_object_unref (entrance);
  gst_clear_object (&src);
  gst_clear_object (&sink);
  return ok;
}

/* Make a version; NULL with an error. */
static GstElement *
make_version (Branch * branch, const gchar * description, GError ** error)
{
  GstElement *version = parse (description, error);

  if (version == NULL)
    return NULL;
  gst_object_ref_sink (version);
  if (!check (branch->preview, version, error)) {
    gst_object_unref (version);
    return NULL;
  }
  gst_object_set_name (GST_OBJECT (version), branch->name);
  return version;
}

/* Exchange */

/* The frames that a version may hold; G_MAXUINT: any number. */
static guint
get_depth (Branch * branch)
{
  GstElement *version = gst_bin_get_by_name (GST_BIN (branch->preview),
      branch->name);
  guint depth = 0;

  if (version == NULL)
    return 0;
  if (gst_blockdct_preview_keys_is_own (version)
      && !g_atomic_int_get (&branch->fresh))
    g_object_get (version, "async-depth", &depth, NULL);
  else
    depth = G_MAXUINT;
  gst_object_unref (version);
  return depth;
}

/* While A or B holds frames, compare has to queue as many originals. It queues
 * no more than that, so that a change is seen soon, unless an encoder may hold
 * any number, or originals from before B's first picture wait for it. */
static void
follow_depth (GstBlockDctPreview * self)
{
  guint of_a, of_b;

  g_mutex_lock (&self->lock);
  of_a = get_depth (&self->a);
  of_b = get_depth (&self->b);
  gst_blockdct_compare_set_lockstep (self->compare, of_a == G_MAXUINT
      || of_b == G_MAXUINT ? 0 : 1 + MAX (of_a, of_b));
  g_mutex_unlock (&self->lock);
}

static GstPadProbeReturn
on_first_picture (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Branch *branch = data;

  (void) pad, (void) info;
  g_atomic_int_set (&branch->fresh, FALSE);
  follow_depth (branch->preview);
  return GST_PAD_PROBE_REMOVE;
}

static void
remove_child (GstBlockDctPreview * self, GstElement ** child)
{
  gst_element_set_locked_state (*child, TRUE);
  gst_element_set_state (*child, GST_STATE_NULL);
  gst_bin_remove (GST_BIN (self), *child);
  *child = NULL;
}

/* Make the queue, which gives the version its own thread. */
static void
open_branch (Branch * branch)
{
  branch->queue = gst_element_factory_make ("queue", NULL);
  g_object_set (branch->queue, "max-size-buffers", 1, "max-size-bytes", 0,
      "max-size-time", G_GUINT64_CONSTANT (0), NULL);
  gst_bin_add (GST_BIN (branch->preview), branch->queue);
}

static gboolean
complete_events (GstPad * from, GstEvent ** event, gpointer to)
{
  GstEvent *there = gst_pad_get_sticky_event (to, GST_EVENT_TYPE (*event), 0);

  (void) from;
  if (there != NULL)
    gst_event_unref (there);
  else
    gst_pad_push_event (to, gst_event_ref (*event));
  return TRUE;
}

/* A pad of the tee that is asked for while an event passes may miss it. */
static GstPadProbeReturn
on_first_frame (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBlockDctPreview *self = data;
  GstPad *sink = gst_element_get_static_pad (self->tee, "sink");

  (void) info;
  gst_pad_sticky_events_foreach (sink, complete_events, pad);
  gst_object_unref (sink);
  return GST_PAD_PROBE_REMOVE;
}

static void
link_tee (Branch * branch)
{
  GstBlockDctPreview *self = branch->preview;
  GstPad *src = gst_element_request_pad_simple (self->tee, "src_%u");
  GstPad *sink = gst_element_get_static_pad (branch->queue, "sink");

  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BUFFER, on_first_frame, self,
      NULL);
  gst_pad_link (src, sink);
  gst_object_unref (sink);
  gst_object_unref (src);
}

/* The queue's thread, and a frame that waits at it, end first. */
static void
close_branch (Branch * branch)
{
  GstBlockDctPreview *self = branch->preview;
  GstPad *sink = gst_element_get_static_pad (branch->queue, "sink");
  GstPad *tee = gst_pad_get_peer (sink);
  GstPad *side = gst_element_get_static_pad (self->compare, branch->side);

  gst_element_release_request_pad (self->tee, tee);
  remove_child (self, &branch->queue);
  gst_element_release_request_pad (self->compare, side);
  gst_object_unref (side);
  gst_object_unref (tee);
  gst_object_unref (sink);
}

static gboolean
is_in (Branch * branch, Phase phase)
{
  gboolean is;

  g_mutex_lock (&branch->preview->lock);
  is = branch->phase == phase;
  g_mutex_unlock (&branch->preview->lock);
  return is;
}

/* Go from one phase to another; FALSE: it is another one. */
static gboolean
go_on (Branch * branch, Phase from, Phase to)
{
  gboolean goes;

  g_mutex_lock (&branch->preview->lock);
  goes = branch->phase == from;
  if (goes)
    branch->phase = to;
  g_mutex_unlock (&branch->preview->lock);
  return goes;
}

static void start_exchange (Branch * branch);

/* Put the next version in place, and let frames go on. No frame is in the
 * version of before. */
static void
exchange (Branch * branch)
{
  GstBlockDctPreview *self = branch->preview;
  GstElement *next;
  GstPad *pad;
  const gboolean opens = branch->queue == NULL;
  gulong idle;
  gboolean again;

  g_mutex_lock (&self->lock);
  branch->phase = EXCHANGES;
  branch->pending = FALSE;
  idle = branch->idle;
  branch->idle = 0;
  next = g_steal_pointer (&branch->next);
  g_mutex_unlock (&self->lock);
  g_rec_mutex_lock (&self->relinks);
  if (branch->version != NULL)
    remove_child (self, &branch->version);
  if (next != NULL) {
    if (opens)
      open_branch (branch);
    gst_bin_add (GST_BIN (self), next);
    branch->version = next;
    g_atomic_int_set (&branch->fresh, TRUE);
    follow_depth (self);
    pad = gst_element_get_static_pad (next, "src");
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_first_picture, branch,
        NULL);
    gst_object_unref (pad);
    gst_element_link_pads (next, "src", self->compare, branch->side);
    gst_element_sync_state_with_parent (next);
    gst_element_sync_state_with_parent (branch->queue);
    /* Only now, as a pad that is not active refuses the stream's events. */
    gst_element_link (branch->queue, next);
    if (opens)
      link_tee (branch);
    gst_object_unref (next);
  } else if (branch->queue != NULL) {
    close_branch (branch);
    follow_depth (self);
    idle = 0;
  }
  if (idle != 0) {
    pad = gst_element_get_static_pad (branch->queue, "src");
    gst_pad_remove_probe (pad, idle);
    gst_object_unref (pad);
  }
  g_mutex_lock (&self->lock);
  again = branch->pending;
  branch->phase = again ? WAITS : NOTHING;
  branch->turn++;
  g_mutex_unlock (&self->lock);
  if (again)
    start_exchange (branch);
  g_rec_mutex_unlock (&self->relinks);
}

/* Exchange in a thread that no frame waits for, unless the bin has stopped
 * meanwhile. */
static void
exchange_now (GstElement * element, gpointer data)
{
  GstBlockDctPreview *self = GST_BLOCKDCT_PREVIEW (element);
  Branch *branch = data;

  GST_STATE_LOCK (self);
  if (is_in (branch, READY_FOR_NEXT))
    exchange (branch);
  GST_STATE_UNLOCK (self);
}

/* The last frame of the old version has left, or a flush has dropped it. This
 * thread may be the version's own, which another one ends. */
static GstPadProbeReturn
on_drained (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Branch *branch = data;
  const GstEventType type = GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info));

  (void) pad;
  if (type != GST_EVENT_EOS && type != GST_EVENT_FLUSH_STOP)
    return GST_PAD_PROBE_OK;
  if (go_on (branch, DRAINS, READY_FOR_NEXT))
    gst_element_call_async (GST_ELEMENT (branch->preview), exchange_now, branch,
        NULL);
  return type == GST_EVENT_EOS ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

/* Have the version's frames leave, which may take until a pause ends. While a
 * flush is under way, or behind the end of the stream, it takes no event. */
static void
drain (GstElement * element, gpointer sink)
{
  (void) element;
  gst_pad_send_event (sink, gst_event_new_eos ());
}

/* No frame enters the old version. */
static GstPadProbeReturn
on_idle (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  const Turn *turn = data;
  Branch *branch = turn->branch;
  GstPad *sink, *src;
  gboolean is_old;
  Phase phase;

  g_mutex_lock (&branch->preview->lock);
  is_old = turn->number != branch->turn;
  phase = branch->phase;
  if (!is_old && phase == WAITS) {
    branch->phase = DRAINS;
    branch->idle = info->id;
  }
  g_mutex_unlock (&branch->preview->lock);
  if (is_old || phase == NOTHING)
    return GST_PAD_PROBE_REMOVE;
  /* It is idle again. */
  if (phase != WAITS)
    return GST_PAD_PROBE_OK;
  sink = gst_pad_get_peer (pad);
  src = gst_element_get_static_pad (branch->version, "src");
  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM
      | GST_PAD_PROBE_TYPE_EVENT_FLUSH, on_drained, branch, NULL);
  gst_element_call_async (GST_ELEMENT (branch->preview), drain, sink,
      gst_object_unref);
  gst_object_unref (src);
  return GST_PAD_PROBE_OK;
}

static void
start_exchange (Branch * branch)
{
  GstBlockDctPreview *self = branch->preview;
  GstPad *pad;
  Turn *turn;

  if (GST_STATE (self) < GST_STATE_PAUSED
      && GST_STATE_PENDING (self) < GST_STATE_PAUSED) {
    exchange (branch);
  } else if (branch->version == NULL) {
    if (go_on (branch, WAITS, READY_FOR_NEXT))
      gst_element_call_async (GST_ELEMENT (self), exchange_now, branch, NULL);
  } else {
    pad = gst_element_get_static_pad (branch->queue, "src");
    turn = g_new (Turn, 1);
    turn->branch = branch;
    g_mutex_lock (&self->lock);
    turn->number = branch->turn;
    g_mutex_unlock (&self->lock);
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_IDLE
        | GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, on_idle, turn, g_free);
    gst_object_unref (pad);
  }
}

/* Refuse a description. Before the start there is no bus: the bin then does not
 * start. */
static void
report_refusal (Branch * branch, const gchar * description, GError * reason)
{
  GstBlockDctPreview *self = branch->preview;
  GError *error = g_error_new (reason->domain, reason->code,
      "%s='%s' is refused: %s", branch->name, description, reason->message);

  GST_WARNING_OBJECT (self, "%s", error->message);
  if (GST_STATE (self) == GST_STATE_NULL)
    branch->refusal = gst_message_new_error (GST_OBJECT (self), error, NULL);
  else
    gst_element_post_message (GST_ELEMENT (self), gst_message_new_warning
        (GST_OBJECT (self), error, "The version of before stays."));
  g_error_free (error);
}

static void
set_description (Branch * branch, const gchar * description)
{
  GstBlockDctPreview *self = branch->preview;
  const gboolean empty = description == NULL || *description == '\0';
  GstElement *next = NULL;
  GError *error = NULL;
  gboolean starts;

  gst_clear_message (&branch->refusal);
  if (!empty)
    next = make_version (branch, description, &error);
  else if (branch == &self->a)
    refuse (&error, "there is always an A", NULL);
  if (error != NULL) {
    report_refusal (branch, empty ? "" : description, error);
    g_error_free (error);
    return;
  }
  g_mutex_lock (&self->lock);
  g_free (branch->description);
  branch->description = g_strdup (empty ? "" : description);
  gst_clear_object (&branch->next);
  branch->next = next;
  branch->pending = TRUE;
  starts = branch->phase == NOTHING;
  if (starts) {
    branch->phase = WAITS;
    branch->turn++;
  }
  g_mutex_unlock (&self->lock);
  if (starts)
    start_exchange (branch);
}

/* Memory */

/* The allocator that A's engine prefers, owned by the caller; NULL: any. */
static GstAllocator *
find_allocator (GstBlockDctPreview * self, GstCaps * caps)
{
  GstQuery *query = gst_query_new_allocation (caps, FALSE);
  GstPad *pad = gst_element_get_static_pad (self->a.queue, "sink");
  GstAllocator *allocator = NULL;

  if (gst_pad_query (pad, query)
      && gst_query_get_n_allocation_params (query) > 0)
    gst_query_parse_nth_allocation_param (query, 0, &allocator, NULL);
  gst_object_unref (pad);
  gst_query_unref (query);
  return allocator;
}

/* Answer upstream's allocation query, as a tee would offer nothing. This memory
 * is uploaded to the GPU once for all elements that read it. */
static GstPadProbeReturn
on_query (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  GstBlockDctBackend backend = { 0 };
  GstAllocator *allocator;
  GstCaps *caps;
  gboolean answered;

  (void) pad;
  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  gst_query_parse_allocation (query, &caps, NULL);
  allocator = caps != NULL ? find_allocator (data, caps) : NULL;
  if (allocator == NULL)
    return GST_PAD_PROBE_OK;
  backend.pinned_allocator = gst_blockdct_pinned_allocator_of_kind (allocator,
      GST_BLOCKDCT_PINNED_SHARED);
  answered = backend.pinned_allocator != NULL
      && gst_blockdct_pool_propose (&backend, NULL, query, MIN_BUFFERS);
  gst_clear_object (&backend.pinned_allocator);
  gst_object_unref (allocator);
  return answered ? GST_PAD_PROBE_HANDLED : GST_PAD_PROBE_OK;
}

/* Events from downstream */

static gboolean
handle_keys (GstBlockDctPreview * self, GstEvent * event)
{
  GstElement *a = gst_bin_get_by_name (GST_BIN (self), "a");
  GstElement *b = gst_bin_get_by_name (GST_BIN (self), "b");
  const gboolean handled = gst_blockdct_preview_keys_handle (event,
      GST_ELEMENT (self), a, b, self->compare);

  gst_clear_object (&a);
  gst_clear_object (&b);
  return handled;
}

/* A seek would fail where a version is not linked. */
static gboolean
src_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstBlockDctPreview *self = GST_BLOCKDCT_PREVIEW (parent);
  const gboolean seeks = GST_EVENT_TYPE (event) == GST_EVENT_SEEK;
  gboolean ok;

  if (GST_EVENT_TYPE (event) == GST_EVENT_NAVIGATION
      && gst_blockdct_param_get_int (self->compare, "interactive")
      && handle_keys (self, event)) {
    gst_event_unref (event);
    return TRUE;
  }
  if (seeks)
    g_rec_mutex_lock (&self->relinks);
  ok = gst_pad_event_default (pad, parent, event);
  if (seeks)
    g_rec_mutex_unlock (&self->relinks);
  return ok;
}

/* GObject, GstElement */

static void
gst_blockdct_preview_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstBlockDctPreview *self = GST_BLOCKDCT_PREVIEW (object);

  switch (id) {
    case PROP_A:
      set_description (&self->a, g_value_get_string (value));
      break;
    case PROP_B:
      set_description (&self->b, g_value_get_string (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
}

static void
gst_blockdct_preview_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstBlockDctPreview *self = GST_BLOCKDCT_PREVIEW (object);

  g_mutex_lock (&self->lock);
  switch (id) {
    case PROP_A:
      g_value_set_string (value, self->a.description);
      break;
    case PROP_B:
      g_value_set_string (value, self->b.description);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  g_mutex_unlock (&self->lock);
}

static GstStateChangeReturn
gst_blockdct_preview_change_state (GstElement * element,
    GstStateChange transition)
{
  GstBlockDctPreview *self = GST_BLOCKDCT_PREVIEW (element);
  Branch *const branches[] = { &self->a, &self->b };
  GstStateChangeReturn ret;

  for (guint i = 0; i < G_N_ELEMENTS (branches); i++)
    if (transition == GST_STATE_CHANGE_NULL_TO_READY
        && branches[i]->refusal != NULL) {
      gst_element_post_message (element,
          gst_message_ref (branches[i]->refusal));
      return GST_STATE_CHANGE_FAILURE;
    }
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    follow_depth (self);
  ret = GST_ELEMENT_CLASS (gst_blockdct_preview_parent_class)->change_state
      (element, transition);
  /* No frame comes from now on. */
  for (guint i = 0; i < G_N_ELEMENTS (branches); i++)
    if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
        && !is_in (branches[i], NOTHING))
      exchange (branches[i]);
  return ret;
}

static void
gst_blockdct_preview_dispose (GObject * object)
{
  GstBlockDctPreview *self = GST_BLOCKDCT_PREVIEW (object);
  Branch *const branches[] = { &self->a, &self->b };

  for (guint i = 0; i < G_N_ELEMENTS (branches); i++) {
    gst_clear_object (&branches[i]->next);
    gst_clear_message (&branches[i]->refusal);
  }
  G_OBJECT_CLASS (gst_blockdct_preview_parent_class)->dispose (object);
}

static void
gst_blockdct_preview_finalize (GObject * object)
{
  GstBlockDctPreview *self = GST_BLOCKDCT_PREVIEW (object);

  g_free (self->a.description);
  g_free (self->b.description);
  g_mutex_clear (&self->lock);
  g_rec_mutex_clear (&self->relinks);
  G_OBJECT_CLASS (gst_blockdct_preview_parent_class)->finalize (object);
}

static void
gst_blockdct_preview_class_init (GstBlockDctPreviewClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstCaps *caps = gst_blockdct_format_caps ();

  object_class->set_property =
      GST_DEBUG_FUNCPTR (gst_blockdct_preview_set_property);
  object_class->get_property =
      GST_DEBUG_FUNCPTR (gst_blockdct_preview_get_property);
  object_class->dispose = GST_DEBUG_FUNCPTR (gst_blockdct_preview_dispose);
  object_class->finalize = GST_DEBUG_FUNCPTR (gst_blockdct_preview_finalize);
  element_class->change_state =
      GST_DEBUG_FUNCPTR (gst_blockdct_preview_change_state);
  /**
   * blockdctpreview:a:
   *
   * The bin that makes A's pictures.
   */
  g_object_class_install_property (object_class, PROP_A,
      g_param_spec_string ("a", "A", "What makes A's pictures, written as for "
          "gst-launch-1.0", "blockdct", PLAYING));
  /**
   * blockdctpreview:b:
   *
   * The bin that makes B's pictures; empty: there is no B.
   */
  g_object_class_install_property (object_class, PROP_B,
      g_param_spec_string ("b", "B", "What makes B's pictures, such as "
          "'x264enc ! blockdctcoded ! avdec_h264'; empty: there is no B", "",
          PLAYING));
  gst_element_class_set_static_metadata (element_class, "Block DCT preview",
      "Filter/Analyzer/Video", "Show a video and two versions of it, by "
      "blockdct or an encoder, and change them live",
      "The gst-blockdct developers");
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new ("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));
  gst_caps_unref (caps);
}

static GstPad *
add_ghost_pad (GstBlockDctPreview * self, GstElement * element,
    const gchar * name)
{
  GstPad *pad = gst_element_get_static_pad (element, name);
  GstPadTemplate *templ = gst_element_class_get_pad_template
      (GST_ELEMENT_GET_CLASS (self), name);
  GstPad *ghost = gst_ghost_pad_new_from_template (name, pad, templ);

  gst_element_add_pad (GST_ELEMENT (self), ghost);
  gst_object_unref (pad);
  return ghost;
}

static void
gst_blockdct_preview_init (GstBlockDctPreview * self)
{
  GstPad *sink, *src;

  g_mutex_init (&self->lock);
  g_rec_mutex_init (&self->relinks);
  self->a = (Branch) {
  .preview = self,.name = "a",.side = "dist_sink"};
  self->b = (Branch) {
  .preview = self,.name = "b",.side = "dist_sink_1"};
  self->b.description = g_strdup ("");
  self->tee = gst_element_factory_make ("tee", NULL);
  self->compare = gst_element_factory_make ("blockdctcompare", "compare");
  gst_bin_add_many (GST_BIN (self), self->tee, self->compare, NULL);
  gst_element_link_pads (self->tee, NULL, self->compare, "ref_sink");
  set_description (&self->a, "blockdct");
  sink = add_ghost_pad (self, self->tee, "sink");
  src = add_ghost_pad (self, self->compare, "src");
  gst_blockdct_format_explain (sink);
  gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM
      | GST_PAD_PROBE_TYPE_PUSH, on_query, self, NULL);
  gst_pad_set_event_function (src, GST_DEBUG_FUNCPTR (src_event));
}
