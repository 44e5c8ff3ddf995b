#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""encoders.py [FOLDER]: blockdct's transforms beside encoders of still pictures.

Prints the tables of docs/evidence/fidelity.md and docs/design/quadtree.md from PSNR and
bits of x265, SVT-AV1 and libaom, by ffmpeg, and of blockdct, on pictures without a detectable JPEG
grid. pip and apt-get download these into FOLDER, or into a temporary one;
barbara.pgm is one more where BLOCKDCT_DATA has it. Only their luma is coded, and each
side gets the same samples. Bits are those of the coded picture: no option text, no
parameter sets. It needs numpy, Pillow and ffmpeg, and the module as Python finds it
(meson devenv). No test: run by hand."""

import glob
import math
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

import blockdct
import numpy as np

WHEEL = "scikit-image==0.26.0"
DEB = "lomiri-wallpapers-16.04"
# Where it is in the wheel or in the package, and its licence there.
PICTURES = (
    (WHEEL, "skimage/data/astronaut.png", "public domain"),
    (WHEEL, "skimage/data/brick.png", "CC0"),
    (WHEEL, "skimage/data/camera.png", "CC0"),
    (WHEEL, "skimage/data/chelsea.png", "CC0"),
    (WHEEL, "skimage/data/clock_motion.png", "public domain"),
    (WHEEL, "skimage/data/coffee.png", "CC0"),
    (WHEEL, "skimage/data/coins.png", "no known restrictions"),
    (WHEEL, "skimage/data/grass.png", "CC0"),
    (WHEEL, "skimage/data/gravel.png", "CC0"),
    (WHEEL, "skimage/data/ihc.png", "no known restrictions"),
    (WHEEL, "skimage/data/text.png", "public domain"),
    (DEB, "usr/share/backgrounds/Bridge_by_Sander_Klootwijk.jpg", "CC-BY-SA-4.0"),
    (DEB, "usr/share/backgrounds/Dragonfly_by_Bolly.jpg", "CC-BY-SA-4.0"),
    (DEB, "usr/share/backgrounds/Picture_0B_by_freespace.jpg", "CC-BY-4.0"),
    (DEB, "usr/share/backgrounds/Wine_by_Jakkub_Mede.jpg", "CC-BY-4.0"),
    (DEB, "usr/share/backgrounds/aitzgorri_by_Aitzol_Berasategi.jpg", "CC-BY-4.0"),
    (DEB, "usr/share/backgrounds/free_by_Peter_Nerlich.jpg", "CC-BY-SA-4.0"),
    (DEB, "usr/share/backgrounds/friends_by_Aitzol_Berasategi.jpg", "CC-BY-4.0"),
    (DEB, "usr/share/backgrounds/greentock_by_Peter_Nerlich.jpg", "CC-BY-SA-4.0"),
    (DEB, "usr/share/backgrounds/life_by_Aitzol_Berasategi.jpg", "CC-BY-4.0"),
    (DEB, "usr/share/backgrounds/picosdeeuropa_by_Aitzol_Berasategi.jpg", "CC-BY-4.0"),
    (DEB, "usr/share/backgrounds/seeding_by_Clements_Engelhardt.jpg", "CC0"),
    (DEB, "usr/share/backgrounds/sunset_by_Aitzol_Berasategi.jpg", "CC-BY-4.0"),
)
# The longest side, and what both sides are multiples of, so that nobody pads.
LONGEST, MULTIPLE = 768, 32
# A phase that stands out by more is a grid: clean pictures have 1% or less, JPEGs,
# the finest ones too, 13% or more.
GRID = 5

QPS = (22, 27, 32, 37, 42)
FIXED = ("hevc-4x4", "hevc-8x8", "hevc-16x16", "hevc-32x32")
TREE = "hevc-quadtree"
DEADZONE = 1 / 6
REFERENCE = "x265 medium"
# Without a wavefront, so that bits do not depend on the number of processors.
X265 = "qp={}:keyint=1:ipratio=1:info=0:wpp=0:frame-threads=1:log-level=none"
SVT = ("tune=1:use-fixed-qindex-offsets=1:key-frame-qindex-offset=0:"
       "key-frame-chroma-qindex-offset=0")


def x265(preset, more=""):
    return ("gray", "hevc", QPS, "-c:v", "libx265", "-preset", preset, "-tune", "psnr",
            "-x265-params", X265 + more)


# The samples' format, the stream's, settings, and ffmpeg's options for one of these.
# SVT-AV1 has no grey: its chroma is mid-grey.
ENCODERS = {
    REFERENCE: x265("medium"),
    # Without what blockdct has not either, so that prediction is what remains.
    "x265 medium, no loop filters, no sign hiding": x265(
        "medium", ":deblock=0:sao=0:signhide=0"),
    "x265 slow": x265("slow"),
    "SVT-AV1, preset 4": (
        "yuv420p", "obu", (16, 26, 36, 46, 56), "-c:v", "libsvtav1", "-preset", "4",
        "-qp", "{}", "-svtav1-params", SVT),
    "libaom, cpu-used 2": (
        "gray", "obu", (14, 25, 36, 46, 56), "-c:v", "libaom-av1", "-usage", "allintra",
        "-still-picture", "1", "-cpu-used", "2", "-crf", "{}", "-b:v", "0", "-aom-params",
        "tune=psnr:deltaq-mode=0"),
}
TRANSFORMS = {
    **{name: (QPS, "qp", {"transform": name})
       for name in ("hevc-dst-4x4", *FIXED, TREE)},
    **{f"{name}, deadzone": (QPS, "qp", {"transform": name, "deadzone": DEADZONE})
       for name in (*FIXED, TREE)},
    "jpeg-8x8": ((10, 25, 50, 75, 92), "quality", {}),
}


def run(*command, **options):
    done = subprocess.run(command, check=False, capture_output=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n"
                 + done.stderr.decode(errors="replace"))
    return done.stdout


def luma(picture):
    """A Pillow image's luma, as JPEG defines it, with sides that are multiples of MULTIPLE;
    a JPEG scaled down by 3 or more, each sample the mean of a square."""
    y = np.asarray(picture.convert("L")).astype(int)
    if picture.format == "JPEG":
        n = max(3, -(-max(y.shape) // LONGEST))
        height, width = (side // n for side in y.shape)
        y = y[:height * n, :width * n].reshape(height, n, width, n).mean((1, 3)).round()
    height, width = (side // MULTIPLE * MULTIPLE for side in y.shape)
    return y[:height, :width].astype(np.uint8)


def grid(y):
    """Whether samples lie on a grid of 8 x 8 blocks, as JPEG leaves it: for each of the
    64 places where one may begin, the DCT's coefficients that round to 0 are counted.
    By how much the place with the most stands out above the next, in % of the mean."""
    k = np.arange(8)
    dct = np.cos(np.pi * (2 * k + 1) * k[:, None] / 16) / 2
    dct[0] /= math.sqrt(2)
    height, width = ((side - 8) // 8 for side in y.shape)
    zeros = []
    for i in range(64):
        blocks = y[i // 8:][:height * 8, i % 8:][:, :width * 8].astype(float)
        blocks = blocks.reshape(height, 8, width, 8)
        coefficients = np.einsum("ij,ajbk,lk->abil", dct, blocks, dct, optimize=True)
        zeros.append((abs(coefficients) < .5).sum())
    return 100 * (np.sort(zeros)[-1] - np.sort(zeros)[-2]) / np.mean(zeros)


def picture_bits(stream, kind):
    """The bits of the coded picture alone: in H.265's byte stream the NAL units that are
    slices, without start codes; in AV1's the OBUs that are frames, or parts of them."""
    if kind == "hevc":
        units = [unit.rstrip(b"\0") for unit in stream.split(b"\0\0\1")[1:]]
        return 8 * sum(len(unit) for unit in units if unit[0] >> 1 & 63 < 32)
    bits = at = 0
    while at < len(stream):
        start, header = at, stream[at]
        assert header & 2, "an OBU without a size"
        at += 2 if header & 4 else 1
        size = shift = 0
        while True:
            byte = stream[at]
            at += 1
            size |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        at += size
        if header >> 3 & 15 in (3, 4, 6):
            bits += 8 * (at - start)
    return bits


