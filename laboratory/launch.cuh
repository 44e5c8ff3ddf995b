/* blockdct-bench: a kernel launch as an expression, with its error.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LAB_LAUNCH_CUH
#define LAB_LAUNCH_CUH

#include <cuda_runtime.h>

namespace {

/* Excludes a parameter from template deduction: the kernel determines the
 * types. */
template <typename T> struct Same
{
  using type = T;
};

template <typename... Parameters> int
launch (void (*kernel) (Parameters...), dim3 grid, dim3 threads, void *stream,
    typename Same<Parameters>::type... arguments)
{
  void *pointers[] = { (void *) &arguments... };

  return cudaLaunchKernel ((const void *) kernel, grid, threads, pointers, 0,
      (cudaStream_t) stream);
}

} // namespace

#endif
