"""The processor that a program runs on, as the model of a device: its kernels are C for the host compiler."""

from __future__ import annotations

from collections.abc import Iterator

from accshare.device.model import Device
from accshare.device.presets import PRESETS
from accshare.records import dataclass, replace

#: how ``--acc-target`` calls it
NATIVE = "native"
#: bytes of a vector where there are none
_SCALAR = 4
#: what most cores with vectors of so many bytes have of their second-level cache, and a quarter of it, which is what
#: panels of a matrix may take. The first x86 with the smallest vectors had half as much: they share what is proved of
#: bands with later ones
_CACHE = {64: 1 << 20, 32: 512 << 10, 16: 512 << 10, _SCALAR: 256 << 10}
_PANELS = 4


@dataclass(frozen=True, slots=True)
class HostMachine:
    """What the host compiler tells of the machine it compiles for: the `vector` it may use in bytes, and that of
    which there are all instructions for `integers`, how many `registers` for vectors there are, and whether the
    user's flags leave the instruction set at what every x86-64 has (`oldest`). It is to compile C99 or later (`c99`),
    knows GNU C's vectors (`gnu`) or nothing of GNU C (`plain`), and is `clang` or another compiler.
    `finite` says that it takes all numbers for finite ones, `limited` that products of complex numbers need not
    recover infinities, `fuses_pairs` that it makes one operation of pairs of products and sums, whatever it is
    told; `x86_64` what its builtins are, `fma` that there is an instruction for a product and a sum, `optimizes`
    that it is asked to, `small` that code is to be small rather than fast. `caches` are the bytes of the first two
    levels where it compiles for the processor it runs on, and 0 where nobody knows."""

    vector: int = 16
    integers: int = 16
    registers: int = 16
    oldest: bool = False
    c99: bool = True
    gnu: bool = True
    plain: bool = False
    clang: bool = False
    finite: bool = False
    limited: bool = False
    fuses_pairs: bool = False
    x86_64: bool = False
    fma: bool = False
    optimizes: bool = False
    small: bool = False
    caches: tuple[int, int] = (0, 0)

    @property
    def may_align(self) -> bool:
        """Whether loops may begin a line of the instruction cache, by options that gcc has for it."""
        return self.x86_64 and self.optimizes and self.gnu and not self.clang and not self.small


#: the instruction sets that are told apart when a program starts, the latest first, with their vectors and registers,
#: and whether they multiply and add in one step
_LEVELS = (("x86-64-v4", 64, 32, True), ("x86-64-v3", 32, 16, True), ("x86-64-v2", 16, 16, False))


def native_models(machine: HostMachine) -> Iterator[Device]:
    """The models to compile for, the more special first; without vectors where the host compiler has none."""
    if machine.plain and not machine.c99:
        return
    if not machine.gnu:
        yield _model(NATIVE, "", _SCALAR, machine.registers, machine.caches[1])
        return
    if not machine.oldest:
        first, second = machine.caches
        one = _model(NATIVE, "", machine.vector, machine.registers, second)
        one = replace(one, fuses=machine.x86_64 and machine.fma)
        yield replace(one, l1_bytes=first) if first else one
        return
    for isa, vector, registers, fuses in _LEVELS:
        one = _model(f"{NATIVE}-{isa.rpartition('-')[2]}", isa, vector, registers)
        yield replace(one, fuses=fuses)


def _model(name: str, isa: str, vector: int, registers: int, cache: int = 0) -> Device:
    lanes, cache = vector // 4, cache or _CACHE[vector]
    return replace(
        PRESETS["generic-cpu"],
        name=name,
        simd_width=lanes,
        registers_per_unit=registers * lanes,
        local_bandwidth=2 * vector,
        cache_bandwidth=2 * vector,
        local_bytes=cache // _PANELS,
        local_per_unit=cache // _PANELS,
        l2_bytes=cache,
        l3_bytes=0,  # nobody knows how much of it a core has
        sound_barriers=True,
        native=True,
        isa=isa,
    )
