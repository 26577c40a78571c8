"""The kernel IR: what one variant of a region launches, in no language yet: `emit.opencl` prints it as OpenCL C.

Statements and expressions are those of `frontend.ir`, with C's meaning, and what follows. What C has no operator for
is an `Intrinsic`; `accshare.builtins` says what each is. Array accesses are flat: ``Subscript(Var(A), index)`` where
``A`` is a buffer parameter, a local buffer or a private array.

A vector is a value whose type is a `Scalar` of 2, 4, 8 or 16 `lanes`; a variable or an element of a private array may
have such a type. Everything is done lane by lane:

- operators take two vectors of one type, or a vector and a number of its elements' type, which then counts for every
  lane. Comparisons give signed integers of the elements' size with all bits set for true; ``&``, ``|`` and ``~``
  combine them, there is no ``&&``, ``||`` and ``!``. The condition of a `Conditional` is one number for all lanes;
- a `Cast` to a vector type converts each lane as C converts a number, or puts a number into every lane; so does the
  assignment of a number of the elements' type to a vector;
- a `Call` of a function of <math.h> with vectors as arguments gives a vector;
- a `Subscript` of vector type on something whose elements are no vectors (`reference.in_memory`) is a vector load, or
  a store as the target of an `Assign`: the element it names and those that follow it. Elements may begin anywhere.

``a * b + c`` may be computed as one operation, rounded once, unless the options say otherwise (`Options.contract`).
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import TypeAlias

import islpy as isl

from accshare.device import Device
from accshare.frontend.ir import LONG, Assign, Expr, Function, Scalar, Storage, Struct, Subscript, Symbol, Type
from accshare.frontend.ir import Stmt as SourceStmt
from accshare.mapping.ir import DataBoundLoop, RegisterTile
from accshare.pragma.ir import ReductionOp
from accshare.records import dataclass, replace
from accshare.schedule.ir import Member, Role
from accshare.source import Span
from accshare.tree import own_expressions, substatements


@dataclass(frozen=True, slots=True)
class Buffer:
    """A parameter that points to elements of `element` in the device's global memory.

    The kernel is given the place of the device allocation and, apart from it (``<name>_first``), the distance in
    elements from there to element 0 of the host array, which may lie before or inside of it: a kernel's subscripts
    count from element 0. `restrict` says no other buffer of the kernel overlaps it, as far as it is used; `memory` is
    what it points to where that is called otherwise.
    """

    name: str
    element: Type
    writes: bool
    restrict: bool
    memory: str = ""


@dataclass(frozen=True, slots=True)
class Value:
    """A parameter passed by value."""

    symbol: Symbol


Param: TypeAlias = Buffer | Value


@dataclass(frozen=True, slots=True)
class Private:
    """A private variable of the work-item; `lengths` is empty for a scalar. `values` are those of an array of
    constants. With `times`, each of its elements stands for so many: only who launches the kernel knows how many. A
    `zeroed` one begins with zeros."""

    symbol: Symbol
    element: Type
    lengths: tuple[int, ...] = ()
    values: tuple[Expr, ...] = ()
    times: Expr | None = None
    zeroed: bool = False


@dataclass(frozen=True, slots=True)
class LocalBuffer:
    """An array in local memory, shared by the work-group; `lengths` in elements, outermost first. It begins at a
    multiple of `alignment` bytes. Of a `phased` one, work-items use what others have left there in earlier phases."""

    symbol: Symbol
    element: Scalar | Struct
    lengths: tuple[int, ...]
    alignment: int = 1
    phased: bool = False


@dataclass(frozen=True, slots=True)
class Loop:
    """``for (T iterator = first; condition; iterator += step)``; `span` is the user's loop it comes from, `member` that
    of the schedule tree whose iterations it runs, and None in other loops.

    It is unrolled `unroll` times, 1 leaves that to the compiler and 0 forbids it. Of a `remainder`, which is shorter
    than a vector, no compiler is to make vectors. What an iteration does is compiled best `apart` from what is around
    it. No iteration of an `independent` loop stores what another one stores or loads."""

    iterator: Symbol
    first: Expr
    condition: Expr
    step: int
    body: tuple[Stmt, ...]
    unroll: int
    span: Span | None
    member: Member | None = None
    remainder: bool = False
    apart: bool = False
    independent: bool = False

    @property
    def own_axis(self) -> int | None:
        """The axis of the grid along which a work-item's own iterations lie that it runs; None for other loops."""
        return self.member.axis if self.member is not None and self.member.role is Role.OWN else None


