"""A phase of the schedule tree as isl's schedule: the order in which a work-item runs its instances."""

from __future__ import annotations

import islpy as isl

from accshare.islbuild import all_sets, partial_schedule
from accshare.poly.ir import Statement
from accshare.schedule.ir import Band, Member, Node, Role, Sequence, between_bands, statements, steps


def scheduled(domain: isl.UnionSet, tree: Node, *, apart: bool = False) -> isl.Schedule:
    """The order of the instances in `domain` of a tree's statements. Where they are to be `apart`, a work-item's own
    iterations are in loops of their own wherever other statements run."""
    return _insert(isl.Schedule.from_domain(domain).get_root().child(0), tree, apart).get_schedule()


def _insert(node: isl.ScheduleNode, tree: Node, apart: bool) -> isl.ScheduleNode:
    """Put the bands and sequences of `tree` at the leaf `node`; the result is the node in its place."""
    parts = between_bands(tree)
    if len(parts) > 1:
        node = _sequence(node, parts)
        for k, part in enumerate(parts):
            node = _insert(node.child(k).child(0), part, apart).parent().parent()
        return node
    if not isinstance(tree, Band):
        return _sequence(node, steps(tree)) if isinstance(tree, Sequence) else node
    together = [tree.members] if tree.members[0].role is Role.OWN else [(member,) for member in tree.members]
    for members in together:
        node = _band(node, members, statements(tree))
        for k in range(len(members)) if apart and members[0].role is Role.OWN else ():
            node = node.band_member_set_ast_loop_type(k, isl.ast_loop_type.separate)
        node = node.child(0)
    node = _insert(node, tree.child, apart)
    for _ in together:
        node = node.parent()
    return node


def _band(node: isl.ScheduleNode, members: tuple[Member, ...], inside: tuple[Statement, ...]) -> isl.ScheduleNode:
    orders = [[_order(member, statement.tuples.coordinates) for statement in inside] for member in members]
    return node.insert_partial_schedule(partial_schedule(orders))


def _order(member: Member, iterators: tuple[isl.Aff, ...]) -> isl.Aff:
    """What instances are ordered by: it grows the way the user's loop runs."""
    if member.role is not Role.OWN:
        return member.loop.time(iterators)
    number = member.number(iterators)
    return number if member.loop.loop.step > 0 else -number


def _sequence(node: isl.ScheduleNode, parts: tuple[Node, ...]) -> isl.ScheduleNode:
    filters = isl.UnionSetList.alloc(isl.DEFAULT_CONTEXT, len(parts))
    for part in parts:
        filters = filters.add(all_sets(s.tuples.everything for s in statements(part)))
    return node.insert_sequence(filters)
