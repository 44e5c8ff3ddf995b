/* blockdct: what is measured, and the figures derived from it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_STATS_H
#define BDCT_STATS_H

#include <stdbool.h>
#include <stdint.h>
#include "layout.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Counters of one component; whole numbers, so that their sums do not depend
 * on the order of addition. A component the format lacks has 0 samples. Those
 * that count samples wrap after 97 years of 8192 x 4320 at 60 frames/s. */
typedef struct {
  uint64_t samples; /**< visible samples */
  uint64_t sse;     /**< sum of squared errors over them, modulo 2^64: at 12
                         bits that is reached after hours of large frames */
  uint64_t levels;  /**< quantized coefficients: whole blocks, padding too;
                         of a quadtree those of the blocks that it took */
  uint64_t nonzero; /**< those that are not 0 */
  uint64_t sse_high; /**< how often 2^64 is in the sum besides `sse` */
  uint64_t bits;    /**< what the levels cost (rate.h), with Annex K's Huffman
                         tables where they are exact, the frame's optimal ones
                         in other Huffman coding; an estimate is rounded to
                         whole bits frame by frame; 0 if not asked for */
} BdctCounters;

/** Perceptual metrics (metrics.h). */
typedef enum {
  BDCT_METRIC_SSIM,
  BDCT_METRIC_MS_SSIM,
  BDCT_METRIC_PSNR_HVS,
  BDCT_METRIC_PSNR_B,
  BDCT_METRIC_XPSNR,
  BDCT_N_METRICS
} BdctMetric;

/** Sides of a quadtree's blocks of luma: 4, 8, 16 and 32 (quadtree.h). */
#define BDCT_TREE_SIZES 4

/** Where a metric has its number for all components together. */
#define BDCT_METRIC_ALL BDCT_MAX_COMPONENTS

typedef struct {
  BdctCounters component[BDCT_MAX_COMPONENTS];
  /** Of R, G and B, where the frame has these and they were made again: samples
   * and squared errors. */
  BdctCounters rgb[3];
  /** Visible samples of luma in blocks of each side of a quadtree; else 0. */
  uint64_t area[BDCT_TREE_SIZES];
  /* Of a JPEG file, where bits are exact (rate.h); else 0: */
  uint64_t bits_optimized; /**< `bits` of all components with the frame's
                                optimal Huffman tables */
  uint64_t file_size;      /**< bytes of the file with Annex K's tables; a
                                model within 0.5% for the byte stuffing */
  uint64_t file_size_optimized; /**< with optimal tables */
  uint64_t metrics; /**< bits 1 << BdctMetric: those that there are; of a sum
                         those that all frames have */
  /** What a metric adds up over frames, 0 where it has nothing; it becomes its
   * figure with bdct_metric_figure(). SSIM, MS_SSIM: the figure; PSNR_HVS: the
   * figure in dB; PSNR_B: mean squared error and blocking effect factor, in
   * squared sample steps; XPSNR: the square root of the weighted sum of squared
   * errors. */
  double metric[BDCT_N_METRICS][BDCT_MAX_COMPONENTS + 1];
} BdctStats;

/** Add `b` to `a`. */
void bdct_stats_add (BdctStats *a, const BdctStats *b);

/** All components together: weighted by their sample counts, as ffmpeg's
 * psnr_avg. */
BdctCounters bdct_stats_total (const BdctStats *stats);

/** R, G and B together; 0 samples where there are none. */
BdctCounters bdct_stats_total_rgb (const BdctStats *stats);

/** The shares of a picture, 0 to 1, that blocks of each side of a quadtree
 * have; false, and nothing written, where no tree divided it. */
bool bdct_stats_shares (const BdctStats *stats, double share[BDCT_TREE_SIZES]);

/** Mean squared error, in squared sample steps; 0 for no samples. */
double bdct_mse (const BdctCounters *counters);

/** 10 log10(peak^2 / mse) in dB, with peak = 2^depth - 1; infinite for an mse
 * of 0; never capped. */
double bdct_psnr (double mse, int depth);

/** Statistics over frames. `sum` pools the counters: its PSNR is the global
 * one, the dB of the mean MSE. min, max and mean are those of the frames'
 * PSNR; valid once measured, the frames that had errors counted, is above 0. In
 * psnr_mean_capped a frame counts with at most 6 depth + 12 dB, libvmaf's limit
 * (60 at 8 bits), so that identical frames leave it finite. */
typedef struct {
  uint64_t frames, measured;
  BdctStats sum;
  double psnr_min, psnr_max, psnr_mean, psnr_mean_capped;
} BdctPool;

/** Add one frame of the given depth. */
void bdct_pool_add (BdctPool *pool, const BdctStats *stats, int depth);

#ifdef __cplusplus
}
#endif
#endif