@dataclass(frozen=True, slots=True)
class Guarded:
    """``if (condition) { then } else { other }`` made by code generation. What is done where it holds is compiled best
    `apart` from what is around it."""

    condition: Expr
    then: tuple[Stmt, ...]
    other: tuple[Stmt, ...] = ()
    apart: bool = False


@dataclass(frozen=True, slots=True)
class Define:
    """``const T symbol = value;``, or without ``const`` when `mutable`."""

    symbol: Symbol
    value: Expr
    mutable: bool = False


@dataclass(frozen=True, slots=True)
class Copy:
    """A cooperative move between global and local memory: ``target = value``, and so for the next elements up to
    `width` in all, as one vector. Both places are then aligned to the vector, unlike those of other vector loads, or
    with `apart` only the value's: its elements are stored one by one. What is not `there` is not looked at, and 0 is
    stored."""

    target: Expr
    value: Expr
    span: Span | None
    width: int = 1
    there: Expr | None = None
    apart: bool = False


class Fence(enum.Enum):
    """The memory a barrier orders."""

    LOCAL = enum.auto()
    GLOBAL = enum.auto()
    BOTH = enum.auto()


@dataclass(frozen=True, slots=True)
class Barrier:
    """All work-items of a group come here before any of them goes on, and then see what the others have done to the
    memory that the fence names."""

    fence: Fence


@dataclass(frozen=True, slots=True)
class Prefetch:
    """An `element` of a buffer is read soon and may be brought nearer: if that is `near` enough, into a core's nearest
    cache, else into its second one. It need not exist."""

    element: Subscript
    near: bool = True


@dataclass(frozen=True, slots=True)
class Comment:
    """A line for the reader of the generated kernel. Where it begins a `phase`, what follows is that of which all of
    the group's work-items wait for one another at the end; it has a number of its own."""

    text: str
    phase: int | None = None


Stmt: TypeAlias = Loop | Guarded | Define | Copy | Barrier | Prefetch | Comment | SourceStmt


@dataclass(frozen=True, slots=True)
class Copied:
    """An array that a kernel only updates, by `op`, of which each work-group updates a copy of its own in local memory:
    `own`, of `most` elements at most. It has `kept` of them, a parameter, from the array's element `lower` on: with
    `whole`, these are none or `most`."""

    buffer: Symbol
    element: Scalar
    op: ReductionOp
    own: Symbol
    most: int
    lower: Expr
    kept: Symbol
    whole: bool


@dataclass(frozen=True, slots=True)
class KernelFunction:
    """One kernel: all work-items of a launch run `body`, in groups of the size `work_group` (x, y, z). `span` is that
    of the loop nest it was made from.

    `functions` are the user's functions it calls, callees first; `structs` the types to declare, in order.
    `register_tile` is what a work-item of a CPU runs of its tile at once; there are vectors along `data_bound` loops.
    """

    name: str
    params: tuple[Param, ...]
    work_group: tuple[int, int, int]
    private: tuple[Private, ...]
    local: tuple[LocalBuffer, ...]
    body: tuple[Stmt, ...]
    functions: tuple[Function, ...]
    structs: tuple[Struct, ...]
    span: Span
    register_tile: RegisterTile | None = None
    copies: tuple[Copied, ...] = ()
    data_bound: tuple[DataBoundLoop, ...] = ()


# --- the host's part ---------------------------------------------------------------------------------------------

#: a host variable that tells how many compute units the device has on which a variant runs
UNITS = Symbol("units", "acc_units", LONG, Storage.PARAMETER)


