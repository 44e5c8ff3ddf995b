# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures of JPEG files, on the host by libjpeg, or on a GPU."""
import concurrent.futures
import os
import sys
from typing import Any, BinaryIO, Sequence

import numpy as np

from . import _arrays, _blockdct, _engines, _jpeg

#: Of EXIF's orientations 2 to 8: whether rows and columns change places, and then,
#: which of (rows, columns) run backwards.
_TURNS = {2: (False, (1,)), 3: (False, (0, 1)), 4: (False, (0,)), 5: (True, ()),
          6: (True, (1,)), 7: (True, (0, 1)), 8: (True, (0,))}


class _Pixels:
    """Pixels in memory of C, for numpy; `owner` frees them with the last array."""

    def __init__(self, shape: tuple[int, ...], address: int, owner: Any):
        self.owner = owner
        self.__array_interface__ = {'version': 3, 'shape': shape, 'typestr': '|u1',
                                    'data': (address, False)}


def _shape(height: int, width: int, channels: int) -> tuple[int, ...]:
    return (height, width) if channels == 1 else (height, width, channels)


def _orientation(data: bytes) -> int:
    """EXIF's orientation of a file, 1 if it has none."""
    at = 2
    while data[at:at + 1] == b'\xff' and data[at:at + 2] != b'\xff\xda':
        length = int.from_bytes(data[at + 2:at + 4], 'big')
        part = data[at + 4:at + 2 + length]
        if data[at:at + 2] == b'\xff\xe1' and part[:6] == b'Exif\0\0':
            return _tag(part[6:])
        at += 2 + length
    return 1


def _tag(tiff: bytes) -> int:
    """The orientation in the first directory."""
    order = 'little' if tiff[:2] == b'II' else 'big'

    def whole(at, size):
        return int.from_bytes(tiff[at:at + size], order)
    first = whole(4, 4)
    for i in range(whole(first, 2)):
        entry = first + 2 + 12 * i
        if whole(entry, 2) == 0x112 and whole(entry + 2, 2) == 3:
            return whole(entry + 8, 2)
        if entry >= len(tiff):
            break
    return 1


def _turn(array: Any, orientation: int) -> Any:
    if orientation not in _TURNS:
        return array
    swap, backwards = _TURNS[orientation]
    if swap:
        array = array.swapaxes(0, 1)
    if hasattr(array, 'flip'):
        return array.flip(backwards) if backwards else array.contiguous()
    steps = tuple(slice(None, None, -1 if i in backwards else 1) for i in (0, 1))
    return _arrays.contiguous(array[steps])


class _Library:
    """What a GPU's arrays are made with: torch, or cupy."""

    def __init__(self, device: str):
        for name in sorted(('torch', 'cupy'), key=lambda name: name not in sys.modules):
            try:
                self._own = __import__(name)
                break
            except ImportError:
                continue
        else:
            raise ImportError("device 'cuda' needs torch or cupy, which make the arrays on "
                              'the GPU: install one of them')
        self._torch = name == 'torch'
        self._device = device

    def stream(self) -> int:
        """The stream on which it makes arrays."""
        if self._torch:
            return _arrays.stream_address(self._own.cuda.current_stream(self._device))
        return _arrays.stream_address(self._own.cuda.get_current_stream())

    def empty(self, shape: tuple[int, ...]) -> Any:
        if self._torch:
            return self._own.empty(shape, dtype=self._own.uint8, device=self._device)
        with self._own.cuda.Device(int(self._device.partition(':')[2])):
            return self._own.empty(shape, 'uint8')

    def address(self, array: Any) -> int:
        return array.data_ptr() if self._torch else array.data.ptr

    def upload(self, array: np.ndarray) -> Any:
        if self._torch:
            return self._own.from_numpy(array).to(self._device)
        with self._own.cuda.Device(int(self._device.partition(':')[2])):
            return self._own.asarray(array)


class _Host:
    """Decoding by libjpeg, in threads."""

    def __init__(self, threads: int, max_pixels: int):
        self._max_pixels = max_pixels
        self._threads = threads or len(os.sched_getaffinity(0))
        self._pool: concurrent.futures.ThreadPoolExecutor | None = None

    def close(self) -> None:
        if self._pool:
            self._pool.shutdown()

    def _decode(self, data: bytes) -> np.ndarray | ValueError:
        try:
            *sides, address, owner = _blockdct.decode_jpeg(data, self._max_pixels)
        except ValueError as error:
            return error
        return np.asarray(_Pixels(_shape(*sides), address, owner))

    def start(self, files: Sequence[bytes]) -> list:
        """Returns functions that wait for pictures."""
        if self._threads == 1 or len(files) == 1:
            return [lambda data=data: self._decode(data) for data in files]
        if self._pool is None:
            self._pool = concurrent.futures.ThreadPoolExecutor(self._threads)
        return [self._pool.submit(self._decode, data).result for data in files]


