# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command score: what encoded files are worth."""
import argparse
import dataclasses
from fractions import Fraction
from typing import Any, Iterable

import numpy as np

from . import align, files, rows, worst
from .align import Signatures, Step
from .compare import Comparison
from .decoding import Input, Pictures
from .files import FileError, NoVideo
from .formats import RGB, convert, depth_of, nearest, subsampling
from .gst import Gst, GstVideo, make
from .options import names
from .output import (DONE, FAILED, INTERRUPTED, MISSED, Output, UsageError, complain,
                     csv_line)
from .progress import Progress
from .rows import IN_DB, MAIN, METRICS, Row
from .transforms import Layout
from .vmaf import Vmaf

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
            self.info = GstVideo.VideoInfo.new_from_caps(self.caps)
            self.luma = self._luma(sample)
        self.decoded = self.info.finfo.name
        self.format = nearest(self.decoded, True)
        self.size = self.info.width, self.info.height

    @staticmethod
    def _luma(sample: Gst.Sample) -> np.ndarray | None:
        try:
            layout = Layout(sample.get_caps())
            planes = layout.read(sample)
        except (ValueError, TypeError):
            return None
        return (planes[0].mean(2) if layout.is_rgb else planes[0].astype(float)) / (
            1 << layout.depth - 8)

    @property
    def shape(self) -> Fraction:
        return Fraction(self.info.width * (self.info.par_n or 1),
                        self.info.height * (self.info.par_d or 1))

    @property
    def range(self) -> str:
        return 'full' if self._colours.range == getattr(
            GstVideo.VideoColorRange, '0_255') or self.decoded in RGB else 'limited'

    @property
    def light(self) -> str:
        return _HDR.get(self._colours.transfer, 'SDR')

    @property
    def _colours(self) -> GstVideo.VideoColorimetry:
        """As in the caps: GstVideoInfo takes defaults where only the range is known."""
        colours = GstVideo.VideoColorimetry()
        colours.from_string(self.caps.get_structure(0).get_string('colorimetry') or '')
        return colours


@dataclasses.dataclass
class Pair:
    """A reference and a file, and how they are compared."""
    reference: Video
    file: Video
    step: Step
    notes: list[str]
    scaled: str = ''
    offset: int = 0
    ref_format: str = ''
    file_format: str = ''

    @property
    def depth(self) -> int:
        return max(depth_of(self.reference.format), depth_of(self.file.format))


def pair(reference: Video, file: Video, scale: bool) -> Pair:
    """How two videos are compared; FileError where pairs would be guessed."""
    notes = []
    step = align.find_step(reference.rate, file.rate, file.path)
    if step != Step():
        notes.append(f'{float(file.rate):g} frames/s against {float(reference.rate):g}: '
                     'frames are compared that fall together, '
                     f'{float(reference.rate / step.reference):g} a second')
    for what, value in (('light', '{} against {}: convert one, as with ffmpeg\'s zscale '
                         'and tonemap filters'),
                        ('range', '{} range against {}: the figures have this '
                         'difference in them')):
        a, b = getattr(reference, what), getattr(file, what)
        if a != b:
            notes.append(value.format(b, a))
    made = Pair(reference, file, step, notes)
    made.ref_format, made.file_format = reference.format, file.format
    if subsampling(reference.format) != subsampling(file.format):
        made.file_format = reference.format
        notes.append(f'{file.format} is converted to {made.file_format}')
    if file.size != reference.size:
        _scale(made, scale)
    return made


def _scale(made: Pair, scale: bool) -> None:
    a, b = made.reference, made.file
    sizes = '{}x{}, the reference {}x{}'.format(*b.size, *a.size)
    if not scale:
        raise FileError(f'it has {sizes}: leave --no-scale out, or scale one first')
    for big, small, what in (a, b, 'it is cropped'), (b, a, 'it has a border'):
        if a.luma is not None and b.luma is not None and (
                at := align.find_crop(big.luma, small.luma)) is not None:
            raise FileError(f'it has {sizes}: {what}; make both alike first, as with '
                            'ffmpeg -vf crop={}:{}:{}:{} on the larger'.format(
                                *small.size, *at))
    if abs(a.shape / b.shape - 1) > Fraction(1, 100):
        raise FileError(f'it has {sizes}: their shapes differ; crop, pad or scale one '
                        'first')
    made.scaled = f'{_SCALER} from {b.size[0]}x{b.size[1]}'


