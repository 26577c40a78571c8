"""What the pragma stage produces: one class per clause, each with its span.

Expressions inside clauses stay C text (`CText`): the host code evaluates them where the pragma stood, so they need no
second C parser. Only SHARE's own expressions (`ShareExpr`) are trees, because the solver computes with them.
"""

from __future__ import annotations

import enum
from typing import TypeAlias

from accshare.diagnostics import Diagnostic
from accshare.records import dataclass
from accshare.source import Span


class DirectiveKind(enum.Enum):
    """OpenACC 3.x directives and ours; the value is the spelling."""

    PARALLEL = "parallel"
    KERNELS = "kernels"
    SERIAL = "serial"
    PARALLEL_LOOP = "parallel loop"
    KERNELS_LOOP = "kernels loop"
    SERIAL_LOOP = "serial loop"
    LOOP = "loop"
    DATA = "data"
    ENTER_DATA = "enter data"
    EXIT_DATA = "exit data"
    UPDATE = "update"
    WAIT = "wait"
    ATOMIC = "atomic"
    ROUTINE = "routine"
    HOST_DATA = "host_data"
    CACHE = "cache"
    DECLARE = "declare"
    INIT = "init"
    SHUTDOWN = "shutdown"
    SET = "set"
    SHARE = "share"

    @property
    def is_compute(self) -> bool:
        """Whether it opens a compute construct."""
        return self.value.split()[0] in {"parallel", "kernels", "serial"}

    @property
    def is_kernels(self) -> bool:
        """Whether it opens one in which the compiler tells which loops are parallel."""
        return self.value.split()[0] == "kernels"

    @property
    def is_parallel(self) -> bool:
        """Whether it opens one in which the user tells that."""
        return self.value.split()[0] == "parallel"

    @property
    def is_combined(self) -> bool:
        """Whether it is a compute construct combined with ``loop``."""
        return self.is_compute and self.value.endswith(" loop")


@dataclass(frozen=True, slots=True)
class CText:
    """A C expression as written."""

    text: str
    span: Span


class Movement(enum.Enum):
    """Data clauses; the value is the spelling (``pcopy`` and ``present_or_copy`` are ``copy``)."""

    COPY = "copy"
    COPYIN = "copyin"
    COPYOUT = "copyout"
    CREATE = "create"
    PRESENT = "present"
    NO_CREATE = "no_create"
    DELETE = "delete"
    DEVICEPTR = "deviceptr"
    ATTACH = "attach"
    DETACH = "detach"
    USE_DEVICE = "use_device"
    DEVICE_RESIDENT = "device_resident"
    LINK = "link"
    UPDATE_HOST = "self"
    UPDATE_DEVICE = "device"


@dataclass(frozen=True, slots=True)
class Section:
    """One dimension ``[lower:length]`` of a variable in a data clause; an omitted part is None."""

    lower: CText | None
    length: CText | None


@dataclass(frozen=True, slots=True)
class DataVar:
    """``base[lower:length]…``: `base` is the C text before the sections (``A``, ``s->x``, ``*p``)."""

    base: CText
    sections: tuple[Section, ...]
    span: Span

    @property
    def name(self) -> str:
        """`base` without spaces."""
        return "".join(self.base.text.split())


@dataclass(frozen=True, slots=True)
class DataClause:
    """``copyin(readonly: A[0:n], b)``; `modifiers` holds ``readonly``, ``zero``, ``always``…"""

    movement: Movement
    modifiers: tuple[str, ...]
    vars: tuple[DataVar, ...]
    span: Span


class Level(enum.Enum):
    """The parallelism a ``loop`` asks for."""

    GANG = "gang"
    WORKER = "worker"
    VECTOR = "vector"
    SEQ = "seq"
    AUTO = "auto"
    INDEPENDENT = "independent"


#: what a directive on a nest says of the iterations of each of its loops
_OF_ITERATIONS = (Level.SEQ, Level.AUTO, Level.INDEPENDENT)


@dataclass(frozen=True, slots=True)
class LevelClause:
    """``gang``, ``worker(4)``, ``vector(length: 128)``, ``seq``, ``auto``, ``independent``."""

    level: Level
    size: CText | None
    span: Span


@dataclass(frozen=True, slots=True)
class CollapseClause:
    """``collapse(2)``, ``collapse(force: 2)``."""

    depth: int
    force: bool
    span: Span


@dataclass(frozen=True, slots=True)
class TileClause:
    """``tile(32, *)``: a size a dimension, None for ``*``."""

    sizes: tuple[int | None, ...]
    span: Span


class ReductionOp(enum.Enum):
    """Combine operators; the value is the C or OpenACC spelling. The last two are C's functions, which a clause calls
    ``max`` and ``min``."""

    ADD = "+"
    MUL = "*"
    MAX = "max"
    MIN = "min"
    BIT_AND = "&"
    BIT_OR = "|"
    BIT_XOR = "^"
    AND = "&&"
    OR = "||"
    FMAX = "fmax"
    FMIN = "fmin"

    @property
    def clause(self) -> ReductionOp:
        """The operator that a clause names."""
        return {ReductionOp.FMAX: ReductionOp.MAX, ReductionOp.FMIN: ReductionOp.MIN}.get(self, self)


