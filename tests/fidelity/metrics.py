#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""blockdct's figures against the programs that they are named after.

For every chroma format and depth, at even and odd sizes, the element's input and output
are measured again by ffmpeg's psnr, ssim and xpsnr filters and by libvmaf, as its program
vmaf or ffmpeg's libvmaf filter has it, to every digit that they print, but for psnr-hvs:
see HVS_UNITS. (That other formats of the same samples have the same figures, and errors
are exact, the differential sees.)
BLOCKDCT_FFMPEG names more ffmpegs, with colons between them, for the filters that
the one in PATH has not, and BLOCKDCT_VMAF a vmaf. Speaks TAP."""

import json
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

# name: (log2 horizontal, log2 vertical subsampling, or None for grey; depth)
FORMATS = {
    "GRAY8": (None, 8), "I420": ((1, 1), 8), "Y42B": ((1, 0), 8), "Y444": ((0, 0), 8),
    "I420_10LE": ((1, 1), 10), "I422_10LE": ((1, 0), 10), "Y444_10LE": ((0, 0), 10),
    "I420_12LE": ((1, 1), 12), "I422_12LE": ((1, 0), 12), "Y444_12LE": ((0, 0), 12),
}
TRANSFORMS = ["jpeg-8x8", "dct-8x8", "hevc-dst-4x4", "hevc-8x8", "hevc-32x32",
              "h264-8x8", "vvc-64x64"]


VMAF_TOOL = shutil.which(os.environ.get("BLOCKDCT_VMAF", "vmaf"))
PROGRAMS = ["ffmpeg"] + [p for p in os.environ.get("BLOCKDCT_FFMPEG", "").split(":") if p]
MISSING = {
    "psnr": "ffmpeg is missing: install ffmpeg",
    "ssim": "ffmpeg is missing: install ffmpeg",
    "xpsnr": "no ffmpeg with an xpsnr filter: name one of 7.1 or newer in BLOCKDCT_FFMPEG",
    "libvmaf": "neither vmaf nor an ffmpeg with a libvmaf filter: build libvmaf, and name its "
               "tools/vmaf in BLOCKDCT_VMAF",
}
SIZES = (192, 176), (201, 183), (64, 40)
# How many units of the last digit psnr-hvs may be off: libvmaf adds the squares of all blocks
# in single precision, which loses more, the more blocks there are.
HVS_UNITS = 50
# What libvmaf calls them, and the element.
VMAF = {"float_ms_ssim": "ms-ssim-y", "psnr_hvs_y": "psnr-hvs-y", "psnr_hvs_cb": "psnr-hvs-u",
        "psnr_hvs_cr": "psnr-hvs-v", "psnr_hvs": "psnr-hvs"}


def up(value, multiple):
    return -(-value // multiple) * multiple


class Layout:
    """Where GStreamer's default layout has each component of a frame."""

    def __init__(self, name, width, height):
        sub, self.depth = FORMATS[name]
        sub_w, sub_h = sub or (0, 0)
        self.bytes = 1 + (self.depth > 8)
        self.dtype = np.dtype("u1" if self.bytes == 1 else "<u2")
        self.sampling = {None: "400", (1, 1): "420", (1, 0): "422", (0, 0): "444"}[sub]
        stride = up(width * self.bytes, 4)
        # GStreamer rounds the rows of planar 4:2:2 up above 8 bits alone.
        rows = up(height, 2) if sub_h or (sub_w and self.bytes == 2) else height
        c_stride = up(width, 8) // 2 if self.sampling == "422" and self.bytes == 1 else \
            up((width + sub_w >> sub_w) * self.bytes, 4)
        # component: (offset, stride, width, height)
        self.components = {"y": (0, stride, width, height)}
        self.size = stride * rows
        for c in "uv" if sub else "":
            self.components[c] = (self.size, c_stride, width + sub_w >> sub_w,
                                  height + sub_h >> sub_h)
            self.size += c_stride * (rows >> sub_h)

    def plane(self, frame, c):
        """A view of one component's words."""
        offset, stride, width, height = self.components[c]
        return np.ndarray((height, width), self.dtype, frame, offset, (stride, self.bytes))

    def planar(self, data):
        """The frames as ffmpeg reads them: planar, without padding."""
        out = []
        for f in range(FRAMES):
            frame = data[f * self.size:(f + 1) * self.size]
            for c in self.components:
                out.append(self.plane(frame, c).tobytes())
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
            plane[:] = np.clip(np.rint(value), 0, peak)
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


