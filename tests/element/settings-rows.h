/* blockdct tests: the rows of test-settings.c, which says what their steps are.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bench.h"

#define MAX_STEPS 34

typedef struct
{
  const gchar *path, *caps;
  const gchar *steps[MAX_STEPS];
} Row;

#define Z100 "00000000000000000000000000000000000000000000000000" \
  "00000000000000000000000000000000000000000000000000"

/* As `quantization-matrix` that no stream can have: the old one stays. */
#define BAD_MATRIX(name, transform, matrix, said) \
  {"bad-matrix/" name, "I420 16x16", {"transform=" transform, \
      "quantization-tables=matrix", "quantization-matrix=<64x1+1>", "=", \
      "quantization-matrix=" matrix, "w:quantization-matrix|" said, "="}}

/* What is read at the start is refused until the stop, but what is in force. */
#define READY(name, now, other) \
  {"ready/" name, "", {"s:READY", "threads=1", "async-depth=1", "s:PLAYING", \
      "c:I420 16x16", name "=" other, "w:" name "|READY", "-", \
      "?" name "=" now, name "=" now, "-", "s:READY", name "=" other, "-", \
      "?" name "=" other}}

/* It is there and complete, whatever was set before. */
#define PRESET(name, transform, setting) \
  {"preset/" name, "I420 64x64", {"quantization-tables=matrix", \
      "quantization-matrix=<64x3>", "p:" name, "=", "?transform=" transform, \
      "?" setting, "?quantization-tables=annex-k"}}

#define BITS(format) \
  {"bits/" format, format " 61x35", {"metrics=bits", "each:transform"}}

#define ADVICE(name, set, said) \
  {"min-psnr/advice-" name, "I420 64x48", {"min-psnr-error=60", \
      "quantization-matrix=<64x255>", set, "x", "e:" said, "*"}}

#define LIST(name, n, first) name " =\n" #n "x" #first "+1,\n"
#define LISTS(first) LIST ("INTRA4X4_LUMA", 16, first) \
  LIST ("INTRA4X4_CHROMAU", 16, 20) LIST ("INTRA4X4_CHROMAV", 16, 40) \
  LIST ("INTRA8X8_LUMA", 64, first) LIST ("INTRA8X8_CHROMAU", 64, 20) \
  LIST ("INTRA8X8_CHROMAV", 64, 40) LIST ("INTRA16X16_LUMA", 64, first) \
  LIST ("INTRA16X16_CHROMAU", 64, 20) LIST ("INTRA16X16_CHROMAV", 64, 40) \
  LIST ("INTRA32X32_LUMA", 64, first) "INTRA16X16_LUMA_DC =\n50\n" \
  "INTRA16X16_CHROMAU_DC =\n60\nINTRA16X16_CHROMAV_DC =\n70\n" \
  "INTRA32X32_LUMA_DC =\n80\n"

#define REFUSED(caps) "C:" caps, "e:sink|videoconvert", "-"
#define SIZE(w, h) \
  "video/x-raw,width=" w ",height=" h ",framerate=25/1,format="
#define TOO_LARGE(w, h) "C:" SIZE (w, h) "GRAY8", "e:65535", "-"

#define NO_LISTS "w:scaling-list is ignored|needs a scaling-list-file"

