"""Devices found without pyopencl, and kept on disk."""

from __future__ import annotations

import json

import pytest

from accshare.device import DeviceKind
from accshare.device.probe import ProbeError, found, probe


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ACCSHARE_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("ACCSHARE_OPENCL", raising=False)
    monkeypatch.delenv("ACCSHARE_OFFLOAD", raising=False)
    return tmp_path


def test_models_describe_the_devices(runtime):
    devices = probe(runtime)
    assert devices, "no OpenCL device: install one, for example Debian's pocl-opencl-icd"
    for device in devices:
        model = device.model
        assert device.name
        assert model.kind in DeviceKind
        assert min(model.compute_units, model.simd_width, model.max_work_group, model.local_bytes) > 0
        assert model.max_threads_per_unit >= model.max_work_group or model.kind is DeviceKind.GPU
    assert found(runtime) == tuple(dict.fromkeys(device.model for device in devices))


def test_a_second_question_is_answered_from_disk(runtime, own_cache):
    first = found(runtime)
    (entry,) = (own_cache / "devices").iterdir()
    rows = json.loads(entry.read_text())
    rows[0]["compute_units"] = 4711
    entry.write_text(json.dumps(rows))
    assert [device.compute_units for device in found(runtime)] == [4711, *(d.compute_units for d in first[1:])]


def test_a_change_of_setting_asks_again(runtime, monkeypatch):
    assert found(runtime)
    monkeypatch.setenv("ACCSHARE_OPENCL", "none")
    assert found(runtime) == ()
    monkeypatch.delenv("ACCSHARE_OPENCL")
    assert found(runtime)


def test_a_broken_entry_is_replaced(runtime, own_cache):
    devices = found(runtime)
    (entry,) = (own_cache / "devices").iterdir()
    entry.write_text('[{"name": 3}]')
    assert found(runtime) == devices
    assert json.loads(entry.read_text())[0]["name"] == devices[0].name


def test_no_library_is_no_device(tmp_path):
    assert found(str(tmp_path / "absent.so")) == ()
    with pytest.raises(ProbeError, match=r"absent\.so"):
        probe(str(tmp_path / "absent.so"))
