/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * libblockdct as an application sees it, by its headers alone: what is wrong is
 * an error with text and no crash; levels out give the picture again; one block
 * is the frame's. BLOCKDCT_TEST_BACKEND=cuda runs the same on the CUDA
 * engine. */
#include <blockdct/blockdct.h>
#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 203
#define HEIGHT 117

static BdctBackend backend;

/* A picture of a layout, in host memory. */
typedef struct {
  BdctImage image;
  guint8 *memory;
  gsize size;
} Picture;

static void
picture_init (Picture *picture, const BdctLayout *layout)
{
  const gboolean rgb = layout->rgb.n_planes > 0;
  gsize offset[BDCT_MAX_PLANES];

  *picture = (Picture) { .image = { .memory = BDCT_MEMORY_HOST } };
  for (int p = 0; p < (rgb ? layout->rgb.n_planes : layout->n_planes); p++) {
    const BdctPlaneLayout *plane = &layout->plane[rgb ? 0 : p];

    picture->image.stride[p] = 32 + plane->width * (rgb ? layout->rgb.bytes
        : plane->interleave * (layout->depth > 8 ? 2 : 1));
    offset[p] = picture->size;
    picture->size += picture->image.stride[p] * plane->height;
  }
  picture->memory = g_malloc0 (picture->size);
  for (int p = 0; p < (rgb ? layout->rgb.n_planes : layout->n_planes); p++)
    picture->image.data[p] = picture->memory + offset[p];
}

/* Slopes with noise; values above the peak are as good as the peak. */
static void
picture_fill (Picture *picture, guint seed)
{
  GRand *rand = g_rand_new_with_seed (seed);

  for (gsize i = 0; i < picture->size; i++)
    picture->memory[i] = (i / 3 + g_rand_int_range (rand, 0, 40)) & 0xff;
  g_rand_free (rand);
}

static BdctEngine *
make_engine (const BdctLayout *layout)
{
  BdctError error = { "" };
  BdctEngine *engine = bdct_engine_new (backend, NULL, &error);

  g_assert_cmpstr (error.message, ==, "");
  g_assert_nonnull (engine);
  g_assert_true (bdct_engine_configure (engine, layout, 2, &error));
  g_assert_cmpstr (bdct_engine_text (engine, BDCT_ENGINE_DESCRIPTION), !=, "");
  return engine;
}

static BdctJob *
make_job (BdctTransform transform, const BdctLayout *layout)
{
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctError error = { "" };
  BdctJob *job;

  params.transform = transform;
  params.quality = 60;
  job = bdct_jobs_new (&params, 1, layout, &error);
  g_assert_cmpstr (error.message, ==, "");
  return job;
}

/* The error has all of the texts; NULL ends them. */
static void
expect_error (BdctError *error, ...)
{
  const char *text;
  va_list texts;

  va_start (texts, error);
  while ((text = va_arg (texts, const char *)) != NULL)
    if (strstr (error->message, text) == NULL)
      g_test_fail_printf ("\"%s\" does not say '%s'", error->message, text);
  va_end (texts);
  memset (error, 0, sizeof *error);
}

