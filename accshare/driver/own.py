"""``--acc-…`` options, ``ACCSHARE_FLAGS`` and the host options that concern us, as `Options`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from math import inf

from accshare.diagnostics import Diagnostic
from accshare.driver import words as w
from accshare.driver.flags import FLAGS
from accshare.driver.response import unquote
from accshare.options import Choice, Ilp, Options, Share
from accshare.records import replace
from accshare.spelling import nearest

_FLAGS = {flag.name: flag for flag in FLAGS}
_SWITCHES: dict[str, Callable[[Options], Options]] = {
    "--acc-strict": lambda o: replace(o, strict=True),
    "--acc-time": lambda o: replace(o, time=True),
    "--acc-report": lambda o: replace(o, report=True),
    "--acc-no-validate": lambda o: replace(o, validate=False),
    "--acc-prebuild": lambda o: replace(o, prebuild=True),
    "--acc-no-cache": lambda o: replace(o, cache=False),
}
#: how options of ours may begin where they are mistyped
_BEGINNING = re.compile(r"--?acc[-_]?")
_ITERATIONS = ("1", "2", "4", "8", "16")
#: options whose value is a positive number
_NUMBERS: dict[str, Callable[[Options, float], Options]] = {
    "--acc-delta-r": lambda o, number: replace(o, delta_r=number),
    "--acc-delta-s": lambda o, number: replace(o, delta_s=number),
}


def options_of(words: Iterable[w.Word], compiler: str = "cc") -> tuple[Options, tuple[Diagnostic, ...]]:
    """The options of a command line for the host compiler `compiler`, and what could not be understood.

    ``ACCSHARE_FLAGS`` comes first, so that the command line overrides it.
    """
    words = list(words)
    flags = unquote(os.environ.get("ACCSHARE_FLAGS", ""))
    host = w.texts([word for word in words if word[0] == w.OTHER])
    options = Options(
        reassociate=_reassociates(host),
        contract=_contracts(host, compiler),
        contract_asked=_asks_to_contract(host),
        wraps=_wraps(host),
    )
    problems = []
    for flag in flags + w.texts([word for word in words if word[0] == w.OWN]):
        changed = _apply(options, flag)
        if isinstance(changed, Diagnostic):
            problems.append(changed)
        else:
            options = changed
    return options, tuple(problems)


def _apply(options: Options, flag: str) -> Options | Diagnostic:
    """`options` with one option of ours applied, or why not."""
    name, equals, text = flag.partition("=")
    if name in ("-acc", "-fopenacc") or name.startswith("-fopenacc-"):
        return options
    if name == "-Minfo":
        return replace(options, report=True) if not text or {"accel", "all"} & set(text.split(",")) else options
    if name in _SWITCHES:
        if equals:
            return Diagnostic("ACC702", f"{name} takes no value", hint=f"write {name}")
        return _SWITCHES[name](options)
    if name in _NUMBERS:
        return _numbered(options, name, text)
    if name == "--acc-ilp":
        ilp = _ilp(text)
        near = nearest(text, _FLAGS[name].words)
        hint = f"did you mean {near}?" if near else "--acc-ilp=off, auto, 4 or Y:4,X:2: powers of two up to 16"
        wrong = Diagnostic("ACC702", f"{name}: {text or 'nothing'} is no choice", hint=hint)
        return wrong if ilp is None else replace(options, ilp=ilp)
    if name == "--acc-choose":
        choice = choice_of(text)
        hint = "--acc-choose=gemm_l12_0:TB_X=32,TB_Y=8,l=32,ILP_Y=4,STAGE=on"
        wrong = Diagnostic("ACC702", f"{name}: {text} is no choice", hint=hint)
        return wrong if choice is None else replace(options, choices=(*options.choices, choice))
    if name not in _FLAGS:
        return Diagnostic("ACC702", f"unknown option {flag}", hint=_meant(name, list(_FLAGS), "--acc-"))
    known = _FLAGS[name].words
    values = tuple(part for part in text.split(",") if part)
    if not values:
        return Diagnostic("ACC702", f"{name} needs a value", hint=f"{name}={known[0]}")
    for value in values:
        if value not in known:
            code = "ACC701" if name == "--acc-target" else "ACC702"
            return Diagnostic(code, f"{name}: there is no {value}", hint=_meant(value, known))
    if name == "--acc-share":
        return replace(options, share=Share(values[-1]))
    if name == "--acc-schedule":
        return replace(options, schedule=values[-1])
    if name == "--acc-banks":
        return replace(options, banks=values[-1] == "auto")
    return replace(options, targets=values) if name == "--acc-target" else replace(options, dump=options.dump + values)


def _numbered(options: Options, name: str, text: str) -> Options | Diagnostic:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < inf:
        return Diagnostic("ACC702", f"{name} needs a positive number", hint=f"{name}=0.25")
    return _NUMBERS[name](options, value)


def _ilp(text: str) -> Ilp | None:
    """``off``, ``auto``, a number, or numbers by axis; None where it is none of these."""
    if text in ("off", "auto"):
        return Ilp(text == "auto")
    if text in _ITERATIONS:
        return Ilp(False, several=int(text))
    axes = {}
    for part in text.split(","):
        axis, _, number = part.upper().partition(":")
        if axis not in ("X", "Y", "Z") or axis in axes or number not in _ITERATIONS:
            return None
        axes[axis] = int(number)
    return Ilp(False, (axes.get("X", 1), axes.get("Y", 1), axes.get("Z", 1)))


def choice_of(text: str) -> Choice | None:
    """``KERNEL:NAME=SIZE,…``; None where it is no such thing."""
    kernel, _, rest = text.partition(":")
    sizes = {}
    for part in rest.split(","):
        name, _, value = part.partition("=")
        number = {"on": "1", "off": "0"}.get(value, "") if name == "STAGE" else value
        if not name or name in sizes or not number.isdecimal() or (int(number) < 1 and name not in ("STAGE", "PAD")):
            return None
        sizes[name] = int(number)
    return Choice(kernel, tuple(sizes.items())) if kernel else None


def _meant(given: str, known: Sequence[str], common: str = "") -> str:
    """The nearest known word, else all of them; `common` is a beginning that says nothing about nearness."""
    tails = [word.removeprefix(common) for word in known]
    near = nearest(_BEGINNING.sub("", given) if common else given, tails)
    return f"did you mean {common}{near}?" if near else f"there are {', '.join(known)}"


def _reassociates(flags: list[str]) -> bool:
    """Whether gcc would reorder floating-point sums; explicit options win over what -Ofast implies."""
    levels = [flag for flag in flags if flag.startswith("-O")]
    allowed = bool(levels) and levels[-1] == "-Ofast"
    for flag in (f"-f{flag[2:]}" if flag.startswith("--") else flag for flag in flags):
        name = flag.removeprefix("-fno-") if flag.startswith("-fno-") else flag.removeprefix("-f")
        if flag.startswith("-f") and name in ("fast-math", "unsafe-math-optimizations", "associative-math"):
            allowed = not flag.startswith("-fno-")
    return allowed


def _wraps(flags: list[str]) -> bool:
    """Whether signed integers wrap around."""
    said = {"-fwrapv": True, "-fno-wrapv": False, "-fno-strict-overflow": True, "-fstrict-overflow": False}
    return next((said[flag] for flag in reversed(flags) if flag in said), False)


def _contraction(flags: list[str]) -> str:
    """The last word on ``-ffp-contract``; "" where there is none."""
    return next((flag.partition("=")[2] for flag in reversed(flags) if flag.startswith("-ffp-contract=")), "")


def _asks_to_contract(flags: list[str]) -> bool:
    """Whether the user asks for a multiplication and an addition to be fused, or for speed rather than digits."""
    return (_contraction(flags) or ("fast" if _reassociates(flags) else "")) == "fast"


def _contracts(flags: list[str], compiler: str) -> bool:
    """Whether the host compiler may fuse a multiplication and an addition; gcc's ISO modes forbid it."""
    clang = "clang" in os.path.basename(compiler)
    if explicit := _contraction(flags):  # to gcc, `on` is `off`
        return explicit == "fast" or (clang and explicit == "on")
    standards = [flag for flag in flags if flag.startswith("-std=") or flag == "-ansi"]
    iso = bool(standards) and (standards[-1] == "-ansi" or standards[-1].startswith(("-std=c", "-std=iso")))
    return clang or not iso
