"""Variables that each iteration writes before it reads them, in statements that follow one another: reads see in a
kernel what they see in the program, and nothing has to be computed to tell."""

from __future__ import annotations

from collections.abc import Collection, Hashable

import islpy as isl

from accshare.islbuild import Distinct, bare
from accshare.poly.ir import Access, Mode, Statement, Variable
from accshare.records import dataclass

#: where a statement stands among those that an iteration runs
_Position = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Placed:
    """A statement whose instances run where those of others in the same `block` do: iteration by iteration, in each at
    that position of the program and of the kernel."""

    block: Hashable
    source: _Position
    made: _Position


class Blocks:
    """The statements of a region by the blocks that they are in, where kernels have such blocks, too."""

    def __init__(self) -> None:
        self._numbers = Distinct()
        self._placed: dict[str, _Placed | None] = {}

    def note(self, statement: Statement, time: isl.Map, places: Collection[isl.Map], said: Hashable) -> None:
        """A statement runs at `time`, and where `places` and what else is `said` of it tell."""
        source, made = _split(statement.time), _split(time)
        if source is None or made is None:
            self._placed[statement.name] = None
            return
        instances = statement.domain.identity()
        numbers = (self._numbers.number(bare(one)) for one in (instances, source[0], made[0], *places))
        loops = tuple(loop.index for loop in statement.loops)
        self._placed[statement.name] = _Placed((loops, *numbers, said), source[1], made[1])

    def keep(self, variable: Variable, statements: Collection[Statement]) -> bool:
        """Whether all `statements` that touch a variable are in one block, in the order of the program, and each read
        comes behind a write of the same element."""
        uses: list[tuple[_Placed, list[Access]]] = []
        for statement in statements:
            placed = self._placed.get(statement.name)
            if placed is None:
                return False
            uses.append((placed, [a for a in statement.accesses if a.variable == variable]))
        uses.sort(key=lambda use: use[0].source)
        written: set[int] = set()
        for k, (placed, accesses) in enumerate(uses):
            before = uses[k - 1][0] if k else None
            if before is not None and (before.block != placed.block or not _follows(placed, before)):
                return False
            elements = {id(a): self._numbers.number(bare(a.relation)) for a in accesses}
            if any(a.mode is Mode.READ and elements[id(a)] not in written for a in accesses):
                return False
            written |= {elements[id(a)] for a in accesses if a.mode is Mode.WRITE and a.exact}
        return True


def _follows(one: _Placed, other: _Placed) -> bool:
    return other.source < one.source and other.made < one.made


def _split(time: isl.Map) -> tuple[isl.Map, _Position] | None:
    """When iterations run, and behind that the position of a statement in each; None where there are several cases."""
    pieces: list[isl.MultiAff] = []
    time.as_pw_multi_aff().foreach_piece(lambda _, piece: pieces.append(piece))
    if len(pieces) != 1:
        return None
    values = pieces[0]
    count = values.dim(isl.dim_type.out)
    position: list[int] = []
    while count and values.get_at(count - 1).is_cst():
        count -= 1
        position.append(int(values.get_at(count).get_constant_val().to_python()))
    return time.project_out(isl.dim_type.out, count, len(position)), tuple(reversed(position))