static void
test_sizes (void)
{
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctEngineOptions options = { .size = sizeof options + 8 };
  BdctFrame frame = { .size = sizeof frame - 8 };
  BdctComparison comparison = { .size = 0 };
  BdctView view = BDCT_VIEW_DEFAULT;
  BdctStats stats = { .size = 1 };
  BdctJobInfo info = { .size = 2 };
  BdctError error = { "" };
  BdctLayout layout, bad;
  BdctEngine *engine;
  BdctJob *job;

  bdct_layout_init (&layout, BDCT_CHROMA_420, 8, 0, 2, WIDTH, HEIGHT);
  engine = make_engine (&layout);
  job = make_job (BDCT_JPEG_8X8, &layout);
  bad = layout;
  bad.size += 1;
  g_assert_null (bdct_engine_new (backend, &options, &error));
  expect_error (&error, "BdctEngineOptions", "sizeof", NULL);
  g_assert_false (bdct_engine_configure (engine, &bad, 1, &error));
  expect_error (&error, "BdctLayout", NULL);
  g_assert_true (bdct_engine_configure (engine, &layout, 1, &error));
  g_assert_null (bdct_jobs_new (&params, 1, &bad, &error));
  expect_error (&error, "BdctLayout", NULL);
  params.size = 0;
  g_assert_null (bdct_jobs_new (&params, 1, &layout, &error));
  expect_error (&error, "BdctParams", "is 0", NULL);
  g_assert_false (bdct_engine_submit (engine, &frame, &error));
  expect_error (&error, "BdctFrame", bdct_version (), NULL);
  g_assert_false (bdct_engine_compare (engine, &comparison, &error));
  expect_error (&error, "BdctComparison", NULL);
  g_assert_false (bdct_engine_collect (engine, &stats, &error));
  expect_error (&error, "BdctStats", NULL);
  g_assert_false (bdct_job_describe (job, &layout, &info, &error));
  expect_error (&error, "BdctJobInfo", NULL);
  view.size = 3;
  frame = (BdctFrame) { .size = sizeof frame, .view = &view };
  g_assert_false (bdct_engine_submit (engine, &frame, &error));
  expect_error (&error, "BdctView", NULL);
  bdct_jobs_free (job);
  bdct_engine_free (engine);
}

/* The source of the frame before is there only if that one was started. */
static void
test_same_source (void)
{
  static const struct
  {
    enum { OWN, SHARED, OTHER, LEVELS, COMPARISON, REFUSED, CONFIGURE } what;
    const char *error;          /* NULL: none */
  } steps[] = {
    {SHARED, "submitted just before"}, {OWN, NULL}, {SHARED, NULL},
    {SHARED, NULL}, {OTHER, "not that of the frame"}, {SHARED, NULL},
    {COMPARISON, NULL}, {SHARED, "submitted just before"}, {OWN, NULL},
    {LEVELS, NULL}, {SHARED, "submitted just before"}, {OWN, NULL},
    {REFUSED, "quantizers"}, {SHARED, "submitted just before"}, {OWN, NULL},
    {CONFIGURE, NULL}, {SHARED, "submitted just before"},
  };
  BdctJobInfo info = {.size = sizeof info };
  BdctError error;
  BdctLayout layout;
  BdctEngine *engine;
  Picture src, other;
  int16_t *levels;
  BdctJob *job;

  bdct_layout_init (&layout, BDCT_CHROMA_420, 8, 0, 2, WIDTH, HEIGHT);
  picture_init (&src, &layout);
  picture_init (&other, &layout);
  picture_fill (&src, 3);
  engine = make_engine (&layout);
  job = make_job (BDCT_JPEG_8X8, &layout);
  g_assert_true (bdct_job_describe (job, &layout, &info, NULL));
  levels = aligned_alloc (BDCT_LEVELS_ALIGN, (info.n_levels * sizeof *levels
          + BDCT_LEVELS_ALIGN - 1) / BDCT_LEVELS_ALIGN * BDCT_LEVELS_ALIGN);
  memset (levels, 0, info.n_levels * sizeof *levels);
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    const int what = steps[i].what;
    BdctFrame frame = {.size = sizeof frame,.quantizers = job,
      .n_quantizers = what != REFUSED,.src =
          what == OTHER ? other.image : src.image,.same_source =
          what == SHARED || what == OTHER
    };
    BdctComparison comparison = {.size = sizeof comparison,
      .reference.image = src.image,.distorted[0].image = src.image,
      .n_distorted = 1
    };
    BdctStats stats = {.size = sizeof stats }, first;
    bool ok;

    if (what == LEVELS) {
      frame.src = (BdctImage) { 0 };
      frame.levels = levels;
      frame.n_levels = info.n_levels;
      frame.from_levels = true;
    }
    error.message[0] = '\0';
    ok = what == CONFIGURE ? bdct_engine_configure (engine, &layout, 2, &error)
        : what == COMPARISON ? bdct_engine_compare (engine, &comparison, &error)
        : bdct_engine_submit (engine, &frame, &error);
    g_assert_cmpint (ok, ==, steps[i].error == NULL);
    if (!ok) {
      expect_error (&error, steps[i].error, NULL);
      continue;
    }
    if (what == CONFIGURE)
      continue;
    g_assert_true (bdct_engine_collect (engine, &stats, &error));
    if (i == 1)
      first = stats;
    if (what == OWN || what == SHARED)
      g_assert_cmpmem (&stats, sizeof stats, &first, sizeof first);
  }
  free (levels);
  g_free (src.memory);
  g_free (other.memory);
  bdct_jobs_free (job);
  bdct_engine_free (engine);
}

