/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Starts and stops a session, and handles its pipeline's messages. */
#include <gst/video/video.h>
#include "parts.h"
#include "../decoding.h"

GST_DEBUG_CATEGORY_STATIC (preview_debug);
#define GST_CAT_DEFAULT preview_debug

/* The application message of a frame's figures. */
#define FIGURES "blockdct"

enum
{
  CHANGED, FRAME, SHOWN, BLOCK, NOTICE, OPENED, ENDED, N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (PreviewSession, preview_session, G_TYPE_OBJECT);

/* Streaming threads */

gboolean
preview_session_show (PreviewSession * self, GstBuffer * original,
    const GstStructure * figures)
{
  if (!preview_flow_show (self, original))
    return FALSE;
  gst_element_post_message (self->pipeline, gst_message_new_application
      (GST_OBJECT (self->pipeline), gst_structure_copy (figures)));
  g_mutex_lock (&self->lock);
  g_clear_pointer (&self->figures, gst_structure_free);
  self->figures = gst_structure_copy (figures);
  g_mutex_unlock (&self->lock);
  return TRUE;
}

/* The view: of two halves, both frames as a whole. */
static GstSample *
make_view (PreviewSession * self, GstBuffer * buffer, GstCaps * caps)
{
  const gchar *view = preview_views_get_value (self)->value_nick;
  const gboolean stacked = strcmp (view, PREVIEW_STACKED) == 0;
  g_autoptr (GstSample) first = NULL, second = NULL;
  GstSample *both = NULL;
  gint left, right;

  if (stacked || strcmp (view, PREVIEW_BESIDE) == 0) {
    g_object_get (self->compare, "left", &left, "right", &right, NULL);
    first = preview_frames_get (self->frames, PREVIEW_OF_A + left);
    second = preview_frames_get (self->frames, PREVIEW_OF_A + right);
    both = preview_beside_make (first, second, stacked);
  }
  return both != NULL ? both : gst_sample_new (buffer, caps, NULL, NULL);
}

static void
take_frame (GstElement * sink, GstBuffer * buffer, GstPad * pad,
    PreviewSession * self)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  g_autoptr (GstSample) sample = make_view (self, buffer, caps);
  g_autoptr (GstStructure) figures = NULL;

  (void) sink;
  g_mutex_lock (&self->lock);
  figures = g_steal_pointer (&self->figures);
  g_mutex_unlock (&self->lock);
  g_signal_emit (self, signals[FRAME], 0, sample, figures);
  preview_flow_shown (self, sample);
}

/* The bus */

static void
say (PreviewSession * self, const gchar * text)
{
  g_signal_emit (self, signals[NOTICE], 0, text);
}

/* On a page the user can open another file. Only the first error is
 * reported. */
static void
fail (PreviewSession * self, const gchar * text, const gchar * more)
{
  if (self->failed)
    return;
  self->failed = TRUE;
  if (self->opened != NULL) {
    say (self, text);
  } else {
    g_signal_emit (self, signals[ENDED], 0, text, more);
  }
}

/* The source's name; owned by the caller. */
static gchar *
get_name (PreviewSession * self)
{
  const PreviewOptions *options = &self->options;

  return options->file ? g_filename_display_basename (options->file)
      : g_strdup (options->camera ? "camera" : "test pattern");
}

static void
fail_for_file (PreviewSession * self, const gchar * why)
{
  g_autofree gchar *name = get_name (self);
  g_autofree gchar *text = g_strdup_printf ("%s: %s", name, why);

  fail (self, text, NULL);
}

static void
drop_side (PreviewSession * self, guint side, const gchar * why)
{
  g_autofree gchar *line = preview_pipeline_get_line (self, PREVIEW_OF_A
      + side);
  g_autofree gchar *text = g_strdup_printf ("%c's %s '%s' has failed: %s",
      "AB"[side], self->file[side] != NULL ? "file" : "encoder", line, why);

  preview_coding_fail (self, side, text);
  g_printerr ("blockdct-preview: %s\n", text);
  say (self, text);
}

