"""Share hints: what they say of the region they stand on, and the messages about those that can't be followed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from accshare.cprint import CPrinter
from accshare.device import Device
from accshare.diagnostics import Diagnostic, Note
from accshare.frontend.ir import Expr, Var
from accshare.options import Options, Share
from accshare.poly.ir import Scop, Variable, VariableKind
from accshare.pragma.ir import ShareArray, ShareBinary, ShareClause, ShareExpr, ShareInt, ShareParam, ShareVague
from accshare.records import dataclass
from accshare.tree import rewrite


@dataclass(frozen=True, slots=True)
class Hint:
    """What a ``share`` says of one array: a length for every entry of `variable.shape`."""

    variable: Variable
    array: ShareArray


class HintError(Exception):
    """A length that is none for the sizes tried: ACC504 where a division leaves a fraction, ACC505 below 1."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def hints_of(scop: Scop, options: Options) -> tuple[tuple[Hint, ...], tuple[Diagnostic, ...]]:
    """The hints that stand on a region, in source order, and one diagnostic for every other array they name."""
    hints: list[Hint] = []
    problems: list[Diagnostic] = []
    for array in _arrays(scop, options):
        found = _resolved(array, scop)
        twice = next((h for h in hints if isinstance(found, Hint) and h.variable == found.variable), None)
        if isinstance(found, Diagnostic):
            problems.append(found)
        elif twice is not None:
            problems.append(_named_twice(found, twice))
        else:
            hints.append(found)
    return tuple(hints), tuple(problems)


def length(expr: ShareExpr, sizes: Mapping[str, int]) -> int | None:
    """The length `expr` gives for block sizes by name (``TB_X``, ``TB_Y``, ``TB_Z``); None for ``*``.

    Raises `HintError` where a division leaves a fraction, or the length is below 1.
    """
    if isinstance(expr, ShareVague):
        return None
    value = _value(expr, sizes)
    if value < 1:
        raise HintError("ACC505", f"a length of {value} with {_with(expr, sizes)}")
    return value


def spelling(expr: ShareExpr) -> str:
    """`expr` as C text."""
    match expr:
        case ShareVague():
            return "*"
        case ShareInt(value):
            return str(value)
        case ShareParam(name):
            return name
        case ShareBinary(op, lhs, rhs):
            left = _grouped(lhs, op in "*/" and _is_sum(lhs))
            right = _grouped(rhs, _is_sum(rhs) if op in "+*" else isinstance(rhs, ShareBinary))
            return f"{left}{op}{right}"


def too_large(hint: Hint, bytes_: int, device: Device, instead: str) -> Diagnostic:
    """ACC503: the smallest tile that `hint` asks for takes `bytes_` of local memory, more than `device` has.

    `instead` says what was done (``x stays in global memory``).
    """
    return Diagnostic(
        "ACC503",
        f"{_text(hint.array)} takes {bytes_} bytes of local memory at least, {device.name} has {device.local_bytes}; "
        f"{instead}",
        hint.array.span,
        "give smaller lengths, or '*' for a length the compiler picks",
    )


def not_integer(hint: Hint, dimension: int) -> Diagnostic:
    """ACC504: the division in the length of `dimension` leaves a fraction for all sizes a thread block may have."""
    expr = hint.array.lengths[dimension]
    return Diagnostic(
        "ACC504",
        f"{spelling(expr)} is no whole number for any size a thread block can have; "
        f"'*' is used for dimension {dimension + 1} of {hint.array.name}",
        expr.span,
        "TB_X, TB_Y and TB_Z are powers of two: divide them by powers of two",
    )


def too_short(hint: Hint, dimension: int) -> Diagnostic:
    """ACC505: the length of `dimension` is below 1 for all sizes a thread block may have."""
    expr = hint.array.lengths[dimension]
    return Diagnostic(
        "ACC505",
        f"{spelling(expr)} is below 1 for every size a thread block can have; "
        f"'*' is used for dimension {dimension + 1} of {hint.array.name}",
        expr.span,
        "a length counts elements; '*' leaves it to the compiler",
    )


def needless_coalesce(hint: Hint) -> Diagnostic:
    """ACC506: neighbouring work-items already touch neighbouring elements of the array."""
    return Diagnostic(
        "ACC506",
        f"every access to {hint.array.name} already coalesces: neighbouring threads touch neighbouring elements",
        hint.array.span,
        "':coalesce' can be left out",
    )


