#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""blockdctcompare behind real encoders, against numpy and ffmpeg.

A clip in motion goes through a tee: once to ref_sink as it is, once through an
encoder with its defaults (lookahead, B-frames) and a decoder to dist_sink, with
queues as they come. Both inputs are dumped behind the tee and the decoder. No frame
is unmatched, each is matched with the original it was made from, and no other
original is nearer. Its errors are counted again by numpy, and by ffmpeg's psnr filter
to each digit it prints. Its bits and those of headers add up to the stream.

A fragmented MP4 has no edit list, so that B-frames shift its pictures in time: the
element has to say by how many, and to be right when it is told so. Speaks TAP.

compare.py [NAME ...] runs those of CODERS that are named, or "fragmented mp4"."""

import csv
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs",
                                "measure"))
from tap import Skip, case, run_cases  # noqa: E402

try:
    import numpy as np
except ImportError:
    print("1..0 # SKIP numpy is missing: install python3-numpy")
    sys.exit(0)

if not shutil.which("gst-launch-1.0"):
    print("1..0 # SKIP gst-launch-1.0 is missing: install gstreamer1.0-tools")
    sys.exit(0)

WIDTH, HEIGHT, FRAMES = 322, 242, 75
BACKEND = os.environ.get("BLOCKDCT_TEST_BACKEND", "auto")
# s, for each program: what hangs; meson's limit for the whole test is not much more.
LIMIT = 500

# name: (format, encoder, decoder); all that Debian 12 packages for GStreamer.
CODERS = {
    "x264": ("I420", "x264enc", "avdec_h264"),
    "x264, 10 bits": ("I420_10LE", "x264enc", "avdec_h264"),
    "x264, 4:2:2": ("Y42B", "x264enc", "avdec_h264"),
    "x264 zerolatency": ("I420", "x264enc tune=zerolatency", "avdec_h264"),
    "x265": ("I420", "x265enc", "avdec_h265"),
    "x265, 10 bits": ("I420_10LE", "x265enc", "avdec_h265"),
    "openh264": ("I420", "openh264enc", "avdec_h264"),
    "av1": ("I420", "av1enc cpu-used=8", "av1dec"),
    "vp8": ("I420", "vp8enc deadline=1", "vp8dec"),
    "vp9": ("I420", "vp9enc deadline=1", "vp9dec"),
    "theora": ("I420", "theoraenc", "theoradec"),
    "jpeg": ("I420", "jpegenc", "jpegdec"),
    "mpeg4": ("I420", "avenc_mpeg4 max-bframes=2", "mpeg4videoparse ! avdec_mpeg4"),
    "mpeg2": ("I420", "avenc_mpeg2video max-bframes=2", "mpegvideoparse ! avdec_mpeg2video"),
    "mpeg2enc": ("I420", "mpeg2enc", "mpegvideoparse ! avdec_mpeg2video"),
}
SHAPES = {"I420": (1, 1, 8, "yuv420p"), "Y42B": (1, 0, 8, "yuv422p"),
          "I420_10LE": (1, 1, 10, "yuv420p10le")}


def need(line):
    """Skip the case without the elements of a line."""
    for name in (part.split()[0] for part in line.split("!")):
        if subprocess.run(["gst-inspect-1.0", "--exists", name], timeout=LIMIT).returncode != 0:
            kind = "libav" if re.match("av(enc|dec)_", name) else \
                "plugins-ugly" if name == "x264enc" else "plugins-good, -base and -bad"
            raise Skip(f"{name} is missing: install gstreamer1.0-{kind}")


def launch(line):
    """What gst-launch-1.0 says of a pipeline, which has to end well."""
    result = subprocess.run(["gst-launch-1.0", "--no-fault", "-m"] + line.split(), timeout=LIMIT,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert result.returncode == 0, result.stdout[-2000:]
    return result.stdout


def source(form):
    return (f"videotestsrc num-buffers={FRAMES} pattern=zone-plate kx2=8 ky2=8 kt=3 kxt=2 "
            f"! video/x-raw,format={form},width={WIDTH},height={HEIGHT},framerate=30000/1001")


def works(form, encoder):
    """Whether an encoder takes a frame at all. Debian 12's avenc_mpeg2video sees a
    framerate of 1000000000/1, refuses it, and sometimes crashes or hangs."""
    line = (f"videotestsrc num-buffers=3 ! video/x-raw,format={form},width={WIDTH},"
            f"height={HEIGHT},framerate=30000/1001 ! {encoder} ! fakesink")
    try:
        return subprocess.run(["gst-launch-1.0", "--no-fault", "-q"] + line.split(),
                              timeout=60, stderr=subprocess.DEVNULL).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def planes(form):
    sub_x, sub_y, depth, _ = SHAPES[form]
    width, height = (WIDTH + sub_x) >> sub_x, (HEIGHT + sub_y) >> sub_y
    return [(WIDTH, HEIGHT), (width, height), (width, height)], depth


def read(path, form):
    """Frames as lists of planes; GStreamer's rows are padded to 4 bytes, and
    planar 4:2:0 has an even number of them."""
    shapes, depth = planes(form)
    word = 1 if depth == 8 else 2
    frames, data, at = [], open(path, "rb").read(), 0
    while at < len(data):
        frame = []
        for width, height in shapes:
            stride = -(-width * word // 4) * 4
            raw = np.frombuffer(data, np.uint8, stride * height, at).reshape(height, stride)
            frame.append(np.ascontiguousarray(raw[:, :width * word]).view(
                np.uint8 if word == 1 else "<u2"))
            at += stride * height
        frames.append(frame)
    return frames


QUEUE = "queue max-size-buffers=0 max-size-bytes=0 max-size-time=0"


def compare(properties=""):
    return (f"blockdctcompare name=c backend={BACKEND} view=single stats-file=stats.csv "
            f"{properties} ! fakesink ")


def table():
    with open("stats.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def run(form, encoder, decoder):
    """What is said; stats-file, the coded stream and both dumps lie there."""
    return launch(
        compare() + source(form) +
        " ! tee name=t t. ! queue ! c.ref_sink "
        f"t. ! queue ! {encoder} ! tee name=e ! queue ! blockdctcoded ! {decoder} "
        f"! video/x-raw,format={form} ! tee name=d e. ! queue ! filesink location=coded "
        f"d. ! queue ! c.dist_sink t. ! {QUEUE} ! filesink location=ref "
        f"d. ! {QUEUE} ! filesink location=dist")


def run_file(name, properties=""):
    """The same of a file, with the original made again."""
    return launch(
        compare(properties) + source("I420") + " ! tee name=t t. ! queue ! c.ref_sink "
        f"t. ! {QUEUE} ! filesink location=ref "
        f"filesrc location={name} ! decodebin ! video/x-raw,format=I420 ! tee name=d "
        f"d. ! queue ! c.dist_sink d. ! {QUEUE} ! filesink location=dist")


def unmatched(log):
    pooled = re.search(r"type=\(string\)pooled.*unmatched=\(guint64\)(\d+)", log)
    assert pooled, "no pooled message"
    return int(pooled[1])


def errors(a, b):
    return [int(np.square(x.astype(np.int64) - y.astype(np.int64)).sum()) for x, y in zip(a, b)]


def check_numpy(rows, ref, dist, depth):
    peak = (1 << depth) - 1
    for n, row in enumerate(rows):
        sse = errors(ref[n], dist[n])
        samples = [plane.size for plane in ref[n]]
        for name, s, count in zip(("y", "u", "v"), sse, samples):
            if float(row[f"mse-{name}"]) != s / count:
                raise ValueError(f"frame {n}: mse-{name} {row[f'mse-{name}']}, numpy {s / count}")
        mse = sum(sse) / sum(samples)
        if float(row["mse"]) != mse:
            raise ValueError(f"frame {n}: mse {row['mse']}, numpy {mse}")
        psnr = 10 * np.log10(peak * peak / mse) if mse else float("inf")
        if mse and abs(float(row["psnr"]) - psnr) > 1e-9:
            raise ValueError(f"frame {n}: psnr {row['psnr']}, numpy {psnr}")


def check_own(ref, dist):
    """No original is nearer than a frame's own."""
    for n, frame in enumerate(dist):
        near = {k: errors([ref[k][0]], [frame[0]])[0]
                for k in range(max(n - 3, 0), min(n + 4, len(ref)))}
        if min(near, key=near.get) != n:
            raise ValueError(f"frame {n} is nearest to original {min(near, key=near.get)}")


