# SPDX-License-Identifier: LGPL-2.1-or-later
"""Random degradation for training, in the pipelines of torchvision and albumentations.

    RandomCodec          a transform of torchvision.transforms.v2
    AlbumentationsCodec  one of albumentations
    StraightThrough      a layer of torch with straight-through gradients

The first two draw a codec for each call, so for each sample, and take:

    quality, qp         a number, or the first and the last of a range; None: 30 to 95, 22
                        to 42; those of Settings are not used
    transform, chroma_subsampling   one, or several to draw from
    double              the probability that the picture was compressed before, too, by a
                        codec drawn in the same way, whose grid of blocks begins up to
    shift               samples further to the left and up; 0: on the same grid
    rounding, threads   as for blockdct.transform

The numbers are drawn from the library's own generator, as its transforms do: torch's
global one, which a DataLoader seeds in each worker and each epoch, and that of
albumentations' Compose, which nobody does: see docs/howto/training-data.md.
"""
import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._albumentations import AlbumentationsCodec
    from ._torch import StraightThrough
    from ._torchvision import RandomCodec

__all__ = ['AlbumentationsCodec', 'RandomCodec', 'StraightThrough']
_MODULES = {'AlbumentationsCodec': '_albumentations', 'RandomCodec': '_torchvision',
            'StraightThrough': '_torch'}


def __getattr__(name: str) -> Any:  # each imports a library that the others do not need
    if name not in _MODULES:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    return getattr(importlib.import_module(f'.{_MODULES[name]}', __name__), name)
