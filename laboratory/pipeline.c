/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Times frames in a pipeline: blockdct, elements that do less, and the copies
 * that limit it, alternately and in the same run.
 *
 *   pipeline                 all sizes, formats and ways; about three minutes
 *   pipeline --quick         1080p and 4K NV12, shorter
 *   pipeline --only=TEXT     the rows with this in their name or picture, in
 *                            large or small letters
 *   pipeline --seconds=S     of each measurement (0.3); three of each row
 *   pipeline --depths        async-depth 1, 2, 3, 4 and 8: rate and latency
 *                            of a source that never waits and of a live one
 *   pipeline --devices=N     a pipeline on each of 1, 2, 4 ... N devices
 *   pipeline --json=FILE     the figures, for programs
 *
 * blockdct is found like every element, in GST_PLUGIN_PATH_1_0. Without a GPU
 * only the rows that need none are run. */
#include "pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUDA " ! capsfilter caps=\"video/x-raw(memory:CUDAMemory)\""
#define SYSTEM " ! capsfilter caps=video/x-raw"
#define DEPTH_4 "blockdct backend=cuda async-depth=4"
#define DEPTH_8 "blockdct async-depth=8 "
#define ROUNDS 3

/* Compares each frame with itself, with these properties. */
#define COMPARE "tee name=t ! queue ! c.ref_sink " \
    "t. ! queue ! c.dist_sink blockdctcompare name=c "

/* The bin's wipe of A and B, with these properties. */
#define PREVIEW(depth, properties) "blockdctpreview b=blockdct " \
    "a::async-depth=" depth " b::async-depth=" depth \
    " b::transform=hevc-16x16 b::qp=30 " \
    "compare::left=0 compare::right=1 " properties

typedef struct
{
  const gchar *name;
  SourceKind source;
  const gchar *middle;
} Row;

static const Row rows[] = {
  {"identity", SOURCE_OWN, "identity"},
  {"jpegenc ! jpegdec", SOURCE_OWN, "jpegenc ! jpegdec"},
  {"blockdct, CPU", SOURCE_OWN, "blockdct backend=cpu async-depth=2"},
  {"cudaupload ! cudadownload", SOURCE_OWN,
      "cudaupload" CUDA " ! cudadownload" SYSTEM},
  {"system, source's own memory", SOURCE_OWN, DEPTH_4 SYSTEM},
  {"system, source takes our pool", SOURCE_POOL, DEPTH_4 SYSTEM},
  {"system to CUDA", SOURCE_POOL, DEPTH_4 CUDA},
  {"CUDA to system", SOURCE_CUDA, "blockdct async-depth=4" SYSTEM},
  {"CUDA, depth 1", SOURCE_CUDA, "blockdct" CUDA},
  {"CUDA", SOURCE_CUDA, DEPTH_8 CUDA},
  {"CUDA, no messages", SOURCE_CUDA, DEPTH_8 "post-messages=false" CUDA},
  {"CUDA, bits", SOURCE_CUDA, DEPTH_8 "metrics=bits" CUDA},
  {"CUDA, bits, hevc-4x4", SOURCE_CUDA,
      DEPTH_8 "metrics=bits transform=hevc-4x4" CUDA},
  {"CUDA, bits, hevc-16x16", SOURCE_CUDA,
      DEPTH_8 "metrics=bits transform=hevc-16x16" CUDA},
  {"CUDA, ssim", SOURCE_CUDA, DEPTH_8 "metrics=ssim" CUDA},
  {"CUDA, ms-ssim", SOURCE_CUDA, DEPTH_8 "metrics=ms-ssim" CUDA},
  {"CUDA, psnr-hvs", SOURCE_CUDA, DEPTH_8 "metrics=psnr-hvs" CUDA},
  {"CUDA, hevc-quadtree", SOURCE_CUDA,
      DEPTH_8 "transform=hevc-quadtree" CUDA},
  {"CUDA, bits, hevc-quadtree", SOURCE_CUDA,
      DEPTH_8 "metrics=bits transform=hevc-quadtree" CUDA},
  {"CUDA, A and B", SOURCE_CUDA, PREVIEW ("8", "") CUDA},
  {"CUDA, A and B, depth 2", SOURCE_CUDA, PREVIEW ("2", "") CUDA},
  {"system, A and B", SOURCE_POOL, PREVIEW ("8", "a::backend=cuda "
            "b::backend=cuda compare::backend=cuda") SYSTEM},
  {"CUDA, compare, zoom", SOURCE_CUDA, COMPARE "view=wipe zoom=8" CUDA},
  {"CUDA, xpsnr", SOURCE_CUDA, DEPTH_8 "metrics=xpsnr" CUDA},
  {"CUDA, compare, single", SOURCE_CUDA, COMPARE "view=single" CUDA},
  {"CUDA, compare, no messages", SOURCE_CUDA,
      COMPARE "view=single post-messages=false" CUDA},
  {"CUDA, compare, wipe", SOURCE_CUDA, COMPARE "view=wipe" CUDA},
  {"CUDA, compare, difference", SOURCE_CUDA, COMPARE "view=difference" CUDA},
  {"CUDA, compare, ssim", SOURCE_CUDA, COMPARE "view=single metrics=ssim" CUDA},
  {"system, compare, wipe", SOURCE_POOL,
      COMPARE "view=wipe backend=cuda" SYSTEM},
  {"compare, single, CPU", SOURCE_OWN, COMPARE "view=single backend=cpu"},
  {"compare, ssim, CPU", SOURCE_OWN,
      COMPARE "view=single backend=cpu metrics=ssim"},
  {"CUDA, curve of 100", SOURCE_CUDA, DEPTH_8 "curve=<all>" CUDA},
  {"CUDA, target-psnr", SOURCE_CUDA, DEPTH_8 "target-psnr=40" CUDA},
};

