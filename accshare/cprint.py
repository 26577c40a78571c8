"""Expressions, types and declarations as C text.

`CPrinter` prints plain C with every symbol under its unique name; `HostPrinter` and `emit.opencl.OpenCLPrinter` are
the same C with other names and calls. Implicit conversions are left out where the language makes them anyway.
"""

from __future__ import annotations

from collections.abc import Mapping

from accshare.conversions import alike, common, gaps, is_bool, is_complex, is_natural, preserves, promoted
from accshare.frontend.ir import (
    Array,
    Atomic,
    Binary,
    Builtin,
    Call,
    Cast,
    Conditional,
    Expr,
    FloatLit,
    IntLit,
    Intrinsic,
    Member,
    Pointer,
    Scalar,
    Struct,
    Subscript,
    Symbol,
    Type,
    Unary,
    Var,
)

_PRECEDENCE = {
    "||": 4,
    "&&": 5,
    "|": 6,
    "^": 7,
    "&": 8,
    "==": 9,
    "!=": 9,
    "<": 10,
    "<=": 10,
    ">": 10,
    ">=": 10,
    "<<": 11,
    ">>": 11,
    "+": 12,
    "-": 12,
    "*": 13,
    "/": 13,
    "%": 13,
}
_BUILTINS = {Builtin.MIN: "min", Builtin.MAX: "max", Builtin.FLOOR_DIV: "floord"}
_CONDITIONAL = 3
_UNARY = 14
_POSTFIX = 15
_COMPARISONS = {"==", "!=", "<", "<=", ">", ">="}
_BITS = {"|", "^", "&", "<<", ">>"}