static const Row rows[] = {
  {"matrix", "NV12 24x16", {"?quantization-matrix=<  >",
          "quantization-tables=matrix", "quantization-matrix=<128x128-1>", "=",
          "quantization-matrix=<64x128-1>", "=", "quantization-matrix=<>",
          "quantization-tables=annex-k", "="}},
  BAD_MATRIX ("63", "jpeg-8x8", "<63x1+1>", "63"),
  BAD_MATRIX ("65", "jpeg-8x8", "<65x1+1>", "65"),
  BAD_MATRIX ("1", "dct-8x8", "<1>", "1"),
  BAD_MATRIX ("129", "dct-8x8", "<129x1>", "129"),
  BAD_MATRIX ("1000", "dct-8x8", "<1000x1>", "1000"),
  BAD_MATRIX ("0", "dct-8x8", "<0,63x1>", " 0 "),
  BAD_MATRIX ("-1", "dct-8x8", "<63x1,-1>", "-1"),
  BAD_MATRIX ("32768", "dct-8x8", "<127x1,32768>", "32768"),
  BAD_MATRIX ("hevc", "hevc-8x8", "<63x1,0>", " 0 "),
  /* Which 8-bit jpeg-8x8 alone cannot have: set aside, once, not forgotten. */
  {"matrix/large", "I420_10LE 16x16", {"quantization-tables=matrix",
          "quantization-matrix=<64x300>", "=", "c:I420 16x16", "= annex-k",
          "w:quantization-tables=matrix|300", "= annex-k", "-",
          "transform=dct-8x8", "=", "transform=jpeg-8x8", "= annex-k", "w:300",
          "= annex-k", "-"}},
  {"matrix/not-set", "I420 16x16", {"quantization-tables=matrix", "= annex-k",
          "w:quantization-tables=matrix is ignored|matrix is not set",
          "= annex-k", "-"}},
  /* With a matrix there is no quality to choose. */
  {"matrix/target", "I420 16x16", {"target-psnr=30", "curve=<50>",
          "quantization-tables=matrix", "quantization-matrix=<64x9>", ".",
          "v:!target-met", "v:quality=85", "k:0", "w:A target has no effect",
          "w:curve has no effect|quantization-tables=matrix", ".", "k:0", "-",
          "transform=hevc-8x8", ".", "v:target-met", "k:1"}},
  {"presets", "I420 24x40", {"quality=30", "each:quantization-tables"}},
  {"qp", "I420 96x64", {"transform=hevc-8x8", "=", "qp=40", "=",
          "chroma-qp-offset=-12", "=", "deadzone=0.17", "=",
          "scaling-list=default", "=", "transform=hevc-quadtree", "=",
          "min-block=16", "=", "min-block=4", "max-block=8", "=",
          "lambda-scale=40", "="}},
  {"baseline", "Y444 16x32", {"quality=2", "=", "baseline=false", "=",
          "quantization-tables=matrix", "quantization-matrix=<64x250+1>", "="}},
  /* Live, read again when it is set again, scaled on request; the file may go,
   * once it is read. */
  {"file", "I420 40x24", {"=", "f:a=128*3+1", "quantization-file=@a",
          "quantization-tables=file", "=", "f:a=64*90-1",
          "quantization-file=@a", "=", "quality=30", "=",
          "quantization-scale=true", "=", "baseline=false", "quality=5", "=",
          "d:a", "=", "quantization-file=", "= annex-k",
          "w:quantization-tables=file is ignored|file is not set"}},
  /* Matrix and file are kept, whichever is in force. */
  {"file/and-matrix", "I420 16x16", {"f:b=64*7+1", "quantization-file=@b", "=",
          "quantization-matrix=<64x12>", "quantization-tables=matrix", "=",
          "quantization-tables=file", "=", "quantization-tables=klein", "=",
          "quantization-tables=matrix", "=", "?quantization-file=@b"}},
  /* Refused with file, line and value; what is no table is not kept. */
  {"file/bad", "I420 16x16", {"f:good=64*5+2", "quantization-file=@good",
          "quantization-tables=file", "=", "f:bad=# steps\n63*1+1",
          "quantization-file=@bad",
          "w:quantization-file|bad|line 9|63 of 64", "q:bad",
          "f:zero=# steps\n64*20-1\n", "quantization-file=@zero",
          "w:quantization-file|zero|line 4|step 0", "quantization-file=@none",
          "w:quantization-file|none|No such file", "q:none",
          "quantization-file=@", "w:quantization-file|not a regular file",
          "f:page=<html>\n", "quantization-file=@page",
          "w:quantization-file|page|line 1, column 1",
          "quantization-file=/" Z100 Z100 Z100 "7",
          "w:quantization-file was not changed: ...|007|File name too long",
          "?quantization-file=@good", "="}},
  {"file/large", "I420 16x16", {"f:large=128*130+1",
          "quantization-file=@large", "quantization-tables=file", "= annex-k",
          "w:quantization-tables=file is ignored|256", "baseline=false", "=",
          "baseline=true", "= annex-k",
          "w:quantization-tables=file is ignored|256"}},
  /* It may be somebody's secret: no word of it is told. */
  {"file/secret", "I420 16x16", {"f:secret=hunter2:$6$abcdef\n",
          "quantization-file=@secret",
          "w:quantization-file|line 1|!hunter|!abc",
          "scaling-list-file=@secret",
          "w:scaling-list-file|line 1|!hunter|!abc"}},
  /* Of what is longer than a table could be, nothing is read. */
  {"file/long", "I420 16x16", {"f:long=64*5+2\n# the rest is one comment",
          "t:long=16777216", "quantization-file=@long",
          "quantization-tables=file", "=", "quantization-file=",
          "quantization-tables=annex-k", "t:long=16777217",
          "quantization-file=@long",
          "w:quantization-file|long|16777217 bytes|16 MiB",
          "scaling-list-file=@long",
          "w:scaling-list-file|long|16777217 bytes|16 MiB",
          "?quantization-file=", "="}},
  {"lists", "I420 40x40", {"transform=hevc-16x16", "qp=30", "f:l=" LISTS (30),
          "scaling-list-file=@l", "=", "scaling-list=file", "=",
          "f:l=" LISTS (90), "scaling-list-file=@l", "=", "d:l", "=",
          "scaling-list=default", "="}},
  {"lists/bad", "I420 40x40", {"transform=hevc-32x32", "qp=30",
          "f:good=" LISTS (50), "scaling-list-file=@good",
          "scaling-list=file", "f:zero=INTRA4X4_LUMA =\n16, 16,\n0\n",
          "scaling-list-file=@zero",
          "w:scaling-list-file|zero|line 3|0, number 3 of INTRA4X4_LUMA",
          "f:steps=# steps\n64*16+1\n", "scaling-list-file=@steps",
          "w:scaling-list-file|line 2|16 comes before",
          "scaling-list-file=@none",
          "w:scaling-list-file|none|No such file", "?scaling-list-file=@good",
          "="}},
  {"lists/not-set", "I420 40x40", {"transform=hevc-32x32", "qp=30",
          "scaling-list=file", "= flat", NO_LISTS, "f:own=" LISTS (50),
          "scaling-list-file=@own", "="}},
  /* What is no side is refused; crossed, the largest counts. */
  {"quadtree/sides", "I420 140x90", {"min-block=8", "max-block=16",
          "min-block=5",
          "w:min-block was not changed: 5 is not 4, 8, 16 or 32.",
          "max-block=31", "w:max-block was not changed: 31 is not 4, 8,",
          "max-block=24", "w:max-block was not changed: 24 is not 4, 8,",
          "?min-block=8", "?max-block=16", "transform=hevc-quadtree", "=",
          "min-block=32", "max-block=8", ".", "v:area-8=1", "?min-block=32"}},
  {"quadtree/figures", "NV12 140x90", {"metrics=bits",
          "transform=hevc-quadtree", "=", "min-block=8", "max-block=16",
          "deadzone=0.17", "=", "min-block=4", "max-block=32",
          "lambda-scale=0", "deadzone=0.25", "=", "lambda-scale=20", "=",
          "transform=hevc-8x8", "deadzone=0.2", "="}},
  BITS ("GRAY8"), BITS ("I420"), BITS ("YV12"), BITS ("NV12"), BITS ("NV21"),
  BITS ("Y42B"), BITS ("NV16"), BITS ("Y444"), BITS ("P010_10LE"),
  BITS ("I420_10LE"), BITS ("I422_10LE"), BITS ("Y444_10LE"), BITS ("P012_LE"),
  BITS ("I420_12LE"), BITS ("I422_12LE"), BITS ("Y444_12LE"),
  {"sizes", "", {"c:I420 1x1", "=", "c:NV12 2x1", "=", "c:Y42B 1x2", "=",
          "c:P010_10LE 17x9", "=", "c:Y444_12LE 129x31", "="}},
  {"min-psnr/error", "I420 64x48", {"min-psnr-error=30", ".", "quality=3", "x",
          "e:Frame 1 at 0:00:00.04|min-psnr-error=30|jpeg-8x8",
          "min-psnr-error=0", "."}},
  /* What to do depends on where the steps come from. */
  ADVICE ("quality", "quality=3", "quality=3|a finer setting"),
  ADVICE ("qp", "transform=hevc-8x8", "qp=26|a finer setting"),
  ADVICE ("target", "target-size=1",
      "chosen for target-size=1|another target"),
  ADVICE ("matrix", "quantization-tables=matrix",
      "quantization-matrix|smaller steps"),
  /* Once, until a frame is above it again. */
  {"min-psnr/warning", "I420 64x48", {"min-psnr-warning=30", "quality=90", ".",
          "-", "quality=3", ".", "w:Frame 1 at |min-psnr-warning=30", ".", "-",
          "quality=90", ".", "-", "quality=3", ".", "w:Frame 4 at ", ".", "-"}},
  /* What was set and has no effect, once for each transform. */
  {"idle", "I420 64x48", {".", "-", "qp=26", "quality=85", ".",
          "i:qp has no effect with transform=jpeg-8x8.", "qp=20",
          "scaling-list=default", ".",
          "i:scaling-list has no effect with transform=jpeg-8x8.", "-",
          "transform=h264-8x8", "quantization-tables=matrix",
          "quantization-matrix=<64x10>", ".",
          "i:quality has no effect with transform=h264-8x8.",
          "i:scaling-list has", "i:quantization-tables has",
          "i:quantization-matrix has", ".", "-"}},
  {"idle/subsampling", "NV12 32x32", {".", "chroma-subsampling=4:4:4", ".", ".",
          "w:chroma-subsampling has no effect on NV12.", "-"}},
  /* Refused with the value and the range, or set aside by a transform. */
  {"curve/refused", "I420 16x16", {"curve=<20,60>", "curve=<20,101>",
          "w:setting 101 at index 1|0 to 100", "curve=<-1>",
          "w:setting -1 at index 0|0 to 100", "curve=<129x1>", "w:128|129",
          "curve=<most>", "w:curve was not changed|index 0",
          "?curve=< (int)20, (int)60 >", ".", "k:1", "transform=hevc-8x8", ".",
          "k:0", "w:setting 60 at index 1|0 to 51 (hevc-8x8)", "-",
          "transform=jpeg-8x8", ".", "k:1", "curve=<128x1>", "-"}},
  {"curve/one", "I420 16x16", {"curve=<20,60>", ".", "k:1", "curve=<40>", ".",
          "k:1", "-"}},
  /* Before the stream is known the order of properties does not matter. */
  {"curve/early", "", {"curve=<0,51>", "transform=hevc-8x8", "c:I420 16x16",
          ".", "k:1", "-"}},
  {"curve/early-wrong", "", {"curve=<0,51>", "c:I420 16x16", ".", "k:0",
          "w:setting 0 at index 0|1 to 100 (jpeg-8x8)", "-"}},
  /* What the user set stays so, and is in force again. */
  {"target/off", "I420 48x40", {"target-bpp=2", ".", "v:!bpp", "c:Y444 72x40",
          ".", "v:target-met", "?quality=85", "target-bpp=0", ".",
          "v:quality=85", "v:!target-met"}},
  /* All of them at once; none of those that are not asked for; and where they
   * are pooled none that a frame had not. */
  {"metrics/fields", "I420 192x176", {"metrics=ssim+ms-ssim+psnr-hvs+xpsnr",
          ".", "v:ssim", "v:ssim-u", "v:ms-ssim-y", "v:psnr-hvs",
          "v:psnr-hvs-v", "v:xpsnr-y", "V:ssim", "V:ms-ssim-y",
          "V:psnr-hvs-v", "V:xpsnr-y", "metrics=ssim", ".", "v:ssim-v",
          "v:!ms-ssim-y", "v:!psnr-hvs", "v:!xpsnr-y", "V:ssim",
          "V:!ms-ssim-y", "V:!psnr-hvs-v", "V:!xpsnr-y", "metrics=0", ".",
          "v:!ssim", "V:!ssim"}},
  /* A sum with an estimate in it is one. */
  {"metrics/bits", "I420 64x48", {"metrics=bits", ".", "V:bits", "V:file-size",
          "V:!bits-estimated", "transform=hevc-16x16", ".", "V:!bits",
          "V:!file-size", "V:bits-estimated", "E", "v:!bits",
          "v:bits-estimated"}},
  /* What the caps do not allow is said once, and is absent. */
  {"metrics", "GRAY8 64x7", {"metrics=ssim+ms-ssim+psnr-hvs", ".",
          "w:is not defined for GRAY8 64x7", "w:is not", "w:is not", "-", ".",
          "-", "v:!ssim-y", "v:!psnr-hvs-y", "c:GRAY8 64x64", ".", "v:ssim-y",
          "v:!ms-ssim-y", "v:!psnr-hvs-y", "w:is not", "w:is not", "-"}},
  {"metrics/target", "I420 8x8", {"target-ssim=0.9", "quality=30", ".",
          "v:quality=30", "v:!target-met", "w:ssim is not defined", "-"}},
  {"backend", "", {"s:NULL", "backend=cuda", "cuda-device-id=99", "F",
          "e:backend=cuda|cuda-device-id|backend=cpu|resource-error-quark 3",
          "?active-backend=", "s:NULL", "backend=%B", "cuda-device-id=-1",
          "s:PLAYING", "c:I420 16x16", "="}},
  READY ("backend", "%B", "auto"), READY ("cuda-device-id", "-1", "3"),
  READY ("threads", "1", "2"), READY ("async-depth", "1", "5"),
  READY ("stats-file", "", "/dev/null.log"),
  PRESET ("archive", "jpeg-8x8", "quality=95"),
  PRESET ("web-thumbnail", "jpeg-8x8", "quality=60"),
  PRESET ("broadcast-contribution", "hevc-16x16", "qp=17"),
  PRESET ("worst-case", "hevc-32x32", "qp=51"),
  /* The name says what is written: none that says nothing is opened. */
  {"stats-file/no-ending", "", {"s:NULL", "stats-file=@figures", "F",
          "e:figures|.log|.jsonl", "n:figures", "stats-file=@figures.json", "F",
          "e:figures.json|.log|.jsonl", "n:figures.json"}},
  {"stats-file/no-folder", "", {"s:NULL", "stats-file=@none/psnr.log", "F",
          "e:none/psnr.log|No such file"}},
  /* A full disk is an error, once, that names the file. */
  {"stats-file/full", "", {"s:NULL", "l:full.log=/dev/full", "async-depth=1",
          "stats-file=@full.log", "s:PLAYING", "c:I420 64x48", "x", "x",
          "e:No space left|stats-file|full.log", "-"}},
  /* Neither messages nor the interval matter; each start begins anew. */
  {"stats-file/again", "", {"s:NULL", "stats-file=@again.csv",
          "post-messages=false", "interval=1000000000", "s:PLAYING",
          "c:I420 64x48", ".", ".", ".", "s:READY", "s:PLAYING",
          "c:I420 64x48", ".", "s:NULL",
          "g:again.csv=\n0,120000000,|!\n2,"}},
  /* What cannot be handled is neither accepted when asked for nor when sent,
   * and what comes after good caps does no harm to them. */
  {"caps/refused", "I420 16x16", {REFUSED (SIZE ("16", "16") "GBRA"),
          REFUSED (SIZE ("16", "16") "NV12,interlace-mode=fields"),
          REFUSED (SIZE ("16", "16") "NV12,interlace-mode=alternate"),
          REFUSED ("video/x-raw(format:Interlaced),format=NV12,width=16,"
              "height=16,framerate=25/1,interlace-mode=alternate"),
          REFUSED ("video/x-raw(memory:DMABuf),format=NV12,width=16,"
              "height=16,framerate=25/1"), REFUSED (SIZE ("0", "16") "NV12"),
          REFUSED ("audio/x-raw,format=S16LE,rate=48000,channels=2,"
              "layout=interleaved"), "."}},
  {"caps/too-large", "I420 16x16", {TOO_LARGE ("65536", "1"),
          TOO_LARGE ("1", "65536"), TOO_LARGE ("2147483640", "1"),
          TOO_LARGE ("1", "2147483647"), TOO_LARGE ("65536", "65536"), "."}},
  /* Downstream wants what the element cannot make: from the start, or later.
   * (The base class has a warning without a reason.) */
  {"caps/downstream", "", {"D:video/x-raw,format=RGB", "c:I420 16x16", "n",
          "e:RGB|I420|videoconvert", "*"}},
  {"caps/downstream-later", "I420 16x16", {".", "D:video/x-raw,format=RGB", "n",
          "e:RGB|I420|videoconvert", "*"}},
};
