/* blockdct: the kernels that decode baseline JPEG files, many in a launch.
 *
 * They take the bytes of a file's scan and write its pixels. A scan is Huffman
 * codes of unknown lengths, one after the other: in the middle nobody knows
 * where one begins. But whoever begins at a wrong bit soon meets the right
 * codes (Klein and Wiseman 2003): each thread decodes a part of the scan from a
 * guess, then, until all agree, again from the state that the thread before it
 * has ended in. After that the blocks of a part and the differences of their DC
 * are known, and their sums over the parts before say where each block lies.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_JPEG_H
#define BDCT_CUDA_JPEG_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BDCT_JPEG_COMPONENTS 3
#define BDCT_JPEG_MCU_BLOCKS 10

/* The parts that a thread block brings to agree. */
#define BDCT_JPEG_PARTS 512

/* Parts whose blocks a thread block decodes; divides BDCT_JPEG_PARTS. */
#define BDCT_JPEG_THREADS 128

/* Bytes of a scan that a thread block reads, 16 for each thread; and pixels
 * that it writes, a warp those of a row. */
#define BDCT_JPEG_CHUNK 4096
#define BDCT_JPEG_TILE_WIDTH 256
#define BDCT_JPEG_TILE_HEIGHT 16

/* Bytes of a part. */
#define BDCT_JPEG_PART 32

/* Bytes that are read behind a part: 64 codes of 31 bits, and the words of a
 * reader. */
#define BDCT_JPEG_AHEAD 320

/* Zeros behind a scan, and bytes behind all codes, which a block loads. */
#define BDCT_JPEG_RAW_PAD 32
#define BDCT_JPEG_CODES_PAD \
    (BDCT_JPEG_PARTS * BDCT_JPEG_PART + BDCT_JPEG_AHEAD)

/* A Huffman table as files have it; DC's are 0 and 1, AC's 2 and 3. */
typedef struct {
  uint8_t counts[16], values[256];
} BdctJpegHuffman;

typedef struct {
  BdctJpegHuffman of[4];
} BdctJpegTables;

typedef struct {
  uint32_t first, stride;     /* of its samples on the device, 8 at a time */
  uint16_t width, height;     /* in samples, without those that fill an MCU */
  uint8_t h, v;               /* blocks of an MCU */
  uint8_t across, down;       /* pixels of a sample */
  uint8_t filtered;           /* interpolated, not repeated (jdsample.c) */
  uint8_t dc, ac;             /* numbers of its tables, 0 or 1 */
} BdctJpegComponent;

/* What a header says, then where the file's things are among those of all files
 * of a launch. */
typedef struct {
  BdctJpegComponent component[BDCT_JPEG_COMPONENTS];
  /* Of each, in zigzag order: the row-major index and, from bit 6, the step. */
  uint32_t steps[BDCT_JPEG_COMPONENTS][64];
  int width, height, n_components;
  bool is_ycc;
  uint32_t interval;          /* MCUs of a segment, between restart markers */
  uint32_t mcus_across, n_mcus, n_segments;
  /* Blocks of an MCU, and each one's component, and where the first lies. */
  uint8_t n_blocks, of[BDCT_JPEG_MCU_BLOCKS];
  uint32_t first[BDCT_JPEG_MCU_BLOCKS];

  uint64_t scan;              /* in `raw`, and its codes among all */
  uint32_t scan_size;         /* to the end of the file */
  uint32_t tables;            /* number of its own */
  uint32_t chunk, n_chunks, segment, part, n_parts, tile, n_tiles;
  uint8_t *dst;               /* n_components bytes a pixel */
  int64_t dst_stride;
} BdctJpegFile;

/* Entries of a table: of the next 10 bits, or of the next 16 where these are
 * among the highest 512. scan.cuh says what is in them. */
#define BDCT_JPEG_BITS 10
#define BDCT_JPEG_SHORT (1 << BDCT_JPEG_BITS)
#define BDCT_JPEG_LONG 512

typedef struct {
  uint32_t pair[4][BDCT_JPEG_SHORT];
  uint16_t one[4][BDCT_JPEG_SHORT + BDCT_JPEG_LONG];
} BdctJpegLookup;

/* A part of a segment, in bits of the file's codes. */
typedef struct {
  uint32_t begin, end;
  uint32_t first;             /* number of the segment's first part */
  uint32_t segment;           /* of the file; UINT32_MAX: there is no part */
} BdctJpegPart;

/* Of a part: blocks that end in it and the sums of the components' DC
 * differences, modulo 2^16; or those of all parts before it. */
typedef struct {
  uint32_t of[4];
} BdctJpegSums;

/* A launch's files; all on the device. */
typedef struct {
  /* From the host: */
  uint32_t *damaged;          /* of each file; not 0: left to the host */
  uint32_t *end;              /* likewise: UINT32_MAX, then twice the chunk with
                                 the first marker that ends the scan, plus 1
                                 if that is not EOI */
  const BdctJpegFile *files;
  const BdctJpegTables *tables;
  uint32_t *file_of_chunk;
  const uint8_t *raw;
  uint32_t n_files, n_tables, n_chunks, n_parts, n_tiles;
  /* The kernels' own: */
  BdctJpegLookup *lookup;
  uint32_t *file_of_parts, *file_of_tile;
  uint32_t *counts;           /* of each chunk: codes; from bit 16, restarts */
  uint32_t *codes;            /* big-endian words */
  uint32_t *segment_start;    /* in bytes; one more than a file has segments */
  uint32_t *segment_part;     /* its first one */
  BdctJpegPart *parts;
  uint16_t *start, *stop;     /* states of each part */
  BdctJpegSums *sums;
  uint8_t *samples;
} BdctJpegLaunch;

/* Read the header of a file of one scan in baseline coding, with one component
 * or three, if libjpeg would read it without a warning. False for all others,
 * which are for libjpeg. Without `tables`, for the size alone, the file's
 * tables are skipped. */
bool bdct_jpeg_header (const uint8_t *data, size_t size, BdctJpegFile *file,
    BdctJpegTables *tables);

/* Enqueue all kernels of a launch. */
cudaError_t bdct_cuda_jpeg_launch (const BdctJpegLaunch *launch,
    cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
