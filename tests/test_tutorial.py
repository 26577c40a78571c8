"""docs/tutorial.md, pasted into a shell from its first program to its last command."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough
TUTORIAL = (Path(__file__).parent.parent / "docs" / "tutorial.md").read_text()
PROGRAM = re.search(r"```c\n(.*?)```", TUTORIAL, re.DOTALL)[1]
STEPS = re.findall(r"```sh\n(.*?)```", TUTORIAL, re.DOTALL)


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What each block of commands prints, both streams together."""
    folder = tmp_path_factory.mktemp("tutorial")
    (folder / "heat.c").write_text(PROGRAM)
    kept = {k: v for k, v in os.environ.items() if k != "ACCSHARE_BREAK_EVEN"}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**kept, "PATH": path, "ACCSHARE_CACHE_DIR": str(folder / "cache")}

    def run(block: str) -> str:
        done = subprocess.run(
            ["sh", "-ec", block], cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    return [run(block) for block in STEPS]


def transfers(text: str) -> int:
    return len(re.findall(r"^accshare: (?:upload|download|copyin|copyout|transfer)", text, re.MULTILINE))


def test_the_reduction_is_missed_first_and_taken_when_asked_for(said):
    built, _, mended, *_ = said
    assert "reduction(+:sum)" in built
    assert len(re.findall(r"region \w+ offloaded", mended)) == 2
    assert "stays on the host" not in mended


def test_the_answer_never_changes(said):
    assert len(set(re.findall(r"mean \S+", said[0] + said[-1]))) == 1
    assert len(set(re.findall(r"mean \S+", said[3] + said[4]))) == 1


def test_a_data_construct_saves_transfers(said):
    before, after = transfers(said[3]), transfers(said[4])
    assert 0 < after < before


def test_it_verifies_and_profiles(said):
    assert "2 of 2 regions give the host's answer" in said[-1]
    assert "heat.c:" in said[-1]
