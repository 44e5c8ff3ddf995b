/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Every function of libblockdct with NULL for each pointer that must not be
 * NULL, and with values outside each enumeration: an error with text, false, 0,
 * NULL or "", or nothing done, and no crash. (That each function is here, sees
 * tests/ci/exports.) */
#include <blockdct/blockdct.h>
#include <glib.h>
#include <math.h>
#include <string.h>

#define WIDTH 64
#define HEIGHT 48

static BdctError error;

static void
check (const gchar *call, gboolean refused, const gchar *text)
{
  if (!refused)
    g_test_fail_printf ("%s succeeds", call);
  else if (text != NULL && strstr (error.message, text) == NULL)
    g_test_fail_printf ("%s: \"%s\" does not say '%s'", call, error.message,
        text);
  memset (&error, 0, sizeof error);
}

/* It returns 0, NULL or false, and the error has a text. */
#define SAYS(text, call) check (#call, (call) == 0, text)
#define REFUSES(call) check (#call, (call) == 0, NULL)

static BdctLayout
make_layout (void)
{
  BdctLayout layout;

  bdct_layout_init (&layout, BDCT_CHROMA_420, 8, 0, 3, WIDTH, HEIGHT);
  return layout;
}

static void
test_pictures (void)
{
  const BdctRgb rgb = { 1, 3, { 0, 0, 0 }, { 0, 1, 2 } };
  BdctLayout layout = make_layout (), bad = layout;

  bdct_layout_init (NULL, BDCT_CHROMA_420, 8, 0, 3, 8, 8);
  bdct_layout_init_rgb (NULL, &rgb, 8, 8, BDCT_CHROMA_444);
  bdct_layout_init_rgb (&bad, NULL, 8, 8, BDCT_CHROMA_444);
  g_assert_cmpmem (&bad, sizeof bad, &layout, sizeof layout);
  bdct_layout_init (&bad, (BdctChromaFormat) 99, 8, 0, 3, 8, 8);
  SAYS ("chroma format of 99", bdct_metric_check (BDCT_METRIC_SSIM, &bad,
          &error));
  bdct_layout_init (&bad, (BdctChromaFormat) -1, 8, 0, 3, 8, 8);
  SAYS ("chroma format of -1", bdct_metric_check (BDCT_METRIC_SSIM, &bad,
          &error));
}

static void
test_statistics (void)
{
  BdctStats stats = { .size = sizeof stats, .metrics = ~0u };
  BdctLayout layout = make_layout ();
  BdctPool pool = { 0 };
  gdouble figure, share[BDCT_TREE_SIZES];

  bdct_pool_add (NULL, &stats, 8);
  bdct_pool_add (&pool, NULL, 8);
  g_assert_cmpuint (pool.frames, ==, 0);
  REFUSES (bdct_counters_sum (NULL).samples);
  REFUSES (bdct_mse (NULL));
  REFUSES (bdct_stats_shares (NULL, share));
  stats.area[0] = 1;
  REFUSES (bdct_stats_shares (&stats, NULL));
  REFUSES (bdct_metric_info ((BdctMetric) -1));
  REFUSES (bdct_metric_info (BDCT_N_METRICS));
  SAYS ("metric -1", bdct_metric_check ((BdctMetric) -1, &layout, &error));
  SAYS ("metric 99", bdct_metric_check ((BdctMetric) 99, &layout, &error));
  SAYS ("BdctLayout is NULL", bdct_metric_check (0, NULL, &error));
  REFUSES (bdct_metric_check (0, NULL, NULL));
  layout.n_planes = 99;
  SAYS ("99", bdct_metric_check (0, &layout, &error));
  layout.size--;
  SAYS ("BdctLayout", bdct_metric_check (0, &layout, &error));
  for (gint c = 0; c < BDCT_MAX_COMPONENTS; c++)
    stats.component[c].samples = 1;
  g_assert_true (bdct_metric_figure (&stats, 1, 8, 0, 0, &figure));
  REFUSES (bdct_metric_figure (NULL, 1, 8, 0, 0, &figure));
  REFUSES (bdct_metric_figure (&stats, 1, 8, 0, 0, NULL));
  REFUSES (bdct_metric_figure (&stats, 0, 8, BDCT_METRIC_XPSNR, 0, &figure));
  REFUSES (bdct_metric_figure (&stats, 1, 8, (BdctMetric) -1, 0, &figure));
  REFUSES (bdct_metric_figure (&stats, 1, 8, BDCT_N_METRICS, 0, &figure));
  REFUSES (bdct_metric_figure (&stats, 1, 8, 0, -1, &figure));
  REFUSES (bdct_metric_figure (&stats, 1, 8, 0, BDCT_METRIC_ALL + 1, &figure));
}

