/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Views that copy or subtract samples, 16 bytes of a row for each thread. Where
 * that is impossible, as at the end of a row, samples are drawn one by one. */
#include "vector.cuh"
#include "view.cuh"

namespace view_copy {

namespace {

struct CopyWork {
  BdctRender render;
  int32_t component[BDCT_MAX_PLANES]; /* the first component of each plane */
  int32_t first[BDCT_MAX_PLANES + 1];
};

/* What a copy keeps of two words: no bits below the sample, and no value above
 * the peak. */
BDCT_INLINE uint32_t
clean (uint32_t words, int shift, int peak)
{
  const int low = (int) ((words & 0xffff) >> shift);
  const int high = (int) (words >> 16 >> shift);

  return (uint32_t) (low < peak ? low : peak) << shift
      | (uint32_t) (high < peak ? high : peak) << (16 + shift);
}

template <typename Sample> struct Copies {
  using Work = CopyWork;
  using Shared = BdctNothing;
  static constexpr int kThreads = 256, kBytes = sizeof (Sample);
  static constexpr int kSamples = kVector / kBytes;

  /* Find columns x to x + n - 1 of a row in the picture that all of them are
   * from. False if they are not all from one picture, or the line is there. */
  static BDCT_INLINE bool
  find (const BdctRender &r, const BdctRenderPlane &p, int n, int x, int y,
      const uint8_t **at, const uint8_t **end)
  {
    int from = x, row = y, last = x + n - 1, last_row = y;
    const bool second = bdct_render_locate (&r, p.sub_x, p.sub_y, &from, &row);
    const BdctSamples &of = second ? p.second : p.first;
    const int step = p.layout.interleave * kBytes;

    if (r.divider && last >= r.split >> p.sub_x
        && x <= (r.split + r.divider - 1) >> p.sub_x)
      return false;
    if (bdct_render_locate (&r, p.sub_x, p.sub_y, &last, &last_row) != second)
      return false;
    *at = of.data + row * of.stride + (int64_t) from * step;
    *end = *at + (int64_t) (p.layout.width - from) * step;
    return true;
  }

  /* Load columns from x on, from both pictures at the same position. */
  static BDCT_INLINE bool
  load_both (const BdctRenderPlane &p, int x, int y, Vector *v, Vector *w)
  {
    const int step = p.layout.interleave * kBytes;
    const uint8_t *a = p.first.data + y * p.first.stride + (int64_t) x * step;
    const uint8_t *b = p.second.data + y * p.second.stride
        + (int64_t) x * step;
    const int rest = (p.layout.width - x) * step;

    if (!is_loadable (a, a + rest) || !is_loadable (b, b + rest))
      return false;
    *v = load (a);
    *w = load (b);
    return true;
  }

  static BDCT_INLINE bool
  copy (const BdctRender &r, const BdctRenderPlane &p, int x, int y,
      uint8_t *to)
  {
    const uint8_t *at, *end;
    Vector v;

    if (!find (r, p, kSamples / p.layout.interleave, x, y, &at, &end))
      return mix (r, p, x, y, to);
    if (!is_loadable (at, end))
      return false;
    v = load (at);
    if (kBytes == 2)
      BDCT_UNROLL for (int i = 0; i < kVector / 4; i++)
        v.w[i] = clean (v.w[i], p.layout.shift, (1 << r.depth) - 1);
    store (to, v);
    return true;
  }

  /* Draw columns from x on where a wipe changes from one picture to the other,
   * or where its line is. Both pictures are at the same position there. */
  static BDCT_INLINE bool
  mix (const BdctRender &r, const BdctRenderPlane &p, int x, int y,
      uint8_t *to)
  {
    const int bits = 8 * kBytes, mask = (1 << bits) - 1;
    const int begin = r.split >> p.sub_x;
    const int end = r.divider ? (r.split + r.divider - 1) >> p.sub_x
        : begin - 1;
    const int shift = kBytes == 2 ? p.layout.shift : 0;
    const int peak = (1 << r.depth) - 1;
    const int line = p.layout.component[0] == BDCT_Y ? peak
        : 1 << (r.depth - 1);
    Vector v, w;

    if (r.mode != BDCT_VIEW_WIPE || !load_both (p, x, y, &v, &w))
      return false;
    BDCT_UNROLL for (int i = 0; i < kVector / 4; i++) {
      uint32_t out = 0;

      BDCT_UNROLL for (int k = 0; k < 4 / kBytes; k++) {
        const int at = x + (i * 4 / kBytes + k) / p.layout.interleave;
        int s = (int) ((at >= begin ? w.w[i] : v.w[i]) >> k * bits & mask)
            >> shift;

        s = at >= begin && at <= end ? line : s < peak ? s : peak;
        out |= (uint32_t) s << (k * bits + shift);
      }
      v.w[i] = out;
    }
    store (to, v);
    return true;
  }

  static BDCT_INLINE uint32_t
  subtract (const BdctRender &r, int shift, uint32_t first, uint32_t second)
  {
    const int bits = 8 * kBytes, mask = (1 << bits) - 1;
    const int peak = (1 << r.depth) - 1;
    uint32_t out = 0;

    BDCT_UNROLL for (int k = 0; k < 4 / kBytes; k++) {
      int a = (int) (first >> k * bits & mask) >> shift;
      int b = (int) (second >> k * bits & mask) >> shift;

      a = a < peak ? a : peak;
      b = b < peak ? b : peak;
      out |= (uint32_t) bdct_render_difference (a, b, r.gain, r.depth)
          << (k * bits + shift);
    }
    return out;
  }

  static BDCT_INLINE bool
  subtract (const BdctRender &r, const BdctRenderPlane &p, int x, int y,
      uint8_t *to)
  {
    Vector v, w;

    if (!load_both (p, x, y, &v, &w))
      return false;
    BDCT_UNROLL for (int i = 0; i < kVector / 4; i++)
      v.w[i] = subtract (r, kBytes == 2 ? p.layout.shift : 0, v.w[i], w.w[i]);
    store (to, v);
    return true;
  }

  static BDCT_INLINE void
  block (const Work &work, int bx, int, Shared &)
  {
    const BdctRender &r = work.render;
    const int n = find_plane (work.first, bx);
    const BdctRenderPlane &p = r.plane[work.component[n]];
    const int step = p.layout.interleave;
    const int samples = p.layout.width * step;
    const unsigned across = count_vectors (samples * kBytes);

    threads<kThreads> ([&] (int t) {
      const unsigned i = (unsigned) (bx - work.first[n]) * kThreads + t;
      const int y = (int) (i / across), from = (int) (i % across) * kSamples;
      uint8_t *to = p.dst.data + y * p.dst.stride + (int64_t) from * kBytes;

      if (y >= p.layout.height)
        return;
      if (from + kSamples <= samples
          && (r.mode == BDCT_VIEW_DIFFERENCE ? subtract (r, p, from / step, y,
                  to) : copy (r, p, from / step, y, to)))
        return;
      for (int s = from; s < from + kSamples && s < samples; s++)
        draw_sample<Sample> (r, p.layout.component[s % step], s / step, y);
    });
  }
};

} // namespace

} // namespace view_copy