def find_program(name):
    """The first ffmpeg with a filter."""
    for program in PROGRAMS:
        if shutil.which(program) and re.search(rf" {name} ", subprocess.run(
                [program, "-hide_banner", "-filters"], capture_output=True, text=True,
                check=False).stdout):
            return program
    return None


def run_filter(program, work, layout, size, rate, text, *options):
    raw = ["-f", "rawvideo", "-pix_fmt", layout.pix_fmt(), "-s", f"{size[0]}x{size[1]}",
           "-r", str(rate), "-i"]
    return subprocess.run(
        [program, "-hide_banner", "-nostdin", *options, *raw, f"{work}/in.planar", *raw,
         f"{work}/out.planar", "-lavfi", text, "-f", "null", "-"],
        capture_output=True, text=True, check=True, timeout=120).stderr


def digits(value, n):
    return f"{float(value):.{n}f}"


def of_ssim(program, work, layout, size, rate):
    """Field, number of the message (the last one is the pooled), what is printed, digits."""
    # Of a row whose windows are one more than a multiple of four the filter's SSE4 code
    # takes not the last window, but one of what its memory has behind the row.
    spoilt = any((width >> 2) % 4 == 2 for _, _, width, _ in layout.components.values())
    log = run_filter(program, work, layout, size, rate, f"ssim=stats_file={work}/stats",
                     *(["-cpuflags", "0"] if spoilt and layout.bytes == 1 else []))
    with open(f"{work}/stats", encoding="ascii") as f:
        lines = [line.split(" ", 1)[1] for line in f]
    lines.append(log[log.rindex("SSIM "):].splitlines()[0])
    for i, line in enumerate(lines):
        for c, value in re.findall(r"(Y|U|V|All):([0-9.]+)", line):
            yield "ssim" if c == "All" else f"ssim-{c.lower()}", i, value, 6


def of_xpsnr(program, work, layout, size, rate):
    # Above 8 bits the filter takes its second input's rows for as long as they are wide.
    if layout.bytes > 1 and size[0] % 32:
        return
    log = run_filter(program, work, layout, size, rate, f"xpsnr=stats_file={work}/stats")
    with open(f"{work}/stats", encoding="ascii") as f:
        lines = [line for line in f if line.startswith("n:")]
    lines.append(log[log.rindex("XPSNR "):].split("(minimum")[0])
    for i, line in enumerate(lines):
        for c, value in re.findall(r"\b(y|u|v): +(inf|[0-9.]+)", line):
            yield f"xpsnr-{c}", i, value, 4


def of_libvmaf(program, work, layout, size, rate):
    # The filter takes no grey; smaller pictures are an error of float_ms_ssim.
    if layout.sampling == "400":
        return
    features = [name for name in ("psnr_hvs", "float_ms_ssim")
                if name == "psnr_hvs" or min(size) >= 176]
    # The program of 3.2.0 crashes where chroma's sides are rounded.
    odd = size[0] % 2 or size[1] % 2
    if VMAF_TOOL and not odd:
        width, height = map(str, size)
        subprocess.run([VMAF_TOOL, "-r", f"{work}/in.planar", "-d", f"{work}/out.planar", "-w",
                        width, "-h", height, "-p", layout.sampling, "-b", str(layout.depth),
                        "-q", "-n", "--json", "-o", f"{work}/json",
                        *(f"--feature={name}" for name in features)],
                       capture_output=True, check=True, timeout=120)
    elif program:
        named = "|".join(f"name={name}" for name in features)
        run_filter(program, work, layout, size, rate, f"[1][0]libvmaf=feature={named}:"
                   f"log_fmt=json:log_path={work}/json")
    else:
        return
    with open(f"{work}/json", encoding="ascii") as f:
        log = json.load(f)
    for frame in log["frames"]:
        for name, field in VMAF.items():
            if name in frame["metrics"]:
                yield field, frame["frameNum"], digits(frame["metrics"][name], 6), 6
    for name, field in VMAF.items():
        if name in log["pooled_metrics"]:
            yield field, FRAMES, digits(log["pooled_metrics"][name]["mean"], 6), 6