static void
test_transforms (void)
{
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctJobInfo info = { .size = sizeof info };
  BdctLayout layout = make_layout ();
  BdctJob *job = bdct_jobs_new (&params, 1, &layout, NULL);
  const gint steps[64] = { 1 };
  BdctImage image = { 0 };
  BdctScalingLists lists;
  BdctTables tables;
  uint64_t size;

  REFUSES (bdct_transform_info ((BdctTransform) -1));
  REFUSES (bdct_transform_info (BDCT_N_TRANSFORMS));
  REFUSES (bdct_preset_info ((BdctPreset) -1));
  REFUSES (bdct_preset_info (BDCT_N_PRESETS));
  SAYS ("data is NULL", bdct_tables_parse (NULL, 9, &tables, &error));
  SAYS ("BdctTables is NULL", bdct_tables_parse ("1", 1, NULL, &error));
  REFUSES (bdct_tables_parse (NULL, 0, NULL, NULL));
  SAYS ("data is NULL", bdct_scaling_parse (NULL, 9, &lists, &error));
  SAYS ("BdctScalingLists is NULL", bdct_scaling_parse ("1", 1, NULL, &error));
  REFUSES (bdct_scaling_parse (NULL, 0, NULL, NULL));
  SAYS ("steps is NULL", bdct_steps_check (NULL, 64, BDCT_JPEG_8X8, 8, true,
          &error));
  SAYS ("transform 99", bdct_steps_check (steps, 64, (BdctTransform) 99, 8,
          true, &error));
  SAYS ("transform -1", bdct_steps_check (steps, 64, (BdctTransform) -1, 8,
          true, &error));
  REFUSES (bdct_params_has_quality (NULL));
  params.transform = (BdctTransform) 99;
  REFUSES (bdct_params_has_quality (&params));
  SAYS ("BdctParams is NULL", bdct_jobs_new (NULL, 1, &layout, &error));
  SAYS ("BdctLayout is NULL", bdct_jobs_new (&params, 1, NULL, &error));
  SAYS ("0 jobs", bdct_jobs_new (&params, 0, &layout, &error));
  SAYS ("-1 jobs", bdct_jobs_new (&params, -1, &layout, &error));
  REFUSES (bdct_jobs_at (NULL, 3));
  REFUSES (bdct_jobs_at (job, -1));
  SAYS ("BdctJob is NULL", bdct_job_describe (NULL, &layout, &info, &error));
  SAYS ("BdctLayout is NULL", bdct_job_describe (job, NULL, &info, &error));
  SAYS ("BdctJobInfo is NULL", bdct_job_describe (job, &layout, NULL, &error));
  SAYS ("BdctLayout is NULL", bdct_jpeg_file_size (NULL, job, NULL, &size,
          &error));
  SAYS ("jobs", bdct_jpeg_file_size (&layout, NULL, NULL, &size, &error));
  SAYS ("size is NULL", bdct_jpeg_file_size (&layout, job, NULL, NULL,
          &error));
  SAYS ("no data", bdct_jpeg_file_size (&layout, job, &image, &size, &error));
  image.data[0] = &info;
  image.stride[0] = WIDTH;
  SAYS ("plane 1 of src", bdct_jpeg_file_size (&layout, job, &image, &size,
          &error));
  image.memory = (BdctMemory) 9;
  SAYS ("host memory", bdct_jpeg_file_size (&layout, job, &image, &size,
          &error));
  bdct_jobs_free (NULL);
  bdct_jobs_free (job);
}

