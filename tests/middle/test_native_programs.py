"""The same programs with kernels that are C of the program itself: results as with gcc, where each call runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from calls import check_where
from tiers import telling

NAMES = sorted(p.stem for p in (Path(__file__).parent / "programs").glob("*.c"))


@pytest.mark.parametrize("name", telling({"small", "legality"}, NAMES))
def test_calls_run_where_they_say_and_give_the_host_compilers_results(name, workshop):
    calls = workshop.calls(name, "native")
    assert [(c.text, c.result) for c in calls] == workshop.host_results(name)
    check_where(calls)
