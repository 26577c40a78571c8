"""Calls of the user's functions are replaced by what the functions do, so that vectors can be made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from accshare.frontend.ir import (
    INT,
    Assign,
    Binary,
    Block,
    Call,
    Conditional,
    Declare,
    Expr,
    For,
    Function,
    GeneralFor,
    If,
    Jump,
    Storage,
    Symbol,
    Unary,
    Var,
    While,
)
from accshare.frontend.ir import Stmt as SourceStmt
from accshare.islexpr import literal, variable
from accshare.kernel.ir import Define, Guarded, Loop, Stmt, parts
from accshare.kernel.uses import used_expressions
from accshare.records import dataclass, field, replace
from accshare.tree import expressions, operands, rewrite, rewrite_statement

#: statements that a kernel may grow by; what calls more stays as it is
_LARGEST = 400


def with_calls_inlined(stmts: tuple[Stmt, ...], functions: Iterable[Function]) -> tuple[Stmt, ...]:
    """`stmts` without calls of `functions`, as they are where that makes too much of them."""
    inliner = _Inliner({f.name: f for f in functions if f.inline is not None})
    if not any(isinstance(e, Call) and e.callee in inliner.functions for e in used_expressions(stmts)):
        return stmts
    made = inliner.sequence(stmts)
    grown = sum(1 for s in made for _ in parts(s)) - sum(1 for s in stmts for _ in parts(s))
    return made if grown <= _LARGEST else stmts


@dataclass(slots=True)
class _Inliner:
    """Puts bodies of `functions` in front of the statements that call them; names what it `made` apart."""

    functions: Mapping[str, Function]
    made: int = field(default=0)

    def sequence(self, stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        return tuple(found for stmt in stmts for found in self.statement(stmt))

    def statement(self, stmt: Stmt) -> tuple[Stmt, ...]:
        """A statement behind what it calls."""
        match stmt:
            case Loop(body=body):
                return (replace(stmt, body=self.sequence(body)),)
            case Guarded(condition, then, other):
                return (Guarded(condition, self.sequence(then), self.sequence(other)),)
            case Define(symbol, value, mutable):
                before, value = self.value(value)
                return (*before, Define(symbol, value, mutable))
            case Assign() | Declare() | Block() | If() | While() | For() | GeneralFor():
                return self.source(stmt)
        return (stmt,)

    def source(self, stmt: SourceStmt) -> tuple[SourceStmt, ...]:
        """The same for a statement of the user's."""
        match stmt:
            case Assign(target, _, value):
                first, target = self.place(target)
                second, value = self.value(value)
                return (*first, *second, replace(stmt, target=target, value=value))
            case Declare(init=init) if init is not None:
                before, init = self.value(init)
                return (*before, replace(stmt, init=init))
            case Block():
                return (self.block(stmt),)
            case If(condition, then, other):
                before, condition = self.value(condition)
                sides = self.block(then), None if other is None else self.block(other)
                return (*before, replace(stmt, condition=condition, then=sides[0], other=sides[1]))
            case For(first=low, bound=bound):
                one, low = self.value(low)
                two, bound = self.value(bound)
                return (*one, *two, replace(stmt, first=low, bound=bound, body=self.block(stmt.body)))
            case While(condition, body, do):
                before, test = self.value(condition)
                if not before:
                    return (replace(stmt, body=self.block(body)),)
                if do:  # a `continue` would have to come past it
                    return (stmt,)
                return (replace(stmt, condition=literal(1, INT), body=self._tested(before, test, body)),)
            case GeneralFor():
                return (self._general_for(stmt),)
        return (stmt,)

    def _general_for(self, loop: GeneralFor) -> GeneralFor:
        """As it is where what it begins with, or steps by, calls something."""
        init = tuple(s for one in loop.init for s in self.source(one))
        step = tuple(s for one in loop.step for s in self.source(one))
        if len(init) > len(loop.init) or len(step) > len(loop.step):
            return loop
        if loop.condition is None:
            return replace(loop, body=self.block(loop.body))
        before, test = self.value(loop.condition)
        if before:
            return replace(loop, condition=None, body=self._tested(before, test, loop.body))
        return replace(loop, body=self.block(loop.body))

    def block(self, block: Block) -> Block:
        return replace(block, statements=tuple(s for one in block.statements for s in self.source(one)))

    def _tested(self, before: tuple[SourceStmt, ...], test: Expr, body: Block) -> Block:
        """A loop's body behind its condition."""
        span = test.span
        leave = If(Unary("!", test, INT, span), Block((Jump("break", None, span),), span), None, span)
        return replace(body, statements=(*before, leave, *self.block(body).statements))

    def place(self, target: Expr) -> tuple[tuple[SourceStmt, ...], Expr]:
        """A target, and what has to run before its subscripts can be computed."""
        return self.value(target) if not isinstance(target, Var) else ((), target)

    def value(self, expr: Expr) -> tuple[tuple[SourceStmt, ...], Expr]:
        """An expression without calls, and what has to run before it."""
        if not self._calls(expr):
            return (), expr
        match expr:
            case Conditional(condition, then, other):
                first, condition = self.value(condition)
                chosen = self._fresh(Symbol("chosen", "chosen", expr.type, Storage.INNER))
                yes, no = (self._kept(chosen, side) for side in (then, other))
                return (*first, Declare(chosen, None, expr.span), If(condition, yes, no, expr.span)), variable(chosen)
            case Binary("&&" | "||" as op, lhs, rhs) if self._calls(rhs):
                first, lhs = self.value(lhs)
                truth = self._fresh(Symbol("truth", "truth", INT, Storage.INNER))
                asked = lhs if op == "&&" else Unary("!", lhs, INT, expr.span)
                side = self._kept(truth, Binary("!=", rhs, literal(0, INT), INT, expr.span))
                begins = Declare(truth, literal(int(op == "||"), INT), expr.span)
                return (*first, begins, If(asked, side, None, expr.span)), variable(truth)
            case Call(callee, args) if callee in self.functions:
                return self._call(expr, self.functions[callee], args)
        found = [self.value(part) for part in operands(expr)]
        parts_ = dict(zip(operands(expr), (value for _, value in found), strict=True))
        before = tuple(stmt for stmts, _ in found for stmt in stmts)
        return before, rewrite(expr, lambda e: None if e is expr else parts_.get(e))

    def _kept(self, symbol: Symbol, value: Expr) -> Block:
        before, value = self.value(value)
        return Block((*before, Assign(variable(symbol), "=", value, value.span)), value.span)

    def _call(self, call: Call, function: Function, args: tuple[Expr, ...]) -> tuple[tuple[SourceStmt, ...], Expr]:
        """What a function does, on variables of this call."""
        assert function.inline is not None
        own: dict[Symbol, Symbol] = {}
        stmts: list[SourceStmt] = []
        for parameter, arg in zip(function.parameters, args, strict=True):
            before, value = self.value(arg)
            own[parameter] = self._fresh(parameter)
            stmts += (*before, Declare(own[parameter], value, call.span))
        for symbol in _declared(function.inline.statements):
            own.setdefault(symbol, self._fresh(symbol))

        def named(expr: Expr) -> Expr | None:
            return replace(expr, symbol=own[expr.symbol]) if isinstance(expr, Var) and expr.symbol in own else None

        for stmt in function.inline.statements:
            renamed = _renamed(stmt, own, named)
            stmts += self.source(renamed)
        before, value = self.value(rewrite(function.inline.value, named))
        result = self._fresh(Symbol(function.name, function.name, function.result, Storage.INNER))
        return (*stmts, *before, Declare(result, value, call.span)), variable(result)

    def _calls(self, expr: Expr) -> bool:
        return any(isinstance(e, Call) and e.callee in self.functions for e in expressions(expr))

    def _fresh(self, symbol: Symbol) -> Symbol:
        self.made += 1
        return replace(symbol, unique=f"{symbol.unique}_c{self.made}", storage=Storage.INNER)


