# SPDX-License-Identifier: LGPL-2.1-or-later
"""A pipeline in which blockdctcompare judges a distorted video by its reference."""
import csv
import os
import tempfile
from typing import Any, Callable, Iterable

from .decoding import Input, Stall, watch
from .gst import Gst, make, stop
from .rows import INFINITE, METRICS

_NAP = 100 * Gst.MSECOND
_PLANES = 'yuv'


class Comparison:
    """Add elements to `pipeline`, link them to `reference` and `distorted`, run. Use it
    as a context."""

    def __init__(self, metrics: Iterable[str], backend: str, threads: int,
                 each_frame: bool):
        self.pipeline = Gst.Pipeline.new(None)
        self.metrics = [m for m in metrics if m in METRICS]
        self._folder = tempfile.TemporaryDirectory(prefix='blockdct-measure-')
        self._file = os.path.join(self._folder.name, 'frames.csv')
        self.judge = make('blockdctcompare', metrics='+'.join(['psnr', *self.metrics]),
                          view='single', backend=backend, threads=threads,
                          post_messages=False)
        if each_frame:
            self.judge.set_property('stats-file', self._file)
        self.sink = make('fakesink', sync=False)
        self.sink.set_property('async', False)
        for element in self.judge, self.sink:
            self.pipeline.add(element)
        self.judge.link(self.sink)
        self.sink.get_static_pad('sink').add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM,
                                                   self._note_end)

    def _note_end(self, pad: Gst.Pad, info: Gst.PadProbeInfo) -> Gst.PadProbeReturn:
        if info.get_event().type == Gst.EventType.EOS:
            self.pipeline.post_message(Gst.Message.new_element(
                self.pipeline, Gst.Structure.new_empty('judged')))
        return Gst.PadProbeReturn.OK

    @property
    def reference(self) -> Gst.Pad:
        return self.judge.get_static_pad('ref_sink')

    @property
    def distorted(self) -> Gst.Pad:
        return self.judge.get_static_pad('dist_sink')

    def chain(self, *elements: Gst.Element) -> None:
        """Add elements and link one to the next."""
        for element in elements:
            if element.get_parent() is None:
                self.pipeline.add(element)
        for first, second in zip(elements, elements[1:]):
            if not first.link(second):
                raise RuntimeError(f'{first.get_name()} cannot be linked to '
                                   f'{second.get_name()}')

    def run(self, inputs: list[Input], limit: float, whole: bool,
            progress: Callable[[float], None] = lambda share: None,
            poll: Callable[[], None] = lambda: None) -> None:
        """Until the end: of all streams if `whole`, else of the comparison."""
        bus, stall, position = self.pipeline.get_bus(), Stall(limit, RuntimeError), -1
        if self.pipeline.set_state(Gst.State.PLAYING) == Gst.StateChangeReturn.FAILURE:
            watch(bus, Gst.SECOND, inputs)
            raise RuntimeError('the elements do not start')
        while True:
            message = watch(bus, _NAP, inputs)
            poll()
            if message is not None and (message.type == Gst.MessageType.EOS or (
                    not whole and message.get_structure() is not None
                    and message.get_structure().has_name('judged'))):
                break
            known, now = self.sink.query_position(Gst.Format.TIME)
            if known and now != position:
                position = now
                stall.moved()
            length = inputs[0].duration()
            progress(min(position / length, 1.0) if length and position > 0 else 0.0)
            stall.check()
        known, position = self.sink.query_position(Gst.Format.TIME)
        self.end = position if known else 0

    def sums(self) -> tuple[dict[str, int], dict[str, int], int]:
        """Counts and metrics of all frames, as in rows, and the unmatched ones."""
        all_pads = self.judge.get_property('stats')  # which owns the structure in it
        stats = all_pads.get_value('dist_sink')
        return (*read_sums(stats), stats.get_uint64('unmatched')[1])

    def frames(self) -> list[dict[str, Any]]:
        """The figures of each frame."""
        with open(self._file, newline='', encoding='utf-8') as file:
            return [{k: v for k, v in row.items() if v != ''}
                    for row in csv.DictReader(file)]

    def close(self) -> None:
        stop(self.pipeline)
        self._folder.cleanup()

    def __enter__(self) -> 'Comparison':
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()


def read_sums(stats: Gst.Structure) -> tuple[dict[str, int], dict[str, int]]:
    counts, sums = {}, {}
    for name in ('frames', *(f'{what}-{p}' for what in ('samples', 'sse')
                             for p in _PLANES)):
        found, counts[name] = stats.get_uint64(name)
        if not found:
            del counts[name]
    for names in METRICS.values():
        for name in names:
            if stats.has_field(f'sum-{name}'):
                value = stats.get_value(f'sum-{name}')
                sums[name] = min(int(value), INFINITE)
    return counts, sums