/* Parameters with this change make no job. */
#define PARAMS(text, field, value)                                            \
  G_STMT_START {                                                              \
    BdctParams params = BDCT_PARAMS_DEFAULT;                                  \
    params.transform = BDCT_HEVC_8X8;                                         \
    params.field = value;                                                     \
    SAYS (text, bdct_jobs_new (&params, 1, &layout, &error));                 \
  } G_STMT_END

static void
test_parameters (void)
{
  static const gdouble deadzones[] = { 0.166, 0.334, -1, 0, NAN, INFINITY };
  const BdctParams initial = BDCT_PARAMS_DEFAULT;
  BdctLayout layout = make_layout ();
  BdctParams other;
  BdctJob *job;

  bdct_params_init (NULL);
  bdct_params_init (&other);
  g_assert_cmpmem (&other, sizeof other, &initial, sizeof initial);
  PARAMS ("transform -1 is outside 0 to ", transform, (BdctTransform) -1);
  PARAMS ("transform 11 is outside 0 to 10", transform, BDCT_N_TRANSFORMS);
  PARAMS ("quality 0 is outside 1 to 100", quality, 0);
  PARAMS ("quality 101 is outside 1 to 100", quality, 101);
  PARAMS ("table 99", preset, (BdctPreset) 99);
  PARAMS ("scaling-list 99", scaling_list, (BdctScalingList) 99);
  PARAMS ("qp -1 is outside 0 to 51", qp, -1);
  PARAMS ("qp 52 is outside 0 to 51", qp, 52);
  PARAMS ("chroma-qp-offset -13 is outside -12", chroma_qp_offset, -13);
  PARAMS ("chroma-qp-offset 13 is outside -12 to 12", chroma_qp_offset, 13);
  for (guint i = 0; i < G_N_ELEMENTS (deadzones); i++)
    PARAMS (" is outside 1/6 to 1/3", deadzone, deadzones[i]);
  /* A bad matrix is the business of the transforms that have one. */
  other.n_steps = 64;
  SAYS ("step 0 ", bdct_jobs_new (&other, 1, &layout, &error));
  other.transform = BDCT_HEVC_4X4;
  job = bdct_jobs_new (&other, 1, &layout, &error);
  g_assert_nonnull (job);
  bdct_jobs_free (job);
}

static void
test_views (void)
{
  BdctView view = BDCT_VIEW_DEFAULT;
  BdctLayout layout = make_layout ();
  gint x = 1, y = 1;
  BdctViewPlace place;
  BdctLegend legend;

  REFUSES (bdct_view_info ((BdctViewMode) -1));
  REFUSES (bdct_view_info (BDCT_N_VIEWS));
  bdct_view_colours (NULL, 8, 0.299, 0.114, true);
  REFUSES (bdct_view_source (NULL, &layout, &x, &y, NULL));
  REFUSES (bdct_view_source (&view, NULL, &x, &y, NULL));
  REFUSES (bdct_view_source (&view, &layout, NULL, &y, NULL));
  REFUSES (bdct_view_source (&view, &layout, &x, NULL, NULL));
  bdct_view_zoom_at (NULL, &layout, 2, 1, 1);
  bdct_view_zoom_at (&view, NULL, 2, 1, 1);
  g_assert_cmpfloat (view.zoom, ==, 1);
  bdct_view_pan (NULL, &layout, 1, 1);
  bdct_view_pan (&view, NULL, 1, 1);
  bdct_view_place (NULL, &layout, &place);
  bdct_view_place (&view, NULL, &place);
  bdct_view_place (&view, &layout, NULL);
  bdct_view_legend (NULL, &layout, &legend);
  bdct_view_legend (&view, NULL, &legend);
  bdct_view_legend (&view, &layout, NULL);
  bdct_layout_init (&layout, BDCT_CHROMA_420, 8, 0, 3, 640, 480);
  view.mode = BDCT_VIEW_ERROR_MAP;
  bdct_view_legend (&view, &layout, &legend);
  g_assert_cmpint (legend.width, >, 0);
  for (gint i = 0; i < 3; i++) {
    view.mode = (BdctViewMode) ((gint[]) { -1, BDCT_N_VIEWS, 1 << 20 })[i];
    bdct_view_legend (&view, &layout, &legend);
    g_assert_cmpint (legend.width, ==, 0);
    bdct_view_place (&view, &layout, &place);
    bdct_view_source (&view, &layout, &x, &y, NULL);
  }
}

