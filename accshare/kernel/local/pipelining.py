"""Software pipelining of strips: what the next strip needs is on its way while a work-group runs this one.

A strip's tiles are filled, the group waits, runs, and waits again. So it stands still for as long as global memory
takes, once a strip. Here each work-item fetches its part of the next strip's tiles into registers before it runs, and
stores it in local memory behind the barrier: double buffering in registers.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile

from accshare.frontend.ir import INT, Binary, Expr, IntLit, Scalar, Storage, Subscript, Symbol, Var
from accshare.islexpr import binary, literal, variable
from accshare.kernel.ir import Barrier, Copy, Define, Guarded, Loop, Private, Stmt, within
from accshare.kernel.uses import changed, declared, renamed, rewritten, stored, symbols
from accshare.records import dataclass, replace
from accshare.reference import root
from accshare.schedule.ir import Role
from accshare.tree import rewrite


def fetched_ahead(
    body: tuple[Stmt, ...], tiles: Mapping[Symbol, Symbol]
) -> tuple[tuple[Stmt, ...], tuple[Private, ...]]:
    """`body` with its strips' tiles fetched one strip ahead, and the registers that takes. `tiles` are the arrays in
    local memory that only loads fill, each with its array in global memory, which the kernel doesn't change."""
    pipeline = _Pipeline(tiles, [])
    return pipeline.statements(body), tuple(pipeline.registers)


@dataclass(frozen=True, slots=True)
class _Fill:
    """How a tile is filled, in two steps: `fetch` has vectors come from global memory into so many `registers`, `put`
    stores them."""

    fetch: tuple[Stmt, ...]
    put: tuple[Stmt, ...]
    registers: int


@dataclass(frozen=True, slots=True)
class _Registers:
    """Those that a tile's vectors pass through: the next copy's is number `first`, which loops around it add to; it is
    made `times` times."""

    symbol: Symbol
    element: Scalar
    first: Expr
    times: int


