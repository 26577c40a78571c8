"""What the C front end produces: a small frozen C AST, and one `Region` for each compute construct.

The AST says what the C program means, not how it was spelled: typedefs are resolved, macros and enum constants are
values, ``*p`` is ``p[0]``, effects are statements of their own, in C's order. Every node has the span of its text.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import TypeAlias

from accshare.diagnostics import Diagnostic
from accshare.pragma.ir import DataVar, Directive, Level
from accshare.records import dataclass, field
from accshare.source import Span

# --- types -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scalar:
    """An arithmetic type under its canonical C name (``unsigned char``, ``long``, ``double``, ``_Bool``).

    Enumerations are their underlying integer. `bytes` is the host's size. Generated code also has vectors, of `lanes`
    such values.
    """

    name: str
    bytes: int
    signed: bool
    floating: bool
    lanes: int = 1

    def __hash__(self) -> int:
        return hash(self.name)


@dataclass(frozen=True, slots=True)
class Field:
    """A struct member; `offset` in bytes."""

    name: str
    type: Type
    offset: int


@dataclass(frozen=True, slots=True)
class Struct:
    """A struct or union; `name` is a C identifier unique in the program (the tag, else the typedef's name). `missing`
    says that it has a bit-field or a member without a name, which `fields` lack."""

    name: str
    fields: tuple[Field, ...]
    bytes: int
    union: bool
    missing: bool = False


@dataclass(frozen=True, slots=True)
class Pointer:
    """A pointer; an array parameter is one too (``float A[n][m]`` is a pointer to ``float[m]``)."""

    target: Type
    restrict: bool
    const: bool


@dataclass(frozen=True, slots=True)
class Array:
    """An array; `length` is None for ``[]`` and a constant or VLA expression otherwise."""

    element: Type
    length: Expr | None


@dataclass(frozen=True, slots=True)
class Void:
    """``void``."""


Type: TypeAlias = Scalar | Struct | Pointer | Array | Void

INT = Scalar("int", 4, True, False)
LONG = Scalar("long", 8, True, False)
UINT = Scalar("unsigned int", 4, False, False)
ULONG = Scalar("unsigned long", 8, False, False)


def integer_range(type_: Type) -> tuple[int, int] | None:
    """The values an integer type holds; None for others."""
    if not isinstance(type_, Scalar) or type_.floating:
        return None
    bits = 1 if type_.name == "_Bool" else 8 * type_.bytes
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if type_.signed else (0, (1 << bits) - 1)


# --- symbols and expressions -------------------------------------------------------------------------------------


class Storage(enum.Enum):
    """Where a variable is declared, seen from the region."""

    GLOBAL = "global"  # file scope or static
    PARAMETER = "parameter"  # of the enclosing function
    LOCAL = "local"  # in the enclosing function, outside the region
    INNER = "inner"  # inside the region


@dataclass(frozen=True, slots=True)
class Symbol:
    """A variable. `name` is as written; `unique` is a C identifier no other symbol of the region has.

    For a symbol declared outside the region `unique == name` unless an inner declaration hides it. `address_taken` is
    true when the function (or, for a global, any function of the file) takes its address. `on_device`: data directives
    name it and regions write it. `values` are the elements of a constant array, where its declaration has them all.
    `viewed` is the pointer type that the program converts it to, as it spells that.
    """

    name: str
    unique: str
    type: Type = field(compare=False)
    storage: Storage
    address_taken: bool = False
    volatile: bool = False
    on_device: bool = field(default=False, compare=False)
    values: tuple[Expr, ...] = field(default=(), compare=False, repr=False)
    viewed: str = field(default="", compare=False)

    @property
    def exposed(self) -> bool:
        """Whether more than assignments by its name may change it."""
        return self.address_taken or self.volatile or self.storage is Storage.GLOBAL

    def __hash__(self) -> int:
        return hash(self.unique)


@dataclass(frozen=True, slots=True)
class IntLit:
    """An integer constant; characters and enumerators are ones too."""

    value: int
    type: Type
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class FloatLit:
    """`text` is a C literal of the type (``0.25f``, ``1e-3``)."""

    text: str
    type: Type
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Var:
    """A use of a variable."""

    symbol: Symbol
    span: Span = field(compare=False)

    @property
    def type(self) -> Type:
        return self.symbol.type


@dataclass(frozen=True, slots=True)
class Subscript:
    """``base[index]``; `base` has array or pointer type. ``*p`` and ``*(p + i)`` are written this way too."""

    base: Expr
    index: Expr
    type: Type = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Member:
    """``base.name``; ``p->x`` is ``p[0].x``."""

    base: Expr
    name: str
    type: Type = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Unary:
    """`op` is one of ``- + ~ !``."""

    op: str
    operand: Expr
    type: Type
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Binary:
    """`op` is a C arithmetic, bit, comparison or logical operator. `type` is the C result type, after promotions."""

    op: str
    lhs: Expr
    rhs: Expr
    type: Type
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Conditional:
    """``condition ? then : other``."""

    condition: Expr
    then: Expr
    other: Expr
    type: Type
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Cast:
    """A conversion that changes the type; `implicit` ones need not be printed, C implies them. One to a vector type
    converts a vector lane by lane, and puts a number into every lane."""

    operand: Expr
    type: Type
    implicit: bool
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a C library math function or of a `Function` of the region, by name."""

    callee: str
    args: tuple[Expr, ...]
    type: Type
    span: Span = field(compare=False)


class Builtin(enum.Enum):
    """What generated code computes, beside what C has operators for: `accshare.builtins` tells of each what it means.
    No function of the user's is one."""

    MIN = enum.auto()
    MAX = enum.auto()
    FLOOR_DIV = enum.auto()
    VECTOR = enum.auto()
    LANE = enum.auto()
    HALF = enum.auto()
    SHUFFLE = enum.auto()
    SELECT = enum.auto()
    ANY_LANE = enum.auto()
    BITS = enum.auto()
    IS_ALIGNED = enum.auto()
    PAST = enum.auto()
    GROUP_ID = enum.auto()
    LOCAL_ID = enum.auto()
    GROUPS = enum.auto()


@dataclass(frozen=True, slots=True)
class Intrinsic:
    """A builtin of generated code, made by the function of `accshare.builtins` that has its name."""

    function: Builtin
    args: tuple[Expr, ...]
    type: Type
    span: Span = field(compare=False)


Expr: TypeAlias = IntLit | FloatLit | Var | Subscript | Member | Unary | Binary | Conditional | Cast | Call | Intrinsic


# --- statements --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Assign:
    """``target op value``; `op` is ``=`` or a compound operator (``+=``…). ``x++`` is ``x += 1``."""

    target: Expr
    op: str
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Atomic:
    """``atomic``, of the `kind` ``read``, ``write``, ``update`` (``inferred`` or ``reassociated``, if we made it) or
    ``capture``; `body` is ``v = x``, ``x = e`` or ``x op= e`` (``x = e op x`` where it is something else); both to
    ``capture``."""

    kind: str
    body: Block
    span: Span


@dataclass(frozen=True, slots=True)
class Declare:
    """A declaration inside the region, one symbol each; an initialiser list is assignments behind it."""

    symbol: Symbol
    init: Expr | None
    span: Span


@dataclass(frozen=True, slots=True)
class For:
    """A counting loop in normal form: ``for (i = first; i REL bound; i += step)``.

    `relation` is one of ``< <= > >= !=``, tested against the value the body will see (``for (i = n; i-- > 0;)`` is
    first ``n - 1``, relation ``>=``, bound ``0``, step -1). `step` is a non-zero constant. The body does not
    write the iterator. `directive` is the ``loop`` or combined directive that stands on it. `header` spans
    ``for (…)``.
    """

    iterator: Symbol
    first: Expr
    relation: str
    bound: Expr
    step: int
    body: Block
    directive: Directive | None
    header: Span
    span: Span


@dataclass(frozen=True, slots=True)
class GeneralFor:
    """A ``for`` that is no counting loop; `reason` says why in the user's words (``i doubles each time``)."""

    init: tuple[Stmt, ...]
    condition: Expr | None
    step: tuple[Stmt, ...]
    body: Block
    directive: Directive | None
    reason: str
    header: Span
    span: Span


@dataclass(frozen=True, slots=True)
class If:
    """``if``; `other` is the ``else`` branch."""

    condition: Expr
    then: Block
    other: Block | None
    span: Span


@dataclass(frozen=True, slots=True)
class While:
    """``while`` or, with `do`, ``do … while``."""

    condition: Expr
    body: Block
    do: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Jump:
    """``break``, ``continue`` or ``return``; `value` is only for ``return`` inside a `Function`."""

    word: str
    value: Expr | None
    span: Span


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A statement no device can run; the diagnostic says why. The region runs on the host; one that is `unlikely` sends
    only those executions there that reach it."""

    diagnostic: Diagnostic
    span: Span
    unlikely: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """``{ … }``; the body of a loop or branch is always one."""

    statements: tuple[Stmt, ...]
    span: Span


Stmt: TypeAlias = Assign | Atomic | Declare | For | GeneralFor | If | While | Jump | Unsupported | Block


# --- the program -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Inline:
    """What a function does, without a ``return``, and then the number that it gives."""

    statements: tuple[Stmt, ...]
    value: Expr


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the same file that regions call, which computes a number from numbers and does nothing else.
    `inline` is what can stand in place of its calls, None for those that are made for calls."""

    name: str
    parameters: tuple[Symbol, ...]
    result: Type
    body: Block
    inline: Inline | None = None


@dataclass(frozen=True, slots=True)
class Region:
    """A compute construct and what it needs to be understood.

    `name` is a C identifier unique in the program (``gemm_l12``: function and line). `span` is the statement the host
    code replaces. `construct` is the compute directive (a lone ``share`` implies ``kernels loop``). `live_after` names
    (by `Symbol.unique`) outer scalars and pointers that may be read after the region before they are overwritten;
    globals and those whose address is taken always count, statics unless all functions use them as scratch. `functions`
    are the callees, callees before callers. `around` is what ``data`` constructs around the region and ``enter data``
    before it, in the same function, say of variables that it can see, nearest first. `rows` are tables of pointers to
    rows, as pointers to arrays, each with their pitch. `walking` are pointers from outside that statements move, each
    with the variable that counts how far: 0 when the region begins. `last` is what the host assigns behind it: a
    variable's new value, or the number by which a pointer moved. `plainer` is the region without what may be `unlikely`
    in it. `lengths` are those of arrays that are read as pointers. In a region that `counts`, integers in elements that
    the data choose are updated in one piece though nobody asked for it. `sizes` are variables that stand for members of
    structs and for numbers that pointers lead to. `lent` names variables whose ``restrict`` pointers others of the
    region may be made of.
    """

    name: str
    function: str
    construct: Directive
    shares: tuple[Directive, ...]
    body: Block
    symbols: tuple[Symbol, ...]
    functions: tuple[Function, ...]
    live_after: frozenset[str]
    span: Span
    around: tuple[DataVar, ...] = ()
    rows: tuple[tuple[Expr, Symbol], ...] = ()
    walking: tuple[tuple[Symbol, Symbol], ...] = ()
    last: tuple[tuple[Expr, Expr], ...] = ()
    plainer: Region | None = field(default=None, compare=False, repr=False)
    lengths: tuple[tuple[Expr, int], ...] = ()
    counts: bool = False
    sizes: tuple[tuple[Symbol, Expr], ...] = ()
    lent: frozenset[str] = frozenset()

    def promises(self, loop: For) -> bool:
        """Whether the user said that the iterations of a loop are independent (OpenACC 3.x 2.9.6 and 2.9.9)."""
        directive = loop.directive
        if directive is None:
            return False
        in_parallel = self.construct.kind.is_parallel
        return not directive.says(Level.AUTO) and (in_parallel or directive.says(Level.INDEPENDENT))


@dataclass(frozen=True, slots=True)
class Construct:
    """A directive that is no compute construct, with the statement it applies to (``data``, ``host_data``), if any.

    `pointers` are the names whose types tell no extent where the directive is. `lengths` has those that are parameters
    declared as arrays, ``float A[n][m]``, with the outermost length as C text. `function` is "" outside of any.
    `shapes` has the variables that clauses may name, each with what it is made of as far as a subscript can reach:
    ``*[`` is a pointer to arrays. A name of several variables is not among them.
    """

    directive: Directive
    statement: Span | None
    pointers: frozenset[str] = frozenset()
    lengths: tuple[tuple[str, str], ...] = ()
    function: str = ""
    shapes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Program:
    """A translation unit: its regions, its other directives in source order, and what could not be understood. `within`
    gives the loops inside of a region as regions."""

    regions: tuple[Region, ...]
    constructs: tuple[Construct, ...]
    diagnostics: tuple[Diagnostic, ...]
    within: Callable[[Region], tuple[Region, ...]] = field(default=lambda _: (), compare=False, repr=False)
