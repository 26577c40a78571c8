"""How wide a CPU's vectors are for its OpenCL compiler: kernels of each width are compiled, run and compared.

Drivers tell the width of the processor. Their compilers may have been told of another one, give up on its widest
vectors (ending the process), compute something else, or take longer. Trials run in another process.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from struct import calcsize, pack, unpack_from
from typing import Any, NamedTuple

from accshare.records import dataclass


class _Type(NamedTuple):
    """The code of `struct`, and the type that it is converted to and back."""

    code: str
    other: str


_SCRIPT = Path(__file__).with_name("trial.py")
#: how long code without vectors may take, and how many times as long vectors, which make some compilers very slow
_SECONDS, _PATIENCE = 120, 10
#: bytes of the vectors that processors have, the widest first; the width that stands for elements by themselves, and
#: what a register then holds
_WIDTHS = (64, 32, 16)
_SCALAR, _ELEMENT = 8, 4
#: how much longer than narrower vectors wide ones may take for the same work before they are given up
_SLOWER = 1.5
#: the matrix product that is tried: rows by two vectors, so many steps, run again so many times
_ROWS, _DEPTH, _REPEATS, _TIMED_REPEATS, _TIMES = 4, 8, 3, 20000, 7
_TYPES = {"float": _Type("f", "int"), "int": _Type("i", "float"), "double": _Type("d", "int")}
#: bytes for what the compiler says of itself, and after it for the operands and results of each type
_SECTION = 4096
#: processors with 32 vector registers, whatever their width
_WITH_32 = ("aarch64", "arm64", "ppc64", "riscv64", "loongarch64")

_FACTS = """\
__kernel void facts(__global uchar *data, long at, int repeats)
{
  __global int *fact = (__global int *)(data + at);
#if defined(__AVX512F__)
  fact[0] = 64;
#elif defined(__AVX__)
  fact[0] = 32;
#elif defined(__SSE2__) || defined(__ARM_NEON) || defined(__ALTIVEC__)
  fact[0] = 16;
#endif
#if defined(__AVX512VL__) || defined(__ARM_NEON) && defined(__aarch64__) || defined(__ALTIVEC__)
  fact[1] = 32;
#elif defined(__SSE2__)
  fact[1] = 16;
#endif
}
"""

_KERNEL = """\
typedef VECTOR ELEMENT_u __attribute__((aligned(BYTES)));
#define ELEMENT_at(place) (*(__global ELEMENT_u *)&(place))
__kernel void trial_ELEMENT(__global uchar *data, long at, int repeats)
{
  __global ELEMENT *a = (__global ELEMENT *)(data + at + PLACE);
  __global ELEMENT *b = a + ROWS * DEPTH;
  __global ELEMENT *c = b + 2 * LANES * DEPTH;
  VECTOR sum[2 * ROWS];
  #pragma unroll
  for (int i = 0; i < 2 * ROWS; i++)
    sum[i] = 0;
  for (int n = 0; n < repeats; n++)
    for (int k = 0; k < DEPTH; k++) {
      const VECTOR x = ELEMENT_at(b[2 * LANES * k]);
      const VECTOR y = ELEMENT_at(b[2 * LANES * k + LANES]);
      #pragma unroll
      for (int i = 0; i < ROWS; i++) {
        sum[2 * i] += a[ROWS * k + i] * x;
        sum[2 * i + 1] += a[ROWS * k + i] * y;
      }
    }
  #pragma unroll
  for (int i = 0; i < ROWS; i++) {
    const VECTOR x = ELEMENT_at(b[2 * LANES * i]);
    ELEMENT_at(c[2 * LANES * i]) = sum[2 * i] < x ? x : sum[2 * i];
    ELEMENT_at(c[2 * LANES * i + LANES]) = convert_VECTOR(convert_OTHER(sum[2 * i + 1]));
  }
}
"""


@dataclass(frozen=True, slots=True)
class Vectors:
    """What the compiler of a CPU device makes of vectors: `bytes` of the widest that are worth having, the `registers`
    it has for them, and `limit`, why there are no wider ones; empty where the processor has none."""

    bytes: int
    registers: int
    limit: str


@dataclass(frozen=True, slots=True)
class _Trial:
    """What became of vectors of `width` bytes: seconds a byte, or `trouble`; what the compiler says of itself."""

    width: int
    seconds: float
    trouble: str
    compiled: int = 0
    registers: int = 0


def vectors(library: str, number: int, told: int, fp64: bool, timed: bool) -> Vectors | None:
    """Tries the device that is the `number`-th the runtime `library` lists, whose driver tells of vectors of `told`
    bytes; None where not even code without vectors runs, so that nothing is known. `timed`: whether speed counts."""
    types = [name for name in _TYPES if fp64 or name != "double"]
    tried = _Tried(library, number, types)
    start = time.monotonic()
    scalar = next(tried.trials([_job(_SCALAR, types, False)], _SECONDS))
    if scalar.trouble:
        return None
    seconds = max(_SECONDS / 4, _PATIENCE * (time.monotonic() - start))
    widths = [width for width in _WIDTHS if width <= min(told, scalar.compiled or told)]
    limit = f"its compiler uses vectors of {widths[0]} bytes" if widths and widths[0] < min(told, _WIDTHS[0]) else ""
    useful: list[_Trial] = []
    for some in (widths[:2], widths[2:]):
        if not useful:
            trials = list(tried.trials([_job(width, types, timed) for width in some], seconds))
            limit = next((trial.trouble for trial in trials[:1] if trial.trouble), limit)
            useful = [trial for trial in trials if not trial.trouble]
    best = useful[0] if useful else scalar
    if len(useful) > 1 and best.seconds > _SLOWER * useful[1].seconds:
        factor = best.seconds / useful[1].seconds
        limit = f"vectors of {best.width} bytes take {factor:.1f} times as long as those of {useful[1].width}"
        best = useful[1]
    return Vectors(best.width if useful else _ELEMENT, scalar.registers or vector_registers(best.width), limit)


def vector_registers(width: int) -> int:
    """How many registers for vectors of `width` bytes a core of this machine has, as far as can be said."""
    return 32 if width >= _WIDTHS[0] or os.uname().machine.startswith(_WITH_32) else 16


@dataclass(frozen=True, slots=True)
class _Job:
    """The trial of vectors of `width` bytes, as `accshare.device.trial` is asked for it."""

    width: int
    request: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Tried:
    """The device that is tried, and the element types that it has."""

    library: str
    number: int
    types: Sequence[str]

    def trials(self, jobs: Sequence[_Job], seconds: float) -> Iterator[_Trial]:
        """What became of each job, one after the other. All of them together may take `seconds`."""
        for job, answer in zip(jobs, self._answers([job.request for job in jobs], seconds), strict=True):
            if isinstance(answer, str):
                yield _Trial(job.width, 0, f"vectors of {job.width} bytes {answer}")
                continue
            data = bytes.fromhex(answer["data"])
            right = all(
                _result(data, place, name, job.width) == _expected(name, job.width)
                for place, name in enumerate(self.types, 1)
            )
            trouble = "" if right else f"vectors of {job.width} bytes compute something else"
            yield _Trial(job.width, answer["seconds"] / job.width, trouble, *unpack_from("2i", data))

    def _answers(self, requests: list[dict[str, Any]], seconds: float) -> Iterator[dict[str, Any] | str]:
        """What `accshare.device.trial` answers to each request, or what its process came to. One that ends early is
        followed by another, for the requests behind the one that ended it."""
        command = [sys.executable, "-I", str(_SCRIPT), self.library, str(self.number)]
        while requests:
            given = json.dumps(requests).encode()
            try:
                done = subprocess.run(command, input=given, capture_output=True, check=False, timeout=seconds)
                said, trouble = done.stdout, _last_words(done.stderr)
            except subprocess.TimeoutExpired as error:
                said, trouble = error.stdout or b"", f"keep its compiler busy for more than {seconds:.0f} seconds"
            lines = said.splitlines()
            for line in lines:
                yield json.loads(line) or "are refused by its compiler"
            requests = requests[len(lines) :]
            if requests:
                yield trouble
                requests = requests[1:]


def _last_words(said: bytes) -> str:
    line = said.decode("utf-8", "replace").strip().rpartition("\n")[2]
    return f"end its compiler ({line})" if line else "end its compiler"


def _lanes(name: str, width: int) -> int:
    return 1 if width == _SCALAR else width // calcsize(_TYPES[name].code)


def _job(width: int, types: Sequence[str], timed: bool) -> _Job:
    sections = [bytes(_SECTION)] + [_given(name, width) for name in types]
    kernels = [_kernel(name, width, place) for place, name in enumerate(types, 1)]
    request = {
        "source": "".join([_FACTS, *kernels]),
        "kernels": ["facts", *(f"trial_{name}" for name in types)],
        "data": b"".join(section.ljust(_SECTION, b"\0") for section in sections).hex(),
        "repeats": _REPEATS,
        "timed": {"kernel": "trial_float", "repeats": _TIMED_REPEATS, "times": _TIMES} if timed else None,
    }
    return _Job(width, request)


def _kernel(name: str, width: int, place: int) -> str:
    lanes = _lanes(name, width)
    count = str(lanes) if lanes > 1 else ""
    spelled = {
        "ELEMENT": name,
        "VECTOR": name + count,
        "OTHER": _TYPES[name].other + count,
        "LANES": str(lanes),
        "BYTES": str(calcsize(_TYPES[name].code)),
        "PLACE": str(place * _SECTION),
        "ROWS": str(_ROWS),
        "DEPTH": str(_DEPTH),
    }
    return re.sub("|".join(spelled), lambda found: spelled[found[0]], _KERNEL)


def _given(name: str, width: int) -> bytes:
    """Small numbers, so that sums are exact in any order."""
    columns = 2 * _lanes(name, width)
    a, b = _operands(columns)
    return pack(f"{len(a) + len(b)}{_TYPES[name].code}", *a, *b)


def _operands(columns: int) -> tuple[list[int], list[int]]:
    a = [(3 * i + 2 * k) % 7 - 3 for k in range(_DEPTH) for i in range(_ROWS)]
    b = [(5 * j + 3 * k) % 11 - 5 for k in range(_DEPTH) for j in range(columns)]
    return a, b


def _result(data: bytes, place: int, name: str, width: int) -> list[float]:
    columns = 2 * _lanes(name, width)
    code = _TYPES[name].code
    before = _DEPTH * (_ROWS + columns) * calcsize(code)
    return list(unpack_from(f"{_ROWS * columns}{code}", data, place * _SECTION + before))


def _expected(name: str, width: int) -> list[float]:
    lanes = _lanes(name, width)
    columns = 2 * lanes
    a, b = _operands(columns)
    rows = range(_ROWS)
    sums = [[sum(a[_ROWS * k + i] * b[columns * k + j] for k in range(_DEPTH)) for j in range(columns)] for i in rows]
    return [
        max(_REPEATS * sums[i][j], b[columns * i + j]) if j < lanes else _REPEATS * sums[i][j]
        for i in rows
        for j in range(columns)
    ]
