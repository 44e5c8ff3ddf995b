#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""tables.py PROGRAM [--no-element] [--record NAME...]

What blockdct-measure says of 20 files: recorded/ has its tables, each below the command
that makes it and its exit status. They are compared cell by cell: numbers as numbers, whole
ones and text exactly; columns that the recorded tables lack are allowed. --record writes
tables anew; a new one is a file with the command alone. Speaks TAP.

The files are made here, but for the JPEG files; ten-bit.mov needs GStreamer's qtmux."""

import json
import math
import os
import re
import shlex
import shutil
import struct
import sys
import tempfile
import zlib

from program import launch, rows_of, run_here, skip_without, write
from tap import case, run_cases

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDED = os.path.join(HERE, "recorded")
SAME = 1e-12  # of two real numbers, for log10() of another C library


def wave(n, period):
    """A triangle from 0 to 255."""
    return abs(n * 510 // period % 510 - 255)


def sample(x, y, c=0, t=0):
    """Slopes and edges that move, and some noise, all of whole numbers."""
    slopes = (wave(3 * x + 2 * y + 40 * c + 5 * t, 97) + wave(y * y - 2 * x * t, 173)) // 2
    noise = (x * 7919 + y * 104729 + c * 31337 + t * 611953) * 2654435761 % 2 ** 32 >> 28
    return min(255, slopes * 7 // 8 + noise + (60 if (x + 2 * t) // 13 % 3 == y // 11 % 3 else 0)
               * (c == 0))


def plane(width, height, c=0, t=0):
    return bytes(sample(x, y, c, t) for y in range(height) for x in range(width))


def rgb(width, height):
    return bytes(sample(x, y, c) for y in range(height) for x in range(width) for c in range(3))


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, samples):
    row = len(samples) // height
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(
        ">IIBBBBB", width, height, 8, 2 if row > width else 0, 0, 0, 0)) + chunk(
        b"IDAT", zlib.compress(b"".join(
            b"\0" + samples[i:i + row] for i in range(0, len(samples), row)))) \
        + chunk(b"IEND", b"")


def pnm(kind, width, height, samples):
    return b"P%d %d %d 255\n" % (kind, width, height) + samples


