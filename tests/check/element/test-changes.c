/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Properties changed by several threads at once: each change comes into force,
 * and none before the group it belongs to is complete. */
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

static void
freeze_and_set (Other * other, gint round)
{
  g_object_freeze_notify (G_OBJECT (other->bench.element));
  set_transform (other, round);
  g_object_thaw_notify (G_OBJECT (other->bench.element));
}

/* The same where one is frozen while the other sets, for one property: in the
 * end what g_object_get() shows is in force. */
static void
test_one_property (void)
{
  guint lost = 0;
  Other other;

  start (&other, freeze_and_set);
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

static void
set_group (Other * other, gint round)
{
  GObject *object = G_OBJECT (other->bench.element);

  /* An odd quality belongs to jpeg-8x8, an even one to dct-8x8. */
  g_object_freeze_notify (object);
  set_transform (other, round);
  g_thread_yield ();
  g_object_set (object, "quality", quality_of (round), NULL);
  g_object_thaw_notify (object);
}

/* A thread that sets groups without a pause, and one that sets something else
 * and so announces them: still each frame is made with a whole group. */
static void
test_groups (void)
{
  guint torn = 0;
  Other other;

  start (&other, set_group);
  set_group (&other, 0);
  begin (&other, n_rounds);
  for (gint n = 0; g_atomic_int_get (&other.done) < n_rounds; n++) {
    const gchar *transform;
    gint quality;

    /* No more than what waits on its own (gstblockdctsettings.c), should the
     * other one be kept from its thaw: what is set here comes into force. */
    if (n % 40 == 39)
      wait_for (&other.done, MIN (g_atomic_int_get (&other.done) + 2,
              n_rounds));
    for (gint i = 0; i < 20; i++)
      g_object_set (other.bench.element, "chroma-qp-offset", i % 12, NULL);
    get_made (&other.bench, n, &transform, &quality);
    torn += !g_str_equal (transform,
        bdct_transform_info (transform_of (quality + 1))->name);
  }
  finish (&other, torn);
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

/* What another thread may do between GObject's taking the queue of
 * notifications and the element's coming to see them, in this thread. */
static void (*real_dispatch) (GObject * object, guint n_pspecs,
    GParamSpec ** pspecs);
static void (*intrude) (GObject * object);

static void
dispatch (GObject * object, guint n_pspecs, GParamSpec ** pspecs)
{
  void (*func) (GObject * object) = intrude;

  intrude = NULL;
  if (func != NULL)
    func (object);
  real_dispatch (object, n_pspecs, pspecs);
}

static void
start_intruding (Bench * bench)
{
  GObjectClass *klass;

  bench_init (bench, "GRAY8", 8, 8, "threads", 1, "async-depth", 1, NULL);
  klass = G_OBJECT_GET_CLASS (bench->element);
  real_dispatch = klass->dispatch_properties_changed;
  klass->dispatch_properties_changed = dispatch;
}

static void
stop_intruding (Bench * bench)
{
  G_OBJECT_GET_CLASS (bench->element)->dispatch_properties_changed =
      real_dispatch;
  bench_clear (bench);
}

/* Another one freezes, and thaws with nothing to announce. */
static void
test_frozen_between (void)
{
  Bench bench;

  start_intruding (&bench);
  intrude = g_object_freeze_notify;
  g_object_set (bench.element, "quality", 20, NULL);
  g_object_thaw_notify (G_OBJECT (bench.element));
  g_assert_true (was_made (&bench, 0, BDCT_JPEG_8X8, 20));
  stop_intruding (&bench);
}

static void
begin_group (GObject * object)
{
  g_object_freeze_notify (object);
  g_object_set (object, "transform", BDCT_DCT_8X8, NULL);
}

/* Another one begins a group with a property that is about to be announced. */
static void
test_set_between (void)
{
  GObject *object;
  Bench bench;

  start_intruding (&bench);
  object = G_OBJECT (bench.element);
  intrude = begin_group;
  g_object_set (object, "transform", BDCT_JPEG_8X8, "quality", 20, NULL);
  g_assert_true (was_made (&bench, 0, BDCT_JPEG_8X8, 20));
  g_object_set (object, "quality", 30, NULL);
  g_object_thaw_notify (object);
  g_assert_true (was_made (&bench, 1, BDCT_DCT_8X8, 30));
  stop_intruding (&bench);
}

static void
end_group (GObject * object)
{
  begin_group (object);
  g_object_set (object, "quality", 30, NULL);
  g_object_thaw_notify (object);
}

/* Another one begins and ends a group: what was set last stays. */
static void
test_overtaken (void)
{
  gint transform, quality;
  Bench bench;

  start_intruding (&bench);
  intrude = end_group;
  g_object_set (bench.element, "transform", BDCT_JPEG_8X8, "quality", 20,
      NULL);
  g_object_get (bench.element, "transform", &transform, "quality", &quality,
      NULL);
  g_assert_cmpint (transform, ==, BDCT_DCT_8X8);
  g_assert_cmpint (quality, ==, 30);
  g_assert_true (was_made (&bench, 0, BDCT_DCT_8X8, 30));
  stop_intruding (&bench);
}

static void
begin_size (GObject * object)
{
  g_object_freeze_notify (object);
  g_object_set (object, "target-size", 2000, NULL);
}

static void
check_targets (Bench * bench, gdouble psnr, guint size)
{
  gdouble got_psnr;
  guint got_size;

  g_object_get (bench->element, "target-psnr", &got_psnr, "target-size",
      &got_size, NULL);
  g_assert_cmpfloat (got_psnr, ==, psnr);
  g_assert_cmpuint (got_size, ==, size);
}

static void
check_refusals (Bench * bench, guint n)
{
  while (n-- > 0) {
    gchar *text = bench_pop_text (bench, GST_MESSAGE_WARNING);

    g_assert_nonnull (strstr (text, "exclude each other"));
    g_free (text);
  }
  g_assert_null (bench_pop (bench, GST_MESSAGE_WARNING));
}

/* A group is refused while another one sets a property of it again: of the
 * group nothing is left, neither in force nor to be read. */
static void
test_refused_between (void)
{
  Bench bench;

  start_intruding (&bench);
  intrude = begin_size;
  g_object_set (bench.element, "target-psnr", 40.0, "target-size", 1000, NULL);
  check_refusals (&bench, 1);
  g_object_thaw_notify (G_OBJECT (bench.element));
  check_targets (&bench, 0, 2000);
  stop_intruding (&bench);
}

/* A control binding that has something done before it sets its property. */
typedef struct
{
  GstControlBinding parent;
} TestBinding;

typedef struct
{
  GstControlBindingClass parent;
} TestBindingClass;

static GType test_binding_get_type (void);
G_DEFINE_TYPE (TestBinding, test_binding, GST_TYPE_CONTROL_BINDING);

static GThread *setter;
static gint dispatching, go_on; /* atomic */

static gboolean
sync_values (GstControlBinding * binding, GstObject * object,
    GstClockTime timestamp, GstClockTime last_sync)
{
  (void) binding, (void) timestamp, (void) last_sync;
  if (setter != NULL) {
    g_atomic_int_set (&go_on, 1);
    g_thread_join (g_steal_pointer (&setter));
  }
  g_object_set (object, "target-size", 1000, NULL);
  return TRUE;
}

static void
test_binding_class_init (TestBindingClass * klass)
{
  GST_CONTROL_BINDING_CLASS (klass)->sync_values = sync_values;
}

static void
test_binding_init (TestBinding * self)
{
  (void) self;
}

static void
wait_in_dispatch (GObject * object)
{
  (void) object;
  g_atomic_int_set (&dispatching, 1);
  wait_for (&go_on, 1);
}

static gpointer
set_psnr (gpointer element)
{
  g_object_set (element, "target-psnr", 40.0, NULL);
  return NULL;
}

/* What another thread sets while a frame's values are, and is accepted, stays
 * when these are refused; which is said once, until they are accepted. */
static void
test_refused_binding (void)
{
  GstObject *element;
  Bench bench;

  start_intruding (&bench);
  element = GST_OBJECT (bench.element);
  intrude = wait_in_dispatch;
  setter = g_thread_new ("setter", set_psnr, element);
  wait_for (&dispatching, 1);
  gst_object_add_control_binding (element,
      g_object_new (test_binding_get_type (), "object", element, "name",
          "target-size", NULL));
  for (guint n = 0; n < 5; n++) {
    bench_push (&bench, n);
    check_targets (&bench, 40, 0);
  }
  check_refusals (&bench, 1);
  g_object_set (element, "target-psnr", 0.0, NULL);
  bench_push (&bench, 5);
  check_targets (&bench, 0, 1000);
  check_refusals (&bench, 0);
  g_object_set (element, "target-size", 0, "target-psnr", 40.0, NULL);
  for (guint n = 6; n < 9; n++)
    bench_push (&bench, n);
  check_targets (&bench, 40, 0);
  check_refusals (&bench, 1);
  stop_intruding (&bench);
}

static gpointer
set_often (gpointer data)
{
  for (gint round = 1; round <= n_rounds; round++)
    set_transform (data, round);
  return NULL;
}

/* Who has announcements frozen holds up those of others, however many, and
 * loses none. */
static void
test_held_up (void)
{
  Other other;

  bench_init (&other.bench, "GRAY8", 8, 8, "threads", 1, "async-depth", 1,
      NULL);
  g_object_freeze_notify (G_OBJECT (other.bench.element));
  g_object_set (other.bench.element, "quality", 20, NULL);
  g_thread_join (g_thread_new ("setter", set_often, &other));
  g_assert_true (was_made (&other.bench, 0, BDCT_JPEG_8X8, 85));
  g_object_thaw_notify (G_OBJECT (other.bench.element));
  g_assert_true (was_made (&other.bench, 1, transform_of (n_rounds), 20));
  bench_clear (&other.bench);
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  n_rounds = test_rounds (34000);
  test_add ("/element/changes/threads", test_threads);
  test_add ("/element/changes/one-property", test_one_property);
  test_add ("/element/changes/groups", test_groups);
#ifdef HAVE_CONTROLLER
  test_add ("/element/changes/binding", test_binding);
#endif
  test_add ("/element/changes/frozen-between", test_frozen_between);
  test_add ("/element/changes/set-between", test_set_between);
  test_add ("/element/changes/overtaken", test_overtaken);
  test_add ("/element/changes/refused-between", test_refused_between);
  test_add ("/element/changes/refused-binding", test_refused_binding);
  test_add ("/element/changes/held-up", test_held_up);
  return test_run ();
}
