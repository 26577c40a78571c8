"""The normal form of counting loops, and in the user's words why a loop has none."""

from __future__ import annotations

from accshare.frontend.constants import binary, converted, wrap
from accshare.frontend.ir import (
    INT,
    LONG,
    Assign,
    Binary,
    Block,
    Call,
    Cast,
    Conditional,
    Declare,
    Expr,
    For,
    IntLit,
    Jump,
    Member,
    Pointer,
    Scalar,
    Stmt,
    Subscript,
    Symbol,
    Unsupported,
    Var,
    While,
)
from accshare.frontend.ir import GeneralFor as General
from accshare.frontend.walks import expressions, root_symbol, statements, substatements, variables
from accshare.records import dataclass
from accshare.reference import share

_SEVERAL = "the condition is more than one comparison"
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}


@dataclass(frozen=True, slots=True)
class Moved:
    """An iterator the condition itself moves: ``i-- > 0`` is delta -1, tested before the move (`postfix`)."""

    iterator: Symbol
    delta: int
    postfix: bool


@dataclass(frozen=True, slots=True)
class Header:
    """A ``for`` header in our terms. What runs `before` the condition runs so each time. `step_text` is the step as
    written, for messages."""

    init: tuple[Stmt, ...]
    before: tuple[Stmt, ...]
    condition: Expr | None
    moved: Moved | None
    step: tuple[Stmt, ...]
    step_text: str


@dataclass(frozen=True, slots=True)
class Counting:
    """A loop that counts. `before` are the init parts of other variables, `tail` their steps; `non_negative` says the
    iterator never drops below zero in the body."""

    iterator: Symbol
    first: Expr
    relation: str
    bound: Expr
    step: int
    before: tuple[Stmt, ...]
    tail: tuple[Stmt, ...]
    non_negative: bool


class NotCounting(Exception):  # noqa: N818 - an answer, not an error
    """Why a loop isn't a counting one, in the user's words."""


def counting(header: Header, known: frozenset[Symbol]) -> Counting:
    """The normal form of a header; `known` are variables that can't be negative here. Raises `NotCounting`."""
    if header.before:
        raise NotCounting("the condition changes a variable, or calls a function that is put in its place")
    tests = _tests(header.condition)
    try:
        for test in tests:
            _check_shape(test)
    except NotCounting as why:
        raise (NotCounting(_SEVERAL) if len(tests) > 1 else why) from None
    iterator, step, tail = _step(header, tests)
    relation, bound, cast = _together([_test(test, iterator) for test in tests])
    first, before = _first(header.init, iterator)
    if header.moved is not None:
        first, relation, bound = _unmoved(first, relation, bound, header.moved)
    if relation != "!=" and (step > 0) != (relation in {"<", "<="}):
        raise NotCounting(f"{iterator.name} moves away from its bound")
    assert isinstance(iterator.type, Scalar)
    rising = step > 0 and _non_negative(first, known)
    falling = step < 0 and (not iterator.type.signed or (relation in {">", ">="} and _non_negative(bound, known)))
    unsigned = not iterator.type.signed and header.moved is None
    if cast and not rising:
        raise NotCounting(f"{iterator.name} is compared as an unsigned number and may be negative")
    if unsigned and relation == ">=" and isinstance(bound, IntLit) and bound.value <= 0:
        raise NotCounting(f"{iterator.name} is unsigned, so the condition is always true")
    non_negative = rising or falling or not iterator.type.signed
    return Counting(iterator, first, relation, bound, step, before, tail, non_negative)


def check_body(loop: Counting, body: Block) -> None:
    """Raises `NotCounting` when the body keeps the loop from counting."""
    word = _early_exit(body)
    if word is not None:
        raise NotCounting(f"the loop can end early ({word})")
    bound_names = {use.symbol for use in variables(loop.bound)}
    loaded = [e for e in expressions(loop.bound) if isinstance(e, Subscript | Member) and isinstance(e.type, Scalar)]
    for stmt in statements(Block((*body.statements, *loop.tail), body.span)):
        target = _written(stmt)
        if target is None:
            continue
        if isinstance(target, Symbol):
            if target == loop.iterator:
                raise NotCounting(f"{target.name} is changed in the loop's body")
            if target in bound_names:
                raise NotCounting(f"the bound changes in the loop ({target.name})")
            continue
        root = root_symbol(target)
        if root in bound_names and any(share(e, target) for e in loaded):
            raise NotCounting(f"the bound changes in the loop ({root.name})" if root else "the bound changes")
        if loop.iterator.address_taken and target.type == loop.iterator.type:
            raise NotCounting(f"the address of {loop.iterator.name} is taken, so a store may change it")


