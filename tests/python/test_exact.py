# SPDX-License-Identifier: LGPL-2.1-or-later
"""The figures are those that numpy computes of the pictures (which are right by
test_libjpeg.py)."""
import unittest

import numpy as np
from common import main, make_batch, make_planes

import blockdct


def psnr_of(a, b, depth=8):
    mse = np.mean((a.astype(float) - b) ** 2)
    return 10 * np.log10((2 ** depth - 1) ** 2 / mse) if mse else np.inf


def make_video():
    """Grey noise that moves."""
    noise = np.random.default_rng(5).integers(0, 256, (64, 96), np.uint8)
    return np.stack([np.roll(noise, 3 * i, 1) for i in range(6)])


class Figures(unittest.TestCase):
    def test_planes(self):
        for down, across in (1, 1), (1, 2), (2, 1), (2, 2):
            for high, depth in (256, 8), (1 << 9, 9), (1 << 12, 12):
                planes = make_planes(2, down=down, across=across, high=high)
                for transform in 'jpeg-8x8', 'hevc-16x16', 'hevc-quadtree':
                    made = blockdct.transform(planes, transform, quality=30, qp=40,
                                              depth=depth, metrics=('planes', 'counts'))
                    self.assertIsNone(made.counts.squared_errors_rgb)
                    self.assertIsNone(made.counts.bits)
                    for c, (plane, other) in enumerate(zip(planes, made.pictures)):
                        self.assertEqual(other.dtype, plane.dtype)
                        self.assertEqual(made.counts.samples[0, c], plane[0].size)
                        np.testing.assert_array_equal(made.counts.squared_errors[:, c],
                                                      sse_of(plane, other))
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


def sse_of(a, b):
    """Of each picture, and of each channel if there are some."""
    return ((a.astype(np.int64) - b) ** 2).sum((1, 2))


def sums_of(counts):
    """What a batch's whole numbers add up to."""
    arrays = {**counts._asdict(), **counts.metrics}
    del arrays['metrics']
    return {name: array.sum(0).tolist() for name, array in arrays.items()
            if array is not None}


