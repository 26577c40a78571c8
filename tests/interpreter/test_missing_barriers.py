"""No barrier can be left out: without any one of them the interpreter finds a race."""

import pytest
from interpreting import BANKS, SAMPLES, barriers, compiled, without_barrier

from accshare.run.interpreter import FaultKind

pytestmark = pytest.mark.quick

PATHS = [*sorted(SAMPLES.glob("*.c")), *sorted(BANKS.glob("*.c"))]
#: several work-groups, and several strips in each; as much to count as makes groups count for themselves
SIZES = {"reorder": 300, "histogram": 100_000}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_every_barrier_is_needed(path):
    for region in compiled(path):
        case, variant = region.case_of(SIZES.get(path.stem, 96)), region.variant.variant
        whole = region.run(case)
        assert whole.faults == ()
        launched = {count.kernel for count in whole.counts}  # of two forms of a kernel, one
        for kernel in (k for k in variant.kernels if k.name in launched):
            for number in range(barriers(kernel)):
                run = region.run(case, without_barrier(variant, kernel, number))
                assert FaultKind.RACE in {fault.kind for fault in run.faults}, (kernel.name, number)
