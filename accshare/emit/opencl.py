"""Kernels as OpenCL C 1.2."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from math import prod
from types import MappingProxyType

from accshare.builtins import constants, lanes_of
from accshare.conversions import alike, base_name, is_bool, may_overflow, size
from accshare.cprint import is_truth
from accshare.emit.atomics import InOnePiece
from accshare.emit.ir import EXACT
from accshare.emit.kernels import KernelPrinter, array_text, private_text, unknown, write_body, write_function
from accshare.emit.mathlib import DOUBLE, FLOAT, INTEGER, PREDICATES, ROUNDINGS, overload
from accshare.emit.needs import (
    every,
    exchanges,
    intrinsics,
    may_be_parted,
    needs_atomics64,
    needs_fp64,
    used,
    used_in,
    written_buffers,
)
from accshare.emit.templates import render
from accshare.emit.writer import Writer
from accshare.frontend.ir import (
    INT,
    UINT,
    ULONG,
    Binary,
    Builtin,
    Call,
    Cast,
    Expr,
    IntLit,
    Intrinsic,
    Member,
    Pointer,
    Scalar,
    Storage,
    Subscript,
    Symbol,
    Type,
    Unary,
    Var,
)
from accshare.islexpr import literal
from accshare.kernel.ir import (
    Buffer,
    Copy,
    Fence,
    KernelFunction,
    LocalBuffer,
    Param,
    Prefetch,
    Value,
    Variant,
)
from accshare.opencl_names import safe_member
from accshare.options import Options
from accshare.records import replace
from accshare.reference import in_memory, root
from accshare.source import SourceFile

_POSTFIX = 15
_FENCES = {
    Fence.LOCAL: "CLK_LOCAL_MEM_FENCE",
    Fence.GLOBAL: "CLK_GLOBAL_MEM_FENCE",
    Fence.BOTH: "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE",
}
_UCHAR = Scalar("unsigned char", 1, False, False)


class OpenCLPrinter(KernelPrinter):
    """C expressions as OpenCL C."""

    #: the work-group of the kernel that is printed, where launches of it may come in parts
    parts_of: tuple[int, int, int] | None = None
    shapes: Mapping[Symbol, tuple[int, ...]] = MappingProxyType({})

    def function(self, name: str) -> str:
        """OpenCL has many built-in functions with plain names, which no other may share."""
        return name if name.startswith("__accshare_") else f"user_{name}"

    def member(self, name: str) -> str:
        return safe_member(name)

    def scalar(self, type_: Scalar) -> str:
        if type_.lanes > 1:
            return f"{self.scalar(replace(type_, lanes=1))}{type_.lanes}"
        if type_.floating:
            return type_.name
        if is_bool(type_):
            return "bool"
        name = base_name(type_).replace("long long", "long")
        return name if type_.signed else f"u{name}"

    def suffix(self, type_: Scalar) -> str:
        return ("" if type_.signed or type_.bytes < 4 else "U") + ("L" if type_.bytes == 8 else "")

    def storage(self, type_: Type) -> Type:
        """``bool`` and host pointers have no size of their own on a device."""
        return _UCHAR if is_bool(type_) else ULONG if isinstance(type_, Pointer) else type_

    def converted(self, expr: Expr, target: Type) -> str:
        """Memory holds ``_Bool`` as a byte, so the conversion to it has to be visible."""
        if not (is_bool(target) and isinstance(expr, Cast) and expr.implicit):
            return super().converted(expr, target)
        operand = self.bare(expr)
        return self.text(operand if is_truth(operand) else expr)

    def text(self, expr: Expr, precedence: int = 0) -> str:
        match expr:
            case Binary("+" | "-" | "*" as op, lhs, rhs, type_, span) if self.wraps and may_overflow(type_):
                whole = ULONG if size(type_) == ULONG.bytes else UINT
                left, right = (Cast(side, whole, False, span) for side in (lhs, rhs))
                return super().text(Cast(Binary(op, left, right, whole, span), type_, False, span), precedence)
            case Unary("-", operand, Scalar() as type_, span) if self.wraps and may_overflow(type_):
                return self.text(Binary("-", literal(0, type_), operand, type_, span), precedence)
            case Cast(operand, Scalar(lanes=lanes) as type_) if lanes > 1:
                gathered = isinstance(operand.type, Scalar) and operand.type.lanes > 1
                convert = f"convert_{self.scalar(type_)}" if gathered else f"({self.scalar(type_)})"
                return f"{convert}({self.text(operand)})"
        return super().text(expr, precedence)

    def _index(self, place: Expr) -> str:
        """What wraps around is no place in an array."""
        wraps, self.wraps = self.wraps, False
        try:
            return super()._index(place)
        finally:
            self.wraps = wraps

    def places(self, base: Expr, index: Expr) -> tuple[Expr, ...]:
        shape = self.shapes.get(base.symbol, ()) if isinstance(base, Var) else ()
        return _places(index, shape) or (index,)

    def vector(self, first: Expr, type_: Scalar, const: str = "") -> str:
        """Compilers may call ``vload`` and ``vstore`` for each vector; they load and store by a pointer themselves."""
        array = root(first)
        known = array is not None and array.storage is Storage.PARAMETER
        space = "__global " if known else "__local " if array in self.local else ""
        return f"*({space}{const}{self.scalar(type_)}_u *)&{self.text(first)}"

    def copied(self, copy: Copy) -> str:
        value = self._whole(copy.value, copy.width, "const ")
        if copy.there is not None:
            assert isinstance(copy.target.type, Scalar)
            vector = self.scalar(replace(copy.target.type, lanes=copy.width))
            value = f"{self.text(copy.there, _POSTFIX)} ? {value} : ({vector})(0)"
        return f"{self._whole(copy.target, copy.width, apart='_u' if copy.apart else '')} = {value};"

    def _whole(self, expr: Expr, width: int, const: str = "", apart: str = "") -> str:
        """The `width` elements of a buffer or a tile from `expr` on; a work-item's own vector."""
        if isinstance(expr.type, Scalar) and expr.type.lanes == width:
            return self.text(expr)
        buffer = root(expr)
        assert buffer is not None
        assert isinstance(expr.type, Scalar)
        space = "__local" if buffer.storage is Storage.INNER else "__global"
        return f"*({space} {const}{self.scalar(expr.type)}{width}{apart} *)&{self.text(expr)}"

    def barrier(self, fence: Fence) -> str:
        return f"barrier({_FENCES[fence]});"

    def prefetched(self, asked: Prefetch) -> str:
        return f"prefetch(&{self.text(asked.element)}, 1);"

    def unrolled(self, times: int) -> str:
        return f"#pragma unroll {times}"

    def exchanged(self, one: InOnePiece) -> tuple[str, str]:
        return one.name(self), one.pointer(self)

    def call(self, call: Call) -> str:
        own = self.called(call)
        if own is not None:
            return own
        if call.callee in PREDICATES:
            return f"{call.callee}({', '.join(self.text(a) for a in call.args)})"
        if call.callee in INTEGER:
            return self._cast(self._called("abs", call.args, call.type), call.type)
        return self._math(call)

    def intrinsic(self, call: Intrinsic) -> str:
        match call.function:
            case Builtin.MIN:
                return self._called("min", call.args, call.type)
            case Builtin.MAX:
                return self._called("max", call.args, call.type)
            case Builtin.FLOOR_DIV:
                return self._called(floord_name(call), call.args, call.type)
        given = [self.text(arg) for arg in call.args]
        match call.function:
            case Builtin.VECTOR:
                return self._vector(call.type, given)
            case Builtin.LANE:
                return _lane(given[0], constants(call)[0])
            case Builtin.HALF:
                return f"{given[0]}.{'hi' if constants(call)[0] else 'lo'}"
            case Builtin.SHUFFLE:
                return self._vector(call.type, _picked(call, given[:2]))
            case Builtin.SELECT:
                # An operator, since compilers may call the built-in function for every vector.
                joined = isinstance(call.args[2], Binary) and call.args[2].op in "&|"
                return f"({f'({given[2]})' if joined else given[2]} ? {given[1]} : {given[0]})"
            case Builtin.ANY_LANE:
                return f"any({given[0]})"
            case Builtin.BITS:
                return f"as_{self.declaration(call.type, '')}({given[0]})"
            case Builtin.IS_ALIGNED:
                return f"((size_t){given[0]} % {given[1]} == 0)"
            case Builtin.PAST:
                return f"(long)((size_t){given[0]} / {given[1]} % {given[2]})"
            case Builtin.GROUP_ID:
                return self._group_id(*constants(call))
            case Builtin.LOCAL_ID:
                return f"get_local_id({given[0]})"
            case Builtin.GROUPS:
                return f"get_num_groups({given[0]})"

    def _group_id(self, axis: int) -> str:
        """A part of a grid counts its groups from 0, and says by an offset where it begins."""
        number = f"get_group_id({axis})"
        if self.parts_of is None or axis == 0:
            return number
        length = self.parts_of[axis]
        return f"({number} + get_global_offset({axis}){f' / {length}' if length > 1 else ''})"

    def _vector(self, type_: Type, lanes: Iterable[str]) -> str:
        return f"({self.declaration(type_, '')})({', '.join(lanes)})"

    def _math(self, call: Call) -> str:
        name, precise = overload(call.callee, call.type)
        if name is None:
            raise unknown(call, "OpenCL C")
        floating = DOUBLE if precise else FLOAT
        if isinstance(call.type, Scalar):
            floating = replace(floating, lanes=call.type.lanes)
        if name in ROUNDINGS:
            return self._cast(self._called(ROUNDINGS[name], call.args, floating), call.type)
        if name in {"ldexp", "scalbn"}:
            value, power = call.args
            return f"ldexp({self._argument(value, floating)}, {self._argument(power, INTEGER['abs'])})"
        return self._called(name, call.args, floating)

    def _called(self, name: str, args: tuple[Expr, ...], type_: Type) -> str:
        return f"{name}({', '.join(self._argument(a, type_) for a in args)})"

    def _argument(self, expr: Expr, type_: Type) -> str:
        """`expr` with exactly the type that selects the overload; a constant is written in it."""
        bare = self.bare(expr) if isinstance(expr, Cast) and alike(expr.type, type_) else expr
        if alike(bare.type, type_):
            return self.text(bare)
        if isinstance(bare, IntLit) and isinstance(type_, Scalar) and not type_.floating and type_.signed:
            return self.text(IntLit(bare.value, type_, bare.span))
        return self.text(Cast(bare, type_, False, expr.span))

    def _cast(self, text: str, type_: Type) -> str:
        return f"({self.declaration(type_, '')}){text}"


