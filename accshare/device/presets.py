"""Device models known by name; more are found by probing."""

from __future__ import annotations

from accshare.device.model import Device, DeviceKind

_ALL = (
    # The least an OpenCL GPU of the last decade offers; work-groups of 256 run everywhere.
    Device("generic-gpu", DeviceKind.GPU, 16, 32, 256, 1024, 32768, True, 128, 32, 4, True, 65536, 16, 65536, 128, 48),
    # Any multi-core CPU through PoCL or Intel's runtime.
    Device("generic-cpu", DeviceKind.CPU, 4, 8, 1024, 1024, 32768, False, 64, 1, 64, True, 32768, 1, 128, 64, 64),
)

#: name -> model, for ``--acc-target=NAME``.
PRESETS: dict[str, Device] = {device.name: device for device in _ALL}


def preset(name: str) -> Device:
    """The model called `name`; `KeyError` when there is none."""
    return PRESETS[name]
