/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernels of H.265's transforms and vvc-64x64 on the tensor cores, with
 * emulated ones, against the definition: samples, levels, records of blocks and
 * sums, whatever the size, the depth, the QP and the content. */
#include "tensor-emulation.h"
#include "cuda/tensor/tensor.cu"

#include <stdio.h>
#include <vector>
extern "C"
{
#include "reference.h"
}

extern "C" void
fake_die (const char *what)
{
  fprintf (stderr, "%s\n", what);
  abort ();
}

namespace {

uint64_t seed = 1;

unsigned
random_below (unsigned n)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (unsigned) (seed >> 33) % n;
}

/* As every file has them: at 32x32 U and V have 16x16's. */
void
draw_lists (BdctScalingLists &lists)
{
  const int range = random_below (2) ? 24 : BDCT_MAX_FACTOR - BDCT_MIN_FACTOR
      + 1;

  for (int s = 0; s < BDCT_N_SCALING_SIZES; s++)
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
      for (int i = 0; i <= 64; i++)
        (i < 64 ? lists.factor[s][c][i] : lists.dc[s][c]) = s == 3 && c > 0
            ? (i < 64 ? lists.factor[2][c][i] : lists.dc[2][c])
            : s < 2 && i == 64 ? lists.factor[s][c][0]
            : BDCT_MIN_FACTOR + random_below (range);
}

/* One plane, and what is asked of it. */
struct Case
{
  BdctParams params;
  BdctLayout layout;
  BdctJob job[2];               /* by quantizer */
  int offset;                   /* of the samples, from a multiple of 16 */
  bool records, levels, maps, output;
};

struct Results
{
  std::vector<uint8_t> samples;
  /* By interleaved component, each with some behind that stay as they are */
  std::vector<BdctBlockRecord> records;
  std::vector<BdctLevel> levels;
  BdctCudaAccumulator sum;
};

constexpr int kMargin = 64;
constexpr BdctLevel kUnset = 0x5a5a;

int
stride_of (const Case &c)
{
  return (c.layout.plane[0].width * c.layout.plane[0].interleave
      * bdct_layout_sample_size (&c.layout) + 15 & ~15) + c.offset % 3 * 16
      + (c.offset == 0 ? 0 : 2);
}

/* The blocks of a component. */
int
count_blocks (const Case &c)
{
  const BdctPlaneLayout &plane = c.layout.plane[0];
  const int n = c.job[0].component[plane.component[0]].log2_width;

  return (((plane.width - 1) >> n) + 1) * (((plane.height - 1) >> n) + 1);
}

int
get (const Case &c, const uint8_t *samples, int x, int y, int i)
{
  const BdctPlaneLayout &plane = c.layout.plane[0];

  return bdct_sample_get (samples + kMargin + c.offset + y * stride_of (c),
      x * plane.interleave + i, bdct_layout_sample_size (&c.layout),
      plane.shift, (1 << c.layout.depth) - 1);
}

void
draw (const Case &c, std::vector<uint8_t> &samples)
{
  const BdctPlaneLayout &plane = c.layout.plane[0];
  const int peak = (1 << c.layout.depth) - 1;

  for (int i = 0; i < plane.interleave; i++) {
    const BdctComponent component = plane.component[i];
    const int side = ref_block_size (c.params.transform, c.layout.chroma,
        component);
    unsigned sort = 0;
    int u[2] = {}, v[2] = {};

    for (int y = 0; y < plane.height; y++)
      for (int x = 0; x < plane.width; x++) {
        int s = (int) random_below (peak + 1);

        if (x % side == 0 && y % side == 0) {
          sort = random_below (5);
          for (int k = 0; k < 2; k++) {
            u[k] = random_below (side);
            v[k] = random_below (2) ? 0 : random_below (side);
          }
        }
        const auto sign = [&] (int k) {
          return ref_basis_sign (c.params.transform, c.layout.chroma, component,
              u[k], x % side) * ref_basis_sign (c.params.transform,
              c.layout.chroma, component, v[k], y % side) < 0;
        };
        if (sort == 1)
          s = s & 1 ? peak : 0;
        else if (sort == 2)
          s = sign (0) ? 0 : peak;
        else if (sort == 3)
          s = (x + 2 * y + s % 8) & peak;
        else if (sort == 4)
          s = sign (0) ? 0 : sign (1) ? peak / 2 : peak;
        bdct_sample_put (samples.data () + kMargin + c.offset
            + y * stride_of (c), x * plane.interleave + i,
            bdct_layout_sample_size (&c.layout), plane.shift, s);
      }
  }
}