def y4m(name, width, height, frames, across, down, first=0):
    """Chroma has one sample for `across` of luma, and `down`."""
    chroma = -(-width // across), -(-height // down)
    return b"YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C%s\n" % (width, height, name) + b"".join(
        b"FRAME\n" + plane(width, height, 0, t) + plane(*chroma, 1, t) + plane(*chroma, 2, t)
        for t in range(first, first + frames))


def v210(width, height, t):
    """4:2:2 of 10 bits, six luma samples in 16 bytes; the width is divisible by 48."""
    def ten(x, y, c):
        return 4 * sample(x, y, c, t) + (x * 5 + y * 3 + c) % 4
    words = []
    for y in range(height):
        row = [s for x in range(0, width, 2) for s in
               (ten(x // 2, y, 1), ten(x, y, 0), ten(x // 2, y, 2), ten(x + 1, y, 0))]
        words += [a | b << 10 | c << 20 for a, b, c in zip(row[::3], row[1::3], row[2::3])]
    return struct.pack(f"<{len(words)}I", *words)


def make_files():
    os.mkdir("files")
    for name in os.listdir(RECORDED):
        if name.endswith(".jpg"):
            shutil.copy(os.path.join(RECORDED, name), "files")
    made = {
        "a, \"b\".png": png(33, 17, rgb(33, 17)),
        "edges.png": png(72, 56, bytes(255 * (s > 128) for s in plane(72, 56))),
        "flat.png": png(32, 24, b"\x55" * 32 * 24),
        "grey.pgm": pnm(5, 97, 65, plane(97, 65)),
        "grey.png": png(40, 40, plane(40, 40)),
        "noise.pgm": pnm(5, 48, 41, bytes(s * 37 % 251 for s in plane(48, 41))),
        "one.png": png(1, 1, b"\x20\x90\xe0"),
        "rgb.png": png(67, 51, rgb(67, 51)),
        "rgb.ppm": pnm(6, 64, 48, rgb(64, 48)),
        "420.y4m": y4m(b"420jpeg", 96, 64, 8, 2, 2),
        "422.y4m": y4m(b"422", 48, 32, 4, 2, 1),
        "444.y4m": y4m(b"444", 40, 40, 4, 1, 1),
        "large.y4m": y4m(b"420jpeg", 208, 184, 2, 2, 2, 5),
        "odd.y4m": y4m(b"420jpeg", 35, 27, 5, 2, 2, 3),
    }
    for name, data in made.items():
        write(os.path.join("files", name), data)
    write("raw", b"".join(v210(48, 32, t) for t in range(3)))
    launch("filesrc location=raw ! rawvideoparse format=v210 width=48 height=32 ! qtmux !",
           "filesink location=files/ten-bit.mov")
    assert len(os.listdir("files")) == 20
    for name in TABLES:  # what --merge reads is what was recorded
        write(name, recorded(name)[2])


def recorded(name):
    """The command, its status, and what it writes."""
    with open(os.path.join(RECORDED, name), encoding="utf-8", newline="") as file:
        command, _, rest = file.read().partition("\n")
    status, _, rest = rest.partition("\n")
    assert command.startswith("$ blockdct-measure "), f"{name}: the first line is no command"
    return command[2:], int(status.replace("status ", "") or 0), rest


def run(command):
    what, *rest = shlex.split(command)[1:]
    return run_here(what, *([] if what == "origin" else ["--quiet"]), *rest)


def cells(name, text):
    """Rows as {column: text}; of text for people, each word is a cell."""
    if name.endswith(".csv"):
        return rows_of(text)
    if name.endswith(".json"):
        return [{key: value if isinstance(value, str) else json.dumps(value)
                 for key, value in json.loads(line).items()} for line in text.splitlines()]
    return [dict(enumerate(line.split(), 1)) for line in text.splitlines()]


def is_same(a, b):
    if a == b or a is None or b is None:
        return a == b
    try:
        # A whole number is exact.
        return not (re.fullmatch(r"-?\d+", a) and re.fullmatch(r"-?\d+", b)) \
            and math.isclose(float(a), float(b), rel_tol=SAME)
    except ValueError:
        return False


def differences(name, old, new):
    if len(old) != len(new):
        yield f"{len(new)} rows, not {len(old)}"
    for number, (a, b) in enumerate(zip(old, new), 1):
        for column, value in a.items():
            if not is_same(value, b.get(column)):
                yield f"row {number} ({a.get('file', '')} {a.get('transform', '')}): " \
                    f"{column} is {b.get(column)}, not {value}"


def add_case(name):
    def check():
        command, status, wanted = recorded(name)
        done = run(command)
        assert done.returncode == status, f"status {done.returncode}: {done.stderr}"
        found = list(differences(name, cells(name, wanted), cells(name, done.stdout)))
        assert not found, "\n".join(found)
    check.__name__ = name
    case(check)


def record(names):
    make_files()
    for name in names:
        command, done = recorded(name)[0], run(recorded(name)[0])
        write(os.path.join(RECORDED, name),
              f"$ {command}\nstatus {done.returncode}\n{done.stdout}")
        write(name, done.stdout)
        print(f"{name}: {len(done.stdout)} bytes, status {done.returncode} {done.stderr}")


TABLES = sorted((n for n in os.listdir(RECORDED) if not n.endswith(".jpg")),
                key=lambda n: ("--merge" in recorded(n)[0], n))
if "--record" in sys.argv:
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        record(sys.argv[sys.argv.index("--record") + 1:])
        os.chdir("/")
elif not skip_without({
        "pnmdec": "gstreamer1.0-plugins-bad", "y4mdec": "gstreamer1.0-plugins-bad",
        "rawvideoparse": "gstreamer1.0-plugins-bad", "qtmux": "gstreamer1.0-plugins-good",
        "pngdec": "gstreamer1.0-plugins-good", "jpegenc": "gstreamer1.0-plugins-good"}):
    for table in TABLES:
        add_case(table)
    run_cases(make_files)
