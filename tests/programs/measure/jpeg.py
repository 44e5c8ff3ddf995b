#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""jpeg.py PROGRAM

blockdct-measure's JPEG files: --write-jpeg against cjpeg's bytes, origin and the note of
lossy pictures against how they were made. Speaks TAP."""

import random
import shutil
import subprocess

from program import LIMIT, read, run, table, write
from tap import case, run_cases

WIDTH, HEIGHT = 240, 200


def with_program(*command, data=None):
    return subprocess.run(command, input=data, capture_output=True, timeout=LIMIT,
                          check=True).stdout


def write_ppm(name, pixels):
    write(name, b"P6 %d %d 255\n" % (WIDTH, HEIGHT) + bytes(pixels))


def make_files():
    rng = random.Random(1)
    slopes = [[(x * (c + 1) + y * (3 - c)) % 97 + (x // 37 + y // 29) % 2 * 30
               for c in range(3)] for y in range(HEIGHT) for x in range(WIDTH)]
    write_ppm("a.ppm", [60 + v + rng.randrange(8) for pixel in slopes for v in pixel])
    write("b.jpg", with_program("cjpeg", "-quality", "70", "a.ppm"))
    write("b.ppm", with_program("djpeg", "b.jpg"))


@case
def the_file():
    for quality in 10, 90:
        for subsampling, sample in {"4:2:0": "2x2", "4:2:2": "2x1", "4:4:4": "1x1"}.items():
            run("a.ppm", "-q", str(quality), "--chroma-subsampling", subsampling,
                "--write-jpeg", "out.jpg")
            assert read("out.jpg") == with_program(
                "cjpeg", "-baseline", "-quality", str(quality), "-sample", sample, "a.ppm")
            row, = table("a.ppm", "-q", str(quality), "--chroma-subsampling", subsampling,
                         "--exact-size")
            assert (int(row["file-size"]), row["file-size-exact"]) == (
                len(read("out.jpg")), "true")
    for quality, same in (24, True), (23, False):
        run("a.ppm", "-q", str(quality), "--write-jpeg", "out.jpg")
        assert (read("out.jpg") == with_program("cjpeg", "-quality", str(quality),
                                                "a.ppm")) == same
    run("a.ppm", "--target-size", "9000", "--write-jpeg", "out.jpg")
    assert 8000 < len(read("out.jpg")) <= 9000


@case
def origin():
    out, _ = run("origin", "a.ppm", "b.ppm", "b.jpg")
    assert out.splitlines()[1:] == [
        "b.ppm: decoded from a JPEG file, annex-k quality 70, 4:2:0",
        "b.jpg: a JPEG file, annex-k quality 70"], out
    assert "already lossy" not in run("a.ppm")[1]
    app = b"\xff\xe1\xff\xffhttp://ns.adobe.com/xmp/extension/\0" + bytes(65498)
    write("xmp.jpg", read("b.jpg")[:2] + 20 * app + read("b.jpg")[2:])
    assert run("origin", "xmp.jpg")[0] == "xmp.jpg: a JPEG file, annex-k quality 70\n"
    for name in "b.ppm", "b.jpg":
        assert f"{name} is already lossy" in run(name)[1]


@case
def errors():
    for words, *arguments in (("one quality", "-q", "50,60", "--write-jpeg", "out.jpg"),
                              ("No such file", "--write-jpeg", "none/out.jpg"),
                              ("--write-jpeg", "--write-jpeg", "x.jpg", "-t", "hevc-4x4")):
        assert words in run("a.ppm", *arguments, status=2)[1], arguments
    assert "no such file" in run("origin", "none.ppm", status=2)[1]


if not shutil.which("cjpeg"):
    print("1..0 # SKIP cjpeg is missing: install libjpeg-turbo-progs")
else:
    run_cases(make_files)
