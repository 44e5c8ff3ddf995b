# SPDX-License-Identifier: LGPL-2.1-or-later
"""Curves of quality over bits."""
import itertools
import math

from .output import UsageError
from .rows import IN_DB, MAIN, Row


def check() -> None:
    try:
        import matplotlib
    except ImportError:
        raise UsageError('--plot needs Python\'s matplotlib (Debian: python3-matplotlib)'
                         ) from None
    matplotlib.use('Agg')
    matplotlib.rcParams['svg.hashsalt'] = 'blockdct-measure'  # the same file each time


def draw(path: str, rows: list[Row], metric: str) -> None:
    """A thin line for each file, and a thick one for the mean of several."""
    from matplotlib import pyplot
    if all(r.figure(MAIN[metric]) is None for r in rows):
        raise UsageError(f'--plot-metric: no row has a finite {metric}')
    figure, axes = pyplot.subplots(figsize=(8, 5), layout='constrained')
    several = len({r.file for r in rows}) > 1
    series: dict[tuple, dict[str, list[Row]]] = {}
    for (key, file), group in itertools.groupby(rows, lambda r: ((*r.series, r.format), r.file)):
        series.setdefault(key, {}).setdefault(file, []).extend(group)
    names = {key[0] or key[1] for key in series}
    for i, (key, files) in enumerate(series.items()):
        label = (key[0] or key[1]) + (f', {key[3]}' if len(series) > len(names) else '')
        means: dict[int, list[tuple[float, float]]] = {}
        for own in files.values():
            points = [(r.bpp, q, r.setting) for r in own
                      if (q := r.figure(MAIN[metric])) is not None and math.isfinite(q)]
            axes.plot([p[0] for p in points], [p[1] for p in points], color=f'C{i}',
                      linewidth=0.5 if several else 1.5, label=None if several else label)
            for bits, quality, setting in points:
                means.setdefault(setting, []).append((bits, quality))
        if several:
            whole = [[sum(v) / len(v) for v in zip(*m)] for m in means.values()
                     if len(m) == len(files)]
            axes.plot([p[0] for p in whole], [p[1] for p in whole], color=f'C{i}',
                      linewidth=2.5, label=label)
    axes.set_xlabel('bits per luma sample')
    axes.set_ylabel(MAIN[metric].upper() + (', dB' if metric in IN_DB else ''))
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, metadata={'Date': None} if path.endswith('.svg') else None)
    pyplot.close(figure)