/* A decoder that is asked for video reports any other stream as a missing
 * plug-in. */
static void
take_error (PreviewSession * self, GstMessage * message)
{
  GstObject *from = GST_MESSAGE_SRC (message);
  const PreviewStream stream = self->player == NULL ? PREVIEW_ORIGINAL
      : preview_player_find (self->player, from);
  GstElement *source = self->player == NULL ? NULL
      : preview_player_get_source (self->player, stream);
  g_autoptr (GError) error = NULL;
  g_autofree gchar *debug = NULL, *why = NULL;

  gst_message_parse_error (message, &error, &debug);
  if (source != NULL && gst_object_has_as_ancestor (from, GST_OBJECT (source))
      && (stream != PREVIEW_ORIGINAL || self->options.file != NULL)
      && (error->domain == GST_STREAM_ERROR || g_error_matches (error,
              GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN)))
    why = preview_source_explain (source, error, debug);
  if (stream != PREVIEW_ORIGINAL)
    drop_side (self, stream - PREVIEW_OF_A, why != NULL ? why : error->message);
  else if (why != NULL)
    fail_for_file (self, why);
  else
    fail (self, error->message, debug);
}

static void
take_element (PreviewSession * self, GstMessage * message)
{
  g_autofree gchar *elsewhere = decoding_explain_redirect (message);

  if (elsewhere != NULL)
    fail_for_file (self, elsewhere);
}

/* Whether it is blockdctcompare's warning about A's own views, for which A has
 * the figures, about B, whose input is added when it is shown, or about frames
 * that are late: align.c finds them. */
static gboolean
is_known (PreviewSession * self, GstMessage * message, const GError * error)
{
  const GstStructure *details;

  gst_message_parse_warning_details (message, &details);
  return GST_MESSAGE_SRC (message) == GST_OBJECT (self->compare)
      && (g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT)
      || error->domain == GST_LIBRARY_ERROR || (details != NULL
          && gst_structure_has_field (details, "offset")));
}

static void
warn (PreviewSession * self, GstMessage * message)
{
  g_autoptr (GError) error = NULL;

  gst_message_parse_warning (message, &error, NULL);
  if (!is_known (self, message, error)) {
    g_printerr ("blockdct-preview: %s\n", error->message);
    say (self, error->message);
  }
}

static void
take_figures (PreviewSession * self, const GstStructure * figures)
{
  GST_DEBUG_OBJECT (self->compare, "shown: %" GST_PTR_FORMAT, figures);
  preview_blocks_follow (self);
  g_signal_emit (self, signals[SHOWN], 0, figures);
}

static void
take_tags (PreviewSession * self, GstMessage * message)
{
  gchar *codec = NULL;
  GstTagList *tags;

  gst_message_parse_tag (message, &tags);
  if (self->player != NULL && preview_player_find (self->player,
          GST_MESSAGE_SRC (message)) == PREVIEW_ORIGINAL
      && gst_tag_list_get_string (tags, GST_TAG_VIDEO_CODEC, &codec)) {
    g_free (self->codec);
    self->codec = codec;
  }
  gst_tag_list_unref (tags);
}

gboolean
preview_session_take_message (GstBus * bus, GstMessage * message,
    gpointer session)
{
  PreviewSession *self = session;
  const GstStructure *s = gst_message_get_structure (message);

  (void) bus;
  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ERROR:
      take_error (self, message);
      break;
    case GST_MESSAGE_WARNING:
      warn (self, message);
      break;
    case GST_MESSAGE_TAG:
      take_tags (self, message);
      break;
    case GST_MESSAGE_ASYNC_DONE:
      if (GST_MESSAGE_SRC (message) != GST_OBJECT (self->pipeline))
        preview_transport_arrive (self);
      break;
    case GST_MESSAGE_EOS:
      if (self->options.ends
          && GST_MESSAGE_SRC (message) == GST_OBJECT (self->pipeline))
        g_signal_emit (self, signals[ENDED], 0, NULL, NULL);
      break;
    case GST_MESSAGE_APPLICATION:
      take_figures (self, s);
      break;
    case GST_MESSAGE_ELEMENT:
      take_element (self, message);
      break;
    default:
      break;
  }
  return G_SOURCE_CONTINUE;
}

