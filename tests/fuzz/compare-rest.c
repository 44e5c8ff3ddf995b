/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Waiting until blockdctcompare is at rest, and what came of a step. */
#include "compare.h"

#include <string.h>

#define LOCK(w) g_mutex_lock (&(w)->lock)
#define UNLOCK(w) g_mutex_unlock (&(w)->lock)

/* What may be said at any time: it depends on sizes, fonts and contents that
 * others' tests know. */
static gboolean
is_free (const gchar * text)
{
  static const gchar *const parts[] = { "is not defined for", "fits better",
    ": there is no dist_sink", "overlay", "font"
  };

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (strstr (text, parts[i]) != NULL)
      return TRUE;
  return FALSE;
}

static void
look_at_warning (World * w, const gchar * text, const gchar * debug)
{
  if (is_free (text) || w->may_fail || w->threaded)
    return;
  for (guint i = 0; i < w->warnings_due->len; i++)
    if (strstr (text, g_ptr_array_index (w->warnings_due, i)) != NULL) {
      g_ptr_array_remove_index (w->warnings_due, i);
      return;
    }
  fail ("a warning: %s (%s)", text, debug);
}

static void
look_at (World * w, GstMessage * message)
{
  GError *error = NULL;
  gchar *debug = NULL;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ELEMENT:
      if (!w->threaded)
        check_report (w, gst_message_get_structure (message));
      break;
    case GST_MESSAGE_ERROR:
      message_parse (message, &error, &debug);
      check (w->errors_due > 0 || w->may_fail, "an error: %s (%s)",
          error->message, debug);
      w->errors_due--;
      break;
    case GST_MESSAGE_WARNING:
      message_parse (message, &error, &debug);
      look_at_warning (w, error->message, debug);
      break;
    default:
      break;
  }
  g_clear_error (&error);
  g_free (debug);
}

/* Wait for what is due; the step's limit of time is there for what hangs. */
static void
wait (World * w)
{
  Item *item;

  doing ("frames, EOS or an error that are due");
  LOCK (w);
  while (w->n_errors <= w->errors_due && (w->outputs.length < w->pairs.length
          || w->n_eos < w->eos_due || w->n_errors < w->errors_due))
    g_cond_wait (&w->cond, &w->lock);
  UNLOCK (w);
  while ((item = g_queue_pop_head (&w->skipped)) != NULL) {
    gchar *what = g_strdup_printf ("frame %u, of type %d%s, to be let go of",
        item->number, item->type, w->over ? " at the end" : "");

    doing (what);
    g_free (what);
    while (w->playing && g_atomic_int_get (&item->alive))
      g_usleep (20);
  }
}

void
world_settle (World * w)
{
  GstMessage *message;
  Output *output;
  Pair *pair;

  if (w->threaded)
    w->may_fail = TRUE;
  else
    model_run (w);
  if (!w->may_fail)
    wait (w);
  LOCK (w);
  while (w->n_errors > w->errors_due && !w->may_fail)
    look_at (w, g_queue_pop_head (&w->messages));
  check (w->may_fail || w->outputs.length == w->pairs.length,
      "%u frames came out, not %u", w->outputs.length, w->pairs.length);
  check (w->may_fail || w->n_eos == w->eos_due, "EOS came out of itself");
  UNLOCK (w);
  while ((pair = g_queue_pop_head (&w->pairs)) != NULL) {
    output = g_queue_pop_head (&w->outputs);
    check_output (w, pair, output);
    output_free (output);
    g_free (pair);
    count_frames (1);
  }
  /* An error is posted before EOS is sent, and a warning before a frame. */
  for (;;) {
    LOCK (w);
    message = g_queue_pop_head (&w->messages);
    UNLOCK (w);
    if (message == NULL)
      break;
    look_at (w, message);
    gst_message_unref (message);
  }
  check (w->errors_due <= 0 || w->may_fail, "%d errors missing", w->errors_due);
  check (w->warnings_due->len == 0, "a warning is missing: %s",
      (gchar *) g_ptr_array_index (w->warnings_due, 0));
  w->n_eos = w->eos_due = 0;
  w->errors_due = w->n_errors = 0;
  w->may_fail = FALSE;
  if (w->over)
    w->flow = GST_FLOW_OK;
}
