/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Layouts, jobs, and what the library knows without an engine. */
#define PY_SSIZE_T_CLEAN
#include "module.h"

#include <string.h>

PyTypeObject *bdct_python_jobs_type;

PyObject *
bdct_python_fail (PyObject * type, const BdctError * error)
{
  if (strstr (error->message, "out of memory") != NULL)
    type = PyExc_MemoryError;
  else if (strstr (error->message, "cuda") != NULL
      || strstr (error->message, "cannot start thread") != NULL)
    type = PyExc_RuntimeError;
  PyErr_SetString (type, error->message);
  return NULL;
}

bool
bdct_python_read_layout (PyObject * from, BdctLayout * layout)
{
  int width, height, depth, chroma, n_planes, bytes;

  if (!PyArg_ParseTuple (from, "iiiiii", &width, &height, &depth, &chroma,
          &n_planes, &bytes))
    return false;
  if (bytes == 0)
    bdct_layout_init (layout, chroma, depth, 0, n_planes, width, height);
  else {
    BdctRgb rgb = {.n_planes = bytes == 1 ? 3 : 1,.bytes = bytes };

    for (int k = 0; k < 3; k++) {
      rgb.plane[k] = bytes == 1 ? k : 0;
      rgb.offset[k] = bytes == 1 ? 0 : k;
    }
    bdct_layout_init_rgb (layout, &rgb, width, height, chroma);
    layout->depth = depth;
  }
  return true;
}

/* Jobs */

/* Of the fields of Settings, in the order of `_params()`. */
static bool
read_params (PyObject * from, BdctParams * params)
{
  PyObject *tables, *lists;
  int transform, scaling, preset;
  Py_ssize_t size;
  BdctError error;
  char *text;

  if (!PyArg_ParseTuple (from, "iiiiiiddiiiiOO", &transform,
          &params->quality, &params->qp, &params->chroma_qp_offset,
          &params->min_block, &params->max_block, &params->lambda_scale,
          &params->deadzone, &scaling, &params->baseline,
          &params->scale_tables, &preset, &tables, &lists))
    return false;
  params->transform = transform;
  params->scaling_list = scaling;
  params->preset = preset;
  if (tables != Py_None) {
    if (PyBytes_AsStringAndSize (tables, &text, &size) < 0)
      return false;
    params->tables.name = 1;
    params->tables.n_steps = Py_MIN (size, 128 * 4) / 4;
    memcpy (params->tables.steps, text, params->tables.n_steps * 4);
  }
  if (lists != Py_None) {
    if (PyBytes_AsStringAndSize (lists, &text, &size) < 0)
      return false;
    if (!bdct_scaling_parse (text, size, &params->lists, &error))
      return bdct_python_fail (PyExc_ValueError, &error) != NULL;
    params->lists.name = 1;
  }
  return true;
}

static PyObject *
jobs_new (PyTypeObject * type, PyObject * args, PyObject * keywords)
{
  BdctParams params, *all;
  PyObject *layout_tuple, *from;
  BdctLayout layout;
  BdctError error;
  Jobs *self;

  bdct_params_init (&params);
  if (keywords != NULL
      || !PyArg_ParseTuple (args, "O!O!", &PyTuple_Type,
          &layout_tuple, &PyTuple_Type, &from)
      || !bdct_python_read_layout (layout_tuple, &layout)
      || !read_params (from, &params))
    return NULL;
  if (bdct_transform_info (params.transform) == NULL)
    return PyErr_Format (PyExc_ValueError, "there is no transform %d",
        (int) params.transform);
  self = (Jobs *) PyType_GenericAlloc (type, 0);
  if (self == NULL)
    return NULL;
  self->n = bdct_transform_info (params.transform)->has_qp ? 52
      : bdct_params_has_quality (&params) ? 100 : 1;
  all = PyMem_Malloc (self->n * sizeof *all);
  for (int i = 0; all != NULL && i < self->n; i++) {
    all[i] = params;
    if (self->n == 52)
      all[i].qp = i;
    else if (self->n == 100)
      all[i].quality = i + 1;
  }
  if (all != NULL)
    self->jobs = bdct_jobs_new (all, self->n, &layout, &error);
  if (all == NULL)
    PyErr_NoMemory ();
  else if (self->jobs == NULL)
    bdct_python_fail (PyExc_ValueError, &error);
  PyMem_Free (all);
  if (self->jobs == NULL) {
    Py_DECREF ((PyObject *) self);
    return NULL;
  }
  return (PyObject *) self;
}

static void
jobs_dealloc (PyObject * object)
{
  PyTypeObject *type = Py_TYPE (object);

  bdct_jobs_free (((Jobs *) object)->jobs);
  PyObject_Free (object);
  Py_DECREF (type);
}

/* Of pictures of a layout: the number of levels; of each component columns and
 * rows of blocks, the first level, a block's levels, log2 of its sides; and
 * whether bits are a file's. */
