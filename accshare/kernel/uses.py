"""What kernel statements use, and their expressions replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from accshare.frontend.ir import Assign, Declare, Expr, Member, Subscript, Symbol, Var
from accshare.islexpr import variable
from accshare.kernel.ir import Barrier, Comment, Copy, Define, Guarded, Loop, Prefetch, Stmt, each, own, parts, within
from accshare.records import replace
from accshare.reference import root
from accshare.tree import expressions, rewrite, rewrite_statement


def used_expressions(stmts: Iterable[Stmt]) -> list[Expr]:
    """Every expression in some statements."""
    return [e for stmt in stmts for part in parts(stmt) for top in own(part) for e in expressions(top)]


def symbols(stmts: Iterable[Stmt]) -> tuple[Symbol, ...]:
    """The variables that some statements mention, in order of first use."""
    return tuple(dict.fromkeys(e.symbol for e in used_expressions(stmts) if isinstance(e, Var)))


def stored(stmts: Iterable[Stmt]) -> frozenset[Symbol]:
    """The variables and buffers that some statements write."""
    targets = (p.target for s in stmts for p in parts(s) if isinstance(p, Assign | Copy))
    return frozenset(symbol for symbol in map(root, targets) if symbol is not None)


def changed(stmts: Iterable[Stmt]) -> tuple[Symbol, ...]:
    """The variables that some statements declare or assign by name, in the order in which they do."""
    found: dict[Symbol, None] = {}
    for part in (p for stmt in stmts for p in parts(stmt)):
        match part:
            case Assign(Var(symbol)) | Define(symbol) | Declare(symbol):
                found[symbol] = None
    return tuple(found)


def loaded(stmts: Iterable[Stmt]) -> frozenset[Symbol]:
    """The buffers, and arrays of their own, that some statements read elements of."""
    found: set[Symbol | None] = set()
    for stmt in stmts:
        for part in parts(stmt):
            for top in own(part):
                stores = isinstance(part, Assign | Copy) and top is part.target
                whole = stores and not (isinstance(part, Assign) and part.op != "=")
                read = (e for e in expressions(top) if isinstance(e, Subscript | Member) and not (whole and e is top))
                found |= {root(e) for e in read}
    return frozenset(symbol for symbol in found if symbol is not None)


def rewritten(stmt: Stmt, change: Callable[[Expr], Expr | None]) -> Stmt:
    """`stmt` with every expression in it for which `change` returns one replaced by it, parents first."""

    def on(expr: Expr) -> Expr:
        return rewrite(expr, change)

    stmt = within(stmt, lambda stmts: tuple(rewritten(s, change) for s in stmts))
    match stmt:
        case Loop(first=first, condition=condition):
            return replace(stmt, first=on(first), condition=on(condition))
        case Guarded(condition=condition):
            return replace(stmt, condition=on(condition))
        case Define(value=value):
            return replace(stmt, value=on(value))
        case Copy(target=target, value=value, there=there):
            return replace(stmt, target=on(target), value=on(value), there=None if there is None else on(there))
        case Prefetch(element):
            return replace(stmt, element=replace(element, base=on(element.base), index=on(element.index)))
        case Barrier() | Comment():
            return stmt
        case _:
            return rewrite_statement(stmt, change)


def declared(stmts: Iterable[Stmt]) -> Iterator[Symbol]:
    """The variables that some statements declare, those that count loops included."""
    for part in (p for stmt in stmts for p in parts(stmt)):
        if isinstance(part, Define | Declare):
            yield part.symbol
        elif isinstance(part, Loop):
            yield part.iterator


def renamed(stmts: tuple[Stmt, ...], new: Mapping[Symbol, Symbol]) -> tuple[Stmt, ...]:
    """`stmts` with `new` variables for old ones, also where they are declared."""

    def change(expr: Expr) -> Expr | None:
        return replace(expr, symbol=new[expr.symbol]) if isinstance(expr, Var) and expr.symbol in new else None

    def named(stmt: Stmt) -> Stmt:
        match stmt:
            case Define(symbol=symbol) | Declare(symbol=symbol):
                return replace(stmt, symbol=new.get(symbol, symbol))
            case Loop(iterator=iterator):
                stmt = replace(stmt, iterator=new.get(iterator, iterator))
        return within(stmt, each(named))

    return tuple(named(rewritten(stmt, change)) for stmt in stmts)


def instead(expr: Expr, symbol: Symbol) -> Callable[[Expr], Expr | None]:
    """The change that puts a variable in an expression's place."""
    return lambda e: variable(symbol) if e == expr else None
