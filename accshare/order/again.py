"""Passes over a matrix one after the other, as ``A x`` and then ``transpose(A) y``, by blocks of its rows.

Two nests stand one after the other, and both go over a matrix: the first along its rows, say, and the second down its
columns. A block of rows goes through both before the next one, and caches have it still when the second comes to it.
Each element sees what it would see in the program's order. GPUs have less to do at once then, so that it is CPUs that
have this beside the order that was found.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import islpy as isl

from accshare.conversions import size
from accshare.frontend.ir import INT, LONG, Binary, Expr, IntLit
from accshare.islexpr import binary, conjunction, length, literal
from accshare.order.block import Cut, by_blocks, can_be_cut, is_in_order
from accshare.order.facts import Facts
from accshare.order.ir import InBlocks
from accshare.order.nests import each_nest, share_only_arrays
from accshare.poly.ir import Access, LoopNode, Mode, Scop, Statement, VariableKind
from accshare.quota import Quota, QuotaExceeded
from accshare.records import replace
from accshare.source import Span
from accshare.subscripts import affine
from accshare.tree import mentions

#: rows of a block: enough for some cores, which have a tile of them each
_ROWS, _CORES = 128, 8
#: the bytes of a matrix that cores have near them anyway, and of a block that a cache which they share may not hold
_NEAR, _FAR = 2 << 20, 8 << 20
#: isl's operations for a region
_OPERATIONS = 300_000
_NOWHERE = Span(0, 0)


def in_blocks_of_rows(scop: Scop) -> InBlocks | None:
    """The region with the first two neighbours that go over the same matrix by blocks of its rows; None where there are
    none, or that isn't legal."""
    try:
        with Quota(_OPERATIONS):
            return next(_found(scop), None)
    except QuotaExceeded:
        return None


def _found(scop: Scop) -> Iterator[InBlocks]:
    facts = Facts(scop)
    for first, second in pairwise(each_nest(scop.statements)):
        nest = (*first, *second)
        atomic = any(a.atomic is not None for s in nest for a in s.accesses)
        if not atomic and all(is_flat(one) and can_be_cut(facts, one) for one in (first, second)):
            for matrix, rows, columns in common(first, second, _NEAR):
                cut = _cut(facts, nest, rows)
                if cut is not None:
                    gains = _gains(matrix, rows[1], columns)
                    yield InBlocks(_own_in_blocks(cut), rows, matrix.variable.name, _ROWS, gains, _CORES)


def is_flat(nest: tuple[Statement, ...]) -> bool:
    """Whether there are two loops at most in each other, and two in some place, whose iterations share only arrays."""
    return max(len(s.loops) for s in nest) == 2 and share_only_arrays(nest, 0)


def common(
    first: tuple[Statement, ...], second: tuple[Statement, ...], least: int
) -> Iterator[tuple[Access, tuple[LoopNode, LoopNode], LoopNode]]:
    """What the second nest reads of a matrix that the first one goes over in the same way, and that may have more than
    so many bytes, with the loops of both that go over its rows, which are each found once, and the other one of the
    second."""
    found: set[tuple[LoopNode, LoopNode]] = set()
    before = {(access.space, sides[0]) for access, sides in _matrices(first)}
    for access, own in _matrices(second):
        for rows in sorted((loop for space, loop in before if space == access.space), key=lambda loop: loop.index):
            if access.mode is Mode.READ and (rows, own[0]) not in found and _may_be_large(access, own, least):
                found.add((rows, own[0]))
                yield access, (rows, own[0]), own[1]


def _matrices(nest: tuple[Statement, ...]) -> Iterator[tuple[Access, tuple[LoopNode, LoopNode]]]:
    """What a nest reaches of matrices, with the loops over their rows and over their columns."""
    for statement in nest:
        for access in statement.accesses if len(statement.loops) == 2 else ():
            sides = _sides(access, statement)
            if sides is not None:
                yield access, sides


