import pytest


@pytest.fixture(autouse=True)
def untuned(tmp_path, monkeypatch):
    """What someone tuned on this machine is not what the compiler chooses."""
    monkeypatch.setenv("ACCSHARE_TUNING", str(tmp_path / "tuning.sqlite"))
