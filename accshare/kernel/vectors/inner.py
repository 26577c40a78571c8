"""Vectors along a loop inside an iteration, whose own iterations may run in any order.

Where the loop is long and stores one element after the other, its first iterations run one by one, up to where a vector
is whole in a line. Each lane combines for itself, beginning with the value that changes nothing. When no whole vector
is left, lanes are combined by halves, and each width on the way down takes another step of the remainder loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from accshare.builtins import half
from accshare.combining import combined, identity
from accshare.frontend.ir import INT, Array, Assign, Binary, Declare, Expr, If, Scalar, Subscript, Symbol, Var
from accshare.islexpr import binary, literal, variable
from accshare.kernel.generate.body import buffer_symbol
from accshare.kernel.generate.space import Space, derived
from accshare.kernel.ir import Define, Guarded, Loop, Stmt, parts
from accshare.kernel.passes.promote import register_of
from accshare.kernel.uses import rewritten, symbols
from accshare.kernel.vectors.folding import ended, merged
from accshare.kernel.vectors.lanes import Lanes, NotVector, vector_of
from accshare.kernel.vectors.lines import before_line
from accshare.kernel.vectors.strips import after_strips, at_least, last_of, nths, scalar_of, strided
from accshare.mapping.ir import VectorReduction
from accshare.pragma.ir import ReductionOp
from accshare.records import dataclass, replace
from accshare.schedule.ir import Member, accumulator
from accshare.source import Span
from accshare.tree import expressions

_NOWHERE = Span(0, 0)
#: the narrowest vectors that take a step of a remainder loop
_NARROWEST = 4


@dataclass(frozen=True, slots=True)
class Free:
    """What the iterations of a loop may combine into, and the variables of which each has its own."""

    combined: Mapping[Symbol, ReductionOp]
    private: frozenset[Symbol]


def free_loops(space: Space) -> dict[int, Free]:
    """The loops of a kernel whose iterations may run in any order, by `LoopNode.index`."""
    return {m.loop.index: _free(m, space) for m in space.partition.nest.reassociable}


def _free(member: Member, space: Space) -> Free:
    found: dict[Symbol, ReductionOp] = {}
    for reduction in member.reductions:
        variable_ = reduction.variable
        own = {accumulator(variable_), register_of(buffer_symbol(variable_), variable_.element)}
        own |= {variable_.base.symbol} if isinstance(variable_.base, Var) else set()
        found |= dict.fromkeys(own, reduction.op)
    bases = (v.base for v in space.scop.variables if v.name in member.private)
    return Free(found, frozenset(b.symbol for b in bases if isinstance(b, Var)))


@dataclass(frozen=True, slots=True)
class Vectors:
    """Vectors as `inner` says, along the loops that are `free`."""

    inner: VectorReduction
    free: Mapping[int, Free]

    def along(self, stmt: Stmt) -> Free | None:
        """What is known of a loop that vectors can lie along; None where it is another one, or shorter than these."""
        if not isinstance(stmt, Loop) or stmt.member is None or 1 < stmt.unroll < self.inner.lanes:
            return None
        return self.free.get(stmt.member.loop.index)

    def enough(self, loop: Loop) -> Expr | None:
        """Whether the first of such loops in `loop` is long enough for tiles of iterations; None where that depends on
        the iteration, or any is."""
        if not self.inner.long:
            return None
        found = next((part for s in loop.body for part in parts(s) if self.along(part)), None)
        if not isinstance(found, Loop):
            return None
        first, high = found.first, last_of(found)
        inside = [p for s in loop.body for p in parts(s)]
        names = (p.symbol if isinstance(p, Define) else p.iterator for p in inside if isinstance(p, Define | Loop))
        fixed = {loop.iterator, *_assigned(loop.body), *names}
        if any(isinstance(e, Var) and e.symbol in fixed for bound in (first, high) for e in expressions(bound)):
            return None
        return at_least(first, high, self.inner.long)


@dataclass(frozen=True, slots=True)
class Around:
    """The iterations of a tile, `count` in all, that run a loop together. `number` is that of the current one, `each`
    runs statements for all of them; `straight` writes statements without loops in lanes, `outer` without."""

    count: int
    number: Expr
    outer: Lanes
    each: Callable[[tuple[Stmt, ...]], tuple[Stmt, ...]]
    straight: Callable[[tuple[Stmt, ...], Lanes], tuple[Stmt, ...]]


def in_lanes(loop: Loop, free: Free, inner: VectorReduction, around: Around, one: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """`loop` in vectors along it, for all iterations of a tile; `one` is an iteration without. Raises `NotVector`."""
    changed = _assigned(loop.body)
    ops = {s: op for s, op in free.combined.items() if s in changed}
    declared = {p.symbol for s in loop.body for p in parts(s) if isinstance(p, Declare | Define)}
    own = changed - ops.keys() - declared
    if not own <= free.private or any(_ops(loop.body, s) != {op} for s, op in ops.items()):
        raise NotVector
    interleave = inner.interleave if around.count == 1 else 1
    lanes = _VectorLoop(loop, changed, ops, around, inner.lanes, interleave)
    high, type_ = last_of(loop), scalar_of(loop.iterator)
    left = replace(loop, unroll=1, body=one, remainder=True)
    begins = before_line(left, high, inner.lanes) if around.count == 1 else None
    first = variable(begins.symbol) if begins else loop.first
    stmts: list[Stmt] = []
    if begins:
        below = Binary("<", variable(loop.iterator), first, INT, _NOWHERE)
        stmts += (begins, replace(left, condition=below))
    stmts += lanes.start()
    start, before = first, _Step(inner.lanes, interleave)
    for step in _steps(inner.lanes, interleave):
        stmts += lanes.narrowed(before, step)
        rest = derived(loop.iterator, f"from{step.iterations}", type_)
        stmts += (
            lanes.strips(first, high, step),
            Define(rest, after_strips(start, high, step.iterations, type_)),
        )
        first, before = variable(rest), step
    stmts += (*lanes.narrowed(before, _Step(1, 1)), replace(left, first=first))
    return (Guarded(at_least(loop.first, high, inner.lanes), tuple(stmts), (left,)),)


@dataclass(frozen=True, slots=True)
class _Step:
    """So many vectors of so many lanes."""

    lanes: int
    vectors: int

    @property
    def iterations(self) -> int:
        """Those of the loop in one step."""
        return self.lanes * self.vectors


def _steps(lanes: int, interleave: int) -> Iterator[_Step]:
    """Wide ones first."""
    if interleave > 1:
        yield _Step(lanes, interleave)
    yield _Step(lanes, 1)
    while lanes // 2 >= _NARROWEST:
        lanes //= 2
        yield _Step(lanes, 1)


@dataclass(frozen=True, slots=True)
class _VectorLoop:
    """A loop in lanes; it changes the variables `changed`, of which it combines into some by `ops`. The widest step is
    `interleave` vectors of `widest` lanes."""

    loop: Loop
    changed: frozenset[Symbol]
    ops: Mapping[Symbol, ReductionOp]
    around: Around
    widest: int
    interleave: int

    def at(self, symbol: Symbol, lanes: int, chain: Expr | None = None) -> Expr:
        """The accumulators of the current iteration, in one vector."""
        kind = vector_of(symbol.type, lanes)
        interleave = self.interleave if lanes == self.widest else 1
        count = self.around.count * interleave
        held = variable(self._held(symbol, kind, count))
        if count == 1:
            return held
        number = binary("*", self.around.number, literal(interleave, INT), INT)
        return Subscript(held, binary("+", number, chain or literal(0, INT), INT), kind, _NOWHERE)

    def _held(self, symbol: Symbol, kind: Scalar, count: int) -> Symbol:
        several = Array(kind, literal(count, INT)) if count > 1 else kind
        return replace(symbol, unique=f"{symbol.unique}_x{kind.lanes}", type=several)

    def _declared(self, lanes: int) -> Iterator[Stmt]:
        for symbol in self.ops:
            at = self.at(symbol, lanes)
            held = at.base if isinstance(at, Subscript) else at
            assert isinstance(held, Var)
            yield Declare(held.symbol, None, _NOWHERE)

    def start(self) -> Iterator[Stmt]:
        """All of them at the value that changes nothing."""
        yield from self._declared(self.widest)
        places = ((s, op, literal(k, INT)) for s, op in self.ops.items() for k in range(self.interleave))
        yield from self.around.each(
            tuple(Assign(self.at(s, self.widest, k), "=", identity(op, scalar_of(s)), _NOWHERE) for s, op, k in places)
        )

    def strips(self, first: Expr, high: Expr, step: _Step) -> Loop:
        """The loop from `first` on in such steps."""
        lanes, vectors = step.lanes, step.vectors
        iterator = self.loop.iterator
        start = iterator if vectors == 1 else derived(iterator, "block", scalar_of(iterator))
        nth = variable(derived(iterator, "nth", INT)) if vectors > 1 else None
        own: dict[Symbol, Expr] = {s: self.at(s, lanes, nth) for s in self.ops}
        private = {s: self._held(s, vector_of(s.type, lanes), 1) for s in self.changed - self.ops.keys()}
        own |= {s: variable(held) for s, held in private.items()}
        body = tuple(rewritten(s, self._outside) for s in self.loop.body)
        declares = (Declare(held, None, _NOWHERE) for held in private.values())
        once = self.around.each((*declares, *self.around.straight(body, Lanes(iterator, lanes, own))))
        if vectors > 1:
            once = (nths(iterator, start, vectors, once, lanes),)
        return replace(strided(self.loop, start, first, high, step.iterations), body=once)

    def _outside(self, expr: Expr) -> Expr | None:
        """What stands for a variable that the loop does not change."""
        outer = self.around.outer
        if not isinstance(expr, Var) or expr.symbol in self.changed:
            return None
        return outer.defined.get(expr.symbol) or outer.own.get(expr.symbol)

    def narrowed(self, before: _Step, after: _Step) -> Iterator[Stmt]:
        """From some vectors of some lanes to fewer."""
        lanes, vectors = before.lanes, before.vectors
        if vectors > after.vectors:
            yield from self.around.each(
                tuple(
                    one
                    for s in self.ops
                    for k in range(1, vectors)
                    for one in merged(
                        self.ops[s], self.at(s, lanes), self.at(s, lanes, literal(k, INT)), scalar_of(s), lanes
                    )
                )
            )
        while lanes > max(2, after.lanes):
            lanes //= 2
            yield from self._declared(lanes)
            yield from self.around.each(tuple(one for s in self.ops for one in self._halved(s, lanes)))
        if after.lanes == 1:
            target = self.around.outer.of
            ends = (
                ended(op, target(variable(s)), self.at(s, lanes), scalar_of(s), lanes) for s, op in self.ops.items()
            )
            yield from self.around.each(tuple(one for end in ends for one in end))

    def _halved(self, symbol: Symbol, lanes: int) -> Iterator[Stmt]:
        target, type_ = self.at(symbol, lanes), scalar_of(symbol)
        whole = self.at(symbol, 2 * lanes)
        yield Assign(target, "=", half(whole, 0), _NOWHERE)
        yield from merged(self.ops[symbol], target, half(whole, 1), type_, lanes)


def _assigned(stmts: tuple[Stmt, ...]) -> frozenset[Symbol]:
    """The variables that some statements change."""
    found = set()
    for stmt in stmts:
        for part in parts(stmt):
            match part:
                case Declare(symbol) | Define(symbol, _, True) | Assign(Var(symbol)):
                    found.add(symbol)
    return frozenset(found)


def _ops(stmts: tuple[Stmt, ...], symbol: Symbol) -> set[ReductionOp | None]:
    """The operators by which statements combine into a variable, None for whatever else they do with it."""
    found: set[ReductionOp | None] = set()
    for stmt in stmts:
        if isinstance(stmt, Guarded) and symbol not in symbols((Guarded(stmt.condition, ()),)):
            found |= _ops((*stmt.then, *stmt.other), symbol)
        elif symbol in symbols((stmt,)):
            found.add(combined(stmt, variable(symbol)) if isinstance(stmt, Assign | If) else None)
    return found
