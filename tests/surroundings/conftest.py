"""A program with regions, built once, in homes of its own."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from surrounding_programs import SOURCE, Program, build


@pytest.fixture(scope="session")
def binary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(SOURCE, tmp_path_factory.mktemp("everything") / "everything")


@pytest.fixture(scope="session")
def built(binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The program with kernels that are built."""
    program = Program(binary, tmp_path_factory.mktemp("built"))
    program.check()
    return program


@pytest.fixture
def program(built: Program, tmp_path: Path) -> Program:
    """The program with a home of its own, where kernels are built."""
    shutil.copytree(built.cache, tmp_path / ".cache/accshare")
    return replace(built, home=tmp_path)


@pytest.fixture
def fresh(built: Program, tmp_path: Path) -> Program:
    """The program with a new home."""
    return replace(built, home=tmp_path)