def _written(stmt: Stmt) -> Symbol | Expr | None:
    match stmt:
        case Assign(target=Var(symbol)):
            return symbol
        case Assign(target=target):
            return target
        case For(iterator=iterator):
            return iterator
        case _:
            return None


def _early_exit(body: Block) -> str | None:
    if _jumps(body, "break"):
        return "break"
    return "return" if any(isinstance(s, Jump) and s.word == "return" for s in statements(body)) else None


def _jumps(stmt: Stmt, word: str) -> bool:
    """Whether a ``break`` or ``continue`` of the loop around `stmt` is in it."""
    if isinstance(stmt, Jump):
        return stmt.word == word
    if isinstance(stmt, For | General | While):
        return False
    return any(_jumps(part, word) for part in substatements(stmt))


# --- step ------------------------------------------------------------------------------------------------------------


def _step(header: Header, tests: list[Expr]) -> tuple[Symbol, int, tuple[Stmt, ...]]:
    """The iterator, its constant step, and the steps of other variables."""
    if header.moved is not None:
        if header.step:
            raise NotCounting("both the condition and the step move a variable")
        return header.moved.iterator, header.moved.delta, ()
    if not header.step:
        raise NotCounting("the loop has no step")
    compared = {symbol for test in tests for symbol in _sides(test)}
    for index, stmt in enumerate(header.step):
        if not isinstance(stmt, Assign) or not isinstance(stmt.target, Var):
            if isinstance(stmt, Unsupported):
                raise NotCounting(f"a pointer moves along ({header.step_text})")
            continue
        symbol = stmt.target.symbol
        if symbol in compared:
            return symbol, amount(stmt, symbol, header.step_text), header.step[:index] + header.step[index + 1 :]
    raise NotCounting(f"the step ({header.step_text}) moves nothing the condition compares")


def amount(stmt: Assign, symbol: Symbol, text: str) -> int:
    """The constant an assignment adds to the iterator."""
    name = symbol.name
    if not isinstance(symbol.type, Scalar) or symbol.type.floating:
        raise NotCounting(f"{name} is no integer")
    if symbol.volatile:
        raise NotCounting(f"{name} is volatile")
    value, sign = _plain(stmt.value), 1
    if stmt.op == "=" and isinstance(value, Binary):
        left, right = _plain(value.lhs), _plain(value.rhs)
        op = value.op
        if op == "+" and isinstance(right, Var):
            left, right = right, left
        if op not in {"+", "-"} or not isinstance(left, Var) or left.symbol != symbol:
            raise NotCounting(_growth(name, op, right, text))
        value, sign = right, 1 if op == "+" else -1
    elif stmt.op in {"+=", "-="}:
        sign = 1 if stmt.op == "+=" else -1
    else:
        raise NotCounting(_growth(name, stmt.op[:-1], value, text))
    if not isinstance(value, IntLit) or not isinstance(value.type, Scalar):
        raise NotCounting(f"the step of {name} isn't a constant ({text})")
    amount = sign * wrap(value.value, Scalar("", value.type.bytes, True, False))
    if amount == 0:
        raise NotCounting(f"{name} doesn't move ({text})")
    return amount


def _growth(name: str, op: str, by: Expr, text: str) -> str:
    amount = by.value if isinstance(by, IntLit) else None
    if (op, amount) in {("*", 2), ("<<", 1)}:
        return f"{name} doubles each time ({text})"
    if (op, amount) in {("/", 2), (">>", 1)}:
        return f"{name} is halved each time ({text})"
    words = {"*": "is multiplied", "/": "is divided", "<<": "is shifted", ">>": "is shifted"}
    return f"{name} {words.get(op, 'changes in a way that is no counting')} each time ({text})"


def _plain(expr: Expr) -> Expr:
    """Without conversions between integers."""
    while isinstance(expr, Cast) and _is_integer(expr) and _is_integer(expr.operand):
        expr = expr.operand
    return expr


def _is_integer(expr: Expr) -> bool:
    return isinstance(expr.type, Scalar) and not expr.type.floating


# --- condition -------------------------------------------------------------------------------------------------------


