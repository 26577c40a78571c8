"""The region's parameters: values fixed while it runs."""

from __future__ import annotations

import re
from collections.abc import Mapping

import islpy as isl

from accshare.frontend.ir import (
    INT,
    Binary,
    Call,
    Cast,
    Conditional,
    Expr,
    FloatLit,
    IntLit,
    Scalar,
    Storage,
    Subscript,
    Symbol,
    Var,
    integer_range,
)
from accshare.islbuild import at_least, at_most, sizes
from accshare.poly.ir import Guard, Parameter
from accshare.reference import root, share, strip, through_pointer
from accshare.tree import expressions, rewrite

#: names that mean something in isl's notation
_ISL_WORDS = frozenset(
    {
        "mod",
        "floor",
        "ceil",
        "min",
        "max",
        "exists",
        "and",
        "or",
        "not",
        "implies",
        "true",
        "false",
        "infty",
        "NaN",
        "rat",
    }
)
_DIVIDES = "is divided by and isn't positive"


class Parameters:
    """Collects the parameters of one region while it is modelled.

    `written` are the symbols the region assigns, `inner` those it declares or counts with: an expression over
    neither, which the region does not store to, is a parameter. That what is `stored` under other names is elsewhere is
    for the host to check. Elements count that are in `sure`, which the region
    evaluates in any case: others may not be there. `names` are taken. `sizes` are
    members that variables stand for.
    """

    def __init__(
        self,
        written: frozenset[Symbol],
        inner: frozenset[Symbol],
        stored: tuple[Expr, ...],
        sure: frozenset[Expr],
        names: frozenset[str],
        sizes: Mapping[Symbol, Expr],
    ) -> None:
        self._written = written
        self._inner = inner
        self._stored = stored
        self._sure = sure
        self._names = names | _ISL_WORDS
        self._sizes = sizes
        self._by_value: dict[Expr, Parameter] = {}
        self._own: dict[Symbol, Parameter] = {}
        self._divisors: dict[Symbol, Var] = {}

    def all(self) -> tuple[Parameter, ...]:
        """In the order they were met."""
        return tuple(self._by_value.values())

    def is_invariant(self, expr: Expr) -> bool:
        """Whether the host can evaluate `expr` once, before the region."""
        for part in expressions(expr):
            match part:
                case Var(symbol):
                    if symbol in self._written or symbol in self._inner or symbol.volatile:
                        return False
                case Call():
                    return False
                case Subscript(_, index) if not isinstance(strip(index), IntLit):
                    if part not in self._sure or self._is_stored(part):
                        return False
            if through_pointer(part) and self._is_stored(part):
                return False
        divisors = (p.rhs for p in expressions(expr) if getattr(p, "op", "") in {"/", "%"} and hasattr(p, "rhs"))
        return all(isinstance(strip(d), IntLit | FloatLit) for d in divisors)

    def _is_stored(self, part: Expr) -> bool:
        """Whether the region stores to an object under the same name."""
        return any(share(part, own) for own in self._stored)

    def of(self, expr: Expr) -> Parameter | None:
        """The parameter that stands for `expr`, or None when it isn't invariant or no scalar."""
        expr = expr.operand if isinstance(expr, Cast) and expr.implicit and isinstance(expr.operand, Var) else expr
        if not isinstance(expr.type, Scalar) or not self.is_invariant(expr):
            return None
        if isinstance(expr, Var) and expr.symbol in self._own:
            return self._own[expr.symbol]
        value = rewrite(expr, lambda e: self._sizes.get(e.symbol) if isinstance(e, Var) else None)
        known = self._by_value.get(value)
        if known is None:
            usable = not isinstance(expr, Var) or expr.symbol.unique not in _ISL_WORDS
            symbol = (
                expr.symbol if isinstance(expr, Var) and usable else Symbol(*self._name(expr), expr.type, Storage.LOCAL)
            )
            known = self._by_value[value] = self._own[symbol] = Parameter(symbol, value)
        return known

    def quotient(self, whole: Var, part: Var, type_: Scalar) -> Var:
        """The parameter that stands for ``whole / part``, two integer parameters: 0 where `part` isn't positive, which
        the host rules out before it relies on anything else."""
        over, under = (self._own[size.symbol].value for size in (whole, part))
        zero = IntLit(0, INT, whole.span)
        divided = Binary("/", over, under, type_, whole.span)
        value = Conditional(Binary(">", under, zero, INT, whole.span), divided, zero, type_, whole.span)
        known = self._by_value.get(value)
        if known is None:
            symbol = Symbol(*self._name(divided), type_, Storage.LOCAL)
            known = self._by_value[value] = self._own[symbol] = Parameter(symbol, value)
            self._divisors.setdefault(part.symbol, part)
        return Var(known.symbol, whole.span)

    def of_quotient(self, expr: Binary) -> Var | None:
        """The parameter that stands for a division, or None when one of its sides isn't invariant or no integer."""
        whole, part = self.of(expr.lhs), self.of(expr.rhs)
        if whole is None or part is None or not isinstance(expr.type, Scalar) or integer_range(expr.type) is None:
            return None
        return self.quotient(Var(whole.symbol, expr.lhs.span), Var(part.symbol, expr.rhs.span), expr.type)

    @property
    def guards(self) -> tuple[Guard, ...]:
        """What must hold for the parameters to be what they stand for."""
        return tuple(
            Guard(Binary(">", part, IntLit(0, INT, part.span), INT, part.span), _DIVIDES, part.span)
            for part in self._divisors.values()
        )

    def context(self) -> isl.Set:
        """What the integer parameters' types say about them."""
        ranges = {p.symbol.unique: integer_range(p.symbol.type) for p in self.all()}
        limits = {name: limit for name, limit in ranges.items() if limit is not None}
        every = sizes(*limits)
        known = every.everything
        for size, (low, high) in zip(every.parameters, limits.values(), strict=True):
            known = known.intersect(at_least(size, low)).intersect(at_most(size, high))
        return known

    def _name(self, expr: Expr) -> tuple[str, str]:
        symbol = root(expr)
        words = [getattr(p, "name", "") or getattr(getattr(p, "symbol", None), "name", "") for p in expressions(expr)]
        stem = "_".join(dict.fromkeys(w for w in reversed(words) if re.fullmatch(r"\w+", w))) or "value"
        stem = re.sub(r"^\d", "v", stem)
        if symbol is None:
            stem = f"{stem}_value"
        name, number = stem, 1
        taken = self._names | {s.unique for s in self._own}
        while name in taken:
            number += 1
            name = f"{stem}_{number}"
        return name, name
