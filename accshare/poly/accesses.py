"""Variables, and the access relations of statements."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import islpy as isl

from accshare.atomics import exchange
from accshare.diagnostics import rejected
from accshare.frontend.ir import (
    Array,
    Assign,
    Atomic,
    Binary,
    Conditional,
    Declare,
    Expr,
    For,
    GeneralFor,
    If,
    IntLit,
    Member,
    Pointer,
    Region,
    Scalar,
    Stmt,
    Struct,
    Subscript,
    Symbol,
    Type,
    Var,
)
from accshare.poly.affine import Assumptions, Frame, NotAffine, affine, affine_condition
from accshare.poly.delinearize import (
    Groups,
    Rows,
    Strides,
    by_constant,
    by_stride,
    expand,
    extent,
    in_dimensions,
    in_factors,
    strides,
)
from accshare.poly.domain import inside_of, known_domain, loop_domain
from accshare.poly.ir import Access, Guard, LoopNode, Mode, Opaque, Variable, VariableKind
from accshare.poly.multiples import Pair, as_multiples, divisible
from accshare.poly.names import unused
from accshare.poly.parameters import Parameters
from accshare.poly.places import anywhere, as_a_whole, indices, leaves, narrowed
from accshare.poly.rows import in_rows
from accshare.poly.survey import assigned, counters
from accshare.pragma.ir import Clause, PrivateClause
from accshare.records import dataclass, replace
from accshare.reference import Reference, rank, resolve, root, strip
from accshare.source import Span
from accshare.tree import (
    all_expressions,
    expressions,
    operands,
    own_expressions,
    rewrite_statement,
    statements,
    substatements,
)


@dataclass(frozen=True, slots=True)
class _Use:
    """One reference met while walking a statement."""

    reference: Expr
    mode: Mode
    frame: Frame
    exact: bool
    atomic: Atomic | None = None


class NoRows(Exception):  # noqa: N818 - an answer, not an error
    """A constant in the subscripts of `base` does not tell rows."""

    def __init__(self, base: Expr) -> None:
        super().__init__()
        self.base = base


class Collector:
    """Finds the variables of a region and what its statements touch. Constants tell no rows of what is `flat`."""

    def __init__(
        self, region: Region, parameters: Parameters, written: frozenset[Symbol], flat: frozenset[Expr]
    ) -> None:
        self.opaque: list[Opaque] = []
        self._region = region
        self._parameters = parameters
        self._written = written
        self._counters = counters(region)
        self._scopes: dict[str, int] = {}
        self._variables: dict[Expr, Variable] = {}
        self._compared: dict[Symbol, Span] = {}
        self._rows = _find_rows(region, parameters, flat)
        self._stored = {root(target) for target in assigned(region)}
        self._privatize(region.construct.clauses, 0)

    def check_pointers(self) -> None:
        """Raises `Rejected` (ACC202) for a pointer that is only compared: kernels don't get it."""
        for symbol, span in self._compared.items():
            if all(variable.base != Var(symbol, span) for variable in self.variables):
                raise rejected("ACC202", f"the pointer {symbol.name} is used as a value", span, "test it earlier")

    @property
    def variables(self) -> tuple[Variable, ...]:
        """In the order they were met."""
        return tuple(self._variables.values())

    @property
    def guards(self) -> tuple[Guard, ...]:
        """Which sizes must be multiples of which others."""
        return tuple(
            divisible(whole, part.symbol, variable.base.span)
            for base, variable in self._variables.items()
            if self._is_linear(base)
            for whole, (_, part) in self._rows[base].factors.items()
            if isinstance(part, Var)
        )

    def declare(self, symbol: Symbol, depth: int) -> None:
        """A declaration inside `depth` loops of the region."""
        self._scopes[symbol.unique] = depth

    def enter(self, loop: For, depth: int) -> None:
        """The body of a loop begins; `depth` counts it in."""
        if loop.directive is not None:
            self._privatize(loop.directive.clauses, depth)

    def _privatize(self, clauses: tuple[Clause, ...], depth: int) -> None:
        changed = {root(target) for target in assigned(self._region)}
        for clause in clauses:
            if not isinstance(clause, PrivateClause):
                continue
            for var in clause.vars:
                symbol = next((s for s in self._region.symbols if s.name == var.base.text), None)
                if symbol is None or symbol in self._counters:
                    continue
                if clause.first:
                    _check_firstprivate(symbol, symbol in changed, var.span)
                else:
                    self._scopes[symbol.unique] = depth

    # --- statements ----------------------------------------------------------------------------------------------

    def statement(
        self, stmt: Stmt, name: str, frame: Frame, loops: tuple[LoopNode, ...]
    ) -> tuple[Stmt, tuple[Access, ...]]:
        """`stmt` with parameters put in for invariant values, and its accesses from instances of `name`."""
        own = frozenset(part.symbol for part in statements(stmt) if isinstance(part, Declare))
        known = len(self.opaque)
        for symbol in own:
            self.declare(symbol, len(loops))
        stmt = rewrite_statement(stmt, lambda e: self._invariant(e, frame))
        stmt = rewrite_statement(stmt, lambda e: self._in_dimensions(e, frame))
        depth = frame.domain.dim(isl.dim_type.set)
        accesses = []
        for use in self._uses(stmt, frame, True):
            base = resolve(use.reference).base
            if isinstance(base, Var) and base.symbol in own and not isinstance(base.type, Pointer):
                continue  # no other instance can see it
            extra = use.frame.domain.dim(isl.dim_type.set) - depth
            for access in self._accesses(use):
                relation = access.relation.project_out(isl.dim_type.in_, depth, extra)
                relation = relation.set_tuple_name(isl.dim_type.in_, name)
                accesses.append(replace(access, relation=relation, exact=access.exact and extra == 0))
        if not isinstance(stmt, Assign):
            accesses = [kept for a in accesses if (kept := as_a_whole(stmt, a)) is not None]
        first = {o.reason: o for o in reversed(self.opaque[known:])}  # one statement says a reason once
        self.opaque[known:] = reversed(first.values())
        return stmt, tuple(accesses)

    def _invariant(self, expr: Expr, frame: Frame) -> Expr | None:
        """The parameter to use for a scalar the region only reads."""
        if not isinstance(expr, Var | Member) or not isinstance(expr.type, Scalar):
            return None
        symbol = root(expr)
        if symbol is None or symbol in self._written or symbol in self._counters or symbol.unique in self._scopes:
            return None
        if symbol.volatile:
            raise rejected("ACC203", f"{symbol.name} is volatile", expr.span, "read it into a variable first")
        parameter = self._parameters.of(expr)
        return None if parameter is None else Var(parameter.symbol, expr.span)

    def _in_dimensions(self, expr: Expr, frame: Frame) -> Expr | None:
        """An element of a linearised array as one of several dimensions, so that whatever comes later sees what it
        would see of such an array."""
        if not isinstance(expr, Subscript) or not isinstance(strip(expr.base).type, Pointer):
            return None
        base = strip(expr.base)
        if not self._is_linear(base):
            return None
        rows = self._rows[base]
        places = by_stride(expr.index, rows, self._parameters)
        if places is None or any(isinstance(e, Subscript) for e in expressions(expr.index)):
            return None
        unchecked = replace(frame, assumptions=Assumptions())
        try:
            for place in places:  # what C would compute of it by itself is then checked, too
                affine(place, unchecked)
        except NotAffine:
            return None
        return in_dimensions(expr, places, self._shape(rows.strides))

    def _shape(self, keys: Strides) -> tuple[Expr | None, ...]:
        """The lengths of the dimensions of a linearised array."""
        return None, *(extent(a, b) for a, b in pairwise(keys))

    def _uses(self, stmt: Stmt, frame: Frame, exact: bool) -> Iterator[_Use]:
        match stmt:
            case Assign(target, op, value):
                yield from self._reads(value, frame, exact)
                for index in indices(target):
                    yield from self._reads(index, frame, exact)
                if op != "=":
                    yield _Use(target, Mode.READ, frame, exact)
                yield _Use(target, Mode.WRITE, frame, exact)
            case Atomic(body=body):
                place = exchange(stmt).place
                for use in (use for part in body.statements for use in self._uses(part, frame, exact)):
                    yield replace(use, atomic=stmt) if strip(use.reference) == place else use
            case Declare(symbol, init, span) if init is not None:
                yield from self._reads(init, frame, exact)
                yield _Use(Var(symbol, span), Mode.WRITE, frame, exact)
            case For(body=body):
                for expr in own_expressions(stmt):
                    yield from self._reads(expr, frame, exact)
                yield from self._uses(body, self._inside(stmt, frame), False)
            case If(condition, then, other):
                yield from self._reads(condition, frame, exact)
                yield from self._uses(then, narrowed(condition, frame), False)
                if other is not None:
                    yield from self._uses(other, frame, False)
            case GeneralFor(init=init):
                for part in init:
                    yield from self._uses(part, frame, exact)
                for expr in own_expressions(stmt):
                    yield from self._reads(expr, frame, False)
                for part in (*stmt.body.statements, *stmt.step):
                    yield from self._uses(part, frame, False)
            case _:
                conditional = not hasattr(stmt, "statements")
                for expr in own_expressions(stmt):
                    yield from self._reads(expr, frame, exact)
                for part in substatements(stmt):
                    yield from self._uses(part, frame, exact and not conditional)

    def _inside(self, loop: For, frame: Frame) -> Frame:
        """The frame of the body of a loop that is part of a statement."""
        inside = inside_of(loop, frame)
        try:
            return replace(inside, domain=loop_domain(loop, frame))
        except NotAffine:
            return replace(inside, domain=known_domain(loop, frame))

    def _reads(self, expr: Expr, frame: Frame, exact: bool) -> Iterator[_Use]:
        match expr:
            case Var(symbol, span):
                if isinstance(symbol.type, Pointer):
                    self._compared.setdefault(symbol, span)
                elif isinstance(symbol.type, Scalar | Struct) and not self._is_plain(symbol, frame):
                    yield _Use(expr, Mode.READ, frame, exact)
            case Subscript() | Member():
                for index in indices(expr):
                    yield from self._reads(index, frame, exact)
                yield _Use(expr, Mode.READ, frame, exact)
            case Conditional(condition, then, other):
                yield from self._reads(condition, frame, exact)
                yield from self._branch(condition, then, True, frame, exact)
                yield from self._branch(condition, other, False, frame, exact)
            case Binary("&&" | "||" as op, lhs, rhs):
                yield from self._reads(lhs, frame, exact)
                yield from self._branch(lhs, rhs, op == "&&", frame, exact)
            case _:
                for part in operands(expr):
                    yield from self._reads(part, frame, exact)

    def _branch(self, condition: Expr, expr: Expr, truth: bool, frame: Frame, exact: bool) -> Iterator[_Use]:
        try:
            where = affine_condition(condition, frame)
        except NotAffine:
            yield from self._reads(expr, frame, False)
            return
        domain = where if truth else frame.domain.subtract(where)
        yield from self._reads(expr, replace(frame, domain=domain), exact)

    def _is_plain(self, symbol: Symbol, frame: Frame) -> bool:
        """Whether a scalar is a parameter or an iterator, and so touches no memory."""
        if symbol.unique in frame.iterators:
            return True
        if symbol in self._counters and symbol.unique not in self._scopes:
            raise rejected(
                "ACC402",
                f"{symbol.name} is read outside the loop that counts with it",
                None,
                "give the loop an iterator of its own",
            )
        return symbol not in self._written and symbol.unique not in self._scopes

    # --- accesses ------------------------------------------------------------------------------------------------

    def _accesses(self, use: _Use) -> Iterator[Access]:
        """The accesses one reference makes: a whole struct is all of its members."""
        reference = resolve(use.reference)
        variable = self._variable(reference, use.reference)
        exact = use.exact and not reference.in_union
        relation = isl.Map.from_domain(use.frame.domain)
        for k in range(variable.scope if variable.kind is VariableKind.PRIVATE else 0):
            relation = relation.flat_range_product(isl.Map.from_pw_aff(use.frame.iterator(k)))
        for value, length in self._subscripts(reference, variable, use):
            exact = exact and value is not None
            place = anywhere(length, use.frame) if value is None else isl.Map.from_pw_aff(value)
            relation = relation.flat_range_product(place)
        for path, lengths in leaves(use.reference.type):
            part = relation
            for size in lengths:
                part = part.flat_range_product(anywhere(size, use.frame))
            space = "__".join((variable.name, *(m for m in reference.members if m != "[]"), *path))
            part = part.set_tuple_name(isl.dim_type.out, space).intersect_domain(use.frame.domain)
            subscripts = reference.subscripts
            yield Access(
                variable, space, use.mode, exact, use.reference, subscripts, part, use.reference.span, use.atomic
            )

    def _dimensions(self, reference: Reference, variable: Variable) -> Iterator[tuple[Expr | None, Expr | None]]:
        """Every subscript with the extent of its dimension; None for a subscript that can't be read."""
        subscripts, lengths = reference.subscripts, reference.lengths
        if self._is_linear(variable.base):
            rows = self._rows[variable.base]
            linear = reference.leading - (len(variable.shape) - len(rows.strides))
            places: tuple[Expr | None, ...] | None = subscripts[:linear]
            if linear == 1:
                places = by_stride(subscripts[0], rows, self._parameters)
            yield from zip(places or (None,) * len(rows.strides), variable.shape, strict=False)
            yield from zip(subscripts[linear:], lengths[linear:], strict=True)
            return
        for k, index in enumerate(subscripts):
            yield index, variable.shape[k] if k < len(variable.shape) else lengths[k]

    def _subscripts(
        self, reference: Reference, variable: Variable, use: _Use
    ) -> list[tuple[isl.PwAff | None, Expr | None]]:
        """Every subscript as a function of the instance, None where it isn't affine, with the extent of its dimension;
        those of a linearised array in their rows."""
        dimensions = list(self._dimensions(reference, variable))
        values = [self._value(index, use, variable) for index, _ in dimensions]
        lengths = [length for _, length in dimensions]
        if self._is_linear(variable.base):
            keys = self._rows[variable.base].strides
            linear = len(keys)
            found = Assumptions()
            frame = replace(use.frame, assumptions=found)
            placed, stored = in_rows(values[:linear], lengths[:linear], frame, use.reference.span), self._stored
            if by_constant(keys) and (placed is None or (found.bad and root(variable.base) not in stored)):
                raise NoRows(variable.base)
            use.frame.assumptions.bad.extend(found.bad)
            if placed is not None:
                values[:linear] = placed
            elif root(variable.base) in stored:  # what can't be followed may be in any row
                values[:linear] = [None] * linear
        return list(zip(values, lengths, strict=True))

    def _value(self, index: Expr | None, use: _Use, variable: Variable) -> isl.PwAff | None:
        """A subscript as a function of the instance, or None where it isn't affine."""
        try:
            if index is None:
                raise NotAffine("it multiplies two variables", use.reference.span)
            return affine(index, use.frame)
        except NotAffine as why:
            span = use.reference.span if index is None else index.span
            self.opaque.append(Opaque(f"a subscript of {variable.name} isn't affine: {why.reason}", span))
            return None

    def _variable(self, reference: Reference, expr: Expr) -> Variable:
        base = reference.base
        known = self._variables.get(base)
        if known is not None:
            return known
        symbol = root(base)
        assert symbol is not None
        if symbol.volatile:
            raise rejected("ACC203", f"{symbol.name} is volatile", expr.span, "copy it into another array first")
        shape: tuple[Expr | None, ...] = reference.lengths[: reference.leading]
        linear: tuple[Expr | None, ...] = ()
        if isinstance(base.type, Pointer) and self._is_linear(base):
            linear, shape = self._shape(self._rows[base].strides), shape[reference.leading - rank(base.type.target) :]
        shape = (*linear, *(None if e is None else self._fixed(e, symbol, expr) for e in shape))
        scope = self._scopes.get(symbol.unique)
        if scope is not None:
            _check_private(symbol, expr)
            role = VariableKind.PRIVATE
        else:
            role = VariableKind.OUTER if isinstance(symbol.type, Scalar) else VariableKind.MEMORY
        name = self._name(base, symbol)
        restrict = isinstance(base.type, Pointer) and base.type.restrict and symbol.unique not in self._region.lent
        variable = Variable(
            name, base, reference.element, shape, role, scope or 0, isinstance(base.type, Pointer), restrict
        )
        self._variables[base] = variable
        return variable

    def _name(self, base: Expr, symbol: Symbol) -> str:
        """A name for what a base leads to that nothing else has: the variable's, with the members and the elements on
        the way."""
        parts: list[str] = []
        for part in expressions(base):
            index = strip(part.index) if isinstance(part, Subscript) else None
            if isinstance(part, Member):
                parts.append(part.name)
            elif isinstance(index, IntLit) and index.value != 0:
                parts.append(str(abs(index.value)))
        name = "_".join((symbol.unique, *reversed(parts)))
        others = {v.name for v in self._variables.values()} | {s.unique for s in self._region.symbols if parts}
        return unused(name, others)

    def _fixed(self, length: Expr, symbol: Symbol, use: Expr) -> Expr:
        """An array's extent as a constant or a parameter."""
        if isinstance(strip(length), IntLit):
            return strip(length)
        if isinstance(length, Binary) and length.op == "*" and isinstance(length.lhs, IntLit):
            return replace(length, rhs=self._fixed(length.rhs, symbol, use))
        parameter = self._parameters.of(length)
        if parameter is None:
            raise rejected(
                "ACC203",
                f"the extent of {symbol.name} changes inside the region",
                use.span,
                "keep it in a variable that the region leaves alone",
            )
        return Var(parameter.symbol, length.span)

    def _is_linear(self, base: Expr) -> bool:
        """Whether a pointer leads to a linearised array."""
        rows = self._rows.get(base)
        return rows is not None and len(rows.strides) > 1


