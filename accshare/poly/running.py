"""Integer variables that run along with loops: ``k = 0; for (i…) for (j…) a[k++] = …`` reads ``a[i * m + j]``.

A variable that each iteration of a loop moves by the same amount is told from the loop's iterator, and so are pointers
that walk along an array (``*p++``). It moves once then, behind the loop, and iterations no longer need each other's
value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from accshare.frontend.ir import (
    INT,
    LONG,
    Assign,
    Atomic,
    Binary,
    Block,
    Cast,
    Conditional,
    Declare,
    Expr,
    For,
    GeneralFor,
    If,
    IntLit,
    Jump,
    Pointer,
    Region,
    Scalar,
    Stmt,
    Symbol,
    Unary,
    Var,
    While,
)
from accshare.islexpr import binary, literal
from accshare.poly.iterators import runs, trips, wide
from accshare.poly.locals import with_index_locals_read
from accshare.pragma.ir import DirectiveKind, PrivateClause, ReductionClause
from accshare.records import dataclass, replace
from accshare.reference import changed, root, strip
from accshare.tree import (
    all_expressions,
    declared,
    expressions,
    own_expressions,
    rewrite,
    rewrite_statement,
    statements,
)


def with_moves_behind_loops(region: Region) -> Region:
    """`region` with such variables replaced, in loops, by what they stand for, and moved behind them."""
    return replace(region, body=_Running(region, named_by_clauses(region)).block(region.body))


def with_indices_read(region: Region) -> Region:
    """`region` with variables that only name an index replaced by what they stand for, and without those that nothing
    reads then."""
    body = _with_what_is_sure(region.body, frozenset(), frozenset(_open(region.body, frozenset())))
    names = {found for s in statements(body) if (found := given(s)) is not None} - _stored(body)
    idle = frozenset(s for s in names if s is not None and is_own(s) and s.unique not in region.live_after)
    read = with_index_locals_read(replace(region, body=_without_last(body, idle, frozenset())))
    return replace(read, body=_without_idle(read.body, idle))


def given(stmt: Stmt) -> Symbol | None:
    """The variable that a statement declares or changes."""
    match stmt:
        case Declare(symbol) | Assign(Var(symbol)):
            return symbol
    return None


def named_by_clauses(region: Region) -> frozenset[str]:
    """The variables that clauses give a meaning of their own."""
    directives = [
        region.construct,
        *(s.directive for s in statements(region.body) if isinstance(s, For) and s.directive),
    ]
    clauses = (c for d in directives for c in d.clauses if isinstance(c, PrivateClause | ReductionClause))
    return frozenset(var.base.text for clause in clauses for var in clause.vars)


@dataclass(frozen=True, slots=True)
class _Running:
    """Tells such variables from iterators, inner loops first; not those that clauses have `named`."""

    region: Region
    named: frozenset[str]

    def block(self, block: Block) -> Block:
        """Every loop in it."""
        return replace(block, statements=tuple(made for s in block.statements for made in self._statement(s)))

    def _statement(self, stmt: Stmt) -> tuple[Stmt, ...]:
        match stmt:
            case For():
                return self._loop(replace(stmt, body=self.block(stmt.body)))
            case Block():
                return (self.block(stmt),)
            case While(body=body) | GeneralFor(body=body):
                return (replace(stmt, body=self.block(body)),)
            case If(then=then, other=other):
                other = None if other is None else self.block(other)
                return (replace(stmt, then=self.block(then), other=other),)
        return (stmt,)

    def _loop(self, loop: For) -> tuple[Stmt, ...]:
        """`loop` without the moves of variables that run along, and these moves behind it."""
        said = None if loop.directive is None or loop.directive.implied else loop.directive
        if said is not None and (said != self.region.construct or said.kind is not DirectiveKind.KERNELS_LOOP):
            return (loop,)
        if not _tells_how_often(loop) or any(isinstance(s, Jump) for s in statements(loop.body)):
            return (loop,)
        along = {s: by for s, by in _moves(loop).items() if self._may_run(s)}
        if not along:
            return (loop,)
        totals = {symbol: _sum(by) for symbol, by in along.items()}
        body = _told(loop.body, done(loop), totals, dict.fromkeys(totals, literal(0, LONG)))
        return replace(loop, body=body), *(_moved(symbol, by, loop) for symbol, by in totals.items())

    def _may_run(self, symbol: Symbol) -> bool:
        return is_own(symbol) and symbol.name not in self.named


def _tells_how_often(loop: For) -> bool:
    """Whether its header says so, also where the loop has run."""
    varying = changing(loop)
    steady = loop.relation != "!=" or abs(loop.step) == 1
    return steady and all(stays(end, varying) for end in (loop.first, loop.bound))


def changing(loop: For) -> set[Symbol | None]:
    """The variables that iterations change."""
    return {loop.iterator, *declared(loop.body), *changed(loop.body)}


def is_own(symbol: Symbol) -> bool:
    """Whether it is an integer that only assignments by name change, and no shorter than what sums are computed in."""
    return _is_number(symbol) and isinstance(symbol.type, Scalar) and symbol.type.bytes >= INT.bytes


def _is_number(symbol: Symbol) -> bool:
    """Whether it is an integer that only assignments by name change."""
    return not symbol.exposed and isinstance(symbol.type, Scalar) and not symbol.type.floating


def _moves(loop: For) -> dict[Symbol, list[Expr]]:
    """The variables that each iteration moves by the same amount, and by what each statement does."""
    found: dict[Symbol, list[Expr]] = {}
    for stmt in straight(loop.body):
        symbol, by = move(stmt)
        if symbol is not None and by is not None:
            found.setdefault(symbol, []).append(by)
    written = [root(s.target) for s in statements(loop.body) if isinstance(s, Assign)]
    varying = changing(loop)
    others = declared(loop.body)
    return {
        symbol: by
        for symbol, by in found.items()
        if symbol not in others and written.count(symbol) == len(by) and all(stays(e, varying) for e in by)
    }


def straight(block: Block) -> Iterator[Stmt]:
    """The statements that each run of a block runs once."""
    for stmt in block.statements:
        if isinstance(stmt, Block):
            yield from straight(stmt)
        else:
            yield stmt


def move(stmt: Stmt) -> tuple[Symbol | None, Expr | None]:
    """The variable that a statement moves, and by how much."""
    match stmt:
        case Assign(Var(symbol), "+=" | "-=" as compound, value):
            return symbol, _signed(symbol, compound[0], value)
        case Assign(Var(symbol), "=", value):
            match strip(value):
                case Binary("+" | "-" as op, lhs, rhs) if strip(lhs) == stmt.target:
                    return symbol, _signed(symbol, op, rhs)
                case Binary("+", lhs, rhs) if strip(rhs) == stmt.target:
                    return symbol, _signed(symbol, "+", lhs)
    return None, None


def _signed(symbol: Symbol, op: str, value: Expr) -> Expr | None:
    """By how much ``symbol op= value`` moves a variable; None where an unsigned number may stand for a negative one."""
    types = symbol.type, value.type
    short = all(isinstance(t, Scalar) and t.bytes == INT.bytes for t in types)
    if short and isinstance(value.type, Scalar) and not value.type.signed and not isinstance(strip(value), IntLit):
        return None
    own = wide(value)
    return own if op == "+" else binary("-", literal(0, LONG), own, LONG)


def stays(expr: Expr, changing: Set[Symbol | None]) -> bool:
    """Whether it is the same in all iterations, and reads no memory. That nothing else is stored to a variable that
    others know is tested when the region begins."""
    match expr:
        case IntLit():
            return True
        case Var(symbol):
            integer = isinstance(symbol.type, Scalar) and not symbol.type.floating
            return integer and symbol not in changing and not (symbol.volatile or symbol.on_device)
        case Cast(operand) | Unary("-" | "+", operand):
            return isinstance(expr.type, Scalar) and not expr.type.floating and stays(operand, changing)
        case Binary("-", Var(one), Var(other)) if isinstance(one.type, Pointer):
            return not {one, other} & changing
        case Binary("+" | "-" | "*" | "^" | "<" | "<=" | ">" | ">=" | "==" | "!=", lhs, rhs):
            return stays(lhs, changing) and stays(rhs, changing)
        case Binary("/" | "%", lhs, IntLit(by)) if by > 0:
            return stays(lhs, changing)
        case Conditional(condition, then, other):
            return all(stays(part, changing) for part in (condition, then, other))
    return False


def _sum(parts: list[Expr]) -> Expr:
    total: Expr = literal(0, LONG)
    for part in parts:
        total = binary("+", total, part, LONG)
    return total


def done(loop: For) -> Expr:
    """The iterations before the current one."""
    now, first = Cast(Var(loop.iterator, loop.header), LONG, True, loop.header), wide(loop.first)
    ways = (now, first) if loop.step > 0 else (first, now)
    apart = binary("-", ways[0], ways[1], LONG)
    return apart if abs(loop.step) == 1 else binary("/", apart, literal(abs(loop.step), LONG), LONG)


def _told(block: Block, done: Expr, totals: Mapping[Symbol, Expr], moved: dict[Symbol, Expr]) -> Block:
    """A body in which variables are told from `done` iterations and from what has `moved` them in the current one."""

    def value(expr: Expr) -> Expr | None:
        if not isinstance(expr, Var) or expr.symbol not in totals:
            return None
        apart = binary("+", binary("*", done, totals[expr.symbol], LONG), moved[expr.symbol], LONG)
        return Cast(binary("+", wide(expr), apart, LONG), expr.symbol.type, True, expr.span)

    result: list[Stmt] = []
    for stmt in block.statements:
        symbol, by = move(stmt)
        if isinstance(stmt, Block):
            result.append(_told(stmt, done, totals, moved))
        elif symbol in totals and symbol is not None and by is not None:
            moved[symbol] = binary("+", moved[symbol], by, LONG)
        else:
            result.append(rewrite_statement(stmt, value))
    return replace(block, statements=tuple(result))


def _moved(symbol: Symbol, by: Expr, loop: For) -> Assign:
    """What a whole loop does to a variable."""
    often = Conditional(runs(loop), trips(loop), literal(0, LONG), LONG, loop.header)
    return Assign(Var(symbol, loop.header), "+=", binary("*", often, by, LONG), loop.header)


def _open(block: Block, known: frozenset[Expr]) -> Iterator[Expr]:
    """The conditions of choices made where `known` ones do not tell."""
    for stmt in block.statements:
        match stmt:
            case For(body=body):
                yield from _open(body, _inside(stmt, known))
            case Block():
                yield from _open(stmt, known)
            case _ if move(stmt)[0] is None:
                choices = (e for e in all_expressions(stmt) if isinstance(e, Conditional))
                yield from (e.condition for e in choices if e.condition not in known)


def _with_what_is_sure(block: Block, known: frozenset[Expr], left: frozenset[Expr]) -> Block:
    """A block where loops run that have the conditions `known`: how often they do is told plainly, but for what is to
    be `left`, so that it reads the same everywhere."""

    def plain(expr: Expr) -> Expr | None:
        return expr.then if isinstance(expr, Conditional) and expr.condition in known - left else None

    def sure(stmt: Stmt) -> Stmt:
        match stmt:
            case For(first=first, bound=bound, body=body):
                body = _with_what_is_sure(body, _inside(stmt, known), left)
                return replace(stmt, first=rewrite(first, plain), bound=rewrite(bound, plain), body=body)
            case Block():
                return _with_what_is_sure(stmt, known, left)
        return rewrite_statement(stmt, plain) if known else stmt

    return replace(block, statements=tuple(map(sure, block.statements)))


def _inside(loop: For, known: frozenset[Expr]) -> frozenset[Expr]:
    """What is known in the body of a loop."""
    return known | {runs(loop)} if _tells_how_often(loop) else known


def _stored(block: Block) -> set[Symbol | None]:
    """The variables that are assigned something that is no index."""
    found: set[Symbol | None] = set()
    for stmt in statements(block):
        match stmt:
            case Assign(Var(symbol), _, value) | Declare(symbol, value) if value is not None:
                found |= set() if stays(value, set()) else {symbol}
            case GeneralFor() | Atomic():
                found |= {root(s.target) for s in statements(stmt) if isinstance(s, Assign)}
    return found


def _without_last(block: Block, idle: frozenset[Symbol], later: frozenset[Symbol]) -> Block:
    """The end of a region without assignments to variables that nothing reads after them."""
    result: list[Stmt] = []
    for stmt in reversed(block.statements):
        if isinstance(stmt, Block):
            stmt = _without_last(stmt, idle, later)
        elif isinstance(stmt, Assign) and isinstance(stmt.target, Var) and stmt.target.symbol in idle - later:
            continue
        later |= {e.symbol for s in statements(stmt) for top in own_expressions(s) for e in _variables(top)}
        result.append(stmt)
    return replace(block, statements=tuple(reversed(result)))


def _variables(expr: Expr) -> Iterator[Var]:
    return (e for e in expressions(expr) if isinstance(e, Var))


def _without_idle(block: Block, symbols: frozenset[Symbol]) -> Block:
    """A block without those of some variables that nothing reads but what only sets others of them."""
    needed: set[Symbol] = set()
    told_from: dict[Symbol, set[Symbol]] = {}
    for stmt in statements(block):
        read = {e.symbol for top in _values(stmt) for e in _variables(top)}
        symbol = given(stmt)
        if symbol is not None and symbol in symbols:
            told_from.setdefault(symbol, set()).update(read)
        else:
            needed |= read
    waiting = list(needed)
    while waiting:
        new = told_from.get(waiting.pop(), set()) - needed
        needed |= new
        waiting += new
    return _without(block, symbols - needed)


def _values(stmt: Stmt) -> tuple[Expr, ...]:
    """What a statement reads; of one that moves a variable, by how much."""
    match stmt:
        case Assign(Var(), _, value):
            _, by = move(stmt)
            return (value if by is None else by,)
    return own_expressions(stmt)


def _without(block: Block, idle: frozenset[Symbol]) -> Block:
    """A block without what is assigned to some variables."""
    result: list[Stmt] = []
    for stmt in block.statements:
        match stmt:
            case Assign(Var(symbol)) | Declare(symbol) if symbol in idle:
                continue
            case Block() as inner:
                result.append(_without(inner, idle))
            case For(body=body) | While(body=body) | GeneralFor(body=body):
                result.append(replace(stmt, body=_without(body, idle)))
            case If(then=then, other=other):
                other = None if other is None else _without(other, idle)
                result.append(replace(stmt, then=_without(then, idle), other=other))
            case _:
                result.append(stmt)
    return replace(block, statements=tuple(result))
