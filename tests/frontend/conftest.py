from collections.abc import Callable
from pathlib import Path

import pytest
from reading import read

from accshare.frontend.ir import Program, Region
from accshare.source import SourceFile

Reader = Callable[[str], tuple[SourceFile, Program]]


@pytest.fixture(scope="session")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """C text to its source and `Program`."""
    folder: Path = tmp_path_factory.mktemp("frontend")
    return lambda text: read(text, folder)


@pytest.fixture(scope="session")
def region_of(reader: Reader) -> Callable[[str, str], Region]:
    """The region of a function whose body is one `kernels` block around some statements."""

    def make(body: str, before: str = "") -> Region:
        head = "void f(int n, int m, unsigned u, size_t z, long l, float *A, double *B, int *I, unsigned char *C)"
        text = f"#include <stddef.h>\n{before}\n{head} {{\n#pragma acc kernels\n{{ {body} }}\n}}\n"
        _, program = reader(text)
        assert not program.diagnostics, program.diagnostics
        (region,) = program.regions
        return region

    return make
