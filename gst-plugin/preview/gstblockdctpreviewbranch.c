/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * To exchange a version, its queue's frames are held back, the frames in it
 * leave, by EOS, which goes no further, and another thread puts the next one in
 * place: a streaming thread cannot end its own element. */
#include "gstblockdctpreviewbranch.h"

#include <string.h>
#include "gst-plugin/blockdct/gstblockdct.h"
#include "gst-plugin/common/gstblockdctformat.h"
#include "gst-plugin/compare/gstblockdctcompare.h"

GST_DEBUG_CATEGORY_EXTERN (gst_blockdct_preview_debug);
#define GST_CAT_DEFAULT gst_blockdct_preview_debug

typedef GstBlockDctPreviewBranch Branch;

/* How far an exchange of versions is. */
enum
{
  NOTHING,
  WAITS,                        /* for the frame that enters the version */
  DRAINS,                       /* the version's frames leave it */
  DRAINED,                      /* it is empty */
  EXCHANGES
};

/* What a probe waits for. The bin may stop, and the next exchange begin, before
 * a pad is blocked. */
typedef struct
{
  Branch *branch;
  guint number;
} Turn;

/* Descriptions */

/* Parse a description. A single element stands for itself, so that its
 * properties are the child's. With the flag for this, GStreamer 1.22 returns
 * several elements as a pipeline: parse those again without it. */
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
  g_autofree gchar *text = caps == NULL ? NULL : gst_caps_to_string (caps);

  g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, format,
      text);
  return FALSE;
}

/* Whether a version takes the frames that there are, and gives pictures. */
static gboolean
check (GstBlockDctPreview * self, GstElement * version, GError ** error)
{
  g_autoptr (GstPad) sink = gst_element_get_static_pad (version, "sink");
  g_autoptr (GstPad) src = gst_element_get_static_pad (version, "src");
  g_autoptr (GstPad) entrance = gst_element_get_static_pad (self->tee, "sink");
  g_autoptr (GstCaps) frames = gst_pad_get_current_caps (entrance);
  g_autoptr (GstCaps) pictures = gst_blockdct_format_caps ();
  g_autoptr (GstCaps) given = NULL;

  if (sink == NULL || src == NULL)
    return refuse (error, sink == NULL ? "none of its elements has a free pad "
        "that takes pictures" : "none of its elements has a free pad that "
        "gives pictures", NULL);
  given = gst_pad_query_caps (src, NULL);
  if (!gst_caps_can_intersect (given, pictures))
    return refuse (error, "it gives %s, not pictures: end it with a decoder",
        given);
  if (frames != NULL && !gst_pad_query_accept_caps (sink, frames))
    return refuse (error,
        "it does not take %s: begin it with 'videoconvert ! '", frames);
  return TRUE;
}

/* Make a version; NULL with an error. */
static GstElement *
make_version (Branch * branch, const gchar * description, GError ** error)
{
  g_autoptr (GstElement) version = parse (description, error);

  if (version == NULL)
    return NULL;
  gst_object_ref_sink (version);
  if (!check (branch->preview, version, error))
    return NULL;
  gst_object_set_name (GST_OBJECT (version), branch->name);
  return g_steal_pointer (&version);
}

/* Exchange */

/* Not gst_bin_get_by_name(), which looks into the bins of descriptions, too. */
GstElement *
gst_blockdct_preview_branch_get_version (Branch * branch)
{
  GstBin *bin = GST_BIN (branch->preview);
  GstElement *version = NULL;

  GST_OBJECT_LOCK (bin);
  for (GList * l = bin->children; l != NULL && version == NULL; l = l->next)
    if (strcmp (GST_OBJECT_NAME (l->data), branch->name) == 0)
      version = gst_object_ref (l->data);
  GST_OBJECT_UNLOCK (bin);
  return version;
}

/* The frames that a version may hold; G_MAXUINT: any number. */
static guint
get_depth (Branch * branch)
{
  g_autoptr (GstElement) version =
      gst_blockdct_preview_branch_get_version (branch);
  guint depth = G_MAXUINT;

  if (version == NULL)
    return 0;
  if (GST_IS_BLOCKDCT (version) && !g_atomic_int_get (&branch->fresh))
    g_object_get (version, "async-depth", &depth, NULL);
  return depth;
}

/* While A or B holds frames, compare has to queue as many originals. It queues
 * no more than that, so that a change is seen soon, unless an encoder may hold
 * any number, or originals from before B's first picture wait for it. */
