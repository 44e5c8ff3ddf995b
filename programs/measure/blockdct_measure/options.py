# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command line."""
import argparse
import math
import os
import re
from typing import Any, Sequence

import blockdct

from .formats import FORMATS
from .output import UsageError
from .rows import IN_DB, MAIN, METRICS
from .targets import QUALITIES, SIZES, Target
from .transforms import SUBSAMPLINGS, Plan, scale_of

LIMITS = {'quality': (0, 100), 'qp': (0, 255), 'crf': (0, 255), 'bitrate': (1, 1000000)}
_OWN = {'quality': (1, 100, 85), 'qp': (0, 51, 26)}  # of transforms, and the default
_PERCENTILE = re.compile(r'mean|min|p[1-9][0-9]?')

_EPILOG = '''\
  blockdct-measure table shots/ film.mkv --quality 10-90:10 --csv table.csv
  blockdct-measure table film.mkv --encoder x264enc --encoder x265enc --crf 22-37:5
  blockdct-measure find film.mkv --encoder x264enc --target-psnr 40
  blockdct-measure score film.mkv encoded.mp4 --metrics ssim,vmaf --min-psnr 38
  blockdct-measure origin picture.png
'''


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise UsageError(message)


def numbers(option: str, text: str, low: int, high: int) -> list[int]:
    """'50', '1-100', '10-50:5' and lists of these, sorted."""
    found: set[int] = set()
    for part in text.split(','):
        match = re.fullmatch(r'([^-]+)(?:-([^:]*)(?::(.*))?)?', part)
        first, last, step = match.groups() if match else (part, None, None)
        for n, least, most in (first, low, high), (last, low, high), (step, 1, high):
            if n is not None and not (n.isdecimal() and least <= int(n) <= most):
                raise UsageError(f'--{option}: {n!r} is not a number from {least} to {most}')
        first, last = int(first), int(last or first)
        if last < first:
            raise UsageError(f'--{option}: the range {part} ends before it begins')
        found.update(range(first, last + 1, int(step or 1)))
    return sorted(found)


def names(option: str, text: str | None, known: Sequence[str]) -> list[str]:
    """A list with commas, in the order of the known names. VMAF is slow: not of 'all'."""
    wanted = [] if text is None else text.split(',')
    for name in wanted:
        if name not in known and name != 'all':
            raise UsageError(f'--{option}: {name!r} is not one of all, {", ".join(known)}')
    return [name for name in known if name in wanted or 'all' in wanted and name != 'vmaf']


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f'{text} is not a number above 0')
    return value


def _add(group: argparse._ArgumentGroup, *options: tuple) -> None:
    """Options with their name, what they take, None for nothing, and what they do."""
    for name, metavar, text, *more in options:
        group.add_argument(*name.split(), help=text, **{
            **({'metavar': metavar} if metavar else {'action': 'store_true'}),
            **(more[0] if more else {})})


def _common(parser: argparse.ArgumentParser, what: str) -> None:
    whole, seconds = {'type': int}, {'type': float, 'default': 120}
    _add(parser.add_argument_group('what to look at'),
         ('--metrics -m', 'LIST', 'also measure ssim, ms-ssim, psnr-hvs, xpsnr, all of these, '
          f'or vmaf{what}'),
         ('--first-frame', 'F', 'begin with this frame of each file, counted from 0',
          {'type': int, 'default': 0}),
         ('--n-frames -n', 'N', 'at most N frames of each file', whole),
         ('--frames', None, 'also a row for each frame'))
    _add(parser.add_argument_group('what comes out'),
         ('--csv', 'FILE', 'write CSV; - is standard output'),
         ('--json', 'FILE', 'write lines of JSON'),
         ('--quiet', None, 'no progress and no notes'))
    _add(parser.add_argument_group('how'),
         ('--backend', '{auto,cpu,cuda}', 'cuda, cpu, or auto (default): all GPUs, else the CPU',
          {'choices': ('auto', 'cpu', 'cuda'), 'default': 'auto'}),
         ('--threads', 'N', 'threads of the CPU engine (0: one per processor)',
          {'type': int, 'default': 0}),
         ('--jobs -j', 'N', 'processes that work on files at once', whole),
         ('--dask', 'ADDRESS', 'work on a Dask cluster'),
         ('--stall-limit', 'SECONDS',
          'give up what gives nothing for so long (default 120; 0: never)', seconds))


