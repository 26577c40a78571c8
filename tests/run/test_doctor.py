"""accshare doctor: finds what stops offloading and says what to do."""

from __future__ import annotations

import subprocess
import sys

import pytest


def failures(done):
    return [line for line in done.stdout.splitlines() if line.startswith("fail")]


def test_a_machine_with_a_device_is_well(accshare, tmp_path):
    done = accshare("doctor")
    assert done.returncode == 0, done.stdout
    assert not failures(done)
    assert "ok    device: " in done.stdout
    assert str(tmp_path / "cache") in done.stdout


def test_without_opencl_it_says_what_to_install(accshare):
    done = accshare("doctor", ACCSHARE_OPENCL="none")
    assert (done.returncode, failures(done)) == (0, [])
    assert "warn  no OpenCL device: kernels run on this processor only" in done.stdout
    assert "pocl-opencl-icd" in done.stdout


@pytest.mark.thorough
def test_settings_that_keep_loops_on_the_host(accshare):
    for name, value in (("ACCSHARE_OFFLOAD", "disabled"), ("ACC_DEVICE_TYPE", "host")):
        done = accshare("doctor", **{name: value})
        assert done.returncode == 1
        assert any(f"{name}={value}" in line for line in failures(done))


@pytest.mark.thorough
def test_no_driver_registered(accshare, tmp_path):
    (tmp_path / "vendors").mkdir()
    done = accshare("doctor", OCL_ICD_VENDORS=str(tmp_path / "vendors"))
    assert f"warn  no driver is registered in {tmp_path / 'vendors'}" in done.stdout


@pytest.mark.thorough
def test_a_driver_that_does_not_load(accshare, tmp_path):
    (tmp_path / "vendors").mkdir()
    (tmp_path / "vendors" / "ghost.icd").write_text("libghost.so.7\n")
    done = accshare("doctor", OCL_ICD_VENDORS=str(tmp_path / "vendors"))
    assert "driver ghost.icd does not load" in done.stdout


def test_a_broken_runtime_library(accshare, tmp_path):
    broken = tmp_path / "libbroken.so"
    broken.write_text("no library")
    done = accshare("doctor", ACCSHARE_RUNTIME=str(broken))
    assert done.returncode == 1
    assert any("libbroken.so" in line for line in failures(done))


def test_a_missing_host_compiler(accshare):
    done = accshare("doctor", ACCSHARE_CC="/no/such/cc")
    assert done.returncode == 1
    assert any("/no/such/cc" in line for line in failures(done))


@pytest.mark.thorough
def test_a_cache_folder_that_cannot_be_made(accshare, tmp_path):
    (tmp_path / "file").write_text("")
    done = accshare("doctor", ACCSHARE_CACHE_DIR=str(tmp_path / "file" / "cache"))
    assert done.returncode == 0
    assert "warn  cache folder" in done.stdout


def test_it_works_without_the_python_packages_it_reports(runtime):
    """Packages that are not there can't be what the report itself is made with."""
    hide = "import sys; sys.modules.update(dict.fromkeys(('pyopencl', 'numpy', 'rich', 'islpy')))"
    call = f"{hide}; from accshare.cli import main; sys.exit(main(['doctor']))"
    done = subprocess.run([sys.executable, "-c", call], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "fail  Python package islpy" in done.stdout
    assert "warn  Python package pyopencl" in done.stdout
    assert "ok    runtime library" in done.stdout or "no runtime library" in done.stdout
