"""How far subscripts reach that the contents of other arrays tell.

``x[column[k]]`` lies between the least and the greatest number in `column`, and ``for (k = row[i]; k < row[i + 1];
k++)`` runs from the first to the last number in `row` where none is less than the one before. Arrays in the program's
own memory may be looked at when the region begins, so that native kernels know what overlaps. Only what the loops
themselves read in any case is looked at: nobody knows what else is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce

import islpy as isl

from accshare.data.extents import extent, subscripts_of
from accshare.data.ir import Datum, IndexLook, Section
from accshare.data.reach import Ends, ends_in, reach
from accshare.frontend.ir import (
    INT,
    LONG,
    Assign,
    Binary,
    Block,
    Conditional,
    Declare,
    Expr,
    For,
    Jump,
    Scalar,
    Stmt,
    Storage,
    Subscript,
    Symbol,
    Var,
)
from accshare.islexpr import binary, literal, variable
from accshare.poly.ir import Access, LoopNode, Mode, Scop, Statement, Variable, VariableKind
from accshare.records import replace
from accshare.reference import strip
from accshare.subscripts import AffineReference, affine
from accshare.tree import all_expressions, expressions, operands, own_expressions, statements

_SET, _DIV = isl.dim_type.set, isl.dim_type.div
_ONE = literal(1, LONG)


def looked_up(data: tuple[Datum, ...], scop: Scop) -> tuple[tuple[IndexLook, ...], tuple[Datum, ...]]:
    """What has to be looked at, one after the other, to tell how far data reach of which that isn't known, and the data
    with what that tells of them."""
    found = _Looks(scop, {datum.name: datum for datum in data})
    told = tuple(_told(datum, found) if datum.endless else datum for datum in data)
    used = {v for d in told if d.looked_up and d.reach is not None for v in d.reach.variables}
    needed: list[IndexLook] = []
    for look in reversed(found.looks):
        if {look.low, look.high} & used:
            needed.insert(0, look)
            used |= look.section.variables
    return tuple(needed), told


def _told(datum: Datum, found: _Looks) -> Datum:
    section = found.reach(next(v for v in found.scop.variables if v.name == datum.name))
    return datum if section is None else replace(datum, reach=section, looked_up=True)


class _Looks:
    """What is known of variables and of arrays' elements so far, and what has to be looked at for that."""

    def __init__(self, scop: Scop, data: dict[str, Datum]) -> None:
        self.scop = scop
        self.looks: list[IndexLook] = []
        self._data = data
        self._variables = {v.base: v for v in scop.variables if v.kind is VariableKind.MEMORY}
        self._told: dict[Expr, Ends | None] = {}

    def reach(self, variable_: Variable) -> Section | None:
        """A section that all accesses to an array which is only read are in; None where nothing tells."""
        every = [(a, s) for s in self.scop.statements for a in s.accesses if a.variable == variable_]
        if any(a.mode is Mode.WRITE for a, _ in every):
            return None
        return reach(self.scop, variable_, self._all([e for a, _ in every for e in a.subscripts]))

    def _all(self, exprs: Iterable[Expr]) -> dict[Expr, Ends]:
        """What is told of all that some expressions are computed from."""
        for expr in exprs:
            for part in expressions(expr):
                source = part.base if isinstance(part, Subscript) else part
                if source not in self._told:
                    self._told[source] = None  # nothing, for what needs to know it of itself
                    self._told[source] = self._elements(source) if source in self._variables else self._values(source)
        return {source: ends for source, ends in self._told.items() if ends is not None}

    def _values(self, expr: Expr) -> Ends | None:
        """The values of a variable that iterations have for themselves: all that it is ever set to."""
        if not isinstance(expr, Var) or not self._is_own(expr.symbol):
            return None
        found: list[Ends | None] = []
        for statement in self.scop.statements:
            for stmt in statements(statement.body):
                match stmt:
                    case For(iterator=iterator) if iterator == expr.symbol:
                        found.append(self._iterations(stmt, statement))
                    case Declare(symbol, init) if symbol == expr.symbol and init is not None:
                        found.append(self._of(init, statement))
                    case Assign(Var(symbol), op, value) if symbol == expr.symbol:
                        found.append(self._of(value, statement) if op == "=" else None)
        known = [ends for ends in found if ends is not None]
        return reduce(Ends.hull, known) if known and len(known) == len(found) else None

    def _of(self, value: Expr, statement: Statement) -> Ends | None:
        return ends_in(value, statement, self.scop, self._all([value]))

    def _iterations(self, loop: For, statement: Statement) -> Ends | None:
        """The values of an iterator whose loop counts up to what arrays hold."""
        if loop.step != 1 or loop.relation not in ("<", "<="):
            return None
        rows = self._rows(loop, statement)
        if rows is not None:
            return Ends(variable(rows.low), binary("-", variable(rows.high), _ONE, LONG))
        first, bound = self._of(loop.first, statement), self._of(loop.bound, statement)
        if first is None or bound is None:
            return None
        return Ends(first.low, binary("-", bound.high, _ONE, LONG) if loop.relation == "<" else bound.high)

    def _elements(self, base: Expr) -> Ends | None:
        """The least and the greatest of an array of integers, all of which that are read can be looked at."""
        variable_ = self._variables[base]
        if not self._is_index(variable_):
            return None
        every = [(a, s) for s in self.scop.statements for a in s.accesses if a.variable == variable_]
        if all(a.exact for a, _ in every):
            found = extent(self.scop, variable_)
            section = None if found is None else Section(found.lower, found.count)
        else:
            section = self._walked(every)
        if section is None:
            return None
        look = self._look(variable_, section, rising=False)
        return Ends(variable(look.low), variable(look.high))

    def _walked(self, accesses: list[tuple[Access, Statement]]) -> Section | None:
        """The elements that loops walk through from where the first row begins to where the last one ends, leaving out
        none."""
        walking = [(_walking(access.reference, statement), statement) for access, statement in accesses]
        rows = [None if loop is None else self._rows(loop, statement) for loop, statement in walking]
        first = rows[0]
        if first is None or any(row != first for row in rows):
            return None
        return Section(variable(first.low), binary("-", variable(first.high), variable(first.low), LONG))

    def _rows(self, loop: For, statement: Statement) -> IndexLook | None:
        """The look at where rows begin that a loop walks through, one in each iteration of another one: that at the
        elements behind the last one, too."""
        first, bound = strip(loop.first), strip(loop.bound)
        if not (isinstance(first, Subscript) and isinstance(bound, Subscript) and first.base == bound.base):
            return None
        known = self._variables.get(first.base)
        if known is None or loop.relation != "<" or loop.step != 1 or not self._is_index(known):
            return None
        begin, end = _place(first, statement), _place(bound, statement)
        if begin is None or end is None or begin.rows != end.rows or end.constants[0] != begin.constants[0] + 1:
            return None
        node = next((n for n in statement.loops if begin.rows[0].loops == ((n.index, 1),)), None)
        starts = subscripts_of(begin.access, self.scop) if node and _leaves_out_none(node, statement) else None
        if starts is None:
            return None
        some = Binary(">", starts.count, literal(0, LONG), INT, loop.span)
        count = Conditional(some, binary("+", starts.count, _ONE, LONG), literal(0, LONG), LONG, loop.span)
        return self._look(known, Section(starts.lower, count), rising=True)

    def _is_own(self, symbol: Symbol) -> bool:
        """Whether a variable has no values but those that it is set to: an iterator none behind its loop, another one
        none from outside."""
        bodies = [statement.body for statement in self.scop.statements]
        loops = [s for body in bodies for s in statements(body) if isinstance(s, For) and s.iterator == symbol]
        if loops:
            return _uses(symbol, bodies) == _uses(symbol, [loop.body for loop in loops])
        if any(isinstance(s, Declare) and s.symbol == symbol for body in bodies for s in statements(body)):
            return True
        return any(v.base == variable(symbol) and v.kind is VariableKind.PRIVATE for v in self.scop.variables)

    def _is_index(self, variable_: Variable) -> bool:
        """Whether an array of integers is only read, and lies in one piece."""
        datum = self._data.get(variable_.name)
        plain = isinstance(variable_.element, Scalar) and not variable_.element.floating
        return plain and datum is not None and not (datum.writes or datum.rows or datum.scalar)

    def _look(self, variable_: Variable, section: Section, rising: bool) -> IndexLook:
        assert isinstance(variable_.element, Scalar)
        known = (variable_.name, variable_.element, section, rising)
        for look in self.looks:
            if (look.name, look.element, look.section, look.rising) == known:
                return look
        number = len(self.looks)
        names = (f"__acc_least{number}", f"__acc_most{number}")
        low, high = (Symbol(name, name, LONG, Storage.LOCAL) for name in names)
        self.looks.append(IndexLook(*known, low, high))
        return self.looks[-1]


