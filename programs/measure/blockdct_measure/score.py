# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command score: what encoded files are worth."""
import argparse
import dataclasses
from fractions import Fraction
from typing import Any, Callable, Iterable

import numpy as np

from . import align, files, rows, vmaf, worst
from .align import Signatures, Step
from .compare import Comparison, Span
from .decoding import Input, Pictures
from .encoders import count_bits
from .files import FileError, NoVideo
from .formats import RGB, convert, depth_of, nearest, subsampling
from .gst import Gst, GstVideo, chain, make, sink
from .options import names
from .output import FAILED, UsageError, complain, finish, outputs
from .progress import Progress
from .rows import MAIN, METRICS, Row, padded
from .transforms import Layout

_PERCENTILES = 'min', 'p1', 'p5', 'p10'
_SCALER = 'catrom'  # bicubic, as ffmpeg's scale filter has it
_HDR = {GstVideo.VideoTransferFunction.SMPTE2084: 'HDR (PQ)',
        GstVideo.VideoTransferFunction.ARIB_STD_B67: 'HDR (HLG)'}


class Video:
    """What a file's decoded pictures are."""

    def __init__(self, path: str, limit: float):
        with Pictures.open(path, limit) as pictures:
            sample = pictures.pull()
            if sample is None:
                raise FileError('it has no picture')
            self.path, self.caps, self.rate = path, sample.get_caps(), pictures.input.rate
            self.luma = self._luma(sample)
            # If an MP4 file's last frame is short, qtdemux declares that frame's rate, such as
            # 1000/s. The times are right.
            after = self.rate and pictures.pull()
            if after and (after.get_buffer().pts - sample.get_buffer().pts) * self.rate \
                    > 1.5 * Gst.SECOND:
                self.rate = None
        self.info = info = GstVideo.VideoInfo.new_from_caps(self.caps)
        self.format, self.size = nearest(info.finfo.name, True), (info.width, info.height)
        self.shape = Fraction(info.width * (info.par_n or 1), info.height * (info.par_d or 1))
        # Not the info's, which are defaults where only the range is known.
        colours = GstVideo.VideoColorimetry()
        colours.from_string(self.caps.get_structure(0).get_string('colorimetry') or '')
        self.light = _HDR.get(colours.transfer, 'SDR')
        self.range = 'full' if info.finfo.name in RGB or colours.range == getattr(
            GstVideo.VideoColorRange, '0_255') else 'limited'

    @staticmethod
    def _luma(sample: Gst.Sample) -> np.ndarray | None:
        try:
            layout = Layout(sample.get_caps())
            planes = layout.read(sample)
        except (ValueError, TypeError):
            return None
        return (planes[0].mean(2) if layout.is_rgb else planes[0].astype(float)) / (
            1 << layout.depth - 8)


@dataclasses.dataclass
class Pair:
    """A reference and a file, and how they are compared."""
    reference: Any
    file: Any
    step: Step
    notes: list[str]
    format: str = ''  # of the file's pictures
    scaled: str = ''
    offset: int = 0

    @property
    def depth(self) -> int:
        return max(depth_of(self.reference.format), depth_of(self.format))


def pair(reference: Video, file: Video, scale: bool) -> Pair:
    """How two videos are compared; FileError where pairs would be guessed."""
    step = align.find_step(reference.rate, file.rate, file.path)
    made = Pair(reference, file, step, [], file.format)
    if step != Step():
        made.notes.append(f'{float(file.rate):g} frames/s against {float(reference.rate):g}: '
                          'frames are compared that fall together, '
                          f'{float(reference.rate / step.reference):g} a second')
    if file.light != reference.light:
        made.notes.append(f"{file.light} against {reference.light}: convert one, as with ffmpeg's "
                          'zscale and tonemap filters')
    if file.range != reference.range:
        made.notes.append(f'{file.range} range against {reference.range}: the figures have this '
                          'difference in them')
    if subsampling(reference.format) != subsampling(file.format):
        made.format = reference.format
        made.notes.append(f'{file.format} is converted to {made.format}')
    if file.size != reference.size:
        _scale(made, scale)
    return made


