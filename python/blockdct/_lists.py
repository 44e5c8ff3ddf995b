# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lists of pictures, of any forms."""
import functools
import inspect
import sys
from typing import Any, Callable, TypeVar, cast

import numpy as np

from . import _arrays
from ._results import Transformed


def length(values: Any) -> int | None:
    """None: it is one for all."""
    try:
        return None if isinstance(values, str) else len(values)
    except TypeError:
        return None


def _pick(values: Any, indices: list[int]) -> Any:
    return values if length(values) is None else [values[i] for i in indices]


def _merge(parts: list[Any], indices: list[list[int]], n: int) -> Any:
    """The results of parts of a batch, field by field, in the batch's order."""
    some = next((part for part in parts if part is not None), None)
    if some is None:
        return None
    if isinstance(some, tuple):
        return type(some)(*[_merge(list(field), indices, n) for field in zip(*parts)])
    if isinstance(some, dict):
        return {name: _merge([part.get(name) for part in parts], indices, n)
                for name in dict.fromkeys(name for part in parts for name in part)}
    merged: Any = [None] * n if isinstance(some, list) else np.full(
        (n, *some.shape[1:]), np.nan if some.dtype.kind == 'f' else 0, some.dtype)
    for part, own in zip(parts, indices):
        for i, value in zip(own, () if part is None else part):
            merged[i] = value
    return merged


def _by_form(run: Callable[..., Any], names: list[str], given: dict[str, Any],
             each: tuple[str, ...]) -> Any:
    """Process pictures of any forms, those of one form at once. None: the batches, of
    these names, are arrays or planes of one form."""
    layout, chroma = given.pop('layout', None), given.pop('chroma_subsampling', '4:2:0')
    batches = [given.pop(name) for name in names]
    lists = [_arrays.read_list(batch, layout) for batch in batches]
    if not isinstance(chroma, str) and (length(chroma) is None or None in lists):
        raise ValueError(f'chroma_subsampling {chroma!r} is not one of '
                         f'{tuple(_arrays.CHROMA)}; for a list, list(batch), it can be a list')
    if all(one is None for one in lists):
        return None
    if given.pop('out', None) is not None:
        raise ValueError('out is for an array or planes, not for a list')
    n = len(lists[0] or ())
    if any(one is None or len(one) != n for one in lists):
        raise ValueError(f'the batches differ: {len(batches[0])} and {len(batches[-1])} pictures, '
                         'or a list and an array')
    of_each = {name: given.pop(name) for name in each if name in given}
    for name, values in {'chroma_subsampling': chroma, **of_each}.items():
        if length(values) not in (None, n):
            raise ValueError(f'{name} has {length(values)} values: give one value or {n}, '
                             'one per picture')
    groups: dict[Any, list[int]] = {}
    for i in range(n):
        forms = [_arrays.picture_form(one[i], layout) for one in lists if one is not None]
        groups.setdefault((*forms, chroma if isinstance(chroma, str) else chroma[i]),
                          []).append(i)
    parts = []
    for (*forms, own), indices in groups.items():
        arrays = [_arrays.stack([_arrays.from_image(one[i]) for i in indices])
                  for one in lists if one]
        parts.append(run(*arrays, layout='N' + forms[0][0],
                         chroma_subsampling=own, **given,
                         **{name: _pick(values, indices)
                            for name, values in of_each.items()}))
    if n == 0:
        groups, none = {(): []}, np.zeros((0, 1, 1), np.uint8)
        parts = [run(*[none] * len(lists), layout='NHW', **given)]
    if isinstance(parts[0], Transformed):
        parts = [part._replace(pictures=[part.pictures[i] for i in range(len(indices))])
                 for part, indices in zip(parts, groups.values())]
    merged = _merge(parts, list(groups.values()), n)
    return merged if not isinstance(merged, Transformed) else merged._replace(
        pictures=[*map(_arrays.like_input, batches[0], merged.pictures)])


_Function = TypeVar('_Function', bound=Callable[..., Any])


def entry(n: int, *each: str) -> Callable[[_Function], _Function]:
    """A function of `n` batches, which can be lists of pictures with `each` argument for
    each of these; torch.compile is to call it, not to trace it."""
    def decorate(function: _Function) -> _Function:
        names = list(inspect.signature(function).parameters)

        def run(*args: Any, **arguments: Any) -> Any:
            given = dict(zip(names, args), **arguments)
            if not isinstance(given.get('chroma_subsampling', ''), str) or any([
                    isinstance(given.get(name), (list, tuple)) for name in names[:n]]):
                merged = _by_form(run, names[:n], given, each)
                if merged is not None:
                    return merged
            return function(*args, **arguments)

        @functools.wraps(function)
        def call(*args: Any, **arguments: Any) -> Any:
            dynamo = sys.modules.get('torch._dynamo')
            return (run if dynamo is None else dynamo.disable(run))(*args, **arguments)
        setattr(call, '_torchdynamo_disable', True)
        return cast(_Function, call)
    return decorate
