"""Sizes computed before a region, ``int nn = n * n;``, as subscripts then say them: ``a[i * (n * n) + j * n + k]``,
and bounds of loops over all elements.
"""

from __future__ import annotations

from collections import Counter

from accshare.frontend.clang import Key, Node
from accshare.frontend.constants import converted
from accshare.frontend.effects import walk, writes
from accshare.frontend.expressions import Expressions
from accshare.frontend.ir import (
    Assign,
    Binary,
    Block,
    Declare,
    Expr,
    For,
    Scalar,
    Stmt,
    Storage,
    Subscript,
    Symbol,
    Var,
)
from accshare.frontend.walks import all_expressions, rewritten, variables
from accshare.records import dataclass, replace
from accshare.source import Span

_PLAIN = frozenset({"PAREN_EXPR", "UNEXPOSED_EXPR", "DECL_REF_EXPR", "INTEGER_LITERAL", "CSTYLE_CAST_EXPR"})
_VARIABLES = frozenset({"VAR_DECL", "PARM_DECL"})


def with_products_known(body: Block, function: Node, expressions: Expressions) -> Block:
    """`body`, a region of `function`, with products in its subscripts for variables that are these and never change."""
    declared = Counter(part.spelling for part in walk(function) if part.kind in _VARIABLES)
    single = frozenset(name for name, count in declared.items() if count == 1)
    found = _Products(expressions, writes(function).variables, single)
    return rewritten(body, found.in_place)


@dataclass(frozen=True, slots=True)
class _Products:
    """Finds what variables stand for; not those that are `written`, and names that are declared but once."""

    expressions: Expressions
    written: frozenset[Key]
    single: frozenset[str]

    def in_place(self, node: Stmt | Expr) -> Stmt | Expr | None:
        """An element with such products in its subscript, a number of the region's own that is made of them, as
        subscripts may be, and a loop with one as its bound."""
        match node:
            case Declare(Symbol(type=Scalar(floating=False)), init) if init is not None:
                return replace(node, init=rewritten(init, self._product))
            case Assign(Var(Symbol(type=Scalar(floating=False), storage=Storage.INNER)), value=value):
                return replace(node, value=rewritten(value, self._product))
            case Subscript(base, index):
                return replace(node, base=rewritten(base, self.in_place), index=rewritten(index, self._product))
            case For(bound=bound, body=body) if _is_of_all(node):
                return replace(node, bound=rewritten(bound, self._product), body=rewritten(body, self.in_place))
        return None

    def _product(self, node: Stmt | Expr) -> Stmt | Expr | None:
        if isinstance(node, Var) and node.symbol.storage is Storage.LOCAL and isinstance(node.type, Scalar):
            decl = next((decl for symbol, decl in self.expressions.declarations if symbol == node.symbol), None)
            return None if decl is None or node.type.floating else self._value(decl, node.symbol, node.span)
        return self.in_place(node)

    def _value(self, decl: Node, symbol: Symbol, span: Span) -> Expr | None:
        """The product that a variable is given where it is declared; None where it isn't just that."""
        init = decl.initialiser
        if init is None or not self._fixed(decl) or not all(map(self._is_plain, walk(init))):
            return None
        if not any(part.kind == "BINARY_OPERATOR" for part in walk(init)):
            return None
        assert isinstance(symbol.type, Scalar)
        value = converted(self.expressions.settled(init), symbol.type, False, span)
        return rewritten(value, self._product) if isinstance(value, Binary) else None

    def _fixed(self, decl: Node) -> bool:
        """Whether a variable of the function keeps its first value."""
        known = decl.kind in _VARIABLES and not decl.is_file_scope and not decl.is_static_local
        return known and decl.key not in self.written and decl.spelling in self.single and not decl.type.is_volatile

    def _is_plain(self, node: Node) -> bool:
        """Whether it may be part of a product of integers that do not change."""
        if node.kind == "BINARY_OPERATOR":
            return node.operator == "*"
        if node.kind == "DECL_REF_EXPR":
            return node.referenced is not None and self._fixed(node.referenced)
        return node.kind in _PLAIN


def _is_of_all(loop: For) -> bool:
    """Whether a loop's iterator is a dividend, or numbers elements by itself."""
    for expr in all_expressions(loop.body):
        if isinstance(expr, Binary) and expr.op in {"/", "%"}:
            if any(use.symbol == loop.iterator for use in variables(expr.lhs)):
                return True
        elif isinstance(expr, Subscript) and isinstance(expr.index, Var) and expr.index.symbol == loop.iterator:
            return True
    return False
