"""``accshare run``: build C files with ``accshare-cc`` and run the program, its launches shown."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence


def run_program(files: Sequence[str], flags: Sequence[str], arguments: Sequence[str]) -> int:
    """The exit code as a shell gives it: the compiler's if it fails, else the program's.

    The program gets ``ACCSHARE_NOTIFY=1`` unless the variable is set.
    """
    with tempfile.TemporaryDirectory(prefix="accshare-run-") as folder:
        binary = os.path.join(folder, os.path.splitext(os.path.basename(files[0]))[0])
        command = [sys.executable, "-m", "accshare.cc", *flags, *files, "-o", binary, "-lm"]
        built = subprocess.run(command, check=False).returncode
        if built:
            return _shell_code(built)
        environment = {"ACCSHARE_NOTIFY": "1", **os.environ}
        return _shell_code(subprocess.run([binary, *arguments], env=environment, check=False).returncode)


def _shell_code(code: int) -> int:
    return code if code >= 0 else 128 - code
