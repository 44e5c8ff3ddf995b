#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""blockdctcompare: which frames meet; what is said, once, where inputs do not fit; keys, the wheel
and the pointer, as sinks send them upstream; and that each view is shown, with what of it follows
from times and caps. (tests/differential has every sample of every view.)"""
import itertools
import re
import time
import unittest

from player import FRAME, Gst, bytes_of, draw, duel, frame_of, info_of, main, np, planes_of, seen, \
    Player
from viewer import do, expect

I420 = info_of("I420", 16, 16)


def frame(info, n, at=None, bits=0):
    """Frame `n` at the time of `at`; one sample in eight differs by `bits`."""
    planes = draw(info, n)
    for plane in planes:
        plane[:, ::8] ^= bits
    return frame_of(info, planes, n if at is None else at)


class Flow(unittest.TestCase):
    def test_matching(self):
        """Which frames of each input there are, by their times; which of the reference have to
        come out; how many have no partner."""
        for reference, distorted, out, unmatched, properties, timeless in (
                # The distorted input ends early, or starts late.
                ("0123", "01", "01", 2, "", False), ("0123", "23", "23", 2, "", False),
                # It drops frames, or has more of them.
                ("0123", "03", "03", 2, "", False), ("13", "01234", "13", 3, "", False),
                # The reference does.
                ("034", "01234", "034", 2, "", False),
                # Two frames of one time.
                ("0112", "012", "012", 1, "", False), ("012", "0112", "012", 1, "", False),
                # Inputs that are known to be shifted.
                ("012", "234", "012", 0, "offset=2", False),
                ("012", "012", "12", 2, "offset=-1", False),
                # Without times the n-th meets the n-th.
                ("012", "567", "012", 0, "", True), ("012", "567", "01", 2, "offset=1", True)):
            with self.subTest(f"{reference} {distorted} {properties}"), \
                    duel(I420, properties) as player:
                for source, times in zip(player.sources, (reference, distorted)):
                    for n in map(int, times):
                        buffer = frame(I420, n)
                        if timeless:
                            buffer.pts = buffer.duration = Gst.CLOCK_TIME_NONE
                        source.emit("push-buffer", buffer)
                player.end()
                left = player.pull_all()
                self.assertEqual(len(left), len(out))
                if not timeless:
                    self.assertEqual([buffer.pts for buffer in left],
                                     [int(n) * FRAME for n in out])
                *frames, pooled = player.listen()
                self.assertEqual([f["type"] for f in (*frames, pooled)],
                                 ["frame"] * len(out) + ["pooled"])
                self.assertEqual((pooled["frames"], pooled["unmatched"]), (len(out), unmatched))

    def play(self, pairs):
        info = info_of("I420", 64, 64)
        with duel(info) as player:
            for reference, distorted in pairs:
                player.push(frame(info, *reference), frame(info, *distorted))
            player.end()
            player.pull_all()
            player.listen()
            warnings, player.warnings = player.warnings, []
        return warnings

    def test_shift(self):
        """A stream that is shifted by two frames finds partners for all but two, each of them
        wrong. A short stream is enough."""
        for shift in range(-2, 4):
            warnings = self.play(((i + 3, i), (i + 3 - shift, i, 1))
                                 for i in range(20 if shift % 2 else 60))
            self.assertEqual(len(warnings), shift != 0)
            if shift:
                self.assertIn(f"offset={shift} fits better", *warnings)

    def test_still(self):
        """Of a still, earlier frames of a picture that gets worse are better, and yet not
        shifted."""
        self.assertEqual(self.play(((3, i), (3, i, 1 << min(i // 5, 7))) for i in range(60)), [])


SOURCE = "videotestsrc num-buffers=5"
SNOW = f"{SOURCE} pattern=snow ! video/x-raw,width=16,height=16,framerate=200/1,format=I420 !"
COMPARE = "blockdctcompare name=compare"


def caps(more="format=I420"):
    return f"! video/x-raw,width=16,height=16,framerate=200/1,{more} !"


def two(reference="format=I420", distorted="format=I420"):
    return f"{SOURCE} {caps(reference)} compare.ref_sink {SOURCE} {caps(distorted)} " \
        "compare.dist_sink " + COMPARE


class Said(unittest.TestCase):
    def test_said(self):
        error, warning = Gst.MessageType.ERROR, Gst.MessageType.WARNING
        colours = "format=I420,colorimetry="
        for line, kind, ends, *parts in (
                (f"{SOURCE} {caps()} compare.ref_sink {SOURCE} ! video/x-raw,format=I420,width=18,"
                 f"height=16 ! compare.dist_sink {COMPARE}", error, False, "differ in size",
                 "videoscale"),
                (two(distorted="format=Y42B"), error, False, "differ in chroma subsampling",
                 "videoconvert", "Y42B"),
                (two(distorted="format=I420_10LE"), error, False, "differ in depth", "I420_10LE",
                 "videoconvert ! video/x-raw,format=I420"),
                (two(distorted="format=RGB"), error, False, "differ in format", "videoconvert",
                 "RGB"),
                (two(colours + "bt601", colours + "1:4:16:4"), warning, True, "and ref_sink",
                 "differ in range"),
                (two(colours + "bt601", colours + "bt709"), warning, True, "and ref_sink",
                 "differ in colorimetry"),
                # One thread feeds both, which waits from then on.
                (f"videotestsrc {caps()} tee name=t ! compare.ref_sink t. ! identity "
                 f"drop-probability=1 ! compare.dist_sink {COMPARE}", warning, False,
                 "ref_sink has ", "and dist_sink has none", "queue max-size-buffers=0"),
                (f"videotestsrc {caps()} compare.ref_sink {COMPARE}", warning, False,
                 "ref_sink has ", "and dist_sink is not linked", "Link dist_sink"),
                ("fakesrc num-buffers=1 sizetype=fixed sizemax=384 format=time ! compare.ref_sink "
                 f"{SOURCE} {caps()} compare.dist_sink {COMPARE}", error, False,
                 "ref_sink has frames without caps"),
                (f"{SOURCE} {caps()} compare.ref_sink videotestsrc num-buffers=1 timestamp-offset="
                 f"40000000000 {caps()} compare.dist_sink {COMPARE}", warning, True,
                 "None of 5 reference frames"),
                (two() + " view=wipe right=1", warning, True, "right=1: there is no dist_sink_1"),
                # A view of a blockdct is no picture of it.
                (f"{SOURCE} {caps()} tee name=t ! queue ! compare.ref_sink t. ! queue ! blockdct "
                 f"view=error-map ! compare.dist_sink {COMPARE}", warning, True, "view=error-map"),
                (f"{SNOW} compare.ref_sink {SOURCE} {caps()} compare.dist_sink {COMPARE} "
                 "metrics=ssim min-psnr-warning=50 min-psnr-error=1", warning, True,
                 "below min-psnr-warning=50"),
                (f"{SNOW} compare.ref_sink {SOURCE} {caps()} compare.dist_sink {COMPARE} "
                 "min-psnr-error=60", error, False, "dist_sink: frame 0", "min-psnr-error=60"),
                (two() + " stats-file=/nowhere/figures.txt", error, False,
                 ".log, .csv or .jsonl")):
            with self.subTest(line), Player(line + " ! fakesink") as player:
                text = player.wait_text(kind)
                for part in parts:
                    self.assertIn(part, text)
                if ends:
                    player.wait(Gst.MessageType.EOS)
                if kind == error:
                    player.abort()


def sides(left, right, view):
    return f"?left={left} right={right} view={view}"


def zoom(by, x, y):
    return f"?zoom={by} zoom-x={x} zoom-y={y}"


def drag(x0, y0, x1, y1):
    return f"press1 {x0} {y0}", f"move {x1} {y1}", f"release1 {x1} {y1}"


class Keys(unittest.TestCase):
    def run_steps(self, properties, *steps):
        """What is done, and what comes of it, with I420 of 320 x 200, two distorted inputs:

        EVENT       (viewer.py) is taken; >EVENT: goes on upstream
        ?VALUES     (viewer.py) are those of the properties
        !NAMES      are the properties that have been told of since the last !
        NAME=VALUE  sets a property
        show        shows the next pair; caps FORMAT WxH: of other caps
        stop        the pipeline is NULL"""
        info, told, n = info_of("I420", 320, 200), [], 0
        with duel(info, "interactive=true " + properties, 3) as player:
            player.end(player.sources[2])
            player.element.connect("notify", lambda _, spec: told.append(spec.name))
            for step in steps:
                with self.subTest(step):
                    if step == "show":
                        player.show(frame(info, n), frame(info, n + 1000, n))
                        n += 1
                    elif step == "stop":
                        player.state(Gst.State.NULL)
                    elif step.startswith("caps "):
                        kind, size = step.split()[1:]
                        info = info_of(kind, *size.split("x"))
                        player.caps(info, *player.sources[:2])
                    elif step[0] == "?":
                        expect(player.element, step[1:])
                    elif step[0] == "!":
                        self.assertEqual(" ".join(told), step[1:])
                        told.clear()
                    elif "=" in step and " " not in step:
                        player.set(*step.split("="))
                    else:
                        self.assertEqual(do(player.element, step.lstrip(">")), step[0] == ">")

    def test_sides(self):
        """A key acts once, when it goes down; after space, whatever is left is come back to."""
        self.run_steps(
            "", "key x", sides(0, -1, "wipe"), "up x", "key x", sides(-1, 0, "wipe"), "key c",
            sides(-1, 1, "wipe"), "key c", sides(0, 1, "wipe"), "key c", sides(-1, 0, "wipe"),
            "up c", "key space", sides(-1, -1, "single"), "up space", "key space",
            sides(-1, 0, "wipe"), "key space", sides(-1, -1, "single"), "key v",
            sides(-1, -1, "error-map"), "key space", sides(-1, -1, "single"), "key space",
            sides(-1, -1, "error-map"), "key x", sides(-1, -1, "error-map"), "key c",
            sides(-1, 0, "error-map"), "key x", sides(0, -1, "error-map"), "key  ",
            sides(0, 0, "single"), "up  ", "key  ", sides(0, -1, "error-map"))

    def test_views(self):
        self.run_steps(
            "", "key v", "?view=side-by-side", "!view", "up v", "!", *(step for view in (
                "stacked", "flicker", "difference", "single", "error-map", "ssim-map", "hvs-map",
                "wipe") for step in ("key v", f"?view={view}")))

    def test_unknown(self):
        """What is nobody's command here goes on untouched: to the bin, or to a program."""
        self.run_steps(
            "", "show", *(f">key {name}" for name in (
                "V", "Return", "y", "", "Page_Up", "Up", "Down", "Left", "Right", "g", "b", "f",
                "m")), ">ctrl v", ">alt x", ">press3 5 5", ">release1 5 5", ">move 5 5", "!")

    def test_not_interactive(self):
        self.run_steps(
            "", "show", "interactive=false", "!interactive", ">key v", ">key c", ">key x",
            ">key space", ">key plus", ">press1 5 5", ">move 90 5", ">release1 90 5",
            ">wheel 5 5 1", "!")

    def test_drag(self):
        """A hand that trembles does not drag. Outside is ignored, but letting go counts there
        too. Stacked halves are dragged up and down."""
        self.run_steps(
            "", "show", "press1 160 100", "move 161 101", "!", "move 80 150",
            "?wipe-position=80/319", "!wipe-position", "move 0 10", "?wipe-position=0",
            "move 319 10", "?wipe-position=1", "move 319.9 10", "?wipe-position=1", "move 40 10",
            "?wipe-position=40/319", ">move -1 10", ">move 20 200", ">move nan 20",
            "?wipe-position=40/319", "release1 -50 1000", ">move 100 100", ">press1 320 1",
            ">move 100 100", "?wipe-position=40/319", "view=stacked", "press1 10 10",
            "move 200 199", "?wipe-position=1")

    def test_drag_change(self):
        """The stream changes and stops under the pointer."""
        self.run_steps(
            "", ">press1 0 0", "key v", "show", "press1 10 10", "move 300 100",
            "caps GRAY8 101x12", "show", "move 100 11", ">move 101 1", "caps P012_LE 20x101",
            "show", "move 1 100", ">move 20 1", "release1 0 0", ">move 1 1", "stop",
            "press1 0 0", "release1 0 0")

    def test_zoom(self):
        self.run_steps(
            "view=flicker", "show", "key plus", zoom(2, .5, .5), "key +", zoom(3, .5, .5),
            "key equal", "?zoom=4", "key =", "?zoom=6", "key KP_Add", "?zoom=8", "key plus",
            "?zoom=12", "key plus", "?zoom=16", "key plus", "?zoom=16", "key minus", "?zoom=12",
            "key -", "?zoom=8", "key KP_Subtract", zoom(6, .5, .5), "zoom=5", "key -", "?zoom=4",
            "zoom=5", "zoom-x=0", "key 0", zoom(1, .5, .5), "zoom=1.5", "zoom-y=0", "key KP_0",
            zoom(1, .5, .5))

    def test_wheel(self):
        """What is under the pointer stays there, with Ctrl, which the bin leaves to this
        element, and without: (160 + 160) / 3 of the picture is at 160. Sideways and outside it
        is not the wheel's. X11 has buttons."""
        self.run_steps(
            "view=flicker", "show", "wheel 80 50 1", zoom(2, .25, .25), "ctrl-wheel 80 50 120",
            zoom(3, .25, .25), "wheel 160 50 1", zoom(4, "5/18", .25), "press5 160 50",
            "release5 160 50", "?zoom=3", "press4 160 50", "release4 160 50", "?zoom=4",
            ">press4 5 200", ">side 5 5 1", ">wheel 320 5 1", "?zoom=4")

    def test_zoomed_drag(self):
        """Zoomed, the picture follows the pointer, up to its edges; but the line of a wipe is
        still to be had."""
        self.run_steps(
            "view=flicker zoom=4 zoom-x=0.6", "show", *drag(100, 100, 148, 70),
            zoom(4, .55, .55), "zoom-x=0.2", "zoom-y=0.2", *drag(10, 10, 310, 190),
            zoom(4, 0, 0), "view=wipe", *drag(161, 10, 80, 10), zoom(4, 0, 0),
            "?wipe-position=80/319", *drag(161, 10, 65, 10), zoom(4, .1, 0))

    def test_pairs(self):
        """Key c goes through the pairs of inputs that there are."""
        element = Gst.ElementFactory.make("blockdctcompare")
        pad = element.request_pad_simple("dist_sink_2")
        element.props.interactive = True
        element.set_state(Gst.State.PAUSED)
        for pair in 2 * ("left=-1 right=2", "left=0 right=2", "left=-1 right=0"):
            do(element, "key c")
            expect(element, pair)
        element.set_state(Gst.State.NULL)
        element.release_request_pad(pad)


