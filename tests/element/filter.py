#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""blockdct: the formats that it takes; targets, against an element that is given one setting after
another; its stats-file where somebody reads, slowly or not at all, or where it is another's; and
what holds of any property of any element.
(What is refused: test-settings.c.)"""
import io
import itertools
import os
import tempfile
import time
import unittest

from player import GObject, Gst, Player, bytes_of, caps_of, dct, draw, feed, frame_of, info_of, \
    main, np, planes_of

import blockdct

RGB = "RGB", "BGR", "RGBx", "BGRx", "xRGB", "xBGR", "RGBA", "BGRA", "ARGB", "ABGR", "GBR"
YUV = ("GRAY8", "I420", "YV12", "NV12", "NV21", "Y42B", "NV16", "Y444", "P010_10LE", "I420_10LE",
       "I422_10LE", "Y444_10LE", "P012_LE", "I420_12LE", "I422_12LE", "Y444_12LE")


class Caps(unittest.TestCase):
    def test_metadata(self):
        factory = Gst.ElementFactory.find("blockdct")
        self.assertEqual((factory.get_metadata("klass"), factory.get_plugin_name(),
                          factory.get_rank()), ("Filter/Analyzer/Video", "blockdct", 0))

    def test_template(self):
        """System memory is offered in as many formats as tests have, and sides have their
        limit. (That each is taken: test_rgb() and test-settings.c.)"""
        for pad in Gst.ElementFactory.make("blockdct").pads:
            template, formats = pad.get_pad_template_caps(), []
            for i in range(template.get_size()):
                text = template.get_structure(i).to_string()
                self.assertIn("width=(int)[ 1, 65535 ], height=(int)[ 1, 65535 ]", text)
                if not template.get_features(i).contains("memory:CUDAMemory"):
                    formats += text.split("{ ")[1].split(" }")[0].replace(
                        "(string)", "").split(", ")
            self.assertEqual(sorted(formats), sorted(RGB + YUV))

    def test_rgb(self):
        """Each of R, G and B, with each subsampling while it plays."""
        for kind in RGB:
            info = info_of(kind, 131, 101)
            with self.subTest(kind), dct(info, "metrics=bits") as player:
                for n, subsampling in enumerate(("4:2:0", "4:2:2", "4:4:0", "4:4:4")):
                    player.set("chroma-subsampling", subsampling)
                    planes = draw(info, n)
                    out = planes_of(info, bytes_of(player.show(frame_of(info, planes, n))))
                    made = blockdct.transform(np.stack(planes[:3], -1), metrics=("bits", "counts"),
                                              chroma_subsampling=subsampling)
                    np.testing.assert_array_equal(np.stack(out[:3], -1), made.pictures)
                    for own, same in zip(planes[3:], out[3:]):
                        np.testing.assert_array_equal(own, same)
                    said, = player.listen()
                    self.assertEqual(said["file-size"], made.file_size)
                    for names, wanted in (("sse-r sse-g sse-b", made.counts.squared_errors_rgb),
                                          ("sse-y sse-u sse-v", made.counts.squared_errors),
                                          ("bits-y bits-u bits-v", made.counts.bits)):
                        self.assertEqual([said[name] for name in names.split()],
                                         wanted.ravel().tolist())

    def test_views(self):
        """What each does to a picture. (Which frames it is done to: invariants.)"""
        info, seen = info_of("P010_10LE", 96, 64), set()
        with dct(info) as player:
            for name, value in (("grid", "false"), ("view", "original"), ("view", "coefficients"),
                                ("view", "nonzero-map"), ("view", "error-map"), ("grid", "true")):
                player.set(name, value)
                seen.add(bytes_of(player.show(frame_of(info, draw(info, 0)))))
        self.assertEqual(len(seen), 6)

    def test_colorimetry(self):
        """The maps' colours follow the caps: where all is 0, a map is 0x440154, as it was
        computed by hand for BT.601, BT.709 and full BT.709."""
        for name, wanted in ("bt601", (42, 155, 151)), ("bt709", (34,)), ("1:3:5:1", (21,)):
            info = info_of("Y444", 32, 32, more=f",colorimetry={name}")
            grey = frame_of(info, [np.full((32, 32), 128, np.uint8)] * 3)
            with dct(info, "view=nonzero-map") as player:
                made = planes_of(info, bytes_of(player.show(grey)))
                for plane, value in zip(made, wanted):
                    self.assertLessEqual(abs(int(plane[0, 0]) - value), 1)

    def test_too_large_elsewhere(self):
        """A side that is too long is refused with the caps. (By blockdct: test-settings.c.)"""
        for name, pad in ("blockdctcompare", "ref_sink"), ("blockdctcompare", "dist_sink"), (
                "blockdctpreview", "sink"):
            with Player(f"{name} name=element ! fakesink name=out", play=False) as player:
                player.state(Gst.State.PAUSED)
                pad = player.element.get_static_pad(pad)
                pad.send_event(Gst.Event.new_stream_start("test"))
                self.assertFalse(pad.send_event(Gst.Event.new_caps(caps_of("GRAY8", 65536, 1))))
                self.assertRegex(player.wait_text(Gst.MessageType.ERROR),
                                 "(?s)65536 x 1.*65535")
                player.abort()

    def test_no_caps(self):
        """Frames come, and no caps have come before them."""
        with dct(None) as player:
            player.push(Gst.Buffer.new_allocate(None, 16))
            self.assertRegex(player.wait_text(Gst.MessageType.ERROR),
                             "(?s)without caps.*capsfilter")
            player.abort()

    def test_cpu_memory(self):
        """With backend=cpu there is system memory only, whatever the build has."""
        element = Gst.ElementFactory.make("blockdct")
        Gst.util_set_object_arg(element, "backend", "cpu")
        sink = element.get_static_pad("sink")
        cuda = Gst.Caps.from_string("video/x-raw(memory:CUDAMemory),format=NV12,width=16,"
                                    "height=16,framerate=25/1")
        for state in Gst.State.NULL, Gst.State.PLAYING, Gst.State.NULL:
            element.set_state(state)
            caps = sink.query_caps()
            self.assertFalse(caps.is_empty() or "CUDA" in caps.to_string())
            self.assertFalse(sink.query_accept_caps(cuda))

    def test_query(self):
        """Downstream's limits reach upstream."""
        with dct(None, play=False) as player:
            player.sink.props.caps = caps_of("NV12", 40, 30)
            caps = player.element.get_static_pad("sink").query_caps(Gst.Caps.from_string(
                "video/x-raw,format={NV12,I420},width=[1,100],height=30,framerate=25/1"))
            self.assertTrue(caps.is_equal(caps_of("NV12", 40, 30)))


