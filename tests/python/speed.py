#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""speed.py [--size N] [--batch N] [--cuda]: what a batch takes of a processor,
beside Pillow, simplejpeg and OpenCV, as far as they are there: a quality a
picture, one core, all in turn, medians. With --cuda: batches of torch's on the
GPU, in pictures per second of real time."""
import argparse
import os
import statistics
import time

os.environ.setdefault('OMP_NUM_THREADS', '1')
import numpy as np
from common import make_batch, with_pillow

import blockdct


def find_ways(batch, qualities):
    pairs = [*zip(batch, (int(q) for q in qualities))]
    ways = {'blockdct': lambda: blockdct.transform(batch, quality=qualities)}
    try:
        import PIL
        ways[f'Pillow {PIL.__version__}'] = lambda: [with_pillow(*p) for p in pairs]
    except ImportError:
        print('Pillow is not there')
    try:
        import simplejpeg
        ways['simplejpeg'] = lambda: [simplejpeg.decode_jpeg(
            simplejpeg.encode_jpeg(p, q, 'RGB', '420')) for p, q in pairs]
    except ImportError:
        print('simplejpeg is not there')
    try:
        import cv2
        cv2.setNumThreads(1)
        ways[f'OpenCV {cv2.__version__}'] = lambda: [cv2.imdecode(cv2.imencode(
            '.jpg', p, [cv2.IMWRITE_JPEG_QUALITY, q])[1], 1) for p, q in pairs]
    except ImportError:
        print('cv2 is not there')
    return ways


def on_cpu(batch, qualities):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    ways = find_ways(batch, qualities)
    times = {name: [] for name in ways}
    for _ in range(11):
        for name, way in ways.items():
            way()
            start = time.process_time()
            for _ in range(3):
                way()
            times[name].append((time.process_time() - start) / 3 / len(batch))
    for name, all_of in times.items():
        ratio = statistics.median(t / o for t, o in zip(all_of, times['blockdct']))
        print(f'{name}: {1e3 * statistics.median(all_of):.3f} ms a picture, '
              f'{ratio:.2f} times')


def on_gpu(batch, qualities):
    import torch
    there = torch.from_numpy(batch).cuda()
    for name, arguments in {'PSNR': {}, 'PSNR, bits': {'metrics': 'bits'},
                            'HEVC 8x8': {'transform': 'hevc-8x8',
                                         'qp': qualities % 52}}.items():
        times = []
        for _ in range(30):
            start = time.perf_counter()
            blockdct.transform(there, quality=qualities, **arguments)
            times.append(time.perf_counter() - start)
        seconds = statistics.median(times[5:])
        print(f'{name}: {len(batch) / seconds:,.0f} pictures/s, '
              f'{1e6 * seconds:.0f} us a batch of {len(batch)}')


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--size', type=int, default=224)
    parser.add_argument('--batch', type=int)
    parser.add_argument('--cuda', action='store_true')
    options = parser.parse_args()
    n = options.batch or (256 if options.cuda else 16)
    batch = make_batch(min(n, 16), options.size, options.size)
    batch = batch.repeat(-(-n // len(batch)), 0)[:n].copy()
    qualities = np.random.default_rng(1).integers(30, 96, n)
    (on_gpu if options.cuda else on_cpu)(batch, qualities)


if __name__ == '__main__':
    main()
