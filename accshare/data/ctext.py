"""C expressions in data clauses as trees: names, integers, members, subscripts and arithmetic."""

from __future__ import annotations

import re
from collections.abc import Mapping

from accshare.diagnostics import Rejected, rejected
from accshare.frontend.ir import (
    INT,
    LONG,
    Binary,
    Expr,
    IntLit,
    Member,
    Pointer,
    Storage,
    Struct,
    Subscript,
    Symbol,
    Type,
    Unary,
    Var,
)
from accshare.islexpr import literal
from accshare.literals import integer_value
from accshare.poly.ir import Scop
from accshare.pragma.ir import CText

_TOKEN = re.compile(r"\s*(->|<<|>>|\w+|.)")
_LEVELS = (("<<", ">>"), ("+", "-"), ("*", "/", "%"))


def parse(text: CText, symbols: Mapping[str, Symbol]) -> Expr:
    """The expression that `text` spells. Raises `Rejected` (ACC602) for what is more than integer arithmetic."""
    return _Parser(text, symbols).whole()


def symbols_of(scop: Scop) -> dict[str, Symbol]:
    """What names in the clauses of a region's construct stand for."""
    symbols: dict[str, Symbol] = {s.name: s for s in scop.region.symbols if s.storage is not Storage.INNER}
    return symbols | {p.value.symbol.name: p.symbol for p in scop.parameters if isinstance(p.value, Var)}


class _Parser:
    def __init__(self, text: CText, symbols: Mapping[str, Symbol]) -> None:
        self._tokens = [m[1] for m in _TOKEN.finditer(text.text) if m[1].strip()]
        self._symbols = symbols
        self._span = text.span

    def whole(self) -> Expr:
        expr = self._binary(0)
        if self._tokens:
            raise self._error()
        return expr

    def _error(self) -> Rejected:
        return rejected(
            "ACC602", "this section can't be computed on the host", self._span, "use integer arithmetic on variables"
        )

    def _take(self, *wanted: str) -> str | None:
        if self._tokens and (not wanted or self._tokens[0] in wanted):
            return self._tokens.pop(0)
        return None

    def _binary(self, level: int) -> Expr:
        if level == len(_LEVELS):
            return self._unary()
        lhs = self._binary(level + 1)
        while (op := self._take(*_LEVELS[level])) is not None:
            lhs = Binary(op, lhs, self._binary(level + 1), LONG, self._span)
        return lhs

    def _unary(self) -> Expr:
        op = self._take("-", "+")
        if op is not None:
            return Unary(op, self._unary(), LONG, self._span)
        if self._take("*") is not None:
            target = self._unary()
            return Subscript(target, literal(0, INT), _pointee(target.type), self._span)
        return self._postfix()

    def _postfix(self) -> Expr:
        expr = self._primary()
        while (op := self._take(".", "->", "[")) is not None:
            if op == "[":
                index = self._binary(0)
                if self._take("]") is None:
                    raise self._error()
                expr = Subscript(expr, index, _pointee(expr.type), self._span)
                continue
            name = self._take()
            if name is None or name[0].isdigit():
                raise self._error()
            base = expr
            if op == "->":
                base = Subscript(expr, literal(0, INT), _pointee(expr.type), self._span)
            expr = Member(base, name, _member(base.type, name), self._span)
        return expr

    def _primary(self) -> Expr:
        token = self._take()
        if token is None:
            raise self._error()
        if token == "(":
            expr = self._binary(0)
            if self._take(")") is None:
                raise self._error()
            return expr
        if token[0].isdigit():
            value = integer_value(token)
            if value is None:
                raise self._error()
            return IntLit(value, LONG, self._span)
        if not re.fullmatch(r"[A-Za-z_]\w*", token) or token == "sizeof":
            raise self._error()
        symbol = self._symbols.get(token) or Symbol(token, token, LONG, Storage.LOCAL)
        return Var(symbol, self._span)


def _pointee(type_: Type) -> Type:
    return type_.target if isinstance(type_, Pointer) else getattr(type_, "element", LONG)


def _member(type_: Type, name: str) -> Type:
    fields = type_.fields if isinstance(type_, Struct) else ()
    return next((f.type for f in fields if f.name == name), LONG)
