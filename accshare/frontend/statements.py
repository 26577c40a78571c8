"""C statements: from libclang's to ours. One of theirs may become several of ours, or none."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from accshare.diagnostics import Rejected, rejected
from accshare.frontend.aliases import Aliases
from accshare.frontend.atomics import atomic
from accshare.frontend.clang import Node
from accshare.frontend.constants import converted, widened
from accshare.frontend.effects import assigned, is_idle
from accshare.frontend.exits import has_jump, tested, unless, without_jumps
from accshare.frontend.expressions import Expressions
from accshare.frontend.ir import (
    INT,
    Assign,
    Binary,
    Block,
    Declare,
    Expr,
    For,
    GeneralFor,
    If,
    IntLit,
    Jump,
    Stmt,
    Symbol,
    Unsupported,
    Var,
    While,
)
from accshare.frontend.loops import Counting, Header, Moved, NotCounting, check_body, counting
from accshare.frontend.memory import as_loop
from accshare.frontend.parts import ForParts, for_parts
from accshare.frontend.refusals import ending, stripped, unconverted, unknown
from accshare.frontend.structs import by_members
from accshare.frontend.switches import switch
from accshare.frontend.turning import pointer_place
from accshare.frontend.walks import root_symbol, statements
from accshare.frontend.whiles import as_counting, as_counting_behind
from accshare.pragma.ir import Directive, DirectiveKind
from accshare.records import dataclass, replace
from accshare.source import Span

_RELATIONS = frozenset({"<", "<=", ">", ">=", "!="})
_UNSUPPORTED = {
    "GOTO_STMT": "goto",
    "INDIRECT_GOTO_STMT": "goto",
    "LABEL_STMT": "a label",
    "CASE_STMT": "a case label inside another statement",
    "DEFAULT_STMT": "a default label inside another statement",
    "ASM_STMT": "inline assembly",
    "GCC_ASM_STMT": "inline assembly",
    "MS_ASM_STMT": "inline assembly",
}
_HINTS = {"goto": "write it with if, while or break"}
_OUTSIDE = "move it out of the region"
_FLAG = "set a variable instead, and test it behind the region"


@dataclass(frozen=True, slots=True)
class Pragmas:
    """The directives that stand on loops, and those that make statements atomic, by the byte offset these start at."""

    loops: Mapping[int, Directive]
    atomics: Mapping[int, Directive]


def check_lasting(body: Block, lasting: Mapping[Symbol, Span]) -> None:
    """Raises `Rejected` (ACC202) where statements change a `lasting` variable, which is static and declared at some
    place among them: the next time, it is what it was."""
    for stmt in statements(body):
        symbol = root_symbol(stmt.target) if isinstance(stmt, Assign) else None
        declared = None if symbol is None else lasting.get(symbol)
        if symbol is not None and declared is not None and not declared.start <= stmt.span.start < declared.end:
            raise _lasts(symbol.name, declared)


def _lasts(name: str, span: Span) -> Rejected:
    message = f"the static variable {name} is declared inside the region"
    return rejected("ACC202", message, span, "declare it before the region")


class Statements:
    """Converts the statements of one region, in which `do` loops may `count`, or of one called function (`returns`)."""

    def __init__(
        self, expressions: Expressions, pragmas: Pragmas, returns: bool = False, do_counts: bool = False
    ) -> None:
        self._expressions = expressions
        self._unit = expressions.unit
        self._pragmas = pragmas
        self._returns = returns
        self._do_counts = do_counts
        self._hoisted = expressions.hoisted
        self._aliases = Aliases(expressions)
        self._leaves: frozenset[str] = frozenset()
        self._scopes: list[Node] = []
        self._non_negative: frozenset[Symbol] = frozenset()
        expressions.stated, expressions.given = self._before_last, self._given

    def block(self, node: Node) -> Block:
        """A compound statement, or any other as the block it stands for."""
        parts = node.children if node.kind == "COMPOUND_STMT" else (node,)
        return Block(self._within(node, parts), Span(node.start, node.end))

    def _before_last(self, node: Node) -> tuple[Stmt, ...]:
        """The statements of a compound statement before its last."""
        return self._within(node, node.children[:-1])

    def _within(self, scope: Node, parts: tuple[Node, ...]) -> tuple[Stmt, ...]:
        self._scopes.append(scope)
        found = tuple(stmt for part in parts for stmt in self.convert(part))
        self._scopes.pop()
        return found

    def convert(self, node: Node) -> tuple[Stmt, ...]:
        """A statement; one that no device can run becomes `Unsupported`."""
        span = Span(node.start, node.end)
        directive = self._pragmas.atomics.get(node.start)
        try:
            if directive is not None:
                return self._hoisted.statement(lambda: (atomic(directive, self._simple(node), span),))
            return self._hoisted.statement(lambda: self._convert(node, span))
        except Rejected as reason:
            return (Unsupported(reason.diagnostic, span),)

    def _convert(self, node: Node, span: Span) -> tuple[Stmt, ...]:
        match node.kind:
            case "COMPOUND_STMT":
                return (self.block(node),)
            case "NULL_STMT":
                return ()
            case "DECL_STMT":
                found = (self._hoisted.statement(partial(self._declare, decl)) for decl in node.children)
                return tuple(stmt for stmts in found for stmt in stmts)
            case "IF_STMT":
                return (self._if(node, span),)
            case "FOR_STMT":
                return self._for(node, span)
            case "WHILE_STMT":
                return self._while(node, span)
            case "DO_STMT":
                return self._do(node, span)
            case "SWITCH_STMT":
                return self._switch(node, span)
            case "BREAK_STMT" | "CONTINUE_STMT" | "RETURN_STMT":
                return (self._jump(node, span),)
            case kind if kind in _UNSUPPORTED:
                what = _UNSUPPORTED[kind]
                raise rejected("ACC202", f"{what} can't run on a device", span, _HINTS.get(what, _OUTSIDE))
            case _:
                return self._effect(node, span)

    def _simple(self, node: Node) -> tuple[Stmt, ...]:
        """The simple statements that ``atomic`` stands on, ``v = x++`` as two."""
        if node.kind == "COMPOUND_STMT":
            return tuple(stmt for part in node.children for stmt in self._simple(part))
        span = Span(node.start, node.end)
        moving = _changing(node.children[1]) if node.kind == "BINARY_OPERATOR" and node.operator == "=" else None
        if moving is None:
            return self._convert(node, span)
        update = self._convert(moving, Span(moving.start, moving.end))
        type_ = self._unit.types.scalar(node.children[0].type, span)
        *_, change = (stmt for stmt in update if isinstance(stmt, Assign))
        value = converted(change.target, type_, True, span)
        captured = Assign(self._expressions.place(node.children[0]), "=", value, span)
        return (captured, *update) if moving.kind == "UNARY_OPERATOR" and moving.is_postfix else (*update, captured)

    # --- declarations and control --------------------------------------------------------------------------------

    def _declare(self, decl: Node) -> tuple[Stmt, ...]:
        if decl.kind != "VAR_DECL":
            return ()
        span = Span(decl.start, decl.end)
        if decl.is_static_local and decl.initialiser is None:
            raise _lasts(decl.spelling, span)
        if decl.is_file_scope and not decl.is_static_local:
            return ()
        if decl.type.is_pointer:
            return self._aliases.declare(decl, self._scopes[-1])
        init = decl.initialiser
        if init is None:
            return (Declare(self._expressions.symbol(decl), None, span),)
        if init.kind == "INIT_LIST_EXPR":
            symbol = self._expressions.symbol(decl)
            return (Declare(symbol, None, span), *self._expressions.initialiser.statements(Var(symbol, span), init))
        value, symbol = self._expressions.value(init), self._expressions.symbol(decl)
        members = by_members(Var(symbol, span), value, span)
        return (Declare(symbol, None, span), *members) if members else (Declare(symbol, value, span),)

    def _if(self, node: Node, span: Span) -> If:
        condition, then, *other = node.children
        return If(
            self._expressions.value(condition),
            self.block(then),
            self.block(other[0]) if other else None,
            span,
        )

    def _body(self, node: Node) -> Block:
        outer = self._leaves
        self._leaves = frozenset({"break", "continue"})
        body = self.block(node)
        self._leaves = outer
        return body

    def _while(self, node: Node, span: Span) -> tuple[Stmt, ...]:
        condition, body = node.children
        before, asked, moved = self._tested(condition)
        inside = self._body(body)
        if not before and asked is not None:
            names = self._hoisted.names
            counting = as_counting(While(asked, inside, False, span), moved, self._non_negative, names)
            if counting is not None:
                return counting
        before, test = self._hoisted.expression(lambda: self._expressions.value(condition))
        if not before:
            return (While(test, inside, False, span),)
        return (While(IntLit(1, INT, span), tested(before, test, inside), False, span),)

    def _do(self, node: Node, span: Span) -> tuple[Stmt, ...]:
        body, condition = node.children
        inside = self._body(body)
        before, asked, moved = self._tested(condition)
        if not before and asked is not None:
            if isinstance(asked, IntLit) and not asked.value and not _has_jumps(inside):
                return (inside,)  # as macros are written
            loop, names = While(asked, inside, True, span), self._hoisted.names
            counting = as_counting_behind(loop, moved, self._non_negative, names) if self._do_counts else None
            if counting is not None:
                return counting
        before, test = self._hoisted.expression(lambda: self._expressions.value(condition))
        if not before:
            return (While(test, inside, True, span),)
        stmts = without_jumps(inside.statements, "continue", self._flag)
        tail = Block((*stmts, *before, *unless(test)), inside.span)
        return (While(IntLit(1, INT, span), tail, True, span),)

    def _switch(self, node: Node, span: Span) -> tuple[Stmt, ...]:
        condition, body = node.children
        value = self._hoisted.copied(self._expressions.value(condition), span)
        if not isinstance(value, Var):
            raise unknown(condition, span)
        outer = self._leaves
        self._leaves = outer | {"break"}
        try:
            return switch(body, value, self.convert, self._flag)
        finally:
            self._leaves = outer

    def _flag(self) -> Symbol:
        return self._hoisted.names.temporary("left", INT)

    def _jump(self, node: Node, span: Span) -> Jump:
        word = node.kind.removesuffix("_STMT").lower()
        if word == "return":
            if not self._returns:
                raise rejected("ACC202", "return inside a region can't run on a device", span, _FLAG)
            value = self._expressions.value(node.children[0]) if node.children else None
            return Jump(word, value, span)
        if word not in self._leaves:
            raise rejected("ACC202", f"{word} leaves the region", span, _FLAG)
        return Jump(word, None, span)

    # --- for -----------------------------------------------------------------------------------------------------

    def _for(self, node: Node, span: Span) -> tuple[Stmt, ...]:
        parts = for_parts(node, self._unit.source.text)
        directive = self._pragmas.loops.get(node.start)
        self._scopes.append(node)
        try:
            header = self._header(parts)
            known = self._non_negative
            loop, reason = _counting(header, known)
            if loop is not None and loop.non_negative:
                self._non_negative = known | {loop.iterator}
            body = self._body(parts.body)
            self._non_negative = known
            if loop is not None:
                try:
                    body = replace(body, statements=without_jumps(body.statements, "continue", self._flag))
                    check_body(loop, body)
                    return (*loop.before, _counting_for(loop, body, directive, parts.header, span))
                except NotCounting as found:
                    reason = str(found)
            going_on = self._going_on(header, body, directive, span)
            return going_on or self._general_for(parts, header, body, directive, reason, span)
        finally:
            self._scopes.pop()

    def _going_on(
        self, header: Header, body: Block, directive: Directive | None, span: Span
    ) -> tuple[Stmt, ...] | None:
        """``for (; i < n; i++)``, which goes on where a variable stands, as the ``while`` that it is; None where that
        does not count, or where more is said of its iterations."""
        plain = directive is None or (directive.kind is DirectiveKind.KERNELS_LOOP and not directive.clauses)
        if header.condition is None or header.moved is not None or header.before or not plain:
            return None
        inside = (*without_jumps(body.statements, "continue", self._flag), *header.step)
        loop = While(header.condition, replace(body, statements=inside), False, span)
        counts = as_counting(loop, None, self._non_negative, self._hoisted.names)
        if counts is None:
            return None
        ours = (replace(s, directive=directive) if isinstance(s, For) and s.span == span else s for s in counts)
        return (*header.init, *ours)

    def _general_for(
        self, parts: ForParts, header: Header, body: Block, directive: Directive | None, reason: str, span: Span
    ) -> tuple[Stmt, ...]:
        """A loop that does not count; what a ``for (…)`` has no room for goes before it and into its body."""
        condition, step = header.condition, header.step
        if parts.condition is not None and (header.moved is not None or header.before):
            whole = parts.condition
            before, test = self._hoisted.expression(lambda: self._expressions.value(whole))
            condition, body = None, tested(before, test, body)
        if not all(isinstance(stmt, Assign) for stmt in step):
            body = replace(body, statements=(*without_jumps(body.statements, "continue", self._flag), *step))
            step = ()
        before, init = header.init, ()
        if all(isinstance(stmt, Assign) for stmt in before) or all(isinstance(stmt, Declare) for stmt in before):
            before, init = init, before
        return (*before, GeneralFor(init, condition, step, body, directive, reason, parts.header, span))

    def _header(self, parts: ForParts) -> Header:
        init = () if parts.init is None else self.convert(parts.init)
        before, condition, moved = self._tested(parts.condition)
        step = () if parts.step is None else self.convert(parts.step)
        text = "" if parts.step is None else self._unit.shown(parts.step)
        return Header(init, before, condition, moved, step, text)

    def _tested(self, node: Node | None) -> tuple[tuple[Stmt, ...], Expr | None, Moved | None]:
        """What has to run before a loop's condition, the condition, and what it moves."""
        moved: Moved | None = None

        def condition() -> Expr:
            nonlocal moved
            assert node is not None
            value, moved = self._condition(node)
            return value

        return ((), None, None) if node is None else (*self._hoisted.expression(condition), moved)

    def _condition(self, node: Node) -> tuple[Expr, Moved | None]:
        """A loop's condition; a move of the iterator in it (``i-- > 0``) is taken out."""
        span = Span(node.start, node.end)
        plain = stripped(node)
        if _moving(plain) is not None:
            value, moved = self._moved(plain)
            return Binary("!=", value, IntLit(0, INT, span), INT, span), moved
        if plain.kind == "BINARY_OPERATOR" and plain.operator in _RELATIONS:
            left, right = plain.children
            if _moving(left) is not None:
                value, moved = self._moved(left)
                return Binary(plain.operator, value, self._expressions.value(right), INT, span), moved
            if _moving(right) is not None:
                value, moved = self._moved(right)
                return Binary(plain.operator, self._expressions.value(left), value, INT, span), moved
        return self._expressions.value(node), None

    def _moved(self, node: Node) -> tuple[Expr, Moved]:
        """The iterator of ``i--``, as the comparison sees its type, and the move."""
        operation = _moving(node)
        assert operation is not None
        place = self._expressions.place(operation.children[0])
        assert isinstance(place, Var)
        seen = self._unit.types.scalar(node.type, place.span)
        moved = Moved(place.symbol, 1 if operation.operator == "++" else -1, operation.is_postfix)
        return converted(place, seen, True, place.span), moved

    # --- expressions as statements -------------------------------------------------------------------------------

    def _effect(self, node: Node, span: Span) -> tuple[Stmt, ...]:
        """An expression that stands as a statement."""
        operator = node.operator if node.kind in {"BINARY_OPERATOR", "UNARY_OPERATOR"} else ""
        if assigned(node) is not None:
            return self._assign(node, span)
        if node.kind == "PAREN_EXPR" or operator == "__extension__":
            return self._effect(node.children[0], span)
        if operator == ",":
            return tuple(stmt for child in node.children for stmt in self.convert(child))
        if node.kind == "CSTYLE_CAST_EXPR" and node.type.kind == "VOID":
            return self._effect(node.children[-1], span)
        if node.kind == "StmtExpr":
            return (self.block(node.children[0]),)
        if node.kind == "CONDITIONAL_OPERATOR":
            return (self._if(node, span),)
        if node.kind == "CXX_UNARY_EXPR":
            return ()
        if node.kind == "UNEXPOSED_STMT" and [child.kind for child in node.children] == ["NULL_STMT"]:
            return ()  # an attribute that stands alone: __attribute__((fallthrough))
        if not node.is_expression:
            raise rejected("ACC202", "this statement can't run on a device", span, _OUTSIDE)
        if is_idle(node):
            return ()
        ends = ending(node)
        if ends is not None:
            return (Unsupported(ends, span, unlikely=True),)
        loop = as_loop(self._expressions, node, span) if node.kind == "CALL_EXPR" else None
        if loop is None:
            self._expressions.value(node)
        return loop or ()

    def _move(self, node: Node, target: Node, span: Span) -> tuple[Stmt, ...] | None:
        """An assignment to a local pointer; None for any other pointer."""
        scope = self._expressions.begun.get(node.start) if node.kind == "BINARY_OPERATOR" else None
        if scope is not None and target.referenced is not None:
            return self._aliases.begin(target.referenced, node.children[1], scope, span)
        at = None if target.referenced is None else self._expressions.moving.get(target.referenced.key)
        if at is None or target.kind != "DECL_REF_EXPR":
            return None
        if node.kind == "BINARY_OPERATOR":
            return self._aliases.assign(target, node.children[1], span)
        self._expressions.address(target)
        step: Expr = IntLit(1, INT, span)
        if node.kind != "UNARY_OPERATOR":
            step = widened(self._expressions.value(node.children[1]), span)
        op = node.operator[0] + "=" if node.kind == "UNARY_OPERATOR" else node.operator
        return (Assign(Var(at, span), op, step, span),)

    def _given(self, node: Node, span: Span) -> tuple[Stmt, ...] | None:
        """An assignment to a pointer inside of an expression; None where its place can't be told by it."""
        return self._move(node, stripped(node.children[0]), span)

    def _assign(self, node: Node, span: Span) -> tuple[Stmt, ...]:
        target = node.children[0]
        if self._expressions.turning and pointer_place(target) in self._expressions.turning:
            return self._aliases.turn(stripped(target), node.children[1], span)
        if target.type.is_pointer:
            moved = self._move(node, stripped(target), span)
            if moved is not None:
                return moved
            message = f"the pointer {self._unit.shown(target)} changes here ({self._unit.shown(node)})"
            hint = "declare a new pointer where it gets its value, or index the array"
            raise rejected("ACC202", message, span, hint)
        if node.kind == "UNARY_OPERATOR":
            one = IntLit(1, INT, span)
            op = "+=" if node.operator == "++" else "-="
            return (Assign(self._expressions.place(target), op, one, span),)
        if target.type.kind == "COMPLEX":
            place = self._expressions.place(target)
            return self._expressions.complexes.assigned(place, node.operator, node.children[1], span)
        value, place = self._expressions.value(node.children[1]), self._expressions.place(target)
        return by_members(place, value, span) or (Assign(place, node.operator, value, span),)


