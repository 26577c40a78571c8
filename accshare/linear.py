"""Integer expressions as sums: what two subscripts or bounds differ by."""

from __future__ import annotations

from collections.abc import Mapping

from accshare.conversions import preserves
from accshare.frontend.ir import LONG, Binary, Cast, Expr, IntLit, Scalar, Type, Unary
from accshare.islexpr import binary, convert, literal
from accshare.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Sum:
    """``constant`` and so many times each of `terms`, which are expressions that are no sums."""

    constant: int
    terms: Mapping[Expr, int] = field(default_factory=dict)

    def plus(self, other: Sum, times: int = 1) -> Sum:
        """The sum of this and so many times another one."""
        terms = dict(self.terms)
        for term, count in other.terms.items():
            terms[term] = terms.get(term, 0) + times * count
        return Sum(self.constant + times * other.constant, {t: count for t, count in terms.items() if count})

    @property
    def key(self) -> tuple[int, frozenset[tuple[Expr, int]]]:
        """What it has in common with sums that are the same."""
        return self.constant, frozenset(self.terms.items())

    def times(self, other: Sum) -> Sum:
        """The product of this and another one."""
        result = Sum(self.constant * other.constant)
        result = result.plus(Sum(0, self.terms), other.constant).plus(Sum(0, other.terms), self.constant)
        for one, count in self.terms.items():
            for two, more in other.terms.items():
                first, second = sorted((one, two), key=repr)
                term = Binary("*", Cast(first, LONG, False, first.span), second, LONG, first.span)
                result = result.plus(Sum(0, {term: 1}), count * more)
        return result

    @property
    def expr(self) -> Expr:
        """It, computed in ``long``."""
        result: Expr = literal(0, LONG)
        for term, count in self.terms.items():
            part = binary("*", convert(term, LONG), literal(abs(count), LONG), LONG)
            result = binary("+" if count > 0 else "-", result, part, LONG)
        return binary("+", result, literal(self.constant, LONG), LONG)


def sum_of(expr: Expr) -> Sum:
    """`expr` as a sum. Only signed numbers are added up: they do not wrap in a correct program."""
    match expr:
        case IntLit(value):
            return Sum(value)
        case Cast(operand, type_) if _counts(operand.type) and preserves(operand.type, type_):
            return sum_of(operand)
        case Unary("-", operand) if _counts(expr.type):
            return Sum(0).plus(sum_of(operand), -1)
        case Binary("+" | "-" as op, lhs, rhs) if _counts(expr.type):
            return sum_of(lhs).plus(sum_of(rhs), 1 if op == "+" else -1)
        case Binary("*", lhs, rhs) if _counts(expr.type):
            return sum_of(lhs).times(sum_of(rhs))
    return Sum(0, {expr: 1})


def _counts(type_: Type) -> bool:
    return isinstance(type_, Scalar) and type_.signed and not type_.floating and type_.lanes == 1
