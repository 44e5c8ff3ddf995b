#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""blockdctpreview: A and B are any bin, exchanged at any time."""
import os
import threading
import time
import unittest

from player import FRAME, Gst, Player, bytes_of, draw, fields_of, frame_of, info_of, main, np, \
    planes_of
from viewer import do, expect

import blockdct

INFO = info_of("I420", 48, 32)
SOURCE = "videotestsrc ! video/x-raw,format=I420,width=48,height=32,framerate=25/1"


def have(*elements):
    return all(map(Gst.ElementFactory.find, elements))


def meta_of(buffer, name):
    """What the first meta of this name says, and how many there are; None: none."""
    meta = buffer.get_custom_meta(name)
    return meta and (fields_of(meta.get_structure()), buffer.get_n_meta(meta.meta.info.api))


class Preview(Player):
    """One that plays the test's frames; with `state`, those of a source that never ends."""

    def __init__(self, properties="", state=None):
        super().__init__(
            f"{SOURCE if state else 'appsrc name=in0 format=time max-bytes=0'} ! blockdctpreview "
            f"name=element {properties} ! appsink name=out sync=false "
            f"max-buffers={2 if state else 0}", None if state else INFO, play=False)
        self.next = 0
        # gst_parse_launch() of 1.22 leaks a child whose property a line sets.
        self.give(compare__view=0)
        self.state(state or Gst.State.PLAYING)

    def give(self, **values):
        """Set children's properties, or own ones."""
        for name, value in values.items():
            _, owner, spec = self.element.lookup(name.replace("__", "::"))
            owner.set_property(spec.name, value)

    def show_next(self, quality):
        """What leaves is as this quality leaves it."""
        planes = draw(INFO, self.next)
        out = self.show(frame_of(INFO, planes, self.next))
        assert out.pts == self.next * FRAME
        self.next += 1
        made = blockdct.transform(tuple(plane[None] for plane in planes), quality=quality,
                                  layout="YUV").pictures
        for ours, theirs in zip(planes_of(INFO, bytes_of(out)), made):
            np.testing.assert_array_equal(ours, theirs[0])
        return out

    def wait_for(self, quality=None, there=False):
        """Take pictures until one has figures of B or none has, or until its quality is a
        blockdct's; none of them is lost."""
        while True:
            out = self.pull()
            assert out.pts == self.next * FRAME
            self.next += 1
            said, n = meta_of(out, "blockdct-compare")
            assert said["pad"] == "dist_sink"
            own = meta_of(out, "blockdct")
            if (own and own[0].get("quality") == quality) if quality else (n == 2) == there:
                return

    def settle(self):
        result = self.pipeline.get_state(PATIENCE)[0]
        assert result == Gst.StateChangeReturn.SUCCESS, result

    def seek_and_take(self, second):
        """The figures of A's picture in a pause."""
        assert self.pipeline.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH
                                         | Gst.SeekFlags.ACCURATE, second * Gst.SECOND)
        buffer = self.sink.emit("try-pull-preroll", PATIENCE).get_buffer()
        assert buffer.pts == second * Gst.SECOND
        said = meta_of(buffer, "blockdct-compare")[0]
        self.settle()
        return said


PATIENCE = 60 * Gst.SECOND
CODER = "x264enc tune=zerolatency ! blockdctcoded ! avdec_h264"
# Descriptions that cannot work, and what is said of them.
WRONG = (("blokdct", "blokdct"), ("blockdct qualty=3", "qualty"), ("fakesink", "gives pictures"),
         ("videotestsrc", "takes pictures"), ("jpegenc", "decoder"), ("jpegdec", "videoconvert"))