def _has_jumps(body: Block) -> bool:
    """Whether a ``break`` or ``continue`` leaves the body of a loop."""
    return any(has_jump(stmt, word) for stmt in body.statements for word in ("break", "continue"))


def _counting(header: Header, known: frozenset[Symbol]) -> tuple[Counting | None, str]:
    """The normal form of a header, or why there is none."""
    try:
        return counting(header, known), ""
    except NotCounting as reason:
        return None, str(reason)


def _counting_for(loop: Counting, body: Block, directive: Directive | None, header: Span, span: Span) -> For:
    body = Block((*body.statements, *loop.tail), body.span)
    return For(loop.iterator, loop.first, loop.relation, loop.bound, loop.step, body, directive, header, span)


def _moving(node: Node) -> Node | None:
    """The ``i++`` or ``--i`` of a variable that an operand is, conversions aside."""
    node = unconverted(node)
    if node.kind == "UNARY_OPERATOR" and node.operator in {"++", "--"} and not node.type.is_pointer:
        return node if stripped(node.children[0]).kind == "DECL_REF_EXPR" else None
    return None


def _changing(value: Node) -> Node | None:
    """The ``x++`` or the assignment whose value another one takes: ``v = x = 0``."""
    value = unconverted(value)
    return None if assigned(value) is None or value.type.is_pointer else value
