/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>              /* jpeglib.h wants it first */
#include <stdlib.h>
#include <string.h>
#include <jpeglib.h>
#include <jerror.h>

/* libjpeg reports errors by a function that must not return. */
typedef struct
{
  struct jpeg_error_mgr base;
  jmp_buf jump;
  BdctError *error;
} Handler;

static bool
refuse (BdctError * error, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  if (error != NULL)
    vsnprintf (error->message, sizeof error->message, format, args);
  va_end (args);
  return false;
}

static void
fail (j_common_ptr info)
{
  Handler *handler = (Handler *) info->err;
  char text[JMSG_LENGTH_MAX];

  info->err->format_message (info, text);
  refuse (handler->error, "%s", text);
  longjmp (handler->jump, 1);
}

/* libjpeg's warnings about files whose levels it has all read, as every decoder
 * reads them. */
static const int harmless[] = {
  JWRN_EXTRANEOUS_DATA,         /* stray bytes in front of a marker, as cameras
                                   write them */
  JWRN_NOT_SEQUENTIAL,          /* Ss, Se, Ah and Al of a sequential scan, which
                                   no decoder reads: Samsung's are 0 */
  JWRN_JFIF_MAJOR,              /* JFIF 2.01, 0.02 */
  JWRN_ADOBE_XFORM,             /* Adobe's transform is not one for this number
                                   of components: taken for YCbCr or YCCK */
};

/* libjpeg goes on after damage; what it makes up for lost levels is no file's.
 * All other warnings tell of that: the end of the file or of a scan's data, bad
 * Huffman and arithmetic codes, a restart marker out of order, and a refinement
 * of levels that were not there (JWRN_JPEG_EOF, _HIT_MARKER, _HUFF_BAD_CODE,
 * _ARITH_BAD_CODE, _MUST_RESYNC, _BOGUS_PROGRESSION). */
static void
judge (j_common_ptr info, int level)
{
  bool loses = level < 0;

  for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++)
    loses = loses && info->err->msg_code != harmless[i];
  if (loses)
    fail (info);
}

/* A scan costs a pass over the picture and takes few bytes of a file. */
#define MAX_SCANS 500

static void
limit_scans (j_common_ptr info)
{
  Handler *handler = (Handler *) info->err;

  if (((j_decompress_ptr) info)->input_scan_number <= MAX_SCANS)
    return;
  refuse (handler->error, "it has more than %d scans", MAX_SCANS);
  longjmp (handler->jump, 1);
}

static struct jpeg_error_mgr *
handler_init (Handler * handler, BdctError * error)
{
  struct jpeg_error_mgr *base = jpeg_std_error (&handler->base);

  base->error_exit = fail;
  base->emit_message = judge;
  handler->error = error;
  return base;
}

const char *
jpeg_file_library (void)
{
#define TEXT(x) #x
#define VALUE(x) TEXT (x)
#ifdef LIBJPEG_TURBO_VERSION
  return "libjpeg-turbo " VALUE (LIBJPEG_TURBO_VERSION);
#else
  return "libjpeg " VALUE (JPEG_LIB_VERSION);
#endif
#undef VALUE
#undef TEXT
}

void
jpeg_file_clear (JpegFile * file)
{
  free (file->levels);
  file->levels = NULL;
}

static int
divide_up (int a, int b)
{
  return (a - 1) / b + 1;
}

bool
jpeg_file_allocate (JpegFile * file, BdctError * error)
{
  int h = 1, v = 1;

  for (int c = 0; c < file->n_components; c++) {
    const JpegFileComponent *own = &file->component[c];

    h = own->h > h ? own->h : h;
    v = own->v > v ? own->v : v;
  }
  file->n_levels = 0;
  for (int c = 0; c < file->n_components; c++) {
    JpegFileComponent *own = &file->component[c];

    own->width = divide_up (file->width * own->h, h);
    own->height = divide_up (file->height * own->v, v);
    own->columns = divide_up (own->width, DCTSIZE);
    own->rows = divide_up (own->height, DCTSIZE);
    file->n_levels += (size_t) own->columns * own->rows * DCTSIZE2;
  }
  file->levels = malloc (file->n_levels * sizeof *file->levels);
  if (file->levels == NULL)
    return refuse (error, "out of memory for its levels");
  for (int16_t *levels = file->levels, c = 0; c < file->n_components; c++) {
    file->component[c].levels = levels;
    levels += (size_t) file->component[c].columns * file->component[c].rows
        * DCTSIZE2;
  }
  return true;
}

