"""Kernels through the vendors' back ends without a GPU: clang with libclc, and ptxas; what their registers take."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from accshare.emit.ir import BUILD_OPTIONS
from accshare.records import dataclass

#: preset -> what it is called in LLVM, the nearest for an older LLVM after it
ARCHITECTURES = {
    "tesla-c2050": ("sm_20",),
    "gtx-690": ("sm_30",),
    "gtx-titan": ("sm_35",),
    "v100": ("sm_70",),
    "a100": ("sm_80",),
    "rtx-4090": ("sm_89",),
    "h100": ("sm_90",),
    "h200": ("sm_90",),
    "hd-7850": ("gfx601",),
    "mi210": ("gfx90a",),
    "mi300x": ("gfx942", "gfx940", "gfx90a"),
    "rx-7900-xtx": ("gfx1100", "gfx1030"),
}
#: virtual architectures that clang may write PTX for; ptxas takes it for any later one
_PTX = ("sm_90", "sm_80", "sm_75", "sm_70", "sm_60", "sm_35", "sm_30", "sm_20")
_CLANGS = ("clang", *(f"clang-{version}" for version in range(24, 13, -1)))
_LIBCLC = ("/usr/lib/clc", "/usr/share/clc", "/usr/lib64/clc", "/usr/local/share/clc")
_CUDA = "/usr/local/cuda"
_SECONDS = 120
_EMPTY = "__kernel void empty(__global int *a) { a[get_global_id(0)] = 0; }\n"

#: libclc lacks it for NVIDIA's GPUs, whose driver has it in these registers
_OFFSETS = """
__attribute__((overloadable, always_inline)) size_t get_global_offset(uint axis)
{
    uint x, y, z;
    __asm__("mov.u32 %0, %%envreg0;" : "=r"(x));
    __asm__("mov.u32 %0, %%envreg1;" : "=r"(y));
    __asm__("mov.u32 %0, %%envreg2;" : "=r"(z));
    return axis == 0 ? x : axis == 1 ? y : axis == 2 ? z : 0;
}
"""


class ToolTrouble(Exception):  # noqa: N818 - says what happened to the measurement
    """A tool is missing or refuses; the message is for the user."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a kernel takes of a device: a work-item's registers of 32 bits, its private bytes and the bytes it writes
    because registers ran out (`spilled`), and a work-group's bytes of local memory. `uniform` counts the registers that
    AMD's work-items of a wavefront share."""

    kernel: str
    registers: int
    uniform: int
    private: int
    spilled: int
    local: int


@dataclass(frozen=True, slots=True)
class Toolchain:
    """How to compile for `architecture`: clang's part of the command, and ptxas where it is NVIDIA's."""

    architecture: str
    clang: tuple[str, ...]
    ptxas: str

    def usage(self, opencl: str) -> tuple[Usage, ...]:
        """What each kernel of a program takes. Raises `ToolTrouble` with the tool's own words."""
        with tempfile.TemporaryDirectory(prefix="accshare-resources-") as folder:
            source, assembly = Path(folder) / "kernels.cl", Path(folder) / "kernels.s"
            source.write_text(opencl + _OFFSETS if self.ptxas else opencl, encoding="latin-1", newline="")
            _call([*self.clang, str(source), "-o", str(assembly)])
            if not self.ptxas:
                return tuple(_amd(assembly.read_text(encoding="latin-1")))
            command = [self.ptxas, f"-arch={self.architecture}", "-v", str(assembly), "-o", os.devnull]
            return tuple(_nvidia(_call(command)))