def _measuring(parser: argparse.ArgumentParser) -> None:
    parser.add_argument('files', nargs='+', metavar='FILE',
                        help='files, folders, or patterns in quotes')
    _common(parser, ' of encoders')
    _add(parser.add_argument_group('transforms and encoders'),
         ('--transform -t', 'LIST', 'such as jpeg-8x8,hevc-16x16, or all (default jpeg-8x8; with '
          '--encoder none)'),
         ('--encoder -e', 'LINE', "an encoder of GStreamer and its properties, such as x264enc or "
          "'x265enc tune=psnr'; may be repeated", {'action': 'append', 'default': []}),
         ('--quality -q', 'RANGES', '1 to 100, such as 75, 50,75,90 or 10-90:10 (default 85; all '
          'to find one)'),
         ('--qp', 'RANGES', '0 to 51 for transforms (default 26)'),
         ('--crf', 'RANGES', "encoders' constant rate factors"),
         ('--bitrate', 'RANGES', "encoders' rates, kbit/s"),
         ('--preset', 'NAME', "encoders' speed, such as slow or 6"),
         ('--all-settings -a', None, 'all qualities and QPs where none are named'),
         ('--format -f', 'LIST',
          "convert to these formats, such as I420,Y444 (the decoder's own)"),
         ('--chroma-subsampling', 'NAME',
          'of planes that RGB becomes: 4:2:0 (default), 4:2:2, 4:4:0, 4:4:4',
          {'choices': SUBSAMPLINGS}),
         ('--exact-size', None, 'code each frame with jpeg-8x8, for the exact size of its file'))
    _add(parser.add_argument_group('long runs'),
         ('--plot', 'FILE', 'draw quality over bits to FILE.svg, .png or .pdf'),
         ('--plot-metric', 'NAME', 'what to draw: psnr (default) or one of --metrics',
          {'default': 'psnr'}),
         ('--resume', None, 'skip the files whose rows are in the output already'),
         ('--merge', None, 'FILE are tables: add up the parts of files'))