/* Reading */

static bool
set_colour (JpegFile * file, const struct jpeg_decompress_struct *info,
    BdctError * error)
{
  switch (info->jpeg_color_space) {
    case JCS_GRAYSCALE:
      file->colour = JPEG_FILE_GREY;
      break;
    case JCS_YCbCr:
      file->colour = JPEG_FILE_YCC;
      break;
    case JCS_RGB:
      file->colour = JPEG_FILE_RGB;
      break;
    case JCS_CMYK:
      file->colour = JPEG_FILE_CMYK;
      break;
    case JCS_YCCK:
      file->colour = JPEG_FILE_YCCK;
      break;
    default:
      return refuse (error, "its %d components have unknown colours",
          info->num_components);
  }
  file->n_components = info->num_components;
  return true;
}

/* Take over what the header says. */
static bool
set_header (JpegFile * file, const struct jpeg_decompress_struct *info,
    uint64_t max_pixels, BdctError * error)
{
  if ((uint64_t) info->image_width * info->image_height > max_pixels)
    return refuse (error, "%u x %u are more than %llu pixels",
        info->image_width, info->image_height,
        (unsigned long long) max_pixels);
  if (info->data_precision != 8)
    return refuse (error, "it has %d bits per sample, not 8",
        info->data_precision);
  file->width = (int) info->image_width;
  file->height = (int) info->image_height;
  if (!set_colour (file, info, error))
    return false;
  for (int c = 0; c < file->n_components; c++) {
    const jpeg_component_info *from = &info->comp_info[c];

    if (info->max_h_samp_factor % from->h_samp_factor != 0
        || info->max_v_samp_factor % from->v_samp_factor != 0)
      return refuse (error, "component %d has sampling factors %dx%d, which do "
          "not divide the largest ones, %dx%d", c, from->h_samp_factor,
          from->v_samp_factor, info->max_h_samp_factor,
          info->max_v_samp_factor);
    file->component[c].h = from->h_samp_factor;
    file->component[c].v = from->v_samp_factor;
  }
  return true;
}

/* Whether a decoder smooths the picture, as scans are missing (jdcoefct.c,
 * smoothing_ok: by the first coefficients' precision). */
static bool
is_incomplete (const struct jpeg_decompress_struct *info)
{
  if (!info->progressive_mode || info->coef_bits == NULL)
    return false;
  for (int c = 0; c < info->num_components; c++)
    for (int k = 0; k < 10; k++)
      if (info->coef_bits[c][k] != 0)
        return true;
  return false;
}

static void
copy_levels (JpegFileComponent * to, struct jpeg_decompress_struct *info,
    jvirt_barray_ptr from)
{
  for (int y = 0; y < to->rows; y++) {
    JBLOCKARRAY row = info->mem->access_virt_barray ((j_common_ptr) info, from,
        (JDIMENSION) y, 1, FALSE);

    memcpy (to->levels + (size_t) y * to->columns * DCTSIZE2, row[0],
        to->columns * sizeof row[0][0]);
  }
}

