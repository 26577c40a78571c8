"""Functions of <math.h> on vectors of GNU C, lane by lane: exactly what they are for one number."""

from __future__ import annotations

from dataclasses import replace

from accshare.cprint import CPrinter
from accshare.frontend.ir import INT, LONG, Call, Scalar

_FLOAT = 4


def vector_call(printer: CPrinter, call: Call) -> str:
    """A call whose arguments and result are vectors of one type."""
    assert isinstance(call.type, Scalar)
    type_ = printer.scalar(call.type)
    names = [f"__acc_{letter}" for letter in "abc"[: len(call.args)]]
    given = " ".join(
        f"const {type_} {name} = {printer.converted(arg, call.type)};"
        for name, arg in zip(names, call.args, strict=True)
    )
    name = call.callee.removesuffix("f") if call.type.bytes == _FLOAT else call.callee
    return f"({{ {given} {_value(printer, name, call.type, names)}; }})"


def _value(printer: CPrinter, name: str, type_: Scalar, args: list[str]) -> str:
    integer = INT if type_.bytes == _FLOAT else LONG
    whole, mask = printer.scalar(type_), printer.scalar(replace(integer, lanes=type_.lanes))
    if name == "fabs":
        most = "0x7fffffff" if type_.bytes == _FLOAT else "0x7fffffffffffffffL"
        return f"({whole})(({mask})__acc_a & {most})"
    if name in {"fmin", "fmax"}:
        before = "<" if name == "fmin" else ">"
        other = f"({mask})((__acc_b {before} __acc_a) | (__acc_a != __acc_a))"
        chosen = f"({mask})__acc_b & __acc_other | ({mask})__acc_a & ~__acc_other"
        return f"const {mask} __acc_other = {other}; ({whole})({chosen})"
    suffix = "f" if type_.bytes == _FLOAT else ""
    lanes = (f"__builtin_{name}{suffix}({', '.join(f'{arg}[{k}]' for arg in args)})" for k in range(type_.lanes))
    return f"({whole}){{{', '.join(lanes)}}}"
