#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""training.py [--epochs N] [--workers N] [--device DEVICE]: a network learns to restore
pictures that JPEG, HEVC, H.264 or VVC blocks have degraded, each with a codec of its own
in each epoch."""
import argparse

import torch
from torch import nn

from blockdct.transforms import RandomCodec

KINDS = 'jpeg-8x8', 'jpeg-8x8', 'hevc-8x8', 'hevc-quadtree', 'h264-8x8', 'vvc-64x64'


def make_picture(i, side):
    """Slopes and waves to train on, where there is no collection."""
    random = torch.Generator().manual_seed(i)
    across, down, phase, level = torch.rand((4, 3, 1, 1), generator=random) * 30
    x = torch.linspace(0, 1, side)
    waves = torch.sin(across * x + down * x[:, None] + phase) * level * 3
    return (128 + waves).clamp(0, 255).byte()


class Pairs(torch.utils.data.Dataset):
    """Of each picture a degraded form and the original. The loader seeds torch in each
    worker and each epoch anew, from the main process's seed: so every epoch has other
    codecs, and the same seed the same ones."""

    def __init__(self, n, side=64):
        self.n, self.side = n, side
        self.degrade = RandomCodec((10, 95), (20, 45), KINDS, double=0.2)

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        clean = make_picture(i, self.side)
        return self.degrade(clean), clean


def restore(epochs, workers, device):
    """Learn to restore; the loss of the first and the last epoch."""
    loader = torch.utils.data.DataLoader(Pairs(256), batch_size=16, shuffle=True,
                                         num_workers=workers)
    network = nn.Sequential(nn.Conv2d(3, 16, 5, padding=2), nn.ReLU(),
                            nn.Conv2d(16, 3, 5, padding=2)).to(device)
    nn.init.zeros_(network[2].weight)
    optimizer = torch.optim.Adam(network.parameters(), 1e-3)
    losses = []
    for _ in range(epochs):
        total = 0
        for degraded, clean in loader:
            degraded, clean = degraded.to(device) / 255, clean.to(device) / 255
            loss = (degraded + network(degraded) - clean).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() / len(loader)
        losses.append(total)
    return losses[0], losses[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--epochs', type=int, default=8)
    parser.add_argument('--workers', type=int, default=2)
    parser.add_argument('--device', default='cpu')
    options = parser.parse_args()
    first, last = restore(options.epochs, options.workers, options.device)
    print(f'mean squared error {first:.5f}, after training {last:.5f}')


if __name__ == '__main__':
    main()
