/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "curve.h"
#include "chart.h"
#include "figures.h"

#include <math.h>

/* ms between two curves, which leave time for other work. */
#define PAUSE 200
#define QUALITIES "<5,10,15,20,25,30,35,40,45,50,55,60,65,70,75,80,85," \
    "90,95,98>"
#define QPS "<6,9,12,15,17,19,21,23,25,27,29,31,33,35,37,39,42,45,48,51>"

struct _PreviewCurve
{
  GtkDrawingArea parent;
  PreviewSession *session;
  GstStructure *figures, *curve;        /* of one frame; or NULL */
  gdouble samples;              /* luma samples in the frame */
  gboolean has_qp;
  gboolean wanted;              /* another curve has to be computed */
  gboolean running;
  guint timer;
};

G_DEFINE_FINAL_TYPE (PreviewCurve, preview_curve, GTK_TYPE_DRAWING_AREA);

typedef struct
{
  PreviewSession *session;
  GstSample *frame;
  const gchar *settings;
  GstStructure *figures, *curve;
} Run;

static void start (PreviewCurve * self);

static void
free_run (gpointer data)
{
  Run *run = data;

  g_object_unref (run->session);
  gst_sample_unref (run->frame);
  g_clear_pointer (&run->figures, gst_structure_free);
  g_clear_pointer (&run->curve, gst_structure_free);
  g_free (run);
}

static void
compute (GTask * task, gpointer source, gpointer data, GCancellable * unused)
{
  Run *run = data;

  (void) source, (void) unused;
  preview_session_get_curve (run->session, run->frame, run->settings,
      &run->figures, &run->curve, NULL);
  g_task_return_boolean (task, TRUE);
}

static gboolean
start_again (gpointer data)
{
  PreviewCurve *self = data;

  self->timer = 0;
  self->running = FALSE;
  if (self->wanted)
    start (self);
  return G_SOURCE_REMOVE;
}

static gint
count_samples (GstSample * frame)
{
  GstStructure *caps = gst_caps_get_structure (gst_sample_get_caps (frame), 0);
  gint width = 0, height = 0;

  gst_structure_get_int (caps, "width", &width);
  gst_structure_get_int (caps, "height", &height);
  return width * height;
}

