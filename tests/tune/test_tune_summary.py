"""What the summary says of choices that are no use."""

from __future__ import annotations

from accshare.driver.tunings import Measurement, Way
from accshare.run.tune.ir import KernelFacts
from accshare.run.tune.show import summary

KERNEL = KernelFacts("scale_l3_0", (), (), 1024, True)
SIZE = "n=1024"


DEFAULT = Way(((),))


def choice(width):
    return Way(((("TB_X", width),),))


def ok(way, seconds):
    return {SIZE: Measurement(SIZE, way.kernels, "ok", seconds, order=way.order)}


def slow(way, said):
    return {SIZE: Measurement(SIZE, way.kernels, "slow", said=said)}


def counted(known):
    return summary("scale_l3", "generic-cpu", [KERNEL], known, None, sure=False).splitlines()[0]


def test_slower_than_the_best_is_told_apart_from_stopped():
    known = {DEFAULT: ok(DEFAULT, 1.0)}
    assert counted(known) == "scale_l3 for generic-cpu: 1 choice measured"
    known |= {choice(2): ok(choice(2), 1.4), choice(4): ok(choice(4), 1.6), choice(8): ok(choice(8), 20.0)}
    assert counted(known).endswith(": 4 choices measured, 2 of them more than 1.5 times as slow as the best")
    known |= {choice(16): slow(choice(16), "took more than 20 s")}
    assert counted(known).endswith(" as the best, 1 stopped, having taken more than 20 s")
    known |= {choice(32): slow(choice(32), "took more than 30 s")}
    assert counted(known).endswith(" as the best, 2 stopped, having taken longer than their limits")


def test_the_order_of_loops_is_told():
    source = Way(((),), "source")
    known = {DEFAULT: ok(DEFAULT, 1.0), source: ok(source, 0.5)}
    lines = summary("scale_l3", "generic-cpu", [KERNEL], known, source, sure=True).splitlines()
    assert lines[2:4] == ["  loops in the order source", "  scale_l3_0: as the compiler chooses"]
