# SPDX-License-Identifier: LGPL-2.1-or-later
"""Block transforms and quantizers for batches of pictures.

    import blockdct, numpy
    batch = numpy.random.randint(0, 256, (16, 224, 224, 3), 'uint8')
    pictures, psnr, *_ = blockdct.transform(batch, quality=range(30, 46))

`transform` returns the pictures that the quantized levels decode to, `measure` what it
says of each picture at many settings, without pictures, `levels` these levels,
`reconstruct` pictures from levels, `compare` figures of two batches, and
`tables` JPEG's quantization tables. `read_images` decodes JPEG files; `read_jpeg` and
`write_jpeg` read and write their levels, and `origin` finds the JPEG file that a picture
was decoded from.
jpeg-8x8 computes, bit for bit, what libjpeg-turbo and so Pillow compute.

Pictures are arrays of numpy or of a library with DLPack (torch, CuPy, JAX). Results are
arrays of the same library on the same device; data on a GPU are not copied to the host.
The shape says what an array holds. If it can be two things, that is a ValueError, which
names them; then, `layout` says it:

    NHWC, NCHW   a batch, (N, height, width, channels) or (N, channels, height, width)
    HWC, CHW     one picture
    NHW, HW      a batch of grey pictures; one
    YUV          a tuple (Y, U, V), or (Y,), of planes (N, height, width) or (height,
                 width), whose sizes determine the subsampling

with 1 channel (grey), 3 (R, G, B) or 4 (R, G, B, alpha; last; alpha is not changed).
One picture is a batch without N, and so are its figures. A list or tuple of pictures,
of any sizes, is a batch; its pictures come back in a list. Images of Pillow come back
as such.

Samples are uint8. Grey and planes can be uint16, which needs `depth`, the bits of a
sample, 9 to 12; values above 2^depth - 1 are read as 2^depth - 1. Floats from 0 to 1
need `rounding`: 'nearest', 'floor' or 'torchvision' (as its v2.ToDtype), and come back
as floats. A side has 1 to 65535 samples. Strides are arbitrary; if the samples of a row
are not adjacent, the batch is copied first.

Any thread can call the functions. They release the interpreter's lock and wait until
their results are complete. They raise ValueError, which names the value and the range,
TypeError for objects that are not arrays, RuntimeError for errors of CUDA, and
MemoryError. Common arguments:

    device   where to compute: 'cpu', 'cuda', 'cuda:1', or None: where the batch is.
             A GPU can compute arrays of the host, too.
    stream   the caller's CUDA stream: a torch.cuda.Stream, a cupy.cuda.Stream or an
             address; None: the default stream. Work that is on it, or that the
             arrays' library has begun on them, is completed first.
    threads  threads of the CPU engine; 0: one per processor, except for small
             pictures. Use 1 in data loaders, which run several processes.
"""
from typing import Any, Iterable, Sequence, overload

import numpy as np

from . import _arrays, _blockdct, _engines, _jpeg
from ._engines import close
from ._images import read_images
from ._jpeg import JpegLevels, Origin, origin, read_jpeg, tables, write_jpeg
from ._lists import entry, length
from ._results import (Compared, Counts, Levels, Measured, Results, Transformed,
                       address_of)
from ._settings import (METRICS, TABLES, TRANSFORMS, Array, Layout, Plan, Settings, Wanted,
                        jobs_for, plan_for, read_metrics)

__all__ = ['Compared', 'Counts', 'JpegLevels', 'Levels', 'METRICS', 'Measured', 'Origin',
           'Settings', 'TABLES', 'TRANSFORMS', 'Transformed', 'close', 'compare',
           'cuda_devices', 'levels', 'measure', 'origin', 'read_images', 'read_jpeg', 'reconstruct',
           'tables', 'transform', 'write_jpeg']
__version__: str = _blockdct.version

_Device = str | int | None