/* Have a kernel do it, as cuda/launch/dispatch.c would. No levels are wanted any
 * more if there is none that writes these. */
bool
run (Case &c, const uint8_t *source, const uint8_t *map, Results &to)
{
  static BdctCudaAccumulator accumulators[BDCT_CUDA_ACCUMULATORS];
  BdctCudaWork work = {};
  BdctCudaBatch batch = {};
  BdctCudaPlane &plane = work.plane[0];
  const BdctPlaneLayout &layout = c.layout.plane[0];
  const BdctComponentJob &job = c.job[0].component[layout.component[0]];
  const int size = bdct_layout_sample_size (&c.layout);

  memset (accumulators, 0, sizeof accumulators);
  work.quantizers = c.job;
  work.n_quantizers = c.maps ? 2 : 1;
  work.n_planes = 1;
  plane.layout = layout;
  plane.last_column = layout.width - 1;
  plane.src = { (uint8_t *) source + kMargin + c.offset, stride_of (c) };
  if (c.output)
    plane.dst = { to.samples.data () + kMargin + c.offset, stride_of (c) };
  plane.accumulators = accumulators;
  plane.quantizer_of_tile = map;
  for (int i = 0; i < 2 && c.records; i++)
    plane.blocks[i] = to.records.data () + i * count_blocks (c);
  work.levels = c.levels;

  const BdctTensorKernel *kernel = bdct_tensor_find (&work, 0);
  if (kernel == nullptr && c.levels) {
    work.levels = c.levels = false;
    kernel = bdct_tensor_find (&work, 0);
  }
  if (kernel == nullptr)
    return false;
  if (c.levels) {
    plane.records = plane.blocks[0];
    for (int i = 0; i < 2; i++)
      plane.levels[i] = to.levels.data ()
          + (i * count_blocks (c) << 2 * job.log2_width);
  }

  std::vector<uint8_t> constants (2 * kernel->kernel.constants_size + 16);
  plane.constants = (const uint8_t *) ((uintptr_t) &constants[15] & ~15ull);
  plane.quantizer_size = kernel->kernel.constants_size;
  for (int i = 0; i < work.n_quantizers; i++)
    kernel->kernel.make_constants ((uint8_t *) plane.constants
        + i * plane.quantizer_size, &plane, &c.job[i]);
  plane.row_bytes = layout.width * layout.interleave * size;
  plane.log2_width = job.log2_width;
  plane.log2_height = job.log2_height;
  plane.grey = 1 << (c.layout.depth - 1 + layout.shift);
  plane.aligned = (((uintptr_t) plane.src.data | (uintptr_t) plane.dst.data
          | (uintptr_t) plane.src.stride) & 15) == 0;
  plane.columns = ((layout.width - 1) >> job.log2_width) + 1;
  plane.map_tiles_x = (layout.width * layout.interleave - 1)
      / BDCT_CUDA_MAP_TILE_SAMPLES + 1;
  plane.tiles_x = (plane.row_bytes - 1) / kernel->kernel.row_bytes + 1;
  batch.plane[0] = plane;
  batch.n_planes = 1;
  batch.n_tiles = plane.tiles_x * ((layout.height - 1) / kernel->kernel.rows
      + 1);
  batch.depth = c.layout.depth;
  batch.span = 1 + random_below (3);
  batch.maps = c.maps;

  const auto function = (void (*) (const BdctCudaBatch))
      kernel->kernel.function;

  emulate_blocks<char> (32 * kernel->kernel.warps, (batch.n_tiles - 1)
      / (batch.span * kernel->kernel.warps) + 1, [&] (int i, int, char &) {
        blockIdx.x = i;
        function (batch);
      });
  to.sum = {};
  for (const BdctCudaAccumulator &a : accumulators)
    for (int i = 0; i < BDCT_MAX_COMPONENTS; i++) {
      to.sum.sse[i] += a.sse[i];
      to.sum.nonzero[i] += a.nonzero[i];
    }
  return true;
}

