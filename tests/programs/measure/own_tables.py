#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""BD-rates of pictures' own tables (blockdct-measure --own-table) and of mozjpeg's
presets against Annex K, by hand:

    own_tables.py BLOCKDCT_MEASURE PICTURE...

All through files of `cjpeg -optimize` in 4:2:0 and Pillow's decoder; PSNR of R, G
and B. Pictures are scaled down to 768 pixels, which also leaves no grid of an
earlier JPEG file. The time is a picture's, of one --own-table with the program's
start, beside cjpeg's own."""
import io
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
from PIL import Image

QUALITIES = 25, 40, 55, 70, 80, 88, 94
PRESETS = 'flat', 'ms-ssim', 'robidoux', 'psnr-hvs', 'klein', 'watson', 'ahumada', 'peterson'


def point(rgb, ppm, *options):
    data = subprocess.run(['cjpeg', '-optimize', *options], input=ppm,
                          capture_output=True, check=True).stdout
    decoded = np.asarray(Image.open(io.BytesIO(data)))
    mse = np.mean((decoded.astype(float) - rgb) ** 2)
    return 10 * np.log10(255 ** 2 / mse), np.log(len(data))


def bd_rate(anchor, other):
    """Percent, of piecewise linear curves of log bytes over dB."""
    anchor, other = sorted(anchor), sorted(other)
    dbs = np.linspace(max(anchor[0][0], other[0][0]), min(anchor[-1][0], other[-1][0]),
                      500)
    logs = [np.interp(dbs, *zip(*curve)) for curve in (anchor, other)]
    return 100 * (np.exp(np.mean(logs[1] - logs[0])) - 1)


def scaled(name, quality):
    import blockdct
    return blockdct.tables(name, quality).reshape(-1, 8)


def measure(program, path, folder):
    picture = Image.open(path).convert('RGB')
    scale = 768 / max(picture.size)
    picture = picture.resize([round(side * scale) for side in picture.size],
                             Image.LANCZOS)
    source, table = (os.path.join(folder, name) for name in ('a.ppm', 'table.txt'))
    picture.save(source)
    with open(source, 'rb') as file:
        ppm = file.read()
    rgb, seconds = np.asarray(picture), []
    anchor, own, others = [], [], {name: [] for name in PRESETS}
    for quality in QUALITIES:
        anchor.append(point(rgb, ppm, '-quality', str(quality), '-baseline'))
        start = time.perf_counter()
        subprocess.run([program, '--own-table', table, '-q', str(quality), source],
                       check=True, stdout=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - start)
        own.append(point(rgb, ppm, '-qtables', table))
        for name, points in others.items():
            np.savetxt(table, scaled(name, quality), '%d')
            points.append(point(rgb, ppm, '-qtables', table))
    start = time.perf_counter()
    point(rgb, ppm, '-quality', '80')
    return [bd_rate(anchor, own), *(bd_rate(anchor, p) for p in others.values()),
            1000 * np.median(seconds), 1000 * (time.perf_counter() - start)]


def main():
    program, *pictures = sys.argv[1:]
    rows = []
    print('own', *PRESETS, 'ms', 'ms of cjpeg and decoding', sep='  ')
    with tempfile.TemporaryDirectory() as folder:
        for path in pictures:
            rows.append(measure(program, path, folder))
            print(' '.join(f'{figure:8.1f}' for figure in rows[-1]), path, flush=True)
    print(' '.join(f'{figure:8.1f}' for figure in np.mean(rows, 0)), 'mean')


if __name__ == '__main__':
    main()
