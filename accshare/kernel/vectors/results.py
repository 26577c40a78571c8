"""Results of several rows: in loops over columns, each row's is a variable, of which register tiles have many."""

from __future__ import annotations

from collections.abc import Mapping

from accshare.frontend.ir import Array, Expr, Subscript, Symbol, Var
from accshare.islexpr import variable
from accshare.kernel.ir import Define, Loop, Stmt, parts
from accshare.kernel.uses import rewritten, used_expressions
from accshare.kernel.vectors.lanes import NotVector
from accshare.pragma.ir import ReductionOp
from accshare.records import dataclass, replace
from accshare.tree import expressions


@dataclass(frozen=True, slots=True)
class Combined:
    """The code of an iteration with variables that it combines into by `ops`; `places` tells where a row has
    the results of those that are not variables by themselves."""

    body: tuple[Stmt, ...]
    ops: Mapping[Symbol, ReductionOp]
    places: Mapping[Symbol, Expr]


def combined_by(loop: Loop, rows: int, used: Mapping[Symbol, ReductionOp]) -> Combined:
    """What the columns of a `loop` combine into, of those that are `used`. Raises `NotVector` where that is not one
    result for each of the rows."""
    ops: dict[Symbol, ReductionOp] = {}
    places: dict[Symbol, Expr] = {}
    held: dict[Expr, Expr] = {}
    inside = {p.symbol for s in loop.body for p in parts(s) if isinstance(p, Define)}
    inside |= {p.iterator for s in (loop, *loop.body) for p in parts(s) if isinstance(p, Loop)}
    for symbol, op in used.items():
        if not isinstance(symbol.type, Array):
            if rows > 1:
                raise NotVector
            ops[symbol] = op
            continue
        own = {e for e in used_expressions(loop.body) if isinstance(e, Subscript) and e.base == variable(symbol)}
        if len(own) != 1 or any(isinstance(e, Var) and e.symbol in inside for one in own for e in expressions(one)):
            raise NotVector
        (place,) = own
        one = replace(symbol, unique=f"{symbol.unique}_one", type=symbol.type.element)
        held[place], ops[one], places[one] = variable(one), op, place
    return Combined(tuple(rewritten(s, held.get) for s in loop.body), ops, places)
