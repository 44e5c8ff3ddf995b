# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which frames of two files belong together: by their times, and by what they show."""
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from .files import FileError

#: The seconds by which one file may be late, and the size of a frame's signature.
REACH = 10
WIDTH, HEIGHT = 32, 18
_LEAST_PAIRS = 4   # that an offset is judged by
_MOST_STEPS = 30   # from one common frame of two rates to the next
_BETTER = 0.6      # an offset's error is at most this share of no offset's
_ALIKE = 0.5       # signatures of the same content correlate by more


class Signatures(NamedTuple):
    """Of a file's first frames: running times in ns, and small pictures of luma."""
    times: np.ndarray
    pixels: np.ndarray  # (N, WIDTH * HEIGHT), float


class Step(NamedTuple):
    """Every how many frames of the reference and of the file fall together."""
    reference: int = 1
    file: int = 1


def find_step(reference: Fraction | None, file: Fraction | None, path: str) -> Step:
    """Of constant frame rates; those of variable or unknown rate are paired by time."""
    if reference is None or file is None or abs(reference / file - 1) < 1e-4:
        return Step()
    ratio = reference / file
    if max(ratio.numerator, ratio.denominator) > _MOST_STEPS:
        raise FileError(
            f'it has {float(file):.6g} frames/s, the reference {float(reference):.6g}: '
            'their frames do not fall together; convert one first, as ffmpeg does with '
            f'-r {reference}, or state its true rate, as with -r {reference} ahead of -i')
    return Step(ratio.numerator, ratio.denominator)


def _pairs(a: np.ndarray, b: np.ndarray, shift: float, near: float
           ) -> tuple[np.ndarray, np.ndarray]:
    """The indices of times that fall together."""
    at = np.searchsorted(b, a + shift - near)
    found = np.flatnonzero((at < len(b)) & (np.abs(
        b[np.minimum(at, len(b) - 1)] - a - shift) <= near))
    return found, at[found]


def find_offset(reference: Signatures, file: Signatures, step: Step) -> int:
    """The number of the file's frame that is the reference's frame 0."""
    a, b = reference.times, file.times
    if min(len(a), len(b)) < 2:
        return 0
    frame = float(np.median(np.diff(b)))
    near = frame / (2.2 if step == Step() else 8)
    best: tuple[float, int] | None = None
    errors = {}
    limit = int(REACH * 1e9 / frame)
    for n in sorted(range(-limit, limit + 1), key=abs):
        first, second = _pairs(a, b, n * frame, near)
        if len(first) < min(_LEAST_PAIRS, len(a), len(b)):
            continue
        difference = reference.pixels[first] - file.pixels[second]
        errors[n] = float(np.mean(difference * difference))
        # A still scene fits at many offsets: the least one, unless another is better.
        if best is None or errors[n] < _BETTER * best[0]:
            best = errors[n], n
    if best is None:
        return 0
    n = best[1]
    exact = min((m for m in errors if abs(m - n) <= 2), key=lambda m: (errors[m], abs(m)))
    return exact if errors[exact] < 0.98 * errors[n] and n != 0 or \
        errors[exact] < _BETTER * errors[n] else n


def likeness(reference: Signatures, file: Signatures, offset: int, step: Step) -> float:
    """The correlation of the pairs' signatures; 1 where nothing is to be seen."""
    a, b = reference.times, file.times
    frame = float(np.median(np.diff(b))) if len(b) > 1 else 4e7
    first, second = _pairs(a, b, offset * frame, frame / (2.2 if step == Step() else 8))
    x = (reference.pixels[first] - reference.pixels[first].mean(1, keepdims=True)).ravel()
    y = (file.pixels[second] - file.pixels[second].mean(1, keepdims=True)).ravel()
    power = float(np.sqrt((x * x).sum() * (y * y).sum()))
    if len(first) == 0 or (x * x).mean() < 4:
        return 1.0
    return float((x * y).sum()) / power if power else 0.0


def is_alike(value: float) -> bool:
    return value > _ALIKE


def find_crop(large: np.ndarray, small: np.ndarray) -> tuple[int, int] | None:
    """Where a smaller picture of luma lies in a larger one without being scaled; None:
    nowhere."""
    height, width = small.shape
    if height > large.shape[0] or width > large.shape[1] or small.std() < 2:
        return None
    x, y = large - large.mean(), small - small.mean()
    shape = large.shape
    cross = np.fft.irfft2(np.fft.rfft2(x) * np.conj(np.fft.rfft2(y, shape)), shape)
    cross = cross[:shape[0] - height + 1, :shape[1] - width + 1]
    top, left = np.unravel_index(int(cross.argmax()), cross.shape)
    part = large[top:top + height, left:left + width]
    part = part - part.mean()
    power = float(np.sqrt((part * part).sum() * (y * y).sum()))
    return (int(left), int(top)) if power and float((part * y).sum()) / power > 0.9 else None
