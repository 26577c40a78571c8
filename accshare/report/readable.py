"""Host expressions as a person would write them: ``n*m`` rather than ``((long)n - 1L) * m + (m - 1L) + 1L``."""

from __future__ import annotations

from collections.abc import Iterable

from accshare.cprint import CPrinter
from accshare.frontend.ir import (
    Binary,
    Builtin,
    Cast,
    Expr,
    IntLit,
    Intrinsic,
    Scalar,
    Symbol,
    Type,
    Unary,
    Var,
)
from accshare.poly.ir import Parameter

_SUM, _PRODUCT, _ATOM = 12, 13, 14

#: an integer expression multiplied out: the factors of each term, sorted, and the term's coefficient
Polynomial = dict[tuple[str, ...], int]


class Readable(CPrinter):
    """C text under the user's names, parameters replaced by what they stand for, integer arithmetic simplified."""

    def __init__(self, parameters: Iterable[Parameter]) -> None:
        self._values = {p.symbol.unique: p.value for p in parameters}

    def name(self, symbol: Symbol) -> str:
        return symbol.name

    def suffix(self, type_: Scalar) -> str:
        return ""

    def intrinsic(self, call: Intrinsic) -> str:
        if call.function is Builtin.FLOOR_DIV:
            return f"floor({' / '.join(self.text(a, _ATOM) for a in call.args)})"
        return super().intrinsic(call)

    def text(self, expr: Expr, precedence: int = 0) -> str:
        match expr:
            case Cast(operand, type_) if _is_integer(type_) and _is_integer(operand.type):
                return self.text(operand, precedence)
            case Var(symbol) if not isinstance(self._values.get(symbol.unique, expr), Var):
                return self.text(self._values[symbol.unique], precedence)
            case Binary("+" | "-" | "*", type=type_) | Unary("-", type=type_) if _is_integer(type_):
                return _sum(self.polynomial(expr), precedence)
            case _:
                return super().text(expr, precedence)

    def polynomial(self, expr: Expr) -> Polynomial:
        """An integer expression multiplied out."""
        match expr:
            case IntLit(value):
                return {(): value}
            case Cast(operand, type_) if _is_integer(type_) and _is_integer(operand.type):
                return self.polynomial(operand)
            case Var(symbol) if not isinstance(self._values.get(symbol.unique, expr), Var):
                return self.polynomial(self._values[symbol.unique])
            case Unary("-", operand):
                return product({(): -1}, self.polynomial(operand))
            case Binary("+", lhs, rhs):
                return _added(self.polynomial(lhs), self.polynomial(rhs))
            case Binary("-", lhs, rhs):
                return _added(self.polynomial(lhs), product({(): -1}, self.polynomial(rhs)))
            case Binary("*", lhs, rhs):
                return product(self.polynomial(lhs), self.polynomial(rhs))
            case _:
                return {(self.text(expr, _ATOM),): 1}


def _is_integer(type_: Type) -> bool:
    return isinstance(type_, Scalar) and not type_.floating


def _added(one: Polynomial, two: Polynomial) -> Polynomial:
    result = dict(one)
    for factors, coefficient in two.items():
        result[factors] = result.get(factors, 0) + coefficient
    return {factors: coefficient for factors, coefficient in result.items() if coefficient}


def product(one: Polynomial, two: Polynomial) -> Polynomial:
    """All terms of one times all of the other."""
    result: Polynomial = {}
    for left, a in one.items():
        for right, b in two.items():
            result = _added(result, {tuple(sorted((*left, *right))): a * b})
    return result


def _sum(polynomial: Polynomial, precedence: int) -> str:
    """The terms, highest degree first, positive ones before negative ones."""
    terms = sorted(polynomial.items(), key=lambda term: (-len(term[0]), term[1] < 0))
    if not terms:
        return "0"
    text = ""
    for factors, coefficient in terms:
        size = abs(coefficient)
        shown = "*".join((*([] if size == 1 and factors else [str(size)]), *factors))
        sign = "-" if coefficient < 0 else "+"
        text += f" {sign} {shown}" if text else shown if coefficient > 0 else f"-{shown}"
    own = _SUM if len(terms) > 1 or terms[0][1] < 0 else _PRODUCT if "*" in text else _ATOM
    return f"({text})" if precedence > own else text
