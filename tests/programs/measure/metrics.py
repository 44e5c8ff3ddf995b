#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""metrics.py PROGRAM [--no-element]

blockdct-measure's --metrics: its figures against the element's messages, and
what it promises of their sums. Speaks TAP."""

import json
import os

from program import (ELEMENT, ZONES, element_says, launch, read, rows_of, run,
                     skip_without, table, write)
from tap import Skip, case, run_cases

ALL = ("--metrics", "all", "--backend", "cpu")
FIGURES = [*(f"{metric}-{plane}" for metric in ("ssim", "psnr-hvs", "xpsnr")
             for plane in "yuv"), "ssim", "ms-ssim-y", "psnr-hvs"]
PACKAGES = {"videotestsrc": "gstreamer1.0-plugins-base", "jpegenc": "gstreamer1.0-plugins-good",
            "pngenc": "gstreamer1.0-plugins-good", "y4menc": "gstreamer1.0-plugins-bad",
            "y4mdec": "gstreamer1.0-plugins-bad"}
SHAPE = "! video/x-raw,format={},width={},height={},framerate={}/1 !"


def make_files():
    for name, source in {
            # XPSNR looks back one frame, and, from 32 frames/s on, two.
            "slow.y4m": f"{ZONES}9 {SHAPE.format('I420', 200, 178, 25)} y4menc",
            "fast.y4m": f"videotestsrc num-buffers=9 {SHAPE.format('Y444', 192, 178, 50)} y4menc",
            "rgb.png": f"{ZONES}1 {SHAPE.format('RGB', 201, 183, 25)} pngenc",
            "small.jpg": f"{ZONES}1 {SHAPE.format('I420', 64, 40, 25)} jpegenc",
            "grey.png": f"{ZONES}1 {SHAPE.format('GRAY8', 180, 190, 25)} pngenc",
            # A decoder of which has every sample of it.
            "flat.y4m": f"videotestsrc pattern=black num-buffers=4 "
                        f"{SHAPE.format('I420', 176, 176, 25)} y4menc"}.items():
        launch(source, f"! filesink location={name}")


def merge(text, *options):
    return run("--merge", "-", *options, input=text)[0]


@case
def figures_are_the_elements():
    if not ELEMENT:
        raise Skip("gst-launch-1.0 cannot load a plugin with sanitizers")
    for name in "slow.y4m", "fast.y4m", "rgb.png", "small.jpg", "grey.png":
        # More settings than an engine takes at a time; of the others, a few.
        settings = ["--all-settings"] if name == "slow.y4m" \
            else ["--quality", "20-100:20", "--qp", "12-51:19"]
        rows = table(name, "--transform", "jpeg-8x8,hevc-16x16", *settings, *ALL)
        chosen = (("jpeg-8x8", "quality", 20), ("jpeg-8x8", "quality", 100),
                  ("hevc-16x16", "qp", 12), ("hevc-16x16", "qp", 50))
        for (transform, kind, value), (message,) in zip(chosen, element_says(name, "", *(
                f"transform={t} {k}={v} metrics=ssim+ms-ssim+psnr-hvs+xpsnr"
                for t, k, v in chosen)), strict=True):
            row, = [r for r in rows if (r["transform"], r[kind]) == (transform, str(value))]
            for figure in FIGURES:
                ours, elements = row[figure], message.get(figure)
                assert (ours == "") == (elements is None), f"{name} {figure}: {ours}, {elements}"
                # A sum is in whole units; of small errors they are more in dB.
                most = 1e-6 if figure.startswith("xpsnr") else 1e-9
                assert not ours or float(ours) == elements \
                    or abs(float(ours) - elements) < most, \
                    f"{name} {transform} {value} {figure}: {ours}, the element's {elements}"
                if ours:
                    assert int(row["sum-" + figure]) == message["sum-" + figure], figure
    assert [figure for figure in FIGURES if row[figure]] == \
        ["ssim-y", "xpsnr-y", "ssim", "ms-ssim-y"]  # of grey.png


@case
def sums_are_the_frames():
    rows = table("fast.y4m", "--frames", "--quality", "20,60", *ALL)
    for figure in FIGURES:
        for setting in 0, 1:
            of_frames = [r for r in rows if r["frame"]][setting::2]
            name = "sum-" + figure
            assert int(rows[-2 + setting][name]) == sum(int(r[name]) for r in of_frames), figure
        if "xpsnr" not in figure:
            mean = int(rows[-1]["sum-" + figure]) / 1e9 / 9
            assert abs(float(rows[-1][figure]) - mean) < 1e-12


@case
def segments_add_up():
    for name in "slow.y4m", "fast.y4m":
        options = (*ALL, "--frames", "--transform", "jpeg-8x8,hevc-8x8", "--quality", "20,80", name)
        whole = run("--quiet", "--csv", "-", *options)[0]
        parts = [run("--quiet", "--json", "-", "--first-frame", str(first), "--n-frames", count,
                     *options)[0]
                 for first, count in ((5, "1"), (9, "3"), (0, "1"), (6, "99"), (1, "1"), (2, "3"))]
        assert merge("".join(parts), "--csv", "-") == whole, name
        assert merge(whole, "--json", "-") == run("--quiet", "--json", "-", *options)[0]
    assert [r["frame"] for r in table("--first-frame", "8", "--frames", "slow.y4m")] == ["8", ""]


@case
def formats_have_their_own():
    rows = table("rgb.png", "--format", "I420,GRAY8,P010_10LE", "--metrics", "ssim,psnr-hvs")
    assert [bool(r["psnr-hvs"]) for r in rows] == [True, False, True]
    assert [bool(r["ssim-v"]) for r in rows] == [True, False, True]
    assert "ms-ssim-y" not in rows[0] and "sum-xpsnr-y" not in rows[0]
    assert not set(FIGURES) & set(table("rgb.png")[0])


@case
def what_cannot_be_had_is_said():
    out, err = run("--quiet", "--csv", "-", "small.jpg", "grey.png", "slow.y4m", *ALL)
    small, grey, slow = rows_of(out)
    for row, name, metric, reason in ((small, "small.jpg", "ms-ssim-y", "176"),
                                      (grey, "grey.png", "psnr-hvs-y", "Y, U and V")):
        assert row[metric] == row["sum-" + metric] == "" and row["ssim-y"]
        said = err[err.index(name):].splitlines()[1]
        assert f"no {metric.removesuffix('-y')} of" in said and reason in said, err
    assert all(slow[figure] for figure in FIGURES) and "slow.y4m" not in err
    assert rows_of(merge(out, "--csv", "-")) == [small, grey, slow]


@case
def what_is_infinite_stays_so():
    options = ("flat.y4m", "--quality", "100", *ALL)
    row, = table(*options)
    assert row["sse-y"] == row["sse-u"] == "0"
    for figure in "psnr", "psnr-hvs", "psnr-hvs-u", "xpsnr-y":
        assert row[figure] == "inf", figure
    assert row["sum-psnr-hvs"] == str(2**63 - 1)
    lines = [run("--quiet", "--json", "-", "--first-frame", first, "--n-frames", "2", *options)[0]
             for first in ("0", "2")]
    assert json.loads(lines[0])["psnr-hvs"] is None
    assert rows_of(merge("".join(lines), "--csv", "-")) == [row]


@case
def resume():
    options = ("--quiet", "--json", "rows", "small.jpg", "slow.y4m", "--quality", "10,50")
    run(*options, *ALL)
    whole = read("rows").decode()
    write("rows", whole[:len(whole) * 2 // 3])
    run(*options, "--resume", *ALL)
    assert read("rows").decode() == whole
    assert "metrics" in run(*options, "--resume", "--metrics", "ssim", status=2)[1]
    run("--quiet", "--csv", "table", "small.jpg", "--metrics", "ssim")
    assert "other columns" in run("--csv", "table", "--resume", "small.jpg", status=2)[1]


@case
def text_for_people():
    lines = run("--quiet", "slow.y4m", "small.jpg", *ALL)[0].splitlines()
    row = table("slow.y4m", *ALL)[0]
    for figure, digits in (("ssim", 6), ("ms-ssim-y", 6), ("psnr-hvs", 4), ("xpsnr-y", 4)):
        end = lines[0].index(f" {figure} ") + len(figure) + 1
        assert lines[1][:end].endswith(f" {float(row[figure]):.{digits}f}"), lines
    assert len({line.index("  " + os.path.basename(line.split()[-1])) for line in lines}) == 1


if not skip_without(PACKAGES):
    run_cases(make_files)
