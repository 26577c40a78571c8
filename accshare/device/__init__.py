"""Device models: what the compiler knows about the machine a kernel runs on."""

from accshare.device.model import Device, DeviceKind
from accshare.device.presets import PRESETS, preset

__all__ = ["PRESETS", "Device", "DeviceKind", "preset"]
