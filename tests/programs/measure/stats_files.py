#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""stats_files.py PROGRAM: stats-file's three formats against the messages of the same frames.
Speaks TAP."""

import csv
import json
import locale
import math

from program import launch, read
from tap import Skip, case, run_cases

LOG = "n mse_avg mse_y mse_u mse_v psnr_avg psnr_y psnr_u psnr_v "
CSV = """index timestamp stream-time running-time duration mse mse-y mse-u mse-v psnr psnr-y
    psnr-u psnr-v identical nonzero transform quality qp backend bits bits-y bits-u bits-v
    bits-optimized file-size file-size-optimized bits-estimated bits-estimated-y
    bits-estimated-u bits-estimated-v bpp target-met regions mse-r mse-g mse-b mse-rgb psnr-r
    psnr-g psnr-b psnr-rgb area-4 area-8 area-16 area-32 deadzone ssim-y ssim-u ssim-v ssim
    ms-ssim-y psnr-hvs-y psnr-hvs-u psnr-hvs-v psnr-hvs xpsnr-y xpsnr-u xpsnr-v"""
# Format, metrics and the names in the first line: of a log libavfilter's, and behind these what
# that has not; of CSV all that there can be.
FILES = {
    "psnr.log": ("I420", "bits", LOG + "bits bits_y bits_u bits_v bits_optimized file_size"
                 " file_size_optimized bpp"),
    "gray.log": ("GRAY8", "bits", "n mse_avg mse_y psnr_avg psnr_y bits bits_y bits_optimized"
                 " file_size file_size_optimized bpp"),
    "rgb.log": ("RGB", "0", LOG + "mse_rgb mse_r mse_g mse_b psnr_rgb psnr_r psnr_g psnr_b"),
    "ssim.log": ("I420", "ssim+xpsnr", LOG + "ssim_y ssim_u ssim_v ssim xpsnr_y xpsnr_u xpsnr_v"),
    "FIGURES.CSV": ("NV12", "bits", CSV), "gray.csv": ("GRAY8", "bits", CSV),
    "estimated.csv": ("I420_10LE", "bits+ssim+xpsnr", CSV),
    "figures.jsonl": ("Y444", "bits+ssim+xpsnr", None),
}


def is_same(text, value, is_log):
    """A cell, or a value of JSON, and a message's: infinity is no number in JSON."""
    if value is None or isinstance(value, (bool, str)):
        return text in ("" if value is None else str(value).lower(), value)
    if isinstance(value, int):
        return str(text) == str(value)
    if math.isinf(value):
        return text in (None, "inf")
    digits = len(str(text).partition(".")[2])
    return float(text) == value or is_log and digits in (2, 6) \
        and abs(float(text) - value) <= 0.501 * 10 ** -digits


def rows_of(name):
    """The names in the first line, and each frame's cells."""
    text = read(name).decode()
    assert text.endswith("\n")
    lines = text.splitlines()
    if name.endswith(".jsonl"):
        return None, [json.loads(line) for line in lines]
    if name.endswith(".log"):
        assert lines[0].startswith("psnr_log_version:2 fields:"), lines[0]
        assert all(line.endswith(" ") for line in lines[1:])
        return lines[0].partition("fields:")[2].split(","), [
            dict(cell.split(":") for cell in line.split()) for line in lines[1:]]
    return lines[0].split(","), list(csv.DictReader(lines))


def check(name, names, frames):
    """Each cell is what the message says, and there is nothing else."""
    head, rows = rows_of(name)
    assert head == (names.split() if names else None), head
    assert len(rows) == len(frames) > 0
    for row, said in zip(rows, frames):
        is_log = name.endswith(".log")
        assert set(row) == set(head or said), row
        if is_log:
            assert row.pop("n") == str(said["index"] + 1)
        for key, text in row.items():
            field = key.removesuffix("_avg").replace("_", "-") if is_log else key
            assert is_same(text, said.get(field), is_log), f"{name}: {key}={text}, {said}"


def source(format_):
    """Three frames, of which one has no error."""
    shape = f"video/x-raw,format={format_},width=64,height=48,framerate=25/1 ! c."
    return (f"concat name=c videotestsrc pattern=smpte100 num-buffers=2 ! {shape} "
            f"videotestsrc pattern=black num-buffers=1 ! {shape} c. !")


def write(name):
    format_, metrics, names = FILES[name]
    said = launch(source(format_), f"blockdct quality=40 async-depth=2 metrics={metrics} "
                  f"stats-file={name} ! fakesink")
    check(name, names, [fields for _, fields in said if fields["type"] == "frame"])


@case
def each_cell_is_what_the_message_says():
    for name in FILES:
        write(name)


@case
def a_decimal_comma_changes_nothing():
    for name in "de_DE.UTF-8", "fr_FR.UTF-8":
        try:
            locale.setlocale(locale.LC_ALL, name)
        except locale.Error:
            continue
        write("estimated.csv")
        locale.setlocale(locale.LC_ALL, "C")
        return
    raise Skip("no locale with a decimal comma is installed")


@case
def compare_has_the_same_formats():
    for name in "compared.log", "compared.csv", "compared.jsonl":
        said = launch(f"blockdctcompare name=compare stats-file={name} ! fakesink",
                      source("I420"), "tee name=t ! queue ! compare.ref_sink t. ! queue ! "
                      "blockdct quality=9 post-messages=false ! compare.dist_sink")
        head, _ = rows_of(name)
        assert head is None or head[0] == "n" or head[:2] == ["pad", "index"], head
        check(name, head and " ".join(head),
              [fields for _, fields in said if fields["type"] == "frame"])


run_cases(lambda: None)
