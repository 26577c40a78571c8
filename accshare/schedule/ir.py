"""What the schedule stage produces: the schedule tree, in which a region's statement instances run.

A band's members give the order of what is below them, their roles how it is spread over the machine. A statement has
the iterators of the members around it as its dimensions, outermost first.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Iterator, Mapping
from itertools import groupby
from typing import TypeAlias

import islpy as isl

from accshare.atomics import commuting
from accshare.combining import combine
from accshare.conversions import is_bool
from accshare.diagnostics import Diagnostic
from accshare.frontend.ir import INT, Array, Expr, Scalar, Storage, Symbol, Var
from accshare.islbuild import points, quotient
from accshare.islexpr import literal, variable
from accshare.poly.ir import Access, Guard, LoopNode, Mode, Scop, Statement, Variable, VariableKind
from accshare.pragma.ir import ReductionOp
from accshare.records import dataclass, field, replace
from accshare.relax.ir import Carried, Reduction
from accshare.source import Span
from accshare.tree import expressions

#: what turns any number into 0 or 1 does so with the first one
_NORMALISING = frozenset({"&&", "||"})


def accumulator(variable_: Variable) -> Symbol:
    """A work-item's own part of a reduction."""
    return Symbol(variable_.name, f"{variable_.name}_part", variable_.element, Storage.INNER)


def row_results(variable_: Variable, rows: int) -> Symbol:
    """A work-item's own parts of a reduction that has a result for each of so many `rows`."""
    one = accumulator(variable_)
    return one if rows == 1 else replace(one, unique=f"{one.unique}_of_rows", type=Array(one.type, literal(rows, INT)))


def combination_name(user: Statement, reduction: Reduction) -> str:
    """The name of the statement that combines a part's result into the target of the reduction; `user` is the first
    statement of the loop that combines."""
    return f"{user.name}_{reduction.variable.name}"


def combination(reduction: Reduction, inside: tuple[Statement, ...], loop: LoopNode) -> Statement:
    """The statement that combines a part's result into the target; it stands for all iterations of the loop, which has
    the statements `inside`."""
    users = tuple(s for s in inside if any(a.variable == reduction.variable for a in s.accesses))
    name = combination_name(users[0], reduction)
    every = points(loop.depth, name)
    domain = every.nothing
    for user in users:
        outer = user.domain.project_out(isl.dim_type.set, loop.depth, len(user.loops) - loop.depth)
        domain = domain.union(outer.set_tuple_name(name))
    element = reduction.variable.element
    assert isinstance(element, Scalar)
    part = variable(accumulator(reduction.variable))
    body = combine(reduction.op, reduction.target, part, element, users[0].body.span)
    place = every.to([0]).intersect_domain(domain)
    return Statement(name, body, users[0].loops[: loop.depth], domain.coalesce(), place, ())


# --- the tree ----------------------------------------------------------------------------------------------------


class Role(enum.Enum):
    """What becomes of the iterations of a member."""

    HOST = "host loop"  # each launches kernels
    GRID = "grid"  # spread over work-groups and work-items
    UNIFORM = "uniform"  # a work-group runs each together, since there is something to wait for inside
    STRIP = "strip"  # the same for several at a time, which a work-item runs by itself
    OWN = "own"  # those that a work-item has of a member of the grid, or of a sweep in a band, in no order
    SEQUENTIAL = "sequential"  # a work-item runs them one after the other
    REASSOCIABLE = "reassociable"  # the same, in any order: all they need of each other is what they combine
    THREAD = "thread"  # the work-items of a group share them, and wait for one another when they have done theirs