extern "C" bool
bdct_cuda_copy_takes (const BdctRender *r)
{
  if (r->grid || r->mode >= BDCT_VIEW_ERROR_MAP)
    return false;
  for (int c = 0; c < r->n_components; c++) {
    const BdctRenderPlane *p = &r->plane[c];

    /* Only the first component's address is that of its plane. */
    if ((int) p->layout.component[0] == c && (!is_aligned (p->dst.data, kVector)
            || p->dst.stride % kVector != 0))
      return false;
  }
  return true;
}

extern "C" cudaError_t
bdct_cuda_copy_launch (const BdctRender *r, cudaStream_t stream)
{
  using Bytes = view_copy::Copies<uint8_t>;
  using Words = view_copy::Copies<uint16_t>;
  view_copy::CopyWork work = {};
  int n = 0, n_planes = 0;

  work.render = *r;
  for (int c = 0; c < r->n_components; c++) {
    const BdctPlaneLayout &layout = r->plane[c].layout;

    if ((int) layout.component[0] != c)
      continue;
    work.component[n_planes] = c;
    work.first[n_planes++] = n;
    n += count_blocks (layout.width * layout.interleave
        * (r->depth > 8 ? 2 : 1), layout.height, Bytes::kThreads);
  }
  for (; n_planes <= BDCT_MAX_PLANES; n_planes++)
    work.first[n_planes] = n;
  return r->depth > 8 ? launch_work<Words> (work, n, 1, stream)
      : launch_work<Bytes> (work, n, 1, stream);
}
