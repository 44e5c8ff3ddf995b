# SPDX-License-Identifier: LGPL-2.1-or-later
"""Addresses and strides of any library's arrays: of numpy by its array interface, of
all others by DLPack (https://dmlc.github.io/dlpack)."""
import sys
from typing import Any, NamedTuple, Sequence

import numpy as np

from . import _blockdct

# dlpack.h: kDLCPU, kDLCUDA, kDLCUDAHost, kDLCUDAManaged
_DEVICES = {1: 'cpu', 2: 'cuda', 3: 'cpu', 13: 'cuda'}
_KINDS = {0: 'int', 1: 'uint'}
_LEGACY_STREAM = 1

CHROMA = {'4:0:0': 0, '4:2:0': 1, '4:2:2': 2, '4:4:4': 3, '4:4:0': 4}
#: Luma's height and width divided by these are chroma's.
DIVISORS = {0: (1, 1), 1: (2, 2), 2: (1, 2), 3: (1, 1), 4: (2, 1)}
MAX_SIDE = 65535
LAYOUTS = ('NHWC', 'NCHW')


class Memory(NamedTuple):
    """Where an array's elements are; valid while `keeper` lives."""
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]  # bytes
    dtype: str                # 'uint8'
    device: str               # 'cpu' or 'cuda:0'
    keeper: Any

    @property
    def size(self) -> int:
        return int(self.dtype.lstrip('uint')) // 8


def stream_address(stream: Any) -> int:
    """A CUDA stream's address: of a torch.cuda.Stream, a cupy.cuda.Stream, an
    object with __cuda_stream__, or a number."""
    if stream is None:
        return _LEGACY_STREAM
    if hasattr(stream, '__cuda_stream__'):
        stream = stream.__cuda_stream__()[1]
    for name in ('cuda_stream', 'ptr'):
        stream = getattr(stream, name, stream)
    if not isinstance(stream, int) or stream < 0:
        raise TypeError(f'stream is {stream!r}: neither a CUDA stream nor its '
                        'address')
    return stream or _LEGACY_STREAM


def _dense(shape, size):
    strides = []
    for side in reversed(shape):
        strides.insert(0, size)
        size *= side
    return tuple(strides)


def _not_an_array(array: Any) -> TypeError:
    return TypeError(f'{type(array).__name__} is neither an array of numpy nor one '
                     'that supports DLPack')


