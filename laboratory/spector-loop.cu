/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One half of the tuner's points, and the registration of all of them. */
#include "spector.cuh"

#include <math.h>

extern "C" void
lab_spector_register (void)
{
  cudaError_t err;
  float values[64];

  for (int i = 0; i < 64; i++)
    values[i] = (float) (sqrt (i < 8 ? 0.125 : 0.25)
        * cos ((2 * (i % 8) + 1) * (i / 8) * M_PI / 16));
  err = add_points<false> (values);
  if (err == cudaSuccess)
    err = lab_spector_add_unrolled (values);
  if (err != cudaSuccess)
    lab_die ("cudaMemcpyToSymbol: %s", cudaGetErrorString (err));
}