/* A context of NULL is the current device's primary one; the CPU has no memory
 * of its own. */
static void
test_memory (void)
{
  const gsize size = 1000;
  guint8 *host = bdct_memory_alloc (backend, NULL, BDCT_MEMORY_HOST, size);
  void *device = bdct_memory_alloc (backend, NULL, BDCT_MEMORY_DEVICE, size);

  g_assert_false (bdct_backend_is_lost (backend, NULL));
  if (backend == BDCT_BACKEND_CPU) {
    g_assert_null (host);
    g_assert_null (device);
    g_assert_false (bdct_memory_copy (backend, NULL, device, host, size, true));
    return;
  }
  for (gsize i = 0; i < size; i++)
    host[i] = i % 251;
  g_assert_true (bdct_memory_copy (backend, NULL, device, host, size, true));
  memset (host, 0, size);
  g_assert_true (bdct_memory_copy (backend, NULL, device, host, size, false));
  for (gsize i = 0; i < size; i++)
    g_assert_cmpint (host[i], ==, i % 251);
  bdct_memory_free (backend, NULL, BDCT_MEMORY_DEVICE, device);
  bdct_memory_free (backend, NULL, BDCT_MEMORY_HOST, host);
}

static void
test_frames (void)
{
  BdctStats stats = { .size = sizeof stats }, compared;
  BdctComparison comparison = { .size = sizeof comparison, .n_distorted = 1,
    .errors = true
  };
  BdctError error = { "" };
  Picture src, dst;
  BdctLayout layout;
  BdctEngine *engine;
  BdctFrame frame, bad;
  BdctJob *job;

  bdct_layout_init (&layout, BDCT_CHROMA_420, 10, 6, 2, WIDTH, HEIGHT);
  picture_init (&src, &layout);
  picture_init (&dst, &layout);
  picture_fill (&src, 1);
  engine = bdct_engine_new (backend, NULL, &error);
  job = make_job (BDCT_HEVC_8X8, &layout);
  frame = (BdctFrame) { .size = sizeof frame, .quantizers = job,
    .n_quantizers = 1, .src = src.image, .dst = dst.image
  };
  g_assert_false (bdct_engine_submit (engine, &frame, &error));
  expect_error (&error, "not configured", NULL);
  g_assert_true (bdct_engine_configure (engine, &layout, 1, &error));
  g_assert_false (bdct_engine_collect (engine, &stats, &error));
  g_assert_cmpstr (error.message, !=, "");
  bad = frame;
  bad.src.stride[1] = 2 * WIDTH - 2;
  g_assert_false (bdct_engine_submit (engine, &bad, &error));
  expect_error (&error, "stride", "plane 1 of src", NULL);
  bad = frame;
  bad.dst.data[1] = NULL;
  g_assert_false (bdct_engine_submit (engine, &bad, &error));
  expect_error (&error, "plane 1 of dst is NULL", NULL);
  if (backend == BDCT_BACKEND_CPU) {
    bad = frame;
    bad.src.memory = BDCT_MEMORY_DEVICE;
    g_assert_false (bdct_engine_submit (engine, &bad, &error));
    g_assert_cmpstr (error.message, !=, "");
  }
  g_assert_false (bdct_engine_compare (engine, &comparison, &error));
  expect_error (&error, "reference", "no data", NULL);
  g_assert_true (bdct_engine_submit (engine, &frame, &error));
  stats.size++;
  g_assert_false (bdct_engine_collect (engine, &stats, &error));
  expect_error (&error, "BdctStats", NULL);
  stats.size--;
  g_assert_false (bdct_engine_collect (engine, &stats, &error));
  g_assert_true (bdct_engine_submit (engine, &frame, &error));
  g_assert_true (bdct_engine_collect (engine, &stats, &error));
  g_assert_cmpuint (stats.component[BDCT_Y].samples, ==, WIDTH * HEIGHT);

  /* compare() finds transform()'s errors. */
  comparison.reference.image = src.image;
  comparison.distorted[0].image = dst.image;
  compared.size = sizeof compared;
  g_assert_true (bdct_engine_compare (engine, &comparison, &error));
  g_assert_true (bdct_engine_collect (engine, &compared, &error));
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    g_assert_cmpuint (stats.component[c].sse, >, 0);
    g_assert_cmpuint (compared.component[c].sse, ==, stats.component[c].sse);
  }
  /* What lies behind the last picture is not taken for one. */
  for (int i = 0; i < BDCT_MAX_DISTORTED; i++)
    comparison.distorted[i].image = dst.image;
  comparison.n_distorted = BDCT_MAX_DISTORTED + 1;
  g_assert_false (bdct_engine_compare (engine, &comparison, &error));
  expect_error (&error, "distorted pictures are outside 1 to", NULL);
  bdct_jobs_free (job);
  bdct_engine_free (engine);
  g_free (src.memory);
  g_free (dst.memory);
}

