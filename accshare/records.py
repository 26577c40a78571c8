"""`dataclasses`, as far as the package uses it: made in a twentieth of the time, and faster in use.

The package has hundreds of these classes, and every start of the compiler makes those that it loads. `dataclasses` has
Python compile each method of each of them from text: that was a fifth of all that a small file took. Here classes share
their methods, and ``__init__`` is code compiled once for each number of fields. To mypy the names are those of
`dataclasses`, and it is mypy alone that keeps frozen values from being changed. Other functions of `dataclasses` take
these classes for its own.
"""

# ruff: noqa: ANN401 - nothing is known of the classes that are made

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from operator import attrgetter
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

_MISSING: Any = object()


class _Field(NamedTuple):
    """What a class body says of a field."""

    default: Any = _MISSING
    default_factory: Any = _MISSING
    repr: bool = True
    compare: bool = True


class _Fields:
    """``__dataclass_fields__``, made when it is first looked for."""

    def __get__(self, _: object, owner: type) -> Any:
        return _dataclass_fields(owner)


@cache
def _dataclass_fields(owner: type) -> Any:
    import dataclasses  # noqa: PLC0415 - only for those who ask

    known: dict[str, _Field] = owner.__record__  # type: ignore[attr-defined]
    made = [
        (n, Any, dataclasses.field(**{k: v for k, v in f._asdict().items() if v is not _MISSING}))
        for n, f in known.items()
    ]
    return vars(dataclasses.make_dataclass(owner.__name__, made))["__dataclass_fields__"]


def _dataclass(
    cls: type | None = None, *, frozen: bool = False, slots: bool = False, eq: bool = True, order: bool = False
) -> Any:
    if cls is None:
        return lambda one: _dataclass(one, frozen=frozen, slots=slots, eq=eq, order=order)
    space = dict(cls.__dict__)
    own = {name: _stated(space.get(name, _MISSING)) for name in space.get("__annotations__", ())}
    fields: dict[str, _Field] = {}
    for base in reversed(cls.__mro__[1:]):
        fields |= getattr(base, "__record__", {})
    fields |= own
    space |= {"__record__": fields, "__dataclass_fields__": _Fields(), "__match_args__": tuple(fields)}
    space |= {"__init__": _init(fields), "_values": _tuple_of(tuple(fields))}
    space |= {"__repr__": _repr, "__rich_repr__": _shown}
    if eq:
        compared = _comparing(_tuple_of(tuple(n for n, f in fields.items() if f.compare)), frozen, order)
        space = {**space, **compared, "__hash__": space.get("__hash__") or compared["__hash__"]}
    for name in (*own, "__dict__", "__weakref__"):
        space.pop(name, None)
    if slots:
        space["__slots__"] = tuple(own)
    return type(cls)(cls.__name__, cls.__bases__, space)


def _stated(value: Any) -> _Field:
    return value if isinstance(value, _Field) else _Field(value)


def _comparing(key: Callable[[Any], tuple[Any, ...]], frozen: bool, order: bool) -> dict[str, Any]:
    """The methods that compare, and ``__hash__``."""

    def equal(self: object, other: object) -> Any:
        if self is other:
            return True
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: object) -> int:
        return hash(key(self))

    methods: dict[str, Any] = {"__eq__": equal, "__hash__": hashed if frozen else None}
    if order:
        methods |= {
            "__lt__": lambda self, other: key(self) < key(other),
            "__le__": lambda self, other: key(self) <= key(other),
            "__gt__": lambda self, other: key(self) > key(other),
            "__ge__": lambda self, other: key(self) >= key(other),
        }
    return methods


def _tuple_of(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """The function that reads these attributes of an object."""
    if len(names) > 1:
        return attrgetter(*names)
    return (lambda one: (getattr(one, names[0]),)) if names else (lambda _: ())


def _init(fields: Mapping[str, _Field]) -> Callable[..., None]:
    names = tuple(fields)
    code = _code(len(names)).replace(co_names=names, co_varnames=("self", *names))
    defaults = tuple(
        f.default for f in fields.values() if f.default is not _MISSING or f.default_factory is not _MISSING
    )
    plain = FunctionType(code, {}, "__init__", defaults)
    made = {n: f.default_factory for n, f in fields.items() if f.default_factory is not _MISSING}
    if not made:
        return plain

    def init(self: object, *args: Any, **given: Any) -> None:
        plain(self, *args, **given)
        for name, make in made.items():
            if getattr(self, name) is _MISSING:
                setattr(self, name, make())

    return init


@cache
def _code(count: int) -> CodeType:
    """The code of an ``__init__`` of that many fields, whatever their names are."""
    names = [f"a{i}" for i in range(count)]
    body = "; ".join(f"self.{n} = {n}" for n in names) or "pass"
    space: dict[str, Any] = {}
    exec(f"def __init__({', '.join(['self', *names])}): {body}", space)
    code: CodeType = space["__init__"].__code__
    return code


def _shown(self: Any) -> Iterator[tuple[str, Any]]:
    return ((name, getattr(self, name)) for name, field in self.__record__.items() if field.repr)


def _repr(self: Any) -> str:
    return f"{self.__class__.__qualname__}({', '.join(f'{name}={value!r}' for name, value in _shown(self))})"


def _replace(value: Any, /, **changes: Any) -> Any:
    cls = value.__class__
    new = cls(*map(changes.pop, cls.__match_args__, cls._values(value)))
    if changes:
        raise TypeError(f"{cls.__name__} has no field {next(iter(changes))}")
    return new


def _asdict(value: Any) -> dict[str, Any]:
    import dataclasses  # noqa: PLC0415 - a start without it is faster

    return dataclasses.asdict(value)


if TYPE_CHECKING:
    from dataclasses import asdict, dataclass, field, replace
else:
    asdict, dataclass, field, replace = _asdict, _dataclass, _Field, _replace

__all__ = ["asdict", "dataclass", "field", "replace"]
