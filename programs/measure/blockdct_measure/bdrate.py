# SPDX-License-Identifier: LGPL-2.1-or-later
"""BD-rates: by how many percent bits differ at the same quality."""
import math

import numpy as np

from .rows import MAIN, Row, metrics_of


def _points(rows: list[Row], metric: str) -> tuple[np.ndarray, np.ndarray]:
    """Quality, and log10 of bits a sample, where both are finite."""
    found = [(r.figure(MAIN[metric]), r.bpp) for r in rows]
    kept = [(q, math.log10(b)) for q, b in found if q is not None and math.isfinite(q) and b > 0]
    return tuple(np.array(kept).reshape(-1, 2).T)


def rate(reference: list[Row], rows: list[Row], metric: str) -> float | str:
    """In percent; or why there is none."""
    curves = [_points(reference, metric), _points(rows, metric)]
    for quality, _ in curves:
        if len(quality) < 4:
            return f'it needs 4 settings with a finite {metric}, not {len(quality)}'
    low = max(quality.min() for quality, _ in curves)
    high = min(quality.max() for quality, _ in curves)
    if low >= high:
        return f'their ranges of {metric} do not overlap'
    means = []
    for quality, bits in curves:
        cubic = np.polynomial.Polynomial.fit(quality, bits, 3)
        slope = cubic.deriv()
        turns = [x for x in slope.deriv().roots().real if low < x < high]
        if min(slope(np.array([low, high, *turns]))) <= 0:
            return 'bits do not rise with quality'
        area = cubic.integ()
        means.append((area(high) - area(low)) / (high - low))
    return 100 * (10 ** (means[1] - means[0]) - 1)


def table(rows: list[Row]) -> str:
    """For people: of each series against the first one, in each file, and their means;
    empty without encoders."""
    rows = [r for r in rows if r.frame is None]
    if not any(r.encoder for r in rows):
        return ''
    metrics = ['psnr', *metrics_of(rows)]
    first, lines = rows[0], []
    curves: dict[tuple, list[Row]] = {}
    means: dict[tuple, list] = {}
    for r in rows:
        curves.setdefault((r.file, r.format, r.series), []).append(r)
    for (file, form, series), curve in curves.items():
        if series != first.series:
            reference = curves.get((file, form, first.series))
            rates = [rate(reference, curve, m) if reference else 'the first has no rows here'
                     for m in metrics]
            lines.append((curve[0].name, form, rates, file))
            means.setdefault((curve[0].name, series, form), []).append(rates)
    reasons = dict.fromkeys(r for _, _, rates, _ in lines for r in rates if isinstance(r, str))
    for (name, _, form), found in means.items():
        if len(found) > 1:
            columns = [[r for r in column if not isinstance(r, str)] for column in zip(*found)]
            lines.append((name, form, [sum(c) / len(c) if c else '' for c in columns],
                          f'mean of {len(found)} files'))
    if not lines:
        return ''
    width = max(12, *(len(name) for name, *_ in lines))
    text = (f'\nBD-rate against {first.name}\n{"":<{width}} {"format":<9}'
            + ''.join(f' {m:>9}' for m in metrics) + '  file\n')
    for name, form, rates, file in lines:
        text += f'{name:<{width}} {form:<9}' + ''.join(
            f' {"-":>9}' if isinstance(r, str) else f' {r:+8.2f}%' for r in rates) + f'  {file}\n'
    return text + ''.join(f'  -: {reason}\n' for reason in reasons)
