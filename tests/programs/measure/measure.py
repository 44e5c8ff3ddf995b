#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""measure.py PROGRAM [--no-element]

blockdct-measure against the element: pictures and clips are generated, and what
the program says of them has to be, to the last digit, what the element's
messages say in a pipeline; and what the program promises besides. Speaks TAP.
--no-element: gst-launch-1.0 cannot load the plugin (built with sanitizers)."""

import json
import math
import os
import re
import shutil
import signal
import subprocess
import time
import xml.etree.ElementTree as ElementTree

from program import (ELEMENT, LIMIT, PLOT, PROGRAM, ZONES, element_says, launch, need, read,
                     rows_of, run, skip_without, table, write)
from tap import Skip, case, run_cases

RAW = " ! video/x-raw,framerate={}/1,format={},width={},height={} ! "
# XPSNR looks back one frame, and, from 32 frames/s on, two; MS-SSIM needs 176 samples.
FILES = {
    "colour.jpg": ZONES + "1" + RAW.format(25, "I420", 131, 77) + "jpegenc",
    "grey.png": "videotestsrc num-buffers=1" + RAW.format(25, "GRAY8", 97, 65) + "pngenc",
    "rgb.png": ZONES + "1" + RAW.format(25, "RGB", 201, 183) + "pngenc",
    "clip.y4m": ZONES + "6" + RAW.format(25, "I420", 200, 178) + "y4menc",
    "fast.y4m": "videotestsrc num-buffers=5" + RAW.format(50, "Y444", 192, 178) + "y4menc",
    "snow.mjpeg": "videotestsrc pattern=snow num-buffers=4" + RAW.format(25, "Y444", 67, 51)
                  + "jpegenc",
    # A decoder of which has every sample of it.
    "flat.y4m": "videotestsrc pattern=black num-buffers=2" + RAW.format(25, "I420", 176, 176)
                + "y4menc",
}
PACKAGES = {"jpegenc": "gstreamer1.0-plugins-good", "pngenc": "gstreamer1.0-plugins-good",
            "y4menc": "gstreamer1.0-plugins-bad", "y4mdec": "gstreamer1.0-plugins-bad"}
METRICS = [*(f"{metric}-{plane}" for metric in ("ssim", "psnr-hvs", "xpsnr")
             for plane in "yuv"), "ssim", "ms-ssim-y", "psnr-hvs"]
FIGURES = ("frames", "psnr", "psnr-y", "psnr-u", "psnr-v", "nonzero", "bpp", "bits", "bits-y",
           "bits-u", "bits-v", "bits-optimized", "file-size", "file-size-optimized",
           "bits-estimated", "bits-estimated-y", "bits-estimated-u", "bits-estimated-v", *METRICS)
ALL = ("--metrics", "all", "--backend", "cpu")


def make_files():
    for name, pipeline in FILES.items():
        launch(pipeline, f"! filesink location={name}")


def compare(row, message):
    for name in FIGURES:
        ours, elements = row[name], message.get(name)
        assert (ours == "") == (elements is None) and (not ours or math.isclose(
            float(ours), elements, abs_tol=1e-6 * (name in METRICS))), \
            f"{row['file']} {row['transform']}: {name} is {ours}, the element's {elements}"
        if ours and name in METRICS:
            assert int(row["sum-" + name]) == message["sum-" + name], name


SETTINGS = [("jpeg-8x8", "quality", 7), ("jpeg-8x8", "quality", 85),
            ("dct-8x8", "quality", 49), ("hevc-dst-4x4", "qp", 30),
            ("hevc-32x32", "qp", 0), ("h264-8x8", "qp", 51), ("vvc-64x64", "qp", 21)]


@case
def figures_are_the_elements():
    """Of more settings than an engine takes at a time."""
    if not ELEMENT:
        raise Skip("gst-launch-1.0 cannot load a plugin with sanitizers")
    convert = "videoconvert ! video/x-raw,{}format={} !"
    compared = [(name, "", (), "") for name in FILES] + [
        ("rgb.png", "", ("--chroma-subsampling", name), f"chroma-subsampling={name}")
        for name in ("4:2:2", "4:4:0", "4:4:4")] + [
        ("rgb.png", convert.format("colorimetry=1:4:0:0,chroma-site=jpeg,", "I420"),
         ("--format", "I420"), "")] + [
        ("colour.jpg", convert.format("", name), ("--format", name), "")
        for name in ("Y444", "I420_10LE")]
    for name, convert, options, more in compared:
        transforms, qualities, qps, n = ("all", "1-100:6", "0-51:3", 2 * 17 + 9 * 18) \
            if name == "grey.png" else (",".join(dict.fromkeys(t for t, *_ in SETTINGS)),
                                        "7,49,85", "0,21,30,51", 2 * 3 + 4 * 4)
        rows = table(name, "--transform", transforms, "--quality", qualities, "--qp", qps, *ALL,
                     *options)
        assert len(rows) == n
        for (transform, setting, value), said in zip(SETTINGS, element_says(name, convert, *(
                f"transform={t} {s}={v} {more} metrics=bits+ssim+ms-ssim+psnr-hvs+xpsnr"
                for t, s, v in SETTINGS)), strict=True):
            row, = [r for r in rows if (r["transform"], r[setting]) == (transform, str(value))]
            compare(row, *said)


@case
def figures_of_10_bits():
    for element in ("avenc_ffv1", "avdec_ffv1"):
        need(element, "gstreamer1.0-libav")
    launch(ZONES + "3" + RAW.format(25, "I420_10LE", 98, 54), "avenc_ffv1 !"
           " matroskamux ! filesink location=ten.mkv")
    row, = table("ten.mkv")
    assert (row["format"], row["depth"], row["frames"]) == ("I420_10LE", "10", "3")
    assert row["bits-estimated"] != "0" and row["bits"] == row["file-size"] == ""


@case
def frames_are_the_elements():
    rows = table("clip.y4m", "--frames", "--quality", "20,60", *ALL)
    frames = [r for r in rows if r["frame"]]
    assert [(r["frame"], r["quality"]) for r in frames] == \
        [(str(f), q) for f in range(6) for q in ("20", "60")]
    assert [r["quality"] for r in rows if not r["frame"]] == ["20", "60"]
    for count in ("samples-y", "sse-u", "bits", "levels", "nonzero-levels", "file-size",
                  *("sum-" + name for name in METRICS)):
        assert int(rows[-1][count]) == min(sum(int(r[count]) for r in frames[1::2]),
                                           2**63 - 1), count
    if ELEMENT:
        for row, message in zip(frames[::2], *element_says(
                "clip.y4m", "", "quality=20 metrics=bits+ssim+ms-ssim+psnr-hvs+xpsnr",
                kind="frame"), strict=True):
            compare(row, message)


@case
def what_cannot_be_had_is_said():
    assert not set(METRICS) & set(table("rgb.png")[0])
    out, err = run("--quiet", "--csv", "-", "colour.jpg", "grey.png", "clip.y4m", *ALL)
    for row, name, metric, reason in zip(
            rows_of(out), ("colour.jpg", "grey.png"), ("ms-ssim-y", "psnr-hvs-y"),
            ("176", "Y, U and V")):
        assert row[metric] == row["sum-" + metric] == "" and row["ssim-y"]
        said = rf"{name} is(.*\n  )*no {metric.removesuffix('-y')} of.*{reason}"
        assert re.search(said, err), err
    assert "clip.y4m" not in err


@case
def what_is_infinite_stays_so():
    options = ("flat.y4m", "--quality", "100", *ALL)
    row, = table(*options)
    assert row["sse-y"] == row["sse-u"] == "0" and row["sum-psnr-hvs"] == str(2**63 - 1)
    for figure in "psnr", "psnr-hvs", "psnr-hvs-u", "xpsnr-y":
        assert row[figure] == "inf", figure
    lines = [run("--quiet", "--json", "-", "--first-frame", first, "--n-frames", "1", *options)[0]
             for first in ("0", "1")]
    assert json.loads(lines[0])["psnr-hvs"] is None
    assert table("--merge", "-", input="".join(lines)) == [row]


@case
def broken_files_lose_nothing():
    data = read("rgb.png")
    write("half.png", data[:len(data) // 2])
    write("empty.png", "")
    write("text.txt", "text\n" * 99)
    out, err = run("--quiet", "--csv", "-", "half.png", "grey.png", "empty.png", "text.txt",
                   "not-there.png", "colour.jpg", status=2)
    assert [r["file"] for r in rows_of(out)] == ["grey.png", "colour.jpg"]
    assert "4 of 6 files" in err, err
    for name in ("half.png", "empty.png", "text.txt", "not-there.png: there is no such file"):
        assert f"  {name}" in err, err
    out, err = run("--list", "grey.png", "text.txt", "clip.y4m", status=2)
    assert [tuple(json.loads(line).values()) for line in out.splitlines()] == \
        [("grey.png", 1), ("text.txt", 0), ("clip.y4m", 6)]
    assert "text.txt" in err


@case
def folders_and_patterns():
    os.makedirs("folder/in/deep", exist_ok=True)
    os.makedirs("nothing", exist_ok=True)
    for name in ("b.png", "a.png", "in/c.png", "in/deep/d.png"):
        shutil.copy("grey.png", f"folder/{name}")
    write("folder/readme.txt", "text\n" * 99)
    launch("audiotestsrc num-buffers=5 ! wavenc ! filesink location=folder/sound.wav")
    os.symlink("..", "folder/in/circle")
    shutil.copy("grey.png", "Äpfel [1].png")
    assert table("Äpfel [1].png", "-m", "psnr")[0]["file"] == "Äpfel [1].png"
    all_of_it = ["folder/a.png", "folder/b.png", "folder/in/c.png", "folder/in/deep/d.png"]
    assert [r["file"] for r in table("folder")] == all_of_it
    assert [r["file"] for r in table("folder/[ab].*", "folder", "folder/b.png")] == all_of_it
    assert "nothing" in run("nothing", status=2)[1]


RESUMED = ("--transform", "jpeg-8x8,hevc-4x4", "--quality", "10,50", "--qp", "30", "--frames",
           "colour.jpg", "clip.y4m", "grey.png", "rgb.png")


@case
def resume_goes_on_where_it_broke_off():
    for kind in ("--csv", "--json"):
        whole = run("--quiet", kind, "-", *RESUMED)[0].encode()
        for share in (0, 0.003, 0.3, 0.7, 0.9999, 1):
            write("rows", whole[:int(share * len(whole))])
            run("--quiet", kind, "rows", "--resume", *RESUMED)
            assert read("rows") == whole, f"{kind} cut at {share}"
        # A file that is done is not even opened.
        os.rename("rgb.png", "away.png")
        run("--quiet", kind, "rows", "--resume", *RESUMED)
        os.rename("away.png", "rgb.png")
        for other in (("--quality", "11,50"), ("--transform", "jpeg-8x8", "--quality", "10"),
                      ("--format", "Y444"), ("--metrics", "ssim")):
            err = run("--quiet", kind, "rows", "--resume", *other, "colour.jpg", status=2)[1]
            assert "rows" in err
    write("rows", "a,b,c\n1,2,3\n")
    assert "not a table" in run("--csv", "rows", "--resume", "grey.png", status=2)[1]


def wait_for_rows(process, path):
    end = time.monotonic() + LIMIT
    while process.poll() is None and time.monotonic() < end:
        if os.path.exists(path) and os.path.getsize(path) > 2000:
            return
        time.sleep(0.005)


@case
def resume_after_an_interrupt():
    files = [f"copy{i}.jpg" for i in range(25)]
    for name in files:
        shutil.copy("colour.jpg", name)
    options = ("--quiet", "--transform", "all", *files)
    whole = run(*options, "--json", "-")[0]
    for number in signal.SIGINT, signal.SIGTERM:
        if os.path.exists("killed.json"):
            os.remove("killed.json")
        with subprocess.Popen([PROGRAM, "table", *options, "--json", "killed.json"],
                              stderr=subprocess.PIPE) as process:
            wait_for_rows(process, "killed.json")
            process.send_signal(number)
            process.communicate(timeout=LIMIT)
        assert process.returncode in (130, 0), process.returncode
        text = read("killed.json").decode()
        assert whole.startswith(text) and text.endswith("\n") and text.count("\n") % 11 == 0
        run(*options, "--json", "killed.json", "--resume")
        assert read("killed.json").decode() == whole


def number(row):
    return int(row["quality"] or -int(row["qp"]))


# Limits of qualities, which are kept from above, and of sizes.
LIMITS = ({"psnr": 33, "ssim": 0.97}, {"psnr": 36, "bpp": 2}, {"psnr": 33, "bpp": 0.3},
          {"ssim": 0.99, "size": 2000, "bpp": 99}, {"bpp": 1.5, "size": 4000}, {"psnr": 33},
          {"psnr": 200, "ssim": 0.9}, {"size": 9000}, {"size": 9, "ssim": 1})


def statistic_of(name, figures):
    figures = sorted(figures)
    if name == "mean":
        return sum(figures) / len(figures)
    return figures[0 if name in (None, "min")
                   else math.ceil(int(name[1:]) / 100 * len(figures)) - 1]


def best_of(settings, limits, statistic):
    """The setting to take, a list of its files' rows, and the limits that it misses."""
    def total(rows, *names):
        return sum(next(float(r[n]) for n in names if r[n]) for r in rows)

    def miss(rows, names):
        figures = {
            **{n: statistic_of(statistic, [float(r[n]) for r in rows]) for n in ("psnr", "ssim")},
            "bpp": total(rows, "bits", "bits-estimated") / total(rows, "samples-y"),
            "size": sum(total([r], "file-size") if r["file-size"]
                        else total([r], "bits-estimated") / 8 for r in rows)}
        parts = {n: (limit - figures[n] if n in ("psnr", "ssim") else figures[n] - limit) / limit
                 for n, limit in limits.items() if n in names}
        return {n: part for n, part in parts.items() if part > 0}

    def order(rows):
        worst = [max(miss(rows, names).values(), default=0)
                 for names in (("psnr", "ssim"), ("bpp", "size"))]
        if not {"psnr", "ssim"} & set(limits):
            return *worst, -number(rows[0])
        return *worst, statistic and total(rows, "bits", "bits-estimated"), number(rows[0])
    best = min(settings, key=order)
    return best, sorted(miss(best, limits))


