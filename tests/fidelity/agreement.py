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
import subprocess
import sys

import blockdct
import numpy as np
from PIL import Image

QUALITIES = (1, 2, 5, 10, 25, 50, 75, 90, 100)


def run(command, data=None):
    return subprocess.run(command, input=data, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def ours(samples, **settings):
    return blockdct.transform(samples, layout="HW", **settings).pictures.ravel()


def djpeg(jpeg):
    return np.asarray(Image.open(io.BytesIO(run(
        ["djpeg", "-dct", "int", "-pnm", "-grayscale"], jpeg)))).ravel()


def imagemagick(samples):
    program = "convert-im6.q16"
    name = " ".join(run([program, "-version"]).decode().split(" ")[1:3])
    picture = b"P5 %d %d 255\n" % samples.shape[::-1] + samples.tobytes()
    for islow in ([], ["-define", "jpeg:dct-method=islow"]):
        yield name, " ".join([*islow, "-quality Q"]), "quality=Q", [
            (ours(samples, quality=q), djpeg(run(
                [program, "-", *islow, "-quality", str(q), "jpeg:-"], picture)))
            for q in QUALITIES]


def ffmpeg(samples):
    name = " ".join(run(["ffmpeg", "-version"]).decode().split()[:3:2])
    for q in (2, 5, 10, 31):
        jpeg = run(["ffmpeg", "-f", "rawvideo", "-pix_fmt", "gray", "-s",
                    f"{samples.shape[1]}x{samples.shape[0]}", "-i", "-", "-c:v", "mjpeg",
                    "-pix_fmt", "yuvj420p", "-q:v", str(q), "-f", "mjpeg", "-"], samples.tobytes())
        yield name + ", mjpeg", f"-q:v {q} > F.jpg", "quantization-file=F.jpg", [
            (ours(samples, tables=blockdct.tables(jpeg).ravel()), djpeg(jpeg))]


def jpegenc(samples):
    version = run(["gst-launch-1.0", "--version"]).decode().split()[2]
    yield ("jpegenc ! jpegdec " + version, "quality=Q idct-method=islow, both", "quality=Q", [
        (ours(samples, quality=q), np.frombuffer(run(
            ["gst-launch-1.0", "-q", "fdsrc", "!", "rawvideoparse", "format=gray8",
             f"height={samples.shape[0]}", f"width={samples.shape[1]}", "!",
             "jpegenc", f"quality={q}", "idct-method=islow", "!", "jpegdec",
             "idct-method=islow", "!", "video/x-raw,format=GRAY8", "!", "fdsink"],
            samples.tobytes()), np.uint8)) for q in QUALITIES])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with Image.open(sys.argv[1]) as picture:
        if picture.mode != "L":
            sys.exit("a grey picture of 8 bits is needed")
        samples = np.asarray(picture)
    print("| program | its settings | blockdct | samples | differ | most | "
          "dB between |\n| --- | --- | --- | --- | --- | --- | --- |")
    for part in (imagemagick, ffmpeg, jpegenc):
        try:
            for name, settings, own_settings, pairs in part(samples):
                own, theirs = (np.concatenate(made).astype(int) for made in zip(*pairs))
                apart = abs(own - theirs)
                psnr = (10 * math.log10(255 ** 2 / np.mean(apart ** 2)) if apart.any()
                        else math.inf)
                print(f"| {name} | `{settings}` | `{own_settings}` | {apart.size:,} | "
                      f"{np.count_nonzero(apart):,} | {apart.max()} | {psnr:.2f} |", flush=True)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"{part.__name__}: not compared: {error}", file=sys.stderr)


main()
