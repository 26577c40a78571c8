"""Devices found without pyopencl, and kept on disk."""

from __future__ import annotations

import json
import os
import re

import pytest
from commands import accshare_cc

from accshare.device import DeviceKind, HostMachine
from accshare.device.probe import ProbeError, found, probe
from accshare.driver.targets import devices_for
from accshare.private import load, store
from accshare.run.sources import compile_file

pytestmark = pytest.mark.opencl


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


@pytest.mark.thorough
def test_a_second_question_is_answered_from_disk(runtime, own_cache):
    first = found(runtime)
    (entry,) = (own_cache / "devices").iterdir()
    rows = json.loads(load(entry))
    rows[0]["model"]["compute_units"] = 4711
    store(entry, json.dumps(rows).encode())
    assert [device.compute_units for device in found(runtime)] == [4711, *(d.compute_units for d in first[1:])]


def test_a_change_of_setting_asks_again(runtime, monkeypatch):
    assert found(runtime)
    monkeypatch.setenv("ACCSHARE_OPENCL", "none")
    assert found(runtime) == ()
    monkeypatch.delenv("ACCSHARE_OPENCL")
    assert found(runtime)


@pytest.mark.thorough
def test_a_broken_entry_is_replaced(runtime, own_cache):
    devices = found(runtime)
    (entry,) = (own_cache / "devices").iterdir()
    store(entry, b'[{"name": 3}]')
    assert found(runtime) == devices
    assert json.loads(load(entry))[0]["model"]["name"] == devices[0].name


@pytest.mark.thorough
def test_an_entry_of_an_older_version_is_replaced(runtime, own_cache):
    devices = found(runtime)
    (entry,) = (own_cache / "devices").iterdir()
    whole = load(entry)
    rows = json.loads(whole)
    for row in rows:
        del row["model"]["cache_bandwidth"]
    store(entry, json.dumps(rows).encode())
    assert found(runtime) == devices
    assert load(entry) == whole


