# ruff: noqa: ANN401 (libclang's binding has no types)
"""The only door to libclang: a typed, cached view of its cursors and types.

Offsets are bytes of the text given to `Tree.parse`; what has to be declared before it is put in front and subtracted
again. Some of the C functions used here are exported by the wheel but not wrapped by its binding.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from typing import Any

from clang import cindex as _cindex

from accshare.records import dataclass

cindex: Any = _cindex

_NAME = "accshare.i"
_ARGS = [
    "-x",
    "cpp-output",
    "-std=gnu17",
    "-ferror-limit=0",
    "-w",
    "-Wno-implicit-function-declaration",
    "-Wno-implicit-int",
    "-Wno-int-conversion",
    "-Wno-incompatible-function-pointer-types",
]
#: address space only, of which as much is used as there are levels
_STACK = 1 << 29
_RESTRICT = {"restrict", "__restrict", "__restrict__"}
_IN_PLACE = "LIBCLANG_NOTHREADS"
_UNARY = {
    1: "++",
    2: "--",
    3: "++",
    4: "--",
    5: "&",
    6: "*",
    7: "+",
    8: "-",
    9: "~",
    10: "!",
    11: "__real__",
    12: "__imag__",
    13: "__extension__",
}


class _Library(ctypes.CDLL):
    """libclang. Its Python binding tells the types of all its functions when it loads it, which takes longer than
    loading; here each is told when the function is first looked for."""

    def __getattr__(self, name: str) -> Any:
        function = super().__getattr__(name)
        if name in _PROTOTYPES:
            cindex.register_function(self, _PROTOTYPES[name], False)
        return function


def _bind() -> Any:
    """libclang with the functions its Python binding lacks."""
    lib: Any = _Library(cindex.conf.get_filename())
    cindex.conf.lib = lib
    for name in ("clang_getCursorBinaryOperatorKind", "clang_getCursorUnaryOperatorKind"):
        function = getattr(lib, name)
        function.argtypes, function.restype = [cindex.Cursor], ctypes.c_int
    spelling = lib.clang_getBinaryOperatorKindSpelling
    spelling.argtypes, spelling.restype = [ctypes.c_int], cindex._CXString
    spelling.errcheck = cindex._CXString.from_result
    lib.clang_Cursor_Evaluate.argtypes, lib.clang_Cursor_Evaluate.restype = [cindex.Cursor], ctypes.c_void_p
    results = {"Kind": ctypes.c_int, "AsLongLong": ctypes.c_longlong, "AsDouble": ctypes.c_double}
    for suffix, result in results.items():
        function = getattr(lib, f"clang_EvalResult_get{suffix}")
        function.argtypes, function.restype = [ctypes.c_void_p], result
    lib.clang_EvalResult_dispose.argtypes = [ctypes.c_void_p]
    return lib


_PROTOTYPES: dict[str, Any] = {item[0]: item for item in cindex.functionList}
_LIB = _bind()

#: initialisers that tell the length of ``int a[] = { … }`` themselves
_NO_LENGTHS = frozenset({"INIT_LIST_EXPR", "STRING_LITERAL"})

#: identifies a declaration: where its first declaration stands, and its name
Key = tuple[int, str]


class CType:
    """A C type as libclang sees it, typedefs resolved."""

    __slots__ = ("_raw",)

    def __init__(self, raw: Any) -> None:
        self._raw = raw.get_canonical()

    @property
    def kind(self) -> str:
        """libclang's name: ``INT``, ``POINTER``, ``CONSTANTARRAY``, ``RECORD``…"""
        return str(self._raw.kind.name)

    @property
    def spelling(self) -> str:
        return str(self._raw.spelling)

    @property
    def bytes(self) -> int:
        return int(self._raw.get_size())

    @property
    def is_const(self) -> bool:
        return bool(self._raw.is_const_qualified())

    @property
    def is_volatile(self) -> bool:
        return bool(self._raw.is_volatile_qualified())

    @property
    def is_restrict(self) -> bool:
        return bool(self._raw.is_restrict_qualified())

    @property
    def is_pointer(self) -> bool:
        return self.kind == "POINTER"

    @property
    def is_array(self) -> bool:
        return self.kind in {"CONSTANTARRAY", "VARIABLEARRAY", "INCOMPLETEARRAY"}

    @property
    def pointee(self) -> CType:
        return CType(self._raw.get_pointee())

    @property
    def element(self) -> CType:
        return CType(self._raw.element_type)

    @property
    def count(self) -> int:
        """The length of a constant array."""
        return int(self._raw.element_count)

    @property
    def declaration(self) -> Node:
        return Node(self._raw.get_declaration())

    @property
    def enum_integer(self) -> CType:
        return CType(self._raw.get_declaration().enum_type)

    @property
    def fields(self) -> tuple[Node, ...]:
        return tuple(Node(f) for f in self._raw.get_fields())


