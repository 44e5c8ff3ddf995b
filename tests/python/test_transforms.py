# SPDX-License-Identifier: LGPL-2.1-or-later
"""blockdct.transforms: what is drawn, Pillow's pixels in torchvision's and
albumentations' pipelines, the same in every kind of worker; the training example."""
import pathlib
import pickle
import random
import sys
import unittest

import numpy as np
from common import main, make_batch, with_pillow

import blockdct
from blockdct import transforms
from blockdct.transforms._codec import Codec

try:
    from PIL import Image
except ImportError:
    Image = None
try:
    import torch
    from torchvision import tv_tensors
    from torchvision.transforms import v2
    torch.set_num_threads(1)
except ImportError:
    torch = None
try:
    import albumentations
except ImportError:
    albumentations = None

PICTURE = make_batch(1)[0]


def twice(picture, passes):
    """What Pillow makes of a picture that is compressed on another grid first."""
    for one in passes:
        wide = np.pad(picture, ((one.rows, 0), (one.columns, 0), (0, 0)), 'edge')
        picture = with_pillow(wide, one.arguments['quality'],
                              one.arguments['chroma_subsampling'])[0][one.rows:, one.columns:]
    return picture


def make_codec(quality=(10, 90), qp=(20, 40), transform='jpeg-8x8', chroma='4:2:0',
               double=0., shift=15, rounding='nearest', threads=1):
    return Codec(quality, qp, transform, chroma, double, shift, rounding, threads)


class Draws(unittest.TestCase):
    def test_ranges(self):
        codec = make_codec((10, 12), (20, 21), ['jpeg-8x8', 'hevc-8x8'], ['4:2:0', '4:4:4'],
                           0.25, 3)
        draws = [codec.draw(random.Random(i).randint) for i in range(2000)]
        self.assertEqual(codec.draw(random.Random(7).randint), draws[7])
        ones = [one for passes in draws for one in passes]
        seen = {(a['transform'].transform, a['chroma_subsampling'], a.get('quality'),
                 a.get('qp')) for a in (one.arguments for one in ones)}
        self.assertEqual(seen, {(t, c, *n) for c in ('4:2:0', '4:4:4') for t, n in (
            *(('jpeg-8x8', (q, None)) for q in (10, 11, 12)),
            *(('hevc-8x8', (None, q)) for q in (20, 21)))})
        double = [passes for passes in draws if len(passes) == 2]
        self.assertTrue(420 < len(double) < 580)
        self.assertEqual({(first.rows, first.columns) for first, _ in double},
                         {(y, x) for y in range(4) for x in range(4)})
        self.assertEqual({(p[-1].rows, p[-1].columns) for p in draws}, {(0, 0)})

    def test_errors(self):
        for text, arguments in (
                ('quality .5, 101. is', {'quality': (5, 101)}), ('quality', {'quality': 5.5}),
                ('quality', {'quality': (9, 3)}), ('qp 52', {'qp': 52}),
                ('qp', {'qp': (1, 2, 3)}), ("'jpg'", {'transform': 'jpg'}),
                ("'4:1:1'", {'chroma': ['4:1:1']}), ('double 2', {'double': 2}),
                ('shift 64', {'shift': 64}), ('no transform', {'transform': ()}),
                ('qp is given, but jpeg', {'quality': None}), ('quality is given, but hevc', {
                    'qp': None, 'transform': 'hevc-8x8'}), ("rounding 'up'", {'rounding': 'up'}),
                ('deadzone', {'transform': blockdct.Settings('hevc-8x8', deadzone=1)}),
                ('chroma_subsampling None', {'chroma': None}), ('threads -1', {'threads': -1}),
                ('threads .4. is not a whole', {'threads': '4'}),
                ('transform None is neither', {'transform': None})):
            with self.subTest(text), self.assertRaisesRegex((TypeError, ValueError), text):
                make_codec(**arguments)
        drawn = make_codec(np.array([9, 9])).draw(random.Random().randint)
        self.assertEqual(drawn[0].arguments['quality'], 9)
        steps = make_codec(None, None, [blockdct.Settings(tables=[9] * 64), 'hevc-8x8'])
        for i in range(4):
            codec = steps.draw(random.Random(i).randint)
            steps.degrade(PICTURE, codec, 'HWC')
        with self.assertRaisesRegex(AttributeError, 'RandomCoder'):
            transforms.RandomCoder

    @unittest.skipUnless(Image, 'Pillow is not there')
    def test_twice(self):
        codec = make_codec(chroma=['4:2:0', '4:4:4'], double=1.)
        for i in range(20):
            passes = codec.draw(random.Random(i).randint)
            wanted = twice(PICTURE, passes)
            np.testing.assert_array_equal(codec.degrade(PICTURE, passes, 'HWC'), wanted)
            planar = codec.degrade(PICTURE.transpose(2, 0, 1)[None], passes, 'NCHW')
            np.testing.assert_array_equal(planar[0], wanted.transpose(2, 0, 1))
            image = codec.degrade(Image.fromarray(PICTURE), passes, 'HWC')
            np.testing.assert_array_equal(np.asarray(image), wanted)


class Data:
    """Of torch's loaders."""

    def __init__(self, degrade):
        self.degrade = degrade

    def __len__(self):
        return 12

    def __getitem__(self, i):
        if isinstance(self.degrade, torch.nn.Module):
            return self.degrade(torch.from_numpy(PICTURE).permute(2, 0, 1))
        return torch.from_numpy(self.degrade(image=PICTURE)['image'])


def seed_worker(_):
    """As docs/howto/training-data.md has it."""
    info = torch.utils.data.get_worker_info()
    info.dataset.degrade.set_random_seed(info.seed % 2 ** 32)


