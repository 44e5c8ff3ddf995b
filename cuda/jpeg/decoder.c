/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decoder.h"

#include <stdlib.h>
#include <string.h>
#include "cuda/device/copier.h"
#include "jpeg.h"

#define check bdct_cuda_check

/* Groups of files go through the device one behind the other: while one is
 * computed, the next is read and copied. So much is in one, unless a file has
 * more; of bytes in the first, twice as much in each one behind it: */
#define GROUPS 3
#define MAX_FILES 512
#define FIRST_BYTES (4 << 20)
#define MAX_BYTES (16 << 20)
#define MAX_SAMPLES (512 << 20)

/* What arrays on the device begin at a multiple of. */
#define ALIGN 256

#define COPIED 4096             /* bytes of a row of the copier */
#define COPY_THREADS 8

typedef struct {
  cudaStream_t stream;
  BdctBuffer upload, scratch;
  BdctJpeg *decoded[MAX_FILES];
  uint32_t n;                   /* 0: none is in flight */
} Group;

struct BdctJpegDecoder {
  Group group[GROUPS];
  BdctCopier *copier;
  /* Of the group that is gathered: */
  BdctJpegFile file[MAX_FILES];
  BdctJpegTables tables[MAX_FILES + 1];
  BdctCopy copy[MAX_FILES];
  BdctJpegLaunch launch;        /* its numbers */
  size_t raw, samples, segments;
};

void
bdct_jpeg_decoder_free (BdctJpegDecoder * self, bool in_context)
{
  if (self == NULL)
    return;
  for (Group * group = self->group; group < self->group + GROUPS; group++) {
    if (in_context && group->stream != NULL)
      cudaStreamDestroy (group->stream);
    bdct_buffer_free (&group->upload, in_context);
    bdct_buffer_free (&group->scratch, in_context);
  }
  bdct_copier_free (self->copier);
  free (self);
}

static BdctJpegDecoder *
create (BdctError * error)
{
  BdctJpegDecoder *self = calloc (1, sizeof *self);
  bool ok = (self != NULL
      && (self->copier = bdct_copier_new (COPY_THREADS)) != NULL)
      || bdct_error (error, "out of memory");

  for (int i = 0; ok && i < GROUPS; i++)
    ok = check (cudaStreamCreateWithFlags (&self->group[i].stream,
            cudaStreamNonBlocking), "cudaStreamCreateWithFlags", error);
  if (ok)
    return self;
  bdct_jpeg_decoder_free (self, true);
  return NULL;
}

static size_t
round_up (size_t n, size_t to)
{
  return (n + to - 1) / to * to;
}

/* The number of a file's tables, which many files share. They are behind those
 * that the group has. */
static uint32_t
find_tables (BdctJpegDecoder * self)
{
  const uint32_t n = self->launch.n_tables;
  const BdctJpegTables *own = &self->tables[n];

  for (uint32_t i = 1; i <= 4 && i <= n; i++)
    if (memcmp (own, own - i, sizeof *own) == 0)
      return n - i;
  return self->launch.n_tables++;
}

/* Place a file behind those that the group has. */
static void
place (BdctJpegDecoder * self, BdctJpegFile * f)
{
  BdctJpegLaunch *all = &self->launch;

  f->tables = find_tables (self);
  f->scan = self->raw;
  self->raw += round_up (f->scan_size + BDCT_JPEG_RAW_PAD, 16);
  f->chunk = all->n_chunks;
  f->n_chunks = (f->scan_size + BDCT_JPEG_CHUNK - 1) / BDCT_JPEG_CHUNK;
  all->n_chunks += f->n_chunks;
  f->segment = self->segments;
  self->segments += f->n_segments + 1;
  f->part = all->n_parts;
  f->n_parts = round_up (f->scan_size / BDCT_JPEG_PART + 1 + f->n_segments,
      BDCT_JPEG_PARTS);
  all->n_parts += f->n_parts;
  f->tile = all->n_tiles;
  f->n_tiles = ((f->width - 1) / BDCT_JPEG_TILE_WIDTH + 1)
      * ((f->height - 1) / BDCT_JPEG_TILE_HEIGHT + 1);
  all->n_tiles += f->n_tiles;
  for (int c = 0, n = 0; c < f->n_components; c++) {
    BdctJpegComponent *own = &f->component[c];

    own->first = self->samples / 8;
    own->stride = f->mcus_across * own->h;
    for (uint32_t i = 0; i < own->h * own->v; i++)
      f->first[n++] = own->first + i / own->h * 8 * own->stride + i % own->h;
    self->samples += 64 * (size_t) own->stride
        * (f->n_mcus / f->mcus_across) * own->v;
  }
  all->n_files++;
}

