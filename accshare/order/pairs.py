"""What is asked of the pairs of dependences alone: whatever became of the rest of a region, each question is answered
once."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from typing import NamedTuple, TypeVar, cast

import islpy as isl

from accshare.carried import together
from accshare.quota import complete

_IN, _OUT = isl.dim_type.in_, isl.dim_type.out
T = TypeVar("T")


class _Origin(NamedTuple):
    """Pairs before the loops around their ends ran in other orders, which tell their old depths; the outermost ones
    `stay` as they were."""

    relation: isl.Map
    source: tuple[int, ...]
    sink: tuple[int, ...]
    stay: int


class Pairs:
    """The answers about relations between instances, which are told apart by their ``id``; `context` is what is known
    of the parameters."""

    def __init__(self, context: isl.Set) -> None:
        self._context = context
        self._asked: dict[int, isl.Map] = {}  # keeps them, so that no other one gets an ``id``
        self._together: dict[tuple[int, int], isl.Map] = {}
        self._exist: dict[tuple[int, int], bool] = {}
        self._carried: dict[tuple[int, int], bool] = {}
        self._kept: dict[tuple[int, int, int, int], bool] = {}
        self._exchanged: dict[tuple[int, tuple[int, ...], tuple[int, ...]], isl.Map] = {}
        self._origins: dict[int, _Origin] = {}
        self._found: dict[tuple[object, ...], tuple[tuple[object, ...], object]] = {}

    def once(self, find: Callable[[], T], about: object, *objects: object) -> T:
        """What is found `about` some objects: relations, statements and loops that stayed as they were, or numbers and
        names."""
        key = about, *(one if isinstance(one, int | str) else (id(one),) for one in objects)
        if key not in self._found:
            self._found[key] = objects, complete(find())
        return cast(T, self._found[key][1])

    def exist(self, relation: isl.Map, depth: int) -> bool:
        """Whether there are any in the same iterations of the loops from outside down to `depth`."""
        key = id(relation), depth
        if key not in self._exist:
            origin = self._origin(relation, depth)
            self._exist[key] = depth == 0 or (
                complete(not self.together(relation, depth).is_empty())
                if origin is None
                else self.exist(origin.relation, depth)
            )
        return self._exist[key]

    def are_kept(self, relation: isl.Map, depth: int, source: int, sink: int) -> bool:
        """Whether for all in the same iterations of the loops down to `depth`, the loops at two depths around the
        source and the sink have got to the same number."""
        key = id(relation), depth, source, sink
        if key not in self._kept:
            pairs = self.together(relation, depth).intersect_params(self._context)
            self._kept[key] = complete(not _differ(pairs, source, sink))
        return self._kept[key]

    def are_carried(self, relation: isl.Map, depth: int) -> bool:
        """Whether any in the same iterations of the loops down to `depth` are in different ones of the next."""
        key = id(relation), depth
        if key not in self._carried:
            origin = self._origin(relation, depth + 1)
            self._carried[key] = (
                self._are_carried(relation, depth) if origin is None else self.are_carried(origin.relation, depth)
            )
        return self._carried[key]

    def _are_carried(self, relation: isl.Map, depth: int) -> bool:
        return complete(_differ(self.together(relation, depth), depth, depth))

    def together(self, relation: isl.Map, depth: int) -> isl.Map:
        """Those in the same iterations of the loops down to `depth`."""
        self._asked[id(relation)] = relation
        key = id(relation), depth
        if depth and key not in self._together:
            origin = self._origin(relation, depth)
            if origin is None:
                found = together(self.together(relation, depth - 1), depth, depth - 1)
            else:
                found = _both_exchanged(self.together(origin.relation, depth), origin.source, origin.sink)
            self._together[key] = complete(found)
        return self._together[key] if depth else relation

    def exchanged(self, relation: isl.Map, source: tuple[int, ...], sink: tuple[int, ...]) -> isl.Map:
        """All of them, where the loops around either end run in another order, which tells their old depths."""
        self._asked[id(relation)] = relation
        key = id(relation), source, sink
        if key not in self._exchanged:
            self._exchanged[key] = found = complete(_both_exchanged(relation, source, sink))
            if found is not relation:
                places = enumerate(zip(source, sink, strict=False))
                stay = sum(1 for _ in takewhile(lambda place: place[1] == (place[0], place[0]), places))
                self._asked[id(found)] = found
                self._origins[id(found)] = _Origin(relation, source, sink, stay)
        return self._exchanged[key]

    def _origin(self, relation: isl.Map, depth: int) -> _Origin | None:
        """What a relation was before loops changed places, if those down to `depth` have not."""
        found = self._origins.get(id(relation))
        return found if found is not None and depth <= found.stay else None


def _differ(pairs: isl.Map, source: int, sink: int) -> bool:
    """Whether in any, the loops at two depths around either end have not got to the same number."""
    later = pairs.order_lt(_IN, source, _OUT, sink)
    return not (later.is_empty() and pairs.order_gt(_IN, source, _OUT, sink).is_empty())


def _both_exchanged(relation: isl.Map, source: tuple[int, ...], sink: tuple[int, ...]) -> isl.Map:
    return exchanged(exchanged(relation, _IN, source), _OUT, sink)


def exchanged(relation: isl.Map, kind: isl.dim_type, order: tuple[int, ...]) -> isl.Map:
    """A relation with the numbers of either its first or its second tuples in another order, which tells their old
    places."""
    now = list(range(len(order)))
    if now == list(order):
        return relation
    names = [(end, relation.get_tuple_name(end)) for end in (_IN, _OUT)]
    other = _OUT if kind == _IN else _IN
    last = relation.dim(other)
    for place, old in enumerate(order):
        if now[place] != old:
            own = now.index(old)
            now.insert(place, now.pop(own))
            relation = relation.move_dims(other, last, kind, own, 1).move_dims(kind, place, other, last, 1)
    for end, name in names:
        relation = relation.set_tuple_name(end, name) if name else relation
    return relation