def _tests(condition: Expr | None) -> list[Expr]:
    """The comparisons that a loop goes on under, all of them."""
    if condition is None:
        raise NotCounting("the loop has no condition")
    if isinstance(condition, Binary) and condition.op == "&&":
        return [*_tests(condition.lhs), *_tests(condition.rhs)]
    if isinstance(condition, Binary) and condition.op == "||":
        raise NotCounting(_SEVERAL)
    return [condition]


def _together(tests: list[tuple[str, Expr, bool]]) -> tuple[str, Expr, bool]:
    """Several comparisons with an iterator as one, with the nearest of their bounds. C looks at a later bound only
    where the earlier ones are not reached: it must be no harm to look at it always."""
    relation, bound, cast = tests[0]
    for other, limit, unsigned in tests[1:]:
        harmless = all(not isinstance(e, Subscript | Member | Call) and not _may_trap(e) for e in expressions(limit))
        if other == "!=" or relation == "!=" or other[0] != relation[0] or not harmless:
            raise NotCounting(_SEVERAL)
        if other != relation:
            loose = -1 if relation[0] == "<" else 1
            bound, limit = (end if r[1:] else _shifted(end, loose) for r, end in ((relation, bound), (other, limit)))
            relation = relation[0] + "="
        bound, cast = _nearest(relation, bound, limit), cast or unsigned
    return relation, bound, cast


def _may_trap(expr: Expr) -> bool:
    return isinstance(expr, Binary) and expr.op in {"/", "%"} and not isinstance(_plain(expr.rhs), IntLit)


def _nearest(relation: str, one: Expr, other: Expr) -> Expr:
    """The bound that is reached first, in a type that holds both."""
    types = one.type, other.type
    if types[0] != types[1]:
        if not all(isinstance(t, Scalar) and (t.signed or t.bytes < LONG.bytes) for t in types):
            raise NotCounting(_SEVERAL)
        one, other = (converted(end, LONG, True, end.span) for end in (one, other))
    return Conditional(Binary(relation[0], one, other, INT, one.span), one, other, one.type, one.span)


def _check_shape(condition: Expr) -> None:
    if isinstance(condition, Binary) and any(isinstance(s.type, Pointer) for s in (condition.lhs, condition.rhs)):
        raise NotCounting("the loop moves a pointer")
    if not isinstance(condition, Binary) or condition.op not in _FLIPPED:
        raise NotCounting("the condition doesn't compare a variable with a bound")
    if not _is_integer(condition.lhs) or not _is_integer(condition.rhs):
        raise NotCounting("the condition doesn't compare integers")


def _sides(condition: Expr) -> tuple[Symbol, ...]:
    """The variables a comparison sets against each other, alone or with a constant added."""
    if not isinstance(condition, Binary):
        return ()
    sides = [_plain(side) for side in (condition.lhs, condition.rhs)]
    sides += [_plain(s.lhs) for s in sides if isinstance(s, Binary) and isinstance(_plain(s.rhs), IntLit)]
    return tuple(side.symbol for side in sides if isinstance(side, Var))


def _test(condition: Expr, iterator: Symbol) -> tuple[str, Expr, bool]:
    """Relation and bound, and whether a signed iterator is compared as unsigned."""
    name = iterator.name
    assert isinstance(condition, Binary)
    relation, side, bound = condition.op, condition.lhs, condition.rhs
    if not _counts_with(side, iterator):
        relation, side, bound = _FLIPPED[relation], bound, side
    side, bound = _moved_over(relation, side, bound, iterator)
    if not _is_iterator(side, iterator):
        raise NotCounting(f"the condition doesn't compare {name} with a bound")
    if any(use.symbol == iterator for use in variables(bound)):
        raise NotCounting(f"the bound depends on {name} itself")
    unsigned = False
    while isinstance(side, Cast):
        inner, outer = side.operand.type, side.type
        assert isinstance(inner, Scalar)
        assert isinstance(outer, Scalar)
        if outer.bytes < inner.bytes or (outer.bytes == inner.bytes and outer.signed and not inner.signed):
            raise NotCounting(f"{name} is converted to {outer.name} before it is compared")
        unsigned = unsigned or (inner.signed and not outer.signed)
        side = side.operand
    return relation, bound, unsigned


