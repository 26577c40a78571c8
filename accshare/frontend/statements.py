"""C statements: from libclang's to ours. One of theirs may become several of ours, or none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from accshare.diagnostics import Rejected, rejected
from accshare.frontend.aliases import alias
from accshare.frontend.atomics import atomic
from accshare.frontend.clang import Node
from accshare.frontend.constants import converted
from accshare.frontend.effects import assigned, walk
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
    Scalar,
    Stmt,
    Symbol,
    Unsupported,
    Var,
    While,
)
from accshare.frontend.loops import Counting, Header, Moved, NotCounting, check_body, counting
from accshare.frontend.parts import ForParts, for_parts
from accshare.frontend.refusals import stripped, unknown
from accshare.pragma.ir import Directive
from accshare.source import Span

_RELATIONS = frozenset({"<", "<=", ">", ">=", "!="})
_UNSUPPORTED = {
    "GOTO_STMT": "goto",
    "INDIRECT_GOTO_STMT": "goto",
    "LABEL_STMT": "a label",
    "SWITCH_STMT": "switch",
    "CASE_STMT": "switch",
    "ASM_STMT": "inline assembly",
    "GCC_ASM_STMT": "inline assembly",
    "MS_ASM_STMT": "inline assembly",
}
_HINTS = {"switch": "write it as if … else if", "goto": "write it with if, while or break"}


@dataclass(frozen=True, slots=True)
class Pragmas:
    """The directives that stand on loops, and those that make statements atomic, by the byte offset these start at."""

    loops: Mapping[int, Directive]
    atomics: Mapping[int, Directive]


class Statements:
    """Converts the statements of one region or one called function (`returns`)."""

    def __init__(self, expressions: Expressions, pragmas: Pragmas, returns: bool = False) -> None:
        self._expressions = expressions
        self._unit = expressions.unit
        self._pragmas = pragmas
        self._returns = returns
        self._depth = 0
        self._scopes: list[Node] = []
        self._non_negative: frozenset[Symbol] = frozenset()

    def block(self, node: Node) -> Block:
        """A compound statement, or any other as the block it stands for."""
        span = Span(node.start, node.end)
        self._scopes.append(node)
        parts = node.children if node.kind == "COMPOUND_STMT" else (node,)
        found = tuple(stmt for part in parts for stmt in self.convert(part))
        self._scopes.pop()
        return Block(found, span)

    def convert(self, node: Node) -> tuple[Stmt, ...]:
        """A statement; one that no device can run becomes `Unsupported`."""
        span = Span(node.start, node.end)
        directive = self._pragmas.atomics.get(node.start)
        try:
            if directive is not None:
                return (atomic(directive, self._simple(node), span),)
            return self._convert(node, span)
        except Rejected as reason:
            return (Unsupported(reason.diagnostic, span),)

    def _convert(self, node: Node, span: Span) -> tuple[Stmt, ...]:
        match node.kind:
            case "COMPOUND_STMT":
                return (self.block(node),)
            case "NULL_STMT":
                return ()
            case "DECL_STMT":
                return tuple(stmt for decl in node.children for stmt in self._declare(decl))
            case "IF_STMT":
                return (self._if(node, span),)
            case "FOR_STMT":
                return self._for(node, span)
            case "WHILE_STMT":
                condition, body = node.children
                return (While(self._expressions.value(condition), self._body(body), False, span),)
            case "DO_STMT":
                body, condition = node.children
                return (While(self._expressions.value(condition), self._body(body), True, span),)
            case "BREAK_STMT" | "CONTINUE_STMT" | "RETURN_STMT":
                return (self._jump(node, span),)
            case kind if kind in _UNSUPPORTED:
                what = _UNSUPPORTED[kind]
                raise rejected("ACC202", f"{what} can't run on a device", span, _HINTS.get(what))
            case _:
                return self._effect(node, span)

    def _simple(self, node: Node) -> tuple[Stmt, ...]:
        """The simple statements that ``atomic`` stands on, ``v = x++`` as two."""
        if node.kind == "COMPOUND_STMT":
            return tuple(stmt for part in node.children for stmt in self._simple(part))
        span = Span(node.start, node.end)
        moving = _moving(node.children[1]) if node.kind == "BINARY_OPERATOR" and node.operator == "=" else None
        if moving is None:
            return self._convert(node, span)
        update = self._convert(moving, Span(moving.start, moving.end))
        type_ = self._unit.types.scalar(node.children[0].type, span)
        value = converted(self._expressions.place(moving.children[0]), type_, True, span)
        captured = Assign(self._expressions.place(node.children[0]), "=", value, span)
        return (captured, *update) if moving.is_postfix else (*update, captured)

    # --- declarations and control --------------------------------------------------------------------------------

    def _declare(self, decl: Node) -> tuple[Stmt, ...]:
        if decl.kind != "VAR_DECL":
            return ()
        span = Span(decl.start, decl.end)
        if decl.is_static_local:
            message = f"the static variable {decl.spelling} is declared inside the region"
            raise rejected("ACC202", message, span, "declare it before the region")
        if decl.is_file_scope:
            return ()
        values = [c for c in decl.children if c.is_expression][decl.written_dimensions :]
        if decl.type.is_pointer:
            self._expressions.aliases[decl.key] = alias(decl, values, self._scopes[-1], self._expressions)
            return ()
        init = None
        if values:
            if values[-1].kind == "INIT_LIST_EXPR":
                message = f"{decl.spelling} is initialised with a list"
                raise rejected("ACC202", message, span, "assign the elements one by one")
            init = self._expressions.value(values[-1])
        return (Declare(self._expressions.symbol(decl), init, span),)

    def _if(self, node: Node, span: Span) -> If:
        condition, then, *other = node.children
        return If(
            self._expressions.value(condition),
            self.block(then),
            self.block(other[0]) if other else None,
            span,
        )

    def _body(self, node: Node) -> Block:
        self._depth += 1
        body = self.block(node)
        self._depth -= 1
        return body

    def _jump(self, node: Node, span: Span) -> Jump:
        word = node.kind.removesuffix("_STMT").lower()
        if word == "return":
            if not self._returns:
                raise rejected("ACC202", "return inside a region can't run on a device", span)
            value = self._expressions.value(node.children[0]) if node.children else None
            return Jump(word, value, span)
        if self._depth == 0:
            raise rejected("ACC202", f"{word} leaves the region", span)
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
                    check_body(loop, body)
                    return (*loop.before, _counting_for(loop, body, directive, parts.header, span))
                except NotCounting as found:
                    reason = str(found)
        finally:
            self._scopes.pop()
        if header.moved is not None and parts.condition is not None:
            where = Span(parts.condition.start, parts.condition.end)
            message = f"{self._unit.shown(parts.condition)} changes a variable in the condition, and {reason}"
            raise rejected("ACC205", message, where, "change the variable in the loop's step or body")
        condition, step = header.condition, header.step
        return (GeneralFor(header.init, condition, step, body, directive, reason, parts.header, span),)

    def _header(self, parts: ForParts) -> Header:
        init = () if parts.init is None else self.convert(parts.init)
        condition, moved = None, None
        if parts.condition is not None:
            condition, moved = self._condition(parts.condition)
        step = () if parts.step is None else self.convert(parts.step)
        text = "" if parts.step is None else self._unit.shown(parts.step)
        return Header(init, condition, moved, step, text)

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
        if operation is None:
            raise unknown(node, Span(node.start, node.end))
        place = self._expressions.place(operation.children[0])
        if not isinstance(place, Var) or not isinstance(place.type, Scalar):
            raise unknown(node, Span(node.start, node.end))
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
            if any(part.spelling == "__assert_fail" for part in walk(node)):
                raise rejected("ACC204", "assert can't run on a device", span, "compile with -DNDEBUG")
            return (self.block(node.children[0]),)
        if node.kind == "CONDITIONAL_OPERATOR":
            return (self._if(node, span),)
        if node.kind == "CXX_UNARY_EXPR":
            return ()
        if not node.is_expression:
            raise rejected("ACC202", "this statement can't run on a device", span)
        self._expressions.value(node)
        return ()

    def _assign(self, node: Node, span: Span) -> tuple[Stmt, ...]:
        target = node.children[0]
        if target.type.is_pointer:
            message = f"the pointer {self._unit.shown(target)} changes here ({self._unit.shown(node)})"
            hint = "declare a new pointer where it gets its value, or index the array"
            raise rejected("ACC202", message, span, hint)
        if node.kind == "UNARY_OPERATOR":
            one = IntLit(1, INT, span)
            op = "+=" if node.operator == "++" else "-="
            return (Assign(self._expressions.place(target), op, one, span),)
        inner = _chained(node.children[1]) if node.operator == "=" else None
        if inner is None:
            value = self._expressions.value(node.children[1])
            return (Assign(self._expressions.place(target), node.operator, value, span),)
        before = self._assign(inner, Span(inner.start, inner.end))
        type_ = self._unit.types.scalar(target.type, span)
        value = converted(self._expressions.place(inner.children[0]), type_, True, span)
        return (*before, Assign(self._expressions.place(target), "=", value, span))


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
    """The ``i++`` or ``--i`` that an operand is, conversions aside."""
    while node.kind in {"PAREN_EXPR", "UNEXPOSED_EXPR"} and len(node.children) == 1:
        node = node.children[0]
    if node.kind == "UNARY_OPERATOR" and node.operator in {"++", "--"}:
        return node
    return None


def _chained(value: Node) -> Node | None:
    """The assignment whose value an assignment takes: ``y = 0`` in ``x = y = 0``."""
    while value.kind in {"PAREN_EXPR", "UNEXPOSED_EXPR"} and len(value.children) == 1:
        value = value.children[0]
    is_assignment = value.kind == "COMPOUND_ASSIGNMENT_OPERATOR"
    return value if is_assignment or (value.kind == "BINARY_OPERATOR" and value.operator == "=") else None
