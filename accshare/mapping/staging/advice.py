"""Share hints against a device: what a thread block can follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from math import prod

from accshare.device import Device
from accshare.diagnostics import Diagnostic
from accshare.frontend.ir import Scalar
from accshare.mapping.staging.hints import Hint, HintError, length, not_followed, not_integer, too_large, too_short
from accshare.options import Options, Share
from accshare.pragma.ir import ShareVague
from accshare.records import replace

#: the most iterations along a side of a tile
_LARGEST = 1024

Sizes = Mapping[str, int]


def possible(
    hints: tuple[Hint, ...], device: Device, warp: int, options: Options
) -> tuple[tuple[Hint, ...], list[Diagnostic]]:
    """The hints that some thread block of `device` can follow, at least a `warp` wide, and what is wrong with others.

    A length that is no positive whole number for any block becomes ``*`` (ACC504, ACC505). A hint is left out when its
    lengths exclude one another (ACC508), or take more than local memory even for the smallest block (ACC503).
    """
    kept: list[Hint] = []
    problems: list[Diagnostic] = []
    for hint in hints:
        sound, wrong = _sound(hint, warp)
        problems += wrong
        elements = [n for sizes in _blocks(warp) if (n := _elements(sound, sizes)) is not None]
        size = min(elements, default=0) * _element_bytes(hint)
        if not elements:
            why = "no thread block has a size for which all its lengths are whole and positive"
            problems.append(not_followed(hint, None, why, f"{hint.array.name} is treated as if it had no hint"))
        elif size > device.local_bytes and (device.local_dedicated or options.share is Share.FORCE):
            problems.append(too_large(hint, size, device, f"{hint.array.name} is treated as if it had no hint"))
        else:
            kept.append(sound)
    return tuple(kept), problems


def _sound(hint: Hint, warp: int) -> tuple[Hint, list[Diagnostic]]:
    """`hint` with ``*`` for every length that no block gives."""
    lengths = list(hint.array.lengths)
    problems = []
    for k, expr in enumerate(lengths):
        codes = set()
        for sizes in _blocks(warp):
            try:
                length(expr, sizes)
                break
            except HintError as error:
                codes.add(error.code)
        else:
            problems.append(not_integer(hint, k) if "ACC504" in codes else too_short(hint, k))
            lengths[k] = ShareVague(expr.span)
    return replace(hint, array=replace(hint.array, lengths=tuple(lengths))), problems


def _blocks(warp: int) -> Iterator[Sizes]:
    """The sizes a thread block may have: powers of two, x at least a warp wide."""
    powers = [1 << k for k in range(_LARGEST.bit_length())]
    for x, y, z in product((p for p in powers if p >= warp), powers, powers):
        if prod((x, y, z)) <= max(_LARGEST, warp):
            yield {"TB_X": x, "TB_Y": y, "TB_Z": z}


def _elements(hint: Hint, sizes: Sizes) -> int | None:
    """The elements the hint asks for, ``*`` counting as 1; None where a length is none."""
    try:
        return prod(length(expr, sizes) or 1 for expr in hint.array.lengths)
    except HintError:
        return None


def _element_bytes(hint: Hint) -> int:
    return hint.variable.element.bytes if isinstance(hint.variable.element, Scalar) else 0
