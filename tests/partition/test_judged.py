"""Local memory where it gains time, and what a user is told of it."""

from dataclasses import replace

import pytest
from solving import sample, staged

from accshare.device import PRESETS
from accshare.mapping.gpu.clocks import GroupWork, clocks
from accshare.options import Choice, Ilp, Share
from accshare.run.sources import compile_file

GPU = "v100"
HOTSPOT = "samples/hotspot.c"


def auto(name, **more):
    return sample(name, device=GPU, share=Share.AUTO, **more)


def test_a_stencil_that_a_cache_serves_stays_in_global_memory():
    assert staged(sample("hotspot", device=GPU))
    judged = auto("hotspot")
    assert staged(judged) == []
    assert "times as long" in judged.solution.declined
    assert "clocks, bound by" in judged.solution.declined


@pytest.mark.parametrize("name", ["mt", "mv", "gemm"])
def test_what_does_not_coalesce_and_what_is_used_often_is_staged(name):
    assert staged(auto(name)) == staged(sample(name, device=GPU))


def test_without_a_cache_for_loads_more_is_staged(monkeypatch):
    bare = replace(PRESETS[GPU], load_cache_bytes=0)
    monkeypatch.setitem(PRESETS, GPU, bare)
    assert staged(auto("hotspot"))


def test_what_is_chosen_for_a_kernel_by_name_is_not_judged():
    (kernel,) = (n.nest.name for n in [auto("hotspot")])
    asked = auto("hotspot", choices=(Choice(kernel, (("STAGE", 1),)),), ilp=Ilp(automatic=False))
    assert staged(asked)


def test_a_note_tells_why_a_hint_is_left_and_how_to_have_it_all_the_same():
    unit = compile_file(HOTSPOT, ["--acc-target=v100"])
    (note,) = (d for d in unit.result.diagnostics if d.code == "ACC507")
    assert "now stays in global memory on v100" in note.message
    assert "times as long" in note.message
    assert note.hint == "--acc-share=on stages it all the same"


def test_clocks_are_those_of_the_slowest_part_and_of_whole_rounds():
    device = replace(PRESETS[GPU], compute_units=2)
    busy = GroupWork(1e6, 10.0, 10.0, 100.0, 10.0, 0.0, 0.0)
    assert clocks(busy, 8, 1.0, 4, device)[0] == "instructions"
    waiting = GroupWork(100.0, 10.0, 10.0, 100.0, 0.0, 1e6, 0.0)
    assert clocks(waiting, 8, 1.0, 4, device)[0] == "latency"
    # a ninth group of which two units hold four each at a time takes a second round
    assert clocks(waiting, 9, 1.0, 4, device)[1] > 1.9 * clocks(waiting, 8, 1.0, 4, device)[1]
    # of what there is half of, half the time goes
    assert clocks(busy, 8, 0.5, 4, device)[1] < 0.6 * clocks(busy, 8, 1.0, 4, device)[1]
    # where the only resident group waits, nothing else runs
    alone, together = (clocks(GroupWork(1e6, 0.0, 0.0, 0.0, 0.0, 7000.0, 0.0), 8, 1.0, n, device)[1] for n in (1, 4))
    assert alone > together
