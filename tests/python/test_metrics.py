# SPDX-License-Identifier: LGPL-2.1-or-later
"""The metrics against their definitions, in double precision and as plainly as they can be
written, of those that not every ffmpeg has (tests/fidelity/metrics.py)."""
import math
import unittest

import numpy as np
from common import main
from numpy.lib.stride_tricks import sliding_window_view

import blockdct

# How far single precision may be from what is written here, and in dB double precision and
# psnr-hvs's whole-number transform.
TOLERANCE = {'ms-ssim': 2e-5, 'psnr-hvs': .5, 'xpsnr': .01}
# Of planes: height, width, what divides the chroma's, depth, frames/s, quality, content.
CASES = (
    (288, 352, 2, 2, 8, 25, 10, 'smooth'), (181, 353, 2, 2, 8, 50, 5, 'smooth'),
    (300, 201, 0, 0, 8, 25, 10, 'smooth'), (176, 176, 1, 2, 10, 60, 20, 'smooth'),
    (177, 180, 1, 1, 12, 30, 20, 'smooth'), (49, 61, 1, 2, 8, 30, 5, 'random'),
    (486, 720, 2, 2, 8, 50, 20, 'smooth'), (486, 720, 1, 1, 10, 25, 20, 'smooth'),
    (1156, 2304, 2, 2, 8, 50, 20, 'smooth'), (41, 37, 0, 0, 8, 30, 3, 'extreme'))
FRAMES = 3


def draw(height, width, depth, content, rng):
    peak = (1 << depth) - 1
    if content == 'random':
        return rng.integers(0, peak + 1, (height, width))
    if content == 'extreme':
        return rng.integers(0, 2, (height, width)) * peak
    y, x = np.mgrid[0:height, 0:width]
    a, b = rng.uniform(.02, .3, 2)
    return (peak * (.5 + .25 * np.sin(a * x) + .2 * np.cos(b * y + a * x)
                    + rng.uniform(-.03, .03, x.shape))).astype(int)


def windows(plane, size, step):
    return sliding_window_view(plane, (size, size))[::step, ::step]


def weigh(plane, window):
    """Through a separable window."""
    rows = sliding_window_view(plane, len(window), 0) @ window
    return sliding_window_view(rows, len(window), 1) @ window


def ms_ssim(a, b, peak):
    c1, c2 = 2.55 ** 2, 7.65 ** 2
    half = [.026727, -.016828, -.078201, .266846]
    half = np.array([*half, .602914, *half[::-1]])
    gauss = np.exp(-(np.arange(11) - 5) ** 2 / 4.5)
    gauss /= gauss.sum()
    product = 1
    a, b = (plane * (256 / (peak + 1)) for plane in (a, b))
    for scale, weight in enumerate((.0448, .2856, .3001, .2363, .1333)):
        ma, mb, aa, bb, ab = (weigh(plane, gauss) for plane in (a, b, a * a, b * b, a * b))
        sa, sb = np.sqrt(np.maximum(aa - ma ** 2, 0)), np.sqrt(np.maximum(bb - mb ** 2, 0))
        contrast = np.mean((2 * sa * sb + c2) / (sa ** 2 + sb ** 2 + c2))
        structure = np.mean((ab - ma * mb + c2 / 2) / (sa * sb + c2 / 2))
        product *= (contrast * structure) ** weight
        if scale == 4:
            product *= np.mean((2 * ma * mb + c1) / (ma ** 2 + mb ** 2 + c1)) ** weight
        a, b = (weigh(np.pad(plane, 4, 'symmetric'), half)[::2, ::2] for plane in (a, b))
    return product


# Of the frequencies, those above the diagonal are those below it.
HVS = np.zeros((8, 8))
HVS[np.triu_indices(8)] = (
    1.6193873, 2.2901595, 2.0850976, 1.4836609, 1.0022751, .678297, .4662249, .3265092,
    1.9432182, 2.0479307, 1.6873111, 1.2305667, .8689203, .6128099, .4364058,
    1.3432902, 1.0920564, .8757488, .6708829, .5017319, .3725043,
    .7728198, .6056364, .4830941, .3804294, .295774,
    .4489963, .3528893, .283007, .2269513, .2703207, .2150177, .1740807,
    .1688695, .1361539, .1090838)
