# SPDX-License-Identifier: LGPL-2.1-or-later
"""The commands table and find."""
import argparse
import dataclasses
import json
from collections import Counter
from typing import Iterable

from . import bdrate, files, options, output, rows, transforms
from .decoding import Pictures
from .files import File, FileError, NoVideo
from .jobs import Piece, Result, devices, run_pieces
from .output import DONE, FAILED, UsageError, complain
from .progress import Progress
from .rows import Row
from .targets import Choices, Target


def _list(found: list[File], limit: float) -> int:
    status = DONE
    for file in found:
        frames, error = 0, None
        try:
            with Pictures.open(file.path, limit) as pictures:
                pictures.pull()
                frames = pictures.input.declared()
        except FileError as reason:
            if file.found and isinstance(reason, NoVideo):
                continue
            error = reason
        print(json.dumps({'file': file.name, 'frames': frames}, ensure_ascii=False,
                         separators=(',', ':')))
        if error:
            complain(f'{file.name}: {error}')
            status = FAILED
    return status


class _Run:
    """A run, whose rows are written in the order of the files."""

    def __init__(self, o: argparse.Namespace, plan: transforms.Plan, target: Target | None,
                 metrics: list[str], names: Iterable[str]):
        self.o, self.plan, self.target = o, plan, target
        self.rows: list[Row] = []  # all sums, for the plot, BD-rates and collections
        self.failed, self.lost, self.missed = [], [], []
        self.bar: Progress | None = None
        self.n_files = 0
        self.outputs = output.outputs(o, metrics, rows.EMPTY, names)

    @property
    def has_readers(self) -> bool:
        """Whether standard output is for people, as no rows are written to it."""
        return '-' not in (self.o.csv, self.o.json)

    def resume(self) -> set[str]:
        """The files whose rows are there."""
        plan, out = self.plan, self.outputs[0]
        keys = [((t, None, scale), n) for t, scale, n in plan.settings]
        keys += [((None, e.line, e.scale), n) for e in plan.encoders for n in e.values]
        if self.target:
            keys = [(series, None) for series in dict.fromkeys(series for series, _ in keys)]
        out.keep(output.check_known(out.known, Counter(keys * max(1, len(plan.formats))),
                                    plan.frames, plan.metrics, out.path))
        self.rows += [r for r in out.known if r.frame is None]
        return {r.file for r in out.known}

    def note(self, text: str) -> None:
        if self.bar:
            self.bar.clear()
        complain(text)

    def take(self, file: File, result: Result) -> None:
        if result.error and not (file.found and result.no_video):
            self.failed.append(f'{file.name}: {result.error}')
        if result.without:
            self.note(f'{file.name} is measured without some metrics:\n'
                      + '\n'.join(f'  {w}' for w in result.without))
        if result.origin and result.rows and not self.o.quiet:
            self.note(f'{file.name} is already lossy (decoded from a JPEG file, '
                      f'{result.origin}): its rows show only the further loss')
        for text in result.notes if not self.o.quiet else ():
            self.note(f'{file.name}: {text}')
        self.lost += [f'{file.name}: {text}' for text in result.lost]
        if result.rows is not None:
            self.take_rows(result.rows)

    def take_rows(self, found: list[Row]) -> None:
        self.rows += [r for r in found if r.frame is None]
        if self.target and self.target.collection:
            return
        self.write(Choices(self.target, found).chosen() if self.target else found)

    def write(self, found: list[Row]) -> None:
        self.missed += [f'{r.file}: {r.name} misses {r.missed}' for r in found
                        if r.met is False]
        if self.bar:
            self.bar.clear()
        for out in self.outputs:
            out.write(found)

    def finish(self, interrupted: bool) -> int:
        if self.target and self.target.collection and interrupted:
            self.note('interrupted: no setting is chosen for a part of the collection')
        elif self.target and self.target.collection:
            choices = Choices(self.target, self.rows)
            self.write(choices.chosen())
            self.missed = choices.tell_missed()
            if self.has_readers:
                print(choices.table(), end='')
        if self.has_readers and not self.target:
            print(bdrate.table(self.rows), end='', flush=True)
        if self.o.plot and self.rows:
            from . import plot
            plot.draw(self.o.plot, self.rows, self.o.plot_metric)
        return output.finish(self.outputs, {
            f'{len(self.failed)} of {self.n_files} files could not be measured': self.failed,
            'encoders failed; their rows are missing': self.lost},
            {'no setting meets the targets': self.missed}, interrupted)


