"""C types as libclang gives them, as frontend types."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from accshare.conversions import complex_of
from accshare.diagnostics import Rejected, rejected
from accshare.frontend.clang import CType, Key, Node
from accshare.frontend.ir import INT, Array, Expr, Field, IntLit, Pointer, Scalar, Struct, Type, Void
from accshare.opencl_names import safe
from accshare.source import Span

_SCALARS = {
    "BOOL": ("_Bool", False, False),
    "CHAR_U": ("char", False, False),
    "CHAR_S": ("char", True, False),
    "UCHAR": ("unsigned char", False, False),
    "SCHAR": ("signed char", True, False),
    "USHORT": ("unsigned short", False, False),
    "SHORT": ("short", True, False),
    "UINT": ("unsigned int", False, False),
    "INT": ("int", True, False),
    "ULONG": ("unsigned long", False, False),
    "LONG": ("long", True, False),
    "ULONGLONG": ("unsigned long long", False, False),
    "LONGLONG": ("long long", True, False),
    "FLOAT": ("float", True, True),
    "DOUBLE": ("double", True, True),
}
#: kinds of arithmetic types
NUMBERS = frozenset({*_SCALARS, "ENUM"})
_WIDE = "128-bit integers have no counterpart on a device", "compute with two of 64 bits"
_FUNCTION = "functions can't be values on a device", "call the function by its name"
#: why a type can't be used, and what can be used instead
_REASONS = {
    "LONGDOUBLE": ("long double has no counterpart on a device", "use double"),
    "INT128": _WIDE,
    "UINT128": _WIDE,
    "FLOAT128": ("128-bit floating-point numbers have no counterpart on a device", "use double"),
    "FUNCTIONPROTO": _FUNCTION,
    "FUNCTIONNOPROTO": _FUNCTION,
    "VECTOR": ("gcc's vector types are not supported", "loop over their elements: the compiler finds vectors itself"),
}
_UNHEARD_OF = "it has no counterpart on a device", "use numbers, structs of numbers and arrays of them"

_UNKNOWN: Iterator[Expr] = iter(())


class Types:
    """Builds frontend types; remembers the structs so that each has one name."""

    def __init__(self) -> None:
        self._scalars: dict[str, Scalar] = {}
        self._structs: dict[Key, Struct] = {}
        self._open: set[Key] = set()
        self._names: set[str] = set()

    def scalar(self, ctype: CType, span: Span) -> Scalar:
        """The arithmetic type `ctype`; raises `Rejected` (ACC203) for any other."""
        kind = ctype.kind
        if kind == "ENUM":
            return self.scalar(ctype.enum_integer, span)
        known = self._scalars.get(kind)
        if known is None:
            if kind not in _SCALARS:
                raise _unusable(ctype, span)
            name, signed, floating = _SCALARS[kind]
            known = self._scalars[kind] = Scalar(name, ctype.bytes, signed, floating)
        return known

    def of(self, ctype: CType, span: Span, lengths: Iterator[Expr] = _UNKNOWN) -> Type:
        """Any type. `lengths` gives the array lengths the declaration spells, outermost first; without them only
        constant lengths are known."""
        match ctype.kind:
            case "VOID":
                return Void()
            case "POINTER":
                target = ctype.pointee
                return Pointer(self.of(target, span, lengths), ctype.is_restrict, _is_const(target))
            case "CONSTANTARRAY":
                next(lengths, None)
                return Array(self.of(ctype.element, span, lengths), IntLit(ctype.count, INT, span))
            case "VARIABLEARRAY":
                length = next(lengths, None)
                if length is None:
                    raise rejected(
                        "ACC203",
                        "the length of this array type isn't written in the declaration",
                        span,
                        "write it there",
                    )
                return Array(self.of(ctype.element, span, lengths), length)
            case "INCOMPLETEARRAY":
                return Array(self.of(ctype.element, span, lengths), None)
            case "RECORD":
                return self._struct(ctype, span)
            case "COMPLEX":
                return complex_of(self.scalar(ctype.element, span))
            case _:
                return self.scalar(ctype, span)

    def declared(self, node: Node, convert: Callable[[Node], Expr], span: Span) -> Type:
        """The type of a variable or parameter; a parameter spelled as an array is a pointer."""
        lengths: Iterator[Expr] = (convert(length) for length in reversed(node.lengths))
        if node.kind == "PARM_DECL" and node.type.is_array:
            if node.type.kind != "INCOMPLETEARRAY":
                next(lengths, None)  # the outermost length says nothing
            restrict = "restrict" in node.written_type or node.is_restrict_array
            return Pointer(self.of(node.type.element, span, lengths), restrict, _is_const(node.type))
        return self.of(node.type, span, lengths)

    def _struct(self, ctype: CType, span: Span, hint: str = "") -> Struct:
        key = ctype.declaration.key
        if key in self._structs:
            return self._structs[key]
        name = ctype.spelling.removeprefix("const ").removeprefix("volatile ")
        name = name.removeprefix("struct ").removeprefix("union ")
        if not name.isidentifier():
            name = hint or "anonymous"
        name = safe(name, self._names)
        self._names.add(name)
        self._open.add(key)
        try:
            every = tuple(ctype.fields)
            fields = tuple(self._field(field, name, span) for field in every if _is_usable(field))
        except Rejected:
            self._names.discard(name)
            raise
        finally:
            self._open.discard(key)
        union = ctype.declaration.kind == "UNION_DECL"
        missing = len(fields) < len(every) or any(_misses(field.type) for field in fields)
        struct = Struct(name, fields, ctype.bytes, union, missing)
        self._structs[key] = struct
        return struct

    def _field(self, field: Node, struct: str, span: Span) -> Field:
        name, ctype = field.spelling, field.type
        if ctype.kind == "POINTER":
            return Field(name, self._pointer_field(ctype, span), field.field_offset)
        if ctype.kind == "RECORD":
            return Field(name, self._struct(ctype, span, f"{struct}_{name}"), field.field_offset)
        if ctype.kind == "CONSTANTARRAY" and ctype.element.kind == "POINTER":
            pointers = Array(self._pointer_field(ctype.element, span), IntLit(ctype.count, INT, span))
            return Field(name, pointers, field.field_offset)
        return Field(name, self.of(ctype, span), field.field_offset)

    def _pointer_field(self, ctype: CType, span: Span) -> Type:
        """A pointer member; where it leads back to an open struct, or to no data at all, its target is void."""
        target = ctype.pointee
        while target.is_pointer or target.is_array:
            target = target.pointee if target.is_pointer else target.element
        recursive = target.kind == "RECORD" and target.declaration.key in self._open
        if recursive or not (target.kind in _SCALARS or target.kind in {"RECORD", "ENUM"}):
            return Pointer(Void(), False, ctype.pointee.is_const)
        return self.of(ctype, span)


def _is_usable(field: Node) -> bool:
    """Whether a member can be used on a device: it is no bit-field, and has a name."""
    return not field.is_bitfield and field.spelling.isidentifier()


def whole(type_: Type, span: Span) -> None:
    """Raise `Rejected` (ACC203) for a struct that can't be used as a whole, as some member can't."""
    if isinstance(type_, Struct) and type_.missing:
        message = f"struct {type_.name} has a bit-field or a member without a name, and is used as a whole"
        raise rejected("ACC203", message, span, "use its other members one by one")


def _misses(type_: Type) -> bool:
    while isinstance(type_, Array):
        type_ = type_.element
    return isinstance(type_, Struct) and type_.missing


def _is_const(ctype: CType) -> bool:
    """Whether the elements a pointer leads to are ``const``; libclang tells it of an array only by its spelling."""
    return ctype.is_const or (ctype.is_array and ctype.spelling.startswith("const "))


def _unusable(ctype: CType, span: Span) -> Exception:
    reason, instead = _REASONS.get(ctype.kind, _UNHEARD_OF)
    return rejected("ACC203", f"the type {ctype.spelling} can't be used on a device: {reason}", span, instead)
