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
 *   pipeline --steady=N      N frames each; growth of host and device memory
 *   pipeline --devices=N     a pipeline on each of 1, 2, 4 ... N devices
 *   pipeline --json=FILE     the figures, for programs
 *
 * blockdct is found like every element, in GST_PLUGIN_PATH_1_0. Without a GPU
 * only the rows that need none are run. */
#include "pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUDA "capsfilter caps=\"video/x-raw(memory:CUDAMemory)\""
#define SYSTEM "capsfilter caps=video/x-raw"
#define ROUNDS 3

/* Compares each frame with itself, with these properties. */
#define COMPARE(properties) "tee name=t ! queue ! c.ref_sink " \
    "t. ! queue ! c.dist_sink blockdctcompare name=c " properties

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
  gboolean cuda;                /* needs a device */
  gboolean slow;                /* one round, and not of every picture */
  const gchar *element;         /* needs this element; or NULL */
} Row;

static const Row rows[] = {
  {"identity", SOURCE_OWN, "identity", FALSE, FALSE, NULL},
  {"jpegenc ! jpegdec", SOURCE_OWN, "jpegenc ! jpegdec", FALSE, TRUE,
      "jpegenc"},
  {"blockdct, CPU", SOURCE_OWN, "blockdct backend=cpu async-depth=2", FALSE,
      TRUE, NULL},
  {"cudaupload ! cudadownload", SOURCE_OWN,
      "cudaupload ! " CUDA " ! cudadownload ! " SYSTEM, TRUE,
      FALSE, "cudaupload"},
  {"system, source's own memory", SOURCE_OWN,
      "blockdct backend=cuda async-depth=4 ! " SYSTEM, TRUE, FALSE, NULL},
  {"system, source takes our pool", SOURCE_POOL,
      "blockdct backend=cuda async-depth=4 ! " SYSTEM, TRUE, FALSE, NULL},
  {"system to CUDA", SOURCE_POOL, "blockdct backend=cuda async-depth=4 ! " CUDA,
      TRUE, FALSE, NULL},
  {"CUDA to system", SOURCE_CUDA, "blockdct async-depth=4 ! " SYSTEM, TRUE,
      FALSE, NULL},
  {"CUDA, depth 1", SOURCE_CUDA, "blockdct ! " CUDA, TRUE, FALSE, NULL},
  {"CUDA", SOURCE_CUDA, "blockdct async-depth=8 ! " CUDA, TRUE, FALSE, NULL},
  {"CUDA, no messages", SOURCE_CUDA,
      "blockdct async-depth=8 post-messages=false ! " CUDA, TRUE, FALSE, NULL},
  {"CUDA, bits", SOURCE_CUDA, "blockdct async-depth=8 metrics=bits ! " CUDA,
      TRUE, FALSE, NULL},
  {"CUDA, bits, hevc-4x4", SOURCE_CUDA,
      "blockdct async-depth=8 metrics=bits transform=hevc-4x4 ! " CUDA, TRUE,
      FALSE, NULL},
  {"CUDA, bits, hevc-16x16", SOURCE_CUDA,
      "blockdct async-depth=8 metrics=bits transform=hevc-16x16 ! " CUDA, TRUE,
      FALSE, NULL},
  {"CUDA, ssim", SOURCE_CUDA, "blockdct async-depth=8 metrics=ssim ! " CUDA,
      TRUE, FALSE, NULL},
  {"CUDA, ms-ssim", SOURCE_CUDA,
      "blockdct async-depth=8 metrics=ms-ssim ! " CUDA, TRUE, FALSE, NULL},
  {"CUDA, psnr-hvs", SOURCE_CUDA,
      "blockdct async-depth=8 metrics=psnr-hvs ! " CUDA, TRUE, FALSE, NULL},
  {"CUDA, hevc-quadtree", SOURCE_CUDA,
        "blockdct async-depth=8 transform=hevc-quadtree ! " CUDA, TRUE, FALSE,
      NULL},
  {"CUDA, bits, hevc-quadtree", SOURCE_CUDA,
        "blockdct async-depth=8 metrics=bits transform=hevc-quadtree ! " CUDA,
      TRUE, FALSE, NULL},
  {"CUDA, A and B", SOURCE_CUDA, PREVIEW ("8", "") " ! " CUDA, TRUE, FALSE,
      NULL},
  {"CUDA, A and B, depth 2", SOURCE_CUDA, PREVIEW ("2", "") " ! " CUDA, TRUE,
      FALSE, NULL},
  {"system, A and B", SOURCE_POOL, PREVIEW ("8", "a::backend=cuda "
            "b::backend=cuda compare::backend=cuda") " ! " SYSTEM, TRUE,
      FALSE, NULL},
  {"CUDA, compare, zoom", SOURCE_CUDA, COMPARE ("view=wipe zoom=8") " ! " CUDA,
      TRUE, FALSE, NULL},
  {"CUDA, xpsnr", SOURCE_CUDA,
      "blockdct async-depth=8 metrics=xpsnr ! " CUDA, TRUE, FALSE, NULL},
  {"CUDA, compare, single", SOURCE_CUDA, COMPARE ("view=single") " ! " CUDA,
      TRUE, FALSE, NULL},
  {"CUDA, compare, no messages", SOURCE_CUDA,
        COMPARE ("view=single post-messages=false") " ! " CUDA, TRUE, FALSE,
      NULL},
  {"CUDA, compare, wipe", SOURCE_CUDA, COMPARE ("view=wipe") " ! " CUDA, TRUE,
      FALSE, NULL},
  {"CUDA, compare, difference", SOURCE_CUDA,
      COMPARE ("view=difference") " ! " CUDA, TRUE, FALSE, NULL},
  {"CUDA, compare, ssim", SOURCE_CUDA,
      COMPARE ("view=single metrics=ssim") " ! " CUDA, TRUE, FALSE, NULL},
  {"system, compare, wipe", SOURCE_POOL,
        COMPARE ("view=wipe backend=cuda") " ! " SYSTEM, TRUE, FALSE, NULL},
  {"compare, single, CPU", SOURCE_OWN, COMPARE ("view=single backend=cpu"),
      FALSE, TRUE, NULL},
  {"compare, ssim, CPU", SOURCE_OWN,
        COMPARE ("view=single backend=cpu metrics=ssim"), FALSE, TRUE, NULL},
  {"CUDA, curve of 100", SOURCE_CUDA,
      "blockdct async-depth=8 curve=<all> ! " CUDA, TRUE, TRUE, NULL},
  {"CUDA, target-psnr", SOURCE_CUDA,
      "blockdct async-depth=8 target-psnr=40 ! " CUDA, TRUE, TRUE, NULL},
};