def _merge(o: argparse.Namespace, target: Target | None) -> int:
    found = [r for path in o.files for r in output.read_table(path)]
    merged = rows.merge(found)
    for r in merged:
        if target and 'size' in target.limits and r.exact and not r.coded:
            raise rows.TableError(f'--target-size: the file-size of {r.file} comes from a '
                                  'model; measure it with --exact-size')
    run = _Run(o, transforms.Plan(), target, rows.metrics_of(merged),
               {r.name for r in merged})
    run.take_rows(merged)
    return run.finish(False)


def _write_jpeg(o: argparse.Namespace, plan: transforms.Plan, found: list[File],
                quality: int) -> None:
    wanted = transforms.chooser(plan, plan.formats[0] if plan.formats else None)
    with Pictures.open(found[0].path, plan.stall_limit, wanted) as pictures:
        for _ in range(plan.first + 1):
            sample = pictures.pull()
        layout = transforms.Layout(sample.get_caps())
        if layout.depth != 8:
            raise UsageError('--write-jpeg: the samples have more than 8 bits; add '
                             '--format I420')
        batch = layout.batch([plane[None] for plane in layout.read(sample)])
    data = transforms.jpeg_file(batch, quality, plan, layout)
    with open(o.write_jpeg, 'wb') as file:
        file.write(data)


def run(o: argparse.Namespace) -> int:
    target = options.target(o)
    if o.plot:
        from . import plot
        plot.check()
    if o.merge:
        return _merge(o, target)
    plan = options.plan(o, target)
    if o.encoder:
        from . import encoders, vmaf
        plan = dataclasses.replace(plan, encoders=encoders.parse(o, bool(target)))
        if 'vmaf' in plan.metrics:
            vmaf.check()
    used = {s for _, s, _ in plan.settings} | {e.scale for e in plan.encoders}
    for scale in rows.SCALES:
        if getattr(o, scale) and scale not in used:
            raise UsageError(f'--{scale} has no effect: none of the transforms'
                f'{" and encoders" if o.encoder else ""} has one; choose others with '
                + ('--encoder' if scale in ('crf', 'bitrate') else '--transform'))
    found = files.find(o.files)
    if getattr(o, 'list', False):
        return _list(found, o.stall_limit)
    if not found:
        complain('there is nothing in these folders that GStreamer can decode')
        return FAILED
    if o.write_jpeg and (len(found) != 1 or (not target and len(plan.settings) != 1)):
        raise UsageError('--write-jpeg writes one picture at one quality: name '
                                 'one file, and one --quality or a target')
    work = _Run(o, plan, target, list(plan.metrics), o.encoder)
    work.n_files = len(found)
    known = work.resume() if o.resume else set()
    todo = [f for f in found if f.name not in known]
    pieces = [Piece(f, dataclasses.replace(plan, device=device), target)
              for f, device in zip(todo, devices(o.backend))]
    work.bar = Progress([f.path for f in todo], not o.quiet)
    interrupted = False
    try:
        for piece, result in run_pieces(pieces, o, work.bar):
            work.take(piece.file, result)
    except KeyboardInterrupt:
        interrupted = True
    work.bar.close()
    status = work.finish(interrupted)
    if o.write_jpeg and status in (0, 1) and work.rows:
        chosen = Choices(target, work.rows).chosen() if target else work.rows
        _write_jpeg(o, plan, found, chosen[0].setting)
    return status
