from __future__ import annotations

import os

import commands
import pytest


@pytest.fixture
def accshare():
    """Runs the command."""

    def call(*arguments, **variables):
        return commands.accshare(*arguments, env={**os.environ, **variables})

    return call
