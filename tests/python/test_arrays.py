# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every shape, stride and type is right, or an error that names it."""
import pickle
import unittest

import numpy as np
from common import Foreign, main, make_batch, make_planes

import blockdct

BATCH = make_batch()
EXPECTED = blockdct.transform(BATCH, quality=30).pictures


class Strides(unittest.TestCase):
    def check(self, batch, expected=EXPECTED, **arguments):
        before = batch.copy()
        made = blockdct.transform(batch, quality=30, **arguments).pictures
        np.testing.assert_array_equal(made, expected)
        np.testing.assert_array_equal(batch, before)
        self.assertEqual(made.dtype, batch.dtype)

    def test_interleaved(self):
        wide = np.zeros((4, 60, 100, 3), np.uint8)
        wide[:, 5:56, 7:92] = BATCH
        self.check(wide[:, 5:56, 7:92])
        self.check(BATCH[::-1], EXPECTED[::-1])
        self.check(np.asfortranarray(BATCH))
        self.check(BATCH[::2], EXPECTED[::2])
        self.check(np.repeat(BATCH, 2, 0)[1::2])
        self.check(np.repeat(BATCH, 2, 2)[:, :, ::2])
        self.check(np.broadcast_to(BATCH[:1], BATCH.shape),
                   np.broadcast_to(EXPECTED[:1], BATCH.shape))
        upside_down = BATCH[:, ::-1].copy()
        self.check(upside_down[:, ::-1])
        self.check(BATCH[..., ::-1].copy()[..., ::-1])
        row = np.broadcast_to(BATCH[:, :1], BATCH.shape)
        self.check(row, blockdct.transform(row.copy(), quality=30).pictures)
        read_only = BATCH.copy()
        read_only.flags.writeable = False
        self.check(read_only)

    def test_planar(self):
        planar, expected = (b.transpose(0, 3, 1, 2) for b in (BATCH, EXPECTED))
        self.check(planar, expected, layout='NCHW')
        self.check(planar.copy(), expected, layout='NCHW')
        self.check(planar.copy()[:, ::-1].copy()[:, ::-1], expected, layout='NCHW')
        four = np.zeros((4, 51, 85, 4), np.uint8)
        four[..., :3] = BATCH
        self.check(four[..., :3].transpose(0, 3, 1, 2), expected, layout='NCHW')
        self.check(four[..., :3])

    def test_alpha(self):
        four = np.concatenate([BATCH, make_batch(channels=1, seed=3)], -1)
        made = blockdct.transform(four, quality=30).pictures
        np.testing.assert_array_equal(made[..., :3], EXPECTED)
        np.testing.assert_array_equal(made[..., 3], four[..., 3])

    def test_grey(self):
        grey = BATCH[..., 1]
        expected = blockdct.transform(grey.copy(), quality=30).pictures
        self.check(grey, expected)
        self.check(grey[..., None], expected[..., None])
        self.check(grey[:, None], expected[:, None], layout='NCHW')
        np.testing.assert_array_equal(
            blockdct.transform((grey,), quality=30).pictures[0], expected)

    def test_words(self):
        grey = BATCH[..., 0].astype(np.uint16) * 4
        self.check(grey, blockdct.transform((grey,), quality=30, depth=10)
                   .pictures[0], depth=10)
        swapped = grey.astype('>u2')
        with self.assertRaisesRegex(ValueError, '>u2'):
            blockdct.transform(swapped, depth=10)

    def test_small(self):
        for height, width in (1, 1), (1, 9), (9, 1), (3, 2):
            batch = BATCH[:, :height, :width]
            self.check(batch, blockdct.transform(batch.copy(), quality=30).pictures)
            planar = batch.transpose(0, 3, 1, 2)
            self.check(planar.copy(), blockdct.transform(
                batch, quality=30).pictures.transpose(0, 3, 1, 2), layout='NCHW')

    def test_empty(self):
        made = blockdct.transform(BATCH[:0], quality=(), metrics=['bits', 'ssim'])
        self.assertEqual(made.pictures.shape, (0, 51, 85, 3))
        self.assertEqual(made.psnr.shape, (0,))
        levels = blockdct.levels(BATCH[:0])
        self.assertEqual(blockdct.reconstruct(levels).pictures.shape,
                         (0, 51, 85, 3))
        self.assertEqual(blockdct.compare(BATCH[:0], BATCH[:0]).psnr.shape, (0,))

    def test_other_sizes_in_turn(self):
        for i in range(40):
            batch = BATCH[:, :10 + i, :60 - i]
            self.check(batch, blockdct.transform(batch.copy(), quality=30,
                                                 threads=1).pictures)


