/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What quadtree.cu finds that blocks cost, by warps without a GPU, against
 * dct/entropy/cabac.h: the choice hides small
 * differences. */
#include <stdio.h>
#include "cuda/kernels/quadtree.cu"

static uint64_t seed = 1;

static uint32_t
random_below (uint32_t n)
{
  seed = seed * UINT64_C (6364136223846793005) + 1442695040888963407;
  return (uint32_t) (seed >> 33) % n;
}

static BdctLevel levels[2][1024] __attribute__ ((aligned (16)));
static BdctBlockRecord records[64];

/* Sub-blocks without levels, with one of them, with some, with many. */
static void
draw (BdctLevel *to, int log2_size)
{
  const uint32_t most = 1u << random_below (16), rare = 1 + random_below (8);

  for (int i = 0; i < 1024; i++)
    to[i] = 0;
  for (int i = 0; i < 64; i++) {
    const int parts = 1 << (log2_size - 2), of = i & (parts * parts - 1);
    BdctLevel *sub = to + (i / parts / parts << 2 * log2_size)
        + ((of / parts << log2_size) + of % parts) * 4;
    const uint32_t kind = random_below (4 * rare);

    for (int k = 0; k < 16; k++)
      if (kind == 0 || (kind == 1 && k == 0)
          || (kind < 4 && random_below (4) == 0))
        sub[(k >> 2 << log2_size) + (k & 3)] = (BdctLevel)
            (random_below (2) ? (int) random_below (most + 1)
            : -(int) random_below (most + 1));
  }
}

/* The warp of a square */
struct Lanes
{
  BdctCudaTree tree;
  int n, c;
  Prices prices;
  BdctQuadtreeSquare square;

  void
  begin (int)
  {
  }

  void
  run (int t)
  {
    const Square s = { tree, 0, 0 };

    prices.fill (tree.costs, t, 32);
    wait_for_block ();
    Choose<false>::price_blocks (s, prices, square, n, c, t);
  }
};

static Lanes lanes;
static BdctCabacPrices prices;

static void
describe (int n, int c, int qp)
{
  BdctCudaTree *tree = &lanes.tree;

  *tree = BdctCudaTree ();
  tree->n_components = 3;
  tree->depth = 8;
  tree->min_log2 = n;           /* without flags */
  tree->max_log2 = 5;
  tree->chroma = BDCT_CHROMA_444;
  tree->lambda[0] = 1;
  bdct_cabac_prices_init (&prices, qp);
  tree->costs = prices.costs;
  for (int k = 0; k < 3; k++) {
    BdctCudaTreeBlocks *blocks = &tree->component[k].sized[n - 2];

    tree->component[k].component = k;
    tree->component[k].layout.width = tree->component[k].layout.height = 32;
    *blocks = { levels[k == BDCT_V], records, nullptr, {}, n, 32 >> n,
      32 >> n };
  }
  lanes.n = n;
  lanes.c = c;
}

static uint64_t
walk (const BdctLevel *block, int n, bool chroma)
{
  return bdct_cabac_block_cost (&prices, block, n, chroma);
}

int
main ()
{
  int passed = 0, failed = 0;

  bdct_cabac_init ();

  for (int i = 0; i < 4000; i++) {
    const int n = 2 + i % 4, c = i / 4 % 2;

    describe (n, c, i % 52);
    draw (levels[0], n);
    draw (levels[1], n);
    memset (&lanes.square, 0, sizeof lanes.square);
    emulate_blocks (32, 1, &lanes);
    for (int k = 0; k < 1 << 2 * (5 - n); k++) {
      const size_t first = (size_t) k << 2 * n;
      const uint64_t cost = walk (levels[0] + first, n, c != 0)
          + (c != 0 ? walk (levels[1] + first, n, true) : 0);

      if (lanes.square.whole[n - 2][k] == cost) {
        passed++;
      } else if (failed++ == 0) {
        printf ("case %d, %s of %d, block %d: %llu, and not %llu\n", i,
            c ? "chroma" : "luma", 1 << n, k, (unsigned long long)
            lanes.square.whole[n - 2][k], (unsigned long long) cost);
      }
    }
  }
  printf ("%d passed, %d failed\n", passed, failed);
  return failed > 0;
}
