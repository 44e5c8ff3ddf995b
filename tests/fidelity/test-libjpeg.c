/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jpeg-8x8 on an engine against libjpeg: encode and decode with the islow
 * method through the raw-data interface, which keeps colour conversion and
 * chroma filters out of it. Every sample, the count of non-zero coefficients
 * and the bits of the scan must be the same, with Annex K's Huffman tables and
 * with optimal ones, and the size of the file within 0.5%; that of the frame as
 * it is coded (cpu/jpeg-file.h), to the byte. */
#include "cpu/jpeg-file.h"
#include "frame.h"
#include "reference-rate.h"

#ifdef HAVE_LIBJPEG
#include <math.h>
#include <stdio.h>              /* jpeglib.h wants it first */
#include <stdlib.h>
#include <string.h>
#include <jpeglib.h>
#include "scan.h"

#define BLOCK DCTSIZE

/* The rows of one component, padded to what libjpeg reads and writes: whole
 * groups of MCUs. */
typedef struct {
  int stride, height;
  JSAMPLE *sample;
} Rows;

static const struct
{
  Format format;
  int n_components, h, v;       /* luma's sampling factors; chroma's are 1 */
} formats[] = {
  {FORMAT_GRAY, 1, 1, 1},
  {FORMAT_I420, 3, 2, 2},
  {FORMAT_Y42B, 3, 2, 1},
  {FORMAT_Y444, 3, 1, 1},
};

static BdctEngine *engine;

/* Replicate the last column and row into the padding. */
static void
rows_from_picture (Rows * rows, const Picture * picture, int c)
{
  for (int y = 0; y < rows->height; y++)
    for (int x = 0; x < rows->stride; x++) {
      int px = MIN (x, picture->width[c] - 1);
      int py = MIN (y, picture->height[c] - 1);

      rows->sample[y * rows->stride + x] =
          picture->sample[c][py * picture->width[c] + px];
    }
}

static void
rows_of_group (const Rows * rows, int n, int group, JSAMPROW pointers[3][16],
    JSAMPARRAY planes[3], const jpeg_component_info * info)
{
  for (int c = 0; c < n; c++) {
    int lines = info[c].v_samp_factor * BLOCK;

    for (int i = 0; i < lines; i++)
      pointers[c][i] = rows[c].sample
          + (gsize) (group * lines + i) * rows[c].stride;
    planes[c] = pointers[c];
  }
}

/* As cjpeg does for -quality, -qtables, -qslots 0 and -baseline. */
static void
set_tables (j_compress_ptr info, const BdctParams * params)
{
  const BdctTables *tables = &params->tables;
  int scale = jpeg_quality_scaling (params->quality);
  unsigned int base[DCTSIZE2];

  jpeg_set_quality (info, params->quality, params->baseline);
  if (tables->n_steps == 0 && params->preset == BDCT_PRESET_ANNEX_K)
    return;
  for (int t = 0; t < 2; t++) {
    for (int i = 0; i < DCTSIZE2; i++)
      base[i] = tables->n_steps > 0
          ? tables->steps[tables->n_steps == 128 ? DCTSIZE2 * t + i : i]
          : bdct_preset_info (params->preset)->step[t][i];
    jpeg_add_quant_table (info, t, base, tables->n_steps > 0
        && !params->scale_tables ? 100 : scale, params->baseline);
  }
}