def _lane(whole: str, number: int) -> str:
    return f"{whole}.s{number:x}"


def _picked(shuffle: Intrinsic, sides: list[str]) -> Iterator[str]:
    """The lanes of a shuffle, of whichever of its vectors they are."""
    for number in constants(shuffle):
        side, lane = divmod(number, lanes_of(shuffle.args[0]))
        yield _lane(sides[side], lane)


def floord_name(call: Intrinsic) -> str:
    """The helper that divides integers of the call's type."""
    return "floordl" if size(call.type) == 8 else "floord"


def opencl(variant: Variant, source: SourceFile, options: Options) -> str:
    """The program of one variant: extensions, types, functions, kernels; raises `Rejected` (ACC204) for a call OpenCL
    does not know."""
    functions = {f.name: f for k in variant.kernels for f in k.functions}
    structs = {s.name: s for k in variant.kernels for s in k.structs}
    local = (b.symbol for k in variant.kernels for b in k.local)
    printer = OpenCLPrinter(functions.values(), local, written_buffers(variant))
    printer.wraps = options.wraps
    parted = may_be_parted(variant)
    return render(
        "program.cl.j2",
        fp64=needs_fp64(variant),
        atomics64=needs_atomics64(variant),
        contract=options.contract,
        exact=EXACT,
        floord=sorted(
            {(floord_name(c), "long" if size(c.type) == 8 else "int") for c in intrinsics(variant, [Builtin.FLOOR_DIV])}
        ),
        unaligned=_unaligned(variant, printer),
        exchanges=[one.text(printer) for one in exchanges(variant)],
        structs=["\n".join(printer.struct(s)) for s in structs.values()],
        functions=[write_function(f, printer, Writer(source.locate)) for f in functions.values()],
        kernels=["\n".join(_kernel(k, printer, source, parted)) for k in variant.kernels],
    )


