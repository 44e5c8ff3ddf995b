/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The other half of the tuner's points. */
#include "spector.cuh"

extern "C" cudaError_t
lab_spector_add_unrolled (const float *values)
{
  return add_points<true> (values);
}