/* What the engine as a queue refuses harms no frame in it; those that nobody
 * collects are done before it goes. */
static void
test_queue (gconstpointer data)
{
  BdctEngineOptions options = { .size = sizeof options, .isa = "mmx" };
  BdctComparison comparison = { .size = sizeof comparison, .n_distorted = 1 };
  BdctStats stats = { .size = sizeof stats }, again = stats;
  BdctError error = { "" };
  Picture src, dst[6];
  BdctLayout layout;
  BdctEngine *engine;
  BdctFrame frame;
  BdctJob *job;

  g_assert_null (bdct_engine_new (backend, &options, &error));
  expect_error (&error, "instruction set 'mmx'", NULL);
  options.isa = NULL;
  options.threads = GPOINTER_TO_UINT (data);
  engine = bdct_engine_new (backend, &options, &error);
  g_assert_nonnull (engine);
  if (backend == BDCT_BACKEND_CPU)
    g_assert_true (g_str_has_suffix (bdct_engine_text (engine,
                BDCT_ENGINE_DESCRIPTION), options.threads == 1 ? " 1 thread"
            : " 3 threads"));
  g_assert_false (bdct_engine_compare (engine, &comparison, &error));
  expect_error (&error, "not configured", NULL);
  bdct_layout_init (&layout, BDCT_CHROMA_420, 8, 0, 3, WIDTH, HEIGHT);
  g_assert_false (bdct_engine_configure (engine, &layout, 0, &error));
  expect_error (&error, "depth 0", "1 to 64", NULL);
  g_assert_false (bdct_engine_configure (engine, &layout, 65, &error));
  expect_error (&error, "65", NULL);
  g_assert_true (bdct_engine_configure (engine, &layout, 5, &error));
  job = make_job (BDCT_HEVC_QUADTREE, &layout);
  picture_init (&src, &layout);
  picture_fill (&src, 5);
  frame = (BdctFrame) { .size = sizeof frame, .quantizers = job,
    .n_quantizers = 1, .src = src.image
  };
  for (int i = 0; i < 6; i++) {
    picture_init (&dst[i], &layout);
    frame.dst = dst[i].image;
    g_assert_true (bdct_engine_submit (engine, &frame, &error));
    if (i == 0)
      g_assert_true (bdct_engine_collect (engine, &stats, &error));
  }
  g_assert_false (bdct_engine_submit (engine, &frame, &error));
  expect_error (&error, "5 frames", NULL);
  g_assert_false (bdct_engine_configure (engine, &layout, 1, &error));
  expect_error (&error, "in flight", NULL);
  g_assert_true (bdct_engine_collect (engine, &again, &error));
  bdct_engine_free (engine);
  g_assert_cmpmem (&stats, sizeof stats, &again, sizeof again);
  for (int i = 5; i >= 0; i--) {
    if (i < 2 || backend == BDCT_BACKEND_CPU)
      g_assert_cmpmem (dst[i].memory, src.size, dst[0].memory, src.size);
    g_free (dst[i].memory);
  }
  g_free (src.memory);
  bdct_jobs_free (job);
}