def toolchain(target: str) -> Toolchain:
    """The tools for the preset `target`. Raises `ToolTrouble` that names what is missing."""
    if target not in ARCHITECTURES:
        raise ToolTrouble(f"nothing here compiles for {target}; there are {', '.join(ARCHITECTURES)}")
    known = ARCHITECTURES[target]
    nvidia = known[0].startswith("sm_")
    ptxas = _ptxas() if nvidia else ""
    clangs = [found for found in map(shutil.which, _CLANGS) if found]
    if not clangs:
        raise ToolTrouble("clang is not installed; on Debian: apt-get install clang")
    library = _libclc("nvptx64--nvidiacl.bc" if nvidia else "amdgcn--amdhsa.bc")
    virtual = [name for name in _PTX if int(name[3:]) <= int(known[0][3:])] if nvidia else known
    trouble = ToolTrouble(f"no clang here compiles for {target}")
    for name in virtual:
        for clang in clangs:
            made = Toolchain(known[0] if nvidia else name, _clang(clang, library, name, nvidia), ptxas)
            try:
                made.usage(_EMPTY)
            except ToolTrouble as why:
                trouble = why
            else:
                return made
    raise trouble


def _clang(clang: str, library: Path, name: str, nvidia: bool) -> tuple[str, ...]:
    target = (
        ("--target=nvptx64--nvidiacl", f"-march={name}") if nvidia else ("--target=amdgcn--amdhsa", f"-mcpu={name}")
    )
    linked = (
        option
        for word in ("-finclude-default-header", "-mlink-builtin-bitcode", str(library))
        for option in ("-Xclang", word)
    )
    return (clang, "-x", "cl", *BUILD_OPTIONS.split(), "-O3", "-nogpulib", *target, *linked, "-S")


def _libclc(name: str) -> Path:
    for folder in _LIBCLC:
        path = Path(folder) / name
        if path.is_file():
            return path
    raise ToolTrouble(f"libclc ({name}) is not installed; on Debian: apt-get install libclc-14")


def _ptxas() -> str:
    """NVIDIA's assembler: on the path, in a CUDA toolkit, or in the wheel that pip installs."""
    folders = [os.path.join(os.environ.get(name) or _CUDA, "bin") for name in ("CUDA_HOME", "CUDA_PATH")]
    wheels = importlib.util.find_spec("nvidia")
    for place in (wheels.submodule_search_locations or ()) if wheels else ():
        folders += [str(path.parent) for path in sorted(Path(place).glob("*/bin/ptxas"))]
    found = shutil.which("ptxas") or shutil.which("ptxas", path=os.pathsep.join(folders))
    if not found:
        raise ToolTrouble("ptxas is not installed; without root: pip install nvidia-cuda-nvcc-cu12")
    return found


def _call(command: list[str]) -> str:
    """What a tool says on its error stream."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolTrouble(f"{command[0]}: {error}") from error
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or [f"exit code {done.returncode}"]
        raise ToolTrouble(
            f"{command[0]}: {next((line for line in lines if 'error' in line or 'fatal' in line), lines[0])}"
        )
    return done.stderr


def _amd(assembly: str) -> Iterator[Usage]:
    """Reads the metadata at the end of AMD's assembly."""
    for block in re.split(r"(?m)^  - ", assembly.partition("amdhsa.kernels:")[2])[1:]:
        name = re.search(r"(?m)^(?:    )?\.name: +(\S+)", block)
        if name:
            yield Usage(
                kernel=name[1].strip("'\""),
                registers=_field(block, r"\.vgpr_count: +(\d+)"),
                uniform=_field(block, r"\.sgpr_count: +(\d+)"),
                private=_field(block, r"\.private_segment_fixed_size: +(\d+)"),
                spilled=4 * _field(block, r"\.vgpr_spill_count: +(\d+)"),
                local=_field(block, r"\.group_segment_fixed_size: +(\d+)"),
            )


def _nvidia(said: str) -> Iterator[Usage]:
    """Reads what ptxas -v says."""
    for block in said.split("Compiling entry function '")[1:]:
        yield Usage(
            kernel=block.partition("'")[0],
            registers=_field(block, r"Used (\d+) registers"),
            uniform=0,
            private=_field(block, r"(\d+) bytes stack frame"),
            spilled=_field(block, r"(\d+) bytes spill stores"),
            local=_field(block, r"(\d+) bytes smem"),
        )


def _field(block: str, pattern: str) -> int:
    match = re.search(pattern, block)
    return int(match[1]) if match else 0