class Counts(unittest.TestCase):
    def test_errors(self):
        batch = make_batch()
        made = blockdct.transform(batch, quality=30, metrics='counts')
        height, width = batch.shape[1:3]
        np.testing.assert_array_equal(made.counts.squared_errors_rgb,
                                      sse_of(batch, made.pictures))
        np.testing.assert_allclose(made.psnr, [psnr_of(*pair) for pair in zip(
            batch, made.pictures)])
        np.testing.assert_allclose(made.mse, 255 ** 2 / 10 ** (made.psnr / 10))
        sides = [height * width] + [-(-height // 2) * -(-width // 2)] * 2
        self.assertEqual(made.counts.samples.tolist(), [sides] * len(batch))
        compared = blockdct.compare(batch, made.pictures, metrics=('counts', 'planes'))
        np.testing.assert_array_equal(compared.counts.squared_errors_rgb,
                                      made.counts.squared_errors_rgb)
        mse = compared.counts.squared_errors / compared.counts.samples
        np.testing.assert_allclose(10 * np.log10(255 ** 2 / mse), compared.psnr_planes)
        self.assertIsNone(compared.counts.levels)
        self.assertIsNone(blockdct.compare(batch, batch).counts)

    def test_levels(self):
        planes = make_planes()
        for transform in 'jpeg-8x8', 'hevc-16x16':
            made = blockdct.transform(planes, transform, quality=85, qp=30,
                                      metrics=('bits', 'counts', 'planes'))
            levels = blockdct.levels(planes, transform, quality=85, qp=30)
            for c in range(3):
                blocks = levels.blocks(c)
                self.assertEqual(made.counts.levels[0, c], blocks[0].size)
                np.testing.assert_array_equal(
                    made.counts.nonzero_levels[:, c],
                    np.count_nonzero(blocks, axis=(1, 2, 3, 4)))
            np.testing.assert_array_equal(
                made.nonzero, made.counts.nonzero_levels.sum(1) / made.counts.levels.sum(1))
            np.testing.assert_array_equal(made.counts.bits.sum(1), made.bits)
            np.testing.assert_array_equal(made.counts.file_size, made.file_size)
            again = blockdct.reconstruct(levels, metrics=('bits', 'counts')).counts
            np.testing.assert_array_equal(again.bits, made.counts.bits)
            self.assertIsNone(again.squared_errors)
            if transform == 'jpeg-8x8':
                self.assertTrue((made.counts.file_size_optimized < made.file_size).all())
                self.assertTrue((made.counts.bits_optimized < made.bits).all())

    def test_parts(self):
        """Parts of a batch add up to the whole, to the unit."""
        batch = make_batch(7, 192, 190)
        metrics = blockdct.METRICS
        whole = blockdct.transform(batch, quality=40, metrics=metrics)
        for name, values in whole.metrics.items():
            if not name.startswith('xpsnr'):
                np.testing.assert_array_equal(whole.counts.metrics[name],
                                              np.rint(values * 1e9))
        roots = whole.counts.metrics['xpsnr-y'] / 1e9
        np.testing.assert_allclose(whole.metrics['xpsnr-y'], 10 * np.log10(
            192 * 190 * 255 ** 2 / roots ** 2))
        self.assertEqual(set(whole.counts.metrics), set(whole.metrics))
        sums = sums_of(whole.counts)
        self.assertLess({'samples', 'squared_errors', 'squared_errors_rgb', 'levels',
                         'nonzero_levels', 'bits', 'bits_optimized', 'file_size',
                         'file_size_optimized', 'ssim', 'xpsnr-y'}, set(sums))
        for cut in 1, 3, 6:
            parts = [sums_of(blockdct.transform(part, quality=40, metrics=metrics).counts)
                     for part in (batch[cut:], batch[:cut])]
            for name, total in sums.items():
                np.testing.assert_array_equal(total, np.add(*(p[name] for p in parts)), name)

    def test_not_finite(self):
        batch = make_batch(2, 64, 64)
        same = blockdct.compare(batch, batch, metrics=('counts', 'ssim', 'psnr-hvs'))
        self.assertTrue(np.isinf(same.psnr).all())
        self.assertEqual(same.counts.metrics['ssim'].tolist(), [10 ** 9] * 2)
        self.assertEqual(same.counts.metrics['psnr-hvs-y'].tolist(), [2 ** 63 - 1] * 2)


class Measured(unittest.TestCase):
    def check(self, batch, quality, qp, transform='jpeg-8x8'):
        """What `measure` says is what `transform` says at each setting, but that R, G
        and B have no errors. Returns the numbers of pictures and settings."""
        metrics = blockdct.METRICS
        measured = blockdct.measure(batch, transform, quality=quality, qp=qp, metrics=metrics)
        shape = measured.psnr.shape
        quality, qp = np.broadcast_to(quality, shape[1]), np.broadcast_to(qp, shape[1])
        for s in range(shape[1]):
            made = blockdct.transform(
                batch, transform if isinstance(transform, str) else transform[s],
                quality=quality[s], qp=qp[s], metrics=metrics)
            for mine, theirs in (measured, made), (measured.counts, made.counts):
                mine, theirs = ({**one._asdict(), **one.metrics} for one in (mine, theirs))
                for name in set(mine) - {'psnr', 'mse', 'metrics', 'counts',
                                         'squared_errors_rgb'}:
                    np.testing.assert_array_equal(mine[name][:, s], theirs[name], name)
        counts = measured.counts
        self.assertIsNone(counts.squared_errors_rgb)
        np.testing.assert_array_equal(
            measured.mse, counts.squared_errors.sum(2) / counts.samples.sum(2))
        return shape

    def test_qualities(self):
        self.assertEqual(self.check(make_batch(3, 192, 190), range(10, 100, 20), 30), (3, 5))
        self.assertEqual(self.check(make_planes(2, 192, 190), range(20, 60, 20), 30), (2, 2))

    def test_qps(self):
        for transform in 'hevc-8x8', 'hevc-quadtree', 'vvc-64x64':
            self.check(make_batch(2, 192, 190), 85, np.arange(20, 44, 8), transform)

    def test_kinds(self):
        kinds = ['jpeg-8x8', 'hevc-32x32', 'h264-4x4']
        self.check(make_batch(2, 192, 190), (20, 30, 40), (20, 30, 40), kinds)

    def test_shapes(self):
        batch = make_batch(3)
        self.assertEqual(blockdct.measure(batch).psnr.shape, (3, 1))
        self.assertEqual(blockdct.measure(batch[:0], quality=[1, 2]).psnr.shape, (0, 2))
        with self.assertRaisesRegex(ValueError, 'one value or 3, one per setting'):
            blockdct.measure(batch, quality=[1, 2], qp=[1, 2, 3])
        with self.assertRaisesRegex(ValueError, '2 transforms for 3 settings'):
            blockdct.measure(batch, ['jpeg-8x8', 'dct-8x8'], quality=[1, 2, 3])
        with self.assertRaisesRegex(ValueError, 'quality 0 is outside'):
            blockdct.measure(batch, quality=range(10))

    def test_frames(self):
        """With a frame rate, XPSNR weighs what moves; the parts of a video with the two
        frames before them have the figures of the whole."""
        batch = make_video()

        def measure(frames, **given):
            return blockdct.measure(frames, layout='NHW', metrics='xpsnr',
                                    **given).metrics['xpsnr-y']

        whole, still = measure(batch, frame_rate=25), measure(batch)
        self.assertEqual(whole[0], still[0])
        self.assertTrue((whole[2:] != still[2:]).all())
        np.testing.assert_array_equal(measure(batch[2:], frame_rate=25)[2:], whole[4:])
        with self.assertRaisesRegex(ValueError, 'frame_rate 0 is outside 1 to 1000'):
            measure(batch, frame_rate=0)


class Levels(unittest.TestCase):
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
