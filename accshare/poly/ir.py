"""What the poly stage produces: a region as statement instances, accesses, an order and dependences.

isl objects follow pet's conventions: a statement's instances are ``S[i, j]`` with the loops' real iterator values, an
access relation maps instances to elements, `Statement.time` maps them to their place in the sequential program.
Members that hold isl objects are left out of comparison: equal sets may hash differently.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping

import islpy as isl

from accshare.frontend.ir import Atomic, Expr, For, Region, Stmt, Symbol, Type
from accshare.islbuild import Points, points
from accshare.numbers import Numbers
from accshare.poly.names import unused
from accshare.records import dataclass, field
from accshare.source import Span


@dataclass(frozen=True, slots=True)
class Parameter:
    """A value that is fixed while the region runs, evaluated once on the host at its entry.

    `symbol.unique` is its name in kernels and in host expressions; `value` is the host expression it stands for
    (``n``, ``n / 2``, ``grid->width``). Integer parameters are what the polyhedral model calls parameters.
    """

    symbol: Symbol
    value: Expr


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition over parameters that must hold for the device path to be right; `reason` is what to tell the user
    when it does not."""

    condition: Expr
    reason: str
    span: Span


class VariableKind(enum.Enum):
    """What a variable is to the region."""

    MEMORY = "memory"  # lives in host memory: arrays, what pointers point to
    OUTER = "outer"  # a scalar declared outside the region and written in it
    PRIVATE = "private"  # declared inside the region, or named by a private clause


@dataclass(frozen=True, slots=True)
class Variable:
    """Something the region reads or writes.

    `base` is the host expression of the object: a pointer's value, an array, or a scalar. `shape` has an entry a
    subscript, outermost first: the extent, or None where the type does not tell (what a pointer points to).
    Lengths of a delinearised pointer are the strides found in its subscripts. `scope` counts the loops around the
    declaration of a PRIVATE variable. Members of structs are told apart by `Access.space`, not here. In kernels, what
    these only read of an array may have a name of its own: that of the array is `part_of`.
    """

    name: str
    base: Expr
    element: Type
    shape: tuple[Expr | None, ...]
    kind: VariableKind
    scope: int
    is_pointer: bool
    restrict: bool
    part_of: str = ""

    @property
    def memory(self) -> str:
        """The name of the variable whose memory it is."""
        return self.part_of or self.name


class Mode(enum.Enum):
    """Whether an access reads or writes."""

    READ = "read"
    WRITE = "write"


@dataclass(frozen=True, slots=True)
class Access:
    """One reference in one statement.

    `space` names the set of elements it is in: the variable's name, plus the member path for structs. `exact` is true
    when every element of `relation` is really touched (affine subscripts, no data-dependent condition); otherwise
    `relation` is a superset. `atomic` is what it is made in one piece with, in OpenACC's words; None for others.
    """

    variable: Variable
    space: str
    mode: Mode
    exact: bool
    reference: Expr
    subscripts: tuple[Expr, ...]
    relation: isl.Map = field(compare=False, repr=False)
    span: Span
    atomic: Atomic | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement and all its instances. `body` may be a whole data-dependent ``if`` or ``while``."""

    name: str
    body: Stmt
    loops: tuple[LoopNode, ...] = field(repr=False)
    domain: isl.Set = field(compare=False, repr=False)
    time: isl.Map = field(compare=False, repr=False)
    accesses: tuple[Access, ...] = field(repr=False)

    @property
    def tuples(self) -> Points:
        """The tuples of which its instances are some: iterators of the loops around it."""
        return points(len(self.loops), self.name)


@dataclass(frozen=True, slots=True)
class LoopNode:
    """An affine loop of the region, `index` being its number in source order and `depth` how many loops surround it.

    `domain` holds its iterations, the surrounding loops' iterators first; what a condition around the loop excludes is
    not in it.
    """

    index: int
    depth: int
    loop: For = field(repr=False)
    domain: isl.Set = field(compare=False, repr=False)

    @property
    def iterator(self) -> Symbol:
        return self.loop.iterator

    def time(self, iterators: tuple[isl.Aff, ...]) -> isl.Aff:
        """What orders the iterations, in terms of the iterators around a statement: it grows the way the loop runs."""
        own = iterators[self.depth]
        return own if self.loop.step > 0 else -own


class DependenceKind(enum.Enum):
    """By what the source and the sink do."""

    FLOW = "flow"
    ANTI = "anti"
    OUTPUT = "output"

    @staticmethod
    def of(source: Mode, sink: Mode) -> DependenceKind:
        """The kind between two accesses, one of which writes."""
        if source is Mode.READ:
            return DependenceKind.ANTI
        return DependenceKind.FLOW if sink is Mode.READ else DependenceKind.OUTPUT


@dataclass(frozen=True, slots=True)
class Dependence:
    """All pairs of instances, source before sink, where the two accesses touch the same element."""

    kind: DependenceKind
    source: Statement = field(repr=False)
    source_access: Access
    sink: Statement = field(repr=False)
    sink_access: Access
    relation: isl.Map = field(compare=False, repr=False)

    @property
    def atomic(self) -> bool:
        """Whether both accesses are: each happens as a whole before or after the other, in whatever order."""
        return self.source_access.atomic is not None and self.sink_access.atomic is not None

    @property
    def exact(self) -> bool:
        """Whether it certainly exists, rather than only can't be excluded."""
        return self.source_access.exact and self.sink_access.exact

    def between(
        self, statements: Mapping[str, Statement], accesses: Mapping[int, Access], relation: isl.Map | None = None
    ) -> Dependence:
        """The same between what became of its statements, by their names, and accesses, by ``id``; those that are not
        there stay. So does the relation, unless there is another one."""
        return Dependence(
            self.kind,
            statements.get(self.source.name, self.source),
            accesses.get(id(self.source_access), self.source_access),
            statements.get(self.sink.name, self.sink),
            accesses.get(id(self.sink_access), self.sink_access),
            self.relation if relation is None else relation,
        )


