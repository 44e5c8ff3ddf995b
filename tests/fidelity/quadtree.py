#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""quadtree.py [--levels] CLIP...: hevc-quadtree beside H.265's fixed sizes, and
beside x265 with all frames intra at the same QP; or, with --levels, each of them
with rdoq and with a deadzone of 1/6 beside itself without.

The first frames of each clip go through blockdct, which tells PSNR of all
planes and estimated bits, and through x265 by ffmpeg, whose psnr filter measures
it. Prints the tables of docs/quadtree.md: PSNR and bits of each, the shares of
area by block size, and by Bjontegaard's method what the quadtree gains. The
element is found as gst-launch-1.0 finds it (meson devenv). No test: run by
hand."""

import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

import numpy

FRAMES = 20
QPS = (22, 27, 32, 37, 42)
FIXED = ("hevc-4x4", "hevc-8x8", "hevc-16x16", "hevc-32x32")
TREE = "hevc-quadtree"
SETTINGS = ("rdoq=true", "deadzone=0.16666666666666666")
X265 = "keyint=1:qp={}:ipratio=1:cbqpoffs=0:crqpoffs=0:log-level=none"


def run(command):
    done = subprocess.run(command, check=True, capture_output=True)
    return (done.stdout + done.stderr).decode()


def bd_psnr(reference, test):
    """Bjontegaard's mean gain in dB of (bits, dB) points over others (VCEG-M33,
    with as many points as there are a cubic by least squares)."""
    curves = [([math.log10(bits) for bits, _ in points],
               [db for _, db in points]) for points in (reference, test)]
    low = max(min(x) for x, _ in curves)
    high = min(max(x) for x, _ in curves)
    areas = []
    for x, y in curves:
        whole = numpy.polyint(numpy.polyfit(x, y, 3))
        areas.append(numpy.polyval(whole, high) - numpy.polyval(whole, low))
    return (areas[1] - areas[0]) / (high - low)


def bd_rate(reference, test):
    """The same in percent of bits."""
    curves = [([db for _, db in points],
               [math.log10(bits) for bits, _ in points])
              for points in (reference, test)]
    low = max(min(x) for x, _ in curves)
    high = min(max(x) for x, _ in curves)
    areas = []
    for x, y in curves:
        whole = numpy.polyint(numpy.polyfit(x, y, 3))
        areas.append(numpy.polyval(whole, high) - numpy.polyval(whole, low))
    return 100 * (10 ** ((areas[1] - areas[0]) / (high - low)) - 1)


class Clip:
    def __init__(self, path, folder):
        self.name = os.path.basename(path)
        self.raw = os.path.join(folder, "in")
        self.stream = os.path.join(folder, "out.hevc")
        info = run(["ffprobe", "-v", "error", "-select_streams", "v:0",
                    "-show_entries", "stream=width,height,pix_fmt", "-of",
                    "default=nw=1:nk=1", path]).split()
        self.width, self.height = int(info[0]), int(info[1])
        grey = info[2].startswith("gray")
        self.pixels = "gray" if grey else "yuv420p"
        self.format = "gray8" if grey else "i420"
        run(["ffmpeg", "-y", "-i", path, "-frames:v", str(FRAMES), "-f",
             "rawvideo", "-pix_fmt", self.pixels, self.raw])
        size = self.width * self.height * (2 if grey else 3) // 2
        self.frames = os.path.getsize(self.raw) // size
        self.input = ["-f", "rawvideo", "-pix_fmt", self.pixels, "-s",
                      f"{self.width}x{self.height}", "-i"]

    def x265(self, qp):
        """(bits a frame, dB)"""
        run(["ffmpeg", "-y", *self.input, self.raw, "-c:v", "libx265",
             "-preset", "medium", "-tune", "psnr", "-x265-params",
             X265.format(qp), "-f", "hevc", self.stream])
        text = run(["ffmpeg", "-i", self.stream, *self.input, self.raw,
                    "-lavfi", "psnr", "-f", "null", "-"])
        db = float(re.search(r"average:(\S+)", text).group(1))
        return 8 * os.path.getsize(self.stream) / self.frames, db

    def blockdct(self, transform, qp, *more):
        """(bits a frame, dB), shares of area"""
        text = run(["gst-launch-1.0", "-m", "filesrc", "location=" + self.raw,
                    "!", "rawvideoparse", "format=" + self.format,
                    f"width={self.width}", f"height={self.height}", "!",
                    "blockdct", "backend=cpu", "transform=" + transform,
                    f"qp={qp}", "rate=true", *more, "!", "fakesink"])
        text = [line for line in text.splitlines()
                if "blockdct, type=(string)pooled" in line][-1]
        found = dict(re.findall(r"([a-z0-9-]+)=\(\w+\)([^,;]+)", text))
        return ((float(found["bits-estimated"]) / int(found["frames"]),
                 float(found["psnr"])),
                [float(found.get(f"area-{n}", 0)) for n in (4, 8, 16, 32)])


def compare_levels(paths):
    print("| clip | transform | " + " | ".join(
        f"{setting}: BD-PSNR, dB | BD-rate, %" for setting in SETTINGS)
          + " |\n" + "| --- " * (2 + 2 * len(SETTINGS)) + "|")
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            clip = Clip(path, folder)
            for name in (*FIXED, TREE):
                plain = [clip.blockdct(name, qp)[0] for qp in QPS]
                cells = []
                for setting in SETTINGS:
                    points = [clip.blockdct(name, qp, setting)[0]
                              for qp in QPS]
                    cells += [f"{bd_psnr(plain, points):+.2f}",
                              f"{bd_rate(plain, points):+.1f}"]
                print(f"| {clip.name} | {name} | " + " | ".join(cells) + " |",
                      flush=True)


def main():
    levels = sys.argv[1:2] == ["--levels"]
    if len(sys.argv) < 2 + levels:
        sys.exit(__doc__)
    for needed in ("gst-launch-1.0", "ffmpeg", "ffprobe"):
        if not shutil.which(needed):
            sys.exit(f"{needed} is missing")
    if levels:
        compare_levels(sys.argv[2:])
        return
    gains = []
    print("| clip | QP | " + " | ".join((*FIXED, TREE, "x265 all-intra"))
          + " | area of 4, 8, 16, 32, % |")
    print("| --- " * (len(FIXED) + 5) + "|")
    with tempfile.TemporaryDirectory() as folder:
        for path in sys.argv[1:]:
            clip = Clip(path, folder)
            points = {name: [] for name in (*FIXED, TREE, "x265")}
            for qp in QPS:
                for name in (*FIXED, TREE):
                    point, areas = clip.blockdct(name, qp)
                    points[name].append(point)
                points["x265"].append(clip.x265(qp))
                cells = [f"{found[-1][1]:.2f} dB, {found[-1][0] / 1000:.1f}"
                         for found in points.values()]
                areas = ", ".join(f"{100 * a:.0f}" for a in areas)
                print(f"| {clip.name} | {qp} | " + " | ".join(cells)
                      + f" | {areas} |", flush=True)
            for name in (*FIXED, "x265"):
                gains.append((clip.name, name,
                              bd_psnr(points[name], points[TREE]),
                              bd_rate(points[name], points[TREE])))
    print("\n| clip | against | BD-PSNR, dB | BD-rate, % |\n"
          "| --- | --- | --- | --- |")
    for clip, name, gain, rate in gains:
        print(f"| {clip} | {name} | {gain:+.2f} | {rate:+.1f} |")


main()