HVS = np.maximum(HVS, HVS.T)
BASIS = np.cos(np.pi * (2 * np.arange(8) + 1) * np.arange(8)[:, None] / 16) / 2
BASIS[0] /= math.sqrt(2)


def mask(blocks, frequencies):
    """How much a block's contrast hides: of its frequencies, by how much of it its quarters
    have."""
    quarters = blocks.reshape(-1, 2, 4, 2, 4).swapaxes(2, 3).reshape(-1, 4, 16)
    whole = blocks.reshape(-1, 64).var(1, ddof=1) * 64
    parts = (quarters.var(2, ddof=1) * 16).sum(1)
    power = (frequencies * HVS * .3885746225901003) ** 2
    power[:, 0, 0] = 0
    return np.sqrt(power.sum((1, 2)) * parts / np.where(whole == 0, 1, whole)) / 32 * (whole > 0)


def psnr_hvs(a, b, peak):
    blocks = [windows(plane, 8, 7).reshape(-1, 8, 8).astype(float) for plane in (a, b)]
    made = [BASIS @ block @ BASIS.T for block in blocks]
    hidden = np.maximum(*map(mask, blocks, made))[:, None, None] / (HVS * .3885746225901003) ** 2
    hidden[:, 0, 0] = 0
    errors = (np.maximum(abs(made[0] - made[1]) - hidden, 0) * HVS) ** 2
    return 10 * math.log10(peak * peak / errors.mean())


def tiles(height, width, side):
    for y in range(0, height, side):
        for x in range(0, width, side):
            yield slice(y, min(y + side, height)), slice(x, min(x + side, width))


