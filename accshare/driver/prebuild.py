"""``--acc-prebuild``: kernels are built when the program is compiled, where programs look for what earlier runs built.

Run as a program with the runtime library as its argument, this module builds what it reads: a driver may crash, and
writes to stderr what it likes.
"""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
from ctypes import POINTER, c_char_p
from typing import Any

from accshare.device.trial import Region, Variant
from accshare.diagnostics import Diagnostic
from accshare.driver.paths import runtime_library

_NOTHING = "--acc-prebuild: no OpenCL device of this machine has kernels here; programs build them where they run"
_HINT = "accshare doctor says which devices there are, and why others are not found"


def prebuild(kernels: str) -> tuple[Diagnostic, ...]:
    """Builds the `kernels` of a translation; what there is to say."""
    library = runtime_library()
    if not json.loads(kernels or "[]") or not library:
        return ()
    command = [sys.executable, "-m", __name__, library]
    done = subprocess.run(command, input=kernels.encode(), capture_output=True, check=False)
    built = done.returncode == 0 and int(done.stdout) > 0
    return () if built else (Diagnostic("ACC706", _NOTHING, hint=_HINT),)


def _variant(one: dict[str, Any]) -> Variant:
    names: list[str] = one["kernels"]
    kernels = (c_char_p * len(names))(*[name.encode() for name in names])
    texts = (one[field].encode("latin-1") for field in ("target", "kind", "source", "options"))
    return Variant(*texts, kernels, len(names), one["work_group"], one["local_bytes"], one["flags"])


def _main() -> None:
    library = ctypes.CDLL(sys.argv[1])
    library.accshare_prebuild.argtypes = [POINTER(Region)]
    built = 0
    for number, variants in enumerate(json.load(sys.stdin), 1):
        made = (Variant * len(variants))(*map(_variant, variants))
        built += library.accshare_prebuild(Region(b"prebuild", number, b"", b"region", made, len(made), None))
    print(built)


if __name__ == "__main__":
    _main()
