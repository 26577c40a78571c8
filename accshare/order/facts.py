"""What is asked of a region's dependences while orders are compared, each question answered once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Concatenate, ParamSpec, TypeVar, cast

import islpy as isl

from accshare import tree
from accshare.carried import carried
from accshare.closed import Combining, extreme
from accshare.combining import combined, is_exact
from accshare.dataflow import Flow
from accshare.frontend.ir import Expr
from accshare.lifetimes import can_be_private
from accshare.order.pairs import Pairs
from accshare.poly.ir import Access, Dependence, LoopNode, Scop, Statement, Variable, VariableKind
from accshare.pragma.ir import ReductionOp
from accshare.quota import complete

#: a loop that is known to have fewer iterations is none to spread over a machine
_FEWEST = 8
_PARAM = isl.dim_type.param
P = ParamSpec("P")
T = TypeVar("T")


class Facts:
    """The answers about one region; the loops in `near` have no more iterations than what a cache keeps of them."""

    def __init__(self, scop: Scop, near: frozenset[int] = frozenset(), pairs: Pairs | None = None) -> None:
        self.scop = scop
        self.near = near
        self.pairs = pairs or Pairs(scop.context)
        self._private: dict[tuple[str, int], bool] = {}
        self._flows: dict[str, Flow] = {}
        self._short: dict[int, bool] = {}
        self._between: dict[tuple[object, ...], tuple[Dependence, ...]] = {}
        self.combines = Combining()
        self._conditions: dict[tuple[int, str, str], bool] = {}
        self._found: dict[tuple[object, ...], object] = {}
        self._others: dict[int, Facts] = {}

    def of(self, scop: Scop) -> Facts:
        """The answers about what became of the region, which are asked for again."""
        return self if scop is self.scop else self._others.setdefault(id(scop), self.after(scop))

    def after(self, scop: Scop, near: frozenset[int] = frozenset()) -> Facts:
        """The answers about what became of the region: of dependences that stayed they are known."""
        return Facts(scop, near, self.pairs)

    def once(self, find: Callable[[], T], about: object, nest: tuple[Statement, ...], *args: object) -> T:
        """What is found `about` a nest, and depends on no device."""
        key = about, *(s.name for s in nest), *args
        if key not in self._found:
            self._found[key] = complete(find())
        return cast(T, self._found[key])

    def between(self, group: tuple[Statement, ...], depth: int) -> tuple[Dependence, ...]:
        """The dependences between instances of a group of statements in the same iterations of the loops from outside
        down to `depth`."""
        key = depth, *(s.name for s in group)
        if key not in self._between:
            names = {s.name for s in group}
            inside = (d for d in self.scop.dependences if d.source.name in names and d.sink.name in names)
            self._between[key] = tuple(d for d in inside if self.pairs.exist(d.relation, depth))
        return self._between[key]

    def keeps(self, dependence: Dependence, depth: int, source: LoopNode, sink: LoopNode) -> bool:
        """Whether for all pairs of a dependence, in the same iterations of the loops down to `depth`, a loop around the
        source and one around the sink have got to the same number."""
        return self.pairs.are_kept(dependence.relation, depth, source.depth, sink.depth)

    def is_private(self, variable: Variable, loop: LoopNode) -> bool:
        """Whether each iteration of a loop can have a scalar for itself."""
        if variable.kind is VariableKind.MEMORY or variable.shape:
            return False
        key = variable.name, loop.index
        if key not in self._private:
            self._private[key] = complete(can_be_private(self.scop, self.flow(variable), variable, loop))
        return self._private[key]

    def flow(self, variable: Variable) -> Flow:
        """Which write each read of a variable sees, in the program's order."""
        if variable.name not in self._flows:
            self._flows[variable.name] = complete(Flow.of(variable, self.scop.statements))
        return self._flows[variable.name]

    def is_hard(self, dependence: Dependence, loop: LoopNode) -> bool:
        """Whether a dependence is sure to keep iterations of a loop in order: nothing tested or promised can take
        it away, and it is not on a scalar, which may be each iteration's own or combined."""
        if not dependence.source_access.variable.shape or not dependence.exact or dependence.atomic:
            return False
        return self.pairs.are_carried(dependence.relation, loop.depth) and not self._has_condition(dependence)

    def is_ordered(self, dependence: Dependence, loop: LoopNode) -> bool:
        """Whether a loop's iterations run one after the other because of a dependence, which is sure to keep them in
        order or has them combine into an element."""
        if self.is_hard(dependence, loop):
            return True
        element = bool(dependence.source_access.variable.shape) and not dependence.atomic
        return element and self.combines(dependence) and self.pairs.are_carried(dependence.relation, loop.depth)

    def needs_scalar(self, dependence: Dependence, loop: LoopNode) -> bool:
        """Whether a dependence leads from one iteration of a loop to another by a scalar that these can't have each for
        itself, and don't combine into."""
        variable = dependence.source_access.variable
        if variable.shape or self.combines(dependence) or not self.pairs.are_carried(dependence.relation, loop.depth):
            return False
        return not self.is_private(variable, loop)

    def is_short(self, loop: LoopNode) -> bool:
        """Whether a loop is known to have few iterations."""
        if loop.index not in self._short:
            low, high = loop.domain.dim_min_val(loop.depth), loop.domain.dim_max_val(loop.depth)
            known = low.is_int() and high.is_int()
            few = known and (high - low).lt(isl.Val(_FEWEST * abs(loop.loop.step)))
            self._short[loop.index] = complete(bool(few))
        return self._short[loop.index]

    def _has_condition(self, dependence: Dependence) -> bool:
        """Whether a parameter that no loop's bounds have tells if it exists."""
        key = id(dependence.relation), dependence.source.name, dependence.sink.name
        if key not in self._conditions:
            known = _parameters(dependence.source.domain) | _parameters(dependence.sink.domain)
            self._conditions[key] = not _parameters(dependence.relation) <= known and (
                not _parameters(dependence.relation.gist_params(self.scop.context)) <= known
            )
        return self._conditions[key]


