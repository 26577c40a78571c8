"""What the schedule stage produces: the region as kernels under host loops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import islpy as isl

from accshare.atomics import commuting
from accshare.conversions import is_bool
from accshare.diagnostics import Diagnostic
from accshare.frontend.ir import Expr, Scalar, Storage, Symbol
from accshare.poly.ir import Dependence, Guard, LoopNode, Node, VariableKind, Scop, Statement, Variable
from accshare.pragma.ir import ReductionOp
from accshare.source import Span

#: what turns any number into 0 or 1 does so with the first one
_NORMALISING = frozenset({"&&", "||"})


@dataclass(frozen=True, slots=True)
class Reduction:
    """What every work-item combines into: an accumulator each, combined when the loops are done. `target` is the
    scalar, or the element of `variable` that stays the same throughout the loops. `inferred`: no clause names it, and
    its operations have an order that a promise about the loops gave up."""

    variable: Variable
    op: ReductionOp
    target: Expr
    inferred: bool = False


def accumulator(variable_: Variable) -> Symbol:
    """A work-item's own part of a reduction."""
    return Symbol(variable_.name, f"{variable_.name}_part", variable_.element, Storage.INNER)


def combination_name(user: Statement, reduction: Reduction) -> str:
    """The name of the statement that combines a part's result into the target of the reduction; `user` is the first
    statement of the loop that combines."""
    return f"{user.name}_{reduction.variable.name}"


@dataclass(frozen=True, slots=True)
class Unordered:
    """An innermost loop of a work-item whose iterations may run in any order, each with its own of the variables called
    `private`: it only combines into the targets of `reductions`."""

    loop: LoopNode
    reductions: tuple[Reduction, ...]
    private: frozenset[str]


@dataclass(frozen=True, slots=True)
class KernelNest:
    """A part of the region that becomes one kernel.

    `mapped` are its parallel loops, outermost first, with the axis of the grid each one runs along (0 is x); empty for
    a part that one work-item runs. `body` is the tree below `host_loops`. `private` names the variables of which every
    work-item has its own. `unordered` are innermost loops that a CPU may run in vectors.

    In a kernel with a `finish`, the mapped loops are those of the `finish` and one more, over whose iterations the
    reductions combine: each iteration of the others has results of its own (MDH). `finish` is what is left to do for
    one of them: it takes the combined results in the place where the loop was.
    """

    name: str
    host_loops: tuple[LoopNode, ...]
    mapped: tuple[tuple[LoopNode, int], ...]
    body: tuple[Node, ...] = field(repr=False)
    statements: tuple[Statement, ...] = field(repr=False)
    private: frozenset[str]
    reductions: tuple[Reduction, ...]
    span: Span
    finish: KernelNest | None = field(default=None, repr=False)
    unordered: tuple[Unordered, ...] = field(default=(), repr=False)


def shares(nest: KernelNest, variable: Variable) -> bool:
    """Whether the kernel uses a variable that is not its work-items' own."""
    if nest.finish is not None and any(r.variable == variable for r in nest.reductions):
        return shares(nest.finish, variable)
    return variable.name not in nest.private and any(
        access.variable == variable for statement in nest.statements for access in statement.accesses
    )


def only_updated(nest: KernelNest) -> Iterator[tuple[Variable, ReductionOp]]:
    """The arrays of numbers that a kernel does no more with than update elements in one piece, by one operator each,
    whose results nobody looks at in between: updates may be put together before they get there."""
    found: dict[str, tuple[Variable, set[str | None]]] = {}
    for access in (a for statement in nest.statements for a in statement.accesses):
        plain = access.variable.kind is VariableKind.MEMORY and access.space == access.variable.name
        how = commuting(access.atomic) if access.atomic is not None and plain else None
        found.setdefault(access.variable.name, (access.variable, set()))[1].add(how)
    for variable, (how, *others) in found.values():
        if how is not None and not others and variable.shape and _is_number(variable) and how not in _NORMALISING:
            yield variable, ReductionOp(how)


@dataclass(frozen=True, slots=True)
class HostFor:
    """A loop that stays on the host, around launches."""

    loop: LoopNode
    body: tuple[HostNode, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """A kernel in two forms, of which the host picks one when it knows the sizes: `plain`, or `parts`, which also runs
    a loop that combines in parallel, where the others are too short to fill the machine."""

    plain: KernelNest
    parts: KernelNest


HostNode: TypeAlias = HostFor | KernelNest | Either


@dataclass(frozen=True, slots=True)
class Serial:
    """Why a loop isn't parallel. `diagnostic` names the two accesses and what would help."""

    loop: LoopNode
    diagnostic: Diagnostic


@dataclass(frozen=True, slots=True)
class Trusted:
    """The pairs of a dependence that a parallel loop may ignore: the user `promised` there are none, or a guard
    excludes them."""

    dependence: Dependence
    pairs: isl.Map = field(compare=False, repr=False)
    promised: bool


@dataclass(frozen=True, slots=True)
class Schedule:
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
        """All kernels, in source order, those in two forms in both."""
        return _kernels(self.host)


def eithers(nodes: tuple[HostNode, ...]) -> Iterator[Either]:
    """The kernels in two forms."""
    for node in nodes:
        if isinstance(node, HostFor):
            yield from eithers(node.body)
        elif isinstance(node, Either):
            yield node


def _is_number(variable: Variable) -> bool:
    return isinstance(variable.element, Scalar) and not is_bool(variable.element)


def _kernels(nodes: tuple[HostNode, ...]) -> tuple[KernelNest, ...]:
    found: list[KernelNest] = []
    for node in nodes:
        match node:
            case HostFor(body=body):
                found += _kernels(body)
            case Either(plain, parts):
                found += (plain, parts)
            case KernelNest():
                found.append(node)
    return tuple(found)
