"""What one run of a region comes to at given sizes: operations on floating-point numbers, and bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from accshare.conversions import size
from accshare.frontend.ir import Assign, Binary, Call, Expr, For, GeneralFor, Scalar, Stmt, While
from accshare.pipeline import Outcome
from accshare.poly.ir import LoopNode, Mode, Statement, VariableKind
from accshare.records import dataclass
from accshare.run.bench.cases import DOUBLE, FLOAT
from accshare.run.evaluate import Unknown, Values
from accshare.run.sizes import NoCase, case_near, integers
from accshare.schedule.ir import Kernel, kernels, versions
from accshare.tree import expressions, own_expressions, statements

_ANY = 1 << 62


@dataclass(frozen=True, slots=True)
class RegionWork:
    """Operations, those of ``fma`` and of a multiplication with an addition counted as two; the bytes that are `moved`
    if every launch moves each element that it touches once in each direction; how many different ones are `used`."""

    operations: float
    moved: float
    used: float
    real: str


def region_work(outcome: Outcome, sizes: Mapping[str, int]) -> RegionWork | None:
    """None where the loops don't tell. Where a loop's length depends on others around it, its mean counts."""
    if outcome.offload is None:
        return None
    plan, tree = outcome.offload.plan, outcome.arranged[0].schedule.tree
    if not set(integers(plan)) <= set(sizes):
        return None
    split = {both.split.name for both in versions(tree)}
    try:
        values = case_near(plan, 0, sizes, _ANY).values
        lengths = {d.name: values.integer(d.length) * size(d.element) for d in plan.data if d.length is not None}
        parts = [_kernel(kernel, lengths, values) for kernel in kernels(tree) if kernel.name not in split]
    except (NoCase, Unknown, KeyError, TypeError, ZeroDivisionError, OverflowError):
        return None
    used = sum(lengths[d.name] for d in plan.data if not d.scalar and d.name in lengths)
    reals = {real for part in parts for real in part.reals}
    real = DOUBLE if DOUBLE in reals else FLOAT
    return RegionWork(sum(p.operations for p in parts), sum(p.moved for p in parts), used, real)


@dataclass(frozen=True, slots=True)
class _Part:
    operations: float
    moved: float
    reals: frozenset[str]


def _kernel(kernel: Kernel, lengths: Mapping[str, int], values: Values) -> _Part:
    """All launches of a kernel."""
    launches = _instances(kernel.host, values)
    operations, reals = 0.0, set()
    touched: dict[tuple[str, Mode], float] = {}
    for statement in kernel.statements:
        times = _instances(statement.loops, values)
        found = list(_floating(statement.body))
        operations += times * len(found)
        reals |= {DOUBLE if kind.bytes == 8 else FLOAT for kind in found}
        for name, mode, wide in _touches(statement):
            touched[name, mode] = touched.get((name, mode), 0.0) + times * wide
    moved = sum(min(lengths[name] * max(launches, 1.0), amount) for (name, _), amount in touched.items())
    return _Part(operations, moved, frozenset(reals))


def _touches(statement: Statement) -> Iterator[tuple[str, Mode, int]]:
    for access in statement.accesses:
        if access.variable.kind is VariableKind.MEMORY and access.variable.shape:
            yield access.variable.memory, access.mode, size(access.reference.type)


def _instances(loops: tuple[LoopNode, ...], values: Values) -> float:
    """How often what stands in the loops runs; inner loops are as long as they are in the middle of outer ones."""
    total = 1.0
    for node in sorted(loops, key=lambda one: one.loop.header.start):
        loop = node.loop
        first, bound = values.integer(loop.first), values.integer(loop.bound)
        beyond = bound + (loop.step > 0) - (loop.step < 0) if "=" in loop.relation and loop.relation != "!=" else bound
        trips = max(0, -((first - beyond) // loop.step))
        total *= trips
        values = values.having(loop.iterator.unique, first + loop.step * (trips // 2))
    return total


def _floating(body: Stmt) -> Iterator[Scalar]:
    """The type of each floating-point operation; raises `Unknown` where a loop's length is not known before it runs."""
    for part in statements(body):
        if isinstance(part, (For, GeneralFor, While)):
            raise Unknown("the length of a loop")
        if isinstance(part, Assign) and part.op != "=":
            yield from _counted(part.target)
        for expr in own_expressions(part):
            for one in expressions(expr):
                if isinstance(one, (Binary, Call)):
                    yield from _counted(one)


def _counted(expr: Expr) -> Iterator[Scalar]:
    if isinstance(expr.type, Scalar) and expr.type.floating:
        yield expr.type
        if isinstance(expr, Call) and expr.callee.startswith("fma"):
            yield expr.type
