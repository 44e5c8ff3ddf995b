# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every shape, stride and type is right, or an error that names it."""
import pickle
import tempfile
import unittest

import numpy as np
from common import SUBSAMPLINGS, Foreign, main, make_batch, make_planes, with_pillow

import blockdct

try:
    from PIL import Image
except ImportError:
    Image = None
try:
    import torch
except ImportError:
    torch = None
try:
    from torchvision import tv_tensors
except ImportError:
    tv_tensors = None

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

    def test_words(self):
        grey = BATCH[..., 0].astype(np.uint16) * 4
        self.check(grey, blockdct.transform((grey,), quality=30, depth=10)
                   .pictures[0], depth=10, layout='NHW')
        with self.assertRaisesRegex(ValueError, '>u2'):
            blockdct.transform(grey.astype('>u2'), depth=10, layout='NHW')

    def test_empty(self):
        made = blockdct.transform(BATCH[:0], quality=(), metrics=['bits', 'ssim'])
        self.assertEqual(made.pictures.shape, (0, 51, 85, 3))
        self.assertEqual(made.psnr.shape, (0,))
        levels = blockdct.levels(BATCH[:0])
        self.assertEqual(blockdct.reconstruct(levels).pictures.shape,
                         (0, 51, 85, 3))
        self.assertEqual(blockdct.compare(BATCH[:0], BATCH[:0]).psnr.shape, (0,))


def expect(picture, quality, subsampling):
    """(height, width), or with 1, 3 or 4 channels, as Pillow shows it."""
    if picture.ndim == 3 and picture.shape[2] == 1:
        return expect(picture[..., 0], quality, subsampling)[..., None]
    if picture.ndim == 3 and picture.shape[2] == 4:
        return np.dstack((expect(picture[..., :3], quality, subsampling), picture[..., 3]))
    return with_pillow(picture, quality, subsampling)[0]


def as_mapped(array):
    with tempfile.TemporaryFile() as file:
        mapped = np.memmap(file, array.dtype, 'w+', shape=array.shape)
    mapped[:] = array
    return mapped


class Subclass(np.ndarray):
    pass


KINDS = {'bytes': np.copy, 'strided': lambda a: a.repeat(2, -1)[..., ::2],
         'floats': lambda a: (a / 255).astype(np.float32), 'mapped': as_mapped,
         'masked': np.ma.masked_array, 'subclass': lambda a: a.view(Subclass)}
if torch:
    KINDS['tensors'] = lambda a: torch.from_numpy(a.copy())
    KINDS['float tensors'] = lambda a: KINDS['tensors'](KINDS['floats'](a))
if tv_tensors:
    KINDS['images'] = lambda a: KINDS['tensors'](a).as_subclass(tv_tensors.Image)


