"""What the last iteration of a loop leaves of a variable that each has a part of: it is stored back where the program
looks for it."""

from __future__ import annotations

import islpy as isl

from accshare.frontend.ir import LONG, Assign, Var
from accshare.islbuild import Points, Value, lexmax, lexmin, like, points
from accshare.islexpr import binary, literal
from accshare.order.parts import Parts
from accshare.poly.ir import Access, LoopNode, Mode, Scop, Statement
from accshare.records import replace
from accshare.reference import strip
from accshare.tree import mentions

_SET, _OUT = isl.dim_type.set, isl.dim_type.out


def stored_back(scop: Scop, found: Scop, parts: Parts) -> Scop | None:
    """The region with the last iteration's part where it belongs; None where no loops are known to go over it."""
    if any(a.variable == parts.old for s in found.statements for a in s.accesses):
        return None
    for statement in scop.statements:
        for access in statement.accesses:
            if access.variable == parts.old and access.mode is Mode.WRITE:
                loops = _loops_over(access, statement, parts)
                if loops is not None:
                    last = _last(scop, statement, access, loops, parts)
                    expansion = replace(found.expansions[-1], last=last.name)
                    statements = (*found.statements, last)
                    return replace(found, statements=statements, expansions=(*found.expansions[:-1], expansion))
    return None


def _loops_over(access: Access, statement: Statement, parts: Parts) -> tuple[LoopNode, ...] | None:
    """The loops whose iterators are an access's subscripts, if these are all there is to say of them."""
    symbols = [e.symbol for e in map(strip, access.subscripts) if isinstance(e, Var)]
    loops = tuple(n for n in statement.loops[parts.loop.depth + 1 :] if n.iterator in symbols)
    others = [n for n in statement.loops if n not in loops]
    bounds = [bound for n in loops for bound in (n.loop.first, n.loop.bound)]
    if len(loops) != len(access.subscripts) or any(mentions(b, n.iterator) for b in bounds for n in others):
        return None
    return loops


def _last(scop: Scop, writer: Statement, write: Access, over: tuple[LoopNode, ...], parts: Parts) -> Statement:
    """The statement that stores the last iteration's part to where a statement stores each one's."""
    name = f"{writer.name}_last"
    domain = _projected(writer.domain, over).set_tuple_name(name)
    loops = tuple(_as_outermost(scop, writer, over, k) for k in range(len(over)))
    up = parts.loop.loop.step > 0
    last = binary("-", parts.high, literal(parts.low, LONG), LONG) if up else literal(0, LONG)
    every = like(domain)
    symbols = [loop.iterator for loop in over]
    own = [every.coordinates[symbols.index(e.symbol)] for e in map(strip, write.subscripts) if isinstance(e, Var)]
    element = every.to(own, parts.old.name).intersect_domain(domain)
    iterations = parts.loop.domain.project_out(_SET, 0, parts.loop.depth)
    part = (lexmax(iterations) if up else lexmin(iterations)).apply(_less(parts.low))
    place = isl.Map.from_domain_and_range(domain, part).flat_range_product(element.reset_tuple_id(_OUT))
    target, value = write.reference, parts.at(write.reference, last)
    read = replace(
        write,
        variable=parts.new,
        space=parts.new.name,
        mode=Mode.READ,
        reference=value,
        subscripts=(last, *write.subscripts),
        relation=place.set_tuple_name(_OUT, parts.new.name),
    )
    body = Assign(target, "=", value, write.span)
    accesses = read, replace(write, relation=element)
    return Statement(name, body, loops, domain, _afterwards(scop, every, loops), accesses)


def _less(low: int) -> isl.Map:
    every = points(1)
    return every.to([every.coordinates[0] - low])


def _projected(domain: isl.Set, kept: tuple[LoopNode, ...]) -> isl.Set:
    """The iterations of some loops in the instances of a statement."""
    depths = {loop.depth for loop in kept}
    for depth in reversed(range(domain.dim(_SET))):
        if depth not in depths:
            domain = domain.project_out(_SET, depth, 1)
    return domain


def _as_outermost(scop: Scop, writer: Statement, over: tuple[LoopNode, ...], place: int) -> LoopNode:
    """A loop of its own in place of one of those that go over a part."""
    index = scop.unused_loop + place
    domain = _projected(writer.domain, over[: place + 1]).reset_tuple_id()
    return LoopNode(index, place, replace(over[place].loop, directive=None), domain)


def _afterwards(scop: Scop, every: Points, loops: tuple[LoopNode, ...]) -> isl.Map:
    """When a statement runs that comes behind all others."""
    width = scop.statements[0].time.dim(_OUT)
    starts = (s.time.range().dim_max_val(0) for s in scop.statements)
    order: list[Value] = [1 + max(start.to_python() for start in starts)]
    for loop in loops:
        order += [loop.time(every.coordinates), 0]
    return every.to([*order, *[0] * (width - len(order))])
