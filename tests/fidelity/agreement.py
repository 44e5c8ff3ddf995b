#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""agreement.py PICTURE.pgm: which settings make blockdct what other programs
make of a grey picture, and how far they are where none does.

Each program that is installed writes JPEG files; djpeg -dct int, or the program
itself, reads them; the samples are compared with those of blockdct with the
settings beside it. (That libjpeg's, by Pillow, are the same is for
tests/python/test_libjpeg.py.) Prints the table of docs/evidence/fidelity.md. The
module is found as Python finds it (meson devenv). No test: run by hand."""

import io
import math
import os
import shutil
import subprocess
import sys
import tempfile

import blockdct
import numpy as np
from PIL import Image

QUALITIES = (1, 2, 5, 10, 25, 50, 75, 90, 100)


def run(command, data=None):
    return subprocess.run(command, input=data, check=True,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


class Pictures:
    def __init__(self, path, folder):
        self.folder = folder
        with Image.open(path) as picture:
            if picture.mode != "L":
                sys.exit("a grey picture of 8 bits is needed")
            self.width, self.height = picture.size
            self.samples = np.asarray(picture)
            self.samples.tofile(self.path("in.gray"))
            picture.save(self.path("in.pgm"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def gst(self, *elements):
        out = self.path("out.gray")
        run(["gst-launch-1.0", "-q", "filesrc",
             "location=" + self.path("in.gray"), "!", "rawvideoparse",
             "format=gray8", f"width={self.width}", f"height={self.height}",
             "!", *elements, "!", "filesink", "location=" + out])
        return np.fromfile(out, np.uint8)

    def blockdct(self, **settings):
        return blockdct.transform(self.samples, layout="HW", **settings).pictures.ravel()

    def djpeg(self, jpeg):
        return np.asarray(Image.open(io.BytesIO(run(
            ["djpeg", "-dct", "int", "-pnm", "-grayscale"], jpeg)))).ravel()


def compare(name, settings, ours_settings, pairs):
    ours, theirs = (np.concatenate(samples).astype(int) for samples in zip(*pairs))
    apart = abs(ours - theirs)
    psnr = 10 * math.log10(255 ** 2 / np.mean(apart ** 2)) if apart.any() else math.inf
    print(f"| {name} | `{settings}` | `{ours_settings}` | {apart.size:,} | "
          f"{np.count_nonzero(apart):,} | {apart.max()} | {psnr:.2f} |", flush=True)


def imagemagick(p):
    program = "convert-im6.q16"
    name = run([program, "-version"]).decode().split(" ")[1:3]

    for islow in ([], ["-define", "jpeg:dct-method=islow"]):
        options = [*islow, "-quality", "Q"]
        pairs = []
        for q in QUALITIES:
            jpeg = run([program, p.path("in.pgm"), *options[:-1], str(q),
                        "jpeg:-"])
            pairs.append((p.blockdct(quality=q), p.djpeg(jpeg)))
        compare(" ".join(name), " ".join(options), "quality=Q", pairs)


def ffmpeg(p):
    name = " ".join(run(["ffmpeg", "-version"]).decode().split()[:3:2])
    for q in (2, 5, 10, 31):
        jpeg = run(["ffmpeg", "-f", "rawvideo", "-pix_fmt", "gray", "-s",
                    f"{p.width}x{p.height}", "-i", p.path("in.gray"), "-c:v",
                    "mjpeg", "-pix_fmt", "yuvj420p", "-q:v", str(q), "-f",
                    "mjpeg", "-"])
        compare(name + ", mjpeg", f"-q:v {q} > F.jpg",
                "quantization-file=F.jpg",
                [(p.blockdct(tables=blockdct.tables(jpeg).ravel()), p.djpeg(jpeg))])


def jpegenc(p):
    version = run(["gst-launch-1.0", "--version"]).decode().split()[2]
    compare("jpegenc ! jpegdec " + version,
            "quality=Q idct-method=islow, both", "quality=Q",
            [(p.blockdct(quality=q),
              p.gst("jpegenc", f"quality={q}", "idct-method=islow", "!",
                    "jpegdec", "idct-method=islow", "!",
                    "video/x-raw,format=GRAY8")) for q in QUALITIES])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for needed in ("gst-launch-1.0", "djpeg"):
        if not shutil.which(needed):
            sys.exit(f"{needed} is missing")
    print("| program | its settings | blockdct | samples | differ | most | "
          "dB between |\n| --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        p = Pictures(sys.argv[1], folder)
        for part in (imagemagick, ffmpeg, jpegenc):
            try:
                part(p)
            except (OSError, subprocess.CalledProcessError) as error:
                print(f"{part.__name__}: not compared: {error}",
                      file=sys.stderr)


main()
