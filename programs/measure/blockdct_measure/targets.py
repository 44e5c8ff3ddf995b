# SPDX-License-Identifier: LGPL-2.1-or-later
"""The setting that a file or a collection needs."""
import dataclasses
import math
from typing import Iterable

from .rows import MAIN, Row

#: Targets of quality, which are lower limits, and of size, which are upper ones.
QUALITIES = tuple(MAIN)
SIZES = 'bpp', 'bitrate', 'size'


@dataclasses.dataclass
class Target:
    limits: dict[str, float]
    collection: str | None = None  # 'mean', 'min', 'p1' to 'p99'

    def needs(self) -> list[str]:
        """The metrics that it looks at."""
        return [name for name in self.limits if name in QUALITIES and name != 'psnr']


class _Candidate:
    """A setting of a series, with its rows of one file or of all files."""

    def __init__(self, rows: list[Row], target: Target):
        self.rows, self.first = rows, rows[0]
        self.bits = sum(r.bits for r in rows)
        self.figures = {
            'size': sum(r.size for r in rows),
            'bpp': self.bits / max(1, sum(r.count('samples-y') for r in rows)),
            'bitrate': max(math.inf if r.kbps is None else r.kbps for r in rows),
            **{n: self._quality(target.collection, n) for n in target.limits if n in QUALITIES}}
        self.lacks = {name: max(0.0, (limit - self.figures[name] if name in QUALITIES
                                      else self.figures[name] - limit) / limit)
                      for name, limit in target.limits.items()}

    def _quality(self, collection: str | None, name: str) -> float:
        """The mean of the files' figures, or a percentile by nearest rank."""
        found = sorted(-math.inf if f is None else f
                       for f in (r.figure(MAIN[name]) for r in self.rows))
        if collection == 'mean' and found[0] > -math.inf:
            return sum(r.figure(MAIN[name]) or 0.0 for r in self.rows) / len(found)
        percent = int(collection[1:]) if (collection or '').startswith('p') else 0
        return found[max(0, (percent * len(found) + 99) // 100 - 1)]

    def rank(self, target: Target) -> tuple:
        """The best candidate's is the least."""
        def most(names: Iterable[str]) -> float:
            return max((self.lacks[n] for n in names if n in self.lacks), default=0.0)
        coarse = self.first.setting if self.first.scale in ('quality', 'bitrate') \
            else -self.first.setting
        if not any(name in QUALITIES for name in target.limits):
            return most(QUALITIES), most(SIZES), 0, -coarse
        return (most(QUALITIES), most(SIZES), self.bits if target.collection else 0, coarse)

    @property
    def missed(self) -> str:
        return '+'.join(n for n in (*QUALITIES, *SIZES) if self.lacks.get(n, 0) > 0)


class Choices:
    """The best setting of each transform and encoder: for each file and format, or for
    the collection."""

    def __init__(self, target: Target, rows: list[Row]):
        self.target, self.rows = target, [r for r in rows if r.frame is None]
        each = target.collection is None
        formats: dict[str, set] = {}
        for r in self.rows:
            formats.setdefault(r.file, set()).add(r.format)
        apart = each or any(len(f) > 1 for f in formats.values())
        groups: dict[tuple, dict[int, list[Row]]] = {}
        self._keys = [(r.series, r.file if each else '', r.format if apart else '')
                      for r in self.rows]
        for key, r in zip(self._keys, self.rows):
            groups.setdefault(key, {}).setdefault(r.setting, []).append(r)
        self.best: dict[tuple, _Candidate | None] = {}
        self.n_files: dict[tuple, int] = {}
        for key, settings in groups.items():
            n = self.n_files[key] = len({r.file for found in settings.values() for r in found})
            self.best[key] = min((_Candidate(found, target) for found in settings.values()
                                  if len(found) == n), key=lambda c: c.rank(target), default=None)

    def chosen(self) -> list[Row]:
        rows = []
        for key, row in zip(self._keys, self.rows):
            best = self.best[key]
            if best is not None and row.setting == best.first.setting:
                rows.append(dataclasses.replace(row, met=not best.missed, missed=best.missed))
        return rows

    def tell_missed(self) -> list[str]:
        """A line for each series whose best setting misses a target."""
        lines = []
        statistic = self.target.collection or 'min'
        for key, best in self.best.items():
            if best is None:
                lines.append(f'{key[0][1] or key[0][0]}: no setting was measured in all of '
                             f'{self.n_files[key]} files')
            elif best.missed:
                parts = [f'{statistic + " " if n in QUALITIES else ""}{n} is '
                         f'{best.figures[n]:.8g}, {"below" if n in QUALITIES else "above"} '
                         f'{self.target.limits[n]:.8g}' for n in best.missed.split('+')]
                lines.append(f'nearest is {best.first.name}, {_format(best)}, '
                             f'{best.first.scale} {best.first.setting}: ' + '; '.join(parts))
        return lines

    def table(self) -> str:
        """For people, with the settings of a collection."""
        qualities = [n for n in self.target.limits if n in QUALITIES]
        text = (f'\nOne setting for all files ({self.target.collection})\n'
                f'{"transform":<12} {"setting":>11}  {"format":<9} {"files":>8}'
                + ''.join(f' {n:>9}' for n in qualities) + f' {"bpp":>8} {"bytes":>12}\n')
        for key, best in self.best.items():
            if best is not None:
                text += (f'{best.first.name:<12} {best.first.scale:>7} {best.first.setting:3}  '
                         f'{_format(best):<9} {self.n_files[key]:8}'
                         + ''.join(f' {best.figures[n]:9.4f}' for n in qualities)
                         + f' {best.figures["bpp"]:8.4f} {best.figures["size"]:12.0f}  '
                         + ('missed' if best.missed else 'met') + '\n')
        return text


def _format(candidate: _Candidate) -> str:
    formats = {r.format for r in candidate.rows}
    return formats.pop() if len(formats) == 1 else 'several'
