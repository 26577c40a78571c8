"""The loops of one work-item: schedule tree, isl AST, kernel IR."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import islpy as isl

from accshare.conversions import common
from accshare.diagnostics import broken
from accshare.frontend.ir import Binary, Cast, Expr, Scalar, Storage, Subscript, Symbol, Var
from accshare.frontend.ir import Stmt as SourceStmt
from accshare.islbuild import all_sets, like, partial_schedule, points, within
from accshare.islexpr import FLIPPED, binary, of_ast, of_condition, variable
from accshare.kernel.generate.beyond import instances_beyond
from accshare.kernel.generate.body import Bodies
from accshare.kernel.generate.space import THREAD, Space, between, counter
from accshare.kernel.generate.trees import scheduled
from accshare.kernel.ir import Define, Guarded, Loop, Stmt
from accshare.kernel.passes.by_vectors import by_vectors, trip_count
from accshare.kernel.passes.full_trip import one_after_the_other, with_full_trips
from accshare.kernel.uses import rewritten, symbols
from accshare.mapping.ir import UNROLLED, DataBoundLoop, RegisterTile, is_short, one_by_one
from accshare.poly.ir import Statement, Variable
from accshare.records import dataclass, field, replace
from accshare.reference import strip
from accshare.schedule.ir import Band, Leaf, Member, Node, Phase, Role, below, members
from accshare.schedule.ir import statements as statements_below
from accshare.source import Span
from accshare.tree import all_expressions, rewrite, rewrite_statement

#: places where statements run of which each has loops of its own
_PIECES = 8


@dataclass(frozen=True, slots=True)
class Work:
    """What a work-item runs, and the schedule it was generated from (kept for validation). `register_tile` is what it
    runs of its tile at once. `bounded` is the body as it was generated first, with all of its bounds to test. There are
    vectors along `data_bound` loops. Of statements, by their names, more instances are run than there are in a launch:
    those `beyond`, too. In a tile that is cut off, a work-item's own iterations may run one after the other where they
    run side by side in others: they are in `no_order`."""

    body: tuple[Stmt, ...]
    order: isl.UnionMap
    register_tile: RegisterTile | None = None
    bounded: tuple[Stmt, ...] = ()
    data_bound: tuple[DataBoundLoop, ...] = ()
    beyond: tuple[tuple[str, isl.Set], ...] = field(default=(), compare=False, repr=False)
    no_order: bool = False


@dataclass(frozen=True, slots=True)
class Uniform:
    """A loop or strip that the whole work-group runs together: inside it, `symbol` fixes its iterator to as many
    consecutive values as the member's size is."""

    member: Member
    symbol: Symbol

    def restrict(self, instances: isl.Set) -> isl.Set:
        """Those of a statement's instances that are in the current iterations; `instances` lie inside the loop."""
        return instances.intersect(between(instances, self.member.loop.depth, self.symbol.unique, self.member.size))


@dataclass(frozen=True, slots=True)
class Part:
    """A phase of the kernel with the loops `around` it that the work-group runs together. Where it `fits`, tiles have
    what some instances of a statement look up in them."""

    space: Space
    phase: Phase
    around: tuple[Uniform, ...]
    bodies: Bodies
    names: dict[str, Expr]
    fits: Callable[[Statement, isl.Set], bool] = lambda statement, instances: True

    def owned(self, statement: Statement, launched: isl.Set | None = None) -> isl.Set:
        """What a work-item runs of a statement, or of some of its instances instead of those of a launch."""
        instances = self.space.owned(statement, launched)
        for uniform in self.around:
            instances = uniform.restrict(instances)
        return instances


def work(space: Space, known: isl.Set, split: bool = True, bounded: tuple[Stmt, ...] = ()) -> Work:
    """Generate the code of one work-item of a nest; `known` holds of its coordinates and the parameters."""
    nest = space.partition.nest
    (at,) = space.partition.phases
    part = Part(space, at.phase, (), Bodies(space.scop, nest, row=_row(space)), space.names)
    return part_work(part, known, split, bounded)


def _row(space: Space) -> tuple[Expr, int] | None:
    """The number of the row that an iteration belongs to, where a work-item has several results."""
    rows = space.rows
    if rows is None:
        return None
    number = binary("-", variable(rows.member.loop.iterator), variable(rows.symbol), space.index_type)
    return number, rows.member.size