def of_psnr(program, work, layout, size, rate):
    log = run_filter(program, work, layout, size, rate, f"psnr=stats_file={work}/stats")
    with open(f"{work}/stats", encoding="ascii") as f:
        lines = list(f)
    for i, line in enumerate(lines):
        for kind, c, value in re.findall(r"(mse|psnr)_(y|u|v|avg):(\S+)", line):
            yield kind if c == "avg" else f"{kind}-{c}", i, value, 2
    keys = {"average": "psnr", "min": "psnr-min", "max": "psnr-max"}
    for key, value in re.findall(r"(\w+):(\S+)", log[log.rindex("PSNR "):].splitlines()[0]):
        yield keys.get(key, f"psnr-{key}"), FRAMES, value, 6


def judge(field, got, wanted, n):
    """How many units of the last digit that is printed a figure is off."""
    got = digits(got, n)
    units = 0 if got == wanted else abs(float(got) - float(wanted)) * 10**n
    return 0 if field.startswith("psnr-hvs") and units < HVS_UNITS + 0.5 else units


def main():
    cases = [(name, size, (10, 50)[(i + j) % 2], TRANSFORMS[(i + j) % len(TRANSFORMS)])
             for i, name in enumerate(FORMATS) for j, size in enumerate(SIZES)]
    oracles = {"psnr": of_psnr, "ssim": of_ssim, "xpsnr": of_xpsnr, "libvmaf": of_libvmaf}
    programs = {name: find_program(name) for name in oracles}
    totals = {name: [0, 0] for name in oracles}
    number = 0
    print(f"1..{len(cases) * len(oracles)}")
    for name, size, rate, transform in cases:
        layout = Layout(name, *size)
        with tempfile.TemporaryDirectory() as work:
            with open(f"{work}/in", "wb") as f:
                f.write(make_input(layout, len(name) * size[0]))
            messages = run_element(work, name, *size, [
                "metrics=ssim+ms-ssim+psnr-hvs+xpsnr", f"transform={transform}", "qp=37",
                f"quality={5 + 20 * (size[0] % 4)}"], rate)
            write_planar(work, layout)
            for oracle, figures in oracles.items():
                number += 1
                if not programs[oracle] and not (oracle == "libvmaf" and VMAF_TOOL):
                    print(f"ok {number} # SKIP {MISSING[oracle]}")
                    continue
                problems, count = [], 0
                for field, i, wanted, n in figures(programs[oracle], work, layout, size, rate):
                    got = messages[i].get(field, "nan")
                    count += 1
                    if not judge(field, got, wanted, n) == 0:
                        problems.append(f"frame {i} {field}: {got}, {oracle} {wanted}")
                totals[oracle][0] += count
                totals[oracle][1] += len(problems)
                print(f"{'not ok' if problems else 'ok'} {number} {name} {size[0]}x{size[1]} "
                      f"{transform}, {oracle}: {count} figures")
                for problem in problems[:5]:
                    print(f"# {problem}")
    for oracle, (count, different) in totals.items():
        print(f"# compared: {oracle}: {count} figures, {different} differ")
    return 1 if any(different for _, different in totals.values()) else 0


sys.exit(main())
