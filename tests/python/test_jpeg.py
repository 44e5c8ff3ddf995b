# SPDX-License-Identifier: LGPL-2.1-or-later
"""JPEG files: Pillow's pixels of files of every colour space, sampling and coding,
the bytes of its encoder, and errors for what is no whole file."""
import dataclasses
import io
import itertools
import os
import pathlib
import pickle
import tempfile
import unittest
import unittest.mock

import numpy as np
from common import decode, encode, main, make_batch, save, with_pillow

import blockdct

try:
    import PIL
except ImportError:
    PIL = None

HAVE_LIBRARY = bool(blockdct._blockdct.jpeg_library)
DEVICES = ['cpu'] + ['cuda'] * (blockdct.cuda_devices()[0] > 0)
SIZES = ((51, 85), (16, 32), (1, 1), (9, 2), (40, 3), (3, 40), (2, 9), (8, 5),
         (65, 7), (33, 17))


def segments(data):
    """(marker, first byte, bytes) of each segment in front of the first scan's data."""
    at, marker = 2, 0
    while marker != 0xda:
        marker, size = data[at + 1], 2 + int.from_bytes(data[at + 2:at + 4], 'big')
        yield marker, at, size
        at += size


def edit(data, marker, at, *values):
    """Set bytes of each segment of a marker, counted from its first or last byte."""
    data = bytearray(data)
    for found, first, size in segments(bytes(data)):
        if found == marker:
            start = first + at + (size if at < 0 else 0)
            data[start:start + len(values)] = values
    return bytes(data)


