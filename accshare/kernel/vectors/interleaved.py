"""Members of structs, and channels of pixels: what iterations have of them lies a few elements apart.

``p[i].x``, ``p[i].y`` and ``p[i].z`` of 16 iterations are three whole vectors, loaded as they lie and shuffled
into one of each. Stores go the other way where every element of the structs is stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from accshare.builtins import bits, lane, shuffle, vector
from accshare.conversions import is_bool, size
from accshare.frontend.ir import (
    INT,
    Array,
    Assign,
    Binary,
    Block,
    Cast,
    Declare,
    Expr,
    If,
    IntLit,
    Member,
    Pointer,
    Scalar,
    Storage,
    Struct,
    Subscript,
    Symbol,
    Type,
    Var,
)
from accshare.islexpr import binary, literal, variable
from accshare.kernel.ir import Define, Stmt, parts
from accshare.kernel.uses import changed, rewritten, used_expressions
from accshare.kernel.vectors.lanes import vector_of
from accshare.kernel.vectors.masked import touched
from accshare.mapping.ir import INTERLEAVED
from accshare.records import dataclass, field, replace
from accshare.reference import root, strip
from accshare.source import Span
from accshare.tree import expressions, rewrite

_NOWHERE = Span(0, 0)
#: which element, by its place in a struct, of which iteration; None is any
Slot = tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Interleaved:
    """Statements with variables of their own for such elements. `own` are their vectors; `before` loads them, `after`
    stores them."""

    body: tuple[Stmt, ...]
    own: Mapping[Symbol, Expr] = field(default_factory=dict)
    before: tuple[Stmt, ...] = ()
    after: tuple[Stmt, ...] = ()


def interleaved(stmts: tuple[Stmt, ...], column: Symbol, lanes: int) -> Interleaved:
    """`stmts` for `lanes` iterations that `column` counts, which need none of one another's results."""
    if lanes == 1 or not all(isinstance(p, Assign | Declare | Define | If | Block) for s in stmts for p in parts(s)):
        return Interleaved(stmts)
    own: dict[Symbol, Expr] = {}
    before: list[Stmt] = []
    after: list[Stmt] = []
    names: dict[Expr, Symbol] = {}
    for number, group in enumerate(_groups(stmts, column)):
        moves = _Moves(group, column, lanes, number)
        own |= {group.symbol(e, number): variable(moves.held(e)) for e in group.elements}
        names |= {e: group.symbol(e, number) for e in group.elements}
        before += moves.loads()
        after += moves.stores()
    if not own:
        return Interleaved(stmts)

    def named(expr: Expr) -> Expr | None:
        return variable(names[expr]) if expr in names else None

    return Interleaved(tuple(rewritten(s, named) for s in stmts), own, tuple(before), tuple(after))


# --- which elements ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an element lies: `at` elements of its size behind what `key` names, `stride` of them from one iteration to
    the next."""

    key: tuple[object, ...]
    stride: int
    at: int


@dataclass(frozen=True, slots=True)
class _Group:
    """Elements of one struct or pixel, by their places; those that are loaded and stored."""

    stride: int
    elements: dict[Expr, int]
    loaded: frozenset[Expr]
    stored: frozenset[Expr]

    @property
    def first(self) -> Expr:
        """What lies in front."""
        return min(self.elements, key=lambda e: self.elements[e])

    @property
    def whole(self) -> bool:
        """Whether each iteration stores all elements up to the next one's."""
        return len({self.elements[e] for e in self.stored}) == self.stride

    def symbol(self, element: Expr, number: int) -> Symbol:
        """The variable of an iteration for an element."""
        buffer = root(element)
        assert buffer is not None
        name = f"{buffer.unique}_part{number}_{self.elements[element]}"
        return Symbol(name, name, element.type, Storage.INNER)


def _groups(stmts: tuple[Stmt, ...], column: Symbol) -> Iterator[_Group]:
    """The elements that can be moved in whole vectors."""
    every = [e for e in used_expressions(stmts) if isinstance(e, Subscript | Member) and isinstance(e.type, Scalar)]
    certain, fixed = touched(stmts), set(changed(stmts))
    straight = [s for s in stmts if isinstance(s, Assign) and isinstance(s.target, Subscript | Member)]
    stored = {s.target for s in straight}
    inside = {p.target for s in stmts if not isinstance(s, Assign) for p in parts(s) if isinstance(p, Assign)}
    loaded = set(_loaded(stmts))
    written = {root(e) for e in stored | inside}
    found: dict[tuple[object, ...], dict[Expr, int]] = {}
    unknown: set[Symbol | None] = set()
    for expr in dict.fromkeys(every):
        place = _place(expr, column, fixed)
        if place is None:
            unknown.add(root(expr))
            continue
        level = place.at // place.stride
        found.setdefault((root(expr), place.key, place.stride, level), {})[expr] = place.at - level * place.stride
    levels: dict[object, int] = {}
    for buffer, *_ in found:
        levels[buffer] = levels.get(buffer, 0) + 1
    for (buffer, _, stride, _), elements in found.items():
        if buffer in written and (buffer in unknown or levels[buffer] > 1):
            continue
        sure = [at for e, at in elements.items() if e in certain]
        apart = {at for e, at in elements.items() if e in inside}
        assert isinstance(stride, int)
        kept = {e: at for e, at in elements.items() if sure and min(sure) <= at <= max(sure) and at not in apart}
        if kept and len(set(kept.values())) == len(kept):
            yield _Group(stride, kept, frozenset(kept) & loaded, frozenset(kept) & stored)


