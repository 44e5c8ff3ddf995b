/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bench.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIMIT 1200              /* seconds: what takes longer hangs */

/* Tests */

/* The GPU's context, for all of a program's elements: to make one takes a
 * fraction of a second, in which other programs wait. */
static GstContext *gpu_context;

/* What tests write, and nobody keeps. */
static gchar *folder;

gchar *
test_path (const gchar * name)
{
  if (folder == NULL)
    folder = g_dir_make_tmp ("blockdct-XXXXXX", NULL);
  g_assert_nonnull (folder);
  return g_build_filename (folder, name, NULL);
}

static void
remove_folder (void)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const gchar *name;

  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree gchar *path = test_path (name);

    g_unlink (path);
  }
  g_dir_close (dir);
  g_rmdir (folder);
  g_clear_pointer (&folder, g_free);
}

void
test_end (void)
{
  if (folder != NULL)
    remove_folder ();
  g_clear_pointer (&gpu_context, gst_context_unref);
  /* Ends the leaks tracer, which warns, and so fails, if it found any. */
  gst_deinit ();
}

int
test_run (void)
{
  int ret = g_test_run ();

  test_end ();
  return ret;
}

const gchar *
test_backend (void)
{
  const gchar *backend = g_getenv ("BLOCKDCT_TEST_BACKEND");

  return backend != NULL && *backend != '\0' ? backend : "cpu";
}

gboolean
test_on_cuda (void)
{
  return strcmp (test_backend (), "cuda") == 0;
}

/* Why the backend under test does not start; NULL if it does. Asked once. */
static const gchar *
backend_missing (void)
{
  static gchar *reason;
  static gboolean asked;
  GstElement *element;
  GstMessage *message;
  GstBus *bus;

  if (asked)
    return reason;
  asked = TRUE;
  element = element_new ("blockdct");
  element_set (element, "backend", test_backend ());
  bus = gst_bus_new ();
  gst_element_set_bus (element, bus);
  if (gst_element_set_state (element, GST_STATE_PAUSED)
      == GST_STATE_CHANGE_FAILURE) {
    g_autofree gchar *text = message_text (gst_bus_pop_filtered (bus,
            GST_MESSAGE_ERROR));

    reason = g_strdup_printf ("BLOCKDCT_TEST_BACKEND=%s: %s", test_backend (),
        text);
  }
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_HAVE_CONTEXT);
  if (message != NULL) {
    gst_message_parse_have_context (message, &gpu_context);
    gst_message_unref (message);
  }
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
  return reason;
}

gint
test_rounds (gint n)
{
  const gchar *rounds = g_getenv ("BLOCKDCT_TEST_ROUNDS");

  return rounds != NULL ? CLAMP (atoi (rounds), 1, n) : n;
}

typedef struct
{
  GTestDataFunc func;
  gconstpointer data;
} Run;

static void
run_test (gconstpointer data)
{
  const Run *run = data;

  alarm (LIMIT);
  if (backend_missing () != NULL)
    g_test_skip (backend_missing ());
  else
    run->func (run->data);
  alarm (0);
}

static void
add_row (const gchar * path, GTestDataFunc func, gconstpointer row)
{
  /* GLib forgets what belongs to a test that does not run. */
  static GSList *runs;
  Run *run = g_new (Run, 1);

  *run = (Run) { func, row };
  runs = g_slist_prepend (runs, run);
  g_test_add_data_func (path, run, run_test);
}

static Test *first, **last = &first;

void
test_register (Test * test)
{
  *last = test;
  last = &test->next;
}

void
test_init (int *argc, char ***argv)
{
  g_autoptr (GstElementFactory) factory;

  g_test_init (argc, argv, NULL);
  gst_init (argc, argv);
  factory = gst_element_factory_find ("blockdct");
  if (factory == NULL)
    g_error ("No element 'blockdct': set GST_PLUGIN_PATH_1_0 to the folder of "
        "libgstblockdct.so");
  for (const Test * test = first; test != NULL; test = test->next)
    for (guint i = 0; i < test->n; i++) {
      const gchar *row = (const gchar *) test->rows + i * test->size;
      g_autofree gchar *path = g_strconcat (test->path, test->size > 0
          ? *(const gchar * const *) row : NULL, NULL);

      add_row (path, test->func, row);
    }
}

static GstPadProbeReturn
answer (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  const Offer *offer = data;
  GstVideoInfo video;
  GstCaps *caps;

  (void) pad;
  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION
      || !(GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_PUSH))
    return GST_PAD_PROBE_OK;
  gst_query_parse_allocation (query, &caps, NULL);
  g_assert_true (gst_video_info_from_caps (&video, caps));
  gst_query_add_allocation_pool (query, offer->pool, video.size, offer->min,
      offer->max);
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  return GST_PAD_PROBE_HANDLED;
}

