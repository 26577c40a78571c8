"""Data directives: data, enter data, exit data, update, wait."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from accshare.diagnostics import Diagnostic
from accshare.emit.templates import render
from accshare.emit.text import Insertion, after, before, flat, literal, statement_end
from accshare.frontend.ir import Construct, Program
from accshare.pragma.ir import DataClause, DataVar, Directive, DirectiveKind, IfClause, Movement, WordClause
from accshare.source import SourceFile

_OPERATIONS = {
    DirectiveKind.DATA: "ENTER",
    DirectiveKind.ENTER_DATA: "ENTER",
    DirectiveKind.EXIT_DATA: "EXIT",
    DirectiveKind.UPDATE: "UPDATE",
}
_OPENING = {DirectiveKind.DATA, DirectiveKind.ENTER_DATA}
_MOVED = {
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


@dataclass(frozen=True, slots=True)
class _Part:
    """One dimension of a section: `row` is an element of the dimension, `whole` what is indexed."""

    lower: str
    length: str
    row: str
    whole: str


@dataclass(frozen=True, slots=True)
class _Datum:
    name: str
    base: str
    parts: tuple[_Part, ...]
    row: str
    movement: str


def insertions(construct: Construct, source: SourceFile) -> list[Insertion]:
    """The calls a data directive becomes."""
    directive = construct.directive
    end = directive.span
    if directive.kind is DirectiveKind.WAIT:
        return [Insertion(end.end, (1, 0, end.start), render("wait.c.j2"))]
    if directive.kind not in _OPERATIONS:
        return []
    text = _text(construct, source)
    if construct.statement is None:
        return [] if directive.kind is DirectiveKind.DATA else [Insertion(end.end, (1, 0, end.start), text)]
    statement = statement_end(source, construct.statement)
    closing = render("data_end.c.j2", **_place(directive, source), count=len(_data(construct)))
    return [before(statement, end, text), after(statement, end, closing)]


def _text(construct: Construct, source: SourceFile) -> str:
    directive = construct.directive
    conditions = [
        c.condition.text for c in directive.clauses if isinstance(c, IfClause) and c.condition and not c.self_
    ]
    words = {c.name for c in directive.clauses if isinstance(c, WordClause)}
    flags = [word.upper() for word in ("finalize", "if_present") if word in words]
    return render(
        "data.c.j2",
        **_place(directive, source),
        structured=construct.statement is not None,
        operation=_OPERATIONS[directive.kind],
        condition=flat(conditions[0]) if conditions else "1",
        flags=["STRUCTURED"] if directive.kind is DirectiveKind.DATA else flags,
        data=_data(construct),
    )


def _place(directive: Directive, source: SourceFile) -> dict[str, object]:
    place = source.locate(directive.span.start)
    return {"file": literal(place.file), "line": place.line}


def _data(construct: Construct) -> list[_Datum]:
    lengths = dict(construct.lengths)
    return [
        _datum(var, clause.movement, lengths.get(flat(var.base.text)) if clause.movement in _ALLOCATING else None)
        for clause in construct.directive.clauses
        if isinstance(clause, DataClause) and clause.movement in _MOVED
        for var in clause.vars
    ]


def _datum(var: DataVar, movement: Movement, whole_length: str | None) -> _Datum:
    """`whole_length` is the outermost length of an array that is named without a section, if its type doesn't tell."""
    base = f"({flat(var.base.text)})"
    parts = []
    row = base
    if not var.sections and whole_length is not None:
        row = f"{base}[0]"
        parts.append(_Part("0", whole_length, row, base))
    for section in var.sections:
        whole, row = row, f"{row}[0]"
        lower = flat(section.lower.text) if section.lower else "0"
        length = flat(section.length.text) if section.length else ""
        parts.append(_Part(lower, length, row, whole))
    return _Datum(literal(flat(var.base.text)), base, tuple(parts), row, movement.name)


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
    """What of the program's data directives has no effect, and why that is no error."""
    for construct in program.constructs:
        directive = construct.directive
        if directive.kind in {DirectiveKind.HOST_DATA, DirectiveKind.DECLARE}:
            message = f"{directive.kind.value} isn't supported yet; the program runs as if it weren't there"
            yield Diagnostic("ACC105", message, directive.span)
        elif directive.kind in _OPERATIONS:
            for clause in directive.clauses:
                if isinstance(clause, DataClause):
                    yield from _unmoved(clause)
                    if directive.kind in _OPENING:
                        yield from _endless(clause, construct.pointers - dict(construct.lengths).keys())


def _unmoved(clause: DataClause) -> Iterator[Diagnostic]:
    if clause.movement in {Movement.ATTACH, Movement.DETACH}:
        yield Diagnostic(
            "ACC105", f"{clause.movement.value} isn't needed: pointers never live in device memory", clause.span
        )
    for modifier in clause.modifiers:
        if modifier != "readonly":
            message = f"the modifier {modifier} isn't supported yet; the clause is read without it"
            yield Diagnostic("ACC105", message, clause.span, "use update or a loop of its own")


def _endless(clause: DataClause, pointers: frozenset[str]) -> Iterator[Diagnostic]:
    for var in clause.vars:
        name = flat(var.base.text)
        if clause.movement in _ALLOCATING and not var.sections and name in pointers:
            message = f"{name} is a pointer, so its extent isn't known here; only what is present already is meant"
            yield Diagnostic("ACC601", message, var.span, f"write {name}[first:length]")
