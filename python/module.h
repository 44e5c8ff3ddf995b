/* blockdct: the Python module's C part. It takes memory as addresses and
 * strides; blockdct/_arrays.py finds these.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_PYTHON_MODULE_H
#define BDCT_PYTHON_MODULE_H

#include <Python.h>
#include <structmember.h>
#include <blockdct/blockdct.h>

/* Jobs for pictures of a layout: one for each quality, each QP, or one. */
typedef struct {
  PyObject_HEAD
  BdctJob *jobs;
  int n;
} Jobs;

/* The types, made when the module is imported. */
extern PyTypeObject *bdct_python_jobs_type;
PyObject *bdct_python_make_jobs_type (void);
PyObject *bdct_python_make_engine_type (void);

/* The functions: what the library knows, JPEG files' levels, and pictures. */
extern PyMethodDef bdct_python_functions[], bdct_python_jpeg[],
    bdct_python_images[];

/* What frees memory of malloc() with the last reference to it. */
PyObject *bdct_python_own (void *memory);

/* The engine of an Engine; NULL with an exception if it cannot be used. */
BdctEngine *bdct_python_engine (PyObject *engine);

/* Read a layout's description, (width, height, depth, chroma format, planes,
 * bytes from one pixel of R, G and B to the next or 0). */
bool bdct_python_read_layout (PyObject *from, BdctLayout *layout);

/* Set an exception of this type, or that of memory or of CUDA where the
 * library has failed by these. Returns NULL. */
PyObject *bdct_python_fail (PyObject *type, const BdctError *error);

/* The primary context of a CUDA device. False with the reason. */
bool bdct_python_open_context (int device, BdctContext *context,
    BdctError *error);
void bdct_python_close_context (int device, BdctContext *context);

#endif