def find(array: Any, stream: int = _LEGACY_STREAM) -> Memory:
    """Where an array is. Its library's work on it so far ends before work that
    follows on the stream."""
    if isinstance(array, np.ndarray):
        if not array.dtype.isnative or array.dtype.kind not in 'ui':
            raise ValueError(f'dtype {array.dtype} is not uint8, uint16 or, for '
                             'levels, int16')
        return Memory(array.__array_interface__['data'][0], array.shape,
                      array.strides, array.dtype.name, 'cpu', array)
    if not hasattr(array, '__dlpack_device__'):
        raise _not_an_array(array)
    kind, number = (int(i) for i in array.__dlpack_device__())
    if kind not in _DEVICES:
        raise ValueError(f'the array is on a device of DLPack\'s type {kind}, '
                         'which is neither the CPU nor CUDA')
    device = _DEVICES[kind]
    if device == 'cuda':
        device = f'cuda:{number}'
        capsule = array.__dlpack__(stream=stream)
    else:
        capsule = array.__dlpack__()
    address, _, _, code, bits, shape, strides, _ = _blockdct.read_dlpack(capsule)
    dtype = f'{_KINDS.get(code, "float")}{bits}'
    if strides is None:
        strides = _dense(shape, 1)
    return Memory(address, shape, tuple(s * bits // 8 for s in strides), dtype,
                  device, capsule)


def _library(array):
    return sys.modules[type(array).__module__.partition('.')[0]]


def contiguous(array: Any) -> Any:
    """A dense copy, made by the array's own library."""
    if hasattr(array, 'contiguous'):
        return array.contiguous()
    library = _library(array)
    if not hasattr(library, 'ascontiguousarray'):
        raise ValueError('the samples of a row are not adjacent: make the array '
                         'contiguous')
    return library.ascontiguousarray(array)


def to_host(array: Any) -> np.ndarray:
    """As an array of numpy; a copy if it is on a GPU."""
    if isinstance(array, np.ndarray):
        return array
    as_numpy = hasattr(array, '__array__') or hasattr(array, '__array_interface__')
    if not as_numpy and not hasattr(array, '__dlpack_device__'):
        raise _not_an_array(array)
    for name in 'cpu', 'get':
        if hasattr(array, name):
            return np.asarray(getattr(array, name)())
    return np.asarray(array) if as_numpy else np.from_dlpack(array)


def from_host(like: Any, array: np.ndarray) -> Any:
    """As an array of the library, and on the device, of `like`."""
    new = New(like, array.shape, array.dtype.name)
    if hasattr(new.array, 'set'):
        new.array.set(array)
    else:
        new.array[...] = array if isinstance(new.array, np.ndarray) \
            else _library(like).from_numpy(array)
    return new.result()


def stack(arrays: Sequence[Any]) -> Any:
    """Stack arrays of the same form, with their own library."""
    library = _library(arrays[0])
    return library.stack(tuple(arrays)) if hasattr(library, 'stack') \
        else from_host(arrays[0], np.stack([to_host(a) for a in arrays]))


class New:
    """A new array of the library, and on the device, of `like`. `order`: the order
    of axes that the caller sees."""

    def __init__(self, like: Any, shape: tuple[int, ...], dtype: str,
                 order: tuple[int, ...] | None = None):
        name = type(like).__module__.partition('.')[0]
        self._order, self._convert = order, None
        if name == 'torch':
            torch = _library(like)
            self.array = torch.empty(shape, dtype=getattr(torch, dtype),
                                     device=like.device)
        elif name == 'cupy':
            with like.device:
                self.array = _library(like).empty(shape, dtype)
        else:
            if name != 'numpy':
                if find(like).device != 'cpu':
                    raise TypeError(f'arrays of {name} on a GPU cannot be '
                                    'written to: convert to torch or cupy first')
                self._convert = like.__array_namespace__().from_dlpack
            self.array = np.empty(shape, dtype)

    def result(self) -> Any:
        """The array, filled, for the caller."""
        array = self.array
        if self._order is not None:
            array = array.permute(self._order) if hasattr(array, 'permute') \
                else array.transpose(self._order)
        return self._convert(array) if self._convert else array


class Form(NamedTuple):
    """The arrangement of pictures."""
    layout: tuple[int, ...]  # width, height, depth, chroma format, planes, and
                             # bytes from one pixel of R, G and B to the next or 0
    axes: str                # 'NHWC', 'NCHW' or 'NHW'
    is_planes: bool          # a tuple of arrays


def _planes(memory: list[Memory], pixel: int) -> tuple:
    """The planes of dense arrays, in the form that _blockdct takes."""
    if pixel != 1:
        rows = [(m.address, m.strides[0], m.strides[2 if m.shape[1] == 1
                                                    and len(m.shape) == 4 else 1])
                for m in memory]
    else:
        _, to_channel, to_row, _ = memory[0].strides
        rows = [(memory[0].address + k * to_channel, memory[0].strides[0], to_row)
                for k in range(3)]
    return memory[0].device != 'cpu', *rows


def empty(like: Any, n: int, form: Form, stream: int) -> tuple[tuple, list[New]]:
    """New arrays for `n` pictures, and their planes."""
    width, height, depth, chroma, n_planes, pixel = form.layout
    sides = {'N': n, 'H': height, 'W': width, 'C': max(pixel, 1)}
    order = None
    if form.is_planes:
        down, across = DIVISORS[chroma]
        small = n, -(-height // down), -(-width // across)
        shapes = [(n, height, width), small, small][:n_planes]
    elif pixel == 0:
        shapes = [tuple(sides[axis] for axis in form.axes)]
    else:
        shapes = [(n, 3, height, width) if pixel == 1
                  else (n, height, width, pixel)]
        lies = 'NCHW' if pixel == 1 else 'NHWC'
        order = tuple(lies.index(axis) for axis in form.axes)
    new = [New(like, shape, 'uint8' if depth == 8 else 'uint16', order)
           for shape in shapes]
    return _planes([find(one.array, stream) for one in new], pixel), new


class Pictures:
    """A batch of pictures, as _blockdct sees it."""

    def __init__(self, batch: Any, layout: str, chroma_subsampling: str,
                 depth: int | None, stream: int):
        if layout not in LAYOUTS:
            raise ValueError(f'layout {layout!r} is not one of {LAYOUTS}')
        if chroma_subsampling not in CHROMA:
            raise ValueError(f'chroma_subsampling {chroma_subsampling!r} is not '
                             f'one of {tuple(CHROMA)}')
        self._layout = layout
        self.is_planes = isinstance(batch, (tuple, list))
        self.stream = stream
        self.arrays = list(batch) if self.is_planes else [batch]
        if self.is_planes and len(self.arrays) not in (1, 3):
            raise ValueError(f'{len(self.arrays)} planes are neither 1 (Y) nor 3 '
                             '(Y, U, V)')
        self._find()
        first = self.memory[0]
        if first.dtype not in ('uint8', 'uint16'):
            raise ValueError(f'dtype {first.dtype} is neither uint8 nor uint16')
        for other in self.memory[1:]:
            if (other.dtype, other.device, other.shape[0]) != (
                    first.dtype, first.device, first.shape[0]):
                raise ValueError(
                    f'planes differ: {first.shape[0]} of {first.dtype} on '
                    f'{first.device}, {other.shape[0]} of {other.dtype} on '
                    f'{other.device}')
        self.device = first.device
        self._set_depth(depth, first.dtype)
        if self.is_planes:
            self._describe_planes(chroma_subsampling)
        else:
            self._describe_pixels(chroma_subsampling)

    def _find(self):
        self.memory = [find(array, self.stream) for array in self.arrays]

    def _set_depth(self, depth, dtype):
        lowest, highest = (8, 8) if dtype == 'uint8' else (9, 12)
        if depth is None:
            if dtype == 'uint16':
                raise ValueError('uint16 needs depth=, the bits of a sample: 9 '
                                 'to 12')
            depth = 8
        if not lowest <= depth <= highest:
            raise ValueError(f'depth {depth} is outside {lowest} to {highest}, '
                             f'the range of {dtype}')
        self.depth = depth

    def _sides(self, i):
        """Of array i: (height, width, channels), and their strides."""
        memory = self.memory[i]
        axes = self._layout if len(memory.shape) == 4 and not self.is_planes \
            else 'NHW'
        if len(memory.shape) != len(axes):
            raise ValueError(
                f'shape {memory.shape} is not (N, height, width)'
                + ('' if self.is_planes else f' nor {tuple(self._layout)}'))
        shape = dict(zip(axes, memory.shape), **({} if 'C' in axes else {'C': 1}))
        strides = dict(zip(axes, memory.strides))
        for side in shape['H'], shape['W']:
            if not 1 <= side <= MAX_SIDE:
                raise ValueError(f'pictures of {shape["H"]} x {shape["W"]}: a side '
                                 f'may have 1 to {MAX_SIDE}')
        self.axes = axes
        return [shape[k] for k in 'HWC'], [strides.get(k, 1) for k in 'NHWC']

    def _plane(self, i, pixel):
        """(address, bytes to the next picture, to the next row) of array i, whose
        pixels have `pixel` bytes; None if pixels of a row are not adjacent."""
        (height, width, _), (to_picture, to_row, to_pixel, _) = self._sides(i)
        if (width > 1 and to_pixel != pixel) or (
                height > 1 and abs(to_row) < width * pixel):
            return None
        return self.memory[i].address, to_picture, to_row

    def _set(self, width, height, chroma, n_planes, pixel, planes):
        self.n = self.memory[0].shape[0]
        self.width, self.height = width, height
        self.layout = (width, height, self.depth, chroma, n_planes, pixel)
        self.planes = (self.device != 'cpu', *planes)
        self.form = Form(self.layout, self.axes, self.is_planes)

    def like(self) -> tuple[tuple, list[New]]:
        """New arrays for pictures of the same form, and their planes."""
        return empty(self.arrays[0], self.n, self.form, self.stream)

    def copy(self):
        self.arrays = [contiguous(array) for array in self.arrays]
        self._find()

    def _describe_planes(self, chroma_subsampling):
        (height, width, _), _ = self._sides(0)
        chroma = 0
        if len(self.arrays) == 3:
            sides = [self._sides(i)[0][:2] for i in (1, 2)]
            fits = [name for name, chroma in CHROMA.items() if chroma and sides
                    == [[-(-height // DIVISORS[chroma][0]),
                         -(-width // DIVISORS[chroma][1])]] * 2]
            if not fits:
                raise ValueError(
                    f'planes of {height} x {width}, {sides[0][0]} x '
                    f'{sides[0][1]} and {sides[1][0]} x {sides[1][1]} match no '
                    'chroma subsampling')
            chroma = CHROMA[chroma_subsampling
                            if chroma_subsampling in fits else fits[0]]
        for _ in range(2):
            planes = [self._plane(i, self.memory[i].size)
                      for i in range(len(self.arrays))]
            if None not in planes:
                break
            self.copy()
        self._set(width, height, chroma, len(planes), 0, planes)

    def _describe_pixels(self, chroma_subsampling):
        (height, width, channels), _ = self._sides(0)
        if channels == 1:
            plane = self._plane(0, self.memory[0].size)
            if plane is None:
                self.copy()
                plane = self._plane(0, self.memory[0].size)
            self._set(width, height, 0, 1, 0, [plane])
            return
        if channels not in (3, 4):
            raise ValueError(f'{channels} channels are not 1 (grey), 3 (R, G, B) '
                             'or 4 (R, G, B, alpha)')
        if self.depth != 8:
            raise ValueError(f'R, G and B have a depth of {self.depth}, not 8: '
                             'give planes of Y, U and V')
        chroma = CHROMA[chroma_subsampling]
        if chroma == 0:
            raise ValueError("chroma_subsampling '4:0:0' is for grey pictures, "
                             'not for R, G and B')
        for _ in range(2):
            _, strides = self._sides(0)
            to_channel = strides[3]
            together = self._plane(0, channels) if to_channel == 1 else None
            apart = self._plane(0, 1) if channels == 3 else None
            if together:
                self._set(width, height, chroma, 3, channels, [together])
                return
            if apart:
                planes = [(apart[0] + k * to_channel, *apart[1:])
                          for k in range(3)]
                self._set(width, height, chroma, 3, 1, planes)
                return
            self.copy()
        raise ValueError('4 channels must be the last axis: layout NHWC')