@case
def targets_are_the_best_of_all():
    """Of each file, and one setting for a collection."""
    lines = run("--quiet", "--csv", "-", "--exact-size", "--transform", "jpeg-8x8,hevc-8x8",
                "--quality", "3-99:4", "--qp", "0-51", "-m", "ssim", "colour.jpg", "grey.png",
                "snow.mjpeg")[0]
    outcomes = set()
    for limits in LIMITS:
        options = [word for name, limit in limits.items()
                   for word in (f"--target-{name}", str(limit))]
        for statistic in None, "mean", "min", "p33", "p34", "p99":
            groups = {}
            for row in rows_of(lines):
                group = row["transform"], None if statistic else row["file"]
                groups.setdefault(group, {}).setdefault(number(row), []).append(row)
            wanted, n_missed = [], 0
            for settings in groups.values():
                best, missed = best_of(settings.values(), limits, statistic)
                wanted += [{**row, "target-met": "false" if missed else "true",
                            "target-missed": missed} for row in best]
                n_missed += bool(missed)
                outcomes.add(" ".join(missed))
            out, err = run("--merge", "-", "--csv", "-", *options, input=lines,
                           *(("--collection", statistic) if statistic else ()),
                           status=int(n_missed > 0))
            chosen = rows_of(out)
            for row in chosen:
                row["target-missed"] = sorted(filter(None, row["target-missed"].split("+")))

            def order(row):
                return row["transform"], row["file"]
            assert sorted(chosen, key=order) == sorted(wanted, key=order), (limits, statistic)
            assert not statistic or err.count("\n  ") == n_missed, err
    assert {"", "bpp", "psnr", "size"} <= outcomes, outcomes
    # Of two files each setting is in one.
    whole = lines.splitlines(keepends=True)
    odd = whole[:1] + [line for line in whole if line.startswith("grey.png,jpeg")][::2] \
        + [line for line in whole if line.startswith("snow.mjpeg,jpeg")][1::2]
    out, err = run("--merge", "-", "--target-psnr", "33", "--collection", "min", "--csv", "-",
                   input="".join(odd), status=1)
    assert out.count("\n") == 1 and "jpeg-8x8: no setting was measured in all of 2 files" in err
    err = run("--merge", "-", "--csv", "-", "--target-size", "3000", status=2,
              input=run("--quiet", "--csv", "-", "grey.png")[0])[1]
    assert "--exact-size" in err