def _run(at: tuple[str, int, int], layout: Layout, plan: Plan, src: Any, dst: Any, *,
         levels: _arrays.Memory | None = None, sizes: Array | None = None, n_levels: int = 0,
         from_levels: bool = False, wanted: Wanted = Wanted(0, False, True, False),
         settings: int = 1, frame_rate: int = 0) -> Results:
    """Process a batch, each picture with as many entries of the plan as `settings`
    says, at a device, with threads, after a stream."""
    device, threads, stream = at
    n = len(plan.index)
    results = Results(n, wanted)
    if n == 0:
        return results
    high = _engines.stack_height(layout[0], layout[1], n) \
        if dst and plan.can_stack(layout, src, wanted) else 0
    layout = (layout[0], layout[1] * max(high, 1), *layout[2:])
    depth = 2 if high else _engines.depth_for(device, layout[0], layout[1], layout[2])
    with _engines.engine(device, threads, layout) as engine:
        engine.run(
            layout, depth, n, settings, high, plan.jobs, address_of(plan.index), src, dst,
            levels and (levels.address, levels.strides[0]),
            None if sizes is None else (address_of(sizes), sizes.strides[0]), n_levels,
            levels is not None and levels.device != 'cpu', from_levels, wanted.bits,
            wanted.mask, frame_rate, stream if device != 'cpu' else 0, *results.addresses())
    return results


@entry(1, 'transform', 'quality', 'qp')
def transform(batch: Any, transform: str | Settings | Sequence[Any] = 'jpeg-8x8', *,
              quality: Any = None, qp: Any = None, layout: str | None = None,
              chroma_subsampling: str | Sequence[str] = '4:2:0', depth: int | None = None,
              metrics: str | Iterable[str] = (), rounding: str | None = None, out: Any = None,
              device: _Device = None, stream: Any = None, threads: int = 0,
              **settings: Any) -> Transformed:
    """Quantize each picture, without prediction, and decode its levels, with PSNR.

    transform           a name or Settings, one for all pictures or a sequence with
                        one per picture
    quality, qp         one number, or one per picture; None: as in Settings (85, 26)
    chroma_subsampling  '4:2:0', '4:2:2', '4:4:0' or '4:4:4': the size of U and V
                        that RGB is converted to; one, or one per picture
    metrics             any of METRICS
    out                 where the pictures are written, in the form of the batch, and
                        not in its memory; not for lists
    settings            other fields of Settings

    Batch, layout, depth, rounding, device, stream, threads and errors: see the module.
    """
    src = _arrays.Pictures(batch, layout, chroma_subsampling, depth, stream, rounding)
    at = _engines.normalize(device, src.device), threads, src.stream
    wanted = read_metrics(metrics)
    plan = plan_for(transform, quality, qp, settings, src.layout, src.n)
    dst, made = src.like(out)
    results = _run(at, src.layout, plan, src.planes, dst, wanted=wanted)
    results.divide(src.form)
    return results.make(Transformed, src.layout[5] > 0, pictures=made())


@entry(1)
def measure(batch: Any, transform: str | Settings | Sequence[Any] = 'jpeg-8x8', *,
            quality: Any = None, qp: Any = None, layout: str | None = None,
            chroma_subsampling: str | Sequence[str] = '4:2:0', depth: int | None = None,
            metrics: str | Iterable[str] = (), rounding: str | None = None,
            device: _Device = None, stream: Any = None, threads: int = 0,
            frame_rate: int | None = None,
            **settings: Any) -> Measured:
    """Compute what `transform` says of every picture at each of S settings, without
    making pictures.

    transform     a name or Settings, one for all settings or a sequence of S
    quality, qp   one number, or S of them: quality=range(1, 101)
    frame_rate    1 to 1000: the pictures are consecutive frames of a video, and 'xpsnr'
                  weighs what moves by the two before; None: each is a picture by itself

    Other arguments are as for `transform`.
    """
    src = _arrays.Pictures(batch, layout, chroma_subsampling, depth, stream, rounding)
    at = _engines.normalize(device, src.device), threads, src.stream
    lengths = [n for n in map(length, (transform, quality, qp)) if n is not None]
    n = max(lengths, default=1)
    if frame_rate is not None:
        _arrays.check_range('frame_rate', frame_rate, 1, 1000)
    plan = Plan(transform, quality, qp, settings, src.layout, n, 'setting')
    plan.index = np.tile(plan.index, src.n)
    if len(plan.jobs) > 1:
        plan.jobs *= src.n
    results = _run(at, src.layout, plan, src.planes, None, wanted=read_metrics(metrics),
                   settings=n, frame_rate=frame_rate or 0)
    results.divide(src.form, n)
    return results.make(Measured)


