# SPDX-License-Identifier: LGPL-2.1-or-later
"""The worst frames of a score as pictures."""
import argparse
import os
import struct
import zlib
from typing import Any

import numpy as np

from .decoding import Pictures
from .formats import convert
from .transforms import Layout

_GAIN = 4


def _png(path: str, pixels: np.ndarray) -> None:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack('>I', len(data)) + kind + data + struct.pack(
            '>I', zlib.crc32(kind + data))
    height, width, _ = pixels.shape
    lines = np.pad(pixels.reshape(height, -1), ((0, 0), (1, 0)))
    with open(path, 'wb') as file:
        file.write(b'\x89PNG\r\n\x1a\n'
                   + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0))
                   + chunk(b'IDAT', zlib.compress(lines.tobytes(), 6)) + chunk(b'IEND', b''))


def _frames(path: str, wanted: list[int], limit: float, size: tuple[int, int]
            ) -> dict[int, np.ndarray]:
    """Frames by their number, as RGB."""
    found = {}
    with Pictures(path, limit, lambda caps: convert(caps, 'RGB'), size) as pictures:
        for i in range(max(wanted) + 1):
            sample = pictures.pull()
            if sample is None:
                break
            if i in wanted:
                found[i] = Layout(sample.get_caps()).read(sample)[0][..., :3].copy()
    return found


def write(score: Any, o: argparse.Namespace) -> None:
    """Reference, distorted and their difference, side by side; a note says of which."""
    made = score.made
    order = sorted((f.psnr(), f.frame) for f in score.frames)[:o.worst]
    made.notes.append('the worst frames: ' + ', '.join(f'{n} ({psnr:.2f} dB)'
                                                       for psnr, n in order))
    ref = {n: (o.first_frame + n) * made.step.reference + max(0, -made.offset) for _, n in order}
    dist = {n: (o.first_frame + n) * made.step.file + max(0, made.offset) for _, n in order}
    size = made.reference.size
    a = _frames(made.reference.path, list(ref.values()), o.stall_limit, size)
    b = _frames(made.file.path, list(dist.values()), o.stall_limit, size)
    os.makedirs(o.pictures, exist_ok=True)
    name = os.path.basename(made.file.path)
    for i in ref:
        if ref[i] not in a or dist[i] not in b:
            continue
        x, y = a[ref[i]], b[dist[i]]
        difference = np.clip(128 + _GAIN * (y.astype(int) - x), 0, 255).astype(np.uint8)
        _png(os.path.join(o.pictures, f'{name}-{i:06}.png'), np.hstack([x, y, difference]))
