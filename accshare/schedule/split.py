"""Kernels whose loops combine: the same work in parts, for the case that the other loops don't fill the machine.

MDH gives each dimension of a loop nest an operator that puts together the results of its parts: concatenation for
parallel loops, another one for loops that combine. Any dimension can be cut. Here a loop that combines inside the
parallel ones is cut too: the first kernel combines in each part, the second one puts the parts together.
"""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl

from accshare.atomics import atomics
from accshare.combining import combine
from accshare.frontend.ir import Scalar
from accshare.islexpr import variable
from accshare.poly.ir import DependenceKind, Leaf, LoopNode, Nest, Node, Scop, Statement, VariableKind
from accshare.schedule.ir import KernelNest, Reduction, accumulator, combination_name
from accshare.schedule.parallelism import Verdict

_SET = isl.dim_type.set
#: fewer iterations are never worth a second kernel
_FEWEST = 4096


@dataclass(frozen=True, slots=True)
class Parts:
    """A kernel in parts: the loops of its grid with their axes, its tree, and the tree of what is done with the
    combined results."""

    mapped: tuple[tuple[LoopNode, int], ...]
    body: tuple[Node, ...]
    finish: tuple[Node, ...]


def combining_loop(plain: KernelNest) -> LoopNode | None:
    """The only loop inside the mapped ones, with nothing but single statements before and behind it. The second kernel
    would combine in steps what others do in one piece."""
    nests = [node for node in _inside(plain) if isinstance(node, Nest)]
    if len(nests) != 1 or not plain.mapped or plain.reductions or atomics(s.body for s in plain.statements):
        return None
    return nests[0].loop


def parts_of(scop: Scop, plain: KernelNest, loop: LoopNode, verdict: Verdict) -> Parts | None:
    """`plain` in parts, `verdict` being what is known of its combining `loop`; None where that is not legal, or never
    worth it."""
    inside = tuple(s for s in plain.statements if loop in s.loops)
    if not verdict.parallel or not verdict.reductions or verdict.guards or verdict.trusted:
        return None
    if not _is_long(scop, inside, loop) or not _is_apart(scop, plain, inside, verdict.reductions):
        return None
    tree = _inside(plain)
    chain = tuple(node for node, _ in plain.mapped)
    ends = tuple(Leaf(_combination(r, scop, inside, loop)) for r in verdict.reductions)
    after = tuple(end for node in tree for end in (ends if isinstance(node, Nest) else (node,)))
    axes = (min(2, axis) for axis in range(len(chain), 0, -1))  # the two outermost of three share z
    body = tuple(node for node in tree if isinstance(node, Nest))
    return Parts((*zip(chain, axes, strict=True), (loop, 0)), _around(chain, body), _around(chain, after))


def _inside(nest: KernelNest) -> tuple[Node, ...]:
    """The tree inside the mapped loops."""
    body = nest.body
    for _ in nest.mapped:
        body = tuple(inner for node in body if isinstance(node, Nest) for inner in node.body)
    return body


def _around(chain: tuple[LoopNode, ...], body: tuple[Node, ...]) -> tuple[Node, ...]:
    for node in reversed(chain):
        body = (Nest(node, body),)
    return body


def _is_long(scop: Scop, inside: tuple[Statement, ...], loop: LoopNode) -> bool:
    """Whether the loop can have many iterations at all."""
    far = isl.Set("{ : 1 = 0 }")
    for statement in inside:
        pairs = isl.Map.from_domain_and_range(statement.domain, statement.domain)
        for k in range(loop.depth):
            pairs = pairs.equate(isl.dim_type.in_, k, isl.dim_type.out, k)
        dims = ", ".join(f"i{k}" for k in range(len(statement.loops)))
        name, others, d = statement.name, dims.replace("i", "o"), loop.depth
        apart = isl.Map(f"{{ {name}[{dims}] -> {name}[{others}] : o{d} >= i{d} + {_FEWEST} }}")
        far = far.union(pairs.intersect(apart).params())
    return not far.intersect(scop.context).is_empty()


def _is_apart(scop: Scop, plain: KernelNest, inside: tuple[Statement, ...], reductions: tuple[Reduction, ...]) -> bool:
    """Whether the loop can be run before everything else in the kernel, but for what it combines: it needs nothing that
    the other statements compute, and leaves them no private values."""
    own = {s.name for s in inside}
    others = {s.name for s in plain.statements} - own
    combined = {r.variable for r in reductions}
    for dependence in scop.dependences:
        shared = dependence.source_access.variable
        ends = dependence.source.name, dependence.sink.name
        if shared in combined or not (set(ends) & own and set(ends) & others):
            continue
        private = shared.kind is not VariableKind.MEMORY or shared.name in plain.private
        if dependence.kind is DependenceKind.FLOW if private else ends[1] in own:
            return False
    return True


def _combination(reduction: Reduction, scop: Scop, inside: tuple[Statement, ...], loop: LoopNode) -> Statement:
    """The statement that combines a part's result into the target; it stands for all iterations of the loop."""
    users = tuple(s for s in inside if any(a.variable == reduction.variable for a in s.accesses))
    name = combination_name(users[0], reduction)
    domain = isl.Set(f"{{ {name}[{', '.join(f'i{k}' for k in range(loop.depth))}] : 1 = 0 }}")
    for user in users:
        outer = user.domain.project_out(_SET, loop.depth, len(user.loops) - loop.depth)
        domain = domain.union(outer.set_tuple_name(name))
    element = reduction.variable.element
    assert isinstance(element, Scalar)
    part = variable(accumulator(reduction.variable))
    body = combine(reduction.op, reduction.target, part, element, users[0].body.span)
    place = isl.Map.from_domain_and_range(domain, isl.Set("{ [0] }"))
    return Statement(name, body, users[0].loops[: loop.depth], domain.coalesce(), place, ())
