#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""blockdctcompare: what is written on the picture, and where that goes; the numbers beside the
colours of a map, its own or that of a blockdct. (How it is drawn:
tests/programs/measure/text.py.)"""
import ctypes
import itertools
import os
import subprocess
import sys
import tempfile
import unittest

from player import GObject, Gst, GstVideo, Native, answer_allocations, bytes_of, draw, duel, \
    fields_of, frame_of, info_of, main

WIDTH, HEIGHT = 640, 360
SIZE = 11  # of letters on such a picture
INFO = info_of("I420", WIDTH, HEIGHT)
GST, VIDEO = Native("libgstreamer-1.0.so.0"), Native("libgstvideo-1.0.so.0")
META = VIDEO.gst_video_overlay_composition_meta_api_get_type()

# The numbers of a legend by how far up its bar they are, from 0 to 1: decibels from 60 to 20,
# roots of shares, QP from coarser to finer, and log2 of sides.
DECIBELS = {1: "20 dB", .75: "30 dB", .5: "40 dB", .25: "50 dB", 0: "60 dB"}
OF_BLOCKDCT = {
    "reconstruction": {}, "error-map": DECIBELS,
    "nonzero-map": {0: "0 %", .1: "1 %", .1 ** .5: "10 %", .5: "25 %", .5 ** .5: "50 %",
                    1: "100 %"},
    "coefficients": {},
    "quality-map": {0: "+24 QP", .25: "+12 QP", .5: "0", .75: "-12 QP", 1: "-24 QP"},
    "size-map": {0: "4x4", .25: "8x8", .5: "16x16", .75: "32x32", 1: "64x64"}, "original": {}}
OF_COMPARE = {
    "error-map": DECIBELS,
    "ssim-map": {0: "1", .1: "0.99", .1 ** .5: "0.9", .5: "0.75", .5 ** .5: "0.5", 1: "0"},
    "hvs-map": DECIBELS}


def labels_of(buffer):
    """What a sink has to draw on it: x, y, right and bottom, and the pixels of each."""
    found, meta = [], GST.gst_buffer_get_meta(hash(buffer), META)
    # Behind the GstMeta, which has two members.
    of = meta and ctypes.c_size_t.from_address(meta + 2 * ctypes.sizeof(ctypes.c_size_t)).value
    for i in range(meta and VIDEO.gst_video_overlay_composition_n_rectangles(of)):
        label = VIDEO.gst_video_overlay_composition_get_rectangle(of, i)
        x, y, width, height = sides = [ctypes.c_int() for _ in range(4)]
        VIDEO.gst_video_overlay_rectangle_get_render_rectangle(label, *map(ctypes.byref, sides))
        pixels = VIDEO.gst_video_overlay_rectangle_get_pixels_unscaled_argb(
            label, int(GstVideo.VideoOverlayFormatFlags.PREMULTIPLIED_ALPHA))
        data = ctypes.create_string_buffer(GST.gst_buffer_get_size(pixels))
        GST.gst_buffer_extract(pixels, 0, data, len(data))
        found.append((x.value, y.value, x.value + width.value, y.value + height.value, data.raw))
    return found


def drawn(text):
    """A text's pixels, white on a dark box, as Pango draws it here."""
    pango, cairo = Native("libpangocairo-1.0.so.0"), Native("libcairo.so.2")
    layout = pango.pango_layout_new(pango.pango_font_map_create_context(
        pango.pango_cairo_font_map_get_default()))
    font = pango.pango_font_description_from_string(b"Monospace")
    pango.pango_font_description_set_absolute_size(font, SIZE * 1024.)
    pango.pango_layout_set_font_description(layout, font)
    pango.pango_layout_set_text(layout, text.encode(), -1)
    border, width, height = max(SIZE // 3, 2), ctypes.c_int(), ctypes.c_int()
    pango.pango_layout_get_pixel_size(layout, ctypes.byref(width), ctypes.byref(height))
    width, height = width.value + 2 * border, height.value + 2 * border
    surface = cairo.cairo_image_surface_create(0, width, height)
    context = cairo.cairo_create(surface)
    cairo.cairo_set_source_rgba(context, 0., 0., 0., .6)
    cairo.cairo_paint(context)
    cairo.cairo_set_source_rgb(context, 1., 1., 1.)
    cairo.cairo_move_to(context, float(border), float(border))
    pango.pango_cairo_show_layout(context, layout)
    cairo.cairo_surface_flush(surface)
    return ctypes.string_at(cairo.cairo_image_surface_get_data(surface), 4 * width * height)


def made(info, n, name=None, **fields):
    """A picture that no reference has; with a meta of this name, which says what made it."""
    buffer = frame_of(info, draw(info, 1000 + n), n)
    if name:
        own = GST.gst_custom_meta_get_structure(hash(buffer.add_custom_meta(name)))
        for field, value in fields.items():
            value = GObject.Value(type(value), value)
            GST.gst_structure_set_value(own, field.encode(), hash(value))
    return buffer


def show(player, n, *distorted):
    """The next picture, and the figures that it carries."""
    out = player.show(frame_of(player.info, draw(player.info, n), n),
                      *(distorted or [made(player.info, n)]))
    meta = out.get_custom_meta("blockdct-compare")
    return out, meta and fields_of(meta.get_structure())


def start(info=INFO, properties="", n=2):
    """With a sink that draws what is attached to buffers."""
    player = duel(info, properties, n)
    answer_allocations(player.sink, lambda gst, query: gst.gst_query_add_allocation_meta(
        query, META, None))
    return player


def find_reason():
    """Why no text is drawn here, as is said once of a picture that was to have some, and not of a
    map, whose numbers are missing; "": it is."""
    with duel(INFO, "view=error-map") as player:
        show(player, 0)
        player.listen()
        assert not player.warnings
        player.set("view", "single")
        player.set("overlay", True)
        for n in range(1, 4):
            buffer = made(INFO, n)
            same = bytes_of(show(player, n, buffer)[0]) == bytes_of(buffer)
            player.listen()
            assert same == bool(player.warnings) and len(player.warnings) < 2
        reason, player.warnings = "".join(player.warnings), []
    return reason


REASON = find_reason()


class Text(unittest.TestCase):
    def setUp(self):
        if REASON:
            self.assertRegex(REASON, "-Doverlay=enabled|no font(.|\n)*fonts-dejavu-core")
            self.skipTest(REASON)

    def check_label(self, label, text):
        self.assertEqual(label[4], drawn(text), text)
        return label[:4]

    def test_names(self):
        """A picture is named by what made it, else by its pad; with the lines of a grid it is none
        to measure: what its blockdct says of it stands in the text, and nothing is warned of."""
        Gst.ElementFactory.make("blockdctcoded")  # which registers its meta
        jpeg = {"name": "blockdct", "view": "reconstruction", "transform": "jpeg-8x8",
                "quality": 15}
        cases = (
            ({}, "dist_sink", None), (jpeg, "jpeg-8x8  quality 15", None),
            ({"name": "blockdct", "view": "reconstruction", "transform": "hevc-32x32", "qp": 37},
             "hevc-32x32  QP 37", None),
            ({**jpeg, "transform": "dct-8x8", "quality": 100}, "dct-8x8  quality 100", None),
            ({"name": "blockdct-coded", "encoder": "jpegenc quality=30"}, "jpegenc quality=30",
             None),
            ({**jpeg, "grid": True, "psnr": 31.256}, "jpeg-8x8  quality 15",
             "jpeg-8x8  quality 15  PSNR 31.26 dB"), ({}, "dist_sink", None))
        with start(properties="overlay=true") as player:
            for n, ((fields, name, text), view) in enumerate(itertools.product(
                    cases, ("wipe", "single"))):
                player.set("view", view)
                out, said = show(player, n, made(INFO, n, **fields))
                self.assertEqual(said is None, text is not None)
                text = text or (f"{name}  PSNR {said['psnr']:.2f} dB\n  Y {said['psnr-y']:.2f} "
                                f"U {said['psnr-u']:.2f} V {said['psnr-v']:.2f}")
                first, *names = labels_of(out)
                self.check_label(first, text)
                self.assertEqual(len(names), 2 if view == "wipe" else 0)
                if names:
                    self.assertEqual(self.check_label(names[0], "reference")[3], HEIGHT)
                    self.assertEqual(self.check_label(names[1], name)[2:], (WIDTH, HEIGHT))

    def test_attach(self):
        """What downstream draws is attached, beside what was attached before, and no sample is
        touched."""
        with start(properties="view=single overlay=true") as player:
            for n in range(2):
                buffer = made(INFO, n)
                if n:
                    pixels = Gst.Buffer.new_allocate(None, 4 * 4 * 4)
                    GstVideo.buffer_add_video_meta(
                        pixels, GstVideo.VideoFrameFlags.NONE, GstVideo.VideoFormat.BGRA, 4, 4)
                    GstVideo.buffer_add_video_overlay_composition_meta(
                        buffer, GstVideo.VideoOverlayComposition.new(
                            GstVideo.VideoOverlayRectangle.new_raw(
                                pixels, 0, 0, 4, 4, GstVideo.VideoOverlayFormatFlags.NONE)))
                out, _ = show(player, n, buffer)
                self.assertEqual(bytes_of(out), bytes_of(buffer))
                self.assertEqual(len(labels_of(out)), 1 + n)

    def test_sizes(self):
        """Text leaves the picture most of it and stays inside, whatever the size and the shape;
        two halves are named, where they have room."""
        for width, height, view, n in (
                (320, 240, "single", 1), (320, 240, "wipe", 3), (540, 960, "difference", 1),
                (540, 960, "stacked", 3), (1920, 1080, "side-by-side", 3),
                (1920, 1080, "wipe wipe-position=0.01", 2),
                (1920, 1080, "wipe wipe-position=0.99", 2), (1920, 1080, "difference", 1),
                (1280, 200, "wipe", 3), (200, 1280, "wipe", 3), (1920, 1080, "flicker", 2)):
            info = info_of("I420", width, height)
            black = Gst.Buffer.new_wrapped(bytes(info.size))
            black.pts = 0
            with self.subTest(f"{width} {height} {view}"), start(
                    info, f"overlay=true view={view}") as player:
                labels, covered = labels_of(player.show(black, black)), 0
                self.assertEqual(len(labels), n)
                for x, y, right, bottom, _ in labels:
                    self.assertTrue(0 <= x < right <= width and 0 <= y < bottom <= height)
                    covered += (right - x) * (bottom - y)
                self.assertLess(covered, .2 * width * height)

    def test_no_font(self):
        """Where there is none, a picture without text, and one warning to who asked for text.
        Fontconfig looks once: another process."""
        with tempfile.NamedTemporaryFile("w") as file:
            file.write('<?xml version="1.0"?>\n<fontconfig/>\n')
            file.flush()
            said = subprocess.run(
                [sys.executable, __file__, "-v"], check=True, capture_output=True, text=True,
                env={**os.environ, "FONTCONFIG_FILE": file.name}).stderr
        self.assertIn("no font", said)

    def check_legend(self, labels, marks):
        """The numbers, which end left of the bar, each at its height, and nothing else."""
        bar, top = 8 + WIDTH // 64 & ~1, HEIGHT // 4 & ~1
        left, height = WIDTH - 2 * bar & ~1, HEIGHT // 2 & ~1
        for label, (up, text) in zip(labels, marks.items(), strict=True):
            _, y, right, bottom = self.check_label(label, text)
            self.assertTrue(left - 8 <= right <= left)
            self.assertAlmostEqual((y + bottom) / 2, top + (1 - up) * (height - 1), delta=1.6)

    def test_own_legend(self):
        """Compare's own, whether there is other text or not."""
        for (view, marks), overlay in itertools.product(OF_COMPARE.items(), (0, 1)):
            with self.subTest(f"{view} {overlay}"), start(
                    properties=f"view={view} overlay={overlay}") as player:
                self.check_legend(labels_of(show(player, 0)[0])[overlay:], marks)

    def test_legend_of_single(self):
        """With text, a single picture that a blockdct says is a map has that map's numbers;
        without, it is passed on as it is. No other picture has them."""
        with start(properties="view=single zoom=16", n=3) as player:
            for n, ((view, marks), (overlay, right)) in enumerate(itertools.product(
                    OF_BLOCKDCT.items(), ((False, 0), (True, 0), (True, 1)))):
                player.set("overlay", overlay)
                player.set("right", right)
                of = made(INFO, n, "blockdct", view=view, transform="jpeg-8x8", quality=15)
                out, said = show(player, n, of, made(INFO, n))
                labels = labels_of(out)
                if overlay and not right:
                    # Figures of one picture, or of both.
                    self.check_legend(labels[1:], marks)
                    self.assertEqual(said["pad"] == "dist_sink", view == "reconstruction")
                else:
                    self.assertEqual(len(labels), overlay)
                    self.assertEqual(hash(out.peek_memory(0)) == hash(of.peek_memory(0)),
                                     not overlay)
            player.listen()
            player.warnings.clear()  # that a view gives no figures, which compare.py has


if __name__ == "__main__":
    main()
