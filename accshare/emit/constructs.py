"""Directives that are calls of the runtime: data, enter data, exit data, update, wait; others are in `control`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from accshare.diagnostics import Diagnostic, Rejected, rejected
from accshare.emit import control
from accshare.emit.movement import movement_text
from accshare.emit.templates import render
from accshare.emit.text import Insertion, after, before, flat, literal, statement_end
from accshare.frontend.ir import Construct, Program
from accshare.pragma.ir import DataClause, DataVar, Directive, DirectiveKind, IfClause, Movement, WordClause
from accshare.records import dataclass, replace
from accshare.source import SourceFile, Span

_OPERATIONS = {
    DirectiveKind.DATA: "ENTER",
    DirectiveKind.ENTER_DATA: "ENTER",
    DirectiveKind.EXIT_DATA: "EXIT",
    DirectiveKind.UPDATE: "UPDATE",
    DirectiveKind.HOST_DATA: "TAKE",
}
_STRUCTURED = {DirectiveKind.DATA, DirectiveKind.HOST_DATA}
_OPENING = {DirectiveKind.DATA, DirectiveKind.ENTER_DATA}
#: a variable of the device's alone has its place on the host too, and the address of that serves for the device's
_AS = {Movement.DEVICE_RESIDENT: Movement.CREATE, Movement.USE_DEVICE: Movement.PRESENT}
_MOVED = {
    *_AS,
    Movement.COPY,
    Movement.COPYIN,
    Movement.COPYOUT,
    Movement.CREATE,
    Movement.PRESENT,
    Movement.NO_CREATE,
    Movement.DELETE,
    Movement.DEVICEPTR,
    Movement.UPDATE_HOST,
    Movement.UPDATE_DEVICE,
}
_WORD = re.compile(r"[A-Za-z_]\w*")
#: what needs an extent: the rest refers to data that is there
_ALLOCATING = {Movement.COPY, Movement.COPYIN, Movement.COPYOUT, Movement.CREATE}

#: the way out where the host compiler has no words for something
OTHER_COMPILER = "have gcc or clang compile this file: ACCSHARE_CC=gcc"


@dataclass(frozen=True, slots=True)
class _Part:
    """One dimension of a section: `row` is an element of the dimension, `whole` what is indexed, `shape` what a row is
    made of (`Construct.shapes`), where the host compiler can't tell."""

    lower: str
    length: str
    row: str
    whole: str
    shape: str | None


@dataclass(frozen=True, slots=True)
class _Datum:
    """`slot` is its place among the data of its directive, where each dimension may take one."""

    slot: int
    name: str
    variable: str
    base: str
    parts: tuple[_Part, ...]
    row: str
    movement: str
    shape: str | None


def insertions(construct: Construct, source: SourceFile, plain: bool) -> list[Insertion]:
    """The calls a data directive becomes; raises `Rejected` (ACC707) where C that is `plain` has no words for them."""
    directive = construct.directive
    shapes = dict(construct.shapes) if plain else None
    end = directive.span
    if directive.kind is DirectiveKind.WAIT:
        return [Insertion(end.end, (1, 0, end.start), render("wait.c.j2"))]
    if directive.kind is DirectiveKind.DECLARE:
        if plain:
            raise unspoken("declare ends with a block or a program, and standard C can't say so", directive.span)
        return _declared(construct, source)
    if directive.kind in control.KINDS:
        return [control.insertion(directive, _condition(directive))]
    if directive.kind not in _OPERATIONS:
        return []
    text = _text(construct, source, shapes)
    if construct.statement is None:
        return [] if directive.kind in _STRUCTURED else [Insertion(end.end, (1, 0, end.start), text)]
    statement = statement_end(source, construct.statement)
    if directive.kind is DirectiveKind.HOST_DATA:
        return [before(statement, end, f"{{\n{text}"), after(statement, end, "}")]
    closing = render("data_end.c.j2", **_place(directive, source), count=_slots(_data(construct, shapes)))
    return [before(statement, end, text), after(statement, end, closing)]


def _declared(construct: Construct, source: SourceFile) -> list[Insertion]:
    """The data of a ``declare``: in a function until its block is left, elsewhere as long as the program runs."""
    end = construct.directive.span
    data = _data(construct, None)
    if not construct.function:
        data = _in_slots(d for d in data if not d.parts and d.variable not in construct.pointers)
    if not data:
        return []
    template = "declare.c.j2" if construct.function else "declare_global.c.j2"
    text = render(template, **_place(construct.directive, source), number=end.start, data=data, slots=_slots(data))
    # at the end of the file all lengths are known
    return [Insertion(end.end if construct.function else len(source.text), (1, 0, end.start), text)]


def clearing(directive: Directive, source: SourceFile, plain: bool, condition: str | None = None) -> str:
    """What a compute construct does before its loops run on the host, though it was to find new data that are zero; the
    construct's own `condition` where none is given. Raises `Rejected` as `insertions` does."""
    zero = _in_slots(
        _datum(var, clause, None, None)
        for clause in directive.clauses
        if isinstance(clause, DataClause) and "zero" in clause.modifiers
        for var in clause.vars
    )
    if not zero:
        return ""
    if plain:
        raise unspoken("standard C can't clear data in front of a loop", directive.span)
    condition = _condition(directive) if condition is None else condition
    call = {
        "operation": "CLEAR",
        "condition": condition,
        "flags": [],
        "data": zero,
        "slots": _slots(zero),
        "structured": False,
    }
    return render("data.c.j2", **_place(directive, source), **call)