def check_bits(rows, stream):
    """x264 sends parameter sets and SEI in the buffer of its first frame, others in
    buffers of their own."""
    sums = [sum(int(row[name]) for row in rows) for name in ("bits", "bits-headers")]
    if sum(sums) != 8 * stream:
        raise ValueError(f"bits {sums[0]} and {sums[1]}, the stream has {8 * stream}")
    if any(int(row["bits"]) == 0 for row in rows):
        raise ValueError("a frame has no bits")


def write_planar(path, frames):
    with open(path, "wb") as file:
        for frame in frames:
            for plane in frame:
                file.write(plane.tobytes())


def check_ffmpeg(rows, form, ref, dist):
    for name, frames in (("ref", ref), ("dist", dist)):
        write_planar(f"{name}.yuv", frames)
    inputs = []
    for name in ("dist", "ref"):
        inputs += ["-f", "rawvideo", "-pix_fmt", SHAPES[form][3], "-s", f"{WIDTH}x{HEIGHT}",
                   "-i", f"{name}.yuv"]
    subprocess.run(["ffmpeg", "-v", "error", *inputs, "-lavfi", "psnr=stats_file=psnr.log",
                    "-f", "null", "-"], check=True, stdin=subprocess.DEVNULL, timeout=LIMIT)
    with open("psnr.log", encoding="utf-8") as file:
        lines = file.read().splitlines()
    if len(lines) != len(rows):
        raise ValueError(f"{len(rows)} rows, ffmpeg has {len(lines)} frames")
    for n, (row, line) in enumerate(zip(rows, lines)):
        theirs = dict(re.findall(r"(\w+):(\S+)", line))
        for ours, name in (("mse", "mse_avg"), ("mse-y", "mse_y"), ("mse-u", "mse_u"),
                           ("mse-v", "mse_v"), ("psnr", "psnr_avg"), ("psnr-y", "psnr_y")):
            value = f"{float(row[ours]):.2f}"
            if value != theirs[name]:
                raise ValueError(f"frame {n}: {ours} {value}, ffmpeg {theirs[name]}")


