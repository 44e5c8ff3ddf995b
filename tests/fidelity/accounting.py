#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What encoders.py counts and compares: bits are the coded picture's alone, an encoder
gets the picture's samples and no others, a picture that was a JPEG is found, and
BD-rate is Bjontegaard's. Speaks TAP."""

import os
import shutil
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("1..0 # SKIP numpy is missing: install python3-numpy")
    sys.exit(0)
import encoders
try:
    import bjontegaard
except ImportError:
    bjontegaard = None

# With what else each of them is coded without loss; SVT-AV1 1.4 cannot, and is at most
# so far off at its finest.
LIBRARIES = {
    "libx265": (encoders.REFERENCE, 22, ":lossless=1", 0),
    "libaom-av1": ("libaom, cpu-used 2", 0, ":lossless=1", 0),
    "libsvtav1": ("SVT-AV1, preset 4", 1, "", 8),
}
# Which units of a stream are the coded picture, as ffmpeg's filter_units has it.
UNITS = {"hevc": "0-31", "obu": "3|4|6"}


def make_picture():
    """Slopes, an edge and noise, from 0 to 255."""
    rng = np.random.default_rng(4)
    y, x = np.mgrid[:160, :192]
    slopes = 1.4 * x - .9 * y + 60 * (x > y) + rng.normal(0, 20, x.shape)
    picture = np.clip(slopes.round(), 0, 255).astype(np.uint8)
    assert picture.min() == 0 and picture.max() == 255
    return picture


def check_bits(picture, name, folder, more=""):
    """Against what ffmpeg's filter leaves of the stream."""
    encoder = encoders.ENCODERS[name]
    kind = encoder[1]
    stream, _ = encoders.encode(picture, encoder, encoder[2][2], folder, more)
    with open(os.path.join(folder, "whole"), "wb") as file:
        file.write(stream)
    part = encoders.run("ffmpeg", "-v", "error", "-f", kind, "-i", file.name, "-c", "copy",
                        "-bsf:v", "filter_units=pass_types=" + UNITS[kind], "-f", kind, "-")
    # Start codes, and a temporal delimiter, which the muxer puts before each picture.
    wanted = 8 * len(part)
    if kind == "hevc":
        wanted = 8 * (len(part) - 3 * part.count(b"\0\0\1") - part.count(b"\0\0\0\1"))
    elif part[:2] == b"\x12\0":
        wanted -= 16
    assert 0 < wanted < 8 * len(stream)
    return (encoders.picture_bits(stream, kind), wanted,
            f"bits of {8 * len(stream)} of the stream")


def check_option_text(picture, name, folder):
    encoder = encoders.ENCODERS[name]
    streams = [encoders.encode(picture, encoder, 37, folder, f":info={info}")[0]
               for info in (0, 1)]
    assert len(streams[1]) > len(streams[0]) + 1000, "x265 wrote no option text"
    plain, text = (encoders.picture_bits(stream, "hevc") for stream in streams)
    return text, plain, "bits with x265's option text and without"


def check_samples(picture, library, folder):
    name, setting, more, most = LIBRARIES[library]
    _, decoded = encoders.encode(picture, encoders.ENCODERS[name], setting, folder, more)
    off = abs(decoded.astype(int) - picture).max()
    return bool(off <= most), True, f"whether samples differ by at most {most} ({off})"


def check_bd_rate():
    points = [(1000 * 2.1 ** n, 28 + 3 * n + .2 * n * n) for n in range(5)]
    dearer = [(1.25 * bits, db) for bits, db in points]
    return round(encoders.bd_rate(points, dearer), 9), 25, "% of 25% more bits"


def check_no_overlap():
    rates = encoders.bd_rate([(1000 * n, 30 + n) for n in (1, 2, 3, 4)],
                             [(1000 * n, 34 + n) for n in (1, 2, 3, 4)])
    return str(rates), "nan", "of curves without a PSNR in common"


def check_against_bjontegaard():
    a = [(97e3 * 1.6 ** n, 30 + 3.3 * n) for n in range(5)]
    b = [(117e3 * 1.7 ** n, 29.1 + 3.2 * n + .1 * n * n) for n in range(5)]
    wanted = bjontegaard.bd_rate(*zip(*a), *zip(*b), method="cubic", min_overlap=0)
    return round(encoders.bd_rate(a, b), 6), round(wanted, 6), "% of two curves"


def check_grid(picture, step, place):
    """A picture coded as a JPEG is, with one step for all coefficients, on a grid that
    begins at a place; step 0: not coded."""
    if step:
        k = np.arange(8)
        dct = np.cos(np.pi * (2 * k + 1) * k[:, None] / 16) / 2
        dct[0] /= np.sqrt(2)
        picture = picture.copy()
        height, width = ((side - 8) // 8 * 8 for side in picture.shape)
        part = picture[place[0]:place[0] + height, place[1]:place[1] + width]
        blocks = part.reshape(height // 8, 8, width // 8, 8).swapaxes(1, 2).astype(float)
        levels = (dct @ blocks @ dct.T / step).round()
        blocks = (dct.T @ (levels * step) @ dct).round().clip(0, 255)
        part[:] = blocks.swapaxes(1, 2).reshape(height, width)
    found = encoders.grid(picture)
    return bool(found > encoders.GRID), step > 0, f"whether it has a grid ({found:.1f}%)"


def main():
    picture = make_picture()
    known = ""
    if shutil.which("ffmpeg"):
        known = encoders.run("ffmpeg", "-v", "error", "-encoders").decode().split()
    tests = []
    with tempfile.TemporaryDirectory() as folder:
        for library, (name, *_) in LIBRARIES.items():
            missing = None if library in known else f"no ffmpeg with {library}: install ffmpeg"
            tests.append((f"{name}: its input", missing, check_samples, picture, library,
                          folder))
            tests.append((f"{name}: its bits", missing, check_bits, picture, name, folder))
            if library == "libx265":
                tests.append((f"{name}: its bits, with option text", missing, check_bits,
                              picture, name, folder, ":info=1"))
                tests.append((f"{name}: option text", missing, check_option_text, picture,
                              name, folder))
        tests.append(("BD-rate", None, check_bd_rate))
        tests.append(("BD-rate, no overlap", None, check_no_overlap))
        tests.append(("BD-rate, bjontegaard", None if bjontegaard else
                      "bjontegaard is missing: pip install bjontegaard",
                      check_against_bjontegaard))
        for step, place in ((0, (0, 0)), (4, (0, 0)), (12, (0, 0)), (12, (3, 5))):
            tests.append((f"a grid at {place}, step {step}" if step else "no grid", None,
                          check_grid, picture, step, place))
        print(f"1..{len(tests)}")
        failed = 0
        for n, (name, missing, check, *arguments) in enumerate(tests, 1):
            if missing:
                print(f"ok {n} - {name} # SKIP {missing}")
                continue
            got, wanted, what = check(*arguments)
            good = bool(got == wanted)
            failed += not good
            print(f"{'ok' if good else 'not ok'} {n} - {name}", flush=True)
            print(f"# {got}, {wanted} wanted: {what}")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
