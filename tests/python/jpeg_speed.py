#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How fast JPEG files become pixels: by blockdct from levels and whole, by Pillow,
and by nvJPEG, whose wrong pixels are counted.

    PYTHONPATH=build/python tests/python/jpeg_speed.py [--cuda] [--copies N]
        [--threads N] FILE...

Each file is repeated to --copies files in memory. Figures are medians of 5 runs of
files/s and megapixels/s. With --cuda, torch and torchvision are wanted; 'levels'
begins with levels in the GPU's memory, 'whole' with files in the host's, and both
end with R, G and B in the GPU's."""
import argparse
import concurrent.futures
import dataclasses
import io
import os
import statistics
import time

import numpy as np
from PIL import Image

import blockdct

RUNS = 5
BATCH = 32


def by_pillow(data):
    return np.asarray(Image.open(io.BytesIO(data)))


def time_of(function, synchronize):
    seconds = []
    for _ in range(RUNS + 1):
        synchronize()
        start = time.perf_counter()
        function()
        synchronize()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds[1:])


def wrong(pictures, expected):
    return sum(int((np.asarray(a) != b).reshape(-1, 3).any(1).sum())
               for a, b in zip(pictures, expected))


def measure(name, data, options, pool):
    expected = by_pillow(data)
    pixels = expected.shape[0] * expected.shape[1]
    files = [data] * options.copies
    # Two parts a thread, so that all of them have work.
    step = max(1, min(BATCH, len(files) // (2 * options.threads)))
    parts = [files[i:i + step] for i in range(0, len(files), step)]
    ways, checks = {}, {}
    ways['Pillow'] = lambda: list(pool.map(by_pillow, files))

    def read_all():
        return list(pool.map(blockdct.read_jpeg, files))
    ways['read_jpeg alone'] = read_all
    synchronize = int
    if not options.cuda:
        def part_to_pixels(data):
            return blockdct.reconstruct(blockdct.read_jpeg(data), threads=1)
        levels = read_all()
        ways['levels'] = lambda: list(pool.map(
            lambda one: blockdct.reconstruct(one, threads=1), levels))
        ways['whole'] = lambda: list(pool.map(part_to_pixels, files))
        checks['whole'] = lambda: [part_to_pixels(data)]
    else:
        import torch
        import torchvision
        synchronize = torch.cuda.synchronize
        levels = [dataclasses.replace(one, values=torch.from_numpy(one.values).cuda())
                  for one in read_all()]
        ways['levels'] = lambda: blockdct.reconstruct(levels)
        checks['levels'] = lambda: [levels_to_host(blockdct.reconstruct(levels[:1]))]

        def levels_to_host(pictures):
            return pictures[0].cpu().numpy()

        def part_to_pixels(part):
            read = [blockdct.read_jpeg(data) for data in part]
            values = torch.from_numpy(np.stack([one.values for one in read])).cuda()
            return blockdct.reconstruct([dataclasses.replace(one, values=own)
                                         for one, own in zip(read, values)])
        ways['whole'] = lambda: list(pool.map(part_to_pixels, parts))
        checks['whole'] = lambda: [levels_to_host(part_to_pixels([data]))]
        encoded = [torch.frombuffer(bytearray(data), dtype=torch.uint8)] * len(files)

        def by_nvjpeg(some):
            return torchvision.io.decode_jpeg(
                some, torchvision.io.ImageReadMode.RGB, device='cuda')
        ways['nvJPEG'] = lambda: [by_nvjpeg(encoded[i:i + BATCH])
                                  for i in range(0, len(encoded), BATCH)]
        checks['nvJPEG'] = lambda: [
            by_nvjpeg(encoded[:1])[0].permute(1, 2, 0).cpu().numpy()]
    print(f'{os.path.basename(name)}: {expected.shape[1]} x {expected.shape[0]}, '
          f'{len(data)} bytes, {options.copies} of it')
    if options.levels_only:
        ways = {'levels': ways['levels']}
    for way, function in ways.items():
        seconds = time_of(function, synchronize)
        text = ''
        if way in checks:
            n = wrong(checks[way](), [expected])
            text = f'  {n} pixels of {pixels} differ from Pillow'
        print(f'  {way:16} {options.copies / seconds:9.0f} files/s '
              f'{options.copies * pixels / seconds / 1e6:9.0f} Mpixel/s{text}',
              flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('files', nargs='+')
    parser.add_argument('--cuda', action='store_true')
    parser.add_argument('--levels-only', action='store_true')
    parser.add_argument('--copies', type=int, default=256)
    parser.add_argument('--threads', type=int, default=os.cpu_count())
    options = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(options.threads) as pool:
        for name in options.files:
            with open(name, 'rb') as file:
                measure(name, file.read(), options, pool)


if __name__ == '__main__':
    main()
