"""What loops on the host go over, read from how they are printed, and under which conditions they run at all.

Kernels are generated from what the loops around them are said to go over: where a program asks something before such a
loop, the host has to ask it, too.
"""

from __future__ import annotations

from contextlib import suppress

import islpy as isl

from accshare.islbuild import COMPARISONS, given, sizes
from accshare.islexpr import Unreadable, value_of
from accshare.poly.ir import LoopNode

_PARAM = isl.dim_type.param


def condition(node: LoopNode, around: tuple[LoopNode, ...], context: isl.Set) -> isl.Set:
    """Under which iterations of the loops `around` it a loop runs, beyond what these and its own bounds say; over
    parameters that have the names of their iterators."""
    known = reached(around, context)
    with suppress(Unreadable):  # where they are not read, that it has iterations is asked before it, too
        known = known.intersect(_without_own(passed(node, around), node))
    runs = _without_own(domain(node, around), node).coalesce()
    return isl.Set.universe(runs.get_space()) if known.is_subset(runs) else runs.gist(known).coalesce()


def is_as_written(node: LoopNode, around: tuple[LoopNode, ...], context: isl.Set) -> bool:
    """Whether a loop goes over its domain under that condition. Raises `Unreadable` where its bounds hang on more than
    sums and quotients of integers."""
    known = reached(around, context)
    own = domain(node, around).intersect(known)
    return bool(passed(node, around).intersect(known).intersect(condition(node, around, context)).is_equal(own))


def domain(node: LoopNode, around: tuple[LoopNode, ...]) -> isl.Set:
    """The iterations that a loop is said to have, over parameters."""
    return given(node.domain, _names(node, around)).params()


def passed(node: LoopNode, around: tuple[LoopNode, ...]) -> isl.Set:
    """The iterations that it has as it is printed. Raises `Unreadable`."""
    loop, names = node.loop, _names(node, around)
    at, first = sizes(names[-1]).parameters[0].to_pw_aff(), value_of(loop.first)
    if loop.relation not in COMPARISONS:
        raise Unreadable
    found = COMPARISONS[loop.relation](at, value_of(loop.bound))
    found = found.intersect(COMPARISONS[">=" if loop.step > 0 else "<="](at, first))
    steps = at.sub(first).mod_val(isl.Val(abs(loop.step)))
    return found.intersect(steps.eq_set(sizes().function(0).to_pw_aff()))


def _names(node: LoopNode, around: tuple[LoopNode, ...]) -> list[str]:
    return [n.iterator.unique for n in (*around, node)]


def reached(around: tuple[LoopNode, ...], context: isl.Set) -> isl.Set:
    """What holds where a loop is reached."""
    return context.params().intersect(domain(around[-1], around[:-1])) if around else context.params()


def _without_own(iterations: isl.Set, node: LoopNode) -> isl.Set:
    """Where a loop has iterations."""
    position = iterations.find_dim_by_name(_PARAM, node.iterator.unique)
    return iterations if position < 0 else iterations.project_out(_PARAM, position, 1)