bool
jpeg_file_read (JpegFile * file, const void *data, size_t size,
    uint64_t max_pixels, BdctError * error)
{
  struct jpeg_progress_mgr progress = {.progress_monitor = limit_scans };
  struct jpeg_decompress_struct info;
  volatile bool ok = false;
  Handler handler;

  memset (file, 0, sizeof *file);
  info.err = handler_init (&handler, error);
  if (setjmp (handler.jump) != 0) {
    jpeg_destroy_decompress (&info);
    jpeg_file_clear (file);
    return false;
  }
  jpeg_create_decompress (&info);
  info.progress = &progress;
  jpeg_mem_src (&info, data, (unsigned long) size);
  jpeg_read_header (&info, TRUE);
  if (set_header (file, &info, max_pixels, error)) {
    jvirt_barray_ptr *arrays = jpeg_read_coefficients (&info);

    if (is_incomplete (&info)) {
      refuse (error, "it is progressive and lacks scans");
    } else if (jpeg_file_allocate (file, error)) {
      for (int c = 0; c < file->n_components; c++) {
        const JQUANT_TBL *table = info.comp_info[c].quant_table;

        for (int k = 0; k < DCTSIZE2; k++)
          file->component[c].steps[k] = table != NULL ? table->quantval[k] : 1;
        copy_levels (&file->component[c], &info, arrays[c]);
      }
      jpeg_finish_decompress (&info);
      ok = true;
    }
  }
  jpeg_destroy_decompress (&info);
  return ok;
}

/* Writing */

/* Set `info` as cjpeg does before it writes. */
static void
describe (struct jpeg_compress_struct *info, const JpegFile * file,
    const JpegFileOptions * options)
{
  static const J_COLOR_SPACE colours[] = { JCS_GRAYSCALE, JCS_YCbCr, JCS_RGB,
    JCS_CMYK, JCS_YCCK
  };
  static const jpeg_scan_info apart[JPEG_FILE_MAX_COMPONENTS] = {
    {1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0},
    {1, {3}, 0, 63, 0, 0}
  };
  int n_tables = 0, n_blocks = 0, owner[NUM_QUANT_TBLS];

  info->image_width = (JDIMENSION) file->width;
  info->image_height = (JDIMENSION) file->height;
  info->input_components = file->n_components;
  info->in_color_space = colours[file->colour];
  jpeg_set_defaults (info);
#if JPEG_LIB_VERSION >= 80
  /* With this interface (Ubuntu) jpeg_write_coefficients() does not do it. */
  jpeg_calc_jpeg_dimensions (info);
#endif
  jpeg_set_colorspace (info, colours[file->colour]);
  for (int c = 0; c < file->n_components; c++) {
    const JpegFileComponent *own = &file->component[c];
    static const unsigned int none[DCTSIZE2];
    /* Chroma has a table of its own even if it equals luma's, as in cjpeg. */
    int t = info->comp_info[c].quant_tbl_no > 0 && n_tables > 0;

    while (t < n_tables && memcmp (file->component[owner[t]].steps, own->steps,
            sizeof own->steps) != 0)
      t++;
    if (t == n_tables) {
      jpeg_add_quant_table (info, t, none, 100, FALSE);
      /* It would make 1 of 0, and 32767 of more. */
      memcpy (info->quant_tbl_ptrs[t]->quantval, own->steps, sizeof own->steps);
      owner[n_tables++] = c;
    }
    info->comp_info[c].quant_tbl_no = t;
    info->comp_info[c].h_samp_factor = own->h;
    info->comp_info[c].v_samp_factor = own->v;
    n_blocks += own->h * own->v;
  }
  if (n_blocks > C_MAX_BLOCKS_IN_MCU) {
    info->scan_info = apart;
    info->num_scans = file->n_components;
  }
  info->optimize_coding = options->optimize;
  if (options->progressive)
    jpeg_simple_progression (info);
}

static void
put_levels (const JpegFileComponent * from, struct jpeg_compress_struct *info,
    jvirt_barray_ptr to)
{
  for (int y = 0; y < from->rows; y++) {
    JBLOCKARRAY row = info->mem->access_virt_barray ((j_common_ptr) info, to,
        (JDIMENSION) y, 1, TRUE);

    memcpy (row[0], from->levels + (size_t) y * from->columns * DCTSIZE2,
        from->columns * sizeof row[0][0]);
  }
}

