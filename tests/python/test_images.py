# SPDX-License-Identifier: LGPL-2.1-or-later
"""read_images: Pillow's pixels, in the order of the files; on a GPU, or what stands for
one here, together with what it leaves to the host."""
import contextlib
import ctypes
import io
import pathlib
import sys
import tempfile
import types
import unittest
from unittest import mock

import numpy as np
from common import decode as pillow, main
from PIL import Image, ImageOps

import blockdct

try:
    import torch
    HAVE_GPU = torch.cuda.is_available()
except ImportError:
    torch = None
    HAVE_GPU = False
try:
    import torchvision
except ImportError:
    torchvision = None


def write(mode, size, **options):
    pixels = np.random.default_rng(size[0]).integers(0, 256, (size[1], size[0], 4), 'uint8')
    file = io.BytesIO()
    Image.fromarray(pixels, 'RGBA').convert('RGB').convert(mode).save(file, 'JPEG', **options)
    return file.getvalue()


def with_orientation(orientation):
    exif = Image.Exif()
    exif[0x112] = orientation
    return write('RGB', (21, 13), exif=exif)


FILES = [write(mode, size, quality=quality, **options)
         for mode in ('RGB', 'L', 'CMYK') for size in ((1, 1), (17, 30), (64, 48))
         for quality, options in ((75, {}), (95, {'optimize': True, 'subsampling': 0}),
                                  (85, {'progressive': True}), (50, {'subsampling': 1}),
                                  (90, {'restart_marker_blocks': 2}))]
DAMAGED = FILES[5][:-40]


class OnTheCpu(unittest.TestCase):
    device = 'cpu'

    def read(self, files, **options):
        return [a if a is None else self.host(a)
                for a in blockdct.read_images(files, device=self.device, **options)]

    def host(self, array):
        return array

    def test_equals_pillow(self):
        for threads in 0, 1:
            for data, ours in zip(FILES, self.read(FILES, threads=threads)):
                np.testing.assert_array_equal(ours, pillow(data))
        self.assertEqual(self.read([]), [])

    def test_kinds_of_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'a.jpg'
            path.write_bytes(FILES[0])
            for file in path, str(path), FILES[0], bytearray(FILES[0]), io.BytesIO(
                    FILES[0]), np.frombuffer(FILES[0], np.uint8):
                np.testing.assert_array_equal(self.read([file])[0], pillow(FILES[0]))

    def test_errors(self):
        files = [FILES[1], DAMAGED, b'', FILES[2]]
        for i, ours in enumerate(self.read(files, errors='none')):
            self.assertEqual(ours is None, i in (1, 2))
        with self.assertRaisesRegex(ValueError, 'file 1, bytes: '):
            self.read(files)
        with self.assertRaisesRegex(ValueError, 'more than 3000 pixels'):
            self.read([FILES[10]], max_pixels=3000)
        for options in {'errors': 'no'}, {'threads': -1}, {'max_pixels': 0}:
            with self.assertRaisesRegex(ValueError, next(iter(options))):
                self.read(FILES[:1], **options)
        with self.assertRaisesRegex(ValueError, r'\(2, 2\) of uint8, not \(n,\)'):
            self.read([np.zeros((2, 2), np.uint8)])
        with self.assertRaisesRegex(TypeError, 'a list'):
            self.read('a.jpg')

    def test_orientation(self):
        for orientation in range(10):
            data = with_orientation(orientation)
            np.testing.assert_array_equal(
                self.read([data], exif_transpose=True)[0],
                np.asarray(ImageOps.exif_transpose(Image.open(io.BytesIO(data)))))
        for cut in range(2, 90):
            data = with_orientation(6)
            self.assertIn(blockdct._images._orientation(data[:cut]), range(65536))


@unittest.skipUnless(HAVE_GPU, 'torch with a GPU is not there')
class OnAGpu(OnTheCpu):
    device = 'cuda'

    def host(self, array):
        self.assertEqual(array.device.type, 'cuda')
        return array.cpu().numpy()


@unittest.skipUnless(torch, 'torch is not there')
class Example(unittest.TestCase):
    def test_example(self):
        """It stands where torchvision's stands, and loads a folder."""
        device = 'cuda' if HAVE_GPU else 'cpu'
        sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / 'python' / 'examples'))
        import jpeg_loader
        files = [data for data in FILES if pillow(data).ndim == 2 or pillow(data).shape[2] == 3]
        tensors = [torch.frombuffer(bytearray(data), dtype=torch.uint8) for data in files]
        made = jpeg_loader.decode_jpeg(tensors, device)
        for one, data in zip(made, files):
            np.testing.assert_array_equal(one.permute(1, 2, 0).cpu(),
                                          np.atleast_3d(pillow(data)))
            if torchvision:
                self.assertTrue(torch.equal(one.cpu(), torchvision.io.decode_jpeg(
                    torch.frombuffer(bytearray(data), dtype=torch.uint8))))
        self.assertTrue(torch.equal(jpeg_loader.decode_jpeg(tensors[3], device), made[3]))
        with tempfile.TemporaryDirectory() as folder:
            for i, data in enumerate(files):
                path = pathlib.Path(folder) / 'abc'[i % 3] / f'{i}.jpg'
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(data)
            batches = list(jpeg_loader.load(folder, 32, 8, 2, device))
        self.assertEqual(sum(len(pictures) for pictures, _ in batches), len(files))
        self.assertEqual(sorted(torch.cat([labels for _, labels in batches]).tolist()),
                         sorted(i % 3 for i in range(len(files))))
        self.assertEqual(batches[0][0].shape, (8, 3, 32, 32))


class OnNoGpu(OnTheCpu):
    """What stands for the engine takes every third file for damaged."""
    device = 'cuda:1'

    def setUp(self):
        fake = types.SimpleNamespace(
            uint8='uint8', empty=self.empty,
            cuda=types.SimpleNamespace(current_stream=lambda number: 7 + (number != 1)))
        self.calls = 0
        for patch in (mock.patch.dict(sys.modules, {'torch': fake}),
                      mock.patch.object(blockdct._engines, 'engine',
                                        lambda *key: contextlib.nullcontext()),
                      mock.patch.object(blockdct._blockdct, 'engine_decode', self.decode)):
            patch.start()
            self.addCleanup(patch.stop)

    def empty(self, shape, dtype, device):
        self.assertEqual(device, 'cuda:1')
        return np.empty(shape, dtype)

    def decode(self, engine, files, addresses, stream):
        found = np.zeros((len(files), 4), np.int32)
        where = addresses and (ctypes.c_uint64 * len(files)).from_address(addresses)
        self.assertEqual(stream, 7 if addresses else 0)
        for i, data in enumerate(files):
            try:
                *sides, address, owner = blockdct._blockdct.decode_jpeg(data, 1 << 28)
            except ValueError:
                continue
            self.calls += 1
            if sides[2] == 4:
                continue
            found[i] = *sides, addresses != 0 and i % 3 > 0
            if found[i, 3]:
                ctypes.memmove(where[i], address, int(np.prod(sides)))
        return found.tobytes()

    def test_one_size(self):
        files = [write('RGB', (40, 24), quality=10 + i) for i in range(8)]
        for data, ours in zip(files, self.read(files)):
            np.testing.assert_array_equal(ours, pillow(data))
        self.assertGreater(self.calls, 0)


if __name__ == '__main__':
    main()
