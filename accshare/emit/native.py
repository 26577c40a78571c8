"""Kernels as C for the host compiler: GNU C, with its vectors. `plain` has what others need to have it in standard C.

A kernel is a function that runs one work-group, which has one work-item. Beside it stands one that runs a range of them
and is what the runtime's threads call; it takes the kernel's arguments from a struct.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from math import prod

from accshare.builtins import constants, lanes_of
from accshare.conversions import alignment, base_name, is_bool, size
from accshare.cprint import CPrinter
from accshare.diagnostics import rejected
from accshare.emit.atomics import InOnePiece, one_piece
from accshare.emit.base_pointers import with_base_pointers
from accshare.emit.ir import NativeText
from accshare.emit.kernels import KernelPrinter, array_text, private_text, unknown, write_body, write_function
from accshare.emit.mathlib import INTEGER, PREDICATES, ROUNDINGS, overload
from accshare.emit.needs import exchanges, intrinsics, written_buffers
from accshare.emit.templates import render
from accshare.emit.tile_functions import TileFunctions, elements
from accshare.emit.vector_conversions import converted
from accshare.emit.vector_math import vector_call
from accshare.emit.writer import Writer
from accshare.frontend.ir import (
    INT,
    Atomic,
    Binary,
    Builtin,
    Call,
    Cast,
    Expr,
    FloatLit,
    Function,
    IntLit,
    Intrinsic,
    Scalar,
    Struct,
    Type,
    Var,
)
from accshare.kernel.ir import Buffer, Copy, Fence, KernelFunction, LocalBuffer, Prefetch, Private, Stmt, Variant
from accshare.options import Options
from accshare.records import dataclass, replace
from accshare.source import SourceFile, Span
from accshare.vectormath import RARE

_POSTFIX = 15
#: bytes of a kernel's arrays that lie where its other variables do; larger ones have memory of their own
_ON_STACK = 4096
#: bytes at whose multiples arrays begin: a line of the cache
_LINE = 64
#: `Builtin.MIN` and its like, as functions of two integers
_COMPUTED = {
    Builtin.MIN: ("min", "a < b ? a : b"),
    Builtin.MAX: ("max", "a > b ? a : b"),
    Builtin.FLOOR_DIV: ("floor_div", "a / b - (a % b < 0)"),
}
#: bytes of a lane of 32 bits
_LANE = 4
#: bytes of the smallest vectors of x86, and of the largest whose signs it moves to an integer
_SMALLEST, _SIGNS = 16, 32
#: bytes of the largest registers, which have instructions for masks
_LARGEST = 64
#: bytes of a register with which instructions have three operands
_AVX = 32
#: what takes the first of two numbers where that comparison of the second one with it holds
_BOUNDS = {">": "min", "<": "max"}
#: what choosing by signs is called for vectors of so many bytes, where a processor has AVX
_BLENDS = {16: "", 32: "256"}
#: functions of one number that clang has no builtins for
_NO_BUILTINS = {"exp10", "exp10f"}
#: macros of <math.h>, which the program need not include
_NUMBERS = {"NAN": '__builtin_nanf("")', "INFINITY": "__builtin_inff()"}
_ONE_ITEM = "leave sizes of work-groups to the compiler, or compile for OpenCL: --acc-target=generic-cpu"
#: operators that GNU C has one atomic function for
_ATOMIC = {"+": "add", "-": "sub", "&": "and", "|": "or", "^": "xor"}
#: integers of the same size as floating-point numbers
_BITS = {4: "unsigned", 8: "unsigned long"}
#: gcc finds vectors at -O2 only where that makes code no longer, and keeps some in memory where loops need all
#: registers
_WITH_VECTORS = ('"tree-vectorize"', '"vect-cost-model=dynamic"', '"ira-loop-pressure"')
#: what rows share is in register tiles already, and looking for more is the dearest of all that gcc does at -O3
_JAMS_NOTHING = ('"no-loop-unroll-and-jam"',)
#: a maximum begins with NaN, which changes nothing: also where the user's flags say that there is none
_KNOWS_NAN = ('"no-finite-math-only"',)
#: functions on vectors count on the order of operations
_KEEPS_ORDER = ('"no-unsafe-math-optimizations"', '"no-associative-math"', '"no-reciprocal-math"', '"signed-zeros"')
_OURS = "__accshare_"
#: a pragma in the program may forbid it, which gcc does not know
_FUSES_NOTHING = ('"fp-contract=off"',)


class NativePrinter(KernelPrinter):
    """C expressions as C of the host compiler; `prefix` makes names of functions and structs that no program has.
    `vectors` are the vector types by name, and grow as text is printed. Products are kept apart from sums where the
    compiler would make one operation of ``a * b - c`` beside ``d * e + f`` whatever it is told."""

    no_vectors = '__asm__ volatile("");'
    #: what is said of the user's functions, of small ones of ours, of those that are to stay functions, and of pointers
    inline, helper = "static __inline", "static __inline __attribute__((always_inline, unused))"
    stays, restrict = "__attribute__((noinline))", "__restrict"

    def __init__(self, variant: Variant, name: str, options: Options) -> None:
        machine, prefix = options.machine, f"__acc_{name}_"
        local = (b.symbol for k in variant.kernels for b in k.local)
        super().__init__((f for k in variant.kernels for f in k.functions), local, written_buffers(variant))
        self.variant = variant
        self.prefix = prefix
        self.attributes = self.said_of_kernels(options)
        self.products_apart = machine.fuses_pairs and not fuses(variant, options)
        self.machine = machine
        self.target = variant.target
        self.register = variant.target.simd_width * _LANE
        self.vectors: dict[str, Scalar] = {}
        self.tiles: TileFunctions | None = None
        self.known_tiles: dict[str, str] = {}

    def said_of_kernels(self, options: Options) -> str:
        """What is said of the functions of kernels."""
        return _attributes(self.variant, options)

    def aligned(self, declaration: str, bytes_: int) -> str:
        """A declaration of what begins at a multiple of so many bytes."""
        return f"{declaration} __attribute__((aligned({bytes_})))"

    def writer(self, source: SourceFile) -> Writer:
        """What lines are collected with."""
        return Writer(source.locate, preprocessed=True, before_c99=not self.machine.c99)

    def known_aligned(self, place: str) -> str:
        """An address that begins a line of the cache."""
        return f"__builtin_assume_aligned({place}, {_LINE})"

    def finished(self, text: str, options: Options) -> str:
        """Kernels with what stands around all of them."""
        return _for_clang(text, self.variant, options) if self.machine.clang else text

    def library(self) -> list[str]:
        """Declarations of the functions that kernels call and that the program need not declare."""
        return []

    def function(self, name: str) -> str:
        return f"{self.prefix}{name}"

    def tag(self, name: str) -> str:
        return f"{self.prefix}{name}"

    def scalar(self, type_: Scalar) -> str:
        if type_.lanes == 1:
            return type_.name
        name = f"__acc_{_word(type_)}{type_.lanes}"
        self.vectors[name] = type_
        return name

    def converted(self, expr: Expr, target: Type) -> str:
        """A number does not become a vector by itself."""
        if isinstance(target, Scalar) and target.lanes > 1 and lanes_of(expr) == 1:
            return self._in_all(expr, target)
        return super().converted(expr, target)

    def text(self, expr: Expr, precedence: int = 0) -> str:
        match expr:
            case FloatLit(text) if text.lstrip("-") in _NUMBERS:
                return text.replace(text.lstrip("-"), _NUMBERS[text.lstrip("-")])
            case Binary("*", _, _, Scalar(floating=True, lanes=1)) if self.products_apart:
                return f"__builtin_assoc_barrier({super().text(expr)})"
            case Cast(operand, Scalar(lanes=lanes) as type_) if lanes > 1:
                if lanes_of(operand) == 1:
                    return self._in_all(operand, type_)
                return self._converted(operand, type_)
        return super().text(expr, precedence)

    def _converted(self, operand: Expr, type_: Scalar) -> str:
        """gcc goes from float to double and back by way of memory where vectors are half as long as registers."""
        source, of = self.text(operand), operand.type
        assert isinstance(of, Scalar)
        if not self.machine.x86_64 or self.machine.clang:
            return f"__builtin_convertvector({source}, {self.scalar(type_)})"
        wide, whole = max(of.bytes, type_.bytes) * type_.lanes, self.scalar(type_)
        name = {(4, 8): "cvtps2pd", (8, 4): "cvtpd2ps"}.get((of.bytes, type_.bytes))
        if name and of.floating and type_.floating:
            if wide == _LARGEST <= self.register:
                return f"({whole})__builtin_ia32_{name}512_mask({source}, ({whole}){{0}}, -1, 4)"
            if wide == _AVX <= self.register:
                return f"({whole})__builtin_ia32_{name}256({source})"
        most = self.register if self.machine.oldest else min(self.register, self.machine.integers)
        return converted(self, source, of, type_, most)

    def _in_all(self, expr: Expr, type_: Scalar) -> str:
        """The vector with a number in every lane."""
        number = self.text(expr)
        if isinstance(expr, Var | IntLit | FloatLit):
            return self._vector(type_, [number] * type_.lanes)
        element = self.scalar(replace(type_, lanes=1))
        whole = self._vector(type_, ["__acc_lane"] * type_.lanes)
        return f"({{ const {element} __acc_lane = {number}; {whole}; }})"

    def _vector(self, type_: Scalar, lanes: Iterable[str]) -> str:
        return f"({self.scalar(type_)}){{{', '.join(lanes)}}}"

    def vector(self, first: Expr, type_: Scalar, const: str = "") -> str:
        return f"*({const}{self.scalar(type_)}_u *)&{self.text(first)}"

    def copied(self, copy: Copy) -> str:
        assert isinstance(copy.target.type, Scalar)
        type_ = f"{self.scalar(replace(copy.target.type, lanes=copy.width))}_u"
        return f"*({type_} *)&{self.text(copy.target)} = *(const {type_} *)&{self.text(copy.value)};"

    def barrier(self, fence: Fence) -> str:
        return ";"  # a work-item waits for nobody

    def prefetched(self, asked: Prefetch) -> str:
        element = asked.element
        # as numbers: pointers may not leave their array
        start, index = self.text(element.base, _POSTFIX), self.text(element.index, _POSTFIX)
        place = f"(unsigned long){start} + (unsigned long){index} * {size(element.type)}"
        return f"__builtin_prefetch((const void *)({place}){'' if asked.near else ', 0, 2'});"

    def apart(self, stmts: tuple[Stmt, ...], span: Span | None) -> str | None:
        return None if self.tiles is None else self.tiles.call(stmts, span, self)

    @property
    def independent(self) -> str:
        return f"#pragma {'clang loop vectorize(assume_safety)' if self.machine.clang else 'GCC ivdep'}"

    def unrolled(self, times: int) -> str:
        return f"#pragma {'' if self.machine.clang else 'GCC '}unroll {times}"

    def exchanged(self, one: InOnePiece) -> tuple[str, str]:
        name = self.prefix + one.name(self).removeprefix("acc_").replace(" ", "_")
        return name, f"volatile {self.scalar(one.element)} *"

    def atomic(self, stmt: Atomic) -> str | None:
        found = one_piece(stmt, self.written, self.local)
        # what a work-group has for itself is its only work-item's
        return None if found is None or found.local else super().atomic(stmt)

    def call(self, call: Call) -> str:
        own = self.called(call)
        if own is not None:
            return own
        known = call.callee in PREDICATES or call.callee in INTEGER or overload(call.callee, call.type)[0] is not None
        if not known:
            raise unknown(call, "accshare's kernels")
        if isinstance(call.type, Scalar) and call.type.lanes > 1:
            return vector_call(self, call, self.machine, self.target)
        return self.library_call(call)

    def library_call(self, call: Call) -> str:
        """The call of one of the C library's functions, for one number."""
        plain = call.callee in PREDICATES or call.callee in ROUNDINGS
        args = (self.text(a if plain else self.bare(a)) for a in call.args)
        if self.machine.clang and call.callee in _NO_BUILTINS:
            type_ = self.declaration(call.type, "")
            return f"({{ extern {type_} {call.callee}({type_}); {call.callee}({', '.join(args)}); }})"
        return f"__builtin_{call.callee}({', '.join(args)})"

    def intrinsic(self, call: Intrinsic) -> str:
        if call.function in _COMPUTED:
            return f"{_computed(call)}({', '.join(self.text(self.bare(a)) for a in call.args)})"
        given = [self.text(arg, _POSTFIX) for arg in call.args]
        match call.function:
            case Builtin.VECTOR:
                assert isinstance(call.type, Scalar)
                return self._vector(call.type, map(self.text, call.args))
            case Builtin.LANE:
                return f"{given[0]}[{constants(call)[0]}]"
            case Builtin.HALF:
                return self._half(call, given[0])
            case Builtin.SHUFFLE:
                lanes = ", ".join(map(str, constants(call)))
                return f"__builtin_shufflevector({given[0]}, {given[1]}, {lanes})"
            case Builtin.SELECT:
                return self._select(call)
            case Builtin.ANY_LANE:
                return self._any(call)
            case Builtin.BITS:
                return f"(({self.declaration(call.type, '')}){given[0]})"
            case Builtin.IS_ALIGNED:
                return f"((unsigned long){given[0]} % {given[1]} == 0)"
            case Builtin.PAST:
                return f"(long)((unsigned long){given[0]} / {given[1]} % {given[2]})"
            case Builtin.GROUP_ID:
                return f"__acc_group[{given[0]}]"
            case Builtin.GROUPS:
                return f"__acc_group[3 + {given[0]}]"
            case Builtin.LOCAL_ID:
                return "0UL"
        return super().intrinsic(call)

    def _half(self, call: Intrinsic, whole: str) -> str:
        lanes = lanes_of(call.args[0]) // 2
        first = constants(call)[0] * lanes
        if lanes == 1:
            return f"{whole}[{first}]"
        picked = ", ".join(str(first + k) for k in range(lanes))
        return f"__builtin_shufflevector({whole}, {whole}, {picked})"

    def _any(self, call: Intrinsic) -> str:
        """Halves are joined down to a vector whose signs a processor can move to an integer, or to one number."""
        type_ = call.args[0].type
        assert isinstance(type_, Scalar)
        if self.machine.x86_64 and type_.lanes * type_.bytes == self.register == _LARGEST and not self.machine.clang:
            whole = self.scalar(replace(INT, lanes=_LARGEST // _LANE))
            name = f"const {whole} __acc_any = ({whole}){self.text(call.args[0], _POSTFIX)};"
            return f"({{ {name} __builtin_ia32_ptestmd512(__acc_any, __acc_any, -1) != 0; }})"
        name = f"__acc_any{type_.lanes}"
        steps = [f"const {self.scalar(type_)} {name} = {self.text(call.args[0])};"]
        while type_.lanes > 1 and (
            type_.lanes * type_.bytes > min(self.register, _SIGNS) or not self._has_signs(type_)
        ):
            type_, whole = replace(type_, lanes=type_.lanes // 2), name
            name = f"__acc_any{type_.lanes}"
            picked = (", ".join(str(first + k) for k in range(type_.lanes)) for first in (0, type_.lanes))
            sides = [f"__builtin_shufflevector({whole}, {whole}, {lanes})" for lanes in picked]
            if type_.lanes == 1:
                sides = [f"{whole}[0]", f"{whole}[1]"]
            steps.append(f"const {self.scalar(type_)} {name} = {sides[0]} | {sides[1]};")
        found = name
        if type_.lanes > 1:
            wide = type_.lanes * type_.bytes
            floats = self.scalar(Scalar("float", _LANE, True, True, wide // _LANE))
            found = f"__builtin_ia32_movmskps{'' if wide == _SMALLEST else wide * 8}(({floats}){name})"
        return f"({{ {' '.join(steps)} {found} != 0; }})"

    def _has_signs(self, type_: Scalar) -> bool:
        """Whether there is an instruction for the signs of a vector."""
        return self.machine.x86_64 and type_.lanes * type_.bytes in {_SMALLEST, _SIGNS}

    def _select(self, call: Intrinsic) -> str:
        """C has no conditional operator for vectors."""
        no, yes, mask = call.args
        assert isinstance(mask.type, Scalar)
        bounded = self._bounded(no, yes, mask)
        if bounded:
            return bounded
        kind, type_ = self.scalar(mask.type), self.declaration(call.type, "")
        wide = mask.type.lanes * mask.type.bytes
        whole = mask.type.bytes >= _LANE  # narrower ones would be chosen by the sign of a neighbour
        if self.machine.x86_64 and whole and wide <= _SIGNS <= self.register and wide in _BLENDS:
            floats = self.scalar(Scalar("float", _LANE, True, True, wide // _LANE))
            sides = ", ".join(f"({floats})({self.text(part)})" for part in (no, yes, mask))
            return f"({type_})__builtin_ia32_blendvps{_BLENDS[wide]}({sides})"
        chosen = f"({kind})({self.text(yes)}) & __acc_mask | ({kind})({self.text(no)}) & ~__acc_mask"
        return f"({{ const {kind} __acc_mask = ({kind})({self.text(mask)}); ({type_})({chosen}); }})"

    def _bounded(self, no: Expr, yes: Expr, mask: Expr) -> str | None:
        """The less or the greater one of two numbers, the second one where either is NaN: x86 has that in one
        instruction."""
        type_ = no.type
        if not (isinstance(mask, Binary) and mask.op in _BOUNDS and isinstance(type_, Scalar) and type_.floating):
            return None
        wide, bound = type_.lanes * type_.bytes, yes.operand if isinstance(yes, Cast) else yes
        if not self.machine.x86_64 or not _AVX <= wide <= self.register:
            return None
        if (mask.lhs, mask.rhs) == (no, bound):
            which = _BOUNDS[mask.op]
        elif (mask.lhs, mask.rhs) == (yes, no):
            which = _BOUNDS["<" if mask.op == ">" else ">"]
        else:
            return None
        name = f"__builtin_ia32_{which}p{'s' if type_.bytes == _LANE else 'd'}{wide * 8}"
        args = f"({self.text(yes)}, {self.text(no)}"
        if wide > _AVX:
            return f"{name}{args}, 4)" if self.machine.clang else f"{name}_mask{args}, {self.text(no)}, -1, 4)"
        return f"{name}{args})"

    def exchange_text(self, one: InOnePiece) -> str:
        """The function that does something in one piece."""
        name, pointer = self.exchanged(one)
        element = self.scalar(one.element)
        operand = "" if one.operand is None else self.scalar(one.operand)
        whole = not one.element.floating and not is_bool(one.element) and not (one.operand and one.operand.floating)
        return render(
            "atomic.c.j2",
            attributes=self.attributes,
            name=name,
            pointer=pointer,
            element=element,
            operand=operand,
            sets=one.op == "=",
            direct=_ATOMIC.get(one.op, "") if whole and not one.flipped else "",
            bits=_BITS.get(one.element.bytes, "") if one.element.floating else "",
            now=re.sub(r"^(fm\w+)\(", r"__builtin_\1(", one.now(self)),
            after=one.after,
        )


def native(printer: NativePrinter, source: SourceFile, options: Options) -> NativeText:
    """The kernels of the printer's variant. Raises `Rejected` for a call that kernels don't know (ACC204), and for what
    the host compiler has no words for (ACC707)."""
    variant = printer.variant
    if any(prod(k.work_group) > 1 for k in variant.kernels):
        raise rejected("ACC402", "native kernels are for one work-item a group", variant.kernels[0].span, _ONE_ITEM)
    functions = {f.name: f for k in variant.kernels for f in k.functions}
    parts = [_function(f, printer, source) for f in functions.values()]
    parts += ["\n".join(_kernel(k, printer, source)) for k in variant.kernels]
    interfaces = [_interface(kernel, printer) for kernel in variant.kernels]
    declarations = render(
        "native.c.j2",
        vectors=_vectors(printer),
        structs=["\n".join(printer.struct(s)) for s in _structs(variant).values()],
        exchanges=[printer.exchange_text(one) for one in exchanges(variant) if not one.local],
        library=printer.library(),
        plain=options.machine.plain,
        attributes=printer.attributes,
        kernels=interfaces,
    )
    ranges = render("ranges.c.j2", plain=options.machine.plain, kernels=interfaces)
    text = printer.finished("\n\n".join(parts) + "\n", options)
    return NativeText(printer.prefix, _helpers(variant, printer.helper), declarations, ranges, text)


def _helpers(variant: Variant, helper: str) -> tuple[str, ...]:
    """The functions of two integers that kernels call, a line each."""
    calls = {_computed(c): c for c in intrinsics(variant, _COMPUTED)}
    types = {name: (CPrinter().declaration(c.type, ""), _COMPUTED[c.function][1]) for name, c in calls.items()}
    return tuple(
        f"{helper} {type_} {name}({type_} a, {type_} b) {{ return {value}; }}"
        for name, (type_, value) in sorted(types.items())
    )


def fuses(variant: Variant, options: Options) -> bool:
    """Whether its kernels may round ``a * b + c`` once: as the loops beside them may, which don't have the instruction
    where only some versions do, unless the user asks for it."""
    known = not variant.target.isa or options.machine.fma or options.contract_asked
    return options.contract and known


def _attributes(variant: Variant, options: Options) -> str:
    target = f'target("arch={variant.target.isa}")' if variant.target.isa else ""
    careful = options.reassociate and any(f.name.startswith(_OURS) for k in variant.kernels for f in k.functions)
    fused = fuses(variant, options)
    wishes = (
        *_WITH_VECTORS,
        *_JAMS_NOTHING[: options.machine.gnu],
        *_KNOWS_NAN[: options.machine.finite],
        *_FUSES_NOTHING[: not fused],
        *(_KEEPS_ORDER if careful else ()),
    )
    optimised = "" if options.machine.clang else f"optimize({', '.join(wishes)})"
    return f"__attribute__(({', '.join(part for part in ('unused', target, optimised) if part)}))"


def _for_clang(text: str, variant: Variant, options: Options) -> str:
    """Kernels between pragmas that say what `_attributes` can't."""
    if options.machine.finite or options.reassociate:
        text = f"#pragma float_control(precise, on, push)\n{text}#pragma float_control(pop)\n"
    if not fuses(variant, options):
        text = f"#pragma STDC FP_CONTRACT OFF\n{text}#pragma STDC FP_CONTRACT DEFAULT\n"
    return text


def _computed(call: Intrinsic) -> str:
    assert isinstance(call.type, Scalar)
    return f"__acc_{_COMPUTED[call.function][0]}_{_word(call.type)}"


def _word(type_: Scalar) -> str:
    """A scalar type as part of a name; `char` is another type than each of those that say their sign."""
    words, base = type_.name.split(), base_name(type_).replace(" ", "")
    sign = "u" if "unsigned" in words else "s" if "signed" in words and base == "char" else ""
    return sign + base


def _structs(variant: Variant) -> dict[str, Struct]:
    return {s.name: s for k in variant.kernels for s in k.structs}


def _vectors(printer: NativePrinter) -> list[dict[str, object]]:
    """The vector types that were printed, with the bytes of a whole one and of an element."""
    return [
        {
            "name": name,
            "element": printer.scalar(replace(type_, lanes=1)),
            "bytes": type_.lanes * type_.bytes,
            "of": type_.bytes,
        }
        for name, type_ in sorted(printer.vectors.items())
    ]


@dataclass(frozen=True, slots=True)
class _Interface:
    """A kernel as the template wants it: `parameters` are declarations, `fields` the same as members of a struct,
    `given` what the kernel is called with; it takes `memory` bytes for its arrays."""

    name: str
    parameters: tuple[str, ...]
    fields: tuple[str, ...]
    given: tuple[str, ...]
    memory: int


def _interface(kernel: KernelFunction, printer: NativePrinter) -> _Interface:
    parameters, fields, given = [], [], []
    for param in kernel.params:
        if isinstance(param, Buffer):
            const = "" if param.writes else "const "
            parameters.append(
                const + printer.declaration(param.element, f"*{f'{printer.restrict} ' * param.restrict}{param.name}")
            )
            fields.append(const + printer.declaration(param.element, f"*{param.name}"))
            given.append(param.name)
        else:
            fields.append(printer.declaration(param.symbol.type, printer.name(param.symbol)))
            parameters.append(fields[-1])
            given.append(printer.name(param.symbol))
    memory = sum(_room(array) for array in _large(kernel))
    return _Interface(f"{printer.prefix}{kernel.name}", tuple(parameters), tuple(fields), tuple(given), memory)


def _large(kernel: KernelFunction) -> list[Private | LocalBuffer]:
    """The arrays that are too large to lie among a function's variables."""
    own = (p for p in kernel.private if p.lengths and not p.values)
    arrays: tuple[Private | LocalBuffer, ...] = (*kernel.local, *own)
    return [array for array in arrays if _bytes(array) > _ON_STACK]


def _bytes(array: Private | LocalBuffer) -> int:
    return _element(array) * prod(array.lengths)


def _element(array: Private | LocalBuffer) -> int:
    lanes = array.element.lanes if isinstance(array.element, Scalar) else 1
    return size(array.element) * lanes


def _room(array: Private | LocalBuffer) -> int:
    return -(-_bytes(array) // _LINE) * _LINE


def _function(function_: Function, printer: NativePrinter, source: SourceFile) -> str:
    writer = printer.writer(source)
    rare = function_.name.startswith(_OURS) and function_.name.endswith(RARE)
    said = _joined(printer.stays if rare else "", printer.attributes)
    if said:
        writer.line(said, function_.body.span)
    return write_function(function_, printer, writer).replace("static inline", "static" if rare else printer.inline, 1)


def _joined(*words: str) -> str:
    return " ".join(filter(None, words))


def _kernel(kernel: KernelFunction, printer: NativePrinter, source: SourceFile) -> list[str]:
    writer = printer.writer(source)
    interface = _interface(kernel, printer)
    said = _joined("static", printer.stays, printer.attributes)
    pointers, collect = _pointers(kernel, printer), partial(printer.writer, source)
    printer.tiles = TileFunctions(printer.prefix, kernel, pointers, said, collect, printer.known_tiles)
    writer.line(said, kernel.span)
    lead = f"void {interface.name}("
    parameters = [*interface.parameters, "const unsigned long *const __acc_group", "char *const __acc_memory"]
    for k, text in enumerate(parameters):
        end = "," if k + 1 < len(parameters) else ")"
        writer.line((lead if k == 0 else " " * len(lead)) + text + end)
    writer.open("{")
    at = 0
    large = _large(kernel)
    for array in large:
        element = printer.declaration(array.element, "")
        place = printer.known_aligned(f"__acc_memory + {at}")
        writer.line(f"{element} *{printer.restrict} const {printer.name(array.symbol)} = ({element} *){place};")
        at += _room(array)
    arrays: tuple[Private | LocalBuffer, ...] = (*kernel.local, *kernel.private)
    for array in arrays:
        if array not in large:
            writer.line(_own(array, printer) + ";")
    writer.line("(void)__acc_group, (void)__acc_memory;")
    tile = kernel.register_tile
    if tile is not None and tile.rows == tile.lanes > 1 and tile.conflict is None:  # squares
        kernel = replace(kernel, body=with_base_pointers(kernel.body, elements(kernel)))
    write_body(kernel, printer, writer)
    writer.close()
    return [*printer.tiles.lines, *writer.lines]


def _pointers(kernel: KernelFunction, printer: NativePrinter) -> dict[str, str]:
    """The buffers and arrays of a kernel as parameters of another function that writes them, by their symbols."""
    buffers = (param for param in kernel.params if isinstance(param, Buffer))
    found = {b.name: printer.declaration(b.element, f"*{f'{printer.restrict} ' * b.restrict}{b.name}") for b in buffers}
    own = (p for p in kernel.private if p.lengths and not p.values)
    arrays: tuple[Private | LocalBuffer, ...] = (*kernel.local, *own)
    for array in arrays:
        name = printer.name(array.symbol)
        found[array.symbol.unique] = printer.declaration(array.element, f"*{printer.restrict} {name}")
    return found


def _own(array: Private | LocalBuffer, printer: NativePrinter) -> str:
    if isinstance(array, Private):
        return private_text(array, printer, "static const")
    name = array_text(printer.name(array.symbol), array.lengths)
    aligned = max(array.alignment, alignment(array.element))
    return printer.aligned(printer.declaration(array.element, name), aligned)
