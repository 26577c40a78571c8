"""Loops that count down, ``for (i = n - 1; i >= 0; i--)``, though none of their iterations needs another one's results:
they count up, as vectors lie in memory."""

from __future__ import annotations

from accshare.carried import carried
from accshare.frontend.ir import LONG, Block, For, Region, Stmt
from accshare.islexpr import binary, literal
from accshare.poly.ir import LoopNode, Scop
from accshare.poly.iterators import wide
from accshare.records import replace
from accshare.tree import with_blocks


def with_loops_upwards(scop: Scop) -> Region | None:
    """The region with such loops the other way round; None where it has none."""
    nodes = dict.fromkeys(node for s in scop.statements for node in s.loops if node.loop.step == -1)
    turned = {(node.iterator, node.loop.header) for node in nodes if _is_free(node, scop)}
    if not turned:
        return None

    def block(inner: Block) -> Block:
        return replace(inner, statements=tuple(map(statement, inner.statements)))

    def statement(stmt: Stmt) -> Stmt:
        made = with_blocks(stmt, block)
        return _upwards(made) if isinstance(made, For) and (made.iterator, made.header) in turned else made

    return replace(scop.region, body=block(scop.region.body))


def _is_free(node: LoopNode, scop: Scop) -> bool:
    """Whether the iterations of a loop may run in any order."""
    if scop.region.promises(node.loop):
        return True
    return not any(
        node in dependence.source.loops
        and node in dependence.sink.loops
        and not carried(dependence.relation, node.depth).is_empty()
        for dependence in scop.dependences
    )


def _upwards(loop: For) -> For:
    """A loop in steps of -1 with the same iterations the other way round."""
    if loop.relation == ">=":
        return replace(loop, first=loop.bound, relation="<=", bound=loop.first, step=1)
    low = binary("+", wide(loop.bound), literal(1, LONG), LONG)
    return replace(loop, first=low, relation="<=", bound=loop.first, step=1)
