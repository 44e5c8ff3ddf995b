#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""scores.py PROGRAM [--all]: what `blockdct-measure score` says of files that ffmpeg has
mangled: shifted, trimmed, of another rate, size or depth, with edit lists, B-frames,
borders, HDR, variable rates. A lossless copy that is paired rightly has no error at all,
and one that is not paired rightly has; of others, ffmpeg's psnr is the oracle. Where
pairs would be guessed, an error names the cure. Without --all, some of them. TAP."""

import json
import os
import re
import shutil
import subprocess
import sys

from program import LIMIT, rows_of, run_here
from tap import Skip, case, run_cases

ALL = "--all" in sys.argv
LOSSLESS = "-c:v libx264 -qp 0 -preset ultrafast"
LOSSY = "-c:v libx264 -crf 28 -preset veryfast"


def ffmpeg(*arguments):
    done = subprocess.run(["ffmpeg", "-nostdin", "-y", "-hide_banner", *arguments], check=False,
                          timeout=LIMIT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-1500:]
    return done.stderr


def make(name, source, options):
    ffmpeg("-v", "error", *source, *options.split(), name)
    return name


def run(*arguments):
    """The rows, the exit status, and what is said beside them."""
    done = run_here(*arguments, "--csv", "-", "--quiet", "--backend", "cpu")
    return rows_of(done.stdout), done.returncode, done.stderr


def score(*arguments):
    rows, status, said = run("score", *arguments)
    return rows[0] if rows else {}, status, said


def psnr(reference, name, filters="[0:v][1:v]"):
    text = ffmpeg("-i", name, "-i", reference, "-lavfi", filters + "psnr", "-f", "null", "-")
    return float(re.search(r"average:(\S+)", text)[1])


def prepare():
    make("ref.mkv", ["-f", "lavfi", "-i", "mandelbrot=s=192x108:r=25:maxiter=400"],
         f"-t 4 -pix_fmt yuv420p {LOSSLESS}")
    make("long.mkv", ["-f", "lavfi", "-i", "testsrc2=s=96x54:r=25"],
         f"-t 24 -vf noise=alls=20:allf=t -pix_fmt yuv420p {LOSSLESS}")
    make("ten.mkv", ["-f", "lavfi", "-i", "mandelbrot=s=96x54:r=25:maxiter=400"],
         f"-t 1 -pix_fmt yuv420p10le {LOSSLESS}")
    make("crf.mp4", REF, LOSSY)


REF = ["-i", "ref.mkv"]
LONG = ["-i", "long.mkv"]
#: Lossless copies: what is done to them, and what the row says. The error is none.
EXACT = {
    "same.mkv": (REF, "-c copy", {"frames": 100, "offset": 0, "unmatched": 0}),
    # ffmpeg 7 gives the last frame in MP4 no duration, and qtdemux leaves it out.
    **{f"trim{n}.{kind}": (REF, f"-vf trim=start_frame={n},setpts=PTS-STARTPTS {LOSSLESS}",
                           {"offset": -n} | ({} if kind == "mp4" else
                                             {"frames": 100 - n, "unmatched": n}))
       for n, kind in ((1, "mkv"), (2, "mp4"), (5, "mkv"), (13, "mp4"), (40, "mkv"),
                       (74, "mkv"))},
    **{f"late{n}.{kind}": (REF, f"-vf tpad=start={n} {LOSSLESS}",
                           {"frames": 100, "offset": n, "unmatched": n})
       for n, kind in ((1, "mkv"), (3, "mp4"), (8, "mkv"), (25, "mp4"), (60, "mkv"))},
    **{f"end{n}.mkv": (REF, f"-vf trim=end_frame={100 - n} {LOSSLESS}",
                       {"frames": 100 - n, "offset": 0, "unmatched": n}) for n in (1, 10, 50)},
    **{f"far{n}.mkv": (LONG, f"-vf trim=start_frame={n},setpts=PTS-STARTPTS {LOSSLESS}",
                       {"frames": 600 - n, "offset": -n}) for n in (100, 249)},
    **{f"waits{n}.mkv": (LONG, f"-vf tpad=start={n} {LOSSLESS}",
                         {"frames": 600, "offset": n}) for n in (120, 245)},
    **{f"times{s}.{kind}": (REF, f"-output_ts_offset {s} -c copy", {"frames": 100, "offset": 0})
       for s, kind in ((0.5, "mkv"), (2, "mkv"), (10, "ts"), (1, "mp4"), (30, "mkv"))},
    **{f"b{n}.{kind}": (REF, f"{LOSSLESS} -bf {n}", {"frames": 100, "offset": 0})
       for n, kind in ((2, "mp4"), (3, "mkv"), (5, "mov"))},
    "stream.h264": (REF, f"{LOSSLESS} -bf 2", {"frames": 100, "offset": 0}),
    "bt.ts": (REF, f"{LOSSLESS} -bf 2", {"frames": 100, "offset": 0}),
    "vfr.mkv": (REF, "-vf select='not(eq(mod(n\\,7)\\,3))' -fps_mode vfr " + LOSSLESS,
                {"frames": 86, "unmatched": 14, "offset": 0}),
    "vfr.mp4": (REF, "-vf select='not(eq(mod(n\\,3)\\,1))' -fps_mode vfr " + LOSSLESS,
                {"frames": 67, "unmatched": 33, "offset": 0}),
    "fps50.mkv": (REF, f"-r 50 {LOSSLESS}", {"frames": 100, "offset": 0}),
    "twice.mkv": (REF, f"-vf fps=50:round=down {LOSSLESS}", {"frames": 100, "offset": 0}),
    "fps30.mkv": (REF, f"-vf fps=30:round=down {LOSSLESS}", {"frames": 20, "offset": 0}),
    "fps60.mp4": (REF, f"-vf fps=60:round=down {LOSSLESS}", {"frames": 20, "offset": 0}),
    "fps12.mkv": (REF, f"-vf framestep=2 -r 25/2 {LOSSLESS}", {"frames": 50, "offset": 0}),
    "fps5.mp4": (REF, f"-vf framestep=5 -r 5 {LOSSLESS}", {"frames": 20, "offset": 0}),
    "fps75.mp4": (REF, f"-r 75 {LOSSLESS}", {"frames": 100, "offset": 0}),
    "ffv1.mkv": (REF, "-c:v ffv1", {"frames": 100, "bits": ""}),
    "ten.mp4": (REF, f"-pix_fmt yuv420p10le {LOSSLESS}", {"frames": 100, "depth": 10}),
    "copy.y4m": (REF, "-pix_fmt yuv420p", {"frames": 100}),
    "ten.y4m": (REF, "-pix_fmt yuv420p10le -strict -1", {"frames": 100, "depth": 10}),
    "copy.avi": (REF, f"{LOSSLESS} -bf 0", {"frames": 100}),
}
QUICK = {"same.mkv", "trim13.mp4", "late8.mkv", "end10.mkv", "far249.mkv", "times2.mkv",
         "b2.mp4", "vfr.mkv", "fps30.mkv", "fps50.mkv", "ten.mp4", "ten.y4m"}


@case
def copies_without_loss_have_no_error():
    for name, (source, options, expected) in EXACT.items():
        if ALL or name in QUICK:
            make(name, source, options)
            row, status, said = score(source[-1], name)
            wanted = {"psnr": "inf", **{key: str(value) for key, value in expected.items()}}
            assert status == 0 and {key: row[key] for key in wanted} == wanted, (name, row, said)


@case
def figures_are_ffmpegs():
    kinds = {"crf.mp4": (LOSSY, ""), "crf.mkv": (LOSSY + " -bf 3", "")}
    if ALL:
        kinds |= {"hevc.mkv": ("-c:v libx265 -crf 30 -x265-params log-level=none", ""),
                  "vp9.webm": ("-c:v libvpx-vp9 -crf 40 -b:v 0 -cpu-used 8", ""),
                  "vp8.webm": ("-c:v libvpx -b:v 300k -cpu-used 8", ""),
                  "m4.avi": ("-c:v mpeg4 -q:v 6", ""), "m2.ts": ("-c:v mpeg2video -q:v 6", ""),
                  "fields.mkv": (LOSSY + " -flags +ilme+ildct", ""),
                  "av1.mkv": ("-c:v libsvtav1 -crf 45 -preset 12", ""),
                  "ten-bit.mkv": (LOSSY + " -pix_fmt yuv420p10le", "10")}
    for name, (options, deep) in kinds.items():
        if name != "crf.mp4":
            make(name, REF, options)
        row, status, said = score("ref.mkv", name)
        wanted = psnr("ref.mkv", name, "[1:v]format=yuv420p10le[r];[0:v][r]" if deep
                      else "[0:v][1:v]")
        assert status == 0 and abs(float(row["psnr"]) - wanted) < 6e-6 * 1.01, (
            name, row, wanted, said)
        sizes = subprocess.run(
            ["ffprobe", "-v", "error", "-show_entries", "packet=size", "-of", "csv=p=0",
             "-select_streams", "v", name], capture_output=True, text=True, check=True
            ).stdout.replace(",", "").split()
        packets = sum(map(int, sizes)) * 8
        # Parameter sets may be in the container alone, and in the stream with each key.
        own, headers = int(row["bits"]), int(row["bits-headers"])
        assert 0.99 * own <= packets <= 1.01 * own + headers, (name, own, headers, packets)
        assert abs(float(row["kbps"]) - (own + headers) / 4000) < 0.01, (name, row)


@case
def other_sizes_are_scaled_and_that_is_said():
    sizes = [("half.mkv", "96:54"), ("big.mkv", "384:216"), ("odd.mkv", "128:72")]
    for name, size in sizes if ALL else sizes[:1]:
        make(name, REF, f"-vf scale={size}:flags=bicubic {LOSSLESS}")
        row, status, said = score("ref.mkv", name)
        wanted = psnr("ref.mkv", name, "[0:v]scale=192:108:flags=bicubic[d];[d][1:v]")
        assert status == 0 and abs(float(row["psnr"]) - wanted) < 1, (row["psnr"], wanted, said)
        assert row["scaled"] == "catrom from " + size.replace(":", "x"), row["scaled"]
        row, status, said = score("ref.mkv", name, "--no-scale")
        assert status == 2 and "--no-scale" in said and not row, said


@case
def what_would_be_guessed_is_refused_with_a_cure():
    refused = {
        "crop.mkv": ("-vf crop=144:80:24:12", "crop"), "edge.mkv": ("-vf crop=192:96", "crop"),
        "pad.mkv": ("-vf pad=240:135:24:12", "border"),
        "tall.mkv": ("-vf scale=144:108,setsar=1", "shape"),
        "align.mkv": ("-vf pad=192:112", "border"),
        "pal.mkv": ("-r 24000/1001", "-r 25"), "film.mkv": ("-r 23.5", "-r 25"),
        "bars.mkv": ("-vf pad=192:144:0:18", "border")}
    for name, (options, cure) in list(refused.items())[:None if ALL else 3]:
        make(name, REF, f"{options} {LOSSLESS}")
        row, status, said = score("ref.mkv", name)
        assert status == 2 and not row and cure in said, (name, status, row, said)


@case
def light_and_range_are_warned_of():
    wide = "-x264-params colorprim=bt2020:colormatrix=bt2020nc:transfer="
    kinds = {"pq.mkv": (wide + "smpte2084", "HDR (PQ) against SDR"),
             "hlg.mkv": (wide + "arib-std-b67", "HDR (HLG) against SDR"),
             "full.mkv": ("-color_range pc", "full range against limited")}
    for name, (options, note) in list(kinds.items())[:None if ALL else 1]:
        make(name, REF, f"{options} {LOSSLESS}")
        row, status, said = score("ref.mkv", name)
        assert status == 0 and note in row["notes"], (name, row, said)


@case
def limits_are_for_a_gate():
    row, status, _ = score("ref.mkv", "crf.mp4")
    assert status == 0
    limit = str(float(row["psnr"]) + 0.01)
    _, status, said = score("ref.mkv", "crf.mp4", "--min-psnr", limit)
    assert status == 1 and "below" in said, said
    assert score("ref.mkv", "crf.mp4", "--min-frame-psnr", row["psnr-min"][:6])[1] == 0
    assert score("ref.mkv", "crf.mp4", "--min-ssim", "0.9999")[1] == 1


@case
def what_does_not_fit_is_noted():
    make("else.mkv", ["-f", "lavfi", "-i", "testsrc2=s=192x108:r=25"], f"-t 4 {LOSSY}")
    row, status, said = score("ref.mkv", "else.mkv")
    assert status == 0 and "do not seem to show the same" in row["notes"], (row, said)
    _, status, said = score("ref.mkv", "none.mkv")
    assert status == 2 and "no such file" in said
    _, status, said = score("https://example.org/a.mp4", "ref.mkv")
    assert status == 2 and "an address" in said, said


@case
def the_worst_frames_are_pictures():
    score("ref.mkv", "crf.mp4", "--worst", "2", "--pictures", "pictures")
    names = sorted(os.listdir("pictures"))
    assert len(names) == 2 and all(re.fullmatch(r"crf.mp4-\d{6}.png", n) for n in names)
    size = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "stream=width,height",
                           "-of", "csv=p=0", "pictures/" + names[0]], capture_output=True,
                          text=True, check=True).stdout.strip()
    assert size == "576,108", size


@case
def vmaf_is_that_of_imageio_ffmpeg():
    try:
        import imageio_ffmpeg
    except ImportError as reason:
        raise Skip(f"{reason}: pip install imageio-ffmpeg") from None
    row, status, said = score("ref.mkv", "crf.mp4", "--metrics", "vmaf")
    assert status == 0, said
    text = subprocess.run([imageio_ffmpeg.get_ffmpeg_exe(), "-i", "crf.mp4", "-i", "ref.mkv",
                           "-lavfi", "libvmaf", "-f", "null", "-"], capture_output=True,
                          text=True, check=False).stderr
    wanted = float(re.search(r"VMAF score: (\S+)", text)[1])
    assert abs(float(row["vmaf"]) - wanted) < 2e-6, (row["vmaf"], wanted)
    # Of an encoder, it is that of the encoded file.
    line = "x264enc pass=qual quantizer=40 speed-preset=1 threads=1"
    subprocess.run(f"gst-launch-1.0 -q filesrc location=ref.mkv ! decodebin ! {line} ! h264parse ! "
                   "matroskamux ! filesink location=enc.mkv", shell=True, check=True, timeout=LIMIT)
    rows = run("table", "ref.mkv", "--encoder", line.replace("40", "{crf}"), "--crf", "40",
               "--metrics", "vmaf")[0]
    assert abs(float(rows[0]["vmaf"]) - float(
        score("ref.mkv", "enc.mkv", "--metrics", "vmaf")[0]["vmaf"])) < 1e-6, rows
    # Not every frame has its partner: those behind the end have no effect.
    make("cut.mkv", REF, "-vf trim=end_frame=30 " + LOSSY)
    row, status, said = score("ref.mkv", "cut.mkv", "--metrics", "vmaf")
    assert status == 0 and row["frames"] == "30", said
    make("holes.mkv", *EXACT["vfr.mkv"][:2])
    _, status, said = score("ref.mkv", "holes.mkv", "--metrics", "vmaf")
    assert status == 2 and "-vf fps=" in said, said


def register_vmaf():
    """What the element of GStreamer 1.28 writes, of numbers instead of figures."""
    from blockdct_measure.gst import GObject, Gst

    class Vmaf(Gst.Bin):
        __gstmetadata__ = "vmaf", "Filter", "a test's", "a test"
        results_filename = GObject.Property(type=str)

        def __init__(self):
            super().__init__()
            self.inner = Gst.ElementFactory.make("blockdctcompare")
            self.add(self.inner)
            for name in "ref_sink", "dist_sink", "src":
                self.add_pad(Gst.GhostPad.new(name, self.inner.get_static_pad(name)))
            self.count = 0
            self.inner.get_static_pad("src").add_probe(
                Gst.PadProbeType.BUFFER | Gst.PadProbeType.EVENT_DOWNSTREAM, self.note)

        def note(self, _, info):
            if info.type & Gst.PadProbeType.BUFFER:
                self.count += 1
            elif info.get_event().type == Gst.EventType.EOS:
                with open(self.results_filename, "w", encoding="utf-8") as file:
                    json.dump({"frames": [{"metrics": {"vmaf": i}} for i in range(self.count)]},
                              file)
            return Gst.PadProbeReturn.OK
    Gst.Element.register(None, "vmaf", 0, GObject.type_register(Vmaf))


@case
def vmaf_is_that_of_gstreamers_element():
    register_vmaf()
    row, status, said = score("ref.mkv", "crf.mp4", "--metrics", "vmaf")
    assert status == 0 and (row["vmaf"], row["vmaf-min"]) == ("49.5", "0.0"), (row, said)


if shutil.which("ffmpeg"):
    run_cases(prepare)
else:
    print("1..0 # SKIP ffmpeg is missing: install ffmpeg")
