"""Functions of <math.h> on vectors of GNU C, lane by lane: exactly what they are for one number."""

from __future__ import annotations

from accshare.cprint import CPrinter
from accshare.device import Device, HostMachine
from accshare.frontend.ir import INT, LONG, Call, Scalar
from accshare.records import replace

_FLOAT = 4


#: what square roots of a processor's registers are called, by the bytes of one
_ROOTS = {16: "", 32: "256", 64: "512"}
#: and what products with a sum are called
_FUSED = {16: "", 32: "256", 64: "512_mask"}
#: how instructions are told to round, without exceptions
_ROUNDED = {"rint": 12, "nearbyint": 12, "floor": 9, "ceil": 10, "trunc": 11}
#: bytes of registers with which there are such instructions
_AVX = 32


def vector_call(printer: CPrinter, call: Call, machine: HostMachine, target: Device) -> str:
    """A call whose arguments and result are vectors of one type, on a machine of which `target` is the model."""
    register = target.simd_width * _FLOAT
    assert isinstance(call.type, Scalar)
    type_ = printer.scalar(call.type)
    names = [f"__acc_{letter}" for letter in "abc"[: len(call.args)]]
    given = " ".join(
        f"const {type_} {name} = {printer.converted(arg, call.type)};"
        for name, arg in zip(names, call.args, strict=True)
    )
    name = call.callee.removesuffix("f") if call.type.bytes == _FLOAT else call.callee
    wide = call.type.bytes * call.type.lanes
    if name == "sqrt" and machine.x86_64 and wide in _ROOTS and wide <= register:
        return f"({{ {given} {_root(printer, call.type, machine.clang)}; }})"
    if name == "fma" and target.fuses and wide in _FUSED and wide <= register:
        return f"({{ {given} {_fused(printer, call.type)}; }})"
    if name in _ROUNDED and machine.x86_64 and register >= _AVX:
        return f"({{ {given} {_rounded(printer, name, call.type, register)}; }})"
    return f"({{ {given} {_value(printer, name, call.type, names)}; }})"


def _rounded(printer: CPrinter, name: str, type_: Scalar, register: int) -> str:
    """One number rounded after the other is what compilers make of vectors that are longer than registers."""
    wide = type_.bytes * type_.lanes
    kind = f"p{'s' if type_.bytes == _FLOAT else 'd'}"
    if wide <= register and wide in _ROOTS:
        whole = f"({printer.scalar(type_)})"
        if wide == max(_ROOTS):
            return f"{whole}__builtin_ia32_rndscale{kind}_mask(__acc_a, {_ROUNDED[name]}, __acc_a, -1, 4)"
        return f"{whole}__builtin_ia32_round{kind}{_ROOTS[wide]}(__acc_a, {_ROUNDED[name]})"
    return _value(printer, name, type_, ["__acc_a"])


def _root(printer: CPrinter, type_: Scalar, clang: bool) -> str:
    """Compilers take square roots one by one as long as they may have to set ``errno``."""
    wide = type_.bytes * type_.lanes
    name = f"__builtin_ia32_sqrtp{'s' if type_.bytes == _FLOAT else 'd'}{_ROOTS[wide]}"
    if wide < max(_ROOTS):
        return f"({printer.scalar(type_)}){name}(__acc_a)"
    # rounded as the program has it
    return f"({printer.scalar(type_)}){name}{'(' if clang else '_mask(__acc_a, '}__acc_a, {'4' if clang else '-1, 4'})"


def _fused(printer: CPrinter, type_: Scalar) -> str:
    wide = type_.bytes * type_.lanes
    name = f"__builtin_ia32_vfmaddp{'s' if type_.bytes == _FLOAT else 'd'}{_FUSED[wide]}"
    # rounded as the program has it
    return f"({printer.scalar(type_)}){name}(__acc_a, __acc_b, __acc_c{', -1, 4' if wide == max(_FUSED) else ''})"


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
