#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""blockdct's metrics against the programs that they are named after.

For every format and depth, at an even and an odd size, the element's input and
output are compared again: by ffmpeg's ssim and xpsnr filters and by libvmaf, as
its program vmaf or ffmpeg's libvmaf filter has it, to every digit that they
print, but for psnr-hvs: see HVS_UNITS.
BLOCKDCT_FFMPEG names more ffmpegs, with colons between them, for the filters that
the one in PATH has not, and BLOCKDCT_VMAF a vmaf. Speaks TAP."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import psnr

np = psnr.np

VMAF_TOOL = shutil.which(os.environ.get("BLOCKDCT_VMAF", "vmaf"))
PROGRAMS = ["ffmpeg"] + [p for p in os.environ.get("BLOCKDCT_FFMPEG", "").split(":") if p]
MISSING = {
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
    spoilt = any((width >> 2) % 4 == 2 for _, _, width, _, _ in layout.components.values())
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
            yield field, psnr.FRAMES, digits(log["pooled_metrics"][name]["mean"], 6), 6


def main():
    cases = [(name, size, (10, 50)[(i + j) % 2]) for i, name in enumerate(psnr.FORMATS)
             for j, size in enumerate(SIZES)]
    oracles = {"ssim": of_ssim, "xpsnr": of_xpsnr, "libvmaf": of_libvmaf}
    programs = {name: find_program(name) for name in oracles}
    totals = {name: [0, 0] for name in oracles}
    number = 0
    print(f"1..{len(cases) * len(oracles)}")
    for name, size, rate in cases:
        layout = psnr.Layout(name, *size)
        with tempfile.TemporaryDirectory() as work:
            with open(f"{work}/in", "wb") as f:
                f.write(psnr.make_input(layout, len(name) * size[0]))
            messages = psnr.run_element(
                work, name, *size, ["metrics=ssim+ms-ssim+psnr-hvs+xpsnr",
                                    f"quality={5 + 20 * (size[0] % 4)}"], rate)
            psnr.write_planar(work, layout)
            for oracle, figures in oracles.items():
                number += 1
                if not programs[oracle] and not (oracle == "libvmaf" and VMAF_TOOL):
                    print(f"ok {number} # SKIP {MISSING[oracle]}")
                    continue
                problems, count, most = [], 0, 0
                for field, i, wanted, n in figures(programs[oracle], work, layout, size, rate):
                    got = digits(messages[i].get(field, "nan"), n)
                    count += 1
                    units = 0 if got == wanted else abs(float(got) - float(wanted)) * 10**n
                    hvs = field.startswith("psnr-hvs") and units < HVS_UNITS + 0.5
                    if hvs:
                        most = max(most, round(units))
                    elif units:
                        problems.append(f"frame {i} {field}: {got}, {oracle} {wanted}")
                totals[oracle][0] += count
                totals[oracle][1] += len(problems)
                print(f"{'not ok' if problems else 'ok'} {number} {name} {size[0]}x{size[1]}, "
                      f"{oracle}: {count} figures" + f", psnr-hvs off by {most}" * (most > 0))
                for problem in problems[:5]:
                    print(f"# {problem}")
    if VMAF_TOOL:
        version = subprocess.run([VMAF_TOOL, "--version"], capture_output=True, text=True,
                                 check=False)
        print(f"# libvmaf {(version.stdout + version.stderr).strip()}, odd sizes: "
              f"{programs['libvmaf']}")
    for oracle, (count, different) in totals.items():
        print(f"# compared: {oracle}: {count} figures, {different} differ")
    return 1 if any(different for _, different in totals.values()) else 0


sys.exit(main())