def test_the_listing_asks_again_and_is_remembered(accshare, machine, monkeypatch, tmp_path):
    monkeypatch.setenv("ACCSHARE_CACHE_DIR", str(tmp_path / "cache"))
    library = machine({"compute_units": 8})
    assert found(library)[0].compute_units == 8
    stamp = os.stat(library)
    os.replace(machine({"compute_units": 9}), library)
    os.utime(library, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert found(library)[0].compute_units == 8
    assert accshare("devices", ACCSHARE_RUNTIME=library).returncode == 0
    assert found(library)[0].compute_units == 9


def test_no_library_is_no_device(tmp_path):
    assert found(str(tmp_path / "absent.so")) == ()
    with pytest.raises(ProbeError, match=r"absent\.so"):
        probe(str(tmp_path / "absent.so"))


def test_each_machine_that_shares_a_home_is_asked(machine, monkeypatch):
    library = machine({})
    assert found(library)[0].name == "gpu"
    here = os.uname()
    elsewhere = type(here)((here.sysname, "elsewhere", here.release, here.version, here.machine))
    stamp = os.stat(library)
    os.replace(machine({"name": "Other"}), library)
    os.utime(library, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert found(library)[0].name == "gpu"
    monkeypatch.setattr(os, "uname", lambda: elsewhere)
    assert found(library)[0].name == "other"


def test_an_image_that_moves_to_another_processor_is_asked_again(machine, monkeypatch, tmp_path):
    said = tmp_path / "cpuinfo"
    monkeypatch.setattr("accshare.device.probe._CPUINFO", said)
    said.write_text("processor\t: 0\nmodel name\t: One\ncpu MHz\t\t: 1000\nflags\t\t: avx2\n\nprocessor\t: 1\n")
    library = machine({})
    assert found(library)[0].name == "gpu"
    stamp = os.stat(library)
    os.replace(machine({"name": "Other"}), library)
    os.utime(library, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    said.write_text(said.read_text().replace("1000", "2000"))
    assert found(library)[0].name == "gpu"
    said.write_text(said.read_text().replace("avx2", "avx2 avx512f"))
    assert found(library)[0].name == "other"


def test_that_there_is_no_device_is_not_believed_for_long(machine, own_cache):
    library = machine()
    assert found(library) == ()
    (entry,) = (own_cache / "devices").iterdir()
    stamp = os.stat(library)
    os.replace(machine({}), library)
    os.utime(library, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert found(library) == ()
    os.utime(entry, (0, 0))
    assert len(found(library)) == 1


def test_a_failure_is_forgotten_sooner(machine, own_cache, tmp_path):
    library = tmp_path / "broken.so"
    library.write_text("no library")
    stamp = os.stat(library)
    assert found(str(library)) == ()
    (entry,) = (own_cache / "devices").iterdir()
    os.replace(machine({}), library)
    os.utime(library, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    minute_ago = entry.stat().st_mtime - 60
    os.utime(entry, (minute_ago, minute_ago))
    assert len(found(str(library))) == 1


def test_models_have_names_that_fit_anywhere_and_differ(machine):
    names = ['A "B" \\C %d\n(TM)', "算力", "generic GPU", "generic GPU"]
    models = [one.model for one in probe(machine(*({"name": n, "local_bytes": 1 << k} for k, n in enumerate(names))))]
    assert [model.name for model in models] == ["a-b-c-d-tm", "gpu", "generic-gpu-2", "generic-gpu-3"]
    assert found(machine({}, {})) == found(machine({}))


def test_devices_are_listed_for_programs(accshare, machine):
    library = machine({"name": "Some GPU", "max_work_group": 512}, {"name": "Slow", "type": "cpu"})
    listed = json.loads(accshare("devices", "--json", ACCSHARE_RUNTIME=library).stdout)
    assert [(one["name"], one["model"]["kind"]) for one in listed] == [("Some GPU", "gpu"), ("Slow", "cpu")]
    assert listed[0]["model"]["max_work_group"] == 512


SQUARE = """\
void square(int n, float *restrict a)
{
#pragma acc parallel loop copy(a[0:n])
  for (int i = 0; i < n; i++)
    a[i] *= a[i];
}
"""


@pytest.fixture
def square(tmp_path):
    (tmp_path / "square.c").write_text(SQUARE)
    return str(tmp_path / "square.c")


def variants(path, *flags):
    """Target and work-items in a group of each variant of the file's region."""
    (region,) = compile_file(path, ("--acc-ilp=off", *flags)).result.output.regions
    return [(text.variant.target.name, text.needs.work_group) for text in region.variants]


def test_a_device_that_needs_other_kernels_gets_them_first(machine, square, monkeypatch):
    monkeypatch.setenv("ACCSHARE_RUNTIME", machine({"name": "Tiny 1", "max_work_group": 32}, {"name": "Big"}))
    assert [model.name for model in devices_for(("opencl",))] == ["tiny-1", "big", "generic-gpu", "generic-cpu"]
    assert variants(square) == [("tiny-1", 32), ("generic-gpu", 256), ("generic-cpu", 1)]
    assert variants(square, "--acc-target=generic-gpu") == [("generic-gpu", 256)]


def test_the_usual_targets_are_the_processor_and_gpus(machine, monkeypatch, tmp_path):
    """Of a CPU's OpenCL nothing is asked: its vectors would be tried, on a device that isn't there."""
    monkeypatch.setenv("ACCSHARE_RUNTIME", machine({"name": "Big"}, {"name": "Slow", "type": "cpu"}))
    monkeypatch.setenv("ACCSHARE_CACHE_DIR", str(tmp_path / "cache"))
    assert [model.name for model in devices_for(("auto",))] == ["native", "big", "generic-gpu"]
    assert [model.name for model in devices_for(("native",))] == ["native"]
    assert devices_for(("auto",), HostMachine(c99=False))[0].name == "native"
    ancient = HostMachine(c99=False, gnu=False, plain=True)
    assert [model.name for model in devices_for(("auto",), ancient)] == ["big", "slow", "generic-gpu", "generic-cpu"]


def test_without_the_runtime_library_the_generic_models_remain(square, monkeypatch, tmp_path):
    monkeypatch.setenv("ACCSHARE_RUNTIME", str(tmp_path / "absent.so"))
    assert variants(square) == [("generic-gpu", 256), ("generic-cpu", 1)]


def test_the_compiler_asks_for_the_devices(machine, square, tmp_path):
    """The object's variants change with the machine, although the source is in the cache."""

    def targets(library):
        done = accshare_cc("-c", square, "-o", tmp_path / "o.o", env={**os.environ, "ACCSHARE_RUNTIME": library})
        assert done.returncode == 0, done.stderr
        return re.findall(rb"(?:tiny|generic)-\w+", (tmp_path / "o.o").read_bytes())

    assert sorted(targets(machine({}))) == [b"generic-cpu", b"generic-gpu"]
    assert sorted(targets(machine({"name": "tiny gpu", "max_work_group": 32}))) == [
        b"generic-cpu",
        b"generic-gpu",
        b"tiny-gpu",
    ]