def _sides(access: Access, statement: Statement) -> tuple[LoopNode, LoopNode] | None:
    """The loops over rows and over columns of a matrix; None where subscripts are none of just these."""
    known = affine(access, statement) if len(access.subscripts) > 1 else None
    if known is None:
        return None
    *outer, along = known.rows
    moving = [row for row in outer if row.loops]
    if len(moving) != 1 or len(moving[0].loops) != 1 or len(along.loops) != 1:
        return None
    indices = {loop.index: loop for loop in statement.loops}
    (rows, by), (columns, step) = moving[0].loops[0], along.loops[0]
    return (indices[rows], indices[columns]) if rows != columns and by == step == 1 else None


def _cut(facts: Facts, nest: tuple[Statement, ...], rows: tuple[LoopNode, LoopNode]) -> Cut | None:
    """Both nests by blocks of rows; None where that isn't legal. What stands before a loop over rows comes with the
    first block."""
    over = {s.name: next((loop for loop in s.loops if loop in rows), None) for s in nest}
    if not is_in_order(facts, nest, over):
        return None
    cut = by_blocks(facts.scop, nest, over, _ROWS, facts.pairs)
    return cut if cut is not None and cut.complete and len(cut.pieces) == len(nest) else None


def _own_in_blocks(cut: Cut) -> Scop:
    """The region, in which iterations have what they declare for themselves in each block."""
    scop = cut.scop
    declared = (v for v in scop.variables if v.kind is VariableKind.PRIVATE and v.scope)
    used = {a.variable.name for s in cut.pieces for a in s.accesses}
    own = {v.name: replace(v, scope=v.scope + 1) for v in declared if v.name in used}
    accesses: dict[int, Access] = {}
    for statement in cut.pieces:
        every = statement.tuples
        block = every.to(every.coordinates[:1])
        for access in statement.accesses:
            if access.variable.name in own:
                relation = block.flat_range_product(access.relation).set_tuple_name(isl.dim_type.out, access.space)
                accesses[id(access)] = replace(access, variable=own[access.variable.name], relation=relation)
    moved = {s.name: replace(s, accesses=tuple(accesses.get(id(a), a) for a in s.accesses)) for s in cut.pieces}
    return replace(
        scop,
        variables=tuple(own.get(v.name, v) for v in scop.variables),
        statements=tuple(moved.get(s.name, s) for s in scop.statements),
        dependences=tuple(d.between(moved, accesses) for d in scop.dependences),
    )


def _may_be_large(access: Access, sides: tuple[LoopNode, LoopNode], least: int) -> bool:
    """Whether a matrix may have more than so many bytes, and is as long in all rows."""
    bounds = (e for side in sides for e in (side.loop.first, side.loop.bound))
    if any(mentions(bound, side.iterator) for bound in bounds for side in sides):
        return False
    whole = _bytes(access, length(sides[0].loop), length(sides[1].loop))
    return not isinstance(whole, IntLit) or whole.value > least


def _bytes(access: Access, rows: Expr, columns: Expr) -> Expr:
    return binary("*", binary("*", rows, columns, LONG), literal(size(access.reference.type), LONG), LONG)


def is_large(matrix: Access, rows: LoopNode, columns: LoopNode, least: int) -> Expr:
    """Whether a matrix has more than so many bytes."""
    whole = _bytes(matrix, length(rows.loop), length(columns.loop))
    return Binary(">", whole, literal(least, LONG), INT, _NOWHERE)


def _gains(matrix: Access, rows: LoopNode, columns: LoopNode) -> Expr:
    """The condition under which one pass is better than two."""
    block = _bytes(matrix, literal(_ROWS, LONG), length(columns.loop))
    fits = Binary("<=", block, literal(_FAR, LONG), INT, _NOWHERE)
    gains = conjunction((is_large(matrix, rows, columns, _NEAR), fits))
    assert gains is not None
    return gains
