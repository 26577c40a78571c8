"""What the runtime has done behind the program, for whichever of its threads asks."""

from __future__ import annotations

from pathlib import Path

from runtime_programs import PROGRAMS, SOURCE, call, clean_environment


def test_that_all_ends_with_the_process_is_registered_once(tmp_path: Path) -> None:
    parts = (SOURCE / "src" / f"{name}.c" for name in ("background", "message", "env", "signals", "text"))
    flags = ("-std=gnu11", "-O1", "-D_GNU_SOURCE", f"-I{SOURCE / 'src'}", f"-I{SOURCE / 'include'}")
    program = tmp_path / "background"
    made = call("gcc", *flags, PROGRAMS / "background.c", *parts, "-o", program, "-lpthread", "-ldl")
    assert made.returncode == 0, made.stderr
    assert call(program, environment=clean_environment()).stdout == "done=27 handlers=1\n"