def _uses(symbol: Symbol, stmts: Iterable[Stmt]) -> int:
    return sum(e == variable(symbol) for stmt in stmts for e in all_expressions(stmt))


def _walking(element: Expr, statement: Statement) -> For | None:
    """The loop of a statement that reads the element at its iterator in each iteration, whatever the data are; None
    where there is none."""
    stmts = statement.body.statements if isinstance(statement.body, Block) else (statement.body,)
    if not isinstance(element, Subscript) or any(isinstance(s, Jump) for s in statements(statement.body)):
        return None
    index = strip(element.index)
    loops = (s for s in stmts if isinstance(s, For) and index == variable(s.iterator))
    return next((loop for loop in loops if element in _always_read(loop.body)), None)


def _always_read(block: Block) -> Iterator[Expr]:
    """What the statements of a block evaluate whenever it runs."""
    for stmt in block.statements:
        if isinstance(stmt, Block):
            yield from _always_read(stmt)
        else:
            yield from (e for own in own_expressions(stmt) for e in _evaluated(own))


def _evaluated(expr: Expr) -> Iterator[Expr]:
    """An expression and those below it that are evaluated with it."""
    yield expr
    lazy = isinstance(expr, Conditional) or (isinstance(expr, Binary) and expr.op in ("&&", "||"))
    for operand in operands(expr)[: 1 if lazy else None]:
        yield from _evaluated(operand)


def _place(element: Subscript, statement: Statement) -> AffineReference | None:
    """Where an element is of an array with one subscript, that a statement reads whenever it runs."""
    read = (a for a in statement.accesses if a.reference == element and a.exact)
    found = next((place for place in (affine(access, statement) for access in read) if place is not None), None)
    return found if found is not None and len(found.rows) == 1 else None


def _leaves_out_none(node: LoopNode, statement: Statement) -> bool:
    """Whether a statement runs in each iteration from its loop's first to its last one."""
    count = statement.domain.dim(_SET)
    line = statement.domain.project_out(_SET, node.depth + 1, count - node.depth - 1).project_out(_SET, 0, node.depth)
    pieces = line.coalesce().get_basic_sets()
    return node.loop.step == 1 and len(pieces) == 1 and not pieces[0].dim(_DIV)
