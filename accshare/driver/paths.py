"""Where the installed parts that are no Python are."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def runtime_library() -> str:
    """Absolute path of ``libaccshare.so``; empty when it is not installed (a source tree)."""
    return next((path for path in _installed("lib/libaccshare.so") if os.path.isfile(path)), "")


def static_runtime() -> str:
    """Absolute path of ``libaccshare.a``, the runtime for static programs; empty when it is not installed."""
    return next((path for path in _installed("lib/libaccshare.a") if os.path.isfile(path)), "")


def include_dir() -> str:
    """The folder of our ``openacc.h``: the installed one, else the source tree's; empty when there is neither."""
    folders = [*_installed("include"), os.path.join(os.path.dirname(_PACKAGE), "runtime", "include")]
    return next((folder for folder in folders if os.path.isfile(os.path.join(folder, "openacc.h"))), "")


def _installed(name: str) -> Iterator[str]:
    """Places for a file of the package; an editable installation keeps built files apart, in site-packages."""
    yield os.path.join(_PACKAGE, name)
    for folder in sys.path:
        yield os.path.join(os.path.abspath(folder), "accshare", name)
