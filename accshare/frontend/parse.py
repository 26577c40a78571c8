"""From preprocessed C text and its directives to a `Program`: libclang reads the C, our own small AST comes out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from accshare.diagnostics import RUNS_ON_HOST, Diagnostic
from accshare.frontend.attach import Stack, stacks, statement_span
from accshare.frontend.bound import Bound, bound_functions
from accshare.frontend.c_types import Types
from accshare.frontend.clang import CType, Key, Node, ParseError, Tree
from accshare.frontend.effects import assigned, depth, walk, walk_called
from accshare.frontend.idle import Idle
from accshare.frontend.ir import Construct, Program, Region
from accshare.frontend.liveness import Liveness
from accshare.frontend.prepare import prepare
from accshare.frontend.regions import AS_IT_IS, NEEDS_LOOP, Draft, misplaced, region
from accshare.frontend.scope import declared_only
from accshare.frontend.unit import Unit, addressed_names
from accshare.frontend.unnamed import rowless, unnamed
from accshare.frontend.within import within
from accshare.pragma.ir import DataClause, Directive, DirectiveKind, Movement
from accshare.records import replace
from accshare.source import SourceFile, Span

__all__ = ["parse"]

_DATA = frozenset({DirectiveKind.DATA, DirectiveKind.HOST_DATA})
#: what keeps data on a device between regions
_KEEPING = frozenset({DirectiveKind.DATA, DirectiveKind.ENTER_DATA, DirectiveKind.DECLARE})
#: what may stand outside of functions
_DECLARATIVE = frozenset({DirectiveKind.DECLARE, DirectiveKind.ROUTINE})
#: ``[static const n + 1]`` of a parameter's type
_LENGTH = re.compile(r"^[^\[]*\[(?:(?:static|const|volatile|restrict)\b\s*)*([^\[\]]*[^\[\]\s*][^\[\]]*)\]")
#: nodes of a syntax tree one in the other, parentheses and conversions included
_DEEPEST = 600
#: what stands for what a member is made of that can't be found
_UNKNOWN = "?"
#: what stands between a variable and a member
_MEMBER = re.compile(r"\s*(?:\.|->)\s*")


def parse(source: SourceFile, directives: tuple[Directive, ...], limited: bool = False) -> Program:
    """Reads the C around `directives`; products of complex numbers are plain ones where these are of a `limited` range.

    `source.text` is what the host preprocessor printed, pragma lines included. What can't be understood ends as a
    diagnostic of the program, or as an `Unsupported` statement of a region; nothing is raised.
    """
    prelude, text = prepare(source.text, (directive.span for directive in directives))
    tree = Tree.parse(prelude, text)
    unit = Unit(source, tree, Types(), addressed_names(text), directives, limited=limited)
    constructs: list[Construct] = []
    diagnostics: list[Diagnostic] = []
    drafts: list[Draft] = []
    found: list[Stack] = []
    for written in stacks(tree, text, directives):
        stack, undeclared = declared_only(written, tree)
        found.append(stack)
        diagnostics += undeclared
    diagnostics += rowless(found)
    routines = any(directive.kind is DirectiveKind.ROUTINE for directive in directives)
    covered = 0
    for index, stack in enumerate(found):
        if stack.directives[0].span.start < covered:
            continue
        construct = _construct(stack, diagnostics)
        constructs += _others(unit, stack, construct, routines, diagnostics)
        if construct is None:
            continue
        if stack.statement is None or stack.function is None or _wants_for(construct, stack):
            diagnostics.append(_unattached(unit, construct, stack))
            continue
        covered = stack.statement.end
        inner = tuple(s for s in found[index + 1 :] if s.directives[0].span.start < covered)
        drafts.append(Draft(construct, stack, inner, stack.function, stack.path))
    regions: list[Region] = []
    bound = bound_functions(tree, directives)
    unit = replace(unit, on_device=_on_device(directives, drafts, bound), atomics=_atomics(found), bound=bound)
    read = _Regions(unit, tuple(found), Idle(tree, source.text, Liveness(source.text)))
    for draft in drafts:
        made, problems = read(draft)
        diagnostics += problems
        if made is not None:
            regions.append(made)
            diagnostics += unnamed(draft, found)
    return Program(tuple(regions), tuple(constructs), tuple(dict.fromkeys(diagnostics)), read.within)


class _Regions:
    """Reads the regions of a program, and those inside of others when they are asked for."""

    def __init__(self, unit: Unit, stacks: tuple[Stack, ...], idle: Idle) -> None:
        self._unit = unit
        self._stacks = stacks
        self._idle = idle
        self._drafts: dict[str, Draft] = {}

    def __call__(self, draft: Draft) -> tuple[Region | None, tuple[Diagnostic, ...]]:
        """`region`, unless it is nested deeper than the stages, which recurse, should have to go."""
        deep = depth(draft.statement)
        if deep > _DEEPEST:
            message = (
                f"the region is too complicated: its statements and operators are nested {deep} deep{RUNS_ON_HOST}"
            )
            hint = "split its longest expression in two"
            return None, (Diagnostic("ACC404", message, draft.construct.span, hint),)
        made, problems = region(self._unit, draft, self._stacks, frozenset(self._drafts), self._idle)
        if made is not None:
            self._drafts[made.name] = draft
        return made, problems

    def within(self, outer: Region) -> tuple[Region, ...]:
        """The loops inside of a region as regions; those that can't be read are gone into."""
        return tuple(self._inside(self._drafts[outer.name], outer.name))

    def _inside(self, outer: Draft, name: str) -> Iterator[Region]:
        for draft in within(outer, name, self._stacks):
            made, _ = self(draft)
            if made is None:
                yield from self._inside(draft, name)
            else:
                yield made