@dataclass(frozen=True, slots=True)
class Member:
    """A dimension of the order in which instances run: the iterator of `loop`, one of the user's loops.

    A GRID member runs along the `axis` of the grid: 0 is x; a launch has three dimensions, so the work-groups along 2
    and what follows are numbered together. A work-group takes `size` consecutive iterations, each of its `threads`
    work-items every `threads`-th of them. Tiles start at multiples of their size, so that they are aligned, or so far
    from the iteration with the number `begin`; STRIPs of `size` iterations start at multiples. A REASSOCIABLE member
    combines into the targets of `reductions`, and its iterations have the variables called `private` for themselves; so
    does a THREAD member, every `threads`-th iteration of which is one work-item's. Those of a `coincident` member below
    the grid need nothing of one another but such variables.
    """

    loop: LoopNode
    role: Role = Role.SEQUENTIAL
    axis: int = 0
    size: int = 1
    threads: int = 1
    reductions: tuple[Reduction, ...] = ()
    private: frozenset[str] = frozenset()
    coincident: bool = False
    begin: int = 0

    @property
    def dimension(self) -> int:
        """The dimension of a launch along which the work-groups of a GRID member are numbered, 0 to 2."""
        return min(self.axis, 2)

    @property
    def single(self) -> bool:
        """Whether a work-item has no more than one iteration of a tile."""
        return self.size == self.threads

    @property
    def chosen_together(self) -> bool:
        """Whether a group's work-items run the code for full tiles all or none along this member: those of a warp lie
        side by side along x, and a warp whose work-items went both ways would run both."""
        return self.axis == 0 and 1 < self.threads < self.size

    @property
    def full_length(self) -> int:
        """How many iterations must exist where that code runs: from the first of the tile, where it is
        `chosen_together`, or the work-item's own."""
        return self.size if self.chosen_together else self.size - self.threads + 1

    @property
    def step(self) -> int:
        """The distance of two iterations, whichever way the loop counts."""
        return abs(self.loop.loop.step)

    def number(self, iterators: tuple[isl.Aff, ...]) -> isl.Aff:
        """The number of an iteration, in terms of the iterators around a statement: those that are a step apart give
        consecutive numbers, whatever the loop starts from."""
        return quotient(iterators[self.loop.depth], self.step)


@dataclass(frozen=True, slots=True)
class Band:
    """What is below runs once for every iteration of the members, the last of which is innermost."""

    members: tuple[Member, ...]
    child: Node = field(repr=False)


@dataclass(frozen=True, slots=True)
class Sequence:
    """Several nodes, none of them a sequence, one after the other for each iteration of what is around them."""

    children: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A statement's place in the tree."""

    statement: Statement


@dataclass(frozen=True, slots=True)
class Staged:
    """References to one array, or to one member of its structs, that go through local memory; they differ by constants
    only.

    `at` is the loop whose strips load the array anew, or None where a work-group loads it once, on entry. `lengths`
    are those of the rectangular hull (SHARE 3.2.1) of what a work-group touches there, in elements, outermost first.
    `reads` tells that it is loaded from global memory, `writes` that it is stored back. A work-item loads `width`
    elements at once where, when the kernel runs, the array and its rows prove to be aligned to that. `growth` tells,
    for each dimension, by how many elements the hull grows with one more iteration in the tile of a member of the grid
    or in the strip of `at` (by `LoopNode.index`). Of an array of structs, `members` is the path to the scalar that is
    staged. Where it is `packed`, the work-group is one work-item, which copies it in loops of its own and has nothing
    to wait for.
    """

    variable: Variable
    accesses: tuple[Access, ...]
    at: LoopNode | None
    lengths: tuple[int, ...]
    reads: bool
    writes: bool
    width: int = 1
    growth: tuple[tuple[tuple[int, int], ...], ...] = ()
    members: tuple[str, ...] = ()
    packed: bool = False

    def holds(self, access: Access) -> bool:
        """Whether an access is one of them: parts of a statement that was split have accesses that look the same."""
        return any(own is access for own in self.accesses)

    def uses(self, statements: tuple[Statement, ...]) -> Iterator[tuple[Statement, Access]]:
        """The references, with the statements of a kernel that they stand in."""
        return ((statement, access) for statement in statements for access in statement.accesses if self.holds(access))


@dataclass(frozen=True, slots=True)
class Stage:
    """A work-group loads `arrays` into local memory, runs what is below on them, and stores those that are written."""

    arrays: tuple[Staged, ...]
    child: Node = field(repr=False)


@dataclass(frozen=True, slots=True)
class Phase:
    """What every work-item of a group runs by itself. Where it is `jammed`, its own iterations run side by side,
    innermost, rather than one after the other.

    In a kernel with THREAD members there is a barrier between phases, and one behind each iteration of UNIFORM ones.
    """

    child: Node
    jammed: bool = False


