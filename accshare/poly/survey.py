"""What a region declares, counts with and assigns, before anything is modelled."""

from __future__ import annotations

from accshare.frontend.ir import Assign, Declare, Expr, For, Pointer, Region, Subscript, Symbol
from accshare.reference import root, strip
from accshare.tree import expressions, statements


def counters(region: Region) -> frozenset[Symbol]:
    """The iterators of the region's counting loops."""
    return frozenset(s.iterator for s in statements(region.body) if isinstance(s, For))


def declared(region: Region) -> frozenset[Symbol]:
    """The symbols declared inside the region."""
    return frozenset(s.symbol for s in statements(region.body) if isinstance(s, Declare))


def assigned(region: Region) -> tuple[Expr, ...]:
    """Everything the region assigns to."""
    return tuple(s.target for s in statements(region.body) if isinstance(s, Assign))


def written(region: Region) -> frozenset[Symbol]:
    """The variables whose own memory the region assigns; what they point to doesn't count."""
    roots = (root(target) for target in assigned(region) if not through_pointer(target))
    return frozenset(symbol for symbol in roots if symbol is not None)


def through_pointer(expr: Expr) -> bool:
    """Whether a reference reaches its memory through a pointer."""
    return any(isinstance(p, Subscript) and isinstance(strip(p.base).type, Pointer) for p in expressions(expr))