/* What each block should be, and the sums over them. */
bool
check (const Case &c, const uint8_t *source, const uint8_t *map,
    const Results &got)
{
  const BdctPlaneLayout &plane = c.layout.plane[0];
  BdctCudaAccumulator sum = {};

  for (int i = 0; i < plane.interleave; i++) {
    const BdctComponent component = plane.component[i];
    const BdctComponentJob &job = c.job[0].component[component];
    const int side = 1 << job.log2_width;
    const int across = BDCT_CUDA_MAP_TILE_SAMPLES / plane.interleave;
    const int rows = BDCT_CUDA_MAP_TILE_ROWS (
        1 << c.job[0].component[BDCT_Y].log2_height);
    size_t n = 0;

    for (int y = 0; y < plane.height; y += side)
      for (int x = 0; x < plane.width; x += side, n++) {
        const int width = min (side, plane.width - x);
        const int height = min (side, plane.height - y);
        const size_t block = i * count_blocks (c) + n;
        const uint8_t set = c.maps ? map[y / rows * ((plane.width
                    * plane.interleave - 1) / BDCT_CUDA_MAP_TILE_SAMPLES + 1)
                + x / across] : 0;
        BdctParams params = c.params;
        RefPlane ref = { &params, c.layout.chroma, component, c.layout.depth,
          width, height };
        int in[64 * 64], out[64 * 64];
        RefResult result = {};

        if (set == BDCT_CUDA_MIXED)
          continue;
        params.qp += set;
        for (int k = 0; k < width * height; k++)
          in[k] = get (c, source, x + k % width, y + k / width, i);
        ref_plane (&ref, in, out, nullptr, &result);
        for (int k = 0; k < width * height && c.output; k++)
          if (get (c, got.samples.data (), x + k % width, y + k / width, i)
              != out[k])
            return false;
        if (c.records && (got.records[block].nonzero != result.nonzero
                || got.records[block].sse != (result.sse < UINT32_MAX
                    ? result.sse : UINT32_MAX)))
          return false;
        for (int k = 0; k < side * side && c.levels; k++)
          if (got.levels[block * side * side + k]
              != result.level[k / side][k % side])
            return false;
        sum.sse[component] += result.sse;
        sum.nonzero[component] += result.nonzero;
      }
  }
  return memcmp (&sum, &got.sum, sizeof sum) == 0;
}

/* Whether the bytes around the picture and behind the levels are as they were.
 */
bool
is_alone (const Case &c, const Results &got)
{
  const BdctPlaneLayout &plane = c.layout.plane[0];
  const size_t row = bdct_layout_row_size (&c.layout, 0);

  for (size_t i = 0; i < got.samples.size (); i++) {
    const int64_t at = (int64_t) i - kMargin - c.offset;

    if (at >= 0 && at / stride_of (c) < plane.height
        && (size_t) (at % stride_of (c)) < row)
      continue;
    if (got.samples[i] != 0xa5)
      return false;
  }
  for (int i = 1; i <= kMargin; i++)
    if (got.levels[got.levels.size () - i] != kUnset)
      return false;
  return true;
}

