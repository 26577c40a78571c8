"""Variables that a loop turns around: ``w = u; u = v; v = w;`` behind each step in time, or ``now = 1 - now``.

After a few iterations each is what it was. The first of these, the second and so on get a body of their own, in which
every name stands for what it is there, and nothing is left that iterations would need of one another for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from accshare.diagnostics import rejected
from accshare.frontend.ir import (
    INT,
    LONG,
    Assign,
    Binary,
    Block,
    Cast,
    Conditional,
    Declare,
    Expr,
    For,
    If,
    IntLit,
    Jump,
    Pointer,
    Region,
    Scalar,
    Stmt,
    Storage,
    Symbol,
    Unary,
    Var,
)
from accshare.islexpr import literal
from accshare.linear import Sum
from accshare.poly.iterators import runs, trips
from accshare.poly.names import unused
from accshare.poly.running import changing, done, named_by_clauses, stays
from accshare.records import replace
from accshare.reference import changed, root
from accshare.tree import (
    all_expressions,
    branches,
    declared,
    named,
    rewrite,
    rewrite_statement,
    statements,
    with_blocks,
)

#: iterations after which all is as it was, and statements of a body that is written so often
_LONGEST, _LARGEST = 4, 40

Values = Mapping[Symbol, Expr]


def with_turns(region: Region) -> Region:
    """`region` with a body for each of the iterations after which such variables are what they were; the host sets
    pointers. Raises `Rejected` (ACC202) for pointers that change in other ways."""
    turning = _Turning(region)
    body = turning.block(region.body)
    for stmt in statements(body):
        pointer = _pointer(stmt)
        if pointer is not None:
            message = f"the pointer {pointer.name} changes here, and not so that a loop soon has it as it was"
            hint = "index the array, or keep the loop around it out of the region"
            raise rejected("ACC202", message, stmt.span, hint)
    return replace(region, body=body, symbols=(*region.symbols, *turning.made), last=tuple(turning.last))


def _pointer(stmt: Stmt) -> Symbol | None:
    """The pointer that a statement declares or sets."""
    match stmt:
        case Declare(symbol) | Assign(Var(symbol)):
            return symbol if isinstance(symbol.type, Pointer) else None
    return None


class _Turning:
    """Goes through the loops of a region; `last` are the pointers with what they are behind it, `made` new names.
    Pointers of its own stand for those that they begin with."""

    def __init__(self, region: Region) -> None:
        self.made: list[Symbol] = []
        self._begun: dict[Symbol, Expr] = {}
        self.last: list[tuple[Symbol, Expr]] = []
        self._region = region
        self._named = named_by_clauses(region)
        self._taken = {symbol.unique for symbol in region.symbols}

    def block(self, block: Block, behind: tuple[Stmt, ...] | None = ()) -> Block:
        """A block; `behind` is what runs after it, None where it may run again."""
        result: list[Stmt] = []
        for k, stmt in enumerate(block.statements):
            after = None if behind is None else (*block.statements[k + 1 :], *behind)
            match stmt:
                case Declare(symbol, value) if behind is not None and isinstance(symbol.type, Pointer):
                    if value is not None:
                        self._begun[symbol] = _told(value, self._begun)
                case Block():
                    result.append(self.block(stmt, after))
                case For(body=body):
                    made = self._loop(replace(stmt, body=self.block(body, None)), after)
                    result += (rewrite_statement(one, _by(self._begun)) for one in made)
                case _:
                    inside = with_blocks(stmt, lambda inner: self.block(inner, None))
                    result.append(rewrite_statement(inside, _by(self._begun)))
        return replace(block, statements=tuple(result))

    def _loop(self, loop: For, behind: tuple[Stmt, ...] | None) -> tuple[Stmt, ...]:
        """A loop, or one in its place in which nothing turns around, with what numbers are behind it."""
        if any(isinstance(s, Jump) for s in statements(loop.body)) or self._region.promises(loop):
            return (loop,)
        turn = _turn(loop, lambda symbol: self._may_turn(symbol, loop, behind))
        if not turn or not stays(loop.first, changing(loop)) or len(list(statements(loop.body))) > _LARGEST:
            return (loop,)
        values = _ways(turn, loop)
        if any(isinstance(symbol.type, Pointer) for symbol in turn) or branches(loop.body):
            bodies = [self._body(loop.body, before) for before in values]
        else:
            either = _any(done(loop), values)
            bodies = [replace(loop.body, statements=tuple(_with_values(loop.body, dict(either))))]
        kept = {s for stmt in statements(loop.body) if (s := _pointer(stmt)) is not None} - set(turn)
        if any(kept & named(e) for body in bodies for e in all_expressions(body)) or not self._are_idle(kept, behind):
            return (loop,)
        often = Conditional(runs(loop), trips(loop), literal(0, LONG), LONG, loop.header)
        final = _any(often, values)
        pointers = {symbol for symbol in turn if isinstance(symbol.type, Pointer)}
        self.last += [(symbol, final[symbol]) for symbol in turn if symbol in pointers and _is_outer(symbol)]
        numbers = (symbol for symbol in turn if symbol not in pointers)
        given = (Assign(Var(symbol, loop.header), "=", final[symbol], loop.header) for symbol in numbers)
        return replace(loop, body=Block((_choice(done(loop), bodies),), loop.body.span)), *given

    def _may_turn(self, symbol: Symbol, loop: For, behind: tuple[Stmt, ...] | None) -> bool:
        """Whether only assignments by its name change a variable. What a pointer is behind the loop only the host asks,
        if it can tell how often that runs."""
        if symbol.exposed or symbol.on_device or symbol.name in self._named:
            return False
        if not isinstance(symbol.type, Pointer):
            return isinstance(symbol.type, Scalar) and symbol.type.name != "_Bool"
        if behind is None or any(symbol in named(e) for stmt in behind for e in all_expressions(stmt)):
            return False
        varying = {*changed(self._region.body), *declared(self._region.body)}
        return all(stays(end, varying) for end in (loop.first, loop.bound))

    def _are_idle(self, pointers: set[Symbol], behind: tuple[Stmt, ...] | None) -> bool:
        """Whether nobody needs what pointers are behind a loop: those that only help others to change places."""
        read = {s for stmt in behind or () for e in all_expressions(stmt) for s in named(e)}
        return not any(symbol in read or symbol.unique in self._region.live_after for symbol in pointers)

    def _body(self, body: Block, now: Values) -> Block:
        """A body with variables as they are in some iterations, and with names of its own for what it declares."""
        copy = replace(body, statements=tuple(_with_values(body, dict(now))))
        own = {s.symbol: self._new(s.symbol) for s in statements(copy) if isinstance(s, Declare)}
        return _renamed(copy, own)

    def _new(self, symbol: Symbol) -> Symbol:
        name = unused(f"{symbol.unique}_turned", self._taken)
        self._taken.add(name)
        self.made.append(replace(symbol, unique=name))
        return self.made[-1]


def _is_outer(symbol: Symbol) -> bool:
    return symbol.storage is not Storage.INNER


def _ways(turn: Values, loop: For) -> list[Values]:
    """What variables are in an iteration, the next one and so on, until they are what they were."""
    ways: list[Values] = [{symbol: Var(symbol, loop.header) for symbol in turn}]
    while True:
        after = {symbol: _told(value, ways[-1]) for symbol, value in turn.items()}
        if all(_key(value) == _key(ways[0][symbol]) for symbol, value in after.items()):
            return ways
        ways.append(after)


def _any(number: Expr, ways: list[Values]) -> Values:
    """What variables are after a `number` of iterations."""
    return {symbol: _chosen(number, [way[symbol] for way in ways], symbol) for symbol in ways[0]}


def _with_values(block: Block, values: dict[Symbol, Expr]) -> Iterator[Stmt]:
    """The statements of a block with `values` in place of variables, which change as the block goes on."""
    for stmt in block.statements:
        symbol, value = _set(stmt)
        if isinstance(stmt, Block):
            yield replace(stmt, statements=tuple(_with_values(stmt, values)))
        elif symbol is not None and (symbol in values or isinstance(symbol.type, Pointer)):
            if value is not None:
                values[symbol] = _told(value, values)
        else:
            yield rewrite_statement(stmt, _by(values))


def _turn(loop: For, may_turn: Callable[[Symbol], bool]) -> dict[Symbol, Expr]:
    """What each iteration makes of variables that are again what they were after a few of them, told from what they
    were before it."""
    after = _after(loop.body)
    fixed = {symbol for symbol in after if may_turn(symbol)}
    turn = {symbol: value for symbol, value in after.items() if symbol in fixed and value is not None}
    others = changing(loop)
    while turn:
        lost = {s for s, value in turn.items() if named(value) & (others - set(turn)) or not _is_kept(s, value)}
        lost |= set() if lost else {s for s in turn if not _returns(s, turn)}
        if not lost:
            return turn
        turn = {symbol: value for symbol, value in turn.items() if symbol not in lost}
    return turn


def _returns(symbol: Symbol, turn: Values) -> bool:
    """Whether a variable is what it was after some iterations, but not after each."""
    start: Expr = Var(symbol, turn[symbol].span)
    value = turn[symbol]
    for _ in range(_LONGEST):
        if _key(value) == _key(start):
            return _key(turn[symbol]) != _key(start)
        value = _told(value, turn)
    return False


def _after(body: Block) -> dict[Symbol, Expr | None]:
    """What variables that a body does not declare are behind it, told from what they were before; None where that can't
    be said."""
    now: dict[Symbol, Expr | None] = {}
    own = declared(body)

    def follow(block: Block) -> None:
        for stmt in block.statements:
            symbol, value = _set(stmt)
            if isinstance(stmt, Block):
                follow(stmt)
            elif symbol is not None:
                usable = value is not None and _is_plain(value) and all(now.get(s, value) for s in named(value))
                known = {s: e for s, e in now.items() if e is not None}
                now[symbol] = _told(value, known) if usable and value is not None else None
            else:
                for part in statements(stmt):
                    target = root(part.target) if isinstance(part, Assign) else None
                    if target is not None and isinstance(part, Assign) and isinstance(part.target, Var):
                        lost.add(target)

    lost: set[Symbol] = set()
    follow(body)
    return {s: None if s in lost else value for s, value in now.items() if s not in own}


def _set(stmt: Stmt) -> tuple[Symbol | None, Expr | None]:
    """The variable that a statement sets, and to what."""
    match stmt:
        case Declare(symbol, value):
            return symbol, value
        case Assign(Var(symbol), "=", value):
            return symbol, value
        case Assign(Var(symbol) as target, op, value):
            return symbol, Binary(op[:-1], target, value, symbol.type, stmt.span)
    return None, None


def _is_plain(expr: Expr) -> bool:
    """Whether it is made of variables and constants by what a turn may be made of."""
    match expr:
        case Var() | IntLit():
            return True
        case Unary("-", operand):
            return _is_plain(operand)
        case Cast(operand):
            return _is_integer(expr) and _is_integer(operand) and _is_plain(operand)
        case Binary("+" | "-", lhs, rhs):
            return _is_integer(expr) and _is_plain(lhs) and _is_plain(rhs)
        case Binary("^", lhs, IntLit()):
            return _is_integer(expr) and _is_plain(lhs)
    return False


def _is_integer(expr: Expr) -> bool:
    return isinstance(expr.type, Scalar) and not expr.type.floating


def _is_kept(symbol: Symbol, value: Expr) -> bool:
    """Whether nothing in `value` has fewer bits than the variable, so that it may wrap around and be right again."""
    if isinstance(symbol.type, Pointer):
        return isinstance(value, Var) and isinstance(value.type, Pointer)
    assert isinstance(symbol.type, Scalar)
    least = symbol.type.bytes
    parts = named(value)
    wide_enough = all(isinstance(s.type, Scalar) and s.type.bytes >= least for s in parts)
    return wide_enough and _narrowest(value) >= least


def _narrowest(expr: Expr) -> int:
    """The bytes of the narrowest type that a number is computed or kept in."""
    match expr:
        case Cast(operand, Scalar(bytes=size)) | Unary("-", operand, Scalar(bytes=size)):
            return min(size, _narrowest(operand))
        case Binary(_, lhs, rhs, Scalar(bytes=size)):
            return min(size, _narrowest(lhs), _narrowest(rhs))
    return LONG.bytes


def _key(expr: Expr) -> object:
    """What equal values have in common."""
    return expr.symbol if isinstance(expr.type, Pointer) and isinstance(expr, Var) else _sum(expr).key


def _sum(expr: Expr) -> Sum:
    """A plain integer expression as a sum, whatever wraps around."""
    match expr:
        case IntLit(value):
            return Sum(value)
        case Cast(operand):
            return _sum(operand)
        case Unary("-", operand):
            return Sum(0).plus(_sum(operand), -1)
        case Binary("+" | "-" as op, lhs, rhs):
            return _sum(lhs).plus(_sum(rhs), 1 if op == "+" else -1)
        case Binary("^", lhs, IntLit(by)):
            inner = lhs
            while isinstance(inner, Cast):
                inner = inner.operand
            if isinstance(inner, Binary) and inner.op == "^" and inner.rhs == IntLit(by, inner.rhs.type, expr.span):
                return _sum(inner.lhs)
    return Sum(0, {expr: 1})


def _by(values: Values) -> Callable[[Expr], Expr | None]:
    def value(expr: Expr) -> Expr | None:
        found = values.get(expr.symbol) if isinstance(expr, Var) else None
        return replace(found, span=expr.span) if isinstance(found, Var) else found

    return value


def _told(expr: Expr, values: Values) -> Expr:
    return rewrite(expr, _by(values))


def _is_turn(number: Expr, k: int, ways: int) -> Expr:
    """Whether a `number` of iterations leads to the way that has the number `k`."""
    left = Binary("%", number, literal(ways, LONG), LONG, number.span)
    return Binary("==", left, literal(k, LONG), INT, number.span)


def _choice(number: Expr, bodies: list[Block]) -> Block:
    """The body of an iteration that has a `number` of others before it."""
    chosen = bodies[-1]
    for k, body in reversed(list(enumerate(bodies[:-1]))):
        chosen = Block((If(_is_turn(number, k, len(bodies)), body, chosen, body.span),), body.span)
    return chosen


def _chosen(number: Expr, values: list[Expr], symbol: Symbol) -> Expr:
    """The value after a `number` of iterations."""
    chosen = values[-1]
    for k, value in reversed(list(enumerate(values[:-1]))):
        chosen = Conditional(_is_turn(number, k, len(values)), value, chosen, symbol.type, number.span)
    return chosen


def _renamed(block: Block, own: Mapping[Symbol, Symbol]) -> Block:
    """A block with other variables for those that it declares."""

    def rename(inner: Block) -> Block:
        return replace(inner, statements=tuple(map(stmt_renamed, inner.statements)))

    def stmt_renamed(stmt: Stmt) -> Stmt:
        made = with_blocks(stmt, rename)
        return replace(made, symbol=own[made.symbol]) if isinstance(made, Declare) else made

    names = {symbol: Var(new, block.span) for symbol, new in own.items()}
    renamed = rewrite_statement(rename(block), lambda e: names.get(e.symbol) if isinstance(e, Var) else None)
    assert isinstance(renamed, Block)
    return renamed
