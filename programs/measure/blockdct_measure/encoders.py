# SPDX-License-Identifier: LGPL-2.1-or-later
"""Encoders: what their settings are called, and what they make of files."""
import argparse
import dataclasses
import itertools
import re
from typing import Callable

from . import transforms
from .compare import Comparison, Span
from .decoding import Input
from .files import FileError
from .formats import tell_caps
from .gst import GLib, GObject, Gst, chain, has_counter, make
from .output import UsageError
from .options import LIMITS, numbers
from .rows import SCALES, Row
from .targets import QUALITIES, Choices, Target

_UGLY, _BAD = 'gstreamer1.0-plugins-ugly', 'gstreamer1.0-plugins-bad'
_GOOD, _BASE, _LIBAV = ('gstreamer1.0-plugins-good', 'gstreamer1.0-plugins-base',
                        'gstreamer1.0-libav')
_QUANT = 'min-quantizer={} max-quantizer={}'
_NVENC = {'qp': 'rc-mode=constqp qp-const={}', 'crf': 'rc-mode=vbr const-quality={} '
          'bitrate=0', 'bitrate': 'rc-mode=vbr bitrate={}', 'preset': 'preset={}'}
_X265 = {'qp': 'qp={}', 'crf': 'option-string=crf={}', 'bitrate': 'bitrate={}',
         'preset': 'speed-preset={}'}
_VPX = {'qp': _QUANT, 'crf': 'end-usage=cq cq-level={} target-bitrate=1000000000',
        'bitrate': 'target-bitrate={}000', 'preset': 'cpu-used={}'}
#: Each element's package in Debian, and the properties of each setting.
ENCODERS: dict[str, tuple[str, dict[str, str]]] = {
    'x264enc': (_UGLY, {'qp': 'pass=quant quantizer={}', 'crf': 'pass=qual quantizer={} '
                        'vbv-buf-capacity=0',
                        'bitrate': 'bitrate={}', 'preset': 'speed-preset={}'}),
    'x265enc': (_BAD, _X265),
    'svtav1enc': (_BAD, {'qp': 'cqp={}', 'crf': 'crf={}', 'bitrate': 'target-bitrate={}',
                         'preset': 'preset={}'}),
    'av1enc': (_BAD, {'qp': _QUANT, 'bitrate': 'max-quantizer=63 target-bitrate={}',
                      'preset': 'cpu-used={}'}), 'vp8enc': (_GOOD, _VPX), 'vp9enc': (_GOOD, _VPX),
    'openh264enc': (_BAD, {'qp': 'qp-min={} qp-max={}', 'preset': 'complexity={}',
                           'bitrate': 'rate-control=bitrate bitrate={}000'}),
    'mpeg2enc': (_BAD, {'qp': 'quantisation={}', 'bitrate': 'bitrate={}'}),
    'avenc_mpeg2video': (_LIBAV, {'qp': 'qmin={} qmax={}', 'bitrate': 'bitrate={}000'}),
    'avenc_mpeg4': (_LIBAV, {'qp': 'qmin={} qmax={}', 'bitrate': 'bitrate={}000'}),
    'theoraenc': (_BASE, {'quality': 'quality={}', 'bitrate': 'bitrate={}',
                          'preset': 'speed-level={}'}),
    'jpegenc': (_GOOD, {'quality': 'quality={}'}),
    'nvh264enc': (_BAD, _NVENC), 'nvh265enc': (_BAD, _NVENC), 'nvav1enc': (_BAD, _NVENC), }
_SETTING = re.compile('quant|qp|quality|bitrate|cq|crf')
_DEFAULT_RATE = '25/1'


@dataclasses.dataclass(frozen=True)
class Encoder:
    line: str                # as given
    text: str                # for GStreamer, with {} where the number goes
    scale: str
    values: tuple[int, ...]


def _settings_of(element: Gst.Element) -> str:
    return ', '.join(p.name for p in element.list_properties()
                     if p.flags & GObject.ParamFlags.WRITABLE
                     and _SETTING.search(p.name)) or 'none'


