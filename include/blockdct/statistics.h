/** @file
 * libblockdct: the statistics of frames, and the figures that follow from them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BLOCKDCT_STATISTICS_H
#define BLOCKDCT_STATISTICS_H

#include <blockdct/picture.h>

BDCT_BEGIN_DECLS

/** Counters of one component. A component that the format lacks has 0
 * samples. */
typedef struct {
  uint64_t samples; /**< visible samples */
  uint64_t sse;     /**< sum of squared errors of these samples, modulo
                         2^64 */
  uint64_t levels;  /**< quantized coefficients of whole blocks, including
                         padding; hevc-quadtree: of the chosen blocks */
  uint64_t nonzero; /**< levels that are not 0 */
  uint64_t sse_high; /**< the sum of squared errors is 2^64 sse_high + sse */
  uint64_t bits;    /**< bits of the levels, 0 if not requested: with Annex K's
                         Huffman tables where BdctJobInfo.exact_bits, with the
                         frame's optimal tables for other Huffman coding, else
                         an estimate for CABAC, rounded for each frame */
} BdctCounters;

/** Perceptual metrics, as defined by ffmpeg's ssim filter, libvmaf's
 * float_ms_ssim and psnr_hvs, and ffmpeg's xpsnr filter. */
typedef enum {
  BDCT_METRIC_SSIM, BDCT_METRIC_MS_SSIM, BDCT_METRIC_PSNR_HVS,
  BDCT_METRIC_XPSNR, BDCT_N_METRICS
} BdctMetric;

/** Index of a metric's figure for all components. */
#define BDCT_METRIC_ALL BDCT_MAX_COMPONENTS

/** The number of sides of hevc-quadtree's luma blocks: 4, 8, 16 and 32. */
#define BDCT_TREE_SIZES 4

/** The statistics of one frame, or their sum over several. */
typedef struct {
  size_t size; /**< sizeof (BdctStats) */
  BdctCounters component[BDCT_MAX_COMPONENTS];
  /** Samples and squared errors of R, G and B, if the frame is R, G and B and
   * its reconstruction is converted back. */
  BdctCounters rgb[3];
  /** hevc-quadtree: visible luma samples in blocks of each side; else 0. */
  uint64_t area[BDCT_TREE_SIZES];
  /* The sizes of a JPEG file if bits are exact, else 0: */
  uint64_t bits_optimized; /**< bits of all components with Huffman tables
                                that are optimal for the frame */
  uint64_t file_size;      /**< bytes of the file with Annex K's tables; byte
                                stuffing is modelled, within 0.5% */
  uint64_t file_size_optimized; /**< the same with optimal tables */
  uint64_t metrics; /**< bits 1 << BdctMetric of the metrics in `metric`; in a
                         sum, of the metrics that all frames have */
  double metric[BDCT_N_METRICS][BDCT_MAX_COMPONENTS + 1]; /**< sums over
                         frames, from which bdct_metric_figure() computes: of
                         figures; of XPSNR of the roots of weighted squared
                         errors */
  int64_t billionths[BDCT_N_METRICS][BDCT_MAX_COMPONENTS + 1]; /**< the same in
                         billionths, with each frame's rounded to a whole
                         number: parts add up to the whole, in any order.
                         INT64_MAX: one is not finite, or the sum does not
                         fit */
} BdctStats;

/** The sum of three components, of BdctStats.component or .rgb. Its PSNR
 * weights each component by its samples, as ffmpeg's psnr_avg does. */
BdctCounters bdct_counters_sum (const BdctCounters counters[3]);

/** Mean squared error, in squared sample steps; 0 if there are no samples. */
double bdct_mse (const BdctCounters *counters);

/** 10 log10(peak^2 / mse) in dB, with peak = 2^depth - 1. Infinite for an mse
 * of 0; never capped. */
double bdct_psnr (double mse, int depth);

/** Set the share of the picture, 0 to 1, that hevc-quadtree's blocks of each
 * side cover. Returns false and writes nothing for other transforms. */
bool bdct_stats_shares (const BdctStats *stats, double share[BDCT_TREE_SIZES]);

/** Statistics over frames. Zero it before the first frame. `sum` adds up the
 * counters: its PSNR is that of the mean MSE. `measured` is the number of
 * frames whose errors are counted; if it is above 0, psnr_min, psnr_max and
 * psnr_mean are over the PSNR of these frames. psnr_mean_capped limits the PSNR
 * of a frame to 6 depth + 12 dB as libvmaf does, so that it is finite even with
 * identical frames. */
typedef struct {
  uint64_t frames, measured;
  BdctStats sum;
  double psnr_min, psnr_max, psnr_mean, psnr_mean_capped;
} BdctPool;

/** Add one frame of the given depth. */
void bdct_pool_add (BdctPool *pool, const BdctStats *stats, int depth);

/** A metric. */
typedef struct {
  const char *name;        /**< "ssim" */
  const char *description; /**< one line of text */
  const char *figure[BDCT_MAX_COMPONENTS + 1]; /**< the names of its figures:
                              "ssim-y", and "ssim" for all; NULL: none */
  int main;                /**< the index of its main figure */
  bool in_db;              /**< in dB: infinite if nothing differs */
} BdctMetricInfo;

/** The description of a metric; NULL for a value outside the enumeration. */
const BdctMetricInfo *bdct_metric_info (BdctMetric metric);

/** Whether a metric supports pictures of a layout; if not, the error says
 * why. */
bool bdct_metric_check (BdctMetric metric, const BdctLayout *layout,
    BdctError *error);

/** Set `figure` to that of a component or of BDCT_METRIC_ALL, for one frame
 * (`frames` is 1) or for the sum of several. Returns false if there is no such
 * figure. */
bool bdct_metric_figure (const BdctStats *sum, uint64_t frames, int depth,
    BdctMetric metric, int component, double *figure);

BDCT_END_DECLS
#endif
