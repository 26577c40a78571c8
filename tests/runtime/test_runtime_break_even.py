"""What the runtime takes for worth a device, and that regions which run again and again are prepared once."""

from __future__ import annotations

import pytest
from runtime_programs import Program, Runtime

#: the platform whose CPU device works in the host's memory for sure; others may keep copies
POCL = "Portable Computing Language"
#: operations, those one after the other, launches, atomics: each more work than the one before
GROWING = [(10.0**k, 10.0, 1.0, 0.0) for k in range(12)]


def pays(
    run: Program, works: list[tuple[float, float, float, float]], hold: str = "nothing", n: int = 64, **settings: str
):
    """The answers before anything ran on the device, and after."""
    result = run("breakeven", n, hold, *(number for work in works for number in work), **settings)
    assert result.returncode == 0, result.stderr
    return result.stdout.split()


@pytest.mark.parametrize("settings", [{}, {"ACCSHARE_PROFILE": "1"}, {"ACCSHARE_ZERO_COPY": "0"}])
def test_more_work_never_goes_back_to_the_host(run: Program, settings: dict[str, str]) -> None:
    for answers in pays(run, GROWING, **settings):
        assert answers.startswith("0")
        assert answers.endswith("1")
        assert "10" not in answers


def test_more_launches_take_more_work(run: Program) -> None:
    works = [(1e6, 10, launches, 0) for launches in (1, 100, 1000)]
    for answers in pays(run, works):
        assert answers == "100"


def test_a_chain_of_operations_stays_on_the_host(run: Program) -> None:
    """One core of the device is no faster than one of the host."""
    if run.runtime.devices()[0]["type"] != "cpu":
        pytest.skip("where the device is a GPU, its work-items are only slower")
    for answers in pays(run, [(1e9, 10, 1, 0), (1e9, 1e9, 1, 0), (1e12, 1e12, 1, 0)]):
        assert answers == "100"


def test_what_cores_wait_for_each_other_for_stays_on_the_host(run: Program) -> None:
    if run.runtime.devices()[0]["type"] != "cpu":
        pytest.skip("a GPU's work-items wait for little")
    for answers in pays(run, [(1e9, 10, 1, 1e3), (1e9, 10, 1, 1e9)]):
        assert answers == "10"


def test_nothing_is_judged_for_who_wants_the_device(run: Program) -> None:
    for settings in ({"ACCSHARE_OFFLOAD": "mandatory"}, {"ACCSHARE_BREAK_EVEN": "0"}):
        for answers in pays(run, GROWING, **settings):
            assert set(answers) == {"1"}


def test_work_too_large_for_integers_is_work(run: Program) -> None:
    assert pays(run, [(1e30, 1, 1, 0), (1e300, 1, 1, 0)])[0] == "11"


def test_no_work_is_none_for_a_device(run: Program) -> None:
    assert pays(run, [(0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0)]) == ["00", "00"]


def test_data_in_a_memory_of_its_own_keep_a_region_on_the_device(run: Program) -> None:
    tiny = [(1.0, 1.0, 1.0, 1.0), (0.0, 0.0, 0.0, 0.0)]
    apart = {"ACCSHARE_ZERO_COPY": "0"}
    assert pays(run, tiny, "nothing", **apart) == ["00", "00"]
    assert pays(run, tiny, "x", **apart) == ["11", "11"]
    assert pays(run, tiny, "memory") == ["11"]


def test_shared_data_keep_no_region_on_the_device(device_runtime: Runtime, run: Program) -> None:
    if device_runtime.devices()[0]["platform"] != POCL:
        pytest.skip("the device may have a memory of its own")
    assert pays(run, [(1.0, 1.0, 1.0, 1.0)], "x") == ["0", "0"]


def test_transfers_count(run: Program) -> None:
    """Ten times as much work as would pay without them."""
    work = [(1e7, 10.0, 1.0, 0.0)]
    assert pays(run, work, n=10)[0] == "1"
    assert pays(run, work, n=10_000_000, ACCSHARE_ZERO_COPY="0")[0] == "0"


def test_data_that_no_region_uses_get_no_memory(device_runtime: Runtime, run: Program) -> None:
    if device_runtime.devices()[0]["platform"] != POCL:
        pytest.skip("the device may have a memory of its own")
    shim = device_runtime.compile("counting_opencl", "-shared", "-fPIC")

    def buffers(scenario: str) -> int:
        result = run("present", scenario, LD_PRELOAD=f"{shim} libOpenCL.so.1")
        assert result.returncode == 0, result.stderr
        (line,) = [line for line in result.stderr.splitlines() if line.startswith("buffers=")]
        return int(line.split()[0].removeprefix("buffers="))

    probe = buffers("update_if_present")
    assert buffers("never_used") == probe
    assert buffers("nested") == probe
    assert buffers("structured") > probe


@pytest.mark.parametrize("memory", ["0", "1"])
def test_a_region_in_a_time_loop_is_prepared_once(device_runtime: Runtime, run: Program, memory: str) -> None:
    shim = device_runtime.compile("counting_opencl", "-shared", "-fPIC")

    def counts(times: int) -> dict[str, int]:
        own = {"LD_PRELOAD": f"{shim} libOpenCL.so.1", "ACCSHARE_ZERO_COPY": memory}
        result = run("region", 100, 5, times, 1, **own)
        assert result.stdout == f"device={times} host=0 wrong=0\n"
        line = [line for line in result.stderr.splitlines() if line.startswith("buffers=")][-1]  # a linker's come first
        return {name: int(number) for name, number in (word.split("=") for word in line.split())}

    few, many = counts(3), counts(40)
    if memory == "0":
        assert (many["writes"] - few["writes"], many["reads"] - few["reads"]) == (2 * 37, 37)
        few, many = ({k: v for k, v in c.items() if k not in ("writes", "reads")} for c in (few, many))
    if memory == "0" or device_runtime.devices()[0]["platform"] == POCL:
        assert few == many
