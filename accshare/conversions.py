"""C's conversion rules, and how declarations and structs are laid out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from accshare.frontend.ir import INT, UINT, ULONG, Array, Field, IntLit, Pointer, Scalar, Struct, Type

_RANKS = {"_Bool": 0, "char": 1, "short": 2, "int": 3, "long": 4, "long long": 5, "__int128": 6}
_UNSIGNED = {
    3: UINT,
    4: ULONG,
    5: Scalar("unsigned long long", 8, False, False),
}


def base_name(type_: Scalar) -> str:
    """The name without its sign: ``unsigned long`` is ``long``."""
    return type_.name.replace("unsigned", "").replace("signed", "").strip() or "int"


def is_bool(type_: Type) -> bool:
    """Whether it is ``_Bool``, to which conversion means ``!= 0``."""
    return isinstance(type_, Scalar) and type_.name in {"_Bool", "bool"}


def complex_of(part: Scalar) -> Struct:
    """The struct of two numbers as which complex ones are known."""
    return Struct(f"complex_{part.name}_", (Field("re", part, 0), Field("im", part, part.bytes)), 2 * part.bytes, False)


def may_overflow(type_: Type) -> bool:
    """Whether C computes in it, as signed integers of which nobody knows whether they wrap around."""
    return isinstance(type_, Scalar) and type_.signed and not type_.floating and type_.bytes >= 4 and type_.lanes == 1


def is_complex(type_: Type) -> bool:
    """Whether it is such a struct."""
    return isinstance(type_, Struct) and type_.name in {"complex_float_", "complex_double_"}


def alike(a: Type, b: Type) -> bool:
    """Whether two types hold the same values and behave alike (``long`` and ``long long`` do)."""
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        return _behaviour(a) == _behaviour(b)
    return a == b


def _behaviour(type_: Scalar) -> tuple[object, ...]:
    return type_.bytes, type_.signed, type_.floating, type_.lanes, is_bool(type_)


def preserves(source: Type, target: Type) -> bool:
    """Whether every value of `source` is unchanged as a `target`."""
    if not (isinstance(source, Scalar) and isinstance(target, Scalar)):
        return source == target
    if source.lanes != target.lanes:
        return False
    if is_bool(target) or is_bool(source):
        return is_bool(source)
    if target.floating:
        return source.bytes <= target.bytes if source.floating else source.bytes * 2 <= target.bytes
    if source.floating:
        return False
    if source.signed == target.signed:
        return source.bytes <= target.bytes
    return target.signed and source.bytes < target.bytes


def promoted(type_: Type) -> Type:
    """The type after C's integer promotion."""
    if isinstance(type_, Scalar) and not type_.floating and _rank(type_) < _RANKS["int"]:
        return INT
    return type_


def common(a: Type, b: Type) -> Type | None:
    """C's usual arithmetic conversions; None when a type isn't arithmetic."""
    if not (isinstance(a, Scalar) and isinstance(b, Scalar)):
        return None
    if a.floating or b.floating:
        return max((t for t in (a, b) if t.floating), key=lambda t: t.bytes)
    left, right = promoted(a), promoted(b)
    if not (isinstance(left, Scalar) and isinstance(right, Scalar)):
        return None
    low, high = sorted((left, right), key=lambda t: (_rank(t), not t.signed))
    if low.signed == high.signed or not high.signed or high.bytes > low.bytes:
        return high
    return _UNSIGNED[_rank(high)]


@cache
def _rank(type_: Scalar) -> int:
    return _RANKS.get(base_name(type_), _RANKS["int"])


def length(array: Array) -> int | None:
    """The constant length of an array."""
    return array.length.value if isinstance(array.length, IntLit) else None


def size(type_: Type) -> int:
    """Bytes on the host; an array without a constant length counts as empty."""
    match type_:
        case Scalar(bytes=count) | Struct(bytes=count):
            return count
        case Array(element):
            return size(element) * (length(type_) or 0)
        case Pointer():
            return 8
        case _:
            return 1


def alignment(type_: Type) -> int:
    """Natural alignment in bytes."""
    match type_:
        case Array(element):
            return alignment(element)
        case Struct(fields=fields):
            return max((alignment(f.type) for f in fields), default=1)
        case _:
            return size(type_)


def is_natural(struct: Struct) -> bool:
    """Whether the fields stand where any compiler would put them."""
    offset = 0
    for field in struct.fields:
        align = alignment(field.type)
        offset = 0 if struct.union else -(-offset // align) * align
        if field.offset != offset:
            return False
        offset += size(field.type)
    align = alignment(struct)
    used = max((size(f.type) for f in struct.fields), default=0) if struct.union else offset
    return -(-used // align) * align == struct.bytes


def gaps(struct: Struct) -> Iterator[Field | int]:
    """The fields of a struct with the bytes of padding between them made explicit, the tail's too."""
    offset = 0
    for field in struct.fields:
        if field.offset > offset:
            yield field.offset - offset
        yield field
        offset = max(offset, field.offset + size(field.type))
    if struct.bytes > offset:
        yield struct.bytes - offset


def structs_of(types: Iterable[Type]) -> tuple[Struct, ...]:
    """The structs that occur in some types, members before the structs that hold them."""
    found: dict[str, Struct] = {}

    def visit(type_: Type) -> None:
        match type_:
            case Array(element):
                visit(element)
            case Pointer(target):
                visit(target)
            case Struct(name=name, fields=fields) if name not in found:
                for field in fields:
                    if not isinstance(field.type, Pointer):
                        visit(field.type)
                found[name] = type_

    for type_ in types:
        visit(type_)
    return tuple(found.values())


def may_store(stored: Type, held: Type) -> bool:
    """Whether storing a number of one type may change an object of another, by C's rules for the types of objects (C17,
    6.5)."""
    if not isinstance(stored, Scalar):
        return True
    match held:
        case Scalar():
            return stored.bytes == 1 or (stored.bytes == held.bytes and stored.floating == held.floating)
        case Array(element):
            return may_store(stored, element)
        case Struct(fields=fields):
            return any(may_store(stored, field.type) for field in fields)
        case Pointer():
            return stored.bytes == 1
    return True