@case
def plots():
    if not PLOT:
        assert "matplotlib" in run("--plot", "curves.svg", "grey.png", status=2)[1]
        raise Skip("matplotlib is missing: install python3-matplotlib")
    run("--quiet", "--plot", "curves.svg", "--transform", "jpeg-8x8,hevc-16x16", "colour.jpg",
        "snow.mjpeg")
    # A line of each file and transform, and one of each transform.
    paths = ElementTree.parse("curves.svg").iter("{http://www.w3.org/2000/svg}path")
    assert sum(len(re.findall("[LC] ", p.get("d") or "")) > 40 for p in paths) >= 6
    run("--quiet", "--plot", "curves.png", "--quality", "10-90:20", "-m", "ssim", "--json",
        "rows.json", "grey.png")
    run("--merge", "rows.json", "--plot", "merged.png")
    assert read("merged.png") == read("curves.png")
    run("--merge", "rows.json", "--plot", "ssim.png", "--plot-metric", "ssim")
    assert read("ssim.png") != read("curves.png")
    assert "no row has a finite xpsnr" in run("--merge", "rows.json", "--plot", "x.svg",
                                              "--plot-metric", "xpsnr", status=2)[1]


@case
def wrong_usage_names_value_and_range():
    for arguments, words in {
            ("--quality", "0"): ("'0'", "1 to 100"),
            ("--quality", "1-9:0"): ("'0'",),
            ("--quality", "5,x"): ("'x'", "1 to 100"),
            ("--transform", "hevc-4x4", "--qp", "52"): ("'52'", "0 to 51"),
            ("--qp", "20"): ("--qp",),
            ("--transform", "hevc-4x4", "--quality", "20"): ("--quality",),
            ("--transform", "dct"): ("'dct'", "jpeg-8x8", "vvc-64x64"),
            ("--bitrate", "100"): ("--bitrate", "--encoder"),
            ("--format", "RGB"): ("'RGB'", "I420"),
            ("--format", "I420,I420"): ("I420",),
            ("--chroma-subsampling", "4:1:1"): ("'4:1:1'", "4:2:0", "4:4:4"),
            ("--merge", "--chroma-subsampling", "4:4:4"): ("--merge",),
            ("--jobs", "0"): ("--jobs=0", "1"),
            ("--jobs", "2", "--dask", "a"): ("--jobs", "--dask"),
            ("--backend", "gpu"): ("'gpu'", "auto", "cuda", "cpu"),
            ("--threads", "-1"): ("-1", "0 to 1024"),
            ("--first-frame", "-1"): ("-1",),
            ("--collection", "mean"): ("target",),
            ("--collection", "p0", "--target-psnr", "30"): ("'p0'", "min", "p1 to p99"),
            ("--collection", "p5", "--target-psnr", "30", "--resume", "--csv", "x"):
            ("--collection", "--merge"),
            ("--target-psnr", "30", "--target-bpp", "0"): ("--target-bpp", "above 0"),
            ("--target-size", "30", "--frames"): ("--frames",),
            ("--resume", "--csv", "-"): ("--resume", "--csv"),
            ("--csv", "-", "--json", "-"): ("--csv", "--json"),
            ("--plot", "curves.gif"): ("curves.gif", ".svg"),
            ("--metrics", "vmaf"): ("'vmaf'", "--encoder", "score"),
            ("--metrics", "vif"): ("'vif'", "psnr, ssim", "vmaf"),
            ("--metrics", "ssim", "--target-ssim", "1.5"): ("1.5", "1"),
            ("--plot-metric", "ssim", "--metrics", "ssim"): ("--plot",),
            ("--plot", "x.svg", "--plot-metric", "vif"): ("'vif'", "psnr"),
            ("--n-frames", "0"): ("0",),
            ("--stall-limit", "-1"): ("--stall-limit=-1", "0"),
            ("--target-psnr", "40dB"): ("40dB", "above 0")}.items():
        out, err = run(*arguments, "grey.png", status=2)
        assert out == "" and re.search("blockdct-measure (table|find) --help", err)
        for word in words:
            assert word in err, f"{arguments}: {err}"
    assert "FILE" in run("--quiet", status=2)[1]
    assert run("--version")[0].startswith("blockdct-measure ")
    assert "not-there" in run("--csv", "not-there/x.csv", "grey.png", status=2)[1]
    assert "line 1" in run("--merge", "-", "--csv", "-", status=2, input="a,b\n1,2\n")[1]


if not skip_without({**PACKAGES, "videotestsrc": "gstreamer1.0-plugins-base"}):
    run_cases(make_files)
