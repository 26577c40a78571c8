"""What kernels do to memory in one piece, as functions of OpenCL C 1.2.

OpenCL has functions of its own for most of what is done to integers of 32 bits, and devices with an extension for those
of 64. The rest compares and exchanges whole words until nobody else was there in between; a number that is narrower
than a word is changed within the one it lies in.
"""

from __future__ import annotations

from accshare.atomics import exchange
from accshare.conversions import alike, is_bool, size
from accshare.cprint import CPrinter
from accshare.emit.templates import render
from accshare.frontend.ir import LONG, UINT, Atomic, Scalar, Storage, Symbol
from accshare.records import dataclass
from accshare.reference import root

_WORDS = {
    "=": "set",
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "div",
    "&": "and",
    "|": "or",
    "^": "xor",
    "<<": "shl",
    ">>": "shr",
    "&&": "all",
    "||": "any",
    "max": "max",
    "min": "min",
    "fmax": "fmax",
    "fmin": "fmin",
}
_SIGNS = {"max": ">", "min": "<"}
#: what OpenCL has functions for, by the size of an integer
_NATIVE = {4: {"=": "xchg", "+": "add", "-": "sub", "&": "and", "|": "or", "^": "xor"}}
_NATIVE[4] |= {"max": "max", "min": "min"}
_NATIVE[8] = {op: name for op, name in _NATIVE[4].items() if op in "=+-"}


@dataclass(frozen=True, slots=True)
class InOnePiece:
    """Reads an `element` and, with an operator, sets it to itself ``op`` an `operand` (`flipped`: the other way
    around), to the operand with ``=``. The result is what it was before, or with `after` what it then is. `local`: the
    element is in local memory."""

    element: Scalar
    op: str
    operand: Scalar | None
    flipped: bool
    after: bool
    local: bool = False

    def name(self, printer: CPrinter) -> str:
        """What the function is called."""
        element = self._element(printer)
        if self.operand is None:
            return f"acc_read_{element}"
        operand = printer.scalar(self.operand)
        word = _WORDS[self.op] + ("_from" if self.flipped else "")
        word = f"{word}_fetch" if self.after else f"fetch_{word}"
        word = f"local_{word}" if self.local else word
        return "_".join(("acc", word, element, *((operand,) if operand != element else ())))

    def pointer(self, printer: CPrinter) -> str:
        """The type of the pointer that the function takes."""
        return f"volatile {self._space} {self._element(printer)} *"

    @property
    def _space(self) -> str:
        return "__local" if self.local else "__global"

    def text(self, printer: CPrinter) -> str:
        """The function."""
        size = self.element.bytes
        operand = "" if self.operand is None else printer.scalar(self.operand)
        return render(
            "atomic.cl.j2",
            name=self.name(printer),
            says=self._says(printer),
            space=self._space,
            element=self._element(printer),
            operand=operand,
            native=self._native(),
            prefix="atom" if size == LONG.bytes else "atomic",
            word="ulong" if size == LONG.bytes else "uint",
            now=self.now(printer),
            reads=self.operand is None,
            after=self.after,
            narrow=size < UINT.bytes,
            bits=8 * size,
        )

    def _element(self, printer: CPrinter) -> str:
        """Memory has the type, which is not always that of values."""
        stored = printer.storage(self.element)
        assert isinstance(stored, Scalar)
        return printer.scalar(stored)

    def now(self, printer: CPrinter) -> str:
        """What the element, which ``was`` something, becomes with the ``operand``."""
        if self.op in {"", "="}:
            return "operand"
        if self.op in _SIGNS:
            return f"operand {_SIGNS[self.op]} was ? ({self._element(printer)})operand : was"
        if self.op in {"fmax", "fmin"}:
            wide = printer.scalar(max((t for t in (self.element, self.operand) if t is not None), key=size))
            return f"{self.op}(({wide})was, ({wide})operand)"
        value = f"operand {self.op} was" if self.flipped else f"was {self.op} operand"
        return f"({value}) != 0" if is_bool(self.element) else value

    def _native(self) -> str:
        """What OpenCL's own function is called, where it has one."""
        if self.element.floating or self.flipped or (self.operand is not None and self.operand.floating):
            return ""
        if self.op in _SIGNS and not (self.operand and alike(self.operand, self.element)):
            return ""
        return _NATIVE.get(self.element.bytes, {}).get(self.op, "")

    def _says(self, printer: CPrinter) -> str:
        if self.operand is None:
            return "*place, read in one piece"
        if self.op == "=":
            return f"*place = operand; what it was before: {not self.after}"
        return f"*place = {self.now(printer)}"


def one_piece(stmt: Atomic, written: frozenset[str], local: frozenset[Symbol]) -> InOnePiece | None:
    """What a statement of a kernel does in one piece; None where nobody else comes in between: in a work-item's own
    memory, and for what no kernel writes (`written` are the buffers that some do). `local` are arrays in local
    memory."""
    parts = exchange(stmt)
    owner = root(parts.place)
    element = parts.place.type
    assert owner is not None
    assert isinstance(element, Scalar)
    if owner not in local and (owner.storage is not Storage.PARAMETER or owner.unique not in written):
        return None
    operand = None if parts.operand is None else element if parts.op == "=" else parts.operand.type
    assert operand is None or isinstance(operand, Scalar)
    return InOnePiece(element, parts.op, operand, parts.flipped, not parts.before, owner in local)