static int
sample_at (const BdctLayout *layout, const Picture *picture, int c, int x,
    int y)
{
  for (int p = 0; p < layout->n_planes; p++)
    for (int i = 0; i < layout->plane[p].interleave; i++)
      if ((int) layout->plane[p].component[i] == c) {
        const gsize at = x * layout->plane[p].interleave + i;
        const guint8 *row = (guint8 *) picture->image.data[p]
            + y * picture->image.stride[p];

        return layout->depth > 8 ? ((guint16 *) row)[at]
            >> layout->plane[p].shift : row[at];
      }
  g_assert_not_reached ();
}

/* Each block alone is reconstructed as in the frame's picture. */
static void
check_blocks (const BdctLayout *layout, const BdctFrame *frame,
    const Picture *dst, BdctBlock *blocks)
{
  const int width = layout->plane[0].width, height = layout->plane[0].height;
  BdctError error;

  for (int at = 0; at < width * height; at += 401)
    for (int c = 0; c < bdct_block_inspect (layout, frame, at % width,
            at / width, blocks, &error); c++) {
      const BdctBlock *b = &blocks[c];
      const gboolean half = c > 0 && layout->chroma != BDCT_CHROMA_444;
      const int right = half ? (width + 1) / 2 : width;
      const int bottom = half && layout->chroma == BDCT_CHROMA_420
          ? (height + 1) / 2 : height;

      for (int i = 0; i < b->width * b->height; i++) {
        const int x = b->x + i % b->width, y = b->y + i / b->width;

        if (x < right && y < bottom)
          g_assert_cmpint (b->reconstruction[i], ==,
              sample_at (layout, dst, c, x, y));
      }
    }
}

/* Levels of each transform make the element's bytes again, without the source;
 * and its blocks are those of the frame. */
