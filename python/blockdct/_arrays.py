# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arrays of any library: where their samples are, by numpy's array interface or DLPack
(https://dmlc.github.io/dlpack), and which pictures they hold."""
import functools
import operator
import sys
from typing import Any, Callable, Iterable, NamedTuple, Sequence

import numpy as np

# dlpack.h: kDLCPU, kDLCUDA, kDLCUDAHost, kDLCUDAManaged
_DEVICES = {1: 'cpu', 2: 'cuda', 3: 'cpu', 13: 'cuda'}
_LEGACY_STREAM = 1

CHROMA = {'4:0:0': 0, '4:2:0': 1, '4:2:2': 2, '4:4:4': 3, '4:4:0': 4}
_NAMES = tuple(CHROMA)
#: Luma's height and width divided by these are chroma's.
DIVISORS = {0: (1, 1), 1: (2, 2), 2: (1, 2), 3: (1, 1), 4: (2, 1)}
MAX_SIDE = 65535
#: The axes of one array, and what it holds.
_BATCHES = {'NHWC': 'pictures, channels last', 'NCHW': 'pictures, channels first',
            'NHW': 'grey pictures'}
_SINGLES = {'HWC': 'one picture, channels last', 'CHW': 'one picture, channels first',
            'HW': 'one grey picture'}
LAYOUTS = (*_BATCHES, *_SINGLES, 'YUV')
_CHANNELS = 1, 3, 4
_WHAT_CHANNELS = '1 channel (grey), 3 (R, G, B) or 4 (R, G, B, alpha, as the last axis)'
#: Floats from 0 to 1 become 0 to 255 by one of these.
ROUNDINGS: dict[str, Callable[[Any, Any], Any]] = {
    'nearest': lambda library, x: library.round(x * 255),
    'floor': lambda library, x: library.floor(x * 255),
    'torchvision': lambda library, x: library.floor(x * (256 - 1e-3))}


def check_range(name: str, value: Any, low: int, high: float) -> None:
    """Of a whole number."""
    try:
        inside = low <= operator.index(value) <= high
    except TypeError:
        raise TypeError(f'{name} {value!r} is not a whole number') from None
    if not inside:
        raise ValueError(f'{name} {value} is outside {low} to {high}')


def check_name(name: str, value: Any, names: Iterable[str]) -> None:
    """Also of what a dict cannot look up."""
    if not isinstance(value, str) or value not in names:
        raise ValueError(f'{name} {value!r} is not one of {tuple(names)}')


class Memory(NamedTuple):
    """Where an array's elements are; valid while `keeper` lives."""
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]  # bytes
    dtype: str                # 'uint8'
    device: str               # 'cpu' or 'cuda:0'
    read_only: bool
    keeper: Any

    def extent(self) -> tuple[int, int]:
        """The first byte, and the one behind the last."""
        first = last = self.address
        for side, stride in zip(self.shape, self.strides):
            if stride < 0:
                first += (side - 1) * stride
            else:
                last += (side - 1) * stride
        return first, last + 1


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
        raise TypeError(f'stream is {stream!r}: neither a CUDA stream nor its address')
    return stream or _LEGACY_STREAM