def _scale(made: Pair, scale: bool) -> None:
    a, b = made.reference, made.file
    sizes = 'it has {}x{}, the reference {}x{}: '.format(*b.size, *a.size)
    if not scale:
        raise FileError(sizes + 'leave --no-scale out, or scale one first')
    for big, small, what in (a, b, 'it is cropped'), (b, a, 'it has a border'):
        at = None if a.luma is None or b.luma is None else align.find_crop(big.luma, small.luma)
        if at:
            raise FileError(f'{sizes}{what}; make both alike first, as with ffmpeg -vf '
                            'crop={}:{}:{}:{} on the larger'.format(*small.size, *at))
    if abs(a.shape / b.shape - 1) > Fraction(1, 100):
        raise FileError(sizes + 'their shapes differ; crop, pad or scale one first')
    made.scaled = '{} from {}x{}'.format(_SCALER, *b.size)


class _Deepen:
    """Samples of more bits, which GStreamer's converter does not make by a shift."""

    def __init__(self, pipeline: Gst.Pipeline, depth: int, form: str):
        self.sink = sink('appsink', max_buffers=2, emit_signals=True)
        self.source = make('appsrc', block=True, max_bytes=1 << 26, format='time')
        self._shift = depth - depth_of(form)
        base = {'GRAY8': 'GRAY8'}.get(form) or {
            (1, 1): 'I420', (1, 0): 'I422', (0, 0): 'Y444'}[subsampling(form)]
        self._form = f'{base}_{depth}LE'
        self._layout: Layout | None = None
        self.sink.connect('new-sample', self._take)
        self.sink.connect('eos', lambda sink: self.source.emit('end-of-stream'))
        for element in self.sink, self.source:
            pipeline.add(element)

    def _take(self, sink: Gst.Element) -> Gst.FlowReturn:
        sample = sink.emit('pull-sample')
        if self._layout is None:
            self._layout = Layout(sample.get_caps())
            caps = sample.get_caps().copy()
            caps.set_value('format', self._form)
            self.source.set_property('caps', caps)
            self._out = GstVideo.VideoInfo.new_from_caps(caps)
        data = np.zeros(self._out.size, np.uint8)
        for c, plane in enumerate(self._layout.read(sample)):
            np.ndarray(plane.shape, '<u2', data, self._out.offset[c],
                       (self._out.stride[c], 2))[:] = plane.astype('<u2') << self._shift
        buffer, old, segment = (Gst.Buffer.new_wrapped(data.tobytes()),
                                sample.get_buffer(), sample.get_segment())
        buffer.pts = segment.to_running_time(Gst.Format.TIME, old.pts)
        buffer.duration = old.duration
        return self.source.emit('push-buffer', buffer)


class _Side:
    """One file of a comparison: its pictures, and those that have a partner."""

    def __init__(self, run: Comparison, i: int, video: Video, made: Pair, o: argparse.Namespace):
        form, step = (made.format, made.step.file) if i else (
            made.reference.format, made.step.reference)
        self._period = float(step / video.rate * Gst.SECOND) if made.step != Step() else 0
        scaler = make('videoscale', method=_SCALER, add_borders=False)
        size = made.reference.info
        out = make('capsfilter', caps=Gst.Caps.from_string(
            f'video/x-raw, width={size.width}, height={size.height}, '
            f'pixel-aspect-ratio={size.par_n or 1}/{size.par_d or 1}'))
        chain(run.pipeline, scaler, out)
        self.input = Input(run.pipeline, video.path, scaler, lambda caps: convert(caps, form),
                           bool(i))
        if depth_of(form) < made.depth:
            deepen = _Deepen(run.pipeline, made.depth, form)
            chain(run.pipeline, out, deepen.sink)
            out = deepen.source
        # Small pictures of the first frames.
        self._small = sink('appsink', caps=Gst.Caps.from_string(
            f'video/x-raw, format=GRAY8, width={align.WIDTH}, height={align.HEIGHT}'))
        self._valve = make('valve', drop_mode='forward-sticky-events')
        chain(run.pipeline, out, run.tees[i], make('queue', max_size_time=0), self._valve,
              make('videoscale', add_borders=False), make('videoconvert'), self._small)
        self._samples: list[Gst.Sample] = []
        begin = run.queues[i].get_static_pad('src')  # with that of the other side
        self.span = Span(out.get_static_pad('src'), o.first_frame * step + max(
            0, made.offset if i else -made.offset), o.n_frames, self._period,
            self._period / step / 8, lambda now: begin.set_offset(-now))

    def poll(self) -> None:
        while (sample := self._small.try_pull_sample(0)) is not None:
            self._samples.append(sample)
        if len(self._samples) > 2 * align.REACH * float(self.input.rate or 25):
            self._valve.set_property('drop', True)

    def signature(self) -> Signatures:
        self.poll()
        buffers = [(s.get_segment(), s.get_buffer()) for s in self._samples]
        times = np.array([segment.to_running_time(Gst.Format.TIME, b.pts)
                          for segment, b in buffers], float)
        pixels = [np.frombuffer(b.extract_dup(0, b.get_size()), np.uint8) for _, b in buffers]
        return Signatures(times - times[:1], np.array(pixels, float).reshape(
            -1, align.WIDTH * align.HEIGHT))

    def rate(self) -> float | None:
        """Frames a second: what the file declares, unless its times say otherwise."""
        declared = float(self.input.rate or 0)
        times = self.signature().times
        seen = (len(times) - 1) * 1e9 / (times[-1] - times[0]) if len(times) > 1 else 0
        if self._period or not seen or declared and abs(seen / declared - 1) < 1e-3:
            return declared or None
        return seen