void
gst_blockdct_preview_branch_follow_depth (GstBlockDctPreview * self)
{
  guint of_a, of_b;

  g_mutex_lock (&self->lock);
  of_a = get_depth (&self->a);
  of_b = get_depth (&self->b);
  /* One more than any number is 0: the default limit. */
  gst_blockdct_compare_set_lockstep (self->compare, 1 + MAX (of_a, of_b));
  g_mutex_unlock (&self->lock);
}

static GstPadProbeReturn
on_first_picture (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Branch *branch = data;

  g_atomic_int_set (&branch->fresh, FALSE);
  gst_blockdct_preview_branch_follow_depth (branch->preview);
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

static void
watch_first (Branch * branch)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (branch->version, "src");

  g_atomic_int_set (&branch->fresh, TRUE);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_first_picture, branch,
      NULL);
}

/* The pad at which frames are held back during an exchange, the caller's: a
 * tee's pad that is asked for while an event passes may miss it. */
static GstPad *
get_gate (Branch * branch)
{
  return branch->queue != NULL ? gst_element_get_static_pad (branch->queue,
      "src") : gst_object_ref (branch->preview->entrance);
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

/* The queue's thread, and a frame that waits at it, end first. */
static void
close_branch (Branch * branch)
{
  GstBlockDctPreview *self = branch->preview;
  g_autoptr (GstPad) sink = gst_element_get_static_pad (branch->queue, "sink");
  g_autoptr (GstPad) tee = gst_pad_get_peer (sink);
  g_autoptr (GstPad) side =
      gst_element_get_static_pad (self->compare, branch->side);

  gst_element_release_request_pad (self->tee, tee);
  remove_child (self, &branch->queue);
  gst_element_release_request_pad (self->compare, side);
}

static gboolean
is_in (Branch * branch, gint phase)
{
  gboolean is;

  g_mutex_lock (&branch->preview->lock);
  is = branch->phase == phase;
  g_mutex_unlock (&branch->preview->lock);
  return is;
}

static void start_exchange (Branch * branch);

/* Put the next version in place, and let frames go on. No frame is in the
 * version of before. */
static void
exchange (Branch * branch)
{
  GstBlockDctPreview *self = branch->preview;
  g_autoptr (GstPad) gate = get_gate (branch);
  g_autoptr (GstElement) next = NULL;
  const gboolean opens = branch->queue == NULL;
  gulong probe;
  gboolean shows, again;

  g_mutex_lock (&self->lock);
  branch->phase = EXCHANGES;
  branch->pending = FALSE;
  probe = branch->probe;
  branch->probe = 0;
  next = g_steal_pointer (&branch->next);
  shows = branch->shows;
  g_mutex_unlock (&self->lock);
  g_rec_mutex_lock (&self->relinks);
  GST_DEBUG_OBJECT (self, "%s: %" GST_PTR_FORMAT " takes the place of %"
      GST_PTR_FORMAT, branch->name, next, branch->version);
  if (branch->version != NULL)
    remove_child (self, &branch->version);
  if (next != NULL) {
    if (opens)
      open_branch (branch);
    gst_bin_add (GST_BIN (self), next);
    branch->version = next;
    watch_first (branch);
    gst_blockdct_preview_branch_follow_depth (self);
    gst_element_link_pads (next, "src", self->compare, branch->side);
    gst_element_sync_state_with_parent (next);
    gst_element_sync_state_with_parent (branch->queue);
    /* Only now, as a pad that is not active refuses the stream's events. */
    gst_element_link (branch->queue, next);
    if (opens)
      gst_element_link (self->tee, branch->queue);
  } else if (branch->queue != NULL) {
    close_branch (branch);
    gst_blockdct_preview_branch_follow_depth (self);
  }
  if (shows)
    g_object_set (self->compare, "left", 0, "right", 1, NULL);
  if (probe != 0)
    gst_pad_remove_probe (gate, probe);
  /* A live pipeline asks for the latency again. */
  gst_element_post_message (GST_ELEMENT (self), gst_message_new_latency
      (GST_OBJECT (self)));
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
  if (is_in (branch, DRAINED))
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
  gboolean drained;

  if (type != GST_EVENT_EOS && type != GST_EVENT_FLUSH_STOP)
    return GST_PAD_PROBE_OK;
  g_mutex_lock (&branch->preview->lock);
  drained = branch->phase == DRAINS;
  if (drained)
    branch->phase = DRAINED;
  g_mutex_unlock (&branch->preview->lock);
  if (drained)
    gst_element_call_async (GST_ELEMENT (branch->preview), exchange_now, branch,
        NULL);
  return type == GST_EVENT_EOS ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

/* Have the version's frames leave, which may take until a pause ends. While a
 * flush is under way, or behind the end of the stream, it takes no event. */
static void
drain (GstElement * element, gpointer sink)
{
  gst_pad_send_event (sink, gst_event_new_eos ());
}

/* No frame enters the old version. */
static GstPadProbeReturn
on_blocked (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  const Turn *turn = data;
  Branch *branch = turn->branch;
  g_autoptr (GstElement) version = NULL;
  g_autoptr (GstPad) src = NULL;
  gboolean is_old;
  gint phase;

  g_mutex_lock (&branch->preview->lock);
  is_old = turn->number != branch->turn;
  phase = branch->phase;
  if (!is_old && phase == WAITS) {
    g_set_object (&version, branch->version);
    branch->phase = version != NULL ? DRAINS : DRAINED;
    branch->probe = info->id;
  }
  g_mutex_unlock (&branch->preview->lock);
  if (is_old || phase == NOTHING)
    return GST_PAD_PROBE_REMOVE;
  /* It is blocked again, after a flush. */
  if (phase != WAITS)
    return GST_PAD_PROBE_OK;
  if (version == NULL) {
    gst_element_call_async (GST_ELEMENT (branch->preview), exchange_now, branch,
        NULL);
    return GST_PAD_PROBE_OK;
  }
  src = gst_element_get_static_pad (version, "src");
  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM
      | GST_PAD_PROBE_TYPE_EVENT_FLUSH, on_drained, branch, NULL);
  gst_element_call_async (GST_ELEMENT (branch->preview), drain,
      gst_pad_get_peer (pad), gst_object_unref);
  return GST_PAD_PROBE_OK;
}

/* Where no frames flow, at once; but not beside a change of state. */
static void
start_exchange (Branch * branch)
{
  GstBlockDctPreview *self = branch->preview;
  g_autoptr (GstPad) gate = NULL;
  Turn *turn;

  if (!g_atomic_int_get (&self->flows)) {
    GST_STATE_LOCK (self);
    if (!g_atomic_int_get (&self->flows) && is_in (branch, WAITS))
      exchange (branch);
    GST_STATE_UNLOCK (self);
  }
  if (!g_atomic_int_get (&self->flows))
    return;
  gate = get_gate (branch);
  turn = g_new (Turn, 1);
  turn->branch = branch;
  g_mutex_lock (&self->lock);
  turn->number = branch->turn;
  g_mutex_unlock (&self->lock);
  /* Not as soon as it is idle: a streaming thread that calls from there may
   * note only after the exchange that the event before has been received, and
   * the next version never gets that one. */
  gst_pad_add_probe (gate, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, on_blocked,
      turn, g_free);
}

/* `refusal` is taken. */
static void
set_refusal (Branch * branch, GError * refusal)
{
  g_mutex_lock (&branch->preview->lock);
  g_clear_error (&branch->refusal);
  branch->refusal = refusal;
  g_mutex_unlock (&branch->preview->lock);
}

/* Refuse a description. Before the start there is no bus: the bin then does not
 * start. */
static void
report_refusal (Branch * branch, const gchar * description, GError * reason)
{
  GstBlockDctPreview *self = branch->preview;
  g_autoptr (GError) error = g_error_new (reason->domain, reason->code,
      "%s='%s' is refused: %s", branch->name, description, reason->message);

  GST_WARNING_OBJECT (self, "%s", error->message);
  if (GST_STATE (self) == GST_STATE_NULL) {
    set_refusal (branch, g_steal_pointer (&error));
    return;
  }
  gst_element_post_message (GST_ELEMENT (self), gst_message_new_warning
      (GST_OBJECT (self), error, "The version of before stays."));
}

void
gst_blockdct_preview_branch_set (GstBlockDctPreviewBranch * branch,
    const gchar * description, gboolean shows)
{
  GstBlockDctPreview *self = branch->preview;
  const gboolean empty = description == NULL || *description == '\0';
  GstElement *next = NULL;
  g_autoptr (GError) error = NULL;
  gboolean starts;

  set_refusal (branch, NULL);
  if (!empty)
    next = make_version (branch, description, &error);
  else if (branch == &self->a)
    refuse (&error, "there is always an A", NULL);
  if (error != NULL) {
    report_refusal (branch, empty ? "" : description, error);
    return;
  }
  g_mutex_lock (&self->lock);
  g_free (branch->description);
  branch->description = g_strdup (empty ? "" : description);
  gst_clear_object (&branch->next);
  branch->next = next;
  branch->shows = shows;
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

void
gst_blockdct_preview_branch_stop (GstBlockDctPreviewBranch * branch)
{
  if (!is_in (branch, NOTHING))
    exchange (branch);
}

void
gst_blockdct_preview_branch_clear (GstBlockDctPreviewBranch * branch)
{
  gst_clear_object (&branch->next);
  g_clear_error (&branch->refusal);
  g_free (branch->description);
}
