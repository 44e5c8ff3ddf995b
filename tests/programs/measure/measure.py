#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""measure.py PROGRAM [--no-element]

blockdct-measure against the element: pictures and clips are generated, and what
the program says of them has to be, to the last digit, what the element's
messages say in a pipeline; and what the program promises besides. Speaks TAP.
--no-element: gst-launch-1.0 cannot load the plugin (built with sanitizers)."""

import functools
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

# name: how to make it, and what the program measures it in if that is not what
# the decoder gives.
JFIF = "videoconvert ! video/x-raw,colorimetry=1:4:0:0,chroma-site=jpeg,format="
FILES = {
    "colour.jpg": (ZONES + "1 ! video/x-raw,format=I420,width=131,height=77 ! jpegenc", ""),
    "grey.png": ("videotestsrc num-buffers=1 ! video/x-raw,format=GRAY8,width=97,height=65"
                 " ! pngenc", ""),
    "rgb.png": ("videotestsrc num-buffers=1 ! video/x-raw,format=RGB,width=120,height=80"
                " ! pngenc", ""),
    "clip.y4m": (ZONES + "12 ! video/x-raw,format=I420,width=96,height=64 ! y4menc", ""),
    "snow.mjpeg": ("videotestsrc pattern=snow num-buffers=4 ! video/x-raw,format=Y444,"
                   "width=67,height=51 ! jpegenc", ""),
}
PACKAGES = {"jpegenc": "gstreamer1.0-plugins-good", "pngenc": "gstreamer1.0-plugins-good",
            "y4menc": "gstreamer1.0-plugins-bad", "y4mdec": "gstreamer1.0-plugins-bad"}


def make_files():
    for name, (pipeline, _) in FILES.items():
        launch(pipeline, f"! filesink location={name}")


def compare(row, message):
    bits = ("bpp", "bits", "bits-y", "bits-u", "bits-v", "bits-optimized", "file-size",
            "file-size-optimized", "bits-estimated", "bits-estimated-y",
            "bits-estimated-u", "bits-estimated-v")
    for name in ("frames", "psnr", "psnr-y", "psnr-u", "psnr-v", "nonzero",
                 *bits):
        ours, elements = row[name], message.get(name)
        assert (ours == "") == (elements is None) and (not ours or float(ours) == elements), \
            f"{row['file']} {row['transform']}: {name} is {ours}, the element's {elements}"


SETTINGS = [("jpeg-8x8", "quality", 7), ("jpeg-8x8", "quality", 85),
            ("dct-8x8", "quality", 49), ("hevc-dst-4x4", "qp", 30),
            ("hevc-32x32", "qp", 0), ("h264-8x8", "qp", 51), ("vvc-64x64", "qp", 21)]


def check_against_element(name, convert, options=()):
    if not ELEMENT:
        raise Skip("gst-launch-1.0 cannot load a plugin with sanitizers")
    rows = table(name, "--transform", "all", "--quality", "1-100:3", "--qp", "0-51:3",
                 *options)
    assert len(rows) == 2 * 34 + 9 * 18
    for (transform, setting, value), said in zip(SETTINGS, element_says(
            name, convert, *(f"transform={t} {s}={v}" for t, s, v in SETTINGS)), strict=True):
        row, = [r for r in rows if (r["transform"], r[setting]) == (transform, str(value))]
        compare(row, *said)


@case
def figures_are_the_elements():
    for name, (_, convert) in FILES.items():
        check_against_element(name, convert)


@case
def figures_of_rgb():
    assert table("rgb.png")[0]["format"] == "RGB 4:2:0"
    names = "4:2:0", "4:2:2", "4:4:0", "4:4:4"
    for name, said in zip(names, element_says(
            "rgb.png", "", *(f"chroma-subsampling={name}" for name in names))):
        row, = table("rgb.png", "--chroma-subsampling", name)
        assert row["format"] == "RGB " + name
        compare(row, *said)
    row, = table("clip.y4m", "--chroma-subsampling", "4:4:4")
    assert row["format"] == "I420"


@case
def figures_of_10_bits():
    for element in ("avenc_ffv1", "avdec_ffv1"):
        need(element, "gstreamer1.0-libav")
    launch(ZONES + "3 ! video/x-raw,format=I420_10LE,width=98,height=54 ! avenc_ffv1 !"
           " matroskamux ! filesink location=ten.mkv")
    row, = table("ten.mkv")
    assert (row["format"], row["depth"], row["frames"]) == ("I420_10LE", "10", "3")
    assert row["bits-estimated"] != "0" and row["bits"] == row["file-size"] == ""
    check_against_element("ten.mkv", "")


@case
def figures_of_other_formats():
    rows = table("colour.jpg", "--format", "Y444,GRAY8,I420_10LE,P010_10LE")
    assert [r["format"] for r in rows] == ["Y444", "GRAY8", "I420_10LE", "P010_10LE"]
    assert rows[1]["psnr-u"] == rows[1]["sse-u"] == ""
    check_against_element("rgb.png", JFIF + "I420 !", ("--format", "I420"))
    for name in "Y444", "I420_10LE":
        check_against_element("colour.jpg", f"videoconvert ! video/x-raw,format={name} !",
                              ("--format", name))


@case
def frames_are_the_elements():
    rows = table("clip.y4m", "--frames", "--quality", "20,60")
    frames = [r for r in rows if r["frame"]]
    assert [(r["frame"], r["quality"]) for r in frames] == \
        [(str(f), q) for f in range(12) for q in ("20", "60")]
    assert [r["quality"] for r in rows if not r["frame"]] == ["20", "60"]
    for count in ("samples-y", "sse-u", "bits", "levels", "nonzero-levels", "file-size"):
        assert int(rows[-1][count]) == sum(int(r[count]) for r in frames[1::2]), count
    if ELEMENT:
        for row, message in zip(frames[::2], *element_says("clip.y4m", "", "quality=20",
                                                           kind="frame"), strict=True):
            compare(row, message)


@case
def tables_of_settings_become_one():
    options = ("--transform", "jpeg-8x8,hevc-8x8,h264-4x4", "clip.y4m", "grey.png")
    whole = ("--quality", "20,40,80", "--qp", "20,30,40")
    lines = run("--quiet", "--json", "-", *whole, *options)[0].splitlines(keepends=True)
    # One table a setting: its transforms stand between those of the others.
    shuffled = "".join(line for setting in (1, 2, 0) for line in lines[setting::3])
    for target in ((), ("--target-psnr", "33"), ("--target-bpp", "1")):
        merged = run("--merge", "-", "--json", "-", *target, input=shuffled)[0]
        assert merged == (run("--quiet", "--json", "-", *whole, *options, *target)[0]
                          if target else "".join(lines)), target


@case
def json_says_what_csv_says():
    with_all = ("--quality", "1,100", "grey.png", "clip.y4m")
    rows = table(*with_all)
    lines = run("--quiet", "--json", "-", *with_all)[0].splitlines()
    assert len(rows) == len(lines) == 4
    for row, line in zip(rows, lines):
        entry = json.loads(line)
        for name, text in row.items():
            value = entry.get(name)
            if text in ("", "inf"):
                assert value is None, name
            else:
                assert text in (value, json.dumps(value)) or float(text) == value, name


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
        [("grey.png", 1), ("text.txt", 0), ("clip.y4m", 12)]
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
                      ("--format", "Y444")):
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


def size(row):
    return int(row["file-size"]) if row["file-size"] else int(row["bits-estimated"]) / 8


@case
def targets_are_the_best_of_all():
    files = ("--n-frames", "2", "colour.jpg", "clip.y4m", "grey.png")
    options = ("--transform", "jpeg-8x8,dct-8x8,h264-4x4", "--quality", "1-100", "--qp", "0-51")
    rows = table(*options, *files)
    exact = table("--exact-size", *options, *files)
    figures = {"psnr": lambda r: float(r["psnr"]), "bpp": lambda r: float(r["bpp"]),
               "size": size}
    missed = 0
    for kind, values in {"psnr": ("41.5", "200"), "bpp": ("0.01", "3"),
                         "size": ("400", "99999.5")}.items():
        figure = figures[kind]
        for value in values:
            chosen = table(f"--target-{kind}", value, "--transform", options[1], *files)
            assert len(chosen) == 9
            for row in chosen:
                same = [r for r in (exact if kind == "size" else rows)
                        if r["file"] == row["file"] and r["transform"] == row["transform"]]
                if kind == "psnr":
                    able = [r for r in same if figure(r) >= float(value)]
                    best = min(able or [max(same, key=figure)], key=number)
                else:
                    able = [r for r in same if figure(r) <= float(value)]
                    best = max(able or [min(same, key=figure)], key=number)
                assert row.pop("target-met") == ("true" if able else "false")
                best = dict(best)
                best.pop("target-met")
                assert figure(row) == figure(best)
                assert row == best or not able
                missed += not able
    assert missed > 0
    assert rows == table("--all-settings", *options[:2], *files)
    resumed = ("--target-psnr", "35", "--csv", "chosen.csv", "--resume", *files)
    run("--quiet", *resumed)
    before = read("chosen.csv").decode()
    run("--quiet", *resumed)
    assert read("chosen.csv").decode() == before


# Limits of qualities, which are kept from above, and of sizes.
LIMITS = ({"psnr": 33, "ssim": 0.97}, {"psnr": 36, "bpp": 2}, {"psnr": 33, "bpp": 0.3},
          {"ssim": 0.99, "size": 2000, "bpp": 99}, {"bpp": 1.5, "size": 4000}, {"psnr": 33},
          {"psnr": 200, "ssim": 0.9}, {"size": 9000}, {"size": 9, "ssim": 1})
MANY = ("--transform", "jpeg-8x8,hevc-8x8", "--quality", "3-99:4", "--qp", "0-51", "-m", "ssim",
        "colour.jpg", "grey.png", "clip.y4m")


def statistic_of(name, figures):
    figures = sorted(figures)
    if name == "mean":
        return sum(figures) / len(figures)
    return figures[0 if name == "min" else math.ceil(int(name[1:]) / 100 * len(figures)) - 1]


def best_of(settings, limits, statistic):
    """The setting to take, a list of its files' rows, and the limits that it misses."""
    def miss(rows, quality):
        missed = {}
        for name, limit in limits.items():
            if (name in ("psnr", "ssim")) != quality:
                continue
            if quality:
                part = limit - statistic_of(statistic, [float(r[name]) for r in rows])
            elif name == "size":
                part = sum(size(r) for r in rows) - limit
            else:
                part = sum(int(r["bits"] or r["bits-estimated"]) for r in rows) / sum(
                    int(r["samples-y"]) for r in rows) - limit
            if part > 0:
                missed[name] = part / limit
        return missed

    def order(rows):
        fine = number(rows[0])
        bits = sum(int(r["bits"] or r["bits-estimated"]) for r in rows)
        return (max(miss(rows, True).values(), default=0),
                max(miss(rows, False).values(), default=0),
                *((bits if len(rows) > 1 else 0, fine) if {"psnr", "ssim"} & set(limits)
                  else (-fine,)))
    best = min(settings, key=order)
    return best, sorted([*miss(best, True), *miss(best, False)])