static void
test_levels (gconstpointer data)
{
  const BdctTransform transform = GPOINTER_TO_INT (data);
  static const BdctRgb bgrx = { 1, 4, { 0, 0, 0 }, { 2, 1, 0 } };
  BdctJobInfo info = { .size = sizeof info };
  BdctBlock *blocks = g_new (BdctBlock, BDCT_MAX_COMPONENTS);

  for (int format = 0; format < 5; format++) {
    BdctStats stats = { .size = sizeof stats }, again = stats;
    BdctError error = { "" };
    Picture src, dst, rec;
    BdctLayout layout;
    BdctEngine *engine;
    BdctFrame frame;
    BdctJob *job;
    uint8_t *sizes;

    bdct_layout_init (&layout, BDCT_CHROMA_420, 8, 0, 2, WIDTH, HEIGHT);
    if (format == 1)
      bdct_layout_init (&layout, BDCT_CHROMA_444, 10, 0, 3, WIDTH, HEIGHT);
    else if (format == 2)
      bdct_layout_init (&layout, BDCT_CHROMA_400, 12, 0, 1, 8, 8);
    else if (format == 3)
      bdct_layout_init (&layout, BDCT_CHROMA_422, 8, 0, 3, 64, 1);
    else if (format == 4)
      bdct_layout_init_rgb (&layout, &bgrx, WIDTH, HEIGHT, BDCT_CHROMA_420);
    engine = make_engine (&layout);
    job = make_job (transform, &layout);
    picture_init (&src, &layout);
    picture_init (&dst, &layout);
    picture_init (&rec, &layout);
    picture_fill (&src, transform);
    g_assert_true (bdct_job_describe (job, &layout, &info, &error));
    sizes = g_malloc (info.n_blocks);
    frame = (BdctFrame) { .size = sizeof frame, .quantizers = job,
      .n_quantizers = 1, .src = src.image, .dst = dst.image,
      .n_levels = info.n_levels, .sizes = sizes
    };
    frame.levels = aligned_alloc (BDCT_LEVELS_ALIGN,
        (2 * info.n_levels + BDCT_LEVELS_ALIGN - 1) & -BDCT_LEVELS_ALIGN);
    g_assert_true (bdct_engine_submit (engine, &frame, &error));
    g_assert_true (bdct_engine_collect (engine, &stats, &error));
    g_assert_cmpuint (stats.component[BDCT_Y].nonzero, >, 0);
    for (int c = 0; transform != BDCT_HEVC_QUADTREE
        && c < bdct_block_inspect (&layout, &frame, 7, 0, blocks, &error); c++)
      for (int i = 0; i < 16; i++) {
        const BdctBlock *b = &blocks[c];
        const int at = i / 4 * b->width + i % 4;
        /* Chroma's first of the 4 x 4 blocks of a macroblock. */
        const int kept = c > 0 && layout.chroma != BDCT_CHROMA_444
            && (transform == BDCT_H264_4X4 || transform == BDCT_H264_8X8) ? 4
            : MIN (b->width, 32);

        g_assert_cmpint (b->level[at], ==, frame.levels[info.first_level[c]
                + (b->x >> info.log2_width[c]) * info.block_levels[c]
                + i / 4 * kept + i % 4]);
      }
    if (format < 4 && (backend == BDCT_BACKEND_CPU
            || transform != BDCT_DCT_8X8))
      check_blocks (&layout, &frame, &dst, blocks);
    memset (&frame.src, 0, sizeof frame.src);
    frame.dst = rec.image;
    frame.from_levels = true;
    g_assert_true (bdct_engine_submit (engine, &frame, &error));
    g_assert_true (bdct_engine_collect (engine, &again, &error));
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
      g_assert_cmpuint (again.component[c].nonzero, ==,
          stats.component[c].nonzero);
    /* The fourth byte of a pixel comes from the source. */
    for (gsize i = 3; format == 4 && i < rec.size; i += 4)
      rec.memory[i] = dst.memory[i];
    if (backend == BDCT_BACKEND_CPU || transform != BDCT_DCT_8X8)
      for (gsize i = 0; i < rec.size; i++)
        g_assert_cmpint (rec.memory[i], ==, dst.memory[i]);
    frame.n_levels--;
    g_assert_false (bdct_engine_submit (engine, &frame, &error));
    expect_error (&error, "levels", NULL);
    free (frame.levels);
    g_free (sizes);
    bdct_jobs_free (job);
    bdct_engine_free (engine);
    g_free (src.memory);
    g_free (dst.memory);
    g_free (rec.memory);
  }
  g_free (blocks);
}

static void
on_log (void *data, const char *line)
{
  g_assert_cmpstr (line, !=, "");
  *(int *) data += 1;
}

/* A picture of a stack alone: rows `i` height and those below. */
static BdctImage
picture_at (const Picture *picture, int i, ptrdiff_t pitch)
{
  BdctImage image = picture->image;

  for (int p = 0; p < BDCT_MAX_PLANES; p++)
    if (image.data[p] != NULL)
      image.data[p] = (guint8 *) image.data[p] + i * pitch;
  return image;
}

