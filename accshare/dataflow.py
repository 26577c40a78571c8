"""Dataflow: which write each read sees, the accesses being made in some order."""

from __future__ import annotations

from functools import lru_cache
from itertools import takewhile

import islpy as isl

from accshare.islbuild import all_maps, points
from accshare.lastwrite import LastWrites, last_writes
from accshare.poly.ir import Access, Mode, Statement, Variable
from accshare.quota import complete

#: flows that are asked for again: those of the source are the same for each device, those of kernels often
_KEPT = 256


class Flow:
    """Collects accesses and their order, and computes which write each read sees."""

    def __init__(self) -> None:
        empty = all_maps(())
        self._reads, self._writes, self._may_writes, self._order = empty, empty, empty, empty
        self._sure_reads, self._known = empty, empty
        self._found: LastWrites | None = None

    @staticmethod
    def of(variable: Variable, statements: tuple[Statement, ...]) -> Flow:
        """The flow of a variable in the program's own order, in which the statements are."""
        flow = Flow()
        made = [(s, access) for s in statements for access in s.accesses if access.variable == variable]
        for statement, access in made:
            known = _from_just_before(statement, access, made) if access.mode is Mode.READ else None
            if known is None:
                flow.add(access, access.relation, statement.time)
            else:
                flow._known = flow._known.union(known.to_union_map())
        return flow

    def add(self, access: Access, memory: isl.Map, time: isl.Map) -> None:
        """An access to `memory` by instances, which run at `time`."""
        self._found = None
        # isl may find another last write than the last where an equality is written as two inequalities
        self._order = self._order.union(time.detect_equalities().to_union_map())
        if access.mode is Mode.READ:
            self._reads = self._reads.union(memory.to_union_map())
            self._sure_reads = self._sure_reads.union(memory.to_union_map()) if access.exact else self._sure_reads
        elif access.exact:
            self._writes = self._writes.union(memory.to_union_map())
        else:
            self._may_writes = self._may_writes.union(memory.to_union_map())

    def compute(self, context: isl.Set) -> isl.UnionMap:
        """From writes to the reads that may see them."""
        return self._flow().sources.union(self._known).intersect_params(context)

    def unwritten(self, context: isl.Set) -> isl.UnionMap:
        """Reads that may come before any write."""
        return self._flow().unsure.intersect_params(context)

    def is_never_written(self, context: isl.Set) -> bool:
        """Whether some read comes before any write, even if all are made that may be, whenever it is made at all."""
        found = last_writes(self._sure_reads, self._writes.union(self._may_writes), all_maps(()), self._order)
        unwritten: list[isl.Map] = []
        found.missing.intersect_params(context).foreach_map(unwritten.append)
        reads = self._sure_reads.intersect_params(context)
        return any(
            reads.extract_map(m.get_space()).params().is_subset(m.params()) for m in unwritten if not m.is_empty()
        )

    def comes_before(self, some: isl.UnionMap, others: isl.UnionMap) -> bool:
        """Whether those writes from which some pairs lead to a read come before those from which others do."""
        behind = others.reverse().apply_range(self._order.lex_le_union_map(self._order))
        return bool(behind.intersect(some.reverse()).is_empty())

    def _flow(self) -> LastWrites:
        if self._found is None:
            self._found = _computed(self._reads, self._writes, self._may_writes, self._order)
        return self._found


def _from_just_before(reading: Statement, read: Access, made: list[tuple[Statement, Access]]) -> isl.Map | None:
    """From the writes of a scalar to an access that reads it, where the last write before it in the text is made in
    each of its iterations and no later one comes in between, as with most scalars; None where this can't be told.
    isl would find the same, but conditions with divisions around the accesses can take it seconds."""
    if read.relation.dim(isl.dim_type.out):
        return None
    here = next(index for index, (_, other) in enumerate(made) if other is read)
    written = [(s, a, k < here and s is not reading) for k, (s, a) in enumerate(made) if _writes(a, read.space)]
    before = [(statement, access) for statement, access, is_before in written if is_before]
    if not before:
        return None
    writing, write = before[-1]
    depth = common(writing, reading)
    between = any(common(statement, reading) > depth for statement, _, is_before in written if not is_before)
    if not write.exact or depth < len(writing.loops) or between:
        return None
    tuples = points(len(reading.loops), reading.name)
    source = tuples.to(tuples.coordinates[:depth], writing.name).intersect_domain(read.relation.domain())
    return source.reverse() if source.range().is_subset(write.relation.domain()) else None


def _writes(access: Access, space: str) -> bool:
    return access.mode is Mode.WRITE and access.space == space


def common(one: Statement, other: Statement) -> int:
    """How many loops are around both statements."""
    pairs = takewhile(lambda two: two[0].index == two[1].index, zip(one.loops, other.loops, strict=False))
    return sum(1 for _ in pairs)


@lru_cache(_KEPT)
def _computed(reads: isl.UnionMap, writes: isl.UnionMap, may_writes: isl.UnionMap, order: isl.UnionMap) -> LastWrites:
    return complete(last_writes(reads, writes, may_writes, order))
