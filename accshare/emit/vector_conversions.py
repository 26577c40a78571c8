"""Vectors of numbers of one size as vectors of another, for gcc on x86-64.

There, gcc takes vectors of small integers apart to convert them, number by number, where sizes differ by more than
twice (``__builtin_convertvector`` of sixteen bytes to ``int`` is 49 instructions). Processors have one for each step.
"""

from __future__ import annotations

from collections.abc import Iterator

from accshare.cprint import CPrinter
from accshare.frontend.ir import INT, Scalar
from accshare.records import replace

#: what instructions call numbers of so many bytes
_LETTERS = {1: "b", 2: "w", 4: "d", 8: "q"}
#: bytes of the smallest registers, and of the largest
_SMALLEST, _LARGEST = 16, 64
#: the types that gcc's names for instructions take
_NUMBERS = {1: "char", 2: "short", 4: "int", 8: "long long"}


def converted(printer: CPrinter, text: str, source: Scalar, target: Scalar, register: int) -> str:
    """`text`, a vector, with each number converted as C does it, where registers for integers have so many bytes."""
    for step in _steps(source, target):
        text, source = _step(printer, text, source, step, register), step
    return text


def _steps(source: Scalar, target: Scalar) -> Iterator[Scalar]:
    """The types on the way; integers that are smaller than ``int`` become and are made of floating-point numbers by way
    of it, as C has it too."""
    between = replace(INT, lanes=target.lanes)
    small = min((s for s in (source, target) if not s.floating), key=lambda s: s.bytes, default=between)
    if source.floating != target.floating and small.bytes < INT.bytes:
        yield between
    yield target


def _step(printer: CPrinter, text: str, source: Scalar, target: Scalar, register: int) -> str:
    least, most = sorted((source.bytes * source.lanes, target.bytes * target.lanes))
    if not (source.floating or target.floating) and source.bytes != target.bytes and _SMALLEST <= most <= register:
        if source.bytes < target.bytes:
            return _widened(printer, text, source, target)
        if most == _LARGEST or (register == _LARGEST and most > _SMALLEST):
            return _cut(printer, text, source, target)
        if least >= INT.bytes:
            return _picked(printer, text, source, target)
    return f"__builtin_convertvector({text}, {printer.scalar(target)})"


def _widened(printer: CPrinter, text: str, source: Scalar, target: Scalar) -> str:
    """By the instruction that extends numbers, the first ones of a whole register."""
    name = f"__builtin_ia32_pmov{'s' if source.signed else 'z'}x{_LETTERS[source.bytes]}{_LETTERS[target.bytes]}"
    given = f"({_vector(source.bytes, source.lanes)}){_filled(text, source)}"
    wide = target.bytes * target.lanes
    if wide < _LARGEST:
        return f"({printer.scalar(target)}){name}{wide * 8}({given})"
    return f"({printer.scalar(target)}){name}512_mask({given}, ({_vector(target.bytes, target.lanes)}){{0}}, -1)"


def _filled(text: str, source: Scalar) -> str:
    """A vector in the first part of a register, if it does not fill one."""
    wide = source.bytes * source.lanes
    return f"({text})" if wide >= _SMALLEST else f"({_vector(wide, 1)}){{({_NUMBERS[wide]})({text})}}"


def _cut(printer: CPrinter, text: str, source: Scalar, target: Scalar) -> str:
    """By the instruction that keeps the low parts of numbers."""
    name = f"__builtin_ia32_pmov{_LETTERS[source.bytes]}{_LETTERS[target.bytes]}{source.bytes * source.lanes * 8}_mask"
    given = f"({_vector(source.bytes, source.lanes)})({text})"
    found = f"{name}({given}, ({_vector(target.bytes, target.lanes)}){{0}}, -1)"
    wide = target.bytes * target.lanes
    return f"({printer.scalar(target)}){found if wide >= _SMALLEST else f'(({_vector(wide, 1)}){found})[0]'}"


def _picked(printer: CPrinter, text: str, source: Scalar, target: Scalar) -> str:
    """As bytes that are picked out of a vector."""
    every = _vector(1, source.bytes * source.lanes)
    taken = (k * source.bytes + n for k in range(source.lanes) for n in range(target.bytes))
    picked = f"__builtin_shufflevector(__acc_wide, __acc_wide, {', '.join(map(str, taken))})"
    return f"({{ {every} __acc_wide = ({every})({text}); ({printer.scalar(target)}){picked}; }})"


def _vector(size: int, count: int) -> str:
    """The type of a register, or of several side by side, of `count` numbers or more."""
    return f"{_NUMBERS[size]} __attribute__((vector_size({max(_SMALLEST, size * count)})))"
