#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""training.py [--steps N] [--workers N] [--device DEVICE]: a network learns to
restore pictures that JPEG, HEVC, H.264 or VVC blocks have degraded, each with a
transform, quality and QP of its own; and one learns through the degradation, with
straight-through gradients.

`random_settings` and `degrade` need numpy alone; `StraightThrough`, the loader and
the training are torch's."""
import argparse

import numpy as np

import blockdct

KINDS = ('jpeg-8x8', 'jpeg-8x8', 'hevc-4x4', 'hevc-8x8', 'hevc-16x16', 'hevc-32x32',
         'hevc-quadtree', 'h264-4x4', 'h264-8x8', 'vvc-64x64')


def random_settings(n, rng, kinds=KINDS):
    """For `transform`: of each of n pictures a transform, a quality and a QP."""
    return {'transform': [kinds[i] for i in rng.integers(0, len(kinds), n)],
            'quality': rng.integers(10, 96, n), 'qp': rng.integers(20, 46, n)}


def degrade(batch, rng, **arguments):
    """(N, height, width, 3) uint8 as random decoders show it."""
    return blockdct.transform(batch, **random_settings(len(batch), rng),
                              **arguments).pictures


def make_pictures(n, side, rng):
    """Slopes and waves to train on, where there is no collection."""
    y, x = np.mgrid[0:side, 0:side] / side
    a, b, phase, level = rng.uniform(0, 30, (4, n, 1, 1, 3))
    waves = np.sin(a * x[..., None] + b * y[..., None] + phase) * level * 3
    return np.clip(128 + waves, 0, 255).astype(np.uint8)


class Pairs:
    """Pairs of a degraded picture and its original, batch by batch: the data set
    of a torch.utils.data.DataLoader with batch_size=None, whose workers degrade."""

    def __init__(self, n_batches, batch=16, side=64):
        self.n_batches, self.batch, self.side = n_batches, batch, side

    def __len__(self):
        return self.n_batches

    def __getitem__(self, i):
        rng = np.random.default_rng(i)
        clean = make_pictures(self.batch, self.side, rng)
        return degrade(clean, rng, threads=1), clean


def make_straight_through():
    import torch

    class StraightThrough(torch.autograd.Function):
        """(N, 3, height, width) of 0 to 1 as a decoder shows it. The gradient is
        that of no change: rounding has none of its own."""

        @staticmethod
        def forward(context, pictures, settings):
            batch = pictures.detach().mul(255).round().clamp(0, 255).to(torch.uint8)
            made = blockdct.transform(batch, layout='NCHW', **settings).pictures
            return made.to(pictures.dtype) / 255

        @staticmethod
        def backward(context, gradient):
            return gradient, None

    return StraightThrough


def make_network():
    from torch import nn
    return nn.Sequential(nn.Conv2d(3, 16, 5, padding=2), nn.ReLU(),
                         nn.Conv2d(16, 3, 5, padding=2))


def to_planes(batch, device):
    return batch.to(device).permute(0, 3, 1, 2).float() / 255


def restore(steps, workers, device):
    """Learn to restore; the loss of the first and the last quarter."""
    import torch
    loader = torch.utils.data.DataLoader(Pairs(steps), batch_size=None,
                                         num_workers=workers)
    network = make_network().to(device)
    optimizer = torch.optim.Adam(network.parameters(), 1e-3)
    losses = []
    for degraded, clean in loader:
        degraded, clean = to_planes(degraded, device), to_planes(clean, device)
        loss = (degraded + network(degraded) - clean).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return np.mean(losses[:steps // 4]), np.mean(losses[-steps // 4:])


def survive(steps, device):
    """Learn pictures that are the same after JPEG, through JPEG."""
    import torch
    degraded_by = make_straight_through().apply
    rng = np.random.default_rng(1)
    clean = to_planes(torch.from_numpy(make_pictures(16, 64, rng)), device)
    pictures = clean.clone().requires_grad_()
    optimizer = torch.optim.Adam([pictures], 2e-3)
    losses = []
    for _ in range(steps):
        quality = rng.integers(10, 40, len(pictures))
        loss = (degraded_by(pictures, {'quality': quality}) - clean).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return np.mean(losses[:steps // 4]), np.mean(losses[-steps // 4:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--steps', type=int, default=100)
    parser.add_argument('--workers', type=int, default=2)
    parser.add_argument('--device', default='cpu')
    options = parser.parse_args()
    for name, (first, last) in {
            'restore': restore(options.steps, options.workers, options.device),
            'survive JPEG': survive(options.steps, options.device)}.items():
        print(f'{name}: mean squared error {first:.5f}, after training {last:.5f}')


if __name__ == '__main__':
    main()
