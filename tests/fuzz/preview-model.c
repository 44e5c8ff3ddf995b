/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What passes while frozen or not, and what has to be seen of it. */
#include "preview.h"

#include <math.h>
#include <string.h>

/* The blockdct that is nobody's part */

static GstFlowReturn
on_plain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  World *w = ends_owner (pad);

  (void) parent;
  gst_clear_buffer (&w->plain_out);
  w->plain_out = buffer;
  return GST_FLOW_OK;
}

void
plain_init (World * w)
{
  w->plain = ends_make ("blockdct");
  ends_set_backend (w->plain, backend_name ());
  g_object_set (w->plain, "post-messages", FALSE, NULL);
  w->plain_sink = ends_link (gst_element_get_static_pad (w->plain, "src"), w,
      on_plain, NULL, ends_take_all);
  w->plain_src = ends_link (gst_element_get_static_pad (w->plain, "sink"), w,
      NULL, NULL, gst_pad_query_default);
  gst_element_set_state (w->plain, GST_STATE_PLAYING);
  gst_pad_push_event (w->plain_src, gst_event_new_stream_start ("plain"));
}

void
plain_clear (World * w)
{
  gst_element_set_state (w->plain, GST_STATE_NULL);
  gst_pad_set_active (w->plain_src, FALSE);
  gst_pad_set_active (w->plain_sink, FALSE);
  gst_clear_buffer (&w->plain_out);
  gst_clear_object (&w->plain_src);
  gst_clear_object (&w->plain_sink);
  gst_clear_object (&w->plain);
}

/* What says how the element runs, or whom it tells, and not what it makes. */
static gboolean
is_own (const gchar * name)
{
  static const gchar *const names[] = { "name", "parent", "qos", "backend",
    "cuda-device-id", "threads", "async-depth", "post-messages", "interval",
    "stats-file"
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (name, names[i]) == 0)
      return TRUE;
  return FALSE;
}

static void
copy_settings (GObject * from, GObject * to)
{
  guint n;
  GParamSpec **specs =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (from), &n);

  g_object_freeze_notify (to);
  for (guint i = 0; i < n; i++) {
    GValue value = G_VALUE_INIT, old = G_VALUE_INIT;

    if ((specs[i]->flags & G_PARAM_READWRITE) != G_PARAM_READWRITE
        || is_own (specs[i]->name))
      continue;
    g_object_get_property (from, specs[i]->name, &value);
    g_object_get_property (to, specs[i]->name, &old);
    if (gst_value_compare (&value, &old) != GST_VALUE_EQUAL)
      g_object_set_property (to, specs[i]->name, &value);
    g_value_unset (&value);
    g_value_unset (&old);
  }
  g_object_thaw_notify (to);
  g_free (specs);
}

/* What a child makes of a frame, alone; the caller's. */
static GstBuffer *
make_plain (World * w, GstElement * child, const Frame * frame)
{
  copy_settings (G_OBJECT (child), G_OBJECT (w->plain));
  if (!gst_video_info_is_equal (&w->plain_info, &frame->info)) {
    GstCaps *caps = gst_video_info_to_caps ((GstVideoInfo *) & frame->info);

    gst_pad_push_event (w->plain_src, gst_event_new_caps (caps));
    gst_pad_push_event (w->plain_src, ends_segment ());
    gst_caps_unref (caps);
    w->plain_info = frame->info;
  }
  gst_clear_buffer (&w->plain_out);
  if (gst_pad_push (w->plain_src, gst_buffer_ref (frame->copy))
      != GST_FLOW_OK || w->plain_out == NULL)
    fail ("a blockdct of its own makes nothing of a frame");
  return g_steal_pointer (&w->plain_out);
}

/* Pictures */

static gboolean
has_view (GstElement * child, const gchar * nick)
{
  GEnumClass *class;
  GEnumValue *value;
  gint view;

  g_object_get (child, "view", &view, NULL);
  class = G_PARAM_SPEC_ENUM (g_object_class_find_property
      (G_OBJECT_GET_CLASS (child), "view"))->enum_class;
  value = g_enum_get_value (class, view);
  return value != NULL && strcmp (value->value_nick, nick) == 0;
}

/* Whether a blockdct's picture is one that compare measures. */
static gboolean
is_measured (GstElement * dct)
{
  gboolean grid;

  g_object_get (dct, "grid", &grid, NULL);
  return !grid && has_view (dct, "reconstruction");
}

static GstBuffer *
get_picture (World * w, const Frame * frame, gint side)
{
  return side < 0 ? gst_buffer_ref (frame->copy)
      : make_plain (w, w->child[side == 0 ? CHILD_A : CHILD_B], frame);
}

static GstStructure *
copy_figures (GstBuffer * buffer)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "blockdct");

  return meta != NULL
      ? gst_structure_copy (gst_custom_meta_get_structure (meta)) : NULL;
}