def xpsnr(source, made, luma, depth, rate):
    """Of pictures above 640 x 480: others' weights are smoothed. `luma`: this frame's and
    those before it."""
    height, width = luma[0].shape
    step = 1 + (height * width > 2048 * 1152)
    ratio = height * width / (3840 * 2160)
    ring = ([1, 0, 1], [2, 1, 0, 0, 1, 2])[step - 1]
    kernel = np.array(([[12, -2], [-2, -1]], [[12, -3, -1], [-3, -2, -1], [-1, -1, 0]])[step - 1])
    kernel = kernel[np.ix_(ring, ring)]
    space = np.zeros((height, width))
    inside = np.zeros((height, width), bool)
    inside[step:-step, step:-step] = True
    wide = np.pad(luma[0], step + 1)
    for j, row in enumerate(kernel):
        for i, weight in enumerate(row):
            space += weight * wide[1 + j:1 + j + height, 1 + i:1 + i + width]
    space = abs(space) * inside
    if step == 2:
        space[1::2], space[:, 1::2] = 0, 0
    time = luma[0] - luma[1] if rate < 32 else luma[0] - 2 * luma[1] + luma[2]
    down, across = (a // b for a, b in zip(luma[0].shape, source.shape))
    total = 0
    for y, x in tiles(height, width, 4 * int(32 * math.sqrt(ratio) + .5)):
        part = time[y, x]
        changes = np.add.reduceat(np.add.reduceat(part, range(0, part.shape[0], step), 0),
                                  range(0, part.shape[1], step), 1)
        weight = 1 / max(space[y, x].sum() / inside[y, x].sum()
                         + 2 * abs(changes).sum() / part.size, 1 << (depth - 6))
        of = slice(y.start // down, y.stop // down), slice(x.start // across, x.stop // across)
        total += weight * ((source[of] - made[of]) ** 2).sum()
    total *= math.sqrt(16 * (1 << (2 * depth - 9)) / math.sqrt(ratio))
    return 10 * math.log10(source.size * ((1 << depth) - 1) ** 2 / total)


class Definitions(unittest.TestCase):
    def test_definitions(self):
        rng = np.random.default_rng(1)
        compared = 0
        for height, width, down, across, depth, rate, quality, content in CASES:
            sides = [(height, width)] + [(-(-height // down), -(-width // across))] * 2 \
                if down else [(height, width)]
            dtype = np.uint8 if depth == 8 else np.uint16
            planes = [np.stack([draw(*side, depth, content, rng) for _ in range(FRAMES)])
                      for side in sides]
            given = {'quality': quality, 'depth': depth if depth > 8 else None,
                     'layout': 'YUV' if down else 'NHW'}
            batch = tuple(plane.astype(dtype) for plane in planes)
            batch = batch if down else batch[0]
            made = blockdct.transform(batch, **given).pictures
            made = [plane.astype(int) for plane in (made if down else [made])]
            names = [name for name in TOLERANCE if (name != 'psnr-hvs' or down)
                     and (name != 'ms-ssim' or min(height, width) >= 176)]
            found = blockdct.measure(batch, metrics=names, frame_rate=rate, **given).metrics
            peak = (1 << depth) - 1
            for c, component in enumerate('yuv'[:len(planes)]):
                for n in range(FRAMES):
                    a, b = planes[c][n], made[c][n]
                    wanted = {}
                    if width < 400 and c == 0 and n == 0 and 'ms-ssim' in names:
                        wanted['ms-ssim'] = ms_ssim(a, b, peak)
                    if width < 400 and down and c == 0:
                        wanted['psnr-hvs'] = psnr_hvs(a, b, peak)
                    if width * height > 640 * 480 and n == FRAMES - 1 - c // 2:
                        luma = [planes[0][n - i] if i <= n else 0 * planes[0][0]
                                for i in range(3)]
                        wanted['xpsnr'] = xpsnr(a, b, luma, depth, rate)
                    for name, value in wanted.items():
                        compared += 1
                        self.assertLess(abs(found[f'{name}-{component}'][n, 0] - value),
                                        TOLERANCE[name], (name, height, width, component, n))
            if down:
                errors = sum(weight * 10 ** (-found['psnr-hvs-' + c] / 10)
                             for weight, c in zip((.8, .1, .1), 'yuv'))
                np.testing.assert_allclose(found['psnr-hvs'], -10 * np.log10(errors))
        self.assertGreater(compared, 25)

    def test_limits(self):
        for sides, name, reason in (
                (((16, 16), (8, 8)), 'ssim', None), (((16, 14), (8, 7)), 'ssim', '7 x 8'),
                (((7, 8),), 'ssim', '8 x 7'), (((176, 176), (88, 88)), 'ms-ssim', None),
                (((400, 175), (200, 88)), 'ms-ssim', '175 x 400'),
                (((64, 64),), 'psnr-hvs', 'it needs Y, U and V'),
                (((16, 15), (8, 8)), 'psnr-hvs', '7 x 8'), (((17, 17), (9, 9)), 'psnr-hvs', None),
                (((1, 1), (1, 1)), 'xpsnr', None),
                (((1156, 2303), (578, 1152)), 'xpsnr', 'must be even')):
            planes = [np.zeros((1, *side), np.uint8) for side in (*sides, *sides[1:])]
            batch, layout = (tuple(planes), 'YUV') if len(sides) > 1 else (planes[0], 'NHW')
            if reason is None:
                blockdct.measure(batch, layout=layout, metrics=name)
                continue
            with self.assertRaisesRegex(ValueError, reason):
                blockdct.measure(batch, layout=layout, metrics=name)

    def test_long_row(self):
        """Sums of squared errors are exact: the longest row has one block's figure. Nothing
        masks a flat original."""
        figures = []
        for width in 8, 65535:
            y, x = np.mgrid[0:8, 0:width]
            planes = tuple((4095 - x % 7 * (y + c)).astype(np.uint16)[None] for c in range(3))
            flat = tuple(np.zeros_like(plane) for plane in planes)
            figures.append(blockdct.compare(flat, planes, depth=12, layout='YUV',
                                            metrics='psnr-hvs').metrics)
        for name in figures[0]:
            np.testing.assert_allclose(figures[0][name], figures[1][name], rtol=1e-12)


if __name__ == '__main__':
    main()