def does_not_pay(hint: Hint, why: str, device: Device) -> Diagnostic:
    """ACC507: the array could be staged, and that would gain nothing; `why` says the reason in a few words."""
    return Diagnostic(
        "ACC507",
        f"{hint.array.name} stays in global memory on {device.name}, local memory doesn't pay: {why}",
        hint.array.span,
        "--acc-share=force stages it all the same",
    )


def not_followed(hint: Hint, dimension: int | None, why: str, instead: str) -> Diagnostic:
    """ACC508: the loops give no such tile, or the array can't be staged.

    `dimension` is the one at fault, None for the array as a whole. `why` and `instead` say the reason and what was
    done, in a few words each.
    """
    span = hint.array.span if dimension is None else hint.array.lengths[dimension].span
    return Diagnostic(
        "ACC508",
        f"{_text(hint.array)} can't be followed: {why}; {instead}",
        span,
        "leave the hint out, or name other arrays",
    )


def _arrays(scop: Scop, options: Options) -> Iterator[ShareArray]:
    if options.share is not Share.OFF:
        for directive in scop.region.shares:
            for clause in directive.clauses:
                if isinstance(clause, ShareClause):
                    yield from clause.arrays


def _resolved(array: ShareArray, scop: Scop) -> Hint | Diagnostic:
    used = [v for v in scop.variables if v.shape and not v.part_of and _is_used(v, scop)]
    named = [v for v in used if _written_name(v) == array.name]
    variable = next((v for v in named if v.kind is not VariableKind.PRIVATE), None) or next(iter(named), None)
    if variable is None:
        others = ", ".join(_written_name(v) for v in used if v.kind is not VariableKind.PRIVATE)
        message = f"share names {array.name}, which is no array that the region uses"
        return Diagnostic("ACC501", message, array.span, f"the arrays it uses are {others}" if others else None)
    hint, rank = Hint(variable, array), len(variable.shape)
    if rank != len(array.lengths):
        return Diagnostic(
            "ACC502",
            f"{array.name} has {rank} dimension{'s' if rank != 1 else ''} here, share gives {len(array.lengths)}",
            array.span,
            f"write {array.name}{'[*]' * rank}; the region uses it as {_declared(variable, scop)}",
        )
    if variable.kind is VariableKind.PRIVATE:
        return not_followed(hint, None, "every iteration has its own", "it stays private")
    return hint


def _named_twice(hint: Hint, first: Hint) -> Diagnostic:
    name, notes = hint.array.name, (Note("the lengths that are used", first.array.span),)
    return Diagnostic("ACC104", f"share names {name} twice", hint.array.span, "leave one of the two", notes)


def _is_used(variable: Variable, scop: Scop) -> bool:
    return any(a.variable == variable for s in scop.statements for a in s.accesses)


def _written_name(variable: Variable) -> str:
    """The name in the user's source; what a pointer in a struct points to has none of its own."""
    return variable.base.symbol.name if isinstance(variable.base, Var) else variable.name


def _declared(variable: Variable, scop: Scop) -> str:
    """``A[][n]``: extents as the user wrote them, nothing where they aren't known."""
    values = {p.symbol: p.value for p in scop.parameters}

    def shown(expr: Expr) -> Expr | None:
        return values.get(expr.symbol) if isinstance(expr, Var) else None

    extents = ("" if e is None else CPrinter().text(rewrite(e, shown)) for e in variable.shape)
    return _written_name(variable) + "".join(f"[{extent}]" for extent in extents)


def _value(expr: ShareExpr, sizes: Mapping[str, int]) -> int:
    match expr:
        case ShareInt(value):
            return value
        case ShareParam(name):
            return sizes[name]
        case ShareBinary(op, lhs, rhs):
            left, right = _value(lhs, sizes), _value(rhs, sizes)
            if op == "/":
                if right == 0 or left % right:
                    raise HintError("ACC504", f"{left}/{right} with {_with(expr, sizes)}")
                return left // right
            return left + right if op == "+" else left - right if op == "-" else left * right
        case ShareVague():
            raise AssertionError("the grammar has '*' for a whole length only")


def _with(expr: ShareExpr, sizes: Mapping[str, int]) -> str:
    text = spelling(expr)
    return ", ".join(f"{name} = {size}" for name, size in sizes.items() if name in text)


def _is_sum(expr: ShareExpr) -> bool:
    return isinstance(expr, ShareBinary) and expr.op in "+-"


def _grouped(expr: ShareExpr, group: bool) -> str:
    return f"({spelling(expr)})" if group else spelling(expr)


def _text(array: ShareArray) -> str:
    return array.name + "".join(f"[{spelling(expr)}]" for expr in array.lengths)