static void
test_memory (void)
{
  guint8 byte = 0;

  for (gint i = 0; i < 3; i++) {
    const BdctBackend backend = ((gint[]) { BDCT_BACKEND_CPU, -1, 7 })[i];

    if (i > 0) {
      SAYS ("backend", bdct_backend_count_devices (backend, &error));
      SAYS ("backend", bdct_engine_new (backend, NULL, &error));
    }
    REFUSES (bdct_backend_is_lost (backend, NULL));
    REFUSES (bdct_memory_alloc (backend, NULL, BDCT_MEMORY_HOST, 1));
    REFUSES (bdct_memory_copy (backend, NULL, NULL, &byte, 1, true));
    REFUSES (bdct_memory_copy (backend, NULL, &byte, NULL, 1, true));
    bdct_memory_free (backend, NULL, BDCT_MEMORY_HOST, NULL);
    bdct_memory_free (backend, NULL, BDCT_MEMORY_HOST, &byte);
  }
  /* The CUDA backend looks at the kind first, with or without a GPU. */
  REFUSES (bdct_memory_alloc (BDCT_BACKEND_CUDA, NULL, (BdctMemory) 9, 1));
  bdct_memory_free (BDCT_BACKEND_CUDA, NULL, (BdctMemory) 9, &byte);
}