@unittest.skipUnless(Image, 'Pillow is not there')
class Readings(unittest.TestCase):
    def make(self, rng):
        """A call's batch, its layout, and pictures as (height, width[, channels])."""
        layout = str(rng.choice(['NHWC', 'NCHW', 'NHW', 'HWC', 'CHW', 'HW']))
        form = str(rng.choice(['array', 'array', 'list', 'tuple', 'image', 'images']))
        if form != 'array':
            layout = 'HWC' if 'image' in form else layout.lstrip('N')
        n = int(rng.integers(1, 6)) if layout[0] == 'N' or form in (
            'list', 'tuple', 'images') else 1
        channels = int(rng.choice([1, 3, 3, 4] if layout.endswith('HWC') else [1, 3]))
        sides = rng.choice([5, 9, 40], 2) + rng.integers(-4, 6, 2) + np.zeros((n, 2), int)
        if form in ('list', 'tuple', 'images'):
            sides += rng.integers(0, 2, (n, 2)) * rng.integers(0, 20, (n, 2))
        pictures = [make_batch(1, *side, channels, n)[0] for side in sides]
        if 'C' not in layout or 'image' in form and channels == 1:
            pictures = [picture[..., 0] for picture in pictures]
        given = [p.transpose(2, 0, 1) if layout.endswith('CHW') else p for p in pictures]
        if layout[0] == 'N':
            given = [np.stack(given)]
        convert = Image.fromarray if 'image' in form else rng.choice([*KINDS.values()])
        given = [convert(p) for p in given]
        if form in ('array', 'image'):
            given = given[0]
        return tuple(given) if form == 'tuple' else given, layout, pictures

    def test_random(self):
        """Without a layout, a call is right or refused; with it, it is right."""
        rng = np.random.default_rng(5)
        n_right = n_refused = 0
        for _ in range(500):
            batch, layout, pictures = self.make(rng)
            if layout == 'NHW' and pictures[0].shape[1] <= 4:
                continue  # which is a picture, or one that is refused
            quality = int(rng.integers(1, 101))
            subsampling = str(rng.choice(SUBSAMPLINGS))
            wanted = [expect(p, quality, subsampling) for p in pictures]
            if layout.endswith('CHW'):
                wanted = [p.transpose(2, 0, 1) for p in wanted]
            is_image = isinstance(batch[0] if isinstance(batch, (list, tuple)) else batch,
                                  Image.Image)
            for given in (None,) if is_image else (None, layout):
                try:
                    made = blockdct.transform(batch, quality=quality, layout=given,
                                              chroma_subsampling=subsampling,
                                              rounding='nearest')
                except ValueError as error:
                    self.assertIsNone(given)
                    self.assertRegex(str(error), 'can be .* or .*: say which')
                    n_refused += 1
                    continue
                if given is None:
                    n_right += 1
                is_batch = isinstance(batch, (list, tuple)) or layout[0] == 'N'
                made = made.pictures if is_batch else [made.pictures]
                self.assertEqual(len(made), len(wanted))
                for one, other in zip(made, wanted):
                    one = np.asarray(one)
                    np.testing.assert_array_equal(
                        one if one.dtype == np.uint8 else np.rint(one * 255), other)
        self.assertGreater(n_right, 300)
        self.assertGreater(n_refused, 40)

    def test_list(self):
        """Sizes, kinds and settings a picture; figures in the order of the list."""
        pictures = [*make_batch(2), *make_batch(2, 24, 40), *make_batch(1, channels=1)[..., 0],
                    *make_batch(2)]
        each = {'quality': range(10, 80, 10),
                'chroma_subsampling': ['4:2:0', '4:4:4'] * 3 + ['4:2:0']}
        made = blockdct.transform(pictures, metrics=('bits', 'counts', 'planes'), **each)
        compared = blockdct.compare(pictures, made.pictures, metrics='counts')
        measured = blockdct.measure(pictures, quality=[10, 20], metrics='bits')
        for i, picture in enumerate(pictures):
            one = blockdct.transform(picture, metrics=('bits', 'counts', 'planes'),
                                     **{name: values[i] for name, values in each.items()})
            np.testing.assert_array_equal(made.pictures[i], one.pictures)
            self.assertEqual((made.psnr[i], made.bits[i], compared.psnr[i]),
                             (one.psnr, one.bits, one.psnr))
            np.testing.assert_array_equal(made.psnr_planes[i], one.psnr_planes)
            np.testing.assert_array_equal(made.counts.levels[i], one.counts.levels)
            np.testing.assert_array_equal(
                measured.bits[i], blockdct.measure(picture, quality=[10, 20],
                                                   metrics='bits').bits)
        self.assertEqual(blockdct.transform([]).pictures, [])
        self.assertEqual(blockdct.compare([], []).psnr.shape, (0,))

    def test_images(self):
        image = Image.fromarray(BATCH[0])
        made = blockdct.transform(image, quality=30).pictures
        self.assertIsInstance(made, Image.Image)
        np.testing.assert_array_equal(made, EXPECTED[0])
        made = blockdct.transform([image, image.convert('L'), image.convert('RGBA')])
        self.assertEqual([p.mode for p in made.pictures], ['RGB', 'L', 'RGBA'])
        with self.assertRaisesRegex(ValueError, "'P'.*convert"):
            blockdct.transform(image.convert('P'))

    def test_planes_of_one_picture(self):
        planes = make_planes(1)
        made = blockdct.transform(planes, quality=30)
        one = blockdct.transform(tuple(p[0] for p in planes), quality=30)
        self.assertEqual(one.psnr, made.psnr[0])
        for mine, theirs in zip(one.pictures, made.pictures):
            np.testing.assert_array_equal(mine, theirs[0])


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


