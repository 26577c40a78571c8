"""Copies of what loops read before they change it (WAVE IV, Algorithm 2).

Of ``A[i] = (A[i] + A[i + 1]) / 2`` over and over, iterations of a step need nothing of one another but that `A[i + 1]`
is read before it changes. A sweep that copies `A`, in front of the one that changes it, takes that anti dependence
away: the loops are parallel then.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import groupby

import islpy as isl

from accshare.frontend.ir import Array, Assign, Cast, Declare, Expr, IntLit, Pointer, Stmt, Subscript, Var
from accshare.islbuild import Value, like, points
from accshare.islexpr import variable
from accshare.lifetimes import Touching, dependences_of, is_copied
from accshare.order.bounds import counting, passed
from accshare.order.expand import is_plain_variable
from accshare.order.facts import Facts, each_found_once
from accshare.order.ir import Step, Word
from accshare.order.nests import common, is_plain, share_only_arrays, written
from accshare.order.parts import another, shape_of
from accshare.order.remade import Remade
from accshare.poly.ir import (
    Access,
    Copied,
    Dependence,
    DependenceKind,
    LoopNode,
    Mode,
    Scop,
    Statement,
    Variable,
    VariableKind,
)
from accshare.quota import Quota, QuotaExceeded
from accshare.records import dataclass, replace
from accshare.source import Span
from accshare.tree import expressions, mentions, rewrite

_IN, _OUT, _SET = isl.dim_type.in_, isl.dim_type.out, isl.dim_type.set
_NOWHERE = Span(0, 0)
#: isl's operations for one nest
_OPERATIONS = 400_000


@each_found_once
def with_copies(facts: Facts, nest: tuple[Statement, ...]) -> Iterator[Remade]:
    """The statements of one outermost loop with copies in its iterations wherever these make loops inside parallel;
    nothing where none do, or where `share` tells what becomes of arrays."""
    if not nest[0].loops or facts.scop.region.shares or not is_plain(written(facts, nest, 0)):
        return
    try:
        with Quota(_OPERATIONS):
            found = _in_loop(facts, nest, 0)
    except QuotaExceeded:
        return
    if found.steps:
        yield found


def _in_loop(facts: Facts, nest: tuple[Statement, ...], depth: int) -> Remade:
    """What becomes of the statements in one loop at some depth."""
    known = Remade(facts.scop, nest, ())
    if written(facts, nest, depth).grid:
        return known
    for names in [[s.name for s in run] for _, run in groupby(nest, lambda s: _at(s, depth + 1))]:
        facts = facts if known.scop is facts.scop else facts.after(known.scop)
        inside = tuple(s for s in known.scop.statements if s.name in names)
        if len(inside[0].loops) == depth + 1:
            continue
        found = _copied(facts, inside, depth + 1) or _in_loop(facts, inside, depth + 1)
        if found.steps:
            every = {s.name for s in (*known.statements, *found.statements)}
            statements = tuple(s for s in found.scop.statements if s.name in every)
            known = Remade(found.scop, statements, (*known.steps, *found.steps))
    return known


def _at(statement: Statement, depth: int) -> int | None:
    return statement.loops[depth].index if len(statement.loops) > depth else None


# --- what is to be copied ------------------------------------------------------------------------------------------


def _copied(facts: Facts, inside: tuple[Statement, ...], depth: int) -> Remade | None:
    """The statements in one loop at some depth, and what copies in front of it; None where these make no loop
    parallel."""
    between = facts.between(inside, depth)
    if not share_only_arrays(inside, depth) or all(d.kind is not DependenceKind.ANTI for d in between):
        return None
    free = _free(facts, inside, between, depth)
    gone = [d for d in between if d.kind is DependenceKind.ANTI and id(d.source_access) in free]
    gained = [loop for loop in common(inside, depth) if _is_gained(facts, loop, between, gone)]
    wanted = [d.source_access.variable for d in gone if any(facts.is_hard(d, loop) for loop in gained)]
    known = Remade(facts.scop, inside, ())
    for old in dict.fromkeys(wanted):
        reads = [(s.name, a) for s in inside for a in s.accesses if a.variable == old and id(a) in free]
        made = in_copy(known, depth, old, tuple((name, a.reference) for name, a in reads))
        if made is None:
            return None
        known = made
    return known if known.steps else None


def _free(facts: Facts, inside: tuple[Statement, ...], between: tuple[Dependence, ...], depth: int) -> set[int]:
    """The ``id`` of accesses that read nothing of what the same iteration of the loops outside has changed before, and
    could as well read a copy."""
    changed = {id(d.sink_access) for d in between if d.kind is DependenceKind.FLOW}
    found = set()
    for statement in inside:
        for access in statement.accesses:
            old, whole = access.variable, access.mode is Mode.READ and id(access) not in changed
            plain = whole and old.kind is VariableKind.MEMORY and is_plain_variable(facts.scop, old)
            along = plain and len(_own(statement, access, depth)) == len(old.shape)
            if along and access.reference in _values(statement.body):
                found.add(id(access))
    return found


def _values(body: Stmt) -> tuple[Expr, ...]:
    """What a statement computes with, but for what it updates."""
    match body:
        case Assign(target, op, value):
            return tuple(e for e in expressions(value) if op == "=" or e != target)
        case Declare(init=init) if init is not None:
            return tuple(expressions(init))
    return ()


def _own(statement: Statement, access: Access, depth: int) -> tuple[LoopNode, ...]:
    """The loops from a depth on that an access moves with, one for each subscript; fewer where some have none of their
    own."""
    found: list[LoopNode] = []
    for index in access.subscripts:
        loops = (n for n in statement.loops[depth:] if n not in found and mentions(index, n.iterator))
        found += [loop for loop in [next(loops, None)] if loop is not None]
    return tuple(found)


def _is_gained(facts: Facts, loop: LoopNode, between: tuple[Dependence, ...], gone: list[Dependence]) -> bool:
    """Whether a loop is parallel once some of the dependences are gone that keep it from that now."""
    hard = [d for d in between if facts.is_hard(d, loop)]
    return bool(hard) and all(any(d is one for one in gone) for d in hard)


# --- the copy ------------------------------------------------------------------------------------------------------


def in_copy(known: Remade, depth: int, old: Variable, reads: tuple[tuple[str, Expr], ...]) -> Remade | None:
    """The statements in one loop at some depth reading a copy of an array, which is made in front of that loop, by
    `reads`, of the statement of each name; None where memory has no room for all that would be copied, or it is other
    than what they read."""
    scop, shape = known.scop, shape_of(known.scop, old)
    if shape is None or any(base == old.base for base, _ in scop.region.rows) or not _has_rows(old):
        return None
    new = another(scop, f"{old.name}_before", old, shape)
    return _Copier(scop, known, depth, old, new, reads).made()


def _has_rows(array: Variable) -> bool:
    """Whether an array has as many subscripts in the program as dimensions, of which linearised ones have more."""
    type_ = array.base.type
    for _ in array.shape:
        if not isinstance(type_, Array | Pointer):
            return False
        type_ = type_.element if isinstance(type_, Array) else type_.target
    return True


@dataclass(frozen=True, slots=True)
class _Copier:
    """A region in which some loop reads `new` for `old`."""

    scop: Scop
    known: Remade
    depth: int
    old: Variable
    new: Variable
    reads: tuple[tuple[str, Expr], ...]

    def made(self) -> Remade | None:
        """The region with the copy; None where it would not have what is read of it."""
        statements: dict[str, Statement] = {}
        accesses: dict[int, Access] = {}
        for statement in self.known.statements:
            own = [e for name, e in self.reads if name == statement.name]
            accesses |= {id(a): self._access(a) for a in statement.accesses if self._is_read(a, own)}
            body = self._body(statement.body, own)
            every = tuple(accesses.get(id(a), a) for a in statement.accesses)
            statements[statement.name] = replace(statement, body=body, accesses=every)
        copy = self._copy()
        if copy is None:
            return None
        kept = (d.between(statements, accesses) for d in self.scop.dependences)
        order = [statements.get(s.name, s) for s in self.scop.statements]
        order.insert(order.index(statements[self.known.statements[0].name]), copy)
        found = replace(
            self.scop,
            variables=(*self.scop.variables, self.new),
            statements=tuple(order),
            dependences=tuple(d for d in kept if self.new not in (d.source_access.variable, d.sink_access.variable)),
            copies=(*self.scop.copies, Copied(self.new, self.old, (copy.name,))),
        )
        both = Touching()
        if not is_copied(found, found.copies[-1], both):
            return None
        new = dependences_of(found, lambda a: a.variable == self.new or any(a is one for one in copy.accesses), both)
        found = replace(found, dependences=(*found.dependences, *new))
        inside = tuple(statements[s.name] for s in self.known.statements)
        around = inside[0].loops[self.depth - 1 : self.depth + 1]
        step = Step(Word.COPIED, around, (inside, (copy,)), read_before=(self.old,), values=(self.new.base,))
        return Remade(found, (copy, *inside), (*self.known.steps, step))

    # --- what reads it ------------------------------------------------------------------------------------------------

    def _is_read(self, access: Access, own: list[Expr]) -> bool:
        return access.mode is Mode.READ and access.variable == self.old and access.reference in own

    def _access(self, access: Access) -> Access:
        return replace(
            access,
            variable=self.new,
            space=self.new.name,
            reference=self._renamed(access.reference),
            relation=access.relation.set_tuple_name(_OUT, self.new.name),
        )

    def _renamed(self, reference: Expr) -> Expr:
        """The same element of the copy."""
        assert isinstance(self.new.base, Var)
        symbol = self.new.base.symbol
        return rewrite(reference, lambda e: Var(symbol, e.span) if isinstance(e, Var) and e == self.old.base else None)

    def _body(self, body: Stmt, own: list[Expr]) -> Stmt:
        def change(expr: Expr) -> Expr | None:
            return self._renamed(expr) if expr in own else None

        match body:
            case Assign(value=value):
                return replace(body, value=rewrite(value, change))
            case Declare(init=init) if init is not None:
                return replace(body, init=rewrite(init, change))
        return body

    # --- what makes it ------------------------------------------------------------------------------------------------

    def _copy(self) -> Statement | None:
        """The statement that copies whatever is read in one iteration of the loops outside."""
        statement, access = next(
            (s, a)
            for s in self.known.statements
            for a in s.accesses
            if self._is_read(a, [e for name, e in self.reads if name == s.name])
        )
        region = self._region()
        if region is None:
            return None
        name = f"{statement.name}_copy"
        while any(s.name == name for s in self.scop.statements):
            name += "_"
        domain = region.set_tuple_name(name)
        loops = self._loops(_own(statement, access, self.depth), region, statement.loops[: self.depth])
        every = like(domain)
        place = every.coordinates[self.depth :]
        time = self._time(every.coordinates, statement)
        if time is None:
            return None
        indices = tuple(variable(loop.iterator) for loop in loops[self.depth :])
        target, value = (self._element(one, indices) for one in (self.new, self.old))
        read = Access(
            self.old,
            self.old.name,
            Mode.READ,
            True,
            value,
            indices,
            every.to(place, self.old.name).intersect_domain(domain),
            access.span,
        )
        write = replace(
            read,
            variable=self.new,
            space=self.new.name,
            mode=Mode.WRITE,
            reference=target,
            relation=every.to(place, self.new.name).intersect_domain(domain),
        )
        body = Assign(target, "=", value, _NOWHERE)
        return Statement(name, body, loops, domain, every.to(time).intersect_domain(domain), (read, write))

    def _element(self, array: Variable, indices: tuple[Expr, ...]) -> Expr:
        found: Expr = array.base
        for index in indices:
            type_ = found.type
            assert isinstance(type_, Array | Pointer)
            inner = type_.element if isinstance(type_, Array) else type_.target
            found = Subscript(found, index, inner, _NOWHERE)
        return found

    def _region(self) -> isl.Set | None:
        """What is copied in an iteration of the loops outside: the least box that has all that is read, or in each
        row what lies between, where the array may end before a corner of that."""
        every = [self._read_by(s) for s in self.known.statements]
        read = reduce(isl.Set.union, [one for found in every for one in found]).intersect_params(self.scop.context)
        box = reduce(isl.Set.intersect, [self._along(read, k) for k in range(len(self.old.shape))])
        for region in (box, passed(read)):
            if self._is_in_memory(region):
                return region.coalesce()
        return None

    def _read_by(self, statement: Statement) -> Iterator[isl.Set]:
        """The elements that a statement reads, behind the iterators of the loops outside."""
        own = [e for name, e in self.reads if name == statement.name]
        deeper = len(statement.loops) - self.depth
        for access in statement.accesses:
            if self._is_read(access, own):
                relation = access.relation.intersect_domain(statement.domain)
                yield relation.project_out(_IN, self.depth, deeper).reset_tuple_id(_IN).wrap().flatten()

    def _along(self, read: isl.Set, k: int) -> isl.Set:
        """All that has a place along one dimension of the array from the first that is read to the last."""
        place, rank = self.depth + k, len(self.old.shape)
        one = read.project_out(_SET, place + 1, rank - k - 1).project_out(_SET, self.depth, k)
        return passed(one).insert_dims(_SET, self.depth, k).add_dims(_SET, rank - k - 1)

    def _is_in_memory(self, region: isl.Set) -> bool:
        """Whether elements lie between the first and the last that the program comes to, and in its rows."""
        region, rank = region.project_out(_SET, 0, self.depth), len(self.old.shape)
        known = points(rank).nothing
        for statement in self.scop.statements:
            for access in statement.accesses:
                if access.variable == self.old:
                    known = known.union(access.relation.intersect_domain(statement.domain).range().reset_tuple_id())
        region, known = (each.intersect_params(self.scop.context) for each in (region, known))
        between = known.lex_le_set(region).range().intersect(known.lex_ge_set(region).range())
        inside = (_projected(region, k).is_subset(passed(_projected(known, k))) for k in range(1, rank))
        return bool(region.is_subset(between)) and all(inside)

    def _loops(self, own: tuple[LoopNode, ...], region: isl.Set, around: tuple[LoopNode, ...]) -> tuple[LoopNode, ...]:
        """The loops over what is copied, which have the names of those that read it."""
        loops, rank = around, len(own)
        for k, loop in enumerate(own):
            domain = region.project_out(_SET, self.depth + k + 1, rank - k - 1).coalesce()
            made = counting(self.scop, domain, loop.iterator, loop.loop, loops)
            if isinstance(made.first, Cast) and isinstance(made.first.operand, IntLit):
                made = replace(made, first=replace(made.first.operand, type=made.first.type))
            made = replace(made, directive=None)
            loops = (*loops, LoopNode(self.scop.unused_loop + k, self.depth + k, made, passed(domain)))
        return loops

    def _time(self, iterators: tuple[isl.Aff, ...], reader: Statement) -> list[Value] | None:
        """When it runs: in front of the loop that reads it, in a place that neither a statement of the program has nor
        another copy."""
        width = reader.time.dim(_OUT)
        where = [reader.time.range().dim_max_val(2 * k).to_python() for k in range(self.depth + 1)]
        order: list[Value] = []
        for k, loop in enumerate(reader.loops[: self.depth]):
            order += [where[k], loop.time(iterators)]
        order += [where[self.depth] - 1, *iterators[self.depth :]]
        free, others = width - len(order), len(self.scop.copies)
        return [*order, *[others] * free] if free > 0 or (free == 0 and not others) else None


def _projected(elements: isl.Set, k: int) -> isl.Set:
    """Where elements lie along one dimension."""
    return elements.project_out(_SET, k + 1, elements.dim(_SET) - k - 1).project_out(_SET, 0, k)