def _condition(directive: Directive) -> str:
    """A directive's ``if`` and ``self`` clauses as C."""
    parts = []
    for clause in directive.clauses:
        if isinstance(clause, IfClause):
            text = "1" if clause.condition is None else flat(clause.condition.text)
            parts.append(f"!({text})" if clause.self_ else f"({text})")
    return " && ".join(parts) or "1"


def _text(construct: Construct, source: SourceFile, shapes: Mapping[str, str] | None) -> str:
    directive, data = construct.directive, _data(construct, shapes)
    words = {c.name for c in directive.clauses if isinstance(c, WordClause)}
    flags = [word.upper() for word in ("finalize", "if_present") if word in words]
    return render(
        "data.c.j2",
        **_place(directive, source),
        structured=directive.kind is DirectiveKind.DATA,
        operation=_OPERATIONS[directive.kind],
        condition=_condition(directive),
        flags=["STRUCTURED"] if directive.kind is DirectiveKind.DATA else flags,
        data=data,
        slots=_slots(data),
    )


def _place(directive: Directive, source: SourceFile) -> dict[str, object]:
    place = source.locate(directive.span.start)
    return {"file": literal(place.file), "line": place.line}


def unspoken(reason: str, span: Span) -> Rejected:
    """Says what the host compiler has no words for."""
    return rejected("ACC707", f"{reason}; the file's regions run on the host", span, OTHER_COMPILER)


def _data(construct: Construct, shapes: Mapping[str, str] | None) -> list[_Datum]:
    """The data of a directive; `shapes` are those of variables, where the host compiler can't tell."""
    lengths = dict(construct.lengths)
    return _in_slots(
        _datum(var, clause, lengths.get(flat(var.base.text)) if clause.movement in _ALLOCATING else None, shapes)
        for clause in construct.directive.clauses
        if isinstance(clause, DataClause) and clause.movement in _MOVED
        for var in clause.vars
    )


def _in_slots(data: Iterable[_Datum]) -> list[_Datum]:
    placed: list[_Datum] = []
    for datum in data:
        placed.append(replace(datum, slot=_slots(placed)))
    return placed


def _slots(data: list[_Datum]) -> int:
    """How many slots data take."""
    return data[-1].slot + max(1, len(data[-1].parts)) if data else 0


def _datum(var: DataVar, clause: DataClause, whole_length: str | None, shapes: Mapping[str, str] | None) -> _Datum:
    """`whole_length` is the outermost length of an array that is named without a section, if its type doesn't tell."""
    shape = None
    if shapes is not None:
        shape = shapes.get(flat(var.base.text))
        if shape is None:
            raise unspoken(f"whether {flat(var.base.text)} is a pointer can't be told in standard C", var.span)
    movement = _AS.get(clause.movement, clause.movement)
    base = f"({flat(var.base.text)})"
    parts = []
    row = base
    if not var.sections and whole_length is not None:
        row = f"{base}[0]"
        parts.append(_Part("0", whole_length, row, base, shape and shape[1:]))
    for depth, section in enumerate(var.sections):
        whole, row = row, f"{row}[0]"
        lower = flat(section.lower.text) if section.lower else "0"
        length = flat(section.length.text) if section.length else ""
        parts.append(_Part(lower, length, row, whole, None if shape is None else shape[depth + 1 :]))
    return _Datum(
        0,
        literal(flat(var.base.text)),
        flat(var.base.text),
        base,
        tuple(parts),
        row,
        movement_text(movement, clause.modifiers),
        shape,
    )


def names(program: Program) -> frozenset[str]:
    """The words of all variables that data directives name."""
    variables = (
        var.base.text
        for construct in program.constructs
        if construct.directive.kind in _OPERATIONS
        for clause in construct.directive.clauses
        if isinstance(clause, DataClause)
        for var in clause.vars
    )
    return frozenset(word for text in variables for word in _WORD.findall(text))


def diagnostics(program: Program) -> Iterator[Diagnostic]:
    """What of the program's directives has no effect, and why that is no error."""
    for construct in program.constructs:
        directive = construct.directive
        if directive.kind in control.KINDS:
            yield from control.diagnostics(directive)
        if directive.kind in _OPERATIONS:
            for clause in directive.clauses:
                if isinstance(clause, DataClause) and directive.kind in _OPENING:
                    yield from _endless(clause, construct.pointers - dict(construct.lengths).keys())


def _endless(clause: DataClause, pointers: frozenset[str]) -> Iterator[Diagnostic]:
    for var in clause.vars:
        name = flat(var.base.text)
        if clause.movement in _ALLOCATING and not var.sections and name in pointers:
            message = f"{name} is a pointer, so its extent isn't known here; only what is present already is meant"
            yield Diagnostic("ACC601", message, var.span, f"write {name}[first:length]")
