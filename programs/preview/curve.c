/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "page-parts.h"

#define QUALITIES "<5,10,15,20,25,30,35,40,45,50,55,60,65,70,75,80,85," \
    "90,95,98>"
#define QPS "<6,9,12,15,17,19,21,23,25,27,29,31,33,35,37,39,42,45,48,51>"

enum
{
  OF_A, OF_B, N_SIDES
};

typedef struct
{
  PreviewSession *session;
  GstSample *frame;
  const gchar *settings[N_SIDES];       /* NULL: no curve */
  GstStructure *curve[N_SIDES];
  void (*done) (JsonObject * curves, gpointer data);
  gpointer data;
} Run;

static void
compute (GTask * task, gpointer source, gpointer data, GCancellable * unused)
{
  Run *run = data;

  (void) source, (void) unused;
  for (guint i = 0; i < N_SIDES; i++)
    if (run->settings[i] != NULL)
      preview_session_get_curve (run->session, i == OF_B, run->frame,
          run->settings[i], &run->curve[i], NULL);
  g_task_return_boolean (task, TRUE);
}

static void
computed (GObject * source, GAsyncResult * result, gpointer data)
{
  static const gchar *const names[N_SIDES] = { "a", "b" };
  Run *run = data;
  JsonObject *curves = json_object_new ();

  (void) source, (void) result;
  for (guint i = 0; i < N_SIDES; i++)
    if (run->curve[i] != NULL) {
      json_object_set_object_member (curves, names[i],
          preview_protocol_write_structure (run->curve[i]));
      gst_structure_free (run->curve[i]);
    }
  run->done (curves, run->data);
  g_object_unref (run->session);
  gst_sample_unref (run->frame);
  g_free (run);
}

gboolean
preview_curve_run (PreviewSession * session, const GstStructure * figures,
    void (*done) (JsonObject * curves, gpointer data), gpointer data)
{
  GstSample *frame = preview_session_get_original (session);
  g_autoptr (GTask) task = NULL;
  Run *run;

  if (frame == NULL)
    return FALSE;
  run = g_new0 (Run, 1);
  run->session = g_object_ref (session);
  run->frame = frame;
  run->done = done;
  run->data = data;
  if (gst_structure_has_field (figures, "transform"))
    run->settings[OF_A] = gst_structure_has_field (figures, "qp") ? QPS
        : QUALITIES;
  if (gst_structure_has_field (figures, "b-transform"))
    run->settings[OF_B] = gst_structure_has_field (figures, "b-qp") ? QPS
        : QUALITIES;
  task = g_task_new (NULL, NULL, computed, run);
  g_task_set_task_data (task, run, NULL);
  g_task_run_in_thread (task, compute);
  return TRUE;
}
