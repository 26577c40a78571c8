"""From the user's statement to the kernel's: references become flat accesses to buffers."""

from __future__ import annotations

from itertools import takewhile
from math import prod

from accshare.atomics import in_steps
from accshare.frontend.ir import (
    INT,
    LONG,
    Array,
    Cast,
    Expr,
    IntLit,
    Member,
    Pointer,
    Scalar,
    Stmt,
    Storage,
    Subscript,
    Symbol,
    Type,
    Var,
)
from accshare.islexpr import binary, literal, variable
from accshare.poly.ir import Scop, Statement, Variable
from accshare.records import dataclass, field, replace
from accshare.reference import resolve, root, strip
from accshare.schedule.ir import Kernel, accumulator, row_results
from accshare.tree import rewrite, rewrite_statement

#: arrays with fewer elements are indexed in 32 bits
_SMALL = 1 << 31


def buffer_symbol(variable_: Variable) -> Symbol:
    """The pointer parameter through which kernels reach a variable."""
    return Symbol(variable_.name, variable_.name, Pointer(variable_.element, True, False), Storage.PARAMETER)


@dataclass(frozen=True, slots=True)
class Bodies:
    """Rewrites statements of one nest.

    `elsewhere` gives the references that don't go to global memory, `in_tiles` those of each statement, by its name,
    that go to local memory: in two statements, the same words may find an element by iterators of different loops. A
    work-item has the variables called `expanded` once for each of its iterations, of which `iteration` is the number.
    Where a split kernel has results for each of several rows, `row` is the number of one and how many they are.
    """

    scop: Scop
    nest: Kernel
    elsewhere: dict[Expr, Expr] = field(default_factory=dict)
    in_tiles: dict[str, dict[Expr, Expr]] = field(default_factory=dict)
    expanded: frozenset[str] = frozenset()
    iteration: Expr = field(default_factory=lambda: literal(0, INT))
    row: tuple[Expr, int] | None = None

    def statement(self, statement: Statement) -> Stmt:
        """The body with every reference to memory put on its buffer; nobody else comes to what is a work-item's own."""
        here = replace(self, elsewhere={**self.elsewhere, **self.in_tiles.get(statement.name, {})})
        return in_steps(rewrite_statement(statement.body, here._reference), _is_own)

    def expression(self, expr: Expr) -> Expr:
        """The same for an expression."""
        return rewrite(expr, self._reference)

    def _reference(self, expr: Expr) -> Expr | None:
        if not isinstance(expr, Var | Subscript | Member):
            return None
        if expr in self.elsewhere:
            return self.elsewhere[expr]
        found = self._find(expr)
        if found is None:
            return None
        if found.name in self.nest.private and found.name not in self.expanded and isinstance(expr, Var):
            return None
        if any(r.variable == found for r in self.nest.reductions):
            if self.row is not None:
                number, rows = self.row
                return Subscript(variable(row_results(found, rows)), number, found.element, expr.span)
            return Var(accumulator(found), expr.span)
        return self._flat(expr, found)

    def _find(self, expr: Expr) -> Variable | None:
        if isinstance(expr, Var) and isinstance(expr.symbol.type, Array | Pointer):
            return None
        base = strip(expr) if isinstance(expr, Var) else resolve(expr).base
        return next((v for v in self.scop.variables if v.base == base), None)

    def _flat(self, expr: Expr, found: Variable) -> Expr:
        """``A[i][j]`` as ``A[i * m + j]``; members and the arrays inside them stay as they are."""
        steps: list[Subscript | Member] = []
        node = strip(expr)
        while isinstance(node, Subscript | Member) and node != found.base:
            steps.append(node)
            node = strip(node.base)
        steps.reverse()
        index: Expr | None = None
        leading = list(takewhile(lambda step: isinstance(step, Subscript), steps))
        for step in leading:
            assert isinstance(step, Subscript)
            own = self.expression(step.index)
            index = own if index is None else _row(index, _length(step, found), own, found.shape)
        private = found.name in self.nest.private
        if found.name in self.expanded:
            constant, times = sizes_of(found)
            length: Expr = literal(prod(constant), INT)
            type_ = INT
            if times is not None:
                length, type_ = binary("*", length, times, LONG), LONG
            own = binary("*", self.iteration, length, type_)
            index = own if index is None else binary("+", own, index, type_)
        result: Expr = found.base if private else variable(buffer_symbol(found))
        if index is not None or not private:
            result = Subscript(result, literal(0, INT) if index is None else index, found.element, expr.span)
        for step in steps[len(leading) :]:
            if isinstance(step, Subscript):
                result = Subscript(result, self.expression(step.index), step.type, step.span)
            else:
                result = Member(result, step.name, step.type, step.span)
        return result


def _is_own(place: Expr) -> bool:
    owner = root(place)
    return owner is not None and not isinstance(owner.type, Pointer)


def _length(step: Subscript, found: Variable) -> Expr:
    """The extent of the dimension that `step` subscripts."""
    depth = 0
    node = strip(step.base)
    while isinstance(node, Subscript) and node != found.base:
        depth += 1
        node = strip(node.base)
    length = found.shape[depth] if depth < len(found.shape) else None
    return literal(1, LONG) if length is None else length


def row_major(places: tuple[Expr, ...], shape: tuple[Expr | None, ...]) -> Expr:
    """The flat index of an element of an array of some shape."""
    index = places[0]
    for own, length in zip(places[1:], shape[1:], strict=True):
        assert length is not None
        index = _row(index, length, own, shape)
    return index


def _row(index: Expr, length: Expr, own: Expr, shape: tuple[Expr | None, ...]) -> Expr:
    """``index * length + own``, in 64 bits unless the whole array is known to be small: C computes addresses so."""
    sizes = [size.value for size in shape if isinstance(size, IntLit)]
    small = len(sizes) == len(shape) and prod(sizes) < _SMALL
    if not small and isinstance(index.type, Scalar) and index.type.bytes < LONG.bytes:
        index = Cast(index, LONG, False, index.span)
    type_ = INT if small else LONG
    return binary("+", binary("*", index, length, type_), own, type_)


def element_of(type_: Type) -> tuple[Type, tuple[int, ...]]:
    """An array type's innermost element and its constant lengths."""
    lengths = []
    while isinstance(type_, Array):
        lengths.append(getattr(type_.length, "value", 1))
        type_ = type_.element
    return type_, tuple(lengths)


def sizes_of(array: Variable) -> tuple[tuple[int, ...], Expr | None]:
    """The constant lengths of an array in whatever it is declared in, and the product of the others, if there are
    any."""
    times: Expr | None = None
    for length in array.shape:
        if length is not None and not isinstance(length, IntLit):
            times = length if times is None else binary("*", times, length, LONG)
    return element_of(array.base.type)[1], times
