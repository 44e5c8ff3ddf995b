# SPDX-License-Identifier: LGPL-2.1-or-later
"""Decoding a file's first video, as part of a pipeline."""
import os
import re
import time
from fractions import Fraction
from typing import Any, Callable

from blockdct import read_jpeg

from . import files
from .files import FileError, NoVideo
from .formats import WOVEN
from .gst import Closed, Gst, chain, has_counter, last_line, make, refuses, sink, stop

_NAP = 200 * Gst.MSECOND
_LONGEST = 1000 * 3600 * Gst.SECOND
_TRY, _SKIP = 0, 2  # GstAutoplugSelectResult, which is not introspectable
_OTHERS = ('it is a list of other files ({}), which are not opened: name those files '
           'instead')
#: What files of a type have that their decoders do not do, of which they say no more
#: than 'Internal data stream error'.
_UNDONE = {'image/jpeg': ', such as CMYK', 'image/webp': ', such as an animation'}
_DEEP = {'420': ('i420', 2, 2), '422': ('i422', 2, 1), '444': ('y444', 1, 1)}


class Stall:
    """A wait that is given up when nothing comes for `limit` seconds, and ten times as
    long while the process computes."""

    def __init__(self, limit: float, kind: type[Exception] = FileError):
        self.limit, self._kind = limit, kind
        self.moved()

    def moved(self) -> None:
        self._start, self._used = time.monotonic(), time.process_time()

    def check(self) -> None:
        waited = time.monotonic() - self._start
        busy = time.process_time() - self._used > waited / 20
        if self.limit and waited > self.limit * (10 if busy else 1):
            raise self._kind(f'it gave nothing for {waited:.0f} s (--stall-limit sets how '
                             'long to wait)')


def _end(buffer: Gst.Buffer) -> int:
    """0: unknown."""
    if buffer.pts == Gst.CLOCK_TIME_NONE:
        return 0
    return buffer.pts + (buffer.duration if buffer.duration != Gst.CLOCK_TIME_NONE else 0)


