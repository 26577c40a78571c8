"""Dependences, one for each pair of accesses that can touch the same element."""

from __future__ import annotations

import islpy as isl

from accshare.islbuild import Distinct, bare
from accshare.poly.ir import Access, Dependence, DependenceKind, Mode, Statement


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
                if first.mode is Mode.READ and second.mode is Mode.READ:
                    continue
                relation = ordered.touching(source, first, sink, second)
                if relation is not None:
                    kind = DependenceKind.of(first.mode, second.mode)
                    found.append(Dependence(kind, source, first, sink, second, relation))
    return tuple(found)


class _Ordered:
    """Pairs of instances in program order that touch the same element. They are computed once for statements with the
    same loops and instances, and for accesses of the same form: the others differ in nothing but names."""

    def __init__(self, statements: tuple[Statement, ...], context: isl.Set) -> None:
        self._context = context
        self._numbers = {statement.name: number for number, statement in enumerate(statements)}
        self._order: dict[tuple[int, int, int], isl.Map | None] = {}
        self._pairs: dict[tuple[int, int, int, int, int], isl.Map | None] = {}
        self._touching: dict[tuple[str, int, str, int], isl.Map | None] = {}
        places, forms = Distinct(), Distinct()
        self._places = {s.name: places.number(bare(s.domain.identity()), _innermost(s)) for s in statements}
        self._bare = {id(a): bare(a.relation) for s in statements for a in s.accesses}
        self._forms = {access: forms.number(relation) for access, relation in self._bare.items()}

    def touching(self, source: Statement, first: Access, sink: Statement, second: Access) -> isl.Map | None:
        """The pairs of one access and a later one to the same element; None where there are none."""
        key = (source.name, self._forms[id(first)], sink.name, self._forms[id(second)])
        if key not in self._touching:
            pairs = self._bare_pairs(source, first, sink, second)
            self._touching[key] = None if pairs is None else _named(pairs, source, sink)
        return self._touching[key]

    def _bare_pairs(self, source: Statement, first: Access, sink: Statement, second: Access) -> isl.Map | None:
        before = self._before(source, sink)
        order = self._order[before]
        if order is None:
            return None
        key = (*before, self._forms[id(first)], self._forms[id(second)])
        if key not in self._pairs:
            same = self._bare[id(first)].apply_range(self._bare[id(second)].reverse())
            pairs = same.intersect(order)
            self._pairs[key] = None if pairs.is_empty() else pairs
        return self._pairs[key]

    def _before(self, source: Statement, sink: Statement) -> tuple[int, int, int]:
        """The key of the order of two statements: where they stand, and which of them comes first in the text."""
        one, other = self._numbers[source.name], self._numbers[sink.name]
        key = (self._places[source.name], self._places[sink.name], (one > other) - (one < other))
        if key not in self._order:
            order = bare(source.time.lex_lt_map(sink.time)).intersect_params(self._context)
            self._order[key] = None if order.is_empty() else order
        return key


def _innermost(statement: Statement) -> int:
    """The number of the loop that a statement stands in; -1 outside of all."""
    return statement.loops[-1].index if statement.loops else -1


def _named(pairs: isl.Map, source: Statement, sink: Statement) -> isl.Map:
    return pairs.set_tuple_name(isl.dim_type.in_, source.name).set_tuple_name(isl.dim_type.out, sink.name)
