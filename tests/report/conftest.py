import subprocess

import pytest

from accshare.device import preset
from accshare.options import Options
from accshare.pipeline import compile_unit
from accshare.source import SourceFile

DEVICES = (preset("generic-gpu"), preset("generic-cpu"))


@pytest.fixture
def compiled(tmp_path):
    """Compiles C text, or a file, for both generic devices, one of them `first`; gives what `explain` and `to_json`
    take."""

    def compile_(what, options=Options(), first=""):  # noqa: B008 - frozen
        path = what
        if isinstance(what, str):
            path = tmp_path / "program.c"
            path.write_text(what)
        done = subprocess.run(["gcc", "-E", str(path)], capture_output=True, check=True)
        source = SourceFile.of(str(path), done.stdout.decode("latin-1"))
        devices = tuple(sorted(DEVICES, key=lambda device: device.name != first))
        return compile_unit(source, devices, options, ""), source

    return compile_
