# SPDX-License-Identifier: LGPL-2.1-or-later
"""Batches on a GPU: equal to the CPU's, in torch's tensors, in the order of
streams; and torch's data loaders. Skipped without torch or a GPU."""
import json
import multiprocessing
import tempfile
import unittest

import numpy as np
from common import SUBSAMPLINGS, main, make_batch, make_planes

import blockdct

try:
    import torch
    HAVE_GPU = torch.cuda.is_available()
except ImportError:
    HAVE_GPU = False

OTHERS = [name for name in blockdct.TRANSFORMS
          if name not in ('jpeg-8x8', 'dct-8x8')]


def in_child(queue):
    try:
        blockdct.transform(make_batch(), device='cuda')
        queue.put('nothing is raised')
    except RuntimeError as error:
        queue.put(str(error))
    queue.put(blockdct.transform(make_batch(), quality=20).pictures)


def copied(function):
    """Bytes that a call copies from the host to the device, and back, by CUPTI."""
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CUDA]) as found:
        function()
        torch.cuda.synchronize()
    with tempfile.NamedTemporaryFile(suffix='.json') as file:
        found.export_chrome_trace(file.name)
        with open(file.name) as trace:
            events = json.load(trace)['traceEvents']
    return [sum(event['args']['bytes'] for event in events
                if event.get('cat') == 'gpu_memcpy' and way in event['name'])
            for way in ('HtoD', 'DtoH')]


