"""From a region's C AST to statements, domains and accesses."""

from __future__ import annotations

from collections.abc import Mapping

import islpy as isl

from accshare.diagnostics import Rejected, rejected
from accshare.frontend.ir import (
    Assign,
    Atomic,
    Block,
    Declare,
    For,
    GeneralFor,
    If,
    Jump,
    Region,
    Stmt,
    Unsupported,
    Var,
    While,
)
from accshare.islbuild import Value, points
from accshare.poly.accesses import Collector
from accshare.poly.affine import Assumptions, Frame, NotAffine, affine_condition
from accshare.poly.domain import loop_domain
from accshare.poly.ir import LoopNode, Opaque, Statement
from accshare.poly.parameters import Parameters
from accshare.records import dataclass, replace
from accshare.tree import substatements

#: convex parts of the instances of a statement; every question about two statements takes their product
_MOST_CASES = 24


@dataclass(frozen=True, slots=True)
class Position:
    """Where a statement stands: the loops around it, each with its place in the body of the one around it, and the
    instances so far."""

    loops: tuple[LoopNode, ...]
    domain: isl.Set
    positions: tuple[int, ...]

    @property
    def iterators(self) -> Mapping[str, int]:
        return {node.iterator.unique: k for k, node in enumerate(self.loops)}


class Builder:
    """Walks a region once; the results are in `statements` and `opaque`."""

    def __init__(self, region: Region, parameters: Parameters, collector: Collector, assumptions: Assumptions) -> None:
        self.statements: list[Statement] = []
        self.opaque: list[Opaque] = []
        self._region = region
        self._parameters = parameters
        self._collector = collector
        self._assumptions = assumptions
        self._loops = 0
        self._levels = 2 * _depth(region.body) + 1

    def build(self) -> None:
        """Read the whole region."""
        self._sequence(self._region.body.statements, Position((), points(0).everything, ()), [0])

    def _frame(self, place: Position) -> Frame:
        return Frame(place.domain, place.iterators, self._parameters, self._assumptions)

    def _sequence(self, stmts: tuple[Stmt, ...], place: Position, position: list[int]) -> None:
        """Statements that follow each other; `position` counts them in the order of the enclosing loop's body, by
        twos: what the compiler adds has a place in front of each."""
        for stmt in stmts:
            self._statement(stmt, place, position)

    def _statement(self, stmt: Stmt, place: Position, position: list[int]) -> None:
        if place.domain.is_empty():
            return
        match stmt:
            case Block():
                self._sequence(stmt.statements, place, position)
            case Unsupported(diagnostic, span, unlikely):
                if not unlikely:
                    raise Rejected(diagnostic)
                self._assumptions.forbid(place.domain, diagnostic.message, span)
            case Declare(symbol, init, span):
                self._collector.declare(symbol, len(place.loops))
                if init is not None:
                    self._leaf(Assign(Var(symbol, span), "=", init, span), place, position)
            case If():
                self._branch(stmt, place, position)
            case For():
                self._loop(stmt, place, position)
            case GeneralFor(reason=reason, header=header):
                self.opaque.append(Opaque(reason, header))
                self._leaf(stmt, place, position)
            case While(condition=condition):
                self.opaque.append(Opaque("a while loop: how often it runs is decided by data", condition.span))
                self._leaf(stmt, place, position)
            case Assign() | Atomic():
                self._leaf(stmt, place, position)
            case Jump(word=word, span=span):
                raise rejected("ACC202", f"{word} in a place accshare can't follow", span, "use if … else instead")

    def _branch(self, stmt: If, place: Position, position: list[int]) -> None:
        condition, then, other = stmt.condition, stmt.then, stmt.other
        try:
            yes = affine_condition(condition, self._frame(place))
        except NotAffine as why:
            self.opaque.append(Opaque(f"the condition is decided by data: {why.reason}", condition.span))
            self._leaf(stmt, place, position)
            return
        no = yes if other is None else place.domain.subtract(yes)
        if max(yes.n_basic_set(), no.n_basic_set()) > _MOST_CASES:
            self.opaque.append(Opaque("the condition has too many cases to be followed", condition.span))
            self._leaf(stmt, place, position)
            return
        self._sequence(then.statements, replace(place, domain=yes), position)
        if other is not None:
            self._sequence(other.statements, replace(place, domain=no), position)

    def _loop(self, stmt: For, place: Position, position: list[int]) -> None:
        try:
            domain = loop_domain(stmt, self._frame(place))
        except NotAffine as why:
            self.opaque.append(Opaque(f"the loop over {stmt.iterator.name} isn't affine: {why.reason}", why.span))
            self._leaf(stmt, place, position)
            return
        node = LoopNode(self._loops, len(place.loops), stmt, domain)
        self._loops += 1
        self._collector.enter(stmt, len(place.loops) + 1)
        inside = Position((*place.loops, node), domain, (*place.positions, position[0]))
        position[0] += 2
        self._sequence(stmt.body.statements, inside, [0])

    def _leaf(self, stmt: Stmt, place: Position, position: list[int]) -> None:
        _check_jumps(stmt)
        name = f"S{len(self.statements)}"
        stmt, accesses = self._collector.statement(stmt, name, self._frame(place), place.loops)
        every = points(len(place.loops), name)
        order: list[Value] = []
        for node, at in zip(place.loops, place.positions, strict=True):
            order += [at, node.time(every.coordinates)]
        order.append(position[0])
        position[0] += 2
        domain = place.domain.set_tuple_name(name)
        time = every.to([*order, *[0] * (self._levels - len(order))]).intersect_domain(domain)
        self.statements.append(Statement(name, stmt, place.loops, domain, time, accesses))


def _check_jumps(stmt: Stmt) -> None:
    """A jump that leaves the statement would need the loops that code generation takes away."""

    def walk(node: Stmt, in_loop: bool) -> None:
        if isinstance(node, Unsupported):
            raise Rejected(node.diagnostic)
        if isinstance(node, Jump) and not in_loop:
            raise rejected("ACC202", f"{node.word} out of data-dependent code", node.span, "use if … else instead")
        match node:
            case For() | GeneralFor() | While():
                for part in substatements(node):
                    walk(part, True)
            case Block(parts):
                for part in parts:
                    walk(part, in_loop)
            case If(then=then, other=other):
                walk(then, in_loop)
                if other is not None:
                    walk(other, in_loop)

    walk(stmt, False)


def _depth(stmt: Stmt) -> int:
    match stmt:
        case Block(parts):
            return max((_depth(p) for p in parts), default=0)
        case For(body=body):
            return 1 + _depth(body)
        case If(then=then, other=other):
            return max(_depth(then), _depth(other) if other is not None else 0)
        case _:
            return 0
