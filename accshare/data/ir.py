"""What the data stage produces: everything the host must know and move before a region's kernels can run.

All expressions are `frontend.ir` expressions over host variables and `Parameter` symbols, so they print as C.
"""

from __future__ import annotations

from accshare.diagnostics import Diagnostic
from accshare.frontend.ir import Expr, Scalar, Symbol, Type, Var
from accshare.numbers import Numbers
from accshare.poly.ir import Guard, Mode, Parameter
from accshare.pragma.ir import Movement
from accshare.records import dataclass
from accshare.schedule.ir import Kernel, shares
from accshare.source import Span
from accshare.tree import expressions


@dataclass(frozen=True, slots=True)
class Section:
    """Elements ``[lower, lower + length)``."""

    lower: Expr
    length: Expr

    @property
    def variables(self) -> frozenset[Symbol]:
        """What its bounds are computed from."""
        every = (e for part in (self.lower, self.length) for e in expressions(part))
        return frozenset(e.symbol for e in every if isinstance(e, Var))


@dataclass(frozen=True, slots=True)
class Columns:
    """What is used of the row that `RowBounds.row` stands for: the elements ``[first, end)``."""

    first: Expr
    end: Expr


@dataclass(frozen=True, slots=True)
class RowBounds:
    """What a region uses behind a table of pointers to rows: of each of the rows ``[first, first + count)`` the columns
    `touched`, and of these `written` in writing; in all ``[column, column + width)``. `pitch` tells where rows lie in
    the region's buffer."""

    pitch: Symbol
    row: Symbol
    first: Expr
    count: Expr
    column: Expr
    width: Expr
    touched: Columns
    written: Columns


@dataclass(frozen=True, slots=True)
class Datum:
    """An array (or a scalar, as an array of one) the region needs in device memory.

    `name` is the kernel argument's name. `origin` is a host expression: a pointer or array whose element 0 is meant, or
    a scalar. The section ``[lower, lower + length)`` counts in elements of `element` from there. `movement` is the
    clause's, or the implied one (``copyin`` when only read), `modifiers` are the clause's. `clause` is the span of the
    data clause when there is one. `reads`/`writes` say what the kernels do.

    Where subscripts can't be followed, `certain` is the part that is certainly touched. The section then is whatever is
    present around that part when the region runs; `lower` and `length` are what a data construct around the region
    says of it, `length` None where none does. `reach` is a section that no subscript leads out of, which need not all
    be there; nobody knows it before indices are looked at where `looked_up` says so.

    With `rows`, `origin` is a table of pointers to rows, and the section is that of one buffer for all of them.
    """

    name: str
    origin: Expr
    element: Type
    lower: Expr
    length: Expr | None
    movement: Movement
    reads: bool
    writes: bool
    scalar: bool
    clause: Span | None
    certain: Section | None = None
    modifiers: tuple[str, ...] = ()
    rows: RowBounds | None = None
    reach: Section | None = None
    looked_up: bool = False

    @property
    def endless(self) -> bool:
        """Whether nobody knows how far subscripts lead."""
        return self.certain is not None and self.reach is None


@dataclass(frozen=True, slots=True)
class Line:
    """A loop over subscripts, outside of those behind it."""

    iterator: Symbol
    columns: Columns


@dataclass(frozen=True, slots=True)
class NumberCheck:
    """Numbers to be looked at before the region begins, of a type with so many `bytes`: those at `index` of the datum
    called `name` in `lines`, outermost first, or the parameter of that name where there are none. Any but those in
    ``[low, high]``, -0 and NaN, would let the region run in the program's order."""

    name: str
    bytes: int
    numbers: Numbers
    parameter: Symbol | None = None
    lines: tuple[Line, ...] = ()
    index: Expr | None = None


@dataclass(frozen=True, slots=True)
class IndexLook:
    """A look at integers before the region begins: at a section of the datum called `name`, of `element` type.

    `low` and `high` stand for the least and the greatest of them, 0 and -1 where there are none. Where they have to be
    `rising`, they stand for the first and the last, 0 where there are none, and any that is less than the one before
    lets the region run on the host.
    """

    name: str
    element: Scalar
    section: Section
    rising: bool
    low: Symbol
    high: Symbol


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two data whose sections must not overlap in host memory, checked at run time; names are `Datum.name`. With
    `value`, the second is no datum but that object, from which kernels have a parameter."""

    first: str
    second: str
    value: Expr | None = None


@dataclass(frozen=True, slots=True)
class StatementWork:
    """One statement's part of a region's work: `operations` of a host core an instance, and the loops around it, as
    numbers of `Work.trips`: all of them, and those that a work-item runs one after the other. Where host compilers run
    instances side by side in vectors, each takes `lane` bytes of one; 0 where they don't. `atomics` are its
    changes of shared numbers in one piece, weighted by what they take; `gathered` has those that groups may make in
    copies of an array instead, with the length of that."""

    operations: float
    lane: int
    loops: tuple[int, ...]
    serial: tuple[int, ...]
    atomics: float = 0
    gathered: tuple[tuple[float, Expr], ...] = ()


@dataclass(frozen=True, slots=True)
class Work:
    """What a region takes to run, as far as its loops tell: the ground for deciding where it runs.

    `trips` are the iterations of each loop, as host expressions that are not positive where there are none; an upper
    bound where they vary with an outer loop. `launches` has, for each kernel launch, the host loops around it, as
    numbers of `trips`.
    """

    trips: tuple[Expr, ...]
    statements: tuple[StatementWork, ...]
    launches: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class DataPlan:
    """The region's host interface. `condition` is the compute construct's ``if`` clause as C text, `work` what decides
    whether a device pays; None leaves nothing to decide. `diagnostics` are for the user.

    Kernels that work in the program's own memory need no extents where `unchecked` isn't None: these are the pairs of
    data that may share memory, since how far one of them reaches is known neither here nor at run time. `indices`, one
    after the other, and `numbers` are looked at where native kernels are about to run. `last` is what the host assigns
    where kernels have run: the new value of a variable, or by how much a pointer has moved.
    """

    parameters: tuple[Parameter, ...]
    data: tuple[Datum, ...]
    guards: tuple[Guard, ...]
    overlaps: tuple[Overlap, ...]
    condition: str | None
    work: Work | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    unchecked: tuple[Overlap, ...] | None = ()
    numbers: tuple[NumberCheck, ...] = ()
    indices: tuple[IndexLook, ...] = ()
    last: tuple[tuple[Expr, Expr], ...] = ()


def may_share(kernel: Kernel, pairs: tuple[Overlap, ...]) -> frozenset[str]:
    """The arrays of a kernel that may share memory with others, one of which it writes."""
    own = {a.variable for s in kernel.statements for a in s.accesses if shares(kernel, a.variable)}
    used = {variable.memory for variable in own}
    written = {a.variable.name for s in kernel.statements for a in s.accesses if a.mode is Mode.WRITE}
    both = [{pair.first, pair.second} for pair in pairs]
    return frozenset(name for pair in both if pair <= used and pair & written for name in pair)