static void
test_engines (void)
{
  BdctComparison comparison = { .size = sizeof comparison, .n_distorted = 1 };
  const BdctParams params = BDCT_PARAMS_DEFAULT;
  static guint8 memory[WIDTH * HEIGHT];
  static BdctBlock blocks[BDCT_MAX_COMPONENTS];
  BdctLayout layout = make_layout ();
  BdctJob *job = bdct_jobs_new (&params, 1, &layout, NULL);
  const BdctImage image = { BDCT_MEMORY_HOST, { memory, memory, memory },
    { WIDTH, WIDTH, WIDTH }
  };
  BdctFrame frame = { .size = sizeof frame, .quantizers = job,
    .n_quantizers = 1, .src = image
  };
  BdctView view = BDCT_VIEW_DEFAULT;
  BdctEngine *engine = bdct_engine_new (BDCT_BACKEND_CPU, NULL, &error);
  BdctFrame bad = frame;

  g_assert_nonnull (engine);
  SAYS ("not configured", bdct_engine_reserve (engine, job, &error));
  SAYS ("BdctEngine is NULL", bdct_engine_configure (NULL, &layout, 1, &error));
  SAYS ("BdctLayout is NULL", bdct_engine_configure (engine, NULL, 1, &error));
  g_assert_true (bdct_engine_configure (engine, &layout, 1, &error));
  SAYS ("BdctEngine is NULL", bdct_engine_reserve (NULL, job, &error));
  SAYS ("BdctJob is NULL", bdct_engine_reserve (engine, NULL, &error));
  SAYS ("BdctEngine is NULL", bdct_engine_submit (NULL, &frame, &error));
  SAYS ("BdctFrame is NULL", bdct_engine_submit (engine, NULL, &error));
  SAYS ("BdctEngine is NULL", bdct_engine_compare (NULL, &comparison, &error));
  SAYS ("BdctComparison is NULL", bdct_engine_compare (engine, NULL, &error));
  SAYS ("BdctEngine is NULL", bdct_engine_collect (NULL, NULL, &error));
  bad.quantizers = NULL;
  SAYS ("quantizers", bdct_engine_submit (engine, &bad, &error));
  REFUSES (bdct_engine_submit (engine, &bad, NULL));
  bad = frame;
  bad.src.memory = (BdctMemory) 9;
  SAYS ("memory of src is 9", bdct_engine_submit (engine, &bad, &error));
  bad = frame;
  bad.levels = (int16_t *) memory;
  bad.levels_memory = (BdctMemory) 9;
  SAYS ("memory of levels is 9", bdct_engine_submit (engine, &bad, &error));
  bad = frame;
  bad.metrics = 1u << BDCT_N_METRICS;
  SAYS ("metrics", bdct_engine_submit (engine, &bad, &error));
  bad = frame;
  bad.dst = image;
  bad.view = &view;
  view.mode = (BdctViewMode) 99;
  SAYS ("99", bdct_engine_submit (engine, &bad, &error));
  SAYS ("reference", bdct_engine_compare (engine, &comparison, &error));
  comparison.reference.image = image;
  SAYS ("distorted", bdct_engine_compare (engine, &comparison, &error));
  comparison.distorted[0].image = image;
  comparison.metrics = 1u << 31;
  SAYS ("metrics", bdct_engine_compare (engine, &comparison, &error));
  comparison.metrics = 0;
  comparison.dst = image;
  comparison.view = &view;
  SAYS ("view", bdct_engine_compare (engine, &comparison, &error));
  SAYS ("BdctLayout is NULL", bdct_block_inspect (NULL, &frame, 0, 0, blocks,
          &error));
  SAYS ("BdctFrame is NULL", bdct_block_inspect (&layout, NULL, 0, 0, blocks,
          &error));
  SAYS ("BdctBlock is NULL", bdct_block_inspect (&layout, &frame, 0, 0, NULL,
          &error));
  SAYS ("BdctEngine is NULL", bdct_jpeg_decode (NULL, NULL, 0, NULL, &error));
  SAYS ("use cuda", bdct_jpeg_decode (engine, NULL, 0, NULL, &error));
  REFUSES (*bdct_engine_text (NULL, BDCT_ENGINE_DESCRIPTION));
  REFUSES (*bdct_engine_text (engine, (BdctEngineText) 99));
  bdct_engine_free (NULL);
  bdct_engine_free (engine);
  bdct_jobs_free (job);
}

/* A frame with these changes is refused, and is not without. */
#define FRAME(text, ...)                                                      \
  G_STMT_START {                                                              \
    BdctFrame frame = good;                                                   \
    __VA_ARGS__;                                                              \
    SAYS (text, bdct_engine_submit (engine, &frame, &error));                 \
  } G_STMT_END

static guint8 memory[1 << 16];

static BdctImage
make_image (void)
{
  return (BdctImage) { BDCT_MEMORY_HOST, { memory, memory, memory },
      { 4 * WIDTH, 4 * WIDTH, 4 * WIDTH }
  };
}

static BdctJob *
make_job (BdctTransform transform, const BdctLayout * layout, gint n)
{
  BdctParams params[3] = { BDCT_PARAMS_DEFAULT, BDCT_PARAMS_DEFAULT,
    BDCT_PARAMS_DEFAULT
  };

  for (gint i = 0; i < 3; i++)
    params[i].transform = transform;
  return bdct_jobs_new (params, n, layout, NULL);
}

static void
accept (BdctEngine * engine, const BdctFrame * frame)
{
  if (!bdct_engine_submit (engine, frame, &error)
      || !bdct_engine_collect (engine, NULL, &error))
    g_error ("%s", error.message);
}