class Live(unittest.TestCase):
    def test_latency(self):
        """The property is the user's, whatever the pipeline does; it is added to the source's
        own, of which a frame is said."""
        for live, wanted in itertools.product((False, True), (0, 50 * Gst.MSECOND)):
            with self.subTest(f"{live} {wanted}"), Player(
                    f"videotestsrc is-live={live} ! video/x-raw,format=I420,width=16,height=16,"
                    "framerate=50/1 ! tee name=t ! queue ! element.ref_sink t. ! queue ! "
                    f"element.dist_sink blockdctcompare name=element latency={wanted} ! "
                    "appsink name=out sync=false") as player:
                for _ in range(3):
                    player.pull()
                self.assertEqual(player.element.props.latency, wanted)
                query = Gst.Query.new_latency()
                self.assertTrue(player.element.query(query))
                self.assertEqual(query.parse_latency()[:2],
                                 (live, live * 20 * Gst.MSECOND + wanted))

    def test_live_goes_on(self):
        """Frames of a live source that does not end leave, not before their time, though a
        partner's input has stopped."""
        # All frames are alike: of sources that start apart, offset=1 may fit better.
        line = ("videotestsrc is-live=true pattern=black num-buffers={} ! video/x-raw,"
                "format=I420,width=16,height=16,framerate=25/1 ! queue ! element.{} ")
        with Player(line.format(-1, "ref_sink") + line.format(10, "dist_sink")
                    + line.format(-1, "dist_sink_1") + "blockdctcompare name=element ! "
                    "appsink name=out sync=false") as player:
            for _ in range(30):
                out = player.pull()
                now = player.element.get_clock().get_time() - player.element.get_base_time()
                self.assertGreaterEqual(now, out.pts)

    def test_offer(self):
        """Once the reference is known, the others are offered what can be compared with it: of
        any size."""
        def formats(player, pad):
            caps = player.element.get_static_pad(pad).query_caps()
            text = caps.get_structure(caps.get_size() - 1).to_string()
            found = re.search(r"format=(?:\(string\))?(\{[^}]*\}|\w+)", text)[1]
            return re.sub(r"\(string\)|[{} ]", "", found).split(",")
        for kind, *others in (("I420", "NV12", "YV12", "NV21"), ("I420_10LE", "P010_10LE"),
                              ("NV16", "Y42B"), ("GRAY8",), ("BGRx",)):
            info = info_of(kind, 16, 16)
            with self.subTest(kind), duel(None, "view=single") as player:
                before = formats(player, "dist_sink")
                player.caps(info)
                player.show(frame(info, 0), frame(info, 0))
                self.assertEqual(sorted(formats(player, "dist_sink")), sorted((kind, *others)))
                self.assertEqual(formats(player, "ref_sink"), before)

    def test_early_frames(self):
        """Frames that a converter let pass, as nobody knew the reference, are converted all the
        same: no figure depends on which input starts first."""
        reference = info_of("NV12", 32, 32)
        for kind in "I420_10LE", "Y444", "RGB":
            info, found = info_of(kind, 32, 32), []
            for first in 0, 1:
                with Player("appsrc name=in0 format=time ! element.ref_sink appsrc name=in1 "
                            "format=time ! videoconvert ! queue ! element.dist_sink "
                            "blockdctcompare name=element ! appsink name=out sync=false") as player:
                    for i in first, not first:
                        player.caps((reference, info)[i], player.sources[i])
                        for n in range(12):
                            player.sources[i].emit("push-buffer", frame((reference, info)[i], n))
                        # The first input's frames are in the element's queue.
                        time.sleep(.1 * (i == first))
                    player.end()
                    self.assertEqual(len(player.pull_all()), 12)
                    found.append([one["mse"] for one in player.listen()])
                    player.warnings.clear()
            self.assertEqual(*found)