static void
encode (const Picture * picture, guint f, const BdctParams * params,
    gboolean optimize, Rows * rows, unsigned char **bytes,
    unsigned long *length)
{
  struct jpeg_compress_struct info;
  struct jpeg_error_mgr error;
  JSAMPROW pointers[3][16];
  JSAMPARRAY planes[3];

  info.err = jpeg_std_error (&error);
  error.trace_level = -1;       /* no word of steps above 255 */
  jpeg_create_compress (&info);
  jpeg_mem_dest (&info, bytes, length);
  info.image_width = picture->width[0];
  info.image_height = picture->height[0];
  info.input_components = formats[f].n_components;
  info.in_color_space = info.input_components == 1 ? JCS_GRAYSCALE : JCS_YCbCr;
  jpeg_set_defaults (&info);
  set_tables (&info, params);
  info.dct_method = JDCT_ISLOW;
  info.optimize_coding = optimize;
  info.raw_data_in = TRUE;
  info.comp_info[0].h_samp_factor = formats[f].h;
  info.comp_info[0].v_samp_factor = formats[f].v;
  jpeg_start_compress (&info, TRUE);
  for (int c = 0; c < info.num_components; c++)
    rows_from_picture (&rows[c], picture, c);
  for (int group = 0; info.next_scanline < info.image_height; group++) {
    rows_of_group (rows, info.num_components, group, pointers, planes,
        info.comp_info);
    jpeg_write_raw_data (&info, planes, formats[f].v * BLOCK);
  }
  jpeg_finish_compress (&info);
  jpeg_destroy_compress (&info);
}

static void
decode (unsigned char *bytes, unsigned long length, Rows * rows,
    Picture * picture)
{
  struct jpeg_decompress_struct info;
  struct jpeg_error_mgr error;
  JSAMPROW pointers[3][16];
  JSAMPARRAY planes[3];

  info.err = jpeg_std_error (&error);
  jpeg_create_decompress (&info);
  jpeg_mem_src (&info, bytes, length);
  jpeg_read_header (&info, TRUE);
  info.dct_method = JDCT_ISLOW;
  info.raw_data_out = TRUE;
  info.do_fancy_upsampling = FALSE;
  info.out_color_space = info.jpeg_color_space;
  jpeg_start_decompress (&info);
  for (int group = 0; info.output_scanline < info.output_height; group++) {
    rows_of_group (rows, info.num_components, group, pointers, planes,
        info.comp_info);
    jpeg_read_raw_data (&info, planes, info.max_v_samp_factor * BLOCK);
  }
  for (int c = 0; c < info.num_components; c++)
    for (int i = 0; i < picture->width[c] * picture->height[c]; i++)
      picture->sample[c][i] = rows[c].sample[i / picture->width[c]
          * rows[c].stride + i % picture->width[c]];
  jpeg_finish_decompress (&info);
  jpeg_destroy_decompress (&info);
}

/* What is said of a file's coefficients. Those that are not 0 are of the blocks
 * a component has samples in, not of those that fill up its MCUs. */
typedef struct
{
  guint64 nonzero[3];
  guint64 bits[3];              /* with the file's tables */
  guint64 scan;                 /* bytes of the scan, stuffing left out */
} FileFacts;

static void
code_lengths (const JHUFF_TBL * table, int *length)
{
  const UINT8 *symbol = table->huffval;

  memset (length, 0, 256 * sizeof *length);
  for (int size = 1; size <= 16; size++)
    for (int i = 0; i < table->bits[size]; i++)
      length[*symbol++] = size;
}

