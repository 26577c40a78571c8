"""What a kernel only reads of an array that it writes elsewhere gets a name of its own.

``A[i][j] -= A[i][k] * A[k][j]`` is a product where no ``A[i][k]`` and no ``A[k][j]`` of a launch is an ``A[i][j]`` of
it: under another name for what is read, it is one to whatever comes later, which packs it, keeps sums in registers and
promises C compilers that nothing overlaps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import islpy as isl

from accshare.carried import together
from accshare.frontend.ir import Expr, Scalar, Var
from accshare.poly.ir import Access, Mode, Scop, Statement, Variable, VariableKind
from accshare.quota import Quota, QuotaExceeded
from accshare.records import replace
from accshare.reference import strip
from accshare.schedule.ir import Band, Kernel, Leaf, Node, Schedule, Sequence
from accshare.tree import mentions, rewrite, rewrite_statement

_OUT = isl.dim_type.out
#: isl's operations for all kernels of a region, and references to one array of a kernel that are compared
_OPERATIONS, _MOST = 400_000, 12


def separated(schedule: Schedule) -> Schedule:
    """The schedule with names for what launches only read of arrays that they write elsewhere; as it is where `share`
    tells what is done with arrays."""
    if schedule.scop.region.shares:
        return schedule
    try:
        with Quota(_OPERATIONS):
            return _separated(schedule)
    except QuotaExceeded:
        return schedule


def _meet(scop: Scop, kernel: Kernel, read: tuple[Statement, Access], write: tuple[Statement, Access]) -> bool:
    """Whether two accesses of a kernel come to the same element in one launch."""
    first, second = (access.relation.intersect_domain(statement.domain) for statement, access in (read, write))
    second = second.set_tuple_name(_OUT, first.get_tuple_name(_OUT))
    pairs = together(first.apply_range(second.reverse()), len(kernel.host))
    return not pairs.intersect_params(scop.context).is_empty()


def _separated(schedule: Schedule) -> Schedule:
    scop = schedule.scop
    parts: dict[str, Variable] = {}
    moved: dict[str, Statement] = {}
    accesses: dict[int, Access] = {}
    for kernel in _alone(schedule.tree):
        for variable in dict.fromkeys(a.variable for s in kernel.statements for a in s.accesses):
            apart = _apart(scop, kernel, variable)
            if not apart:
                continue
            if variable.name not in parts:
                parts[variable.name] = _part(variable, scop)
            for statement in kernel.statements:
                known = moved.get(statement.name, statement)
                moved[statement.name] = _renamed(known, apart.get(statement.name, ()), parts[variable.name], accesses)
    if not parts:
        return schedule
    statements = tuple(moved.get(s.name, s) for s in scop.statements)
    dependences = tuple(d.between(moved, accesses) for d in scop.dependences)
    there = {id(old): new for old, new in zip(scop.dependences, dependences, strict=True)}
    assumed = tuple(replace(one, dependence=there[id(one.dependence)]) for one in schedule.assumed)
    scop = replace(scop, statements=statements, dependences=dependences, variables=(*scop.variables, *parts.values()))
    return replace(schedule, scop=scop, tree=_with(schedule.tree, moved), assumed=assumed)


def _alone(node: Node) -> Iterator[Kernel]:
    """The kernels, but for those in two versions, which share their statements."""
    match node:
        case Band(child=child):
            yield from _alone(child)
        case Sequence(children):
            for child in children:
                yield from _alone(child)
        case Kernel():
            yield node


def _apart(scop: Scop, kernel: Kernel, variable: Variable) -> dict[str, tuple[Expr, ...]]:
    """The references, by the name of the statement, that read what no launch of the kernel writes of a variable."""
    own = [(s, a) for s in kernel.statements for a in s.accesses if a.variable == variable]
    writes = [(s, a) for s, a in own if a.mode is Mode.WRITE]
    if not writes or len(own) > _MOST or not all(_is_plain(a) for _, a in own):
        return {}
    met: dict[tuple[str, Expr], bool] = {}
    for statement, access in own:
        key = statement.name, access.reference
        met[key] = met.get(key, False) or access.mode is Mode.WRITE
    for statement, access in own:
        key = statement.name, access.reference
        met[key] = met[key] or any(_meet(scop, kernel, (statement, access), write) for write in writes)
    names = {name for name, _ in met}
    found = {name: tuple(r for (n, r), both in met.items() if n == name and not both) for name in names}
    return {name: references for name, references in found.items() if references}


def _is_plain(access: Access) -> bool:
    """Whether it is one number, and the array's own name all that leads to it."""
    variable = access.variable
    whole = access.space == variable.name and isinstance(variable.element, Scalar)
    if variable.kind is not VariableKind.MEMORY or not variable.shape or not whole or access.atomic is not None:
        return False
    base = variable.base
    named = isinstance(base, Var) and not base.symbol.volatile and len(access.subscripts) == len(variable.shape)
    return named and isinstance(base, Var) and not any(mentions(e, base.symbol) for e in access.subscripts)


def _part(variable: Variable, scop: Scop) -> Variable:
    """Another name for a variable."""
    base = variable.base
    assert isinstance(base, Var)
    name = scop.unused(f"{variable.name}_read")
    symbol = replace(base.symbol, unique=name)
    return replace(variable, name=name, base=replace(base, symbol=symbol), part_of=variable.name)


def _renamed(
    statement: Statement, references: Iterable[Expr], part: Variable, accesses: dict[int, Access]
) -> Statement:
    """A statement with another name in some references; `accesses` are told what became of each one."""
    own = frozenset(references)
    if not own:
        return statement
    base = part.base
    assert isinstance(base, Var)
    old = next(a.variable.base for a in statement.accesses if a.reference in own)

    def put(expr: Expr) -> Expr | None:
        return base if isinstance(expr, Var) and expr == old else None

    def changed(expr: Expr) -> Expr | None:
        return rewrite(strip(expr), put) if expr in own else None

    new: list[Access] = []
    for access in statement.accesses:
        if access.reference in own:
            relation = access.relation.set_tuple_name(_OUT, part.name)
            access_ = replace(
                access, variable=part, space=part.name, reference=rewrite(access.reference, put), relation=relation
            )
            accesses[id(access)] = access_
            new.append(access_)
        else:
            new.append(access)
    return replace(statement, body=rewrite_statement(statement.body, changed), accesses=tuple(new))


def _with(node: Node, moved: dict[str, Statement]) -> Node:
    match node:
        case Leaf(statement):
            return Leaf(moved.get(statement.name, statement))
        case Sequence(children):
            return Sequence(tuple(_with(child, moved) for child in children))
        case Band(child=child) | Kernel(child=child):
            return replace(node, child=_with(child, moved))
    return node
