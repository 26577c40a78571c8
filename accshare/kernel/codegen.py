"""The loops of one work-item: schedule tree, isl AST, kernel IR."""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl

from accshare.frontend.ir import Binary, Expr, IntLit, Storage, Symbol, Var
from accshare.frontend.ir import Stmt as SourceStmt
from accshare.islexpr import of_ast, of_condition, variable
from accshare.kernel.body import Bodies
from accshare.kernel.ir import Define, Guarded, Loop, Stmt
from accshare.kernel.space import Coordinate, Space, coordinate_of, counter, tuple_text
from accshare.poly.ir import Leaf, LoopNode, Nest, Node, Statement
from accshare.reference import strip
from accshare.tree import expressions, own_expressions, rewrite_statement, statements

#: loops with at most this many iterations are unrolled
_SHORT = 16


@dataclass(frozen=True, slots=True)
class Work:
    """What a work-item runs, and the schedule it was generated from (kept for validation)."""

    body: tuple[Stmt, ...]
    order: isl.UnionMap


def work(space: Space, starts: isl.Set) -> Work:
    """Generate the code of one work-item of a nest; `starts` is what is known of its coordinates."""
    nest = space.partition.nest
    domain = isl.UnionSet("{ }")
    for statement in nest.statements:
        domain = domain.union(space.owned(statement).to_union_set())
    tree = isl.Schedule.from_domain(domain).get_root().child(0)
    tree = _point_band(tree, space)
    schedule = tree.get_schedule()
    known = space.context.intersect(starts)
    full = _full_tile(space)
    body = _generate(space, schedule, known)
    if full is not None:
        condition = of_condition(full.gist(known), known, space.names, space.index_type)
        body = (Guarded(condition, _generate(space, schedule, known.intersect(full)), body),)
    return Work(body, schedule.get_map())


def _generate(space: Space, schedule: isl.Schedule, known: isl.Set) -> tuple[Stmt, ...]:
    """The code of a schedule for parameters in `known`."""
    nest = space.partition.nest
    levels = 2 * max((len(s.loops) for s in nest.statements), default=0) + 2
    ids = isl.IdList.alloc(isl.DEFAULT_CONTEXT, levels)
    for k in range(levels):
        ids = ids.add(isl.Id(f"_c{k}"))
    ast = isl.AstBuild.from_context(known).set_iterators(ids).node_from_schedule(schedule)
    reader = _Reader(space, {s.name: s for s in nest.statements}, Bodies(space.scop, nest))
    fixed = (*(c.symbol for c in space.coordinates), *(n.iterator for n in nest.host_loops))
    return reader.read(ast, dict(space.names), {symbol: variable(symbol) for symbol in fixed})


def _point_band(tree: isl.ScheduleNode, space: Space) -> isl.ScheduleNode:
    """The loops over a work-item's own iterations of the mapped dimensions, x innermost."""
    nest = space.partition.nest
    several = [c for c in space.coordinates if not c.single]
    body = nest.body
    for _ in nest.mapped:
        first = body[0]
        assert isinstance(first, Nest)
        body = first.body
    if not several:
        return _insert(tree, body)
    several.sort(key=lambda c: -c.dimension.axis)
    members = ", ".join(
        "{ " + "; ".join(f"{tuple_text(s)} -> [({_in_order(c)})]" for s in nest.statements) + " }" for c in several
    )
    band = tree.insert_partial_schedule(isl.MultiUnionPwAff(f"[{members}]"))
    return _insert(band.child(0), body).parent()


def _in_order(coordinate: Coordinate) -> str:
    """The coordinate, counted the way the user's loop runs."""
    value = coordinate_of(coordinate.dimension)
    return value if coordinate.dimension.loop.loop.step > 0 else f"-{value}"


def _full_tile(space: Space) -> isl.Set | None:
    """Parameters with which every iteration of the tile exists, so that its loops have constant bounds; None when no
    tile has several iterations a work-item, or that is never certain."""
    coordinates = space.coordinates
    if all(c.single for c in coordinates):
        return None
    dims = ", ".join(f"t{k}" for k in range(len(coordinates)))
    names = ", ".join(c.symbol.unique for c in coordinates)
    inside = " and ".join(
        f"{c.symbol.unique} <= t{k} < {c.symbol.unique} + {c.dimension.tile}" for k, c in enumerate(coordinates)
    )
    box = isl.Set(f"[{names}] -> {{ [{dims}] : {inside} }}")
    present = isl.Set(f"{{ [{dims}] : 1 = 0 }}")
    for statement in space.partition.nest.statements:
        values = ", ".join(coordinate_of(c.dimension) for c in coordinates)
        project = isl.Map(f"{{ {tuple_text(statement)} -> [{values}] }}")
        present = present.union(space.launched(statement).apply(project))
    full = box.subtract(present).params().complement().coalesce()
    full = full.intersect(box.params())
    return None if full.is_empty() or full.n_basic_set() != 1 else full