/* Pictures of a stack become what each becomes alone, with its quantizer. */
static void
check_stack (BdctTransform transform, BdctChromaFormat chroma, int bytes,
    int height)
{
  enum { N = 5 };
  const BdctRgb rgb = { bytes == 1 ? 3 : 1, bytes, { 0, bytes == 1 ? 1 : 0,
          bytes == 1 ? 2 : 0 }, { 0, bytes == 1 ? 0 : 1, bytes == 1 ? 0 : 2 } };
  guint8 map[N] = { 3, 99, 0, 3, 40 };
  BdctParams params[100];
  BdctLayout one, all;
  BdctEngine *alone, *stack;
  Picture src, dst, expected;
  const gboolean bits = transform == BDCT_JPEG_8X8
      || transform == BDCT_DCT_8X8;
  uint64_t sse[N][3], costs[N][2];
  BdctError error = { "" };
  BdctStats stats = { .size = sizeof stats }, sum = { .size = sizeof sum };
  BdctJob *jobs;
  ptrdiff_t pitch;

  bdct_layout_init_rgb (&one, &rgb, WIDTH, height, chroma);
  bdct_layout_init_rgb (&all, &rgb, WIDTH, N * height, chroma);
  all.stack = N;
  for (int i = 0; i < 100; i++) {
    params[i] = (BdctParams) BDCT_PARAMS_DEFAULT;
    params[i].transform = transform;
    params[i].quality = 1 + i;
    params[i].qp = i / 2;
  }
  jobs = bdct_jobs_new (params, 100, &all, &error);
  g_assert_cmpstr (error.message, ==, "");
  picture_init (&src, &all);
  picture_init (&dst, &all);
  picture_init (&expected, &all);
  picture_fill (&src, 7);
  pitch = src.image.stride[0] * height;
  alone = make_engine (&one);
  stack = make_engine (&all);
  g_assert_true (bdct_engine_submit (stack, &(BdctFrame) {
        .size = sizeof (BdctFrame), .quantizers = jobs, .n_quantizers = 100,
        .src = src.image, .dst = dst.image, .bits = bits, .stack_map = map,
        .stack_sse = sse, .stack_bits = costs }, &error));
  g_assert_true (bdct_engine_collect (stack, &sum, &error));
  for (int i = 0; i < N; i++) {
    g_assert_true (bdct_engine_submit (alone, &(BdctFrame) {
          .size = sizeof (BdctFrame), .quantizers = bdct_jobs_at (jobs, map[i]),
          .n_quantizers = 1, .src = picture_at (&src, i, pitch), .bits = bits,
          .dst = picture_at (&expected, i, pitch) }, &error));
    g_assert_true (bdct_engine_collect (alone, &stats, &error));
    for (int k = 0; k < 3; k++) {
      g_assert_cmpuint (sse[i][k], ==, stats.rgb[k].sse);
      sum.rgb[k].sse -= stats.rgb[k].sse;
    }
    if (bits) {
      g_assert_cmpuint (costs[i][0], ==,
          bdct_counters_sum (stats.component).bits);
      g_assert_cmpuint (costs[i][1], ==, stats.file_size);
    }
  }
  for (int k = 0; k < 3; k++)
    g_assert_cmpuint (sum.rgb[k].sse, ==, 0);
  g_assert_cmpmem (dst.memory, dst.size, expected.memory, expected.size);

  /* A map's value, and what a stack has not, are refused. */
  map[2] = 100;
  g_assert_false (bdct_engine_submit (stack, &(BdctFrame) {
        .size = sizeof (BdctFrame), .quantizers = jobs, .n_quantizers = 100,
        .src = src.image, .dst = dst.image, .stack_map = map }, &error));
  g_assert_nonnull (strstr (error.message, "picture 2 uses quantizer 100"));
  g_assert_false (bdct_engine_submit (stack, &(BdctFrame) {
        .size = sizeof (BdctFrame), .quantizers = jobs, .n_quantizers = 1,
        .src = src.image, .dst = dst.image, .bits = true }, &error));
  g_assert_nonnull (strstr (error.message, "stack_bits"));
  g_assert_cmpint (bits, ==, bdct_engine_submit (stack, &(BdctFrame) {
        .size = sizeof (BdctFrame), .quantizers = jobs, .n_quantizers = 1,
        .src = src.image, .dst = dst.image, .bits = true, .stack_bits = costs },
        &error));
  g_assert_true (bits
      || strstr (error.message, "only for jpeg-8x8 and dct-8x8"));
  g_assert_false (bits && !bdct_engine_collect (stack, NULL, &error));
  all.stack = 7;
  g_assert_false (bdct_engine_configure (stack, &all, 1, &error));
  bdct_engine_free (alone);
  bdct_engine_free (stack);
  bdct_jobs_free (jobs);
  g_free (src.memory);
  g_free (dst.memory);
  g_free (expected.memory);
}