def part_work(part: Part, known: isl.Set, split: bool = True, bounded: tuple[Stmt, ...] = ()) -> Work:
    """Generate the code of a part. With `split`, full tiles, in which every iteration exists, get loops without bounds
    to test. `bounded` is the code without, where it has been generated before."""
    below_ = statements_below(part.phase)
    found = instances_beyond(part.space, part.bodies, below_)
    beyond = {s.name: found[s.name] for s in below_ if s.name in found and part.fits(s, found[s.name])}
    apart = split and _runs_apart(part, beyond)
    beyond = {} if apart else beyond
    elsewhere = _are_elsewhere(part)
    schedule = exact = scheduled(all_sets(map(part.owned, below_)), part.phase.child, apart=elsewhere)
    if beyond:
        schedule = scheduled(all_sets(part.owned(s, beyond.get(s.name)) for s in below_), part.phase.child)
    full, some = _tile(part, beyond) if split and not elsewhere else (None, None)
    body = bounded = bounded or _generate(part, schedule, known)
    # the code is the same where nothing that it depends on follows from that
    if full is not None and _about(schedule, known) != _about(schedule, known.intersect(full)):
        condition = of_condition(full.gist(known), known, part.names, part.space.index_type)
        whole = _generate(part, schedule, known.intersect(full))
        if whole != body:
            same = _in_common(whole, body) if beyond else 0
            cut_off = _one_by_one(part, known) if apart else body[same:]
            cut_off = cut_off if some is None else _where(some, known, cut_off, part)
            body = (*body[:same], Guarded(condition, whole[same:], cut_off))
    if part.phase.jammed:
        body = by_vectors(with_full_trips(body, part.space))
    return Work(body, exact.get_map(), bounded=bounded, beyond=tuple(beyond.items()), no_order=apart)


def _are_elsewhere(part: Part) -> bool:
    """Whether all statements of a work-item that runs a tile alone are in the same loops, each in a few places and
    where another one is not: there nothing has to be tested."""
    partition, inside = part.space.partition, statements_below(part.phase)
    if partition.cooperative or prod(partition.work_group) > 1 or part.around or len(inside) == 1:
        return False
    if any(len(s.loops) != partition.nest.depth for s in inside):
        return False
    domains = [part.space.launched(s).reset_tuple_id().coalesce() for s in inside]
    pieces = [piece for domain in domains for piece in domain.get_basic_sets()]
    if len(pieces) > _PIECES or any(piece.dim(isl.dim_type.div) for piece in pieces):
        return False
    both = domains[0]
    for domain in domains[1:]:
        both = both.intersect(domain)
    return bool(both.is_empty())


def _runs_apart(part: Part, beyond: dict[str, isl.Set]) -> bool:
    """Whether iterations of a tile that is cut off run one after the other: each step of short loops, which are
    unrolled, would test again whether its iteration exists. Nothing of an iteration's own is needed after it."""
    if not part.phase.jammed or part.around or part.bodies.elsewhere or len(part.space.partition.phases) > 1:
        return False
    inside = [m for m in members(part.phase) if m.role is not Role.OWN]
    tested = any(s.name not in beyond for m in inside for s in statements_below(part.phase) if m.loop in s.loops)
    return tested and all(is_short(m.loop) for m in inside) and all(not v.shape for v in _expanded(part))


def _expanded(part: Part) -> tuple[Variable, ...]:
    """What a work-item has once for each of its iterations."""
    return tuple(v for v in part.space.scop.variables if v.name in part.bodies.expanded)


def _one_by_one(part: Part, known: isl.Set) -> tuple[Stmt, ...]:
    """The code of a tile whose iterations run one after the other, each with variables of its own."""
    phase = one_by_one(part.phase)
    schedule = scheduled(all_sets(map(part.owned, statements_below(phase))), phase.child)
    alone = replace(part, phase=phase, bodies=replace(part.bodies, expanded=frozenset()))
    return one_after_the_other(_generate(alone, schedule, known), part.space, tuple(map(_symbol, _expanded(part))))


def _symbol(variable_: Variable) -> Symbol:
    assert isinstance(variable_.base, Var), "iterations have scalars of their own"
    return variable_.base.symbol


