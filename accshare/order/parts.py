"""The parts that iterations of a loop get of a variable that they all used."""

from __future__ import annotations

from functools import reduce

import islpy as isl

from accshare.frontend.ir import LONG, Array, Expr, IntLit, Storage, Subscript, Symbol, Type, Var
from accshare.islbuild import points
from accshare.islexpr import binary, literal, of_value, variable
from accshare.poly.ir import LoopNode, Scop, Variable, VariableKind
from accshare.records import dataclass
from accshare.tree import rewrite

_SET = isl.dim_type.set


@dataclass(frozen=True, slots=True)
class Parts:
    """What takes the place of `old`: the first part of `new` is that of iteration `low` of the loop, the last one that
    of iteration `high`."""

    old: Variable
    new: Variable
    loop: LoopNode
    low: int
    high: Expr

    @property
    def scope(self) -> int:
        """How many leading dimensions of an element of `old` are iterations that declare it."""
        return self.old.scope if self.old.kind is VariableKind.PRIVATE else 0

    def at(self, expr: Expr, index: Expr) -> Expr:
        """An expression that uses the part of that number."""
        return rewrite(expr, lambda e: self.change(e, index))

    def change(self, expr: Expr, index: Expr) -> Expr | None:
        """The part that takes the place of the variable."""
        base = self.new.base
        if not isinstance(expr, Var) or expr != self.old.base or not isinstance(base.type, Array):
            return None
        return Subscript(base, index, base.type.element, expr.span)


def parts_for(scop: Scop, old: Variable, loop: LoopNode) -> Parts | None:
    """The variable that has a part for each iteration; None where it isn't known how much that is."""
    every = loop.domain.project_out(_SET, 0, loop.depth).intersect_params(scop.context)
    low, shape = every.dim_min_val(0), shape_of(scop, old)
    if not low.is_int() or shape is None or not every.is_bounded():
        return None
    first, last = low.to_python(), of_value(every.dim_max(0), scop.context, _names(scop), LONG)
    length = binary("+", last, literal(1 - first, LONG), LONG)
    new = another(scop, f"{old.name}_of_{loop.iterator.name}", old, (length, *shape))
    return Parts(old, new, loop, first, last)


def another(
    scop: Scop,
    name: str,
    old: Variable,
    shape: tuple[Expr, ...],
    kind: VariableKind = VariableKind.MEMORY,
    depth: int = 0,
) -> Variable:
    """A variable that the compiler adds for elements of an old one, called `name` or much the same."""
    type_: Type = old.element
    for length in reversed(shape):
        type_ = Array(type_, length)
    free = scop.unused(name)
    symbol = Symbol(free, free, type_, Storage.INNER)
    return Variable(free, variable(symbol), old.element, shape, kind, depth, False, False)


def shape_of(scop: Scop, old: Variable) -> tuple[Expr, ...] | None:
    """How many elements there are along each dimension of an array: as many as its type says, or its subscripts."""
    scope, rank = old.scope if old.kind is VariableKind.PRIVATE else 0, len(old.shape)
    parts: list[isl.Set] = []
    for access in (a for s in scop.statements for a in s.accesses if a.variable == old):
        own = access.relation.range().project_out(_SET, 0, scope).reset_tuple_id()
        parts += [own] if not any(own.plain_is_equal(part) for part in parts) else []
    reached = reduce(isl.Set.union, parts, points(rank).nothing).intersect_params(scop.context)
    if not reached.is_bounded():
        return None
    around = reached.remove_divs()  # which is asked sooner
    result: list[Expr] = []
    for k, declared in enumerate(old.shape):
        if not any(_begins(some.dim_min_val(k)) for some in (around, reached)):
            return None
        if isinstance(declared, IntLit):
            result.append(declared)
        else:
            last = of_value(reached.dim_max(k), scop.context, _names(scop), LONG)
            result.append(binary("+", last, literal(1, LONG), LONG))
    return tuple(result)


def _begins(low: isl.Val) -> bool:
    """Whether an array has its first element there, or before."""
    return bool(low.is_int()) and not low.is_neg()


def _names(scop: Scop) -> dict[str, Expr]:
    return {p.symbol.unique: variable(p.symbol) for p in scop.parameters}