/* Start and stop */

void
preview_session_start (PreviewSession * self)
{
  g_autoptr (GError) error = NULL;

  if (!preview_transport_start (self, &error))
    fail (self, error->message, NULL);
}

void
preview_session_stop (PreviewSession * self)
{
  preview_align_stop (self);
  preview_transport_stop (self);
  g_clear_handle_id (&self->watch, g_source_remove);
}

static const gchar *
get_nick (GType type, gint value)
{
  g_autoptr (GEnumClass) klass = g_type_class_ref (type);

  return g_enum_get_value (klass, value)->value_nick;
}

/* Of the frame that is shown. */
static void
append_timecode (PreviewSession * self, GString * text)
{
  g_autoptr (GstSample) sample = preview_frames_get (self->frames,
      PREVIEW_ORIGINAL);
  GstVideoTimeCodeMeta *meta = sample == NULL ? NULL
      : gst_buffer_get_video_time_code_meta (gst_sample_get_buffer (sample));
  g_autofree gchar *timecode = meta == NULL ? NULL
      : gst_video_time_code_to_string (&meta->tc);

  if (timecode != NULL)
    g_string_append_printf (text, ", timecode %s", timecode);
}

/* What the original is: codec, bits, subsampling, transfer function, range,
 * frames a second and timecode, as far as known; owned by the caller. */
static gchar *
describe_original (PreviewSession * self)
{
  GString *text = g_string_new (self->codec);
  GstVideoInfo info;
  gboolean known;

  g_mutex_lock (&self->lock);
  known = self->caps != NULL && gst_video_info_from_caps (&info, self->caps);
  g_mutex_unlock (&self->lock);
  if (!known)
    return g_string_free (text, FALSE);
  g_string_append_printf (text, "%s%d bit", text->len > 0 ? ", " : "",
      GST_VIDEO_INFO_COMP_DEPTH (&info, 0));
  if (GST_VIDEO_INFO_IS_YUV (&info))
    g_string_append_printf (text, " 4:%d:%d",
        4 >> GST_VIDEO_FORMAT_INFO_W_SUB (info.finfo, 1),
        GST_VIDEO_FORMAT_INFO_H_SUB (info.finfo, 1) ? 0
        : 4 >> GST_VIDEO_FORMAT_INFO_W_SUB (info.finfo, 1));
  else
    g_string_append (text, GST_VIDEO_INFO_IS_RGB (&info) ? " RGB" : " grey");
  g_string_append_printf (text, ", %s transfer, %s range",
      get_nick (GST_TYPE_VIDEO_TRANSFER_FUNCTION, info.colorimetry.transfer),
      info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255 ? "full"
      : info.colorimetry.range == GST_VIDEO_COLOR_RANGE_16_235 ? "limited"
      : "unknown");
  if (GST_VIDEO_INFO_FPS_N (&info) > 0)
    g_string_append_printf (text, ", %.5g/s", (gdouble) GST_VIDEO_INFO_FPS_N
        (&info) / GST_VIDEO_INFO_FPS_D (&info));
  append_timecode (self, text);
  return g_string_free (text, FALSE);
}

gboolean
preview_session_has_original (PreviewSession * self)
{
  return self->file[0] == NULL || g_strcmp0 (self->file[0],
      self->options.file) != 0;
}

gboolean
preview_session_drop_original (PreviewSession * self, GError ** error)
{
  g_autofree gchar *uri = self->file[0] == NULL ? NULL
      : gst_filename_to_uri (self->file[0], NULL);

  if (uri == NULL) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
        "Without an original, A has to be a file.");
    return FALSE;
  }
  g_free (self->file[0]);
  self->file[0] = g_filename_from_uri (uri, NULL, NULL);
  return preview_session_open (self, uri, error);
}

void
preview_session_set_version (PreviewSession * self, guint side,
    const gchar * path)
{
  const gboolean alone = side == 0 && !preview_session_has_original (self);

  preview_coding_set_file (self, side, path);
  if (alone)
    preview_session_drop_original (self, NULL);
}

