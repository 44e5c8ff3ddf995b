# SPDX-License-Identifier: LGPL-2.1-or-later
"""VMAF by what is installed: an ffmpeg with libvmaf gets the pairs of frames."""
import functools
import json
import os
import shutil
import subprocess
import tempfile

from .compare import Comparison
from .gst import Gst, make
from .output import UsageError

_PIXELS = {'I420': 'yuv420p', 'Y42B': 'yuv422p', 'Y444': 'yuv444p', 'GRAY8': 'gray',
           'I420_10LE': 'yuv420p10le', 'I422_10LE': 'yuv422p10le',
           'Y444_10LE': 'yuv444p10le', 'I420_12LE': 'yuv420p12le', 'NV12': 'nv12'}


@functools.lru_cache(maxsize=None)
def _ffmpeg() -> str | None:
    """One with libvmaf: in PATH, or Python's imageio-ffmpeg."""
    found = [shutil.which('ffmpeg')]
    try:
        import imageio_ffmpeg
        found.append(imageio_ffmpeg.get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        pass
    for program in filter(None, found):
        listed = subprocess.run([program, '-hide_banner', '-filters'], text=True,
                                capture_output=True, check=False).stdout
        if ' libvmaf ' in listed:
            return program
    return None


class Vmaf:
    """Feeds the pictures of two tees to ffmpeg, which matches them one by one."""

    @staticmethod
    def check() -> None:
        if _ffmpeg() is None:
            raise UsageError('vmaf needs an ffmpeg with libvmaf, in PATH or as Python\'s '
                             'imageio-ffmpeg (pip install imageio-ffmpeg)')

    def __init__(self, run: Comparison, tees: list[Gst.Element]):
        self._pipes = [os.pipe() for _ in tees]
        self._log = tempfile.NamedTemporaryFile(suffix='.json')
        self._process: subprocess.Popen | None = None
        self._caps: list[str | None] = [None, None]
        for i, (tee, (_, end)) in enumerate(zip(tees, self._pipes)):
            filter_ = make('capsfilter', caps=Gst.Caps.from_string(
                'video/x-raw, format={ ' + ', '.join(_PIXELS) + ' }'))
            sink = make('fdsink', fd=end, sync=False)
            sink.set_property('async', False)
            run.chain(tee, make('queue', max_size_buffers=32, max_size_time=0,
                                max_size_bytes=0), make('videoconvert'), filter_, sink)
            pad = filter_.get_static_pad('src')
            pad.add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, self._note, i)
            sink.get_static_pad('sink').add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM,
                                                  self._end, i)

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
            os.close(self._pipes[i][1])
        return Gst.PadProbeReturn.OK

    def _start(self) -> None:
        reference, file = self._caps
        threads = os.cpu_count() or 1
        self._process = subprocess.Popen(
            [_ffmpeg(), '-v', 'error', '-nostdin', *file.split(), *reference.split(),
             '-lavfi', f'[0:v][1:v]libvmaf=log_fmt=json:log_path={self._log.name}:'
             f'n_threads={threads}:shortest=1', '-f', 'null', '-'],
            pass_fds=[p[0] for p in self._pipes], stderr=subprocess.PIPE, text=True)
        for end, _ in self._pipes:
            os.close(end)

    def finish(self) -> list[float]:
        """VMAF of each pair of frames."""
        _, error = self._process.communicate()
        if self._process.returncode != 0:
            raise RuntimeError(f'ffmpeg: {error.strip()[-300:]}')
        with open(self._log.name, encoding='utf-8') as file:
            return [f['metrics']['vmaf'] for f in json.load(file)['frames']]
