"""Checking share hints against the region they stand on."""

from __future__ import annotations

from accshare.diagnostics import Diagnostic
from accshare.options import Options, Share
from accshare.poly.ir import Mode, Scop, Variable
from accshare.pragma.ir import ShareArray, ShareClause
from accshare.schedule.ir import Mapping


def check_hints(mapping: Mapping, options: Options) -> tuple[Diagnostic, ...]:
    """One diagnostic for every array of a ``share`` that the region never reads or that has another rank."""
    if options.share is Share.OFF:
        return ()
    scop = mapping.scop
    return tuple(
        problem
        for directive in scop.region.shares
        for clause in directive.clauses
        if isinstance(clause, ShareClause)
        for array in clause.arrays
        if (problem := _problem(array, scop)) is not None
    )


def _problem(array: ShareArray, scop: Scop) -> Diagnostic | None:
    variable = next((v for v in scop.variables if v.name.rstrip("_") == array.name.rstrip("_")), None)
    if variable is None or not _is_read(variable, scop):
        arrays = ", ".join(v.name for v in scop.variables if v.shape and _is_read(v, scop))
        return Diagnostic(
            "ACC501",
            f"share names {array.name}, which the region never reads",
            array.span,
            f"the arrays it reads are {arrays}" if arrays else None,
        )
    rank = len(variable.shape)
    if rank != len(array.lengths):
        return Diagnostic(
            "ACC502",
            f"{array.name} has {rank} dimension{'s' if rank != 1 else ''} here, share gives {len(array.lengths)}",
            array.span,
            f"write {array.name}{'[*]' * rank}",
        )
    return None


def _is_read(variable: Variable, scop: Scop) -> bool:
    return any(a.variable == variable and a.mode is Mode.READ for s in scop.statements for a in s.accesses)
