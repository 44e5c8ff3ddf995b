#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""jpeg_augmentation.py [--speed] [--size WIDTHxHEIGHT] [--batches N]:
batches of pictures through blockdct, each with a JPEG quality of its own.

`JpegAugmentation` below is what a training program takes over: it gets pictures
as an array or a tensor of N x height x width x 3 bytes, and the N qualities,
and gives the pictures back as JPEG files of these qualities would show them.
Run as a program it does that with random qualities, and compares each picture
with Pillow's, byte for byte. With --speed it prints what a picture takes, there
and in Pillow, torchvision and NVIDIA's DALI, as far as they are there, and how
far from Pillow's each one's pictures are.

Needs PyGObject, GStreamer's introspection data and numpy (Debian: python3-gi,
gir1.2-gstreamer-1.0, gir1.2-gst-plugins-base-1.0, python3-numpy), Pillow to
compare with (python3-pil), and PyTorch to have tensors (python3-torch,
python3-torchvision)."""
import argparse
import io
import os
import sys
import time

try:
    import gi
    gi.require_version('Gst', '1.0')
    gi.require_version('GstApp', '1.0')
    gi.require_version('GstController', '1.0')
    from gi.repository import Gst, GstApp, GstController
    import numpy as np
except (ImportError, ValueError) as missing:
    print(f'PyGObject with GStreamer, or numpy, is missing: {missing}')
    sys.exit(77)  # for a test: skipped

BATCH = 16
AHEAD = 4  # pictures in the pipeline; their memory is used again
SUBSAMPLINGS = ('4:4:4', '4:2:2', '4:2:0')  # Pillow's numbers
assert GstApp  # appsrc's and appsink's methods


class JpegAugmentation:
    """Pictures of one size through one blockdct."""

    def __init__(self, width, height, subsampling='4:2:0', backend='auto'):
        self.width, self.height = width, height
        self.stride = (3 * width + 3) // 4 * 4  # GStreamer's, of a row
        self.pipeline = Gst.parse_launch(
            'appsrc name=source format=time max-bytes=0 caps=video/x-raw,'
            f'format=RGB,width={width},height={height},framerate=0/1 ! '
            f'blockdct name=dct backend={backend} post-messages=false '
            f'chroma-subsampling={subsampling} ! appsink name=sink sync=false')
        self.source = self.pipeline.get_by_name('source')
        self.sink = self.pipeline.get_by_name('sink')
        # A quality for each time stamp, not for whichever frame comes next.
        self.qualities = GstController.InterpolationControlSource.new()
        self.qualities.set_property(
            'mode', GstController.InterpolationMode.NONE)
        dct = self.pipeline.get_by_name('dct')
        dct.add_control_binding(GstController.DirectControlBinding.new_absolute(
            dct, 'quality', self.qualities))
        self.time = 0
        self.pipeline.set_state(Gst.State.PLAYING)

    def __call__(self, pictures, qualities):
        """The pictures as JPEG files of these qualities show them: an array
        for an array, a tensor for a tensor."""
        if not isinstance(pictures, np.ndarray):
            import torch
            return torch.from_numpy(self(pictures.numpy(), qualities))
        assert pictures.dtype == np.uint8
        assert pictures.shape[1:] == (self.height, self.width, 3)
        assert len(pictures) == len(qualities)
        out = np.empty_like(pictures)
        self.qualities.unset_all()
        for i in range(len(pictures) + AHEAD):
            if i < len(pictures):
                self._push(pictures[i], int(qualities[i]))
            if 0 <= i - AHEAD < len(pictures):
                self._pull(out[i - AHEAD])
        return out

    def close(self):
        self.pipeline.set_state(Gst.State.NULL)

    def _push(self, picture, quality):
        padding = self.stride - 3 * self.width
        if padding > 0:
            rows = picture.reshape(self.height, 3 * self.width)
            picture = np.pad(rows, ((0, 0), (0, padding)))
        buffer = Gst.Buffer.new_wrapped(picture.tobytes())
        buffer.pts = self.time
        self.qualities.set(self.time, quality)
        self.time += 1
        self.source.push_buffer(buffer)

    def _pull(self, picture):
        """Receive the next picture. An error elsewhere does not wake an appsink:
        hence the timeout."""
        while not (sample := self.sink.try_pull_sample(100 * Gst.MSECOND)):
            message = self.pipeline.get_bus().pop_filtered(
                Gst.MessageType.ERROR)
            if message:
                raise RuntimeError(message.parse_error()[0].message)
        buffer = sample.get_buffer()
        data = np.frombuffer(buffer.extract_dup(0, buffer.get_size()), np.uint8)
        rows = data.reshape(self.height, self.stride)[:, :3 * self.width]
        picture[:] = rows.reshape(self.height, self.width, 3)


def with_pillow(picture, quality, subsampling='4:2:0'):
    from PIL import Image
    file = io.BytesIO()
    Image.fromarray(picture).save(file, 'JPEG', quality=quality,
                                  subsampling=SUBSAMPLINGS.index(subsampling))
    return np.asarray(Image.open(io.BytesIO(file.getvalue())))


def with_torchvision(picture, quality):
    """4:2:0, as its encode_jpeg() has it; planes first, as it wants it."""
    import torch
    from torchvision.io import decode_jpeg, encode_jpeg
    tensor = torch.from_numpy(picture).permute(2, 0, 1).contiguous()
    return decode_jpeg(encode_jpeg(tensor, quality=quality)).permute(1, 2, 0)


class WithDali:
    """jpeg_compression_distortion of NVIDIA's DALI, on the CPU."""

    def __init__(self, batch_size):
        from nvidia.dali import fn, pipeline_def

        @pipeline_def(batch_size=batch_size, num_threads=1, device_id=None,
                      prefetch_queue_depth=1, exec_async=False,
                      exec_pipelined=False)
        def pipeline():
            return fn.jpeg_compression_distortion(
                fn.external_source(name='pictures', layout='HWC'),
                quality=fn.external_source(name='qualities'))

        self.pipeline = pipeline()
        self.pipeline.build()

    def __call__(self, batch, qualities):
        self.pipeline.feed_input('pictures', batch)
        self.pipeline.feed_input('qualities', np.array(qualities, np.int32))
        return self.pipeline.run()[0].as_array()


