#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""blockdct: what comes out is the same wherever the planes lie in memory; and buffers that are not
what their caps or their meta say. (Strides of all kinds: invariants.)"""
import contextlib
import unittest

from player import FRAME, Gst, GstVideo, bytes_of, draw, feed, frame_of, info_of, main, seen

I420 = info_of("I420", 48, 32)


def describe(buffer, info, offset=(), stride=()):
    return GstVideo.buffer_add_video_meta_full(
        buffer, GstVideo.VideoFrameFlags.NONE, info.finfo.format, info.width, info.height,
        info.finfo.n_planes, [*(offset or info.offset), 0][:4], [*(stride or info.stride), 0][:4])


class Data(unittest.TestCase):
    def push(self, player, buffer):
        """What is made of a buffer, and what is said of it."""
        before = bytes_of(buffer)
        self.assertEqual(player.push(buffer), Gst.FlowReturn.OK)
        self.assertEqual(bytes_of(buffer), before)
        return seen(player.info, player.pull()), player.listen()

    def test_memories(self):
        """Planes in memories of their own, as some decoders and capture devices give them.
        Without a meta the memories are one after the other."""
        info = info_of("I420", 33, 17)
        whole = frame_of(info, draw(info, 0))
        with feed(info, "async-depth=1") as player:
            made, _ = self.push(player, whole)
            for has_meta in True, False:
                parts = Gst.Buffer()
                for begin, end in zip(info.offset, (*info.offset[1:3], info.size)):
                    parts.append_memory(whole.peek_memory(0).copy(begin, end - begin))
                if has_meta:
                    describe(parts, info)
                self.assertEqual(self.push(player, parts)[0], made)

    def test_larger_meta(self):
        """A decoder's padded picture: the meta says more than the caps."""
        info, larger, seen = info_of("NV12", 30, 14), info_of("NV12", 32, 16), []
        planes = draw(larger, 0)
        padded = frame_of(larger, planes)
        describe(padded, larger)
        with feed(info, "async-depth=1") as player:
            for buffer in padded, frame_of(info, [
                    planes[0][:14, :30], *(plane[:7, :15] for plane in planes[1:])]):
                made, (said,) = self.push(player, buffer)
                seen.append((made, {name: value for name, value in said.items()
                                    if name.startswith(("sse", "samples", "levels"))}))
        self.assertEqual(*seen)

    def check_bad(self, player, buffer, *parts):
        """A flow error and a message, and nothing read past the end. An application may go on."""
        self.assertEqual(player.push(buffer), Gst.FlowReturn.ERROR)
        self.assertEqual(player.listen(), [])
        text, = player.warnings
        player.warnings.clear()
        for part in ("buffer", *parts):
            self.assertIn(part, text)

    def test_too_small(self):
        for kind in "GRAY8", "I420", "NV12", "P010_10LE":
            info = info_of(kind, 48, 32)
            with feed(info, "async-depth=1") as player:
                for size in 0, 1, info.size // 2, info.size - 1:
                    self.check_bad(player, Gst.Buffer.new_allocate(None, size) if size
                                   else Gst.Buffer(), f"of {size} bytes")
                self.push(player, frame_of(info, draw(info, 0)))

    def test_meta_beyond(self):
        with feed(I420, "async-depth=1") as player:
            for offset, stride in (
                    # A stride that leaves the memory on the last row.
                    ((0, 1536, 1920), (48, 24, 25)), ((0, 1536, 1920), (120, 24, 24)),
                    # The last plane ends one byte late; it begins behind the end.
                    ((0, 1536, 1921), (48, 24, 24)), ((0, 1536, 2304), (48, 24, 24)),
                    ((0, 1536, 1000000), (48, 24, 24)),
                    # Rows upwards that begin before the memory does.
                    ((0, 1536, 1920), (-48, 24, 24)), ((1487, 1536, 1920), (-48, 24, 24)),
                    # Strides whose product with the height overflows 32 bits.
                    ((0, 1536, 1920), (2 ** 31 - 1, 24, 24)),
                    ((0, 1536, 1920), (-2 ** 31, 24, 24))):
                with self.subTest(f"{offset} {stride}"):
                    buffer = Gst.Buffer.new_allocate(None, I420.size)
                    describe(buffer, I420, offset, stride)
                    self.check_bad(player, buffer, "bytes")

    def test_meta_mismatch(self):
        with feed(I420, "async-depth=1") as player:
            for other in (("I420", 46, 32), ("I420", 48, 30), ("NV12", 48, 32), ("RGB", 48, 32)):
                info = info_of(*other)
                buffer = Gst.Buffer.new_allocate(None, info.size)
                describe(buffer, info)
                self.check_bad(player, buffer, "meta says")
            formats = [GstVideo.VideoFormat(0)]
            with contextlib.suppress(ValueError):  # enumerations of later PyGObject
                formats.append(GstVideo.VideoFormat(9999))
            for field, value, says in (*(("format", f, "unknown format") for f in formats),
                                       ("n_planes", 1, "meta says")):
                buffer = frame_of(I420, draw(I420, 0))
                setattr(describe(buffer, I420), field, value)
                self.check_bad(player, buffer, says)

    def test_bad_in_flight(self):
        """Frames before a bad one are not lost, and an application may go on."""
        with feed(I420, "async-depth=4") as player:
            for n in range(3):
                if n == 2:
                    self.assertEqual(player.push(Gst.Buffer.new_allocate(None, 1)),
                                     Gst.FlowReturn.ERROR)
                player.push(frame_of(I420, draw(I420, n), n))
            player.end()
            self.assertEqual([buffer.pts for buffer in player.pull_all()],
                             [n * FRAME for n in range(3)])
            player.listen()
            self.assertIn("of 1 bytes", *player.warnings)
            player.warnings.clear()


if __name__ == "__main__":
    main()
