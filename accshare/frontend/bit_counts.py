"""``__builtin_popcount``, ``parity``, ``ctz`` and ``clz`` in arithmetic that every device and every compiler has in
vectors; those that know an instruction for it see what it is.

The sums in parts of numbers are H. S. Warren's (Hacker's Delight, 5-1 and 5-3).
"""

from __future__ import annotations

from accshare.frontend.constants import converted
from accshare.frontend.hoisting import Hoisted
from accshare.frontend.ir import INT, UINT, ULONG, Binary, Cast, Expr, IntLit, Scalar
from accshare.source import Span

_NAMES = ("popcount", "parity", "ctz", "clz")
_TYPES = (("", UINT), ("l", ULONG), ("ll", ULONG))
#: the functions, by the type of number that they count bits of
COUNTS = {f"__builtin_{name}{suffix}": type_ for name in _NAMES for suffix, type_ in _TYPES}


def counted(callee: str, value: Expr, hoisted: Hoisted, span: Span) -> Expr:
    """The value of a call of one of `COUNTS`."""
    type_ = COUNTS[callee]
    bits = _Bits(type_, hoisted, span)
    number = converted(value, type_, True, span)
    if "ctz" in callee:
        kept = hoisted.kept(number, "bits", span)
        lowest = bits.of("&", kept, bits.of("-", bits.literal(0), kept))
        number = bits.of("-", lowest, bits.literal(1))
    if "clz" in callee:
        number = bits.of("^", bits.below(number), bits.each(0xFF))
    count = Cast(bits.sum(number), INT, True, span)
    return Binary("&", count, IntLit(1, INT, span), INT, span) if "parity" in callee else count


class _Bits:
    """Arithmetic on unsigned numbers of one type."""

    def __init__(self, type_: Scalar, hoisted: Hoisted, span: Span) -> None:
        self._type, self._hoisted, self._span = type_, hoisted, span

    def literal(self, value: int) -> Expr:
        return IntLit(value, self._type, self._span)

    def each(self, byte: int) -> Expr:
        """A byte in all places."""
        return self.literal(int.from_bytes(bytes([byte]) * self._type.bytes, "little"))

    def of(self, op: str, lhs: Expr, rhs: Expr) -> Expr:
        return Binary(op, lhs, rhs, self._type, self._span)

    def right(self, number: Expr, by: int) -> Expr:
        return self.of(">>", number, IntLit(by, INT, self._span))

    def kept(self, number: Expr) -> Expr:
        return self._hoisted.kept(number, "bits", self._span)

    def below(self, number: Expr) -> Expr:
        """The highest bit that is set, and all below it."""
        by = 1
        while by < 8 * self._type.bytes:
            one = self.kept(number)
            number, by = self.of("|", one, self.right(one, by)), 2 * by
        return number

    def sum(self, number: Expr) -> Expr:
        """The bits that are set, first in pairs, then in fours and bytes, whose product is all of these in the last."""
        one = self.kept(number)
        two = self.kept(self.of("-", one, self.of("&", self.right(one, 1), self.each(0x55))))
        pairs = (self.of("&", part, self.each(0x33)) for part in (two, self.right(two, 2)))
        four = self.kept(self.of("+", *pairs))
        eight = self.of("&", self.of("+", four, self.right(four, 4)), self.each(0x0F))
        return self.right(self.of("*", eight, self.each(0x01)), 8 * self._type.bytes - 8)