@functools.lru_cache(maxsize=1024)
def _dense(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    strides: list[int] = []
    for side in reversed(shape):
        strides.insert(0, size)
        size *= side
    return tuple(strides)


@functools.lru_cache(maxsize=64)
def _name(typestr: str) -> tuple[str, int]:
    dtype = np.dtype(typestr)
    return dtype.name if dtype.isnative else typestr, dtype.itemsize


def _not_an_array(array: Any) -> TypeError:
    return TypeError(f'{type(array).__name__} is neither an array of numpy, nor one '
                     'that supports DLPack, nor an image of Pillow')


def find(array: Any, stream: int = _LEGACY_STREAM) -> Memory:
    """Where an array is. Its library's work on it so far ends before work that
    follows on the stream."""
    interface, device, keeper = getattr(array, '__array_interface__', None), 'cpu', array
    if interface is None:
        if not hasattr(array, '__dlpack_device__'):
            raise _not_an_array(array)
        name = str(getattr(array, 'dtype', '')).rpartition('.')[2]
        kind, number = (int(i) for i in array.__dlpack_device__())
        if kind not in _DEVICES:
            raise ValueError(f"the array's device, of DLPack's type {kind}, is not the CPU or CUDA")
        if 'float' in name:
            return Memory(0, (), (), name, device, False, array)
        try:
            if _DEVICES[kind] == 'cuda':
                device = f'cuda:{number}'
                array.__dlpack__(stream=stream)  # the stream waits for the array
                interface = array.__cuda_array_interface__
            else:
                keeper = np.from_dlpack(array)
                interface = keeper.__array_interface__
        except (BufferError, RuntimeError) as error:
            raise ValueError(f'{type(array).__name__} of {name}: {error}') from None
    elif isinstance(array, np.ma.MaskedArray) and np.any(array.mask):
        raise ValueError('the array has masked samples: fill them, by filled()')
    shape, data = interface['shape'], interface['data']
    dtype, size = _name(interface['typestr'])
    return Memory(data[0], shape, interface.get('strides') or _dense(shape, size), dtype,
                  device, data[1] and keeper is array, (keeper, interface))


def library_of(array: Any) -> Any:
    """The module with an array's functions, as array_api_compat finds it: a subclass
    has its base's."""
    if isinstance(array, np.ndarray):
        return np
    if hasattr(array, '__array_namespace__'):
        return array.__array_namespace__()
    for base in type(array).__mro__:
        module = sys.modules.get(base.__module__.partition('.')[0])
        if hasattr(module, 'empty'):
            return module
    raise _not_an_array(array)


def contiguous(array: Any) -> Any:
    """A dense copy, made by the array's own library."""
    if hasattr(array, 'contiguous'):
        return array.contiguous()
    library = library_of(array)
    if not hasattr(library, 'ascontiguousarray'):
        raise ValueError('the samples of a row are not adjacent: make the array contiguous')
    return library.ascontiguousarray(array)


def to_host(array: Any) -> Any:
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


def from_host(like: Any, array: Any) -> Any:
    """As an array of the library, and on the device, of `like`."""
    new = New(like, array.shape, array.dtype.name)
    if hasattr(new.array, 'set'):
        new.array.set(array)
    else:
        new.array[...] = array if isinstance(new.array, np.ndarray) \
            else library_of(like).from_numpy(array)
    return new.result()


def stack(arrays: Sequence[Any]) -> Any:
    """Stack arrays of the same form, with their own library."""
    library = library_of(arrays[0])
    return library.stack(tuple(arrays)) if hasattr(library, 'stack') \
        else from_host(arrays[0], np.stack([to_host(a) for a in arrays]))


class New:
    """A new array of the library, and on the device, of `like`. `order`: the order
    of axes that the caller sees."""

    def __init__(self, like: Any, shape: tuple[int, ...], dtype: str,
                 order: tuple[int, ...] | None = None):
        self._order, self._convert = order, None
        if isinstance(like, np.ndarray):
            self.array: Any = np.empty(shape, dtype)
        elif hasattr(like, 'new_empty'):
            self.array = like.new_empty(shape, dtype=getattr(library_of(like), dtype))
        elif hasattr(like, 'set'):  # CuPy's
            with like.device:
                self.array = library_of(like).empty(shape, dtype)
        else:
            if find(like).device != 'cpu':
                raise TypeError(f'arrays of {type(like).__name__} on a GPU cannot be written '
                                'to: convert to torch or cupy first')
            self._convert = library_of(like).from_dlpack
            self.array = np.empty(shape, dtype)

    def result(self) -> Any:
        """The array, filled, for the caller."""
        array = self.array
        if self._order is not None:
            array = array.permute(self._order) if hasattr(array, 'permute') \
                else array.transpose(self._order)
        return self._convert(array) if self._convert else array


# Images of Pillow

def _is_image(picture: Any) -> bool:
    pillow = sys.modules.get('PIL.Image')
    return pillow is not None and isinstance(picture, pillow.Image)


def _shape(picture: Any) -> tuple[int, ...]:
    if not _is_image(picture):
        if not hasattr(picture, 'shape'):
            raise _not_an_array(picture)
        return tuple(picture.shape)
    if picture.mode not in ('L', 'RGB', 'RGBA'):
        raise ValueError(f"an image of Pillow's mode {picture.mode!r} is neither 'L', "
                         "'RGB' nor 'RGBA': use its convert('RGB')")
    bands = len(picture.mode)
    return (picture.height, picture.width, bands)[:2 if bands == 1 else 3]


def image_layout(image: Any) -> str:
    return 'HWC' if len(_shape(image)) == 3 else 'HW'


def from_image(picture: Any) -> Any:
    """An image as an array; everything else as it is."""
    return np.asarray(picture) if _is_image(picture) else picture


def like_input(given: Any, array: Any) -> Any:
    """A result as what was given: an image, or an array."""
    return sys.modules['PIL.Image'].fromarray(array) if _is_image(given) else array


# What arrays hold

class Form(NamedTuple):
    """The arrangement of pictures."""
    layout: tuple[int, ...]  # width, height, depth, chroma format, planes, and
                             # bytes from one pixel of R, G and B to the next or 0
    axes: str                # 'NHWC', 'CHW', ...; of planes 'NHW' or 'HW'
    is_planes: bool          # a tuple of arrays

    @property
    def is_single(self) -> bool:
        return self.axes[0] != 'N'


def _say_which(shapes: Any, readings: Iterable[str]) -> ValueError:
    return ValueError(f'{shapes} can be ' + ' or '.join(readings) + ': say which')


def _spell(name: str) -> str:
    return f'layout={name!r} ({ {**_BATCHES, **_SINGLES}[name] })'


def read_axes(shape: tuple[int, ...], layout: str | None,
              among: Iterable[str] = LAYOUTS[:-1]) -> str:
    """The axes of an array. Without a layout, its shape must have one reading."""
    readings = [axes for axes in among if len(axes) == len(shape) and (
        'C' not in axes or shape[axes.index('C')] in _CHANNELS)]
    if layout is None and readings == ['NHW'] and shape[2] == 2:  # grey and alpha
        readings.pop()
    if layout is not None:
        if layout not in readings:
            raise ValueError(f'shape {shape} is not layout {layout!r}, whose pictures '
                             f'have {_WHAT_CHANNELS}')
        return layout
    if 'HWC' in readings and 'NHW' in readings:  # no batch is 1 to 4 samples wide
        readings.remove('NHW')
    if readings == ['NHW', 'CHW'] and shape[0] == 1:  # they are the same
        readings.pop()
    if not readings:
        raise ValueError(f'shape {shape} is none of {", ".join(among)}, with '
                         f'{_WHAT_CHANNELS}')
    if len(readings) > 1:
        raise _say_which(f'shape {shape}', map(_spell, readings))
    return readings[0]


def _fitting(sides: Sequence[tuple[int, ...]]) -> list[str]:
    """The subsamplings that have planes of these heights and widths."""
    return [name for name, chroma in CHROMA.items() if chroma and list(sides[1:]) == [
        (-(-sides[0][0] // DIVISORS[chroma][0]), -(-sides[0][1] // DIVISORS[chroma][1]))] * 2]


def read_list(batch: Any, layout: str | None) -> list[Any] | None:
    """The pictures of a list; None: an array, or a tuple of planes."""
    if not isinstance(batch, (list, tuple)) or layout == 'YUV':
        return None
    pictures = list(batch)
    if layout is not None and layout not in tuple(_SINGLES):
        raise ValueError(f'layout {layout!r} of a list or tuple is not one of '
                         f"{(*_SINGLES, 'YUV')}: it has pictures, or planes of Y, U and V")
    if layout is not None or not batch:
        return pictures
    shapes = [_shape(picture) for picture in pictures]
    first = _CHANNELS if isinstance(batch, list) else _CHANNELS[:2]
    is_last = [len(s) == 3 and s[2] in _CHANNELS for s in shapes]
    is_pictures = all(len(s) == 2 or last or len(s) == 3 and s[0] in first
                      for s, last in zip(shapes, is_last))
    is_planes = len(batch) in (1, 3) and not is_last[0] \
        and len({(len(shape), *shape[:-2]) for shape in shapes}) == 1 \
        and len(shapes[0]) in (2, 3) \
        and (len(batch) == 1 or bool(_fitting([s[-2:] for s in shapes]))) \
        and not any(map(_is_image, batch))
    if is_pictures and is_planes and len(batch) == 1 and isinstance(batch, list):
        is_planes = False
    elif is_pictures and is_planes and isinstance(batch, tuple) and (
            shapes[0] != shapes[-1] or len(batch) == shapes[0][0] == 1):
        is_pictures = False  # no three pictures are as unlike as Y and U
    elif is_pictures and is_planes:
        raise _say_which(f'{len(batch)} arrays of shape {shapes[0]}', (
            "layout='YUV' (planes of Y, U and V)",
            _spell('HW' if len(shapes[0]) == 2 else 'CHW')))
    if is_pictures:
        return pictures
    if not is_planes and (len(batch) not in (1, 3) or {len(s) for s in shapes} != {3}):
        raise ValueError(f'{len(batch)} arrays of shapes {shapes[:4]} are neither pictures, of '
                         f'(height, width) or of {_WHAT_CHANNELS}, nor planes of Y, U and V')
    return None


def picture_form(picture: Any, layout: str | None) -> tuple[Any, ...]:
    """What pictures of a list have in common that are processed at once; the first is
    the axes."""
    shape = _shape(picture)
    axes = read_axes(shape, image_layout(picture) if _is_image(picture) else layout, _SINGLES)
    return (axes, shape, str(getattr(picture, 'dtype', None)), type(picture),
            getattr(picture, 'device', None))


def _check_depth(depth: int | None, dtype: str) -> int:
    if dtype not in ('uint8', 'uint16'):
        raise ValueError(f'dtype {dtype} is neither uint8 nor uint16' + (
            f': for floats from 0 to 1, say how to round them, rounding= one of '
            f'{tuple(ROUNDINGS)}' if 'float' in dtype else ''))
    lowest, highest = (8, 8) if dtype == 'uint8' else (9, 12)
    if depth is None:
        if dtype == 'uint16':
            raise ValueError('uint16 needs depth=, the bits of a sample: 9 to 12')
        depth = 8
    check_range(f'{dtype}: depth', depth, lowest, highest)
    return depth


@functools.lru_cache(maxsize=4096)
def _describe(arrays: tuple[tuple[Any, ...], ...], layout: str | None, chroma_name: str,
              depth: int | None, is_planes: bool, pixel: int = 0
              ) -> tuple[Form, int, Any]:
    """From the arrays' (shape, strides, dtype): their form, the number of pictures, and
    of each plane (array, offset, bytes to the next picture, to the next row); None where
    the pixels of a row are not adjacent, or not in `pixel` bytes, if it is not 0, so that
    the arrays are to be copied."""
    depth = _check_depth(depth, arrays[0][2])
    if is_planes and len(arrays) not in (1, 3):
        raise ValueError(f'{len(arrays)} planes are neither 1 (Y) nor 3 (Y, U, V)')
    axes = read_axes(arrays[0][0], None, ('NHW', 'HW')) if is_planes \
        else read_axes(arrays[0][0], layout)
    sides, steps = [], []
    for shape, strides, dtype in arrays:
        if len(shape) != len(axes) or dtype != arrays[0][2] or (
                axes[0] == 'N' and shape[0] != arrays[0][0][0]):
            raise ValueError(f'planes differ: {arrays[0][0]} of {arrays[0][2]}, and '
                             f'{shape} of {dtype}')
        side = {'N': 1, 'C': 1, **dict(zip(axes, shape))}
        if not (1 <= side['H'] <= MAX_SIDE and 1 <= side['W'] <= MAX_SIDE):
            raise ValueError(f'pictures of {side["H"]} x {side["W"]}: a side has 1 to {MAX_SIDE}')
        sides.append(side)
        steps.append({'N': 0, 'C': 1, **dict(zip(axes, strides))})
    height, width, channels = (sides[0][axis] for axis in 'HWC')

    def plane(i: int, pixel: int, offset: int = 0) -> tuple[int, int, int, int] | None:
        if (sides[i]['W'] > 1 and steps[i]['W'] != pixel) or (
                sides[i]['H'] > 1 and abs(steps[i]['H']) < sides[i]['W'] * pixel):
            return None
        return i, offset, steps[i]['N'], steps[i]['H']

    chroma = 0
    planes: list[Any] = []
    if is_planes or channels == 1:
        if len(arrays) == 3:
            planes_of = [(side['H'], side['W']) for side in sides]
            fits = _fitting(planes_of)
            if not fits:
                raise ValueError('planes of ' + ', '.join(
                    f'{h} x {w}' for h, w in planes_of) + ' match no chroma subsampling')
            chroma = CHROMA[chroma_name if chroma_name in fits else fits[0]]
        planes = [plane(i, 1 if depth == 8 else 2) for i in range(len(arrays))]
    else:
        if depth != 8:
            raise ValueError(f'RGB has a depth of {depth}, not 8: give Y, U and V')
        chroma = CHROMA[chroma_name]
        if chroma == 0:
            raise ValueError("chroma_subsampling '4:0:0' is for grey, not for RGB")
        is_together = steps[0]['C'] == 1
        if channels == 4 and not is_together and axes.endswith('CHW'):
            raise ValueError(f'4 channels must be the last axis: not layout {axes!r}')
        pixel = pixel or (channels if channels == 4 or is_together and plane(0, channels)
                          else 1)
        planes = [plane(0, 1, k * steps[0]['C']) for k in range(3)] if pixel == 1 \
            else [plane(0, channels) if is_together else None]
    form = Form((width, height, depth, chroma, 3 if pixel else len(arrays), pixel), axes,
                is_planes)
    return form, sides[0]['N'], None if None in planes else planes


def _planes(memory: Sequence[Memory], parts: Any) -> tuple[Any, ...]:
    """The planes, in the form that _blockdct takes."""
    return (memory[0].device != 'cpu', *[
        (memory[i].address + offset, *pitches) for i, offset, *pitches in parts])


@functools.lru_cache(maxsize=1024)
def _plan_arrays(n: int, form: Form) -> tuple[Any, ...]:
    """Of dense arrays for `n` pictures: shapes, type, the order of the axes that the
    caller sees, None if it is the arrays' own, and planes as in _describe."""
    width, height, depth, chroma, n_planes, pixel = form.layout
    lead = () if form.is_single else (n,)
    lies = form.axes if not pixel else ('NHWC' if pixel > 1 else 'NCHW')[-len(form.axes):]
    if form.is_planes:
        down, across = DIVISORS[chroma]
        small = (*lead, -(-height // down), -(-width // across))
        shapes = [(*lead, height, width), small, small][:n_planes]
    else:
        sides = {'N': n, 'H': height, 'W': width, 'C': 3 if pixel == 1 else pixel or 1}
        shapes = [tuple(sides[axis] for axis in lies)]
    order = None if lies == form.axes else tuple(lies.index(axis) for axis in form.axes)
    dtype, size = ('uint8', 1) if depth == 8 else ('uint16', 2)
    _, _, parts = _describe(tuple((shape, _dense(shape, size), dtype) for shape in shapes),
                            None if form.is_planes else lies, _NAMES[chroma], depth,
                            form.is_planes, pixel)
    return shapes, dtype, order, parts


def empty(like: Any, n: int, form: Form, stream: int) -> tuple[Any, Callable[[], Any]]:
    """New arrays for `n` pictures: their planes, and what gives them when they are
    filled."""
    shapes, dtype, order, parts = _plan_arrays(n, form)
    new = [New(like, shape, dtype, order) for shape in shapes]
    planes = _planes([find(one.array, stream) for one in new], parts)
    if form.is_planes:
        return planes, lambda: tuple([one.result() for one in new])
    return planes, new[0].result


def _cast(array: Any, dtype: Any) -> Any:
    return array.to(dtype) if hasattr(array, 'to') else array.astype(dtype)


def _to_bytes(array: Any, rounding: str) -> Any:
    library = library_of(array)
    if getattr(array, 'requires_grad', False):
        raise ValueError('detach() the tensor, or use blockdct.transforms.StraightThrough')
    if 0 not in array.shape:
        low, high = float(array.min()), float(array.max())
        if not 0 <= low <= high <= 1:
            raise ValueError(f'floats from {low:g} to {high:g} are not within 0 to 1: '
                             'divide by their range, or clip them')
    wide = _cast(array, library.float64 if array.dtype.itemsize == 8 else library.float32)
    return _cast(ROUNDINGS[rounding](library, wide), library.uint8)


class Pictures:
    """Pictures of one form, as _blockdct sees them."""

    def __init__(self, given: Any, layout: str | None, chroma: Any, depth: int | None,
                 stream: Any, rounding: str | None = None):
        if layout is not None:
            check_name('layout', layout, LAYOUTS)
        check_name('chroma_subsampling', chroma, CHROMA)
        if depth is not None:
            check_range('depth', depth, 0, 16)
        self.given, self.stream = given, stream_address(stream)
        is_planes = isinstance(given, (tuple, list))
        self._rule = (image_layout(given) if _is_image(given) else layout, chroma, depth,
                      is_planes)
        self.arrays = list(given) if is_planes else [from_image(given)]
        self.floats = None
        if rounding is not None:
            check_name('rounding', rounding, ROUNDINGS)
            if 'float' in find(self.arrays[0], self.stream).dtype:
                self.floats = self.arrays[0].dtype
                self.arrays = [_to_bytes(array, rounding) for array in self.arrays]
        self._read()

    def _read(self) -> None:
        self.memory = [find(array, self.stream) for array in self.arrays]
        self.device = self.memory[0].device
        if any(m.device != self.device for m in self.memory):
            raise ValueError('planes differ: on ' + ' and '.join(
                sorted({m.device for m in self.memory})))
        self.form, self.n, parts = _describe(tuple([m[1:4] for m in self.memory]), *self._rule)
        if parts is None:
            return self.make_dense()
        self.layout = self.form.layout
        self.planes = _planes(self.memory, parts)

    def make_dense(self) -> None:
        """Go on with dense copies."""
        self.arrays = [contiguous(array) for array in self.arrays]
        self._read()

    def like(self, out: Any = None) -> tuple[Any, Callable[[], Any]]:
        """New arrays for pictures of the same form, or `out`: their planes, and what
        gives them when they are filled."""
        if out is not None:
            return self._planes_of(out), lambda: out
        planes, made = empty(self.arrays[0], self.n, self.form, self.stream)
        return planes, lambda: self._like_given(made())

    def _like_given(self, made: Any) -> Any:
        if self.form.is_planes:
            return tuple(map(self._to_floats, made))
        return like_input(self.given, self._to_floats(made))

    def _to_floats(self, array: Any) -> Any:
        if self.floats is None:
            return array
        wide = self.floats if self.floats.itemsize > 2 else library_of(array).float32
        return _cast(_cast(array, wide) / 255, self.floats)

    def _planes_of(self, out: Any) -> tuple[Any, ...]:
        if _is_image(out):
            raise TypeError("out is an image of Pillow, which cannot be written to: leave it out")
        memory = [find(array, self.stream)
                  for array in (out if self.form.is_planes else [out])]
        wanted = [(m.shape, m.dtype, m.device) for m in self.memory]
        if self.floats is not None or [(m.shape, m.dtype, m.device) for m in memory] != wanted:
            raise ValueError('out is ' + ', '.join(
                f'{m.shape} of {m.dtype} on {m.device}' for m in memory) + ', not ' + ', '.join(
                '{} of {} on {}'.format(*one) for one in wanted))
        _, _, parts = _describe(tuple(m[1:4] for m in memory), *self._rule, self.layout[5])
        if parts is None:
            raise ValueError("out's pixels lie otherwise than the batch's: give equal strides")
        if any([m.read_only for m in memory]):
            raise ValueError('out is read-only')
        extents = [m.extent() for m in self.memory]
        for first, end in [m.extent() for m in memory]:
            if any([first < other[1] and other[0] < end for other in extents]):
                raise ValueError('out overlaps the batch: give other memory')
        return _planes(memory, parts)
