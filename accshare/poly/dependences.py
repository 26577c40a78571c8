"""Dependences, one for each pair of accesses that can touch the same element."""

from __future__ import annotations

import islpy as isl

from accshare.poly.ir import Access, Dependence, DependenceKind, Mode, Statement

_KIND = {
    (Mode.WRITE, Mode.READ): DependenceKind.FLOW,
    (Mode.READ, Mode.WRITE): DependenceKind.ANTI,
    (Mode.WRITE, Mode.WRITE): DependenceKind.OUTPUT,
}


def dependences(statements: tuple[Statement, ...], context: isl.Set) -> tuple[Dependence, ...]:
    """All memory-based dependences: pairs of instances in program order that touch the same element, one of them
    writing. Transitive ones are kept: nothing relies on their being minimal."""
    by_space: dict[str, list[tuple[Statement, Access]]] = {}
    for statement in statements:
        for access in statement.accesses:
            by_space.setdefault(access.space, []).append((statement, access))
    found = []
    order: dict[tuple[str, str], isl.Map] = {}
    for uses in by_space.values():
        if all(access.mode is Mode.READ for _, access in uses):
            continue
        for source, first in uses:
            for sink, second in uses:
                kind = _KIND.get((first.mode, second.mode))
                if kind is None:
                    continue
                key = (source.name, sink.name)
                if key not in order:
                    order[key] = source.time.lex_lt_map(sink.time).intersect_params(context)
                relation = first.relation.apply_range(second.relation.reverse()).intersect(order[key])
                if not relation.is_empty():
                    found.append(Dependence(kind, source, first, sink, second, relation))
    return tuple(found)
