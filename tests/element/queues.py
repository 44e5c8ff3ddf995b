#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""blockdctcompare: how far inputs run ahead, and flushes."""
import ctypes
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from player import BACKEND, FRAME, PADS, Feed, Gst, GstVideo, Native, Player, \
    answer_allocations, draw, fields_of, frame_of, info_of, main

SMALL = info_of("I420", 16, 16)
OK, NONE = Gst.FlowReturn.OK, Gst.CLOCK_TIME_NONE


def start(info=SMALL, properties=""):
    return Feed(f"blockdctcompare name=element backend={BACKEND} {properties}", info,
                pads=PADS[:2])


def wait_pooled(player):
    while (said := fields_of(player.wait(Gst.MessageType.ELEMENT).get_structure()))[
            "type"] != "pooled":
        pass
    return said


class HiddenFlushStop:
    """GstAggregator's subclass gets no FLUSH_STOP event, as most of them in GStreamer's main
    branch."""

    def __enter__(self):
        kind = ctypes.CFUNCTYPE(ctypes.c_int, *3 * [ctypes.c_void_p])
        gobject, gst = Native("libgobject-2.0.so.0"), Native("libgstreamer-1.0.so.0")
        own = gobject.g_type_class_ref(gobject.g_type_from_name(b"GstBlockDctCompare"))
        parent = gobject.g_type_class_peek_parent(own)
        query = (ctypes.c_uint64 * 3)()
        gobject.g_type_query(hash(Gst.Element.__gtype__), query)
        # The class of elements, then flush(), clip() and finish_buffer().
        offset = (query[2] & 0xffffffff) + 3 * ctypes.sizeof(ctypes.c_void_p)
        self.slot = ctypes.c_void_p.from_address(own + offset)
        self.before = self.slot.value
        ways = [kind(ctypes.c_void_p.from_address(parent + offset).value), kind(self.before)]
        self.hide = kind(lambda element, pad, event: ways[
            not gst.gst_event_has_name(event, b"GstEventFlushStop") & 1](element, pad, event))
        self.slot.value = ctypes.cast(self.hide, ctypes.c_void_p).value

    def __exit__(self, *_):
        self.slot.value = self.before


