"""How exact functions are is a matter of the optimiser too."""

import pytest


@pytest.fixture(autouse=True)
def _kernels_built_fast():
    """Every test has PoCL optimise."""
