"""What runs once in a region: its outermost loops, and what stands between them."""

from __future__ import annotations

from collections.abc import Callable

from accshare.frontend.ir import Block, For, If, Region, Stmt
from accshare.records import replace
from accshare.tree import statements, with_blocks


def with_loops(region: Region, change: Callable[[For], tuple[Stmt, ...]]) -> Block:
    """The body of a region, its outermost loops changed, but for those of which something is promised."""

    def block(inner: Block) -> Block:
        return replace(inner, statements=tuple(made for stmt in inner.statements for made in statement(stmt)))

    def statement(stmt: Stmt) -> tuple[Stmt, ...]:
        if isinstance(stmt, For):
            return (stmt,) if is_promised(stmt, region) else change(stmt)
        return (with_blocks(stmt, block) if isinstance(stmt, Block | If) else stmt,)

    return block(region.body)


def is_promised(nest: For, region: Region) -> bool:
    """Whether the user calls iterations of a nest's loops independent."""
    return any(isinstance(stmt, For) and region.promises(stmt) for stmt in statements(nest))