@dataclass(frozen=True, slots=True)
class Scratch:
    """Device memory that lives for one execution of the region: `length` elements."""

    name: str
    element: Scalar | Struct
    length: Expr


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch of `kernel` on `groups` work-groups (x, y, z); a count below 1 means there is nothing to do.

    `args` has an entry a kernel parameter, in order: the name of a `Datum` or `Scratch` for a `Buffer`, a host
    expression for a `Value`.
    """

    kernel: str
    groups: tuple[Expr, Expr, Expr]
    args: tuple[str | Expr, ...]


@dataclass(frozen=True, slots=True)
class HostLoop:
    """A sequential loop on the host around launches."""

    iterator: Symbol
    first: Expr
    condition: Expr
    step: int
    body: tuple[HostStmt, ...]


@dataclass(frozen=True, slots=True)
class HostIf:
    """Launches under a condition on parameters and host iterators."""

    condition: Expr
    body: tuple[HostStmt, ...]


@dataclass(frozen=True, slots=True)
class HostBlock:
    """A block of steps, the first of `left`: in `bands`, or `sweeps` that do the same where the runtime finds out that
    these are faster."""

    left: Expr
    bands: tuple[HostStmt, ...]
    sweeps: tuple[HostStmt, ...]


HostStmt: TypeAlias = Launch | HostLoop | HostIf | HostBlock


@dataclass(frozen=True, slots=True)
class Variant:
    """A region compiled for one device model."""

    target: Device
    kernels: tuple[KernelFunction, ...]
    scratch: tuple[Scratch, ...]
    host: tuple[HostStmt, ...]


# --- passes, and walks over statements ---------------------------------------------------------------------------


#: from the code of a work-item to the same code in another form
Pass: TypeAlias = Callable[[tuple[Stmt, ...]], tuple[Stmt, ...]]


@dataclass(frozen=True, slots=True)
class Adaptation:
    """What is done for an OpenCL implementation to the code of whole work-groups, which wait for one another: `passes`,
    one after the other; and `strips`, to the first iterations of the strips that a group goes through, a set that may
    get larger."""

    strips: Callable[[isl.Set], isl.Set]
    passes: tuple[Pass, ...]


#: for one that takes kernels as they are
AS_WRITTEN = Adaptation(lambda strips: strips, ())


def inside(stmt: Stmt) -> tuple[Stmt, ...]:
    """The statements right below one, in order."""
    match stmt:
        case Loop(body=body):
            return body
        case Guarded(then=then, other=other):
            return (*then, *other)
        case Assign() | Define() | Copy() | Barrier() | Prefetch() | Comment():
            return ()
        case _:
            return substatements(stmt)


def parts(stmt: Stmt) -> list[Stmt]:
    """`stmt` and every kernel or source statement below it, parents first."""
    found: list[Stmt] = []
    waiting = [stmt]
    while waiting:
        one = waiting.pop()
        found.append(one)
        waiting += inside(one)[::-1]
    return found


def own(stmt: Stmt) -> tuple[Expr, ...]:
    """The expressions that stand in a statement itself."""
    match stmt:
        case Assign(target=target, value=value):  # most of all there are
            return (target, value)
        case Loop(first=first, condition=condition):
            return (first, condition)
        case Guarded(condition=condition):
            return (condition,)
        case Define(value=value):
            return (value,)
        case Copy(target=target, value=value, there=there):
            return (target, value) if there is None else (target, value, there)
        case Prefetch(element):
            return (element.base, element.index)  # nothing is read
        case Barrier() | Comment():
            return ()
        case _:
            return own_expressions(stmt)


def within(stmt: Stmt, change: Callable[[tuple[Stmt, ...]], tuple[Stmt, ...]]) -> Stmt:
    """`stmt` with the body of a loop, or both sides of a condition, changed; any other one as it is. A source
    statement is one piece to kernel passes."""
    match stmt:
        case Loop(body=body):
            return replace(stmt, body=change(body))
        case Guarded(then=then, other=other):
            return replace(stmt, then=change(then), other=change(other))
    return stmt


def each(change: Callable[[Stmt], Stmt]) -> Callable[[tuple[Stmt, ...]], tuple[Stmt, ...]]:
    """What changes each one of some statements, for `within`."""
    return lambda stmts: tuple(map(change, stmts))