def _counts_with(side: Expr, iterator: Symbol) -> bool:
    """``i``, ``i + 1`` or ``i - 1``."""
    plain = _plain(side)
    if isinstance(plain, Binary) and plain.op in {"+", "-"} and isinstance(_plain(plain.rhs), IntLit):
        return _is_iterator(plain.lhs, iterator)
    return _is_iterator(side, iterator)


def _moved_over(relation: str, side: Expr, bound: Expr, iterator: Symbol) -> tuple[Expr, Expr]:
    """``i + 1 < n`` as ``i < n - 1``, where the sum can't wrap before the loop ends: upwards, or in a signed type."""
    plain = _plain(side)
    if _is_iterator(side, iterator) or not isinstance(plain, Binary) or not isinstance(plain.type, Scalar):
        return side, bound
    amount = _plain(plain.rhs)
    if not isinstance(amount, IntLit) or not _is_iterator(plain.lhs, iterator):
        return side, bound
    rising = plain.op == "+" and amount.value > 0 and relation in {"<", "<="}
    if not rising and not plain.type.signed:
        return side, bound
    return plain.lhs, _shifted(bound, -amount.value if plain.op == "+" else amount.value)


def _is_iterator(side: Expr, iterator: Symbol) -> bool:
    plain = _plain(side)
    return isinstance(plain, Var) and plain.symbol == iterator


# --- start -----------------------------------------------------------------------------------------------------------


def _first(init: tuple[Stmt, ...], iterator: Symbol) -> tuple[Expr, tuple[Stmt, ...]]:
    """The start value, and the other parts of the init, which can run before it."""
    for index, stmt in enumerate(init):
        value: Expr | None = None
        if isinstance(stmt, Assign) and isinstance(stmt.target, Var) and stmt.target.symbol == iterator:
            value = stmt.value if stmt.op == "=" else None
        elif isinstance(stmt, Declare) and stmt.symbol == iterator:
            value = stmt.init
        if value is None:
            continue
        later = init[index + 1 :]
        used = {use.symbol for use in variables(value)}
        for other in later:
            known = isinstance(other, Assign | Declare)
            if _uses(other, iterator) or _defines(other) in used or not known:
                raise NotCounting(f"the start value of {iterator.name} and other variables depend on each other")
        return value, init[:index] + later
    raise NotCounting(f"the loop gives {iterator.name} no start value")


def _uses(stmt: Stmt, symbol: Symbol) -> bool:
    match stmt:
        case Assign(target, _, value):
            uses = [*variables(target), *variables(value)]
        case Declare(init=init) if init is not None:
            uses = list(variables(init))
        case _:
            uses = []
    return any(use.symbol == symbol for use in uses)


def _defines(stmt: Stmt) -> Symbol | None:
    if isinstance(stmt, Declare):
        return stmt.symbol
    return root_symbol(stmt.target) if isinstance(stmt, Assign) else None


def _unmoved(first: Expr, relation: str, bound: Expr, moved: Moved) -> tuple[Expr, str, Expr]:
    """The condition tests before or after it moves the iterator: state it for the value the body sees."""
    first = _shifted(first, moved.delta)
    if not moved.postfix:
        return first, relation, bound
    if (relation, moved.delta) in {(">", -1), ("<", 1)}:
        return first, relation + "=", bound
    return first, relation, _shifted(bound, moved.delta)


def _shifted(expr: Expr, delta: int) -> Expr:
    """``expr + delta``; unsigned values are widened first, since 0 - 1 must be -1 here."""
    type_, span = expr.type, expr.span
    plain = _plain(expr)
    if isinstance(plain, IntLit):
        expr = plain
        type_ = plain.type
    assert isinstance(type_, Scalar)
    if not type_.signed or type_.bytes < 4:
        expr, type_ = converted(expr, LONG, False, span), LONG
    return binary("+" if delta > 0 else "-", expr, IntLit(abs(delta), type_, span), type_, span)


def _non_negative(expr: Expr, known: frozenset[Symbol]) -> bool:
    match expr:
        case IntLit(value):
            return value >= 0
        case Var(symbol):
            return symbol in known or (isinstance(symbol.type, Scalar) and not symbol.type.signed)
        case Cast(operand):
            return _non_negative(operand, known)
        case Binary("+" | "*" | "/" | "%" | ">>", lhs, rhs):
            return _non_negative(lhs, known) and _non_negative(rhs, known)
        case Conditional(_, then, other):
            return _non_negative(then, known) and _non_negative(other, known)
        case _:
            return isinstance(expr.type, Scalar) and not expr.type.signed
