"""The kernel IR: what one variant of a region launches, still without OpenCL spelling.

Expressions are `frontend.ir` expressions. Array accesses are flat: ``Subscript(Var(A), index)`` where ``A`` is a
buffer parameter, a local buffer or a private array. What C has no operator for is a `frontend.ir.Intrinsic`. Vector
types stand in `Private.width`.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TypeAlias

from accshare.device import Device
from accshare.frontend.ir import LONG, Expr, Function, Scalar, Storage, Struct, Symbol, Type
from accshare.frontend.ir import Stmt as SourceStmt
from accshare.mapping.ir import Block
from accshare.pragma.ir import ReductionOp
from accshare.schedule.ir import Member
from accshare.source import Span


@dataclass(frozen=True, slots=True)
class Buffer:
    """A ``__global`` pointer parameter to elements of `element`.

    It is followed by a ``long`` parameter ``<name>_first``, added to the pointer on entry: element 0 of the host array
    may lie before or inside the device allocation. `restrict` says no other buffer of the kernel overlaps it.
    """

    name: str
    element: Type
    writes: bool
    restrict: bool


@dataclass(frozen=True, slots=True)
class Value:
    """A parameter passed by value."""

    symbol: Symbol


Param: TypeAlias = Buffer | Value


@dataclass(frozen=True, slots=True)
class Private:
    """A private variable of the work-item; `lengths` is empty for a scalar, `width` > 1 makes it a vector type.
    `values` are those of an array of constants."""

    symbol: Symbol
    element: Type
    lengths: tuple[int, ...] = ()
    width: int = 1
    values: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class LocalBuffer:
    """An array in local memory, shared by the work-group; `lengths` in elements, outermost first. It begins at a
    multiple of `alignment` bytes."""

    symbol: Symbol
    element: Scalar | Struct
    lengths: tuple[int, ...]
    alignment: int = 1


@dataclass(frozen=True, slots=True)
class Loop:
    """``for (T iterator = first; condition; iterator += step)``; `span` is the user's loop it comes from, `member` that
    of the schedule tree whose iterations it runs, and None in other loops.

    It is unrolled `unroll` times, 1 leaves that to the compiler and 0 forbids it."""

    iterator: Symbol
    first: Expr
    condition: Expr
    step: int
    body: tuple[Stmt, ...]
    unroll: int
    span: Span | None
    member: Member | None = None


@dataclass(frozen=True, slots=True)
class Guarded:
    """``if (condition) { then } else { other }`` made by code generation."""

    condition: Expr
    then: tuple[Stmt, ...]
    other: tuple[Stmt, ...] = ()


@dataclass(frozen=True, slots=True)
class Define:
    """``const T symbol = value;``, or without ``const`` when `mutable`."""

    symbol: Symbol
    value: Expr
    mutable: bool = False


@dataclass(frozen=True, slots=True)
class Copy:
    """A cooperative move between global and local memory: ``target = value``, and so for the next elements up to
    `width` in all, as one vector. Both places are then aligned to the vector."""

    target: Expr
    value: Expr
    span: Span | None
    width: int = 1


class Fence(enum.Enum):
    """The memory a barrier orders."""

    LOCAL = "CLK_LOCAL_MEM_FENCE"
    GLOBAL = "CLK_GLOBAL_MEM_FENCE"
    BOTH = "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"


@dataclass(frozen=True, slots=True)
class Barrier:
    """A work-group barrier."""

    fence: Fence


@dataclass(frozen=True, slots=True)
class Comment:
    """A line for the reader of the generated kernel."""

    text: str


Stmt: TypeAlias = Loop | Guarded | Define | Copy | Barrier | Comment | SourceStmt


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
    """One OpenCL kernel. `work_group` is its fixed size (x, y, z); `span` the loop nest it was made from.

    `functions` are the user's functions it calls, callees first; `structs` the types to declare, in order. `block` is
    what a work-item of a CPU runs of its tile at once.
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
    block: Block | None = None
    copies: tuple[Copied, ...] = ()


# --- the host's part ---------------------------------------------------------------------------------------------

#: a host variable that tells how many compute units the device has on which a variant runs
UNITS = Symbol("units", "acc_units", LONG, Storage.PARAMETER)


@dataclass(frozen=True, slots=True)
class Scratch:
    """Device memory that lives for one execution of the region: `length` elements."""

    name: str
    element: Scalar
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


HostStmt: TypeAlias = Launch | HostLoop | HostIf


@dataclass(frozen=True, slots=True)
class Variant:
    """A region compiled for one device model."""

    target: Device
    kernels: tuple[KernelFunction, ...]
    scratch: tuple[Scratch, ...]
    host: tuple[HostStmt, ...]


#: identity element of a reduction, as C text, for every operator but min and max
IDENTITY: dict[ReductionOp, str] = {
    ReductionOp.ADD: "0",
    ReductionOp.MUL: "1",
    ReductionOp.BIT_AND: "~0",
    ReductionOp.BIT_OR: "0",
    ReductionOp.BIT_XOR: "0",
    ReductionOp.AND: "1",
    ReductionOp.OR: "0",
}