def _unaligned(variant: Variant, printer: OpenCLPrinter) -> list[tuple[str, int]]:
    """The vectors that are loaded and stored wherever their elements lie, with the bytes of one."""
    found = (e for e in used(variant) if isinstance(e, Subscript | Member))
    types = {e.type for e in found if isinstance(e.type, Scalar) and e.type.lanes > 1 and in_memory(e)}
    copies = (part for kernel in variant.kernels for part in every(kernel.body) if isinstance(part, Copy))
    types |= {replace(c.target.type, lanes=c.width) for c in copies if c.apart and isinstance(c.target.type, Scalar)}
    return sorted((printer.scalar(type_), type_.bytes) for type_ in types)


def _kernel(kernel: KernelFunction, printer: OpenCLPrinter, source: SourceFile, parted: bool) -> list[str]:
    writer = Writer(source.locate)
    printer.parts_of = kernel.work_group if parted else None
    printer.shapes = _shapes(kernel)
    sizes = ", ".join(str(n) for n in kernel.work_group)
    writer.line(f"__kernel __attribute__((reqd_work_group_size({sizes})))", kernel.span)
    lead = f"void {kernel.name}("
    params = [_param(p, printer) for p in kernel.params]
    for k, text in enumerate(params or ["void"]):
        end = "," if k + 1 < len(params) else ")"
        writer.line((lead if k == 0 else " " * len(lead)) + text + end)
    writer.open("{")
    for param in kernel.params:
        if isinstance(param, Buffer):
            writer.line(f"{param.name} += {param.name}_first;")
    for local in kernel.local:
        writer.line(_local(local, printer) + ";")
    for private in kernel.private:
        writer.line(private_text(private, printer, "__constant") + ";")
    write_body(kernel, printer, writer)
    writer.close()
    return writer.lines