@dataclasses.dataclass
class Score:
    """A file's row, or that of one of its frames."""
    name: str
    made: Pair
    total: Row
    frames: list[Row]
    unmatched: int
    codec: str
    kbps: float | None = None

    def least(self, metric: str, which: str) -> float | None:
        found = sorted(v for f in self.frames if (v := f.figure(MAIN[metric])) is not None)
        percent = int(which[1:]) if which != 'min' else 0
        return found[max(0, -(-percent * len(found) // 100) - 1)] if found else None

    def each(self) -> list['Score']:
        return [dataclasses.replace(self, total=f, frames=[f], unmatched=0, kbps=None)
                for f in self.frames]

    def cells(self, metrics: Iterable[str]) -> dict[str, Any]:
        made, total = self.made, self.total
        cells = {
            'file': self.name, 'reference': files.printable(made.reference.path),
            'codec': self.codec or None, 'format': total.format, 'width': made.file.size[0],
            'height': made.file.size[1], 'depth': total.depth,
            'frame-rate': str(made.file.rate) if made.file.rate else None, 'frame': total.frame,
            'offset': made.offset, 'scaled': made.scaled or None,
            'frames': total.counts.get('frames'), 'unmatched': self.unmatched,
            'bits': total.counts.get('bits'), 'bits-headers': total.counts.get('bits-headers'),
            'kbps': self.kbps,
            **{f'psnr-{p}': total.psnr(p) if total.has_plane(f'-{p}') else None for p in 'yuv'}}
        for metric in ('psnr', *metrics):
            cells[MAIN[metric]] = total.figure(MAIN[metric])
            cells |= {f'{metric}-{p}': self.least(metric, p) for p in _PERCENTILES}
        return cells | {'notes': '; '.join(made.notes) or None}

    @staticmethod
    def head(metrics: Iterable[str], _: int) -> str:
        """Of a table for people, and the lines of a file."""
        return f'{"frames":>8}' + ''.join(
            f' {MAIN[m]:>8} {"5%":>8} {"least":>8}' for m in ('psnr', *metrics)
            ) + f' {"kbit/s":>9}  file\n'

    def text(self, metrics: Iterable[str], _: int) -> str:
        frame, made = self.total.frame, self.made
        line = f'{self.total.count("frames"):8}' if frame is None else f'#{frame:<7}'
        for m in ('psnr', *metrics):
            for value in self.total.figure(MAIN[m]), self.least(m, 'p5'), self.least(m, 'min'):
                line += padded(value, 9, 4 if 'ssim' in m else 2)
        line += f'{padded(self.kbps, 10, 1)}  {self.name}\n'
        if frame is not None:
            return line
        notes = [
            *([f'{self.unmatched} frames have no partner'] if self.unmatched else ()),
            *([f'offset: frame 0 of the reference is frame {made.offset} of the file']
              if made.offset else ()),
            *([f'scaled: {made.scaled}'] if made.scaled else ()), *made.notes]
        return line + ''.join(f'{"":8} {note}\n' for note in notes)


_NONE = argparse.Namespace(path='', size=(0, 0), rate=None)
_EMPTY = Score('', Pair(_NONE, _NONE, Step(), []), rows.EMPTY, [], 0, '')


def _compare(made: Pair, name: str, o: argparse.Namespace, metrics: list[str],
             bar: Callable[[float], None]) -> tuple[Score, Signatures, Signatures]:
    whole = o.n_frames is None
    with Comparison(metrics, o.backend, o.threads, True) as run:
        sides = [_Side(run, i, video, made, o)
                 for i, video in enumerate((made.reference, made.file))]
        run.run([s.input for s in sides], o.stall_limit, whole, bar,
                lambda: [s.poll() for s in sides])
        size, file = made.reference.size, sides[1].input
        total = Row(name, None, name, '', 0, made.reference.format, *size, made.depth)
        frames, unmatched = run.results(total)
        if not frames:
            raise FileError('no frame of it falls together with one of the reference')
        score = Score(name, made, total, frames, unmatched + abs(made.offset), file.codec)
        if file.coded is not None and whole:
            n, rate = count_bits(total, file.coded), sides[1].rate()
            if n and rate:
                score.kbps = (total.count('bits') + total.count('bits-headers')) / n * rate / 1000
        return score, *(s.signature() for s in sides)


def _score(reference: Video, file: files.File, o: argparse.Namespace, metrics: list[str],
           bar: Callable[[float], None]) -> Score:
    made = pair(reference, Video(file.path, o.stall_limit), not o.no_scale)
    made.offset = o.offset or 0
    score, a, b = _compare(made, file.name, o, metrics, bar)
    if o.offset is None and not o.first_frame:
        found = align.find_offset(a, b, made.step)
        if not align.is_alike(align.likeness(a, b, found, made.step)):
            made.notes.append('the two do not seem to show the same: look at them with '
                              '--worst 5 --pictures DIR')
        elif found:
            made.offset = found
            score, _, _ = _compare(made, file.name, o, metrics, bar)
    return score


def _limit(o: argparse.Namespace, name: str) -> float | None:
    return getattr(o, 'min_' + name.replace('-', '_'))


def _missed(o: argparse.Namespace, score: Score) -> list[str]:
    found = {k + m: v for m in MAIN for k, v in (
        ('', score.total.figure(MAIN[m])), ('frame-', score.least(m, 'min')))}
    return [f'{score.name}: {name} is {"unknown" if value is None else f"{value:.6g}"}, below '
            f'{limit:g}' for name, value in found.items()
            if (limit := _limit(o, name)) is not None and (value is None or value < limit)]


def run(o: argparse.Namespace) -> int:
    if (o.worst is None) != (o.pictures is None):
        raise UsageError('--worst N and --pictures DIR go together')
    wanted = names('metrics', o.metrics, tuple(MAIN))
    metrics = [m for m in METRICS if m in wanted
               or _limit(o, m) is not None or _limit(o, f'frame-{m}') is not None]
    if 'vmaf' in metrics:
        vmaf.check()
    try:
        reference = Video(o.reference, o.stall_limit)
    except FileError as error:
        complain(f'{files.printable(o.reference)}: {error}')
        return FAILED
    found = files.find(o.files)
    tables = outputs(o, metrics, _EMPTY)
    bar = Progress([f.path for f in found], not o.quiet)
    failed, missed, interrupted = [], [], False
    for i, file in enumerate(found):
        try:
            score = _score(reference, file, o, metrics, lambda share, i=i: bar.note(i, share))
            if o.worst:
                worst.write(score, o)
        except (FileError, RuntimeError, rows.TableError) as error:
            if not (file.found and isinstance(error, NoVideo)):
                failed.append(f'{file.name}: {error}')
            continue
        except KeyboardInterrupt:
            interrupted = True
            break
        bar.note(i, 1.0)
        bar.clear()
        for table in tables:
            table.write((score.each() if o.frames else []) + [score])
        missed += _missed(o, score)
    bar.close()
    return finish(tables, {f'{len(failed)} of {len(found)} files have no score': failed},
                  {'limits are missed': missed}, interrupted)
