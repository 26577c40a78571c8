import pytest


@pytest.fixture(autouse=True, scope="session")
def untuned(tmp_path_factory):
    """What someone tuned on this machine is not what the compiler chooses."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ACCSHARE_TUNING", str(tmp_path_factory.mktemp("tuning") / "tuning.sqlite"))
        yield
