/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "write-jpeg.h"

#include <stdlib.h>
#include <string.h>
#include <gio/gio.h>
#include "convert.h"
#include "error.h"
#include "gst-plugin/common/gstblockdctformat.h"
#include "../file.h"
#include "jpeg/origin.h"
#include "settings.h"
#ifdef HAVE_LIBJPEG
#include "jpeg/file.h"
#endif

/* The first sample that a plan measures. */
static GstSample *
pull (MeasureSource * source, gint64 index, GError ** error)
{
  GstSample *sample = NULL;
  gint stop = 0;

  for (gint64 i = 0; i <= index; i++) {
    g_clear_pointer (&sample, gst_sample_unref);
    sample = measure_source_pull (source, &stop, error);
    if (sample == NULL)
      break;
  }
  return sample;
}

/* Quantize an image on the calling thread. */
static int16_t *
quantize (const BdctLayout * layout, const BdctImage * image,
    const BdctParams * params, BdctJobInfo * info, BdctError * error)
{
  BdctJob *job = bdct_jobs_new (params, 1, layout, error);
  BdctEngine *engine = NULL;
  int16_t *levels = NULL;
  gboolean ok = job != NULL && bdct_job_describe (job, layout, info, error);

  if (ok) {
    const gsize size = info->n_levels * sizeof *levels;

    levels = aligned_alloc (BDCT_LEVELS_ALIGN, (size + BDCT_LEVELS_ALIGN - 1)
        / BDCT_LEVELS_ALIGN * BDCT_LEVELS_ALIGN);
    engine = bdct_engine_new (BDCT_BACKEND_CPU, NULL, error);
    ok = levels != NULL && engine != NULL
        && bdct_engine_configure (engine, layout, 1, error)
        && bdct_engine_submit (engine, &(BdctFrame) {
        .size = sizeof (BdctFrame),.quantizers = job,.n_quantizers = 1,.src =
          *image,.levels = levels,.n_levels = info->n_levels}
        , error)
        && bdct_engine_collect (engine, NULL, error);
  }
  bdct_engine_free (engine);
  bdct_jobs_free (job);
  if (!ok) {
    free (levels);
    levels = NULL;
  }
  return levels;
}

int16_t *
measure_find_levels (const gchar * from, const MeasurePlan * plan,
    const BdctParams * params, gint limit, BdctLayout * layout,
    BdctJobInfo * job, GError ** error)
{
  MeasureSource *source = measure_source_new (from, limit);
  GstSample *sample = pull (source, plan->first_frame, error);
  MeasureConversion conversion = { 0 };
  GstBuffer *buffer = NULL;
  int16_t *levels = NULL;
  GstVideoInfo decoded;
  GstVideoFrame frame;
  BdctError reason = { "the picture cannot be mapped" };

  if (sample != NULL && measure_read_caps (sample, &decoded, error)
      && measure_conversion_set (&conversion, &decoded, plan->formats->len > 0
          ? g_array_index (plan->formats, GstVideoFormat, 0)
          : measure_choose_format (&decoded, FALSE), error))
    buffer = measure_conversion_run (&conversion,
        gst_sample_get_buffer (sample), NULL, error);
  if (buffer != NULL) {
    gst_blockdct_format_layout (&conversion.info, plan->subsampling, layout);
    if (gst_video_frame_map (&frame, &conversion.info, buffer, GST_MAP_READ)) {
      BdctImage image = { 0 };

      gst_blockdct_backend_get_image (&frame, &image);
      levels = quantize (layout, &image, params, job, &reason);
      gst_video_frame_unmap (&frame);
    }
    if (levels == NULL)
      measure_fail (error, reason.message);
  }
  gst_clear_buffer (&buffer);
  measure_conversion_clear (&conversion);
  g_clear_pointer (&sample, gst_sample_unref);
  measure_source_free (source);
  return levels;
}

void
measure_jpeg_steps (const BdctParams * params, guint16 steps[2][64])
{
  if (params->n_steps == 0)
    jpeg_origin_scale (params->preset, params->quality, steps);
  for (gint k = 0; params->n_steps > 0 && k < 128; k++)
    steps[k / 64][k % 64] = params->steps[k % params->n_steps];
}

#ifdef HAVE_LIBJPEG
static gboolean
describe (JpegFile * file, const BdctLayout * layout, const BdctJobInfo * job,
    const int16_t * levels, const BdctParams * params, GError ** error)
{
  static const gint factors[][2] = {
    [BDCT_CHROMA_400] = {1, 1},[BDCT_CHROMA_420] = {2, 2},
    [BDCT_CHROMA_422] = {2, 1},[BDCT_CHROMA_444] = {1, 1},
    [BDCT_CHROMA_440] = {1, 2}
  };
  guint16 steps[2][64];
  BdctError reason;

  memset (file, 0, sizeof *file);
  if (layout->depth != 8)
    return measure_fail (error, "its samples have more than 8 bits");
  file->width = layout->plane[0].width;
  file->height = layout->plane[0].height;
  file->n_components = layout->chroma == BDCT_CHROMA_400 ? 1 : 3;
  file->colour = file->n_components == 1 ? JPEG_FILE_GREY : JPEG_FILE_YCC;
  measure_jpeg_steps (params, steps);
  for (gint c = 0; c < file->n_components; c++) {
    file->component[c].h = c == 0 ? factors[layout->chroma][0] : 1;
    file->component[c].v = c == 0 ? factors[layout->chroma][1] : 1;
    memcpy (file->component[c].steps, steps[c > 0], sizeof steps[0]);
  }
  if (!jpeg_file_allocate (file, &reason))
    return measure_fail (error, reason.message);
  for (gint c = 0; c < file->n_components; c++)
    memcpy (file->component[c].levels, levels + job->first_level[c],
        (gsize) job->grid[c].columns * job->grid[c].rows * 64 * sizeof *levels);
  return TRUE;
}

gboolean
measure_write_jpeg_check (GError ** error)
{
  (void) error;
  return TRUE;
}

gboolean
measure_write_jpeg (const gchar * to, const gchar * from,
    const MeasurePlan * plan, const BdctParams * params, gint limit,
    GError ** error)
{
  BdctJobInfo job = {.size = sizeof job };
  BdctLayout layout;
  int16_t *levels = measure_find_levels (from, plan, params, limit, &layout,
      &job, error);
  unsigned char *data = NULL;
  BdctError reason;
  JpegFile file;
  size_t size;
  gboolean ok;

  if (levels == NULL)
    return FALSE;
  ok = describe (&file, &layout, &job, levels, params, error);
  if (ok)
    ok = jpeg_file_write (&file, &(JpegFileOptions) {
        FALSE, FALSE}
      , &data, &size, &reason) || measure_fail (error, reason.message);
  ok = ok && file_write (to, data, size, error);
  jpeg_file_clear (&file);
  free (data);
  free (levels);
  return ok;
}
#else
gboolean
measure_write_jpeg_check (GError ** error)
{
  return measure_fail (error, "--write-jpeg needs libjpeg, without which this "
      "program was built: build it with -Djpeg=enabled");
}

gboolean
measure_write_jpeg (const gchar * to, const gchar * from,
    const MeasurePlan * plan, const BdctParams * params, gint limit,
    GError ** error)
{
  (void) to, (void) from, (void) plan, (void) params, (void) limit;
  return measure_write_jpeg_check (error);
}
#endif
