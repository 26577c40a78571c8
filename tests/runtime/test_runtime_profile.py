"""ACCSHARE_PROFILE: what regions and data directives did, as JSON and as a table."""

from __future__ import annotations

import json
from pathlib import Path

from runtime_programs import Program


def test_profile_as_json(run: Program, tmp_path: Path) -> None:
    path = tmp_path / "profile.json"
    result = run("region", 100, 5, 3, 2, ACCSHARE_PROFILE=f"json:{path}", ACCSHARE_ZERO_COPY="0")
    assert (result.stdout, result.stderr) == ("device=3 host=0 wrong=0\n", "")
    (region,) = json.loads(path.read_text())["regions"]
    assert (region["file"], region["line"], region["function"]) == ("axpy.c", 7, "axpy")
    assert (region["runs"], region["launches"], region["host_runs"]) == (3, 6, 0)
    assert (region["in"]["count"], region["in"]["bytes"]) == (6, 2400)
    assert (region["out"]["count"], region["out"]["bytes"]) == (3, 1200)
    assert 0 < region["kernel_seconds"] < region["seconds"]
    assert region["build_seconds"] > 0
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith("profile")] == ["profile.json"]


def test_profile_of_data_directives(run: Program, tmp_path: Path) -> None:
    path = tmp_path / "profile.json"
    run("present", "update", ACCSHARE_PROFILE=f"json:{path}", ACCSHARE_ZERO_COPY="0")
    (directive,) = json.loads(path.read_text())["data"]
    assert (directive["file"], directive["line"]) == ("data.c", 5)
    assert (directive["in"]["count"], directive["in"]["bytes"]) == (2, 260)
    assert (directive["out"]["count"], directive["out"]["bytes"]) == (1, 256)


def test_profile_tells_why_regions_ran_on_the_host(run_without_device: Program, tmp_path: Path) -> None:
    path = tmp_path / "profile.json"
    run_without_device("region", 10, 0, 4, 1, ACCSHARE_PROFILE=f"json:{path}", ACCSHARE_OPENCL="none")
    (region,) = json.loads(path.read_text())["regions"]
    assert region["host_runs"] == 4
    assert region["host_reasons"] == [{"reason": "no OpenCL device found", "count": 4}]


def test_profile_as_a_table(run: Program) -> None:
    lines = run("region", 100, 5, 3, 2, ACCSHARE_PROFILE="1").stderr.splitlines()
    assert len(lines) == 2
    assert lines[0].split()[:4] == ["accshare:", "place", "runs", "launches"]
    assert lines[1].split()[:4] == ["accshare:", "axpy.c:7", "3", "6"]


def test_a_profile_that_cannot_be_written_is_told(run: Program) -> None:
    result = run("region", 10, 0, 1, 1, ACCSHARE_PROFILE="json:/nonexistent/p.json")
    assert result.returncode == 0
    assert result.stderr.startswith("accshare: can't write the profile to /nonexistent/p.json: ")
