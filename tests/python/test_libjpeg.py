# SPDX-License-Identifier: LGPL-2.1-or-later
"""jpeg-8x8 against the libjpeg that Pillow has: the bytes of its files, the samples of
its decoder, component by component and as RGB, whatever the content.
BLOCKDCT_TEST_BACKEND=cuda has the GPU make them."""
import os
import shutil
import subprocess
import unittest

import numpy as np
from common import SUBSAMPLINGS, decode, encode, main, save

import blockdct

try:
    from PIL import Image, features
except ImportError:
    Image = None

DEVICE = os.environ.get('BLOCKDCT_TEST_BACKEND', 'cpu')
SIZES = ((48, 64), (1, 1), (61, 93), (9, 17), (50, 23), (16, 8), (7, 41), (9, 7), (33, 17))
# Where chroma has 1, 2 and 3 columns, on either side of blocks, MCUs and the CPU's runs.
NARROW = ((1, 2), (2, 1), (2, 2), (3, 3), (4, 4), (3, 5), (7, 6), (8, 8), (17, 15), (33, 1),
          (1, 33), (31, 2), (2, 31), (64, 3), (4, 65), (5, 127), (34, 129), (3, 511), (8, 512),
          (9, 513), (17, 1025))
# libjpeg-turbo divides by 8 times the step, in 16 bits.
MAX_STEP = 8191


def signs(n):
    """The signs of the DCT's basis functions: u, then x."""
    u, x = np.mgrid[0:n, 0:n]
    return np.cos((2 * x + 1) * u * np.pi / (2 * n)) > 0


