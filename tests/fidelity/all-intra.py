#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""all-intra.py CLIP...: how far blockdct's hevc-* are from x265 with all frames
intra at the same QP.

The first frames of each clip go through x265 (keyint=1, tune=psnr, the QP of
every frame the one given; once with its loop filters and once without) and
through blockdct; ffmpeg's psnr filter measures both. Prints the tables of
docs/fidelity.md: x265's PSNR, and of the others how much it is above that, in dB.
The element is found as gst-launch-1.0 finds it (meson devenv). No test: run by
hand."""

import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

FRAMES = 20
QPS = (22, 27, 32, 37, 42)
TRANSFORMS = ("hevc-dst-4x4", "hevc-4x4", "hevc-8x8", "hevc-16x16", "hevc-32x32")
X265 = "keyint=1:qp={}:ipratio=1:cbqpoffs=0:crqpoffs=0:log-level=none"
NO_FILTERS = ":deblock=0:sao=0"


def run(command):
    done = subprocess.run(command, check=True, capture_output=True)
    return done.stdout + done.stderr


class Clip:
    def __init__(self, path, folder):
        self.name = os.path.basename(path)
        self.raw = os.path.join(folder, "in")
        self.out = os.path.join(folder, "out")
        self.stream = os.path.join(folder, "out.hevc")
        run(["ffmpeg", "-y", "-i", path, "-frames:v", str(FRAMES), "-f",
             "rawvideo", "-pix_fmt", "yuv420p", self.raw])
        info = run(["ffprobe", "-v", "error", "-select_streams", "v:0",
                    "-show_entries", "stream=width,height,pix_fmt", "-of",
                    "default=nw=1:nk=1", path]).decode().split()
        self.width, self.height = int(info[0]), int(info[1])
        self.grey = info[2].startswith("gray")
        self.input = ["-f", "rawvideo", "-pix_fmt", "yuv420p", "-s",
                      f"{self.width}x{self.height}", "-i"]

    def measure(self, what):
        """PSNR of Y, and of U and V together, of the whole clip."""
        text = run(["ffmpeg", *what, *self.input, self.raw, "-lavfi", "psnr",
                    "-f", "null", "-"]).decode()
        found = re.search(r"PSNR y:(\S+) u:(\S+) v:(\S+)", text)
        y, u, v = (float(db) for db in found.groups())
        mse = (10 ** (-u / 10) + 10 ** (-v / 10)) / 2
        return y, -10 * math.log10(mse) if mse > 0 else math.inf

    def x265(self, options):
        run(["ffmpeg", "-y", *self.input, self.raw, "-c:v", "libx265",
             "-preset", "medium", "-tune", "psnr", "-x265-params", options,
             "-f", "hevc", self.stream])
        return self.measure(["-i", self.stream])

    def blockdct(self, transform, qp):
        run(["gst-launch-1.0", "-q", "filesrc", "location=" + self.raw, "!",
             "rawvideoparse", "format=i420", f"width={self.width}",
             f"height={self.height}", "!", "blockdct", "backend=cpu",
             "transform=" + transform, f"qp={qp}", "!", "filesink",
             "location=" + self.out])
        return self.measure([*self.input, self.out])


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for needed in ("gst-launch-1.0", "ffmpeg", "ffprobe"):
        if not shutil.which(needed):
            sys.exit(f"{needed} is missing")
    columns = ["x265, dB", "x265 without filters", *TRANSFORMS]
    print("| clip | | QP | " + " | ".join(columns) + " |")
    print("| --- " * (3 + len(columns)) + "|")
    with tempfile.TemporaryDirectory() as folder:
        for path in sys.argv[1:]:
            clip = Clip(path, folder)
            rows = []
            for qp in QPS:
                figures = [clip.x265(X265.format(qp)),
                           clip.x265(X265.format(qp) + NO_FILTERS)]
                figures += [clip.blockdct(t, qp) for t in TRANSFORMS]
                rows.append((qp, figures))
            for part, name in enumerate(("Y",) if clip.grey else ("Y", "U, V")):
                for qp, figures in rows:
                    first = figures[0][part]
                    cells = [f"{first:.2f}"]
                    cells += [f"{f[part] - first:+.2f}" for f in figures[1:]]
                    print(f"| {clip.name} | {name} | {qp} | " + " | ".join(cells)
                          + " |", flush=True)


main()
