# SPDX-License-Identifier: LGPL-2.1-or-later
"""mypy --strict and pyright find the module and its types, and nothing wrong."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from common import main

TOP = pathlib.Path(__file__).parents[2]
USE = '''
import numpy as np
import blockdct
batch = np.zeros((1, 16, 16, 3), np.uint8)
levels = blockdct.levels(batch)
psnr = blockdct.reconstruct(levels).psnr
pictures: list[object] = blockdct.reconstruct([blockdct.read_jpeg('a.jpg')])
wrong: int = blockdct.transform(batch).counts
also_wrong = blockdct.reconstruct(levels, metric='bits')
'''


class Typed(unittest.TestCase):
    def check(self, checker, **environment):
        with tempfile.TemporaryDirectory() as folder:  # where no other module is found
            environment['MYPY_CACHE_DIR'] = folder
            file = pathlib.Path(folder) / 'use.py'
            file.write_text(USE)
            done = subprocess.run([*checker, 'python/blockdct', str(file)], cwd=TOP, text=True,
                                  capture_output=True, env={**os.environ, **environment},
                                  timeout=500)
        errors = re.findall(r'^.*?([^/\s]+\.py):(\d+).*error:', done.stdout, re.M)
        self.assertEqual({*errors}, {('use.py', '8'), ('use.py', '9')}, done.stdout + done.stderr)

    def test_mypy(self):
        try:
            import mypy
        except ImportError:
            self.skipTest('mypy is not there')
        self.check([sys.executable, '-m', mypy.__name__, '--strict'],
                   MYPYPATH=str(TOP / 'python'))

    @unittest.skipUnless(shutil.which('pyright') or shutil.which('basedpyright'),
                         'pyright (pip install pyright) is not there')
    def test_pyright(self):
        program = shutil.which('pyright') or shutil.which('basedpyright')
        self.check([program, '--pythonpath', sys.executable])


if __name__ == '__main__':
    main()
