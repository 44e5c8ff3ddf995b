# SPDX-License-Identifier: LGPL-2.1-or-later
"""stalls.py PROGRAM ARGUMENT...: blockdct-measure with a decoder that takes its time. What a
file of 57000 bytes begins with says how: "STALLS" hangs for ever, and cannot be stopped; "SLOW"
sleeps for a second at each buffer; "COMPUTES" makes nothing for twelve seconds at the end, and
has a processor for a fifth of them. The last two then make a picture."""

import sys
import time

from program import Gst, cli

def compute_now_and_then():
    end = time.monotonic() + 12
    while time.monotonic() < end:
        start = time.thread_time()
        while time.thread_time() < start + 0.02:
            pass
        time.sleep(0.08)


TEMPLATES = [Gst.PadTemplate.new(name, direction, Gst.PadPresence.ALWAYS,
                                 Gst.Caps.from_string(caps))
             for name, direction, caps in (("sink", Gst.PadDirection.SINK, "video/x-slow"),
                                           ("src", Gst.PadDirection.SRC, "video/x-raw"))]


class Slow(Gst.Element):
    def __init__(self):
        super().__init__()
        self.computes = False
        sink, self.src = (Gst.Pad.new_from_template(template, template.name_template)
                          for template in TEMPLATES)
        sink.set_chain_function_full(self.take_buffer)
        sink.set_event_function_full(self.take_event)
        self.add_pad(sink)
        self.add_pad(self.src)

    def take_buffer(self, _pad, _parent, buffer):
        if buffer.offset == 0:
            head = buffer.extract_dup(0, 8)
            self.computes = head == b"COMPUTES"
            while head.startswith(b"STALLS"):
                time.sleep(1)
        if not self.computes:
            time.sleep(1)
        return Gst.FlowReturn.OK

    def take_event(self, pad, parent, event):
        if event.type == Gst.EventType.CAPS:
            return self.src.push_event(Gst.Event.new_caps(Gst.Caps.from_string(
                "video/x-raw,format=GRAY8,width=8,height=8,framerate=0/1,"
                "interlace-mode=progressive")))
        if event.type == Gst.EventType.EOS:
            if self.computes:
                compute_now_and_then()
            self.src.push(Gst.Buffer.new_wrapped(bytes(64)))
        return pad.event_default(parent, event)


def find_type(find):
    # Its bytes cannot be had in Python.
    if find.get_length() == 57000:
        find.suggest_empty_simple(Gst.TypeFindProbability.MAXIMUM, "video/x-slow")


Slow.set_metadata("slow", "Codec/Decoder/Video", "takes its time", "gst-blockdct")
for template in TEMPLATES:
    Slow.add_pad_template(template)
Gst.Element.register(None, "slowdec", Gst.Rank.PRIMARY, Slow)
Gst.TypeFind.register(None, "video/x-slow", Gst.Rank.PRIMARY, find_type)
del sys.argv[1]
sys.exit(cli.main())