static const Picture pictures[] = {
  {"NV12", 3840, 2160}, {"NV12", 1920, 1080}, {"NV12", 1280, 720},
  {"NV12", 7680, 4320}, {"P010_10LE", 1280, 720}, {"P010_10LE", 1920, 1080},
  {"P010_10LE", 3840, 2160}, {"P010_10LE", 7680, 4320}, {"BGRx", 3840, 2160},
};

static gboolean quick, depths;
static gint n_devices;
static gint64 steady;
static gdouble seconds = 0.3;
static gchar *only, *json_path;
static FILE *json;
static gint n_failed, n_records;

static const GOptionEntry options[] = {
  {"quick", 0, 0, G_OPTION_ARG_NONE, &quick, "1080p and 4K NV12", NULL},
  {"only", 0, 0, G_OPTION_ARG_STRING, &only, "rows with this text", "TEXT"},
  {"seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "of a measurement", "S"},
  {"depths", 0, 0, G_OPTION_ARG_NONE, &depths, "rate and latency", NULL},
  {"steady", 0, 0, G_OPTION_ARG_INT64, &steady, "frames, and growth", "N"},
  {"devices", 0, 0, G_OPTION_ARG_INT, &n_devices, "at once", "N"},
  {"json", 0, 0, G_OPTION_ARG_FILENAME, &json_path, "write figures", "FILE"},
  {.long_name = NULL}
};

static gsize
picture_size (const Picture * picture)
{
  GstCaps *caps = picture_caps (picture, FALSE, 0);
  GstVideoInfo info;

  gst_video_info_from_caps (&info, caps);
  gst_caps_unref (caps);
  return info.size;
}

static gchar *
picture_name (const Picture * picture)
{
  return g_strdup_printf ("%s %dx%d", picture->format, picture->width,
      picture->height);
}

static gboolean
have_element (const gchar * name)
{
  GstElementFactory *factory = gst_element_factory_find (name);

  if (factory != NULL)
    gst_object_unref (factory);
  return factory != NULL;
}

static gboolean
has_text (const gchar * name, const gchar * text)
{
  gchar *a = g_ascii_strdown (name, -1), *b = g_ascii_strdown (text, -1);
  const gboolean has = strstr (a, b) != NULL;

  g_free (a);
  g_free (b);
  return has;
}

static gboolean
wanted (const gchar * name, const gchar * picture)
{
  return only == NULL || has_text (name, only) || has_text (picture, only);
}

static int
compare_fps (const void *a, const void *b)
{
  gdouble d = ((const Result *) a)->fps - ((const Result *) b)->fps;

  return d < 0 ? -1 : d > 0;
}

/* A record of the JSON file; values follow. */
static void
begin_record (const gchar * kind, const gchar * name, const gchar * picture)
{
  if (json != NULL)
    fprintf (json, "%s\n  {\"kind\": \"%s\", \"name\": \"%s\", "
        "\"picture\": \"%s\"", n_records++ > 0 ? "," : "", kind, name, picture);
}

static void
add_value (const gchar * key, gdouble value)
{
  if (json != NULL)
    fprintf (json, ", \"%s\": %.6g", key, value);
}

static void
end_record (void)
{
  if (json != NULL) {
    fputc ('}', json);
    fflush (json);
  }
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
  begin_record (kind, name, picture);
  add_value ("fps", r->fps);
  add_value ("us", 1e6 / r->fps);
  add_value ("cpu_us", r->cpu_us);
  add_value ("latency_us", r->latency_us);
  add_value ("latency_max_us", r->latency_max_us);
  add_value ("in_flight", r->in_flight);
  add_value ("host_growth", r->host_growth);
  add_value ("device_growth", r->device_growth);
  add_value ("frames", r->frames);
  add_value ("messages", r->messages);
  end_record ();
}

/* Print the ratios to the limits, and to cudaupload ! cudadownload. */
static void
print_ratios (const Result * median, const gdouble * limit)
{
  gdouble reference = 0, own = 0, pool = 0;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (strcmp (rows[i].name, "cudaupload ! cudadownload") == 0)
      reference = median[i].fps;
    if (strcmp (rows[i].name, "system, source's own memory") == 0)
      own = median[i].fps;
    if (strcmp (rows[i].name, "system, source takes our pool") == 0)
      pool = median[i].fps;
  }
  if (pool == 0 || own == 0)
    return;
  if (limit[LIMIT_DUPLEX] > 0)
    printf ("our pool: %.0f%% of the duplex copy", 100 * pool
        / limit[LIMIT_DUPLEX]);
  if (reference > 0)
    printf (", %.1f times cudaupload ! cudadownload", pool / reference);
  if (limit[LIMIT_MEMCPY] > 0)
    printf ("; own memory: %.0f%% of memcpy by one thread, %.0f%% by the "
        "engine's", 100 * own / limit[LIMIT_MEMCPY],
        100 * own / limit[LIMIT_MEMCPY_THREADS]);
  printf ("\n");
}

