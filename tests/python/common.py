# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tests of the Python module share."""
import io
import sys
import unittest

import numpy as np

SUBSAMPLINGS = ('4:4:4', '4:2:2', '4:2:0')  # Pillow's numbers


def make_batch(n=4, height=51, width=85, channels=3, seed=1):
    """Pictures of slopes, waves and noise: (n, height, width, channels) uint8."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width] / max(width, height)
    a, b, phase, level = rng.uniform(0, 40, (4, n, channels))
    wave = np.sin(a * x[..., None, None] + b * y[..., None, None] + phase)
    noise = rng.normal(0, 1, (height, width, n, channels)) * level / 8
    batch = np.clip(128 + wave * level * 2 + noise, 0, 255)
    return np.ascontiguousarray(batch.transpose(2, 0, 1, 3)).astype(np.uint8)


def make_planes(n=3, height=51, width=85, down=2, across=2, high=256, seed=2):
    """Planes of Y, U and V with values below `high`."""
    rng = np.random.default_rng(seed)
    dtype = np.uint8 if high == 256 else np.uint16
    sides = [(height, width)] + [(-(-height // down), -(-width // across))] * 2
    return tuple((rng.integers(0, high, (n, -(-h // 8), -(-w // 8)))
                  .repeat(8, 1).repeat(8, 2)[:, :h, :w]
                  // 2 + rng.integers(0, high // 8, (n, h, w))).astype(dtype)
                 for h, w in sides)


def save(picture, mode=None, **options):
    """Pillow's file of a picture."""
    from PIL import Image
    file = io.BytesIO()
    Image.fromarray(picture, mode).save(file, 'JPEG', **options)
    return file.getvalue()


def encode(levels, **options):
    """The file of levels."""
    import blockdct
    file = io.BytesIO()
    blockdct.write_jpeg(levels, file, **options)
    return file.getvalue()


def decode(data):
    """Pillow's pixels of a file."""
    from PIL import Image
    return np.asarray(Image.open(io.BytesIO(data)))


def with_pillow(picture, quality, subsampling='4:2:0'):
    """The picture after Pillow's encoder and decoder, and the file's bytes."""
    data = save(picture, quality=int(quality), subsampling=SUBSAMPLINGS.index(subsampling))
    return decode(data), data


class Foreign:
    """An array of a library that has DLPack and nothing else."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.device = array, device

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.device

    def __array_namespace__(self):
        return Namespace

    @property
    def __cuda_array_interface__(self):
        return self.array.__array_interface__

    @property
    def shape(self):
        return self.array.shape


class Namespace:
    @staticmethod
    def from_dlpack(array):
        np.from_dlpack(array)
        return Foreign(array)


def main():
    """unittest's; 77 where nothing ran."""
    program = unittest.main(exit=False, verbosity=2)
    result = program.result
    nothing = result.testsRun > 0 and len(result.skipped) == result.testsRun
    sys.exit(77 if nothing and result.wasSuccessful()
             else not result.wasSuccessful())
