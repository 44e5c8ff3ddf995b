#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""blockdct on R, G and B against programs, on real pictures: what
`cjpeg -baseline -dct int -sample ... | djpeg -dct int` makes of them, and what
Pillow does, byte for byte. The pictures are those of the documentation and, if
it is there and can be decoded, a frame of the street. Speaks TAP."""

import io
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
DATA = os.environ.get("BLOCKDCT_DATA", os.path.join(ROOT, "..", "shared", "data"))
BACKEND = os.environ.get("BLOCKDCT_TEST_BACKEND", "auto")
# blockdct's, cjpeg's, Pillow's
SAMPLINGS = [("4:2:0", "2x2", 2), ("4:2:2", "2x1", 1), ("4:4:0", "1x2", None),
             ("4:4:4", "1x1", 0)]
QUALITIES = (3, 50, 85, 100)

if BACKEND == "cuda":
    print("1..0 # SKIP the CUDA engine takes no R, G and B")
    sys.exit(0)
for program, package in (("cjpeg", "libjpeg-turbo-progs"), ("djpeg", "libjpeg-turbo-progs"),
                         ("gst-launch-1.0", "gstreamer1.0-tools")):
    if not shutil.which(program):
        print(f"1..0 # SKIP {program} is missing: install {package}")
        sys.exit(0)


def run(command, data=None):
    return subprocess.run(command, input=data, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


class Picture:
    def __init__(self, name, ppm):
        kind, width, height, peak = ppm.split(None, 4)[:4]
        assert kind == b"P6" and peak == b"255"
        self.name, self.ppm = name, ppm
        self.width, self.height = int(width), int(height)
        self.rgb = ppm[-3 * self.width * self.height:]

    def part(self, width, height):
        """Its middle: sides that are no whole blocks."""
        x, y = (self.width - width) // 2, (self.height - height) // 2
        rows = [self.rgb[3 * ((y + i) * self.width + x):][:3 * width] for i in range(height)]
        return Picture(f"{self.name} {width}x{height}",
                       b"P6\n%d %d\n255\n" % (width, height) + b"".join(rows))


def load():
    folder = os.path.join(ROOT, "docs", "pictures")
    for name in ("preview-page.jpg", "view-original.jpg"):
        whole = Picture(name, run(["djpeg", "-pnm", os.path.join(folder, name)]))
        yield whole
        yield whole.part(whole.width - 3, 97)
    try:
        street = run(["ffmpeg", "-i", os.path.join(DATA, "street.avi"), "-frames:v", "1",
                      "-f", "image2pipe", "-c:v", "ppm", "-"])
    except (OSError, subprocess.CalledProcessError):
        print("# no street.avi in BLOCKDCT_DATA, or no ffmpeg to decode it (package ffmpeg)")
        return
    yield Picture("street.avi", street)
    yield Picture("street.avi", street).part(601, 433)


def blockdct(folder, picture, quality, sampling):
    """Rows in memory have a multiple of four bytes."""
    source, out = os.path.join(folder, "in"), os.path.join(folder, "out")
    row, stride = 3 * picture.width, (3 * picture.width + 3) // 4 * 4
    with open(source, "wb") as file:
        for y in range(picture.height):
            file.write(picture.rgb[y * row:(y + 1) * row].ljust(stride, b"\0"))
    run(["gst-launch-1.0", "-q", "filesrc", "location=" + source, "!", "rawvideoparse",
         "format=rgb", f"width={picture.width}", f"height={picture.height}", "!", "blockdct",
         "backend=" + BACKEND, f"quality={quality}", "chroma-subsampling=" + sampling, "!",
         "filesink", "location=" + out])
    with open(out, "rb") as file:
        data = file.read()
    return b"".join(data[y * stride:y * stride + row] for y in range(picture.height))


def cjpeg(picture, quality, sample):
    jpeg = run(["cjpeg", "-baseline", "-dct", "int", "-quality", str(quality), "-sample", sample],
               picture.ppm)
    return Picture("", run(["djpeg", "-dct", "int", "-pnm"], jpeg)).rgb


def pillow(picture, quality, subsampling):
    from PIL import Image
    image = Image.frombytes("RGB", (picture.width, picture.height), picture.rgb)
    file = io.BytesIO()
    image.save(file, "JPEG", quality=quality, subsampling=subsampling)
    return Image.open(io.BytesIO(file.getvalue())).tobytes()


def main():
    try:
        import PIL
        have_pillow = PIL.__version__
    except ImportError:
        have_pillow = None
    n = n_bad = samples = 0
    differ = {"cjpeg ! djpeg": 0, "Pillow": 0}
    print("TAP version 13")
    with tempfile.TemporaryDirectory() as folder:
        for picture in load():
            for sampling, sample, subsampling in SAMPLINGS:
                lines = []
                for quality in QUALITIES:
                    ours = blockdct(folder, picture, quality, sampling)
                    theirs = {"cjpeg ! djpeg": cjpeg(picture, quality, sample)}
                    if have_pillow and subsampling is not None:
                        theirs["Pillow"] = pillow(picture, quality, subsampling)
                    for who, data in theirs.items():
                        assert len(data) == len(ours)
                        samples += len(ours)
                        bad = sum(a != b for a, b in zip(ours, data)) if ours != data else 0
                        differ[who] += bad
                        if bad:
                            lines.append(f"# {who}, quality {quality}: {bad} of {len(ours)} "
                                         "samples differ")
                n += 1
                n_bad += bool(lines)
                print(f"{'not ok' if lines else 'ok'} {n} - {picture.name} {sampling}")
                print("\n".join(lines), end="\n" if lines else "")
    n += 1
    if have_pillow:
        print(f"ok {n} - Pillow {have_pillow}")
    else:
        print(f"ok {n} - Pillow # SKIP Pillow is missing: install python3-pil")
    print(f"1..{n}")
    print(f"# compared: cjpeg ! djpeg, Pillow: {samples} samples, "
          f"{sum(differ.values())} differ")
    sys.exit(n_bad > 0)


main()
