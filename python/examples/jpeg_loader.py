#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""jpeg_loader.py [--device DEVICE] [--workers N] FOLDER: batches to train on from JPEG
files: workers read them, and the main process decodes each batch at once, on the GPU
with --device cuda. Its pixels are Pillow's."""
import argparse
import pathlib

import torch

import blockdct


def decode_jpeg(input, device='cpu', apply_exif_orientation=False):
    """Stands where torchvision.io.decode_jpeg() stands: bytes, as tensors or otherwise, of
    one file or a list become tensors of (channels, height, width)."""
    files = input if isinstance(input, (list, tuple)) else [input]
    pictures = blockdct.read_images(files, device=device,
                                    exif_transpose=apply_exif_orientation)
    made = [torch.atleast_3d(torch.as_tensor(one)).permute(2, 0, 1) for one in pictures]
    return made if isinstance(input, (list, tuple)) else made[0]


class Files(torch.utils.data.Dataset):
    """Files' bytes, with the numbers of their folders as labels."""

    def __init__(self, folder):
        self.paths = sorted(pathlib.Path(folder).glob('*/*.jp*g'))
        self.labels = sorted({path.parent.name for path in self.paths})

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        path = self.paths[i]
        return path.read_bytes(), self.labels.index(path.parent.name)


def load(folder, side, batch_size, workers, device):
    """Batches of (N, 3, side, side), floats from 0 to 1, and their labels."""
    loader = torch.utils.data.DataLoader(Files(folder), batch_size, shuffle=True,
                                         num_workers=workers, collate_fn=list)
    for batch in loader:
        files, labels = zip(*batch)
        yield torch.cat([torch.nn.functional.interpolate(
            one.expand(3, -1, -1)[None] / 255, (side, side), mode='bilinear', antialias=True)
            for one in decode_jpeg(files, device)]), torch.tensor(labels, device=device)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(': ', 1)[1])
    parser.add_argument('folder', help='a folder of folders, one for each label')
    parser.add_argument('--device', default='cpu')
    parser.add_argument('--workers', type=int, default=2)
    options = parser.parse_args()
    for pictures, labels in load(options.folder, 224, 64, options.workers, options.device):
        print(tuple(pictures.shape), f'mean {pictures.mean():.3f}, labels {labels.tolist()}')


if __name__ == '__main__':
    main()
