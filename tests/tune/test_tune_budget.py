"""How the tuner's time is shared out, and what it says of what did not end in time."""

from __future__ import annotations

import pytest

from accshare.run.tune.budget import Allowance, Budget, allowance, kept_for_duels, outcome_of
from accshare.run.tune.show import Said, due

pytestmark = pytest.mark.quick


class Clock:
    """Shows what it is set to."""

    now = 100.0

    def __call__(self):
        return self.now


def test_time_runs_from_the_start_whatever_it_is_spent_on():
    clock = Clock()
    budget = Budget.of(60, clock)
    assert budget.left() == 60
    clock.now = 140
    assert budget.left() == 20
    clock.now = 1000
    assert budget.left() == 0


def test_regions_share_what_the_ones_before_left():
    clock = Clock()
    budget = Budget.of(60, clock)
    clock.now += 15
    assert budget.share(3).left() == 15
    clock.now += 5  # the first was quick
    assert budget.share(2).left() == 20
    clock.now += 40
    assert budget.share(1).left() == 0


def test_a_call_gets_no_more_than_what_is_left():
    assert allowance(20, 100).total == 40  # another 20 to say something
    assert allowance(20, 25).total == 25
    assert allowance(20, 5).total == 5
    assert allowance(300, -1).total == 0
    assert allowance(0.01, 100).total == pytest.approx(20.01)


@pytest.mark.parametrize(
    ("given", "spoke", "outcome"),
    [
        (Allowance(20, 20, 10), False, "stopped"),
        (Allowance(20, 20, 100), True, "slow"),
        (Allowance(20, 20, 100), False, "hung"),
        (Allowance(20, 20, 30), False, "slow"),  # nobody listened long enough to say that it hangs
        (Allowance(20, 0, 100), False, "hung"),
    ],
)
def test_slow_is_told_from_hung_and_from_what_time_did_not_allow(given, spoke, outcome):
    assert outcome_of(given, spoke) == outcome


def test_time_is_kept_for_running_the_winner_against_the_default():
    assert kept_for_duels(3, 2.0, 60.0) == 12.0
    assert kept_for_duels(3, 20.0, 60.0) == 30.0


@pytest.mark.parametrize(
    ("last", "now", "expected"),
    [
        (None, Said(0.0, "1.00"), True),
        (Said(0.0, "1.00"), Said(0.1, "1.00"), False),
        (Said(0.0, "1.00"), Said(0.1, "1.20"), True),
        (Said(0.0, "1.20"), Said(4.9, "1.20"), False),
        (Said(0.0, "1.20"), Said(5.0, "1.20"), True),
    ],
)
def test_a_line_is_due_when_the_best_changes_or_a_while_has_passed(last, now, expected):
    assert due(last, now) is expected