class Subclasses(unittest.TestCase):
    @unittest.skipUnless(torch, 'torch is not there')
    def test_torch(self):
        class Tensor(torch.Tensor):
            pass
        batch = torch.from_numpy(BATCH).permute(0, 3, 1, 2).contiguous()
        kinds = [lambda x: x.as_subclass(Tensor), torch.clone]
        if tv_tensors:
            kinds.append(tv_tensors.Image)
        for kind in kinds:
            for given in kind(batch), list(map(kind, batch)):
                made = blockdct.transform(
                    given, quality=30, layout='CHW' if isinstance(given, list) else None)
                for one, other in zip(made.pictures, EXPECTED):
                    self.assertIsInstance(one, torch.Tensor)
                    np.testing.assert_array_equal(one.permute(1, 2, 0), other)
        for dtype in torch.bfloat16, torch.float16, torch.float64:
            floats = (batch / 255).to(dtype)
            made = blockdct.transform(floats, quality=30, rounding='nearest').pictures
            as_bytes = (floats.double() * 255).round().byte()
            expected = blockdct.transform(as_bytes, quality=30).pictures.double() / 255
            self.assertLess((made - expected).abs().max(), torch.finfo(dtype).eps)
            with self.assertRaisesRegex(ValueError, f'{dtype}.*rounding='.replace('torch.', '')):
                blockdct.transform(floats)
        with self.assertRaisesRegex(ValueError, 'StraightThrough'):
            blockdct.transform(floats.requires_grad_(), rounding='nearest')

    @unittest.skipUnless(torch, 'torch is not there')
    def test_compiled(self):
        def degrade(batch):
            return blockdct.transform(batch + 0, quality=30).pictures + 0
        batch = torch.from_numpy(BATCH)
        made = torch.compile(degrade, backend='eager')(batch)
        np.testing.assert_array_equal(made, EXPECTED)


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
            (ValueError, r'51, 85, 2\) is none of NHWC', transform, BATCH[..., :2]),
            (TypeError, 'transform 30 is neither a name', transform, BATCH, 30),
            (ValueError, "rounding 'up' is not one of", transform, BATCH, {'rounding': 'up'}),
            (ValueError, "not layout 'NCHW'", transform, BATCH, {'layout': 'NCHW'}),
            (ValueError, "'HCW' is not one of", transform, BATCH, {'layout': 'HCW'}),
            (ValueError, r"\['NHW'\] is not one of \('NHWC'", transform, BATCH,
             {'layout': ['NHW']}),
            (ValueError, r"\['4:2:0'\] is not one of", blockdct.levels, BATCH,
             {'chroma_subsampling': ['4:2:0']}),
            (ValueError, '4 channels must be the last', transform,
             BATCH[:, :4], {'layout': 'NCHW'}),
            (ValueError, 'pictures of 0 x 85', transform, BATCH[:, :0]),
            (ValueError, 'depth=', transform, BATCH.astype(np.uint16)),
            (ValueError, 'depth of 10', transform, BATCH.astype(np.uint16),
             {'depth': 10}),
            (ValueError, 'depth 10 is outside 8 to 8', transform, BATCH,
             {'depth': 10}),
            (TypeError, r'depth \[8\] is not a whole number', transform, BATCH, {'depth': [8]}),
            (TypeError, r"scaling_list=\['flat'\].*unhashable", transform, BATCH, 'hevc-8x8',
             {'scaling_list': ['flat']}),
            (ValueError, '2 arrays', transform, (BATCH[..., 0], BATCH[..., 1])),
            (ValueError, '2 planes', transform, (BATCH[..., 0], BATCH[..., 1]),
             {'layout': 'YUV'}),
            (ValueError, 'planes of 51 x 85, 50 x 85', transform,
             (BATCH[..., 0], BATCH[:, 1:, :, 0], BATCH[:, 1:, :, 0])),
            (ValueError, 'planes differ', transform,
             (BATCH[..., 0], BATCH[:3, ..., 0], BATCH[..., 0])),
            (ValueError, "'jpeg-9x9'", transform, BATCH, 'jpeg-9x9'),
            (ValueError, '2 transforms for 4', transform, BATCH, ['jpeg-8x8'] * 2),
            (ValueError, 'quality 101 is outside 1 to 100', transform, BATCH,
             {'quality': (1, 50, 101, 3)}),
            (ValueError, r'quality has shape \(3,\)', transform, BATCH,
             {'quality': (1, 2, 3)}),
            (ValueError, 'float64', transform, BATCH, {'quality': 12.5}),
            (ValueError, 'qp is given, but jpeg-8x8', transform, BATCH, {'qp': 30}),
            (ValueError, 'quality is given, but hevc-8x8', transform, BATCH, 'hevc-8x8',
             {'quality': 30}),
            (ValueError, 'quality is given, but the steps', transform, BATCH,
             {'quality': 30, 'tables': [9] * 64}),
            (ValueError, '63', transform, BATCH, {'tables': [30] * 63}),
            (ValueError, "'annex-l'", transform, BATCH, {'tables': 'annex-l'}),
            (ValueError, 'line|INTRA|list', transform, BATCH, 'hevc-8x8',
             {'scaling_list': 'fat'}),
            (TypeError, 'qualty is neither .*deadzone', transform, BATCH, {'qualty': 3}),
            (ValueError, "'vmaf'", transform, BATCH, {'metrics': 'vmaf'}),
            (TypeError, "scaling_list=5.*'encode'", transform, BATCH, 'hevc-8x8',
             {'scaling_list': 5}),
            (TypeError, "deadzone='a'.*number", transform, BATCH, 'hevc-8x8',
             {'deadzone': 'a'}),
            (TypeError, "qp '3' is not a whole number", blockdct.Settings, 'hevc-8x8',
             {'qp': '3'}),
            (TypeError, 'threads 1.5 is not a whole', transform, BATCH, {'threads': 1.5}),
            (TypeError, 'not in a list', blockdct.reconstruct, [jpeg]),
            (ValueError, "'4:1:1'", transform, BATCH,
             {'chroma_subsampling': '4:1:1'}),
            (ValueError, 'has 2 values: give one value or 4', transform, list(BATCH),
             {'chroma_subsampling': ['4:2:0', '4:4:4']}),
            (ValueError, r'\[.4:2:0.\] is not .* for a list', transform, BATCH,
             {'chroma_subsampling': ['4:2:0']}),
            (ValueError, 'not a list', levels, list(BATCH)),
            (ValueError, 'masked', transform, np.ma.masked_array(BATCH, BATCH > 9)),
            (ValueError, "'tpu'", transform, BATCH, {'device': 'tpu'}),
            (ValueError, 'threads -1', transform, BATCH, {'threads': -1}),
            (ValueError, 'batches differ', blockdct.compare, BATCH, BATCH[:2]),
            (ValueError, 'batches differ', blockdct.compare, BATCH, list(BATCH)),
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
        ):
            keywords = arguments.pop() if isinstance(arguments[-1], dict) else {}
            with self.subTest(text=text), self.assertRaisesRegex(error, text):
                function(*arguments, **keywords)

    def test_floats(self):
        floats = BATCH / 255
        for dtype in np.float16, np.float32, np.float64:
            made = blockdct.transform(floats.astype(dtype), quality=30, rounding='nearest')
            self.assertEqual(made.pictures.dtype, dtype)
            np.testing.assert_array_equal(made.pictures, (EXPECTED / 255).astype(dtype))
        for rounding, factor in ('floor', 255), ('torchvision', 255.999):
            as_bytes = np.floor(floats * .9 * factor).astype(np.uint8)
            np.testing.assert_array_equal(
                blockdct.transform(floats * .9, rounding=rounding).pictures,
                blockdct.transform(as_bytes).pictures / 255)
        for wrong, text in (floats, 'rounding='), (BATCH / 1., 'from .* are not within 0 to 1'), (
                floats - 1, 'from -'), (floats * np.nan, 'nan'):
            with self.assertRaisesRegex(ValueError, text):
                blockdct.transform(wrong, rounding=None if 'r' == text[0] else 'nearest')

    def test_out(self):
        planes = make_planes()
        for batch in (BATCH, BATCH[0], BATCH.transpose(0, 3, 1, 2).copy(), planes,
                      planes[0].astype(np.uint16)):
            rest = {'depth': 9} if batch is not planes and batch.dtype != np.uint8 else {}
            rest['layout'] = 'NHW' if rest else None
            out = tuple(np.zeros_like(p) for p in batch) if batch is planes \
                else np.zeros_like(batch)
            made = blockdct.transform(batch, quality=9, out=out, **rest)
            self.assertIs(made.pictures, out)
            for one, other in zip(out, blockdct.transform(batch, quality=9, **rest).pictures):
                np.testing.assert_array_equal(one, other)
        wide = np.zeros((4, 51, 170, 3), np.uint8)
        blockdct.transform(BATCH, quality=30, out=wide[:, :, 40:125])
        np.testing.assert_array_equal(wide[:, :, 40:125], EXPECTED)
        self.assertFalse(wide[:, :, :40].any() or wide[:, :, 125:].any())
        fixed = BATCH.copy()
        fixed.flags.writeable = False
        for out, text in ((BATCH, 'overlaps'), (fixed, 'read-only'), (BATCH[:2], r'\(2, 51'),
                          (wide[:, :, ::2], 'lie otherwise'), (BATCH / 1, 'float64'), (
                          BATCH.transpose(0, 3, 1, 2).copy().transpose(0, 2, 3, 1), 'lie')):
            with self.assertRaisesRegex(ValueError, text):
                blockdct.transform(BATCH, out=out)
        if Image:
            with self.assertRaisesRegex(TypeError, 'Pillow, which cannot be written'):
                blockdct.transform(BATCH[0], out=Image.fromarray(BATCH[0]))
        with self.assertRaisesRegex(ValueError, 'not for a list'):
            blockdct.transform(list(BATCH), out=wide)


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