def make_batch(width, height, n, rng):
    """Slopes, waves and noise, of many colours."""
    y, x = np.mgrid[0:height, 0:width] / max(width, height)
    batch = np.empty((n, height, width, 3), np.uint8)
    for picture in batch:
        for c in range(3):
            a, b, phase, level = rng.uniform(0, 40, 4)
            wave = np.sin(a * x + b * y + phase) * level * 2
            noise = rng.normal(0, level / 8, (height, width))
            picture[..., c] = np.clip(128 + wave + noise, 0, 255)
    return batch


def compare(width, height, batches, backend):
    """Every picture against Pillow's; the exit status."""
    try:
        import PIL
    except ImportError:
        print('Pillow is missing: install python3-pil')
        return 77
    rng = np.random.default_rng(1)
    samples = differ = 0
    for subsampling in SUBSAMPLINGS:
        augment = JpegAugmentation(width, height, subsampling, backend)
        for _ in range(batches):
            batch = make_batch(width, height, BATCH, rng)
            qualities = rng.integers(1, 101, BATCH)
            out = augment(batch, qualities)
            for before, after, quality in zip(batch, out, qualities):
                theirs = with_pillow(before, int(quality), subsampling)
                samples += after.size
                differ += np.count_nonzero(after != theirs)
        augment.close()
    print(f'Pillow {PIL.__version__}, {width}x{height}, qualities 1 to 100, '
          f'{", ".join(SUBSAMPLINGS)}: {samples} samples, {differ} differ')
    return int(differ > 0)


