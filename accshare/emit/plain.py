"""Kernels as standard C, for host compilers that don't know GNU C: lanes of 1, and the C library's functions."""

from __future__ import annotations

from accshare.conversions import is_complex, is_natural
from accshare.diagnostics import Rejected, rejected
from accshare.emit.atomics import InOnePiece
from accshare.emit.constructs import OTHER_COMPILER
from accshare.emit.kernels import unknown
from accshare.emit.mathlib import PREDICATES
from accshare.emit.native import NativePrinter
from accshare.emit.tile_functions import changed
from accshare.frontend.ir import Binary, Call, Cast, Expr, FloatLit, IntLit, Intrinsic, Struct, Var
from accshare.kernel.ir import Loop, Prefetch, Variant
from accshare.options import Options
from accshare.source import Span
from accshare.tree import expressions

#: macros of <math.h>, which the program need not include
_NUMBERS = {"NAN": "(0.0f / 0.0f)", "INFINITY": "(1.0f / 0.0f)"}
#: what macros of <math.h> ask, of arguments without effects
_ASKED = {
    "isnan": "({0} != {0})",
    "isinf": "({0} == {0} && {0} - {0} != {0} - {0})",
    "isfinite": "({0} - {0} == {0} - {0})",
    "isgreater": "({0} > {1})",
    "isgreaterequal": "({0} >= {1})",
    "isless": "({0} < {1})",
    "islessequal": "({0} <= {1})",
    "islessgreater": "({0} < {1} || {0} > {1})",
    "isunordered": "({0} != {0} || {1} != {1})",
}
_POSTFIX = 15


class PlainPrinter(NativePrinter):
    """C expressions as standard C. `declared` has the declarations of the C library's functions that were printed, by
    name, and grows as text is printed."""

    no_vectors = ""
    inline = helper = "static inline"
    stays, restrict = "", "restrict"

    def __init__(self, variant: Variant, name: str, options: Options) -> None:
        super().__init__(variant, name, options)
        self.declared: dict[str, str] = {}

    def said_of_kernels(self, options: Options) -> str:
        return ""

    def aligned(self, declaration: str, bytes_: int) -> str:
        return declaration  # nothing is accessed but elements

    def known_aligned(self, place: str) -> str:
        return f"({place})"

    def finished(self, text: str, options: Options) -> str:
        return text

    def library(self) -> list[str]:
        return list(self.declared.values())

    def text(self, expr: Expr, precedence: int = 0) -> str:
        if isinstance(expr, FloatLit) and expr.text.lstrip("-") in _NUMBERS:
            sign = "-" if expr.text.startswith("-") else ""
            return f"({sign}{_NUMBERS[expr.text.lstrip('-')]})"
        return super().text(expr, precedence)

    def prefetched(self, asked: Prefetch) -> str:
        return ";"

    @property
    def independent(self) -> str:
        return ""

    def unrolled(self, times: int) -> str:
        return ""

    def tested(self, loop: Loop) -> tuple[str, str]:
        """A bound that is computed is computed once: not all compilers see that it stays the same."""
        test = loop.condition
        if not isinstance(test, Binary) or not any(isinstance(e, Intrinsic) for e in expressions(test.rhs)):
            return "", self.text(test)
        inside = {loop.iterator, *(target.symbol for target in changed(loop.body) if isinstance(target, Var))}
        fixed = all(
            isinstance(e, IntLit | Binary | Cast | Intrinsic) or (isinstance(e, Var) and e.symbol not in inside)
            for e in expressions(test.rhs)
        )
        if not fixed or test.rhs.type != loop.iterator.type:
            return "", self.text(test)
        name = f"__acc_{self.name(loop.iterator)}_bound"
        return f", {name} = {self.text(test.rhs)}", f"{self.text(test.lhs)} {test.op} {name}"

    def library_call(self, call: Call) -> str:
        if call.callee in PREDICATES:
            if call.callee not in _ASKED:
                raise unknown(call, "kernels in standard C")
            return _ASKED[call.callee].format(*(self.text(argument, _POSTFIX) for argument in call.args))
        parameters = ", ".join(self.declaration(argument.type, "") for argument in call.args)
        self.declared[call.callee] = f"extern {self.declaration(call.type, f'{call.callee}({parameters})')};"
        return f"{call.callee}({', '.join(self.text(self.bare(argument)) for argument in call.args)})"

    def exchange_text(self, one: InOnePiece) -> str:
        raise _unspoken("atomics of arrays that are not atomic themselves", self.variant.kernels[0].span)

    def struct(self, struct: Struct) -> list[str]:
        if is_complex(struct):
            raise _unspoken("parts of complex numbers", self.variant.kernels[0].span)
        if not struct.union and not is_natural(struct):
            raise _unspoken(f"how struct {struct.name} lies in memory", self.variant.kernels[0].span)
        return super().struct(struct)


def _unspoken(what: str, span: Span | None) -> Rejected:
    return rejected("ACC707", f"standard C has no words for {what}", span, OTHER_COMPILER)
