"""``accshare doctor``: what this machine has, what is missing, and what to do about it."""

from __future__ import annotations

import ctypes
import enum
import importlib
import importlib.util
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from accshare import private
from accshare.device.probe import Found, ProbeError, probe
from accshare.driver.paths import include_dir
from accshare.driver.targets import devices_library
from accshare.records import dataclass
from accshare.run import extras
from accshare.run.builds import keep_builds_in
from accshare.run.host import HostTrouble, host_compiler

_COMPILER_PACKAGES = {
    "clang.cindex": "libclang==18.1.1",
    "islpy": "islpy",
    "lark": "lark",
    "jinja2": "jinja2",
    "rich": "rich",
}
_RUN_PACKAGES = {"pyopencl": "pyopencl", "numpy": "numpy"}
_LOADERS = ("libOpenCL.so.1", "libOpenCL.so")
_NVIDIA = "libnvidia-opencl.so.1"
_GET_A_DEVICE = (
    "GPU: install its vendor's driver with OpenCL. CPU, on Debian or Ubuntu: apt-get install pocl-opencl-icd; "
    "without root: pip install intel-opencl-rt intel-cmplr-lib-rt, then "
    "export ACCSHARE_OPENCL=<environment>/lib/libintelocl.so"
)


class Level(enum.Enum):
    """How a check went; only `FAIL` stops offloading."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report; `remedy` is "" where there is nothing to do."""

    level: Level
    what: str
    remedy: str = ""

    def __str__(self) -> str:
        line = f"{self.level.value:4}  {self.what}"
        return f"{line}\n      -> {self.remedy}" if self.remedy else line


def examine() -> Iterator[Check]:
    """All checks, in the order in which one needs the other."""
    yield _compiler()
    yield from _packages(_COMPILER_PACKAGES, Level.FAIL)
    yield from _packages(_RUN_PACKAGES, Level.WARN)
    yield _headers()
    yield from _settings()
    yield _loader()
    yield from _drivers()
    yield from _devices()
    yield _cache()


def _compiler() -> Check:
    """A host compiler that makes an object file."""
    try:
        command = host_compiler()
    except HostTrouble as why:
        return Check(Level.FAIL, str(why), "install a C compiler, or set ACCSHARE_CC to one")
    name = " ".join(command)
    with tempfile.TemporaryDirectory(prefix="accshare-doctor-") as folder:
        source = Path(folder) / "check.c"
        source.write_text('#include <stdio.h>\n#include <math.h>\nint main(void) { return puts("") < 0; }\n')
        built = subprocess.run(
            [*command, str(source), "-o", f"{folder}/check", "-lm"], capture_output=True, text=True, check=False
        )
    if built.returncode:
        first = built.stderr.strip().partition("\n")[0]
        return Check(
            Level.FAIL,
            f"host compiler {name} can't build a program: {first}",
            "on Debian: apt-get install gcc libc6-dev",
        )
    return Check(Level.OK, f"host compiler: {name}")


def _packages(packages: dict[str, str], missing: Level) -> Iterator[Check]:
    for module, requirement in packages.items():
        try:
            importlib.import_module(module)
        except (ImportError, OSError) as why:
            yield Check(missing, f"Python package {requirement} can't be loaded: {why}", extras.command(requirement))


def _headers() -> Check:
    folder = include_dir()
    if not folder:
        return Check(
            Level.WARN, "openacc.h is not installed: programs that include it can't be compiled", extras.again()
        )
    return Check(Level.OK, f"openacc.h: {folder}")


def _settings() -> Iterator[Check]:
    """Variables that keep everything on the host."""
    for name, value in (("ACCSHARE_OFFLOAD", "disabled"), ("ACC_DEVICE_TYPE", "host")):
        if os.environ.get(name, "").lower() == value:
            yield Check(Level.FAIL, f"{name}={value}: every region runs on the host", f"unset {name}")


def _loader() -> Check:
    """The library through which programs reach OpenCL drivers."""
    named = os.environ.get("ACCSHARE_OPENCL", "")
    if named == "none":
        return Check(Level.WARN, "OpenCL library: none is looked for")
    for name in (named,) if named else _LOADERS:
        why = _loads(name)
        if not why:
            return Check(Level.OK, f"OpenCL library: {name}")
    if named:
        return Check(Level.FAIL, f"ACCSHARE_OPENCL: {why}", "name an OpenCL library, or unset it")
    return Check(
        Level.WARN,
        "no OpenCL loader (libOpenCL.so.1); drivers that accshare knows by name are tried directly",
        "on Debian: apt-get install ocl-icd-libopencl1",
    )


