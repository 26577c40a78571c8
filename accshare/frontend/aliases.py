"""Local pointers that stand for a place in an array (``float *row = A + i*n``) are replaced by it."""

from __future__ import annotations

from collections.abc import Sequence

from accshare.diagnostics import Rejected, rejected
from accshare.frontend.clang import Key, Node
from accshare.frontend.constants import name_of
from accshare.frontend.effects import writes
from accshare.frontend.expressions import Address, Expressions
from accshare.frontend.ir import Array, Expr, Member, Pointer, Storage, Subscript, Var
from accshare.frontend.walks import expressions as parts
from accshare.source import Span


def alias(decl: Node, values: Sequence[Node], scope: Node, expressions: Expressions) -> Address:
    """The address a pointer declared in `scope` always holds.

    Raises `Rejected` (ACC202) when it has no value yet, is assigned later, or what it is computed from changes while
    it can be used.
    """
    name, span = decl.spelling, Span(decl.start, decl.end)
    if not values:
        message = f"the pointer {name} is declared without a value"
        raise rejected("ACC202", message, span, f"give {name} its value where it is declared")
    written = writes(scope)
    if decl.key in written.variables:
        raise rejected("ACC202", f"the pointer {name} changes after its declaration", span, "index the array")
    address = expressions.address(values[-1])
    keys: dict[str, Key] = {symbol.unique: key for key, symbol in expressions.symbols.items()}
    used = [*parts(address.base), *(parts(address.offset) if address.offset is not None else ())]
    for part in used:
        if isinstance(part, Var) and keys[part.symbol.unique] in written.variables:
            raise _changes(name, part.symbol.name, span)
        if _may_be_stored_to(part, written.memory):
            raise _changes(name, "memory it was computed from", span)
    return address


def _may_be_stored_to(part: Expr, memory: frozenset[str]) -> bool:
    """Whether reading `part` loads something that stores to objects of the types `memory` may change."""
    if isinstance(part, Var):
        exposed = part.symbol.storage is Storage.GLOBAL or part.symbol.address_taken
    else:
        exposed = isinstance(part, Subscript | Member)
    if not exposed or isinstance(part.type, Array):
        return False
    if isinstance(part.type, Pointer):
        return any("*" in type_ for type_ in memory)
    return name_of(part.type) in memory


def _changes(name: str, what: str, span: Span) -> Rejected:
    message = f"the pointer {name} can't be replaced by its value: {what} may change while it is used"
    return rejected("ACC202", message, span, "index the array directly")
