"""What an unsupported ``declare`` means for the other directives: data it would keep on the device isn't there."""

from __future__ import annotations

from dataclasses import replace

from accshare.pragma.ir import Clause, DataClause, DefaultClause, Directive, DirectiveKind, Movement, WordClause


def without_declared(directives: tuple[Directive, ...]) -> tuple[Directive, ...]:
    """`directives` for a source with ``declare``: what is said to be present is copied where it isn't, and ``update``
    passes over it. The host's copy then is the data's home between regions, so results stay right."""
    if not any(directive.kind is DirectiveKind.DECLARE for directive in directives):
        return directives
    return tuple(_lenient(directive) for directive in directives)


def _lenient(directive: Directive) -> Directive:
    clauses = tuple(_copied(clause) for clause in directive.clauses if not _says_present(clause))
    if directive.kind is DirectiveKind.UPDATE:
        clauses = (*clauses, WordClause("if_present", None, directive.span))
    return replace(directive, clauses=clauses)


def _says_present(clause: Clause) -> bool:
    return isinstance(clause, DefaultClause) and clause.value == "present"


def _copied(clause: Clause) -> Clause:
    if isinstance(clause, DataClause) and clause.movement is Movement.PRESENT:
        return replace(clause, movement=Movement.COPY)
    return clause