def options_of(limits):
    return [word for name, limit in limits.items() for word in (f"--target-{name}", str(limit))]


def by_setting(rows):
    settings = {}
    for row in rows:
        settings.setdefault((row["transform"], number(row)), []).append(row)
    return settings


@functools.cache
def many():
    return run("--quiet", "--csv", "-", "--exact-size", *MANY)[0]


@case
def targets_combine():
    lines = many()
    all_rows = rows_of(lines)
    outcomes = set()
    for limits in LIMITS:
        chosen = table("--merge", "-", *options_of(limits), input=lines)
        assert len(chosen) == 6
        for row in chosen:
            (best,), missed = best_of([[r] for r in all_rows if r["file"] == row["file"]
                                       and r["transform"] == row["transform"]], limits, "min")
            assert row == {**best, "target-met": "false" if missed else "true",
                           "target-missed": row["target-missed"]}, limits
            assert sorted(filter(None, row["target-missed"].split("+"))) == missed, limits
            outcomes.add(" ".join(missed))
    assert {"", "bpp", "psnr", "size"} <= outcomes, outcomes
    out = run("--quiet", "grey.png", "--target-psnr", "40", "--target-bpp", "0.1")[0]
    assert "  missed bpp  grey.png" in out, out


@case
def one_setting_for_a_collection():
    lines = many()
    settings = by_setting(rows_of(lines))
    for limits in LIMITS:
        for statistic in "mean", "min", "p33", "p34", "p99":
            wanted, problems = {}, 0
            for transform in "jpeg-8x8", "hevc-8x8":
                best, missed = best_of([s for (t, _), s in settings.items() if t == transform],
                                       limits, statistic)
                wanted[transform] = number(best[0]), "false" if missed else "true"
                problems += bool(missed)
            out, err = run("--merge", "-", "--csv", "-", "--collection", statistic,
                           *options_of(limits), input=lines, status=int(problems > 0))
            chosen = rows_of(out)
            assert len(chosen) == 6
            assert {(r["transform"], number(r), r["target-met"]) for r in chosen} == \
                {(t, *w) for t, w in wanted.items()}, (limits, statistic)
            assert err.count("\n  ") == problems, err