static void
add_seconds (GstStructure * s, const gchar * name, GstClockTime time)
{
  if (GST_CLOCK_TIME_IS_VALID (time))
    gst_structure_set (s, name, G_TYPE_DOUBLE, (gdouble) time / GST_SECOND,
        NULL);
}

GstStructure *
preview_session_describe (PreviewSession * self)
{
  g_autofree gchar *name = get_name (self);
  g_autofree gchar *about = describe_original (self);
  GstStructure *s = gst_structure_new ("news", "name", G_TYPE_STRING, name,
      "about", G_TYPE_STRING, about, "no-reference", G_TYPE_BOOLEAN,
      !preview_session_has_original (self), "moves", G_TYPE_BOOLEAN,
      preview_session_moves (self), NULL);
  GstClockTime position, duration;

  for (guint i = 0; i < 2; i++) {
    g_autofree gchar *version = self->file[i] == NULL ? NULL
        : g_filename_display_basename (self->file[i]);

    gst_structure_set (s, i == 0 ? "file-a" : "file-b", G_TYPE_STRING, version,
        i == 0 ? "failed-a" : "failed-b", G_TYPE_STRING, self->broken[i], NULL);
  }
  if (preview_session_get_time (self, &position, &duration)) {
    add_seconds (s, "position", position);
    add_seconds (s, "duration", duration);
  }
  add_seconds (s, "from", self->from);
  add_seconds (s, "to", self->to);
  g_mutex_lock (&self->lock);
  add_seconds (s, "frame-duration", self->duration);
  gst_structure_set (s, "rate-varies", G_TYPE_BOOLEAN, self->varies, "late",
      G_TYPE_UINT64, self->late, "paused", G_TYPE_BOOLEAN, self->paused,
      "encoded-a", G_TYPE_INT, preview_flow_count (self, 0), "encoded-b",
      G_TYPE_INT, preview_flow_count (self, 1), NULL);
  g_mutex_unlock (&self->lock);
  return s;
}

/* Whether there are the elements for it, and an address. */
static gboolean
can_open (const PreviewOptions * options, GError ** error)
{
  GstElement *source = preview_source_new (options, error);

  if (source == NULL)
    return FALSE;
  gst_object_unref (gst_object_ref_sink (source));
  return TRUE;
}

gboolean
preview_session_open (PreviewSession * self, const gchar * uri, GError ** error)
{
  gchar *file = g_filename_from_uri (uri, NULL, NULL);
  PreviewOptions wanted = self->options;

  wanted.file = file != NULL ? file : g_strdup (uri);
  wanted.sent = TRUE;
  wanted.camera = FALSE;
  wanted.hold = 0;
  if (!can_open (&wanted, error)) {
    g_free (wanted.file);
    return FALSE;
  }
  g_free (self->opened);
  g_clear_pointer (&self->codec, g_free);
  self->opened = wanted.file;
  self->options = wanted;
  self->late = self->n_taken = 0;
  self->failed = FALSE;
  for (guint i = 0; i < 2; i++)
    self->said_scaled[i] = self->aligned[i] = FALSE;
  preview_transport_reset (self);
  for (guint i = 0; i < 2; i++)
    g_clear_pointer (&self->broken[i], g_free);
  g_signal_emit (self, signals[OPENED], 0);
  preview_session_start (self);
  preview_align_start (self);
  return TRUE;
}

