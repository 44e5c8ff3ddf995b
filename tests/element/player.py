# SPDX-License-Identifier: LGPL-2.1-or-later
"""An element between sources and a sink that a test holds in its hands."""
import ctypes
import gc
import os
import sys
import unittest

try:
    import gi
    import numpy as np
    gi.require_version("Gst", "1.0")
    gi.require_version("GstVideo", "1.0")
    from gi.repository import GObject, Gst, GstVideo
except (ImportError, ValueError) as reason:
    print(f"1..0 # SKIP {reason}")
    sys.exit(77)

Gst.init(None)
BACKEND = os.environ.get("BLOCKDCT_TEST_BACKEND", "cpu")
FRAME = Gst.SECOND // 25
PATIENCE = 120 * Gst.SECOND
PADS = "ref_sink", "dist_sink", "dist_sink_1", "dist_sink_2"
SAID = Gst.MessageType.ELEMENT, Gst.MessageType.WARNING, Gst.MessageType.ERROR


def caps_of(format_, width, height, rate="25/1", more=""):
    return Gst.Caps.from_string(f"video/x-raw,format={format_},width={width},height={height},"
                                f"framerate={rate}{more}")


def info_of(*arguments, **more):
    return GstVideo.VideoInfo.new_from_caps(caps_of(*arguments, **more))


def planes_of(info, data):
    """The components in a frame's bytes, as views."""
    f = info.finfo
    return [np.ndarray((-(-info.height >> f.h_sub[c]), -(-info.width >> f.w_sub[c])),
                       "u1" if f.depth[c] == 8 else "<u2", data,
                       info.offset[f.plane[c]] + f.poffset[c],
                       (info.stride[f.plane[c]], f.pixel_stride[c]))
            for c in range(f.n_components)]


def frame_of(info, planes, n=0):
    """A buffer with these components, that of frame `n`."""
    data = bytearray(info.size)
    for c, (view, plane) in enumerate(zip(planes_of(info, data), planes)):
        view[:] = plane << info.finfo.shift[c] if info.finfo.depth[c] > 8 else plane
    buffer = Gst.Buffer.new_wrapped(bytes(data))
    buffer.pts, buffer.duration = n * FRAME, FRAME
    return buffer


def draw(info, seed):
    """Components of slopes, an edge where they wrap, and noise."""
    rng, planes = np.random.default_rng(seed), []
    for c, plane in enumerate(planes_of(info, bytes(info.size))):
        y, x = np.mgrid[0:plane.shape[0], 0:plane.shape[1]]
        v = (40 + 31 * c + 13 * seed + 5 * x + 3 * y + rng.integers(0, 24, x.shape)) % 256
        planes.append((v << info.finfo.depth[c] - 8).astype(plane.dtype))
    return planes


def bytes_of(buffer):
    return buffer.extract_dup(0, buffer.get_size())


def seen(info, buffer):
    """The samples alone, without what may be between rows."""
    return b"".join(plane.tobytes() for plane in planes_of(info, bytes_of(buffer)))


def fields_of(structure):
    return {name: structure.get_value(name) for name in map(
        structure.nth_field_name, range(structure.n_fields()))}


class Native:
    """A library's functions, where Python has none that does: of numbers, of addresses, which
    hash() gives of what is GStreamer's, of bytes."""

    def __init__(self, name):
        self.library = ctypes.CDLL(name)

    def __getattr__(self, name):
        function = getattr(self.library, name)
        function.restype = ctypes.c_size_t
        return lambda *arguments: function(*(
            ctypes.c_void_p(one) if isinstance(one, int) else
            ctypes.c_double(one) if isinstance(one, float) else one for one in arguments))


def answer_allocations(sink, change):
    """Have a sink answer allocation queries: change(GStreamer, address of the query)."""
    gst = Native("libgstreamer-1.0.so.0")

    def on_query(_, info):
        query = info.get_query()
        if query.type != Gst.QueryType.ALLOCATION:
            return Gst.PadProbeReturn.OK
        # As long as it is Python's, too, it cannot be written.
        gst.gst_mini_object_unref(hash(query))
        change(gst, hash(query))
        gst.gst_mini_object_ref(hash(query))
        return Gst.PadProbeReturn.HANDLED
    sink.get_static_pad("sink").add_probe(
        Gst.PadProbeType.QUERY_DOWNSTREAM | Gst.PadProbeType.PUSH, on_query)