def _deep_y4m(path: str) -> tuple[str, int] | None:
    """rawvideoparse's description of a YUV4MPEG2 file of more than 8 bits, which y4mdec
    of GStreamer before 1.24 reads as one of 8, and where its frames begin."""
    with open(path, 'rb') as file:
        head = file.readline(1024)
    if not head.startswith(b'YUV4MPEG2 '):
        return None
    fields = {f[:1]: f[1:] for f in head.split()[1:]}
    layout = fields.get(b'C', b'420').decode()
    match = re.fullmatch('(420|422|444)p(10|12)', layout)
    if match is None:
        if re.search(r'p\d\d|mono\d', layout):
            raise FileError(f'its samples are {layout}: convert it to 8, 10 or 12 bits of 4:2:0, '
                            '4:2:2 or 4:4:4')
        return None
    width, height = int(fields[b'W']), int(fields[b'H'])
    name, across, down = _DEEP[match[1]]
    luma, stride = 2 * width * height, 2 * -(-width // across)
    chroma = stride * -(-height // down)
    rate = fields.get(b'F', b'25:1').decode().replace(':', '/')
    return (f'rawvideoparse format={name}-{match[2]}le width={width} height={height} '
            f'framerate={rate} frame-size={6 + luma + 2 * chroma} '
            f'plane-strides=<{2 * width},{stride},{stride}> '
            f'plane-offsets=<6,{6 + luma},{6 + luma + chroma}>', len(head))


def _avi_frames(path: str) -> int:
    """The frames that an AVI file's header declares, which avidemux does not say of one that
    breaks off."""
    with open(path, 'rb') as file:
        head = file.read(52)
    return int.from_bytes(head[48:52], 'little') if head[20:28] == b'hdrlavih' else 0


_MARKER = re.compile(rb'\xff[^\x00\xff\xd0-\xd7]')


def _walk_jpeg(data: bytes, at: int) -> tuple[int, bytes, bool]:
    """Where a JPEG picture ends, 0 if it breaks off; its size; and whether it has an index
    of others."""
    size, indexed = b'', False
    at += 2
    while (match := _MARKER.search(data, at)) and match[0] != b'\xff\xd9':
        at = match.end()
        if match[0] in (b'\xff\xc0', b'\xff\xc1', b'\xff\xc2'):
            size = data[at + 3:at + 7]
        indexed = indexed or match[0] == b'\xff\xe2' and data[at + 2:at + 6] == b'MPF\0'
        at += int.from_bytes(data[at:at + 2], 'big')
    return match.end() if match else 0, size, indexed


def jpeg_still(path: str) -> bytes | None:
    """The first picture of a JPEG file, behind which others of it may stand, such as a
    gain map or the other eye; None: it is no such file, or a stream of pictures."""
    with open(path, 'rb') as file:
        if file.read(2) != b'\xff\xd8':
            return None
        data = b'\xff\xd8' + file.read()
    end, size, indexed = _walk_jpeg(data, 0)
    if not end:
        try:
            read_jpeg(data)  # the mark of its end alone may be missing
        except (ValueError, NotImplementedError):
            # libjpeg would fill up the rest with grey.
            raise FileError('it breaks off: the end of the picture is missing') from None
        return data
    if data[end:end + 2] == b'\xff\xd8' and not indexed and _walk_jpeg(data, end)[1] == size:
        return None
    return data[:end]


def is_whole(path: str) -> bool | None:
    """Whether a file has all that its outermost boxes declare; None: it has none."""
    size, at = os.path.getsize(path), 0
    with open(path, 'rb') as file:
        head = file.read(64)
        if head[:4] + head[8:12] == b'RIFFAVI ':
            return int.from_bytes(head[4:8], 'little') + 8 <= size
        if head[4:8] in (b'ftyp', b'moov', b'mdat', b'wide', b'free'):
            while at < size:
                file.seek(at)
                box = file.read(16)
                length = int.from_bytes(box[:4], 'big')
                if length == 1:
                    length = int.from_bytes(box[8:], 'big')
                at = at + max(length, 8) if length else size
            return at == size
    segment = head.find(b'\x18\x53\x80\x67') + 4
    if head[:4] != b'\x1a\x45\xdf\xa3' or segment < 4:
        return None
    width = 9 - head[segment].bit_length()
    unknown = (1 << 7 * width) - 1
    length = int.from_bytes(head[segment:segment + width], 'big') & unknown
    return None if length == unknown else segment + width + length <= size


class Input:
    """A file in a pipeline: its first video goes to the element `into`, after videoconvert
    and a filter that `choose`, called with the caps of decoded pictures, may set."""

    def __init__(self, pipeline: Gst.Pipeline, path: str, into: Gst.Element,
                 choose: Callable[[Gst.Caps], Gst.Caps | None] = lambda caps: None,
                 coded: bool = False):
        files.check(path)
        self.pipeline, self.path, self._is_coded = pipeline, path, coded
        self.coded: Gst.Element | None = None  # counts the stream's bits
        self.codec = ''
        self.decoders: list[Gst.Element] = []
        self._choose, self._others = choose, []
        self._type = self._list = ''
        self._contained = self._image = self._linked = self._video = False
        self.no_video = False
        self.caps: Gst.Caps | None = None
        self.n_frames = 0  # which the user of its pictures counts
        self.end = 0       # of the last one, stream time
        # GStreamer 1.22 dithers v210 to 10 bits, although nothing is rounded.
        self._convert = make('videoconvert', dither='none')
        self._filter = make('capsfilter', caps=Gst.Caps.from_string(WOVEN))
        chain(pipeline, self._convert, self._filter, into)
        deep = _deep_y4m(path)
        if deep is None:
            self._start(path)
            return
        self._file = open(path, 'rb')
        os.lseek(self._file.fileno(), deep[1], os.SEEK_SET)
        self.source = make('fdsrc', fd=self._file.fileno())
        parser = Gst.parse_bin_from_description(deep[0], True)
        chain(pipeline, self.source, make('queue'), parser)
        self._link(None, parser.get_static_pad('src'))

    @property
    def src(self) -> Gst.Pad:
        """Where converted pictures leave."""
        return self._filter.get_static_pad('src')

    def _start(self, path: str) -> None:
        try:
            self.source = make('filesrc', location=path)
        except UnicodeEncodeError:  # properties are UTF-8, names of files any bytes
            self._file = open(path, 'rb')
            self.source = make('filesrc', location=f'/proc/self/fd/{self._file.fileno()}')
        decoder = make('parsebin' if self._is_coded else 'decodebin')
        self.decoders.append(decoder)
        # The y4mdec of GStreamer 1.28 pulls, and pushes before decodebin has linked its pads;
        # after a queue it is pushed its data.
        chain(self.pipeline, self.source, *([make('queue')] if path.endswith('.y4m') else ()),
              decoder)
        decoder.connect('autoplug-select', self._select)
        decoder.connect('autoplug-continue', self._continue)
        decoder.connect('pad-added', self._link)
        decoder.connect('no-more-pads', self._check_linked)

    # decodebin's signals

    def _select(self, decoder: Gst.Element, pad: Gst.Pad, caps: Gst.Caps,
                factory: Gst.ElementFactory) -> int:
        kind = caps.get_structure(0).get_name()
        self._type = self._type or kind
        if refuses(factory):
            self._list = kind
            return _SKIP
        if 'Demuxer' in factory.get_metadata('klass'):
            self._contained = True
        return _TRY

    def _continue(self, decoder: Gst.Element, pad: Gst.Pad, caps: Gst.Caps) -> bool:
        """Sound and subtitles are not decoded, nor is another video."""
        kind = caps.get_structure(0).get_name()
        if kind.startswith('image/'):
            self._image = True
        if kind.startswith(('audio/', 'text/', 'subpicture/', 'application/x-subtitle',
                            'closedcaption/')):
            return False
        parent = pad.get_parent_element()
        if not self._contained or parent is None or not kind.startswith(('video/', 'image/')) \
                or 'Demuxer' not in (parent.get_metadata('klass') or ''):
            return True
        stream = pad.get_stream_id() or True
        self._video = self._video or stream
        return self._video == stream

    def _link(self, decoder: Gst.Element | None, pad: Gst.Pad) -> None:
        caps = pad.get_current_caps() or pad.query_caps(None)
        kind = caps.get_structure(0).get_name() if caps.get_size() else ''
        is_video = kind == 'video/x-raw'
        if self._is_coded and not self._linked and not is_video and kind.startswith(
                ('video/', 'image/')):
            self._decode(pad, caps, kind)
        elif is_video and not self._linked:
            self._linked = True
            self._use(pad)
        else:  # it has to end, too, before the file has ended
            nowhere = sink('fakesink')
            self.pipeline.add(nowhere)
            nowhere.sync_state_with_parent()
            pad.link(nowhere.get_static_pad('sink'))
            self._others.append(nowhere)

    def _use(self, pad: Gst.Pad) -> None:
        pad.add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, self._note_caps)
        pad.link(self._convert.get_static_pad('sink'))

    def _decode(self, pad: Gst.Pad, caps: Gst.Caps, kind: str) -> None:
        """Decode a parsed stream, whose bits are counted where that is possible."""
        self._linked, self.codec = True, kind.rpartition('/')[2].removeprefix('x-')
        decoder = make('decodebin', sink_caps=caps)
        self.decoders.append(decoder)
        self.coded = make('blockdctcoded') if has_counter(caps) else None
        elements = [self.coded, decoder] if self.coded else [decoder]
        chain(self.pipeline, *elements)
        decoder.connect('pad-added', lambda _, decoded: self._use(decoded))
        for element in elements:
            element.sync_state_with_parent()
        pad.link(elements[0].get_static_pad('sink'))

    def _note_caps(self, pad: Gst.Pad, info: Gst.PadProbeInfo) -> Gst.PadProbeReturn:
        event = info.get_event()
        if event.type == Gst.EventType.CAPS:
            self.caps = event.parse_caps()
            chosen = self._choose(self.caps)
            if chosen is not None:
                self._filter.set_property('caps', chosen)
        return Gst.PadProbeReturn.OK

    def _check_linked(self, decoder: Gst.Element) -> None:
        if not self._linked:  # without a linked sink there is no EOS
            self.no_video = True
            self.pipeline.post_message(Gst.Message.new_application(
                self.pipeline, Gst.Structure.new_empty('no-video')))

    # What the file says, and what is wrong with it

    @property
    def rate(self) -> Fraction | None:
        """Frames a second, if the file declares them."""
        found, n, d = self.caps.get_structure(0).get_fraction('framerate') \
            if self.caps else (False, 0, 1)
        return Fraction(n, d) if found and n > 0 and d > 0 else None

    def duration(self) -> int:
        known, duration = self.pipeline.query_duration(Gst.Format.TIME)
        return duration if known and 0 < duration <= _LONGEST else 0

    def declared(self) -> int:
        """The number of frames that the file declares; 0: none."""
        if is_whole(self.path) is False and (n := _avi_frames(self.path)):
            return n
        if not self._contained:  # a parser guesses
            return int(self._image)
        known, duration = self.src.query_duration(Gst.Format.TIME)
        if not known or not 0 < duration <= _LONGEST or not self.rate:
            return 0
        return int(Fraction(duration, Gst.SECOND) * self.rate + Fraction(1, 2))

    def progress(self) -> float:
        duration = self.duration()
        return min(self.end / duration, 1.0) if duration else 0.0

    def check_end(self) -> None:
        """At the end of all streams, raise an error if there was no picture or if the
        file breaks off: before the end that it declares, by more than a frame."""
        if self.n_frames == 0:
            raise self.explain(None, None)
        declared = self.declared()
        whole = is_whole(self.path)
        if self.n_frames >= declared or whole:
            return
        ends = [self.end]
        for sink in self._others:
            sample = sink.get_property('last-sample')
            if sample is not None and (end := _end(sample.get_buffer())):
                segment = sample.get_segment()
                ends.append(segment.to_stream_time(Gst.Format.TIME, min(end, segment.stop)))
        frame = int(Gst.SECOND / self.rate) if self.rate else 0
        if whole is False or max(ends) + frame * 3 // 2 < self.duration() \
                and max(ends) > 0:
            raise FileError(f'it breaks off: {self.n_frames} of {declared} frames are there '
                f'(--n-frames {self.n_frames} measures them)')

    def explain(self, error: Any, debug: str | None) -> FileError:
        """Why there are no pictures, or no more."""
        if self._list:
            return FileError(_OTHERS.format(self._list))
        missing = re.search(r'Missing [^(\n]*', debug or '')
        no_plugin = error is not None and error.matches(
            Gst.CoreError.quark(), Gst.CoreError.MISSING_PLUGIN)
        if self.no_video or no_plugin:
            return NoVideo('there is no video or picture in it that GStreamer can decode'
                           + (f'. {missing[0].strip()}' if missing else ''))
        if error is not None and error.matches(Gst.StreamError.quark(),
                                               Gst.StreamError.TYPE_NOT_FOUND):
            return FileError(f'GStreamer does not recognise what it is ({error.message}); '
                             'nor some pictures of a few bytes')
        text = error.message if error is not None else 'no picture came'
        if not self._type or (error is not None and error.domain != 'gst-stream-error-quark'):
            return FileError(text if error is not None else 'it has no picture')
        return FileError(f'it is damaged, or GStreamer does not decode this kind of '
                         f'{self._type}{_UNDONE.get(self._type, "")} ({text})')


def watch(bus: Gst.Bus, timeout: int, inputs: list[Input]) -> Gst.Message | None:
    """The next message of an element, or of the end; errors are raised: FileError of a
    file, and RuntimeError of an element behind the inputs."""
    message = bus.timed_pop_filtered(
        timeout, Gst.MessageType.ERROR | Gst.MessageType.EOS | Gst.MessageType.ELEMENT
        | Gst.MessageType.APPLICATION)
    if message is None:
        return None
    if message.type == Gst.MessageType.APPLICATION:
        raise next(i for i in inputs if i.no_video).explain(None, None)
    if message.type == Gst.MessageType.ELEMENT and message.get_structure() is not None \
            and message.get_structure().has_name('redirect'):
        where = message.get_structure().get_string('new-location')
        raise FileError(_OTHERS.format(files.printable(where or '')))
    if message.type == Gst.MessageType.ERROR:
        error, debug = message.parse_error()
        source = message.src.get_name().startswith('filesrc')
        for one in inputs:
            if one._list or one.no_video or (source and len(inputs) == 1) or any(
                    message.src == d or message.src.has_as_ancestor(d) for d in one.decoders):
                failed = one.explain(error, debug)
                failed.refused = 'not-negotiated' in (debug or '')
                raise failed
        cause = last_line(debug)
        raise RuntimeError(f'{message.src.get_name()}: {error.message}'
                           + (f' ({cause})' if cause else ''))
    return message


class Pictures(Closed):
    """A file's pictures, decoded a few ahead. Use it as a context."""

    @classmethod
    def open(cls, path: str, limit: float,
             choose: Callable[[Gst.Caps], Gst.Caps | None] = lambda caps: None
             ) -> 'Pictures | Still':
        """Of a JPEG file by a pipeline that is used again."""
        files.check(path)
        data = jpeg_still(path)
        return Still(path, limit, choose, data) if data else cls(path, limit, choose)

    def __init__(self, path: str, limit: float,
                 choose: Callable[[Gst.Caps], Gst.Caps | None] = lambda caps: None,
                 size: tuple[int, int] | None = None):
        self.pipeline = Gst.Pipeline.new(None)
        self.limit = limit
        self._sink = make('appsink', sync=False, max_buffers=4, enable_last_sample=False)
        scaler = [make('videoscale', method='catrom', add_borders=False), make(
            'capsfilter', caps=Gst.Caps.from_string('video/x-raw, width={}, height={}'.format(
                *size)))] if size else []
        chain(self.pipeline, *scaler, self._sink)
        self.input = Input(self.pipeline, path, [*scaler, self._sink][0], choose)
        self._bus = self.pipeline.get_bus()
        self.pipeline.set_state(Gst.State.PLAYING)

    def pull(self) -> Gst.Sample | None:
        """The next picture; None at the end of a whole file."""
        stall, read = Stall(self.limit), -1
        while True:
            sample = self._sink.try_pull_sample(0 if self.input.no_video else _NAP)
            if sample is not None:
                self._note(sample)
                return sample
            at_end = self._sink.is_eos()
            message = watch(self._bus, _NAP if at_end else 0, [self.input])
            if message is not None and message.type == Gst.MessageType.EOS:
                self.input.check_end()
                return None
            now = self.input.source.query_position(Gst.Format.BYTES)[1] if self.input.source else 0
            if now != read:
                read = now
                stall.moved()
            stall.check()

    def _note(self, sample: Gst.Sample) -> None:
        self.input.n_frames += 1
        self.input.end = _end(sample.get_buffer()) or self.input.end

    def close(self) -> None:
        stop(self.pipeline)


class _JpegDecoder:
    """A pipeline that decodes one JPEG file after the other."""

    def __init__(self) -> None:
        name = Gst.ElementFactory.list_filter(
            Gst.ElementFactory.list_get_elements(Gst.ELEMENT_FACTORY_TYPE_DECODER,
                                                 Gst.Rank.MARGINAL),
            Gst.Caps.from_string('image/jpeg'), Gst.PadDirection.SINK, False)[0].get_name()
        self.pipeline = Gst.parse_launch(
            f'appsrc name=source caps=image/jpeg max-bytes=0 ! jpegparse ! {name} ! videoconvert '
            'name=convert ! capsfilter name=filter ! appsink name=sink sync=false '
            'enable-last-sample=false')
        self._source, self._filter, self.sink, convert = map(
            self.pipeline.get_by_name, ('source', 'filter', 'sink', 'convert'))
        self._caps: Gst.Caps | None = None
        convert.get_static_pad('sink').add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM,
                                                 self._note_caps)
        self.pipeline.set_state(Gst.State.PLAYING)

    def decode(self, data: bytes, choose: Callable[[Gst.Caps], Gst.Caps | None]) -> None:
        self._choose = choose
        if self._caps is not None:
            self._set()
        self._source.emit('push-buffer', Gst.Buffer.new_wrapped(data))

    def _note_caps(self, pad: Gst.Pad, info: Gst.PadProbeInfo) -> Gst.PadProbeReturn:
        if info.get_event().type == Gst.EventType.CAPS:
            self._caps = info.get_event().parse_caps()
            self._set()
        return Gst.PadProbeReturn.OK

    def _set(self) -> None:
        self._filter.set_property('caps', self._choose(self._caps) or Gst.Caps.from_string(WOVEN))