@entry(0)
def levels(batch: Any, transform: str | Settings = 'jpeg-8x8', *,
           quality: Any = None, qp: Any = None, layout: str | None = None,
           chroma_subsampling: str = '4:2:0', depth: int | None = None,
           rounding: str | None = None, device: _Device = None,
           stream: Any = None, threads: int = 0, **settings: Any) -> Levels:
    """Compute the quantized levels of each picture: what an encoder would code.
    Arguments are as for `transform`, with one transform and one subsampling for all
    pictures, which are an array or planes."""
    if _arrays.read_list(batch, layout) is not None:
        raise ValueError('levels are of pictures of one size: give an array, not a list')
    src = _arrays.Pictures(batch, layout, chroma_subsampling, depth, stream, rounding)
    at = _engines.normalize(device, src.device), threads, src.stream
    plan = plan_for(transform, quality, qp, settings, src.layout, src.n)
    if len(plan.bases) > 1:
        raise ValueError(f'{len(plan.bases)} transforms: levels have one')
    n_levels, components, _ = plan.jobs[0].describe(src.layout)
    new = _arrays.New(src.arrays[0], (src.n, n_levels), 'int16')
    sizes = None
    if plan.bases[0].transform == 'hevc-quadtree':
        sizes = np.empty((src.n, components[0][0] * components[0][1]), np.uint8)
    _run(at, src.layout, plan, src.planes, None, levels=_arrays.find(new.array, src.stream),
         sizes=sizes, n_levels=n_levels)
    return Levels(new.result(), sizes, plan.settings(), src.form)


@overload
def reconstruct(levels: Levels, *, metrics: str | Iterable[str] = (), device: _Device = None,
                stream: Any = None, threads: int = 0) -> Transformed: ...
@overload
def reconstruct(levels: JpegLevels, *, metrics: tuple[()] = (), device: _Device = None,
                stream: Any = None, threads: int = 0) -> Any: ...
@overload
def reconstruct(levels: Sequence[JpegLevels], *, metrics: tuple[()] = (),
                device: _Device = None, stream: Any = None, threads: int = 0) -> list[Any]: ...
