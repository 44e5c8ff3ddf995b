# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pictures and figures are right: Pillow's bytes, and figures that numpy
computes of the pictures."""
import unittest

import numpy as np
from common import SUBSAMPLINGS, main, make_batch, make_planes, with_pillow

import blockdct

try:
    import PIL
except ImportError:
    PIL = None


def psnr_of(a, b, depth=8):
    mse = np.mean((a.astype(float) - b) ** 2)
    return 10 * np.log10((2 ** depth - 1) ** 2 / mse) if mse else np.inf


@unittest.skipUnless(PIL, 'Pillow is not there')
class Pillow(unittest.TestCase):
    def test_all_qualities(self):
        for height, width in (51, 85), (16, 32), (1, 1), (9, 2), (40, 3):
            batch = make_batch(100, height, width)
            for subsampling in SUBSAMPLINGS:
                made = blockdct.transform(batch, quality=range(1, 101),
                                          chroma_subsampling=subsampling)
                for i, picture in enumerate(batch):
                    theirs, _ = with_pillow(picture, i + 1, subsampling)
                    np.testing.assert_array_equal(made.pictures[i], theirs)
                    self.assertAlmostEqual(made.psnr[i], psnr_of(picture, theirs))

    def test_grey(self):
        batch = make_batch(20, channels=1)[..., 0]
        made = blockdct.transform(batch, quality=range(5, 105, 5)[:20])
        for i, picture in enumerate(batch):
            theirs, _ = with_pillow(picture, 5 + 5 * i)
            np.testing.assert_array_equal(made.pictures[i], theirs)
            self.assertAlmostEqual(made.psnr[i], psnr_of(picture, theirs))

    def test_tables(self):
        for quality in 1, 49, 50, 77, 100:
            _, file = with_pillow(make_batch(1)[0], quality)
            np.testing.assert_array_equal(blockdct.tables('annex-k', quality),
                                          blockdct.tables(file))

    def test_file_size(self):
        batch = make_batch(8, 100, 140)
        made = blockdct.transform(batch, quality=range(20, 100, 10),
                                  metrics='bits')
        for i, picture in enumerate(batch):
            size = len(with_pillow(picture, 20 + 10 * i)[1])
            self.assertLess(abs(made.file_size[i] - size), 0.005 * size + 8)
            self.assertLess(made.bits[i] / 8, size)


class Figures(unittest.TestCase):
    def test_planes(self):
        for down, across in (1, 1), (1, 2), (2, 1), (2, 2):
            for high, depth in (256, 8), (1 << 9, 9), (1 << 12, 12):
                planes = make_planes(down=down, across=across, high=high)
                for transform in 'jpeg-8x8', 'hevc-16x16', 'hevc-quadtree':
                    made = blockdct.transform(planes, transform, quality=30, qp=40,
                                              depth=depth, metrics='planes')
                    for c, (plane, other) in enumerate(zip(planes, made.pictures)):
                        self.assertEqual(other.dtype, plane.dtype)
                        for i in range(len(plane)):
                            self.assertAlmostEqual(
                                made.psnr_planes[i, c],
                                psnr_of(plane[i], other[i], depth))

    def test_a_setting_a_picture(self):
        batch = make_batch(6)
        kinds = ['jpeg-8x8', 'hevc-32x32', 'h264-4x4',
                 'vvc-64x64', blockdct.Settings('jpeg-8x8', tables=[17] * 64),
                 'hevc-quadtree']
        quality, qp = range(30, 36), range(20, 44, 4)
        made = blockdct.transform(batch, kinds, quality=quality, qp=qp,
                                  metrics=('bits', 'planes'))
        for i, kind in enumerate(kinds):
            alone = blockdct.transform(batch[i:i + 1], kind, quality=quality[i],
                                       qp=qp[i], metrics='bits')
            np.testing.assert_array_equal(alone.pictures[0], made.pictures[i])
            self.assertEqual(alone.psnr[0], made.psnr[i])
            self.assertEqual(alone.bits[0], made.bits[i])
            self.assertGreater(made.nonzero[i], 0)

    def test_steps(self):
        batch = make_batch()
        steps = blockdct.tables('annex-k', 35)
        np.testing.assert_array_equal(
            blockdct.transform(batch, tables=steps).pictures,
            blockdct.transform(batch, quality=35).pictures)
        np.testing.assert_array_equal(
            blockdct.transform(batch, tables=blockdct.tables(), scale_tables=True,
                               quality=35).pictures,
            blockdct.transform(batch, quality=35).pictures)

    def test_metrics(self):
        batch = make_batch(1, 200, 190).repeat(3, 0)
        made = blockdct.transform(batch, quality=(5, 50, 95),
                                  metrics=blockdct.METRICS)
        again = blockdct.compare(batch, made.pictures,
                                 metrics=blockdct.METRICS[2:])
        np.testing.assert_array_equal(made.psnr, again.psnr)
        self.assertLess({'ssim', 'ms-ssim-y', 'psnr-hvs', 'xpsnr-y'},
                        set(made.metrics))
        for name, values in made.metrics.items():
            self.assertEqual(values.shape, (3,))
            self.assertTrue((np.diff(values) > 0).all(), name)
        self.assertIn('ssim', again.metrics)
        # XPSNR compares a frame with those before it; pictures are none.
        alone = blockdct.transform(batch[2:], quality=95, metrics='xpsnr')
        self.assertEqual(alone.metrics['xpsnr-y'][0], made.metrics['xpsnr-y'][2])

    def test_same(self):
        batch = make_batch()
        self.assertTrue(np.isinf(blockdct.compare(batch, batch).psnr).all())


class Levels(unittest.TestCase):
    def test_jpeg(self):
        """The levels of a grey block are its DCT over the steps, rounded."""
        batch = make_batch(3, 16, 24, 1)[..., 0]
        k, n = np.mgrid[0:8, 0:8]
        basis = np.cos((2 * n + 1) * k * np.pi / 16) / 2
        basis[0] /= np.sqrt(2)
        levels = blockdct.levels(batch, quality=60)
        blocks = levels.blocks(0)
        self.assertEqual(blocks.shape, (3, 2, 3, 8, 8))
        for (i, y, x) in np.ndindex(3, 2, 3):
            block = batch[i, 8 * y:8 * y + 8, 8 * x:8 * x + 8].astype(float) - 128
            exact = basis @ block @ basis.T / blockdct.tables('annex-k', 60)[0]
            self.assertLess(np.abs(blocks[i, y, x] - exact).max(), 0.53)

    def test_there_and_back(self):
        batch = make_batch()
        for transform in blockdct.TRANSFORMS:
            arguments = {'quality': range(20, 24), 'qp': range(30, 34)}
            made = blockdct.transform(batch, transform, metrics='bits', **arguments)
            levels = blockdct.levels(batch, transform, **arguments)
            again = blockdct.reconstruct(levels, metrics='bits')
            np.testing.assert_array_equal(made.pictures, again.pictures)
            if made.bits[0] > 0:
                np.testing.assert_array_equal(made.bits, again.bits)
            self.assertTrue(np.isnan(again.psnr).all())

    def test_changed(self):
        """Without all but the first level, blocks are flat."""
        planes = make_planes(2, 32, 48, 1, 1)
        levels = blockdct.levels(planes, 'hevc-8x8', qp=20)
        for c in range(3):
            blocks = levels.blocks(c)
            dc = blocks[..., 0, 0].copy()
            blocks[:] = 0
            blocks[..., 0, 0] = dc
        for plane in blockdct.reconstruct(levels).pictures:
            blocks = plane.reshape(2, 4, 8, 6, 8)
            np.testing.assert_array_equal(np.ptp(blocks, axis=(2, 4)), 0)


if __name__ == '__main__':
    main()
