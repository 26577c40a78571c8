"""Which names are in view where a directive stands, and what directives before it say of those: the host compiler would
stumble over others in the generated code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from accshare.diagnostics import Diagnostic
from accshare.frontend.attach import Stack
from accshare.frontend.clang import Node, Tree
from accshare.pragma.ir import (
    Clause,
    CText,
    DataClause,
    DataVar,
    Directive,
    DirectiveKind,
    PrivateClause,
    ReductionClause,
)
from accshare.records import replace
from accshare.source import Span, shown
from accshare.spelling import nearest

_NAMED = frozenset({"VAR_DECL", "PARM_DECL", "ENUM_CONSTANT_DECL", "TYPEDEF_DECL", "FUNCTION_DECL"})
_HOLDERS = frozenset({"DECL_STMT", "ENUM_DECL", "STRUCT_DECL", "UNION_DECL"})
#: a name that is no member, and whose first character is no part of a number
_NAME = re.compile(r"(?<![\w.$])(?<!->)[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")
_KEYWORDS = """
char short int long float double signed unsigned const volatile struct union enum void _Bool bool sizeof _Alignof
__alignof__ __extension__
"""
_WORDS = frozenset(_KEYWORDS.split())


def declared_only(stack: Stack, tree: Tree) -> tuple[Stack, tuple[Diagnostic, ...]]:
    """`stack` without the variables of data, private and reduction clauses that use an undeclared name, and an ACC108
    for each. Where libclang could not read all of the text, nothing is known to be undeclared."""
    function = stack.function
    if function is None or tree.errors:
        return stack, ()
    near = frozenset(in_view(function, stack.directives[0].span.start))
    problems: list[Diagnostic] = []

    def problem(var: DataVar) -> Diagnostic | None:
        for name in used(var):
            if name not in near and not any(name in _declared(node) for node in tree.file_scope):
                return _undeclared(name, var, near)
        return None

    def clause(old: Clause) -> Clause | None:
        if not isinstance(old, DataClause | PrivateClause | ReductionClause):
            return old
        wrong = {var: found for var in old.vars if (found := problem(var)) is not None}
        problems.extend(wrong.values())
        kept = tuple(var for var in old.vars if var not in wrong)
        return replace(old, vars=kept) if kept else None

    def directive(old: Directive) -> Directive:
        return replace(old, clauses=tuple(new for c in old.clauses if (new := clause(c)) is not None))

    return replace(stack, directives=tuple(map(directive, stack.directives))), tuple(problems)


def in_view(function: Node, offset: int) -> dict[str, int]:
    """The names declared in a function that can be used at `offset`, and where the declaration of each stands."""
    return dict(_in_view(function, offset))


def means(variable: Node, place: Span, tree: Tree) -> bool:
    """Whether the name of a variable outside of functions means that variable all over the function around `place`."""
    function = tree.function_at(place.start)
    outside = any(variable.key == node.key for node in tree.file_scope)
    if function is None or not outside or variable.key[0] > place.start:
        return False
    return all(node.spelling != variable.spelling or node.key == variable.key for node in _variables(function))


def _variables(node: Node) -> Iterator[Node]:
    """Every variable declared in a function, whatever its scope."""
    if node.kind in {"VAR_DECL", "PARM_DECL"}:
        yield node
    for child in node.children:
        yield from _variables(child)


def _in_view(node: Node, offset: int) -> Iterator[tuple[str, int]]:
    """The same, what is hidden before what hides it."""
    for child in node.children:
        if child.start >= offset:
            continue
        yield from ((name, child.start) for name in _declared(child))
        if offset < child.end:
            yield from _in_view(child, offset)


def _declared(node: Node) -> Iterator[str]:
    """The names that a declaration adds to the scope it stands in."""
    if node.kind in _NAMED:
        yield node.spelling
    elif node.kind in _HOLDERS:
        for child in node.children:
            yield from _declared(child)


def used(var: DataVar) -> Iterator[str]:
    """The names that a variable of a clause is written with, those in its section among them."""
    yield from _names(var.base)
    for section in var.sections:
        yield from (name for text in (section.lower, section.length) if text is not None for name in _names(text))


def _names(text: CText) -> Iterator[str]:
    return (name for name in _NAME.findall(text.text) if name not in _WORDS and not name.startswith("__builtin"))


def _undeclared(name: str, var: DataVar, near: Iterable[str]) -> Diagnostic:
    spellings = {other.lower(): other for other in sorted(near)}
    alike = nearest(name.lower(), spellings)
    base = var.name
    about = "" if name == base else f"what is said of {shown(base)} is left out"
    message = f"{shown(name)} is not declared here; {about or 'it is left out'}"
    hint = f"did you mean {shown(spellings[alike])}?" if alike else "declare it before the pragma"
    return Diagnostic("ACC108", message, var.span, hint)


# --- what directives before a region say ------------------------------------------------------------------------


def around(function: Node, statement: Node, stacks: Iterable[Stack]) -> tuple[DataVar, ...]:
    """The variables of ``data`` constructs around a statement and of ``enter data`` before it, nearest first, as far as
    all names they are written with mean the same at the statement."""
    here = in_view(function, statement.start)
    found: list[DataVar] = []
    for stack in stacks:
        opened = tuple(_opened(stack, function, statement))
        there = in_view(function, stack.directives[0].span.start) if opened else {}
        for var in opened:
            if all(there.get(name) == here.get(name) for name in used(var)):
                found.append(var)
    return tuple(reversed(found))


def _opened(stack: Stack, function: Node, statement: Node) -> Iterator[DataVar]:
    """What a stack's directives make present for the statement."""
    if not function.start <= stack.directives[0].span.start < statement.start:
        return
    for directive in stack.directives:
        construct = stack.statement if directive.kind is DirectiveKind.DATA else None
        encloses = construct is not None and construct.start <= statement.start < construct.end
        if encloses or directive.kind is DirectiveKind.ENTER_DATA:
            for clause in directive.clauses:
                if isinstance(clause, DataClause):
                    yield from clause.vars
