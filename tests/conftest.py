"""What all tests count on."""

import os
import subprocess

import hypothesis
import pytest

# what a developer's machine was tuned for must not change what is tested
os.environ["ACCSHARE_TUNING"] = os.devnull
# small test programs are to run on the device, as large ones would
os.environ["ACCSHARE_BREAK_EVEN"] = "0"
os.environ["ACCSHARE_LEARN"] = "off"
# compilers that tests start find the package compiled, as users' do: most of a small file's time otherwise
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# a busy machine takes its time
hypothesis.settings.register_profile("patient", deadline=None)
hypothesis.settings.load_profile("patient")


@pytest.fixture(autouse=True, scope="module")
def _target(request):
    """What tests of a module compile for where they don't say it."""
    with pytest.MonkeyPatch.context() as patch:
        if request.node.get_closest_marker("opencl"):
            patch.setenv("ACCSHARE_FLAGS", "--acc-target=opencl")
        yield


@pytest.fixture(autouse=True)
def _kernels_built_fast(request, monkeypatch):
    """PoCL takes a seventh of the time for kernels that it doesn't optimise; where tests are not thorough, it does."""
    if request.node.get_closest_marker("thorough"):
        monkeypatch.setenv("POCL_EXTRA_BUILD_FLAGS", "-cl-opt-disable")


@pytest.fixture(scope="session")
def opencl():
    """Skips tests where there is no OpenCL device."""
    listed = subprocess.run(["clinfo", "-l"], capture_output=True, text=True)
    if "Device" not in listed.stdout:
        pytest.skip("no OpenCL device")