@dataclass(frozen=True, slots=True)
class Kernel:
    """A launch under the loops `host`. Its `child` is a band of GRID members, or anything that one work-item runs.

    `private` names the variables of which every work-item has its own. `span` is the nest it was made from.

    Those called `aliased` may share memory: nothing but promises about the loops of the grid keeps accesses to them
    apart, and an iteration's own have the program's order.

    In a kernel with a `finalize`, the grid's members are those of that kernel and one more, over whose iterations the
    reductions combine: each iteration of the others has results of its own (MDH). The finalize kernel does what is left
    to do for one of them: it takes the combined results in the place where the loop was.

    What `repeated` names stands in no THREAD member, and every work-item of a group runs it rather than the first one
    of its iteration: it sets scalars of which each has its own. Of the private arrays called
    `local`, the work-items that run an iteration of the grid have one together, in local memory.
    """

    name: str
    host: tuple[LoopNode, ...]
    child: Node = field(repr=False)
    private: frozenset[str]
    reductions: tuple[Reduction, ...]
    span: Span
    finalize: Kernel | None = field(default=None, repr=False)
    aliased: frozenset[str] = frozenset()
    repeated: frozenset[str] = frozenset()
    local: frozenset[str] = frozenset()

    @property
    def grid(self) -> tuple[Member, ...]:
        """The members that run in parallel, outermost first; none in a kernel of one work-item."""
        return self.child.members if isinstance(self.child, Band) and self.child.members[0].role is Role.GRID else ()

    @property
    def inside(self) -> Node:
        """What is below the grid."""
        return self.child.child if isinstance(self.child, Band) and self.grid else self.child

    @property
    def depth(self) -> int:
        """The loops around what a work-item runs for one of its iterations."""
        return len(self.host) + len(self.grid)

    @property
    def statements(self) -> tuple[Statement, ...]:
        """What it runs, in source order."""
        return statements(self.child)

    @property
    def threads(self) -> tuple[Member, ...]:
        """The members whose iterations the work-items of a group share, along x."""
        return tuple(member for member in members(self.inside) if member.role is Role.THREAD)

    @property
    def reassociable(self) -> tuple[Member, ...]:
        """The innermost members whose iterations have no order."""
        return tuple(member for member in members(self.inside) if member.role is Role.REASSOCIABLE)


@dataclass(frozen=True, slots=True)
class Versions:
    """A kernel in two versions, of which the host picks one when it knows the sizes: `plain`, or `split`, which also
    runs a loop that combines in parallel, where the others are too short to fill the machine."""

    plain: Kernel
    split: Kernel


Node: TypeAlias = Band | Sequence | Leaf | Stage | Phase | Kernel | Versions


def in_order(nodes: tuple[Node, ...]) -> Node:
    """One node of several that run one after the other."""
    return nodes[0] if len(nodes) == 1 else Sequence(nodes)


def steps(node: Node) -> tuple[Node, ...]:
    """The nodes that run one after the other."""
    return node.children if isinstance(node, Sequence) else (node,)


def between_bands(node: Node) -> tuple[Node, ...]:
    """The steps of a node, those as one that no band stands between."""
    parts: list[Node] = []
    for looped, run in groupby(steps(node), lambda step: isinstance(step, Band)):
        together = tuple(run)
        parts += together if looped else (in_order(together),)
    return tuple(parts)


def below(node: Node) -> tuple[Node, ...]:
    """The nodes right below one."""
    match node:
        case Leaf():
            return ()
        case Sequence(children):
            return children
        case Versions(plain, split):
            return plain, split
        case Band(child=child) | Stage(child=child) | Phase(child) | Kernel(child=child):
            return (child,)


def nodes(node: Node) -> list[Node]:
    """A node and all below it, outer ones first."""
    found: list[Node] = []
    waiting = [node]
    while waiting:
        one = waiting.pop()
        found.append(one)
        waiting += below(one)[::-1]
    return found


def with_statements(node: Node, others: Mapping[str, Statement]) -> Node:
    """A tree with other statements in the places of those of the same names."""
    match node:
        case Leaf(statement):
            return Leaf(others.get(statement.name, statement))
        case Kernel(child=child, finalize=finalize):
            rest = None if finalize is None else _kernel_with(finalize, others)
            return replace(node, child=with_statements(child, others), finalize=rest)
        case Versions(plain, split):
            return Versions(_kernel_with(plain, others), _kernel_with(split, others))
        case Sequence(children):
            return Sequence(tuple(with_statements(child, others) for child in children))
        case Band(child=child) | Stage(child=child) | Phase(child):
            return replace(node, child=with_statements(child, others))


def _kernel_with(kernel: Kernel, others: Mapping[str, Statement]) -> Kernel:
    changed = with_statements(kernel, others)
    assert isinstance(changed, Kernel)
    return changed


def instead(node: Node, old: Node, new: Node) -> Node:
    """A tree with another node in the place of one, which stands on the host; all others are the same."""
    if node is old:
        return new
    match node:
        case Versions(plain=plain):
            return replace(node, plain=new) if plain is old and isinstance(new, Kernel) else node
        case Band(child=child):
            other = instead(child, old, new)
            return node if other is child else replace(node, child=other)
        case Sequence(children):
            others = tuple(instead(child, old, new) for child in children)
            same = all(one is other for one, other in zip(children, others, strict=True))
            return node if same else Sequence(others)
    return node


