#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""blockdct's figures against ffmpeg's psnr filter and against numpy.

For every format and depth, at an even and an odd size, the element's input and
output are dumped and measured again: by numpy to the last bit of a double but
a few, by ffmpeg to every digit it prints, for each plane and all together, for
each frame and for the whole stream. Speaks TAP."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("1..0 # SKIP numpy is missing: install python3-numpy")
    sys.exit(0)

if not shutil.which("gst-launch-1.0"):
    print("1..0 # SKIP gst-launch-1.0 is missing: install gstreamer1.0-tools")
    sys.exit(0)

FRAMES = 3
BACKEND = os.environ.get("BLOCKDCT_TEST_BACKEND", "auto")

# name: (log2 horizontal, log2 vertical subsampling, or None for grey; kind of
# chroma storage; bytes a sample; depth; unused low bits)
FORMATS = {
    "GRAY8": (None, "y", 1, 8, 0),
    "I420": ((1, 1), "uv", 1, 8, 0),
    "YV12": ((1, 1), "vu", 1, 8, 0),
    "NV12": ((1, 1), "uvuv", 1, 8, 0),
    "NV21": ((1, 1), "vuvu", 1, 8, 0),
    "Y42B": ((1, 0), "uv", 1, 8, 0),
    "NV16": ((1, 0), "uvuv", 1, 8, 0),
    "Y444": ((0, 0), "uv", 1, 8, 0),
    "I420_10LE": ((1, 1), "uv", 2, 10, 0),
    "I422_10LE": ((1, 0), "uv", 2, 10, 0),
    "Y444_10LE": ((0, 0), "uv", 2, 10, 0),
    "P010_10LE": ((1, 1), "uvuv", 2, 10, 6),
    "I420_12LE": ((1, 1), "uv", 2, 12, 0),
    "I422_12LE": ((1, 0), "uv", 2, 12, 0),
    "Y444_12LE": ((0, 0), "uv", 2, 12, 0),
    "P012_LE": ((1, 1), "uvuv", 2, 12, 4),
}
TRANSFORMS = ["jpeg-8x8", "dct-8x8", "hevc-dst-4x4", "hevc-8x8", "hevc-32x32",
              "h264-8x8", "vvc-64x64"]