/* Messages are switched off, as the figures come with the frames. */
static gboolean
set_up (PreviewSession * self, GError ** error)
{
  for (guint i = 0; i < PREVIEW_N_PARTS; i++)
    g_object_set (self->part[i], "post-messages", FALSE, NULL);
  g_object_set (self->part[PREVIEW_COMPARE], "interactive",
      self->output != PREVIEW_FILES, NULL);
  g_object_set (self->part[PREVIEW_A], "stats-file", self->options.csv, NULL);
  preview_controls_follow (self);
  /* The page shows bits beside the PSNR, and opens with damage to see. */
  if (self->output == PREVIEW_PAGE) {
    preview_session_set_text (self, "metrics=bits", NULL);
    preview_session_set_text (self, "quality=15", NULL);
  }
  for (gchar ** pair = self->options.properties; pair != NULL && *pair; pair++)
    if (!preview_session_set_text (self, *pair, error))
      return FALSE;
  for (guint i = 0; i < 2; i++)
    if (self->options.versions[i] != NULL) {
      const PreviewOptions version = {.file = self->options.versions[i] };

      if (!preview_source_check (&version, error))
        return FALSE;
      preview_coding_set_file (self, i, version.file);
    }
  if (self->options.versions[1] != NULL) {
    preview_session_set_text (self, "right=b", NULL);
    preview_session_set_text (self, "left=a", NULL);
  }
  return self->options.b_encoder == NULL || preview_coding_set_line (self, 1,
      self->options.b_encoder, error);
}

static void
connect (PreviewSession * self)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (self->pipeline);

  self->watch = gst_bus_add_watch (bus, preview_session_take_message, self);
  if (self->output == PREVIEW_PAGE)
    g_signal_connect (self->sink, "handoff", G_CALLBACK (take_frame), self);
}

PreviewSession *
preview_session_new (const PreviewOptions * options, PreviewOutput output,
    GError ** error)
{
  PreviewSession *self = g_object_new (PREVIEW_TYPE_SESSION, NULL);

  self->options = *options;
  self->output = output;
  preview_pipeline_build (self);
  self->frames = preview_frames_new (self);
  preview_transport_reset (self);
  connect (self);
  if (set_up (self, error) && can_open (&self->options, error))
    return self;
  g_object_unref (self);
  return NULL;
}

static void
finalize (GObject * object)
{
  PreviewSession *self = PREVIEW_SESSION (object);

  preview_session_stop (self);
  g_clear_pointer (&self->frames, preview_frames_free);
  g_ptr_array_unref (self->chain);
  for (guint i = 0; i < PREVIEW_N_PARTS; i++)
    g_clear_object (&self->part[i]);
  gst_clear_object (&self->sink);
  gst_clear_object (&self->pipeline);
  g_clear_pointer (&self->figures, gst_structure_free);
  for (guint i = 0; i < 2; i++) {
    g_free (self->line[i]);
    g_free (self->file[i]);
    g_free (self->broken[i]);
    gst_structure_free (self->more[i]);
  }
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_free (self->codec);
  g_free (self->opened);
  G_OBJECT_CLASS (preview_session_parent_class)->finalize (object);
}

static guint
add_signal (const gchar * name, guint n, GType first, GType second)
{
  return g_signal_new (name, PREVIEW_TYPE_SESSION, G_SIGNAL_RUN_LAST, 0, NULL,
      NULL, NULL, G_TYPE_NONE, n, first, second);
}

static void
preview_session_class_init (PreviewSessionClass * klass)
{
  /* The caller's, and valid while the signal is emitted. */
  const GType figures = GST_TYPE_STRUCTURE | G_SIGNAL_TYPE_STATIC_SCOPE;

  GST_DEBUG_CATEGORY_INIT (preview_debug, "blockdct-preview", 0,
      "What blockdct-preview shows");
  G_OBJECT_CLASS (klass)->finalize = finalize;
  signals[CHANGED] = add_signal ("changed", 0, 0, 0);
  signals[FRAME] = add_signal ("frame", 2, GST_TYPE_SAMPLE
      | G_SIGNAL_TYPE_STATIC_SCOPE, figures);
  signals[SHOWN] = add_signal ("figures", 1, figures, 0);
  signals[BLOCK] = add_signal ("block", 1, figures, 0);
  signals[NOTICE] = add_signal ("notice", 1, G_TYPE_STRING, 0);
  signals[OPENED] = add_signal ("opened", 0, 0, 0);
  signals[ENDED] = add_signal ("ended", 2, G_TYPE_STRING, G_TYPE_STRING);
}

static void
preview_session_init (PreviewSession * self)
{
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
}
