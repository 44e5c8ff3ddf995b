#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""blockdct's hevc-16x16 and hevc-32x32 against x265 as a whole, with flat,
default and a file's scaling lists, sample for sample.

Nothing is beside the first block of a picture, so that it is predicted by
mid-grey, whatever x265 chooses: a video of pictures of one block is then what
`hevc-*` does to each of them, if all that an encoder does beside is turned off.
ffmpeg has it encoded, and decodes it. Speaks TAP."""

import os
import random
import shutil
import subprocess
import sys
import tempfile

BACKEND = os.environ.get("BLOCKDCT_TEST_BACKEND", "auto")
FRAMES = 40
# GStreamer's, ffmpeg's, planes' (log2) subsampling
FORMATS = {
    ("I420", 8): ("i420", "yuv420p", (0, 1, 1)),
    ("Y444", 8): ("y444", "yuv444p", (0, 0, 0)),
    ("I420", 10): ("i420-10le", "yuv420p10le", (0, 1, 1)),
    ("Y444", 12): ("y444-12le", "yuv444p12le", (0, 0, 0)),
}
QPS = (9, 26, 41)
PLAIN = ("keyint=1:ipratio=1:cbqpoffs=0:crqpoffs=0:aq-mode=0:cutree=0:"
         "rdoq-level=0:psy-rd=0:psy-rdoq=0:signhide=0:deblock=0:sao=0:"
         "strong-intra-smoothing=0:log-level=none")


def run(command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE).stdout


def skip(reason):
    print(f"1..0 # SKIP {reason}")
    sys.exit(0)


def make_frames(size, depth, shifts, rng):
    """Blocks of slopes, waves and noise, more or less of each."""
    peak, word = (1 << depth) - 1, 1 if depth == 8 else 2
    data = bytearray()
    for frame in range(FRAMES):
        for shift in shifts:
            n = size >> shift
            a, b = rng.uniform(-1, 1), rng.uniform(-1, 1)
            base, noise = rng.random(), frame % 4 / 6
            wave = [rng.choice((-1, 1)) * (frame % 5) / 10 for _ in range(n)]
            for y in range(n):
                for x in range(n):
                    v = base + (a * x + b * y) / n + wave[x] * wave[y]
                    v += rng.uniform(-noise, noise)
                    v = min(max(round(v * peak), 0), peak)
                    data += v.to_bytes(word, "little")
    return bytes(data)


def make_lists(rng):
    """A scaling list file: as HM's names and x265's order have it."""
    text = ""
    for size in (4, 8, 16, 32):
        for mode in ("INTRA", "INTER"):
            for component in ("LUMA", "CHROMAU", "CHROMAV")[:1 if size == 32 else 3]:
                n = 4 if size == 4 else 8
                name = f"{mode}{size}X{size}_{component}"
                text += name + " =\n"
                for _ in range(n):
                    row = [str(rng.randint(8, 90)) for _ in range(n)]
                    text += ",".join(row) + ",\n"
                if size > 8:
                    text += f"{name}_DC =\n{rng.randint(8, 60)}\n"
    return text


def x265(folder, size, fmt, lists):
    """What is decoded at each of QPS, by QP: one ffmpeg encodes for all of them, one
    decodes, as starting takes it longer than the work does."""
    options = f"{PLAIN}:ctu={size}:min-cu-size={size}:max-tu-size={size}"
    if lists != "flat":
        options += ":scaling-list=" + lists
    raw = ["-f", "rawvideo", "-pix_fmt", fmt]
    encode = ["ffmpeg", "-y", *raw, "-s", f"{size}x{size}", "-i", os.path.join(folder, "in")]
    inputs, outputs = [], []
    for i, qp in enumerate(QPS):
        name = os.path.join(folder, str(qp))
        encode += ["-c:v", "libx265", "-x265-params", f"{options}:qp={qp}", "-f", "hevc",
                   name + ".hevc"]
        inputs += ["-i", name + ".hevc"]
        outputs += ["-map", f"{i}:v", *raw, name + ".raw"]
    run(encode)
    run(["ffmpeg", "-y", *inputs, *outputs])
    return {qp: read(os.path.join(folder, f"{qp}.raw")) for qp in QPS}


def read(path):
    with open(path, "rb") as file:
        return file.read()


def blockdct(folder, size, fmt, qp, lists):
    out = os.path.join(folder, "out")
    settings = ["scaling-list=" + lists]
    if lists not in ("flat", "default"):
        settings = ["scaling-list=file", "scaling-list-file=" + lists]
    run(["gst-launch-1.0", "-q", "filesrc", "location=" + os.path.join(folder, "in"),
         "!", "rawvideoparse", "format=" + fmt, f"width={size}", f"height={size}", "!",
         "blockdct", "backend=" + BACKEND, f"transform=hevc-{size}x{size}", f"qp={qp}",
         *settings, "!", "filesink", "location=" + out])
    return read(out)


def compare(folder, size, kind, lists):
    """Samples that were compared, and those that differ."""
    depth = kind[1]
    ours_format, theirs_format, shifts = FORMATS[kind]
    compared = differ = 0
    rng = random.Random(f"{size}{kind}{lists == 'flat'}")
    with open(os.path.join(folder, "in"), "wb") as file:
        file.write(make_frames(size, depth, shifts, rng))
    decoded = x265(folder, size, theirs_format, lists)
    for qp, theirs in decoded.items():
        ours = blockdct(folder, size, ours_format, qp, lists)
        word = 1 if depth == 8 else 2
        assert len(ours) == len(theirs)
        compared += len(ours) // word
        if ours != theirs:
            differ += sum(ours[i:i + word] != theirs[i:i + word]
                          for i in range(0, len(ours), word))
    return compared, differ


def main():
    for program, package in (("ffmpeg", "ffmpeg"),
                             ("gst-launch-1.0", "gstreamer1.0-tools")):
        if not shutil.which(program):
            skip(f"{program} is missing: install {package}")
    if b"libx265" not in run(["ffmpeg", "-encoders"]):
        skip("this ffmpeg has no libx265")
    help_text = run(["ffmpeg", "-h", "encoder=libx265"])
    depths = {kind[1] for kind, names in FORMATS.items()
              if names[1].encode() in help_text.split()}
    print("TAP version 13")
    n = n_bad = samples = total = 0
    with tempfile.TemporaryDirectory() as folder:
        own = os.path.join(folder, "lists.txt")
        with open(own, "w", encoding="ascii") as file:
            file.write(make_lists(random.Random(1)))
        for size in (16, 32):
            for kind in FORMATS:
                for lists in ("flat", "default", own):
                    n += 1
                    name = (f"{n} - hevc-{size}x{size} {kind[0]}, {kind[1]} bits, "
                            f"{os.path.basename(lists)}")
                    if kind[1] not in depths:
                        print(f"ok {name} # SKIP this libx265 has not these bits")
                        continue
                    compared, differ = compare(folder, size, kind, lists)
                    samples += compared
                    total += differ
                    n_bad += differ > 0
                    print(f"{'not ok' if differ else 'ok'} {name}", flush=True)
                    if differ:
                        print(f"# {differ} of {compared} samples differ")
    print(f"1..{n}")
    print(f"# compared: x265, through ffmpeg: {samples} samples, {total} differ")
    sys.exit(n_bad > 0)


main()
