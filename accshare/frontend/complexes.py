"""Complex numbers: expressions of them as their real and imaginary parts, each an expression of real numbers.

``double complex`` is a struct of two numbers to all that comes later. A part that C does not compute, the imaginary one
of a real operand, is None: ``x * z`` has two products. A product of two complex numbers is Annex G's, which recovers
infinities from NaN, as compilers' is without -fcx-limited-range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from accshare.conversions import is_complex
from accshare.diagnostics import rejected
from accshare.frontend.clang import CType, Node
from accshare.frontend.constants import converted, negated
from accshare.frontend.converter import Converter
from accshare.frontend.hoisting import Names
from accshare.frontend.ir import (
    INT,
    Assign,
    Binary,
    Block,
    Call,
    Conditional,
    Declare,
    Expr,
    Field,
    FloatLit,
    Function,
    If,
    Inline,
    IntLit,
    Jump,
    Member,
    Scalar,
    Stmt,
    Storage,
    Struct,
    Symbol,
    Type,
    Var,
)
from accshare.frontend.walks import expressions as walked
from accshare.frontend.walks import own_expressions, rewritten, statements
from accshare.pragma.ir import Directive, ReductionClause
from accshare.source import Span

#: real and imaginary part
Parts: TypeAlias = tuple[Expr, Expr | None]

#: from an imaginary literal, ``1.0iF``, to a real one
_WITHOUT_UNIT = str.maketrans("", "", "iIjJ")
_PLACES = frozenset({"DECL_REF_EXPR", "ARRAY_SUBSCRIPT_EXPR", "MEMBER_REF_EXPR"})
_PRODUCT = "__accshare_product"
_NAMES = ("re", "im")
_NOWHERE = Span(0, 0)


def part_of(place: Expr, number: int) -> Member:
    """The real or the imaginary part of an object."""
    assert isinstance(place.type, Struct)
    return Member(place, _NAMES[number], place.type.fields[number].type, place.span)


class Complexes:
    """Converts the complex expressions of one region or one called function."""

    def __init__(self, converter: Converter) -> None:
        self._converter = converter

    def value(self, node: Node, span: Span) -> Expr:
        """The value of a complex expression, an object that has it."""
        node = _plain(node)
        if _is_place(node):
            return self._converter.place(node)
        if node.kind == "CALL_EXPR" and node.spelling not in _KNOWN:
            return self._converter.call(node, span)
        re, im = self.parts(node)
        made = Var(self._converter.hoisted.names.temporary("z", self._converter.unit.types.of(node.type, span)), span)
        self._converter.hoisted.add(Declare(made.symbol, None, span), *self._stored(made, re, im, span))
        return made

    def real(self, node: Node, span: Span) -> Expr | None:
        """The value of a call or an operator that makes a real number of a complex one; None for any other."""
        name = node.spelling.removeprefix("__builtin_") if node.kind == "CALL_EXPR" else node.operator
        if name in {"creal", "crealf", "__real__"}:
            return self.parts(_last(node))[0]
        if name in {"cimag", "cimagf", "__imag__"}:
            re, im = self.parts(_last(node))
            return _zero(re) if im is None else im
        for function, known in (("cabs", "hypot"), ("carg", "atan2")):
            if name.removesuffix("f") == function:
                re, im = self.parts(_last(node))
                both = (re, _zero(re) if im is None else im)
                type_ = self._converter.unit.types.scalar(node.type, span)
                return Call(known + name.removeprefix(function), both[:: 1 if known == "hypot" else -1], type_, span)
        return None

    def assigned(self, target: Expr, op: str, value: Node, span: Span) -> tuple[Stmt, ...]:
        """An assignment to a complex object."""
        parts = self.parts(value)
        if op != "=":
            parts = self._combined(op[:-1], (part_of(target, 0), part_of(target, 1)), parts, span)
        return tuple(self._stored(target, *parts, span))

    def equal(self, op: str, left: Node, right: Node, span: Span) -> Expr:
        """``a == b`` or ``a != b``."""
        sides = self.parts(left), self.parts(right)
        wide = _wider(sides[0][0].type, sides[1][0].type)
        parts = [tuple(converted(_zero(side[0]) if p is None else p, wide, True, span) for p in side) for side in sides]
        both = [Binary(op, one, other, INT, span) for one, other in zip(*parts, strict=True)]
        return Binary("&&" if op == "==" else "||", both[0], both[1], INT, span)

    def parts(self, node: Node) -> Parts:
        """The parts of an expression, which may be real."""
        node, span = _plain(node), Span(node.start, node.end)
        if node.type.kind != "COMPLEX":
            return self._converter.value(node), None
        if _is_place(node):
            place = self._converter.place(node)
            return part_of(place, 0), part_of(place, 1)
        match node.kind:
            case "UNEXPOSED_EXPR" | "CSTYLE_CAST_EXPR":
                return self._converted(_last(node), node.type, span)
            case "IMAGINARY_LITERAL":
                one = self._converter.value(node.children[0])
                literal = (
                    FloatLit(one.text.translate(_WITHOUT_UNIT), one.type, span) if isinstance(one, FloatLit) else one
                )
                return _zero(literal), literal
            case "UNARY_OPERATOR":
                return self._unary(node, span)
            case "BINARY_OPERATOR" if node.operator in {"+", "-", "*", "/"}:
                left, right = (self.parts(child) for child in node.children)
                return self._combined(node.operator, left, right, span)
            case "BINARY_OPERATOR" if node.operator == "=":
                place = self._converter.place(node.children[0])
                self._converter.hoisted.add(*self.assigned(place, "=", node.children[1], span))
                return part_of(place, 0), part_of(place, 1)
            case "CALL_EXPR":
                return self._call(node, span)
            case "CONDITIONAL_OPERATOR":
                whole = self._converter.chosen(node, span)
                return part_of(whole, 0), part_of(whole, 1)
        message = "this operation on complex numbers can't run on a device"
        raise rejected("ACC202", message, span, "compute real and imaginary parts, or do it before the region")

    def _converted(self, operand: Node, target: CType, span: Span) -> Parts:
        re, im = self.parts(operand)
        type_ = self._part(target, span)
        return tuple(converted(p, type_, False, span) for p in (re, _zero(re) if im is None else im))  # type: ignore[return-value]

    def _part(self, ctype: CType, span: Span) -> Scalar:
        found = self._converter.unit.types.of(ctype, span)
        assert isinstance(found, Struct)
        assert isinstance(found.fields[0].type, Scalar)
        return found.fields[0].type

    def _unary(self, node: Node, span: Span) -> Parts:
        re, im = self.parts(node.children[0])
        minus = None if im is None else negated(im, im.type, span)
        if node.operator == "-":
            return negated(re, re.type, span), minus
        return re, minus if node.operator == "~" else im

    def _call(self, node: Node, span: Span) -> Parts:
        name = node.spelling.removeprefix("__builtin_")
        if name in {"conj", "conjf"}:
            re, im = self.parts(_last(node))
            return re, None if im is None else negated(im, im.type, span)
        if name == "complex":
            re, im = (self._converter.value(child) for child in node.children[1:])
            return re, im
        whole = self._converter.call(node, span)
        return part_of(whole, 0), part_of(whole, 1)

    def _combined(self, op: str, left: Parts, right: Parts, span: Span) -> Parts:
        """``left op right``, of which one is complex."""
        type_ = _wider(left[0].type, right[0].type)
        (a, b), (c, d) = (
            tuple(None if p is None else converted(p, type_, True, span) for p in side) for side in (left, right)
        )
        assert a is not None
        assert c is not None

        def of(sign: str, one: Expr, other: Expr) -> Expr:
            return Binary(sign, one, other, type_, span)

        if op in {"+", "-"}:
            im = of(op, b, d) if b is not None and d is not None else b
            if b is None and d is not None:
                im = negated(d, type_, span) if op == "-" else d
            return of(op, a, c), im
        if op == "/" and d is not None:
            message = "a division by a complex number can't run on a device"
            raise rejected(
                "ACC202", message, span, "multiply by conj(z) and divide by its square, where nothing overflows"
            )
        if d is None and b is not None:
            c = self._kept(c)
            return of(op, a, c), of(op, b, c)
        if b is None and d is not None:
            a = self._kept(a)
            return of(op, a, c), of(op, a, d)
        assert b is not None
        assert d is not None
        args = tuple(map(self._kept, (a, b, c, d)))
        if self._converter.unit.limited:
            return _product(args[0], args[1], args[2], args[3], type_)
        first, second = (f"{_PRODUCT}_{part}_{type_.name}" for part in _NAMES)
        return Call(first, args, type_, span), Call(second, args, type_, span)

    def _kept(self, expr: Expr) -> Expr:
        """A value that is used more than once, where computing it again would take longer than to keep it."""
        if isinstance(expr, Var | FloatLit | IntLit):
            return expr
        return self._converter.hoisted.kept(expr, "part", expr.span)

    def _stored(self, target: Expr, re: Expr, im: Expr | None, span: Span) -> Iterable[Stmt]:
        """A value in an object, which it may be computed from."""
        part = part_of(target, 0).type
        assert isinstance(part, Scalar)
        values = [converted(p, part, True, span) for p in (re, _zero(re) if im is None else im)]
        kept = self._converter.hoisted.kept(values[1], "part", span)
        yield Assign(part_of(target, 0), "=", values[0], span)
        yield Assign(part_of(target, 1), "=", kept, span)


_KNOWN = frozenset({"conj", "conjf", "__builtin_complex", "__builtin_conj", "__builtin_conjf"})


def _plain(node: Node) -> Node:
    """An expression without parentheses and conversions to its own type."""
    while len(node.children) == 1 and (
        node.kind == "PAREN_EXPR"
        or (
            node.kind == "UNEXPOSED_EXPR"
            and node.type.kind == node.children[0].type.kind == "COMPLEX"
            and node.type.bytes == node.children[0].type.bytes
        )
        or (node.kind == "UNARY_OPERATOR" and node.operator == "__extension__")
    ):
        node = node.children[0]
    return node


def _is_place(node: Node) -> bool:
    return node.kind in _PLACES or (node.kind == "UNARY_OPERATOR" and node.operator == "*")


def _last(node: Node) -> Node:
    return [child for child in node.children if child.is_expression][-1]


def _zero(like: Expr) -> Expr:
    suffix = "f" if isinstance(like.type, Scalar) and like.type.name == "float" else ""
    type_ = like.type if isinstance(like.type, Scalar) and like.type.floating else INT
    return IntLit(0, INT, like.span) if type_ == INT else FloatLit(f"0.0{suffix}", type_, like.span)


def _wider(one: Type, other: Type) -> Scalar:
    """The type of the parts of what is computed from parts of two types."""
    types = [t for t in (one, other) if isinstance(t, Scalar) and t.floating]
    return max(types, key=lambda t: t.bytes)


# --- objects of complex type as variables of their own ----------------------------------------------------------------


def with_parts_apart(body: Block, names: Names) -> Block:
    """`body` with two variables for each complex one that it declares, where nothing needs both together."""
    body = Block(tuple(_each_part(body.statements)), body.span)
    whole = {e.symbol for e in _whole_uses(body)}
    own = {s.symbol for s in statements(body) if isinstance(s, Declare) and is_complex(s.symbol.type)} - whole
    apart = {
        s: tuple(names.temporary(f"{s.name}_{n}", f.type) for n, f in zip(_NAMES, _fields(s), strict=True)) for s in own
    }

    def change(node: Stmt | Expr) -> Stmt | Expr | None:
        match node:
            case Member(Var(symbol), name, _, span) if symbol in apart:
                return Var(apart[symbol][_NAMES.index(name)], span)
            case Block(inner, span):
                return Block(tuple(_declared(inner, apart, change)), span)
        return None

    return rewritten(body, change) if apart else body


def _fields(symbol: Symbol) -> tuple[Field, ...]:
    assert isinstance(symbol.type, Struct)
    return symbol.type.fields


def _declared(
    stmts: Iterable[Stmt],
    apart: dict[Symbol, tuple[Symbol, ...]],
    change: Callable[[Stmt | Expr], Stmt | Expr | None],
) -> Iterable[Stmt]:
    for stmt in stmts:
        if isinstance(stmt, Declare) and stmt.symbol in apart:
            yield from (Declare(own, None, stmt.span) for own in apart[stmt.symbol])
        else:
            yield rewritten(stmt, change)


def _each_part(stmts: Iterable[Stmt]) -> Iterable[Stmt]:
    """Statements in which no complex object is assigned as a whole."""
    for stmt in stmts:
        match stmt:
            case Declare(symbol, init, span) if init is not None and is_complex(symbol.type):
                yield Declare(symbol, None, span)
                yield from _copied(Var(symbol, span), init, span)
            case Assign(target, "=", value, span) if is_complex(target.type):
                yield from _copied(target, value, span)
            case _:
                yield rewritten(stmt, _block_apart)


def _block_apart(node: Stmt | Expr) -> Block | None:
    return Block(tuple(_each_part(node.statements)), node.span) if isinstance(node, Block) else None


def _copied(target: Expr, value: Expr, span: Span) -> tuple[Stmt, ...]:
    return tuple(Assign(part_of(target, k), "=", part_of(value, k), span) for k in range(2))


def _whole_uses(body: Block) -> Iterable[Var]:
    """The complex variables that are used other than for a part of theirs."""
    for stmt in statements(body):
        for top in own_expressions(stmt):
            parts = {id(e.base) for e in walked(top) if isinstance(e, Member)}
            yield from (e for e in walked(top) if isinstance(e, Var) and is_complex(e.type) and id(e) not in parts)


def check_reductions(directives: Iterable[Directive], symbols: Iterable[Symbol]) -> None:
    """Raises `Rejected` (ACC203) for a complex number in a ``reduction`` clause."""
    names = {symbol.name for symbol in symbols if is_complex(symbol.type)}
    clauses = (c for d in directives for c in d.clauses if isinstance(c, ReductionClause))
    for var in (var for clause in clauses for var in clause.vars):
        if var.base.text in names:
            message = f"reduction of the complex number {var.base.text} isn't supported"
            hint = "add up real and imaginary parts in numbers of their own, and name these in the clause"
            raise rejected("ACC203", message, var.span, hint)


# --- products --------------------------------------------------------------------------------------------------------


def products(bodies: Iterable[Stmt]) -> tuple[Function, ...]:
    """The functions that compute the parts of products, of those that are called."""
    every = (e for body in bodies for s in statements(body) for top in own_expressions(s) for e in walked(top))
    called = {e.callee: e.type for e in every if isinstance(e, Call) and e.callee.startswith(_PRODUCT)}
    found: list[Function] = []
    for name, type_ in sorted(called.items()):
        assert isinstance(type_, Scalar)
        rare = _recovered(f"{name}_rare", type_, "_re_" in name)
        found += (rare, _careful(name, type_, rare))
    return tuple(found)


def _product(a: Expr, b: Expr, c: Expr, d: Expr, type_: Scalar) -> tuple[Expr, Expr]:
    """The parts of ``(a + b i) * (c + d i)``."""
    one, other, third, fourth = (Binary("*", x, y, type_, a.span) for x, y in ((a, c), (b, d), (a, d), (b, c)))
    return Binary("-", one, other, type_, a.span), Binary("+", third, fourth, type_, a.span)


def _operands(type_: Scalar) -> tuple[Var, Var, Var, Var]:
    a, b, c, d = (Var(Symbol(letter, letter, type_, Storage.PARAMETER), _NOWHERE) for letter in "abcd")
    return a, b, c, d


def _kept(name: str, value: Expr) -> tuple[Declare, Var]:
    symbol = Symbol(name, name, value.type, Storage.INNER)
    return Declare(symbol, value, _NOWHERE), Var(symbol, _NOWHERE)


def _truth(op: str, x: Expr, y: Expr) -> Expr:
    return Binary(op, x, y, INT, _NOWHERE)


def _careful(name: str, type_: Scalar, rare: Function) -> Function:
    """A part of a product; what is found of it elsewhere where both would be NaN."""
    operands = _operands(type_)
    (first, x), (second, y) = (_kept(n, v) for n, v in zip("xy", _product(*operands, type_), strict=True))
    result = x if "_re_" in name else y
    neither = _truth("&&", _truth("!=", x, x), _truth("!=", y, y))
    again = Assign(result, "=", Call(rare.name, (*operands, result), type_, _NOWHERE), _NOWHERE)
    body = (first, second, If(neither, Block((again,), _NOWHERE), None, _NOWHERE))
    whole = Block((*body, Jump("return", result, _NOWHERE)), _NOWHERE)
    return Function(name, tuple(v.symbol for v in operands), type_, whole, Inline(body, result))


def _recovered(name: str, type_: Scalar, real: bool) -> Function:
    """A part of a product that has come to NaN: infinite where an operand or a product of parts is (C's Annex G)."""
    a, b, c, d = operands = _operands(type_)
    suffix = "f" if type_.name == "float" else ""
    infinite, zero, one = (FloatLit(t, type_, _NOWHERE) for t in ("INFINITY", f"0.0{suffix}", f"1.0{suffix}"))
    given = Symbol("given", "given", type_, Storage.PARAMETER)

    def is_infinite(x: Expr) -> Expr:
        return _truth("==", Call(f"fabs{suffix}", (x,), type_, _NOWHERE), infinite)

    def signed(size: Expr, like: Expr) -> Expr:
        return Call(f"copysign{suffix}", (size, like), type_, _NOWHERE)

    def choice(asked: Expr, yes: Expr, no: Expr) -> Expr:
        return Conditional(asked, yes, no, type_, _NOWHERE)

    def settled(x: Expr, own: Expr) -> Expr:
        nothing = choice(_truth("!=", x, x), signed(zero, x), x)
        return choice(own, signed(choice(is_infinite(x), one, zero), x), nothing)

    left, right = (_truth("||", is_infinite(x), is_infinite(y)) for x, y in ((a, b), (c, d)))
    some = _truth("||", left, right)
    for x, y in ((a, c), (b, d), (a, d), (b, c)):
        some = _truth("||", some, is_infinite(Binary("*", x, y, type_, _NOWHERE)))
    again = [_kept(f"{n}_", settled(v, left if n in "ab" else right)) for n, v in zip("abcd", operands, strict=True)]
    re, im = _product(again[0][1], again[1][1], again[2][1], again[3][1], type_)
    value = choice(some, Binary("*", infinite, re if real else im, type_, _NOWHERE), Var(given, _NOWHERE))
    whole = Block((*(declare for declare, _ in again), Jump("return", value, _NOWHERE)), _NOWHERE)
    inline = Inline(tuple(declare for declare, _ in again), value)
    return Function(name, (*(v.symbol for v in operands), given), type_, whole, inline)
