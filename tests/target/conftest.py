"""Devices for kernels."""

from __future__ import annotations

import subprocess

import pytest


@pytest.fixture(scope="session")
def opencl() -> None:
    listed = subprocess.run(["clinfo", "-l"], capture_output=True, text=True)
    if "Device" not in listed.stdout:
        pytest.skip("no OpenCL device")
