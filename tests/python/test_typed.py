# SPDX-License-Identifier: LGPL-2.1-or-later
"""mypy --strict and pyright find the module and its types, and nothing wrong."""
import os
import pathlib
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
    def run_on(self, checker, *files, **environment):
        done = subprocess.run([*checker, *files], cwd=TOP, capture_output=True, text=True,
                              env={**os.environ, **environment}, timeout=500)
        return done.returncode, done.stdout + done.stderr

    def check(self, checker, **environment):
        with tempfile.TemporaryDirectory() as folder:  # where no other module is found
            environment['MYPY_CACHE_DIR'] = folder
            status, text = self.run_on(checker, 'python/blockdct', **environment)
            self.assertEqual(status, 0, text)
            file = pathlib.Path(folder) / 'use.py'
            file.write_text(USE)
            _, text = self.run_on(checker, str(file), **environment)
        wrong = {int(line.split(':')[1]) for line in text.splitlines() if 'error:' in line}
        self.assertEqual(wrong, {8, 9}, text)

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