def parser() -> Parser:
    top = Parser(prog='blockdct-measure', epilog=_EPILOG, description='What transforms, '
                 'quantizers and encoders cost, and what encoded files are worth.',
                 formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument('--version', action='version',
                     version=f'blockdct-measure {blockdct.__version__}')
    commands = top.add_subparsers(dest='command', metavar='table|find|score|origin', required=True)
    jpeg, number = 'write the only picture as a JPEG file at ', {'type': _number}
    table = commands.add_parser('table', help='a row for each file and setting')
    _measuring(table)
    _add(table, ('--list', None, 'measure nothing: list the files and their frames'),
         ('--write-jpeg', 'FILE', jpeg + 'its only quality'))
    find = commands.add_parser('find', help='the setting that a file or a collection needs')
    _measuring(find)
    _add(find, ('--write-jpeg', 'FILE', jpeg + 'the quality found'))
    _add(find.add_argument_group('targets'),
         *((f'--target-{name}', 'DB' if name in IN_DB else 'N',
            f'the coarsest setting with at least this {name}', number) for name in QUALITIES),
         *((f'--target-{name}', 'N', f'the finest setting with at most this many {what}', number)
           for name, what in (('bpp', 'bits a luma sample'), ('bitrate', 'kbit/s'),
                              ('size', 'bytes'))),
         ('--collection', 'STATISTIC', 'one setting for all files: their mean, min, or a '
          'percentile, p1 to p99, meets the targets'))
    score = commands.add_parser('score', help='what encoded files are worth')
    score.add_argument('reference', metavar='REFERENCE')
    score.add_argument('files', nargs='+', metavar='FILE')
    _common(score, '')
    _add(score.add_argument_group('pairs of frames'),
         ('--no-scale', None, 'refuse files of another size instead of scaling them'),
         ('--offset', 'N', 'frame 0 of the reference is frame N of the files, instead of what is '
          'found', {'type': int}))
    _add(score.add_argument_group('limits, for status 1'),
         *((f'--min-{kind}{name}', 'N', f'the least {"of a frame" if kind else "mean"} {name}',
            number) for name in QUALITIES for kind in ('', 'frame-')))
    _add(score.add_argument_group('pictures'),
         ('--worst', 'N', 'the N worst frames', {'type': int}),
         ('--pictures', 'DIR', 'write these as PNG: reference, distorted and their difference '
          'side by side'))
    origin = commands.add_parser('origin', help='the JPEG file that a picture came from')
    origin.add_argument('files', nargs='+', metavar='FILE')
    origin.add_argument('--stall-limit', type=float, default=120, metavar='SECONDS')
    return top


def _same(a: str, b: str) -> bool:
    if os.path.exists(a) and os.path.exists(b):
        return os.path.samefile(a, b)
    return os.path.realpath(a) == os.path.realpath(b)


def check(o: argparse.Namespace) -> None:
    """Numbers that are outside their ranges, and options that exclude each other."""
    if not 0 <= getattr(o, 'threads', 0) <= 1024:
        raise UsageError(f'--threads={o.threads} is outside 0 to 1024')
    for option, low in (('first-frame', 0), ('n-frames', 1), ('jobs', 1),
                        ('stall-limit', 0), ('worst', 1)):
        value = getattr(o, option.replace('-', '_'), None)
        if value is not None and value < low:
            raise UsageError(f'--{option}={value:g} is below {low}')
    outputs = [(f'--{n}', p) for n in ('csv', 'json', 'plot', 'write-jpeg')
               if (p := getattr(o, n.replace('-', '_'), None)) is not None]
    for i, (name, path) in enumerate(outputs):
        for other, same in outputs[:i]:
            if _same(path, same):
                raise UsageError(f'{other} and {name} cannot both be {path}')
    if getattr(o, 'jobs', None) and o.dask:
        raise UsageError('--jobs and --dask exclude each other: Dask has workers of its own')
    if o.command in ('table', 'find'):
        _check_measuring(o)


_NOT_MERGED = ('transform', 'quality', 'qp', 'crf', 'bitrate', 'encoder', 'all_settings', 'format',
               'chroma_subsampling', 'frames', 'first_frame', 'n_frames', 'resume', 'metrics',
               'exact_size', 'jobs', 'dask', 'list')


def _check_measuring(o: argparse.Namespace) -> None:
    find = o.command == 'find'
    for wrong, message in (
            (o.merge and any(getattr(o, name, None) for name in _NOT_MERGED),
             '--merge measures nothing: it goes only with --csv, --json, --plot, --plot-metric, '
             'the targets and --collection'),
            (o.encoder and o.chroma_subsampling, '--chroma-subsampling has no effect with '
             '--encoder: RGB becomes the planes that --format names'),
            (o.resume and ((o.csv is None) == (o.json is None) or (o.csv or o.json) == '-'),
             '--resume continues one file: name it with either --csv or --json'),
            (o.write_jpeg and (o.merge or o.resume or o.encoder
                               or o.transform not in (None, 'jpeg-8x8')),
             '--write-jpeg uses jpeg-8x8: it does not go with another transform, --encoder, '
             '--merge or --resume'),
            (o.plot_metric not in MAIN,
             f'--plot-metric: {o.plot_metric!r} is not one of {", ".join(MAIN)}'),
            (o.plot is None and o.plot_metric != 'psnr',
             '--plot-metric has no effect without --plot'),
            (o.plot and not o.plot.endswith(('.svg', '.png', '.pdf')),
             f'--plot={o.plot} does not end in .svg, .png or .pdf'),
            (find and o.frames, '--frames is for table: find has one row for a file'),
            (find and o.resume and o.collection, '--resume and --collection cannot be combined: '
             'make a table without --collection, then choose from it with find --merge'),
            (find and o.resume and o.plot, '--resume has no curves for --plot here: make a table')):
        if wrong:
            raise UsageError(message)


def target(o: argparse.Namespace) -> Target | None:
    if o.command != 'find':
        return None
    limits = {n: v for n in (*QUALITIES, *SIZES)
              if (v := getattr(o, 'target_' + n.replace('-', '_'))) is not None}
    if not limits:
        raise UsageError('find needs a target, such as --target-psnr 40')
    for name in 'ssim', 'ms-ssim':
        if limits.get(name, 0) > 1:
            raise UsageError(f'--target-{name}={limits[name]:g} is above 1')
    if o.collection and not _PERCENTILE.fullmatch(o.collection):
        raise UsageError(f'--collection: {o.collection!r} is not mean, min or p1 to p99')
    return Target(limits, o.collection)


def plan(o: argparse.Namespace, wanted: Target | None) -> Plan:
    """What to measure, without encoders."""
    transforms = names('transform', 'jpeg-8x8' if o.transform is None and not o.encoder
                       else o.transform, blockdct.TRANSFORMS)
    scales = {scale_of(t) for t in transforms}
    lists = {}
    for scale, (low, high, default) in _OWN.items():
        text = getattr(o, scale)
        given = text is not None and scale in scales
        lists[scale] = numbers(scale, text, low, high) if given else \
            list(range(low, high + 1)) if o.all_settings or o.plot or wanted else [default]
    needed = names('metrics', o.metrics, tuple(MAIN)) + (wanted.needs() if wanted else [])
    if o.plot_metric != 'psnr':
        needed.append(o.plot_metric)
    if 'vmaf' in needed and not o.encoder:
        raise UsageError("'vmaf' is a metric of encoders: name one with --encoder, or judge "
                         'files with score')
    formats = [] if o.format is None else o.format.split(',')
    for i, name in enumerate(formats):
        if name not in FORMATS or name in formats[:i]:
            raise UsageError(f'--format: {o.format!r} is not a list of different formats '
                             f'from {", ".join(FORMATS)}')
    return Plan(tuple((t, scale_of(t), n) for t in transforms for n in lists[scale_of(t)]), (),
        tuple(formats), o.chroma_subsampling or '4:2:0',
        tuple(m for m in METRICS if m in needed), o.frames,
        o.exact_size or bool(wanted and 'size' in wanted.limits), o.first_frame,
        o.n_frames, 'cpu', o.threads, o.stall_limit)
