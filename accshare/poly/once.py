"""What runs once in a region: its outermost loops, and what stands between them."""

from __future__ import annotations

from collections.abc import Callable

from accshare.frontend.ir import Block, For, If, Stmt
from accshare.records import replace
from accshare.tree import with_blocks


def with_loops(block: Block, change: Callable[[For], tuple[Stmt, ...]]) -> Block:
    """A block that runs once at most, with its outermost loops changed."""
    found: list[Stmt] = []
    for stmt in block.statements:
        if isinstance(stmt, For):
            found += change(stmt)
        elif isinstance(stmt, Block | If):
            found.append(with_blocks(stmt, lambda inner: with_loops(inner, change)))
        else:
            found.append(stmt)
    return replace(block, statements=tuple(found))