def _loaded(stmts: Iterable[Stmt]) -> Iterator[Expr]:
    """What is read, other than where something is only stored."""
    for part in (p for s in stmts for p in parts(s)):
        tops: Sequence[Expr] = ()
        match part:
            case Assign(target, op, value):
                tops = (value, target) if op != "=" else (value, *_subscripts(target))
            case Declare(_, init):
                tops = () if init is None else (init,)
            case Define(value=value):
                tops = (value,)
            case If(condition=condition):
                tops = (condition,)
        for top in tops:
            yield from expressions(top)


def _subscripts(place: Expr) -> list[Expr]:
    return [e.index for e in expressions(place) if isinstance(e, Subscript)]


def _bytes(expr: Expr) -> int:
    assert isinstance(expr.type, Scalar)
    return expr.type.bytes


def _place(expr: Expr, column: Symbol, fixed: set[Symbol]) -> _Place | None:
    """The place of an element; None where it is none of those that can be moved so."""
    if not isinstance(expr.type, Scalar) or is_bool(expr.type) or expr.type.lanes > 1:
        return None
    node, offset, one = expr, 0, size(expr.type)
    while not (isinstance(node, Subscript) and isinstance(node.base, Var)):
        match node:
            case Member(base, name) if isinstance(base.type, Struct) and not base.type.union:
                offset += next(f.offset for f in base.type.fields if f.name == name)
                node = base
            case Subscript(Member() as base, index) if isinstance(strip(index), IntLit):
                nth = strip(index)
                assert isinstance(nth, IntLit)
                offset += nth.value * size(node.type)
                node = base
            case _:
                return None
    if not isinstance(node.base.type, Pointer) or any(e.symbol in fixed for e in _variables(node.index)):
        return None
    step, terms, more = _moved(node.index, column)
    whole = size(node.type)
    if step is None or (step * whole) % one or offset % one or not 1 < step * whole // one <= INTERLEAVED:
        return None
    if any(isinstance(e, Subscript | Member) for e in expressions(node.index)):
        return None
    key = (node.base, whole, one, tuple(sorted(terms.items(), key=lambda t: repr(t[0]))))
    return _Place(key, step * whole // one, (more * whole + offset) // one)


def _variables(expr: Expr) -> Iterator[Var]:
    return (e for e in expressions(expr) if isinstance(e, Var))


def _moved(index: Expr, column: Symbol) -> tuple[int | None, dict[Expr, int], int]:
    """By how much an index moves with `column`, None where that is not known; its terms, and the constant added."""
    match index:
        case IntLit(value):
            return 0, {}, value
        case Var(symbol) if symbol == column:
            return 1, {index: 1}, 0
        case Cast(operand, Scalar(floating=False) as type_) if size(type_) >= size(operand.type):
            return _moved(operand, column)
        case Binary("+" | "-" as op, lhs, rhs):
            sign = 1 if op == "+" else -1
            (step, terms, first), (more, others, second) = _moved(lhs, column), _moved(rhs, column)
            both = {term: terms.get(term, 0) + sign * others.get(term, 0) for term in {**terms, **others}}
            return None if step is None or more is None else step + sign * more, both, first + sign * second
        case Binary("*", lhs, rhs):
            for side, other in ((lhs, strip(rhs)), (rhs, strip(lhs))):
                if isinstance(other, IntLit):
                    times = other.value
                    step, terms, first = _moved(side, column)
                    scaled = {term: times * often for term, often in terms.items()}
                    return None if step is None else step * times, scaled, first * times
    return None if any(e.symbol == column for e in _variables(index)) else 0, {index: 1}, 0


# --- how they are moved --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Vector:
    """A variable, and what is in its lanes."""

    held: Expr
    slots: tuple[Slot, ...]


class _Moves:
    """Loads, shuffles and stores of a group."""

    def __init__(self, group: _Group, column: Symbol, lanes: int, number: int) -> None:
        self.group, self.column, self.lanes, self.number = group, column, lanes, number
        assert isinstance(group.first.type, Scalar)
        self.kind = vector_of(group.first.type, lanes)
        self.stmts: list[Stmt] = []
        self._word = "loaded"

    def held(self, element: Expr) -> Symbol:
        """The vector of an element."""
        own = self.group.symbol(element, self.number)
        return replace(own, unique=f"{own.unique}_v", type=vector_of(element.type, self.lanes))

    def loads(self) -> tuple[Stmt, ...]:
        """All that is loaded, and declarations of what is not."""
        self.stmts = []
        group, found = self.group, dict[int, _Vector]()
        places = sorted(at for e, at in group.elements.items() if e in group.loaded)
        if places:
            sources = self._sources(places[0], places[-1])
            found = {} if sources is None else self._gathered(sources, places)
        for element, at in group.elements.items():
            held = self.held(element)
            init: Expr | None = None
            if element in group.loaded:
                init = self._as(found[at].held, held.type) if found else self._each(element)
            self.stmts.append(Declare(held, init, element.span))
        return tuple(self.stmts)

    def stores(self) -> tuple[Stmt, ...]:
        """All that is stored: in whole vectors where nothing is left out."""
        self.stmts, self._word = [], "stored"
        group = self.group
        if not group.stored:
            return ()
        by_place = {group.elements[e]: e for e in group.stored}
        starts = [self._at(k * self.lanes) for k in range(group.stride)] if group.whole else []
        if starts and all(start is not None for start in starts):
            members = [
                _Vector(self._named(self._as(variable(self.held(e)), self.kind)), self._slots(at))
                for at, e in sorted(by_place.items())
            ]
            for start, row in zip(starts, self._spread(members), strict=True):
                assert start is not None
                kind = vector_of(start.type, self.lanes)
                self.stmts.append(Assign(replace(start, type=kind), "=", self._as(row.held, kind), _NOWHERE))
            return tuple(self.stmts)
        for element in by_place.values():
            whole = variable(self.held(element))
            for k in range(self.lanes):
                target = self._in_lane(element, k)
                self.stmts.append(Assign(target, "=", lane(whole, k, element.span), element.span))
        return tuple(self.stmts)

    def _slots(self, at: int) -> tuple[Slot, ...]:
        return tuple((at, k) for k in range(self.lanes))

    def _sources(self, low: int, high: int) -> list[_Vector] | None:
        """The vectors in which the elements from `low` to `high` of all iterations lie; None where one would begin in
        the middle of something."""
        count, lanes = self.group.stride * (self.lanes - 1) + high - low + 1, self.lanes
        starts = [low + min(k, max(count - lanes, 0)) for k in range(0, count, lanes)]
        found: list[_Vector] = []
        for start in starts:
            place = self._at(start - self.group.elements[self.group.first])
            if place is None:
                return None
            kind = vector_of(place.type, lanes)
            held = self._named(self._as(replace(place, type=kind), self.kind))
            slots = [divmod(start + k, self.group.stride) for k in range(lanes)]
            found.append(_Vector(held, tuple((at, nth) for nth, at in slots)))
        return found

    def _gathered(self, sources: list[_Vector], places: Sequence[int]) -> dict[int, _Vector]:
        """The vector of each place out of those in which they are mixed."""
        half = len(sources) // 2
        if len(sources) > 3 and len(sources) % 2 == 0 and len(places) > 1:
            found: dict[int, _Vector] = {}
            for k in range(0, len(places), half):
                some = places[k : k + half]
                packed = [self._packed(pair, some) for pair in zip(sources[::2], sources[1::2], strict=True)]
                if any(one is None for one in packed):
                    break
                found |= self._gathered([one for one in packed if one is not None], some)
            else:
                return found
        return {at: self._merged(sources, self._slots(at)) for at in places}

    def _packed(self, pair: tuple[_Vector, _Vector], places: Sequence[int]) -> _Vector | None:
        """What two vectors have for some places, in one; None where it has no room."""
        wanted = list(dict.fromkeys(s for at in places for v in pair for s in v.slots if s is not None and s[0] == at))
        if len(wanted) > self.lanes:
            return None
        return self._merged(pair, (*wanted, *[None] * (self.lanes - len(wanted))))

    def _spread(self, members: list[_Vector]) -> list[_Vector]:
        """The vectors that lie in memory, out of those of each place."""
        stride, lanes = self.group.stride, self.lanes
        wanted = [divmod(k, stride) for k in range(stride * lanes)]
        rows = [tuple((at, nth) for nth, at in wanted[k * lanes : (k + 1) * lanes]) for k in range(stride)]
        if stride < 4 or stride % 2:
            return [self._merged(members, row) for row in rows]
        found: list[_Vector] = []
        for side in (0, lanes // 2):
            pairs = []
            for k in range(0, stride, 2):
                slots = tuple((at, side + nth) for nth in range(lanes // 2) for at in (k, k + 1))
                pairs.append(self._merged(members[k : k + 2], slots))
            here = rows[: stride // 2] if side == 0 else rows[stride // 2 :]
            found += [self._merged(pairs, row) for row in here]
        return found

    def _merged(self, sources: Sequence[_Vector], wanted: tuple[Slot, ...]) -> _Vector:
        """A vector with what is wanted of others."""
        missing = {k: slot for k, slot in enumerate(wanted) if slot is not None}
        used: list[tuple[Expr, dict[int, int]]] = []
        for source in sources:
            lanes = {slot: k for k, slot in enumerate(source.slots)}
            here = {k: lanes[slot] for k, slot in missing.items() if slot in lanes}
            missing = {k: slot for k, slot in missing.items() if k not in here}
            used += [(source.held, here)] if here else []
        (result, first), *rest = used
        numbers = [first.get(k, k) for k in range(self.lanes)]
        if not rest:
            result = self._named(shuffle(result, result, numbers))
        for held, here in rest:
            numbers = [self.lanes + here[k] if k in here else number for k, number in enumerate(numbers)]
            result = self._named(shuffle(result, held, numbers))
            numbers = list(range(self.lanes))
        return _Vector(result, wanted)

    def _named(self, value: Expr) -> Expr:
        """A variable with that value."""
        buffer = root(self.group.first)
        assert buffer is not None
        name = f"{buffer.unique}_{self._word}{self.number}_{len(self.stmts)}"
        held = Symbol(name, name, value.type, Storage.INNER)
        self.stmts.append(Declare(held, value, _NOWHERE))
        return variable(held)

    def _as(self, value: Expr, type_: Type) -> Expr:
        assert isinstance(type_, Scalar)
        return value if value.type == type_ else bits(value, type_)

    def _each(self, element: Expr) -> Expr:
        """A vector put together element by element."""
        return vector([self._in_lane(element, k) for k in range(self.lanes)], element.span)

    def _in_lane(self, expr: Expr, number: int) -> Subscript | Member:
        def moved(e: Expr) -> Expr | None:
            counts = isinstance(e, Var) and e.symbol == self.column and isinstance(e.type, Scalar)
            return binary("+", e, literal(number, e.type), e.type) if counts else None  # type: ignore[arg-type]

        found = rewrite(expr, moved)
        assert isinstance(found, Subscript | Member)
        return found

    def _at(self, past: int) -> Subscript | Member | None:
        """What lies so many elements behind the first one of the first iteration; None where nothing begins there."""
        first = self.group.first
        if isinstance(first, Subscript) and isinstance(first.base, Var):
            type_ = first.index.type
            assert isinstance(type_, Scalar)
            return replace(first, index=binary("+", first.index, literal(past, type_), type_))
        whole, offset = first, 0
        while not (isinstance(whole, Subscript) and isinstance(whole.base, Var)):
            assert isinstance(whole, Member | Subscript)
            offset += _offset(whole)
            whole = whole.base
        struct, type_ = whole.type, whole.index.type
        assert isinstance(type_, Scalar)
        number, offset = divmod(offset + past * _bytes(first), size(struct))
        place = replace(whole, index=binary("+", whole.index, literal(number, type_), type_))
        return _element(place, offset, _bytes(first))


def _offset(expr: Member | Subscript) -> int:
    """How many bytes a part begins behind what it is in."""
    if isinstance(expr, Subscript):
        nth = strip(expr.index)
        assert isinstance(nth, IntLit)
        return nth.value * size(expr.type)
    assert isinstance(expr.base.type, Struct)
    return next(f.offset for f in expr.base.type.fields if f.name == expr.name)


def _element(whole: Expr, offset: int, bytes_: int) -> Subscript | Member | None:
    """The number of some bytes that begins at an offset in an object; None where there is none."""
    match whole.type:
        case Scalar(bytes=count) if offset == 0 and count == bytes_:
            return whole if isinstance(whole, Subscript | Member) else None
        case Array(element) if size(element):
            nth, rest = divmod(offset, size(element))
            return _element(Subscript(whole, literal(nth, INT), element, whole.span), rest, bytes_)
        case Struct(fields=fields, union=False):
            for f in fields:
                if f.offset <= offset < f.offset + size(f.type):
                    return _element(Member(whole, f.name, f.type, whole.span), offset - f.offset, bytes_)
    return None