/* Read headers from file `i` on into a group of so many bytes. Returns the
 * first file behind it. */
static int
gather (BdctJpegDecoder * self, Group * group, size_t bytes, BdctJpeg * files,
    int i, int n)
{
  BdctJpegLaunch *all = &self->launch;

  memset (all, 0, sizeof *all);
  self->raw = self->samples = self->segments = 0;
  for (; i < n && all->n_files < MAX_FILES && self->raw < bytes
      && self->samples < MAX_SAMPLES; i++) {
    BdctJpegFile *f = &self->file[all->n_files];
    BdctJpeg *own = &files[i];

    if (!bdct_jpeg_header (own->data, own->n_bytes, f, own->dst == NULL ? NULL
            : &self->tables[all->n_tables]))
      memset (f, 0, sizeof *f);
    own->width = f->width;
    own->height = f->height;
    own->channels = f->n_components;
    if (own->dst == NULL || f->width == 0)
      continue;
    f->dst = own->dst;
    f->dst_stride = own->stride != 0 ? own->stride
        : (ptrdiff_t) f->width * f->n_components;
    group->decoded[all->n_files] = own;
    place (self, f);
  }
  return i;
}

static void *
take (const BdctBuffer * buffer, size_t * at, size_t n, size_t size)
{
  const size_t first = *at;

  *at += round_up (n * size, ALIGN);
  return buffer->device == NULL ? NULL : buffer->device + first;
}

/* Divide a group's memory. Sets the bytes that are needed of each. */
static void
divide (const BdctJpegDecoder * self, const Group * group, BdctJpegLaunch * g,
    size_t size[2])
{
  const BdctBuffer *buffer = &group->upload;
  size_t at = 0;

  g->damaged = take (buffer, &at, g->n_files, sizeof *g->damaged);
  g->end = take (buffer, &at, g->n_files, sizeof *g->end);
  g->files = take (buffer, &at, g->n_files, sizeof *g->files);
  g->tables = take (buffer, &at, g->n_tables, sizeof *g->tables);
  g->file_of_chunk = take (buffer, &at, g->n_chunks, 4);
  g->raw = take (buffer, &at, self->raw, 1);
  size[0] = at;
  buffer = &group->scratch;
  at = 0;
  g->lookup = take (buffer, &at, g->n_tables, sizeof *g->lookup);
  g->file_of_parts = take (buffer, &at, g->n_parts / BDCT_JPEG_THREADS, 4);
  g->file_of_tile = take (buffer, &at, g->n_tiles, 4);
  g->counts = take (buffer, &at, g->n_chunks, 4);
  g->codes = take (buffer, &at, self->raw + BDCT_JPEG_CODES_PAD, 1);
  g->segment_start = take (buffer, &at, self->segments, 4);
  g->segment_part = take (buffer, &at, self->segments, 4);
  g->parts = take (buffer, &at, g->n_parts, sizeof *g->parts);
  g->start = take (buffer, &at, g->n_parts, sizeof *g->start);
  g->stop = take (buffer, &at, g->n_parts, sizeof *g->stop);
  g->sums = take (buffer, &at, g->n_parts, sizeof *g->sums);
  g->samples = take (buffer, &at, self->samples, 1);
  size[1] = at;
}

/* Where the host has what it uploads. */
static void *
on_host (const Group * group, const void *device)
{
  return group->upload.host + ((const uint8_t *) device
      - group->upload.device);
}