@dataclass(frozen=True, slots=True)
class Expansion:
    """`variable`, of which each iteration of a loop has a part, takes the place of `original`, which all of them used
    again; its first subscript is the iteration's. It lives as long as the region runs, and nowhere in host memory. The
    statement called `last` stores what is needed of it after the region; there is none where nothing is."""

    variable: Variable
    original: Variable
    last: str = ""


@dataclass(frozen=True, slots=True)
class Copied:
    """`variable` has what some loops read of `original` before it changes again: the statements of these names copy it,
    element by element. It lives as long as the region runs, and nowhere in host memory."""

    variable: Variable
    original: Variable
    statements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NumberTest:
    """What has to be so when the region begins: `elements` of the array called `name` are nothing but `numbers`, or the
    parameter of that name is, where there are no elements."""

    name: str
    numbers: Numbers
    elements: isl.Set | None = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Opaque:
    """Something of the region that is not affine, in the user's words."""

    reason: str
    span: Span


@dataclass(frozen=True, slots=True)
class Scop:
    """A region in the polyhedral model.

    `context` holds what the parameters' types say about them; `assumptions` are conditions on parameters the model
    relies on, to be checked on the host before a kernel runs. A region as it was written has no `expansions`, no
    `copies`, and no `tests`, under which greatest and least numbers have no order.
    """

    region: Region
    parameters: tuple[Parameter, ...]
    variables: tuple[Variable, ...]
    statements: tuple[Statement, ...]
    dependences: tuple[Dependence, ...]
    opaque: tuple[Opaque, ...]
    assumptions: tuple[Guard, ...]
    context: isl.Set = field(compare=False, repr=False)
    expansions: tuple[Expansion, ...] = ()
    copies: tuple[Copied, ...] = ()
    tests: tuple[NumberTest, ...] = ()

    def is_made(self, variable: Variable) -> bool:
        """Whether the compiler has made a variable, so that host memory has none of it."""
        made = (*(one.variable for one in self.expansions), *(one.variable for one in self.copies))
        return variable in made

    def unused(self, name: str) -> str:
        """`name`, or one like it, that nothing in the region has."""
        taken = {s.unique for s in self.region.symbols} | {v.name for v in self.variables}
        taken |= {loop.iterator.unique for s in self.statements for loop in s.loops}
        return unused(name, taken)

    @property
    def unused_loop(self) -> int:
        """The first of the numbers that no loop of the region has."""
        return 1 + max((loop.index for s in self.statements for loop in s.loops), default=0)

    def promises(self, node: LoopNode) -> bool:
        """Whether the user said that the iterations of a loop are independent."""
        return self.region.promises(node.loop)

    def is_start(self, statement: Statement) -> bool:
        """Whether a statement only gives a variable of a ``private`` clause what it holds at first: it has the clause's
        place."""
        loops = (node.loop.directive for node in statement.loops)
        spans = [d.span for d in (self.region.construct, *loops) if d is not None]
        return any(span.start <= statement.body.span.start < span.end for span in spans)