@dataclass(frozen=True, slots=True)
class _Pipeline:
    tiles: Mapping[Symbol, Symbol]
    registers: list[Private]

    def statements(self, stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """Statements with the loops over strips in them made pipelines."""
        return tuple(piped for stmt in stmts for piped in self._statement(within(stmt, self.statements)))

    def _statement(self, stmt: Stmt) -> tuple[Stmt, ...]:
        if isinstance(stmt, Loop) and stmt.member is not None and stmt.member.role is Role.STRIP:
            return self._piped(stmt)
        return (stmt,)

    def _piped(self, loop: Loop) -> tuple[Stmt, ...]:
        """A loop over strips as a pipeline; as it is where nothing can be fetched ahead."""
        fills = tuple(takewhile(lambda s: not isinstance(s, Barrier), loop.body))
        run = loop.body[len(fills) :]
        varying = {*changed(run), *stored(run)}
        if not run or not isinstance(run[-1], Barrier) or varying & set(symbols(fills)):
            return (loop,)
        parts = [self._fill(stmt) for stmt in fills]
        if all(part is None for part in parts):
            return (loop,)
        fetch: list[Stmt] = []
        put: list[Stmt] = []
        for stmt, part in zip(fills, parts, strict=True):
            if part is not None:
                fetch += part.fetch
                put += part.put
            else:
                fetch += (stmt,) if isinstance(stmt, Define) else ()
                put.append(stmt)
        strip = variable(loop.iterator)
        assert isinstance(strip.type, Scalar)
        first = _at(loop, tuple(fetch), loop.first, "first")
        next_ = _at(loop, tuple(fetch), binary("+", strip, literal(loop.step, INT), strip.type), "next")
        return first, replace(loop, body=(*put, run[0], next_, *run[1:]))

    def _fill(self, stmt: Stmt) -> _Fill | None:
        """A statement that fills a tile, or where it does so by vectors if all is aligned, that way, in two steps; None
        where it fills none, or not by a number of copies that is known."""
        first = next((s for s in _copies(stmt)), None)
        if first is None or not isinstance(first.target.type, Scalar):
            return None
        tile = root(first.target)
        if tile is None or tile not in self.tiles or root(first.value) != self.tiles[tile]:
            return None
        element = replace(first.target.type, lanes=first.width)
        number = sum(private.symbol.unique.startswith(f"{tile.unique}_ahead") for private in self.registers)
        suffix = f"ahead{number + 1}" if number else "ahead"
        symbol = Symbol(f"{tile.name}.{suffix}", f"{tile.unique}_{suffix}", element, Storage.INNER)
        own = _Registers(symbol, element, literal(0, INT), 1)
        fill = _step(stmt, own)
        if fill is None and isinstance(stmt, Guarded):
            then = _steps(stmt.then, own)
            if then is not None:
                put = replace(stmt, then=then.put)
                fill = _Fill((replace(stmt, then=then.fetch, other=()),), (put,), then.registers)
        if fill is not None:
            self.registers.append(Private(symbol, element, (fill.registers,)))
        return fill


def _at(loop: Loop, fetch: tuple[Stmt, ...], strip: Expr, which: str) -> Stmt:
    """What a strip needs, if there is that strip."""
    own = {s: replace(s, name=f"{s.name}.{which}", unique=f"{s.unique}_{which}") for s in declared(fetch)}

    def there(expr: Expr) -> Expr | None:
        match expr:
            case Var(symbol) if symbol == loop.iterator:
                return strip
            case Binary("+" | "-" as op, Var(symbol), rhs, Scalar() as type_) if symbol == loop.iterator:
                return binary(op, strip, rewrite(rhs, there), type_)
        return None

    return rewritten(Guarded(loop.condition, renamed(fetch, own)), there)


def _copies(stmt: Stmt) -> list[Copy]:
    """The copies of a statement, first those where its conditions hold."""
    match stmt:
        case Copy():
            return [stmt]
        case Loop(body=body):
            return [copy for s in body for copy in _copies(s)]
        case Guarded(then=then, other=other):
            return [copy for s in (*then, *other) for copy in _copies(s)]
    return []


def _steps(stmts: tuple[Stmt, ...], own: _Registers) -> _Fill | None:
    """The two steps of some statements that only copy; None where they do anything else."""
    fetch: list[Stmt] = []
    put: list[Stmt] = []
    count = 0
    for stmt in stmts:
        fill = _step(stmt, replace(own, first=binary("+", own.first, literal(count, INT), INT)))
        if fill is None:
            return None
        fetch += fill.fetch
        put += fill.put
        count += fill.registers
    return _Fill(tuple(fetch), _needed(put), count)


def _step(stmt: Stmt, own: _Registers) -> _Fill | None:
    """The two steps of a statement; None where it does more than copy vectors of the registers' width so many times."""
    match stmt:
        case Copy(target=target, span=span, width=width) if width == own.element.lanes:
            register = Subscript(variable(own.symbol), own.first, own.element, target.span)
            put = Copy(target, register, span, width, None, stmt.apart)
            return _Fill((replace(stmt, target=register, apart=False),), (put,), own.times)
        case Define(mutable=False):
            return _Fill((stmt,), (stmt,), 0)
        case Guarded(then=then, other=other):
            one, two = _steps(then, own), _steps(other, own)
            if one is None or two is None:
                return None
            fetched = replace(stmt, then=one.fetch, other=two.fetch)
            puts = one.put if one.put == two.put else (replace(stmt, then=one.put, other=two.put),)
            return _Fill((fetched,), puts, max(one.registers, two.registers))
        case Loop(iterator, IntLit(0), Binary("<", Var(counted), IntLit(times)), 1, body) if counted == iterator:
            nth = binary("*", variable(iterator), literal(own.times, INT), INT)
            fill = _steps(body, replace(own, first=binary("+", nth, own.first, INT), times=own.times * times))
            if fill is None:
                return None
            ahead, behind = (replace(stmt, body=inside, unroll=times) for inside in (fill.fetch, fill.put))
            return _Fill((ahead,), (behind,), fill.registers)
    return None


def _needed(stmts: list[Stmt]) -> tuple[Stmt, ...]:
    """Statements without the definitions that none behind them mentions: what is stored needs no place to come from."""
    kept: list[Stmt] = []
    for stmt in reversed(stmts):
        if not isinstance(stmt, Define) or stmt.symbol in symbols(kept):
            kept.append(stmt)
    return tuple(reversed(kept))
