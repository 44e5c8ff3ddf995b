#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""blockdct_app.py [FILE]: how a program uses blockdct.

Decodes FILE, or makes a test pattern, pushes it through blockdct and lowers
`quality` frame by frame while it plays. What blockdct measured is read in the
two ways it is told: from the message on the bus, and from the meta on each
buffer that comes out of an appsink.

Needs PyGObject and GStreamer's introspection data (Debian: python3-gi and
gir1.2-gstreamer-1.0)."""
import sys

import gi
gi.require_version('Gst', '1.0')
from gi.repository import Gst  # noqa: E402

MAX_FRAMES = 17
QUALITY_STEP = 5


def make_pipeline(file):
    """max-buffers keeps the pipeline from running ahead of the changes made
    here; sync=false lets it run as fast as it can."""
    source = 'filesrc name=source ! decodebin' if file \
        else 'videotestsrc pattern=zone-plate kx2=20 ky2=20'
    pipeline = Gst.parse_launch(
        f'{source} ! videoconvert ! video/x-raw,format=I420 ! '
        'blockdct name=dct quality=90 ! '
        'appsink name=sink max-buffers=1 sync=false')
    if file:
        pipeline.get_by_name('source').set_property('location', file)
    return pipeline


def next_frame(sink, bus, told):
    """The next sample, and what the bus says of its frame, which is posted before; None at
    the end. Messages that come early wait in `told`. An error elsewhere does not wake an
    appsink: hence the timeout."""
    while not sink.get_property('eos'):
        sample = sink.emit('try-pull-sample', 100 * Gst.MSECOND)
        # Both at once: the bus drops what it is not asked for.
        while message := bus.pop_filtered(Gst.MessageType.ELEMENT | Gst.MessageType.ERROR):
            if message.type == Gst.MessageType.ERROR:
                error, debug = message.parse_error()
                sys.exit(f'{message.src.get_name()}: {error.message}\n{debug}')
            structure = message.get_structure()
            if structure.has_name('blockdct') and structure.get_string('type') == 'frame':
                told.append(structure)
        if sample:
            return sample, told.pop(0)
    return None


def run(pipeline):
    """Take frames out until the end, or MAX_FRAMES."""
    dct = pipeline.get_by_name('dct')
    sink = pipeline.get_by_name('sink')
    bus = pipeline.get_bus()
    told = []
    print('frame  quality    PSNR meta PSNR message')
    for _ in range(MAX_FRAMES):
        frame = next_frame(sink, bus, told)
        if frame is None:
            break
        sample, message = frame
        meta = sample.get_buffer().get_custom_meta('blockdct').get_structure()
        print(f'{meta.get_value("index"):5} {meta.get_value("quality"):8} '
              f'{meta.get_value("psnr"):12.3f} '
              f'{message.get_value("psnr"):12.3f}')
        # From any thread, at any time: the next frame to enter has it. A frame
        # or two are on their way here with the old one, as their figures say.
        quality = dct.get_property('quality') - QUALITY_STEP
        dct.set_property('quality', max(quality, 10))


Gst.init(None)
playing = make_pipeline(sys.argv[1] if len(sys.argv) > 1 else None)
playing.set_state(Gst.State.PLAYING)
try:
    run(playing)
finally:
    playing.set_state(Gst.State.NULL)
