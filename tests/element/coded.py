#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""blockdctcoded: streams made by hand. (Encoders' are tests/programs/measure/said.py's.)"""
import unittest

from player import Feed, Gst, bytes_of, fields_of, main


class Coded(unittest.TestCase):
    def start(self, caps):
        return Feed("blockdctcoded name=element", Gst.Caps.from_string(caps))

    def push(self, feed, data, bits=None, headers=0):
        """A buffer of a stream, in hexadecimal digits; and the bits that are said of it, or
        nothing."""
        buffer = Gst.Buffer.new_wrapped(bytes.fromhex(data)) if data else Gst.Buffer()
        self.assertEqual(feed.push(buffer), Gst.FlowReturn.OK)
        out = feed.pull()
        self.assertEqual(bytes_of(out), bytes.fromhex(data))
        meta = out.get_custom_meta("blockdct-coded")
        said = meta and fields_of(meta.get_structure())
        self.assertEqual(said and (said["bits"], said["bits-headers"]),
                         None if bits is None else (bits, headers))

    def check(self, caps, *pieces):
        with self.start(caps) as feed:
            for piece in pieces:
                with self.subTest(f"{caps} {piece}"):
                    self.push(feed, *piece)

    def test_hidden(self):
        """Frames that are not shown join the next one; frames that show one from before are
        shown."""
        self.check("video/x-vp8", ("100102", 24), ("0101",), ("1110", 32), ("",))
        # Profiles 0 and 3; a superframe that begins with a hidden frame.
        self.check("video/x-vp9", ("8201", 16), ("840102",), ("88", 32), ("b1", 8), ("b2",),
                   ("b4", 16), ("8401c0", 24))

    def test_headers(self):
        """In buffers of their own, and in those of frames."""
        self.check("video/x-theora", ("807468",), ("4001", 16, 24), ("", 0), ("40", 8))
        self.check("video/x-h264,stream-format=byte-stream,alignment=au", ("000000016707",),
                   ("000001060500000001650102", 56, 88))
        # Lengths of two bytes, as codec_data says.
        self.check("video/x-h264,stream-format=avc,alignment=au,codec_data=(buffer)0142c00afd",
                   ("00020605000165", 24, 32), ("000141", 24))
        # A temporal delimiter, a sequence header, a frame; a frame without a size.
        self.check("video/x-av1,alignment=tu", ("12000a010932020102", 32, 40), ("300102", 24))

    def test_cut_off(self):
        """Units that end where there is no more: not a byte more is counted."""
        self.check("video/x-av1,alignment=tu", ("36", 8), ("32ffff", 24), ("320901", 24))
        self.check("video/x-h264,stream-format=avc,alignment=au", ("0000000965", 40),
                   ("00000009",), ("ffff",))
        self.check("video/x-h265,stream-format=byte-stream,alignment=au", ("000001",),
                   ("00000102", 32, 24))
        self.check("image/jpeg", ("ffd8ffdaffff",), ("ffd8ffda000207ff", 16, 96), ("ff",))

    def test_flush(self):
        """What waits for its frame when a flush comes is of another place in the stream."""
        with self.start("video/x-vp8") as feed:
            self.push(feed, "010102")
            feed.flush()
            self.push(feed, "1001", 16)

    def test_start(self):
        """Sums are of one run; streams without whole pictures in buffers are not taken."""
        with self.start("video/x-vp8") as feed:
            for _ in range(2):
                feed.open()
                self.push(feed, "100102", 24)
                said = feed.element.props.stats
                self.assertEqual(said.get_name(), "blockdct-coded")
                self.assertEqual([fields_of(said)[name] for name in (
                    "frames", "bits", "bits-headers")], [1, 24, 0])
                feed.state(Gst.State.READY)
                feed.state(Gst.State.PLAYING)
        with self.start("video/x-h264,stream-format=byte-stream,alignment=nal") as feed:
            self.assertEqual(feed.push(Gst.Buffer()), Gst.FlowReturn.NOT_NEGOTIATED)


if __name__ == "__main__":
    main()
