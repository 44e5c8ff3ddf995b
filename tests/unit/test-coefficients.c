/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU engine's second half, from coefficients to residuals, on every
 * instruction set: coefficients.h. (tests/gpu/coefficients.cu has the CUDA
 * engine's.) */
#include <glib.h>
#include <string.h>
#include "coefficients.h"
#include "program.h"

static uint64_t
backward (void *kernel, const BdctJob * job, int32_t * cells)
{
  int side = bdct_tile_side (&job->component[BDCT_Y]);
  gsize size = side * side * sizeof *cells;
  BdctTileStages stages;
  BdctTilePlane plane;
  BdctTileQuantizer set;
  guint64 nonzero;

  bdct_tile_plane_init (&plane, job, BDCT_Y);
  bdct_tile_quantizer_init (&set, job, BDCT_Y);
  plane.quantizer[0] = &set;
  memcpy (stages.coefficient.value, cells, size);
  nonzero = ((const BdctTileKernel *) kernel)->plain->stages (&plane, &stages,
      false);
  memcpy (cells, stages.residual.value, size);
  return nonzero;
}

static void
test_transform (gconstpointer data)
{
  for (const BdctTileKernel * const *k = bdct_tile_kernels (); *k; k++) {
    BdctError error;
    int n_tiles;

    if (coefficients_compare (GPOINTER_TO_INT (data), backward, (void *) *k,
            &n_tiles, &error) != 0)
      g_test_fail_printf ("%s: %s", (*k)->isa, error.message);
    g_test_message ("%s: %d tiles", (*k)->isa, n_tiles);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (int t = 0; t < BDCT_N_FIXED; t++)
    if (bdct_transform_info (t)->has_qp)
      tests_add (test_transform, t, "/coefficients/%s",
          bdct_transform_info (t)->name);
  return g_test_run ();
}
