# SPDX-License-Identifier: LGPL-2.1-or-later
"""The training example: what it draws, in worker processes, too; with torch, that
it learns."""
import multiprocessing
import pathlib
import sys
import unittest

import numpy as np
from common import main

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / 'python' / 'examples'))
import training

try:
    import torch
except ImportError:
    torch = None


class Numpy(unittest.TestCase):
    def test_pairs(self):
        pairs = training.Pairs(4, batch=12, side=40)
        with multiprocessing.get_context('fork').Pool(2) as pool:
            made = pool.map(pairs.__getitem__, range(4))
        for i, (degraded, clean) in enumerate(made):
            self.assertEqual(degraded.shape, (12, 40, 40, 3))
            again, _ = pairs[i]
            np.testing.assert_array_equal(degraded, again)
            self.assertTrue((degraded != clean).any(axis=(1, 2, 3)).all())
            self.assertLess(np.abs(degraded - clean.astype(float)).mean(), 20)

    def test_settings(self):
        drawn = training.random_settings(500, np.random.default_rng(1))
        self.assertEqual(set(drawn['transform']), set(training.KINDS))
        self.assertGreater(len(set(drawn['quality'])), 50)


@unittest.skipUnless(torch, 'torch is not there')
class Torch(unittest.TestCase):
    def test_learning(self):
        device = 'cuda' if torch.cuda.is_available() else 'cpu'
        torch.manual_seed(1)
        for first, last in (training.restore(60, 2, device),
                            training.survive(60, device)):
            self.assertLess(last, first)


if __name__ == '__main__':
    main()