@unittest.skipUnless(torch, 'torch or torchvision is not there')
class Torchvision(unittest.TestCase):
    def test_jpeg(self):
        """What v2.JPEG gives after the same seed."""
        tensor = torch.from_numpy(PICTURE).permute(2, 0, 1)
        image = tv_tensors.Image(tensor)
        for given in (tensor, image, tensor[:1], torch.stack([tensor, tensor])[None],
                      Image.fromarray(PICTURE), Image.fromarray(PICTURE).convert('L'),
                      tv_tensors.Video(torch.stack([tensor, tensor]))):
            for quality in 30, (5, 95):
                made = []
                for one in transforms.RandomCodec(quality), v2.JPEG(quality):
                    torch.manual_seed(5)
                    made.append(one(given))
                self.assertIs(type(made[0]), type(made[1]))
                np.testing.assert_array_equal(np.asarray(made[0]), np.asarray(made[1]))
        sample = {'image': image, 'label': 3, 'mask': tv_tensors.Mask(tensor[0])}
        made = v2.Compose([transforms.RandomCodec(20)])(sample)
        self.assertIs(made['mask'], sample['mask'])
        self.assertFalse(torch.equal(made['image'], image))
        self.assertIn("qp=7, transform='h264-4x4'", repr(transforms.RandomCodec(
            qp=7, transform='h264-4x4')))
        floats = transforms.RandomCodec(20)(tensor / 255)
        self.assertTrue(torch.equal((floats * 255).round().byte(), made['image']))

    def run_loader(self, degrade, method, n_epochs, **more):
        loader = torch.utils.data.DataLoader(Data(degrade), num_workers=4, **more,
                                             multiprocessing_context=method)
        torch.manual_seed(1)
        return [torch.stack(list(loader)) for _ in range(n_epochs)]

    def check_loaders(self, degrade, **more):
        """The same seeds give the same pictures, forked or spawned; epochs differ."""
        first, second = self.run_loader(degrade, 'fork', 2, **more)
        again, = self.run_loader(degrade, 'spawn', 1, **more)
        self.assertTrue(torch.equal(first, again))
        self.assertFalse(torch.equal(first, second))
        self.assertGreater(len({one.numpy().tobytes() for one in (*first, *second)}), 16)

    def test_loaders(self):
        degrade = v2.Compose([v2.RandomCrop(40), transforms.RandomCodec(
            (5, 95), double=0.5, transform=['jpeg-8x8', 'hevc-8x8']), v2.RandomHorizontalFlip()])
        self.check_loaders(pickle.loads(pickle.dumps(degrade)))

    @unittest.skipUnless(albumentations, 'albumentations is not there')
    def test_albumentations_loaders(self):
        self.check_loaders(albumentations.Compose([
            albumentations.RandomCrop(40, 40), transforms.AlbumentationsCodec(
                (5, 95), double=0.5, p=1), albumentations.HorizontalFlip()]),
            worker_init_fn=seed_worker)

    def test_straight_through(self):
        pictures = torch.from_numpy(make_batch(2) / 255.).permute(0, 3, 1, 2).float()
        pictures.requires_grad_()
        layer = transforms.StraightThrough(quality=20)
        weights = torch.rand_like(pictures)
        (layer(pictures) * weights).sum().backward()
        self.assertTrue(torch.equal(pictures.grad, weights))
        expected = blockdct.transform(make_batch(2), quality=[20, 30]).pictures
        for made, quality in ((layer(pictures)[0], 0), (layer(pictures, quality=30)[1], 1),
                              (layer(pictures[0] * 1), 0)):
            np.testing.assert_array_equal((made.detach() * 255).round().permute(1, 2, 0),
                                          expected[quality])
        self.assertEqual(repr(layer), 'StraightThrough(quality=20)')
        with self.assertRaisesRegex(TypeError, 'uint8'):
            layer(torch.from_numpy(make_batch(2)))
        compiled = torch.compile(lambda x: layer(x) + 0, backend='eager')
        self.assertTrue(torch.equal(compiled(pictures), layer(pictures)))

    def test_example(self):
        sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / 'python' / 'examples'))
        import training
        device = 'cuda' if torch.cuda.is_available() else 'cpu'
        torch.manual_seed(1)
        first, last = training.restore(3, 2, device)
        self.assertLess(last, first)


@unittest.skipUnless(albumentations and Image, 'albumentations or Pillow is not there')
class Albumentations(unittest.TestCase):
    def test_pixels(self):
        own = transforms.AlbumentationsCodec((10, 90), double=0.5, p=1)
        augment = albumentations.Compose([own], seed=3)
        drawn = []
        draw = own.codec.draw
        own.codec.draw = lambda integer: drawn.append(draw(integer)) or drawn[-1]
        for _ in range(10):
            made = augment(image=PICTURE)['image']
            np.testing.assert_array_equal(made, twice(PICTURE, drawn[-1]))
        self.assertEqual({len(passes) for passes in drawn}, {1, 2})
        floats = augment(image=(PICTURE / 255).astype(np.float32))['image']
        self.assertEqual(floats.dtype, np.float32)
        np.testing.assert_array_equal(np.rint(floats * 255), twice(PICTURE, drawn[-1]))
        grey = augment(image=PICTURE[..., 0])['image']
        self.assertEqual(grey.shape, PICTURE.shape[:2])

    def test_dictionary(self):
        augment = albumentations.Compose([transforms.AlbumentationsCodec(
            qp=20, transform=['hevc-8x8'], p=1)])
        again = albumentations.from_dict(albumentations.to_dict(augment))
        self.assertEqual(albumentations.to_dict(again), albumentations.to_dict(augment))


if __name__ == '__main__':
    main()