def draw(content, height, width, seed):
    """Samples of a component; of `basis`, block after block those that drive the sums of
    both passes to their ends."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width]
    if content == 'smooth':
        a, b = rng.uniform(.02, .3, 2)
        wave = 128 + 64 * np.sin(a * x) + 51 * np.cos(b * y + a * x)
        return np.clip(wave + rng.normal(0, 4, x.shape), 0, 255).astype(np.uint8)
    if content == 'random':
        return rng.integers(0, 256, (height, width), np.uint8)
    if content == 'extreme':
        return rng.integers(0, 2, (height, width), np.uint8) * np.uint8(255)
    if content == 'checker':
        return ((x + y) % 2 * 255).astype(np.uint8)
    sign = signs(8)
    high = (sign[y // 8 % 8, y % 8] == sign[x // 8 % 8, x % 8]) != (content == 'negated')
    return np.uint8(255) * high


def planes_of(content, height, width, down, across, seed):
    return tuple(draw(content, -(-height // d), -(-width // a), seed + c)
                 for c, (d, a) in enumerate(((1, 1), (down, across), (down, across))))


def scan(data):
    """How many bytes the scan has, stuffing left out."""
    at, marker = 2, 0
    while marker != 0xda:
        marker, at = data[at + 1], at + 2 + int.from_bytes(data[at + 2:at + 4], 'big')
    return len(data[at:-2].replace(b'\xff\0', b'\xff'))


def ceil8(bits):
    return (bits + 7) // 8


class Compared(unittest.TestCase):
    """For tests/fidelity/report; what differs fails."""
    what, samples = '', 0

    @classmethod
    def tearDownClass(cls):
        print(f'# compared: libjpeg {features.version("libjpeg_turbo")}, islow, {cls.what}: '
              f'{cls.samples} samples, 0 differ', flush=True)

    def same(self, ours, theirs, said):
        np.testing.assert_array_equal(ours, theirs, str(said))
        type(self).samples += np.size(theirs)


@unittest.skipUnless(Image and blockdct._blockdct.jpeg_library, 'no Pillow, or no libjpeg')
class Planes(Compared):
    what = 'planes'

    def check(self, planes, subsampling, given, own=None):
        """The file is libjpeg's for planes whose chroma is repeated until it has luma's
        size, and each component decodes as a grey file of its levels does."""
        one = planes[0][None] if subsampling is None else tuple(plane[None] for plane in planes)
        layout = 'NHW' if subsampling is None else 'YUV'
        mode, picture, options = 'L', planes[0], {}
        given = {**given, 'layout': layout, 'device': DEVICE}
        levels = blockdct.levels(one, **given)
        if subsampling is not None:
            # Of a narrow picture's planes several are the same.
            subsampling = blockdct.read_jpeg(encode(levels)).chroma_subsampling
            shape = planes[0].shape
            wide = {'4:2:0': (2, 2), '4:2:2': (1, 2), '4:4:4': (1, 1)}[subsampling]
            picture = np.stack([planes[0], *(plane.repeat(wide[0], 0).repeat(wide[1], 1)
                                             [:shape[0], :shape[1]] for plane in planes[1:])], -1)
            mode, options = 'YCbCr', {'subsampling': SUBSAMPLINGS.index(subsampling)}
        made = blockdct.transform(one, metrics=('bits', 'counts'), **given)
        options |= own or {'quality': given['quality']}
        whole, optimal = save(picture, mode, **options), save(picture, mode, optimize=True,
                                                              **options)
        self.assertEqual(encode(levels), whole, given)
        self.assertEqual(encode(levels, optimize=True), optimal, given)
        self.assertEqual(ceil8(int(made.counts.bits.sum())), scan(whole), given)
        self.assertEqual(ceil8(int(made.counts.bits_optimized[0])), scan(optimal), given)
        read = blockdct.read_jpeg(whole)
        for c, plane in enumerate(planes):
            blocks = read.blocks(c)
            height, width = plane.shape
            self.assertEqual(int(made.counts.nonzero_levels[0, c]), np.count_nonzero(
                blocks[:-(-height // 8), :-(-width // 8)]))
            grey = blockdct.JpegLevels(np.ascontiguousarray(
                blocks[:-(-height // 8), :-(-width // 8)]).ravel(), read.tables[c:c + 1],
                ((1, 1),), width, height, 'grey')
            self.same((made.pictures if subsampling is None else made.pictures[c])[0],
                      decode(encode(grey)), given)

    def formats(self, content, height, width, seed):
        yield None, (draw(content, height, width, seed),)
        for subsampling, sides in zip(SUBSAMPLINGS, ((1, 1), (1, 2), (2, 2))):
            yield subsampling, planes_of(content, height, width, *sides, seed)

    def test_qualities(self):
        for i, content in enumerate(('smooth', 'checker', 'random', 'basis', 'extreme', 'negated')):
            for quality in range(1 + i % 3, 101, 3):
                size = (64, 64) if 'a' in content[1:2] else SIZES[quality % len(SIZES)]
                for subsampling, planes in self.formats(content, *size, quality):
                    self.check(planes, subsampling, {'quality': quality})

    def test_tables(self):
        """Each preset, and own steps, scaled and not, with and without baseline's limit."""
        number = 0
        for kind in [*blockdct.TABLES, *range(4)]:
            for quality in (*range(1, 10), *range(10, 101, 7)):
                for baseline in True, False:
                    given = {'quality': quality, 'baseline': baseline}
                    steps = kind
                    if isinstance(kind, int):
                        n = (128, 64)[kind // 2]
                        steps = [1 + (i * 37 + quality * 11) % 255 for i in range(n)]
                        given['scale_tables'] = bool(kind & 1)
                        if not kind & 1:
                            del given['quality']
                    given['tables'] = steps
                    if isinstance(kind, int):
                        both = np.broadcast_to(np.reshape(steps, (-1, 64)), (2, 64))
                    else:
                        both = blockdct.tables(kind).reshape(2, 64).astype(int)
                    if 'quality' in given:
                        percent = 5000 // quality if quality < 50 else 200 - 2 * quality
                        both = np.clip((both * percent + 50) // 100, 1, 255 if baseline else 32767)
                    if both.max() > MAX_STEP:
                        continue
                    number += 1
                    content = ('smooth', 'random', 'extreme')[number % 3]
                    formats = list(self.formats(content, 29, 43 + quality % 5, quality))
                    subsampling, planes = formats[number % 4]
                    self.check(planes, subsampling, given, {
                        'qtables': both[:1 if subsampling is None else 2].tolist()})
        self.assertGreater(number, 300)


@unittest.skipUnless(Image, 'Pillow is not there')
class Colours(Compared):
    what = 'RGB'

    def check(self, picture, quality, subsampling):
        given = {'quality': quality, 'chroma_subsampling': subsampling, 'layout': 'HWC',
                 'device': DEVICE}
        made = blockdct.transform(picture, metrics=('bits', 'counts'), **given)
        data = save(picture, 'RGB', quality=quality, subsampling=SUBSAMPLINGS.index(subsampling))
        theirs = decode(data)
        self.same(made.pictures, theirs, (quality, subsampling))
        self.assertEqual(ceil8(int(made.counts.bits.sum())), scan(data))
        self.assertAlmostEqual(float(made.mse), np.mean((picture.astype(int) - theirs) ** 2))
        np.testing.assert_array_equal(
            np.ravel(made.counts.squared_errors_rgb),
            ((picture.astype(int) - theirs) ** 2).sum((0, 1)))
        return int(made.file_size), len(data)

    def test_sizes(self):
        for i, (height, width) in enumerate((*SIZES, *NARROW)):
            for content in 'smooth', 'random', 'extreme', 'checker', 'basis':
                picture = np.stack([draw(content, height, width, i + c) for c in range(3)], -1)
                for subsampling in SUBSAMPLINGS:
                    for quality in (1, 7, 25, 50, 76, 90, 97, 100)[i % 2::2]:
                        self.check(picture, quality, subsampling)

    def test_every_colour(self):
        """Each of the 2^24, in blocks that keep it: conversion and back."""
        low = np.arange(1 << 18)
        for part in range(64):
            colour = part << 18 | low
            self.check((colour[:, None] >> (0, 8, 16)).astype(np.uint8).reshape(512, 512, 3),
                       100, '4:4:4')

    def test_large(self):
        picture = np.stack([draw('smooth', 1079, 1919, c) for c in range(3)], -1)
        for quality, subsampling in zip((30, 50, 70), SUBSAMPLINGS):
            said, written = self.check(picture, quality, subsampling)
            self.assertLess(abs(said - written), .005 * written)

    @unittest.skipUnless(shutil.which('cjpeg'), 'cjpeg is not there')
    def test_4_4_0(self):
        """Which Pillow writes not: the file is cjpeg's, the samples are Pillow's of it."""
        for i, (height, width) in enumerate((*SIZES, *NARROW)):
            picture = np.stack([draw(('random', 'smooth', 'extreme')[i % 3], height, width, i + c)
                                for c in range(3)], -1)
            quality = 1 + 11 * i % 100
            data = subprocess.run(
                ['cjpeg', '-baseline', '-quality', str(quality), '-sample', '1x2'],
                input=b'P6 %d %d 255\n' % (width, height) + picture.tobytes(),
                capture_output=True, check=True).stdout
            given = {'quality': quality, 'chroma_subsampling': '4:4:0', 'layout': 'HWC',
                     'device': DEVICE}
            self.assertEqual(encode(blockdct.levels(picture, **given)), data)
            self.same(blockdct.transform(picture, **given).pictures, decode(data), quality)


if __name__ == '__main__':
    main()
