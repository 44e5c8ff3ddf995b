#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""speed.py [--size N] [--batch N] [--cuda] [--seconds N]: what a batch takes beside
other libraries that encode JPEG and decode it, as far as they are there, and how
many of its samples differ from Pillow's.

Without --cuda: a quality a picture, one core, processor time. With --cuda: a batch
of torch's on the GPU comes back there, real time; `one` is one quality for all
pictures, where a library has no other. All are called in turn; medians."""
import argparse
import os
import statistics
import time
from importlib.metadata import version

os.environ.setdefault('OMP_NUM_THREADS', '1')
import numpy as np
from common import make_batch, with_pillow

import blockdct

ONE = 50  # the quality of all pictures


def import_or_say(name):
    try:
        return __import__(name, fromlist=['_'])
    except (ImportError, OSError) as error:
        print(f'{name} is not there ({error})')
        return None


def ways_on_cpu(batch, qualities):
    """Of each library its call, which gives the pictures."""
    pairs = [*zip(batch, (int(q) for q in qualities))]
    ways = {f'blockdct {blockdct.__version__}':
            lambda: blockdct.transform(batch, quality=qualities).pictures}
    if pillow := import_or_say('PIL'):
        ways[f'Pillow {pillow.__version__}'] = \
            lambda: [with_pillow(*p)[0] for p in pairs]
    if import_or_say('simplejpeg'):
        import simplejpeg
        # It encodes with libjpeg-turbo's fast DCT, and has no other.
        ways[f'simplejpeg {version("simplejpeg")}'] = lambda: [simplejpeg.decode_jpeg(
            simplejpeg.encode_jpeg(p, q, 'RGB', '420', fastdct=False))
            for p, q in pairs]
    if cv2 := import_or_say('cv2'):
        cv2.setNumThreads(1)
        # OpenCV's pictures are B, G, R.
        turned = [(np.ascontiguousarray(p[..., ::-1]), q) for p, q in pairs]
        ways[f'OpenCV {cv2.__version__}'] = lambda: [cv2.imdecode(cv2.imencode(
            '.jpg', p, [cv2.IMWRITE_JPEG_QUALITY, q])[1], 1) for p, q in turned]
    if torchvision := import_or_say('torchvision'):
        import torch
        from torchvision.io import decode_jpeg, encode_jpeg
        torch.set_num_threads(1)
        tensors = [(torch.from_numpy(p).permute(2, 0, 1).contiguous(), q)
                   for p, q in pairs]
        ways[f'torchvision {torchvision.__version__}'] = \
            lambda: [decode_jpeg(encode_jpeg(p, quality=q)) for p, q in tensors]
    if albumentations := import_or_say('albumentations'):
        augments = [(albumentations.ImageCompression('jpeg', (q, q), p=1), p)
                    for p, q in pairs]
        ways[f'albumentations {albumentations.__version__}'] = \
            lambda: [augment(image=p)['image'] for augment, p in augments]
    if import_or_say('kornia'):
        ways.update(with_kornia(torch.from_numpy(batch), qualities))
    return ways


def with_kornia(batch, qualities):
    import kornia
    import torch
    planar = batch.permute(0, 3, 1, 2).contiguous()
    factors = torch.from_numpy(np.asarray(qualities, np.float32)).to(batch.device)

    def run():
        with torch.no_grad():
            made = kornia.enhance.jpeg_codec_differentiable(planar.float() / 255, factors)
        return (made * 255).round().to(torch.uint8).permute(0, 2, 3, 1)
    return {f'kornia {kornia.__version__}': run}


def ways_on_gpu(batch, qualities):
    """Of each library its call, which gives the pictures as (N, height, width, 3)
    or in a list, whether it has a quality a picture, and its subsampling."""
    import torch
    there = torch.from_numpy(batch).cuda()
    planar = there.permute(0, 3, 1, 2).contiguous()
    ways = {
        f'blockdct {blockdct.__version__}': (lambda: blockdct.transform(
            there, quality=qualities).pictures, True, '4:2:0'),
        'blockdct, NCHW': (lambda: blockdct.transform(
            planar, quality=qualities, layout='NCHW').pictures.permute(0, 2, 3, 1),
            True, '4:2:0'),
        'blockdct, 4:4:4': (lambda: blockdct.transform(
            there, quality=ONE, chroma_subsampling='4:4:4').pictures, False,
            '4:4:4'),
        "blockdct, metrics='bits'": (lambda: blockdct.transform(
            there, quality=qualities, metrics='bits').pictures, True, '4:2:0'),
        'blockdct, hevc-8x8': (lambda: blockdct.transform(
            there, 'hevc-8x8', qp=qualities % 52).pictures, True, None)}
    if import_or_say('kornia'):
        ways.update({name: (way, True, '4:2:0')
                     for name, way in with_kornia(there, qualities).items()})
    if torchvision := import_or_say('torchvision'):
        from torchvision.io import decode_jpeg, encode_jpeg
        pictures = list(planar)
        # Its encoder has no subsampling; its decoder reads host memory.
        ways[f'nvJPEG, torchvision {torchvision.__version__}'] = lambda: [
            p.permute(1, 2, 0) for p in decode_jpeg(
                [one.cpu() for one in encode_jpeg(pictures, quality=ONE)],
                device='cuda')], False, '4:4:4'
    return ways


def as_hwc(picture):
    array = np.asarray(picture.cpu() if hasattr(picture, 'cpu') else picture)
    return array.transpose(1, 2, 0) if array.shape[0] == 3 else array


def differing(pictures, expected, name=''):
    """The share of samples that differ, and the largest difference."""
    made = np.stack([as_hwc(p) for p in pictures]).astype(int)
    if name.startswith('OpenCV'):
        made = made[..., ::-1]
    apart = np.abs(made - expected)
    return f'{100 * np.mean(apart != 0):.2f} %, {apart.max()} at most' \
        if apart.any() else 'none'


def with_pillow_all(batch, qualities, subsampling='4:2:0'):
    try:
        return np.stack([with_pillow(p, q, subsampling)[0]
                         for p, q in zip(batch, qualities)]).astype(int)
    except ImportError:
        return None


def on_cpu(batch, qualities, seconds):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    ways = ways_on_cpu(batch, qualities)
    expected = with_pillow_all(batch, qualities)
    differ = {name: 'unknown' if expected is None else
              differing(way(), expected, name) for name, way in ways.items()}
    times = {name: [] for name in ways}
    end = time.monotonic() + seconds
    while time.monotonic() < end or len(times[next(iter(times))]) < 3:
        for name, way in ways.items():
            start = time.process_time()
            for _ in range(3):
                way()
            times[name].append((time.process_time() - start) / 3 / len(batch))
    ours = next(iter(times.values()))
    print('library | ms a picture | times blockdct | samples unlike Pillow\'s')
    for name, all_of in times.items():
        ratio = statistics.median(t / o for t, o in zip(all_of, ours))
        print(f'{name} | {1e3 * statistics.median(all_of):.3f} | {ratio:.2f} | '
              f'{differ[name]}')


def on_gpu(batch, qualities, seconds):
    import torch
    print(f'{torch.cuda.get_device_name()}, torch {torch.__version__}')
    ways = ways_on_gpu(batch, qualities)
    differ, times, n = {}, {}, len(batch)
    for name, (way, each, subsampling) in ways.items():
        try:
            made = way()
        except Exception as error:  # of a library that has no GPU in this build
            print(f'{name} does not run: {str(error).splitlines()[0]}')
            continue
        times[name] = []
        expected = subsampling and with_pillow_all(
            batch, qualities if each else [ONE] * n, subsampling)
        differ[name] = 'no JPEG' if subsampling is None else 'unknown' \
            if expected is None else differing(made, expected)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for name, all_of in times.items():
            ways[name][0]()
            torch.cuda.synchronize()
            start = time.perf_counter()
            for _ in range(3):
                ways[name][0]()
            torch.cuda.synchronize()
            all_of.append((time.perf_counter() - start) / 3)
    print('library | us a batch | pictures/s | quality | subsampling | samples '
          'unlike Pillow\'s')
    for name, all_of in times.items():
        median = statistics.median(all_of)
        _, each, subsampling = ways[name]
        print(f'{name} | {1e6 * median:,.0f} | {n / median:,.0f} | '
              f'{"each" if each else "one"} | {subsampling} | {differ[name]}')


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--size', type=int, default=224)
    parser.add_argument('--batch', type=int)
    parser.add_argument('--cuda', action='store_true')
    parser.add_argument('--seconds', type=float, default=10)
    options = parser.parse_args()
    n = options.batch or (256 if options.cuda else 16)
    batch = make_batch(min(n, 16), options.size, options.size)
    batch = batch.repeat(-(-n // len(batch)), 0)[:n].copy()
    qualities = np.random.default_rng(1).integers(30, 96, n)
    (on_gpu if options.cuda else on_cpu)(batch, qualities, options.seconds)


if __name__ == '__main__':
    main()
