"""What the schedule stage produces: the region as kernels under host loops."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import islpy as isl

from accshare.diagnostics import Diagnostic
from accshare.poly.ir import Dependence, Guard, LoopNode, Node, Scop, Statement, Variable
from accshare.pragma.ir import ReductionOp
from accshare.source import Span


@dataclass(frozen=True, slots=True)
class Reduction:
    """A scalar every work-item combines into: an accumulator each, combined when the loops are done."""

    variable: Variable
    op: ReductionOp


@dataclass(frozen=True, slots=True)
class KernelNest:
    """A part of the region that becomes one kernel.

    `mapped` are its parallel loops, outermost first, with the axis of the grid each one runs along (0 is x); empty for
    a part that one work-item runs. `body` is the tree below `host_loops`. `private` names the variables of which every
    work-item has its own.
    """

    name: str
    host_loops: tuple[LoopNode, ...]
    mapped: tuple[tuple[LoopNode, int], ...]
    body: tuple[Node, ...] = field(repr=False)
    statements: tuple[Statement, ...] = field(repr=False)
    private: frozenset[str]
    reductions: tuple[Reduction, ...]
    span: Span


def shares(nest: KernelNest, variable: Variable) -> bool:
    """Whether the kernel uses a variable that is not its work-items' own."""
    return variable.name not in nest.private and any(
        access.variable == variable for statement in nest.statements for access in statement.accesses
    )


@dataclass(frozen=True, slots=True)
class HostFor:
    """A loop that stays on the host, around launches."""

    loop: LoopNode
    body: tuple[HostNode, ...]


HostNode: TypeAlias = HostFor | KernelNest


@dataclass(frozen=True, slots=True)
class Serial:
    """Why a loop isn't parallel. `diagnostic` names the two accesses and what would help."""

    loop: LoopNode
    diagnostic: Diagnostic


@dataclass(frozen=True, slots=True)
class Trusted:
    """The pairs of a dependence that a parallel loop may ignore: the user promised there are none, or a guard excludes
    them."""

    dependence: Dependence
    pairs: isl.Map = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Mapping:
    """The region's kernels in the order they run, and why the other loops are sequential.

    `scratch` are variables declared in the region that live from one kernel to another. `guards` are conditions under
    which the loops are independent, `trusted` what they or the user's promises exclude. `diagnostics` are promises that
    don't hold.
    """

    scop: Scop
    host: tuple[HostNode, ...]
    scratch: tuple[Variable, ...]
    serial: tuple[Serial, ...]
    guards: tuple[Guard, ...]
    trusted: tuple[Trusted, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def kernels(self) -> tuple[KernelNest, ...]:
        """All kernels, in source order."""

        def walk(nodes: tuple[HostNode, ...]) -> tuple[KernelNest, ...]:
            return tuple(nest for node in nodes for nest in (walk(node.body) if isinstance(node, HostFor) else (node,)))

        return walk(self.host)
