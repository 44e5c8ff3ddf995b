# SPDX-License-Identifier: LGPL-2.1-or-later
import math
from typing import Any, Sequence

import torch
from torchvision import tv_tensors
from torchvision.transforms import v2

from blockdct import _arrays
from ._codec import Codec, Range, Several


class RandomCodec(v2.Transform):
    """Degrade images and videos as codecs do; with JPEG alone, as v2.JPEG, to the bit, with
    the same draws. Tensors are (..., channels, height, width), on the CPU or on a GPU; a
    sample's images have the same codec; arrays of numpy pass through, as in all of v2. For
    arguments see blockdct.transforms."""

    def __init__(self, quality: Range | None = None, qp: Range | None = None,
                 transform: Several = 'jpeg-8x8',
                 chroma_subsampling: str | Sequence[str] = '4:2:0', double: float = 0,
                 shift: int = 15, rounding: str = 'nearest', threads: int = 1):
        super().__init__()
        self.codec = Codec(quality, qp, transform, chroma_subsampling, double, shift,
                           rounding, threads)

    def extra_repr(self) -> str:
        return repr(self.codec)

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        return {'passes': self.codec.draw(
            lambda low, high: int(torch.randint(low, high + 1, ()).item()))}

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        passes = params['passes']
        if not isinstance(inpt, torch.Tensor):
            return self.codec.degrade(inpt, passes, _arrays.image_layout(inpt))
        if isinstance(inpt, tv_tensors.TVTensor) and not isinstance(
                inpt, (tv_tensors.Image, tv_tensors.Video)):
            return inpt
        batch = inpt.reshape(math.prod(inpt.shape[:-3]), *inpt.shape[-3:])
        made = self.codec.degrade(batch, passes, 'NCHW')
        return made.reshape(inpt.shape).as_subclass(type(inpt))