class _Deepen:
    """Samples of more bits, which GStreamer's converter does not make by a shift."""

    def __init__(self, run: Comparison, depth: int, form: str):
        self.sink = make('appsink', sync=False, max_buffers=2, emit_signals=True)
        self.sink.set_property('async', False)
        self.source = make('appsrc', block=True, max_bytes=1 << 26, format='time')
        self._shift = depth - depth_of(form)
        base = {'GRAY8': 'GRAY8'}.get(form) or {
            (1, 1): 'I420', (1, 0): 'I422', (0, 0): 'Y444'}[subsampling(form)]
        self._form = f'{base}_{depth}LE'
        self._layout: Layout | None = None
        self.sink.connect('new-sample', self._take)
        self.sink.connect('eos', lambda sink: self.source.emit('end-of-stream'))
        for element in self.sink, self.source:
            run.pipeline.add(element)

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

    def __init__(self, run: Comparison, video: Video, form: str, made: Pair, step: int,
                 skip: int, o: argparse.Namespace, coded: bool):
        self._skip, self._n = skip, o.n_frames
        self.seen = self.given = self._base = 0
        self._period = float(step / video.rate * Gst.SECOND) if made.step != Step() else 0
        self._near = self._period / step / 8
        scaler = make('videoscale', method=_SCALER, add_borders=False)
        size = made.reference.info
        self._caps = make('capsfilter', caps=Gst.Caps.from_string(
            f'video/x-raw, width={size.width}, height={size.height}, '
            f'pixel-aspect-ratio={size.par_n or 1}/{size.par_d or 1}'))
        run.chain(scaler, self._caps)
        self.input = Input(run.pipeline, video.path, scaler,
                           lambda caps: convert(caps, form), coded)
        out = self._caps
        if depth_of(form) < made.depth:
            deepen = _Deepen(run, made.depth, form)
            run.chain(out, deepen.sink)
            out = deepen.source
        self.tee = make('tee')
        self.queue = make('queue', max_size_time=0, max_size_bytes=0, max_size_buffers=8)
        run.chain(out, self.tee, self.queue)
        self._queues = [self.queue]
        out.get_static_pad('src').add_probe(Gst.PadProbeType.BUFFER, self._choose)
        self.signatures: list[Gst.Sample] = []

    def _choose(self, pad: Gst.Pad, info: Gst.PadProbeInfo) -> Gst.PadProbeReturn:
        """Let through from the first frame on what falls together by its time."""
        self.seen += 1
        if self.seen <= self._skip:
            return Gst.PadProbeReturn.DROP
        segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
        now = segment.to_running_time(Gst.Format.TIME, info.get_buffer().pts)
        if self.given == 0:  # the first frames begin together
            self._base = now
            for queue in self._queues:
                queue.get_static_pad('src').set_offset(-now)
        if self._period:
            late = (now - self._base) % self._period
            if min(late, self._period - late) > self._near:
                return Gst.PadProbeReturn.DROP
        self.given += 1
        if self._n is not None and self.given > self._n:
            if self.given == self._n + 1:
                pad.get_peer().send_event(Gst.Event.new_eos())
            return Gst.PadProbeReturn.DROP
        return Gst.PadProbeReturn.OK if self._period or self._n is not None \
            else Gst.PadProbeReturn.REMOVE

    def watch(self, run: Comparison) -> None:
        """Keep small pictures of the first frames."""
        self._small = make('appsink', sync=False, caps=Gst.Caps.from_string(
            f'video/x-raw, format=GRAY8, width={align.WIDTH}, height={align.HEIGHT}'))
        self._small.set_property('async', False)
        self._valve = make('valve', drop_mode='forward-sticky-events')
        run.chain(self.tee, make('queue', max_size_time=0, max_size_bytes=0,
                                 max_size_buffers=8),
                  self._valve, make('videoscale', add_borders=False),
                  make('videoconvert'), self._small)

    def poll(self) -> None:
        while (sample := self._small.try_pull_sample(0)) is not None:
            self.signatures.append(sample)
        if len(self.signatures) > 2 * align.REACH * float(self.input.rate or 25):
            self._valve.set_property('drop', True)

    def signature(self) -> Signatures:
        self.poll()
        times, pixels = [], []
        for sample in self.signatures:
            buffer = sample.get_buffer()
            times.append(sample.get_segment().to_running_time(Gst.Format.TIME, buffer.pts))
            pixels.append(np.frombuffer(buffer.extract_dup(0, buffer.get_size()), np.uint8))
        n = align.WIDTH * align.HEIGHT
        return Signatures(np.array(times, float) - (times[0] if times else 0),
                          np.array(pixels, float).reshape(-1, n))


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
    """A file's row."""
    name: str
    made: Pair
    total: Row
    unmatched: int
    figures: list[dict[str, Any]]
    vmaf: list[float]
    codec: str
    frame: int | None = None

    def values(self, metric: str) -> list[float]:
        if metric == 'vmaf':
            return self.vmaf
        return [float(f[MAIN[metric]]) for f in self.figures if MAIN[metric] in f]

    def mean(self, metric: str) -> float | None:
        if metric == 'vmaf':
            return sum(self.vmaf) / len(self.vmaf) if self.vmaf else None
        return self.total.figure(MAIN[metric])

    def least(self, metric: str, which: str) -> float | None:
        found = sorted(self.values(metric))
        percent = int(which[1:]) if which != 'min' else 0
        return found[max(0, -(-percent * len(found) // 100) - 1)] if found else None

    def cells(self, metrics: Iterable[str]) -> Iterable[tuple[str, Any]]:
        made, total = self.made, self.total
        yield 'file', self.name
        yield 'reference', files.printable(made.reference.path)
        yield 'codec', self.codec or None
        yield 'format', total.format
        yield 'width', made.file.size[0]
        yield 'height', made.file.size[1]
        yield 'depth', total.depth
        yield 'frame-rate', str(made.file.rate) if made.file.rate else None
        yield 'frame', self.frame
        yield 'offset', made.offset
        yield 'scaled', made.scaled or None
        for name in 'frames', 'unmatched', 'bits', 'bits-headers':
            yield name, self.unmatched if name == 'unmatched' else total.counts.get(name)
        yield 'kbps', self.kbps
        for p in 'yuv':
            yield f'psnr-{p}', total.psnr(p) if total.has_plane(f'-{p}') else None
        for metric in ('psnr', *metrics):
            yield MAIN.get(metric, metric), self.mean(metric)
            for which in _PERCENTILES:
                yield f'{metric}-{which}', self.least(metric, which)
        yield 'notes', '; '.join(made.notes) or None

    kbps: float | None = None

    def text(self, metrics: Iterable[str]) -> str:
        line = f'{self.total.count("frames"):8}' if self.frame is None else \
            f'#{self.frame:<7}'
        for metric in ('psnr', *metrics):
            digits = 2 if metric in IN_DB or metric == 'vmaf' else 4
            for value in self.mean(metric), self.least(metric, 'p5'), \
                    self.least(metric, 'min'):
                line += ' ' * 9 if value is None else f' {value:8.{digits}f}'
        line += ' ' * 10 if self.kbps is None else f' {self.kbps:9.1f}'
        line += f'  {self.name}\n'
        if self.frame is None:
            notes = list(self.made.notes)
            if self.made.scaled:
                notes.insert(0, f'scaled: {self.made.scaled}')
            if self.made.offset:
                notes.insert(0, f'offset: frame 0 of the reference is frame '
                             f'{self.made.offset} of the file')
            if self.unmatched:
                notes.insert(0, f'{self.unmatched} frames have no partner')
            line += ''.join(f'{"":8} {note}\n' for note in notes)
        return line


def _heads(metrics: Iterable[str]) -> str:
    line = f'{"frames":>8}'
    for metric in ('psnr', *metrics):
        line += f' {MAIN.get(metric, metric):>8} {"5%":>8} {"least":>8}'
    return line + f' {"kbit/s":>9}  file\n'


_EMPTY_VIDEO: Any = argparse.Namespace(path='', size=(0, 0), rate=None)


def _csv_head(metrics: Iterable[str]) -> str:
    empty = Score('', Pair(_EMPTY_VIDEO, _EMPTY_VIDEO, Step(), []),
                  Row('', None, '', '', 0, '', 0, 0, 8), 0, [], [], '')
    return csv_line(name for name, _ in empty.cells(metrics))


def _compare(made: Pair, name: str, o: argparse.Namespace, metrics: list[str],
             bar: Any) -> tuple[Score, Signatures, Signatures]:
    whole = o.n_frames is None
    first = o.first_frame * made.step.reference
    skips = (first + max(0, -made.offset),
             o.first_frame * made.step.file + max(0, made.offset))
    with Comparison(metrics, o.backend, o.threads, True) as run:
        sides = [_Side(run, video, form, made, step, skip, o, coded)
                 for video, form, step, skip, coded in (
                     (made.reference, made.ref_format, made.step.reference, skips[0], False),
                     (made.file, made.file_format, made.step.file, skips[1], True))]
        for side, pad in zip(sides, (run.reference, run.distorted)):
            side.queue.get_static_pad('src').link(pad)
        for side in sides:
            side.watch(run)
        vmaf = Vmaf(run, [s.tee for s in sides]) if 'vmaf' in metrics else None
        run.run([s.input for s in sides], o.stall_limit, whole, bar,
                lambda: [s.poll() for s in sides])
        counts, sums, unmatched = run.sums()
        figures = run.frames()
        for side in sides if whole else ():
            side.input.n_frames = max(1, counts.get('frames', 0) + unmatched)
            side.input.end = run.end + Gst.SECOND * 3600 * 1000  # judged by others alone
        scores = vmaf.finish() if vmaf else []
        coded = sides[1].input.coded
        stats = coded.get_property('stats') if coded is not None else None
        if not counts.get('frames'):
            raise FileError('no frame of it falls together with one of the reference')
        info = made.reference.info
        total = Row(name, None, name, '', 0, made.ref_format, info.width, info.height,
                    made.depth, counts=counts, sums=sums)
        score = Score(name, made, total, unmatched + abs(made.offset), figures, scores,
                      sides[1].input.codec)
        if stats is not None and whole:
            n = stats.get_uint64('frames')[1]
            total.counts['bits'] = stats.get_uint64('bits')[1]
            total.counts['bits-headers'] = stats.get_uint64('bits-headers')[1]
            if n and (rate := sides[1].rate()):
                score.kbps = (total.count('bits') + total.count('bits-headers')) / n \
                    * rate / 1000
        return score, *(s.signature() for s in sides)


def _score(reference: Video, file: files.File, o: argparse.Namespace, metrics: list[str],
           bar: Any) -> Score:
    made = pair(reference, Video(file.path, o.stall_limit), not o.no_scale)
    look = o.offset is None and not o.first_frame
    made.offset = o.offset or 0
    score, a, b = _compare(made, file.name, o, metrics, bar)
    if look:
        found = align.find_offset(a, b, made.step)
        if not align.is_alike(align.likeness(a, b, found, made.step)):
            made.notes.append('the two do not seem to show the same: look at them with '
                              '--worst 5 --pictures DIR')
        elif found:
            made.offset = found
            score, _, _ = _compare(made, file.name, o, metrics, bar)
    return score


def _missed(o: argparse.Namespace, score: Score) -> list[str]:
    lines = []
    for metric in (*MAIN, 'vmaf'):
        for kind, value in (('', score.mean(metric)), ('frame-', score.least(metric, 'min'))):
            limit = getattr(o, f'min_{kind}{metric}'.replace('-', '_'))
            if limit is not None and (value is None or value < limit):
                lines.append(f'  {score.name}: {kind}{metric} is '
                             f'{"unknown" if value is None else f"{value:.6g}"}, below '
                             f'{limit:g}')
    return lines


def _frames(score: Score) -> list[Score]:
    """A row for each frame."""
    found = []
    for i, figures in enumerate(score.figures):
        total = dataclasses.replace(score.total, counts={'frames': 1}, sums={})
        n = score.total.count('frames')
        for p in 'yuv':
            total.counts[f'samples-{p}'] = score.total.count(f'samples-{p}') // n
            total.counts[f'sse-{p}'] = round(float(figures.get(f'mse-{p}', 0))
                                             * total.counts[f'samples-{p}'])
        one = dataclasses.replace(score, total=total, figures=[figures], frame=i, kbps=None,
                                  unmatched=0, vmaf=score.vmaf[i:i + 1])
        one.mean = lambda m, s=one: next(iter(s.values(m)), None)  # type: ignore
        found.append(one)
    return found


def run(o: argparse.Namespace) -> int:
    if (o.worst is None) != (o.pictures is None):
        raise UsageError('--worst N and --pictures DIR go together')
    metrics = names('metrics', o.metrics, (*METRICS, 'vmaf'))
    for metric in (*METRICS, 'vmaf'):
        limits = [getattr(o, f'min_{k}{metric}'.replace('-', '_')) for k in ('', 'frame-')]
        if metric not in metrics and limits != [None, None]:
            metrics.append(metric)
    if 'vmaf' in metrics:
        Vmaf.check()
    make('blockdctcompare')
    try:
        reference = Video(o.reference, o.stall_limit)
    except FileError as error:
        complain(f'{files.printable(o.reference)}: {error}')
        return FAILED
    found = files.find(o.files)
    heads = {'csv': _csv_head, 'text': _heads}
    outputs = [Output(path, style, metrics, heads=heads) for path, style in (
        (o.csv, 'csv'), (o.json, 'json'), (None if o.csv or o.json else '-', 'text'))
        if path is not None]
    bar = Progress([f.path for f in found], not o.quiet)
    failed, missed, status = [], [], DONE
    for i, file in enumerate(found):
        try:
            score = _score(reference, file, o, metrics, lambda share, i=i: bar.note(i, share))
            if o.worst:
                worst.write(score, o)
        except (FileError, RuntimeError, rows.TableError) as error:
            if not (file.found and isinstance(error, NoVideo)):
                failed.append(f'  {file.name}: {error}')
            continue
        except KeyboardInterrupt:
            status = INTERRUPTED
            break
        bar.note(i, 1.0)
        bar.clear()
        for out in outputs:
            out.write((_frames(score) if o.frames else []) + [score])
        missed += _missed(o, score)
    bar.close()
    for out in outputs:
        out.close()
    for what, lines in ((f'{len(failed)} files have no score', failed),
                        ('limits are missed', missed)):
        if lines:
            complain(f'{what}:\n' + '\n'.join(lines))
    return status or (FAILED if failed else MISSED if missed else DONE)


