"""Loops inside an iteration whose length the data decide, and that only combine: where vectors may lie along them.

The rows of a sparse matrix are such loops. To the polyhedral model each is one statement.
"""

from __future__ import annotations

from accshare.combining import named_operators, operator_of
from accshare.conversions import alike
from accshare.device import Device
from accshare.frontend.ir import Assign, Block, Declare, For, If, Member, Scalar, Subscript, Symbol, Var
from accshare.mapping.cpu.register_tile import OPERATIONS, widest
from accshare.mapping.ir import DataBoundLoop
from accshare.operations import operations
from accshare.options import Options
from accshare.poly.ir import Statement
from accshare.pragma.ir import Level
from accshare.schedule.ir import Kernel
from accshare.tree import all_expressions, expressions, statements, substatements

#: lanes where elements that lie apart are loaded one by one, of which wider vectors get no more: as many additions in
#: flight keep up with two loads a clock
_GATHERED = 4
#: of OpenCL's vectors
_MOST_LANES = 16
#: vectors that a row must fill, for what it takes to begin and to end them
_LONG = 4


def data_bound_loops(nest: Kernel, device: Device, options: Options) -> tuple[DataBoundLoop, ...]:
    """The loops in a kernel's statements that may combine floating-point numbers in vectors. Integers are left to
    compilers, which need nobody's leave."""
    if device.simd_width < _GATHERED:
        return ()
    over_all = {r.variable.base.symbol for r in nest.reductions if isinstance(r.variable.base, Var)}
    return tuple(
        _vectors(statement, statement.body, device)
        for statement in nest.statements
        if isinstance(statement.body, For) and _combines(statement.body, over_all, options)
    )


def _vectors(statement: Statement, loop: For, device: Device) -> DataBoundLoop:
    """What lies along a loop: whole registers where it computes enough for what has to be put together."""
    own = {s.symbol for s in statements(loop.body) if isinstance(s, Declare)}
    elements = (e for e in all_expressions(loop.body) if isinstance(e, Member | Subscript))
    apart = {e for e in elements if isinstance(e, Member) or _is_apart(e, own)}
    lanes = min(_MOST_LANES, 4 * device.simd_width // widest((loop.body,)))
    if not apart:
        return DataBoundLoop(loop.header, lanes, _LONG * lanes)
    if operations(statement.body, True) >= OPERATIONS * len(apart):
        return DataBoundLoop(loop.header, lanes, 2 * _GATHERED)
    return DataBoundLoop(loop.header, _GATHERED, _LONG * _GATHERED)


def _combines(loop: For, over_all: set[Symbol], options: Options) -> bool:
    """Whether all that a loop does is to combine, and may be done in any order."""
    inside = tuple(statements(loop.body))
    if loop.step != 1 or loop.relation not in ("<", "<=", "!=") or not alike(loop.bound.type, loop.iterator.type):
        return False
    if not all(isinstance(s, Assign | Block | Declare | If) for s in inside) or (
        loop.directive is not None and loop.directive.says(Level.SEQ)
    ):
        return False
    targets = dict.fromkeys(s.target for s in inside if isinstance(s, Assign))
    own = {s.symbol for s in inside if isinstance(s, Declare)}
    combined = [t for t in targets if isinstance(t, Var) and t.symbol not in own]
    if not combined or not all(isinstance(target, Var) for target in targets):
        return False
    bounds = {e for end in (loop.first, loop.bound) for e in expressions(end)}
    return bounds.isdisjoint(combined) and all(_may_reorder(loop, t, over_all, options) for t in combined)


def _may_reorder(loop: For, target: Var, over_all: set[Symbol], options: Options) -> bool:
    """Whether a loop only combines into a floating-point variable, and somebody said that it may do so in any order."""
    op = operator_of(list(substatements(loop.body)), target)
    if op is None or not isinstance(target.type, Scalar) or not target.type.floating:
        return False
    named = named_operators(target.symbol, loop.directive.clauses if loop.directive else ())
    return op.clause in named or target.symbol in over_all or options.reassociate


def _is_apart(element: Subscript, own: set[Symbol]) -> bool:
    """Whether what an iteration loads, or computes in a variable of its own, tells which element it is."""
    return any(isinstance(e, Subscript) or (isinstance(e, Var) and e.symbol in own) for e in expressions(element.index))
