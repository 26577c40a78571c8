"""Statements in pieces: each takes some of a statement's instances, in loops of its own, and all that is known of these
goes with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import takewhile
from typing import TypeAlias

import islpy as isl

from accshare.poly.ir import Access, Dependence, Scop, Statement
from accshare.records import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Piece:
    """A statement that takes those instances of the one called `origin` to which `back` leads from its own, and has its
    own loops and domain; a statement that is no piece of another has no way back."""

    statement: Statement
    origin: str
    back: isl.Map | None = field(default=None, compare=False)


#: what a relation between statements is between those of their pieces that it is about
Between: TypeAlias = Callable[[isl.Map, list[Piece], list[Piece]], Iterator[tuple[Piece, Piece, isl.Map]]]


def between_pieces(
    relation: isl.Map, sources: list[Piece], sinks: list[Piece]
) -> Iterator[tuple[Piece, Piece, isl.Map]]:
    """The relations between pieces that one between statements comes to."""
    ways = [(sink, None if sink.back is None else sink.back.reverse()) for sink in sinks]
    for source in sources:
        half = relation if source.back is None else source.back.apply_range(relation)
        for sink, way in ways if not half.is_empty() else ():
            whole = half if way is None else half.apply_range(way)
            if not whole.is_empty():
                yield source, sink, whole


def in_pieces(
    scop: Scop, old: tuple[Statement, ...], new: tuple[Piece, ...], between: Between = between_pieces
) -> tuple[Scop, tuple[Statement, ...]]:
    """The region with pieces, in this order, in place of statements that stand one after the other, and the former."""
    origins = {s.name: s for s in old}
    accesses: dict[tuple[str, int], Access] = {}
    pieces: dict[str, list[Piece]] = {s.name: [] for s in old}
    ordered: list[Statement] = []
    for piece in new:
        origin, back, name = origins[piece.origin], piece.back, piece.statement.name
        assert back is not None
        for access in origin.accesses:
            accesses[name, id(access)] = replace(access, relation=back.apply_range(access.relation))
        own = tuple(accesses[name, id(a)] for a in origin.accesses)
        made = replace(piece.statement, accesses=own, time=back.apply_range(origin.time))
        pieces[origin.name].append(Piece(made, origin.name, back))
        ordered.append(made)
    before = tuple(takewhile(lambda s: s.name not in origins, scop.statements))
    every = (*before, *ordered, *scop.statements[len(before) + len(old) :])
    dependences = tuple(_split(scop, pieces, accesses, between))
    return replace(scop, statements=every, dependences=dependences), tuple(ordered)


def are_all(scop: Scop, old: tuple[Statement, ...], new: tuple[Piece, ...]) -> bool:
    """Whether pieces have all instances of some statements."""
    for statement in old:
        left = statement.domain.intersect_params(scop.context)
        for piece in new:
            if piece.origin == statement.name:
                assert piece.back is not None
                left = left.subtract(piece.back.range())
        if not left.is_empty():
            return False
    return True


def _split(
    scop: Scop, pieces: dict[str, list[Piece]], accesses: dict[tuple[str, int], Access], between: Between
) -> Iterator[Dependence]:
    """What dependences are between pieces of their statements."""
    known: dict[int, list[tuple[Piece, Piece, isl.Map]]] = {}
    for dependence in scop.dependences:
        if dependence.source.name not in pieces and dependence.sink.name not in pieces:
            yield dependence
            continue
        key = id(dependence.relation)
        if key not in known:  # several have the same one
            ends = (pieces.get(s.name, [Piece(s, s.name)]) for s in (dependence.source, dependence.sink))
            known[key] = list(between(dependence.relation, *ends))
        first, second = dependence.source_access, dependence.sink_access
        for source, sink, relation in known[key]:
            one, other = source.statement, sink.statement
            first_of, second_of = (
                accesses.get((one.name, id(first)), first),
                accesses.get((other.name, id(second)), second),
            )
            yield Dependence(dependence.kind, one, first_of, other, second_of, relation)
