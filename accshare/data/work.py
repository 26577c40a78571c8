"""What a region takes to run, told from its loops, so that the program can decide where it runs.

Work is counted in operations of one host core that runs the loops as they stand, one after the other: arithmetic and
references to arrays count one each, what computers are slow at more, and nothing what only outer loops change: that is
computed once before the innermost one. Independent iterations overlap, and count less; so do statements that host
compilers turn into vectors. Iterations are exact for rectangular nests; where a loop's
length varies with an outer one, the longest counts every time, and loops whose length can't be told are taken for
`_UNKNOWN` iterations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import islpy as isl

from accshare.atomics import Exchange, exchange
from accshare.data.ir import StatementWork, Work
from accshare.frontend.ir import (
    INT,
    LONG,
    Assign,
    Atomic,
    Binary,
    Call,
    Cast,
    Conditional,
    Expr,
    FloatLit,
    For,
    Function,
    GeneralFor,
    IntLit,
    Member,
    Scalar,
    Stmt,
    Subscript,
    Unary,
    Var,
    While,
)
from accshare.islexpr import binary, literal, of_value, variable
from accshare.poly.ir import LoopNode, Mode, Scop, Statement
from accshare.quota import Quota, QuotaExceeded
from accshare.schedule.ir import Band, Kernel, Node, Schedule, Sequence, Versions, only_updated
from accshare.tree import branches, expressions, operands, own_expressions, rewrite_statement, statements, substatements

#: iterations of a loop whose length only the data tells
_UNKNOWN = 16
#: isl's operations for the length of a loop; optima of large polyhedra take seconds for so many
_OPERATIONS = 100_000
#: cases in such a formula, which is evaluated whenever the region runs
_MOST_CASES = 8
#: a loop of constant length up to this is one that host compilers unroll
_SHORT = 8
#: operations a core does at a time where iterations don't wait for one another, of numbers and of vectors
_OVERLAP, _OVERLAP_VECTORS = 3.0, 2.0
_DIVISION = 8.0
#: nanoseconds that a function of <math.h> takes in the C library, of a float and of a double: what
#: benchmarks/functions.c finds in the host's loops at 3.7 GHz; any other function
_NANOSECONDS = {
    "acos": (4.2, 4.9),
    "acosh": (5.6, 6.4),
    "asin": (3.7, 4.7),
    "asinh": (8.0, 8.7),
    "atan": (4.8, 8.0),
    "atan2": (9.5, 11.7),
    "atanh": (10.2, 9.1),
    "cbrt": (8.5, 10.0),
    "cos": (3.2, 8.8),
    "cosh": (6.1, 6.7),
    "erf": (10.5, 10.5),
    "erfc": (11.4, 11.7),
    "exp": (3.0, 4.9),
    "exp10": (3.0, 8.9),
    "exp2": (3.2, 3.3),
    "expm1": (7.1, 5.6),
    "fdim": (2.8, 2.9),
    "fmod": (8.0, 7.6),
    "hypot": (2.7, 4.9),
    "log": (3.2, 4.1),
    "log10": (5.7, 6.1),
    "log1p": (6.3, 5.1),
    "log2": (3.0, 3.8),
    "pow": (4.2, 9.9),
    "round": (3.0, 2.8),
    "sin": (3.1, 8.7),
    "sinh": (12.0, 10.6),
    "tan": (10.5, 9.4),
    "tanh": (10.9, 9.8),
}
_OTHER = (12.0, 12.0)
#: operations that a core does in one, several at a time
_PER_NANOSECOND = 9.0
#: what devices do to whole words in one step, and what the steps to anything else count
_ONE_STEP, _EXCHANGES = frozenset({*"=+-&|^", "max", "min"}), 8.0
_CHEAP = frozenset(
    {"fabs", "fmax", "fmin", "fma", "copysign", "abs", "labs", "llabs", "ceil", "floor", "trunc", "rint"}
)
_IN, _OUT = isl.dim_type.in_, isl.dim_type.out


def work(schedule: Schedule, lengths: Mapping[str, Expr]) -> Work:
    """The work of a region, by statement and launch; `lengths` are those of arrays, as far as they are known."""
    scop = schedule.scop
    loops = tuple({n.index: n for s in scop.statements for n in s.loops}.values())
    number = {node.index: k for k, node in enumerate(loops)}
    serial = {one.loop.index for one in schedule.serial}
    functions = {f.name: f for f in scop.region.functions}
    found = []
    for nest, once in _once(schedule.tree):
        apart = nest.grid and nest.finalize is None
        copied = {v.name: lengths[v.name] for v, _ in only_updated(once) if apart and v.name in lengths}
        outside = {member.loop.index for member in nest.grid}
        for statement in once:
            around = [n.index for n in statement.loops]
            one_by_one = tuple(number[k] for k in around if k not in outside)
            # as the program nests them, which is what the host runs
            written = sorted(statement.loops, key=lambda node: node.loop.header.start)
            operations, lane = _cost(_without_steady(statement.body, written, scop), functions), 0
            long = [node for node in written if not _is_short(node)]
            if long and long[-1].index not in serial and not nest.reductions:
                lane, hoisted = _vectors(statement, long[-1])
                operations = (operations - hoisted) / (_OVERLAP_VECTORS if lane else _OVERLAP)
            all_of_it = tuple(number[k] for k in around)
            meeting = _atomics(statement, nest)
            gathered = tuple((cost, copied[name]) for name, cost in meeting if name in copied)
            direct = sum(cost for name, cost in meeting if name not in copied)
            found.append(StatementWork(operations, lane, all_of_it, one_by_one, direct, gathered))
    trips = tuple(_trips(node, scop) for node in loops)
    return Work(trips, tuple(found), tuple(_launches(schedule.tree, (), number)))


def _once(node: Node) -> Iterator[tuple[Kernel, tuple[Statement, ...]]]:
    """The kernels with their statements, each in one: where there are two versions, in the split one if it is there."""
    match node:
        case Band(child=child):
            yield from _once(child)
        case Sequence(children):
            for child in children:
                yield from _once(child)
        case Versions(plain, split):
            own = {s.name for s in split.statements}
            yield split, split.statements
            yield plain, tuple(s for s in plain.statements if s.name not in own)
        case Kernel():
            yield node, node.statements


def _launches(node: Node, around: tuple[int, ...], number: Mapping[int, int]) -> Iterator[tuple[int, ...]]:
    """The host loops around each launch; reductions take one more launch, which combines the parts. Of two versions the
    plain one counts, which is what runs where other loops are long."""
    match node:
        case Band(members, child):
            known = tuple(number[m.loop.index] for m in members if m.loop.index in number)
            yield from _launches(child, (*around, *known), number)
        case Sequence(children):
            for child in children:
                yield from _launches(child, around, number)
        case Versions():
            yield around
        case Kernel(reductions=reductions):
            yield from [around] * (1 + bool(reductions))


def _trips(node: LoopNode, scop: Scop) -> Expr:
    """The most iterations that a loop has, in any iteration of the loops around it."""
    domain = node.domain.intersect_params(scop.context).remove_divs()
    if domain.is_empty():
        return literal(0, LONG)
    unknown = literal(_UNKNOWN, LONG)
    if not domain.is_bounded():
        return unknown
    around = isl.Map.from_domain(domain.reset_tuple_id()).move_dims(_OUT, 0, _IN, node.depth, 1)
    try:
        with Quota(_OPERATIONS):
            longest = around.reverse().apply_range(around).deltas().dim_max(0)
    except QuotaExceeded:
        return unknown
    if longest.n_piece() > _MOST_CASES:
        return unknown
    names: dict[str, Expr] = {p.symbol.unique: variable(p.symbol) for p in scop.parameters}
    step = literal(abs(node.loop.step), LONG)
    room = binary("+", of_value(longest, scop.context, names, LONG), step, LONG)
    return room if step.value == 1 else binary("/", room, step, LONG)


# --- operations --------------------------------------------------------------------------------------------------


def _without_steady(stmt: Stmt, loops: list[LoopNode], scop: Scop) -> Stmt:
    """`stmt` with a variable in place of whatever has one value in all iterations of the innermost of its loops."""
    steady = {p.symbol for p in scop.parameters} | {node.iterator for node in loops[:-1]}

    def kept(expr: Expr) -> Expr | None:
        if not isinstance(expr, (Binary, Unary, Conditional)):
            return None
        leaves = [e for e in expressions(expr) if not operands(e) or isinstance(e, Call)]
        variables = [e for e in leaves if isinstance(e, Var)]
        fixed = all(isinstance(e, IntLit | FloatLit) or (isinstance(e, Var) and e.symbol in steady) for e in leaves)
        return variables[0] if fixed and variables else None

    return rewrite_statement(stmt, kept) if loops else stmt


def _cost(stmt: Stmt, functions: Mapping[str, Function]) -> float:
    """Operations of one execution, every branch taken."""
    own = sum(_of_expression(e, functions) for e in own_expressions(stmt))
    if isinstance(stmt, Assign) and stmt.op != "=":
        reads = isinstance(stmt.target, (Subscript, Member))
        own += reads + _of_operator(stmt.op.removesuffix("="), stmt.value)
    inner = sum(_cost(below, functions) for below in substatements(stmt))
    return own + inner * (_UNKNOWN if isinstance(stmt, (For, GeneralFor, While)) else 1)


def _atomics(statement: Statement, nest: Kernel) -> list[tuple[str, float]]:
    """What an instance changes in one piece of memory that others see: of which variable, and what that takes."""
    own = nest.private | {r.variable.name for r in nest.reductions}
    writes = (a for a in statement.accesses if a.mode is Mode.WRITE and a.variable.name not in own)
    return [(a.variable.name, _of_atomic(exchange(a.atomic))) for a in writes if a.atomic is not None]


def _of_atomic(parts: Exchange) -> float:
    type_ = parts.place.type
    whole = isinstance(type_, Scalar) and not type_.floating and type_.bytes >= INT.bytes
    return 1 if whole and parts.op in _ONE_STEP and not parts.flipped else _EXCHANGES


def _of_expression(expr: Expr, functions: Mapping[str, Function]) -> float:
    """Operations of an expression; subscripts are free but for what they read."""
    match expr:
        case Subscript() | Member():
            return 1 + sum(_of_expression(e, functions) for index in _indices(expr) for e in _references(index))
        case Binary(op, lhs, rhs):
            return _of_operator(op, rhs) + _of_expression(lhs, functions) + _of_expression(rhs, functions)
        case Unary(_, operand):
            return 1 + _of_expression(operand, functions)
        case Call(callee, args):
            known = functions.get(callee)
            own = _cost(known.body, functions) if known is not None else _of_call(expr)
            return own + sum(_of_expression(a, functions) for a in args)
        case _:
            return sum(_of_expression(e, functions) for e in operands(expr))


def _of_operator(op: str, divisor: Expr) -> float:
    return _DIVISION if op in {"/", "%"} and not isinstance(divisor, IntLit) else 1


def _of_call(call: Call) -> float:
    plain = call.callee if call.callee in _CHEAP else call.callee.removesuffix("f")
    if plain in _CHEAP:
        return 1
    if plain == "sqrt":
        return _DIVISION
    single, double = _NANOSECONDS.get(plain, _OTHER)
    narrow = isinstance(call.type, Scalar) and call.type.bytes <= INT.bytes
    return _PER_NANOSECOND * (single if narrow else double)


def _references(expr: Expr) -> Iterator[Expr]:
    """The outermost references to arrays and structs in an expression."""
    if isinstance(expr, (Subscript, Member)):
        yield expr
        return
    for part in operands(expr):
        yield from _references(part)


def _indices(reference: Expr) -> Iterator[Expr]:
    """The subscripts of a reference, last first."""
    while isinstance(reference, (Subscript, Member, Cast)):
        if isinstance(reference, Subscript):
            yield reference.index
        reference = reference.operand if isinstance(reference, Cast) else reference.base


# --- vectors -----------------------------------------------------------------------------------------------------


def _vectors(statement: Statement, node: LoopNode) -> tuple[int, int]:
    """The bytes an instance takes in vectors of iterations of `node`, whose iterations are independent, and how many
    references are loaded but once for all of them; zeros where iterations don't touch neighbours."""
    atomic = any(isinstance(s, Atomic) for s in statements(statement.body))
    if abs(node.loop.step) != 1 or atomic or branches(statement.body):
        return 0, 0
    own = [e for s in statements(statement.body) for e in own_expressions(s)]
    if any(isinstance(e, Call) and _of_call(e) > 1 for top in own for e in expressions(top)):
        return 0, 0
    references = [r for e in own for r in _references(e)]
    iterator = node.iterator.unique
    if not all(_touches_neighbours(r, iterator) for r in references):
        return 0, 0
    still = sum(not any(_step(index, iterator) for index in _indices(r)) for r in references)
    return max((t.bytes for e in own for t in _types(e)), default=1), still


