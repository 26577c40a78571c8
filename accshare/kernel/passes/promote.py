"""Keep an array element that a loop reads and writes again and again in a register.

``for (k…) C[i * n + j] += …`` becomes ``c = C[i * n + j]; for (k…) c += …; C[i * n + j] = c;``. Only elements whose
place does not change in the loop, that the loop writes in every iteration, and whose buffer it touches nowhere else,
or only before it or only behind it: ``for (k = 0; k < j; k++) A[i * n + j] -= A[i * n + k] * …``.
"""

from __future__ import annotations

from accshare.atomics import exchange
from accshare.frontend.ir import (
    Assign,
    Atomic,
    Binary,
    Builtin,
    Expr,
    Pointer,
    Scalar,
    Storage,
    Subscript,
    Symbol,
    Type,
    Var,
)
from accshare.islexpr import variable
from accshare.kernel.ir import Define, Guarded, Loop, Stmt, parts, within
from accshare.kernel.uses import declared, instead, rewritten, stored, symbols, used_expressions
from accshare.kernel.vectors.alone import sums_of
from accshare.kernel.vectors.lanes import NotVector
from accshare.kernel.vectors.strips import last_of
from accshare.linear import Sum, sum_of
from accshare.records import replace
from accshare.reference import root
from accshare.tree import expressions, rewrite


def promote(stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """Apply the pass to every loop of some statements, outermost first: the longest life in a register wins."""
    return _promoted(stmts, frozenset())


def _promoted(stmts: tuple[Stmt, ...], around: frozenset[Symbol]) -> tuple[Stmt, ...]:
    """Statements in loops whose elements in registers are `around`."""
    result: list[Stmt] = []
    for stmt in stmts:
        result += _loop(stmt, around) if isinstance(stmt, Loop) else (within(stmt, lambda s: _promoted(s, around)),)
    return tuple(result)


def _unguarded(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """The body of a loop without a condition around all of it that always holds."""
    match body:
        case (Guarded(condition, then, ()),) if _is_sure(condition):
            return then
    return body


def _is_sure(condition: Expr) -> bool:
    """Whether a comparison always holds: a loop runs at least once."""
    match condition:
        case Binary("<" | "<=" as op, lhs, rhs):
            way = sum_of(rhs).plus(sum_of(lhs), -1)
            return not way.terms and way.constant >= (op == "<")
    return False


def _loop(loop: Loop, around: frozenset[Symbol]) -> tuple[Stmt, ...]:
    changing = stored(loop.body) | {loop.iterator, *declared(loop.body)}
    found = _candidate(loop, changing)
    if found is None:
        return (replace(loop, body=_unguarded(_promoted(loop.body, around))),)
    buffer = found.base
    assert isinstance(buffer, Var)
    register, known = register_of(buffer.symbol, found.type), around.union(symbols(loop.body))
    while register in known:  # which has another element of that buffer
        register = replace(register, unique=f"{register.unique}_too")
    own = variable(register)
    body = tuple(rewritten(s, instead(found, register)) for s in loop.body)
    started = rewrite(
        loop.condition, lambda e: loop.first if isinstance(e, Var) and e.symbol == loop.iterator else None
    )
    inside: tuple[Stmt, ...] = (
        Define(register, found, True),
        *_loop(replace(loop, body=body), around | {register}),
        Assign(found, "=", own, found.span),
    )
    return (Guarded(started, inside),)


def register_of(buffer: Symbol, element: Type) -> Symbol:
    """The variable for an element of a buffer."""
    return Symbol(buffer.name, f"{buffer.unique}_sum", element, Storage.INNER)


def _candidate(loop: Loop, changing: frozenset[Symbol]) -> Subscript | None:
    shared = {root(exchange(part).place) for s in loop.body for part in parts(s) if isinstance(part, Atomic)}
    elements = _elements(loop.body)
    for stmt in loop.body:
        if not isinstance(stmt, Assign) or not isinstance(stmt.target, Subscript):
            continue
        target = stmt.target
        if not isinstance(target.base, Var) or not isinstance(target.base.symbol.type, Pointer | Scalar):
            continue
        if not isinstance(target.type, Scalar) or target.base.symbol in shared:
            continue
        fixed = not any(isinstance(e, Var) and e.symbol in changing for e in expressions(target.index))
        loads = any(isinstance(e, Subscript) for e in expressions(target.index))
        others = (e for e in elements[target.base.symbol] if e != target)
        if fixed and not loads and all(_lies_elsewhere(e, target, loop) for e in others):
            return target
    return None


def _lies_elsewhere(element: Subscript, target: Subscript, loop: Loop) -> bool:
    """Whether an element lies before `target` in all iterations of a loop, or behind it in all of them."""
    try:
        last = last_of(loop)
    except NotVector:
        return False
    way = sum_of(target.index).plus(sum_of(element.index), -1)
    iterator = variable(loop.iterator)
    each = way.terms.get(iterator, 0)
    rest = way.plus(Sum(0, {iterator: 1}), -each)
    firsts, lasts = sums_of(loop.first, Builtin.MAX), sums_of(last, Builtin.MIN)
    nearest = [rest.plus(end, each) for end in (lasts if each < 0 else firsts)]
    farthest = [rest.plus(end, each) for end in (firsts if each < 0 else lasts)]
    before = any(not s.terms and s.constant > 0 for s in nearest)
    return before or any(not s.terms and s.constant < 0 for s in farthest)


def _elements(stmts: tuple[Stmt, ...]) -> dict[Symbol, list[Subscript]]:
    """The elements of each buffer that some statements use."""
    found: dict[Symbol, list[Subscript]] = {}
    for expr in used_expressions(stmts):
        if isinstance(expr, Subscript) and isinstance(expr.base, Var):
            found.setdefault(expr.base.symbol, []).append(expr)
    return found
