/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * engine-jpeg [FILES [MUTATED [SEED]]]
 *
 * JPEG files on the GPU against libjpeg: FILES with random properties, and
 * MUTATED ones, of which each has the same pixels or is left to libjpeg. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jpeglib.h>
#include "dct/engine/engine.h"
#include "jpeg/file.h"

#define BATCH 32
#define GUARD 0xa7
#define GAP 13                  /* bytes behind a row */
#define MAX_SIDE 300
#define MAX_PICTURE (MAX_SIDE * (3 * MAX_SIDE + GAP))

typedef struct {
  unsigned char *data;
  unsigned long size;
  bool is_plain;                /* the GPU has to decode it */
} File;

static uint64_t seed = 1;
static int passed, failed, decoded, left;

static unsigned
pick (unsigned n)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (unsigned) (seed >> 33) % n;
}

static void
die (const char *what, const char *why)
{
  printf ("%s: %s\n", what, why);
  exit (1);
}

/* libjpeg says on stderr what it thinks of coarse steps. */
static void
ignore (j_common_ptr info, int level)
{
  (void) info;
  (void) level;
}

/* A sample: noise, a gradient with some, checks, or one colour. */
static int
sample (int content, int x, int y)
{
  switch (content) {
    case 0:
      return pick (256);
    case 1:
      return (x * 3 + y * 2 + pick (9)) & 255;
    case 2:
      return (x / 5 + y / 3) % 2 * 255;
    default:
      return 77;
  }
}

static int
pick_side (void)
{
  return 1 + pick (pick (3) == 0 ? 18 : pick (2) == 0 ? 70 : MAX_SIDE);
}

static File
make_file (void)
{
  static const uint8_t factors[][4] = { { 2, 2, 1, 1 }, { 2, 1, 1, 1 },
    { 1, 1, 1, 1 }, { 1, 2, 1, 1 }, { 4, 1, 1, 1 }, { 1, 1, 2, 2 },
    { 4, 2, 1, 1 }, { 2, 2, 2, 1 }, { 2, 2, 1, 2 }, { 3, 1, 1, 1 },
    { 1, 4, 1, 1 }, { 1, 1, 2, 1 }
  };
  static const J_COLOR_SPACE colours[] = { JCS_YCbCr, JCS_GRAYSCALE, JCS_RGB,
    JCS_CMYK
  };
  const J_COLOR_SPACE colour = colours[pick (3) > 0 ? 0 : pick (4)];
  const uint8_t *f = factors[pick (3) > 0 ? pick (3) : pick (12)];
  const int content = pick (4);
  struct jpeg_compress_struct info;
  struct jpeg_error_mgr errors;
  File file = { NULL, 0, colour != JCS_CMYK };
  JSAMPLE pixels[MAX_SIDE * 4];
  JSAMPROW row = pixels;

  info.err = jpeg_std_error (&errors);
  errors.emit_message = ignore;
  jpeg_create_compress (&info);
  jpeg_mem_dest (&info, &file.data, &file.size);
  info.image_width = pick_side ();
  info.image_height = pick_side ();
  info.input_components = colour == JCS_GRAYSCALE ? 1
      : colour == JCS_CMYK ? 4 : 3;
  info.in_color_space = colour;
  jpeg_set_defaults (&info);
  jpeg_set_colorspace (&info, colour);
  jpeg_set_quality (&info, 1 + pick (100), pick (2));
  for (int c = 0; c < info.num_components && colour != JCS_CMYK; c++) {
    info.comp_info[c].h_samp_factor = f[c == 0 ? 0 : 2];
    info.comp_info[c].v_samp_factor = f[c == 0 ? 1 : 3];
  }
  info.optimize_coding = pick (2);
  info.restart_interval = pick (2) == 0 ? 0 : 1 + pick (20);
  if (pick (12) == 0) {
    jpeg_simple_progression (&info);
    file.is_plain = false;
  }
  jpeg_start_compress (&info, TRUE);
  if (pick (4) == 0)
    jpeg_write_marker (&info, JPEG_COM, (const JOCTET *) "\xff\xd9\xff", 3);
  for (unsigned y = 0; y < info.image_height; y++) {
    for (unsigned i = 0; i < info.image_width * info.input_components; i++)
      pixels[i] = sample (content, i, y);
    jpeg_write_scanlines (&info, &row, 1);
  }
  jpeg_finish_compress (&info);
  jpeg_destroy_compress (&info);
  return file;
}

/* Change some bytes, mostly of the scan, or its length. */
static void
mutate (File * file)
{
  const unsigned n = 1 + pick (3);

  file->is_plain = false;
  for (unsigned i = 0; i < n; i++) {
    const unsigned long at = pick (4) == 0 ? pick (file->size)
        : file->size - 1 - pick (file->size - file->size / 4);

    switch (pick (7)) {
      case 6:                  /* another marker of a segment's end */
        for (unsigned long j = at; j + 1 < file->size; j++)
          if (file->data[j] == 0xff && file->data[j + 1] / 16 == 0xd) {
            file->data[j + 1] = 0xd0 + pick (11);
            break;
          }
        break;
      case 0:
        file->data[at] ^= 1 << pick (8);
        break;
      case 1:
        file->data[at] = pick (256);
        break;
      case 2:
        file->data[at] = 0xff;
        break;
      case 3:                  /* lose bytes */
        memmove (file->data + at, file->data + at + (file->size - at) / 2,
            file->size - at - (file->size - at) / 2);
        file->size -= (file->size - at) / 2;
        break;
      case 4:
        if (at + 1 < file->size) {
          file->data[at] = 0xff;
          file->data[at + 1] = 0xd0 + pick (10);
        }
        break;
      default:                 /* the same bytes again */
        if (2 * at < file->size)
          memmove (file->data + at, file->data, at);
    }
    if (file->size < 4)
      break;
  }
}

