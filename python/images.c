/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pictures of JPEG files: by libjpeg, or by an engine. */
#define PY_SSIZE_T_CLEAN
#include "module.h"

#include "jpeg/file.h"
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBJPEG
/* From bytes and the most pixels: height, width, channels, the pixels' address,
 * and what frees them. */
static PyObject *
decode_jpeg (PyObject * module, PyObject * args)
{
  unsigned long long max_pixels;
  JpegPicture picture;
  BdctError error;
  Py_ssize_t size;
  const char *data;
  bool ok;

  (void) module;
  if (!PyArg_ParseTuple (args, "y#K", &data, &size, &max_pixels))
    return NULL;
  Py_BEGIN_ALLOW_THREADS;
  ok = jpeg_file_decode (&picture, data, size, max_pixels, &error);
  Py_END_ALLOW_THREADS;
  if (!ok)
    return bdct_python_fail (PyExc_ValueError, &error);
  return Py_BuildValue ("iiinN", picture.height, picture.width,
      picture.channels, (Py_ssize_t) (intptr_t) picture.pixels,
      bdct_python_own (picture.pixels));
}
#endif

/* From an engine, a list of bytes, the address of their pictures' addresses (0:
 * no pictures) and a stream: (height, width, channels, whether it is decoded)
 * of each as int32; height 0 where libjpeg is needed. */
static PyObject *
engine_decode (PyObject * module, PyObject * args)
{
  unsigned long long addresses, wait;
  PyObject *owner, *list, *result = NULL;
  BdctEngine *engine;
  BdctJpeg *files;
  BdctError error;
  Py_ssize_t n;
  bool ok = true;

  (void) module;
  if (!PyArg_ParseTuple (args, "OO!KK", &owner, &PyList_Type, &list,
          &addresses, &wait))
    return NULL;
  engine = bdct_python_engine (owner);
  n = PyList_Size (list);
  files = engine == NULL ? NULL : calloc (n + 1, sizeof *files);
  if (files == NULL)
    return engine == NULL ? NULL : PyErr_NoMemory ();
  for (Py_ssize_t i = 0; ok && i < n; i++) {
    Py_ssize_t size;
    char *data;

    ok = PyBytes_AsStringAndSize (PyList_GetItem (list, i), &data, &size) == 0;
    files[i] = (BdctJpeg) BDCT_JPEG_DEFAULT;
    files[i].data = data;
    files[i].n_bytes = size;
    if (addresses != 0)
      files[i].dst = ((uint8_t **) (uintptr_t) addresses)[i];
  }
  if (!ok) {
    free (files);
    return NULL;
  }
  Py_BEGIN_ALLOW_THREADS;
  ok = bdct_jpeg_decode (engine, files, n, (void *) (uintptr_t) wait, &error);
  Py_END_ALLOW_THREADS;
  if (!ok)
    bdct_python_fail (PyExc_ValueError, &error);
  else
    result = PyBytes_FromStringAndSize (NULL, n * 4 * sizeof (int32_t));
  for (Py_ssize_t i = 0; result != NULL && i < n; i++) {
    const int32_t own[] = { files[i].height, files[i].width, files[i].channels,
      files[i].decoded
    };

    memcpy (PyBytes_AsString (result) + i * sizeof own, own, sizeof own);
  }
  free (files);
  return result;
}

PyMethodDef bdct_python_images[] = {
#ifdef HAVE_LIBJPEG
  {"decode_jpeg", decode_jpeg, METH_VARARGS, NULL},
#endif
  {"engine_decode", engine_decode, METH_VARARGS, NULL},
  {NULL, NULL, 0, NULL}
};