static const Picture pictures[] = {
  {"NV12", 3840, 2160}, {"NV12", 1920, 1080}, {"NV12", 1280, 720},
  {"NV12", 7680, 4320}, {"P010_10LE", 1280, 720}, {"P010_10LE", 1920, 1080},
  {"P010_10LE", 3840, 2160}, {"P010_10LE", 7680, 4320}, {"BGRx", 3840, 2160},
};

static gboolean quick, depths;
static gint n_devices;
static gdouble seconds = 0.3;
static gchar *only, *json_path;
static GString *json;
static gint n_failed;

static const GOptionEntry options[] = {
  {"quick", 0, 0, G_OPTION_ARG_NONE, &quick, "1080p and 4K NV12", NULL},
  {"only", 0, 0, G_OPTION_ARG_STRING, &only, "rows with this text", "TEXT"},
  {"seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "of a measurement", "S"},
  {"depths", 0, 0, G_OPTION_ARG_NONE, &depths, "rate and latency", NULL},
  {"devices", 0, 0, G_OPTION_ARG_INT, &n_devices, "at once", "N"},
  {"json", 0, 0, G_OPTION_ARG_FILENAME, &json_path, "write figures", "FILE"},
  {.long_name = NULL}
};

static gchar *
picture_name (const Picture * picture)
{
  return g_strdup_printf ("%s %dx%d", picture->format, picture->width,
      picture->height);
}

static gboolean
wanted (const gchar * name, const gchar * picture)
{
  return only == NULL || strcasestr (name, only) != NULL
      || strcasestr (picture, only) != NULL;
}

/* A record of the JSON file, with values as in JSON. */
static void
G_GNUC_PRINTF (4, 5)
add_record (const gchar * kind, const gchar * name, const gchar * picture,
    const gchar * values, ...)
{
  va_list args;

  g_string_append_printf (json, "%s\n  {\"kind\": \"%s\", \"name\": \"%s\", "
      "\"picture\": \"%s\", ", json->len > 0 ? "," : "", kind, name, picture);
  va_start (args, values);
  g_string_append_vprintf (json, values, args);
  va_end (args);
  g_string_append_c (json, '}');
}

static void
print_header (void)
{
  printf ("%-30s %9s %9s %9s %9s %9s %4s %8s %8s\n", "", "frames/s",
      "us/frame", "CPU us", "latency", "max us", "held", "host kB", "GPU kB");
}

static void
print_result (const gchar * kind, const gchar * name, const gchar * picture,
    const Result * r)
{
  printf ("%-30s %9.0f %9.1f %9.1f %9.0f %9.0f %4d %8.0f %8.0f\n", name,
      r->fps, 1e6 / r->fps, r->cpu_us, r->latency_us, r->latency_max_us,
      r->in_flight, r->host_growth / 1024.0, r->device_growth / 1024.0);
  fflush (stdout);
  add_record (kind, name, picture, "\"fps\": %.6g, \"us\": %.6g, \"cpu_us\": "
      "%.6g, \"latency_us\": %.6g, \"latency_max_us\": %.6g, \"in_flight\": "
      "%d, \"host_growth\": %" G_GINT64_FORMAT ", \"device_growth\": %"
      G_GINT64_FORMAT ", \"frames\": %" G_GUINT64_FORMAT ", \"messages\": %"
      G_GUINT64_FORMAT, r->fps, 1e6 / r->fps, r->cpu_us, r->latency_us,
      r->latency_max_us, r->in_flight, r->host_growth, r->device_growth,
      r->frames, r->messages);
}

static int
compare_fps (const void *a, const void *b)
{
  gdouble d = ((const Result *) a)->fps - ((const Result *) b)->fps;

  return d < 0 ? -1 : d > 0;
}

static Result
median (Result * results, guint n)
{
  qsort (results, n, sizeof *results, compare_fps);
  return results[n / 2];
}

/* Run pipelines at once. Returns the frames a second of all; the result is the
 * first one's. */
static Result
run_all (const Run * runs, guint n)
{
  Result *results = g_new0 (Result, n), sum;

  n_failed += !bench_run (runs, results, n);
  sum = results[0];
  for (guint i = 1; i < n; i++)
    sum.fps += results[i].fps;
  g_free (results);
  return sum;
}

/* Whether a row takes so long that it has one round, and only two pictures. */
static gboolean
is_slow (const Row * row)
{
  static const gchar *const slow[] = { "jpegenc", "backend=cpu", "curve=",
    "target-"
  };

  for (guint i = 0; i < G_N_ELEMENTS (slow); i++)
    if (strstr (row->middle, slow[i]) != NULL)
      return TRUE;
  return FALSE;
}

/* Whether there are the devices and the first element that a row needs. */
static gboolean
row_applies (const Row * row, const Picture * picture)
{
  gchar *first = g_strndup (row->middle, strcspn (row->middle, " "));
  GstElementFactory *factory = gst_element_factory_find (first);
  const gboolean found = factory != NULL;

  g_clear_pointer (&factory, gst_object_unref);
  g_free (first);
  return found && (limit_devices () > 0 || (row->source != SOURCE_CUDA
          && strcasestr (row->middle, "cuda") == NULL))
      && (!is_slow (row) || (picture->height >= 1080 && picture->height <= 2160
          && strcmp (picture->format, "NV12") == 0));
}

/* Run all rows of a picture alternately, several times. */
static void
run_picture (const Picture * picture)
{
  Result results[G_N_ELEMENTS (rows) + N_LIMITS][ROUNDS] = { 0 };
  gchar *name = picture_name (picture);
  GstVideoInfo info;
  gboolean any = FALSE;

  gst_video_info_set_format (&info,
      gst_video_format_from_string (picture->format), picture->width,
      picture->height);
  for (guint round = 0; round < ROUNDS; round++) {
    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
      Run run = { rows[i].source, rows[i].middle, *picture, 0, 0, seconds };

      if (!row_applies (&rows[i], picture) || !wanted (rows[i].name, name)
          || (is_slow (&rows[i]) && round > 0))
        continue;
      any = TRUE;
      results[i][round] = run_all (&run, 1);
    }
    for (guint i = 0; i < N_LIMITS && limit_devices () > 0; i++)
      if (any || wanted (limit_names[i], name))
        results[G_N_ELEMENTS (rows) + i][round].fps =
            limit_measure (i, info.size, seconds / 3);
  }
  if (any) {
    printf ("\n%s, %.2f MB\n", name, info.size / 1e6);
    print_header ();
  }
  for (guint i = 0; i < G_N_ELEMENTS (rows) + N_LIMITS && any; i++) {
    const guint limit = i - G_N_ELEMENTS (rows);
    const Result r = median (results[i], i < G_N_ELEMENTS (rows)
        && is_slow (&rows[i]) ? 1 : ROUNDS);

    if (r.fps == 0)
      continue;
    if (i < G_N_ELEMENTS (rows)) {
      print_result ("row", rows[i].name, name, &r);
      continue;
    }
    printf ("%-30s %9.0f %9.1f  %.1f GB/s\n", limit_names[limit], r.fps,
        1e6 / r.fps, r.fps * info.size / 1e9);
    add_record ("limit", limit_names[limit], name,
        "\"fps\": %.6g, \"us\": %.6g", r.fps, 1e6 / r.fps);
  }
  fflush (stdout);
  g_free (name);
}