/* Structures of other sizes. */
static void
test_sizes (void)
{
  BdctEngineOptions options = { .size = sizeof options + 8 };
  BdctEngine *engine = bdct_engine_new (BDCT_BACKEND_CPU, NULL, &error);
  BdctLayout layout = make_layout (), bad = layout;
  BdctJob *job = make_job (BDCT_JPEG_8X8, &layout, 1);
  BdctView view = { .size = 3 };
  BdctFrame frame = { .size = sizeof frame - 8, .view = &view };
  const BdctComparison comparison = { .size = 0 };
  BdctParams params = BDCT_PARAMS_DEFAULT, none = { .size = 0 };
  BdctStats stats = { .size = 1 };
  BdctJobInfo info = { .size = 2 };

  bad.size++;
  g_assert_true (bdct_engine_configure (engine, &layout, 1, &error));
  SAYS ("set it to sizeof (BdctEngineOptions)",
      bdct_engine_new (BDCT_BACKEND_CPU, &options, &error));
  SAYS ("BdctLayout", bdct_engine_configure (engine, &bad, 1, &error));
  SAYS ("BdctLayout", bdct_jobs_new (&params, 1, &bad, &error));
  SAYS ("BdctParams is 0", bdct_jobs_new (&none, 1, &layout, &error));
  SAYS (bdct_version (), bdct_engine_submit (engine, &frame, &error));
  frame.size = sizeof frame;
  SAYS ("BdctView is 3", bdct_engine_submit (engine, &frame, &error));
  SAYS ("BdctComparison", bdct_engine_compare (engine, &comparison, &error));
  SAYS ("BdctStats is 1", bdct_engine_collect (engine, &stats, &error));
  SAYS ("BdctJobInfo", bdct_job_describe (job, &layout, &info, &error));
  bdct_jobs_free (job);
  bdct_engine_free (engine);
}

/* Of 64 x 48 samples in 4:2:0: 48 blocks and twice 12. */
static void
test_frames (void)
{
  BdctEngine *engine = bdct_engine_new (BDCT_BACKEND_CPU, NULL, &error);
  BdctLayout layout = make_layout (), deep;
  BdctJob *jobs = make_job (BDCT_JPEG_8X8, &layout, 3), *others;
  BdctView view = BDCT_VIEW_DEFAULT;
  static gint16 levels[72 * 64 + 8] __attribute__ ((aligned (16)));
  guint8 map[72] = { 0 };
  BdctBlockRecord blocks[72];
  const BdctFrame good = { .size = sizeof good, .quantizers = jobs,
    .n_quantizers = 3, .quantizer_map = map, .n_blocks = 72,
    .src = make_image (), .levels = levels, .n_levels = 72 * 64
  };

  g_assert_true (bdct_engine_configure (engine, &layout, 1, &error));
  accept (engine, &good);
  FRAME ("room for 4607 levels, but the frame has 4608", frame.n_levels--);
  FRAME ("not aligned to 16 bytes", frame.levels++);
  FRAME ("a frame from levels needs levels, but", frame.from_levels = true,
      frame.levels = NULL);
  FRAME ("a frame needs a source, or levels", frame.src.data[0] = NULL);
  FRAME ("metrics need a source", frame.from_levels = true,
      frame.src.data[0] = NULL, frame.metrics = 1);
  FRAME ("0 quantizers", frame.n_quantizers = 0);
  FRAME ("9 quantizers", frame.n_quantizers = 9);
  for (gint i = -1; i <= 1; i += 2) {
    FRAME ("map", frame.n_blocks += i);
    FRAME ("records", frame.n_blocks += i, frame.quantizer_map = NULL,
        frame.blocks = blocks);
  }
  FRAME ("stride", frame.src.stride[1] = WIDTH / 2 - 1);
  FRAME ("plane 1 of dst is NULL", frame.dst = frame.src,
      frame.dst.data[1] = NULL);
  FRAME ("host memory only", frame.src.memory = BDCT_MEMORY_DEVICE);
  view.grid = true;
  FRAME ("image", frame.view = &view);
  view.grid = false;
  for (view.mode = BDCT_VIEW_WIPE; view.mode <= BDCT_VIEW_DIFFERENCE;
      view.mode++)
    FRAME ("does not show a single frame", frame.view = &view,
        frame.dst = frame.src);
  view.mode = BDCT_VIEW_ERROR_MAP;
  FRAME ("view 'error-map' needs a source", frame.from_levels = true,
      frame.src.data[0] = NULL, frame.view = &view, frame.dst = make_image ());
  view.zoom = 2.5;
  FRAME ("zoom of 2.5", frame.view = &view, frame.dst = frame.src);
  map[71] = 3;
  FRAME ("uses quantizer 3, outside 0 to 2", (void) frame);
  map[71] = 0;
  map[0] = 3;
  FRAME ("block 0 uses quantizer 3, outside 0 to 2", (void) frame);
  map[0] = 0;
  /* Jobs of another transform, and of another depth. */
  bdct_layout_init (&deep, BDCT_CHROMA_420, 10, 0, 3, WIDTH, HEIGHT);
  others = make_job (BDCT_JPEG_8X8, &deep, 3);
  FRAME ("depth of 10", frame.quantizers = others);
  bdct_jobs_free (others);
  accept (engine, &good);
  bdct_engine_free (engine);
  bdct_jobs_free (jobs);
}

