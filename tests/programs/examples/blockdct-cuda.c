/* blockdct-cuda: blockdct-pgm's work on pictures in a GPU's memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *   cc blockdct-cuda.c $(pkg-config --cflags --libs blockdct) -o blockdct-cuda
 *   blockdct-cuda QUALITY IN.pgm OUT.pgm
 *
 * Transforms IN.pgm by jpeg-8x8, prints PSNR and bits, and writes what a
 * decoder would show. Exit status 77: there is no GPU, or the library has no
 * CUDA. */
#include <string.h>
#include "pgm.h"

#define CUDA BDCT_BACKEND_CUDA

/* A device's memory is copied from and to memory that the library gives. */
typedef struct
{
  void *host, *src, *dst;
} Memory;

static bool
transform (int quality, Pgm * picture, const Memory * memory, BdctStats * stats)
{
  size_t size = (size_t) picture->width * picture->height;
  BdctFrame frame = {.size = sizeof frame,.n_quantizers = 1,.bits = true };
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctError error = { "the driver refuses a copy" };
  BdctEngine *engine = NULL;
  BdctLayout layout;
  BdctJob *job;
  bool ok;

  params.quality = quality;
  bdct_layout_init (&layout, BDCT_CHROMA_400, 8, 0, 1, picture->width,
      picture->height);
  job = bdct_jobs_new (&params, 1, &layout, &error);
  frame.quantizers = job;
  frame.src = frame.dst = pgm_image (picture);
  frame.src.memory = frame.dst.memory = BDCT_MEMORY_DEVICE;
  frame.src.data[0] = memory->src;
  frame.dst.data[0] = memory->dst;
  stats->size = sizeof *stats;
  memcpy (memory->host, picture->data, size);
  ok = job != NULL
      && bdct_memory_copy (CUDA, NULL, memory->src, memory->host, size, true)
      && (engine = bdct_engine_new (CUDA, NULL, &error)) != NULL
      && bdct_engine_configure (engine, &layout, 1, &error)
      && bdct_engine_submit (engine, &frame, &error)
      && bdct_engine_collect (engine, stats, &error)
      && bdct_memory_copy (CUDA, NULL, memory->dst, memory->host, size, false);
  if (ok)
    memcpy (picture->data, memory->host, size);
  else
    fprintf (stderr, "%s\n", error.message);
  bdct_engine_free (engine);
  bdct_jobs_free (job);
  return ok;
}

int
main (int argc, char **argv)
{
  Pgm picture = { 0 };
  Memory memory;
  BdctStats stats;
  BdctError error;
  int status = 1;
  size_t size;

  if (argc != 4) {
    fprintf (stderr, "usage: %s QUALITY IN.pgm OUT.pgm\n", argv[0]);
    return 2;
  }
  if (bdct_backend_count_devices (CUDA, &error) == 0) {
    printf ("skipped: %s\n", error.message);
    return 77;
  }
  if (!pgm_read (argv[2], &picture))
    return 1;
  size = (size_t) picture.width * picture.height;
  memory.host = bdct_memory_alloc (CUDA, NULL, BDCT_MEMORY_HOST, size);
  memory.src = bdct_memory_alloc (CUDA, NULL, BDCT_MEMORY_DEVICE, size);
  memory.dst = bdct_memory_alloc (CUDA, NULL, BDCT_MEMORY_DEVICE, size);
  if (memory.host == NULL || memory.src == NULL || memory.dst == NULL)
    fprintf (stderr, "the driver has no memory for the pictures\n");
  else if (transform (atoi (argv[1]), &picture, &memory, &stats)
      && pgm_write (argv[3], &picture)) {
    printf ("PSNR %.4f dB, %llu bits\n",
        bdct_psnr (bdct_mse (&stats.component[BDCT_Y]), 8),
        (unsigned long long) stats.component[BDCT_Y].bits);
    status = 0;
  }
  bdct_memory_free (CUDA, NULL, BDCT_MEMORY_DEVICE, memory.dst);
  bdct_memory_free (CUDA, NULL, BDCT_MEMORY_DEVICE, memory.src);
  bdct_memory_free (CUDA, NULL, BDCT_MEMORY_HOST, memory.host);
  free (picture.data);
  return status;
}