/* Measure the depth's gain in rate, and its latency in a live stream. */
static void
run_depths (void)
{
  static const gint all[] = { 1, 2, 3, 4, 8 };
  static const struct
  {
    const gchar *name, *after;
    SourceKind source;
    Picture picture;
  } ways[] = {
    {"system, our pool", SYSTEM, SOURCE_POOL, {"NV12", 3840, 2160}},
    {"system, own memory", SYSTEM, SOURCE_OWN, {"NV12", 3840, 2160}},
    {"CUDA", CUDA, SOURCE_CUDA, {"NV12", 3840, 2160}},
  };

  for (guint w = 0; w < G_N_ELEMENTS (ways); w++) {
    gchar *picture = picture_name (&ways[w].picture);
    const guint n = wanted (ways[w].name, picture) ? 2 * G_N_ELEMENTS (all) : 0;

    if (n > 0)
      printf ("\nasync-depth, %s, %s\n", ways[w].name, picture);
    if (n > 0)
      print_header ();
    for (guint i = 0; i < n; i++) {
      const gint depth = all[i % G_N_ELEMENTS (all)];
      const gint fps = i < G_N_ELEMENTS (all) ? 0 : 60;
      gchar *middle = g_strdup_printf ("blockdct backend=cuda async-depth=%d%s",
          depth, ways[w].after);
      gchar *name = g_strdup_printf ("%s, depth %d%s", ways[w].name, depth,
          fps > 0 ? ", 60/s" : "");
      Run run = { ways[w].source, middle, ways[w].picture, 0, fps, seconds };
      const Result result = run_all (&run, 1);

      if (result.fps > 0)
        print_result ("depth", name, picture, &result);
      g_free (middle);
      g_free (name);
    }
    g_free (picture);
  }
}