def _is_short(node: LoopNode) -> bool:
    ends = node.loop.first, node.loop.bound
    values = [e.value for e in ends if isinstance(e, IntLit)]
    return len(values) == len(ends) and abs(values[1] - values[0]) <= _SHORT


def _touches_neighbours(reference: Expr, iterator: str) -> bool:
    """Whether iterations that follow one another touch elements that do, or the same."""
    steps = [_step(index, iterator) for index in _indices(reference)]
    if isinstance(reference, Member):
        return not any(steps)
    return steps[0] in (0, 1) and not any(steps[1:])


def _step(index: Expr, iterator: str) -> int | None:
    """By how much a subscript grows with `iterator`: 0, 1, or None for anything else."""
    match index:
        case Var(symbol):
            return int(symbol.unique == iterator)
        case Cast(operand):
            return _step(operand, iterator)
        case Binary("+", lhs, rhs):
            steps = _step(lhs, iterator), _step(rhs, iterator)
            return sum(s or 0 for s in steps) if steps in {(0, 0), (0, 1), (1, 0)} else None
        case Binary("-", lhs, rhs) if _step(rhs, iterator) == 0:
            return _step(lhs, iterator)
        case _:
            uses = any(isinstance(e, Var) and e.symbol.unique == iterator for e in expressions(index))
            return None if uses else 0


def _types(expr: Expr) -> Iterator[Scalar]:
    """The types of an expression's parts, subscripts left out."""
    if isinstance(expr.type, Scalar):
        yield expr.type
    if not isinstance(expr, (Subscript, Member)):
        for part in operands(expr):
            yield from _types(part)