def _param(param: Param, printer: OpenCLPrinter) -> str:
    if isinstance(param, Value):
        return printer.declaration(printer.storage(param.symbol.type), printer.name(param.symbol))
    const = "" if param.writes else "const "
    restrict = "restrict " if param.restrict else ""
    pointer = printer.declaration(printer.storage(param.element), f"*{restrict}{param.name}")
    return f"__global {const}{pointer}, long {param.name}_first"


def _shapes(kernel: KernelFunction) -> dict[Symbol, tuple[int, ...]]:
    """The lengths of the arrays in local memory of which nothing but elements is used, each by its place along every
    dimension. Compilers fold what such subscripts have in common; in the sum of a flat one, they don't find it. Panels
    of a work-item alone, which vectors go along, stay flat."""
    alone = prod(kernel.work_group) == 1
    shapes = {b.symbol: b.lengths for b in kernel.local if len(b.lengths) > 1 and not alone}
    flat = Counter[Symbol]()
    for expr in used_in(kernel.body):
        match expr:
            case Var(symbol) if symbol in shapes:
                flat[symbol] += 1
            case Subscript(Var(symbol), index) if symbol in shapes and _places(index, shapes[symbol]):
                flat[symbol] -= 1
    return {symbol: shape for symbol, shape in shapes.items() if flat[symbol] == 0}


def _places(index: Expr, shape: tuple[int, ...]) -> tuple[Expr, ...]:
    """The place along each dimension that a flat index was put together of; none where it was not."""
    places: tuple[Expr, ...] = ()
    for length in reversed(shape[1:]):
        match index:
            case Binary("+", Binary("*", row, IntLit(value)), place) if value == length:
                index = row
            case Binary("*", row, IntLit(value)) if value == length:
                index, place = row, literal(0, INT)
            case IntLit(value):
                index, place = literal(value // length, INT), literal(value % length, INT)
            case _:
                return ()
        places = (place, *places)
    return (index, *places)


def _local(local: LocalBuffer, printer: OpenCLPrinter) -> str:
    shape = printer.shapes.get(local.symbol)
    name = printer.name(local.symbol)
    name = array_text(name, local.lengths) if shape is None else f"{name}[{']['.join(map(str, shape))}]"
    aligned = f" __attribute__((aligned({local.alignment})))" if local.alignment > 1 else ""
    return f"__local {printer.declaration(printer.storage(local.element), name)}{aligned}"
