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

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "element"))
try:
    from player import BACKEND, Player, bytes_of, frame_of, info_of, np, planes_of
except SystemExit:
    sys.exit(0)

FRAMES = 3
FORMATS = ("GRAY8", "I420", "Y42B", "Y444", "I420_10LE", "I422_10LE", "Y444_10LE", "I420_12LE",
           "I422_12LE", "Y444_12LE")
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


def sampling(info):
    f = info.finfo
    return "400" if f.n_components == 1 else {2: "420", 1: "422", 0: "444"}[f.w_sub[1] + f.h_sub[1]]


def pix_fmt(info):
    depth = info.finfo.depth[0]
    return "gray" if sampling(info) == "400" else f"yuv{sampling(info)}p" + (
        f"{depth}le" if depth > 8 else "")


def draw(info, seed):
    """Frames of smooth content with noise, flat parts and extremes."""
    rng, peak = np.random.default_rng(seed), (1 << info.finfo.depth[0]) - 1
    for f in range(FRAMES):
        planes = []
        for plane in planes_of(info, bytes(info.size)):
            y, x = np.mgrid[0:plane.shape[0], 0:plane.shape[1]]
            value = peak * (0.5 + 0.4 * np.sin(x * 0.11 + f) * np.cos(y * 0.07))
            value = value + rng.normal(0, peak * 0.04, plane.shape)
            value[: plane.shape[0] // 4] = peak if f == 1 else 0
            planes.append(np.clip(np.rint(value), 0, peak).astype(plane.dtype))
        yield planes


def run_element(work, info, seed, properties):
    """What is said, the last of which is pooled; what the element took and gave are files as
    ffmpeg reads them: planar, without padding."""
    frames = list(draw(info, seed))
    with Player(f"appsrc name=in0 format=time ! blockdct backend={BACKEND} {properties} ! "
                "appsink name=out sync=false", info) as player:
        for n, planes in enumerate(frames):
            player.push(frame_of(info, planes, n))
        player.end()
        made = [planes_of(info, bytes_of(buffer)) for buffer in player.pull_all()]
        said = player.listen()
        player.warnings.clear()  # of metrics that are not defined
    assert len(made) == len(frames) == len(said) - 1
    for side, planes in ("in", frames), ("out", made):
        with open(f"{work}/{side}.planar", "wb") as file:
            file.write(b"".join(plane.tobytes() for frame in planes for plane in frame))
    return said


def find_program(name):
    """The first ffmpeg with a filter."""
    for program in PROGRAMS:
        if shutil.which(program) and re.search(rf" {name} ", subprocess.run(
                [program, "-hide_banner", "-filters"], capture_output=True, text=True,
                check=False).stdout):
            return program
    return None


def run_filter(program, work, info, text, *options):
    raw = ["-f", "rawvideo", "-pix_fmt", pix_fmt(info), "-s", f"{info.width}x{info.height}",
           "-r", str(info.fps_n), "-i"]
    return subprocess.run(
        [program, "-hide_banner", "-nostdin", *options, *raw, f"{work}/in.planar", *raw,
         f"{work}/out.planar", "-lavfi", text, "-f", "null", "-"],
        capture_output=True, text=True, check=True, timeout=120).stderr


def digits(value, n):
    return f"{float(value):.{n}f}"


def of_ssim(program, work, info):
    """Field, number of the message (the last one is the pooled), what is printed, digits."""
    # Of a row whose windows are one more than a multiple of four the filter's SSE4 code
    # takes not the last window, but one of what its memory has behind the row.
    spoilt = any((plane.shape[1] >> 2) % 4 == 2 for plane in planes_of(info, bytes(info.size)))
    log = run_filter(program, work, info, f"ssim=stats_file={work}/stats",
                     *(["-cpuflags", "0"] if spoilt and info.finfo.depth[0] == 8 else []))
    with open(f"{work}/stats", encoding="ascii") as f:
        lines = [line.split(" ", 1)[1] for line in f]
    lines.append(log[log.rindex("SSIM "):].splitlines()[0])
    for i, line in enumerate(lines):
        for c, value in re.findall(r"(Y|U|V|All):([0-9.]+)", line):
            yield "ssim" if c == "All" else f"ssim-{c.lower()}", i, value, 6


def of_xpsnr(program, work, info):
    # Above 8 bits the filter takes its second input's rows for as long as they are wide.
    if info.finfo.depth[0] > 8 and info.width % 32:
        return
    log = run_filter(program, work, info, f"xpsnr=stats_file={work}/stats")
    with open(f"{work}/stats", encoding="ascii") as f:
        lines = [line for line in f if line.startswith("n:")]
    lines.append(log[log.rindex("XPSNR "):].split("(minimum")[0])
    for i, line in enumerate(lines):
        for c, value in re.findall(r"\b(y|u|v): +(inf|[0-9.]+)", line):
            yield f"xpsnr-{c}", i, value, 4


def of_libvmaf(program, work, info):
    # The filter takes no grey; smaller pictures are an error of float_ms_ssim.
    if sampling(info) == "400":
        return
    features = [name for name in ("psnr_hvs", "float_ms_ssim")
                if name == "psnr_hvs" or min(info.width, info.height) >= 176]
    # The program of 3.2.0 crashes where chroma's sides are rounded.
    odd = info.width % 2 or info.height % 2
    if VMAF_TOOL and not odd:
        subprocess.run([VMAF_TOOL, "-r", f"{work}/in.planar", "-d", f"{work}/out.planar", "-w",
                        str(info.width), "-h", str(info.height), "-p", sampling(info), "-b",
                        str(info.finfo.depth[0]),
                        "-q", "-n", "--json", "-o", f"{work}/json",
                        *(f"--feature={name}" for name in features)],
                       capture_output=True, check=True, timeout=120)
    elif program:
        named = "|".join(f"name={name}" for name in features)
        run_filter(program, work, info, f"[1][0]libvmaf=feature={named}:"
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


def of_psnr(program, work, info):
    log = run_filter(program, work, info, f"psnr=stats_file={work}/stats")
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
        info = info_of(name, *size, f"{rate}/1")
        with tempfile.TemporaryDirectory() as work:
            messages = run_element(
                work, info, len(name) * size[0], "metrics=ssim+ms-ssim+psnr-hvs+xpsnr "
                f"transform={transform} qp=37 quality={5 + 20 * (size[0] % 4)}")
            for oracle, figures in oracles.items():
                number += 1
                if not programs[oracle] and not (oracle == "libvmaf" and VMAF_TOOL):
                    print(f"ok {number} # SKIP {MISSING[oracle]}")
                    continue
                problems, count = [], 0
                for field, i, wanted, n in figures(programs[oracle], work, info):
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
