/* blockdct-measure: the table's rows.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_ROW_H
#define MEASURE_ROW_H

#include "../encoders.h"
#include <blockdct/blockdct.h>
#include "metrics.h"

G_BEGIN_DECLS

/* Whole numbers, which add up: over frames, and over segments of a file. */
typedef enum
{
  MEASURE_FRAMES,
  MEASURE_SAMPLES_Y, MEASURE_SAMPLES_U, MEASURE_SAMPLES_V,
  MEASURE_SSE_Y, MEASURE_SSE_U, MEASURE_SSE_V,
  MEASURE_LEVELS, MEASURE_NONZERO,
  MEASURE_BITS_Y, MEASURE_BITS_U, MEASURE_BITS_V, MEASURE_BITS,
  MEASURE_BITS_HEADERS,
  MEASURE_BITS_OPTIMIZED, MEASURE_FILE_SIZE, MEASURE_FILE_SIZE_OPTIMIZED,
  MEASURE_N_COUNTS
} MeasureCount;

/* A file, or a frame of it, at a setting. */
typedef struct
{
  const gchar *file;            /* interned; the name given by the user */
  const gchar *format;          /* interned */
  const gchar *encoder;         /* interned; its line; NULL: a transform */
  BdctTransform transform;      /* BDCT_N_TRANSFORMS: an encoder */
  EncoderScale scale;
  gint setting;
  gint width, height, depth;
  gint64 frame;                 /* its number in the file; -1: the sum of all */
  gboolean exact;               /* the bits are those of a file, not an
                                   estimate */
  gboolean coded;               /* MEASURE_FILE_SIZE is exact, too */
  gint64 count[MEASURE_N_COUNTS];
  MeasureMetrics metrics;
  enum { MEASURE_NO_TARGET, MEASURE_TARGET_MISSED, MEASURE_TARGET_MET } target;
  guint missed;                 /* bits 1 << MeasureKeep (target.h) */
} MeasureRow;

typedef enum
{
  MEASURE_CSV,                  /* RFC 4180, with a header line */
  MEASURE_JSON,                 /* an object a line */
  MEASURE_TEXT                  /* for people */
} MeasureStyle;

/* Set the counts from the statistics of `frames` frames. FALSE if one does not
 * fit into 63 bits, the limit of JSON readers. */
gboolean measure_row_set_stats (MeasureRow * row, const BdctStats * stats,
    gint64 frames);

/* The transform's name, or the encoder's line. */
const gchar *measure_row_name (const MeasureRow * row);
/* Whether rows of the same file and format are points of one curve. */
gboolean measure_row_same_series (const MeasureRow * a, const MeasureRow * b);

/* Derived figures, by the element's formulas. `plane` is 0 to 2, or -1 for all
 * planes together. */
gdouble measure_row_psnr (const MeasureRow * row, gint plane);
/* A metric's main figure, or, for -1, the PSNR of all; NAN without one. */
gdouble measure_row_quality (const MeasureRow * row, gint metric);
gdouble measure_row_bpp (const MeasureRow * row);
/* Bytes: of the JPEG file, of the encoder's stream, or else of the bits. */
gdouble measure_row_size (const MeasureRow * row);

/* The metrics that at least one row has: bits 1 << BdctMetric. */
guint measure_rows_metrics (const GArray * rows);

/* Append the heading of a table, which may be empty. `metrics`, bits 1 <<
 * BdctMetric, have columns. */
void measure_row_append_head (GString * text, MeasureStyle style,
    guint metrics);
void measure_row_append (GString * text, const MeasureRow * row,
    MeasureStyle style, guint metrics);

/* Read CSV or JSON (the first character tells which) up to the last complete
 * row. `ends`, of gsize, receives the offset of each row's end; it may be NULL.
 * FALSE with an error that names the invalid line. */
gboolean measure_rows_read (GArray * rows, GArray * ends, const gchar * text,
    gsize length, GError ** error);

G_END_DECLS
#endif
