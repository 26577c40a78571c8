"""What a plain installation can do, and how it says what is lacking for the rest."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tiers import every

SAMPLE = Path(__file__).parents[2] / "samples" / "mt.c"
PLAIN = (
    "import sys; sys.modules.update(dict.fromkeys(('pyopencl', 'numpy', 'matplotlib')));"
    " from accshare.cli import main; sys.exit(main(sys.argv[1:]))"
)


def plain(*arguments, cwd=None):
    """The command where no extra of accshare is installed."""
    command = [sys.executable, "-c", PLAIN, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300, check=False)


def test_the_compilers_view_of_devices_needs_no_more_than_the_compiler():
    done = plain("devices", "--presets")
    assert done.returncode == 0, done.stderr
    assert "h100" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    every(
        3,
        [
            (("verify", SAMPLE), ["matplotlib", "pyopencl", "numpy"]),
            (("tune", SAMPLE), ["matplotlib", "pyopencl", "numpy"]),
            (("bench",), ["matplotlib", "pyopencl", "numpy"]),
            (("explain", "--html", SAMPLE), ["matplotlib"]),
        ],
    ),
    ids=lambda value: value[0],
)
def test_what_is_lacking_can_be_pasted_into_a_shell(tmp_path, arguments, wanted):
    done = plain(*arguments, cwd=tmp_path)
    assert done.returncode == 1
    command = re.search(r": (\S+ -m pip install .*) \(", done.stderr)[1]
    assert re.findall(r"'([a-z]+)>=", command) == wanted
    # All of it is installed here, so nothing is looked for: what counts is that the words are right.
    pasted = subprocess.run(f"{command} --no-index --quiet", shell=True, capture_output=True, text=True, check=False)
    assert pasted.returncode == 0, pasted.stderr
