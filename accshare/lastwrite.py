"""The last write before each read, isl's answer put to the proof.

isl from 0.26 on may take the first write for the last one: where every second or third iteration writes, it looks for
two bounds that leave a single choice, in constraints that it takes for sorted and that need not be. Its answer is
tested where anything is divided, and found in another way where it is wrong or missing.
"""

from __future__ import annotations

import islpy as isl

from accshare.quota import QuotaExceeded
from accshare.records import dataclass


@dataclass(frozen=True, slots=True)
class LastWrites:
    """What reads see."""

    sources: isl.UnionMap  # from writes to the instances that may read what they wrote
    unsure: isl.UnionMap  # reads that may come before any write
    missing: isl.UnionMap  # those that do


def last_writes(reads: isl.UnionMap, writes: isl.UnionMap, may_writes: isl.UnionMap, order: isl.UnionMap) -> LastWrites:
    """Which writes instances may read, accesses being relations to elements and `order` saying when instances run, each
    at its own time. Raises `QuotaExceeded` where isl can't tell."""
    info = isl.UnionAccessInfo.from_sink(reads).set_must_source(writes).set_may_source(may_writes)
    found = _by_isl(info.set_schedule_map(order))
    try:
        if found is None or any(map(_has_divisions, (reads, writes, may_writes, order))):
            search = _Search(reads, order)
            if found is None or not search.proves(found, writes):
                return search.last(writes, may_writes)
        return LastWrites(found.get_may_dependence(), found.get_may_no_source(), found.get_must_no_source())
    except isl.Error as error:
        raise QuotaExceeded from error


def _by_isl(info: isl.UnionAccessInfo) -> isl.UnionFlow | None:
    """What isl finds; None where it loses track of nested divisions."""
    try:
        return info.compute_flow()
    except isl.Error:
        return None


class _Search:
    """Reads, each an instance and an element that it reads, and what was written before."""

    def __init__(self, reads: isl.UnionMap, order: isl.UnionMap) -> None:
        self.reads, self.order = reads, order
        self._elements = reads.range_map()
        self._times = reads.domain_map().apply_range(order)

    def proves(self, found: isl.UnionFlow, writes: isl.UnionMap) -> bool:
        """Whether no write comes between a read and what it is said to see, nor before one of which nothing is said."""
        before = self._before(writes)
        passed = found.get_full_may_dependence().reverse().apply_range(self.order.lex_lt_union_map(self.order))
        unseen = before.domain().intersect(found.get_may_no_source().wrap())
        return bool(passed.intersect(before).is_empty() and unseen.is_empty())

    def last(self, writes: isl.UnionMap, may_writes: isl.UnionMap) -> LastWrites:
        """The writes that are the last ones before reads, and those behind these that may be made."""
        before = self._before(writes)
        # in constraints without redundant ones, which are sorted, isl finds the last one
        last = before.apply_range(self.order).remove_redundancies().coalesce().lexmax()
        sure = before.intersect(last.apply_range(self.order.reverse()))
        unsure = self._before(may_writes).subtract(last.lex_gt_union_map(self.order))
        first = self.reads.wrap().subtract(last.domain())
        sources = sure.union(unsure).reverse().apply_range(self.reads.domain_map())
        return LastWrites(sources, first.unwrap(), first.subtract(unsure.domain()).unwrap())

    def _before(self, writes: isl.UnionMap) -> isl.UnionMap:
        """From reads to all writes of the element that come before."""
        same = self._elements.apply_range(writes.reverse())
        return same.intersect(self._times.lex_gt_union_map(self.order))


def _has_divisions(relations: isl.UnionMap) -> bool:
    found = False

    def look(relation: isl.Map) -> None:
        nonlocal found
        found = found or any(part.dim(isl.dim_type.div) > 0 for part in relation.get_basic_maps())

    relations.foreach_map(look)
    return found
