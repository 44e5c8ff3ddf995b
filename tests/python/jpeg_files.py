#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Decode JPEG files by blockdct and by Pillow, and count the pixels that differ.

    PYTHONPATH=build/python tests/python/jpeg_files.py [--device cuda] [--max N]
        FILE|FOLDER...

What both refuse is not counted; what only one of them refuses is printed. The exit
status is 1 where a pixel differs, or only blockdct refuses a whole file."""
import argparse
import collections
import pathlib
import sys
import warnings

import numpy as np
from PIL import Image, ImageFile, features

import blockdct

ENDINGS = ('.jpg', '.jpeg', '.jpe', '.jfif')


def find(arguments):
    for argument in arguments:
        path = pathlib.Path(argument)
        if path.is_dir():
            yield from sorted(p for p in path.rglob('*')
                              if p.suffix.lower() in ENDINGS and p.is_file())
        else:
            yield path


def by_pillow(path):
    with Image.open(path, formats=('JPEG', 'MPO')) as picture:
        return np.asarray(picture)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('files', nargs='+')
    parser.add_argument('--device')
    parser.add_argument('--max', type=int, default=10 ** 9)
    options = parser.parse_args()
    warnings.simplefilter('ignore')
    assert not ImageFile.LOAD_TRUNCATED_IMAGES
    kinds, refused = collections.Counter(), collections.Counter()
    files = pixels = wrong = 0
    status = 0
    for path in find(options.files):
        if files == options.max:
            break
        theirs = ours = None
        try:
            theirs = by_pillow(path)
        except Exception as error:
            reason = error
        try:
            levels = blockdct.read_jpeg(path)
            ours = blockdct.reconstruct(levels, device=options.device)
        except ValueError as error:
            if theirs is not None:
                refused[str(error).rpartition(': ')[2]] += 1
                print(f'refused: {error}')
        if theirs is None and ours is not None:
            print(f'refused by Pillow alone: {path}: {reason}')
        if theirs is None or ours is None:
            continue
        files += 1
        pixels += theirs.shape[0] * theirs.shape[1]
        factors = '+'.join(f'{h}x{v}' for h, v in levels.sampling)
        kinds[f'{levels.colour_space} {factors}'] += 1
        n = theirs.shape[0] * theirs.shape[1] if theirs.shape != ours.shape else \
            int((theirs != ours).reshape(*theirs.shape[:2], -1).any(2).sum())
        if n:
            print(f'{path}: {n} pixels differ, {kinds.most_common()[-1]}')
            wrong += n
            status = 1
    for kind, n in kinds.most_common():
        print(f'{n:6} {kind}')
    print(f'{files} files, {pixels} pixels, {wrong} differ; Pillow '
          f'{Image.__version__} with libjpeg-turbo '
          f'{features.version("libjpeg_turbo")}, blockdct with '
          f'{blockdct._blockdct.jpeg_library}; refused: {dict(refused)}')
    return status


if __name__ == '__main__':
    sys.exit(main())
