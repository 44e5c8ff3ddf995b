#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Make JPEG files by several encoders at random settings, decode and crop them, and
count how many origins are named rightly, wrongly and not.

    PYTHONPATH=build/python tests/python/jpeg_origins.py [--n 1000] [--seed 1]
        PICTURE...

The pictures are any that Pillow opens; they are scaled down, so that none has a
grid of its own. Encoders: Pillow; cjpeg and ImageMagick's convert-im6 (or convert)
where they are; mozjpeg, with its tables and trellis, through pyvips where it is.
The exit status is 1 where one is wrong."""
import argparse
import collections
import io
import random
import shutil
import subprocess
import sys

import numpy as np
from PIL import Image

import blockdct

try:
    import pyvips
except ImportError:
    pyvips = None

CONVERT = shutil.which('convert-im6') or shutil.which('magick')


def by_pillow(picture, rng):
    file = io.BytesIO()
    more = {'progressive': rng.random() < 0.3, 'optimize': rng.random() < 0.3}
    if rng.random() < 0.15:
        more['qtables'] = rng.choice(['web_low', 'web_medium', 'web_high',
                                      'web_very_high', 'low', 'medium', 'high',
                                      'maximum'])
    else:
        more['quality'] = rng.randint(1, 100)
    picture.save(file, 'JPEG', subsampling=rng.randint(0, 2), **more)
    return file.getvalue()


def run(command, picture):
    file = io.BytesIO()
    picture.save(file, 'PPM')
    return subprocess.run(command, input=file.getvalue(), capture_output=True,
                          check=True).stdout


def by_cjpeg(picture, rng):
    command = ['cjpeg', '-quality', str(rng.randint(1, 100)), '-sample',
               rng.choice(['1x1', '2x1', '1x2', '2x2'])]
    return run(command + rng.choice([[], ['-progressive'], ['-optimize'],
                                     ['-baseline']]), picture)


def by_magick(picture, rng):
    return run([CONVERT, 'ppm:-', '-quality', str(rng.randint(1, 100)),
                '-sampling-factor', rng.choice(['1x1', '2x1', '2x2']), 'jpg:-'],
               picture)


def by_mozjpeg(picture, rng):
    image = pyvips.Image.new_from_array(np.asarray(picture))
    if image.bands == 3:
        image = image.copy(interpretation='srgb')
    return image.jpegsave_buffer(
        Q=rng.randint(1, 100), quant_table=rng.randint(0, 8), optimize_coding=True,
        trellis_quant=rng.random() < 0.7, overshoot_deringing=rng.random() < 0.5,
        subsample_mode=rng.choice(['on', 'off']), interlace=rng.random() < 0.5)


def list_names():
    """The tables that have names, as bytes: luma's, and luma's and chroma's."""
    names = set()
    for preset in blockdct.TABLES:
        for quality in range(1, 101):
            both = blockdct.tables(preset, quality).astype(np.uint16)
            names |= {both[0].tobytes(), both.tobytes()}
    return names


def judge(found, data, x, y, names):
    """What an answer is, of a file and the place that its crop begins at."""
    true = blockdct.read_jpeg(data)
    grey = len(true.sampling) == 1
    steps = true.tables[[0, 0 if grey else 1]]
    if found is None:
        tables = np.minimum(steps[:1 if grey else 2], 255).astype(np.uint16)
        return 'not known' if tables.tobytes() in names \
            else 'not known, without a name'
    shown = found.steps[:1 if grey else 2] != 0
    right = (found.offset == (-x % 8, -y % 8)
             and found.chroma_subsampling in (None, true.chroma_subsampling)
             and (found.steps[:len(shown)][shown] == steps[:len(shown)][shown]).all())
    if found.tables is None:
        return 'tables right, without a name' if right else 'WRONG'
    named = blockdct.tables(found.tables, found.quality)
    if not right or (named[:len(shown)] != np.minimum(steps, 255)[:len(shown)]).any():
        return 'WRONG'
    return 'named rightly'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('pictures', nargs='+')
    parser.add_argument('--n', type=int, default=1000)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--verbose', action='store_true')
    options = parser.parse_args()
    rng = random.Random(options.seed)
    names = list_names()
    makers = [by_pillow] + [by_cjpeg] * bool(shutil.which('cjpeg')) \
        + [by_magick] * bool(CONVERT) + [by_mozjpeg] * bool(pyvips)
    counts = {maker.__name__: collections.Counter() for maker in makers}
    for i in range(options.n):
        maker = makers[i % len(makers)]
        picture = Image.open(rng.choice(options.pictures)).convert(
            'L' if rng.random() < 0.15 else 'RGB')
        scale = rng.randint(180, 640) / max(picture.size)
        picture = picture.resize([max(64, round(side * scale))
                                  for side in picture.size], Image.LANCZOS)
        data = maker(picture, rng)
        decoded = np.asarray(Image.open(io.BytesIO(data)))
        x, y = (rng.randint(0, 24) * (rng.random() < 0.5) for _ in range(2))
        answer = judge(blockdct.origin(decoded[y:, x:]), data, x, y, names)
        counts[maker.__name__][answer] += 1
        if options.verbose or answer == 'WRONG':
            tables = blockdct.read_jpeg(data).tables
            print(i, maker.__name__, decoded.shape, tables[0].mean().round(1),
                  answer, flush=True)
    for name, counter in counts.items():
        print(name, dict(counter))
    total = sum(counts.values(), collections.Counter())
    print(options.n, dict(total))
    return int(total['WRONG'] > 0)


if __name__ == '__main__':
    sys.exit(main())
