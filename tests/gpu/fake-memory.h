/* What the parts of the CUDA runtime without a GPU know of each other: which
 * objects there are (fake-memory.c), and which calls fail (fake-runtime.c).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_FAKE_MEMORY_H
#define TESTS_FAKE_MEMORY_H

#include <cuda_runtime_api.h>

/* What a call returns, unless it has something else to say: `err` if it is one
 * that fails. */
cudaError_t fake_outcome (const char *call, cudaError_t err);

/* Return that from a call that fails. */
#define FAKE_FAILS(err)                                                       \
  {                                                                           \
    const cudaError_t outcome_ = fake_outcome (__func__, err);                \
                                                                              \
    if (outcome_ != cudaSuccess)                                              \
      return outcome_;                                                        \
  }

/* An object is there, and is not any more. `kind`: 'd'evice or 'p'inned
 * memory, a 's'tream, an 'e'vent. */
void fake_add (void *base, size_t size, char kind);
void fake_take_away (void *base, char kind);

/* Call `func` with each stream that is there. */
void fake_each_stream (void (*func) (cudaStream_t stream));

/* Free all that is there but streams. */
void fake_free_all (void);

#endif