/* libjpeg checks this in its portable code alone. */
static bool
check_levels (const JpegFile * file, BdctError * error)
{
  for (int c = 0; c < file->n_components; c++) {
    const JpegFileComponent *own = &file->component[c];
    const size_t n = (size_t) own->columns * own->rows * DCTSIZE2;

    for (size_t i = 0; i < n; i++)
      if (own->levels[i] < -1023 - (i % DCTSIZE2 == 0)
          || own->levels[i] > 1023)
        return refuse (error, "level %d of component %d, block %zu, is outside "
            "-1023 to 1023", own->levels[i], c, i / DCTSIZE2);
  }
  return true;
}

bool
jpeg_file_write (const JpegFile * file, const JpegFileOptions * options,
    unsigned char **data, size_t *size, BdctError * error)
{
  struct jpeg_compress_struct info;
  jvirt_barray_ptr arrays[JPEG_FILE_MAX_COMPONENTS];
  unsigned long length = 0;
  Handler handler;

  *data = NULL;
  if (!check_levels (file, error))
    return false;
  info.err = handler_init (&handler, error);
  info.dest = NULL;
  if (setjmp (handler.jump) != 0) {
    /* It grows a buffer of its own, which this makes the caller's. */
    if (info.dest != NULL)
      info.dest->term_destination (&info);
    jpeg_destroy_compress (&info);
    free (*data);
    *data = NULL;
    return false;
  }
  jpeg_create_compress (&info);
  jpeg_mem_dest (&info, data, &length);
  describe (&info, file, options);
  for (int c = 0; c < file->n_components; c++) {
    const JpegFileComponent *own = &file->component[c];

    arrays[c] = info.mem->request_virt_barray ((j_common_ptr) & info,
        JPOOL_IMAGE, TRUE, (JDIMENSION) (divide_up (own->columns, own->h)
            * own->h), (JDIMENSION) (divide_up (own->rows, own->v) * own->v),
        (JDIMENSION) own->v);
  }
  jpeg_write_coefficients (&info, arrays);
  for (int c = 0; c < file->n_components; c++)
    put_levels (&file->component[c], &info, arrays[c]);
  jpeg_finish_compress (&info);
  jpeg_destroy_compress (&info);
  *size = length;
  return true;
}

/* Decoding */

bool
jpeg_file_decode (JpegPicture * picture, const void *data, size_t size,
    uint64_t max_pixels, BdctError * error)
{
  struct jpeg_progress_mgr progress = {.progress_monitor = limit_scans };
  struct jpeg_decompress_struct info;
  Handler handler;

  memset (picture, 0, sizeof *picture);
  info.err = handler_init (&handler, error);
  if (setjmp (handler.jump) != 0) {
    jpeg_destroy_decompress (&info);
    free (picture->pixels);
    picture->pixels = NULL;
    return false;
  }
  jpeg_create_decompress (&info);
  info.progress = &progress;
  jpeg_mem_src (&info, data, (unsigned long) size);
  jpeg_read_header (&info, TRUE);
  if ((uint64_t) info.image_width * info.image_height > max_pixels) {
    refuse (error, "%u x %u are more than %llu pixels", info.image_width,
        info.image_height, (unsigned long long) max_pixels);
    longjmp (handler.jump, 1);
  }
  info.out_color_space = info.num_components == 1 ? JCS_GRAYSCALE
      : info.num_components == 4 ? JCS_CMYK : JCS_RGB;
  jpeg_start_decompress (&info);
  picture->width = (int) info.output_width;
  picture->height = (int) info.output_height;
  picture->channels = info.output_components;
  picture->pixels = malloc ((size_t) picture->width * picture->height
      * picture->channels);
  if (picture->pixels == NULL) {
    refuse (error, "out of memory for its pixels");
    longjmp (handler.jump, 1);
  }
  while (info.output_scanline < info.output_height) {
    const size_t n = (size_t) picture->width * picture->channels;
    JSAMPROW row = picture->pixels + info.output_scanline * n;

    jpeg_read_scanlines (&info, &row, 1);
    for (size_t i = 0; picture->channels == 4 && i < n; i++)
      row[i] = 255 - row[i];
  }
  jpeg_finish_decompress (&info);
  jpeg_destroy_decompress (&info);
  return true;
}