class Contract(unittest.TestCase):
    """What holds of any property. (What each is: docs/reference, by docs/make-reference --check;
    what it does: test-settings.c.)"""

    def check(self, element, spec):
        """At first it has its default; either end of its range is taken. Returns the ends."""
        kind = spec.value_type
        if kind.is_a(GObject.TYPE_ENUM) or kind.is_a(GObject.TYPE_FLAGS):
            self.assertTrue(Gst.type_is_plugin_api(kind)[0])
        if kind.name == "GstValueArray":
            self.assertEqual(Gst.util_get_object_array(element, spec.name)[1].n_values, 0)
        elif kind.name != "GstStructure":
            self.assertEqual(element.get_property(spec.name), spec.default_value)
        ends = [getattr(spec, end) for end in ("minimum", "maximum") if hasattr(spec, end)]
        for end in ends:
            element.set_property(spec.name, end)
            self.assertEqual(element.get_property(spec.name), end)
        return ends

    def test_properties(self):
        info, n_played = info_of("I420", 40, 24), 0
        for name in "blockdct", "blockdctcompare", "blockdctpreview":
            for spec in Gst.ElementFactory.make(name).list_properties():
                element = Gst.ElementFactory.make(name)
                if spec.owner_type != element.__gtype__:
                    continue
                with self.subTest(f"{name} {spec.name}"):
                    ends = self.check(element, spec)
                    if ends and name == "blockdct" and spec.flags & Gst.PARAM_MUTABLE_PLAYING:
                        self.play(info, spec.name, ends)
                        n_played += 1
        self.assertGreater(n_played, 10)

    def play(self, info, name, ends):
        """Frames go on; but below min-psnr-error, which says so."""
        with feed(info, "async-depth=1") as player:
            for n, end in enumerate(ends):
                player.element.set_property(name, end)
                returned = player.push(frame_of(info, draw(info, n), n))
                if name == "min-psnr-error" and n == 1:
                    player.listen()
                    self.assertIn(name, player.warnings[-1])
                else:
                    self.assertEqual(returned, Gst.FlowReturn.OK)
                    player.pull()
            player.listen()
            player.warnings.clear()  # what has no effect on the frame is said