def _absent(name: str) -> UsageError:
    package = ENCODERS[name][0] if name in ENCODERS else \
        _LIBAV if name.startswith('avenc_') else None
    return UsageError(f'--encoder: the element {name} is not installed ('
                      + (f'Debian: {package}' if package else
                         'gst-inspect-1.0 lists those that are, such as '
                         + ', '.join(filter(Gst.ElementFactory.find, ENCODERS))) + ')')


def build(encoder: Encoder, value: int) -> Gst.Bin:
    """The elements of a line."""
    text = encoder.text.replace('{}', str(value))
    context = Gst.ParseContext.new()
    try:
        return Gst.parse_bin_from_description_full(text, True, context,
                                                   Gst.ParseFlags.FATAL_ERRORS)
    except GLib.Error as error:
        if error.matches(Gst.ParseError.quark(), Gst.ParseError.NO_SUCH_ELEMENT):
            missing = context.get_missing_elements() or [encoder.line.split()[0]]
            raise _absent(missing[0]) from None
        element = Gst.ElementFactory.make(encoder.line.split()[0], None)
        own = '' if element is None or 'no property' not in str(error) else \
            f'; its properties of this kind: {_settings_of(element)}'
        raise UsageError(f"--encoder '{encoder.line}': {error.message}{own}") from None


def _complete(line: str, o: argparse.Namespace, search: bool) -> tuple[str, str]:
    """The text for GStreamer, with '{}', and the scale of the number."""
    name, _, rest = line.strip().partition(' ')
    given = [s for s in ('bitrate', 'crf', 'qp', 'quality') if getattr(o, s)]
    placed = next((s for s in SCALES if f'{{{s}}}' in line), None)
    if not name:
        raise UsageError('--encoder: the line is empty')
    _, texts = ENCODERS.get(name, ('', {}))
    preset = ''
    if o.preset and 'preset' in texts:
        preset = ' ' + texts['preset'].replace('{}', o.preset)
    elif o.preset:
        raise UsageError(f"--preset has no effect: {name} has none that is known; put its "
                         "property into the line")
    if placed:
        if not getattr(o, placed):
            raise UsageError(f"--encoder '{line}' needs numbers: give them with --{placed}")
        return (f'{name}{preset} {rest}' if preset else line).replace(f'{{{placed}}}', '{}'), placed
    for scale in [*given, *(('crf', 'qp', 'quality', 'bitrate') if search else ())]:
        if scale not in texts:
            continue
        text = texts[scale]
        if text.startswith('option-string='):  # which the line may have, too
            own = re.search(r'option-string=(\S+)', rest)
            if own:
                text = f'{text}:{own[1].strip(chr(34))}'
                rest = rest.replace(own[0], '')
        return f'{name} {text}{preset} {rest}'.rstrip(), scale
    takes = [f'--{s}' for s in SCALES if s in texts]
    if takes:
        raise UsageError(f"--encoder '{line}' needs numbers: give them with "
                         f'{" or ".join(takes)}')
    element = Gst.ElementFactory.make(name, None)
    if element is None:
        raise _absent(name)
    raise UsageError(f"--encoder '{line}': name the property to set, as in NAME={{qp}}, "
                     "{crf}, {quality} or {bitrate}; its properties of this kind: "
                     f'{_settings_of(element)}')


def _range(text: str, element: Gst.Element) -> tuple[str, float, float] | None:
    """The property whose whole value is the number, and its range; of several that with
    the least."""
    found = None
    for name in re.findall(r'([\w-]+)=\{\}(?=\s|!|$)', text):
        spec = element.find_property(name)
        if spec is not None and hasattr(spec, 'minimum'):
            low, high = spec.minimum, spec.maximum
            if found:
                low, high = max(low, found[1]), min(high, found[2])
            found = name, low, high
    return found


