# SPDX-License-Identifier: LGPL-2.1-or-later
"""A pipeline in which blockdctcompare judges a distorted video by its reference."""
import csv
import dataclasses
import math
import os
import tempfile
from typing import Any, Callable, Iterable

from .decoding import Input, Stall, watch
from .files import FileError
from .formats import tell_caps
from .gst import Closed, Gst, chain, make, sink, stop
from .rows import COMPARED, INFINITE, OWN, SUMS, Row
from .vmaf import Vmaf

_NAP = 100 * Gst.MSECOND


class Span:
    """Lets frames through a pad: from the first on, at most `n`, and of these what falls on a
    multiple of a period. Behind them it ends the stream."""

    def __init__(self, pad: Gst.Pad, first: int, n: int | None, period: float = 0,
                 near: float = 0, begin: Callable[[int], None] = lambda now: None):
        self._first, self._n, self._period, self._near = first, n, period, near
        self._begin, self._base = begin, 0
        self.seen = self.given = 0
        self.caps: Gst.Caps | None = None
        self.error: FileError | None = None
        pad.add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, self._event)
        pad.add_probe(Gst.PadProbeType.BUFFER, self._buffer)

    def _event(self, pad: Gst.Pad, info: Gst.PadProbeInfo) -> Gst.PadProbeReturn:
        if info.get_event().type == Gst.EventType.CAPS:
            caps = info.get_event().parse_caps()
            self.caps = self.caps or caps
            if tell_caps(caps) != tell_caps(self.caps):
                self.error = FileError(
                    f'its pictures change from {tell_caps(self.caps)} to {tell_caps(caps)}: one '
                    'row cannot hold both; measure the parts with --first-frame and --n-frames')
        return Gst.PadProbeReturn.OK

    def _buffer(self, pad: Gst.Pad, info: Gst.PadProbeInfo) -> Gst.PadProbeReturn:
        self.seen += 1
        if self.seen <= self._first:
            return Gst.PadProbeReturn.DROP
        segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
        now = segment.to_running_time(Gst.Format.TIME, info.get_buffer().pts)
        if self.given == 0:
            self._base = now
            self._begin(now)
        if self._period:
            late = (now - self._base) % self._period
            if min(late, self._period - late) > self._near:
                return Gst.PadProbeReturn.DROP
        self.given += 1
        if self._n is not None and self.given > self._n:
            if self.given == self._n + 1:
                # Not this pad's: its buffers go on being dropped.
                pad.get_peer().send_event(Gst.Event.new_eos())
            return Gst.PadProbeReturn.DROP
        return Gst.PadProbeReturn.OK if self._period or self._n is not None \
            else Gst.PadProbeReturn.REMOVE


