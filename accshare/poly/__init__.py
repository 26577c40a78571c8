"""The poly stage: a region in the polyhedral model."""

from __future__ import annotations

import islpy as isl

from accshare.diagnostics import rejected
from accshare.frontend.ir import LONG, Expr, Region, Symbol, Var
from accshare.islbuild import sizes
from accshare.islexpr import is_true, of_condition, variable
from accshare.poly.accesses import Collector, NoRows
from accshare.poly.affine import Assumptions
from accshare.poly.bits import with_bits_added
from accshare.poly.build import Builder
from accshare.poly.coalescing import with_short_loops_coalesced
from accshare.poly.collapsed import with_collapsed_loops_apart
from accshare.poly.dependences import dependences
from accshare.poly.extreme_places import with_extreme_places
from accshare.poly.extremes import with_extremes_stored
from accshare.poly.flat_arrays import with_flat_arrays
from accshare.poly.ir import Guard, Scop, Statement
from accshare.poly.iterators import with_final_values
from accshare.poly.kept_places import with_places_kept
from accshare.poly.last_values import with_last_values
from accshare.poly.number_functions import with_numbers_for_calls
from accshare.poly.parameters import Parameters
from accshare.poly.privates import with_private_starts
from accshare.poly.remembered import with_remembered_values
from accshare.poly.running import with_indices_read, with_moves_behind_loops
from accshare.poly.struct_sizes import with_sizes_named, with_sizes_told
from accshare.poly.survey import assigned, counters, declared, evaluated, written
from accshare.poly.turns import with_turns
from accshare.poly.unless_nan import with_extremes_unless_nan
from accshare.poly.updates import with_updates_in_one_piece
from accshare.source import Span

__all__ = ["model"]

#: parts of a set that are simplified one by one
_FEW_PARTS = 12


def model(region: Region, early: frozenset[Symbol] = frozenset()) -> Scop:
    """Read a region as statement instances with accesses and dependences. Private arrays that may be read `early`,
    before they are written, are 0 at first.

    Raises `Rejected` for what no device could run.
    """
    region = with_flat_arrays(with_final_values(with_numbers_for_calls(with_sizes_named(region))))
    region = with_extreme_places(with_turns(region))
    region = with_private_starts(region, early)
    region = with_last_values(with_moves_behind_loops(region))
    region = with_places_kept(with_indices_read(with_remembered_values(region)))
    region = with_extremes_unless_nan(region)
    region = with_collapsed_loops_apart(with_bits_added(region))
    region = with_extremes_stored(with_updates_in_one_piece(with_short_loops_coalesced(region)))
    region = with_sizes_told(region)
    flat: frozenset[Expr] = frozenset()
    while True:
        try:
            return _modelled(region, flat)
        except NoRows as found:
            flat |= {found.base}


def _is_own(target: Expr) -> bool:
    """Whether it is a variable that pointers don't lead to."""
    return isinstance(target, Var) and not target.symbol.exposed


def _modelled(region: Region, flat: frozenset[Expr]) -> Scop:
    """The model of a region in which constants tell no rows of arrays that are read `flat`."""
    stored = tuple(target for target in assigned(region) if not _is_own(target))
    names = frozenset(s.unique for s in region.symbols)
    changed = written(region) | {symbol for symbol in region.symbols if symbol.on_device}
    inner = counters(region) | declared(region)
    parameters = Parameters(changed, inner, stored, evaluated(region), names, dict(region.sizes))
    assumptions = Assumptions()
    collector = Collector(region, parameters, changed, flat)
    builder = Builder(region, parameters, collector, assumptions)
    builder.build()
    collector.check_pointers()
    context = parameters.context()
    statements = tuple(builder.statements)
    return Scop(
        region,
        parameters.all(),
        collector.variables,
        statements,
        dependences(statements, context),
        tuple(builder.opaque + collector.opaque),
        _once((*parameters.guards, *_guards(assumptions, parameters, context, statements), *collector.guards)),
        context,
    )


def _once(guards: tuple[Guard, ...]) -> tuple[Guard, ...]:
    """Each condition checked once, for the reason given first."""
    return tuple({guard.condition: guard for guard in reversed(guards)}.values())[::-1]


def _guards(
    assumptions: Assumptions, parameters: Parameters, context: isl.Set, statements: tuple[Statement, ...]
) -> tuple[Guard, ...]:
    """The run-time checks that exclude what `assumptions` forbids, the same condition checked once.

    Raises `Rejected` (ACC403) for one that fails whenever there is anything to run.
    """
    busy = sizes().nothing
    for statement in statements:
        busy = busy.union(statement.domain.params()) if statement.loops else busy
    busy = busy.intersect(context)
    merged: dict[tuple[str, Span], isl.Set] = {}
    for bad, reason, span in assumptions.bad:
        old = merged.get((reason, span))
        merged[reason, span] = bad if old is None else old.union(bad)
    names = {p.symbol.unique: variable(p.symbol) for p in parameters.all()}
    guards: dict[Expr, Guard] = {}
    conditions: list[tuple[isl.Set, Expr]] = []
    for (reason, span), bad in merged.items():
        condition = next((known for other, known in conditions if other.plain_is_equal(bad)), None)
        if condition is None:
            if not busy.is_empty() and busy.is_subset(bad):
                hint = "the check would fail whenever there is something to run"
                raise rejected("ACC403", f"this {reason}, whatever the sizes are", span, hint)
            condition = of_condition(_without(bad, context), context, names, LONG)
            conditions.append((bad, condition))
        if not is_true(condition):
            guards.setdefault(condition, Guard(condition, reason, span))
    return tuple(guards.values())


def _without(bad: isl.Set, context: isl.Set) -> isl.Set:
    """What `context` leaves to be said of the parameters that are not in `bad`. Few parts give the plainest text; many
    are joined first, since the complement multiplies them."""
    if bad.n_basic_set() <= _FEW_PARTS:
        return bad.complement().gist(context).coalesce()
    return bad.coalesce().gist(context).coalesce().complement().coalesce()