static void
test_stack (void)
{
  for (int chroma = BDCT_CHROMA_420; chroma <= BDCT_CHROMA_440; chroma++)
    for (int bytes = 1; bytes <= 4; bytes += bytes == 1 ? 2 : 1)
      check_stack (BDCT_JPEG_8X8, chroma, bytes, 16 * bytes);
  check_stack (BDCT_HEVC_4X4, BDCT_CHROMA_420, 3, 8);
  check_stack (BDCT_HEVC_32X32, BDCT_CHROMA_420, 3, 64);
  /* On a GPU its roundings are those of the tensor cores or not, by whether
   * pictures of a tile have the same quantizer. */
  if (backend == BDCT_BACKEND_CPU)
    check_stack (BDCT_DCT_8X8, BDCT_CHROMA_444, 3, 40);
}

/* Tables and figures for people. */
static void
test_tables (void)
{
  BdctEngineOptions options = { .size = sizeof options, .log = on_log };
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctStats sum = { .size = sizeof sum };
  BdctError error = { "" };
  BdctLayout layout;
  BdctEngine *engine;
  double figure;
  int lines = 0;

  options.log_data = &lines;
  engine = bdct_engine_new (backend, &options, &error);
  g_assert_nonnull (engine);
  g_assert_cmpint (lines, ==, *bdct_engine_text (engine,
          BDCT_ENGINE_WARNING) != '\0');
  /* The log is behind an engine's texts, and before its layout. */
  bdct_layout_init (&layout, BDCT_CHROMA_420, 8, 0, 3, 4, 4);
  g_assert_true (bdct_engine_configure (engine, &layout, 1, &error));
  g_assert_false (bdct_engine_reserve (engine, NULL, &error));
  expect_error (&error, "BdctJob is NULL", NULL);
  bdct_engine_free (engine);
  for (int t = 0; t < BDCT_N_TRANSFORMS; t++)
    g_assert_nonnull (bdct_transform_info ((BdctTransform) t)->name);
  for (int m = 0; m < BDCT_N_METRICS; m++)
    g_assert_nonnull (bdct_metric_info ((BdctMetric) m)->figure
        [bdct_metric_info ((BdctMetric) m)->main]);
  g_assert_false (bdct_metric_figure (&sum, 1, 8, BDCT_METRIC_SSIM, 0,
          &figure));
  g_assert_true (isinf (bdct_psnr (0, 8)));
  g_assert_false (bdct_metric_check (BDCT_METRIC_MS_SSIM, &layout, &error));
  expect_error (&error, "too small", NULL);
  layout.depth = 13;
  g_assert_null (bdct_jobs_new (&params, 1, &layout, &error));
  expect_error (&error, "13", NULL);
}

int
main (int argc, char *argv[])
{
  BdctError error;

  g_test_init (&argc, &argv, NULL);
  if (g_strcmp0 (g_getenv ("BLOCKDCT_TEST_BACKEND"), "cuda") == 0) {
    backend = BDCT_BACKEND_CUDA;
    if (bdct_backend_count_devices (backend, &error) == 0) {
      g_print ("1..0 # SKIP %s\n", error.message);
      return 0;
    }
  }
  g_test_add_func ("/library/sizes", test_sizes);
  g_test_add_func ("/library/same-source", test_same_source);
  g_test_add_func ("/library/memory", test_memory);
  g_test_add_func ("/library/frames", test_frames);
  g_test_add_data_func ("/library/queue/1", GUINT_TO_POINTER (1), test_queue);
  g_test_add_data_func ("/library/queue/3", GUINT_TO_POINTER (3), test_queue);
  g_test_add_func ("/library/stack", test_stack);
  g_test_add_func ("/library/tables", test_tables);
  for (int t = 0; t < BDCT_N_TRANSFORMS; t++) {
    gchar *path = g_strdup_printf ("/library/levels/%s",
        bdct_transform_info ((BdctTransform) t)->name);

    g_test_add_data_func (path, GINT_TO_POINTER (t), test_levels);
    g_free (path);
  }
  return g_test_run ();
}
