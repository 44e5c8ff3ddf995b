# SPDX-License-Identifier: LGPL-2.1-or-later
from typing import Any

import torch

import blockdct


class _Identity(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, pictures: torch.Tensor, settings: dict[str, Any]
                ) -> torch.Tensor:
        given: dict[str, Any] = {'layout': 'NCHW'[-pictures.ndim:], **settings}
        made: torch.Tensor = blockdct.transform(
            pictures.detach().clamp(0, 1), rounding='nearest', **given).pictures
        return made

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        return grad_outputs[0], None


class StraightThrough(torch.nn.Module):
    """Floats from 0 to 1, which are clipped, as a decoder shows them: (N, channels, height,
    width), or one picture. The gradient is that of no change, as rounding has none of its
    own. `settings`: arguments of blockdct.transform; those of a call take precedence."""

    def __init__(self, **settings: Any):
        super().__init__()
        self.settings = settings

    def extra_repr(self) -> str:
        return ', '.join(f'{name}={value!r}' for name, value in self.settings.items())

    def forward(self, pictures: torch.Tensor, **settings: Any) -> torch.Tensor:
        if not pictures.is_floating_point():
            raise TypeError(f'pictures are of {pictures.dtype}, not floats from 0 to 1')
        made: torch.Tensor = _Identity.apply(pictures, {**self.settings, **settings})
        return made
