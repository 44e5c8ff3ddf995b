/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "module.h"

#include "jpeg/file.h"
#include <stdlib.h>

#ifdef HAVE_LIBJPEG
#define LIBRARY jpeg_file_library ()
#else
#define LIBRARY ""
#endif

PyMODINIT_FUNC PyInit__blockdct (void);

static void
free_memory (PyObject * capsule)
{
  free (PyCapsule_GetPointer (capsule, NULL));
}

PyObject *
bdct_python_own (void *memory)
{
  PyObject *capsule = PyCapsule_New (memory, NULL, free_memory);

  if (capsule == NULL)
    free (memory);
  return capsule;
}

PyMODINIT_FUNC
PyInit__blockdct (void)
{
  static struct PyModuleDef definition = {.m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_blockdct",.m_size = -1,.m_methods = bdct_python_functions
  };
  PyObject *module = PyModule_Create (&definition);
  PyObject *types[2] = { bdct_python_make_jobs_type (),
    bdct_python_make_engine_type ()
  };

  if (module == NULL || types[0] == NULL || types[1] == NULL
      || PyModule_AddObjectRef (module, "Jobs", types[0]) < 0
      || PyModule_AddObjectRef (module, "Engine", types[1]) < 0
      || PyModule_AddStringConstant (module, "version", bdct_version ()) < 0
      || PyModule_AddStringConstant (module, "jpeg_library", LIBRARY) < 0
      || PyModule_AddFunctions (module, bdct_python_jpeg) < 0
      || PyModule_AddFunctions (module, bdct_python_images) < 0)
    Py_CLEAR (module);
  return module;
}