@entry(0)
def reconstruct(levels: Any, *, metrics: str | Iterable[str] = (), device: _Device = None,
                stream: Any = None, threads: int = 0) -> Any:
    """Compute pictures from levels alone, as a decoder does. You may change
    `levels.values`: every value of 16 bits has a defined result.

    For Levels it returns Transformed. Without an original, PSNR is NaN, and 'bits',
    'counts' and 'planes' are the only metrics.

    For JpegLevels it returns the pixels of numpy.asarray(PIL.Image.open(file)), to the
    bit, as uint8: (height, width) for grey, (height, width, 3) for RGB, (height,
    width, 4) for CMYK, inverted as by Pillow. For a list of JpegLevels it
    returns a list; files of the same size and sampling are faster together. libjpeg
    decodes CMYK, YCCK, RGB, samplings other than 4:4:4, 4:2:2, 4:4:0 and 4:2:0, unlike
    steps of Cb and Cr, and steps of 0 or above 32767, on the host; their levels are
    within -1023 to 1023. There are no metrics.
    """
    if not isinstance(levels, Levels):
        if read_metrics(metrics) != read_metrics(()):
            raise ValueError('there are no metrics for a JPEG file')
        return _jpeg.reconstruct(levels, lambda batch: reconstruct(
            batch, device=device, stream=stream, threads=threads).pictures)
    address = _arrays.stream_address(stream)
    wanted = read_metrics(metrics)
    if wanted.mask:
        raise ValueError("levels have no original: metrics are 'bits', 'counts', 'planes'")
    layout, bases = levels.form.layout, levels.settings
    memory = _arrays.find(levels.values, address)
    base = bases[0] if bases else Settings()
    n_levels = jobs_for(base, layout).describe(layout)[0]
    if memory.dtype != 'int16' or memory.shape != (len(bases), n_levels):
        raise ValueError(f'levels are {memory.shape} of {memory.dtype}, not int16 of '
                         f'{(len(bases), n_levels)}')
    if memory.strides[1] != 2 or memory.address % 16 or memory.strides[0] % 16:
        copy = _arrays.New(levels.values, memory.shape, 'int16')
        copy.array[:] = levels.values
        memory = _arrays.find(copy.array, address)
    sizes = levels.sizes
    if sizes is not None:
        places = jobs_for(base, layout).describe(layout)[1][0]
        shape = len(bases), places[0] * places[1]
        sizes = np.ascontiguousarray(sizes)
        if sizes.dtype != np.uint8 or sizes.shape != shape:
            raise ValueError(f'sizes are {sizes.shape} of {sizes.dtype}, not {shape} of uint8')
    at = _engines.normalize(device, memory.device), threads, address
    dst, made = _arrays.empty(levels.values, len(bases), levels.form, address)
    plan = Plan(bases or [base], None, None, {}, layout, len(bases))
    results = _run(at, layout, plan, None, dst, levels=memory, sizes=sizes,
                   n_levels=n_levels, from_levels=True, wanted=wanted)
    results.divide(levels.form)
    return results.make(Transformed, measured=False, pictures=made())


@entry(2)
def compare(reference: Any, distorted: Any, *,
            metrics: str | Iterable[str] = (), layout: str | None = None,
            chroma_subsampling: str | Sequence[str] = '4:2:0', depth: int | None = None,
            rounding: str | None = None, device: _Device = None,
            stream: Any = None, threads: int = 0) -> Compared:
    """Compute PSNR and other metrics of each picture against its reference. The two
    batches have the same form. `metrics`: any of METRICS except 'bits'."""
    wanted = read_metrics(metrics)
    if wanted.bits:
        raise ValueError("metric 'bits' is for transform: compared pictures have none")
    first, second = [_arrays.Pictures(batch, layout, chroma_subsampling, depth, stream,
                                      rounding) for batch in (reference, distorted)]
    if first.layout != second.layout:  # R, G and B, once together and once not
        first.make_dense()
        second.make_dense()
    if (first.n, first.layout, first.device) != (second.n, second.layout,
                                                 second.device):
        raise ValueError(
            f'the batches differ: {first.n} pictures of {first.layout[1]} x '
            f'{first.layout[0]} on {first.device}, {second.n} of {second.layout[1]} x '
            f'{second.layout[0]} on {second.device}, or in their channels or depth')
    at = _engines.normalize(device, first.device), threads, first.stream
    plan = Plan((), None, None, {}, first.layout, 0)
    plan.index = np.zeros(first.n, np.int32)
    results = _run(at, first.layout, plan, first.planes, second.planes, wanted=wanted)
    results.divide(first.form)
    return results.make(Compared, first.layout[5] > 0, coded=False)


def cuda_devices() -> tuple[int, str]:
    """Return the number of usable GPUs and, if it is 0, the reason."""
    _engines._check_cuda()
    return _blockdct.count_devices(1)