def _construct(stack: Stack, diagnostics: list[Diagnostic]) -> Directive | None:
    """The compute construct of a stack; a ``share`` alone implies ``kernels loop``."""
    computes = [d for d in stack.directives if d.kind.is_compute]
    for extra in computes[1:]:
        diagnostics.append(
            misplaced(extra, f"this statement is a {computes[0].kind.value} construct already", "keep one of them")
        )
    if computes:
        return computes[0]
    share = next((d for d in stack.directives if d.kind is DirectiveKind.SHARE), None)
    return None if share is None else Directive(DirectiveKind.KERNELS_LOOP, (), share.span)


def _others(
    unit: Unit, stack: Stack, construct: Directive | None, routines: bool, diagnostics: list[Diagnostic]
) -> list[Construct]:
    """The directives of a stack that are no part of a region.

    Where there are `routines`, a ``loop`` or an ``atomic`` may be for the regions that call the function it stands in.
    """
    others: list[Construct] = []
    function = "" if stack.function is None else stack.function.spelling
    for directive in stack.directives:
        kind = directive.kind
        if kind.is_compute or kind is DirectiveKind.SHARE or (kind is DirectiveKind.LOOP and construct):
            continue
        if routines and (kind is DirectiveKind.LOOP or (kind is DirectiveKind.ATOMIC and stack.statement is not None)):
            continue
        if kind in {DirectiveKind.LOOP, DirectiveKind.ATOMIC, DirectiveKind.CACHE}:
            message = f"{kind.value} stands outside of any compute construct"
            combined = "use a combined directive such as parallel loop"
            hint = combined if kind is DirectiveKind.LOOP else "put it inside of one"
            diagnostics.append(misplaced(directive, message, hint))
        elif stack.function is None and kind not in _DECLARATIVE:
            diagnostics.append(misplaced(directive, f"{kind.value} stands outside of any function", "move it into one"))
        elif kind not in _DATA:
            names = (_endless(unit), ()) if stack.function is None else _pointers(stack.function, directive)
            others.append(Construct(directive, None, *names, function, _shapes(unit, stack.function, directive)))
        elif stack.statement is None:
            diagnostics.append(_unattached(unit, directive, stack))
        else:
            span = statement_span(stack.statement, unit.source.text)
            names = _pointers(stack.function, directive)
            others.append(Construct(directive, span, *names, function, _shapes(unit, stack.function, directive)))
    return others


def _on_device(directives: Iterable[Directive], drafts: Iterable[Draft], bound: Mapping[Key, Bound]) -> frozenset[str]:
    """The variables that data directives name and regions write, perhaps those of other files."""
    clauses = [c for d in directives if d.kind in _KEEPING for c in d.clauses if isinstance(c, DataClause)]
    named = frozenset(var.base.text for clause in clauses for var in clause.vars)
    resident = (clause for clause in clauses if clause.movement is Movement.DEVICE_RESIDENT)
    theirs = frozenset(var.base.text for clause in resident for var in clause.vars)
    parts = (part for draft in drafts if named for part in walk_called(draft.statement, bound))
    return theirs | named & {target.spelling for part in parts if (target := assigned(part, True)) is not None}


