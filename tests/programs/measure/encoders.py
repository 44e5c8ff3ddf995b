#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""encoders.py PROGRAM [--no-element]

blockdct-measure's --encoder: x264's PSNR against ffmpeg's psnr filter on the same
stream, its bits against the stream's slices, BD-rates against numpy's polynomials,
and what becomes of encoders that fail. Speaks TAP."""

import csv
import functools
import io
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from program import (ELEMENT, LIMIT, PLOT, PROGRAM, have, launch, need, read, rows_of, run,
                     skip_without, table, write)
from tap import Skip, case, run_cases

PACKAGES = {"x264enc": "gstreamer1.0-plugins-ugly", "avdec_h264": "gstreamer1.0-libav",
            "y4menc": "gstreamer1.0-plugins-bad", "y4mdec": "gstreamer1.0-plugins-bad"}
CLIPS = {"zones.y4m": "zone-plate kx2=12 ky2=8 kt=3 kxt=2",
         "bars.y4m": "smpte horizontal-speed=7"}
# Start codes, as the test counts units behind them; and a short lookahead.
X264 = "x264enc rc-lookahead=5 ! capsfilter caps=video/x-h264,stream-format=byte-stream"
QPS = ("21", "30", "39")
FAST = "x264enc speed-preset=ultrafast"


def make_files():
    for name, pattern, frames, width, height in (*(
            (name, pattern, 6, 192, 176) for name, pattern in CLIPS.items()),
            ("small.y4m", CLIPS["zones.y4m"], 4, 96, 80)):
        launch(f"videotestsrc num-buffers={frames} pattern={pattern} ! video/x-raw,format=I420,"
               f"width={width},height={height},framerate=30000/1001 ! y4menc ! "
               f"filesink location={name}")


def encode(name, qp):
    """The same stream, made by a pipeline."""
    launch(f"filesrc location={name} ! queue ! y4mdec !",
           X264.replace("x264enc", f"x264enc pass=quant quantizer={qp}"),
           "! filesink location=stream.h264")
    return read("stream.h264")


def slices(stream):
    """Bits of the NAL units that are slices, each with its start code."""
    starts = [match.start() for match in re.finditer(b"\0?\0\0\1", stream)] + [len(stream)]
    units = [stream[a:b] for a, b in zip(starts, starts[1:])]
    return 8 * sum(len(unit) for unit in units
                   if unit[unit.index(b"\1") + 1] & 31 in range(1, 6))


@case
def psnr_is_ffmpegs_and_bits_the_slices():
    if not shutil.which("ffmpeg"):
        raise Skip("ffmpeg is missing: install ffmpeg")
    rows = table(*CLIPS, "--encoder", X264, "--qp", ",".join(QPS))
    assert [(r["file"], r["qp"]) for r in rows] == [(c, q) for c in CLIPS for q in QPS]
    for row in rows:
        stream = encode(row["file"], row["qp"])
        log = run("-v", "info", "-i", "stream.h264", "-i", row["file"], "-lavfi", "psnr",
                  "-f", "null", "-", program="ffmpeg", stdin=subprocess.DEVNULL)[1]
        theirs = dict(re.findall(r"(y|u|v|average):([0-9.]+|inf)", log[log.index("PSNR y:"):]))
        for ours, name in ("psnr-y", "y"), ("psnr-u", "u"), ("psnr-v", "v"), ("psnr", "average"):
            assert f"{float(row[ours]):.6f}" == theirs[name], f"{row['file']} {ours} {theirs}"
        assert int(row["bits"]) == slices(stream), row
        assert int(row["bits"]) + int(row["bits-headers"]) == 8 * len(stream)
        assert int(row["file-size"]) == len(stream) and row["file-size-exact"] == "true"
        assert (row["encoder"], row["transform"], row["frames"]) == (X264, "", "6")


@case
def a_placeholder_sets_what_the_table_does():
    rows = [table("zones.y4m", "--encoder", line, "--qp", "25")
            for line in ("x264enc", "x264enc pass=quant quantizer={qp}")]
    rows[1][0]["encoder"] = "x264enc"
    assert rows[0] == rows[1]
    low, high = table("zones.y4m", "-e", FAST, "--bitrate", "100,900")
    assert (low["bitrate"], high["bitrate"]) == ("100", "900")
    assert int(low["bits"]) < int(high["bits"])


RIVALS = "x264enc", FAST
FIGURES = "psnr", "ssim"


@functools.cache
def bd_rates():
    """What the program prints, and its rows."""
    out = run("--quiet", "--csv", "rows.csv", "-t", "hevc-16x16", *CLIPS, "-e", RIVALS[0],
              "-e", RIVALS[1], "--qp", "20-40:4", "-m", "ssim")[0]
    return out, rows_of(read("rows.csv").decode())


def printed(encoder, where):
    """BD-rates of an encoder, in the order of the figures."""
    line, = (line for line in bd_rates()[0].splitlines()
             if re.match(rf"{encoder} +I420 .*{where}$", line))
    return [float(rate) for rate in re.findall(r"([-+0-9.]+)%", line)]


@case
def bd_rates_stand_below_the_table():
    out = bd_rates()[0]
    assert "BD-rate against hevc-16x16\n" in out
    # A table that is merged says the same.
    assert run("--merge", "rows.csv", "--json", "rows.json")[0] == out
    for encoder in RIVALS:
        for rates in zip(printed(encoder, "mean of 2 files"), *(printed(encoder, clip)
                                                                for clip in CLIPS)):
            assert abs(rates[0] - sum(rates[1:]) / 2) < 0.011, (encoder, rates)


@case
def what_turns_back_has_no_bd_rate():
    bd_rates()
    rows = rows_of(read("rows.csv").decode())
    for name in CLIPS:
        best, worst = (next(r for r in rows if (r["file"], r["encoder"], r["qp"])
                            == (name, RIVALS[0], qp)) for qp in ("20", "40"))
        best["bits"], worst["bits"] = worst["bits"], best["bits"]
    text = io.StringIO(newline="")
    table_of = csv.DictWriter(text, rows[0])
    table_of.writeheader()
    table_of.writerows(rows)
    lines = run("--merge", "-", input=text.getvalue())[0].splitlines()
    lines = [line for line in lines[lines.index("BD-rate against hevc-16x16"):]
             if re.match(rf"{RIVALS[0]} +I420 ", line)]
    assert lines and all(line.split()[2:4] == ["-", "-"] for line in lines), lines


@case
def bd_rates_are_those_of_polynomials():
    for clip in CLIPS:
        rows = [r for r in bd_rates()[1] if r["file"] == clip]
        for encoder in RIVALS:
            for ours, figure in zip(printed(encoder, clip), FIGURES, strict=True):
                curves = [[(float(r[figure]), math.log10(int(r["bits"] or r["bits-estimated"])))
                           for r in rows if r["encoder"] == name] for name in ("", encoder)]
                low = max(min(x for x, _ in curve) for curve in curves)
                high = min(max(x for x, _ in curve) for curve in curves)
                a, b = (np.diff(np.polyval(np.polyint(np.polyfit(*zip(*curve), 3)), (low, high)))
                        for curve in curves)
                theirs, = 100 * (10 ** ((b - a) / (high - low)) - 1)
                assert abs(ours - theirs) < 0.00501, f"{clip} {encoder} {figure}: {theirs}"


@case
def rows_stand_beside_ours():
    options = ("-t", "hevc-8x8,jpeg-8x8", "--quality", "50,80", "--qp", "22,32", "--frames",
               *CLIPS, "-m", "ssim,psnr-hvs,xpsnr")
    with_x264 = (*options, "-e", "x264enc")
    out, _ = run("--quiet", "--csv", "-", *with_x264)
    rows = rows_of(out)
    assert len(rows) == 2 * 6 * 7
    frames = [r for r in rows if r["encoder"] and r["frame"] and r["qp"] == "32"]
    sums = [r for r in rows if r["encoder"] and not r["frame"] and r["qp"] == "32"]
    for name in ("sse-y", "sse-v", "bits", "bits-headers", "sum-ssim-y"):
        assert sum(int(r[name]) for r in frames) == sum(int(r[name]) for r in sums), name
    # Of two runs, one table.
    parts = [run("--quiet", "--json", "-", *CLIPS, *some)[0] for some in (
        ("-e", "x264enc", "--qp", "22,32", *options[6:7], *options[9:]), options)]
    assert run("--merge", "-", "--csv", "-", input="".join(parts))[0] == out
    assert "transform" not in json.loads(parts[0].splitlines()[0])
    planar, woven = table("bars.y4m", "-e", "x264enc", "--qp", "30", "--format", "I420,NV12")
    assert [planar[n] for n in ("sse-u", "sse-v", "psnr")] == \
        [woven[n] for n in ("sse-u", "sse-v", "psnr")]
    if PLOT:
        run("--quiet", *options[:6], *CLIPS, "-e", "x264enc", "--plot", "plot.svg")


@case
def metrics_are_those_of_the_judge():
    figures = ("ssim", "ms-ssim-y", "psnr-hvs", "xpsnr-y", "psnr")
    row, = table("zones.y4m", "-e", "x264enc", "--qp", "30", "-m", "all")
    said = launch("blockdctcompare name=c view=single backend=cpu metrics=psnr+ssim+ms-ssim+"
                  "psnr-hvs+xpsnr ! fakesink filesrc location=zones.y4m ! queue ! y4mdec !",
                  "tee name=t ! queue ! c.ref_sink t. ! queue ! x264enc pass=quant quantizer=30 !"
                  " avdec_h264 ! c.dist_sink")
    pooled, = (fields for _, fields in said if fields.get("type") == "pooled")
    for name in figures:
        assert abs(float(row[name]) - pooled[name]) < 1e-6, f"{name}: {row[name]}, {pooled}"


@case
def metrics_that_a_format_lacks_are_named():
    need("jpegenc", "gstreamer1.0-plugins-good")
    err = run("--quiet", "small.y4m", "-e", "jpegenc", "--quality", "50,60", "-f", "GRAY8,I420",
              "-m", "ms-ssim,ssim")[1]
    for name in "GRAY8", "I420":
        assert err.count(f"no ms-ssim of {name}:") == 1, err


@case
def targets_choose_among_an_encoders_settings():
    rows = table("zones.y4m", "-e", FAST, "--qp", "20-40:5")
    for option, value, qp in (("psnr", rows[2]["psnr"], "30"), ("bpp", rows[1]["bpp"], "25"),
                              ("size", rows[3]["file-size"], "35")):
        row, = table("zones.y4m", "-e", FAST, "--qp", "20-40:5", f"--target-{option}", value)
        assert (row["qp"], row["target-met"]) == (qp, "true"), row
    for target, is_last in ("1", True), (rows[2]["psnr"], False):
        said = run("zones.y4m", "-e", FAST, "--qp", "20-40:5", "--target-psnr", target)[1]
        assert ("at the end of its range of --qp" in said) == is_last, said
    rows = table(*CLIPS, "-e", FAST, "--qp", "20-40:10")
    lows = [min(float(a["psnr"]), float(b["psnr"])) for a, b in zip(rows[:3], rows[3:])]
    for qp, low in enumerate(lows):
        chosen = table(*CLIPS, "-e", FAST, "--qp", "20-40:10", "--collection", "min",
                       "--target-psnr", str(low), "--target-size", "99999999")
        assert [(r["file"], r["qp"], r["target-met"]) for r in chosen] == \
            [(clip, str(20 + 10 * qp), "true") for clip in CLIPS], chosen


@case
def pictures_of_rgb_have_the_same_planes():
    need("pngenc", "gstreamer1.0-plugins-good")
    launch("videotestsrc num-buffers=1 ! video/x-raw,format=RGB,width=64,height=48 ! pngenc"
           " ! filesink location=rgb.png")
    rows = table("rgb.png", "-t", "jpeg-8x8", "-e", "x264enc", "--qp", "20")
    assert [r["format"] for r in rows] == ["I420", "I420"]
    rows = table("rgb.png", "-e", "x264enc", "--qp", "20", "--format", "Y444,I420")
    assert [r["format"] for r in rows] == ["Y444", "I420"]
    assert "--format" in run("rgb.png", "-e", "x264enc", "--qp", "20", "--chroma-subsampling",
                             "4:4:4", status=2)[1]


@case
def wrong_lines_are_refused():
    for line, numbers, said in (
            ("nosuchenc", (), "nosuchenc is not installed"),
            ("avenc_nosuch", (), "gstreamer1.0-libav"),
            ("x264enc ! nosuch", (), "nosuch is not installed"),
            ("x264enc quantiser={qp}", (), "quantizer"),
            ("x264enc quantizer=", (), "x264enc quantizer="),
            ("identity foo={qp}", (), "identity"),
            ("identity datarate={qp}", (), "no encoder"),
            ("x264enc", ("--qp", "40-60"), "0 to 50, not 51"),
            ("x264enc", ("--quality", "50"), "--qp"),
            ("x264enc quantizer={quality}", (), "--quality"),
            ("y4menc", (), "NAME={qp}"),
            ("videotestsrc ! jpegenc quality={quality}", ("--quality", "50"), "pad that takes"),
            ("x264enc ! fakesink", (), "pad that gives"),
            ("x264enc ! fakesink  fakesrc", (), "no decoder for ANY"),
            ("x264enc", ("--qp", "30", "-e", "x264enc"), "twice"),
            ("jpegenc", ("--quality", "50", "--preset", "slow"), "--preset has no effect: jpegenc"),
            ("x264enc", ("--qp", "30", "--quality", "50"), "--quality has no effect"),
            ("", (), "")):
        err = run("zones.y4m", "--encoder", line, *(numbers or ("--qp", "30")), status=2)[1]
        assert said in err and "CRITICAL" not in err, f"{line}: {err}"


@case
def a_format_that_is_refused():
    need("openh264enc", "gstreamer1.0-plugins-bad")
    out, err = run("--quiet", "--csv", "-", "zones.y4m", "-e", "openh264enc", "-e", "x264enc",
                   "--qp", "30", "--format", "Y444,I420", status=2)
    assert [(r["encoder"], r["format"]) for r in rows_of(out)] == \
        [("x264enc", "Y444"), ("openh264enc", "I420"), ("x264enc", "I420")]
    assert "openh264enc, qp 30: it does not accept Y444 192x176; it accepts I420" in err, err


BREAKS = "x264enc ! identity error-after=5"


@case
def an_error_in_the_middle():
    out, err = run("--quiet", "--csv", "-", *CLIPS, "-e", "x264enc", "-e", BREAKS, "-t",
                   "hevc-8x8", "--qp", "25,35", status=2)
    rows = rows_of(out)
    assert [r["encoder"] for r in rows] == ["", "", "x264enc", "x264enc"] * 2
    assert "zones.y4m" in err and "bars.y4m" in err and f"{BREAKS}, qp 35:" in err, err
    write("rows.csv", out[:len(out) * 2 // 3])
    run("--quiet", "--resume", "--csv", "rows.csv", *CLIPS, "-e", "x264enc", "-e", BREAKS, "-t",
        "hevc-8x8", "--qp", "25,35", status=2)
    assert read("rows.csv").decode() == out
    out, err = run("--quiet", "--csv", "-", "not-there.y4m", "zones.y4m", "-e", "x264enc",
                   "--qp", "25", status=2)
    assert [r["file"] for r in rows_of(out)] == ["zones.y4m"]
    assert err.count("not-there.y4m") == 1, err


# Nothing comes out of the first, not even the end; the others hang in a sleep that
# nothing ends, before and behind the encoder.
STALLING = ("x264enc ! valve drop=true",
            "identity sleep-time=4000000000 ! x264enc pass=quant quantizer={qp}",
            "x264enc ! identity sleep-time=4000000000")


@case
def an_encoder_that_stalls_is_given_up():
    with ThreadPoolExecutor() as pool:  # they sleep
        found = pool.map(lambda line: run("--quiet", "--csv", "-", *CLIPS, "-e", line, "-e",
                                          "x264enc", "--qp", "30", "--stall-limit", "5",
                                          status=2), STALLING)
    for line, (out, err) in zip(STALLING, found):
        assert [(r["file"], r["encoder"]) for r in rows_of(out)] == \
            [(clip, "x264enc") for clip in CLIPS], out
        for clip in CLIPS:
            assert f"{clip}: {line}, qp 30: it gave nothing for " in err, err


@case
def an_encoder_that_stalls_can_be_interrupted():
    with subprocess.Popen([PROGRAM, "table", "--quiet", "--csv", "stalled.csv", *CLIPS, "-e",
                           STALLING[2], "--qp", "30"]) as process:
        try:
            end = time.monotonic() + LIMIT
            while time.monotonic() < end and not (os.path.exists("stalled.csv")
                                                  and os.path.getsize("stalled.csv")):
                time.sleep(0.05)
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            assert process.wait(LIMIT / 2) == 130  # less than it would stall
        finally:
            process.kill()


@case
def other_encoders():
    done = []
    for line, option, values in (
            ("x265enc speed-preset=ultrafast", "--qp", "25,35"), ("openh264enc", "--qp", "25,35"),
            ("av1enc cpu-used=8", "--qp", "25,45"), ("vp8enc deadline=1", "--qp", "15,45"),
            ("vp9enc deadline=1", "--qp", "15,45"), ("theoraenc", "--quality", "20,40"),
            ("jpegenc", "--quality", "20,80"), ("mpeg2enc", "--qp", "5,25"),
            ("avenc_mpeg4", "--qp", "5,25")):
        if not have(line.split()[0]):
            print(f"# without {line.split()[0]}, which is not installed")
            continue
        first, last = table("small.y4m", "-e", line, option, values)
        coarse, fine = (first, last) if option == "--quality" else (last, first)
        assert int(fine["bits"]) > int(coarse["bits"]) > 0, line
        assert float(fine["psnr"]) > float(coarse["psnr"]) > 20, line
        done.append(line)
    assert done


if __name__ == "__main__":
    if not ELEMENT:
        print("1..0 # SKIP a plugin with sanitizers cannot be loaded")
        sys.exit(0)
    if not skip_without(PACKAGES):
        run_cases(make_files)