def _insert(node: isl.ScheduleNode, tree: tuple[Node, ...]) -> isl.ScheduleNode:
    """Put the bands and sequences of `tree` at the leaf `node`; the result is the node in its place."""
    if len(tree) > 1:
        filters = isl.UnionSetList.alloc(isl.DEFAULT_CONTEXT, len(tree))
        for part in tree:
            text = "; ".join(tuple_text(s) for s in _leaves((part,)))
            filters = filters.add(isl.UnionSet(f"{{ {text} }}"))
        node = node.insert_sequence(filters)
        for k, part in enumerate(tree):
            node = _insert(node.child(k).child(0), (part,)).parent().parent()
        return node
    part = tree[0]
    if isinstance(part, Leaf):
        return node
    loop = part.loop
    sign = "" if loop.loop.step > 0 else "-"
    text = "; ".join(f"{tuple_text(s)} -> [({sign}i{loop.depth})]" for s in _leaves(part.body))
    node = node.insert_partial_schedule(isl.MultiUnionPwAff(f"[{{ {text} }}]"))
    return _insert(node.child(0), part.body).parent()


def _leaves(tree: tuple[Node, ...]) -> tuple[Statement, ...]:
    return tuple(s for n in tree for s in ((n.statement,) if isinstance(n, Leaf) else _leaves(n.body)))


@dataclass(frozen=True, slots=True)
class _Reader:
    """Turns isl's AST into kernel IR; `names` spells the identifiers in scope, `known` the iterators defined in it."""

    space: Space
    statements: dict[str, Statement]
    bodies: Bodies

    def read(self, node: isl.AstNode, names: dict[str, Expr], known: dict[Symbol, Expr]) -> tuple[Stmt, ...]:
        kind = isl.ast_node_type(node.get_type()).name
        if kind == "block":
            children = node.block_get_children()
            return tuple(
                stmt for k in range(children.n_ast_node()) for stmt in self.read(children.get_at(k), names, known)
            )
        if kind == "if_":
            other = self.read(node.if_get_else_node(), names, dict(known)) if node.if_has_else_node() else ()
            then = self.read(node.if_get_then_node(), names, dict(known))
            return (Guarded(self._expr(node.if_get_cond(), names), then, other),)
        if kind == "for_":
            return self._loop(node, names, known)
        if kind == "mark":
            return self.read(node.mark_get_node(), names, known)
        return self._user(node.user_get_expr(), names, known)

    def _expr(self, expr: isl.AstExpr, names: dict[str, Expr]) -> Expr:
        return of_ast(expr, names, self.space.index_type)

    def _loop(self, node: isl.AstNode, names: dict[str, Expr], known: dict[Symbol, Expr]) -> tuple[Stmt, ...]:
        name = node.for_get_iterator().get_id().get_name()
        first = self._expr(node.for_get_init(), names)
        if node.for_is_degenerate():
            return self.read(node.for_get_body(), {**names, name: first}, known)
        loop = self._counted_by(node.for_get_body(), name)
        own = counter(loop, self.space.index_type) if loop is not None else None
        if own is None or any(isinstance(e, Var) and e.symbol == own for e in names.values()):
            own = Symbol(name, name.replace("_c", "c_"), self.space.index_type, Storage.INNER)
        inside = {**names, name: variable(own)}
        step = node.for_get_inc().get_val().to_python()
        condition = self._expr(node.for_get_cond(), inside)
        body = self.read(node.for_get_body(), inside, {**known, own: variable(own)})
        span = None if loop is None else loop.loop.header
        return (Loop(own, first, condition, step, body, _unroll(first, condition, step), span),)

    def _counted_by(self, node: isl.AstNode, name: str) -> LoopNode | None:
        """The user's loop whose iterator is just the AST's loop variable `name`."""
        found: list[LoopNode] = []

        def visit(inner: isl.AstNode) -> bool:
            if isl.ast_node_type(inner.get_type()).name == "user" and not found:
                call = inner.user_get_expr()
                statement = self.statements[call.get_op_arg(0).get_id().get_name()]
                for k, loop in enumerate(statement.loops):
                    arg = call.get_op_arg(k + 1)
                    if isl.ast_expr_type(arg.get_type()) is isl.ast_expr_type.id and arg.get_id().get_name() == name:
                        found.append(loop)
                        break
            return not found

        node.foreach_descendant_top_down(visit)
        return found[0] if found else None

    def _user(self, call: isl.AstExpr, names: dict[str, Expr], known: dict[Symbol, Expr]) -> tuple[Stmt, ...]:
        statement = self.statements[call.get_op_arg(0).get_id().get_name()]
        body = self.bodies.statement(statement.body)
        used = {
            e.symbol
            for s in statements(body)
            for top in own_expressions(s)
            for e in expressions(top)
            if isinstance(e, Var)
        }
        result: list[Stmt] = []
        replaced: dict[Symbol, Expr] = {}
        for k, loop in enumerate(statement.loops):
            value = self._expr(call.get_op_arg(k + 1), names)
            iterator, plain = loop.iterator, strip(value)
            if iterator not in used or (isinstance(plain, Var) and plain.symbol == iterator):
                continue
            if iterator not in known:
                known[iterator] = value
                result.append(Define(iterator, value))
            elif known[iterator] != value:
                replaced[iterator] = value
        if replaced:
            body = _substituted(body, replaced)
        return (*result, body)


def _unroll(first: Expr, condition: Expr, step: int) -> int:
    """How often to unroll: completely where the loop is known to be short, which lets the loop around it vectorise."""
    match first, condition:
        case IntLit(low), Binary("<" | "<=" as op, _, IntLit(high)):
            trips = (high - low + (op == "<=") + step - 1) // step
            return trips if 1 < trips <= _SHORT else 1
    return 1


def _substituted(body: SourceStmt, values: dict[Symbol, Expr]) -> SourceStmt:
    return rewrite_statement(body, lambda e: values.get(e.symbol) if isinstance(e, Var) else None)