class Node:
    """A cursor: a declaration, statement or expression, with its children and its byte range."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw

    @cached_property
    def kind(self) -> str:
        """libclang's name: ``FOR_STMT``, ``DECL_REF_EXPR``…"""
        return str(self._raw.kind.name)

    @cached_property
    def children(self) -> tuple[Node, ...]:
        return tuple(Node(c) for c in self._raw.get_children())

    @cached_property
    def start(self) -> int:
        return int(self._raw.extent.start.offset) - _shift(self._raw)

    @cached_property
    def end(self) -> int:
        return int(self._raw.extent.end.offset) - _shift(self._raw)

    @cached_property
    def spelling(self) -> str:
        return str(self._raw.spelling)

    @cached_property
    def type(self) -> CType:
        return CType(self._raw.type)

    @cached_property
    def is_expression(self) -> bool:
        return bool(self._raw.kind.is_expression())

    @cached_property
    def is_statement(self) -> bool:
        return bool(self._raw.kind.is_statement())

    @cached_property
    def operator(self) -> str:
        """``+``, ``<<=``, ``&&``…; for a unary operator also ``&``, ``*``, ``++``, ``__extension__``."""
        if self.kind == "UNARY_OPERATOR":
            return _UNARY.get(int(_LIB.clang_getCursorUnaryOperatorKind(self._raw)), "?")
        kind = _LIB.clang_getCursorBinaryOperatorKind(self._raw)
        return str(_LIB.clang_getBinaryOperatorKindSpelling(kind))

    @cached_property
    def is_postfix(self) -> bool:
        """Whether a ``++`` or ``--`` stands behind its operand."""
        return int(_LIB.clang_getCursorUnaryOperatorKind(self._raw)) in {1, 2}

    @cached_property
    def referenced(self) -> Node | None:
        return _declaration(self._raw.referenced)

    @cached_property
    def definition(self) -> Node | None:
        return _declaration(self._raw.get_definition())

    @cached_property
    def key(self) -> Key:
        """Equal for all declarations of one thing."""
        first = self._raw.canonical
        return int(first.location.offset) - _shift(first), self.spelling

    @property
    def enum_value(self) -> int:
        return int(self._raw.enum_value)

    @property
    def is_bitfield(self) -> bool:
        return bool(self._raw.is_bitfield())

    @property
    def field_offset(self) -> int:
        """Of a field, in bytes."""
        return int(self._raw.get_field_offsetof()) // 8

    @property
    def is_file_scope(self) -> bool:
        """Whether a variable lives as long as the program."""
        static = self._raw.storage_class.name in {"STATIC", "EXTERN"}
        return static or bool(self._raw.semantic_parent.kind.name == "TRANSLATION_UNIT")

    @property
    def is_internal(self) -> bool:
        """Whether other files know nothing of it, though all functions of this one do."""
        return bool(self._raw.linkage.name == "INTERNAL")

    @property
    def is_static_local(self) -> bool:
        inside = self._raw.semantic_parent.kind.name != "TRANSLATION_UNIT"
        return bool(inside and self._raw.storage_class.name == "STATIC")

    @property
    def result_type(self) -> CType:
        return CType(self._raw.type.get_result())

    @property
    def is_variadic(self) -> bool:
        """Whether a function is declared with ``...``."""
        return bool(self._raw.type.kind.name == "FUNCTIONPROTO" and self._raw.type.is_function_variadic())

    @property
    def parameters(self) -> tuple[Node, ...]:
        return tuple(Node(a) for a in self._raw.get_arguments())

    def evaluate(self) -> int | float | None:
        """The value of a constant expression. Not for names of variables: those give their initialiser."""
        result = _LIB.clang_Cursor_Evaluate(self._raw)
        if not result:
            return None
        value: int | float | None = None
        kind = _LIB.clang_EvalResult_getKind(result)
        if kind == 1:
            value = int(_LIB.clang_EvalResult_getAsLongLong(result))
        elif kind == 2:
            value = float(_LIB.clang_EvalResult_getAsDouble(result))
        _LIB.clang_EvalResult_dispose(result)
        return value

    @property
    def written_type(self) -> str:
        """The type as the declaration spells it."""
        return str(self._raw.type.spelling)

    @property
    def is_restrict_array(self) -> bool:
        """Whether a parameter that is written as an array is a ``restrict`` pointer; libclang forgets that of
        ``a[restrict]``."""
        inside = False
        for token in self._raw.get_tokens():  # macros are expanded before the text is parsed
            if inside and token.spelling in _RESTRICT:
                return True
            inside = token.spelling == "[" or (inside and token.spelling != "]")
        return False

    @cached_property
    def _written(self) -> tuple[Node, ...]:
        """The expressions of a declaration behind its name; ``typeof`` stands before it."""
        name = int(self._raw.location.offset) - _shift(self._raw)
        return tuple(child for child in self.children if child.is_expression and child.start > name)

    @property
    def initialiser(self) -> Node | None:
        """What a declaration gives a variable."""
        values = self._written[len(self.lengths) :]
        return values[-1] if values else None

    @property
    def lengths(self) -> tuple[Node, ...]:
        """The array lengths that the declaration itself spells, typedefs not counted, innermost first."""
        sizes = tuple(node for node in self._written if node.kind not in _NO_LENGTHS)
        return sizes[: self._written_dimensions]

    @cached_property
    def _written_dimensions(self) -> int:
        """How many array dimensions the declaration spells: so many of its first expressions are lengths."""
        raw, count = self._raw.type, 0
        while raw.kind.name in {"POINTER", "CONSTANTARRAY", "VARIABLEARRAY", "INCOMPLETEARRAY"}:
            if raw.kind.name == "POINTER":
                raw = raw.get_pointee()
            else:
                count += raw.kind.name != "INCOMPLETEARRAY"
                raw = raw.element_type
        return count


