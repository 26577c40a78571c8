"""Programs made with sanitizers: nothing is reported that the program itself did not do."""

from __future__ import annotations

import subprocess
from dataclasses import replace

import pytest
from surrounding_programs import SOURCE, build

SANITIZERS = ["address", "leak", "undefined", "thread"]


@pytest.mark.parametrize("sanitizer", SANITIZERS)
def test_nothing_is_reported(built, tmp_path, sanitizer):
    flag = f"-fsanitize={sanitizer}"
    tried = subprocess.run(
        ["gcc", flag, "-x", "c", "-", "-o", tmp_path / "tried"],
        input="int main(void) { return 0; }",
        capture_output=True,
        text=True,
        check=False,
    )
    if tried.returncode or subprocess.run([tmp_path / "tried"], capture_output=True, check=False).returncode:
        pytest.skip(f"gcc has no {flag} here: {tried.stderr}")
    program = replace(built, binary=build(SOURCE, tmp_path / "program", flag, "-g"))
    for words in ((), ("256",)):
        program.check(*words)
    program.check(ACCSHARE_ZERO_COPY="0")