static gboolean
row_applies (const Row * row, const Picture * picture)
{
  return (!row->cuda || limit_devices () > 0)
      && (row->element == NULL || have_element (row->element))
      && (!row->slow || (picture->height >= 1080 && picture->height <= 2160
          && strcmp (picture->format, "NV12") == 0));
}

/* Run all rows of a picture alternately, several times. */
static void
run_picture (const Picture * picture)
{
  Result results[G_N_ELEMENTS (rows)][ROUNDS] = { 0 };
  Result median[G_N_ELEMENTS (rows)] = { 0 };
  gdouble limit[N_LIMITS][ROUNDS] = { 0 }, limit_median[N_LIMITS] = { 0 };
  gchar *name = picture_name (picture);
  gsize size = picture_size (picture);
  gboolean any = FALSE;

  for (guint round = 0; round < ROUNDS; round++) {
    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
      Run run = { rows[i].source, rows[i].middle, *picture, 0, 0, seconds, 0 };

      if (!row_applies (&rows[i], picture) || !wanted (rows[i].name, name)
          || (rows[i].slow && round > 0))
        continue;
      any = TRUE;
      if (!bench_run (&run, &results[i][round], 1))
        n_failed++;
    }
    for (guint i = 0; i < N_LIMITS && limit_devices () > 0; i++)
      if (wanted (limit_names[i], name) || any)
        limit[i][round] = limit_measure (i, 0, size, seconds / 3);
  }
  if (!any) {
    g_free (name);
    return;
  }
  printf ("\n%s, %.2f MB\n", name, size / 1e6);
  print_header ();
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    guint n = rows[i].slow ? 1 : ROUNDS;

    qsort (results[i], n, sizeof results[i][0], compare_fps);
    median[i] = results[i][n / 2];
    if (median[i].fps > 0)
      print_result ("row", rows[i].name, name, &median[i]);
  }
  for (guint i = 0; i < N_LIMITS; i++) {
    Result r[ROUNDS];

    for (guint round = 0; round < ROUNDS; round++)
      r[round].fps = limit[i][round];
    qsort (r, ROUNDS, sizeof r[0], compare_fps);
    limit_median[i] = r[ROUNDS / 2].fps;
    if (limit_median[i] <= 0)
      continue;
    printf ("%-30s %9.0f %9.1f  %.1f GB/s\n", limit_names[i], limit_median[i],
        1e6 / limit_median[i], limit_median[i] * size / 1e9);
    begin_record ("limit", limit_names[i], name);
    add_value ("fps", limit_median[i]);
    add_value ("us", 1e6 / limit_median[i]);
    end_record ();
  }
  print_ratios (median, limit_median);
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
    {"CUDA", CUDA, SOURCE_CUDA, {"NV12", 1920, 1080}},
    {"system, our pool", SYSTEM, SOURCE_POOL, {"NV12", 1920, 1080}},
  };

  if (limit_devices () == 0)
    return;
  for (guint w = 0; w < G_N_ELEMENTS (ways); w++) {
    gchar *picture = picture_name (&ways[w].picture);

    if (!wanted (ways[w].name, picture)) {
      g_free (picture);
      continue;
    }
    printf ("\nasync-depth, %s, %s\n", ways[w].name, picture);
    print_header ();
    for (gint live = 0; live < 2; live++)
      for (guint i = 0; i < G_N_ELEMENTS (all); i++) {
        gchar *middle = g_strdup_printf ("blockdct backend=cuda async-depth=%d "
            "! %s", all[i], ways[w].after);
        gchar *name = g_strdup_printf ("%s, depth %d%s", ways[w].name, all[i],
            live ? ", 60/s" : "");
        Run run = { ways[w].source, middle, ways[w].picture, 0,
          live ? 60 : 0, seconds, 0
        };
        Result result;

        if (bench_run (&run, &result, 1))
          print_result ("depth", name, picture, &result);
        else
          n_failed++;
        fflush (stdout);
        g_free (middle);
        g_free (name);
      }
    g_free (picture);
  }
}