/* A's PSNR, which compare has to find, too; R, G and B are others there. */
static gdouble
get_psnr (World * w, const Frame * frame)
{
  GstBuffer *picture;
  GstStructure *figures;
  gdouble psnr;

  if (frame->shape.rgb != NULL || !is_measured (w->child[CHILD_A]))
    return NAN;
  picture = make_plain (w, w->child[CHILD_A], frame);
  figures = copy_figures (picture);
  psnr = field_double (figures, "psnr");
  gst_structure_free (figures);
  gst_buffer_unref (picture);
  return psnr;
}

static void
find_pictures (World * w, Expected * e, gint left, gint right)
{
  const Frame *frame = e->frame;
  const gint width = frame->shape.width;
  gboolean overlay;
  gdouble zoom, position;

  g_object_get (w->child[CHILD_COMPARE], "overlay", &overlay, "zoom", &zoom,
      "wipe-position", &position, NULL);
  /* There is no third picture. */
  if (left > 1)
    left = -1;
  if (right > 1)
    right = 0;
  if (has_view (w->child[CHILD_COMPARE], "single") && !overlay) {
    e->right = get_picture (w, frame, right);
    e->figures = right < 0 ? NULL : copy_figures (e->right);
  } else if (has_view (w->child[CHILD_COMPARE], "wipe")
      && !overlay && zoom == 1 && frame->shape.rgb == NULL) {
    e->left = get_picture (w, frame, left);
    e->right = get_picture (w, frame, right);
    e->line = round (position * width);
    e->end = e->line > 0 && e->line < width ? e->line + 1 + width / 1280
        : e->line;
  }
}

Expected *
expected_new (World * w, Frame * frame)
{
  Expected *e = g_new0 (Expected, 1);
  gint left, right;

  g_object_get (w->child[CHILD_COMPARE], "left", &left, "right", &right, NULL);
  e->frame = frame;
  find_pictures (w, e, left, right);
  e->psnr = get_psnr (w, frame);
  e->counts[COUNT_A] = TRUE;
  e->counts[COUNT_B] = left == 1 || right == 1;
  e->counts[COUNT_COMPARE_A] = is_measured (w->child[CHILD_A]);
  e->counts[COUNT_COMPARE_B] = e->counts[COUNT_B]
      && is_measured (w->child[CHILD_B]);
  e->time = GST_CLOCK_TIME_NONE;
  if (GST_CLOCK_TIME_IS_VALID (frame->time))
    e->time = frame->time + w->offset;
  return e;
}

void
expected_free (Expected * e)
{
  if (e == NULL)
    return;
  gst_clear_buffer (&e->left);
  gst_clear_buffer (&e->right);
  g_clear_pointer (&e->figures, gst_structure_free);
  g_free (e);
}

/* What passes */

/* A live input's frames are dropped, and its events pass, but for the end. */
static gboolean
may_pass (const World * w, const Item * item)
{
  return !w->frozen || w->passes || (w->seen_live && item->type != ITEM_EOS);
}

static void
pass_frame (World * w, Frame * frame)
{
  Expected *expected;

  if (w->passes)
    w->seen_live = w->live;
  if (w->frozen && !w->passes)
    return;
  w->passes = FALSE;
  w->last = frame;
  g_clear_pointer (&w->shown, expected_free);
  expected = expected_new (w, frame);
  for (guint i = 0; i < N_COUNTS; i++)
    w->count[i] += expected->counts[i];
  g_queue_push_tail (&w->expected, expected);
}

void
model_run (World * w)
{
  Item *item;

  while ((item = g_queue_peek_head (&w->held)) != NULL && may_pass (w, item)) {
    g_queue_pop_head (&w->held);
    w->n_due++;
    if (item->type == ITEM_FRAME)
      pass_frame (w, item->frame);
    if (item->type == ITEM_ANOTHER) {
      w->last = NULL;
      w->passes = TRUE;
    }
    if (item->type == ITEM_EOS) {
      w->eos = TRUE;
      w->eos_due++;
    }
    g_free (item);
  }
}

void
model_freeze (World * w, gboolean frozen)
{
  const GstClockTime now = w->clock != NULL
      ? gst_element_get_current_running_time (w->element) : 0;

  if (frozen && !w->frozen) {
    w->since = now;
    w->turned = w->repeats = TRUE;
  } else if (!frozen && w->frozen && !w->seen_live) {
    w->offset += now - w->since;
  }
  w->frozen = frozen;
  model_run (w);
}

void
model_reset (World * w, gboolean start)
{
  /* Caps that are held are lost. */
  w->have_caps = w->have_caps && w->held.length == 0;
  g_queue_clear_full (&w->held, g_free);
  g_queue_clear_full (&w->expected, (GDestroyNotify) expected_free);
  g_clear_pointer (&w->shown, expected_free);
  g_clear_pointer (&w->wrong, g_free);
  w->last = NULL;
  w->passes = TRUE;
  w->repeats = w->frozen;
  w->turned = w->sent_eos = w->eos = w->have_segment = FALSE;
  if (!start)
    return;
  w->have_stream = w->have_caps = FALSE;
  video_info (&w->info, "I420", 16, 16);
  w->since = w->offset = 0;
  memset (w->count, 0, sizeof w->count);
  memset (w->pooled, 0, sizeof w->pooled);
  memset (w->said, 0, sizeof w->said);
}
