/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Contexts of CUDA devices, by the driver, which may be missing at run time. */
#include "module.h"

#include <dlfcn.h>
#include <stdio.h>

/* Of cuda.h, whose ABI does not change. */
typedef void *Context;
static struct
{
  int (*init) (unsigned flags);
  int (*get) (int *device, int ordinal);
  int (*retain) (Context * context, int device);
  int (*release) (int device);
  int (*push) (Context context);
  int (*pop) (Context * context);
} driver;

static bool
load (BdctError * error)
{
  static const char *const names[] = { "cuInit", "cuDeviceGet",
    "cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2",
    "cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2"
  };
  void **function = (void **) &driver;
  void *library = dlopen ("libcuda.so.1", RTLD_NOW);

  for (int i = 0; i < 6; i++) {
    function[i] = library != NULL ? dlsym (library, names[i]) : NULL;
    if (function[i] == NULL) {
      snprintf (error->message, sizeof error->message, "cuda: the driver's "
          "libcuda.so.1 %s%s", library != NULL ? "has no "
          : "is not there: use device='cpu'", library != NULL ? names[i] : "");
      return false;
    }
  }
  return true;
}

static bool
enter (void *data)
{
  return driver.push (data) == 0;
}

static void
leave (void *data)
{
  Context popped;

  (void) data;
  driver.pop (&popped);
}

bool
bdct_python_open_context (int device, BdctContext * context, BdctError * error)
{
  int handle, result;

  if (!load (error))
    return false;
  result = driver.init (0);
  if (result == 0)
    result = driver.get (&handle, device);
  if (result == 0)
    result = driver.retain (&context->data, handle);
  if (result != 0) {
    snprintf (error->message, sizeof error->message, "cuda: device %d cannot "
        "be opened (the driver's error %d)%s", device, result, result == 3
        ? "; CUDA does not work in a forked child: start processes with "
        "'spawn'" : "");
    return false;
  }
  context->enter = enter;
  context->leave = leave;
  return true;
}

void
bdct_python_close_context (int device, BdctContext * context)
{
  int handle;

  if (context->data != NULL && driver.get (&handle, device) == 0)
    driver.release (handle);
  context->data = NULL;
}
