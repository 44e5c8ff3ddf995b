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


def read_message(bus):
    """The structure of the next message of a frame. It is posted before its
    buffer is pushed, so it is there when the buffer is."""
    while message := bus.pop_filtered(Gst.MessageType.ELEMENT):
        structure = message.get_structure()
        if structure.has_name('blockdct') \
                and structure.get_string('type') == 'frame':
            return structure
    raise RuntimeError('a frame came without its message')


def next_sample(sink, bus):
    """The next frame; None at the end. An error elsewhere does not wake an
    appsink: hence the timeout."""
    while not sink.get_property('eos'):
        sample = sink.emit('try-pull-sample', 100 * Gst.MSECOND)
        if sample:
            return sample
        message = bus.pop_filtered(Gst.MessageType.ERROR)
        if message:
            error, debug = message.parse_error()
            sys.exit(f'{message.src.get_name()}: {error.message}\n{debug}')
    return None


def run(pipeline):
    """Take frames out until the end, or MAX_FRAMES."""
    dct = pipeline.get_by_name('dct')
    sink = pipeline.get_by_name('sink')
    bus = pipeline.get_bus()
    print('frame  quality    PSNR meta PSNR message')
    for _ in range(MAX_FRAMES):
        sample = next_sample(sink, bus)
        if sample is None:
            break
        meta = sample.get_buffer().get_custom_meta('blockdct').get_structure()
        message = read_message(bus)
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
run(playing)
playing.set_state(Gst.State.NULL)
