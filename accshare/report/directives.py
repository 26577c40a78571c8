"""What the report says of data directives."""

from __future__ import annotations

from accshare.frontend.ir import Construct
from accshare.pipeline import Result
from accshare.pragma.ir import DataClause, DirectiveKind
from accshare.report.model import DataFact, Place, SectionFact
from accshare.source import SourceFile, Span, on_one_line

_KINDS = {DirectiveKind.DATA, DirectiveKind.ENTER_DATA, DirectiveKind.EXIT_DATA, DirectiveKind.UPDATE}


def data_directives(result: Result) -> tuple[Construct, ...]:
    """Those of the program that move data, in source order."""
    return tuple(construct for construct in result.constructs if construct.directive.kind in _KINDS)


def data_facts(result: Result, source: SourceFile) -> tuple[DataFact, ...]:
    """What each of them moves, and which regions it is around."""
    return tuple(
        DataFact(
            construct.directive.kind.value,
            construct.function,
            place_of(construct.directive.span, source),
            tuple(
                SectionFact(clause.movement.value, on_one_line(source.slice(var.span)))
                for clause in construct.directive.clauses
                if isinstance(clause, DataClause)
                for var in clause.vars
            ),
            tuple(o.region.name for o in result.outcomes if _around(construct, o.region.span)),
        )
        for construct in data_directives(result)
    )


def _around(construct: Construct, span: Span) -> bool:
    statement = construct.statement
    return statement is not None and statement.start <= span.start and span.end <= statement.end


def place_of(span: Span, source: SourceFile) -> Place:
    """Where a span starts in the user's files."""
    where = source.locate(span.start)
    return Place(where.file, where.line, where.column)