class Queues(unittest.TestCase):
    def check_bound(self, bound):
        gap, frames, flushes = bound
        frame, pushed = frame_of(SMALL, draw(SMALL, 0)), []

        def flood():
            for n in range(100000):
                buffer = frame.copy()
                buffer.pts = NONE if gap is None else n * gap
                buffer.duration = NONE
                if player.push(buffer) != OK:
                    break
                pushed.append(n)
        with start() as player:
            if flushes:
                player.flush()
            thread = threading.Thread(target=flood)
            thread.start()
            self.assertRegex(player.wait_text(), "(?s)ref_sink has.*dist_sink has none")
            # GstAggregator may have taken one out of its queue already.
            self.assertIn(len(pushed), (frames, frames + 1))
            player.state(Gst.State.NULL)
            thread.join()

    def test_bound(self):
        """How many frames a pad takes while the other one has none, also after a flush: a quarter
        more than 64 and than 4 s, and no more. The warning comes while it waits."""
        # PyGObject sets a type up when it is first asked for, and not safely in threads.
        with start():
            pass
        bounds = ((Gst.SECOND, 64 + 16, False), (Gst.SECOND // 60, 241 + 16, False),
                  (Gst.SECOND // 200, 800 + 16, False), (None, 64 + 16, False),
                  (Gst.SECOND, 64 + 16, True))
        with HiddenFlushStop(), ThreadPoolExecutor(len(bounds)) as pool:
            list(pool.map(self.check_bound, bounds))

    def test_fixed_pool(self):
        """Frames of a pool of few buffers, on both pads: whoever has one pool for all, as a
        decoder before a tee, goes on, with either pad 30 frames ahead in turn."""
        for size in 4, 8, 24:
            pool = GstVideo.VideoBufferPool.new()
            config = pool.get_config()
            Gst.BufferPool.config_set_params(config, SMALL.to_caps(), SMALL.size, 0, size)
            self.assertTrue(pool.set_config(config) and pool.set_active(True))
            with start() as player:
                for n in range(2 * 240):
                    # Frames that wait to be drawn come back in time.
                    result, buffer = pool.acquire_buffer()
                    self.assertEqual(result, OK)
                    buffer.pts = (n // 60 * 30 + n % 30) * FRAME
                    ahead = n // 60 % 2
                    self.assertEqual(player.push(buffer, ahead if n % 60 < 30 else not ahead),
                                     OK)
                    del buffer
                player.end()
                wait_pooled(player)
            pool.set_active(False)

    def test_end_behind_event(self):
        """What waits behind an event when the reference ends has no partner, as has what is
        before it."""
        with start() as player:
            for n in range(5):
                player.push(frame_of(SMALL, draw(SMALL, n), n), 1)
                if n:
                    player.pads[1].push_event(Gst.Event.new_custom(
                        Gst.EventType.CUSTOM_DOWNSTREAM, Gst.Structure.new_empty("mark")))
            player.push(frame_of(SMALL, draw(SMALL, 0)))
            player.pads[0].push_event(Gst.Event.new_eos())
            self.assertEqual(wait_pooled(player)["unmatched"], 4)

    def push_pairs(self, player, first, n):
        """Frames `first` and on, each beside a worse one."""
        for i in range(n):
            planes = draw(player.info, first + i)
            player.push(frame_of(player.info, planes, i))
            planes[0][:, ::8] ^= 4 << i % 4
            player.push(frame_of(player.info, planes, i), 1)

    def figures(self, player, n):
        return [fields_of(player.pull().get_custom_meta("blockdct-compare").get_structure())
                for _ in range(n)]

    def test_cut_off_flush(self):
        """A change of state cuts off a flush. GstAggregator of 1.22 does not stop its thread for
        those that follow, and forgets what that thread works on."""
        with start(info_of("I420", 640, 640), "view=single "
                   "metrics=psnr+ssim+ms-ssim+psnr-hvs") as player:
            player.send(Gst.Event.new_flush_start())
            player.state(Gst.State.READY)
            player.send(Gst.Event.new_flush_stop(True))
            player.state(Gst.State.PLAYING)
            for i in range(8):
                player.open()
                self.push_pairs(player, 0, 5)
                time.sleep(i / 1000)
                player.flush()
            player.open()
            self.push_pairs(player, 0, 3)
            self.assertTrue(all("psnr" in one for one in self.figures(player, 3)))

    def test_xpsnr_after_flush(self):
        """XPSNR compares a frame with those before it, but not with those before a flush."""
        alone = None
        for before in range(6):
            with start(info_of("I420", 320, 320), "view=single metrics=psnr+xpsnr") as player:
                self.push_pairs(player, 100, before)
                self.figures(player, before)
                if before:
                    player.flush()
                self.push_pairs(player, 0, 4)
                said = [one["xpsnr-y"] for one in self.figures(player, 4)]
                self.assertEqual(said, alone := alone or said)

    def test_kept(self):
        """It stops while all buffers of the pool that it draws into are elsewhere."""
        pool = GstVideo.VideoBufferPool.new()
        with Player("videotestsrc ! video/x-raw,format=I420,width=32,height=32 ! tee name=t "
                    "! queue ! element.ref_sink t. ! queue ! element.dist_sink blockdctcompare "
                    "name=element backend=cpu view=wipe post-messages=false ! appsink name=out "
                    "sync=false", play=False) as player:
            answer_allocations(player.sink, lambda gst, query: gst.gst_query_add_allocation_pool(
                query, hash(pool), info_of("I420", 32, 32).size, 0, 100))
            player.state(Gst.State.PLAYING)
            kept = [player.pull() for _ in range(100)]
            self.assertEqual({buffer.pool for buffer in kept}, {pool})
            time.sleep(.1)  # the next one waits, soon if not yet
            player.state(Gst.State.NULL)


if __name__ == "__main__":
    main()