/* Sizes of trees from levels: of 67 x 45 samples, 17 x 12 of 4 x 4. */
static void
test_trees (void)
{
  BdctEngine *engine = bdct_engine_new (BDCT_BACKEND_CPU, NULL, &error);
  BdctLayout layout;
  BdctJobInfo info = { .size = sizeof info };
  static gint16 levels[6 * 1536] __attribute__ ((aligned (16)));
  guint8 sizes[512] = { 0 };
  BdctFrame good = { .size = sizeof good, .n_quantizers = 1,
    .levels = levels, .from_levels = true, .sizes = sizes
  };
  BdctJob *job;

  bdct_layout_init (&layout, BDCT_CHROMA_420, 8, 0, 2, 67, 45);
  job = make_job (BDCT_HEVC_QUADTREE, &layout, 1);
  g_assert_true (bdct_job_describe (job, &layout, &info, &error));
  g_assert_cmpuint (info.n_levels, ==, G_N_ELEMENTS (levels));
  g_assert_cmpuint (info.first_level[BDCT_V], ==, 6 * (1024 + 256));
  g_assert_cmpint (info.grid[0].columns, ==, 17);
  g_assert_true (bdct_engine_configure (engine, &layout, 1, &error));
  good.quantizers = job;
  good.n_levels = info.n_levels;
  good.n_blocks = info.n_blocks;
  FRAME ("sizes has 0 at column 0 of row 0, outside 2 to 5", (void) frame);
  memset (sizes, 2, 17 * 12);
  accept (engine, &good);
  sizes[17 * 12 - 1] = 6;
  FRAME ("sizes has 6 at column 16 of row 11, outside 2 to", (void) frame);
  sizes[17 * 12 - 1] = 3;
  FRAME ("sizes has 3 at column 16 of row 11, outside 2 to 2", (void) frame);
  memset (sizes, 5, 17 * 12);
  accept (engine, &good);
  sizes[17 * 7 + 7] = 2;
  FRAME ("sizes has 2 at column 7 of row 7, in a block of size 5",
      (void) frame);
  FRAME ("needs the sizes of its blocks", frame.sizes = NULL);
  bdct_engine_free (engine);
  bdct_jobs_free (job);
}

/* A comparison with these changes is refused, and nothing starts. */
#define COMPARISON(text, ...)                                                 \
  G_STMT_START {                                                              \
    BdctComparison comparison = good;                                         \
    BdctView view = BDCT_VIEW_DEFAULT;                                        \
    comparison.view = &view;                                                  \
    view.mode = BDCT_VIEW_WIPE;                                               \
    __VA_ARGS__;                                                              \
    SAYS (text, bdct_engine_compare (engine, &comparison, &error));           \
    g_assert_false (bdct_engine_collect (engine, NULL, NULL));                \
  } G_STMT_END

/* Picture 1 is in another layout. */
#define LAYOUT(text, ...)                                                     \
  G_STMT_START {                                                              \
    BdctLayout other = make_layout ();                                        \
    __VA_ARGS__;                                                              \
    COMPARISON (text, comparison.distorted[1].layout = &other);               \
  } G_STMT_END