class Player:
    """A pipeline whose sources are in0 and on, whose sink is out, and whose element is named."""

    def __init__(self, line, info=None, play=True):
        self.pipeline = Gst.parse_launch(line)
        self.element, self.sink = map(self.pipeline.get_by_name, ("element", "out"))
        self.bus = self.pipeline.get_bus()
        self.pipeline.set_auto_flush_bus(False)
        self.sources = [source for i in range(4)
                        if (source := self.pipeline.get_by_name(f"in{i}"))]
        self.warnings, self.others = [], []
        if info:
            self.caps(info)
        if play:
            self.state(Gst.State.PLAYING)

    def __enter__(self):
        return self

    def __exit__(self, error, *_):
        self.state(Gst.State.NULL)
        self.listen()
        assert error or not self.warnings, self.warnings
        vars(self).clear()

    def state(self, state):
        return self.pipeline.set_state(state)

    def set(self, name, value):
        Gst.util_set_object_arg(self.element, name.replace("_", "-"), str(value))

    def caps(self, info, *sources):
        self.info = info
        for source in sources or self.sources:
            source.props.caps = info.to_caps()

    def push(self, *buffers):
        """One to each of the first sources, that are not None."""
        for source, buffer in zip(self.sources, buffers):
            if buffer:
                source.emit("push-buffer", buffer)

    def end(self, *sources):
        for source in sources or self.sources:
            source.emit("end-of-stream")

    def pull(self):
        """The next buffer that leaves; None at the end."""
        sample = self.sink.emit("try-pull-sample", PATIENCE)
        assert sample or self.sink.props.eos, "nothing leaves"
        return sample and sample.get_buffer()

    def pull_all(self):
        return list(iter(self.pull, None))

    def show(self, *buffers):
        self.push(*buffers)
        return self.pull()

    def listen(self):
        """What has been said since; warnings and errors are kept apart, and so is the rest."""
        new = []
        while message := self.bus.pop():
            if message.type == Gst.MessageType.ELEMENT:
                new.append(fields_of(message.get_structure()))
            elif message.type in SAID:
                self.warnings.append(text_of(message))
            else:
                self.others.append(message)
        return new

    def wait(self, kind):
        message = self.bus.timed_pop_filtered(PATIENCE, kind)
        assert message, "nobody says anything"
        return message

    def wait_text(self, kind=Gst.MessageType.WARNING):
        return text_of(self.wait(kind))

    def abort(self):
        """After an error that was read, what else was said is dropped."""
        self.state(Gst.State.NULL)
        self.bus.set_flushing(True)


class Feed(Player):
    """One that is pushed to by whoever calls: when push() returns, the element has the frame."""

    def __init__(self, line, info, sink="appsink wait-on-eos=false sync=false", pads=("sink",),
                 **segment):
        super().__init__(f"{line} ! {sink} async=false name=out")
        self.info, self.pads = info, [Gst.Pad.new(name, Gst.PadDirection.SRC) for name in pads]
        for pad in self.pads:
            pad.link(self.element.get_static_pad(pad.name))
            pad.set_active(True)
        self.open(**segment)

    def push(self, buffer, i=0):
        return self.pads[i].push(buffer)

    def send(self, event):
        """To all pads."""
        for pad in self.pads:
            pad.push_event(event)

    def open(self, **segment):
        self.send(Gst.Event.new_stream_start("feed"))
        self.send(Gst.Event.new_caps(
            self.info if isinstance(self.info, Gst.Caps) else self.info.to_caps()))
        self.begin(**segment)

    def begin(self, **fields):
        """A segment with these fields."""
        segment = Gst.Segment()
        segment.init(fields.pop("format", Gst.Format.TIME))
        for name, value in fields.items():
            setattr(segment, name, value)
        self.send(Gst.Event.new_segment(segment))

    def flush(self):
        start, stop = Gst.Event.new_flush_start(), Gst.Event.new_flush_stop(True)
        stop.set_seqnum(start.get_seqnum())
        self.send(start)
        self.send(stop)
        self.begin()

    def drain(self):
        """Not with an appsink, which waits until all is pulled."""
        self.pads[0].peer_query(Gst.Query.new_drain())

    def end(self):
        self.send(Gst.Event.new_eos())

    def __exit__(self, *error):
        for pad in self.pads:
            pad.set_active(False)
        super().__exit__(*error)


def dct(info, properties="", play=True):
    return Player(f"appsrc name=in0 format=time max-bytes=0 ! blockdct name=element backend="
                  f"{BACKEND} {properties} ! appsink name=out sync=false", info, play)


def feed(info, properties="", **segment):
    return Feed(f"blockdct name=element backend={BACKEND} {properties}", info, **segment)


def duel(info, properties="", n=2):
    """A blockdctcompare of `n` inputs."""
    return Player(f"blockdctcompare name=element backend={BACKEND} {properties} ! appsink name=out "
                  "sync=false " + " ".join(f"appsrc name=in{i} format=time max-bytes=0 ! element."
                                           + pad for i, pad in enumerate(PADS[:n])), info)


def text_of(message):
    error, debug = message.parse_error() if message.type == Gst.MessageType.ERROR \
        else message.parse_warning()
    return f"{error.message}\n{debug}\n{error.domain} {error.code}"


def main():
    """unittest's; then the leaks tracer, where there is one, finds nothing."""
    done = unittest.main(exit=False, verbosity=2).result
    gc.collect()
    Gst.deinit()
    sys.exit(not done.wasSuccessful())