static void
read_facts (unsigned char *bytes, unsigned long length,
    const Picture * picture, guint f, FileFacts * facts)
{
  struct jpeg_decompress_struct info;
  struct jpeg_error_mgr error;
  jvirt_barray_ptr *arrays;
  int mcus_across, mcus_down;

  info.err = jpeg_std_error (&error);
  jpeg_create_decompress (&info);
  jpeg_mem_src (&info, bytes, length);
  jpeg_read_header (&info, TRUE);
  arrays = jpeg_read_coefficients (&info);
  facts->scan = jpeg_count_scan (bytes, length);
  mcus_across = (picture->width[0] + BLOCK * formats[f].h - 1)
      / (BLOCK * formats[f].h);
  mcus_down = (picture->height[0] + BLOCK * formats[f].v - 1)
      / (BLOCK * formats[f].v);
  for (int c = 0; c < info.num_components; c++) {
    int across = (picture->width[c] + BLOCK - 1) / BLOCK;
    int down = (picture->height[c] + BLOCK - 1) / BLOCK;
    int *levels = g_new (int, across * down * DCTSIZE2), lengths[256];
    RefScan scan = { across, down, c ? 1 : formats[f].h, c ? 1 : formats[f].v,
      levels
    };
    RefSymbols symbols = { {0}, {0} };

    facts->nonzero[c] = 0;
    for (int y = 0; y < down; y++) {
      JBLOCKARRAY row = info.mem->access_virt_barray ((j_common_ptr) & info,
          arrays[c], y, 1, FALSE);

      for (int x = 0; x < across; x++)
        for (int i = 0; i < DCTSIZE2; i++) {
          facts->nonzero[c] += row[0][x][i] != 0;
          levels[((y * BLOCK + i / BLOCK) * across + x) * BLOCK + i % BLOCK] =
              row[0][x][i];
        }
    }
    ref_symbols (&scan, mcus_across, mcus_down, &symbols);
    code_lengths (info.dc_huff_tbl_ptrs[info.comp_info[c].dc_tbl_no], lengths);
    facts->bits[c] = ref_symbol_bits (symbols.dc, lengths);
    code_lengths (info.ac_huff_tbl_ptrs[info.comp_info[c].ac_tbl_no], lengths);
    facts->bits[c] += ref_symbol_bits (symbols.ac, lengths);
    g_free (levels);
  }
  jpeg_finish_decompress (&info);
  jpeg_destroy_decompress (&info);
}

/* What the model of the file's size may be off. Samples at their ends, and
 * blocks that are all alike, make the same bytes again and again, of which a
 * model of chances knows nothing. */
#define NATURAL 0.005
#define ARTIFICIAL 0.1

/* What it is off, worst of the files of the first sort. */
static struct
{
  guint files;
  double worst[2];
} sizes_off;

/* A file's bits by component, in total and as it is, against the engine's; and
 * its size, to `share` of it or some bytes of small ones. */
static gboolean
check_bits (const FileFacts * facts, const BdctStats * stats,
    gboolean optimize, unsigned long length, guint f, int quality,
    const Picture * picture, const char *what, double share)
{
  guint64 bits = optimize ? stats->bits_optimized
      : bdct_stats_total (stats).bits;
  guint64 sum = facts->bits[0] + facts->bits[1] + facts->bits[2];
  guint64 size = optimize ? stats->file_size_optimized : stats->file_size;
  double off = fabs ((double) size - length) / length;
  gboolean ok = bits == sum && (bits + 7) / 8 == facts->scan
      && off * length <= MAX (share * length, 16);

  for (int c = 0; c < 3 && !optimize; c++)
    ok = ok && stats->component[c].bits == facts->bits[c];
  tally_add (1, !ok);
  if (share <= NATURAL) {
    sizes_off.files++;
    sizes_off.worst[optimize] = MAX (sizes_off.worst[optimize], off);
  }
  if (!ok)
    g_test_fail_printf ("%s %s %dx%d quality %d %s: %" G_GUINT64_FORMAT
        " bits (%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %"
        G_GUINT64_FORMAT "), libjpeg %" G_GUINT64_FORMAT " (%"
        G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT ") in %"
        G_GUINT64_FORMAT " bytes; file %" G_GUINT64_FORMAT ", libjpeg %lu",
        what, format_names[formats[f].format], picture->width[0],
        picture->height[0], quality, optimize ? "optimized" : "Annex K", bits,
        stats->component[0].bits, stats->component[1].bits,
        stats->component[2].bits, sum, facts->bits[0], facts->bits[1],
        facts->bits[2], facts->scan, size, length);
  return ok;
}