class CPrinter:
    """C text with symbols under their unique names. Complex numbers are C's with `c_complex`, otherwise structs."""

    c_complex = True
    #: whether signed integers have to be said to wrap around, which the host's do under ``-fwrapv``
    wraps = False

    def name(self, symbol: Symbol) -> str:
        """A variable's name."""
        return symbol.unique

    def member(self, name: str) -> str:
        """A struct member's name."""
        return name

    def tag(self, name: str) -> str:
        """The tag of a struct or union."""
        return self.member(name)

    def function(self, name: str) -> str:
        """A user function's name."""
        return name

    def scalar(self, type_: Scalar) -> str:
        """An arithmetic type."""
        return type_.name

    def storage(self, type_: Type) -> Type:
        """The type a struct member has in memory."""
        return Pointer(Scalar("void", 1, True, False), False, False) if isinstance(type_, Pointer) else type_

    def suffix(self, type_: Scalar) -> str:
        """An integer literal's suffix."""
        length = {"long": "L", "long long": "LL"}.get(type_.name.removeprefix("unsigned ").strip(), "")
        unsigned = "U" if not type_.signed and type_.bytes >= 4 else ""
        return unsigned + length

    def atomic(self, stmt: Atomic) -> str | None:
        """An atomic as one statement; None where its assignments will do, as they do for a thread that runs alone."""
        return None

    def call(self, call: Call) -> str:
        """A call; prototypes imply the conversions of its arguments."""
        return f"{call.callee}({', '.join(self.text(self.bare(a)) for a in call.args)})"

    def intrinsic(self, call: Intrinsic) -> str:
        """A builtin of generated code, of those that are computed on the host too."""
        return f"{_BUILTINS[call.function]}({', '.join(map(self.text, call.args))})"

    def bare(self, expr: Expr) -> Expr:
        """`expr` without the implicit conversions around it, as long as only the outermost can change its value."""
        if not (isinstance(expr, Cast) and expr.implicit):
            return expr
        expr = expr.operand
        while isinstance(expr, Cast) and expr.implicit and preserves(expr.operand.type, expr.type):
            expr = expr.operand
        return expr

    def converted(self, expr: Expr, target: Type) -> str:
        """`expr` where the context converts it to `target` by itself: an assignment, an initialiser, a return."""
        return self.text(self.bare(expr) if alike(expr.type, target) else expr)

    def stored_to(self, place: Expr) -> str:
        """What an assignment stores to."""
        return self.text(place)

    def places(self, base: Expr, index: Expr) -> tuple[Expr, ...]:
        """The subscripts that find an element of `base`."""
        return (index,)

    def _index(self, place: Expr) -> str:
        bare = self.bare(place)
        return self.text(bare if preserves(bare.type, place.type) else place)

    def text(self, expr: Expr, precedence: int = 0) -> str:
        """`expr`, in parentheses if it binds weaker than `precedence`."""
        match expr:
            case IntLit():
                return self._integer(expr, precedence)
            case FloatLit(text):
                return _grouped(text, text.startswith("-") and precedence > _UNARY)
            case Var(symbol):
                return self.name(symbol)
            case Subscript(base, index):
                shown = "][".join(map(self._index, self.places(base, index)))
                return f"{self.text(base, _POSTFIX)}[{shown}]"
            case Member(base, name) if self.c_complex and is_complex(base.type):
                word = "__real__" if name == "re" else "__imag__"
                return _grouped(f"{word} {self.text(base, _UNARY)}", precedence > _UNARY)
            case Member(Subscript(base, IntLit(0)), name) if isinstance(base.type, Pointer):
                return f"{self.text(base, _POSTFIX)}->{self.member(name)}"
            case Member(base, name):
                return f"{self.text(base, _POSTFIX)}.{self.member(name)}"
            case Unary(op, operand):
                return self._unary(op, operand, precedence)
            case Binary():
                return self._binary(expr, precedence)
            case Conditional():
                return self._conditional(expr, precedence)
            case Cast(operand, type_):
                inner = f"({self.declaration(type_, '')}){self.text(operand, _UNARY)}"
                return _grouped(inner, precedence > _UNARY)
            case Call():
                return self.call(expr)
            case Intrinsic():
                return self.intrinsic(expr)

    def _integer(self, expr: IntLit, precedence: int) -> str:
        if not isinstance(expr.type, Scalar):
            return str(expr.value)
        suffix = self.suffix(expr.type)
        if expr.type.signed and expr.value == -(1 << (8 * expr.type.bytes - 1)) and expr.type.bytes >= 4:
            return f"({expr.value + 1}{suffix} - 1)"
        return _grouped(f"{expr.value}{suffix}", expr.value < 0 and precedence > _UNARY)

    def _unary(self, op: str, operand: Expr, precedence: int) -> str:
        shown = self.bare(operand)
        if op == "!":
            operand = shown if is_bool(operand.type) else operand
        elif alike(promoted(shown.type), operand.type):
            operand = shown
        inner = self.text(operand, _UNARY)
        return _grouped(f"{op}({inner})" if inner[0] == op else f"{op}{inner}", precedence > _UNARY)

    def _binary(self, expr: Binary, precedence: int) -> str:
        own = _PRECEDENCE[expr.op]
        lhs, rhs = self.operands(expr.op, expr.lhs, expr.rhs)
        left = _grouped(self.text(lhs, own), _unclear(expr.op, lhs, own))
        right = _grouped(self.text(rhs, own + 1), _unclear(expr.op, rhs, own + 1))
        return _grouped(f"{left} {expr.op} {right}", precedence > own)

    def operands(self, op: str, lhs: Expr, rhs: Expr) -> tuple[Expr, Expr]:
        """The operands without the conversions that the operator implies."""
        left, right = self.bare(lhs), self.bare(rhs)
        if op in {"&&", "||"}:
            return (left if is_bool(lhs.type) else lhs), (right if is_bool(rhs.type) else rhs)
        if op in {"<<", ">>"}:
            return (
                left if alike(promoted(left.type), lhs.type) else lhs,
                right if preserves(right.type, rhs.type) else rhs,
            )
        natural = common(left.type, right.type)
        if natural is None:
            return lhs, rhs
        implied = all(shown is full or alike(natural, full.type) for shown, full in ((left, lhs), (right, rhs)))
        return (left, right) if implied else (lhs, rhs)

    def _conditional(self, expr: Conditional, precedence: int) -> str:
        then, other = self.operands("+", expr.then, expr.other)
        inner = f"{self.text(expr.condition, _CONDITIONAL + 1)} ? {self.text(then)} : {self.text(other, _CONDITIONAL)}"
        return _grouped(inner, precedence > _CONDITIONAL)

    def declaration(self, type_: Type, name: str) -> str:
        """A declaration of `name`, or the type's name when it is empty."""
        match type_:
            case Scalar():
                return f"{self.scalar(type_)} {name}".rstrip()
            case Struct() if self.c_complex and is_complex(type_):
                return f"_Complex {self.declaration(type_.fields[0].type, name)}"
            case Struct(name=tag, union=union):
                return f"{'union' if union else 'struct'} {self.tag(tag)} {name}".rstrip()
            case Pointer(target):
                inner = f"(*{name})" if isinstance(target, Array) else f"*{name}"
                return self.declaration(target, inner)
            case Array(element, length):
                return self.declaration(element, f"{name}[{'' if length is None else self.text(length)}]")
            case _:
                return f"void {name}".rstrip()

    def struct(self, struct: Struct) -> list[str]:
        """A struct's definition, one line a member, laid out as on the host."""
        head = f"{'union' if struct.union else 'struct'} {self.tag(struct.name)} {{"
        if struct.union or is_natural(struct):
            fields = [self._field(f.type, f.name) for f in struct.fields]
            return [head, *fields, "};"]
        lines = [
            f"  char gap_{k}[{part}];" if isinstance(part, int) else self._field(part.type, part.name)
            for k, part in enumerate(gaps(struct))
        ]
        return [head, *lines, "} __attribute__((packed));"]

    def _field(self, type_: Type, name: str) -> str:
        return f"  {self.declaration(self.storage(type_), self.member(name))};"


class SourcePrinter(CPrinter):
    """C text under the user's own names."""

    def name(self, symbol: Symbol) -> str:
        return symbol.name


class HostPrinter(CPrinter):
    """C text for the place where the region stood: user's variables under their own names, ours under `names`, which is
    keyed by `Symbol.unique`."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def name(self, symbol: Symbol) -> str:
        own = f"(({symbol.viewed}){symbol.name})" if symbol.viewed else symbol.name
        return self.names.get(symbol.unique, own)

    def intrinsic(self, call: Intrinsic) -> str:
        return f"__accshare_{super().intrinsic(call)}"


def is_truth(expr: Expr) -> bool:
    """Whether the value is 0 or 1 whatever its type."""
    match expr:
        case Unary("!") | Binary("&&" | "||"):
            return True
        case Binary(op):
            return op in _COMPARISONS
        case _:
            return is_bool(expr.type)


def _grouped(text: str, parentheses: bool) -> str:
    return f"({text})" if parentheses else text


def _unclear(op: str, child: Expr, precedence: int) -> bool:
    """Whether compilers and readers ask for parentheses that the grammar does not need."""
    if not isinstance(child, Binary) or _PRECEDENCE[child.op] < precedence:
        return False
    if op == "||":
        return child.op == "&&"
    if op in _COMPARISONS:
        return child.op in _COMPARISONS
    return op in _BITS and child.op != op
