/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The library's functions that stand before the engines: they check what a
 * caller gives, and choose the backend. What is inside (dct/, cpu/, cuda/)
 * trusts its callers. */
#include <blockdct/blockdct.h>

#include <stdlib.h>
#include <string.h>
#include "cpu/block.h"
#include "cpu/jpeg-file.h"
#include "dct/engine/engine.h"
#include "dct/entropy/rate.h"
#include "dct/metrics/metrics.h"

static bool
check_size (size_t size, size_t wanted, const char *name, BdctError * error)
{
  return size == wanted || bdct_error (error, "size of %s is %zu, not %zu: set "
      "it to sizeof (%s), and compile with the headers of version %s", name,
      size, wanted, name, BDCT_VERSION);
}

#define CHECK(pointer, type, error)                                           \
  ((pointer) != NULL                                                          \
      ? check_size ((pointer)->size, sizeof (type), #type, error)             \
      : bdct_error (error, #type " is NULL"))

const char *
bdct_version (void)
{
  return BDCT_VERSION;
}

/* Jobs */

void
bdct_params_init (BdctParams * params)
{
  if (params != NULL)
    *params = (BdctParams) BDCT_PARAMS_DEFAULT;
}

BdctJob *
bdct_jobs_new (const BdctParams * params, int n, const BdctLayout * layout,
    BdctError * error)
{
  BdctJob *jobs;

  if (n < 1) {
    bdct_error (error, "%d jobs: at least 1 is needed", n);
    return NULL;
  }
  if (!CHECK (layout, BdctLayout, error) || !bdct_layout_check (layout, error))
    return NULL;
  jobs = calloc (n, sizeof *jobs);
  if (jobs == NULL)
    bdct_error (error, "no memory for %d jobs", n);
  for (int i = 0; jobs != NULL && i < n; i++)
    if (!CHECK (params, BdctParams, error)
        || !bdct_job_init (&jobs[i], &params[i], layout, error)) {
      free (jobs);
      jobs = NULL;
    }
  return jobs;
}

void
bdct_jobs_free (BdctJob * jobs)
{
  free (jobs);
}

const BdctJob *
bdct_jobs_at (const BdctJob * jobs, int i)
{
  return jobs != NULL && i >= 0 ? jobs + i : NULL;
}

bool
bdct_job_describe (const BdctJob * job, const BdctLayout * layout,
    BdctJobInfo * info, BdctError * error)
{
  if (job == NULL)
    return bdct_error (error, "BdctJob is NULL");
  if (!CHECK (layout, BdctLayout, error) || !CHECK (info, BdctJobInfo, error)
      || !bdct_layout_check (layout, error))
    return false;
  info->exact_bits = bdct_rate_is_exact (job);
  info->n_blocks = bdct_blocks_init (info->grid, layout, job);
  info->n_levels = bdct_count_levels (layout, job, info->first_level);
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    info->log2_width[c] = job->component[c].log2_width;
    info->log2_height[c] = job->component[c].log2_height;
    info->block_levels[c] = bdct_job_is_tree (job) ? 0
        : bdct_rate_block_levels (&job->component[c]);
  }
  return true;
}

/* An image of a layout, unless it has no data. */
static bool
check_image (const BdctImage * image, const BdctLayout * layout,
    const char *name, BdctError * error)
{
  const int n = image->data[0] != NULL ? bdct_image_planes (layout) : 0;

  if (n > 0 && image->memory != BDCT_MEMORY_HOST
      && image->memory != BDCT_MEMORY_DEVICE)
    return bdct_error (error, "memory of %s is %d, not 0 or 1", name,
        (int) image->memory);
  for (int p = 0; p < n; p++) {
    const ptrdiff_t stride = image->stride[p];
    const size_t row = bdct_image_row_size (layout, p);

    if (image->data[p] == NULL)
      return bdct_error (error, "plane %d of %s is NULL", p, name);
    if ((size_t) (stride < 0 ? -stride : stride) < row
        && bdct_image_height (layout, p) > 1)
      return bdct_error (error, "stride %td of plane %d of %s is shorter than "
          "a row of %zu bytes", stride, p, name, row);
  }
  return true;
}

bool
bdct_jpeg_file_size (const BdctLayout * layout, const BdctJob * job,
    const BdctImage * src, uint64_t * size, BdctError * error)
{
  if (job == NULL || !bdct_rate_is_exact (job))
    return bdct_error (error, "JPEG files need jobs of jpeg-8x8 at a depth of "
        "8");
  if (!CHECK (layout, BdctLayout, error) || !bdct_layout_check (layout, error))
    return false;
  if (size == NULL)
    return bdct_error (error, "size is NULL");
  if (src != NULL && src->data[0] == NULL)
    return bdct_error (error, "src has no data");
  if (src != NULL && src->memory != BDCT_MEMORY_HOST)
    return bdct_error (error, "src is not in host memory");
  if (src != NULL)
    return check_image (src, layout, "src", error)
        && bdct_file_size (layout, job, src, size, error);
  *size = bdct_file_head (layout, job, 0);
  return true;
}

/* Metrics */

bool
bdct_metric_check (BdctMetric metric, const BdctLayout * layout,
    BdctError * error)
{
  if (bdct_metric_info (metric) == NULL)
    return bdct_error (error, "metric %d is outside 0 to %d", (int) metric,
        BDCT_N_METRICS - 1);
  return CHECK (layout, BdctLayout, error) && bdct_layout_check (layout, error)
      && bdct_metric_supports (metric, layout, error);
}

/* Backends */

/* NULL with the reason. */
static const BdctEngineClass *
find_class (BdctBackend backend, BdctError * error)
{
  switch (backend) {
    case BDCT_BACKEND_CPU:
      return &bdct_cpu_engine;
    case BDCT_BACKEND_CUDA:
#ifdef HAVE_CUDA
      return &bdct_cuda_engine;
#else
      bdct_error (error, "this library is built without CUDA");
      return NULL;
#endif
  }
  bdct_error (error, "backend %d is outside 0 to 1", (int) backend);
  return NULL;
}

/* Of the current device, where the caller has none. */
static const BdctContext primary_context = { NULL, NULL, NULL };

#define CONTEXT(context) ((context) != NULL ? (context) : &primary_context)

int
bdct_backend_count_devices (BdctBackend backend, BdctError * error)
{
  const BdctEngineClass *klass = find_class (backend, error);

  return klass != NULL ? klass->count_devices (error) : 0;
}

bool
bdct_backend_is_lost (BdctBackend backend, const BdctContext * context)
{
  const BdctEngineClass *klass = find_class (backend, NULL);

  return klass != NULL && klass->is_lost != NULL
      && klass->is_lost (CONTEXT (context));
}

void *
bdct_memory_alloc (BdctBackend backend, const BdctContext * context,
    BdctMemory kind, size_t size)
{
  const BdctEngineClass *klass = find_class (backend, NULL);

  if (klass == NULL || klass->alloc_host == NULL)
    return NULL;
  return kind == BDCT_MEMORY_HOST ? klass->alloc_host (CONTEXT (context), size)
      : kind == BDCT_MEMORY_DEVICE ? klass->alloc_device (CONTEXT (context),
      size) : NULL;
}

void
bdct_memory_free (BdctBackend backend, const BdctContext * context,
    BdctMemory kind, void *memory)
{
  const BdctEngineClass *klass = find_class (backend, NULL);

  if (memory == NULL || klass == NULL || klass->free_host == NULL)
    return;
  if (kind == BDCT_MEMORY_HOST)
    klass->free_host (CONTEXT (context), memory);
  else if (kind == BDCT_MEMORY_DEVICE)
    klass->free_device (CONTEXT (context), memory);
}

bool
bdct_memory_copy (BdctBackend backend, const BdctContext * context,
    void *device, void *host, size_t size, bool to_device)
{
  const BdctEngineClass *klass = find_class (backend, NULL);

  return klass != NULL && klass->copy != NULL && device != NULL && host != NULL
      && klass->copy (CONTEXT (context), device, host, size, to_device);
}

/* Engines */

const char *
bdct_engine_text (const BdctEngine * engine, BdctEngineText which)
{
  if (engine == NULL)
    return "";
  switch (which) {
    case BDCT_ENGINE_DESCRIPTION:
      return engine->description;
    case BDCT_ENGINE_WARNING:
      return engine->warning;
    case BDCT_ENGINE_DISTRUST:
      return engine->distrust;
  }
  return "";
}

/* Give the log what has been added since the last call. */
static void
report (BdctEngine * engine)
{
  for (int i = 0; i < 2 && engine->log != NULL; i++) {
    const char *text = i == 0 ? engine->warning : engine->distrust;

    if (strcmp (engine->logged[i], text) != 0) {
      strcpy (engine->logged[i], text);
      if (text[0] != '\0')
        engine->log (engine->log_data, text);
    }
  }
}

BdctEngine *
bdct_engine_new (BdctBackend backend, const BdctEngineOptions * options,
    BdctError * error)
{
  const BdctEngineOptions initial = {.size = sizeof initial };
  const BdctEngineClass *klass = find_class (backend, error);
  BdctEngine *engine;

  if (options == NULL)
    options = &initial;
  if (klass == NULL || !CHECK (options, BdctEngineOptions, error))
    return NULL;
  engine = klass->create (options, error);
  if (engine != NULL) {
    engine->log = options->log;
    engine->log_data = options->log_data;
    report (engine);
  }
  return engine;
}

void
bdct_engine_free (BdctEngine * engine)
{
  if (engine != NULL)
    engine->klass->destroy (engine);
}

bool
bdct_engine_configure (BdctEngine * engine, const BdctLayout * layout,
    unsigned depth, BdctError * error)
{
  bool ok;

  if (engine == NULL)
    return bdct_error (error, "BdctEngine is NULL");
  if (!CHECK (layout, BdctLayout, error) || !bdct_layout_check (layout, error))
    return false;
  engine->layout.size = 0;
  engine->source = (BdctImage) { 0 };
  ok = engine->klass->configure (engine, layout, depth, error);
  if (ok)
    engine->layout = *layout;
  report (engine);
  return ok;
}

static bool
check_configured (const BdctEngine * engine, BdctError * error)
{
  if (engine == NULL)
    return bdct_error (error, "BdctEngine is NULL");
  return engine->layout.size != 0
      || bdct_error (error, "the engine is not configured; call "
          "bdct_engine_configure() first");
}

bool
bdct_engine_reserve (BdctEngine * engine, const BdctJob * job,
    BdctError * error)
{
  if (!check_configured (engine, error))
    return false;
  if (job == NULL)
    return bdct_error (error, "BdctJob is NULL");
  return engine->klass->reserve (engine, job, error);
}

static bool
check_view (const BdctView * view, BdctError * error)
{
  return view == NULL || CHECK (view, BdctView, error);
}

static bool
check_frame (const BdctFrame * frame, const BdctLayout * layout,
    BdctError * error)
{
  if (!CHECK (frame, BdctFrame, error) || !check_view (frame->view, error))
    return false;
  if (frame->quantizers == NULL)
    return bdct_error (error, "quantizers of BdctFrame is NULL");
  if (frame->levels != NULL && frame->levels_memory != BDCT_MEMORY_HOST
      && frame->levels_memory != BDCT_MEMORY_DEVICE)
    return bdct_error (error, "memory of levels is %d, not 0 or 1",
        (int) frame->levels_memory);
  return check_image (&frame->src, layout, "src", error)
      && check_image (&frame->dst, layout, "dst", error);
}

/* Whether a frame's source is that of the frame before it, if it says so. */
static bool
check_source (const BdctEngine * engine, const BdctFrame * frame,
    BdctError * error)
{
  const BdctImage *before = &engine->source, *src = &frame->src;
  bool same = src->memory == before->memory;

  if (!frame->same_source)
    return true;
  if (before->data[0] == NULL)
    return bdct_error (error, "same_source needs a frame with a source that "
        "was submitted just before; submit this one without same_source");
  for (int p = 0; p < bdct_image_planes (&engine->layout); p++)
    same = same && src->data[p] == before->data[p]
        && src->stride[p] == before->stride[p];
  return same || bdct_error (error, "same_source is set, but src is not that "
      "of the frame submitted just before");
}

bool
bdct_engine_submit (BdctEngine * engine, const BdctFrame * frame,
    BdctError * error)
{
  bool ok;

  if (!check_configured (engine, error)
      || !check_frame (frame, &engine->layout, error)
      || !check_source (engine, frame, error))
    return false;
  ok = engine->klass->submit (engine, frame, error);
  if (!frame->same_source)
    engine->source = ok ? frame->src : (BdctImage) { 0 };
  report (engine);
  return ok;
}

bool
bdct_engine_compare (BdctEngine * engine, const BdctComparison * comparison,
    BdctError * error)
{
  bool ok;

  if (!check_configured (engine, error)
      || !CHECK (comparison, BdctComparison, error)
      || !check_view (comparison->view, error)
      || (comparison->view != NULL
          && !check_image (&comparison->dst, &engine->layout, "dst", error)))
    return false;
  for (int i = -1; i < comparison->n_distorted && i < BDCT_MAX_DISTORTED; i++) {
    const BdctPicture *picture = bdct_comparison_picture (comparison, i);
    const BdctLayout *layout = picture->layout;
    const char *name = i < 0 ? "reference" : "distorted";

    if (layout != NULL && (!CHECK (layout, BdctLayout, error)
            || !bdct_layout_check (layout, error)))
      return false;
    if (picture->image.data[0] == NULL)
      return bdct_error (error, "%s picture %d has no data", name,
          i < 0 ? 0 : i);
    if (!check_image (&picture->image, layout != NULL ? layout
            : &engine->layout, name, error))
      return false;
  }
  engine->source = (BdctImage) { 0 };
  ok = engine->klass->compare (engine, comparison, error);
  report (engine);
  return ok;
}

bool
bdct_engine_collect (BdctEngine * engine, BdctStats * stats, BdctError * error)
{
  bool ok;

  if (engine == NULL)
    return bdct_error (error, "BdctEngine is NULL");
  if (stats != NULL && !CHECK (stats, BdctStats, error)) {
    /* As after every failure, its frame is no longer in flight. */
    engine->klass->collect (engine, NULL, NULL);
    return false;
  }
  ok = engine->klass->collect (engine, stats, error);
  if (stats != NULL)
    stats->size = sizeof *stats;
  return ok;
}

int
bdct_block_inspect (const BdctLayout * layout, const BdctFrame * frame, int x,
    int y, BdctBlock block[BDCT_MAX_COMPONENTS], BdctError * error)
{
  if (block == NULL)
    return bdct_error (error, "BdctBlock is NULL");
  return CHECK (layout, BdctLayout, error) && bdct_layout_check (layout, error)
      && check_frame (frame, layout, error)
      ? bdct_cpu_inspect (layout, frame, x, y, block, error) : 0;
}

/* JPEG files */

bool
bdct_jpeg_decode (BdctEngine * engine, BdctJpeg * files, int n, void *wait,
    BdctError * error)
{
  if (engine == NULL)
    return bdct_error (error, "BdctEngine is NULL");
  if (engine->klass->decode == NULL)
    return bdct_error (error, "the engine '%s' decodes no JPEG files: use cuda",
        engine->klass->name);
  for (int i = 0; i < n; i++) {
    BdctJpeg *own = files != NULL ? &files[i] : NULL;

    if (!CHECK (own, BdctJpeg, error))
      return false;
    if (own->data == NULL)
      return bdct_error (error, "data of file %d is NULL", i);
    own->decoded = false;
  }
  return engine->klass->decode (engine, files, n, wait, error);
}