def _declared(stmts: Iterable[SourceStmt]) -> tuple[Symbol, ...]:
    """The variables that a function's statements declare or count with."""
    every = (part for stmt in stmts for part in parts(stmt))
    return tuple(s.symbol if isinstance(s, Declare) else s.iterator for s in every if isinstance(s, Declare | For))


def _renamed(stmt: SourceStmt, own: Mapping[Symbol, Symbol], named: Callable[[Expr], Expr | None]) -> SourceStmt:
    """A statement on variables of a call's own."""

    def block(body: Block) -> Block:
        return replace(body, statements=tuple(map(declared, body.statements)))

    def declared(one: SourceStmt) -> SourceStmt:
        match one:
            case Declare(symbol=symbol):
                return replace(one, symbol=own.get(symbol, symbol))
            case Block():
                return block(one)
            case If(then=then, other=other):
                return replace(one, then=block(then), other=None if other is None else block(other))
            case For(iterator=iterator, body=body):
                return replace(one, iterator=own.get(iterator, iterator), body=block(body))
            case While(body=body):
                return replace(one, body=block(body))
            case GeneralFor(init=init, step=step, body=body):
                return replace(one, init=tuple(map(declared, init)), step=tuple(map(declared, step)), body=block(body))
        return one

    return declared(rewrite_statement(stmt, named))