class Still(Closed):
    """The picture of a JPEG file, as Pictures has it."""
    _idle: list[_JpegDecoder] = []
    rate = None

    def __init__(self, path: str, limit: float,
                 choose: Callable[[Gst.Caps], Gst.Caps | None], data: bytes):
        self.input, self._limit, self._sound, self._ended = self, limit, False, False
        self._open = lambda: Pictures(path, limit, choose)
        try:
            self._decoder = self._idle.pop()
        except IndexError:
            self._decoder = _JpegDecoder()
        self._decoder.decode(data, choose)

    def pull(self) -> Gst.Sample | None:
        stall, bus = Stall(self._limit), self._decoder.pipeline.get_bus()
        while not self._ended:
            sample = self._decoder.sink.try_pull_sample(_NAP)
            if sample is not None:
                self._sound = self._ended = True
                return sample
            if bus.pop_filtered(Gst.MessageType.ERROR):
                self._ended = True
                with self._open() as pictures:  # which says what is wrong
                    return pictures.pull()
            stall.check()
        return None

    def declared(self) -> int:
        return 1

    def progress(self) -> float:
        return 0.0

    def close(self) -> None:
        if self._sound:
            self._idle.append(self._decoder)
        else:
            self._decoder.pipeline.set_state(Gst.State.NULL)