def _check_firstprivate(symbol: Symbol, changed: bool, span: Span) -> None:
    if changed:
        message = f"firstprivate({symbol.name}) of a variable the region changes isn't supported yet"
        raise rejected("ACC105", message, span, f"copy {symbol.name} into a variable declared inside the loop")


def _check_private(symbol: Symbol, expr: Expr) -> None:
    """What a private pointer points to has no length."""
    type_: Type = symbol.type
    while isinstance(type_, Array):
        type_ = type_.element
    if isinstance(type_, Pointer):
        raise rejected(
            "ACC203",
            f"{symbol.name} is a pointer of an iteration's own, and nobody knows how much it points to",
            expr.span,
            "make it an array, or declare it outside the region",
        )


def _find_rows(region: Region, parameters: Parameters, flat: frozenset[Expr]) -> dict[Expr, Rows]:
    """The strides of every pointer that the region subscripts as a linearised array. What loops don't say of them they
    have to have for arrays that are written; of others it is taken for so where it is of these."""
    tables = {table for table, _ in region.rows}
    loops = [stmt for stmt in statements(region.body) if isinstance(stmt, For)]
    found: dict[Expr, list[Groups]] = {}
    for expr in all_expressions(region.body):
        if not isinstance(expr, Subscript) or strip(expr.base) in tables:
            continue
        if isinstance(strip(expr.base).type, Pointer):
            groups = expand(expr.index, parameters)
            if groups is not None:
                found.setdefault(strip(expr.base), []).append(groups)
    targets = [stmt.target for stmt in statements(region.body) if isinstance(stmt, Assign)]
    written = {strip(target.base) for target in targets if isinstance(target, Subscript)}
    known: dict[Expr, Rows] = {}
    pairs: set[Pair] = set()
    for base, references in sorted(found.items(), key=lambda item: item[0] not in written):
        factors = as_multiples(references, loops, parameters, None if base in written else pairs)
        pairs |= {(whole, part.symbol) for whole, (_, part) in factors.items() if isinstance(part, Var)}
        read = [in_factors(groups, factors) for groups in references]
        nesting = strides(read, parameters, base not in flat and not region.shares)
        if nesting is not None:
            known[base] = Rows(nesting, factors)
    return known
