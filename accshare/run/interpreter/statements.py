"""Statements of a kernel, for all lanes at once: every lane that a condition or jump excludes waits."""

from __future__ import annotations

import numpy as np

from accshare.atomics import Exchange, exchange
from accshare.frontend.ir import (
    LONG,
    Array,
    Assign,
    Atomic,
    Binary,
    Block,
    Cast,
    Declare,
    Expr,
    For,
    Function,
    GeneralFor,
    If,
    Jump,
    Scalar,
    Storage,
    Struct,
    Symbol,
    Type,
    Var,
    While,
)
from accshare.frontend.ir import Stmt as SourceStmt
from accshare.kernel.ir import Barrier, Comment, Copy, Define, Guarded, Loop, Prefetch, Stmt
from accshare.records import dataclass, replace
from accshare.run.dtypes import AnyArray, dtype_of
from accshare.run.interpreter.arithmetic import Value, compared, computed, converted
from accshare.run.interpreter.expressions import Evaluator, Uninterpretable
from accshare.run.interpreter.memory import Kind, Memory
from accshare.run.interpreter.vectors import lanes_of, packed, unpacked


@dataclass(slots=True)
class _Frame:
    """A running loop: the lanes that wait for its next iteration. Those that left it wait for nothing but its end."""

    continued: AnyArray