def statements(node: Node) -> tuple[Statement, ...]:
    """The statements below a node in source order."""
    return tuple(leaf.statement for leaf in nodes(node) if isinstance(leaf, Leaf))


def members(node: Node) -> Iterator[Member]:
    """All members below a node, outer ones first."""
    return (member for band in nodes(node) if isinstance(band, Band) for member in band.members)


def kernels(node: Node) -> Iterator[Kernel]:
    """All kernels, in source order, those in two versions in both."""
    return (kernel for kernel in nodes(node) if isinstance(kernel, Kernel))


def versions(node: Node) -> Iterator[Versions]:
    """The kernels in two versions."""
    return (both for both in nodes(node) if isinstance(both, Versions))


def bounds_mention(member: Member, iterators: Collection[Symbol]) -> bool:
    """Whether a member's loop begins or ends with what one of the `iterators` says."""
    return any(_mentions(end, iterators) for end in (member.loop.loop.first, member.loop.loop.bound))


def is_ragged(grid: tuple[Member, ...]) -> bool:
    """Whether some iteration of a grid's loops doesn't exist for what others say."""
    iterators = {member.loop.iterator for member in grid}
    return any(bounds_mention(member, iterators) for member in grid)


def bounds_follow(member: Member, iterators: Collection[Symbol]) -> bool:
    """Whether a member's loop both begins and ends with what one of the `iterators` says, so that its iterations for
    one value of that may be others than for the next."""
    return all(_mentions(end, iterators) for end in (member.loop.loop.first, member.loop.loop.bound))


def _mentions(expr: Expr, iterators: Collection[Symbol]) -> bool:
    return any(isinstance(e, Var) and e.symbol in iterators for e in expressions(expr))


def source_order(statements_: tuple[Statement, ...], depth: int = 0) -> Node:
    """Statements one after the other in the loops around them, those up to `depth` being the same for all."""
    nodes: list[Node] = []
    for looped, group in groupby(statements_, lambda s: s.loops[depth].index if len(s.loops) > depth else None):
        inside = tuple(group)
        if looped is None:
            nodes += map(Leaf, inside)
        else:
            nodes.append(Band((Member(inside[0].loops[depth]),), source_order(inside, depth + 1)))
    return in_order(tuple(nodes))


def shares(kernel: Kernel, variable: Variable) -> bool:
    """Whether the kernel uses a variable that is not its work-items' own."""
    if kernel.finalize is not None and any(r.variable == variable for r in kernel.reductions):
        return shares(kernel.finalize, variable)
    return variable.name not in kernel.private and any(
        access.variable == variable for statement in kernel.statements for access in statement.accesses
    )


def memory_written(kernel: Kernel) -> frozenset[str]:
    """The memory that a kernel's statements write, by name."""
    return frozenset(a.variable.memory for s in kernel.statements for a in s.accesses if a.mode is Mode.WRITE)


def only_updated(inside: tuple[Statement, ...]) -> Iterator[tuple[Variable, ReductionOp]]:
    """The arrays of numbers that the statements of a kernel do no more with than update elements in one piece, by one
    operator each, whose results nobody looks at in between: updates may be put together before they get there."""
    found: dict[str, tuple[Variable, set[str | None]]] = {}
    for access in (a for statement in inside for a in statement.accesses):
        plain = access.variable.kind is VariableKind.MEMORY and access.space == access.variable.name
        how = commuting(access.atomic) if access.atomic is not None and plain else None
        found.setdefault(access.variable.name, (access.variable, set()))[1].add(how)
    for array, (how, *others) in found.values():
        if how is not None and not others and array.shape and _is_number(array) and how not in _NORMALISING:
            yield array, ReductionOp(how)


@dataclass(frozen=True, slots=True)
class Serial:
    """Why a loop isn't parallel. `diagnostic` names the two accesses and what would help."""

    loop: LoopNode
    diagnostic: Diagnostic


@dataclass(frozen=True, slots=True)
class Schedule:
    """The region's kernels in the order they run, and why the other loops are sequential.

    `scratch` are variables declared in the region, or made for it, that live from one kernel to another. `guards` are
    conditions under which the loops are independent, `assumed` the dependences that these or the user's promises
    exclude. `diagnostics` are promises that don't hold.
    """

    scop: Scop
    tree: Node
    scratch: tuple[Variable, ...]
    serial: tuple[Serial, ...]
    guards: tuple[Guard, ...]
    assumed: tuple[Carried, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """All kernels, in source order, those in two versions in both."""
        return tuple(kernels(self.tree))


def _is_number(variable: Variable) -> bool:
    return isinstance(variable.element, Scalar) and not is_bool(variable.element)