static bool
is_same (const BdctJpeg * its, const File * file, const uint8_t * got)
{
  JpegPicture picture;
  BdctError error;
  bool same = true;

  if (!jpeg_file_decode (&picture, file->data, file->size, 1 << 24, &error)) {
    printf ("decoded what libjpeg refuses: %s\n", error.message);
    return false;
  }
  same = picture.width == its->width && picture.height == its->height
      && picture.channels == its->channels;
  for (int y = 0; same && y < its->height; y++) {
    const size_t n = (size_t) its->width * its->channels;
    const size_t stride = its->stride != 0 ? (size_t) its->stride : n;
    const uint8_t *row = got + y * stride;

    same = memcmp (row, picture.pixels + y * n, n) == 0;
    for (int i = 0; same && i < GAP && its->stride != 0; i++)
      same = row[n + i] == GUARD;
  }
  if (!same)
    printf ("%d x %d, %d channels: other pixels than libjpeg's\n", its->width,
        its->height, its->channels);
  free (picture.pixels);
  return same;
}

static void
try_batch (BdctEngine * engine, File * files, int n, uint8_t * device,
    uint8_t * host)
{
  BdctJpeg jpeg[BATCH];
  BdctError error;

  for (int i = 0; i < n; i++)
    jpeg[i] = (BdctJpeg) {.size = sizeof (BdctJpeg),.data = files[i].data,
      .n_bytes = files[i].size };
  if (!bdct_cuda_engine.decode (engine, jpeg, n, NULL, &error))
    die ("headers", error.message);
  for (int i = 0; i < n; i++) {
    jpeg[i].stride = i % 2 ? jpeg[i].width * jpeg[i].channels + GAP : 0;
    if (jpeg[i].width > 0 && jpeg[i].width <= MAX_SIDE && jpeg[i].height > 0
        && jpeg[i].height <= MAX_SIDE)
      jpeg[i].dst = device + i * MAX_PICTURE;
  }
  memset (host, GUARD, BATCH * MAX_PICTURE);
  if (!bdct_cuda_engine.copy (&(BdctContext) { NULL, NULL, NULL }, device, host,
          BATCH * MAX_PICTURE, true)
      || !bdct_cuda_engine.decode (engine, jpeg, n, NULL, &error)
      || !bdct_cuda_engine.copy (&(BdctContext) { NULL, NULL, NULL }, device,
          host, BATCH * MAX_PICTURE, false))
    die ("decode", error.message);
  for (int i = 0; i < n; i++) {
    const bool ok = jpeg[i].decoded ? is_same (&jpeg[i], &files[i],
        host + i * MAX_PICTURE) : !files[i].is_plain;

    if (!ok) {
      char name[40];
      FILE *to;

      snprintf (name, sizeof name, "engine-jpeg-%d.jpg", failed);
      printf ("%s %s\n", name, jpeg[i].decoded ? "differs" : "is left");
      to = fopen (name, "wb");
      if (to != NULL) {
        fwrite (files[i].data, 1, files[i].size, to);
        fclose (to);
      }
    }
    passed += ok;
    failed += !ok;
    decoded += jpeg[i].decoded;
    left += !jpeg[i].decoded;
    free (files[i].data);
  }
}

static void
try_files (BdctEngine * engine, int n, bool mutated, uint8_t * device,
    uint8_t * host)
{
  decoded = left = 0;
  while (n > 0) {
    const int some = n < BATCH ? n : BATCH;
    File files[BATCH];

    for (int i = 0; i < some; i++) {
      files[i] = make_file ();
      if (mutated)
        mutate (&files[i]);
    }
    try_batch (engine, files, some, device, host);
    n -= some;
  }
  printf ("%s: %d decoded, %d left to libjpeg\n", mutated ? "mutated" : "files",
      decoded, left);
}

int
main (int argc, char *argv[])
{
  const BdctEngineOptions options = {.size = sizeof options };
  const BdctContext context = { NULL, NULL, NULL };
  const int n_files = argc > 1 ? atoi (argv[1]) : 2000;
  const int n_mutated = argc > 2 ? atoi (argv[2]) : 2000;
  uint8_t *device, *host;
  BdctEngine *engine;
  BdctError error;

  if (argc > 3)
    seed = strtoull (argv[3], NULL, 0);
  if (bdct_cuda_engine.count_devices (&error) == 0) {
    printf ("no GPU: %s\n0 passed, 0 failed, 1 skipped\n", error.message);
    return 77;
  }
  engine = bdct_cuda_engine.create (&options, &error);
  if (engine == NULL)
    die ("create", error.message);
  device = bdct_cuda_engine.alloc_device (&context, BATCH * MAX_PICTURE);
  host = bdct_cuda_engine.alloc_host (&context, BATCH * MAX_PICTURE);
  if (device == NULL || host == NULL)
    die ("memory", "none");
  try_files (engine, n_files, false, device, host);
  try_files (engine, n_mutated, true, device, host);
  bdct_cuda_engine.destroy (engine);
  bdct_cuda_engine.free_device (&context, device);
  bdct_cuda_engine.free_host (&context, host);
  printf ("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed > 0;
}