class Views(unittest.TestCase):
    def test_shown(self):
        """What each property does to the picture of the frames that come after it is set. (That
        a frame is as if it was always set: invariants.)"""
        info = info_of("NV12", 64, 48)
        inputs = [draw(info, 5 * i) for i in range(3)]
        for before, change in (
                *(("", f"view={view}") for view in (
                    "side-by-side", "stacked", "flicker", "difference", "single", "error-map",
                    "ssim-map", "hvs-map")),
                ("", "left=1"), ("", "right=1"), ("view=single", "right=-1"),
                ("", "wipe-position=0.25"), ("view=stacked", "wipe-position=1"),
                ("view=difference", "difference-gain=1"), ("", "zoom=3"),
                ("zoom=4", "zoom-x=0.2"), ("zoom=4", "zoom-y=0.9")):
            with self.subTest(f"{before} {change}"), duel(info, before, 3) as player:
                without = seen(info, player.show(*(frame_of(info, one) for one in inputs)))
                player.set(*change.split("="))
                self.assertNotEqual(without, seen(info, player.show(
                    *(frame_of(info, one, 1) for one in inputs))))

    def test_flicker(self):
        """Half a second of each picture, by the stream's time."""
        info = info_of("I420", 131, 101)
        with duel(info, "view=flicker") as player:
            for n in range(30):
                pair = frame(info, n), frame(info, n + 1000, n)
                self.assertEqual(seen(info, player.show(*pair)),
                                 seen(info, pair[n * FRAME // (Gst.SECOND // 2) % 2]))

    def test_colorimetry(self):
        """Where pictures are the same a map has the best colour, 0x440154, by the caps'
        colorimetry. (Of others: filter.py.)"""
        info = info_of("Y444", 64, 32, more=",colorimetry=1:3:5:1")
        with duel(info, "view=error-map") as player:
            made = player.show(frame(info, 0), frame(info, 0))
            np.testing.assert_allclose(planes_of(info, bytes_of(made))[0][0, 0], 21, atol=1)


if __name__ == "__main__":
    main()
