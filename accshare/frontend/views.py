"""Pointers that a program converts, ``((float *)buffer)[i]``: a region takes each for a pointer to one type."""

from __future__ import annotations

from collections.abc import Iterator

from accshare.diagnostics import Rejected, rejected
from accshare.frontend.ir import Expr, Member, Pointer, Region, Struct, Type, Var
from accshare.frontend.walks import all_expressions
from accshare.pragma.ir import DataClause, DataVar
from accshare.records import replace


def with_views(region: Region) -> Region:
    """`region` with symbols of the types by which it uses them. Raises `Rejected` (ACC203) where it takes a pointer for
    several, or where clauses count in another one."""
    found: dict[Expr, Pointer] = {}
    for part in _pointers(region):
        assert isinstance(part.type, Pointer)
        if found.setdefault(part, part.type).target != part.type.target:
            message = f"{_name(part)} is used as a pointer to several types"
            raise rejected("ACC203", message, part.span, "use one of them in a region, and another one in the next")
    declared = {symbol.unique: symbol.type for symbol in region.symbols}
    seen = {part for part, type_ in found.items() if _target(_declared(part, declared)) != type_.target}
    clauses = (c for c in region.construct.clauses if isinstance(c, DataClause))
    for var in (*(var for clause in clauses for var in clause.vars), *region.around):
        if var.sections and any(_names(var, part) for part in seen):
            raise _counted_otherwise(var)
    types = {part.symbol: found[part] for part in seen if isinstance(part, Var)}
    return replace(region, symbols=tuple(replace(s, type=types.get(s, s.type)) for s in region.symbols))


def _pointers(region: Region) -> Iterator[Var | Member]:
    """The uses of named pointers."""
    for part in all_expressions(region.body):
        if isinstance(part, Var | Member) and isinstance(part.type, Pointer):
            yield part


def _name(part: Expr) -> str:
    assert isinstance(part, Var | Member)
    return part.symbol.name if isinstance(part, Var) else part.name


def _declared(part: Expr, declared: dict[str, Type]) -> Type:
    """The type that the program gives a pointer."""
    if isinstance(part, Member) and isinstance(part.base.type, Struct):
        return next(field.type for field in part.base.type.fields if field.name == part.name)
    return declared.get(part.symbol.unique, part.type) if isinstance(part, Var) else part.type


def _target(type_: Type) -> Type:
    return type_.target if isinstance(type_, Pointer) else type_


def _names(var: DataVar, part: Expr) -> bool:
    """Whether a clause may be about a pointer."""
    return var.base.text.endswith(_name(part))


def _counted_otherwise(var: DataVar) -> Rejected:
    message = f"the clause counts elements of {var.base.text} as declared, and the region uses it as something else"
    hint = "convert it into a pointer of its own before the region, and name that one in the clause"
    return rejected("ACC203", message, var.span, hint)