@case
def a_setting_that_a_file_lacks_is_not_the_collections():
    options = ("--merge", "-", "--target-psnr", "33", "--collection", "min")
    whole = lines = many().splitlines(keepends=True)
    first = table(*options, input="".join(lines))
    for row in first[:2]:  # of both transforms
        lines = [line for line in lines if not (line.startswith(f"clip.y4m,{row['transform']},")
                                                and number(row) == number(
                                                    rows_of(lines[0] + line)[0]))]
    second = table(*options, input="".join(lines))
    assert len(second) == 6
    assert all(number(a) < number(b) for a, b in zip(first, second, strict=True))
    # Of two files each setting is in one.
    odd = whole[:1] + [line for line in whole if line.startswith("grey.png,jpeg")][::2] \
        + [line for line in whole if line.startswith("clip.y4m,jpeg")][1::2]
    out, err = run(*options, "--csv", "-", input="".join(odd), status=1)
    assert out.count("\n") == 1 and "jpeg-8x8: no setting was measured in all of 2 files" in err


@case
def a_collection_is_told_in_words():
    options = ("--quiet", *MANY, "--collection", "mean", "--target-psnr")
    out, err = run(*options, "35")
    assert err == "" and "\nOne setting for all files (mean)\n" in out
    line, = (line for line in out.splitlines() if re.match("hevc-8x8 .* several +3 ", line))
    assert line.endswith("  met")
    rows = by_setting(table(*options, "35"))
    (_, qp), same = list(rows.items())[1]
    assert f"{-qp:4d}  several" in line
    assert f" {sum(float(r['psnr']) for r in same) / 3:.4f} " in line, line
    # What none keeps; in the formats that are asked for, each by itself.
    out, err = run(*options, "90", "--format", "I420,GRAY8", status=1)
    for name in "I420", "GRAY8":
        said, = re.findall(rf"\n  nearest is jpeg-8x8, {name}, quality 99: mean psnr is ([0-9.]+),"
                           " below 90\n", err)
        line, = (line for line in out.splitlines()
                 if re.match(f"jpeg-8x8 +quality +99  {name} +3 ", line))
        # Each is rounded by itself, to a place of its own.
        assert any(abs(float(word) - float(said)) < 1e-4
                   for word in re.findall(r"[0-9]+\.[0-9]{4}\b", line)), (said, line)
        assert line.endswith("  missed")
    out, err = run("--quiet", "grey.png", "not-there.png", "--target-psnr", "35", "--collection",
                   "min", status=2)
    assert re.search(r"\njpeg-8x8 +quality +\d+  GRAY8 +1 ", out) and "not-there.png" in err


