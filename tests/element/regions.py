#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Regions of interest. What a frame with regions has to be is put together block by block,
from what the library makes of it with one setting each."""
import os
import sys
import unittest

try:
    import gi
    import numpy as np
    gi.require_version("Gst", "1.0")
    gi.require_version("GstVideo", "1.0")
    from gi.repository import Gst, GstVideo
    import blockdct
except (ImportError, ValueError) as error:
    print(f"skipped: {error}")
    sys.exit(77)

Gst.init(None)
BACKEND = os.environ.get("BLOCKDCT_TEST_BACKEND", "cpu")
WIDTH, HEIGHT, MAX = 141, 101, 2 ** 32 - 1
# Depth, luma samples for one of chroma (down, across), whether U and V come in pairs.
FORMATS = {"NV12": (8, (2, 2), True), "I420": (8, (2, 2), False), "Y444": (8, (1, 1), False),
           "GRAY8": (8, None, False), "Y42B": (8, (1, 2), False), "I420_10LE": (10, (2, 2), False)}
# Samples of a block's side, of components that have all samples and of others.
SIDES = {"hevc-8x8": (8, 4), "hevc-32x32": (32, 16)}


def components(kind):
    """(down, across) of each."""
    chroma = FORMATS[kind][1]
    return [(1, 1)] + ([] if chroma is None else [chroma] * 2)


def make_planes(kind, seed):
    rng = np.random.default_rng(seed)
    depth = FORMATS[kind][0]
    planes = []
    for c, (down, across) in enumerate(components(kind)):
        y, x = np.mgrid[0:-(-HEIGHT // down), 0:-(-WIDTH // across)]
        v = (40 + 31 * c + 13 * seed + 5 * x + 3 * y + rng.integers(0, 24, x.shape)) % 256
        planes.append((v << depth - 8).astype(np.uint8 if depth == 8 else np.uint16))
    return planes


class Element:
    """A playing blockdct."""

    def __init__(self, kind, **properties):
        self.kind = kind
        caps = f"video/x-raw,format={kind},width={WIDTH},height={HEIGHT},framerate=25/1"
        self.info = GstVideo.VideoInfo.new_from_caps(Gst.Caps.from_string(caps))
        self.pipeline = Gst.parse_launch(
            f"appsrc name=in format=time caps={caps} ! blockdct name=dct backend={BACKEND} ! "
            "appsink name=out sync=false")
        self.source, self.dct, self.sink = map(self.pipeline.get_by_name, ("in", "dct", "out"))
        self.bus = self.pipeline.get_bus()
        for name, value in properties.items():
            Gst.util_set_object_arg(self.dct, name.replace("_", "-"), str(value))
        self.warnings = []
        self.pipeline.set_state(Gst.State.PLAYING)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.pipeline.set_state(Gst.State.NULL)

    def views(self, data):
        """The components in a frame's bytes."""
        depth, _, pairs = FORMATS[self.kind]
        for c, (down, across) in enumerate(components(self.kind)):
            size, plane = 1 if depth == 8 else 2, min(c, 1) if pairs else c
            first = self.info.offset[plane] + (size if pairs and c == 2 else 0)
            yield np.ndarray((-(-HEIGHT // down), -(-WIDTH // across)), f"<u{size}", data, first,
                             (self.info.stride[plane], size * (2 if pairs and c else 1)))

    def push(self, planes, regions=()):
        """What comes out, and what is said of it."""
        data = bytearray(self.info.size)
        for view, plane in zip(self.views(data), planes):
            view[:] = plane
        buffer = Gst.Buffer.new_wrapped(bytes(data))
        for x, y, w, h, name, fields, _ in regions:
            meta = GstVideo.buffer_add_video_region_of_interest_meta(buffer, "thing", x, y, w, h)
            for one in name.split():
                structure = Gst.Structure.new_empty(one)
                for field, value in fields.items():
                    structure.set_value(field, value)
                meta.add_param(structure)
        self.source.emit("push-buffer", buffer)
        sample = self.sink.emit("try-pull-sample", 60 * Gst.SECOND)
        made = sample.get_buffer().extract_dup(0, self.info.size)
        said = None
        while message := self.bus.pop_filtered(Gst.MessageType.ELEMENT | Gst.MessageType.WARNING):
            if message.type == Gst.MessageType.WARNING:
                self.warnings.append(" ".join(map(str, message.parse_warning())))
            else:
                said = message.get_structure()
        return list(self.views(made)), {said.nth_field_name(i): said.get_value(
            said.nth_field_name(i)) for i in range(said.n_fields())}


def setting_name(transform):
    return "qp" if transform.startswith("hevc") else "quality"


def start(kind, transform, base=None, **more):
    if setting_name(transform) == "qp":
        more["deadzone"] = 0.2
    if base is not None:
        more[setting_name(transform)] = base
    return Element(kind, transform=transform, **more)


def region(x, y, w, h, name, setting, **fields):
    """`setting`: what it has to come to; None: it has no effect."""
    return x, y, w, h, name, {k.replace("_", "-"): v for k, v in fields.items()}, setting


def nearest_quality(quality, delta):
    """That with the scale nearest to that of `quality`, 2^(delta / 6) times."""
    def scale(q):
        return 1 if q == 100 else 5000 // q if q < 50 else 200 - 2 * q
    return min(range(1, 101), key=lambda q: abs(scale(q) - scale(quality) * 2 ** (delta / 6)))


def moved(transform, base, delta):
    return min(max(base + delta, 0), 51) if setting_name(transform) == "qp" \
        else nearest_quality(base, delta)


class Regions(unittest.TestCase):
    def check(self, element, transform, base, regions, planes, made, said):
        kind, name = element.kind, setting_name(transform)
        single = {}

        def with_setting(setting):
            if setting not in single:
                more = {"deadzone": 0.2} if name == "qp" else {}
                single[setting] = blockdct.transform(
                    tuple(p[None] for p in planes), transform, layout="YUV",
                    depth=FORMATS[kind][0], **{name: setting}, **more).pictures
            return single[setting]

        for c, (down, across) in enumerate(components(kind)):
            side = SIDES.get(transform, (8, 8))[across > 1]
            shape = [-(-n // side) for n in planes[c].shape]
            settings = np.full(shape, base)
            for x, y, w, h, _, _, setting in reversed(regions):
                if setting is not None:
                    settings[y // (side * down):-(-(y + h) // (side * down)),
                             x // (side * across):-(-(x + w) // (side * across))] = setting
            of_samples = settings.repeat(side, 0).repeat(side, 1)[
                :planes[c].shape[0], :planes[c].shape[1]]
            for setting in np.unique(of_samples):
                here = of_samples == setting
                np.testing.assert_array_equal(made[c][here], with_setting(int(setting))[c][0][here])
        self.assertEqual(said[name], base)
        self.assertEqual(said.get("regions"), sum(r[-1] is not None for r in regions) or None)
        errors = [((a.astype(int) - b) ** 2).sum() for a, b in zip(planes, made)]
        self.assertEqual(said["mse"], sum(errors) / sum(p.size for p in planes))
        self.assertEqual(said["mse-y"], errors[0] / planes[0].size)

    def play(self, element, transform, base, regions, seed=0):
        planes = make_planes(element.kind, seed)
        made, said = element.push(planes, regions)
        self.check(element, transform, base, regions, planes, made, said)
        return said

    def test_pictures(self):
        """Of all sorts: overlapping, beyond the borders, for others."""
        transforms = "jpeg-8x8", "hevc-8x8", "hevc-32x32", "dct-8x8"
        for transform in transforms[:3 if BACKEND == "cuda" else 4]:
            for seed, kind in enumerate(FORMATS):
                base = 33 if setting_name(transform) == "qp" else 30
                regions = [region(x, y, w, h, name, moved(transform, base, delta), delta_qp=delta)
                           for x, y, w, h, name, delta in (
                               (10, 10, 30, 17, "roi/blockdct", -12),
                               (33, 3, 40, 50, "roi/x264enc", 9), (21, 23, 70, 9, "roi/msdk", -5),
                               (130, 90, 500, MAX, "roi/vaapi", -200),
                               (60, 40, 1, 1, "roi/blockdct", 0),
                               (0, 70, 33, 1, "roi/blockdct", -12))]
                regions.insert(2, region(20, 20, 30, 30, "roi/somebody", None, delta_qp=-3))
                regions.insert(6, region(55, 35, 60, 30, "roi/blockdct", 37 if base == 30 else None,
                                         quality=37))
                regions.insert(7, region(0, 60, 12, 30, "", None))
                with self.subTest(f"{transform} {kind}"), start(kind, transform, base) as element:
                    self.play(element, transform, base, regions, seed)
                    if base == 33:
                        self.assertIn("no effect with transform=hevc", *element.warnings)

    def test_without_effect(self):
        """Is said, once, and changes nothing."""
        for warning, one in (
                ("outside", region(WIDTH, 0, 10, 10, "roi/blockdct", None, delta_qp=-6)),
                ("outside", region(0, HEIGHT, 10, 10, "roi/blockdct", None, delta_qp=-6)),
                ("outside", region(MAX, MAX, MAX, MAX, "roi/vaapi", None, delta_qp=-6)),
                ("empty", region(5, 5, 0, 10, "roi/blockdct", None, delta_qp=-6)),
                ("empty", region(5, 5, 10, 0, "roi/blockdct", None, quality=90)),
                ("no usable field", region(5, 5, 10, 10, "roi/blockdct", None, delta=-6)),
                ("no usable field", region(5, 5, 10, 10, "roi/x264enc", None, quality=90)),
                ("outside 1 to 100", region(5, 5, 10, 10, "roi/blockdct", 100, quality=101)),
                ("outside 1 to 100", region(5, 5, 10, 10, "roi/blockdct", 1, quality=-7)),
                (None, region(5, 5, 10, 10, "roi/other", None, delta_qp=-6))):
            with self.subTest(str(one)), start("I420", "jpeg-8x8", 40) as element:
                for seed in range(2):
                    self.play(element, "jpeg-8x8", 40, [one], seed)
                if warning:
                    self.assertIn(warning, *element.warnings)
                else:
                    self.assertEqual(element.warnings, [])

    def test_matrix(self):
        """It leaves no quality to choose."""
        one = region(5, 5, 50, 50, "roi/blockdct", None, quality=90)
        with start("I420", "jpeg-8x8", quantization_tables="matrix", quantization_matrix=
                   f"<{','.join(['40'] * 64)}>") as element:
            planes = make_planes("I420", 0)
            without, (made, said) = element.push(planes)[0], element.push(planes, [one])
            for a, b in zip(without, made):
                np.testing.assert_array_equal(a, b)
            self.assertNotIn("regions", said)
            self.assertIn("quantization-tables=matrix", *element.warnings)

    def test_many(self):
        """With more settings than sets, the later ones take the nearest: said once."""
        asked = [*range(30, 100, 10), 23, 34, 46, 56, 67]
        given = [*range(30, 100, 10), 20, 30, 50, 60, 70]  # 20: the frame's own
        regions = [region(11 * i, 3 * i, 16, 40, "roi/blockdct", setting, quality=quality)
                   for i, (quality, setting) in enumerate(zip(asked, given))]
        with start("I420", "jpeg-8x8", 20) as element:
            for seed in range(2):
                self.play(element, "jpeg-8x8", 20, regions, seed)
            self.assertIn("20 is used in place of 23", *element.warnings)

    def test_both(self):
        """Our own structure comes before an encoder's; of its fields that one counts which
        the transform has a use for."""
        for transform, setting in ("jpeg-8x8", 77), ("hevc-8x8", 18):
            with start("NV12", transform, 25) as element:
                self.play(element, transform, 25, [region(
                    30, 20, 50, 40, "roi/x264enc roi/blockdct", setting, delta_qp=-7, quality=77)])

    def test_deltas(self):
        """A delta's quality, over all of them, and back to where it came from."""
        self.assertEqual([nearest_quality(*a) for a in ((50, 6), (50, -6), (100, 6))], [25, 75, 99])
        for quality in 1, 17, 49, 50, 75, 99, 100:
            with start("GRAY8", "jpeg-8x8", quality) as element:
                for delta in range(-30, 31, 15):
                    self.play(element, "jpeg-8x8", quality, [region(
                        0, 0, 1, 1, "roi/blockdct", nearest_quality(quality, delta),
                        delta_qp=delta)])

    def test_target(self):
        """It chooses the setting beside the regions, as if there were none; it is met if the
        frame that came of it keeps it."""
        planes = make_planes("I420", 3)
        for target, value, delta in (("target_psnr", 31, -18), ("target_psnr", 31, 18),
                                     ("target_size", 6000, -18), ("target_size", 6000, 18),
                                     ("target_bpp", 3, -18)):
            for transform in "jpeg-8x8", "hevc-8x8":
                with self.subTest(f"{target} {transform}"), start("I420", transform,
                                                                  **{target: value}) as element:
                    said = element.push(planes)[1]
                    self.assertTrue(said["target-met"])
                    base = said[setting_name(transform)]
                    setting = moved(transform, base, delta)
                    self.assertNotEqual(setting, base)
                    said = self.play(element, transform, base, [region(
                        20, 10, 90, 80, "roi/blockdct", setting, delta_qp=delta)], 3)
                    kept = (target == "target_psnr") == (delta < 0)
                    self.assertEqual(said["target-met"], kept)
                    if target == "target_psnr":
                        self.assertEqual(said["psnr"] >= 31, kept)
                    self.assertNotIn("bpp", said)

    def test_shown(self):
        """The map: the frame's own setting is in the middle of the scale, finer blocks are
        lighter, coarser ones darker."""
        regions = [region(x, 0, 8, 8, "roi/blockdct", None, delta_qp=delta)
                   for x, delta in ((0, -24), (8, -6), (24, 6))]
        with start("GRAY8", "hevc-8x8", 30, view="quality-map") as element:
            shown = element.push(make_planes("GRAY8", 0), regions)[0][0].astype(int)
            blocks = shown[:8, :40].reshape(8, 5, 8).transpose(1, 0, 2).reshape(5, 64)
            self.assertFalse(np.ptp(blocks, 1).any())
            finest, finer, own, coarser, same = blocks[:, 0]
            self.assertTrue(finest > finer > own > coarser)
            self.assertEqual((same, shown[8, 0]), (own, own))


if __name__ == "__main__":
    unittest.main(verbosity=2)
