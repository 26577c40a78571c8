"""How many steps of a loop over time launches of a GPU have whose groups run bands of elements (`mapping.gpu.bands`):
what the model has to know of these."""

from __future__ import annotations

from accshare.frontend.ir import IntLit
from accshare.order.facts import Facts
from accshare.order.hyperplanes import distances_of
from accshare.order.nests import share_only_arrays
from accshare.poly.ir import LoopNode, Statement

#: elements of a band, and steps that it has at most
ELEMENTS, _STEPS = 1024, 32


def steps_at_once(facts: Facts, inside: tuple[Statement, ...], depth: int) -> int:
    """The steps of the loop at `depth` that two launches have, each step of which is parallel loops of single elements;
    1 where each has launches of its own."""
    if any(len(s.loops) != depth + 2 for s in inside) or not share_only_arrays(inside, depth):
        return 1
    loops = [inside[0].loops[depth], *(s.loops[-1] for s in inside)]
    if not all(map(_counts_up, loops)) or not isinstance(loops[0].loop.first, IntLit):
        return 1
    reach = 1
    for relation in {id(d.relation): d.relation for d in facts.between(inside, depth)}.values():
        apart = distances_of(relation, depth, facts.scop.context)
        for end in () if apart.is_empty() else (apart.dim_min_val(1), apart.dim_max_val(1)):
            if not end.is_int():
                return 1
            reach = max(reach, abs(int(end.to_python())))
    return max(1, min(_STEPS, ELEMENTS // (4 * reach)))


def _counts_up(loop: LoopNode) -> bool:
    return loop.loop.step > 0 and loop.loop.relation in ("<", "<=")
