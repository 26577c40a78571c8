"""Sizes are measured as they were asked for, and kept by size class."""

from __future__ import annotations

import pytest

from accshare.driver.tunings import Measurement
from accshare.run.tune.ir import Asked
from accshare.run.tune.sizes import from_kept, inputs_of, size_class, to_keep, typical

CLASSES = {"n=1000": "n=1024", "n=1024": "n=1024", "n=100": "n=128"}
WIDE = ((("TB_X", 64),),)


def timed(size, seconds, kernels=((),), **more):
    return size, Measurement(size, kernels, "ok", seconds, **more)


def test_inputs_are_named_as_they_are_and_classes_are_powers_of_two():
    inputs = {"n": 1000, "factor": 2.5, "grid->m": 64, "k": 0}
    assert inputs_of(inputs) == "grid->m=64 k=0 n=1000"
    assert size_class(inputs) == "grid->m=64 k=1 n=1024"


def test_several_sizes_of_a_class_are_kept_as_one():
    own = dict([timed("n=1000", 1.0, spread=0.1), timed("n=1024", 4.0, spread=0.2, weight=1), timed("n=100", 0.5)])
    several, one = to_keep(own, CLASSES)
    assert (several.size, several.inputs, several.weight, several.spread) == ("n=1024", "n=1000; n=1024", 2, 0.2)
    assert several.seconds == pytest.approx(2.0)
    assert (one.size, one.inputs, one.seconds) == ("n=128", "n=100", pytest.approx(0.5))


def test_what_was_kept_is_known_again_at_every_size():
    default = dict([timed("n=1000", 1.0), timed("n=1024", 4.0), timed("n=100", 0.5)])
    wide = dict([timed("n=1000", 0.5, WIDE), timed("n=1024", 2.0, WIDE), timed("n=100", 0.25, WIDE)])
    kept = {one.size: one for one in to_keep(wide, CLASSES)}
    again = from_kept(kept, default, CLASSES)
    assert {size: one.seconds for size, one in again.items()} == pytest.approx(
        {"n=1000": 0.5, "n=1024": 2.0, "n=100": 0.25}
    )
    assert [one.seconds for one in to_keep(again, CLASSES)] == pytest.approx([one.seconds for one in kept.values()])


def test_a_choice_without_times_is_kept_without():
    slow = {size: Measurement(size, WIDE, "slow", said="took more than 20 s") for size in CLASSES}
    assert [(one.size, one.outcome, one.seconds) for one in to_keep(slow, CLASSES)] == [
        *(("n=1024", "slow", 0.0), ("n=128", "slow", 0.0)),
    ]


def test_the_most_frequent_size_stands_for_those_of_its_class():
    met = [Asked((("n", 1000),), 3), Asked((("n", 777),), 5), Asked((("n", 512),), 1)]
    assert typical(met) == (Asked((("n", 777),), 8), Asked((("n", 512),), 1))