def parse(o: argparse.Namespace, search: bool) -> tuple[Encoder, ...]:
    """Those of the command line, checked. `search`: where no numbers are given, all that
    the encoder has."""
    make('blockdctcompare')
    encoders: dict[str, Encoder] = {}
    for line in o.encoder:
        where = f"--encoder '{line}'"
        if line in encoders:
            raise UsageError(f'{where} is given twice')
        text, scale = _complete(line, o, search)
        least, most = LIMITS[scale]
        given = getattr(o, scale)
        values = numbers(scale, given, least, most) if given else [30]
        made = build(Encoder(line, text, scale, ()), values[0])
        element = next((e for e in made.children if 'Encoder' in (e.get_metadata('klass') or '')),
                       None)
        for there, lack in (
                (element, 'there is no encoder in it'),
                (made.get_static_pad('sink'), 'none of its elements has a free pad that takes '
                 'pictures; begin with the encoder'),
                (made.get_static_pad('src'), 'none of its elements has a free pad that gives coded '
                 'data; end with the encoder, or with an element that takes its stream')):
            if there is None:
                raise UsageError(f'{where}: {lack}')
        name, low, high = _range(text, element) or ('', *{
            'crf': (0, 51), 'bitrate': (50, 50000)}.get(scale, (least, most)))
        if not given:
            values = list(range(max(int(low), least, 1), min(int(high), most) + 1))
        for value in values if name else ():
            if not low <= value <= high:
                raise UsageError(f"--{scale}: {name} of '{line}' takes {low:g} to {high:g}, not "
                                 f'{value}')
        _decoder(made)
        encoders[line] = Encoder(line, text, scale, tuple(values))
    return tuple(encoders.values())


def _decoder(encoder: Gst.Bin) -> Gst.Bin:
    """The software decoder of the highest rank, behind what counts the bits."""
    caps = encoder.get_static_pad('src').query_caps(None)
    known = not caps.is_any() and not caps.is_empty()
    structure = caps.get_structure(0) if known else None
    factories = Gst.ElementFactory.list_filter(
        Gst.ElementFactory.list_get_elements(Gst.ELEMENT_FACTORY_TYPE_DECODER, Gst.Rank.MARGINAL),
        caps, Gst.PadDirection.SINK, True) if known else []
    found = next((f.get_name() for f in factories if not any(
        k in f.get_metadata('klass') for k in ('Hardware', 'Bin'))), None)
    if found is None:
        if structure is not None and structure.get_name() == 'video/x-raw':
            return Gst.parse_bin_from_description('identity', True)
        raise UsageError(f'--encoder: there is no decoder for {caps.to_string()[:80]}')
    # jpegdec's default inverse DCT is fast, and costs up to 4 dB at quality 90.
    text = found + (' idct-method=islow' if found == 'jpegdec' else '')
    if has_counter(caps):
        text = f'blockdctcoded name=coded ! {text}'
    if structure.get_name() == 'video/mpeg':
        version = structure.get_int('mpegversion')[1]
        text = f'mpeg{"4" if version == 4 else ""}videoparse ! {text}'
    return Gst.parse_bin_from_description(text, True)


def _run(path: str, name: str, plan: transforms.Plan, encoder: Encoder, value: int,
         form: str | None, without: list[str], progress: Callable[[float], None]) -> list[Row]:
    """The rows of a file that went through an encoder at one value."""
    with Comparison(plan.metrics, plan.device.partition(':')[0], plan.threads, plan.frames) as run:
        setter, queue, made = make('capssetter'), make('queue', max_size_time=0), \
            build(encoder, value)
        choose = transforms.chooser(plan, form)

        def prepare(caps: Gst.Caps) -> Gst.Caps | None:
            if source.rate is None:
                setter.set_property('caps', Gst.Caps.from_string(
                    f'video/x-raw, framerate={_DEFAULT_RATE}'))
            return choose(caps)
        chain(run.pipeline, setter, run.tees[0], queue, made, _decoder(made), run.tees[1])
        source = Input(run.pipeline, path, setter, prepare)
        span = Span(source.src, plan.first, plan.n)
        try:
            run.run([source], plan.stall_limit, plan.n is None, progress)
        except (RuntimeError, FileError) as error:
            # Unless a queue has the end already, the file's elements say it for the encoder.
            refused = getattr(error, 'refused', 'not-negotiated' in str(error))
            if not refused or span.caps is None:
                raise
            takes = _formats(made.get_static_pad('sink').query_caps(None))
            raise RuntimeError(f'it does not accept {tell_caps(span.caps)}; it accepts '
                               f'{takes} (--format converts)') from None
        if span.error:
            raise span.error
        layout = transforms.Layout(span.caps)
        row = Row(name, None, encoder.line, encoder.scale, value,
                  transforms.row_format(layout.format, plan.subsampling), layout.width,
                  layout.height, layout.depth, str(source.rate or ''), None, True)
        frames, unmatched = run.results(row)
        n = row.count('frames')
        source.n_frames, source.end = n + unmatched, run.end
        if plan.n is None:
            source.check_end()
        without += [text for text in transforms.supported(plan, layout)[1] if text not in without]
        if unmatched:
            raise RuntimeError(f'of {n + unmatched} frames {n} came back' + (
                '; vp9enc of GStreamer 1.22 loses those of its lookahead: add lag-in-frames=0'
                if encoder.line.startswith('vp9enc') else ''))
        coded = run.pipeline.get_by_name('coded')
        if coded is None:
            raise RuntimeError("the bits of a frame are unknown: put 'blockdctcoded name=coded' "
                               'behind the encoder in the line, ahead of a decoder')
        count_bits(row, coded)
        for frame in frames:
            frame.frame += plan.first
        return [*(frames if plan.frames else ()), row]