/* The size of the file of a coded frame, of planes and of pairs. */
static gboolean
check_coded (const Picture * picture, const BdctParams * params, guint f,
    unsigned long length)
{
  static const Format same[][2] = {
    {FORMAT_GRAY, FORMAT_GRAY}, {FORMAT_I420, FORMAT_NV21},
    {FORMAT_Y42B, FORMAT_NV16}, {FORMAT_Y444, FORMAT_Y444}
  };
  gboolean ok = TRUE;

  for (guint i = 0; i < 2 && ok; i++) {
    BdctLayout layout;
    BdctError error;
    guint64 size;
    BdctJob job;
    Frame src;

    format_layout (same[f][i], 8, 0, picture->width[0], picture->height[0],
        &layout);
    frame_init (&src, &layout, STRIDE_ODD);
    frame_put (&src, &layout, picture, FALSE);
    g_assert_true (bdct_job_init (&job, params, &layout, NULL));
    g_assert_true (bdct_file_size (&layout, &job, &src.image, &size, &error));
    ok = size == length;
    if (!ok)
      g_test_fail_printf ("%s %dx%d quality %d: coded %" G_GUINT64_FORMAT
          " bytes, libjpeg %lu", format_names[same[f][i]], picture->width[0],
          picture->height[0], params->quality, size, length);
    frame_clear (&src);
  }
  return ok;
}

/* FALSE at the first difference. */
static gboolean
check (const Picture * picture, const BdctLayout * layout, guint f,
    const BdctParams * params, const char *what, double share)
{
  const int quality = params->quality;
  FileFacts facts = { {0}, {0}, 0 };
  Rows rows[3] = { 0 };
  unsigned char *bytes = NULL;
  unsigned long length = 0;
  Picture theirs, ours;
  gboolean ok = TRUE;
  BdctStats stats;
  Frame src, dst;
  BdctJob job;
  BdctFrame frame = {.quantizers = &job,.n_quantizers = 1,.bits = true };

  for (int c = 0; c < formats[f].n_components; c++) {
    int v = c ? 1 : formats[f].v, h = c ? 1 : formats[f].h;
    int group = BLOCK * v;

    rows[c].stride = (picture->width[c] + BLOCK * h - 1) / (BLOCK * h)
        * BLOCK * h;
    rows[c].height = (picture->height[c] + group - 1) / group * group;
    rows[c].sample = g_malloc ((gsize) rows[c].stride * rows[c].height);
  }
  picture_init (&theirs, layout);
  picture_init (&ours, layout);
  encode (picture, f, params, FALSE, rows, &bytes, &length);
  decode (bytes, length, rows, &theirs);
  read_facts (bytes, length, picture, f, &facts);

  frame_init (&src, layout, STRIDE_TIGHT);
  frame_init (&dst, layout, STRIDE_ODD);
  frame_put (&src, layout, picture, FALSE);
  g_assert_true (bdct_job_init (&job, params, layout, NULL));
  g_assert_true (engine->klass->configure (engine, layout, 1, NULL));
  frame.src = src.image;
  frame.dst = dst.image;
  g_assert_true (engine->klass->submit (engine, &frame, NULL));
  g_assert_true (engine->klass->collect (engine, &stats, NULL));
  frame_get (&dst, layout, &ours);

  for (int c = 0; c < formats[f].n_components && ok; c++) {
    for (int i = 0; i < ours.width[c] * ours.height[c] && ok; i++)
      if (ours.sample[c][i] != theirs.sample[c][i]) {
        tally_add (0, 1);
        g_test_fail_printf ("%s %s %dx%d quality %d component %d (%d, %d): "
            "%d, libjpeg %d", what, format_names[formats[f].format],
            picture->width[0], picture->height[0], quality, c,
            i % ours.width[c], i / ours.width[c], ours.sample[c][i],
            theirs.sample[c][i]);
        ok = FALSE;
      }
    tally_add (ours.width[c] * ours.height[c], 0);
    if (ok && stats.component[c].nonzero != facts.nonzero[c]) {
      g_test_fail_printf ("%s %s %dx%d quality %d component %d: %"
          G_GUINT64_FORMAT " levels are not 0, libjpeg %" G_GUINT64_FORMAT,
          what, format_names[formats[f].format], picture->width[0],
          picture->height[0], quality, c, stats.component[c].nonzero,
          facts.nonzero[c]);
      ok = FALSE;
    }
  }
  ok = ok && check_bits (&facts, &stats, FALSE, length, f, quality, picture,
      what, share) && check_coded (picture, params, f, length);
  free (bytes);
  bytes = NULL;
  encode (picture, f, params, TRUE, rows, &bytes, &length);
  read_facts (bytes, length, picture, f, &facts);
  ok = ok && check_bits (&facts, &stats, TRUE, length, f, quality, picture,
      what, share);
  for (int c = 0; c < 3; c++)
    g_free (rows[c].sample);
  free (bytes);
  frame_clear (&src);
  frame_clear (&dst);
  picture_clear (&theirs);
  picture_clear (&ours);
  return ok;
}

