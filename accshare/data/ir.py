"""What the data stage produces: everything the host must know and move before a region's kernels can run.

All expressions are `frontend.ir` expressions over host variables and `Parameter` symbols, so they print as C.
"""

from __future__ import annotations

from dataclasses import dataclass

from accshare.frontend.ir import Expr, Type
from accshare.poly.ir import Guard, Parameter
from accshare.pragma.ir import Movement
from accshare.source import Span


@dataclass(frozen=True, slots=True)
class Datum:
    """An array (or a scalar, as an array of one) the region needs in device memory.

    `name` is the kernel argument's name. `origin` is a host expression: a pointer or array whose element 0 is meant, or
    a scalar. The section ``[lower, lower + length)`` counts in elements of `element` from there. `movement` is the
    clause's, or the implied one (``copyin`` when only read). `clause` is the span of the data clause when there is
    one. `reads`/`writes` say what the kernels do.
    """

    name: str
    origin: Expr
    element: Type
    lower: Expr
    length: Expr
    movement: Movement
    reads: bool
    writes: bool
    scalar: bool
    clause: Span | None


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two data whose sections must not overlap in host memory, checked at run time; names are `Datum.name`."""

    first: str
    second: str


@dataclass(frozen=True, slots=True)
class DataPlan:
    """The region's host interface. `condition` is the compute construct's ``if`` clause as C text."""

    parameters: tuple[Parameter, ...]
    data: tuple[Datum, ...]
    guards: tuple[Guard, ...]
    overlaps: tuple[Overlap, ...]
    condition: str | None
