"""Branches and loops that lanes don't take together: all run them, and those that are not there keep what they have.

A mask has all bits set in the lanes that run a statement. A loop goes on as long as one lane is in it; ``break`` and
``continue`` take lanes out of masks. What is loaded, stored or divided is so for the lanes that are there only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from accshare.builtins import any_lane, lane, select, vector
from accshare.frontend.ir import (
    INT,
    Assign,
    Binary,
    Block,
    Call,
    Cast,
    Conditional,
    Declare,
    Expr,
    For,
    GeneralFor,
    If,
    IntLit,
    Jump,
    Member,
    Scalar,
    Storage,
    Subscript,
    Symbol,
    Unary,
    Var,
    While,
)
from accshare.frontend.ir import Stmt as SourceStmt
from accshare.islexpr import literal, variable
from accshare.kernel.ir import Define, Stmt
from accshare.kernel.vectors.lanes import (
    MASKS,
    Lanes,
    NotVector,
    changed,
    divides,
    plain_statement,
    unconditional,
    vector_of,
)
from accshare.records import dataclass, replace
from accshare.source import Span
from accshare.tree import all_expressions, expressions, own_expressions, rewrite, statements


def masked(stmt: Stmt, lanes: Lanes, certain: frozenset[Expr]) -> tuple[Stmt, ...]:
    """`stmt` for all lanes, whatever way each of them takes; every iteration touches the elements that are `certain`.
    Raises `NotVector`."""
    try:
        return lanes.statement(stmt)
    except NotVector:
        if lanes.count == 1 or not isinstance(stmt, If | While | For | GeneralFor | Block):
            raise
        if not _pays(stmt) and any(isinstance(e, Subscript | Member) for e in all_expressions(stmt)):
            raise
        inside = [lanes.own.get(s.symbol) for s in statements(stmt) if isinstance(s, Declare)]
        declared = (Declare(own.symbol, None, stmt.span) for own in inside if isinstance(own, Var))
        return (Block((*declared, *_Masked(lanes, _kind(stmt, lanes), certain).statement(stmt)), stmt.span),)


def _pays(stmt: SourceStmt) -> bool:
    """Whether it computes so much that lanes may be loaded and stored one by one."""
    return any(isinstance(s, While | For | GeneralFor) for s in statements(stmt)) or _calls(stmt)


def _calls(stmt: SourceStmt) -> bool:
    return any(isinstance(e, Call) for e in all_expressions(stmt))


def _kind(stmt: SourceStmt, lanes: Lanes) -> Scalar:
    """The type of masks: as wide as the variables that they choose."""
    assigned = [s.target.type for s in statements(stmt) if isinstance(s, Assign)]
    widest = max((t.bytes for t in assigned if isinstance(t, Scalar)), default=INT.bytes)
    return vector_of(MASKS[max(widest, INT.bytes)], lanes.count)


@dataclass(frozen=True, slots=True)
class _Masked:
    """Runs statements in the lanes of the mask `active`, or in all of them. Those of `loop` are still in the loop
    around, those of `turn` in its current iteration. `path` makes names."""

    lanes: Lanes
    kind: Scalar
    certain: frozenset[Expr]
    active: Symbol | None = None
    loop: Symbol | None = None
    turn: Symbol | None = None
    path: str = ""
    #: in a loop that calls nothing, where loads one by one would take longer than they save
    quick: bool = False

    def statement(self, stmt: SourceStmt) -> tuple[SourceStmt, ...]:
        """Raises `NotVector`."""
        match stmt:
            case Block(inner, span):
                return (Block(self.sequence(inner), span),)
            case Assign() | Declare():
                return self._computed(stmt)
            case If():
                return self._branch(stmt)
            case While(condition, body, do, span):
                return self._while(condition, body.statements, (), do, span)
            case GeneralFor(init, asked, step, body):
                begins = self.sequence(init)
                test = literal(1, INT) if asked is None else asked
                return (*begins, *self._named("g")._while(test, body.statements, step, False, stmt.span))
            case For():
                return self._for(stmt)
            case Jump(word, None, span) if self.loop is not None and self.turn is not None:
                left = [self.turn] if word == "continue" else list(dict.fromkeys((self.loop, self.turn)))
                return tuple(self._without(symbol, span) for symbol in left)
        raise NotVector

    def sequence(self, stmts: tuple[SourceStmt, ...]) -> tuple[SourceStmt, ...]:
        """Statements one after the other; a jump takes lanes from those behind it."""
        found: list[SourceStmt] = []
        for number, stmt in enumerate(stmts):
            found += self._named(str(number) if len(stmts) > 1 else "").statement(stmt)
            if (
                _jumps_within(stmt, "")
                and self.active is not None
                and self.turn is not None
                and self.active != self.turn
            ):
                mine, turn = variable(self.active), variable(self.turn)
                found.append(Assign(mine, "=", Binary("&", mine, turn, self.kind, stmt.span), stmt.span))
        return tuple(found)

    def _named(self, name: str) -> _Masked:
        return replace(self, path=f"{self.path}_{name}") if name else self

    def _mask(self, name: str) -> Symbol:
        unique = f"{name}{self.path}_lanes"
        return Symbol(unique, unique, self.kind, Storage.INNER)

    def _all(self) -> Expr:
        """The lanes that run a statement."""
        if self.active is not None:
            return variable(self.active)
        return Cast(literal(-1, INT), self.kind, False, Span(0, 0))

    def _without(self, mask: Symbol, span: Span) -> SourceStmt:
        """Lanes of a mask leave it."""
        here = variable(mask)
        gone = Unary("~", self._all(), self.kind, span)
        return Assign(here, "=", Binary("&", here, gone, self.kind, span), span)

    # --- what is computed --------------------------------------------------------------------------------------------

    def _computed(self, stmt: Assign | Declare) -> tuple[SourceStmt, ...]:
        if self.active is None:
            return tuple(map(plain_statement, self.lanes.statement(stmt)))
        match stmt:
            case Declare(init=None):
                return ()
            case Declare(symbol, init) if init is not None and symbol in self.lanes.own:
                before, init, lanes = self._loaded(init, stmt.span)
                begins = lanes.statement(Declare(symbol, init, stmt.span))  # nobody asks what other lanes have
                return (*before, *map(plain_statement, begins))
            case Assign(Var(symbol) as target, op, value) if symbol in self.lanes.own:
                return self._kept(target, changed(target, op, value), stmt.span)
            case Assign(Subscript() | Member() as target, op, value) if not self._is_own(target):
                return self._stored(target, op, value, stmt.span)
        raise NotVector

    def _is_own(self, place: Expr) -> bool:
        """Whether it is an element of an array of which every lane has its own."""
        return isinstance(place, Subscript) and isinstance(place.base, Var) and place.base.symbol in self.lanes.arrays

    def _kept(self, target: Var, value: Expr, span: Span) -> tuple[SourceStmt, ...]:
        """A variable of each lane that takes a value in those that are there."""
        before, value, lanes = self._loaded(value, span)
        held = self.lanes.own[target.symbol]
        new = lanes.to(lanes.of(value), target.type)
        size = vector_of(target.type, lanes.count).bytes
        mask = lanes.to(self._all(), MASKS[size])
        one = Assign(held, "=", select(held, new, mask, span), span)
        return (Block((*before, one), span),) if before else (one,)

    def _loaded(self, value: Expr, span: Span) -> tuple[tuple[SourceStmt, ...], Expr, Lanes]:
        """`value` with variables instead of what it loads, which is loaded before in the lanes that are there, and the
        lanes that have these."""
        if any(divides(e) for e in expressions(value)):
            raise NotVector
        wanted = list(dict.fromkeys(e for e in expressions(value) if self._is_loaded(e)))
        if wanted and self.quick:
            raise NotVector
        if any(e in wanted for one in wanted for e in expressions(one) if e != one):
            raise NotVector  # a place that is loaded itself
        if any(_is_choice(e) and any(part in wanted for part in expressions(e)) for e in expressions(value)):
            raise NotVector
        before: list[SourceStmt] = []
        own, held = dict(self.lanes.own), {}
        for number, load in enumerate(wanted):
            name = f"load{number}{self.path}_lanes"
            first, each = self._elements(load, f"{number}", span)
            zero = Cast(literal(0, INT), load.type, False, span)
            picked = [Conditional(lane(self._all(), k, span), one, zero, load.type, span) for k, one in enumerate(each)]
            loaded = Symbol(name, name, vector_of(load.type, self.lanes.count), Storage.INNER)
            before += (*first, Declare(loaded, vector(picked, span), span))
            held[load] = Symbol(name, name, load.type, Storage.INNER)
            own[held[load]] = variable(loaded)
        value = rewrite(value, lambda e: variable(held[e]) if e in held else None)
        return tuple(before), value, replace(self.lanes, own=own)

    def _is_loaded(self, expr: Expr) -> bool:
        if not isinstance(expr, Subscript | Member) or self._is_own(expr):
            return False
        moves = any(isinstance(e, Var) and e.symbol in self.lanes.own for e in expressions(expr))
        return moves or expr not in self.certain

    def _elements(self, place: Expr, name: str, span: Span) -> tuple[tuple[SourceStmt, ...], list[Expr]]:
        """An element in each lane, and what has to be computed before."""
        numbers = range(self.lanes.count)
        if not any(isinstance(e, Var) and e.symbol in self.lanes.own for e in expressions(place)):
            return (), [self.lanes.in_lane(self.lanes.spelled(place), k) for k in numbers]
        if not isinstance(place, Subscript) or any(self._is_loaded(e) for e in expressions(place.index)):
            raise NotVector
        if any(isinstance(e, Var) and e.symbol in self.lanes.own for e in expressions(place.base)):
            raise NotVector
        index = self.lanes.of(place.index)
        unique = f"place{name}{self.path}_lanes"
        places = Symbol(unique, unique, index.type, Storage.INNER)
        each: list[Expr] = [replace(place, index=lane(variable(places), k, span)) for k in numbers]
        return (Declare(places, index, span),), each

    def _stored(self, target: Subscript | Member, op: str, value: Expr, span: Span) -> tuple[SourceStmt, ...]:
        """Elements that the lanes that are there store, one by one unless all of them are."""
        if not self.lanes.varies(target):
            raise NotVector
        before, value, lanes = self._loaded(value, span)
        first, each = self._elements(target, "s", span)
        name = f"store{self.path}_lanes"
        kind = vector_of(value.type, lanes.count)
        held = Symbol(name, name, kind, Storage.INNER)
        stores = [
            If(lane(self._all(), k, span), Block((Assign(one, op, lane(variable(held), k), span),), span), None, span)
            for k, one in enumerate(each)
        ]
        computed = Declare(held, lanes.to(lanes.of(value), value.type), span)
        return (Block((*before, *first, computed, *stores), span),)

    # --- branches ----------------------------------------------------------------------------------------------------

    def _branch(self, stmt: If) -> tuple[SourceStmt, ...]:
        span = stmt.span
        before, condition, lanes = (
            self._loaded(stmt.condition, span) if self.active else ((), stmt.condition, self.lanes)
        )
        yes, no = self._mask("then"), self._mask("else")
        asked = lanes.mask(condition, self.kind.bytes)
        taken = asked if self.active is None else Binary("&", variable(self.active), asked, self.kind, span)
        result: list[SourceStmt] = [Declare(yes, taken, span)]
        if stmt.other is not None:
            others = Unary("~", variable(yes), self.kind, span)
            rest = others if self.active is None else Binary("&", variable(self.active), others, self.kind, span)
            result.append(Declare(no, rest, span))
        if before:  # what is loaded for the condition has a block of its own
            names = [Declare(s.symbol, None, span) for s in result if isinstance(s, Declare)]
            moved = (Assign(variable(s.symbol), "=", s.init, span) for s in result if isinstance(s, Declare) and s.init)
            result = [*names, Block((*before, *moved), span)]
        for mask, side in ((yes, stmt.then), (no, stmt.other)):
            if side is not None and side.statements:
                inner = replace(self, active=mask)._named("t" if mask == yes else "e")
                body = inner.sequence(side.statements)
                result += (
                    (If(any_lane(variable(mask), span), Block(body, span), None, span),) if _is_long(side) else body
                )
        return tuple(result)

    # --- loops -------------------------------------------------------------------------------------------------------

    def _while(
        self, condition: Expr, body: tuple[SourceStmt, ...], step: tuple[SourceStmt, ...], do: bool, span: Span
    ) -> tuple[SourceStmt, ...]:
        """Goes on as long as a lane is in the loop; all lanes compute the condition."""
        loop, turn = self._mask("loop"), self._mask("turn")
        quick = not any(_calls(s) for s in (*body, *step))
        here = replace(self, active=loop, loop=loop, turn=loop, quick=quick)._named("w")
        several = any(_jumps_within(s, "continue") for s in body)
        inside = replace(here, active=turn, turn=turn) if several else here
        before, test, lanes = here._loaded(condition, span)
        asked: tuple[SourceStmt, ...] = ()
        if not (isinstance(test, IntLit) and test.value):
            still = Binary("&", variable(loop), lanes.mask(test, self.kind.bytes), self.kind, span)
            asked = (Block((*before, Assign(variable(loop), "=", still, span)), span),)
        nobody = Unary("!", any_lane(variable(loop), span), INT, span)
        leave = If(nobody, Block((Jump("break", None, span),), span), None, span)
        starts = (Declare(turn, variable(loop), span),) if several else ()
        work = (*inside.sequence(body), *here._named("n").sequence(step))
        turns = (leave, *starts, *work, *asked) if do else (*asked, leave, *starts, *work)
        return (Declare(loop, self._all(), span), While(literal(1, INT), Block(turns, span), False, span))

    def _for(self, stmt: For) -> tuple[SourceStmt, ...]:
        """Lanes count together where they count alike."""
        span = stmt.span
        if self.lanes.varies(stmt.first) or self.lanes.varies(stmt.bound) or _loads_any(stmt.first, stmt.bound):
            raise NotVector
        loop, turn, quick = self._mask("loop"), self._mask("turn"), not _calls(stmt.body)
        if not any(_jumps_within(s, "") for s in stmt.body.statements):
            inner = replace(self, loop=None, turn=None, quick=quick)._named("f")
            return (replace(stmt, body=Block(inner.sequence(stmt.body.statements), span)),)
        here = replace(self, active=turn, loop=loop, turn=turn, quick=quick)._named("f")
        nobody = Unary("!", any_lane(variable(loop), span), INT, span)
        leave = If(nobody, Block((Jump("break", None, span),), span), None, span)
        starts = Declare(turn, variable(loop), span)
        body = Block((leave, starts, *here.sequence(stmt.body.statements)), span)
        return (Declare(loop, self._all(), span), replace(stmt, body=body))


def touched(stmts: Iterable[Stmt]) -> frozenset[Expr]:
    """The elements that an iteration loads or stores in any case."""
    return frozenset(
        e for s in stmts for top in _always(s) for e in unconditional(top) if isinstance(e, Subscript | Member)
    )


def _always(stmt: Stmt) -> Iterator[Expr]:
    """The expressions that are computed whenever a statement runs."""
    match stmt:
        case Assign() | Declare():
            yield from own_expressions(stmt)
        case Define(value=value):
            yield value
        case If(condition=condition):
            yield condition
        case Block(inner):
            yield from _until_a_jump(inner)
        case While(condition, body, do):
            yield condition
            yield from _until_a_jump(body.statements) if do else ()
        case For(first=IntLit(first), bound=IntLit(bound), relation="<", body=body) if first < bound:
            yield from _until_a_jump(body.statements)
        case GeneralFor(
            (Declare(symbol, IntLit(first)) | Assign(Var(symbol), "=", IntLit(first)),),
            Binary("<", Var(counted), IntLit(bound)),
            body=body,
        ) if symbol == counted and first < bound:
            yield from _until_a_jump(body.statements)


def _until_a_jump(stmts: tuple[SourceStmt, ...]) -> Iterator[Expr]:
    for stmt in stmts:
        yield from _always(stmt)
        if _jumps_within(stmt, ""):
            return


def _is_long(side: Block) -> bool:
    """Whether it is worth asking if anybody is there."""
    return _pays(side)


def _jumps_within(stmt: SourceStmt, word: str) -> bool:
    """Whether a jump, of all if there is no `word`, leaves a statement."""
    match stmt:
        case Jump():
            return word in {"", stmt.word}
        case If(then=then, other=other):
            return _jumps_within(then, word) or (other is not None and _jumps_within(other, word))
        case Block(inner):
            return any(_jumps_within(one, word) for one in inner)
    return False


def _loads_any(*exprs: Expr) -> bool:
    return any(isinstance(e, Subscript | Member) for expr in exprs for e in expressions(expr))


def _is_choice(expr: Expr) -> bool:
    return isinstance(expr, Conditional) or (isinstance(expr, Binary) and expr.op in {"&&", "||"})