/* 1 if it agrees, 0 if not, -1 if no kernel takes it. */
int
try_case (Case &c)
{
  const BdctPlaneLayout &plane = c.layout.plane[0];
  const size_t size = 2 * kMargin + stride_of (c) * plane.height;
  std::vector<uint8_t> source (size), map;
  Results got;

  for (int i = 0; i < 2; i++) {
    BdctParams params = c.params;

    params.qp += i;
    if (!bdct_job_init (&c.job[i], &params, &c.layout, nullptr))
      fake_die ("no job");
  }
  const int blocks = plane.interleave * count_blocks (c);
  got.records.resize (2 * count_blocks (c));
  got.levels.resize ((blocks << 2 * c.job[0].component[plane.component[0]]
          .log2_width) + kMargin, kUnset);
  map.resize ((plane.width / 32 + 1) * (plane.height / 32 + 1));
  for (uint8_t &tile : map)
    tile = random_below (4) == 0 ? BDCT_CUDA_MIXED : random_below (2);
  got.samples.resize (size, 0xa5);
  draw (c, source);
  if (!run (c, source.data (), c.maps ? map.data () : nullptr, got))
    return -1;
  return check (c, source.data (), map.data (), got) && is_alone (c, got);
}

} // namespace

int
main (int argc, char **argv)
{
  const int n = argc > 1 ? atoi (argv[1]) : 60;
  int counts[3] = {};

  for (int i = 0; i < n; i++) {
    static const BdctTransform transforms[] = { BDCT_VVC_64X64, BDCT_HEVC_32X32,
      BDCT_HEVC_16X16, BDCT_HEVC_8X8, BDCT_HEVC_4X4, BDCT_VVC_64X64,
      BDCT_HEVC_32X32 };
    static const int depths[] = { 8, 8, 10, 12, 9, 11 };
    Case c = {};
    BdctPlaneLayout &plane = c.layout.plane[0];
    int result;

    c.params = BDCT_PARAMS_DEFAULT;
    c.params.transform = transforms[i % 7];
    c.params.qp = random_below (51);
    c.params.scaling_list = random_below (3) ? BDCT_SCALING_FLAT
        : BDCT_SCALING_DEFAULT;
    c.params.deadzone = ref_deadzone (i);
    if (random_below (4) == 0) {
      c.params.scaling_list = BDCT_SCALING_FILE;
      draw_lists (c.params.lists);
    }
    c.layout.depth = depths[random_below (6)];
    c.layout.chroma = random_below (2) ? BDCT_CHROMA_444 : BDCT_CHROMA_420;
    c.layout.n_planes = 1;
    plane.interleave = 1;
    plane.component[0] = random_below (3) ? BDCT_Y : BDCT_U;
    if (plane.component[0] == BDCT_U && random_below (2)) {
      plane.interleave = 2;
      plane.component[1] = BDCT_V;
    }
    plane.width = random_below (2) ? 64 * (1 + random_below (3))
        : 1 + random_below (200);
    plane.height = random_below (2) ? 64 * (1 + random_below (2))
        : 1 + random_below (150);
    plane.shift = c.layout.depth > 8 && random_below (2) ? 16 - c.layout.depth
        : 0;
    c.offset = random_below (2) ? 0 : 2 * random_below (8);
    c.records = random_below (2);
    c.levels = random_below (2);
    c.maps = random_below (3) == 0;
    c.output = random_below (4) > 0 || !(c.records || c.maps);
    result = try_case (c);
    counts[result + 1]++;
    if (result == 0)
      printf ("case %d: %s, %d bits, QP %d, list %d, deadzone %g, plane %d of "
          "%d, %d x %d, offset %d, shift %d%s%s%s%s: differs\n", i,
          bdct_transform_info (c.params.transform)->name, c.layout.depth,
          c.params.qp, c.params.scaling_list, c.params.deadzone,
          plane.component[0], plane.interleave, plane.width, plane.height,
          c.offset, plane.shift, c.records ? ", records" : "",
          c.levels ? ", levels" : "",
          c.maps ? ", map" : "", c.output ? "" : ", no output");
  }
  printf ("%d passed, %d failed, %d refused\n", counts[2], counts[1],
      counts[0]);
  return counts[1] != 0 || counts[2] == 0;
}