@case
def a_size_is_that_of_a_file():
    merged = "--merge", "-", "--csv", "-", "--target-size", "3000"
    lines = run("--quiet", "--csv", "-", "--all-settings", "grey.png")[0]
    assert "--exact-size" in run(*merged, status=2, input=lines)[1]
    lines = run("--quiet", "--csv", "-", "--all-settings", "--exact-size", "grey.png")[0]
    assert run(*merged, input=lines)[0] == run("--quiet", "--csv", "-", "--target-size", "3000",
                                               "grey.png")[0]


@case
def plots():
    if not PLOT:
        assert "matplotlib" in run("--plot", "curves.svg", "grey.png", status=2)[1]
        raise Skip("matplotlib is missing: install python3-matplotlib")
    out = run("--quiet", "--plot", "curves.svg", "--transform", "jpeg-8x8,hevc-16x16",
              "colour.jpg", "clip.y4m")[0]
    assert len(out.splitlines()) == 1 + 2 * (100 + 52)
    root = ElementTree.parse("curves.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    # A line of each file and transform, and one of each transform.
    paths = [p.get("d") for p in root.iter("{http://www.w3.org/2000/svg}path")]
    assert sum(len(re.findall("[LC] ", d or "")) > 40 for d in paths) >= 6
    for name, magic in (("curves.png", b"\x89PNG"), ("curves.pdf", b"%PDF")):
        run("--quiet", "--plot", name, "--quality", "10-90:20", "-m", "ssim", "--json", "rows.json",
            "grey.png")
        assert read(name)[:4] == magic
    run("--merge", "rows.json", "--plot", "merged.png")
    assert read("merged.png") == read("curves.png")
    run("--merge", "rows.json", "--plot", "ssim.png", "--plot-metric", "ssim")
    assert read("ssim.png") != read("curves.png")
    assert "no row has a finite xpsnr" in run("--merge", "rows.json", "--plot", "x.svg",
                                              "--plot-metric", "xpsnr", status=2)[1]
    assert "not-there" in run("--quiet", "--plot", "not-there/x.png", "grey.png", status=2)[1]


@case
def wrong_usage_names_value_and_range():
    for arguments, words in {
            ("--quality", "0"): ("'0'", "1 to 100"),
            ("--quality", "1-101"): ("'101'", "1 to 100"),
            ("--quality", "9-5"): ("9-5",),
            ("--quality", ""): ("1 to 100",),
            ("--quality", "1-9:0"): ("'0'",),
            ("--quality", "5,x"): ("'x'", "1 to 100"),
            ("--transform", "hevc-4x4", "--qp", "52"): ("'52'", "0 to 51"),
            ("--qp", "20"): ("--qp",),
            ("--transform", "hevc-4x4", "--quality", "20"): ("--quality",),
            ("--transform", "dct"): ("'dct'", "jpeg-8x8", "vvc-64x64"),
            ("--transform", ""): ("--transform", "jpeg-8x8"),
            ("--bitrate", "100"): ("--bitrate", "--encoder"),
            ("--crf", "100"): ("--crf", "--encoder"),
            ("--format", "RGB"): ("'RGB'", "I420"),
            ("--format", "I420,I420"): ("I420",),
            ("--chroma-subsampling", "4:1:1"): ("'4:1:1'", "4:2:0", "4:4:4"),
            ("--merge", "--chroma-subsampling", "4:4:4"): ("--merge",),
            ("--jobs", "0"): ("--jobs=0", "1"),
            ("--jobs", "2", "--dask", "a"): ("--jobs", "--dask"),
            ("--backend", "gpu"): ("'gpu'", "auto", "cuda", "cpu"),
            ("--threads", "-1"): ("-1", "0 to 1024"),
            ("--stall-limit", "-1"): ("--stall-limit=-1", "0"),
            ("--first-frame", "-1"): ("-1",),
            ("--n-frames", "0"): ("0",),
            ("--target-psnr", "-3"): ("-3", "above 0"),
            ("--collection", "mean"): ("target",),
            ("--collection", "p0", "--target-psnr", "30"): ("'p0'", "min", "p1 to p99"),
            ("--collection", "p5", "--target-psnr", "30", "--resume", "--csv", "x"):
            ("--collection", "--merge"),
            ("--target-psnr", "30", "--target-bpp", "0"): ("--target-bpp", "above 0"),
            ("--target-size", "30", "--frames"): ("--frames",),
            ("--resume",): ("--resume", "--csv"),
            ("--resume", "--csv", "-"): ("--resume", "--csv"),
            ("--csv", "-", "--json", "-"): ("--csv", "--json"),
            ("--merge", "--quality", "3"): ("--merge",),
            ("--merge", "--all-settings"): ("--merge",),
            ("--merge", "--exact-size"): ("--merge",),
            ("--plot", "curves.gif"): ("curves.gif", ".svg"),
            ("--metrics", "vmaf"): ("'vmaf'", "--encoder", "score"),
            ("--metrics", "vif"): ("'vif'", "psnr, ssim", "vmaf"),
            ("--metrics", ""): ("--metrics", "psnr-hvs"),
            ("--metrics", "ssim,,xpsnr"): ("--metrics",),
            ("--metrics", "ssim", "--target-ssim", "1.5"): ("1.5", "1"),
            ("--plot-metric", "ssim", "--metrics", "ssim"): ("--plot",),
            ("--merge", "--metrics", "ssim"): ("--merge",),
            ("--plot", "x.svg", "--plot-metric", "vif"): ("'vif'", "psnr"),
            ("--target-psnr", "40dB"): ("40dB", "above 0"),
            ("--no-such-option",): ("--no-such-option",)}.items():
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
