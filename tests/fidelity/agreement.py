#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""agreement.py PICTURE.pgm: which settings make blockdct what other programs
make of a grey picture, and how far they are where none does.

Each program that is installed writes JPEG files; djpeg -dct int, or the program
itself, reads them; the samples are compared with those of blockdct with the
settings beside it. Prints the table of docs/evidence/fidelity.md. The element is found
as gst-launch-1.0 finds it (meson devenv). No test: run by hand."""

import io
import math
import os
import shutil
import subprocess
import sys
import tempfile

QUALITIES = (1, 2, 5, 10, 25, 50, 75, 90, 100)
TABLE = [1 + (i // 8 + i % 8) * 9 for i in range(64)]


def run(command, data=None):
    return subprocess.run(command, input=data, check=True,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def read_pgm(data):
    """The width, the height and the samples."""
    words, at = [], 0
    while len(words) < 4:
        while data[at:at + 1].isspace():
            at += 1
        if data[at:at + 1] == b"#":
            at = data.index(b"\n", at)
            continue
        end = at
        while not data[end:end + 1].isspace():
            end += 1
        words.append(data[at:end])
        at = end
    if words[0] != b"P5" or int(words[3]) != 255:
        sys.exit("a PGM of 8 bits is needed")
    width, height = int(words[1]), int(words[2])
    return width, height, data[at + 1:at + 1 + width * height]


class Pictures:
    def __init__(self, path, folder):
        with open(path, "rb") as file:
            self.width, self.height, self.samples = read_pgm(file.read())
        self.folder = folder
        self.pgm = b"P5\n%d %d\n255\n" % (self.width, self.height)
        self.pgm += self.samples
        self.save("in.gray", self.samples)
        self.save("in.pgm", self.pgm)

    def path(self, name):
        return os.path.join(self.folder, name)

    def save(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def gst(self, *elements):
        out = self.path("out.gray")
        run(["gst-launch-1.0", "-q", "filesrc",
             "location=" + self.path("in.gray"), "!", "rawvideoparse",
             "format=gray8", f"width={self.width}", f"height={self.height}",
             "!", *elements, "!", "filesink", "location=" + out])
        with open(out, "rb") as file:
            return file.read()

    def blockdct(self, *settings):
        return self.gst("blockdct", "backend=cpu", *settings)

    def djpeg(self, jpeg):
        return read_pgm(run(["djpeg", "-dct", "int", "-pnm"], jpeg))[2]


def compare(name, settings, ours_settings, pairs):
    n = differ = worst = sse = 0
    for ours, theirs in pairs:
        assert len(ours) == len(theirs)
        n += len(ours)
        for a, b in zip(ours, theirs):
            if a != b:
                differ += 1
                worst = max(worst, abs(a - b))
                sse += (a - b) ** 2
    psnr = 10 * math.log10(255 ** 2 * n / sse) if sse else math.inf
    print(f"| {name} | `{settings}` | `{ours_settings}` | {n:,} | "
          f"{differ:,} | {worst} | {psnr:.2f} |", flush=True)


def tables_of(path):
    return "quantization-tables=file", "quantization-file=" + path


def cjpeg(p):
    version = subprocess.run(["cjpeg", "-version"], capture_output=True,
                             text=True, check=False)
    name = "cjpeg, " + (version.stderr + version.stdout).split(" (")[0]

    def make(*options):
        return p.djpeg(run(["cjpeg", "-dct", "int", *options], p.pgm))

    compare(name, "-baseline -quality Q", "quality=Q",
            [(p.blockdct(f"quality={q}"), make("-baseline", "-quality", str(q)))
             for q in QUALITIES])
    compare(name, "-quality Q", "quality=Q baseline=false",
            [(p.blockdct(f"quality={q}", "baseline=false"),
              make("-quality", str(q))) for q in QUALITIES])
    text = p.save("tables.txt", b"# own\n%s\n" % " ".join(
        map(str, TABLE)).encode())
    own = tables_of(text)
    compare(name, "-qtables FILE", "quantization-file=FILE",
            [(p.blockdct(*own), make("-qtables", text))])
    compare(name, "-quality Q -qtables FILE", "quantization-file=FILE "
            "quantization-scale=true quality=Q baseline=false",
            [(p.blockdct(*own, "quantization-scale=true", f"quality={q}",
                         "baseline=false"),
              make("-quality", str(q), "-qtables", text)) for q in QUALITIES])
    made = p.save("made.jpg", run(["cjpeg", "-quality", "33", "-qtables", text],
                                  p.pgm))
    compare(name, "-quality 33 -qtables FILE > F.jpg",
            "quantization-file=F.jpg",
            [(p.blockdct(*tables_of(made)),
              make("-quality", "33", "-qtables", text))])


def pillow(p):
    from PIL import Image, __version__
    image = Image.frombytes("L", (p.width, p.height), p.samples)

    def make(**options):
        file = io.BytesIO()
        image.save(file, "JPEG", **options)
        return Image.open(io.BytesIO(file.getvalue())).tobytes()

    name = "Pillow " + __version__
    compare(name, "quality=Q", "quality=Q",
            [(p.blockdct(f"quality={q}"), make(quality=q)) for q in QUALITIES])
    text = p.save("tables.txt", " ".join(map(str, TABLE)).encode())
    compare(name, "qtables=[TABLE]", "quantization-file=FILE",
            [(p.blockdct(*tables_of(text)), make(qtables=[TABLE]))])


def imagemagick(p):
    program = "convert-im6.q16"
    name = run([program, "-version"]).decode().split(" ")[1:3]

    for islow in ([], ["-define", "jpeg:dct-method=islow"]):
        options = [*islow, "-quality", "Q"]
        pairs = []
        for q in QUALITIES:
            jpeg = run([program, p.path("in.pgm"), *options[:-1], str(q),
                        "jpeg:-"])
            pairs.append((p.blockdct(f"quality={q}"), p.djpeg(jpeg)))
        compare(" ".join(name), " ".join(options), "quality=Q", pairs)


def ffmpeg(p):
    name = " ".join(run(["ffmpeg", "-version"]).decode().split()[:3:2])
    for q in (2, 5, 10, 31):
        jpeg = run(["ffmpeg", "-f", "rawvideo", "-pix_fmt", "gray", "-s",
                    f"{p.width}x{p.height}", "-i", p.path("in.gray"), "-c:v",
                    "mjpeg", "-pix_fmt", "yuvj420p", "-q:v", str(q), "-f",
                    "mjpeg", "-"])
        made = p.save("ffmpeg.jpg", jpeg)
        theirs = read_pgm(run(["djpeg", "-dct", "int", "-pnm", "-grayscale"],
                              jpeg))[2]
        compare(name + ", mjpeg", f"-q:v {q} > F.jpg",
                "quantization-file=F.jpg",
                [(p.blockdct(*tables_of(made)), theirs)])


def jpegenc(p):
    version = run(["gst-launch-1.0", "--version"]).decode().split()[2]
    compare("jpegenc ! jpegdec " + version,
            "quality=Q idct-method=islow, both", "quality=Q",
            [(p.blockdct(f"quality={q}"),
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
        for part in (cjpeg, pillow, imagemagick, ffmpeg, jpegenc):
            try:
                part(p)
            except (ImportError, OSError,
                    subprocess.CalledProcessError) as error:
                print(f"{part.__name__}: not compared: {error}",
                      file=sys.stderr)


main()
