import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
INCLUDE = HERE.parent.parent / "runtime" / "include"


@pytest.fixture(scope="session")
def fake_runtime(tmp_path_factory):
    """A shared library that prints what generated code asks of a runtime."""
    library = tmp_path_factory.mktemp("fake") / "libfake.so"
    command = ["gcc", "-shared", "-fPIC", "-Wall", f"-I{INCLUDE}", str(HERE / "fake_runtime.c"), "-o", str(library)]
    subprocess.run(command, check=True)
    return library


@pytest.fixture
def run_program(tmp_path):
    """Compiles preprocessed C and runs it; the process has no ACCSHARE_ variable but those given."""

    def run(host, *arguments, compiler="gcc", flags=(), code=0, **environment):
        text, program = tmp_path / "host.i", tmp_path / "program"
        text.write_text(host, encoding="latin-1")
        build = [compiler, *flags, str(text), "-o", str(program), "-lm"]
        built = subprocess.run(build, capture_output=True, text=True, check=False)
        assert (built.returncode, built.stderr) == (0, "")
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("ACC", "FAKE"))}
        done = subprocess.run(
            [str(program), *arguments],
            env={**clean, **environment},
            capture_output=True,
            encoding="latin-1",
            check=False,
        )
        assert done.returncode == code, done.stderr
        return done

    return run