def found_once(
    find: Callable[Concatenate[Facts, tuple[Statement, ...], P], T],
) -> Callable[Concatenate[Facts, tuple[Statement, ...], P], T]:
    """A function of a region's facts and one of its nests that no device has a part in: orders for several of them ask
    it once."""

    def asked(facts: Facts, nest: tuple[Statement, ...], /, *args: P.args, **kwargs: P.kwargs) -> T:
        return facts.once(lambda: find(facts, nest, *args, **kwargs), find, nest, *args, *kwargs.values())

    functools.update_wrapper(asked, find)
    return asked


def each_found_once(
    find: Callable[Concatenate[Facts, tuple[Statement, ...], P], Iterator[T]],
) -> Callable[Concatenate[Facts, tuple[Statement, ...], P], tuple[T, ...]]:
    """The same of a function that finds several."""

    def every(facts: Facts, nest: tuple[Statement, ...], /, *args: P.args, **kwargs: P.kwargs) -> tuple[T, ...]:
        return tuple(find(facts, nest, *args, **kwargs))

    functools.update_wrapper(every, find)
    return found_once(every)


def _parameters(some: isl.Set | isl.Map) -> set[str | None]:
    count = some.dim(_PARAM)
    return {some.get_dim_name(_PARAM, k) for k in range(count) if some.involves_dims(_PARAM, k, 1)}


def commuting(scop: Scop, reassociate: bool = False) -> frozenset[int]:
    """The ``id`` of those dependences both of whose ends combine a value into what they share by one operator, which
    has no order, has none as the region's numbers are tested, or whose order the user doesn't ask for (`reassociate`):
    either may be the first, as long as one is."""
    known: dict[tuple[int, int], ReductionOp | None] = {}

    def operator(statement: Statement, access: Access) -> ReductionOp | None:
        key = id(statement.body), id(access.reference)
        if key not in known:
            found = combined(statement.body, access.reference)
            free = reassociate or is_exact(statement.body) or (scop.tests and extreme(statement) is not None)
            known[key] = found if free else None
        return known[key]

    def commute(one: Dependence) -> bool:
        own = operator(one.source, one.source_access)
        return own is not None and own is operator(one.sink, one.sink_access)

    return frozenset(id(one) for one in scop.dependences if commute(one))


def moves(access: Access, loop: LoopNode) -> bool:
    """Whether iterations of a loop reach different elements."""
    return any(mentions(index, loop) for index in access.subscripts)


def mentions(expr: Expr, loop: LoopNode) -> bool:
    """Whether an expression has a loop's iterator."""
    return tree.mentions(expr, loop.iterator)


def is_parallel(scop: Scop, loop: LoopNode) -> bool:
    """Whether iterations of a loop need nothing of one another."""
    own = {s.name for s in scop.statements if loop in s.loops}
    between = (d.relation for d in scop.dependences if {d.source.name, d.sink.name} <= own)
    return all(carried(pairs.intersect_params(scop.context), loop.depth).is_empty() for pairs in between)
