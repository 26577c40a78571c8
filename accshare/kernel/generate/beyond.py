"""Statements that work-items run for iterations of the grid which don't exist, too.

Where tiles are cut off, work-items are left over. What they compute is seen by nobody as long as they store nothing, so
that only loads and stores of global memory need tests: all work-items run the code of whole tiles.
"""

from __future__ import annotations

from math import prod

import islpy as isl

from accshare.frontend.ir import (
    Assign,
    Binary,
    Block,
    Call,
    Cast,
    Conditional,
    Expr,
    IntLit,
    Intrinsic,
    Member,
    Scalar,
    Subscript,
    Symbol,
    Var,
)
from accshare.frontend.ir import Stmt as SourceStmt
from accshare.islbuild import points
from accshare.kernel.generate.body import Bodies, buffer_symbol
from accshare.kernel.generate.space import Space
from accshare.kernel.passes.tables import in_code
from accshare.poly.ir import Mode, Statement
from accshare.reference import root
from accshare.schedule.ir import accumulator
from accshare.tree import expressions, own_expressions, statements


def instances_beyond(space: Space, bodies: Bodies, of: tuple[Statement, ...]) -> dict[str, isl.Set]:
    """For statements that do no harm where no iteration of the grid exists, their instances in a launch and others in
    such places, with as few bounds as possible.

    Those of an iteration that exists stay what they are. Loops inside run no further than they do somewhere.
    """
    nest = space.partition.nest
    if prod(space.partition.work_group) == 1 or nest.threads or any(c.member.step != 1 for c in space.coordinates):
        return {}
    harmless = [s for s in of if _is_harmless(space, bodies, s)]
    if not harmless:
        return {}
    names = {s.name for s in harmless}
    there = _iterations(space, tuple(s for s in nest.statements if s.name not in names or _stores(space, s)))
    if there.is_empty() or there.n_basic_set() != 1:
        return {}
    result = {}
    for statement in harmless:
        own = space.launched(statement)
        more = own.gist(_of_iterations(space, statement, there)).coalesce()
        if more.n_basic_set() == 1 and _goes_no_further(space, statement, own, more):
            result[statement.name] = more
    return result


def unset_beyond(space: Space, names: frozenset[str]) -> frozenset[Symbol]:
    """The variables that statements with these `names`, which run beyond what exists, find without a value there: no
    compiler has to keep a condition behind which something without a value is handed to a function."""
    of = space.partition.nest.statements
    read = {a.variable for s in of if s.name in names for a in s.accesses if a.mode is Mode.READ}
    set_ = {a.variable for s in of if s.name not in names for a in s.accesses if a.mode is Mode.WRITE}
    return frozenset(v.base.symbol for v in read & set_ if isinstance(v.base, Var))


def _stores(space: Space, statement: Statement) -> bool:
    """Whether it writes anything that is seen later, if only by way of a register."""
    nest = space.partition.nest
    return any(a.mode is Mode.WRITE and a.variable.name not in nest.private - nest.local for a in statement.accesses)


def _iterations(space: Space, statements_: tuple[Statement, ...]) -> isl.Set:
    """The iterations of the grid in which a launch runs one of some statements, as tuples of their numbers."""
    result = points(len(space.coordinates)).nothing
    for statement in statements_:
        result = result.union(space.launched(statement).apply(space.numbers(statement)))
    return result.coalesce()


def _is_harmless(space: Space, bodies: Bodies, statement: Statement) -> bool:
    """Whether a statement does nothing but compute values of the work-item's own for an iteration, from such values and
    those in tiles, and never fails."""
    own = _own_scalars(space) | {root(register) for register in bodies.elsewhere.values()}
    return all(_computes(space, stmt, own) for stmt in statements(bodies.statement(statement)))


def _own_scalars(space: Space) -> set[Symbol | None]:
    """The private variables that are scalars; a work-item may have an array of them, one for each of its iterations."""
    own = space.partition.nest.private - space.partition.nest.local
    return {v.base.symbol for v in space.scop.variables if v.name in own and not v.shape and isinstance(v.base, Var)}


def _computes(space: Space, stmt: SourceStmt, own: set[Symbol | None]) -> bool:
    match stmt:
        case Block():
            return True
        case Assign(target=target):
            tops = own_expressions(stmt)
            return root(target) in own and all(_is_safe(space, e) for top in tops for e in expressions(top))
    return False


def _is_safe(space: Space, expr: Expr) -> bool:
    """Whether an expression reads no global memory and can be evaluated for any values of its parts; choices between
    values could be branches."""
    match expr:
        case Binary("/" | "%", _, rhs, Scalar(floating=False)):
            return isinstance(rhs, IntLit) and rhs.value > 0
        case Binary("<<" | ">>", _, rhs):
            return isinstance(rhs, IntLit)
        case Cast(operand, Scalar(floating=False)):
            return isinstance(operand.type, Scalar) and not operand.type.floating  # no result where that doesn't fit
        case Binary("&&" | "||") | Conditional():
            return False
        case Call(callee=callee):
            return all(f.name != callee for f in space.scop.region.functions)
        case Intrinsic() | Member():
            return False
        case Var(symbol):
            return all(symbol != accumulator(r.variable) for r in space.partition.nest.reductions)
        case Subscript(base=base):
            arrays = (v for v in space.scop.variables if v.shape and isinstance(v.base, Var))
            elsewhere = {buffer_symbol(v) for v in space.scop.variables} | {root(v.base) for v in arrays}
            elsewhere -= {buffer_symbol(v) for v in in_code(space.scop)}
            return isinstance(base, Var) and base.symbol not in elsewhere
    return True


def _of_iterations(space: Space, statement: Statement, there: isl.Set) -> isl.Set:
    return space.numbers(statement).reverse().intersect_domain(there).range()


def _goes_no_further(space: Space, statement: Statement, own: isl.Set, more: isl.Set) -> bool:
    """Whether the loops inside of the grid's have no iterations that they have in none of a launch."""
    every = statement.tuples
    grid = {c.member.loop.depth for c in space.coordinates}
    inside = every.to([place for k, place in enumerate(every.coordinates) if k not in grid])
    return bool(more.intersect_params(own.params()).apply(inside).is_subset(own.apply(inside)))