/* Fill what is uploaded. */
static void
fill (BdctJpegDecoder * self, const Group * group)
{
  const BdctJpegLaunch *g = &self->launch;
  uint32_t *file_of_chunk = on_host (group, g->file_of_chunk);
  uint8_t *raw = on_host (group, g->raw);

  memset (on_host (group, g->damaged), 0, g->n_files * sizeof *g->damaged);
  memset (on_host (group, g->end), 0xff, g->n_files * sizeof *g->end);
  memcpy (on_host (group, g->files), self->file,
      g->n_files * sizeof *g->files);
  memcpy (on_host (group, g->tables), self->tables,
      g->n_tables * sizeof *g->tables);
  for (uint32_t i = 0; i < g->n_files; i++) {
    const BdctJpegFile *f = &self->file[i];
    const BdctJpeg *own = group->decoded[i];
    uint8_t *from = (uint8_t *) own->data + own->n_bytes - f->scan_size;
    uint8_t *to = raw + f->scan;
    const size_t rest = f->scan_size % COPIED, whole = f->scan_size - rest;

    self->copy[i] = (BdctCopy) {
      .to = { to, COPIED },.from = { from, COPIED },.row = COPIED,
      .rows = whole / COPIED
    };
    memcpy (to + whole, from + whole, rest);
    memset (to + f->scan_size, 0, BDCT_JPEG_RAW_PAD);
    for (uint32_t k = 0; k < f->n_chunks; k++)
      *file_of_chunk++ = i;
  }
  bdct_copier_run (self->copier, self->copy, g->n_files, NULL, NULL);
}

/* Start a group that has been gathered. */
static bool
start (BdctJpegDecoder * self, Group * group, const BdctDevice * device,
    BdctEngine * engine, void *wait, BdctError * error)
{
  BdctJpegLaunch *g = &self->launch;
  size_t size[2];

  divide (self, group, g, size);
  /* That of the others is not checked: it takes longer than their headers. */
  if (!bdct_device_check_memory (device, self->file[0].dst, error)
      || !bdct_buffer_reserve (&group->upload, size[0], true, engine, error)
      || !bdct_buffer_reserve (&group->scratch, size[1], false, engine, error)
      || (wait != NULL && !bdct_stream_wait_for (group->stream,
              (cudaStream_t) wait, device->foreign, error)))
    return false;
  divide (self, group, g, size);
  fill (self, group);
  group->n = g->n_files;
  return check (cudaMemcpyAsync (group->upload.device,
          group->upload.host, size[0], cudaMemcpyHostToDevice,
          group->stream), "cudaMemcpyAsync", error)
      && check (bdct_cuda_jpeg_launch (g, group->stream), "cudaLaunchKernel",
      error)
      && check (cudaMemcpyAsync (group->upload.host, g->damaged,
          group->n * sizeof *g->damaged, cudaMemcpyDeviceToHost,
          group->stream), "cudaMemcpyAsync", error);
}

/* Wait for a group, if it is in flight. */
static bool
finish (Group * group, BdctError * error)
{
  const uint32_t *damaged = (const uint32_t *) group->upload.host;

  if (group->n > 0 && !check (cudaStreamSynchronize (group->stream),
          "cudaStreamSynchronize", error))
    return false;
  for (uint32_t i = 0; i < group->n; i++)
    group->decoded[i]->decoded = damaged[i] == 0;
  group->n = 0;
  return true;
}

bool
bdct_jpeg_decoder_run (BdctJpegDecoder ** decoder, const BdctDevice * device,
    BdctEngine * engine, BdctJpeg * files, int n, void *wait,
    BdctError * error)
{
  BdctJpegDecoder *self = *decoder != NULL ? *decoder : create (error);
  size_t bytes = FIRST_BYTES;
  bool ok = self != NULL;

  *decoder = self;
  for (int i = 0, k = 0; ok && i < n; k = (k + 1) % GROUPS) {
    ok = finish (&self->group[k], error);
    if (ok)
      i = gather (self, &self->group[k], bytes, files, i, n);
    bytes = bytes < MAX_BYTES ? 2 * bytes : bytes;
    ok = ok && (self->launch.n_files == 0
        || start (self, &self->group[k], device, engine, wait, error));
  }
  for (int k = 0; self != NULL && k < GROUPS; k++) {
    ok = ok && finish (&self->group[k], error);
    if (!ok) {
      cudaStreamSynchronize (self->group[k].stream);
      (void) cudaGetLastError ();
      self->group[k].n = 0;
    }
  }
  return ok;
}