class Executor(Evaluator):
    """Runs statements. Each returns which of the lanes it was given go on behind it."""

    _frames: tuple[_Frame, ...] = ()
    _returned: AnyArray | None = None
    _result: Value | None = None

    def block(self, stmts: tuple[Stmt, ...], mask: AnyArray) -> AnyArray:
        """A sequence of statements."""
        for stmt in stmts:
            if not mask.any():
                break
            mask = self.statement(stmt, mask)
        return mask

    def statement(self, stmt: Stmt, mask: AnyArray) -> AnyArray:
        """One statement."""
        match stmt:
            case Define(symbol, value):
                self.values[symbol.unique] = converted(self.value(value, mask), symbol.type)
            case Copy():
                self.copy(stmt, mask)
            case Guarded(condition, then, other):
                return self._branch(condition, then, other, mask)
            case Loop():
                return self._loop(stmt, mask)
            case Barrier(fence):
                self.barrier(fence, mask)
            case Prefetch() | Comment():
                return mask
            case _:
                return self._source(stmt, mask)
        return mask

    def barrier(self, fence: object, mask: AnyArray) -> None:
        """A work-group barrier; there is none in functions."""
        raise Uninterpretable("a barrier in a function")

    def _source(self, stmt: SourceStmt, mask: AnyArray) -> AnyArray:
        self.span = stmt.span
        match stmt:
            case Assign():
                self.assign(stmt, mask)
            case Declare(symbol, init):
                self.declare(symbol)
                if init is not None:
                    self.assign(Assign(Var(symbol, stmt.span), "=", init, stmt.span), mask)
            case Block(statements):
                return self.block(statements, mask)
            case Atomic():
                self.atomic(stmt, mask)
            case If(condition, then, other):
                return self._branch(condition, then.statements, () if other is None else other.statements, mask)
            case For():
                return self._for(stmt, mask)
            case GeneralFor(init, condition, step, body):
                return self._general(condition, body.statements, step, self.block(init, mask), do=False)
            case While(condition, body, do):
                return self._general(condition, body.statements, (), mask, do=do)
            case Jump():
                self._jump(stmt, mask)
                return np.zeros_like(mask)
            case _:
                raise Uninterpretable(type(stmt).__name__)
        return mask

    def declare(self, symbol: Symbol) -> None:
        """Makes a private variable; what it holds is no value to rely on. One of the same name is gone."""
        if isinstance(symbol.type, Scalar):
            self.memory.pop(symbol.unique, None)
            self.values[symbol.unique] = dtype_of(symbol.type).type(0)
        else:
            self.values.pop(symbol.unique, None)
            self.private(symbol, dtype_of(symbol.type).itemsize * lanes_of(symbol.type))

    def private(self, symbol: Symbol, size: int) -> None:
        """Memory of `size` bytes a lane for a private array or struct."""
        if symbol.unique not in self.memory or self.memory[symbol.unique].high != size:
            lanes = self.accesses.lanes.count
            data, bases = np.zeros(lanes * size, dtype=np.uint8), np.arange(lanes) * size
            own = _innermost(symbol.type)
            self.memory[symbol.unique] = Memory(
                Kind.PRIVATE, symbol.name, symbol.unique, own, data, bases, 0, size, 1, None
            )

    def copy(self, stmt: Copy, mask: AnyArray) -> None:
        """A cooperative move of an element or vector."""
        self.span = self.span if stmt.span is None else stmt.span
        source, target = self.spot(stmt.value, mask), self.spot(stmt.target, mask)
        there = mask if stmt.there is None else mask & self.truth(stmt.there, mask)
        if stmt.width > 1:
            self.accesses.check_alignment(source, there, self.span, stmt.width)
            if not stmt.apart:
                self.accesses.check_alignment(target, mask, self.span, stmt.width)
        values = self.accesses.load(source, there, self.span, stmt.width)
        if not stmt.apart or not isinstance(target.type, Scalar):
            self.accesses.store(target, values, mask, self.span, stmt.width)
            return
        for k, value in enumerate(unpacked(np.asarray(values), replace(target.type, lanes=stmt.width))):
            beside = replace(target, offset=target.offset + k * dtype_of(target.type).itemsize)
            self.accesses.store(beside, value, mask, self.span)

    def assign(self, stmt: Assign, mask: AnyArray) -> None:
        """``target op value``."""
        self.span = stmt.span
        target = stmt.target
        if isinstance(target, Var) and target.symbol.unique not in self.memory:
            old = self.values.get(target.symbol.unique)
            value = self.value(stmt.value, mask)
            if stmt.op != "=" and old is not None:
                value = computed(stmt.op[:-1], old, value, (target.type, stmt.value.type))
            self.put(target.symbol, value, mask)
            return
        value = self.value(stmt.value, mask)
        spot, span = self.spot(target, mask), self._at(target.span)
        if stmt.op != "=":
            old = self.load(spot, mask, span)
            value = computed(stmt.op[:-1], old, value, (target.type, stmt.value.type))
        value, lanes = converted(value, target.type), lanes_of(target.type)
        self.accesses.store(spot, value if lanes == 1 else packed(value, target.type, len(mask)), mask, span, lanes)

    def atomic(self, stmt: Atomic, mask: AnyArray) -> None:
        """One lane after the other where they meet, those with lower numbers first."""
        parts, place = exchange(stmt), exchange(stmt).place
        if isinstance(place, Var) and place.symbol.unique not in self.memory:
            self.block(stmt.body.statements, mask)
            return
        operand = None if parts.operand is None else self.value(parts.operand, mask)
        spot, span = self.spot(place, mask), self._at(place.span)
        kind = dtype_of(place.type)
        where = np.broadcast_to(np.asarray(spot.offset) + spot.memory.bases, mask.shape)
        captured = np.zeros(mask.shape, dtype=kind)
        left = mask.copy()
        while left.any():
            lanes = np.flatnonzero(left)
            turn = np.zeros_like(mask)
            turn[lanes[np.unique(where[lanes], return_index=True)[1]]] = True
            old = new = self.accesses.load(spot, turn, span, atomic=operand is not None)
            if operand is not None:
                new = converted(self._combined(parts, old, operand), place.type)
                self.accesses.store(spot, new, turn, span, atomic=True)
            captured[turn] = np.broadcast_to(np.asarray(old if parts.before else new), mask.shape)[turn]
            left &= ~turn
        if parts.capture is not None:
            symbol = Symbol("captured", "", place.type, Storage.INNER)
            self.values[symbol.unique] = captured
            self.assign(replace(parts.capture, value=Var(symbol, stmt.span)), mask)

    def _combined(self, parts: Exchange, old: Value, operand: Value) -> Value:
        assert parts.operand is not None
        if parts.op == "=":
            return operand
        sides, types = (old, operand), (parts.place.type, parts.operand.type)
        if parts.op in {"max", "min"}:
            better = compared("<" if parts.op == "max" else ">", *sides, types)
            return np.where(better, converted(operand, parts.place.type), old)
        if parts.op in {"fmax", "fmin"}:
            return np.fmax(*sides) if parts.op == "fmax" else np.fmin(*sides)
        if parts.op in {"&&", "||"}:
            truths = [np.not_equal(side, 0) for side in sides]
            return np.logical_and(*truths) if parts.op == "&&" else np.logical_or(*truths)
        if parts.flipped:
            sides, types = sides[::-1], types[::-1]
        return computed(parts.op, *sides, types)

    def put(self, symbol: Symbol, value: Value, mask: AnyArray) -> None:
        """Gives a scalar variable a value in the lanes of `mask`."""
        value = converted(value, symbol.type)
        old = self.values.get(symbol.unique)
        self.values[symbol.unique] = value if old is None or mask.all() else np.where(mask, value, old)

    def _branch(self, condition: Expr, then: tuple[Stmt, ...], other: tuple[Stmt, ...], mask: AnyArray) -> AnyArray:
        chosen = self.truth(condition, mask)
        yes, no = mask & chosen, mask & ~chosen
        if yes.any():
            yes = self.block(then, yes)
        if other and no.any():
            no = self.block(other, no)
        return yes | no

    def _loop(self, loop: Loop, mask: AnyArray) -> AnyArray:
        name, type_ = loop.iterator.unique, loop.iterator.type
        self.span = self.span if loop.span is None else loop.span
        self.values[name] = converted(self.value(loop.first, mask), type_)
        step = dtype_of(type_).type(loop.step)
        active = mask & self.truth(loop.condition, mask)
        while active.any():
            active = self._iteration(loop.body, active)
            self.values[name] = self.values[name] + step
            active = active & self.truth(loop.condition, active)
        return self._behind(mask)

    def _for(self, loop: For, mask: AnyArray) -> AnyArray:
        type_ = loop.iterator.type
        down = loop.step < 0 and isinstance(type_, Scalar) and not type_.signed
        own = LONG if down else type_
        first, bound = (_widened(loop.first), _widened(loop.bound)) if down else (loop.first, loop.bound)
        counter = converted(self.value(first, mask), own)
        step = np.asarray(loop.step).astype(counter.dtype)[()]
        active = mask
        while True:
            if not down:
                self.put(loop.iterator, counter, active)
            limit = self.value(bound, active)
            active = active & compared(loop.relation, counter, limit, (own, bound.type))
            if not active.any():
                return self._behind(mask)
            self.put(loop.iterator, counter, active)
            active = self._iteration(loop.body.statements, active)
            counter = counter + step

    def _general(
        self, condition: Expr | None, body: tuple[Stmt, ...], step: tuple[Stmt, ...], mask: AnyArray, *, do: bool
    ) -> AnyArray:
        def going(active: AnyArray) -> AnyArray:
            return active if condition is None else active & self.truth(condition, active)

        active = mask if do else going(mask)
        while active.any():
            active = self._iteration(body, active)
            active = going(self.block(step, active))
        return self._behind(mask)

    def _iteration(self, body: tuple[Stmt, ...], active: AnyArray) -> AnyArray:
        """One round of a loop; the lanes that go on to its next test."""
        frame = _Frame(np.zeros_like(active))
        around, self._frames = self._frames, (*self._frames, frame)
        after = self.block(body, active)
        self._frames = around
        return after | frame.continued

    def _behind(self, mask: AnyArray) -> AnyArray:
        """The lanes that go on behind a loop."""
        return mask if self._returned is None else mask & ~self._returned

    def _jump(self, jump: Jump, mask: AnyArray) -> None:
        if jump.word == "continue":
            frame = self._frames[-1]
            frame.continued = frame.continued | mask
        elif jump.word == "return":
            if jump.value is not None:
                value = self.value(jump.value, mask)
                self._result = value if self._result is None else _merged(mask, value, self._result)
            self._returned = mask if self._returned is None else self._returned | mask

    def function(self, function: Function, args: list[Value], mask: AnyArray) -> Value:
        inner = Executor(self.accesses, self.functions, self.span)
        inner.values = {p.unique: a for p, a in zip(function.parameters, args, strict=True)}
        inner.block(function.body.statements, mask)
        if inner._result is None:
            raise Uninterpretable(f"{function.name} returns nothing")
        return converted(inner._result, function.result)


def _merged(mask: AnyArray, value: Value, old: Value) -> Value:
    if value.dtype.names is None:
        return np.where(mask, value, old)
    result = np.array(np.broadcast_to(old, mask.shape))
    result[mask] = np.broadcast_to(value, mask.shape)[mask]
    return result


def _widened(expr: Expr) -> Expr:
    """`expr` in ``long``, down through sums, so that ``n - 1`` of an unsigned 0 is -1."""
    if isinstance(expr, Cast) and expr.implicit:
        return _widened(expr.operand)
    if isinstance(expr, Binary) and expr.op in {"+", "-"}:
        return Binary(expr.op, _widened(expr.lhs), _widened(expr.rhs), LONG, expr.span)
    return Cast(expr, LONG, False, expr.span)


def _innermost(type_: Type) -> Type:
    while isinstance(type_, Array):
        type_ = type_.element
    return type_


def is_memory(type_: Type) -> bool:
    """Whether a private variable needs memory rather than a value."""
    return isinstance(type_, Array | Struct)
