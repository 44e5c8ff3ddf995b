/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Properties changed by several threads at once: each change comes into
 * force. */
#ifdef HAVE_CONTROLLER
#include <gst/controller/controller.h>
#endif
#include <string.h>
#include "bench.h"

static gint n_rounds;           /* of three changes */

/* What two threads may take for a round. */
#define PATIENCE (60 * G_USEC_PER_SEC)

/* A second thread, which does something in each round. */
typedef struct _Other Other;

struct _Other
{
  Bench bench;
  void (*act) (Other * other, gint round);
  gint begun, acted, done;      /* rounds; atomic */
  GThread *thread;
};

/* Threads that meet all the time do not sleep in between. */
static void
wait_for (gint * counter, gint value)
{
  gint64 end = g_get_monotonic_time () + PATIENCE;

  while (g_atomic_int_get (counter) < value) {
    g_thread_yield ();
    if (g_get_monotonic_time () > end)
      g_error ("the other thread is stuck in round %d", value);
  }
}

/* Freezing and thawing alone is what gst_object_sync_values() does where no
 * value has changed. */
static gpointer
run (gpointer data)
{
  Other *other = data;
  GObject *object = G_OBJECT (other->bench.element);

  for (gint round = 1; round <= n_rounds; round++) {
    wait_for (&other->begun, round);
    other->act (other, round);
    g_atomic_int_set (&other->acted, round);
    for (guint i = 0; i < 50; i++) {
      g_object_freeze_notify (object);
      g_object_thaw_notify (object);
    }
    g_atomic_int_set (&other->done, round);
  }
  return NULL;
}

static void
begin (Other * other, gint round)
{
  g_atomic_int_set (&other->begun, round);
}

static void
join (Other * other, gint round)
{
  wait_for (&other->done, round);
}

static void
start (Other * other, void (*act) (Other * other, gint round))
{
  bench_init (&other->bench, "GRAY8", 8, 8, "threads", 1,
      "post-messages", FALSE, "async-depth", 1, NULL);
  other->act = act;
  other->begun = other->acted = other->done = 0;
  other->thread = g_thread_new ("other", run, other);
}

static void
finish (Other * other, guint lost)
{
  g_thread_join (other->thread);
  bench_clear (&other->bench);
  g_test_message ("lost: %u in %d rounds", lost, n_rounds);
  g_assert_cmpuint (lost, ==, 0);
}

/* What frame `n` is made with. */
static void
get_made (Bench * bench, guint n, const gchar ** transform, gint * quality)
{
  GstStructure *s;
  GstBuffer *out;

  bench_push (bench, n);
  out = gst_harness_try_pull (bench->h);
  g_assert_nonnull (out);
  s = buffer_report (out);
  g_assert_nonnull (s);
  /* Interned, as all of its strings. */
  *transform = g_intern_string (gst_structure_get_string (s, "transform"));
  *quality = get_int (s, "quality");
  gst_buffer_unref (out);
}

static gboolean
was_made (Bench * bench, guint n, BdctTransform transform, gint quality)
{
  const gchar *got_transform;
  gint got_quality;

  get_made (bench, n, &got_transform, &got_quality);
  if (quality != 0 && quality != got_quality)
    return FALSE;
  return g_str_equal (got_transform, bdct_transform_info (transform)->name);
}

static BdctTransform
transform_of (gint round)
{
  return round % 2 ? BDCT_DCT_8X8 : BDCT_JPEG_8X8;
}

static gint
quality_of (gint round)
{
  return 1 + round % 100;
}

static void
set_transform (Other * other, gint round)
{
  g_object_set (other->bench.element, "transform", transform_of (round), NULL);
}

/* Two threads, each with its property: once both have returned, both changes
 * are in force. */
static void
test_threads (void)
{
  guint lost = 0;
  Other other;

  start (&other, set_transform);
  for (gint round = 1; round <= n_rounds; round++) {
    begin (&other, round);
    g_object_set (other.bench.element, "quality", quality_of (round + 1), NULL);
    wait_for (&other.acted, round);
    g_object_set (other.bench.element, "quality", quality_of (round), NULL);
    join (&other, round);
    lost += !was_made (&other.bench, round, transform_of (round),
        quality_of (round));
  }
  finish (&other, lost);
}

/* The same for one property: in the end what g_object_get() shows is in
 * force. */
static void
test_one_property (void)
{
  guint lost = 0;
  Other other;

  start (&other, set_transform);
  for (gint round = 1; round <= n_rounds; round++) {
    gint transform;

    begin (&other, round);
    g_object_set (other.bench.element, "transform", transform_of (round + 1),
        NULL);
    join (&other, round);
    g_object_get (other.bench.element, "transform", &transform, NULL);
    lost += !was_made (&other.bench, round, transform, 0);
  }
  finish (&other, lost);
}

#ifdef HAVE_CONTROLLER
/* A control binding sets each frame's value while another thread sets
 * another property. */
static void
test_binding (void)
{
  GstControlSource *source = gst_interpolation_control_source_new ();
  guint lost = 0;
  Other other;

  start (&other, set_transform);
  g_object_set (source, "mode", GST_INTERPOLATION_MODE_NONE, NULL);
  gst_object_add_control_binding (GST_OBJECT (other.bench.element),
      gst_direct_control_binding_new_absolute (GST_OBJECT
          (other.bench.element), "quality", source));
  for (gint n = 0; n <= 2 * n_rounds + 1; n++)
    gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE
        (source), n * FRAME, quality_of (n / 8));
  for (gint round = 1; round <= n_rounds; round++) {
    const gchar *transform;
    gint n = 2 * round, quality;

    begin (&other, round);
    wait_for (&other.acted, round);
    get_made (&other.bench, n, &transform, &quality);
    lost += quality != quality_of (n / 8);
    join (&other, round);
    lost += !was_made (&other.bench, n + 1, transform_of (round),
        quality_of ((n + 1) / 8));
  }
  gst_object_unref (source);
  finish (&other, lost);
}
#endif

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  n_rounds = test_rounds (12000);
  test_add ("/element/changes/threads", test_threads);
  test_add ("/element/changes/one-property", test_one_property);
#ifdef HAVE_CONTROLLER
  test_add ("/element/changes/binding", test_binding);
#endif
  return test_run ();
}