def encode(y, encoder, setting):
    """The stream of samples at a setting, as bytes, and the samples that it decodes to.
    The samples go in and come out in the encoder's format: ffmpeg converts nothing."""
    pixels, kind, _, *options = encoder
    raw = y.tobytes() + (bytes([128]) * (y.size // 2) if pixels == "yuv420p" else b"")
    stream = run("ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", pixels, "-s",
                 f"{y.shape[1]}x{y.shape[0]}", "-i", "-",
                 *(option.format(setting) for option in options), "-f", kind, "-", input=raw)
    decoded = run("ffmpeg", "-v", "error", "-f", kind, "-i", "-", "-f", "rawvideo", "-",
                  input=stream)
    assert len(decoded) == len(raw)
    return stream, np.frombuffer(decoded, np.uint8)[:y.size].reshape(y.shape)


def psnr(a, b):
    return 10 * math.log10(255 ** 2 / np.mean((a.astype(float) - b) ** 2))


def of_encoder(y, encoder):
    """(bits, dB) at each setting."""
    for setting in encoder[2]:
        stream, decoded = encode(y, encoder, setting)
        yield picture_bits(stream, encoder[1]), psnr(y, decoded)


def of_blockdct(y, transform):
    """(bits, dB) at each setting, and the shares of a tree's area by the blocks' sides."""
    settings, kind, more = transform
    made = blockdct.measure(y, layout="HW", metrics="bits", **{kind: settings}, **more)
    for i, setting in enumerate(settings):
        sizes = blockdct.levels(y, layout="HW", **{kind: setting}, **more).sizes
        yield made.bits[i], made.psnr[i], [np.mean(sizes == n) for n in (2, 3, 4, 5)]


def bd_rate(reference, test):
    """Bjontegaard's mean difference in bits at the same PSNR, in %, of (bits, dB) points
    (VCEG-M33, with as many points as there are a cubic by least squares); nan where no
    PSNR is in both curves."""
    curves = [([point[1] for point in points],
               [math.log10(point[0]) for point in points]) for points in (reference, test)]
    low = max(min(x) for x, _ in curves)
    high = min(max(x) for x, _ in curves)
    if low >= high:
        return math.nan
    areas = []
    for x, y in curves:
        whole = np.polyint(np.polyfit(x, y, 3))
        areas.append(np.polyval(whole, high) - np.polyval(whole, low))
    return 100 * (10 ** ((areas[1] - areas[0]) / (high - low)) - 1)


def download(folder):
    """(name, package, licence, luma) of each picture."""
    try:
        from PIL import Image
    except ImportError:
        sys.exit("Pillow is missing: install python3-pil")
    if not glob.glob(os.path.join(folder, "*.whl")):
        # That of one machine, wherever this runs: the pictures are the same in all.
        run(sys.executable, "-m", "pip", "download", "-q", "--no-deps",
            "--only-binary=:all:", "--python-version=3.11", "--implementation=cp",
            "--platform=manylinux_2_28_x86_64", "-d", folder, WHEEL)
    with zipfile.ZipFile(*glob.glob(os.path.join(folder, "*.whl"))) as wheel:
        wheel.extractall(folder, [path for source, path, _ in PICTURES if source == WHEEL])
    if not glob.glob(os.path.join(folder, "*.deb")):
        run("apt-get", "download", DEB, cwd=folder)
    deb, = glob.glob(os.path.join(folder, "*.deb"))
    run("dpkg-deb", "-x", deb, folder)
    for source, path, licence in PICTURES:
        with Image.open(os.path.join(folder, path)) as picture:
            name = os.path.basename(path).split("_by_")[0].removesuffix(".png")
            package = WHEEL if source == WHEEL else "_".join(os.path.basename(
                deb).split("_")[:2])
            yield name, package, licence, luma(picture)
    barbara = os.path.join(os.environ.get("BLOCKDCT_DATA", ""), "barbara.pgm")
    if os.path.exists(barbara):
        with Image.open(barbara) as picture:
            yield "Barbara", "BLOCKDCT_DATA", "unknown", luma(picture)


def row(*cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def head(*cells):
    print()
    row(*cells)
    print("| --- " * len(cells) + "|")


def spread(values, digits):
    """The mean over pictures, the least and the largest; of those that have a figure."""
    known = [value for value in values if not math.isnan(value)]
    return (f"{np.mean(known):+.{digits}f} ({min(known):+.{digits}f} to "
            f"{max(known):+.{digits}f})"
            + (f", {len(known)} pictures" if len(known) < len(values) else ""))


def measure(folder):
    """The points of each row, by picture."""
    head("picture", "samples", "grid, %", "licence", "from", "x265 medium, QP 32",
         *(f"{name}, %" for name in (TREE, "jpeg-8x8")))
    everything = []
    for name, package, licence, y in download(folder):
        cells = [name, f"{y.shape[1]} x {y.shape[0]}", f"{grid(y):.1f}", licence, package]
        if grid(y) > GRID:
            row(*cells, "left out", "", "")
            continue
        points = {encoder: list(of_encoder(y, options))
                  for encoder, options in ENCODERS.items()}
        points.update({transform: list(of_blockdct(y, options))
                       for transform, options in TRANSFORMS.items()})
        bits, db = points[REFERENCE][QPS.index(32)]
        row(*cells, f"{db:.2f} dB, {bits / 1000:.1f} kbit",
            *(f"{bd_rate(points[REFERENCE], points[transform]):+.1f}"
              for transform in (TREE, "jpeg-8x8")))
        everything.append(points)
    return everything


def main():
    if len(sys.argv) > 2 or sys.argv[1:2] in (["-h"], ["--help"]):
        sys.exit(__doc__)
    for needed in ("apt-get", "dpkg-deb", "ffmpeg"):
        if not shutil.which(needed):
            sys.exit(f"{needed} is missing")
    with tempfile.TemporaryDirectory() as folder:
        everything = measure(folder if len(sys.argv) < 2 else sys.argv[1])

    def rates(reference, test):
        return [bd_rate(points[reference], points[test]) for points in everything]

    head(f"against {REFERENCE}", "dB at equal QP", "bits at equal QP, %", "BD-rate, %",
         "median BD-rate, %")
    for name, options in {**ENCODERS, **TRANSFORMS}.items():
        if name == REFERENCE or "deadzone" in name:
            continue
        cells = ["", ""]
        if QPS in options:
            pairs = [list(zip(points[name], points[REFERENCE])) for points in everything]
            cells = [spread([np.mean([a[1] - b[1] for a, b in pair]) for pair in pairs], 2),
                     spread([np.mean([100 * (a[0] / b[0] - 1) for a, b in pair])
                             for pair in pairs], 0)]
        found = rates(REFERENCE, name)
        row(name, *cells, spread(found, 0), f"{np.nanmedian(found):+.0f}")
    head(f"{TREE} against", "BD-rate, %")
    for name in FIXED:
        row(name, spread(rates(name, TREE), 1))
    best = [min(FIXED, key=lambda name, p=points: bd_rate(p["hevc-4x4"], p[name]))
            for points in everything]
    row("the best of these for the picture",
        spread([bd_rate(p[name], p[TREE]) for name, p in zip(best, everything)], 1))
    head("transform", f"deadzone={DEADZONE}: BD-rate, %")
    for name in (*FIXED, TREE):
        row(name, spread(rates(name, f"{name}, deadzone"), 1))
    head("QP", *(f"{n} x {n}, %" for n in (4, 8, 16, 32)))
    for i, qp in enumerate(QPS):
        row(str(qp), *(f"{100 * np.mean([points[TREE][i][2][n] for points in everything]):.0f}"
                       for n in range(4)))


if __name__ == "__main__":
    main()
