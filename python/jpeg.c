/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * JPEG files, and pictures that come from one. */
#define PY_SSIZE_T_CLEAN
#include "module.h"

#include "jpeg/file.h"
#include "jpeg/origin.h"
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBJPEG
/* From bytes and the most pixels: width, height, the colours' number, the
 * components' ((h, v), steps), the levels' address and number, and what frees
 * them. */
static PyObject *
read_file (PyObject * module, PyObject * args)
{
  PyObject *components;
  unsigned long long max_pixels;
  Py_ssize_t size;
  BdctError error;
  JpegFile file;
  const char *data;
  bool ok;

  (void) module;
  if (!PyArg_ParseTuple (args, "y#K", &data, &size, &max_pixels))
    return NULL;
  Py_BEGIN_ALLOW_THREADS;
  ok = jpeg_file_read (&file, data, size, max_pixels, &error);
  Py_END_ALLOW_THREADS;
  if (!ok)
    return bdct_python_fail (PyExc_ValueError, &error);
  components = PyTuple_New (file.n_components);
  for (int c = 0; components != NULL && c < file.n_components; c++) {
    const JpegFileComponent *own = &file.component[c];

    PyTuple_SetItem (components, c, Py_BuildValue ("(ii)y#", own->h, own->v,
            (const char *) own->steps, (Py_ssize_t) sizeof own->steps));
  }
  return Py_BuildValue ("iiiNnnN", file.width, file.height, (int) file.colour,
      components, (Py_ssize_t) (intptr_t) file.levels,
      (Py_ssize_t) file.n_levels, bdct_python_own (file.levels));
}

/* Read one component's (h, v, steps) of a file to write. */
static bool
read_component (PyObject * from, JpegFileComponent * own)
{
  PyObject *steps;
  Py_ssize_t size;
  char *data;

  if (!PyArg_ParseTuple (from, "iiS", &own->h, &own->v, &steps)
      || PyBytes_AsStringAndSize (steps, &data, &size) < 0)
    return false;
  if (size != sizeof own->steps) {
    PyErr_Format (PyExc_ValueError, "%zd bytes of steps", size);
    return false;
  }
  memcpy (own->steps, data, size);
  return true;
}

/* From (width, height, the colours' number, components, the address of all
 * levels, their number, optimize, progressive): the file's bytes. */
static PyObject *
write_file (PyObject * module, PyObject * args)
{
  PyObject *components, *result = NULL;
  unsigned long long address;
  JpegFileOptions options;
  JpegFile file = { 0 };
  unsigned char *data;
  BdctError error;
  size_t size;
  Py_ssize_t n;
  int colour, optimize, progressive;
  bool ok;

  (void) module;
  if (!PyArg_ParseTuple (args, "iiiO!Knpp", &file.width, &file.height, &colour,
          &PyTuple_Type, &components, &address, &n, &optimize, &progressive))
    return NULL;
  file.colour = colour;
  file.n_components = (int) PyTuple_Size (components);
  options = (JpegFileOptions) { optimize, progressive };
  for (int c = 0; c < file.n_components; c++)
    if (!read_component (PyTuple_GetItem (components, c), &file.component[c]))
      return NULL;
  if (!jpeg_file_allocate (&file, &error))
    return bdct_python_fail (PyExc_ValueError, &error);
  if (file.n_levels != (size_t) n) {
    PyErr_Format (PyExc_ValueError, "%zd levels, not %zu", n, file.n_levels);
  } else {
    memcpy (file.levels, (const int16_t *) (uintptr_t) address,
        file.n_levels * sizeof *file.levels);
    Py_BEGIN_ALLOW_THREADS;
    ok = jpeg_file_write (&file, &options, &data, &size, &error);
    Py_END_ALLOW_THREADS;
    if (ok)
      result = PyBytes_FromStringAndSize ((char *) data, size);
    else
      bdct_python_fail (PyExc_ValueError, &error);
    free (data);
  }
  jpeg_file_clear (&file);
  return result;
}
#endif

/* From (address, stride, width, height, components): (left, top, h, v, the
 * preset's number or -1, quality, steps of luma and chroma), or why it is not
 * known. */
static PyObject *
find_origin (PyObject * module, PyObject * args)
{
  JpegOriginPicture picture;
  unsigned long long address;
  JpegOrigin origin;
  Py_ssize_t stride;
  BdctError error;
  bool ok;

  (void) module;
  if (!PyArg_ParseTuple (args, "Kniii", &address, &stride, &picture.width,
          &picture.height, &picture.components))
    return NULL;
  picture.data = (const uint8_t *) (uintptr_t) address;
  picture.stride = stride;
  Py_BEGIN_ALLOW_THREADS;
  ok = jpeg_origin_find (&origin, &picture, &error);
  Py_END_ALLOW_THREADS;
  if (!ok)
    return PyUnicode_FromString (error.message);
  return Py_BuildValue ("iiiiiiy#", origin.left, origin.top, origin.h, origin.v,
      origin.preset, origin.quality, (const char *) origin.steps,
      (Py_ssize_t) sizeof origin.steps);
}

PyMethodDef bdct_python_jpeg[] = {
#ifdef HAVE_LIBJPEG
  {"read_jpeg", read_file, METH_VARARGS, NULL},
  {"write_jpeg", write_file, METH_VARARGS, NULL},
#endif
  {"find_origin", find_origin, METH_VARARGS, NULL},
  {NULL, NULL, 0, NULL}
};