@dataclass(frozen=True, slots=True)
class ParseError:
    """An error libclang reports, at a byte offset of the text."""

    offset: int
    message: str


class Tree:
    """A parsed translation unit."""

    def __init__(self, unit: Any, shift: int) -> None:
        self._unit = unit
        self._file = unit.get_file(_NAME)
        self._shift = shift

    @staticmethod
    def parse(prelude: str, text: str) -> Tree:
        """Parse latin-1-held `text` with the declarations of `prelude`, a line, in front of it."""
        data = (prelude + "\n" + text).encode("latin-1")
        unit: Any = _with_room(lambda: cindex.Index.create().parse(_NAME, args=_ARGS, unsaved_files=[(_NAME, data)]))
        unit.accshare_shift = len(prelude) + 1
        unit.accshare_declarations = {}
        return Tree(unit, len(prelude) + 1)

    @cached_property
    def errors(self) -> tuple[ParseError, ...]:
        found = (d for d in self._unit.diagnostics if d.severity >= cindex.Diagnostic.Error)
        return tuple(ParseError(int(d.location.offset) - self._shift, str(d.spelling)) for d in found)

    def function_at(self, offset: int) -> Node | None:
        """The function whose text holds a byte offset."""
        place = cindex.SourceLocation.from_offset(self._unit, self._file, offset + self._shift)
        raw: Any = cindex.Cursor.from_location(self._unit, place)
        while raw is not None and raw.kind.name != "FUNCTION_DECL":
            raw = raw.semantic_parent
        return _declaration(raw)

    @cached_property
    def file_scope(self) -> tuple[Node, ...]:
        """The declarations outside of functions, and the functions."""
        return tuple(Node(c) for c in self._unit.cursor.get_children())


def _with_room(parse: Callable[[], Any]) -> Any:
    """What `parse` returns, from a thread with room for operators that stand in one another thousands deep: libclang
    recurses, in a thread of its own with a small stack unless a variable tells it not to."""
    done: list[Any] = []

    def run() -> None:
        with suppress(cindex.TranslationUnitLoadError):
            done.append(parse())

    before, chosen = threading.stack_size(_STACK), os.environ.get(_IN_PLACE)
    os.environ[_IN_PLACE] = "1"
    try:
        with suppress(RuntimeError):  # no thread can have so much
            thread = threading.Thread(target=run)
            thread.start()
            thread.join()
    finally:
        threading.stack_size(before)
        if chosen is None:
            del os.environ[_IN_PLACE]
    return done[0] if done else parse()


def _declaration(raw: Any) -> Node | None:
    """The one node of a declaration that is reached from many places: what it caches is found out once."""
    if raw is None:
        return None
    known: Node = raw.translation_unit.accshare_declarations.setdefault(raw.hash, Node(raw))
    return known if known._raw == raw else Node(raw)


def _shift(raw: Any) -> int:
    return int(raw.translation_unit.accshare_shift)
