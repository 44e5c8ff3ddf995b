#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""text.py PROGRAM: what blockdctcompare draws is text in its corners, the same in every format,
and nothing beside colours. Speaks TAP."""

from program import launch, read
from tap import Skip, case, run_cases

WIDTH, HEIGHT = 640, 360
YUV = ("GRAY8", "I420", "YV12", "NV12", "NV21", "Y42B", "NV16", "Y444", "P010_10LE", "I420_10LE",
       "I422_10LE", "Y444_10LE", "P012_LE", "I420_12LE", "I422_12LE", "Y444_12LE")
# Where R, G and B are, and what else there is.
RGB = {"RGBx": (0, 1, 2, 3), "BGRx": (2, 1, 0, 3), "xRGB": (1, 2, 3, 0), "xBGR": (3, 2, 1, 0),
       "RGBA": (0, 1, 2, 3), "BGRA": (2, 1, 0, 3), "ARGB": (1, 2, 3, 0), "ABGR": (3, 2, 1, 0)}


def draw(format_, properties):
    """The bytes of a picture of two; in the reference others cannot see what is drawn."""
    launch(f"videotestsrc num-buffers=1 pattern=gradient ! video/x-raw,format={format_},"
           f"width={WIDTH},height={HEIGHT} ! tee name=t ! queue ! compare.ref_sink t. ! queue ! "
           "blockdct backend=cpu quality=20 ! tee name=d ! queue ! compare.dist_sink "
           "d. ! queue ! filesink location=own", "blockdctcompare name=compare backend=cpu",
           properties, "! filesink location=shown")
    return read("shown"), read("own")


def need_text():
    if draw("I420", "view=single overlay=true") == draw("I420", "view=single"):
        raise Skip("no text is drawn: no font is installed (Debian: fonts-dejavu-core)")


@case
def it_is_in_its_corners():
    need_text()
    for format_ in YUV:
        size = 1 if format_[-2:] != "LE" else 2
        for view in "single", "flicker left=0":
            drawn, own = draw(format_, f"view={view} overlay=true")
            bare, same = draw(format_, f"view={view}")
            assert own == same and len(drawn) == len(bare), format_
            luma = [i // size for i in range(WIDTH * HEIGHT * size) if drawn[i] != bare[i]]
            assert len(set(luma)) > 4000, (format_, len(luma))
            # The names of the flicker's pictures are at the bottom.
            assert all((i % WIDTH < 400 and i // WIDTH < 100)
                       or (view != "single" and i // WIDTH >= HEIGHT - 30) for i in luma), format_


@case
def it_is_on_colours_alone():
    need_text()
    for view in "single overlay=true", "difference overlay=true", "error-map":
        first = None
        for format_, (*colours, rest) in RGB.items():
            drawn, bare = (draw(format_, "view=" + v)[0] for v in (view, view.split()[0]))
            assert drawn[rest::4] == bare[rest::4], (view, format_)
            seen = [drawn[i::4] for i in colours]
            assert (seen != [bare[i::4] for i in colours]) == ("overlay" in view), (view, format_)
            first = first or seen
            assert seen == first, (view, format_)


run_cases(lambda: None)
