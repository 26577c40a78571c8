"""The host compiler."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Sequence

from accshare.driver import words as w

#: what says nothing of a kernel, or needs more of the program around it than a library of kernels has
_WHOLE_PROGRAMS = ("-fsanitize", "-flto", "-pg", "--coverage", "-fprofile", "-ftest-coverage", "-M", "-fopenmp")


class HostTrouble(Exception):  # noqa: N818 - says what happened to the run
    """The host compiler is missing or refuses; the message is for the user."""


def host_compiler() -> list[str]:
    """The command of the host compiler: $ACCSHARE_CC, else cc, gcc or clang. Raises `HostTrouble`."""
    wish = shlex.split(os.environ.get("ACCSHARE_CC", ""))
    for name in wish[:1] or ("cc", "gcc", "clang"):
        path = shutil.which(name)
        if path:
            return [path, *wish[1:]]
    if wish:
        raise HostTrouble(f"ACCSHARE_CC names {wish[0]}, which is no program that can be run")
    raise HostTrouble("no host compiler: there is no cc, gcc or clang on PATH (on Debian: apt-get install gcc)")


def kernel_flags(flags: Sequence[str]) -> tuple[str, ...]:
    """Those of a compiler's flags that say how it compiles kernels."""
    others = (word[1] for word in w.split(list(flags)) if word[0] == w.OTHER)
    return tuple(text for texts in others if not texts[0].startswith(_WHOLE_PROGRAMS) for text in texts)
