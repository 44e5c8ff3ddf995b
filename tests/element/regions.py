#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Regions of interest. What a frame with regions has to be is put together block by block,
from what the library makes of it with one setting each."""
import unittest

from player import BACKEND, Gst, GstVideo, Player, bytes_of, draw, frame_of, info_of, main, np, \
    planes_of

import blockdct

WIDTH, HEIGHT, MAX = 141, 101, 2 ** 32 - 1
FORMATS = "NV12", "I420", "Y444", "GRAY8", "Y42B", "I420_10LE"
# Samples of a block's side, of components that have all samples and of others.
SIDES = {"hevc-8x8": (8, 4), "hevc-32x32": (32, 16)}


class Element(Player):
    """A playing blockdct."""

    def __init__(self, kind, **properties):
        super().__init__("appsrc name=in0 format=time ! blockdct name=element "
                         f"backend={BACKEND} ! appsink name=out sync=false",
                         info_of(kind, WIDTH, HEIGHT), play=False)
        for name, value in properties.items():
            self.set(name, value)
        self.state(Gst.State.PLAYING)

    def give(self, planes, regions=()):
        """What comes out, and what is said of it."""
        buffer = frame_of(self.info, planes)
        for x, y, w, h, name, fields, _ in regions:
            meta = GstVideo.buffer_add_video_region_of_interest_meta(buffer, "thing", x, y, w, h)
            for one in name.split():
                structure = Gst.Structure.new_empty(one)
                for field, value in fields.items():
                    structure.set_value(field, value)
                meta.add_param(structure)
        made = bytes_of(self.show(buffer))
        return planes_of(self.info, made), self.listen()[-1]

    def take_warnings(self):
        self.warnings, taken = [], self.warnings
        return taken


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
        info, name = element.info, setting_name(transform)
        single = {}

        def with_setting(setting):
            if setting not in single:
                more = {"deadzone": 0.2} if name == "qp" else {}
                single[setting] = blockdct.transform(
                    tuple(p[None] for p in planes), transform, layout="YUV",
                    depth=info.finfo.depth[0], **{name: setting}, **more).pictures
            return single[setting]

        for c in range(len(planes)):
            down, across = 1 << info.finfo.h_sub[c], 1 << info.finfo.w_sub[c]
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
        planes = draw(element.info, seed)
        made, said = element.give(planes, regions)
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
                        self.assertIn("no effect with transform=hevc", *element.take_warnings())

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
                    self.assertIn(warning, *element.take_warnings())

    def test_matrix(self):
        """It leaves no quality to choose."""
        one = region(5, 5, 50, 50, "roi/blockdct", None, quality=90)
        with start("I420", "jpeg-8x8", quantization_tables="matrix", quantization_matrix=
                   f"<{','.join(['40'] * 64)}>") as element:
            planes = draw(element.info, 0)
            without, (made, said) = element.give(planes)[0], element.give(planes, [one])
            for a, b in zip(without, made):
                np.testing.assert_array_equal(a, b)
            self.assertNotIn("regions", said)
            self.assertIn("quantization-tables=matrix", *element.take_warnings())

    def test_many(self):
        """With more settings than sets, the later ones take the nearest: said once."""
        asked = [*range(30, 100, 10), 23, 34, 46, 56, 67]
        given = [*range(30, 100, 10), 20, 30, 50, 60, 70]  # 20: the frame's own
        regions = [region(11 * i, 3 * i, 16, 40, "roi/blockdct", setting, quality=quality)
                   for i, (quality, setting) in enumerate(zip(asked, given))]
        with start("I420", "jpeg-8x8", 20) as element:
            for seed in range(2):
                self.play(element, "jpeg-8x8", 20, regions, seed)
            self.assertIn("20 is used in place of 23", *element.take_warnings())

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
        for target, value, delta in (("target_psnr", 31, -18), ("target_psnr", 31, 18),
                                     ("target_size", 6000, -18), ("target_size", 6000, 18),
                                     ("target_bpp", 3, -18)):
            for transform in "jpeg-8x8", "hevc-8x8":
                with self.subTest(f"{target} {transform}"), start("I420", transform,
                                                                  **{target: value}) as element:
                    said = element.give(draw(element.info, 3))[1]
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
            shown = element.give(draw(element.info, 0), regions)[0][0].astype(int)
            blocks = shown[:8, :40].reshape(8, 5, 8).transpose(1, 0, 2).reshape(5, 64)
            self.assertFalse(np.ptp(blocks, 1).any())
            finest, finer, own, coarser, same = blocks[:, 0]
            self.assertTrue(finest > finer > own > coarser)
            self.assertEqual((same, shown[8, 0]), (own, own))


if __name__ == "__main__":
    main()
