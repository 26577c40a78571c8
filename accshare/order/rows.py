"""Rows of their own: what each iteration of the loops outside sets anew becomes an array that it declares itself.

On a GPU, the work-items that share an iteration have such a row together, in local memory (`mapping.gpu.superpose`);
no memory is needed for those that wait. What the last iteration leaves, it stores itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import islpy as isl

from accshare.conversions import size
from accshare.dataflow import Flow
from accshare.device.model import Device
from accshare.frontend.ir import Assign, Expr, IntLit, Var
from accshare.islbuild import lexmax, like
from accshare.lifetimes import can_be_private, dependences_of, is_faithful
from accshare.order.choose import NEAR, Judge, best_of
from accshare.order.expand import is_plain_variable
from accshare.order.ir import Step, Word
from accshare.order.nests import common, each_nest, is_plain, written
from accshare.order.parts import another, shape_of
from accshare.poly.ir import (
    Access,
    Expansion,
    LoopNode,
    Mode,
    Scop,
    Statement,
    Variable,
    VariableKind,
)
from accshare.quota import Quota, QuotaExceeded
from accshare.records import dataclass, replace
from accshare.reference import strip
from accshare.tree import mentions, rewrite, rewrite_statement

_SET, _OUT = isl.dim_type.set, isl.dim_type.out
#: isl's operations for one nest
_OPERATIONS = 200_000
#: the part of a group's local memory that one row may take
_PART = 8


def or_with_rows(source: Judge, wide: tuple[Judge, tuple[Step, ...]]) -> tuple[Judge, tuple[Step, ...]]:
    """The judge of the region as it is expanded, `wide`, or of one with rows of their own, whichever is faster, or has
    fewer launches where that is nearly the same."""
    rows = _with_rows(source)
    if not rows[1]:
        return wide
    cycles, others = (_cycles(judge) for judge, _ in (rows, wide))
    return rows if cycles <= others * NEAR else wide


def _cycles(judge: Judge) -> float:
    """What a region takes in its best order."""
    return sum(best_of(judge, nest)[0] for nest in each_nest(judge.facts.scop.statements) if nest[0].loops)


def _with_rows(judge: Judge) -> tuple[Judge, tuple[Step, ...]]:
    """The judge of the region with rows of their own wherever these make the loops outside parallel."""
    steps: list[Step] = []
    outermost = {s.loops[0].index: s.loops[0] for s in judge.facts.scop.statements if s.loops}
    for loop in outermost.values():
        try:
            with Quota(_OPERATIONS):
                found, made = _in_nest(judge, loop)
        except QuotaExceeded:
            continue
        judge, steps = found, [*steps, *made]
    return judge, tuple(steps)


def _in_nest(judge: Judge, outermost: LoopNode) -> tuple[Judge, tuple[Step, ...]]:
    """The judge of the region with all rows that the iterations of a nest can have, if its loops are parallel then."""
    found, depths = judge, []
    for old in judge.facts.scop.variables:
        made = _with_row(found, outermost, old)
        if made is not None:
            found, around = found.of(made[0]), made[1]
            depths.append(len(around))
    nest = _inside(found.facts.scop, outermost)
    if not depths or written(found.facts, nest, 0).grid < max(depths):
        return judge, ()
    new = found.facts.scop.expansions[len(judge.facts.scop.expansions) :]
    each = zip(new, depths, strict=True)
    return found, tuple(Step(Word.EXPANDED, nest[0].loops[:depth], (nest,), expansion=one) for one, depth in each)


def _with_row(judge: Judge, outermost: LoopNode, old: Variable) -> tuple[Scop, tuple[LoopNode, ...]] | None:
    """The region with a row in place of a variable, and the loops whose iterations have one each."""
    facts, scop = judge.facts, judge.facts.scop
    nest = _inside(scop, outermost)
    users = [s for s in scop.statements if any(a.variable == old for a in s.accesses)]
    chain = common(nest, 0)
    inside = {s.name for s in users} <= {s.name for s in nest} and is_plain(written(facts, nest, 0))
    if old.kind is not VariableKind.MEMORY or not old.shape or not inside or not is_plain_variable(scop, old):
        return None
    shape = shape_of(scop, old)
    if shape is None or not _fits(shape, old, judge.device):
        return None
    flow = Flow.of(old, scop.statements)
    depth = 0
    while depth < len(chain) and can_be_private(scop, flow, old, chain[depth]):
        depth += 1
    around = chain[:depth]
    if not around or any(loop.loop.step != 1 for loop in around):
        return None
    found = _Rows(scop, old, shape, around, nest).made()
    return None if found is None else (found, around)


def _inside(scop: Scop, outermost: LoopNode) -> tuple[Statement, ...]:
    return tuple(s for s in scop.statements if s.loops and s.loops[0].index == outermost.index)


def _fits(shape: tuple[Expr, ...], old: Variable, device: Device) -> bool:
    """Whether arrays of some shape have something to do for all work-items of a row, and local memory has room for a
    few of them."""
    lengths = [length.value for length in shape if isinstance(length, IntLit)]
    if len(lengths) < len(shape) or prod(lengths) < device.simd_width:
        return False
    return prod(lengths) * size(old.element) <= device.local_bytes // _PART


@dataclass(frozen=True, slots=True)
class _Rows:
    """A region in which each iteration of the loops `around` a nest declares what was the variable `old`."""

    scop: Scop
    old: Variable
    shape: tuple[Expr, ...]
    around: tuple[LoopNode, ...]
    nest: tuple[Statement, ...]

    def made(self) -> Scop | None:
        """The region; None where it can't be told what the last iteration leaves."""
        new = self._variable()
        statements: dict[str, Statement] = {}
        accesses: dict[int, Access] = {}
        for old in self.scop.statements:
            accesses |= {id(a): self._access(old, a, new) for a in old.accesses}
            body = rewrite_statement(old.body, lambda e: self._renamed(e, new)) if old in self.nest else old.body
            statements[old.name] = replace(old, body=body, accesses=tuple(accesses[id(a)] for a in old.accesses))
        last = self._last(new)
        if last is None:
            return None
        kept = (d.between(statements, accesses) for d in self.scop.dependences)
        order = list(statements.values())
        order.insert(1 + max(order.index(statements[s.name]) for s in self.nest), last)
        found = replace(
            self.scop,
            variables=(*self.scop.variables, new),
            statements=tuple(order),
            dependences=tuple(d for d in kept if new not in (d.source_access.variable, d.sink_access.variable)),
            expansions=(*self.scop.expansions, Expansion(new, self.old, last.name)),
        )
        if not is_faithful(found, found.expansions[-1]):
            return None
        own = dependences_of(found, lambda access: access.variable == new)
        return replace(found, dependences=(*found.dependences, *own))

    def _variable(self) -> Variable:
        own = f"own_{self.old.name}"
        return another(self.scop, own, self.old, self.shape, VariableKind.PRIVATE, len(self.around))

    def _renamed(self, expr: object, new: Variable) -> Var | None:
        if not isinstance(expr, Var) or expr != self.old.base or not isinstance(new.base, Var):
            return None
        return Var(new.base.symbol, expr.span)

    def _access(self, statement: Statement, access: Access, new: Variable) -> Access:
        if access.variable != self.old:
            return access
        every = statement.tuples
        iteration = every.to(every.coordinates[: len(self.around)])
        own = iteration.flat_range_product(access.relation.reset_tuple_id(_OUT))
        return replace(
            access,
            variable=new,
            space=new.name,
            reference=rewrite(access.reference, lambda e: self._renamed(e, new)),
            subscripts=tuple(rewrite(index, lambda e: self._renamed(e, new)) for index in access.subscripts),
            relation=own.set_tuple_name(_OUT, new.name),
        )

    def _last(self, new: Variable) -> Statement | None:
        """The statement by which the last iteration stores its row, in the loops of one that sets all of it."""
        for writer in self.nest:
            for write in writer.accesses:
                if write.variable == self.old and write.mode is Mode.WRITE:
                    over = tuple(self._over(writer, write))
                    if len(over) == len(write.subscripts):
                        return self._stores(writer, write, over, new)
        return None

    def _over(self, writer: Statement, write: Access) -> Iterator[LoopNode]:
        """The loops right inside whose iterators are the subscripts, if nothing else tells where these lead."""
        depth = len(self.around)
        inside = writer.loops[depth : depth + len(write.subscripts)]
        symbols = [e.symbol for e in map(strip, write.subscripts) if isinstance(e, Var)]
        for loop in inside:
            bounds = loop.loop.first, loop.loop.bound
            others = [n for n in writer.loops if n != loop]
            if loop.iterator in symbols and not any(mentions(b, n.iterator) for b in bounds for n in others):
                yield loop

    def _stores(self, writer: Statement, write: Access, over: tuple[LoopNode, ...], new: Variable) -> Statement:
        depth, count = len(self.around), len(over)
        name = f"{writer.name}_last"
        first = self.scop.unused_loop
        inner = tuple(
            replace(loop, index=first + k, loop=replace(loop.loop, directive=None)) for k, loop in enumerate(over)
        )
        domain = over[-1].domain.reset_tuple_id()
        outside = lexmax(self.around[-1].domain.reset_tuple_id())
        domain = domain.intersect(outside.add_dims(_SET, count)).set_tuple_name(name)
        every = like(domain)
        symbols = [loop.iterator for loop in over]
        place = [
            every.coordinates[depth + symbols.index(e.symbol)]
            for e in map(strip, write.subscripts)
            if isinstance(e, Var)
        ]
        target = every.to(place, self.old.name).intersect_domain(domain)
        source = every.to([*every.coordinates[:depth], *place], new.name).intersect_domain(domain)
        value = rewrite(write.reference, lambda e: self._renamed(e, new))
        read = replace(write, variable=new, space=new.name, mode=Mode.READ, reference=value, relation=source)
        loops = (*self.around, *inner)
        time = self._time(every.coordinates, loops)
        body = Assign(write.reference, "=", value, write.span)
        return Statement(name, body, loops, domain, every.to(time), (read, replace(write, relation=target)))

    def _time(self, iterators: tuple[isl.Aff, ...], loops: tuple[LoopNode, ...]) -> list[isl.Aff | int]:
        """When a statement runs that comes behind all others of an iteration of the loops outside."""
        depth = len(self.around)
        width = self.nest[0].time.dim(_OUT)
        latest = [max(s.time.range().dim_max_val(2 * k).to_python() for s in self.nest) for k in range(depth + 1)]
        order: list[isl.Aff | int] = []
        for k, loop in enumerate(loops):
            order += [latest[k] + (k == depth) if k <= depth else 0, loop.time(iterators)]
        return [*order, *[0] * (width - len(order))]