def _on_device(files: list[bytes], device: str, stream: Any, host: _Host,
               max_pixels: int) -> list:
    library = _Library(device)
    pictures: list[Any] = [None] * len(files)
    with _engines.engine(device, 0, ('jpeg',)) as engine:
        found = np.frombuffer(_blockdct.engine_decode(engine, files, 0, 0), np.int32)
        sides = found.reshape(-1, 4)[:, :3].astype(np.int64)
        ours = (sides[:, 0] > 0) & (sides[:, 0] * sides[:, 1] <= max_pixels)
        mine = np.flatnonzero(ours).tolist()
        waits = dict(zip(np.flatnonzero(~ours).tolist(), host.start(
            [files[i] for i in np.flatnonzero(~ours)])))
        if mine:
            if (sides[mine] == sides[mine[0]]).all():
                batch = library.empty((len(mine), *_shape(*sides[mine[0]].tolist())))
                first, size = library.address(batch), int(sides[mine[0]].prod())
                addresses = first + np.arange(len(mine), dtype=np.uint64) * np.uint64(size)
                arrays = list(batch)
            else:
                arrays = [library.empty(_shape(*one)) for one in sides[mine].tolist()]
                addresses = np.array([library.address(a) for a in arrays], np.uint64)
            where = np.stack((addresses, sides[mine, 1:].prod(1).astype(np.uint64)))
            done = np.frombuffer(_blockdct.engine_decode(
                engine, [files[i] for i in mine], where.__array_interface__['data'][0],
                library.stream() if stream is None else _arrays.stream_address(stream)),
                np.int32).reshape(-1, 4)[:, 3]
            for i, picture in zip(mine, arrays):
                pictures[i] = picture
            damaged = [mine[k] for k in np.flatnonzero(done == 0)]
            waits.update(zip(damaged, host.start([files[i] for i in damaged])))
    for i, wait in waits.items():
        picture = wait()
        pictures[i] = picture if isinstance(picture, ValueError) else library.upload(picture)
    return pictures


def read_images(files: Sequence[str | os.PathLike | bytes | BinaryIO], *,
                device: str | int = 'cpu', stream: Any = None, errors: str = 'raise',
                exif_transpose: bool = False, max_pixels: int = 1 << 28,
                threads: int = 0) -> list:
    """Decode JPEG files to the pixels of numpy.asarray(PIL.Image.open(file)), to the
    bit. Returns a list of uint8 arrays in the order of the files: (height, width) for
    grey, (height, width, 3) for R, G and B, (height, width, 4) for C, M, Y and K,
    inverted as by Pillow.

    files           paths, bytes, or objects whose read() returns a whole file
    device          'cpu': arrays of numpy, by libjpeg in threads. 'cuda', 'cuda:1': arrays
                    on the GPU, of torch or, where only that is there, of cupy. The GPU
                    decodes files in baseline Huffman coding with one scan and one
                    component or three; it leaves others, and damaged ones, to the host
    stream          work on it is completed first; None: on the library's current one
    errors          'raise': a file that cannot be decoded is a ValueError that names it.
                    'none': its array is None
    exif_transpose  turn pictures as PIL.ImageOps.exif_transpose does
    max_pixels      maximum number of pixels; files with more are errors
    threads         of the host; 0: one for each processor

    A file that libjpeg reads with a warning of lost data is an error: what decoders make
    up for these data differs. Arrays of one batch with the same size lie one behind the
    other in memory.
    """
    _jpeg._check_library()
    if errors not in ('raise', 'none'):
        raise ValueError(f"errors {errors!r} is neither 'raise' nor 'none'")
    if not 0 <= threads <= 1024:
        raise ValueError(f'threads {threads} is outside 0 to 1024')
    if isinstance(files, (str, bytes, os.PathLike)):
        raise TypeError('files is one file: give a list of files')
    if max_pixels < 1:
        raise ValueError(f'max_pixels {max_pixels} is below 1')
    named = [_jpeg.contents(file) for file in files]
    data = [one for _, one in named]
    device = _engines.normalize(device, 'cpu' if device == 'cpu' else 'cuda:0') \
        if not isinstance(device, int) else f'cuda:{device}'
    host = _Host(threads, max_pixels)
    try:
        pictures = [wait() for wait in host.start(data)] if device == 'cpu' \
            else _on_device(data, device, stream, host, max_pixels)
    finally:
        host.close()
    for i, picture in enumerate(pictures):
        if isinstance(picture, ValueError):
            if errors == 'raise':
                raise ValueError(f'file {i}, {named[i][0]}: {picture}') from None
            pictures[i] = None
        elif exif_transpose:
            pictures[i] = _turn(picture, _orientation(data[i]))
    return pictures