def compare_tensors(width, height, backend):
    """A tensor in gives a tensor; torchvision's is the same."""
    try:
        import torch
        import torchvision
    except ImportError:
        print('torch and torchvision are not there: no tensors')
        return 0
    batch = torch.from_numpy(
        make_batch(width, height, BATCH, np.random.default_rng(2)))
    qualities = range(1, 1 + BATCH)
    augment = JpegAugmentation(width, height, backend=backend)
    out = augment(batch, qualities)
    augment.close()
    differ = sum(int((with_torchvision(before.numpy(), quality) != after).sum())
                 for before, after, quality in zip(batch, out, qualities))
    print(f'torchvision {torchvision.__version__}, {width}x{height}: '
          f'{out.numel()} samples in a {type(out).__name__}, {differ} differ')
    return int(differ > 0)


def measure(name, batch, batches, work, theirs):
    """What a picture takes of a core, how much of that in this thread, and how
    far it is from what Pillow makes of it."""
    out = np.stack([np.asarray(picture) for picture in work(batch)])
    error = out.astype(int) - theirs
    db = 10 * np.log10(255 ** 2 / np.mean(error ** 2)) if error.any() else None
    everywhere, here = time.process_time(), time.thread_time()
    for _ in range(batches):
        work(batch)
    here = time.thread_time() - here
    everywhere = time.process_time() - everywhere
    n = batches * len(batch)
    print(f'| {name} | {1e3 * everywhere / n:.2f} | {1e3 * here / n:.2f} | '
          + (f'{100 * np.mean(error != 0):.0f}% of samples, {db:.1f} dB |'
             if db else 'identical |'))


def speed(width, height, batches, backend):
    rng = np.random.default_rng(1)
    batch = make_batch(width, height, BATCH, rng)
    qualities = [int(q) for q in rng.integers(30, 96, BATCH)]
    theirs = np.stack([with_pillow(*p) for p in zip(batch, qualities)])
    augment = JpegAugmentation(width, height, backend=backend)
    running = augment.pipeline.get_by_name('dct').get_property('active-backend')
    print(f'{width}x{height}, 4:2:0, qualities 30 to 95, batches of {BATCH}\n\n'
          "| | ms of CPU a picture | of these in Python's thread | against "
          'Pillow |\n| --- | --- | --- | --- |')
    measure(f'blockdct, {running}', batch, batches,
            lambda batch: augment(batch, qualities), theirs)
    augment.close()
    import PIL
    measure(f'Pillow {PIL.__version__}', batch, batches,
            lambda batch: [with_pillow(*p) for p in zip(batch, qualities)],
            theirs)
    try:
        import torch
        import torchvision
        torch.set_num_threads(1)
        measure(f'torchvision {torchvision.__version__}', batch, batches,
                lambda batch: [with_torchvision(*p)
                               for p in zip(batch, qualities)], theirs)
    except ImportError:
        print('torchvision is not there')
    try:
        from nvidia import dali
        distort = WithDali(BATCH)
        measure(f'DALI {dali.__version__}, CPU operator', batch, batches,
                lambda batch: distort(batch, qualities), theirs)
    except ImportError:
        print('DALI is not there')


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--speed', action='store_true')
    parser.add_argument('--size', default='224x224')
    parser.add_argument('--batches', type=int, default=4)
    parser.add_argument('--backend', default=os.environ.get(
        'BLOCKDCT_TEST_BACKEND', 'auto'))
    options = parser.parse_args()
    width, height = (int(side) for side in options.size.split('x'))
    Gst.init(None)
    if options.speed:
        speed(width, height, options.batches, options.backend)
        return 0
    status = compare(width, height, options.batches, options.backend)
    return status or compare_tensors(width, height, options.backend)


if __name__ == '__main__':
    sys.exit(main())
