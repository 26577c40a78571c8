"""What a loop turns around: ``w = u; u = v; v = w;`` behind each step in time, ``s->now`` and ``s->next``, or
``now = 1 - now``.

After a few iterations each is what it was. The first of these, the second and so on get a body of their own, in which
every name stands for what it is there, and nothing is left that iterations would need of one another for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set

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
    Member,
    Pointer,
    Region,
    Scalar,
    Stmt,
    Storage,
    Type,
    Unary,
    Var,
)
from accshare.islexpr import literal
from accshare.linear import Sum
from accshare.poly.converted import as_type
from accshare.poly.iterators import runs, trips
from accshare.poly.locals import computed
from accshare.poly.names import Names, redeclared
from accshare.poly.running import changing, done, named_by_clauses, stays
from accshare.records import replace
from accshare.reference import changed, root
from accshare.tree import (
    all_expressions,
    branches,
    declared,
    operands,
    rewrite,
    rewrite_statement,
    statements,
    with_blocks,
)

#: iterations after which all is as it was, and statements of a body that is written so often
_LONGEST, _LARGEST = 4, 40

#: what variables, and members that are pointers, are
Values = Mapping[Expr, Expr]


def with_turns(region: Region) -> Region:
    """`region` with a body for each of the iterations after which such variables are what they were; the host sets
    pointers. Raises `Rejected` (ACC202) for pointers that change in other ways."""
    turning = _Turning(region)
    body = turning.block(region.body)
    left = [(place, s.span) for s in statements(body) if (place := _set(s)[0]) is not None and _is_pointer(place)]
    for place, span in sorted(left, key=lambda one: not _is_outer(one[0])):
        name = place.name if isinstance(place, Member) else place.symbol.name
        message = f"the pointer {name} changes here, and not so that a loop soon has it as it was"
        raise rejected("ACC202", message, span, "index the array, or keep the loop around it out of the region")
    return replace(region, body=body, symbols=(*region.symbols, *turning.names.made), last=tuple(turning.last))


def _is_pointer(place: Expr) -> bool:
    return isinstance(place.type, Pointer)


class _Turning:
    """Goes through the loops of a region; `last` are the pointers with what they are behind it.
    Pointers of its own stand for those that they begin with."""

    def __init__(self, region: Region) -> None:
        self.names = Names(region)
        self.last: list[tuple[Expr, Expr]] = []
        self._begun: dict[Expr, Expr] = {}
        self._region = region
        self._named = named_by_clauses(region)

    def block(self, block: Block, behind: tuple[Stmt, ...] | None = ()) -> Block:
        """A block; `behind` is what runs after it, None where it may run again."""
        result: list[Stmt] = []
        for k, stmt in enumerate(block.statements):
            after = None if behind is None else (*block.statements[k + 1 :], *behind)
            match stmt:
                case Declare(symbol, value, span) if behind is not None and isinstance(symbol.type, Pointer):
                    if value is not None:
                        self._begun[Var(symbol, span)] = _told(value, self._begun)
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
        few = len(list(statements(loop.body))) <= _LARGEST
        if not few or any(isinstance(s, Jump) for s in statements(loop.body)) or self._region.promises(loop):
            return (loop,)
        turn = _turn(loop, lambda place: self._may_turn(place, loop, behind))
        if not turn or not stays(loop.first, changing(loop)):
            return (loop,)
        values = _ways(turn, loop)
        if any(map(_is_pointer, turn)) or branches(loop.body):
            bodies = [self._body(loop.body, before) for before in values]
        else:
            either = _any(done(loop), values)
            bodies = [replace(loop.body, statements=tuple(_with_values(loop.body, dict(either))))]
        set_ = {place for stmt in statements(loop.body) if (place := _set(stmt)[0]) is not None}
        kept = {place for place in set_ if _is_pointer(place)} - set(turn)
        if any(e in kept for body in bodies for e in all_expressions(body)) or not self._are_idle(kept, behind):
            return (loop,)
        often = Conditional(runs(loop), trips(loop), literal(0, LONG), LONG, loop.header)
        final = _any(often, values)
        self.last += [(place, final[place]) for place in turn if _is_pointer(place) and _is_outer(place)]
        numbers = (place for place in turn if not _is_pointer(place))
        given = (Assign(place, "=", final[place], loop.header) for place in numbers)
        return replace(loop, body=Block((_choice(done(loop), bodies),), loop.body.span)), *given

    def _may_turn(self, place: Expr, loop: For, behind: tuple[Stmt, ...] | None) -> bool:
        """Whether only assignments by its name change a variable or a member. What a pointer is behind the loop only
        the host asks, if it can tell how often that runs."""
        symbol = root(place)
        if symbol is None or symbol.exposed or symbol.on_device or symbol.name in self._named:
            return False
        if not _is_pointer(place):
            return isinstance(place, Var) and isinstance(place.type, Scalar) and place.type.name != "_Bool"
        if behind is None or any(place == e for stmt in behind for e in all_expressions(stmt)):
            return False
        targets = [s.target for s in statements(self._region.body) if isinstance(s, Assign)]
        if isinstance(place, Member) and any(t == Var(symbol, t.span) for t in targets):
            return False
        varying = {*changed(self._region.body), *declared(self._region.body)}
        return all(stays(end, varying) for end in (loop.first, loop.bound))

    def _are_idle(self, pointers: Set[Expr], behind: tuple[Stmt, ...] | None) -> bool:
        """Whether nobody needs what pointers are behind a loop: those that only help others to change places."""
        if any(isinstance(place, Member) or _is_live(place, self._region) for place in pointers):
            return False
        return not any(e in pointers for stmt in behind or () for e in all_expressions(stmt))

    def _body(self, body: Block, now: Values) -> Block:
        """A body with variables as they are in some iterations, and with names of its own for what it declares."""
        copy = replace(body, statements=tuple(_with_values(body, dict(now))))
        return redeclared(copy, lambda symbol: self.names.like(symbol, "turned"))


def _is_outer(place: Expr) -> bool:
    symbol = root(place)
    return symbol is not None and symbol.storage is not Storage.INNER


def _is_live(place: Expr, region: Region) -> bool:
    return isinstance(place, Var) and place.symbol.unique in region.live_after


def _ways(turn: Values, loop: For) -> list[Values]:
    """What variables are in an iteration, the next one and so on, until they are what they were."""
    ways: list[Values] = [{place: replace(place, span=loop.header) for place in turn}]
    while True:
        after = {place: _told(value, ways[-1]) for place, value in turn.items()}
        if all(_key(value) == _key(place) for place, value in after.items()):
            return ways
        ways.append(after)


def _any(number: Expr, ways: list[Values]) -> Values:
    """What variables are after a `number` of iterations."""
    return {place: _chosen(number, [way[place] for way in ways], place.type) for place in ways[0]}


def _with_values(block: Block, values: dict[Expr, Expr]) -> Iterator[Stmt]:
    """The statements of a block with `values` in place of variables, which change as the block goes on."""
    for stmt in block.statements:
        place, value = _set(stmt)
        if isinstance(stmt, Block):
            yield replace(stmt, statements=tuple(_with_values(stmt, values)))
        elif place is not None and (place in values or _is_pointer(place)):
            if value is not None:
                values[place] = _told(value, values)
        else:
            yield rewrite_statement(stmt, _by(values))


def _turn(loop: For, may_turn: Callable[[Expr], bool]) -> dict[Expr, Expr]:
    """What each iteration makes of variables that are again what they were after a few of them, told from what they
    were before it."""
    after, others = _after(loop.body), changing(loop)
    turn = {place: value for place, value in after.items() if value is not None and may_turn(place)}

    def is_lost(place: Expr, value: Expr) -> bool:
        others_in = (leaf for leaf in _leaves(value) if leaf not in turn)
        return not _is_kept(place, value) or any(leaf in after or root(leaf) in others for leaf in others_in)

    while turn:
        lost = {place for place, value in turn.items() if is_lost(place, value)}
        lost |= set() if lost else {place for place in turn if not _returns(place, turn)}
        if not lost:
            return turn
        turn = {place: value for place, value in turn.items() if place not in lost}
    return turn


def _returns(place: Expr, turn: Values) -> bool:
    """Whether a variable is what it was after some iterations, but not after each."""
    value = turn[place]
    for _ in range(_LONGEST):
        if _key(value) == _key(place):
            return _key(turn[place]) != _key(place)
        value = _told(value, turn)
    return False


def _after(body: Block) -> dict[Expr, Expr | None]:
    """What is set in a body, but not declared there, is behind it, told from what it was before; None where that can't
    be said."""
    now: dict[Expr, Expr | None] = {}
    lost: set[Expr] = set()

    def follow(block: Block) -> None:
        for stmt in block.statements:
            place, value = _set(stmt)
            if isinstance(stmt, Block):
                follow(stmt)
            elif place is not None:
                usable = value is not None and _is_plain(value) and all(now.get(e, e) for e in _leaves(value))
                known = {e: told for e, told in now.items() if told is not None}
                now[place] = _told(value, known) if usable and value is not None else None
            else:
                lost.update(found for part in statements(stmt) if (found := _set(part)[0]) is not None)

    follow(body)
    own = declared(body)
    return {place: None if place in lost else value for place, value in now.items() if root(place) not in own}


def _set(stmt: Stmt) -> tuple[Var | Member | None, Expr | None]:
    """The variable, or the member that is a pointer, that a statement sets, and to what."""
    match stmt:
        case Declare(symbol, value, span):
            place = Var(symbol, span)
            return place, None if value is None else as_type(value, place.type)
        case Assign(Member() as target, "=", value) if _is_pointer(target):
            return target, value
        case Assign(Var() as target, "=", value):
            return target, as_type(value, target.type)
        case Assign(Var() as target, op, value):
            return target, as_type(computed(op[:-1], target, value, stmt.span), target.type)
    return None, None


def _leaves(expr: Expr) -> set[Expr]:
    """The variables, and the members that are pointers, of which an expression is made."""
    if isinstance(expr, Var | Member):
        return {expr}
    return {leaf for part in operands(expr) for leaf in _leaves(part)}


def _is_plain(expr: Expr) -> bool:
    """Whether it is made of variables and constants by what a turn may be made of."""
    match expr:
        case Var() | IntLit():
            return True
        case Member():
            return _is_pointer(expr)
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


def _is_kept(place: Expr, value: Expr) -> bool:
    """Whether nothing in `value` has fewer bits than the variable, so that it may wrap around and be right again."""
    if _is_pointer(place):
        return isinstance(value, Var | Member) and _is_pointer(value)
    assert isinstance(place.type, Scalar)
    least = place.type.bytes
    wide_enough = all(isinstance(e.type, Scalar) and e.type.bytes >= least for e in _leaves(value))
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
    return expr if _is_pointer(expr) else _sum(expr).key


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
        found = values.get(expr) if isinstance(expr, Var | Member) else None
        return replace(found, span=expr.span) if isinstance(found, Var | Member) else found

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


def _chosen(number: Expr, values: list[Expr], type_: Type) -> Expr:
    """The value after a `number` of iterations."""
    chosen = values[-1]
    for k, value in reversed(list(enumerate(values[:-1]))):
        chosen = Conditional(_is_turn(number, k, len(values)), value, chosen, type_, number.span)
    return chosen