void
offer_pool (GstPad * pad, Offer * offer)
{
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, answer, offer,
      NULL);
}

/* The element */

GstElement *
element_new (const gchar * factory)
{
  return gst_object_ref_sink (gst_element_factory_make (factory, NULL));
}

void
element_set (GstElement * element, const gchar * property, const gchar * value)
{
  gst_util_set_object_arg (G_OBJECT (element), property, value);
}

void
test_share_context (GstElement * element)
{
  if (gpu_context != NULL)
    gst_element_set_context (element, gpu_context);
}

/* An element gives its context back when it stops. */
static GstBusSyncReply
on_need_context (GstBus * bus, GstMessage * message, gpointer element)
{
  (void) bus;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_NEED_CONTEXT)
    test_share_context (element);
  return GST_BUS_PASS;
}

static void
on_depth (GObject * object, GParamSpec * pspec, gpointer bench)
{
  (void) object, (void) pspec;
  ((Bench *) bench)->drain = FALSE;
}

void
bench_init (Bench * bench, const gchar * format, gint width, gint height,
    ...)
{
  g_autoptr (GstElement) element = element_new ("blockdct");
  const gchar *depth = g_getenv ("BLOCKDCT_TEST_DEPTH");
  const gchar *property;
  va_list args;

  element_set (element, "backend", test_backend ());
  bench->drain = depth != NULL;
  if (depth != NULL)
    gst_util_set_object_arg (G_OBJECT (element), "async-depth", depth);
  if (depth != NULL && strcmp (depth, "1") != 0 && !test_on_cuda ())
    g_object_set (element, "threads", 2, NULL);
  g_signal_connect (element, "notify::async-depth", G_CALLBACK (on_depth),
      bench);
  va_start (args, height);
  property = va_arg (args, const gchar *);
  if (property != NULL)
    g_object_set_valist (G_OBJECT (element), property, args);
  va_end (args);
  g_signal_handlers_disconnect_by_func (element, on_depth, bench);
  bench->bus = gst_bus_new ();
  gst_bus_set_sync_handler (bench->bus, on_need_context, element, NULL);
  gst_element_set_bus (element, bench->bus);
  g_queue_init (&bench->messages);
  bench->h = gst_harness_new_with_element (element, "sink", "src");
  bench->element = element;
  if (format != NULL)
    bench_set_caps (bench, format, width, height);
}

static void
collect_messages (Bench * bench)
{
  GstMessage *message;

  while ((message = gst_bus_pop (bench->bus)) != NULL)
    g_queue_push_tail (&bench->messages, message);
}

void
bench_clear (Bench * bench)
{
  GstMessage *message = bench_pop (bench,
      GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);

  if (message != NULL)
    g_error ("an unexpected message: %s", gst_structure_to_string
        (gst_message_get_structure (message)));
  gst_element_set_state (bench->element, GST_STATE_NULL);
  collect_messages (bench);
  g_queue_clear_full (&bench->messages, (GDestroyNotify) gst_message_unref);
  gst_element_set_bus (bench->element, NULL);
  gst_object_unref (bench->bus);
  gst_harness_teardown (bench->h);
}

void
bench_set_caps (Bench * bench, const gchar * format, gint width, gint height)
{
  video_info (&bench->info, format, width, height);
  gst_harness_set_src_caps (bench->h, video_caps (format, width, height));
}

void
bench_push (Bench * bench, guint n)
{
  g_assert_cmpint (gst_harness_push (bench->h, frame_new (&bench->info, n)),
      ==, GST_FLOW_OK);
}

/* Have the element push what is in flight. */
static void
drain (Bench * bench)
{
  g_autoptr (GstQuery) query = gst_query_new_drain ();

  if (bench->drain)
    gst_pad_peer_query (bench->h->srcpad, query);
}

GstBuffer *
bench_pull (Bench * bench)
{
  drain (bench);
  return gst_harness_try_pull (bench->h);
}

GstBuffer *
bench_take (Bench * bench)
{
  GstBuffer *out = bench_pull (bench);

  g_assert_nonnull (out);
  return out;
}