class Tests(unittest.TestCase):
    def test_descriptions(self):
        """Both are what their descriptions say, from the first frame on."""
        with Preview('a="identity ! blockdct name=x quality=7" b=blockdct') as preview:
            preview.give(b__quality=30)
            preview.show_next(7)
            preview.give(a__x__quality=8, compare__right=1)
            self.assertEqual(meta_of(preview.show_next(30), "blockdct-compare")[1], 2)
            preview.give(compare__right=0)
            preview.show_next(8)

    def test_exchange(self):
        """While it plays: no frame is lost."""
        with Preview(state=Gst.State.PLAYING) as preview:
            for i in range(1, 21):
                line = f"blockdct quality={i}" if i % 3 \
                    else f"queue ! blockdct quality={i} async-depth=3 ! identity"
                preview.give(a=line)
                self.assertEqual(preview.element.props.a, line)
                preview.wait_for(i)
                preview.give(b="blockdct")
                preview.wait_for(there=True)
                preview.give(b="" if i % 2 else "identity ! identity")
                preview.give(b="", a="blockdct quality=40")
                preview.wait_for()
                preview.wait_for(40)

    @unittest.skipUnless(have("x264enc", "avdec_h264"), "no H.264 here")
    def test_encoder(self):
        """As B, and its bits; what it holds leaves before another one takes its place."""
        with Preview('b="x264enc rc-lookahead=10 ! blockdctcoded ! avdec_h264"') as preview:
            preview.give(compare__left=0, compare__right=1)
            for n in range(100):
                preview.push(frame_of(INFO, draw(INFO, n), n))
                if n == 49:
                    preview.give(b=CODER)
            preview.end()
            out = preview.pull_all()
            said = [one for one in preview.listen() if one["type"] == "frame" and "pad" in one]
            self.assertEqual([buffer.pts for buffer in out], [n * FRAME for n in range(100)])
            for pad in "dist_sink", "dist_sink_1":
                of_pad = [one for one in said if one["pad"] == pad]
                self.assertEqual([one["timestamp"] for one in of_pad], [b.pts for b in out])
            self.assertGreater(min(one["bits"] for one in of_pad), 0)
            self.assertEqual(preview.element.props.b, CODER)

    def test_refused(self):
        """While it plays, a wrong one is a warning, and the one of before stays."""
        with Preview('a="blockdct quality=9"') as preview:
            preview.show_next(9)
            for line, says in WRONG:
                for name in "ab" if "jpeg" not in line or have(line) else "":
                    preview.give(**{name: line})
                    text = preview.wait_text()
                    self.assertIn(f"{name}='{line}'", text)
                    self.assertIn(says, text)
                    self.assertEqual(preview.element.props.a, "blockdct quality=9")
                    self.assertFalse(preview.element.props.b)
            preview.give(a="")
            self.assertIn("always an A", preview.wait_text())
            preview.show_next(9)

    def test_refused_at_start(self):
        """Before the start, nothing starts, until a right one is set."""
        with Preview("b=blokdct") as preview:
            self.assertIn("b='blokdct'", preview.wait_text(Gst.MessageType.ERROR))
            self.assertLess(preview.pipeline.get_state(0)[1], Gst.State.PAUSED)
            self.assertFalse(preview.element.props.b)
            preview.give(b="blockdct")
            preview.state(Gst.State.PLAYING)
            self.assertEqual(meta_of(preview.show_next(85), "blockdct-compare")[1], 2)

    def test_refused_unused(self):
        """A bin that was never started goes with its last reference."""
        bin_ = Gst.ElementFactory.make("blockdctpreview")
        bin_.props.b = "blokdct"
        left = bin_.weak_ref()
        del bin_
        self.assertIsNone(left())

    def test_pause(self):
        """In a pause, too: the picture is made again after a flushing seek."""
        with Preview(state=Gst.State.PAUSED) as preview:
            preview.settle()
            for i in range(20):
                preview.give(a="identity ! blockdct quality=1" if i % 2 else
                             "blockdct quality=100")
                if i % 3 == 0:
                    preview.give(b="" if i % 2 else "blockdct")
                self.assertEqual(preview.seek_and_take(i)["psnr"] > 35, i % 2 == 0)
            preview.state(Gst.State.NULL)
            preview.listen()
            # The source's capsfilter warns if a seek flushes it while it negotiates.
            preview.warnings = [text for text in preview.warnings if not (
                "capsfilter" in text and "not negotiated" in text)]

    def test_key_overtaken(self):
        """Key b shows A and B when B is in place: not a B that took its place."""
        with Preview('a="blockdct quality=7"') as preview:
            preview.give(compare__interactive=True)
            preview.show_next(7)
            do(preview.element, "key b")
            preview.give(b="")
            preview.show_next(7)
            preview.give(b="identity")
            preview.show_next(7)
            expect(preview.element, "compare::left=-1 compare::right=0")

    def test_keys(self):
        """Of A and B, with `interactive` alone."""
        with Preview(state=Gst.State.PLAYING) as preview:
            def keys(*names):
                for name in names:
                    do(preview.element, "key " + name)
            preview.give(a__quality=20, a__qp=30)
            keys("Up")
            expect(preview.element, "a::quality=20")
            preview.give(compare__interactive=True)
            keys("Up", "Up", "Down")
            expect(preview.element, "a::quality=21")
            keys("b")
            preview.wait_for(there=True)
            expect(preview.element, "b::quality=21 compare::left=0 compare::right=1")
            keys("Left", "Up")
            expect(preview.element, "a::transform=hevc-quadtree a::qp=29")
            keys("x")
            expect(preview.element,
                   "a::transform=jpeg-8x8 b::transform=hevc-quadtree b::qp=29")
            keys("g")
            expect(preview.element, "a::grid=true b::grid=true")

    def test_names(self):
        """An element in B's description may have A's name."""
        with Preview('b="identity ! blockdct name=a quality=3 ! identity"') as preview:
            preview.give(compare__interactive=True, a__quality=20)
            do(preview.element, "key Up")
            expect(preview.element, "b::a::quality=3")

    def test_set_and_restart(self):
        """They are exchanged while it starts and stops: there is always an A."""
        def exchange():
            for i in range(min(3000, int(os.environ.get("BLOCKDCT_TEST_ROUNDS", 3000)))):
                preview.element.set_property("ba"[i % 2], (
                    "blockdct", "identity", "queue ! identity")[i % 3])
        with Preview(state=Gst.State.PLAYING) as preview:
            preview.bus.set_flushing(True)
            thread = threading.Thread(target=exchange)
            thread.start()
            while thread.is_alive():
                preview.state(Gst.State.READY)
                preview.state(Gst.State.PAUSED)
            preview.state(Gst.State.READY)
            preview.bus.set_flushing(False)
            preview.give(a="blockdct quality=7")
            preview.state(Gst.State.PLAYING)
            # appsink of 1.22 keeps two from before.
            own = (meta_of(preview.pull(), "blockdct") for _ in range(1000))
            self.assertTrue(any(one and one[0].get("quality") == 7 for one in own))

    def test_seek(self):
        """They are exchanged while seeks come that do not flush."""
        def seek():
            for i in range(40):
                preview.pipeline.seek(1, Gst.Format.TIME, Gst.SeekFlags.NONE, Gst.SeekType.SET,
                                      i * Gst.SECOND, Gst.SeekType.NONE, 0)
        with Preview(state=Gst.State.PLAYING) as preview:
            preview.sink.props.drop = True
            preview.settle()
            thread = threading.Thread(target=seek)
            thread.start()
            for i in range(40):
                preview.give(b="" if i % 2 else "blockdct quality=5")
                time.sleep(.002)
            thread.join()


if __name__ == "__main__":
    main()