static PyObject *
jobs_describe (PyObject * object, PyObject * from)
{
  const Jobs *self = (const Jobs *) object;
  BdctLayout layout;
  BdctJobInfo info = {.size = sizeof info };
  PyObject *components = PyTuple_New (BDCT_MAX_COMPONENTS);
  BdctError error;

  if (components == NULL || !bdct_python_read_layout (from, &layout)) {
    Py_XDECREF (components);
    return NULL;
  }
  if (!bdct_job_describe (self->jobs, &layout, &info, &error)) {
    Py_DECREF (components);
    return bdct_python_fail (PyExc_ValueError, &error);
  }
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    PyTuple_SetItem (components, c, Py_BuildValue ("iinnii",
            (int) info.grid[c].columns, (int) info.grid[c].rows,
            (Py_ssize_t) info.first_level[c],
            (Py_ssize_t) info.block_levels[c], info.log2_width[c],
            info.log2_height[c]));
  return Py_BuildValue ("nNO", (Py_ssize_t) info.n_levels, components,
      info.exact_bits ? Py_True : Py_False);
}

PyObject *
bdct_python_make_jobs_type (void)
{
  static PyMethodDef methods[] = {
    {"describe", jobs_describe, METH_O, NULL}, {NULL, NULL, 0, NULL}
  };
  static PyMemberDef members[] = {
    {"n", T_INT, offsetof (Jobs, n), READONLY, NULL}, {NULL, 0, 0, 0, NULL}
  };
  PyType_Slot slots[] = {
    {Py_tp_new, jobs_new}, {Py_tp_dealloc, jobs_dealloc},
    {Py_tp_methods, methods}, {Py_tp_members, members}, {0, NULL}
  };
  PyType_Spec spec = {.name = "_blockdct.Jobs",.basicsize = sizeof (Jobs),
    .flags = Py_TPFLAGS_DEFAULT,.slots = slots
  };
  PyObject *type = PyType_FromSpec (&spec);

  bdct_python_jobs_type = (PyTypeObject *) type;
  return type;
}

/* What the library knows */

/* Take over a new item, which may be NULL. */
static bool
append (PyObject * list, PyObject * item)
{
  const bool ok = item != NULL && PyList_Append (list, item) == 0;

  Py_XDECREF (item);
  return ok;
}

/* Lists of the transforms, the metrics and the presets. */
static PyObject *
list_names (PyObject * module, PyObject * unused)
{
  PyObject *transforms = PyList_New (0), *metrics = PyList_New (0);
  PyObject *presets = PyList_New (0);
  const BdctTransformInfo *transform;
  const BdctMetricInfo *metric;
  const BdctPresetInfo *preset;
  bool ok = transforms != NULL && metrics != NULL && presets != NULL;

  (void) module;
  (void) unused;
  for (int i = 0; ok && (transform = bdct_transform_info (i)) != NULL; i++)
    ok = append (transforms, Py_BuildValue ("si", transform->name,
            transform->has_qp));
  for (int i = 0; ok && (metric = bdct_metric_info (i)) != NULL; i++)
    ok = append (metrics, Py_BuildValue ("s(zzzz)", metric->name,
            metric->figure[0], metric->figure[1], metric->figure[2],
            metric->figure[3]));
  for (int i = 0; ok && (preset = bdct_preset_info (i)) != NULL; i++)
    ok = append (presets, Py_BuildValue ("s(y#y#)", preset->name,
            preset->step[0], (Py_ssize_t) 64 * 2, preset->step[1],
            (Py_ssize_t) 64 * 2));
  if (ok)
    return Py_BuildValue ("NNN", transforms, metrics, presets);
  Py_XDECREF (transforms);
  Py_XDECREF (metrics);
  Py_XDECREF (presets);
  return NULL;
}

static PyObject *
parse_tables (PyObject * module, PyObject * from)
{
  BdctTables tables;
  BdctError error;
  Py_ssize_t size;
  char *data;

  (void) module;
  if (PyBytes_AsStringAndSize (from, &data, &size) < 0)
    return NULL;
  if (!bdct_tables_parse (data, size, &tables, &error))
    return bdct_python_fail (PyExc_ValueError, &error);
  return PyBytes_FromStringAndSize ((const char *) tables.steps,
      tables.n_steps * sizeof *tables.steps);
}

static PyObject *
count_devices (PyObject * module, PyObject * backend)
{
  const long which = PyLong_AsLong (backend);
  BdctError error = { "" };
  int n;

  (void) module;
  if (PyErr_Occurred ())
    return NULL;
  n = bdct_backend_count_devices (which, &error);
  return Py_BuildValue ("is", n, n > 0 ? "" : error.message);
}

PyMethodDef bdct_python_functions[] = {
  {"list_names", list_names, METH_NOARGS, NULL},
  {"parse_tables", parse_tables, METH_O, NULL},
  {"count_devices", count_devices, METH_O, NULL},
  {NULL, NULL, 0, NULL}
};
