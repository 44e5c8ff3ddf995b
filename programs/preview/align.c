/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which frames of two files belong together, by what they show. The rules are
 * those of programs/measure/blockdct_measure/align.py. */
#include "parts.h"

#include <gst/app/gstappsink.h>
#include <math.h>

/* By how much a file may be late, and how much of it is looked at. */
#define REACH (10 * GST_SECOND)
#define LENGTH (2 * REACH)
#define MOST_FRAMES 2400
/* A frame's signature: a small picture of luma. */
#define WIDTH 32
#define HEIGHT 18
#define SIZE (WIDTH * HEIGHT)
#define SMALL "videoscale add-borders=false ! videoconvert ! capsfilter " \
    "caps=video/x-raw,format=GRAY8,width=" G_STRINGIFY (WIDTH) ",height=" \
    G_STRINGIFY (HEIGHT) " ! appsink name=sink sync=false max-buffers=4"
#define LEAST_PAIRS 4
/* A larger offset is taken if its error is less than this share of the smaller
 * one's. */
#define BETTER 0.6
/* Signatures of the same content correlate by more. */
#define ALIKE 0.5

typedef struct
{
  guint n;
  gint64 time[MOST_FRAMES];
  guint8 pixel[MOST_FRAMES][SIZE];
} Signatures;

typedef struct
{
  gchar *original, *file[2];    /* NULL: nothing is to be found */
  GCancellable *cancellable;
  gboolean alike[2];
  gint64 shift[2];
} Run;

static void
take_sample (Signatures * s, GstSample * sample)
{
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  const GstClockTime time = gst_segment_to_stream_time (gst_sample_get_segment
      (sample), GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));

  s->time[s->n] = time;
  if (GST_CLOCK_TIME_IS_VALID (time)
      && gst_buffer_extract (buffer, 0, s->pixel[s->n], SIZE) == SIZE)
    s->n++;
}

/* The next frame; NULL: there is none, or it is cancelled. */
static GstSample *
pull (GstElement * pipeline, GstElement * sink, GCancellable * cancellable)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) error = NULL;
  GstSample *sample = NULL;

  while (sample == NULL && error == NULL
      && !gst_app_sink_is_eos (GST_APP_SINK (sink))
      && !g_cancellable_is_cancelled (cancellable)) {
    sample = gst_app_sink_try_pull_sample (GST_APP_SINK (sink),
        GST_SECOND / 10);
    if (sample == NULL)
      error = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  }
  return sample;
}

/* The signatures of a file's first frames, to be freed with g_free(). */
static Signatures *
gather (gchar * file, GCancellable * cancellable)
{
  const PreviewOptions options = {.file = file };
  g_autoptr (GstElement) pipeline = gst_object_ref_sink (gst_pipeline_new
      (NULL));
  GstElement *source = preview_source_new (&options, NULL);
  GstElement *chain = gst_parse_bin_from_description (SMALL, TRUE, NULL);
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (chain), "sink");
  Signatures *s = g_new0 (Signatures, 1);
  GstSample *sample;

  gst_bin_add_many (GST_BIN (pipeline), chain, source, NULL);
  if (source == NULL || !gst_element_link (source, chain))
    return s;
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (s->n < MOST_FRAMES
      && (s->n < 2 || s->time[s->n - 1] - s->time[0] < (gint64) LENGTH)
      && (sample = pull (pipeline, sink, cancellable)) != NULL) {
    take_sample (s, sample);
    gst_sample_unref (sample);
  }
  preview_source_stop (pipeline);
  return s;
}

/* Of the pairs of an offset. */
typedef struct
{
  gint n;
  gdouble error;                /* the mean square of a pixel */
  gdouble cross, power[2];      /* of pixels about their frame's mean */
  gdouble shift;                /* ns, the mean */
} Sums;

static void
add_pair (Sums * sums, const guint8 * a, const guint8 * b)
{
  gint64 of_a = 0, of_b = 0;
  gint aa = 0, bb = 0, ab = 0;

  for (guint i = 0; i < SIZE; i++) {
    of_a += a[i];
    of_b += b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
    ab += a[i] * b[i];
  }
  sums->error += aa + bb - 2 * ab;
  sums->cross += ab - of_a * of_b / SIZE;
  sums->power[0] += aa - of_a * of_a / SIZE;
  sums->power[1] += bb - of_b * of_b / SIZE;
  sums->n++;
}

/* Of pairs whose times, from the first ones on, are `shift` apart, or nearly
 * so. */
static Sums
measure (const Signatures * a, const Signatures * b, gdouble shift,
    gdouble near)
{
  const gint64 begin = b->time[0] - a->time[0];
  Sums sums = { 0 };

  for (guint i = 0, k = 0; i < a->n; i++) {
    const gdouble wanted = a->time[i] + begin + shift;

    while (k < b->n && b->time[k] < wanted - near)
      k++;
    if (k < b->n && b->time[k] <= wanted + near) {
      add_pair (&sums, a->pixel[i], b->pixel[k]);
      sums.shift += b->time[k] - a->time[i];
    }
  }
  sums.error /= MAX (sums.n, 1) * SIZE;
  sums.shift /= MAX (sums.n, 1);
  return sums;
}

static gdouble
get_frame_duration (const Signatures * s)
{
  return (gdouble) (s->time[s->n - 1] - s->time[0]) / (s->n - 1);
}

