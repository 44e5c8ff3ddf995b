# SPDX-License-Identifier: LGPL-2.1-or-later
"""A bar on the terminal, with rate and time left."""
import os
import sys
import threading
import time

_WIDTH, _INTERVAL = 24, 0.2


class Progress:
    """Of files, by their size. Any thread may say how far one is."""

    def __init__(self, paths: list[str], wanted: bool):
        self._sizes = [os.path.getsize(p) if os.path.isfile(p) else 0 for p in paths]
        self._shares = [0.0] * len(paths)
        self._start = time.monotonic()
        self._lock, self._end = threading.Lock(), threading.Event()
        self._thread = None
        if wanted and sys.stderr.isatty():
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()

    def note(self, i: int, share: float) -> None:
        self._shares[i] = share

    def _run(self) -> None:
        while not self._end.wait(_INTERVAL):
            self._show(self._text())

    def _text(self) -> str:
        seconds = time.monotonic() - self._start
        done = sum(size * share for size, share in zip(self._sizes, self._shares))
        share = min(done / (sum(self._sizes) or 1), 1.0)
        text = (f'[{"#" * int(share * _WIDTH):.<{_WIDTH}}] {100 * share:3.0f}%  '
                f'{sum(s >= 1 for s in self._shares)} of {len(self._shares)} files')
        if share > 0 and seconds > 1:
            left = int(seconds * (1 - share) / share + 0.999)
            text += (f', {done / seconds / 1e3:,.0f} kB/s, {left // 3600}:'
                     f'{left // 60 % 60:02}:{left % 60:02} left')
        return text

    def _show(self, text: str) -> None:
        with self._lock:
            sys.stderr.write('\r\033[K' + text)
            sys.stderr.flush()

    def clear(self) -> None:
        if self._thread:
            self._show('')

    def close(self) -> None:
        self._end.set()
        if self._thread:
            self._thread.join()
        self.clear()