def up(value, multiple):
    return -(-value // multiple) * multiple


class Layout:
    """Where GStreamer's default layout has each component of a frame."""

    def __init__(self, name, width, height):
        sub, self.order, self.bytes, self.depth, self.shift = FORMATS[name]
        sub_w, sub_h = sub or (0, 0)
        stride = up(width * self.bytes, 4)
        # GStreamer rounds the rows of planar 4:2:2 up above 8 bits alone.
        rows = up(height, 2) if sub_h or (sub_w and self.bytes == 2) else height
        # component: (offset, stride, width, height, samples from one to the next)
        self.y = (0, stride, width, height, 1)
        self.sampling = {None: "400", (1, 1): "420", (1, 0): "422", (0, 0): "444"}[sub]
        self.size = stride * rows
        self.chroma = {}
        c_width, c_height = (width + sub_w) >> sub_w, (height + sub_h) >> sub_h
        c_rows = rows >> sub_h
        if len(self.order) == 4:
            for i, c in enumerate(self.order[:2]):
                self.chroma[c] = (self.size + i * self.bytes, stride, c_width, c_height, 2)
            self.size += stride * c_rows
        elif sub is not None:
            if sub_w and not sub_h and self.bytes == 1:
                c_stride = up(width, 8) // 2
            else:
                c_stride = up(up(width, 1 << sub_w) // (1 << sub_w) * self.bytes, 4)
            for c in self.order:
                self.chroma[c] = (self.size, c_stride, c_width, c_height, 1)
                self.size += c_stride * c_rows
        self.components = {"y": self.y, **{c: self.chroma[c] for c in "uv" if c in self.chroma}}

    def plane(self, frame, c):
        """A view of one component's words."""
        offset, stride, width, height, step = self.components[c]
        dtype = np.uint8 if self.bytes == 1 else np.dtype("<u2")
        return np.ndarray((height, width), dtype, frame, offset, (stride, step * self.bytes))

    def read(self, frame, c):
        return self.plane(frame, c).astype(np.int64) >> self.shift

    def planar(self, data):
        """The frames as ffmpeg reads them: planar, without padding."""
        out = []
        for f in range(FRAMES):
            frame = data[f * self.size:(f + 1) * self.size]
            for c in self.components:
                out.append(self.read(frame, c).astype("u1" if self.bytes == 1 else "<u2").tobytes())
        return b"".join(out)

    def pix_fmt(self):
        if self.sampling == "400":
            return "gray"
        return f"yuv{self.sampling}p" + ("" if self.depth == 8 else f"{self.depth}le")


def make_input(layout, seed):
    """Smooth content with noise, flat parts and extremes."""
    rng = np.random.default_rng(seed)
    data = bytearray(layout.size * FRAMES)
    peak = (1 << layout.depth) - 1
    for f in range(FRAMES):
        frame = memoryview(data)[f * layout.size:(f + 1) * layout.size]
        for c in layout.components:
            plane = layout.plane(frame, c)
            y, x = np.mgrid[0:plane.shape[0], 0:plane.shape[1]]
            value = peak * (0.5 + 0.4 * np.sin(x * 0.11 + f) * np.cos(y * 0.07))
            value = value + rng.normal(0, peak * 0.04, plane.shape)
            value[: plane.shape[0] // 4] = peak if f == 1 else 0
            plane[:] = (np.clip(np.rint(value), 0, peak).astype(np.int64) << layout.shift)
    return bytes(data)


def run_element(work, name, width, height, properties, rate=10):
    """Returns the fields of each message, the last one the pooled one."""
    out = subprocess.run(
        ["gst-launch-1.0", "-m", "filesrc", f"location={work}/in",
         f"blocksize={os.path.getsize(f'{work}/in') // FRAMES}", "!",
         f"video/x-raw,format={name},width={width},height={height},framerate={rate}/1", "!",
         "blockdct",
         f"backend={BACKEND}", *properties, "!", "video/x-raw", "!", "filesink",
         f"location={work}/out"],
        capture_output=True, text=True, check=False, timeout=120)
    lines = [l for l in out.stdout.splitlines() if "blockdct, " in l]
    if out.returncode != 0 or len(lines) != FRAMES + 1:
        raise RuntimeError(f"{name}: {len(lines)} messages; {out.stdout[-500:]}{out.stderr[-500:]}")
    return [dict(re.findall(r"([a-z-]+)=\(double\)([-+.e0-9]+|inf)", l)) for l in lines]


def write_planar(work, layout):
    """What the element took and gave, as ffmpeg reads it."""
    for side in ("in", "out"):
        with open(f"{work}/{side}", "rb") as f:
            planar = layout.planar(f.read())
        with open(f"{work}/{side}.planar", "wb") as f:
            f.write(planar)


def ffmpeg_psnr(work, layout, width, height):
    """Per frame: the stats file's fields; then the summary's."""
    write_planar(work, layout)
    raw = ["-f", "rawvideo", "-pix_fmt", layout.pix_fmt(), "-s", f"{width}x{height}", "-i"]
    out = subprocess.run(
        ["ffmpeg", "-hide_banner", "-nostdin", *raw, f"{work}/in.planar", *raw,
         f"{work}/out.planar", "-lavfi", f"psnr=stats_file={work}/stats", "-f", "null", "-"],
        capture_output=True, text=True, check=True, timeout=120)
    with open(f"{work}/stats", encoding="ascii") as f:
        frames = [dict(p.split(":") for p in line.split()) for line in f]
    summary = out.stderr[out.stderr.rindex("PSNR "):].splitlines()[0]
    return frames, dict(p.split(":") for p in summary.split()[1:])


def numpy_figures(layout, a, b, frames):
    """psnr-y, ..., psnr and mse-y, ..., mse over some frames."""
    peak = (1 << layout.depth) - 1
    figures, sse_all, n_all = {}, 0, 0
    for c in layout.components:
        sse = n = 0
        for f in frames:
            part = slice(f * layout.size, (f + 1) * layout.size)
            d = layout.read(a[part], c) - layout.read(b[part], c)
            sse += int((d * d).sum())
            n += d.size
        figures[f"mse-{c}"] = sse / n
        sse_all += sse
        n_all += n
    figures["mse"] = sse_all / n_all
    for key, mse in list(figures.items()):
        figures[key.replace("mse", "psnr")] = \
            10 * np.log10(peak * peak / mse) if mse else float("inf")
    return figures


def compare_numpy(layout, messages, a, b):
    """Returns what differs, and how many figures were compared."""
    problems, count = [], 0
    for i, message in enumerate(messages):
        expected = numpy_figures(layout, a, b, [i] if i < FRAMES else range(FRAMES))
        for key, value in expected.items():
            count += 1
            got = float(message[key])
            if not (got == value or abs(got - value) <= 1e-12 * abs(value)):
                problems.append(f"frame {i} {key}: {got!r}, numpy {value!r}")
    return problems, count


def compare_ffmpeg(layout, messages, frames, summary):
    """The same, to every digit that ffmpeg prints."""
    problems, count = [], 0
    for i, stats in enumerate(frames):
        for c in list(layout.components) + ["avg"]:
            for kind in ("mse", "psnr"):
                count += 1
                key = kind if c == "avg" else f"{kind}-{c}"
                got = f"{float(messages[i][key]):.2f}"
                if got != stats[f"{kind}_{c}"]:
                    problems.append(f"frame {i} {key}: {got}, ffmpeg {stats[f'{kind}_{c}']}")
    keys = {"average": "psnr", "min": "psnr-min", "max": "psnr-max",
            **{c: f"psnr-{c}" for c in layout.components}}
    for theirs, ours in keys.items():
        count += 1
        got = f"{float(messages[-1][ours]):.6f}"
        if got != summary[theirs]:
            problems.append(f"pooled {ours}: {got}, ffmpeg {summary[theirs]}")
    return problems, count


def main():
    have_ffmpeg = shutil.which("ffmpeg")
    cases = [(name, size, TRANSFORMS[(i + j) % len(TRANSFORMS)])
             for i, name in enumerate(FORMATS)
             for j, size in enumerate(((72, 40), (67, 37)))]
    print(f"1..{2 * len(cases)}")
    number = 0
    totals = {"numpy": [0, 0], "ffmpeg's psnr filter": [0, 0]}

    def report(oracle, case, problems, count):
        nonlocal number
        number += 1
        totals[oracle][0] += count
        totals[oracle][1] += len(problems)
        print(f"{'not ok' if problems else 'ok'} {number} {case}, {oracle}: {count} figures")
        for problem in problems[:5]:
            print(f"# {problem}")

    for name, (width, height), transform in cases:
        case = f"{name} {width}x{height} {transform}"
        layout = Layout(name, width, height)
        with tempfile.TemporaryDirectory() as work:
            with open(f"{work}/in", "wb") as f:
                f.write(make_input(layout, len(name) * width))
            messages = run_element(work, name, width, height,
                                   [f"transform={transform}", "quality=30", "qp=37"])
            data = []
            for side in ("in", "out"):
                with open(f"{work}/{side}", "rb") as f:
                    data.append(f.read())
            if len(data[0]) != len(data[1]):
                raise RuntimeError(f"{case}: {len(data[1])} bytes out for {len(data[0])} in")
            report("numpy", case, *compare_numpy(layout, messages, *data))
            if have_ffmpeg:
                report("ffmpeg's psnr filter", case, *compare_ffmpeg(
                    layout, messages, *ffmpeg_psnr(work, layout, width, height)))
            else:
                number += 1
                print(f"ok {number} {case} # SKIP ffmpeg is missing: install ffmpeg")
    for oracle, (count, different) in totals.items():
        print(f"# compared: {oracle}: {count} figures, {different} differ")
    return 1 if any(different for _, different in totals.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
