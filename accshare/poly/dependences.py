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
    ordered = _Ordered(statements, context)
    for uses in by_space.values():
        if all(access.mode is Mode.READ for _, access in uses):
            continue
        for source, first in uses:
            for sink, second in uses:
                kind = _KIND.get((first.mode, second.mode))
                if kind is None:
                    continue
                relation = ordered.touching(source, first, sink, second)
                if relation is not None:
                    found.append(Dependence(kind, source, first, sink, second, relation))
    return tuple(found)


class _Ordered:
    """Pairs of instances in program order that touch the same element, computed once for accesses of the same form:
    scalars differ in nothing but their names."""

    def __init__(self, statements: tuple[Statement, ...], context: isl.Set) -> None:
        self._context = context
        self._order: dict[tuple[str, str], isl.Map | None] = {}
        self._touching: dict[tuple[str, int, str, int], isl.Map | None] = {}
        self._forms: dict[int, int] = {}
        for statement in statements:
            forms: list[isl.Map] = []
            for access in statement.accesses:
                bare = access.relation.reset_tuple_id(isl.dim_type.out)
                known = (k for k, form in enumerate(forms) if form.plain_is_equal(bare))
                self._forms[id(access)] = form = next(known, len(forms))
                if form == len(forms):
                    forms.append(bare)

    def touching(self, source: Statement, first: Access, sink: Statement, second: Access) -> isl.Map | None:
        """The pairs of one access and a later one to the same element; None where there are none."""
        order = self._before(source, sink)
        if order is None:
            return None
        key = (source.name, self._forms[id(first)], sink.name, self._forms[id(second)])
        if key not in self._touching:
            pairs = first.relation.apply_range(second.relation.reverse()).intersect(order)
            self._touching[key] = None if pairs.is_empty() else pairs
        return self._touching[key]

    def _before(self, source: Statement, sink: Statement) -> isl.Map | None:
        key = (source.name, sink.name)
        if key not in self._order:
            order = source.time.lex_lt_map(sink.time).intersect_params(self._context)
            self._order[key] = None if order.is_empty() else order
        return self._order[key]
