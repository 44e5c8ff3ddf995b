# SPDX-License-Identifier: LGPL-2.1-or-later
"""VMAF by what is installed: GStreamer's element, or an ffmpeg with libvmaf, to which the
pictures go."""
import functools
import json
import os
import shutil
import subprocess
import tempfile
import threading
from typing import Any

from .gst import Gst, chain, make, sink
from .output import UsageError

_PIXELS = {'I420': 'yuv420p', 'Y42B': 'yuv422p', 'Y444': 'yuv444p', 'GRAY8': 'gray',
           'I420_10LE': 'yuv420p10le', 'I422_10LE': 'yuv422p10le',
           'Y444_10LE': 'yuv444p10le', 'I420_12LE': 'yuv420p12le', 'NV12': 'nv12'}


@functools.lru_cache(maxsize=None)
def _ffmpeg() -> str:
    """One with libvmaf: in PATH, or Python's imageio-ffmpeg."""
    found = [shutil.which('ffmpeg')]
    try:
        import imageio_ffmpeg
        found.append(imageio_ffmpeg.get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        pass
    for program in filter(None, found):
        if ' libvmaf ' in subprocess.run([program, '-hide_banner', '-filters'], text=True,
                                         capture_output=True, check=False).stdout:
            return program
    raise UsageError('vmaf needs GStreamer\'s element vmaf (GStreamer 1.28, '
                     'gstreamer1.0-plugins-bad), or an ffmpeg with libvmaf, in PATH or as '
                     'Python\'s imageio-ffmpeg (pip install imageio-ffmpeg)')


def check() -> None:
    if not Gst.ElementFactory.find('vmaf'):
        _ffmpeg()


class Vmaf:
    """Feeds the pictures of two tees, the reference's and the distorted one's."""

    def __init__(self, pipeline: Gst.Pipeline, tees: list[Gst.Element]):
        self._log = tempfile.NamedTemporaryFile(suffix='.json')
        self._process: subprocess.Popen | None = None
        self._caps: list[str | None] = [None, None]
        self._pipes: list[tuple[int, int]] = []
        self._ended, judge = threading.Event(), None
        if Gst.ElementFactory.find('vmaf'):
            judge, out = make('vmaf', results_filename=self._log.name), self._sink(0)
            chain(pipeline, judge, out)
        for i, tee in enumerate(tees):
            # The reference waits for an encoder that looks ahead.
            queue = make('queue', max_size_buffers=(200, 32)[i], max_size_time=0, max_size_bytes=0)
            convert = make('videoconvert', dither='none')
            chain(pipeline, tee, queue, convert)
            if judge:
                convert.link_pads('src', judge, ('ref_sink', 'dist_sink')[i])
                continue
            self._pipes.append(os.pipe())
            filter_ = make('capsfilter', caps=Gst.Caps.from_string(
                f'video/x-raw, format={{ {", ".join(_PIXELS)} }}'))
            chain(pipeline, convert, filter_, self._sink(i, 'fdsink', fd=self._pipes[i][1]))
            filter_.get_static_pad('src').add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM,
                                                    self._note, i)

    def _sink(self, i: int, name: str = 'fakesink', **properties: Any) -> Gst.Element:
        made = sink(name, **properties)
        made.get_static_pad('sink').add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, self._end, i)
        return made

    def _note(self, pad: Gst.Pad, info: Gst.PadProbeInfo, i: int) -> Gst.PadProbeReturn:
        if info.get_event().type == Gst.EventType.CAPS and self._caps[i] is None:
            s = info.get_event().parse_caps().get_structure(0)
            self._caps[i] = (f'-f rawvideo -pix_fmt {_PIXELS[s.get_string("format")]} -s '
                             f'{s.get_value("width")}x{s.get_value("height")} -r 25 -i '
                             f'pipe:{self._pipes[i][0]}')
            if None not in self._caps:
                self._start()
        return Gst.PadProbeReturn.OK

    def _end(self, pad: Gst.Pad, info: Gst.PadProbeInfo, i: int) -> Gst.PadProbeReturn:
        if info.get_event().type == Gst.EventType.EOS:
            self._ended.set()
            self._close(i)
        return Gst.PadProbeReturn.OK

    def _close(self, i: int) -> None:
        if self._pipes and self._pipes[i][1] >= 0:
            os.close(self._pipes[i][1])
            self._pipes[i] = self._pipes[i][0], -1

    def close(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()
        for i in range(len(self._pipes)):
            self._close(i)

    def _start(self) -> None:
        reference, file = self._caps
        self._process = subprocess.Popen(
            [_ffmpeg(), '-v', 'error', '-nostdin', *file.split(), *reference.split(),
             '-lavfi', f'[0:v][1:v]libvmaf=log_fmt=json:log_path={self._log.name}:'
             f'n_threads={os.cpu_count() or 1}:shortest=1', '-f', 'null', '-'],
            pass_fds=[p[0] for p in self._pipes], stderr=subprocess.PIPE, text=True)
        for end, _ in self._pipes:
            threading.Thread(target=self._drain, args=(end,), daemon=True).start()

    def _drain(self, end: int) -> None:
        """Read the pictures that have no partner, which ffmpeg leaves."""
        self._process.wait()
        while os.read(end, 1 << 20):
            pass
        os.close(end)

    def finish(self, times: list[int]) -> list[float]:
        """Of each pair of frames, of which these are the times."""
        steps = {b - a for a, b in zip(times, times[1:])}
        if steps and max(steps) > 1.5 * min(steps):
            raise RuntimeError('vmaf compares frames one by one, and some have no partner: '
                               'convert both to one constant rate first, as with ffmpeg -vf fps=25')
        if self._process:
            _, error = self._process.communicate()
            if self._process.returncode != 0:
                raise RuntimeError(f'ffmpeg: {error.strip()[-300:]}')
        else:
            self._ended.wait(60)
        with open(self._log.name, encoding='utf-8') as file:
            found = [float(f['metrics']['vmaf']) for f in json.load(file)['frames']]
        if len(found) != len(times):
            raise RuntimeError(f'vmaf came of {len(found)} of {len(times)} pairs of frames')
        return found
