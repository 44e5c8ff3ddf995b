#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""blockdct: what it tells, times and intervals (sums of frames: tests/programs/measure/said.py;
that all is told at EOS: invariants); and frames in flight: latency and position, also at the
slowest rate, frames that are late, those before a flush, behind an error, or that pass."""
import itertools
import re
import unittest

from player import BACKEND, FRAME, Gst, dct, draw, feed, fields_of, frame_of, gi, info_of, main

try:
    gi.require_version("GstController", "1.0")
    from gi.repository import GstBase, GstController  # GstBase: methods of the element's class
except (ImportError, ValueError):
    GstController = None

NONE = Gst.CLOCK_TIME_NONE


class Messages(unittest.TestCase):
    INFO = info_of("I420", 16, 16)

    def push(self, player, n, timed=True, lasts=True):
        buffer = frame_of(player.info, draw(player.info, n), n)
        if not timed:
            buffer.pts = NONE
        if not lasts:
            buffer.duration = NONE
        self.assertEqual(player.push(buffer), Gst.FlowReturn.OK)
        return player.listen()

    def test_times(self):
        """A segment, a frame 2 frames behind its start, and what is said of that, in frames.
        Times follow the segment; without a duration it is that of the frame rate; what is
        unknown, as where a segment is not in time, is GST_CLOCK_TIME_NONE."""
        of_time = Gst.Format.TIME
        for format_, start, time_, base, rate, fps, timed, lasts, *wanted in (
                (of_time, 0, 0, 0, 1, 25, True, True, 2, 2, 2, 1),
                (of_time, 10, 0, 7, 1, 25, True, True, 12, 2, 9, 1),
                (of_time, 4, 100, 1000, 2, 25, True, True, 6, 102, 1001, 1),
                (of_time, 3, 5, 9, .5, 25, True, True, 5, 7, 13, 1),
                (of_time, 0, 0, 0, 1, 25, True, False, 2, 2, 2, 1),
                (of_time, 0, 0, 0, 1, 25, False, True, None, None, None, 1),
                (of_time, 0, 0, 0, 1, 0, True, False, 2, 2, 2, None),
                (Gst.Format.BYTES, 0, 0, 0, 1, 25, True, True, 2, None, None, 1)):
            with feed(info_of("I420", 16, 16, f"{fps}/1"), "async-depth=1", format=format_,
                      rate=rate, start=start * FRAME, time=time_ * FRAME,
                      base=base * FRAME) as player:
                said, = self.push(player, start + 2, timed, lasts)
                self.assertEqual(
                    [said[name] for name in ("timestamp", "stream-time", "running-time",
                                             "duration")],
                    [NONE if n is None else n * FRAME for n in wanted])

    @unittest.skipUnless(GstController, "there is no GstController")
    def test_controller(self):
        """Time is the stream's, whatever the buffers' timestamps are."""
        with feed(self.INFO, "async-depth=1", start=2 * FRAME, time=100 * FRAME) as player:
            source = GstController.InterpolationControlSource()
            source.props.mode = GstController.InterpolationMode.NONE
            source.set(0, 11)
            source.set(101 * FRAME, 77)
            player.element.add_control_binding(GstController.DirectControlBinding.new_absolute(
                player.element, "quality", source))
            self.assertEqual([self.push(player, n)[0]["quality"] for n in (2, 3)], [11, 77])

    def test_active_backend(self):
        notified = []
        with feed(self.INFO, "threads=1") as player:
            self.assertRegex(player.element.props.active_backend,
                             "^cuda:" if BACKEND == "cuda" else "^cpu:.* 1 thread$")
            player.element.connect("notify::active-backend", lambda *_: notified.append(1))
            player.state(Gst.State.NULL)
            self.assertIsNone(player.element.props.active_backend)
            self.assertEqual(len(notified), 1)
            player.set("backend", "auto")  # the GPU, where there is one
            player.element.set_state(Gst.State.PAUSED)
            self.assertRegex(player.element.props.active_backend,
                             "^cuda:" if BACKEND == "cuda" else ".")

    def test_intervals(self):
        """No frame is in two of them, none in none; and when they come. A row is what is pushed,
        and what is said then: [type first+frames @timestamp ~duration quality], in frames; `-`
        is a frame without a time. Quality 90 comes into force before frame 100."""
        for interval, row in (
                # They do not drift where they are no multiple of a frame: frames end at 40, 80,
                # 120 ms ..., intervals at 100, 200, 300 ms.
                (Gst.SECOND // 10, "0 1 2 [interval 0+3 @0 ~3 q20] 3 4 [interval 3+2 @3 ~2 q20] "
                 "5 6 7 [interval 5+3 @5 ~3 q20] 8 eos [interval 8+1 @8 ~1 q20] "
                 "[pooled 0+9 @0 ~9 q20]"),
                # Whole frames: told with the last of them.
                (3 * FRAME, "0 1 2 [interval 0+3 @0 ~3 q20] 3 4 5 [interval 3+3 @3 ~3 q20] eos "
                 "[pooled 0+6 @0 ~6 q20]"),
                (1, "0 [interval 0+1 @0 ~1 q20] 1 [interval 1+1 @1 ~1 q20] eos "
                 "[pooled 0+2 @0 ~2 q20]"),
                # Frames missing where an interval ends leave the next one its place: from 100 to
                # 200 ms, though its first frame is late.
                (Gst.SECOND // 10, "0 3 [interval 0+1 @0 ~1 q20] 4 [interval 1+2 @3 ~2 q20] eos "
                 "[pooled 0+3 @0 ~5 q20]"),
                # Time jumps, and the settings with it: a message says what was done to its own
                # frames.
                (5 * FRAME, "0 1 100 [interval 0+2 @0 ~2 q20] eos [interval 2+1 @100 ~1 q90] "
                 "[pooled 0+3 @0 ~101 q90]"),
                # After a seek back the pooled duration is from the earliest frame to the end of
                # the latest.
                (0, "10 [frame 0+1 @10 ~1 q20] 11 [frame 1+1 @11 ~1 q20] 4 [frame 2+1 @4 ~1 q20] "
                 "eos [pooled 0+3 @10 ~8 q20]"),
                # No interval ends; the end of the stream tells all.
                (FRAME, "- - - eos [interval 0+3 q20] [pooled 0+3 q20]")):
            said = []
            with feed(self.INFO, f"async-depth=1 quality=20 interval={interval}") as player:
                for what in re.sub(r"\[[^]]*\]", "", row).split():
                    said.append(what)
                    if what == "eos":
                        player.end()
                    elif what == "100":
                        player.set("quality", 90)
                    new = player.listen() if what == "eos" else self.push(
                        player, int(what.replace("-", "0")), what != "-")
                    for one in new:
                        times = "" if one["timestamp"] == NONE else \
                            f" @{one['timestamp'] // FRAME} ~{one['duration'] // FRAME}"
                        said.append(f"[{one['type']} {one['index']}+{one['frames']}{times} "
                                    f"q{one['quality']}]")
            self.assertEqual(" ".join(said), row)


class Async(unittest.TestCase):
    """Frames in flight."""
    INFO = info_of("I420", 16, 16)
    DEPTHS = 1, 2, 8, 64

    def push(self, player, numbers):
        planes = draw(player.info, 0)
        for n in numbers:
            self.assertEqual(player.push(frame_of(player.info, planes, n)), Gst.FlowReturn.OK)

    def latency(self, player):
        query = Gst.Query.new_latency()
        self.assertTrue(player.element.get_static_pad("src").query(query))
        return query.parse_latency()

    def behind(self, depth, latency, info, properties=""):
        """Behind a live source of this latency, in ns."""
        player = dct(info, f"async-depth={depth} {properties}", False)
        player.sources[0].set_property("is-live", True)
        player.sources[0].set_property("min-latency", latency)
        player.state(Gst.State.PLAYING)
        return player

    def test_latency(self):
        """Each frame in flight but the first one adds one of latency; a change is announced. The
        frame rate counts."""
        for depth in self.DEPTHS:
            own = (depth - 1) * FRAME
            with self.behind(depth, 7 * Gst.MSECOND, self.INFO) as player:
                for fps, latency in (25, own), (50, own // 2):
                    player.caps(info_of("I420", 16, 16, f"{fps}/1"))
                    for n in range(depth):
                        player.push(frame_of(self.INFO, draw(self.INFO, 0), n))
                    # With the first frame of these caps, those before it have left.
                    for _ in range(1 if fps == 25 else depth):
                        player.pull()
                    self.assertEqual(self.latency(player),
                                     (True, 7 * Gst.MSECOND + latency, Gst.CLOCK_TIME_NONE))
                    player.listen()
                    said = [m for m in player.others if m.type == Gst.MessageType.LATENCY
                            and m.src == player.element]
                    self.assertEqual(bool(said), own > 0)
                    player.others.clear()

    def test_slowest(self):
        """One frame in 68 years: all times stay times, or unknown."""
        year68 = (2 ** 31 - 1) * Gst.SECOND
        info = info_of("I420", 16, 16, f"1/{2 ** 31 - 1}")
        for depth in self.DEPTHS:
            with self.behind(depth, 5, info, f"interval={Gst.SECOND}") as player:
                for n in range(3):
                    buffer = frame_of(info, draw(info, n))
                    buffer.pts = n * year68 if n < 2 else NONE - 2
                    buffer.duration = NONE
                    player.push(buffer)
                player.end()
                self.assertEqual(len(player.pull_all()), 3)
                _, low, high = self.latency(player)
                self.assertEqual(low, 5 + (depth - 1) * year68 if depth <= 8 else NONE - 1)
                self.assertGreaterEqual(high, low)

    def test_qos(self):
        """Late frames are left out, said so and counted."""
        for depth in self.DEPTHS:
            with feed(self.INFO, f"async-depth={depth} qos=true") as player:
                self.push(player, range(2))
                player.sink.get_static_pad("sink").push_event(Gst.Event.new_qos(
                    Gst.QOSType.UNDERFLOW, 1.0, 0, 3 * FRAME))
                self.push(player, range(2, 6))
                player.end()
                out = player.pull_all()
                left = [n * FRAME for n in (0, 1, 4, 5)]
                self.assertEqual([buffer.pts for buffer in out], left)
                self.assertEqual([buffer.has_flags(Gst.BufferFlags.DISCONT) for buffer in out],
                                 [False, False, True, False])
                *frames, pooled = player.listen()
                self.assertEqual([(f["index"], f["timestamp"]) for f in frames],
                                 list(enumerate(left)))
                late = [m.parse_qos().timestamp for m in player.others
                        if m.type == Gst.MessageType.QOS]
                self.assertEqual(late, [2 * FRAME, 3 * FRAME])
                for said in pooled, fields_of(player.element.props.stats):
                    self.assertEqual((said["frames"], said["dropped"]), (4, 2))

    def test_position(self):
        """The source pad is at the end of the last frame that left it."""
        for depth in self.DEPTHS:
            held, n = depth - 1, depth + 5
            with feed(self.INFO, f"async-depth={depth}", sink="fakesink",
                      start=100 * FRAME, time=100 * FRAME) as player:
                pad = player.element.get_static_pad("src")
                self.push(player, range(100, 100 + n))
                self.assertEqual(pad.query_position(Gst.Format.TIME),
                                 (True, (100 + n - held) * FRAME))
                player.drain()
                self.push(player, range(100 + n, 101 + n + held))
                self.assertEqual(pad.query_position(Gst.Format.TIME),
                                 (True, (101 + n) * FRAME))

    def test_xpsnr_after_flush(self):
        """XPSNR compares a frame with those before it, but not with those before a flush,
        whether they have left or were dropped by it."""
        info, alone = info_of("I420", 192, 176), None
        frames = {n: draw(info, n) for n in (*range(4), *range(100, 106))}
        for depth, before in itertools.product(range(1, 5), range(6)):
            with feed(info, f"metrics=xpsnr async-depth={depth}") as player:
                for n in range(before):
                    player.push(frame_of(info, frames[100 + n], n))
                if before > 0:
                    player.flush()
                player.listen()
                for n in range(4):
                    player.push(frame_of(info, frames[n], n))
                player.end()
                said = [one["xpsnr-y"] for one in player.listen() if one["type"] == "frame"]
                self.assertEqual(said, alone := alone or said)

    def test_behind_an_error(self):
        """Frames that are in flight behind one that is below a limit go with it."""
        info, returned = info_of("I420", 64, 48), Gst.FlowReturn.OK
        with feed(info, "min-psnr-error=30 async-depth=4 quality=3") as player:
            for n in range(8):
                if returned == Gst.FlowReturn.OK:
                    returned = player.push(frame_of(info, draw(info, n), n))
            self.assertEqual(returned, Gst.FlowReturn.ERROR)
            player.end()
            self.assertIsNone(player.sink.emit("try-pull-sample", 0))
            self.assertEqual([(one["type"], one["index"], one["frames"])
                              for one in player.listen()], [("frame", 0, 1), ("pooled", 0, 1)])
            self.assertEqual(len(player.warnings), 1)
            player.warnings.clear()

    def test_passthrough(self):
        """What gst_base_transform_set_passthrough() asks for: frames pass as they are, behind
        those before them, and nothing is said of them."""
        for depth in self.DEPTHS:
            frames = [frame_of(self.INFO, draw(self.INFO, n), n) for n in range(12)]
            with feed(self.INFO, f"async-depth={depth}") as player:
                for n, buffer in enumerate(frames):
                    player.element.set_passthrough(4 <= n < 8)
                    player.push(buffer)
                player.end()
                for n, (buffer, out) in enumerate(zip(frames, player.pull_all(), strict=True)):
                    self.assertEqual(out.pts, n * FRAME)
                    self.assertEqual(out == buffer, 4 <= n < 8)
                    self.assertEqual(out.get_custom_meta("blockdct") is None, 4 <= n < 8)
                self.assertEqual([one["type"] for one in player.listen()],
                                 8 * ["frame"] + ["pooled"])


if __name__ == "__main__":
    main()
