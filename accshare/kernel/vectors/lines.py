"""Where the vectors of a loop along a row begin, so that those it stores lie in one line of a cache each."""

from __future__ import annotations

from accshare.builtins import past
from accshare.frontend.ir import (
    INT,
    LONG,
    Assign,
    Binary,
    Cast,
    Conditional,
    Declare,
    Expr,
    Scalar,
    Subscript,
)
from accshare.islexpr import binary, literal, step, variable
from accshare.kernel.generate.space import derived
from accshare.kernel.ir import Define, Loop, parts
from accshare.kernel.uses import used_expressions
from accshare.kernel.vectors.strips import scalar_of
from accshare.reference import in_memory
from accshare.source import Span
from accshare.tree import named, rewrite

_NOWHERE = Span(0, 0)
#: vectors of a loop that are worth as many single iterations as one has lanes, before them
_LONG = 8


def before_line(loop: Loop, high: Expr, lanes: int) -> Define | None:
    """Where the vectors of `lanes` elements begin that a loop stores: at its own beginning where it is short. None
    where nothing that it stores tells, or most of what it loads is in other columns, which straddles lines all the
    same. The loop has at least `lanes` iterations."""
    inside = {p.symbol for s in loop.body for p in parts(s) if isinstance(p, Declare | Define)}
    for store in (p for s in loop.body for p in parts(s) if isinstance(p, Assign)):
        target = store.target
        if not isinstance(target, Subscript) or not in_memory(target) or not isinstance(target.type, Scalar):
            continue
        if not mostly_beside(loop, target) or step(target.index, loop.iterator) != literal(1, LONG):
            continue
        index = rewrite(target.index, lambda e: loop.first if e == variable(loop.iterator) else None)
        if inside & named(index):
            continue
        count = literal(lanes, LONG)
        place = binary("%", binary("+", past(target.base, target.type.bytes, lanes), index, LONG), count, LONG)
        missing = binary("%", binary("-", count, place, LONG), count, LONG)
        long = Binary(">=", binary("-", high, loop.first, INT), literal(_LONG * lanes, INT), INT, _NOWHERE)
        either = Conditional(long, Cast(missing, INT, False, _NOWHERE), literal(0, INT), INT, _NOWHERE)
        type_ = scalar_of(loop.iterator)
        return Define(derived(loop.iterator, "aligned", type_), binary("+", loop.first, either, type_))
    return None


def mostly_beside(loop: Loop, store: Subscript) -> bool:
    """Whether half of the elements that an iteration loads are in the column of `store`, and in none that a loop
    counts."""
    place = store.index
    if not isinstance(place, Binary) or any(isinstance(p, Loop) for s in loop.body for p in parts(s)):
        return False
    found = {e for e in used_expressions(loop.body) if isinstance(e, Subscript) and e != store}
    beside = sum(isinstance(e.index, Binary) and e.index.rhs == place.rhs for e in found)
    return 2 * beside >= len(found)