static void
test_comparisons (void)
{
  static const BdctRgb rgb[] = { { 1, 3, { 0 }, { 0, 1, 2 } },
    { 1, 3, { 0 }, { 2, 1, 0 } }
  };
  BdctEngine *engine = bdct_engine_new (BDCT_BACKEND_CPU, NULL, &error);
  BdctLayout layout = make_layout ();
  BdctComparison good = { .size = sizeof good, .reference = { make_image (),
          NULL }, .distorted = { { make_image (), NULL }, { make_image (),
            NULL }, { make_image (), NULL }
    }, .n_distorted = 2, .left = -1, .dst = make_image ()
  };

  g_assert_true (bdct_engine_configure (engine, &layout, 1, &error));
  COMPARISON ("0 distorted pictures are outside 1 to 3",
      comparison.n_distorted = 0);
  COMPARISON ("4 distorted pictures are outside 1 to 3",
      comparison.n_distorted = 4);
  LAYOUT ("Y of distorted picture 1 is 62 x 48, but 64 x 48 in the engine's "
      "layout", bdct_layout_init (&other, BDCT_CHROMA_420, 8, 0, 3, 62, 48));
  LAYOUT ("distorted picture 1 has a depth of 10, but the engine's layout has "
      "8", bdct_layout_init (&other, BDCT_CHROMA_420, 10, 0, 3, 64, 48));
  LAYOUT ("distorted picture 1 is 4:2:2, but the engine's layout is 4:2:0",
      bdct_layout_init (&other, BDCT_CHROMA_422, 8, 0, 3, 64, 48));
  LAYOUT ("distorted picture 1 has R, G and B, but the engine's layout has Y, "
      "U and V", bdct_layout_init_rgb (&other, &rgb[0], 64, 48,
          BDCT_CHROMA_420));
  COMPARISON ("ms-ssim: a plane of 64 x 48 samples is too small",
      comparison.metrics = 1 << BDCT_METRIC_MS_SSIM);
  COMPARISON ("'coefficients' does not show two pictures",
      view.mode = BDCT_VIEW_COEFFICIENTS);
  COMPARISON ("'reconstruction' does not show two pictures",
      view.mode = BDCT_VIEW_RECONSTRUCTION);
  COMPARISON ("'size-map' does not show two pictures",
      view.mode = BDCT_VIEW_SIZE_MAP);
  COMPARISON ("grid", view.grid = true);
  COMPARISON ("right picture 2 is outside -1 (the reference) to 1",
      comparison.right = 2);
  COMPARISON ("left picture -2 is outside -1 (the reference) to 1",
      comparison.left = -2);
  COMPARISON ("a view needs an image", comparison.dst.data[0] = NULL);
  COMPARISON ("host memory only",
      comparison.distorted[1].image.memory = BDCT_MEMORY_DEVICE);
  bdct_layout_init (&layout, BDCT_CHROMA_400, 8, 0, 1, 64, 48);
  COMPARISON ("the reference is 4:0:0", comparison.reference.layout = &layout);
  bdct_layout_init_rgb (&layout, &rgb[0], 16, 16, BDCT_CHROMA_420);
  g_assert_true (bdct_engine_configure (engine, &layout, 1, &error));
  LAYOUT ("has R, G and B at other bytes of a pixel",
      bdct_layout_init_rgb (&other, &rgb[1], 16, 16, BDCT_CHROMA_420));
  bdct_engine_free (engine);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/refusals/pictures", test_pictures);
  g_test_add_func ("/refusals/statistics", test_statistics);
  g_test_add_func ("/refusals/transforms", test_transforms);
  g_test_add_func ("/refusals/parameters", test_parameters);
  g_test_add_func ("/refusals/sizes", test_sizes);
  g_test_add_func ("/refusals/views", test_views);
  g_test_add_func ("/refusals/memory", test_memory);
  g_test_add_func ("/refusals/engines", test_engines);
  g_test_add_func ("/refusals/frames", test_frames);
  g_test_add_func ("/refusals/trees", test_trees);
  g_test_add_func ("/refusals/comparisons", test_comparisons);
  return g_test_run ();
}