def _atomics(found: Iterable[Stack]) -> dict[int, Directive]:
    """The directives that make statements atomic, by the byte offset these start at."""
    placed = ((d, stack.statement) for stack in found for d in stack.directives if d.kind is DirectiveKind.ATOMIC)
    return {statement.start: directive for directive, statement in placed if statement is not None}


def _endless(unit: Unit) -> frozenset[str]:
    """The variables at file scope whose types tell no extent: pointers, and arrays without a length anywhere."""
    variables = [node for node in unit.tree.file_scope if node.kind == "VAR_DECL"]
    complete = {node.spelling for node in variables if node.type.kind not in {"POINTER", "INCOMPLETEARRAY"}}
    return frozenset(node.spelling for node in variables) - complete


def _pointers(function: Node | None, directive: Directive) -> tuple[frozenset[str], tuple[tuple[str, str], ...]]:
    """The variables in view of a directive that are pointers, by name, and the outermost lengths that parameters are
    declared with; of two variables with a name the nearer one counts."""
    found: dict[str, bool] = {}
    lengths: dict[str, str] = {}
    for part in () if function is None else walk(function):
        declared = part.referenced if part.kind == "DECL_REF_EXPR" else part
        if declared is None or declared.kind not in {"PARM_DECL", "VAR_DECL"} or declared.start > directive.span.start:
            continue
        decayed = declared.kind == "PARM_DECL" and declared.type.is_array
        found[declared.spelling] = declared.type.is_pointer or decayed
        length = _LENGTH.search(declared.written_type) if decayed else None
        lengths.pop(declared.spelling, None)
        if length is not None:
            lengths[declared.spelling] = length[1]
    return frozenset(name for name, pointer in found.items() if pointer), tuple(lengths.items())


def _shapes(unit: Unit, function: Node | None, directive: Directive) -> tuple[tuple[str, str], ...]:
    """What the variables and members that a directive names are made of, by their text."""
    clauses = (clause for clause in directive.clauses if isinstance(clause, DataClause))
    named = {" ".join(var.base.text.split()) for clause in clauses for var in clause.vars}
    inside = () if function is None or not named else walk(function)
    variables = [n for n in (*unit.tree.file_scope, *inside) if n.kind in {"PARM_DECL", "VAR_DECL"}]
    found = ((text, {_shape(text, variable) for variable in variables}) for text in sorted(named))
    known = ((text, [s for s in shapes if s is not None]) for text, shapes in found)
    return tuple((text, shapes[0]) for text, shapes in known if len(shapes) == 1 and shapes[0] != _UNKNOWN)


def _shape(text: str, variable: Node) -> str | None:
    """What `variable`, or a member of it, is made of; None where the text means another variable."""
    name, *members = _MEMBER.split(text)
    if name != variable.spelling:
        return None
    type_, decayed = variable.type, variable.kind == "PARM_DECL" and not members and variable.type.is_array
    for member in members:
        fields = {f.spelling: f.type for f in (_target(type_) or type_).fields}
        if member not in fields:
            return _UNKNOWN
        type_ = fields[member]
    shape = ""
    while (target := _target(type_)) is not None:
        shape, type_ = shape + ("[" if type_.is_array else "*"), target
    return "*" + shape[1:] if decayed else shape


def _target(type_: CType) -> CType | None:
    """What a pointer or an array leads to."""
    if type_.is_array:
        return type_.element
    return type_.pointee if type_.is_pointer else None


def _wants_for(construct: Directive, stack: Stack) -> bool:
    return construct.kind.is_combined and stack.statement is not None and stack.statement.kind != "FOR_STMT"


def _unattached(unit: Unit, directive: Directive, stack: Stack) -> Diagnostic:
    """Why a directive has no statement: the user's mistake, or C that libclang could not parse."""
    error = _error_near(unit.tree.errors, directive, stack)
    if error is not None:
        message = f"the C front end could not parse this function: {error.message}"
        return Diagnostic("ACC201", message, Span(error.offset, error.offset + 1), AS_IT_IS)
    if directive.kind.is_combined:
        message = f"{directive.kind.value} needs a for loop right after it"
        return misplaced(directive, message, NEEDS_LOOP)
    message = f"{directive.kind.value} has no statement to apply to"
    return misplaced(directive, message, "put it right before the statement it is meant for")


def _error_near(errors: Sequence[ParseError], directive: Directive, stack: Stack) -> ParseError | None:
    """The parse error that hid a directive's statement: in its function, or anywhere when that is missing."""
    if stack.function is None:
        return min(errors, key=lambda e: abs(e.offset - directive.span.start), default=None)
    return next((e for e in errors if stack.function.start <= e.offset < stack.function.end), None)