/* Run one pipeline a device at once, in this process. */
static void
run_devices (void)
{
  static const Row ways[] = {
    {"system, our pool", SOURCE_POOL, DEPTH_4 " cuda-device-id=%d" SYSTEM},
    {"system, own memory", SOURCE_OWN, DEPTH_4 " cuda-device-id=%d" SYSTEM},
    {"CUDA", SOURCE_CUDA, DEPTH_8 "cuda-device-id=%d" CUDA},
    {"CUDA, no messages", SOURCE_CUDA,
        DEPTH_8 "post-messages=false cuda-device-id=%d" CUDA},
  };
  const gint most = MIN (n_devices, limit_devices ());
  Run *runs = g_new0 (Run, most);

  printf ("\nNV12 3840x2160, a pipeline on each device\n%-30s %9s %9s %9s\n",
      "", "devices", "frames/s", "times one");
  for (guint w = 0; w < G_N_ELEMENTS (ways); w++) {
    gdouble one = 0;

    for (gint i = 0; i < most; i++) {
      gchar **parts = g_strsplit (ways[w].middle, "%d", 2);

      runs[i] = (Run) {
      ways[w].source, g_strdup_printf ("%s%d%s", parts[0], i, parts[1]),
            pictures[0], i, 0, 2 * seconds};
      g_strfreev (parts);
    }
    for (gint n = 1; n <= most && wanted (ways[w].name, "NV12 3840x2160");
        n *= 2) {
      Result results[ROUNDS];
      gdouble fps;

      for (guint round = 0; round < ROUNDS; round++)
        results[round] = run_all (runs, n);
      fps = median (results, ROUNDS).fps;
      one = n == 1 ? fps : one;
      printf ("%-30s %9d %9.0f %9.2f\n", ways[w].name, n, fps, fps / one);
      fflush (stdout);
      add_record ("devices", ways[w].name, "NV12 3840x2160", "\"devices\": %d, "
          "\"fps\": %.6g, \"times\": %.6g", n, fps, fps / one);
    }
    for (gint i = 0; i < most; i++)
      g_free ((gchar *) runs[i].middle);
  }
  g_free (runs);
}

static int
fail (const gchar * message)
{
  fprintf (stderr, "%s\n", message);
  return 2;
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;

  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc > 1)
    return fail (error != NULL ? error->message : "no such argument");
  g_option_context_free (context);
  if (!gst_registry_check_feature_version (gst_registry_get (), "blockdct", 0,
          0, 0))
    return fail ("no element blockdct: set GST_PLUGIN_PATH_1_0 to the folder "
        "of libgstblockdct.so");
  json = g_string_new (NULL);
  printf ("%s, %s, %u processors\n", limit_device_name (),
      gst_version_string (), g_get_num_processors ());
  limit_free_memory (0);
  if (depths && limit_devices () > 0)
    run_depths ();
  if (n_devices > 0)
    run_devices ();
  for (guint i = 0; i < G_N_ELEMENTS (pictures) && !depths && n_devices == 0;
      i++)
    if (!quick || i < 2)
      run_picture (&pictures[i]);
  g_string_prepend_c (json, '[');
  g_string_append (json, "\n]\n");
  if (json_path != NULL
      && !g_file_set_contents (json_path, json->str, -1, &error))
    return fail (error->message);
  g_string_free (json, TRUE);
  printf ("%d failed\n", n_failed);
  return n_failed > 0;
}
