"""The user's source as the host preprocessor sees it, acc pragmas included."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from accshare.device import HostMachine, processor
from accshare.diagnostics import Diagnostic
from accshare.driver import fallthrough, macros
from accshare.driver import words as w
from accshare.driver.args import Invocation, Source
from accshare.driver.host import capture, colour, standard_input, with_openacc
from accshare.records import dataclass
from accshare.source import SourceFile

_PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+acc\b", re.MULTILINE)
_DEFINITION = re.compile(r"^#(define|undef) (\w+)(?: |$)(.*)$", re.MULTILINE)
_ROUTINE = re.compile(r"\bacc_[a-z0-9_]+[ \t]*\(")
#: macros of compilers that may use vectors of so many bytes, the longest first
_VECTORS = {"__AVX512F__": 64, "__AVX__": 32, "": 16}
#: macros that say the same of vectors of all integers
_INTEGERS = {("__AVX512BW__", "__AVX512VL__"): 64, ("__AVX2__",): 32, (): 16}
#: the macro of compilers for an x86-64 that is not the oldest
_NEWER = "__SSE4_2__"
#: the first gcc with ``__builtin_shufflevector``, and the first C that declares variables where they are needed
_SHUFFLES, _C99 = 12, 199901
#: the first gcc that makes one operation of products and sums beside each other though it was told not to
#: (https://gcc.gnu.org/PR107647), and the one that no longer does
_FUSING, _FIXED = (12, 0), (12, 3)
#: options that name a processor
_PROCESSORS = ("-march=", "-mcpu=")
#: by architecture, the macro that says there are registers for floating-point numbers
_REAL = {"__x86_64__": "__SSE2__", "__aarch64__": "__ARM_FP"}
#: the macro that tells how many bytes a pointer has, and how many they must be, and those that say it of compilers
#: which lack the first one
_POINTERS, _WIDE = "__SIZEOF_POINTER__", 8
_WIDE_TOO = ("__LP64__", "_LP64")
#: bytes of a number where nothing is a vector
_SCALAR = 4
_NO_REAL = "compiled without registers for floating-point numbers"
_NO_REAL_HINT = "-mgeneral-regs-only, -mno-sse or -mno-sse2 is given; leave it out for files with regions"
_NARROW = "compiled for a machine with pointers of 32 bits, and kernels are for those with 64"
_NARROW_HINT = "leave out -m32 or -mx32 for files with regions"
#: the macro of a compiler that watches all memory, and knows of one thread
_WATCHED = "__BOUNDS_CHECKING_ON"
_BOUNDS = "compiled with TinyCC's checks of bounds, which know nothing of threads"
_BOUNDS_HINT = "leave out -b for files with regions"
#: what the preprocessing step must not be told: it would print something else, or write files of its own
_DROPPED = ("-P", "-C", "-CC", "-dM", "-dN", "-dI", "-dU", "-fdirectives-only", "-aux-info")


@dataclass(frozen=True, slots=True)
class Preprocessed:
    """`messages` is what the preprocessor printed beside the text, `machine` what the host compiler compiles for;
    `unfit` says why it can compile no regions."""

    source: SourceFile
    messages: bytes
    machine: HostMachine
    unfit: Diagnostic | None = None


def preprocess(
    host: list[str], invocation: Invocation, source: Source, further: Iterable[str] = ()
) -> Preprocessed | None:
    """Preprocesses one source with the user's flags and `further` ones.

    None when the host preprocessor refuses it, about which the host compiler will say more, or a macro inside a pragma.
    """
    if source.language == "cpp-output":
        return _preprocessed_already(source)
    kept = [word for word in invocation.words if word[0] in (w.PREPROCESS, w.OTHER)]
    kept = [word for word in kept if word[1][0] not in _DROPPED and not word[1][0].startswith("-fdump-")]
    command = [*host, *with_openacc(kept), *colour(invocation), *further]
    done = capture([*command, "-E", "-dD", "-x", "c", source.path])
    if done.code != 0:
        return None
    text = done.stdout.decode("latin-1")
    if _warns_of_fallthrough(invocation) and _PRAGMA.search(text) and fallthrough.may_matter(text):
        commented = capture([*command, "-E", "-dD", "-CC", "-w", "-x", "c", source.path])
        text = fallthrough.told(text, commented.stdout.decode("latin-1"))
    expanded = macros.expand(text, lambda script: _expand_script(host, script))
    if expanded is None:
        return None
    defined = _defined(text)
    machine = _machine(defined, invocation)
    return Preprocessed(SourceFile.of(source.path, expanded), done.stderr, machine, _unfit(defined))


def has_pragma(source: SourceFile) -> bool:
    """Whether anything in a preprocessed source is for us."""
    return _PRAGMA.search(source.text) is not None


def calls_routine(source: SourceFile) -> bool:
    """Whether a preprocessed source names, and so may call, a routine of openacc.h."""
    return _ROUTINE.search(source.text) is not None


def _defined(text: str) -> dict[str, str]:
    """The macros in force at the end of a preprocessed text, and what each stands for."""
    defined: dict[str, str] = {}
    for match in _DEFINITION.finditer(text):
        if match[1] == "define":
            defined[match[2]] = match[3]
        else:
            defined.pop(match[2], None)
    return defined


def _machine(defined: Mapping[str, str], invocation: Invocation) -> HostMachine:
    has = defined.__contains__
    plain = not has("__GNUC__")
    vector = _SCALAR if plain else next(size for macro, size in _VECTORS.items() if not macro or has(macro))
    return HostMachine(
        vector=vector,
        integers=next(size for macros, size in _INTEGERS.items() if all(map(has, macros))),
        registers=32 if vector == max(_VECTORS.values()) or not has("__x86_64__") else 16,
        oldest=has("__x86_64__") and not has(_NEWER),
        c99=_number(defined, "__STDC_VERSION__") >= _C99,
        gnu=has("__clang__") or _number(defined, "__GNUC__") >= _SHUFFLES,
        plain=plain,
        clang=has("__clang__"),
        finite=_number(defined, "__FINITE_MATH_ONLY__") != 0,
        limited=has("__GNUC__") and has("__GCC_IEC_559_COMPLEX") and not _number(defined, "__GCC_IEC_559_COMPLEX"),
        fuses_pairs=not has("__clang__") and _FUSING <= _version(defined) < _FIXED,
        x86_64=has("__x86_64__"),
        fma=has("__FMA__"),
        optimizes=has("__OPTIMIZE__"),
        small=has("__OPTIMIZE_SIZE__"),
        caches=(processor.cache(1), processor.cache(2)) if _is_for_here(invocation) else (0, 0),
    )


def _is_for_here(invocation: Invocation) -> bool:
    """Whether the program is compiled for the processor that the compiler runs on."""
    given = [text for text in invocation.of(w.OTHER) if text.startswith(_PROCESSORS)]
    return bool(given) and given[-1].endswith("=native")


def _version(defined: Mapping[str, str]) -> tuple[int, int]:
    """The version of a compiler that knows GNU C."""
    return _number(defined, "__GNUC__"), _number(defined, "__GNUC_MINOR__")


def _number(defined: Mapping[str, str], macro: str) -> int:
    value = defined.get(macro, "").removesuffix("L")
    return int(value) if value.isdecimal() else 0


def _unfit(defined: Mapping[str, str]) -> Diagnostic | None:
    """Why a compiler with these macros can't compile what is generated for regions."""
    if _WATCHED in defined:
        return _hosted("ACC707", _BOUNDS, _BOUNDS_HINT)
    if _number(defined, _POINTERS) != _WIDE and not any(macro in defined for macro in _WIDE_TOO):
        return _hosted("ACC707", _NARROW, _NARROW_HINT)
    gnu = "__GNUC__" in defined  # others don't tell of registers
    if gnu and any(defined.get(arch) == "1" and real not in defined for arch, real in _REAL.items()):
        return _hosted("ACC704", _NO_REAL, _NO_REAL_HINT)
    return None


def _hosted(code: str, reason: str, hint: str) -> Diagnostic:
    return Diagnostic(code, f"{reason}; its regions run on the host", hint=hint)


def _expand_script(host: list[str], script: str) -> str | None:
    done = capture([*host, "-E", "-P", "-w", "-undef", "-x", "c", "-"], script.encode("latin-1"))
    return done.stdout.decode("latin-1") if done.code == 0 else None


def _preprocessed_already(source: Source) -> Preprocessed | None:
    try:
        text = Path(source.path).read_bytes() if source.path != "-" else standard_input()
    except OSError:
        return None
    return Preprocessed(SourceFile.of(source.path, text.decode("latin-1")), b"", HostMachine())


def _warns_of_fallthrough(invocation: Invocation) -> bool:
    return invocation.has("-Wextra", "-Wimplicit-fallthrough") or any(word[1] == ("-W",) for word in invocation.words)