def with_sampling(factors, height, width, colour_space='YCbCr', seed=3,
                  tables=None):
    """A file with any sampling factors: levels of noise, by write_jpeg."""
    rng = np.random.default_rng(seed)
    n = len(factors)
    if tables is None:
        tables = rng.integers(1, 40, (n, 8, 8))
    levels = blockdct.JpegLevels(np.zeros(0, np.int16), np.asarray(tables, np.uint16),
                                 factors, width, height, colour_space)
    sizes = [levels.component_size(c) for c in range(n)]
    values = []
    for size, steps in zip(sizes, tables):
        blocks = -(-size[0] // 8) * -(-size[1] // 8)
        coefficients = rng.normal(0, 150, (blocks, 64)) * (
            rng.random((blocks, 64)) < 0.2)
        coefficients[:, 0] = rng.integers(-900, 900, blocks)
        values.append(np.rint(coefficients / np.reshape(steps, 64)).ravel())
    levels.values = np.clip(np.concatenate(values), -1023, 1023).astype(np.int16)
    return encode(levels), levels


@unittest.skipUnless(PIL and HAVE_LIBRARY, 'no Pillow, or no libjpeg')
class Files(unittest.TestCase):
    def check(self, data, message=''):
        theirs = decode(data)
        levels = blockdct.read_jpeg(data)
        for device in DEVICES:
            np.testing.assert_array_equal(
                blockdct.reconstruct(levels, device=device), theirs, message)
        return levels

    def test_pillow(self):
        for height, width in SIZES:
            batch = make_batch(3, height, width)
            for subsampling in 0, 1, 2:
                for quality, more in (30, {}), (85, {'progressive': True}), (
                        100, {'optimize': True}), (60, {'restart_marker_blocks': 3}):
                    self.check(save(batch[0], quality=quality,
                                    subsampling=subsampling, **more))
            self.check(save(batch[1, ..., 0].copy(), 'L', quality=70))
            cmyk = make_batch(1, height, width, 4)[0]
            self.assertEqual(self.check(save(cmyk, 'CMYK')).colour_space, 'CMYK')

    def test_samplings(self):
        factors = list(itertools.product((1, 2, 4), (1, 2, 4)))
        three = [(a, b, b) for a in factors for b in ((1, 1), (2, 1), (1, 2))
                 if a[0] * a[1] + 2 * b[0] * b[1] <= 10]
        three += [((2, 2), (2, 1), (1, 2)), ((1, 1), (2, 2), (1, 1)),
                  ((3, 1), (1, 1), (1, 1)), ((1, 3), (1, 1), (1, 1)),
                  ((2, 2), (1, 1), (2, 2)), ((3, 2), (1, 1), (3, 1)),
                  ((2, 2),) * 3, ((4, 2), (2, 2), (2, 2))]  # a scan a component
        seen = set()
        for i, sampling in enumerate(three):
            if any(max(s[k] for s in sampling) % one[k]
                   for one in sampling for k in (0, 1)):
                continue
            for j, (height, width) in enumerate(SIZES):
                data, wrote = with_sampling(sampling, height, width, seed=i + j)
                read = self.check(data, (sampling, height, width))
                np.testing.assert_array_equal(read.values, wrote.values)
                np.testing.assert_array_equal(read.tables, wrote.tables)
                self.assertEqual(read.sampling, sampling)
                seen.add(read.chroma_subsampling)
        self.assertEqual(seen, {None, '4:4:4', '4:2:2', '4:4:0', '4:2:0'})

    def test_colours(self):
        for height, width in SIZES:
            for space, sampling in (('RGB', ((1, 1),) * 3),
                                    ('RGB', ((2, 1), (1, 1), (1, 1))),
                                    ('YCCK', ((2, 2), (1, 1), (1, 1), (2, 2))),
                                    ('YCCK', ((1, 1),) * 4),
                                    ('CMYK', ((1, 1),) * 4), ('CMYK', ((2, 2),) * 4),
                                    ('grey', ((2, 2),))):
                data, _ = with_sampling(sampling, height, width, space)
                self.assertEqual(self.check(data).colour_space, space)

    def test_steps(self):
        """Of 16 bits, 0, and different ones of Cb and Cr."""
        rng = np.random.default_rng(1)
        for high in 2, 300, 3000, 65536:
            tables = rng.integers(1, high, (3, 8, 8))
            for sampling in ((1, 1),) * 3, ((2, 2), (1, 1), (1, 1)):
                data, _ = with_sampling(sampling, 51, 85, tables=tables)
                np.testing.assert_array_equal(self.check(data).tables, tables)
        levels = blockdct.read_jpeg(data)
        levels.tables[:, 3:] = 0
        np.testing.assert_array_equal(self.check(encode(levels)).tables, levels.tables)
        levels.tables[1, 2:] = 0
        same = blockdct.read_jpeg(data)
        same.blocks(1)[..., 2:, :] = 0
        np.testing.assert_array_equal(blockdct.reconstruct(levels),
                                      blockdct.reconstruct(same))

    def test_warnings(self):
        """What libjpeg warns of although no level is lost."""
        picture = make_batch(1, 45, 67)[0]
        plain, cmyk = save(picture), save(make_batch(1, 45, 67, 4)[0], 'CMYK')
        size = next(segments(plain))[2]
        bare = plain[:2] + plain[2 + size:]  # without JFIF's segment
        for subsampling in 0, 2:
            for values in (0, 0, 0), (0, 0, 0x10), (1, 63, 1), (0, 5, 0):
                self.check(edit(save(picture, subsampling=subsampling), 0xda, -3,
                                *values), values)
        for version in (2, 1), (0, 2), (1, 9), (255, 255):
            self.check(edit(plain, 0xe0, 9, *version), version)
        for transform in range(1, 256, 51):
            adobe = b'\xff\xee\0\x0eAdobe\0\x64\0\0\0\0' + bytes((transform,))
            self.check(bare[:2] + adobe + bare[2:], transform)
            self.check(edit(cmyk, 0xee, -1, transform), transform)
        self.check(plain[:2 + size] + b'stray' + bare[2:])

    def test_batch(self):
        files = [with_pillow(picture, quality, subsampling)[1]
                 for subsampling in ('4:2:0', '4:4:4')
                 for height, width in ((51, 85), (40, 3))
                 for quality, picture in zip((20, 50, 90, 50),
                                             make_batch(4, height, width))]
        files.append(with_sampling(((4, 1), (1, 1), (1, 1)), 51, 85)[0])
        levels = [blockdct.read_jpeg(file) for file in files]
        for device in DEVICES:
            for file, picture in zip(files, blockdct.reconstruct(levels,
                                                                 device=device)):
                np.testing.assert_array_equal(picture, decode(file))
        self.assertEqual(blockdct.reconstruct([]), [])

    def test_write(self):
        for height, width in SIZES:
            picture = make_batch(1, height, width)[0]
            for subsampling in '4:4:4', '4:2:2', '4:2:0':
                for quality, more in (15, {}), (75, {'optimize': True}), (
                        92, {'progressive': True}):
                    levels = blockdct.levels(picture, quality=quality, layout='HWC',
                                             chroma_subsampling=subsampling)
                    expected = save(picture, quality=quality,
                                    subsampling=subsampling, **more)
                    self.assertEqual(encode(levels, **more), expected)
                    self.assertEqual(encode(blockdct.read_jpeg(expected), **more), expected)

    def test_write_tables(self):
        picture = make_batch(1)[0]
        steps = np.arange(1, 129)
        levels = blockdct.levels(picture[None], tables=steps)
        read = blockdct.read_jpeg(encode(levels))
        np.testing.assert_array_equal(read.tables[:2].ravel(), steps)
        np.testing.assert_array_equal(blockdct.reconstruct(read),
                                      blockdct.reconstruct(levels).pictures[0])
        with self.assertRaisesRegex(ValueError, 'one picture'):
            encode(blockdct.levels(make_batch(2)))
        read.values[7] = 5000
        with self.assertRaisesRegex(ValueError, '5000 of component 0'):
            encode(read)

    def test_sources(self):
        data = save(make_batch(1)[0])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'a.jpg'
            path.write_bytes(data)
            with open(path, 'rb') as opened:
                read = [blockdct.read_jpeg(source)
                        for source in (path, str(path), data, opened)]
            blockdct.write_jpeg(read[0], path)
            self.assertEqual(path.read_bytes(), data)
            path.write_bytes(data[:500])
            with self.assertRaisesRegex(ValueError, str(path)):
                blockdct.read_jpeg(path)
            with self.assertRaises(OSError):
                blockdct.read_jpeg(path / 'none')
        for one in read[1:]:
            np.testing.assert_array_equal(one.values, read[0].values)
        copy = pickle.loads(pickle.dumps(read[0]))
        self.assertEqual(copy.sampling, read[0].sampling)

    def test_errors(self):
        data = save(make_batch(1, 200, 200)[0], progressive=True)
        for bad, message in ((b'', 'bytes: '), (b'GIF89a', 'Not a JPEG'),
                             (data[:-200], 'bytes: '),
                             (os.urandom(1000), 'Not a JPEG')):
            with self.assertRaisesRegex(ValueError, message):
                blockdct.read_jpeg(bad)
        plain = save(make_batch(1, 75, 100)[0])
        second = data.index(b'\xff\xda', data.index(b'\xff\xda') + 2)
        for bad, message in ((edit(plain, 0xc0, 4, 12), 'recision|12 bits'),
                             (edit(edit(edit(plain, 0xc0, 11, 0x33), 0xc0, 14, 0x22), 0xc0, 17,
                                   0x22), 'do not divide'),
                             (data[:second] + b'\xff\xd9', 'lacks scans')):
            with self.assertRaisesRegex(ValueError, message):
                blockdct.read_jpeg(bad)
        for image, pixels in (data, 200 * 200), (plain, 75 * 100):
            blockdct.read_jpeg(image, max_pixels=pixels)
            with self.assertRaisesRegex(ValueError, f'more than {pixels - 1} pixels'):
                blockdct.read_jpeg(image, max_pixels=pixels - 1)
        levels = blockdct.read_jpeg(data)
        levels.values = levels.values[1:]
        with self.assertRaisesRegex(ValueError, 'levels have'):
            blockdct.reconstruct(levels)
        with self.assertRaisesRegex(TypeError, 'neither Levels'):
            blockdct.reconstruct(3)

    def test_scans(self):
        """A scan again and again, of a grey file that claims three components."""
        data = save(make_batch(1, 8, 8)[0, ..., 0].copy(), 'L')
        sof, sos = data.index(b'\xff\xc0'), data.index(b'\xff\xda')
        head = data[:sof] + bytes((255, 192, 0, 17, 8, 0, 8, 0, 8, 3, 1, 17, 0, 2, 17, 0, 3, 17, 0))
        for n in 500, 501:
            many = head + data[sof + 13:sos] + n * data[sos:-2] + data[-2:]
            if n == 500:
                blockdct.read_jpeg(many)
                continue
            with self.assertRaisesRegex(ValueError, 'more than 500 scans'):
                blockdct.read_jpeg(many)

    def test_fields(self):
        """Fields of other components, sizes, types and ranges are refused by name."""
        _, whole = with_sampling(((2, 2), (1, 1), (1, 1)), 21, 30)
        for message, fields in (
                ('3 components, not the 4 of CMYK', {'colour_space': 'CMYK'}),
                ('3 components, not the 1 of grey', {'colour_space': 'grey'}),
                ("colour_space 'XYZ' is not one", {'colour_space': 'XYZ'}),
                ('colour_space', {'colour_space': ['YCbCr']}),
                ('2 components', {'sampling': ((2, 2), (1, 1))}),
                ('pairs of 1 to 4', {'sampling': ((2, 2), (1, 1), (0, 1))}),
                ('pairs of 1 to 4', {'sampling': ((8, 2), (1, 1), (1, 1))}),
                ('pairs of 1 to 4', {'sampling': ((2, 2), (1, 1), (1, 1, 1))}),
                ('do not divide', {'sampling': ((3, 2), (2, 1), (1, 1))}),
                ('tuple of pairs', {'sampling': [(2, 2), (1, 1), (1, 1)]}),
                ('tuple of pairs', {'sampling': None}),
                ('width 0 is outside 1 to 65500', {'width': 0}),
                ('width -30 is outside', {'width': -30}),
                ('height 65501 is outside', {'height': 65501}),
                ('height', {'height': 21.5}),
                ('levels have shape', {'height': 65500, 'width': 65500}),
                ('levels have shape', {'values': whole.values[1:]}),
                ('levels have shape', {'values': whole.values[None]}),
                ('values is a list', {'values': whole.values.tolist()}),
                ('values is a NoneType', {'values': None}),
                ('int32', {'values': whole.values.astype(np.int32)}),
                ('float32', {'values': whole.values.astype(np.float32)}),
                ('tables have shape', {'tables': whole.tables[:2]}),
                ('tables have shape', {'tables': whole.tables.reshape(3, 64)}),
                ('tables is not an array', {'tables': whole.tables.tolist()}),
                ('tables is not an array', {'tables': whole.tables * 1.5}),
                ('from -1', {'tables': whole.tables.astype(int) * 0 - 1}),
                ('to 65536', {'tables': whole.tables.astype(int) * 0 + 65536})):
            levels = dataclasses.replace(whole, **fields)
            file = io.BytesIO()
            with self.assertRaisesRegex((TypeError, ValueError), message):
                blockdct.write_jpeg(levels, file)
            self.assertEqual(file.getvalue(), b'')
            with self.assertRaisesRegex((TypeError, ValueError), message):
                blockdct.reconstruct(levels)
        for component in -1, 3:
            for method in whole.blocks, whole.component_size:
                with self.assertRaisesRegex(ValueError, 'outside 0 to 2'):
                    method(component)

    def test_random_fields(self):
        """Fields set at random: an error, or a file with these very levels."""
        rng = np.random.default_rng(7)
        samplings = [((1, 1),), ((2, 2),), ((2, 2), (1, 1), (1, 1)), ((1, 1),) * 3,
                     ((1, 1),) * 4, ((4, 4),) * 3, ((1, 1),) * 5, ((3, 1), (1, 1), (1, 1)),
                     (), ((-1, 1),) * 3, ((1, 1), (2, 0), (1, 1)), ((1, 5),) * 3]
        sides = [1, 8, 17, 30, 40, 0, -1, 65500, 65501, 1 << 31, 1 << 40]
        spaces = [*blockdct._jpeg.COLOUR_SPACES, '', 'ycbcr', None]
        written = 0
        for _ in range(8000):
            n = rng.integers(0, 6)
            fields = {'sampling': samplings[rng.integers(len(samplings))],
                      'width': sides[rng.integers(len(sides) if n == 0 else 5)],
                      'height': sides[rng.integers(len(sides) if n == 1 else 5)],
                      'colour_space': spaces[rng.integers(len(spaces))]}
            number = len(fields['sampling']) + int(n == 2)
            tables = rng.integers(-1 if n == 3 else 0, 65536, (number, 8, 8))
            try:
                size = blockdct._jpeg._components(*fields.values())[1]
            except (TypeError, ValueError):
                size = 64 * rng.integers(0, 30)
            limit = 32767 if n == 4 else 1023
            levels = blockdct.JpegLevels(
                rng.integers(-limit, limit, min(size, 1 << 16) + int(n == 5), np.int16),
                tables.astype((np.uint16, np.int64)[rng.integers(2)]), **fields)
            try:
                data = encode(levels, optimize=bool(rng.integers(2)),
                              progressive=bool(rng.integers(2)))
            except (TypeError, ValueError):
                continue
            written += 1
            read = blockdct.read_jpeg(data)
            for name, value in dataclasses.asdict(levels).items():
                np.testing.assert_array_equal(getattr(read, name), value, name)
        self.assertGreater(written, 100)

    def test_arguments(self):
        """What is no file, picture or levels is refused; a number is no descriptor."""
        data, levels = with_sampling(((1, 1),), 9, 9, 'grey')
        for wrong in None, 0, 1.5, True, ['a.jpg'], {}, object():
            for call in blockdct.read_jpeg, blockdct.tables, blockdct.origin:
                with self.assertRaisesRegex(TypeError, type(wrong).__name__ + ' is neither'):
                    call(wrong)
            with self.assertRaisesRegex(TypeError, type(wrong).__name__ + ' is neither'):
                blockdct.write_jpeg(levels, wrong)
            with self.assertRaisesRegex(TypeError, type(wrong).__name__ + ' is neither'):
                blockdct.write_jpeg(wrong, io.BytesIO())
        for wrong in None, 0, 1.5, ['a.jpg'], [None], object():
            with self.assertRaisesRegex(TypeError, 'is neither'):
                blockdct.reconstruct(wrong)
        for wrong in 'text', None:
            with self.assertRaisesRegex(TypeError, type(wrong).__name__ + ', not bytes'):
                blockdct.read_jpeg(unittest.mock.Mock(read=lambda: wrong))
        for wrong, error in ((0, ValueError), (-1, ValueError), (1.5, TypeError),
                             (None, TypeError)):
            with self.assertRaises(error):
                blockdct.read_jpeg(data, max_pixels=wrong)
        blockdct.read_jpeg(data, max_pixels=1 << 64)

    def test_full_disk(self):
        """It is named, and a link to a device stays one."""
        if not os.path.exists('/dev/full'):
            self.skipTest('no /dev/full')
        _, levels = with_sampling(((1, 1),), 9, 9, 'grey')
        with tempfile.TemporaryDirectory() as folder:
            link = os.path.join(folder, 'a.jpg')
            os.symlink('/dev/full', link)
            with self.assertRaisesRegex(OSError, f'No space left.*{link}'):
                blockdct.write_jpeg(levels, link)
            self.assertTrue(os.path.islink(link))


@unittest.skipUnless(PIL, 'Pillow is not there')
class Origins(unittest.TestCase):
    def test_origin(self):
        rng = np.random.default_rng(1)
        picture = make_batch(1, 200, 240)[0] // 2 + 64
        picture = (picture + rng.integers(0, 16, picture.shape)).astype(np.uint8)
        decoded, _ = with_pillow(picture, 70, '4:2:0')
        found = blockdct.origin(decoded)
        self.assertEqual((found.offset, found.chroma_subsampling, found.tables,
                          found.quality), ((0, 0), '4:2:0', 'annex-k', 70))
        np.testing.assert_array_equal(
            np.where(found.steps == 0, 0, blockdct.tables('annex-k', 70)), found.steps)
        found = blockdct.origin(decoded[3:, 5:])
        self.assertEqual(found.offset, (3, 5))
        self.assertIsNone(blockdct.origin(picture))
        with self.assertRaisesRegex(ValueError, 'uint8'):
            blockdct.origin(picture.astype(float))

    def draw(self, rng, channels):
        """Waves of random lengths, edges and noise, in the middle of the range."""
        y, x = np.mgrid[0:200, 0:240][..., None]
        picture = 128 + 6 * (rng.random((200, 240, channels)) - .5)
        picture += np.where((x // 37 + y // 29) % 2, 12, -12)
        for wave in rng.uniform(-.4, .4, (4, 4, channels)):
            picture += 16 * np.sin(wave[0] * x + wave[1] * y + 9 * wave[2]) * np.cos(
                .2 * wave[3] * (x + y))
        return picture.clip(8, 247).astype(np.uint8)[..., :channels if channels > 1 else None]

    def code(self, picture, quality, subsampling):
        """The picture as a file of it decodes."""
        grey = picture.shape[2] == 1
        more = {} if grey else {'chroma_subsampling': subsampling}
        levels = blockdct.levels(picture[..., 0] if grey else picture, quality=quality,
                                 layout='HW' if grey else 'HWC', **more)
        return decode(encode(levels))

    def test_random(self):
        """Coded at random settings and cropped at random, most are named, and rightly."""
        rng, named = np.random.default_rng(1), {1: 0, 3: 0}
        for i in range(16):
            channels, quality = (1, 3)[i % 2], int(rng.integers(25, 93))
            subsampling = ('4:4:4', '4:2:2', '4:4:0', '4:2:0')[i // 2 % 4]
            (left, top), (right, bottom) = rng.integers(0, 20, (2, 2))
            decoded = self.code(self.draw(rng, channels), quality, subsampling)
            found = blockdct.origin(decoded[top:200 - bottom, left:240 - right])
            if found is None:
                continue
            self.assertEqual(found.offset, (-left % 8, -top % 8))
            self.assertEqual(found.chroma_subsampling, subsampling if channels > 1 else None)
            if found.tables is not None:
                self.assertEqual((found.tables, found.quality), ('annex-k', quality))
                named[channels] += 1
        self.assertGreaterEqual(min(named.values()), 4)

    def test_clipped(self):
        """Where the decoder cut samples off, chroma is not known, nor near there what its
        mean says."""
        rng, n_found = np.random.default_rng(2), 0
        for i in range(6):
            picture, subsampling = self.draw(rng, 3), ('4:2:2', '4:4:0', '4:2:0')[i % 3]
            picture[60:110, 70:130] = 255, 0, 0
            found = blockdct.origin(self.code(picture, 60, subsampling))
            if found is not None:
                self.assertEqual((found.chroma_subsampling, found.quality), (subsampling, 60))
                n_found += 1
        self.assertGreater(n_found, 2)

    def test_none(self):
        """A picture that never was a file's; and one that was, but for a sample."""
        picture = self.draw(np.random.default_rng(3), 1)
        self.assertIsNone(blockdct.origin(picture[..., 0]))
        decoded = self.code(picture, 60, None).copy()
        self.assertIsNone(blockdct.origin(decoded[:7, :7]))
        self.assertEqual(blockdct.origin(decoded).quality, 60)
        decoded[100, 100] += 9
        self.assertIsNone(blockdct.origin(decoded))

    def test_origin_saturated(self):
        """All blocks without saturated samples come back, of the others not all."""
        picture = np.tile(np.arange(-60, 316, dtype=np.int32), (200, 1))
        picture += np.random.default_rng(1).integers(0, 40, picture.shape)
        decoded, _ = with_pillow(picture.clip(0, 255).astype(np.uint8), 50)
        self.assertEqual(blockdct.origin(decoded).quality, 50)
        again = blockdct.transform(decoded[None], quality=50).pictures[0]
        differs, saturated = (of.reshape(25, 8, 47, 8).any((1, 3)) for of in
                              (again != decoded, (decoded == 0) | (decoded == 255)))
        self.assertTrue(differs.any())
        self.assertFalse((differs & ~saturated).any())


if __name__ == '__main__':
    main()