class Comparison(Closed):
    """Add elements to `pipeline`, link them to the tees of the reference and of the distorted
    video, run. Use it as a context."""

    def __init__(self, metrics: Iterable[str], backend: str, threads: int, each_frame: bool):
        self.pipeline, self.metrics = Gst.Pipeline.new(None), list(metrics)
        self._folder = tempfile.TemporaryDirectory(prefix='blockdct-measure-')
        self._file = os.path.join(self._folder.name, 'frames.csv')
        has_vmaf = 'vmaf' in self.metrics
        self._judge = make('blockdctcompare', view='single', backend=backend, threads=threads,
                           metrics='+'.join(['psnr', *(m for m in OWN if m in self.metrics)]),
                           post_messages=False,
                           stats_file=self._file if each_frame or has_vmaf else '')
        self._sink = sink('fakesink')
        chain(self.pipeline, self._judge, self._sink)
        self._sink.get_static_pad('sink').add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM,
                                                    self._note_end)
        self.tees, self.queues = [make('tee') for _ in range(2)], []
        for tee, name in zip(self.tees, ('ref_sink', 'dist_sink')):
            self.queues.append(make('queue', max_size_time=0))
            chain(self.pipeline, tee, self.queues[-1])
            self.queues[-1].link_pads('src', self._judge, name)
        self._vmaf = Vmaf(self.pipeline, self.tees) if has_vmaf else None

    def _note_end(self, pad: Gst.Pad, info: Gst.PadProbeInfo) -> Gst.PadProbeReturn:
        if info.get_event().type == Gst.EventType.EOS:
            self.pipeline.post_message(Gst.Message.new_element(
                self.pipeline, Gst.Structure.new_empty('judged')))
        return Gst.PadProbeReturn.OK

    def run(self, inputs: list[Input], limit: float, whole: bool,
            progress: Callable[[float], None], poll: Callable[[], None] = lambda: None) -> None:
        """Until the end: of all streams if `whole`, else of the comparison."""
        bus, stall, position = self.pipeline.get_bus(), Stall(limit, RuntimeError), -1
        if self.pipeline.set_state(Gst.State.PLAYING) == Gst.StateChangeReturn.FAILURE:
            watch(bus, Gst.SECOND, inputs)
            raise RuntimeError('the elements do not start')
        while True:
            message = watch(bus, _NAP, inputs)
            poll()
            if message is not None and (message.type == Gst.MessageType.EOS or (
                    not whole and message.get_structure().has_name('judged'))):
                break
            known, now = self._sink.query_position(Gst.Format.TIME)
            if known and now != position:
                position = now
                stall.moved()
            length = inputs[0].duration()
            progress(min(position / length, 1.0) if length and position > 0 else 0.0)
            stall.check()
        self.end = max(0, self._sink.query_position(Gst.Format.TIME)[1])

    def results(self, row: Row) -> tuple[list[Row], int]:
        """Add all frames' counts and metrics to a row; the rows of frames, if they were asked
        for, and how many had no partner."""
        all_pads = self._judge.get_property('stats')  # which owns the structure in it
        stats = all_pads.get_value('dist_sink')
        row.counts |= {n: min(int(stats.get_value(n)), INFINITE) for n in (*COMPARED, *SUMS)
                       if stats.has_field(n)}
        figures: list[dict[str, Any]] = []
        if os.path.exists(self._file):
            with open(self._file, newline='', encoding='utf-8') as file:
                figures = [{k: v for k, v in f.items() if v} for f in csv.DictReader(file)]
        if self._vmaf:
            values = self._vmaf.finish([int(f['running-time']) for f in figures])
            for figure, value in zip(figures, values):
                figure['vmaf'] = value
            row.counts['sum-vmaf'] = round(sum(values) * 1e9)
        return [_frame(row, f) for f in figures], stats.get_uint64('unmatched')[1]

    def close(self) -> None:
        stop(self.pipeline)
        if self._vmaf:
            self._vmaf.close()
        self._folder.cleanup()


def _frame(total: Row, figures: dict[str, Any]) -> Row:
    """A row of one frame; its number is that of the reference."""
    frames, counts = max(total.count('frames'), 1), {'frames': 1}
    for p in 'yuv':
        counts[f'samples-{p}'] = total.count(f'samples-{p}') // frames
        counts[f'sse-{p}'] = round(float(figures.get(f'mse-{p}', 0)) * counts[f'samples-{p}'])
    if 'bits' in figures:
        counts['bits'], counts['bits-headers'] = int(figures['bits']), int(figures['bits-headers'])
        counts['file-size'] = (counts['bits'] + counts['bits-headers']) // 8
    for name in (f for f in figures if f'sum-{f}' in total.counts):
        value = float(figures[name])
        if name.startswith('xpsnr'):  # of its sum
            peak = (1 << total.depth) - 1
            value = (10 ** (-value / 10) * peak * peak * counts['samples' + name[-2:]]) ** 0.5
        counts[f'sum-{name}'] = INFINITE if value == math.inf else round(value * 1e9)
    return dataclasses.replace(total, frame=int(figures['index']), counts=counts)