@unittest.skipUnless(HAVE_GPU, 'torch with a GPU is not there')
class Gpu(unittest.TestCase):
    def same(self, batch, *transform, **settings):
        """A tensor on the GPU becomes what the CPU makes of it: picture by picture
        where figures of planes are wanted, and else all at once."""
        there = torch.from_numpy(batch).cuda()
        settings = {'metrics': 'planes', **settings}
        theirs = blockdct.transform(there, *transform, **settings)
        ours = blockdct.transform(batch, *transform, **settings)
        plain = blockdct.transform(there, *transform, **{**settings, 'metrics': ()})
        self.assertTrue(torch.equal(plain.pictures, theirs.pictures))
        np.testing.assert_array_equal(plain.psnr, ours.psnr)
        self.assertEqual(theirs.pictures.device, there.device)
        np.testing.assert_array_equal(theirs.pictures.cpu().numpy(),
                                      ours.pictures)
        np.testing.assert_array_equal(theirs.psnr, ours.psnr)
        if settings['metrics'] == 'planes':
            np.testing.assert_array_equal(theirs.psnr_planes, ours.psnr_planes)
            np.testing.assert_array_equal(theirs.nonzero, ours.nonzero)
        if ours.bits is not None:
            np.testing.assert_array_equal(theirs.bits, ours.bits)
            np.testing.assert_array_equal(theirs.file_size, ours.file_size)
        return theirs

    def test_all_qualities(self):
        for height, width in (51, 85), (224, 224), (64, 64), (1, 1), (48, 130):
            batch = make_batch(100, height, width)
            for subsampling in (*SUBSAMPLINGS, '4:4:0'):
                with self.subTest(height=height, subsampling=subsampling):
                    self.same(batch, quality=range(1, 101), layout='NHWC',
                              chroma_subsampling=subsampling)

    def test_large_batch(self):
        batch = make_batch(8, 224, 224).repeat(50, 0)
        self.same(batch, quality=np.random.default_rng(1).integers(1, 101, 400))
        self.same(batch[..., :3].transpose(0, 3, 1, 2), quality=40, layout='NCHW')
        self.same(batch.transpose(0, 3, 1, 2).copy(), 'hevc-8x8',
                  qp=np.arange(400) % 52, layout='NCHW')
        four = np.concatenate([batch, batch[..., :1]], -1)
        self.same(four[:, :96, 5:150], quality=30)

    def test_bits_and_others(self):
        batch = make_batch(9, 64, 96)
        self.same(batch, quality=range(10, 19), metrics='bits')
        for subsampling in (*SUBSAMPLINGS, '4:4:0'):
            self.same(make_batch(100, 48, 130), quality=range(1, 101),
                      metrics='bits', chroma_subsampling=subsampling)
        self.same(make_batch(300, 32, 40), quality=77, metrics='bits')
        for name in OTHERS:
            with self.subTest(transform=name):
                self.same(batch, name, qp=range(20, 29))
        self.same(batch, [*OTHERS, 'jpeg-8x8', 'jpeg-8x8'][:9])

    def test_layouts(self):
        batch = make_batch()
        expected = blockdct.transform(batch, quality=30).pictures
        there = torch.from_numpy(batch).cuda().permute(0, 3, 1, 2)
        for tensor in there, there.contiguous(), there[:, :, :, ::1]:
            made = blockdct.transform(tensor, quality=30, layout='NCHW').pictures
            self.assertEqual(made.shape, tensor.shape)
            np.testing.assert_array_equal(
                made.permute(0, 2, 3, 1).cpu().numpy(), expected)
        part = torch.from_numpy(make_batch(4, 60, 100)).cuda()[1:, 3:, 5:]
        np.testing.assert_array_equal(
            blockdct.transform(part).pictures.cpu().numpy(),
            blockdct.transform(part.cpu().numpy()).pictures)
        for high, depth in (256, 8), (1024, 10):
            planes = make_planes(high=high)
            if high > 256 and not hasattr(torch, 'uint16'):
                continue
            made = blockdct.transform(tuple(
                torch.from_numpy(plane).cuda() for plane in planes),
                'hevc-8x8', depth=depth)
            for one, other in zip(made.pictures, blockdct.transform(
                    planes, 'hevc-8x8', depth=depth).pictures):
                np.testing.assert_array_equal(one.cpu().numpy(), other)

    def test_measure(self):
        """In host arrays and in tensors: what the CPU says, to the bit."""
        batch = make_batch(3, 192, 190)
        for transform, metrics in ('jpeg-8x8', blockdct.METRICS), ('hevc-16x16', (
                'bits', 'counts', 'planes', 'ssim')):
            ours = blockdct.measure(batch, transform, quality=range(1, 100, 14),
                                    qp=range(1, 50, 6)[:8], metrics=metrics)
            for there in batch, torch.from_numpy(batch).cuda():
                theirs = blockdct.measure(there, transform, quality=range(1, 100, 14),
                                          qp=range(1, 50, 6)[:8], metrics=metrics,
                                          device='cuda')
                for mine, other in (ours, theirs), (ours.counts, theirs.counts):
                    mine, other = ({**x._asdict(), **x.metrics} for x in (mine, other))
                    for name in set(mine) - {'metrics', 'counts'}:
                        np.testing.assert_array_equal(mine[name], other[name], name)
        # A picture of the host goes there once, with more pictures than buffers.
        batch = make_batch(5, 224, 224)
        to_device, _ = copied(lambda: blockdct.measure(
            batch, quality=range(1, 51), device='cuda'))
        self.assertGreaterEqual(to_device, batch.nbytes)
        self.assertLess(to_device, 5 * batch.nbytes)

    def test_levels(self):
        batch = make_batch()
        for name in 'jpeg-8x8', 'hevc-16x16', 'hevc-quadtree':
            there = blockdct.levels(torch.from_numpy(batch).cuda(), name)
            here = blockdct.levels(batch, name)
            self.assertTrue(there.values.is_cuda)
            np.testing.assert_array_equal(there.values.cpu().numpy(), here.values)
            made = blockdct.reconstruct(there)
            self.assertTrue(made.pictures.is_cuda)
            np.testing.assert_array_equal(made.pictures.cpu().numpy(),
                                          blockdct.reconstruct(here).pictures)

    def test_compare(self):
        batch = make_batch(3, 200, 200)
        other = blockdct.transform(batch, quality=5).pictures
        there = blockdct.compare(*(torch.from_numpy(b).cuda()
                                   for b in (batch, other)), metrics='ssim')
        here = blockdct.compare(batch, other, metrics='ssim')
        np.testing.assert_array_equal(there.psnr, here.psnr)
        np.testing.assert_allclose(there.metrics['ssim'], here.metrics['ssim'],
                                   1e-9)

    def test_streams(self):
        batch = torch.from_numpy(make_batch(64, 224, 224)).cuda()
        expected = blockdct.transform(batch, quality=7).pictures
        stream = torch.cuda.Stream()
        busy = torch.ones(6000, 6000, device='cuda')
        for given in None, stream, stream.cuda_stream:
            torch.cuda.synchronize()
            with torch.cuda.stream(stream):
                later = torch.zeros_like(batch)
                for _ in range(20):
                    busy @ busy
                later.copy_(batch)  # long after this is called
                made = blockdct.transform(later, quality=7, stream=given).pictures
                self.assertTrue(torch.equal(made, expected))

    def test_nothing_goes_through_the_host(self):
        """What is copied is settings and figures, of `bits` those of each Huffman
        symbol: a small part of the batch. Of a batch on the host all is copied,
        which shows that copies are seen."""
        batch = make_batch(8, 224, 224).repeat(8, 0)
        there = torch.from_numpy(batch).cuda()
        calls = {
            'pictures': lambda: blockdct.transform(there, quality=range(20, 84)),
            'bits': lambda: blockdct.transform(there, quality=50, metrics='bits'),
            'HEVC': lambda: blockdct.transform(there, 'hevc-8x8', qp=30),
            'there and back': lambda: blockdct.reconstruct(blockdct.levels(there)),
            'compared': lambda: blockdct.compare(there, there)}
        blockdct.transform(batch, device='cuda')
        for name, call in calls.items():
            call()  # kernels' constants stay on the device
            to_device, to_host = copied(call)
            with self.subTest(name):
                self.assertLess(to_device + to_host, batch.nbytes / 8)
        seen = copied(lambda: blockdct.transform(batch, device='cuda'))
        self.assertGreaterEqual(min(seen), batch.nbytes)

    def test_cupy(self):
        try:
            import cupy
        except ImportError:
            self.skipTest('CuPy is not there')
        batch = make_batch(5, 64, 90)
        expected = blockdct.transform(batch, quality=range(20, 25))
        stream = cupy.cuda.Stream()
        with stream:
            made = blockdct.transform(cupy.asarray(batch), quality=range(20, 25),
                                      stream=stream)
        self.assertIsInstance(made.pictures, cupy.ndarray)
        np.testing.assert_array_equal(made.pictures.get(), expected.pictures)
        np.testing.assert_array_equal(made.psnr, expected.psnr)
        planar = cupy.asarray(batch.transpose(0, 3, 1, 2))[:, :, ::-1]
        made = blockdct.transform(planar, quality=30, layout='NCHW').pictures
        np.testing.assert_array_equal(made.get().transpose(0, 2, 3, 1),
                                      blockdct.transform(batch[:, ::-1],
                                                         quality=30).pictures)

    def test_wrong_device(self):
        batch = torch.from_numpy(make_batch()).cuda()
        with self.assertRaisesRegex(ValueError, 'cuda:0, but device is cpu'):
            blockdct.transform(batch, device='cpu')
        with self.assertRaisesRegex(ValueError, 'planes differ'):
            blockdct.transform((batch[..., 0], batch[..., 1].cpu(), batch[..., 2]))
        with self.assertRaisesRegex(RuntimeError, 'cuda.* 63 '):
            blockdct.transform(make_batch(), device='cuda:63')

    def test_fork(self):
        blockdct.transform(make_batch(), device='cuda')
        for method, text in ('fork', "'spawn'"), ('spawn', 'nothing'):
            context = multiprocessing.get_context(method)
            queue = context.Queue()
            child = context.Process(target=in_child, args=(queue,))
            child.start()
            self.assertIn(text, queue.get(timeout=60))
            np.testing.assert_array_equal(
                queue.get(timeout=60),
                blockdct.transform(make_batch(), quality=20).pictures)
            child.join(60)


if __name__ == '__main__':
    main()