class Targets(unittest.TestCase):
    TARGETS = (
        *({"psnr": psnr} for psnr in (32, 45.5, 190, 1)),
        *({"bpp": bpp} for bpp in (1.5, 4, .0001, 900)),
        *({"size": size} for size in (700, 1200, 1, 1000000)), {"psnr": 30, "ssim": .9},
        {"psnr": 38, "ssim": .5}, {"psnr": 20, "ssim": .99}, {"bpp": 1.5, "size": 10000},
        {"bpp": 9, "size": 900}, {"psnr": 32, "bpp": 900}, {"psnr": 40, "bpp": .01},
        {"psnr": 32, "ssim": .8, "bpp": 900, "size": 1000000}, {"psnr": 190, "ssim": .2},
        {"psnr": 25, "size": 1})
    # Another one than the default, where the transform has any: all that chooses settings has
    # to keep the rest.
    REST = {"qp": "deadzone=0.2", "quality": ""}

    def file_size(self, info, planes, quality):
        """Of a coded frame."""
        given, layout = (np.stack(planes, -1), "HWC") if info.finfo.name == "RGB" \
            else (tuple(planes), "YUV")
        file = io.BytesIO()
        blockdct.write_jpeg(blockdct.levels(given, quality=quality, layout=layout), file)
        return len(file.getvalue())

    def run_all(self, info, n, transform, name, settings):
        """What a frame costs and loses at each setting, by single runs."""
        planes, found = draw(info, n), []
        with dct(info, f"transform={transform} metrics=bits+ssim threads=1 "
                 + self.REST[name]) as player:
            for setting in settings:
                player.set(name, setting)
                player.show(frame_of(info, planes))
                said, = player.listen()
                self.assertEqual(said[name], setting)
                said["size"] = self.file_size(info, planes, setting) if "file-size" in said \
                    else said["bits-estimated"] / 8
                found.append(said)
        return found

    def keeps(self, said, target, floors):
        """Whether it keeps every floor, or every ceiling."""
        return all(said[name] >= value if floors else said[name] <= value
                   for name, value in target.items() if floors == (name in ("psnr", "ssim")))

    def check_choice(self, single, name, target, i):
        """What is chosen, `i`, keeps every floor, or without floors every ceiling, and the next
        coarser or finer setting does not; or it does not, and neither does the setting at the
        other end. Returns whether the target is met."""
        floors = "psnr" in target or "ssim" in target
        up = (name == "qp") == floors
        beside, end = i + (1 if up else -1), 0 if up else -1
        if self.keeps(single[i], target, floors):
            self.assertFalse(0 <= beside < len(single)
                             and self.keeps(single[beside], target, floors))
        else:
            self.assertFalse(self.keeps(single[end], target, floors))
        return self.keeps(single[i], target, True) and self.keeps(single[i], target, False)

    def test_all(self):
        """Every frame gets a setting that all single runs justify, at any depth and after any
        frames the same one, and nothing else of it changes."""
        for kind, transform in (("I420", "jpeg-8x8"), ("GRAY8", "hevc-8x8"),
                                ("I420_10LE", "jpeg-8x8"), ("Y444", "h264-4x4"),
                                ("RGB", "jpeg-8x8")):
            info, chosen = info_of(kind, 45, 27), {}
            name, settings = ("quality", range(1, 101)) if transform == "jpeg-8x8" \
                else ("qp", range(52))
            single = [self.run_all(info, n, transform, name, settings) for n in range(2)]
            for depth in 1, 2, 8:
                order = (0, 1) if depth == 1 else (1, 0)
                with self.subTest(f"{kind} {depth}"), feed(
                        info, f"transform={transform} metrics=bits async-depth={depth} "
                        + self.REST[name]) as player:
                    self.check(player, info, name, single, order, chosen)

    def check(self, player, info, name, single, order, chosen):
        frames = [draw(info, n) for n in range(2)]
        for target in self.TARGETS:
            for one in "psnr", "ssim", "bpp", "size":
                player.set("target-" + one, target.get(one, 0))
            for n in order:
                player.push(frame_of(info, frames[n]))
        player.end()
        player.pull_all()
        *said, pooled = player.listen()
        missed = False
        for i, (target, n) in enumerate(itertools.product(self.TARGETS, order)):
            one, j = said[i], said[i][name] - (name == "quality")
            met = self.check_choice(single[n], name, target, j)
            self.assertEqual(chosen.setdefault((i // 2, n), j), j)
            self.assertEqual((one["index"], one["target-met"], one["psnr"], one["bpp"]),
                             (i, met, single[n][j]["psnr"], single[n][j]["bpp"]))
            if "size" in target:
                self.assertEqual(one.get("file-size", one.get("bits-estimated", 0) / 8),
                                 single[n][j]["size"])
            missed |= not met
        self.assertEqual((pooled["target-met"], missed), (False, True))
        self.assertEqual(len(player.warnings), 1)  # however often one is missed
        player.warnings.clear()

    def test_smallest(self):
        """Where no file is small enough, the smallest is chosen, with its stuffed bytes: of
        noise, quality 2 may have fewer bits than 1, and more bytes."""
        info, rng = info_of("I420", 32, 32), np.random.default_rng(1)
        with dct(info) as player:
            for n in range(30):
                planes = [rng.integers(0, 2, plane.shape, np.uint8) * np.uint8(255)
                          for plane in draw(info, 0)]
                coarsest = self.file_size(info, planes, 1)
                player.set("target-size", coarsest - 13)
                player.show(frame_of(info, planes, n))
                said, = player.listen()
                self.assertLessEqual(self.file_size(info, planes, said["quality"]), coarsest)
            self.assertEqual(len(player.warnings), 1)
            player.warnings.clear()


class Writer(unittest.TestCase):
    INFO = info_of("GRAY8", 8, 8)
    FRAMES = 2000

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "one.csv")
        self.fifo = os.path.join(folder.name, "fifo.log")
        os.mkfifo(self.fifo)

    def start(self, path, frames=1, play=True):
        player = dct(self.INFO, f"async-depth=1 threads=1 post-messages=false stats-file={path}",
                     play)
        self.push(player, frames)
        return player

    def push(self, player, frames):
        planes = draw(self.INFO, 0)
        for n in range(frames):
            player.push(frame_of(self.INFO, planes, n))

    def refused(self, path, reason):
        with self.start(path, play=False) as player:
            self.assertEqual(player.state(Gst.State.PAUSED), Gst.StateChangeReturn.FAILURE)
            text = player.wait_text(Gst.MessageType.ERROR)
            self.assertIn("stats-file=", text)
            self.assertIn(reason, text)

    def test_slow(self):
        """A slow reader gets every line, whole."""
        fd = os.open(self.fifo, os.O_RDONLY | os.O_NONBLOCK)
        with self.start(self.fifo, self.FRAMES) as player:
            text = b""
            while text.count(b"\n") <= self.FRAMES:
                try:
                    text += os.read(fd, 512)
                except BlockingIOError:
                    time.sleep(.001)
            player.end()
            self.assertEqual(len(player.pull_all()), self.FRAMES)
        os.close(fd)
        head, *lines, rest = text.decode().split("\n")
        self.assertTrue(head.startswith("psnr_log_version") and not rest)
        for n, line in enumerate(lines, 1):
            self.assertTrue(line.startswith(f"n:{n} ") and line.endswith(" "), line)

    def test_stopped(self):
        """One that stands still holds up the stream, but not its end."""
        fd = os.open(self.fifo, os.O_RDONLY | os.O_NONBLOCK)
        with self.start(self.fifo, self.FRAMES) as player:
            before = None
            while before != (now := player.sources[0].props.current_level_buffers):
                before = now
                time.sleep(.2)
            self.assertGreater(now, 0)
            player.state(Gst.State.NULL)
        os.close(fd)

    def test_no_reader(self):
        """One that leaves ends the stream, not the process; and there has to be one."""
        self.refused(self.fifo, "nobody reads")
        fd = os.open(self.fifo, os.O_RDONLY | os.O_NONBLOCK)
        with self.start(self.fifo) as player:
            player.pull()
            os.close(fd)
            self.push(player, self.FRAMES)
            text = player.wait_text(Gst.MessageType.ERROR)
            self.assertRegex(text, "stats-file=(.|\n)*Broken pipe")
            player.abort()

    def test_two(self):
        """Two elements on one file, whatever it is called."""
        link = self.path.replace("one", "two")
        with self.start(self.path) as first:
            first.pull()
            os.symlink(self.path, link)
            for path in self.path, link:
                self.refused(path, "another element")
            first.end()
            first.pull_all()
            with open(self.path, encoding="ascii") as file:
                self.assertIn("\n0,", file.read())
            first.state(Gst.State.NULL)
            with self.start(link) as second:  # now it is free
                second.pull()

    def test_shared_stdout(self):
        """Two elements may share standard output."""
        saved = os.dup(1)
        file = os.open(self.path, os.O_RDWR | os.O_CREAT)
        os.dup2(file, 1)
        with self.start("-") as first, self.start("-") as second:
            for player in first, second:
                player.pull()
        os.dup2(saved, 1)
        os.close(saved)
        os.close(file)
        with open(self.path, encoding="ascii") as text:
            self.assertEqual(text.read().count("n:1 "), 2)


if __name__ == "__main__":
    main()