def check(form, encoder, decoder):
    need(f"{encoder} ! {decoder}")
    if not works(form, encoder):
        raise Skip(f"this {encoder.split()[0]} takes no frame")
    log = run(form, encoder, decoder)
    rows, ref, dist = table(), read("ref", form), read("dist", form)
    if not len(rows) == len(ref) == len(dist) == FRAMES:
        raise ValueError(f"{len(rows)} pairs of {len(ref)} and {len(dist)} frames")
    assert unmatched(log) == 0 and "fits better" not in log, f"{unmatched(log)} unmatched"
    check_numpy(rows, ref, dist, SHAPES[form][2])
    check_own(ref, dist)
    check_bits(rows, os.path.getsize("coded"))
    print(f"# {FRAMES} frames, mean PSNR-Y {np.mean([float(r['psnr-y']) for r in rows]):.2f}")
    if not shutil.which("ffmpeg"):
        raise Skip("all is right but by ffmpeg, which is missing: install ffmpeg")
    check_ffmpeg(rows, form, ref, dist)


def fragmented_mp4():
    """The first pair of a shifted file is not that of the reference's first frame.
    The decoder loses as many pictures, which the shift moves behind the end."""
    need("x264enc ! mp4mux ! qtdemux ! avdec_h264")
    launch(source("I420") + " ! x264enc bframes=2 ! tee name=e ! queue "
           "! mp4mux ! filesink location=whole.mp4 "
           "e. ! queue ! mp4mux fragment-duration=500 ! filesink location=fragments.mp4")
    for name, options, shift in (("whole.mp4", "", 0), ("fragments.mp4", "", 2),
                                 ("fragments.mp4", "offset=2", 0)):
        log = run_file(name, options)
        rows, ref, dist = table(), read("ref", "I420"), read("dist", "I420")
        if shift and rows[0]["timestamp"] == "0":
            raise Skip("this mp4mux does not shift what it writes in fragments")
        lost = 0 if name == "whole.mp4" else 2
        assert (len(rows), len(dist), unmatched(log)) == (FRAMES - lost, FRAMES - lost, lost), \
            f"{name} {options}: {len(rows)} pairs, {len(dist)} frames, {unmatched(log)} unmatched"
        advice = re.findall(r"^WARNING: .*: dist_sink: (\S+) fits better", log, re.M)
        assert advice == ([f"offset={shift}"] if shift else []), f"{name} {options}: {advice}"
        # Shifted, each picture meets the original of another time.
        check_numpy(rows, ref[shift:], dist, 8)
        check_own(ref, dist)


def encoder_case(name):
    def run_it():
        check(*CODERS[name])
    run_it.__name__ = name
    case(run_it)


for wanted in sys.argv[1:] or [*CODERS, "fragmented mp4"]:
    if wanted == "fragmented mp4":
        case(fragmented_mp4)
    else:
        encoder_case(wanted)
run_cases(lambda: None)