def _in_common(one: tuple[Stmt, ...], other: tuple[Stmt, ...]) -> int:
    """With how many statements both begin."""
    pairs = zip(one, other, strict=False)
    return next((k for k, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _generate(part: Part, schedule: isl.Schedule, known: isl.Set) -> tuple[Stmt, ...]:
    """The code of a schedule for parameters in `known`."""
    statements_ = statements_below(part.phase)
    ast = ast_of(schedule, known, 2 * max((len(s.loops) for s in statements_), default=0) + 2)
    own = _Statements(part.space, {s.name: s for s in statements_}, _around(part.phase, ()), part.bodies)
    reader = AstReader(part.space.index_type, own.counter, own.user)
    nest = part.space.partition.nest
    fixed = (
        *(c.symbol for c in part.space.coordinates),
        *(n.iterator for n in nest.host),
        *(uniform.symbol for uniform in part.around),
        *((THREAD,) if nest.threads else ()),
    )
    return reader.read(ast, dict(part.names), {symbol: variable(symbol) for symbol in fixed})


def _around(node: Node, members: tuple[Member, ...]) -> dict[str, tuple[Member, ...]]:
    """The members around each statement, by its name."""
    if isinstance(node, Leaf):
        return {node.statement.name: members}
    inside = (*members, *node.members) if isinstance(node, Band) else members
    return {name: found for child in below(node) for name, found in _around(child, inside).items()}


def ast_of(schedule: isl.Schedule, known: isl.Set, levels: int) -> isl.AstNode:
    """isl's AST of a schedule with at most `levels` loops around a statement, its iterators called ``_c0``, ``_c1``…"""
    ids = isl.IdList.alloc(isl.DEFAULT_CONTEXT, levels)
    for k in range(levels):
        ids = ids.add(isl.Id(f"_c{k}"))
    build = isl.AstBuild.from_context(_about(schedule, known))
    return build.set_iterators(ids).node_from_schedule(schedule)


def _about(schedule: isl.Schedule, known: isl.Set) -> isl.Set:
    """What is `known` of the parameters that a schedule's domain depends on: isl takes half as long again with
    others."""
    used: set[str | None] = set()
    schedule.get_domain().foreach_set(lambda one: used.update(_parameters(one.drop_unused_params())))
    for k, name in reversed(tuple(enumerate(_parameters(known)))):
        if name not in used:
            known = known.project_out(isl.dim_type.param, k, 1)
    return known


def _parameters(of: isl.Set) -> list[str | None]:
    return [of.get_dim_name(isl.dim_type.param, k) for k in range(of.dim(isl.dim_type.param))]


def _tile(part: Part, beyond: dict[str, isl.Set]) -> tuple[isl.Set | None, isl.Set | None]:
    """Parameters with which every iteration of the tile and of the strip exists, so that its loops have constant
    bounds, and those with which any does; None for both when there is but one of each, or that is never certain, for
    the latter also where work-items side by side go the same way. Statements that run `beyond` what exists count only
    where there are no others."""
    coordinates, around = part.space.coordinates, part.around
    firsts = [c.origin if c.member.chosen_together else c.symbol for c in coordinates]
    lengths = [c.member.full_length for c in coordinates] + [u.member.size for u in around]
    if all(length == 1 for length in lengths):
        return None, None
    tile = points(len(lengths), "", (*(first.unique for first in firsts), *(u.symbol.unique for u in around)))
    box = tile.where(*map(within, tile.coordinates, tile.parameters, lengths))
    present = any_ = points(len(lengths)).nothing
    every_ = statements_below(part.phase)
    counting = [s for s in every_ if s.name not in beyond] or every_
    for statement in every_:
        every = statement.tuples
        values = [c.member.number(every.coordinates) for c in coordinates]
        values += [every.coordinates[u.member.loop.depth] for u in around]
        own = part.space.launched(statement)
        any_ = any_.union(own.apply(every.to(values)))
        if statement in counting:
            present = present.union(beyond.get(statement.name, own).apply(every.to(values)))
    full = box.subtract(present).params().complement().coalesce()
    full = full.intersect(box.params())
    if full.is_empty() or full.n_basic_set() != 1:
        return None, None
    if not any(c.member.axis == 0 and not c.member.chosen_together for c in coordinates):
        return full, None
    some = box.intersect(any_).params().coalesce()
    return full, some if some.n_basic_set() == 1 else None


def _where(some: isl.Set, known: isl.Set, stmts: tuple[Stmt, ...], part: Part) -> tuple[Stmt, ...]:
    """Statements of a tile that is cut off, for work-items that have `some` of it: the others would go another way than
    those of their warp whose tile is whole."""
    needed = some.gist(known)
    if needed.plain_is_universe() or not stmts or prod(part.space.partition.work_group) == 1:
        return stmts
    nothing = known.params().subtract(some.params())
    for statement in statements_below(part.phase):
        if not part.owned(statement).intersect_params(nothing).is_empty():
            raise broken("a tile that is cut off would leave out iterations", statement.body.span)
    condition = of_condition(needed, known, part.names, part.space.index_type)
    inside = (s.then if isinstance(s, Guarded) and s.condition == condition and not s.other else (s,) for s in stmts)
    return (Guarded(condition, tuple(s for part_ in inside for s in part_)),)


@dataclass(frozen=True, slots=True)
class Counter:
    """What counts a loop: a variable, the `member` of the schedule tree whose iterations these are, and the user's
    iterator where that is another variable."""

    symbol: Symbol
    member: Member | None
    iterator: Symbol | None = None

    @property
    def span(self) -> Span | None:
        """The user's loop."""
        return None if self.member is None else self.member.loop.loop.header


@dataclass(frozen=True, slots=True)
class AstReader:
    """Turns isl's AST into kernel IR, with index arithmetic in `type_`.

    ``counter(body, name, names, known)`` tells what counts the loop ``name`` around an AST, ``user(call, names,
    known)`` what stands for a statement. `names` spells the identifiers in scope, `known` has the variables defined in
    it.
    """

    type_: Scalar
    counter: Callable[[isl.AstNode, str, dict[str, Expr], dict[Symbol, Expr]], Counter]
    user: Callable[[isl.AstExpr, dict[str, Expr], dict[Symbol, Expr]], tuple[Stmt, ...]]

    def read(self, node: isl.AstNode, names: dict[str, Expr], known: dict[Symbol, Expr]) -> tuple[Stmt, ...]:
        """The statements of an AST."""
        kind = isl.ast_node_type(node.get_type()).name
        if kind == "block":
            children = node.block_get_children()
            return tuple(
                stmt for k in range(children.n_ast_node()) for stmt in self.read(children.get_at(k), names, known)
            )
        if kind == "if_":
            other = self.read(node.if_get_else_node(), names, dict(known)) if node.if_has_else_node() else ()
            then = self.read(node.if_get_then_node(), names, dict(known))
            return (Guarded(of_ast(node.if_get_cond(), names, self.type_), then, other),)
        if kind == "for_":
            return self._loop(node, names, known)
        if kind == "mark":
            return self.read(node.mark_get_node(), names, known)
        return self.user(node.user_get_expr(), names, known)

    def _loop(self, node: isl.AstNode, names: dict[str, Expr], known: dict[Symbol, Expr]) -> tuple[Stmt, ...]:
        name = node.for_get_iterator().get_id().get_name()
        first = of_ast(node.for_get_init(), names, self.type_)
        if node.for_is_degenerate():
            return self.read(node.for_get_body(), {**names, name: first}, known)
        counter = self.counter(node.for_get_body(), name, names, known)
        own, iterator = counter.symbol, counter.iterator
        inside = {**names, name: variable(own)}
        step = node.for_get_inc().get_val().to_python()
        condition = _oriented(of_ast(node.for_get_cond(), inside, self.type_), own)
        within = {**known, own: variable(own)} | ({iterator: variable(own)} if iterator else {})
        body = self.read(node.for_get_body(), inside, within)
        if iterator is not None:
            body = tuple(rewritten(stmt, _counted(iterator, own)) for stmt in body)
            if iterator in symbols(body):
                body = (Define(iterator, variable(own)), *body)
        unroll = _unroll(first, condition, step)
        return (Loop(own, first, condition, step, body, unroll, counter.span, counter.member),)


def point_by_point(
    places: isl.Set,
    known: isl.Set,
    names: dict[str, Expr],
    type_: Scalar,
    counted: Callable[[str], Symbol],
    body: Callable[[tuple[Expr, ...]], tuple[Stmt, ...]],
) -> tuple[Stmt, ...]:
    """What `body` makes of each place, in loops over `places` and no others, the first dimension outermost; ``counted``
    tells the variable of the loop that isl calls so."""
    domain = places.coalesce().set_tuple_name("T")
    tree = isl.Schedule.from_domain(domain.to_union_set()).get_root().child(0)
    for place in like(domain).coordinates:
        tree = tree.insert_partial_schedule(partial_schedule([[place]]))
        tree = tree.band_member_set_ast_loop_type(0, isl.ast_loop_type.atomic).child(0)
    rank = domain.dim(isl.dim_type.set)

    def user(call: isl.AstExpr, names: dict[str, Expr], known: dict[Symbol, Expr]) -> tuple[Stmt, ...]:
        return body(tuple(of_ast(call.get_op_arg(k + 1), names, type_) for k in range(rank)))

    reader = AstReader(type_, lambda body, name, names, known: Counter(counted(name), None), user)
    return reader.read(ast_of(tree.get_schedule(), known, rank), dict(names), {})


@dataclass(frozen=True, slots=True)
class _Statements:
    """How the statements of a phase, and the members `around` each, are written in the kernel."""

    space: Space
    statements: dict[str, Statement]
    around: dict[str, tuple[Member, ...]]
    bodies: Bodies

    def counter(self, body: isl.AstNode, name: str, names: dict[str, Expr], known: dict[Symbol, Expr]) -> Counter:
        """The user's iterator where it can count the loop, and has no value around it."""
        member = self._counted_by(body, name)
        own = counter(member.loop, self.space.index_type) if member is not None else None
        taken = own in known or any(isinstance(e, Var) and e.symbol == own for e in names.values())
        if member is None or own is None or taken:
            fresh = Symbol(name, name.replace("_c", "c_"), self.space.index_type, Storage.INNER)
            return Counter(fresh, member)
        iterator = member.loop.iterator
        return Counter(own, member, iterator if iterator != own else None)

    def _counted_by(self, node: isl.AstNode, name: str) -> Member | None:
        """The member whose iterator is just the AST's loop variable `name`."""
        found: list[Member] = []

        def visit(inner: isl.AstNode) -> bool:
            if isl.ast_node_type(inner.get_type()).name == "user" and not found:
                call = inner.user_get_expr()
                for member in self.around[call.get_op_arg(0).get_id().get_name()]:
                    arg = call.get_op_arg(member.loop.depth + 1)
                    if isl.ast_expr_type(arg.get_type()) is isl.ast_expr_type.id and arg.get_id().get_name() == name:
                        found.append(member)
                        break
            return not found

        node.foreach_descendant_top_down(visit)
        return found[0] if found else None

    def user(self, call: isl.AstExpr, names: dict[str, Expr], known: dict[Symbol, Expr]) -> tuple[Stmt, ...]:
        """The statement, after definitions of the iterators it uses."""
        statement = self.statements[call.get_op_arg(0).get_id().get_name()]
        body = self.bodies.statement(statement)
        used = {e.symbol for e in all_expressions(body) if isinstance(e, Var)}
        result: list[Stmt] = []
        replaced: dict[Symbol, Expr] = {}
        for k, loop in enumerate(statement.loops):
            value = of_ast(call.get_op_arg(k + 1), names, self.space.index_type)
            iterator, plain = loop.iterator, strip(value)
            if iterator not in used or (isinstance(plain, Var) and plain.symbol == iterator):
                continue
            own = counter(loop, self.space.index_type)
            told = rewrite_statement(body, _counted(iterator, own))
            if own != iterator and told != body and known.get(own, value) == value:
                result += () if own in known else (Define(own, value),)
                known[own], body = value, told
            if iterator not in symbols((body,)):
                continue
            if iterator not in known:
                known[iterator] = value
                result.append(Define(iterator, value))
            elif known[iterator] != value:
                replaced[iterator] = value
        if replaced:
            body = _substituted(body, replaced)
        return (*result, body)


def _counted(iterator: Symbol, own: Symbol) -> Callable[[Expr], Expr | None]:
    """What changes subscripts to say `own`, which counts a loop, for its narrower or unsigned `iterator`: compilers
    can't know that this one never wraps."""

    def said(expr: Expr) -> Expr:
        match expr:
            case Var(symbol) if symbol == iterator:
                return variable(own)
            case Cast(operand):
                return replace(expr, operand=said(operand))
            case Binary("+" | "-" | "*", lhs, rhs, type_) if common(own.type, type_) == type_:
                return replace(expr, lhs=said(lhs), rhs=said(rhs))
        return rewrite(expr, lambda e: None if e is expr else change(e))

    def change(expr: Expr) -> Expr | None:
        if not isinstance(expr, Subscript):
            return None
        return replace(expr, base=rewrite(expr.base, change), index=said(expr.index))

    return change


def _oriented(condition: Expr, counted: Symbol) -> Expr:
    """A comparison with the loop's variable on the left, where people look for it."""
    match condition:
        case Binary(op, bound, Var(symbol)) if symbol == counted and op in FLIPPED:
            return replace(condition, op=FLIPPED[op], lhs=condition.rhs, rhs=bound)
    return condition


def _unroll(first: Expr, condition: Expr, step: int) -> int:
    """How often to unroll: completely where the loop is known to be short, which lets the loop around it vectorise, and
    keeps what has an element for each iteration in registers."""
    trips = trip_count(first, condition, step)
    return trips if 1 < trips <= UNROLLED else 1


def _substituted(body: SourceStmt, values: dict[Symbol, Expr]) -> SourceStmt:
    return rewrite_statement(body, lambda e: values.get(e.symbol) if isinstance(e, Var) else None)