/* All qualities, at sizes that are and are not whole blocks and MCUs. */
static void
test_synthetic (gconstpointer data)
{
  Content content = GPOINTER_TO_INT (data);
  static const int sizes[][2] = {
    {64, 48}, {1, 1}, {93, 61}, {17, 9}, {23, 50}, {8, 16}, {41, 7}, {7, 9},
    {17, 33}
  };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
    for (int quality = 1; quality <= 100; quality++) {
      const int *size = sizes[(quality + f) % G_N_ELEMENTS (sizes)];
      BdctParams params = BDCT_PARAMS_DEFAULT;
      BdctLayout layout;
      Picture picture;
      gboolean ok;

      params.quality = quality;
      format_layout (formats[f].format, 8, 0, size[0], size[1], &layout);
      picture_init (&picture, &layout);
      picture_fill (&picture, content, &layout, BDCT_JPEG_8X8, quality);
      ok = check (&picture, &layout, f, &params, "synthetic",
          content > CONTENT_RANDOM ? ARTIFICIAL : NATURAL);
      picture_clear (&picture);
      if (!ok)
        return;
    }
}

/* The blocks that drive the sums of both passes to their ends. */
static void
test_basis (void)
{
  for (int quality = 1; quality <= 100; quality += 3)
    for (int content = CONTENT_BASIS; content <= CONTENT_BASIS_NEGATED;
        content++) {
      BdctParams params = BDCT_PARAMS_DEFAULT;
      BdctLayout layout;
      Picture picture;
      gboolean ok;

      params.quality = quality;
      format_layout (FORMAT_GRAY, 8, 0, 64, 64, &layout);
      picture_init (&picture, &layout);
      picture_fill (&picture, content, &layout, BDCT_JPEG_8X8, 0);
      ok = check (&picture, &layout, 0, &params, "basis", ARTIFICIAL);
      picture_clear (&picture);
      if (!ok)
        return;
    }
}

/* A natural picture; its parts stand for chroma, odd sizes included. */
static void
test_barbara (void)
{
  Picture barbara;

  if (!picture_load (&barbara, "barbara.pgm"))
    return;
  for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
    for (int quality = 1; quality <= 100; quality++) {
      gboolean whole = f == 0 && quality % 10 == 5;
      int width = whole ? barbara.width[0] : 201 - quality % 7;
      int height = whole ? barbara.height[0] : 155 - quality % 5;
      BdctParams params = BDCT_PARAMS_DEFAULT;
      BdctLayout layout;
      Picture part;
      gboolean ok;

      params.quality = quality;
      format_layout (formats[f].format, 8, 0, width, height, &layout);
      picture_init (&part, &layout);
      for (int c = 0; c < formats[f].n_components; c++)
        for (int y = 0; y < part.height[c]; y++)
          for (int x = 0; x < part.width[c]; x++) {
            int from_x = (x + 150 * c + (whole ? 0 : quality))
                % barbara.width[0];
            int from_y = (y + 90 * c + (whole ? 0 : 2 * quality))
                % barbara.height[0];

            part.sample[c][y * part.width[c] + x] =
                barbara.sample[0][from_y * barbara.width[0] + from_x];
          }
      ok = check (&part, &layout, f, &params, "barbara", NATURAL);
      picture_clear (&part);
      if (!ok) {
        picture_clear (&barbara);
        return;
      }
    }
  picture_clear (&barbara);
}