class Dlpack(unittest.TestCase):
    def test_foreign(self):
        made = blockdct.transform(Foreign(BATCH.copy()), quality=30).pictures
        self.assertIsInstance(made, Foreign)
        np.testing.assert_array_equal(made.array, EXPECTED)
        part = Foreign(make_batch(4, 60, 90)[:, 3:-2, 1:])
        np.testing.assert_array_equal(
            blockdct.transform(part).pictures.array,
            blockdct.transform(part.array).pictures)
        levels = blockdct.levels(Foreign(BATCH.copy()), quality=30)
        self.assertIsInstance(levels.values, Foreign)
        np.testing.assert_array_equal(
            blockdct.reconstruct(levels).pictures.array, EXPECTED)

    def test_errors(self):
        with self.assertRaisesRegex(ValueError, "type 10"):
            blockdct.transform(Foreign(BATCH, (10, 0)))
        with self.assertRaisesRegex(ValueError, 'contiguous'):
            blockdct.transform(Foreign(BATCH[:, :, ::2]))
        with self.assertRaisesRegex(TypeError, r'stream is \[\]'):
            blockdct.transform(Foreign(BATCH), stream=[])

    def test_other_gpus(self):
        first, second = (Foreign(BATCH, (2, i)) for i in range(2))
        with self.assertRaisesRegex(ValueError, 'cuda:0.*cuda:1'):
            blockdct.compare(first, second)
        with self.assertRaisesRegex(ValueError, 'on cuda:1, but device is cuda:0'):
            blockdct.compare(second, second, device='cuda:0')
        with self.assertRaisesRegex(ValueError, 'on cuda:0, but device is cpu'):
            blockdct.compare(first, first, device='cpu')
        # 'cuda' is the arrays' GPU, and the first one for arrays of the host.
        normalize = blockdct._engines.normalize
        self.assertEqual(normalize('cuda', 'cuda:1'), 'cuda:1')
        self.assertEqual(normalize('cuda', 'cpu'), 'cuda:0')
        with self.assertRaisesRegex(TypeError, 'on a GPU cannot be written'):
            blockdct.transform(first)
        none = Foreign(BATCH, (2, 77))
        with self.assertRaisesRegex(RuntimeError, 'cuda|driver|CUDA'):
            blockdct.compare(none, none)


