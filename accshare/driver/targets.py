"""Device models for ``--acc-target``."""

from __future__ import annotations

from accshare.device import PRESETS, Device

#: what ``auto`` stands for: with these two, some variant fits whatever device the program meets
_AUTO = ("generic-gpu", "generic-cpu")


def devices_for(targets: tuple[str, ...]) -> tuple[Device, ...]:
    """The models of target names, each once, in order; `KeyError` for an unknown name."""
    names = [name for target in targets for name in (_AUTO if target == "auto" else (target,))]
    return tuple(PRESETS[name] for name in dict.fromkeys(names))