/* FALSE: the two do not show the same. */
static gboolean
find_shift (const Signatures * a, const Signatures * b, gint64 * shift)
{
  const gint least = MIN (LEAST_PAIRS, MIN (a->n, b->n));
  gdouble frame, near, power;
  gint limit, best = 0, exact;
  g_autofree Sums *sums = NULL;
  Sums *at;

  *shift = 0;
  if (least < 2 || (frame = get_frame_duration (b)) <= 0)
    return TRUE;
  /* Of two rates only some frames fall together. */
  near = frame / (ABS (get_frame_duration (a) / frame - 1) < 0.01 ? 2.2 : 8);
  limit = MIN (REACH / frame, MOST_FRAMES);
  sums = g_new (Sums, 2 * limit + 1);
  at = sums + limit;
  for (gint i = 0; i <= 2 * limit; i++) {
    const gint n = i % 2 ? -(i + 1) / 2 : i / 2;

    at[n] = measure (a, b, n * frame, near);
    /* A still scene fits at many offsets: the least one, unless another is
     * better. */
    if (at[n].n >= least && (at[best].n < least
            || at[n].error < BETTER * at[best].error))
      best = n;
  }
  exact = best;
  for (gint n = MAX (best - 2, -limit); n <= MIN (best + 2, limit); n++)
    if (at[n].n >= least && (at[n].error < at[exact].error
            || (at[n].error == at[exact].error && ABS (n) < ABS (exact))))
      exact = n;
  if ((best != 0 && at[exact].error < 0.98 * at[best].error)
      || at[exact].error < BETTER * at[best].error)
    best = exact;
  *shift = at[best].shift;
  power = at[best].power[0];
  return at[best].n == 0 || power / at[best].n / SIZE < 4
      || at[best].cross > ALIKE * sqrt (power * at[best].power[1]);
}

static void
look (GTask * task, gpointer session, gpointer data, GCancellable * unused)
{
  Run *run = data;
  g_autofree Signatures *a = gather (run->original, run->cancellable);

  (void) session, (void) unused;
  for (guint i = 0; i < 2; i++)
    if (run->file[i] != NULL) {
      g_autofree Signatures *b = gather (run->file[i], run->cancellable);

      run->alike[i] = find_shift (a, b, &run->shift[i]);
    }
  g_task_return_boolean (task, TRUE);
}

/* What to say of a file, owned by the caller; NULL: it is in time. */
static gchar *
describe (PreviewSession * self, const Run * run, guint side)
{
  g_autofree gchar *name = g_path_get_basename (run->file[side]);
  const gint64 shift = run->shift[side];

  if (!run->alike[side])
    return g_strdup_printf ("%s does not seem to show the same as %s.", name,
        preview_session_has_original (self) ? "the original" : "A");
  if (2 * (GstClockTime) ABS (shift) < preview_session_get_frame_duration
      (self))
    return NULL;
  g_mutex_lock (&self->lock);
  self->shift[side] = shift;
  g_mutex_unlock (&self->lock);
  return g_strdup_printf ("%s is %.2f s %s: it is shifted.", name,
      (gdouble) ABS (shift) / GST_SECOND, shift > 0 ? "late" : "early");
}

static void
done (GObject * session, GAsyncResult * result, gpointer unused)
{
  PreviewSession *self = PREVIEW_SESSION (session);
  const Run *run = g_task_get_task_data (G_TASK (result));
  g_autoptr (GString) text = g_string_new (NULL);

  (void) unused;
  self->aligning--;
  if (g_cancellable_is_cancelled (run->cancellable))
    return;
  for (guint i = 0; i < 2; i++)
    if (run->file[i] != NULL) {
      g_autofree gchar *words = describe (self, run, i);

      self->aligned[i] = TRUE;
      if (words != NULL)
        g_string_append_printf (text, "%s%s", text->len > 0 ? " " : "", words);
    }
  if (text->len == 0)
    return;
  preview_transport_restart (self);
  g_signal_emit_by_name (self, "notice", text->str);
}

static void
free_run (gpointer data)
{
  Run *run = data;

  g_free (run->original);
  g_free (run->file[0]);
  g_free (run->file[1]);
  g_object_unref (run->cancellable);
  g_free (run);
}

static void
cancel (PreviewSession * self)
{
  if (self->aligner != NULL)
    g_cancellable_cancel (self->aligner);
  g_clear_object (&self->aligner);
}

void
preview_align_start (PreviewSession * self)
{
  Run *run = g_new0 (Run, 1);
  g_autoptr (GTask) task = NULL;

  cancel (self);
  self->aligner = g_cancellable_new ();
  run->cancellable = g_object_ref (self->aligner);
  run->original = g_strdup (self->options.file);
  for (guint i = 0; i < 2; i++)
    if (!self->aligned[i] && run->original != NULL
        && g_strcmp0 (self->file[i], run->original) != 0)
      run->file[i] = g_strdup (self->file[i]);
  if (run->file[0] == NULL && run->file[1] == NULL) {
    free_run (run);
    return;
  }
  self->aligning++;
  task = g_task_new (self, NULL, done, NULL);
  g_task_set_task_data (task, run, free_run);
  g_task_run_in_thread (task, look);
  while (self->output == PREVIEW_FILES && self->aligning > 0)
    g_main_context_iteration (NULL, TRUE);
}

void
preview_align_stop (PreviewSession * self)
{
  cancel (self);
  while (self->aligning > 0)
    g_main_context_iteration (NULL, TRUE);
}