class Errors(unittest.TestCase):
    def test_errors(self):
        transform, levels = blockdct.transform, blockdct.levels
        jpeg = levels(BATCH)
        cut = levels(BATCH)
        cut.values = cut.values[:, 64:]
        tree = levels(BATCH, 'hevc-quadtree')
        tree.sizes[2, 5] = 9
        for error, text, function, *arguments in (
            (TypeError, 'int', transform, 3),
            (TypeError, 'str', transform, 'batch'),
            (ValueError, 'float32', transform, BATCH.astype(np.float32)),
            (ValueError, 'int16', transform, BATCH.astype(np.int16)),
            (ValueError, r'shape \(51, 85\)', transform, BATCH[0, ..., 0]),
            (ValueError, '2 channels', transform, BATCH[..., :2]),
            (ValueError, '51 channels', transform, BATCH, {'layout': 'NCHW'}),
            (ValueError, "'HWC'", transform, BATCH, {'layout': 'HWC'}),
            (ValueError, 'pictures of 0 x 85', transform, BATCH[:, :0]),
            (ValueError, 'depth=', transform, BATCH.astype(np.uint16)),
            (ValueError, 'depth of 10', transform, BATCH.astype(np.uint16),
             {'depth': 10}),
            (ValueError, 'depth 13 is outside 9 to 12', transform,
             BATCH[..., 0].astype(np.uint16), {'depth': 13}),
            (ValueError, 'depth 10 is outside 8 to 8', transform, BATCH,
             {'depth': 10}),
            (ValueError, '2 planes', transform, (BATCH[..., 0], BATCH[..., 1])),
            (ValueError, 'planes of 51 x 85, 50 x 85', transform,
             (BATCH[..., 0], BATCH[:, 1:, :, 0], BATCH[:, 1:, :, 0])),
            (ValueError, 'planes differ', transform,
             (BATCH[..., 0], BATCH[:3, ..., 0], BATCH[..., 0])),
            (ValueError, "'jpeg-9x9'", transform, BATCH, 'jpeg-9x9'),
            (ValueError, '2 transforms for 4', transform, BATCH, ['jpeg-8x8'] * 2),
            (ValueError, 'quality 101 is outside 1 to 100', transform, BATCH,
             {'quality': (1, 50, 101, 3)}),
            (ValueError, 'quality 0 is outside', transform, BATCH, {'quality': 0}),
            (ValueError, r'quality has shape \(3,\)', transform, BATCH,
             {'quality': (1, 2, 3)}),
            (ValueError, 'float64', transform, BATCH, {'quality': 12.5}),
            (ValueError, 'qp 52 is outside 0 to 51', transform, BATCH,
             {'qp': np.array([52, 1, 1, 1])}),
            (ValueError, 'deadzone', transform, BATCH, 'hevc-8x8',
             {'deadzone': 0.5}),
            (ValueError, '5', transform, BATCH, 'hevc-quadtree', {'min_block': 5}),
            (ValueError, '300', transform, BATCH, {'tables': [300] * 64}),
            (ValueError, '63', transform, BATCH, {'tables': [30] * 63}),
            (ValueError, "'annex-l'", transform, BATCH, {'tables': 'annex-l'}),
            (ValueError, 'line|INTRA|list', transform, BATCH, 'hevc-8x8',
             {'scaling_list': 'fat'}),
            (TypeError, 'qualty', transform, BATCH, {'qualty': 3}),
            (ValueError, "'vmaf'", transform, BATCH, {'metrics': 'vmaf'}),
            (ValueError, '51|85', transform, BATCH, {'metrics': 'ms-ssim'}),
            (ValueError, "'4:1:1'", transform, BATCH,
             {'chroma_subsampling': '4:1:1'}),
            (ValueError, "'tpu'", transform, BATCH, {'device': 'tpu'}),
            (ValueError, 'threads -1', transform, BATCH, {'threads': -1}),
            (ValueError, 'batches differ', blockdct.compare, BATCH, BATCH[:2]),
            (ValueError, 'batches differ', blockdct.compare, BATCH,
             BATCH[..., 0]),
            (ValueError, "'bits'", blockdct.compare, BATCH, BATCH,
             {'metrics': 'bits'}),
            (ValueError, '4 transforms', levels, BATCH,
             ['jpeg-8x8', 'hevc-8x8'] * 2),
            (ValueError, r'levels are \(4, ', blockdct.reconstruct, cut),
            (ValueError, 'sizes has 9 at column 5 of row 0', blockdct.reconstruct,
             tree),
            (ValueError, 'component 3', jpeg.blocks, 3),
            (ValueError, 'many sizes', tree.blocks, 0),
            (ValueError, "'bits'", blockdct.reconstruct, jpeg,
             {'metrics': 'ssim'}),
            (ValueError, "'no such'", blockdct.tables, 'no such'),
            (ValueError, 'quality 0', blockdct.tables, 'flat', 0),
            (ValueError, '.', blockdct.tables, b'\xff\xd8\xff'),
        ):
            keywords = arguments.pop() if isinstance(arguments[-1], dict) else {}
            with self.subTest(text=text), self.assertRaisesRegex(error, text):
                function(*arguments, **keywords)

    def test_after_errors(self):
        for _ in range(20):
            with self.assertRaises(ValueError):
                blockdct.transform(BATCH, 'hevc-8x8', deadzone=1)
        np.testing.assert_array_equal(
            blockdct.transform(BATCH, quality=30).pictures, EXPECTED)


class Values(unittest.TestCase):
    def test_pickle(self):
        settings = blockdct.Settings('hevc-16x16', qp=30, tables=range(1, 65))
        again = pickle.loads(pickle.dumps(settings))
        self.assertEqual(settings, again)
        self.assertEqual(hash(settings), hash(again))
        levels = pickle.loads(pickle.dumps(blockdct.levels(BATCH, quality=30)))
        np.testing.assert_array_equal(blockdct.reconstruct(levels).pictures,
                                      EXPECTED)
        made = pickle.loads(pickle.dumps(blockdct.transform(BATCH, quality=30)))
        np.testing.assert_array_equal(made[0], EXPECTED)

    def test_forms_of_settings(self):
        for quality in 30, np.int64(30), [30] * 4, np.full(4, 30, np.uint8), \
                range(30, 34):
            made = blockdct.transform(BATCH, quality=quality).pictures
            np.testing.assert_array_equal(made[0], EXPECTED[0])
        made = blockdct.transform(BATCH, blockdct.Settings(quality=30)).pictures
        np.testing.assert_array_equal(made, EXPECTED)


if __name__ == '__main__':
    main()