def _drivers() -> Iterator[Check]:
    """Drivers that are registered with the loader, and NVIDIA's when it is not."""
    place = Path(os.environ.get("OCL_ICD_VENDORS") or "/etc/OpenCL/vendors")
    files = sorted(place.glob("*.icd")) if place.is_dir() else [place] if place.suffix == ".icd" else []
    registered = ""
    for file in files:
        try:
            library = file.read_text(errors="replace").strip()
        except OSError as error:
            yield Check(Level.WARN, f"{file}: {error.strerror}")
            continue
        registered += library
        why = _loads(library)
        if why:
            yield Check(
                Level.WARN, f"driver {file.name} does not load: {why}", "install its driver again, or remove the file"
            )
        else:
            yield Check(Level.OK, f"driver {file.name}: {library}")
    if not files:
        yield Check(Level.WARN, f"no driver is registered in {place}")
    if "libnvidia-opencl" not in registered and not _loads(_NVIDIA):
        yield Check(
            Level.WARN,
            f"{_NVIDIA} is there but not registered: accshare uses it, other programs don't",
            f"echo {_NVIDIA} > /etc/OpenCL/vendors/nvidia.icd",
        )


def _devices() -> Iterator[Check]:
    """What the runtime library finds: what programs will run on."""
    library = devices_library()
    if not library:
        yield Check(Level.FAIL, "no runtime library (libaccshare.so)", f"{extras.again()}, or set ACCSHARE_RUNTIME")
        return
    try:
        found = probe(library)
    except ProbeError as why:
        yield Check(Level.FAIL, str(why), f"{extras.again()}, or fix the driver it names")
        return
    yield Check(Level.OK, f"runtime library: {library}")
    for one in found:
        kind = one.model.kind.value
        yield Check(
            Level.OK, f"device: {one.name} ({kind}; {one.platform}; driver {one.driver}; through {one.library})"
        )
        if one.limit:
            yield Check(
                Level.WARN,
                f"{one.name} gets vectors of {4 * one.model.simd_width} bytes: {one.limit}",
                "install a newer driver, or unset a variable that tells this one of another processor",
            )
        if not one.model.fp64:
            yield Check(
                Level.WARN,
                f"{one.name} has no double precision: regions with double run on the host",
                "use float, or choose another device with ACC_DEVICE_TYPE and ACC_DEVICE_NUM",
            )
    yield from _only_in_python(found)
    if not found:
        yield Check(Level.WARN, "no OpenCL device: kernels run on this processor only, natively", _GET_A_DEVICE)


def _only_in_python(found: tuple[Found, ...]) -> Iterator[Check]:
    """Devices that pyopencl sees and programs don't (the PoCL that pip installs)."""
    if os.environ.get("ACCSHARE_OPENCL") == "none" or importlib.util.find_spec("pyopencl") is None:
        return
    # By name: this report must come even where pyopencl can't be loaded.
    opencl = importlib.import_module("accshare.run.opencl")
    try:
        with tempfile.TemporaryDirectory(prefix="accshare-doctor-") as folder:
            keep_builds_in(Path(folder) / "built")
            names = [(device.name.strip(), device.platform.name.strip()) for device in opencl.devices()]
    except opencl.DeviceTrouble:
        return
    known = {(one.name.strip(), one.platform.strip()) for one in found}
    for name, platform in dict.fromkeys(names):
        if (name, platform) not in known:
            yield Check(
                Level.WARN,
                f"only Python sees {name} ({platform}): compiled programs can't use it",
                "install that driver for the whole system, or set ACCSHARE_OPENCL to its library",
            )


def _cache() -> Check:
    """Whether compiled kernels can be kept."""
    folder = private.cache_home()
    try:
        private.own_folder(folder)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        return Check(
            Level.WARN,
            f"cache folder {folder} can't be written ({error.strerror}): everything is compiled anew each time",
            "set ACCSHARE_CACHE_DIR to a folder of yours",
        )
    return Check(Level.OK, f"cache folder: {folder}")


def _loads(library: str) -> str:
    """Why a library can't be loaded; "" when it can."""
    try:
        ctypes.CDLL(library)
    except OSError as error:
        return str(error)
    return ""
