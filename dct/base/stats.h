/* blockdct: the statistics of frames, and figures derived from them.
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

/** Counters of one component. They are whole numbers, so that their sums do not
 * depend on the order of addition. A component that the format lacks has 0
 * samples. Counters of samples wrap after 97 years of 8192 x 4320 at 60
 * frames/s. */
typedef struct {
  uint64_t samples; /**< visible samples */
  uint64_t sse;     /**< sum of the squared errors of these samples, modulo
                         2^64, which 12 bits reach after hours of large
                         frames */
  uint64_t levels;  /**< quantized coefficients of whole blocks, padding
                         included; for a quadtree, of the blocks in the tree */
  uint64_t nonzero; /**< levels that are not 0 */
  uint64_t sse_high; /**< multiples of 2^64 in the sum besides `sse` */
  uint64_t bits;    /**< bits of the levels (rate.h): with Annex K's Huffman
                         tables where bits are exact, with the frame's
                         optimal tables in other Huffman coding; an estimate
                         is rounded to whole bits for each frame; 0 if not
                         requested */
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

/** The number of sides of a quadtree's luma blocks: 4, 8, 16 and 32
 * (quadtree.h). */
#define BDCT_TREE_SIZES 4

/** Index of a metric's number for all components. */
#define BDCT_METRIC_ALL BDCT_MAX_COMPONENTS

typedef struct {
  BdctCounters component[BDCT_MAX_COMPONENTS];
  /** Samples and squared errors of R, G and B, for frames of R, G and B whose
   * reconstruction is converted back. */
  BdctCounters rgb[3];
  /** Visible luma samples in blocks of each side of a quadtree; else 0. */
  uint64_t area[BDCT_TREE_SIZES];
  /* A JPEG file's sizes, where bits are exact (rate.h); else 0. */
  uint64_t bits_optimized; /**< `bits` of all components with the frame's
                                optimal Huffman tables */
  uint64_t file_size;      /**< bytes of the file with Annex K's tables; byte
                                stuffing is modelled, within 0.5% */
  uint64_t file_size_optimized; /**< likewise with optimal tables */
  uint64_t metrics; /**< bits 1 << BdctMetric: the metrics in `metric`; in a
                         sum, those that all frames have */
  /** What a metric adds up over frames; 0 where it has nothing.
   * bdct_metric_figure() turns it into the figure. SSIM, MS_SSIM: the figure.
   * PSNR_HVS: the figure in dB. PSNR_B: mean squared error plus blocking effect
   * factor, in squared sample steps. XPSNR: the square root of the weighted sum
   * of squared errors. */
  double metric[BDCT_N_METRICS][BDCT_MAX_COMPONENTS + 1];
} BdctStats;

/** Add `b` to `a`. */
void bdct_stats_add (BdctStats *a, const BdctStats *b);

/** The sum of all components, which weights each by its sample count, as
 * ffmpeg's psnr_avg does. */
BdctCounters bdct_stats_total (const BdctStats *stats);

/** The sum of R, G and B; 0 samples if there are none. */
BdctCounters bdct_stats_total_rgb (const BdctStats *stats);

/** Set the shares of the picture, 0 to 1, that blocks of each side of a
 * quadtree cover. Returns false and writes nothing if no quadtree divided the
 * picture. */
bool bdct_stats_shares (const BdctStats *stats, double share[BDCT_TREE_SIZES]);

/** Mean squared error, in squared sample steps; 0 if there are no samples. */
double bdct_mse (const BdctCounters *counters);

/** 10 log10(peak^2 / mse) in dB, with peak = 2^depth - 1. Infinite for an mse
 * of 0; never capped. */
double bdct_psnr (double mse, int depth);

/** Statistics over frames. `sum` pools the counters: its PSNR is the global
 * one, the dB of the mean MSE. `measured` counts the frames whose errors are
 * counted. If it is above 0, psnr_min, psnr_max and psnr_mean are over these
 * frames' PSNR. psnr_mean_capped caps a frame's PSNR at 6 depth + 12 dB,
 * libvmaf's limit (60 at 8 bits), so that identical frames leave it finite. */
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
