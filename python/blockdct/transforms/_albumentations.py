# SPDX-License-Identifier: LGPL-2.1-or-later
import dataclasses
from typing import Any, Sequence

import albumentations
import numpy.typing as npt

from ._codec import Codec, Pass, Range, Several


class AlbumentationsCodec(albumentations.ImageOnlyTransform):
    """Degrade images as codecs do: (height, width[, channels]) of uint8, or float32 from 0
    to 1; those of `images` have the same codec. For arguments see blockdct.transforms."""

    def __init__(self, quality: Range | None = None, qp: Range | None = None,
                 transform: Several = 'jpeg-8x8',
                 chroma_subsampling: str | Sequence[str] = '4:2:0', double: float = 0,
                 shift: int = 15, rounding: str = 'nearest', threads: int = 1,
                 p: float = 0.5):
        super().__init__(p=p)
        self.codec = Codec(quality, qp, transform, chroma_subsampling, double, shift,
                           rounding, threads)
        for field in dataclasses.fields(self.codec):  # for albumentations' dictionaries
            setattr(self, field.name, getattr(self.codec, field.name))

    def get_params(self) -> dict[str, Any]:
        return {'passes': self.codec.draw(self.py_random.randint)}

    def apply(self, img: npt.NDArray[Any], passes: list[Pass], **params: Any
              ) -> npt.NDArray[Any]:
        made: npt.NDArray[Any] = self.codec.degrade(img, passes, 'HWC'[:img.ndim])
        return made