/* What was set is said. */
static void
check_settings (const GstStructure * s, const BdctParams * params,
    const BdctStats * stats)
{
  static const gchar *const areas[] = { "area-4", "area-8", "area-16",
    "area-32"
  };
  const BdctTransformInfo *info = bdct_transform_info (params->transform);

  g_assert_cmpstr (gst_structure_get_string (s, "transform"), ==, info->name);
  if (info->has_qp) {
    g_assert_cmpint (get_int (s, "qp"), ==, params->qp);
    g_assert_cmpfloat (get_double (s, "deadzone"), ==, params->deadzone);
    g_assert_false (gst_structure_has_field (s, "quality"));
  } else {
    g_assert_cmpint (get_int (s, "quality"), ==, params->quality);
    g_assert_false (gst_structure_has_field (s, "qp"));
    g_assert_false (gst_structure_has_field (s, "deadzone"));
  }
  for (guint i = 0; i < G_N_ELEMENTS (areas); i++)
    if (params->transform == BDCT_HEVC_QUADTREE)
      g_assert_cmpfloat (get_double (s, areas[i]), ==, (gdouble) stats->area[i]
          / stats->component[0].samples);
    else
      g_assert_false (gst_structure_has_field (s, areas[i]));
}

void
bench_check (Bench * bench, guint n, const BdctParams * params)
{
  /* The engines agree on all that is integer. */
  const gboolean same = !test_on_cuda () || params->transform != BDCT_DCT_8X8;
  const gint depth = GST_VIDEO_INFO_COMP_DEPTH (&bench->info, 0);
  GstBuffer *in = frame_new (&bench->info, n);
  GstBuffer *copy = gst_buffer_copy_deep (in), *expected, *out;
  BdctStats stats;
  GstMessage *message;
  GstStructure *s;
  gboolean found;
  guint metrics;

  while ((message = bench_pop (bench, GST_MESSAGE_ELEMENT)) != NULL)
    gst_message_unref (message);
  expected = frame_expect (&bench->info, in, params, &stats);
  g_assert_cmpint (gst_harness_push (bench->h, gst_buffer_ref (in)), ==,
      GST_FLOW_OK);
  out = bench_take (bench);
  g_assert_true (out != in);
  g_assert_true (frames_equal (&bench->info, in, copy));
  g_assert_nonnull (buffer_report (out));
  /* Before it, what a change of caps ends is summed up. */
  do {
    message = bench_pop (bench, GST_MESSAGE_ELEMENT);
    g_assert_nonnull (message);
    s = gst_structure_copy (gst_message_get_structure (message));
    gst_message_unref (message);
    found = gst_structure_is_equal (s, buffer_report (out));
    if (!found)
      gst_structure_free (s);
  } while (!found);
  if (same) {
    g_assert_true (frames_equal (&bench->info, expected, out));
    check_figures (s, &stats, depth);
    check_settings (s, params, &stats);
    g_object_get (bench->element, "metrics", &metrics, NULL);
    if (metrics & BENCH_BITS)
      check_bits (s, &stats, params->transform == BDCT_JPEG_8X8 && depth == 8);
  }
  gst_structure_free (s);
  gst_buffer_unref (copy);
  gst_buffer_unref (expected);
  gst_buffer_unref (out);
  gst_buffer_unref (in);
}

GstMessage *
bench_pop (Bench * bench, GstMessageType types)
{
  drain (bench);
  collect_messages (bench);
  for (GList * l = bench->messages.head; l != NULL; l = l->next) {
    GstMessage *message = l->data;

    if (GST_MESSAGE_TYPE (message) & types) {
      g_queue_delete_link (&bench->messages, l);
      return message;
    }
  }
  return NULL;
}

gchar *
message_text (GstMessage * message)
{
  GError *error = NULL;
  gchar *debug = NULL, *text;

  g_assert_nonnull (message);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, &debug);
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_INFO)
    gst_message_parse_info (message, &error, &debug);
  else
    gst_message_parse_warning (message, &error, &debug);
  text = g_strdup_printf ("%s\n%s\n%s %d", error->message, debug ? debug : "",
      g_quark_to_string (error->domain), error->code);
  g_error_free (error);
  g_free (debug);
  gst_message_unref (message);
  return text;
}

gchar *
bench_pop_text (Bench * bench, GstMessageType type)
{
  return message_text (bench_pop (bench, type));
}

void
text_expect (gchar * text, ...)
{
  const gchar *part;
  va_list args;

  g_test_message ("%s", text);
  va_start (args, text);
  while ((part = va_arg (args, const gchar *)) != NULL)
    if (strstr (text, part) == NULL)
      g_error ("no \"%s\" in \"%s\"", part, text);
  va_end (args);
  g_free (text);
}

GstStructure *
buffer_report (GstBuffer * buffer)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "blockdct");

  return meta == NULL || gst_buffer_get_n_meta (buffer, meta->meta.info->api)
      > 1 ? NULL : gst_custom_meta_get_structure (meta);
}
