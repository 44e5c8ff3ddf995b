/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "module.h"

PyMODINIT_FUNC PyInit__blockdct (void);

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
      || !bdct_python_add_images (module) || !bdct_python_add_jpeg (module))
    Py_CLEAR (module);
  return module;
}