static void
computed (GObject * source, GAsyncResult * result, gpointer data)
{
  PreviewCurve *self = PREVIEW_CURVE (source);
  Run *run = g_task_get_task_data (G_TASK (result));

  (void) data;
  if (self->session == NULL)
    return;
  g_clear_pointer (&self->figures, gst_structure_free);
  g_clear_pointer (&self->curve, gst_structure_free);
  self->figures = g_steal_pointer (&run->figures);
  self->curve = g_steal_pointer (&run->curve);
  self->samples = count_samples (run->frame);
  self->timer = g_timeout_add (PAUSE, start_again, self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
start (PreviewCurve * self)
{
  GstSample *frame = preview_session_get_original (self->session);
  g_autoptr (GTask) task = NULL;
  Run *run;

  if (frame == NULL)
    return;
  run = g_new0 (Run, 1);
  run->session = g_object_ref (self->session);
  run->frame = frame;
  run->settings = self->has_qp ? QPS : QUALITIES;
  self->wanted = FALSE;
  self->running = TRUE;
  task = g_task_new (self, NULL, computed, NULL);
  g_task_set_task_data (task, run, free_run);
  g_task_run_in_thread (task, compute);
}

void
preview_curve_update (PreviewCurve * self, const GstStructure * frame)
{
  self->has_qp = gst_structure_has_field (frame, "qp");
  self->wanted = TRUE;
  if (!self->running && gtk_widget_get_mapped (GTK_WIDGET (self)))
    start (self);
}

static void
map (GtkWidget * widget)
{
  PreviewCurve *self = PREVIEW_CURVE (widget);

  GTK_WIDGET_CLASS (preview_curve_parent_class)->map (widget);
  if (self->wanted && !self->running)
    start (self);
}

/* An item of a curve's array, of integers or of doubles. */
static gdouble
get (const GstStructure * s, const gchar * field, guint i)
{
  const GValue *array = gst_structure_get_value (s, field);
  const GValue *value = array == NULL || i >= gst_value_array_get_size (array)
      ? NULL : gst_value_array_get_value (array, i);

  return value == NULL ? NAN : G_VALUE_HOLDS_UINT64 (value)
      ? g_value_get_uint64 (value) : g_value_get_double (value);
}

static void
draw_axis (PreviewCurve * self, cairo_t * cr, gdouble most)
{
  GtkWidget *widget = GTK_WIDGET (self);
  g_autofree gchar *text = g_strdup_printf ("%.3g bits per luma sample", most);

  cairo_set_source_rgb (cr, 0.8, 0.8, 0.8);
  preview_chart_write (widget, cr, gtk_widget_get_allocated_width (widget) - 4,
      gtk_widget_get_allocated_height (widget) - 18, TRUE, text);
}

static void
draw_point (PreviewCurve * self, cairo_t * cr, gdouble x, gdouble y)
{
  gint setting = 0;
  g_autofree gchar *text = NULL;

  if (!gst_structure_get_int (self->figures, "qp", &setting))
    gst_structure_get_int (self->figures, "quality", &setting);
  preview_chart_set_colour (cr, 0);
  cairo_new_path (cr);
  cairo_arc (cr, x, y, 5, 0, 2 * G_PI);
  cairo_fill (cr);
  text = g_strdup_printf ("%s %d: %.2f dB, %.3f bits",
      gst_structure_has_field (self->figures, "qp") ? "QP" : "quality", setting,
      preview_get_number (self->figures, "psnr"),
      preview_get_number (self->figures, "bpp"));
  preview_chart_write (GTK_WIDGET (self), cr,
      gtk_widget_get_allocated_width (GTK_WIDGET (self)) - 4, 0, TRUE, text);
}

/* Show a text instead: a frame with its own steps has no other settings. */
static void
draw_empty (GtkWidget * widget, cairo_t * cr)
{
  cairo_set_source_rgb (cr, 0.1, 0.1, 0.1);
  cairo_paint (cr);
  cairo_set_source_rgb (cr, 0.8, 0.8, 0.8);
  preview_chart_write (widget, cr, 4, 4, FALSE, "There is no curve yet.");
}

static gboolean
draw (GtkWidget * widget, cairo_t * cr)
{
  PreviewCurve *self = PREVIEW_CURVE (widget);
  gdouble most = 0, now, psnr, width = gtk_widget_get_allocated_width (widget);
  PreviewRange range;
  const gchar *bits;

  if (self->curve == NULL || self->figures == NULL) {
    draw_empty (widget, cr);
    return FALSE;
  }
  bits = gst_structure_has_field (self->curve, "bits") ? "bits"
      : "bits-estimated";
  now = preview_get_number (self->figures, "bpp");
  psnr = preview_get_number (self->figures, "psnr");
  preview_range_clear (&range);
  preview_range_add (&range, psnr);
  most = now;
  for (guint i = 0; !isnan (get (self->curve, "psnr", i)); i++) {
    preview_range_add (&range, get (self->curve, "psnr", i));
    most = MAX (most, get (self->curve, bits, i) / self->samples);
  }
  preview_range_round (&range);
  preview_chart_draw (widget, cr, &range, "dB");
  draw_axis (self, cr, most);
  cairo_new_path (cr);
  for (guint i = 0; !isnan (get (self->curve, "psnr", i)); i++)
    cairo_line_to (cr, width * get (self->curve, bits, i) / self->samples
        / most, preview_chart_place (widget, &range, get (self->curve, "psnr",
                i)));
  preview_chart_set_colour (cr, 1);
  cairo_set_line_width (cr, 1.5);
  cairo_stroke (cr);
  draw_point (self, cr, width * now / most, preview_chart_place (widget,
          &range, psnr));
  return FALSE;
}

static void
dispose (GObject * object)
{
  PreviewCurve *self = PREVIEW_CURVE (object);

  if (self->timer != 0)
    g_source_remove (self->timer);
  self->timer = 0;
  g_clear_object (&self->session);
  g_clear_pointer (&self->figures, gst_structure_free);
  g_clear_pointer (&self->curve, gst_structure_free);
  G_OBJECT_CLASS (preview_curve_parent_class)->dispose (object);
}

static void
preview_curve_class_init (PreviewCurveClass * klass)
{
  G_OBJECT_CLASS (klass)->dispose = dispose;
  GTK_WIDGET_CLASS (klass)->draw = draw;
  GTK_WIDGET_CLASS (klass)->map = map;
}

static void
preview_curve_init (PreviewCurve * self)
{
  gtk_widget_set_name (GTK_WIDGET (self), "curve");
  gtk_widget_set_size_request (GTK_WIDGET (self), -1, 80);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self),
      "PSNR over bits of the frame that is shown, at twenty settings; the dot "
      "is the one in force");
}

GtkWidget *
preview_curve_new (PreviewSession * session)
{
  PreviewCurve *self = g_object_new (PREVIEW_TYPE_CURVE, NULL);

  self->session = g_object_ref (session);
  return GTK_WIDGET (self);
}