def count_bits(row: Row, coded: Gst.Element) -> int:
    """Add what a blockdctcoded has counted; its frames."""
    stats = coded.get_property('stats')
    for name in 'bits', 'bits-headers':
        row.counts[name] = stats.get_uint64(name)[1]
    row.counts['file-size'] = (row.count('bits') + row.count('bits-headers')) // 8
    return int(stats.get_uint64('frames')[1])


def _formats(caps: Gst.Caps) -> str:
    return ', '.join(dict.fromkeys(re.findall(r'\b[A-Z][A-Z0-9]*(?:_[0-9]+[BL]E)?\b',
                                              caps.to_string())))


def measure(path: str, name: str, plan: transforms.Plan, target: Target | None,
            progress: Callable[[float], None]
            ) -> tuple[list[Row], list[str], list[str], list[str]]:
    """The rows of all encoders, what failed, what metrics there are none of, and notes."""
    rows: list[Row] = []
    lost: list[str] = []
    without: list[str] = []
    notes: list[str] = []
    search = target if target and not target.collection else None
    passes = sum(len(e.values).bit_length() if search else len(e.values)
                 for e in plan.encoders) * len(plan.formats or (1,))
    done = itertools.count()
    for form, encoder in itertools.product(plan.formats or (None,), plan.encoders):
        def one(value: int) -> list[Row]:
            before, found = next(done), []
            try:
                found = _run(path, name, plan, encoder, value, form, without,
                             lambda share: progress((before + share) / passes))
            except (RuntimeError, UsageError) as error:
                lost.append(f'{encoder.line}, {encoder.scale} {value}: {error}')
            rows.extend(found)
            return found
        if search:
            if _search(encoder, search, one):
                notes.append(f'{encoder.line} is at the end of its range of --{encoder.scale}: '
                             'a wider one may come nearer')
        else:
            for value in encoder.values:
                one(value)
    return rows, lost, without, notes


def _search(encoder: Encoder, target: Target, one: Callable[[int], list[Row]]) -> bool:
    """Measure what a bisection for the coarsest setting that meets the qualities, or the
    finest that meets the sizes, needs: figures and bits rise from coarse to fine. Whether
    settings beyond its range would meet them, too."""
    values = list(encoder.values)
    if encoder.scale in ('qp', 'crf'):
        values.reverse()
    low, high = 0, len(values) - 1
    is_quality = bool(set(target.limits) & set(QUALITIES))
    while low <= high:
        middle = (low + high) // 2
        found = one(values[middle])
        if not found:
            return False
        missed = set(Choices(target, found).chosen()[0].missed.split('+')) - {''}
        if not missed & set(QUALITIES) if is_quality else missed:
            high = middle - 1
        else:
            low = middle + 1
    return len(values) > 1 and (high < 0 if is_quality else low == len(values))