static void
run_steady (void)
{
  static const Run runs[] = {
    {SOURCE_CUDA, "blockdct async-depth=8 ! " CUDA, {"NV12", 1920, 1080}, 0, 0,
        0, 0},
    {SOURCE_POOL, "blockdct backend=cuda async-depth=4 ! " SYSTEM,
        {"NV12", 1280, 720}, 0, 0, 0, 0},
    {SOURCE_OWN, "blockdct backend=cuda async-depth=4 ! " SYSTEM,
        {"NV12", 1280, 720}, 0, 0, 0, 0},
  };

  printf ("\n%" G_GINT64_FORMAT " frames; growth over the second half\n",
      steady);
  print_header ();
  for (guint i = 0; i < G_N_ELEMENTS (runs) && limit_devices () > 0; i++) {
    static const gchar *names[] = { "CUDA", "system, our pool",
      "system, own memory"
    };
    gchar *picture = picture_name (&runs[i].picture);
    Run run = runs[i];
    Result result;

    run.frames = steady;
    if (bench_run (&run, &result, 1))
      print_result ("steady", names[i], picture, &result);
    else
      n_failed++;
    fflush (stdout);
    g_free (picture);
  }
}

/* Run one pipeline a device at once, in this process. */
static void
run_devices (void)
{
  static const struct
  {
    const gchar *name, *middle;
    SourceKind source;
  } ways[] = {
    {"system, our pool", "blockdct backend=cuda async-depth=4 "
          "cuda-device-id=%d ! " SYSTEM, SOURCE_POOL},
    {"system, own memory", "blockdct backend=cuda async-depth=4 "
          "cuda-device-id=%d ! " SYSTEM, SOURCE_OWN},
    {"CUDA", "blockdct async-depth=8 cuda-device-id=%d ! " CUDA, SOURCE_CUDA},
    {"CUDA, no messages", "blockdct async-depth=8 post-messages=false "
          "cuda-device-id=%d ! " CUDA, SOURCE_CUDA},
  };
  gint most = MIN (n_devices, limit_devices ());

  printf ("\nNV12 3840x2160, a pipeline on each device\n%-30s %9s %9s %9s\n",
      "", "devices", "frames/s", "times one");
  for (guint w = 0; w < G_N_ELEMENTS (ways); w++) {
    gdouble one = 0;

    if (!wanted (ways[w].name, "NV12 3840x2160"))
      continue;
    for (gint n = 1; n <= most; n *= 2) {
      gdouble sums[ROUNDS];

      for (guint round = 0; round < ROUNDS; round++) {
        Run *runs = g_new0 (Run, n);
        Result *results = g_new0 (Result, n);

        for (gint i = 0; i < n; i++) {
          runs[i] = (Run) {
          ways[w].source, g_strdup_printf (ways[w].middle, i), {
          "NV12", 3840, 2160}, i, 0, 2 * seconds, 0};
        }
        if (!bench_run (runs, results, n))
          n_failed++;
        sums[round] = 0;
        for (gint i = 0; i < n; i++) {
          sums[round] += results[i].fps;
          g_free ((gchar *) runs[i].middle);
        }
        g_free (runs);
        g_free (results);
      }
      /* The middle one of three. */
      sums[0] = MAX (MIN (sums[0], sums[1]), MIN (MAX (sums[0], sums[1]),
              sums[2]));
      one = n == 1 ? sums[0] : one;
      printf ("%-30s %9d %9.0f %9.2f\n", ways[w].name, n, sums[0],
          sums[0] / one);
      begin_record ("devices", ways[w].name, "NV12 3840x2160");
      add_value ("devices", n);
      add_value ("fps", sums[0]);
      add_value ("times", sums[0] / one);
      end_record ();
      fflush (stdout);
    }
  }
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;

  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc > 1) {
    fprintf (stderr, "%s\n", error != NULL ? error->message
        : "no such argument");
    return 2;
  }
  g_option_context_free (context);
  if (!have_element ("blockdct")) {
    fprintf (stderr, "no element blockdct: set GST_PLUGIN_PATH_1_0 to the "
        "folder of libgstblockdct.so\n");
    return 2;
  }
  if (json_path != NULL && (json = fopen (json_path, "w")) == NULL) {
    perror (json_path);
    return 2;
  }
  if (json != NULL)
    fputc ('[', json);
  printf ("%s, %s, %u processors\n", limit_device_name (0),
      gst_version_string (), g_get_num_processors ());
  limit_free_memory (0);
  if (depths)
    run_depths ();
  if (steady > 0)
    run_steady ();
  if (n_devices > 0)
    run_devices ();
  for (guint i = 0; i < G_N_ELEMENTS (pictures) && !depths && steady == 0
      && n_devices == 0; i++)
    if (!quick || i < 2)
      run_picture (&pictures[i]);
  if (json != NULL) {
    fputs ("\n]\n", json);
    fclose (json);
  }
  printf ("%d failed\n", n_failed);
  return n_failed > 0;
}