/* libjpeg-turbo divides by 8 times the step, in 16 bits: with a larger one than
 * this it does not quantize by what its file says. */
#define MAX_LIBJPEG_STEP 8191

static gboolean
is_libjpeg_right (const BdctJob * job)
{
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < DCTSIZE2; i++)
      if (job->component[c].quant[i] > MAX_LIBJPEG_STEP)
        return FALSE;
  return TRUE;
}

/* Every preset and a file's tables, scaled and as they are, with and without
 * the limit of baseline. */
static void
test_tables (gconstpointer data)
{
  Content content = GPOINTER_TO_INT (data);
  guint n = 0;

  for (int kind = 0; kind < BDCT_N_PRESETS + 4; kind++)
    for (int quality = 1; quality <= 100; quality += quality < 10 ? 1 : 7)
      for (int baseline = 0; baseline < 2; baseline++) {
        guint f = n++ % G_N_ELEMENTS (formats);
        BdctParams params = BDCT_PARAMS_DEFAULT;
        int file = kind - BDCT_N_PRESETS;
        BdctLayout layout;
        Picture picture;
        BdctJob job;
        gboolean ok;

        params.quality = quality;
        params.baseline = baseline;
        if (file < 0) {
          params.preset = kind;
        } else {
          params.scale_tables = file & 1;
          params.tables.n_steps = file & 2 ? 64 : 128;
          for (int i = 0; i < params.tables.n_steps; i++)
            params.tables.steps[i] = 1 + (i * 37 + quality * 11) % 255;
        }
        format_layout (formats[f].format, 8, 0, 43 + quality % 5, 29, &layout);
        g_assert_true (bdct_job_init (&job, &params, &layout, NULL));
        if (!is_libjpeg_right (&job))
          continue;
        picture_init (&picture, &layout);
        picture_fill (&picture, content, &layout, BDCT_JPEG_8X8, quality);
        ok = check (&picture, &layout, f, &params, "tables", ARTIFICIAL);
        picture_clear (&picture);
        if (!ok) {
          g_test_message ("kind %d, baseline %d", kind, baseline);
          return;
        }
      }
}

int
main (int argc, char **argv)
{
  BdctEngine *engines[MAX_ENGINES];
  guint n_engines;
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  n_engines = engines_open (engines);
  engine = engines[0];
  g_test_add_func ("/libjpeg/barbara", test_barbara);
  g_test_add_data_func ("/libjpeg/smooth", GINT_TO_POINTER (CONTENT_SMOOTH),
      test_synthetic);
  g_test_add_data_func ("/libjpeg/random", GINT_TO_POINTER (CONTENT_RANDOM),
      test_synthetic);
  g_test_add_data_func ("/libjpeg/extreme", GINT_TO_POINTER (CONTENT_EXTREME),
      test_synthetic);
  g_test_add_data_func ("/libjpeg/checker", GINT_TO_POINTER (CONTENT_CHECKER),
      test_synthetic);
  g_test_add_func ("/libjpeg/basis", test_basis);
  g_test_add_data_func ("/libjpeg/tables/smooth",
      GINT_TO_POINTER (CONTENT_SMOOTH), test_tables);
  g_test_add_data_func ("/libjpeg/tables/random",
      GINT_TO_POINTER (CONTENT_RANDOM), test_tables);
  g_test_add_data_func ("/libjpeg/tables/extreme",
      GINT_TO_POINTER (CONTENT_EXTREME), test_tables);
  status = g_test_run ();
  tally_print ("libjpeg, islow, raw data");
  g_test_message ("bits of %u files; sizes within %.2f%%, with optimal "
      "tables %.2f%%", sizes_off.files, 100 * sizes_off.worst[0],
      100 * sizes_off.worst[1]);
  engines_close (engines, n_engines);
  return status;
}

#else
#include "absent.h"

int
main (int argc, char **argv)
{
  return run_absent (argc, argv, "/libjpeg/absent",
      "built without libjpeg; install libjpeg-dev and reconfigure");
}
#endif