@dataclass(frozen=True, slots=True)
class ReductionClause:
    """``reduction(+: s, t)``."""

    op: ReductionOp
    vars: tuple[DataVar, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class PrivateClause:
    """``private(x)`` or, with `first`, ``firstprivate(x)``."""

    vars: tuple[DataVar, ...]
    first: bool
    span: Span


@dataclass(frozen=True, slots=True)
class IfClause:
    """``if(cond)`` or, with `self_`, ``self(cond)``; a bare ``self`` has no condition."""

    condition: CText | None
    self_: bool
    span: Span


@dataclass(frozen=True, slots=True)
class SizeClause:
    """``num_gangs(n)``, ``num_workers(n)``, ``vector_length(n)``, ``device_num(n)``, ``default_async(n)``."""

    name: str
    sizes: tuple[CText, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class AsyncClause:
    """``async``, ``async(q)``."""

    queue: CText | None
    span: Span


@dataclass(frozen=True, slots=True)
class WaitClause:
    """``wait``, ``wait(q1, q2)``: on a directive, or the arguments of the ``wait`` directive itself."""

    queues: tuple[CText, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class DefaultClause:
    """``default(none)``, ``default(present)``."""

    value: str
    span: Span


@dataclass(frozen=True, slots=True)
class WordClause:
    """A clause that is a word, with an optional text: ``finalize``, ``if_present``, ``nohost``, ``read``, ``capture``,
    ``bind("f")``, ``device_type(x)``…"""

    name: str
    text: CText | None
    span: Span


# --- share -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ShareInt:
    """An integer constant."""

    value: int
    span: Span


@dataclass(frozen=True, slots=True)
class ShareParam:
    """``TB_X``, ``TB_Y`` or ``TB_Z``: the thread block's size along a dimension."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class ShareVague:
    """``*``: a length between 0 and the array's extent that the solver picks (SHARE 3.1)."""

    span: Span


@dataclass(frozen=True, slots=True)
class ShareBinary:
    """``lhs op rhs`` with op one of ``+ - * /``."""

    op: str
    lhs: ShareExpr
    rhs: ShareExpr
    span: Span


ShareExpr: TypeAlias = ShareInt | ShareParam | ShareVague | ShareBinary


@dataclass(frozen=True, slots=True)
class ShareArray:
    """``A[TB_Y][*]:coalesce``."""

    name: str
    lengths: tuple[ShareExpr, ...]
    coalesce: bool
    span: Span


@dataclass(frozen=True, slots=True)
class ShareClause:
    """The arrays of one ``share`` directive."""

    arrays: tuple[ShareArray, ...]
    span: Span


Clause: TypeAlias = (
    DataClause
    | LevelClause
    | CollapseClause
    | TileClause
    | ReductionClause
    | PrivateClause
    | IfClause
    | SizeClause
    | AsyncClause
    | WaitClause
    | DefaultClause
    | WordClause
    | ShareClause
)


@dataclass(frozen=True, slots=True)
class Directive:
    """One ``#pragma acc``; `span` covers the whole pragma line, continuation lines included, without its newline, and
    nothing of what a ``collapse`` further outside says of a loop."""

    kind: DirectiveKind
    clauses: tuple[Clause, ...]
    span: Span

    @property
    def implied(self) -> bool:
        """Whether it is written nowhere: a directive on a loop around the loop it is about says it."""
        return self.span.start == self.span.end

    def of_iterations(self) -> Directive:
        """What is said of the iterations of other loops that it counts."""
        said = tuple(c for c in self.clauses if isinstance(c, LevelClause) and c.level in _OF_ITERATIONS)
        return Directive(DirectiveKind.LOOP, said, Span(self.span.start, self.span.start))

    def says(self, level: Level) -> bool:
        """Whether a clause says that of a loop's iterations."""
        return any(isinstance(clause, LevelClause) and clause.level is level for clause in self.clauses)

    @property
    def fixes_order(self) -> bool:
        """Whether a clause says more of a loop than that it is one."""
        fixing = (CollapseClause, TileClause, ReductionClause, PrivateClause)
        return any(
            isinstance(clause, fixing) or (isinstance(clause, LevelClause) and clause.level is not Level.AUTO)
            for clause in self.clauses
        )


@dataclass(frozen=True, slots=True)
class Pragmas:
    """All ``#pragma acc`` lines of a file: the directives in source order, what could not be read, where every such
    line stands, readable or not, and those unreadable ones that were perhaps meant as compute constructs."""

    directives: tuple[Directive, ...]
    diagnostics: tuple[Diagnostic, ...]
    spans: tuple[Span, ...]
    lost: tuple[Span, ...]
